//! trials.csv: rows that are there to stay.
//!
//! Rows are appended in the order of the plan, a trial at a time, whatever the order in which they were computed. So the file is
//! always a beginning of the finished one, but for a trial that was being written when the machine stopped; that one is cut off
//! and computed again. A run that was killed therefore ends with the same bytes as one that was not.

use crate::error::LabError;
use crate::experiment::{Experiment, Trials};
use crate::manifest::{Manifest, Shard};
use srrd_data::Unfinished;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long rows may be with the operating system only.
const SYNC_EVERY: Duration = Duration::from_secs(2);

/// An open trials.csv that nobody else writes to.
pub struct Store {
    file: File,
    path: PathBuf,
    synced: Instant,
    /// How many trials of the part it holds.
    pub done: usize,
}

impl Store {
    /// Opens the folder of a run: a new one, or one where the same run was stopped.
    pub fn open(folder: &Path, manifest: &Manifest, experiment: &dyn Experiment) -> Result<Self, LabError> {
        fs::create_dir_all(folder).map_err(LabError::io(folder, "the folder cannot be made"))?;
        let path = folder.join("trials.csv");
        let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let file = open.map_err(LabError::io(&path, "cannot be opened"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(LabError::wrong(format!(
                    "{}: another run is writing here; wait for it, or choose another folder",
                    folder.display()
                )));
            }
            Err(TryLockError::Error(e)) => return Err(LabError::io(&path, "cannot be locked")(e)),
        }
        claim(folder, manifest, &path)?;
        let mut store = Store { file, path, synced: Instant::now(), done: 0 };
        store.go_on(manifest.shard, experiment)?;
        Ok(store)
    }

    /// Finds where the file ends that was there, and cuts off what is incomplete.
    fn go_on(&mut self, shard: Shard, experiment: &dyn Experiment) -> Result<(), LabError> {
        let text = fs::read(&self.path).map_err(LabError::io(&self.path, "cannot be read"))?;
        let kept = complete(&text, shard, experiment).map_err(|row| {
            LabError::wrong(format!(
                "{}: row {row} does not belong to this run; choose another folder",
                self.path.display()
            ))
        })?;
        self.done = kept.trials;
        let write = |store: &mut Store| {
            store.file.set_len(kept.bytes as u64)?;
            store.file.seek(SeekFrom::End(0))?;
            if kept.bytes == 0 {
                store.file.write_all((experiment.columns().join(",") + "\n").as_bytes())?;
            }
            store.file.sync_data()
        };
        write(self).map_err(LabError::io(&self.path, "cannot be written"))
    }

    /// Appends the rows of the next trial.
    pub fn append(&mut self, key: &str, rows: &[String]) -> Result<(), LabError> {
        let mut text = String::new();
        for row in rows {
            text.push_str(key);
            text.push(',');
            text.push_str(row);
            text.push('\n');
        }
        self.file.write_all(text.as_bytes()).map_err(LabError::io(&self.path, "cannot be written"))?;
        self.done += 1;
        if self.synced.elapsed() >= SYNC_EVERY {
            self.sync()?;
        }
        Ok(())
    }

    /// Waits until the rows are on the disk.
    pub fn sync(&mut self) -> Result<(), LabError> {
        self.synced = Instant::now();
        self.file.sync_data().map_err(LabError::io(&self.path, "cannot be written"))
    }
}

/// Writes run.json, or checks that the one that is there is of the same run.
fn claim(folder: &Path, manifest: &Manifest, trials: &Path) -> Result<(), LabError> {
    let path = folder.join("run.json");
    let ours = manifest.to_json();
    match fs::read_to_string(&path) {
        Ok(theirs) if theirs == ours => Ok(()),
        Ok(_) => {
            // Says more precisely what is wrong with it, if anything is.
            let theirs = Manifest::read(folder)?;
            Err(LabError::wrong(format!(
                "{}: the folder holds another run ({}); choose another folder",
                folder.display(),
                theirs.command()
            )))
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            if fs::metadata(trials).is_ok_and(|file| file.len() > 0) {
                return Err(LabError::wrong(format!(
                    "{}: there are trials without a run.json; choose another folder",
                    folder.display()
                )));
            }
            write_whole(&path, ours.as_bytes())
        }
        Err(e) => Err(LabError::io(&path, "cannot be read")(e)),
    }
}

