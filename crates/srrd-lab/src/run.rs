//! Runs an experiment on all cores: rows in the order of the plan, progress, parts and their merging.

use crate::error::LabError;
use crate::experiment::Experiment;
use crate::manifest::{Manifest, Shard};
use crate::store::{Store, read_part};
use srrd::run::{Cancellation, Cancelled};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often progress is told when nothing gets done.
const LOOK: Duration = Duration::from_millis(200);

/// How far a run is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress {
    /// Trials that are done, those of an earlier start included.
    pub done: usize,
    /// Trials of this part.
    pub all: usize,
    /// How long the rest will take, by what the trials so far took; unknown at first.
    pub left: Option<Duration>,
}

/// A run: an experiment with its settings, ready to be computed and reported.
///
/// See the example of the [crate](crate).
pub struct Run {
    pub(crate) manifest: Manifest,
    pub(crate) experiment: Box<dyn Experiment>,
}

impl Run {
    /// The run that a manifest describes.
    ///
    /// # Errors
    /// When the experiment cannot be run with these parameters.
    pub fn new(manifest: Manifest) -> Result<Self, LabError> {
        let experiment = (manifest.kind.build)(manifest.parameters.clone())?;
        Ok(Run { manifest, experiment })
    }

    /// The run whose results a folder holds.
    ///
    /// # Errors
    /// When it holds none.
    pub fn open(folder: &Path) -> Result<Self, LabError> {
        Run::new(Manifest::read(folder)?)
    }

    /// What was asked for.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// How many trials the whole run has, all parts together.
    pub fn trials(&self) -> usize {
        self.experiment.trials()
    }

    /// What will be done, in a few lines.
    pub fn plan(&self) -> Vec<String> {
        let mut lines = self.experiment.plan();
        let trials = self.manifest.shard.trials(self.trials()).len();
        lines.push(match self.manifest.shard {
            Shard::WHOLE => format!("{trials} trials"),
            shard => format!("{trials} of {} trials: the part {shard}", self.trials()),
        });
        lines
    }

    /// Whether all is there that the run reads, such as folders of recordings. [`compute`](Self::compute) asks, too.
    ///
    /// # Errors
    /// When something is missing.
    pub fn ready(&self) -> Result<(), LabError> {
        self.experiment.ready()
    }

    /// Computes the trials that are missing in `folder`, on so many threads.
    ///
    /// `progress` is told how far it is, several times a second. When it breaks off, trials under way are stopped and
    /// [`LabError::Stopped`] is returned; what is done is kept, and the same call goes on from there.
    ///
    /// # Errors
    /// When the folder holds something else or cannot be written, when a trial fails, and when it is stopped.
    pub fn compute(
        &self,
        folder: &Path,
        threads: usize,
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<(), LabError> {
        self.ready()?;
        compute(folder, &self.manifest, self.experiment.as_ref(), threads, progress)
    }

    /// Evaluates the trials in `folder` and writes `summary.csv`, the figures and `report.html`. Returns what to print.
    ///
    /// # Errors
    /// When the trials are not those of this run, or the results cannot be written.
    pub fn publish(&self, folder: &Path) -> Result<String, LabError> {
        crate::publish::publish(self, folder, true)
    }

    /// The same without PNG files, which take nearly all of the time.
    ///
    /// # Errors
    /// As for [`publish`](Self::publish).
    pub fn publish_without_png(&self, folder: &Path) -> Result<String, LabError> {
        crate::publish::publish(self, folder, false)
    }
}

fn compute(
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
                    store.append(&experiment.key(missing[written]), rows)?;
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

/// Joins the parts of a run that were computed apart: the folder then holds the trials that an undivided run would have
/// written.
///
/// ```
/// use srrd_lab::{Manifest, Preset, Run, Shard, merge};
/// use std::ops::ControlFlow;
///
/// let folder = tempfile::tempdir()?;
/// let mut parts = Vec::new();
/// for index in 1..=2 {
///     let part = folder.path().join(format!("part{index}"));
///     let manifest = Manifest::new("instability", Preset::Quick, [("trials", "2")], Shard::new(index, 2)?)?;
///     Run::new(manifest)?.compute(&part, 1, |_| ControlFlow::Continue(()))?;
///     parts.push(part);
/// }
/// let whole = folder.path().join("whole");
/// let text = merge(&parts, &whole)?.publish(&whole)?;
/// assert!(text.contains("srrd"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When a part is missing, unfinished, there twice or of another run.
pub fn merge(parts: &[PathBuf], folder: &Path) -> Result<Run, LabError> {
    let manifests: Vec<Manifest> = parts.iter().map(|part| Manifest::read(part)).collect::<Result<_, _>>()?;
    let Some(first) = manifests.first() else {
        return Err(LabError::wrong("merge: name the folders of the parts"));
    };
    let run = Run::new(first.whole())?;
    let of = first.shard.of();
    let mut found: Vec<Option<std::vec::IntoIter<String>>> = (0..of).map(|_| None).collect();
    for (part, manifest) in parts.iter().zip(&manifests) {
        let shown = part.display();
        if manifest.whole() != run.manifest || manifest.shard.of() != of {
            return Err(LabError::wrong(format!(
                "{shown}: is not a part of the same run as {} ({} against {})",
                parts[0].display(),
                manifest.command(),
                first.command()
            )));
        }
        let trials = read_part(part, manifest.shard, run.experiment.as_ref())?;
        if found[manifest.shard.index() - 1].replace(trials.into_iter()).is_some() {
            return Err(LabError::wrong(format!("{shown}: the part {} is there twice", manifest.shard)));
        }
    }
    let missing = |index| LabError::wrong(format!("the part {}/{of} is missing: name its folder, too", index + 1));
    let parts = found.into_iter().enumerate().map(|(index, part)| part.ok_or_else(|| missing(index)));
    let mut parts: Vec<_> = parts.collect::<Result<_, _>>()?;
    let mut store = Store::open(folder, &run.manifest, run.experiment.as_ref())?;
    let there = store.done;
    for trial in 0..run.trials() {
        // Every part was checked: it has the lines of each of its trials.
        let lines = parts[trial % of].next().unwrap_or_default();
        if trial >= there {
            store.append_lines(&lines)?;
        }
    }
    store.sync()?;
    Ok(run)
}
