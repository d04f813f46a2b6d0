//! Runs an experiment: all cores, rows in the order of the plan, progress.

use crate::error::LabError;
use crate::experiment::Experiment;
use crate::manifest::{Manifest, Shard};
use crate::store::Store;
use srrd::{Cancellation, Cancelled};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often progress is told when nothing gets done.
const LOOK: Duration = Duration::from_millis(200);

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Trials that are done, those of an earlier start included.
    pub done: usize,
    /// Trials of this part.
    pub all: usize,
    /// How long the rest will take, by what the trials so far took; unknown at first.
    pub left: Option<Duration>,
}

/// Computes the trials that are missing in `folder`, on so many threads.
///
/// `progress` is told how far it is, several times a second. When it breaks off, trials under way are stopped and
/// [`LabError::Stopped`] is returned; what is done is kept, and the same call goes on from there.
pub fn run(
    folder: &Path,
    manifest: &Manifest,
    experiment: &dyn Experiment,
    threads: usize,
    mut progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<(), LabError> {
    let mut store = Store::open(folder, manifest, experiment)?;
    let trials: Vec<usize> = manifest.shard.trials(experiment.trials()).collect();
    let missing = &trials[store.done..];
    let mut clock = Clock::new(experiment, missing);
    if progress(Progress { done: store.done, all: trials.len(), left: None }).is_break() {
        return Err(LabError::Stopped);
    }

    let next = AtomicUsize::new(0);
    let cancellation = Cancellation::new();
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads.min(missing.len()) {
            let (sender, next, cancellation) = (sender.clone(), &next, &cancellation);
            scope.spawn(move || {
                // Trials run side by side; loops within one must not ask for the same cores again.
                let alone = cancellation.pool(1);
                while let Some(&trial) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let rows = match &alone {
                        Ok(alone) => match alone.run(|| experiment.run(trial)) {
                            Ok(rows) => rows,
                            Err(Cancelled) => break,
                        },
                        Err(error) => Err(LabError::failed(format!("cannot start threads: {error}"))),
                    };
                    if sender.send((trial, rows)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        // Trials that were done before their turn.
        let mut waiting = BTreeMap::new();
        let mut written = 0;
        let outcome = (|| {
            loop {
                match receiver.recv_timeout(LOOK) {
                    Ok((trial, rows)) => {
                        waiting.insert(trial, rows?);
                        clock.done(trial);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                while let Some(rows) = missing.get(written).and_then(|trial| waiting.remove(trial)) {
                    store.append(&experiment.key(missing[written]), &rows)?;
                    written += 1;
                }
                if progress(Progress { done: store.done, all: trials.len(), left: clock.left() }).is_break() {
                    store.sync()?;
                    return Err(LabError::Stopped);
                }
            }
            store.sync()
        })();
        cancellation.cancel();
        outcome
    })
}

/// Estimates the time left from the costs that the experiment states.
struct Clock<'a> {
    experiment: &'a dyn Experiment,
    started: Instant,
    done: f64,
    all: f64,
}

impl<'a> Clock<'a> {
    fn new(experiment: &'a dyn Experiment, missing: &[usize]) -> Self {
        let all = missing.iter().map(|&trial| experiment.cost(trial)).sum();
        Clock { experiment, started: Instant::now(), done: 0.0, all }
    }

    fn done(&mut self, trial: usize) {
        self.done += self.experiment.cost(trial);
    }

    fn left(&self) -> Option<Duration> {
        let spent = self.started.elapsed();
        // A first guess from a few milliseconds would only jump about.
        if spent < Duration::from_millis(500) || self.done <= 0.0 {
            return None;
        }
        Duration::try_from_secs_f64(spent.as_secs_f64() * ((self.all - self.done) / self.done).max(0.0)).ok()
    }
}

/// Joins the parts of a run that were computed apart: the folder then holds what an undivided run would have written.
pub fn merge(parts: &[std::path::PathBuf], folder: &Path) -> Result<Manifest, LabError> {
    let mut manifests = Vec::new();
    for part in parts {
        manifests.push(Manifest::read(part)?);
    }
    let Some(first) = manifests.first() else {
        return Err(LabError::wrong("merge: name the folders of the parts"));
    };
    let whole = Manifest { shard: Shard::WHOLE, ..first.clone() };
    let experiment = whole.experiment()?;
    let of = first.shard.of;
    let mut found: Vec<Option<std::str::Lines<'_>>> = vec![None; of];
    let mut texts = Vec::new();
    for (part, manifest) in parts.iter().zip(&manifests) {
        let shown = part.display();
        if (Manifest { shard: Shard::WHOLE, ..manifest.clone() }).to_json() != whole.to_json()
            || manifest.shard.of != of
        {
            return Err(LabError::wrong(format!(
                "{shown}: is not a part of the same run as {} ({} against {})",
                parts[0].display(),
                manifest.command(),
                first.command()
            )));
        }
        let trials = crate::store::read_part(part, manifest.shard, experiment.as_ref())?;
        texts.push((manifest.shard.index - 1, trials));
    }
    for ((index, text), part) in texts.iter().zip(parts) {
        if found[*index].replace(text.lines()).is_some() {
            return Err(LabError::wrong(format!("{}: the part {}/{of} is there twice", part.display(), index + 1)));
        }
    }
    let mut lines = Vec::new();
    for (index, part) in found.into_iter().enumerate() {
        let mut part = part
            .ok_or_else(|| LabError::wrong(format!("the part {}/{of} is missing: name its folder, too", index + 1)))?;
        part.next();
        lines.push(part);
    }
    let mut store = Store::open(folder, &whole, experiment.as_ref())?;
    for trial in 0..experiment.trials() {
        let key = experiment.key(trial);
        // The part was checked: it has these rows.
        let rows: Vec<String> = (0..experiment.rows(trial))
            .filter_map(|_| lines[trial % of].next())
            .map(|line| line[key.len() + 1..].to_owned())
            .collect();
        if trial >= store.done {
            store.append(&key, &rows)?;
        }
    }
    store.sync()?;
    Ok(whole)
}