/// Writes a file beside its place and renames it: it is there completely or not at all.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), LabError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.partial"));
    let write = || {
        let (unfinished, mut file) = Unfinished::create(beside, |beside| File::create(beside))?;
        file.write_all(bytes)?;
        file.sync_data()?;
        unfinished.finish(path)
    };
    write().map_err(LabError::io(path, "cannot be written"))
}

struct Kept {
    trials: usize,
    bytes: usize,
}

/// The trials that `text` holds completely, or the row (from 1, without the header) that should not be there.
fn complete(text: &[u8], shard: Shard, experiment: &dyn Experiment) -> Result<Kept, usize> {
    let header = experiment.columns().join(",") + "\n";
    let mut kept = Kept { trials: 0, bytes: 0 };
    let Some(mut rest) = text.strip_prefix(header.as_bytes()) else {
        // A header that was cut short is no more than nothing.
        return if header.as_bytes().starts_with(text) { Ok(kept) } else { Err(0) };
    };
    kept.bytes = header.len();
    let mut row = 0;
    for trial in shard.trials(experiment.trials()) {
        let key = experiment.key(trial) + ",";
        let mut length = 0;
        for _ in 0..experiment.rows(trial) {
            row += 1;
            let line = &rest[length..];
            let Some(end) = line.iter().position(|&byte| byte == b'\n') else {
                // Cut off in the middle: as much as there is must be the beginning of the right row.
                let shown = line.len().min(key.len());
                return if line[..shown] == key.as_bytes()[..shown] { Ok(kept) } else { Err(row) };
            };
            if !line[..end].starts_with(key.as_bytes()) {
                return Err(row);
            }
            length += end + 1;
        }
        rest = &rest[length..];
        kept.bytes += length;
        kept.trials += 1;
    }
    if rest.is_empty() { Ok(kept) } else { Err(row + 1) }
}

/// Reads the trials of a folder, as far as they are there.
pub fn read_trials(folder: &Path, shard: Shard, experiment: &dyn Experiment) -> Result<Trials, LabError> {
    let path = folder.join("trials.csv");
    let mut text = fs::read(&path).map_err(LabError::io(&path, "cannot be read"))?;
    let kept = complete(&text, shard, experiment)
        .map_err(|row| LabError::wrong(format!("{}: row {row} does not belong to this run", path.display())))?;
    text.truncate(kept.bytes);
    let text = String::from_utf8(text).map_err(|_| LabError::wrong(format!("{}: is not text", path.display())))?;
    Ok(Trials::new(text, kept.trials == experiment.trials()))
}

/// Reads the trials of a part, all of which must be there.
pub fn read_part(folder: &Path, shard: Shard, experiment: &dyn Experiment) -> Result<String, LabError> {
    let path = folder.join("trials.csv");
    let text = fs::read(&path).map_err(LabError::io(&path, "cannot be read"))?;
    let kept = complete(&text, shard, experiment)
        .map_err(|row| LabError::wrong(format!("{}: row {row} does not belong to this run", path.display())))?;
    let all = shard.trials(experiment.trials()).len();
    if kept.trials < all {
        return Err(LabError::wrong(format!(
            "{}: the part {shard} is not finished ({} of {all} trials); run it again, it goes on where it was",
            folder.display(),
            kept.trials
        )));
    }
    String::from_utf8(text).map_err(|_| LabError::wrong(format!("{}: is not text", path.display())))
}
