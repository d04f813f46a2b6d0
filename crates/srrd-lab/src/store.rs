//! trials.csv: rows that are there to stay.
//!
//! Rows are appended in the order of the plan, one trial at a time, whatever the order in which they were computed. So the file
//! is always a beginning of the finished one, but for a trial that was being written when the machine stopped; that one is cut
//! off and computed again. A run that was killed therefore ends with the same bytes as one that was not.

use crate::error::LabError;
use crate::experiment::Experiment;
use crate::manifest::{Manifest, Shard};
use crate::row::{AnyColumn, Misfit, Row, Trials, check_line, header};
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
    columns: Vec<AnyColumn>,
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
        let mut store = Store { file, path, columns: experiment.columns(), synced: Instant::now(), done: 0 };
        store.go_on(manifest.shard, experiment)?;
        Ok(store)
    }

    /// Finds where the file ends that was there, and cuts off what is incomplete.
    fn go_on(&mut self, shard: Shard, experiment: &dyn Experiment) -> Result<(), LabError> {
        let kept = read(&self.path, shard, experiment)?;
        self.done = kept.rows.len();
        let write = |store: &mut Store| {
            store.file.set_len(kept.text.len() as u64)?;
            store.file.seek(SeekFrom::End(0))?;
            if kept.text.is_empty() {
                store.file.write_all((header(&store.columns) + "\n").as_bytes())?;
            }
            store.file.sync_data()
        };
        write(self).map_err(LabError::io(&self.path, "cannot be written"))
    }

    /// Appends the rows of the next trial.
    pub fn append(&mut self, key: &Row, rows: Vec<Row>) -> Result<(), LabError> {
        let mut text = String::new();
        for row in rows {
            text += &key.clone().followed_by(row).checked_line(&self.columns)?;
            text.push('\n');
        }
        self.append_lines(&text)
    }

    /// Appends the lines of the next trial, which were checked.
    pub fn append_lines(&mut self, lines: &str) -> Result<(), LabError> {
        self.file.write_all(lines.as_bytes()).map_err(LabError::io(&self.path, "cannot be written"))?;
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

/// The trials that a file holds completely.
struct Kept {
    /// Their part of the file, with the header; empty without one.
    text: String,
    /// How many rows each of them has.
    rows: Vec<usize>,
}

/// Reads trials.csv as far as it is complete. Every row must be of the trial that belongs in its place, and have a value of the
/// right type in every column.
fn read(path: &Path, shard: Shard, experiment: &dyn Experiment) -> Result<Kept, LabError> {
    let bytes = fs::read(path).map_err(LabError::io(path, "cannot be read"))?;
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let lines = error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
        LabError::row(path, lines, None, "is not text")
    })?;
    let columns = experiment.columns();
    let head = header(&columns) + "\n";
    let Some(mut rest) = text.strip_prefix(&head) else {
        // A header that was cut short is no more than nothing.
        if head.starts_with(&text) {
            return Ok(Kept { text: String::new(), rows: Vec::new() });
        }
        return Err(wrong_header(path, &text, &columns));
    };
    let foreign = |row| LabError::row(path, row, None, "does not belong to this run; choose another folder");
    let mut kept = Vec::new();
    let (mut row, mut length) = (0, head.len());
    'trials: for trial in shard.trials(experiment.trials()) {
        let key = experiment.key(trial).line() + ",";
        let (before, rows) = (rest, experiment.rows(trial));
        for _ in 0..rows {
            row += 1;
            let Some((line, after)) = rest.split_once('\n') else {
                // Cut off in the middle: as much as there is must be the beginning of the right row.
                let same = key.bytes().zip(rest.bytes()).all(|(a, b)| a == b);
                rest = "";
                if same { break 'trials } else { return Err(foreign(row)) }
            };
            if !line.starts_with(&key) {
                return Err(wrong_key(path, row, line, &key, &columns).unwrap_or_else(|| foreign(row)));
            }
            check_line(line, &columns).map_err(|Misfit { column, what }| LabError::row(path, row, column, what))?;
            rest = after;
        }
        length += before.len() - rest.len();
        kept.push(rows);
    }
    if !rest.is_empty() {
        return Err(foreign(row + 1));
    }
    text.truncate(length);
    Ok(Kept { text, rows: kept })
}

fn wrong_header(path: &Path, text: &str, columns: &[AnyColumn]) -> LabError {
    let mut found = text.lines().next().unwrap_or_default().split(',');
    for column in columns {
        match found.next() {
            Some(name) if name == column.name() => {}
            Some(name) => {
                return LabError::row(path, 0, Some(column.name()), format!("'{name}' stands in the header instead"));
            }
            None => return LabError::row(path, 0, Some(column.name()), "the column is missing in the header"),
        }
    }
    let more = found.next().unwrap_or_default();
    LabError::row(path, 0, None, format!("the header has the column '{more}', which does not belong there"))
}

/// A row of the right trial that was edited names the column; a row of another trial has none.
fn wrong_key(path: &Path, row: usize, line: &str, key: &str, columns: &[AnyColumn]) -> Option<LabError> {
    let Misfit { column, what } = check_line(line, columns).err()?;
    let keys = key.split_terminator(',').count();
    let in_key = columns.iter().take(keys).any(|known| Some(known.name()) == column);
    (in_key || column.is_none()).then(|| LabError::row(path, row, column, what))
}

/// Reads the trials of a folder, as far as they are there.
pub fn read_trials(folder: &Path, shard: Shard, experiment: &dyn Experiment) -> Result<Trials, LabError> {
    let path = folder.join("trials.csv");
    let Kept { text, rows } = read(&path, shard, experiment)?;
    let complete = rows.len() == experiment.trials();
    Ok(Trials::new(&path, experiment.columns(), text, rows, complete))
}

/// Reads the lines of a part, all of whose trials must be there, without the header.
pub fn read_part(folder: &Path, shard: Shard, experiment: &dyn Experiment) -> Result<Vec<String>, LabError> {
    let Kept { text, rows } = read(&folder.join("trials.csv"), shard, experiment)?;
    let all = shard.trials(experiment.trials()).len();
    if rows.len() < all {
        return Err(LabError::wrong(format!(
            "{}: the part {shard} is not finished ({} of {all} trials); run it again, it goes on where it was",
            folder.display(),
            rows.len()
        )));
    }
    let mut lines = text.split_inclusive('\n').skip(1);
    Ok(rows.iter().map(|&rows| lines.by_ref().take(rows).collect()).collect())
}
