//! The folder that `datasets` saves: Arrow streams with one row per trajectory.

use std::fs::File;
use std::io::BufReader;
use std::ops::Range;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::reader::StreamReader;
use arrow_schema::ArrowError;

use super::{INFO, PARTS, Which, flag_parts, flags};
use crate::dataset::arrow::{Leaf, leaf};
use crate::dataset::episodes::{EpisodeReader, Recording};
use crate::dataset::note::DatasetNote;
use crate::error::{ErrorKind, TableError, shorten};
use crate::table::{ReadOptions, TableReader, Values, guarded, list_value};

/// The files that `state.json` lists; none where it is no such folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let state = std::fs::read(folder.join("state.json")).ok();
    let state: Option<serde_json::Value> = state.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let listed = state.as_ref().and_then(|state| state.get("_data_files")?.as_array());
    let name = |file: &serde_json::Value| {
        let name = file.get("filename")?.as_str()?;
        // Only names of files in this folder.
        let plain = Path::new(name).file_name().is_some_and(|last| last == name);
        plain.then(|| folder.join(name))
    };
    listed.map(|files| files.iter().filter_map(name).collect()).unwrap_or_default()
}

pub(super) fn detect(folder: &Path) -> bool {
    let Some(first) = files(folder).into_iter().next() else { return false };
    let Ok(reader) = Batches::open(&first) else { return false };
    let names: Vec<&str> = reader.schema.iter().map(String::as_str).collect();
    ["obs", "acts", "terminal"].iter().all(|name| names.contains(name))
}

/// The record batches of one file.
struct Batches {
    name: String,
    reader: StreamReader<BufReader<File>>,
    schema: Vec<String>,
}

fn damaged(name: &str, why: &str) -> TableError {
    let what = format!("the Arrow file is damaged ({}); copy or download it again", shorten(why));
    TableError::new(ErrorKind::Malformed, name, what)
}

fn called<T>(name: &str, call: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, TableError> {
    guarded(call).map_err(|why| damaged(name, &why))?.map_err(|error| damaged(name, &error.to_string()))
}

impl Batches {
    fn open(path: &Path) -> Result<Self, TableError> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| TableError::io(&name, "read", &error))?;
        let reader = called(&name, || StreamReader::try_new(BufReader::new(file), None))?;
        let schema = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
        Ok(Batches { name, reader, schema })
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, TableError> {
        called(&self.name, || self.reader.next().transpose())
    }
}

/// One trajectory.
struct Trajectory {
    obs: Leaf,
    acts: Leaf,
    rews: Leaf,
    terminal: bool,
}

struct Folder {
    files: std::vec::IntoIter<PathBuf>,
    current: Option<Batches>,
    /// The rows that are being given out, and the next of them.
    batch: Option<(RecordBatch, usize)>,
    episode: usize,
    trajectory: Option<Trajectory>,
}

pub(super) fn open(folder: &Path, options: &ReadOptions) -> Result<Box<dyn TableReader>, TableError> {
    let name = folder.display().to_string();
    let files = files(folder);
    let count = count(&files)?;
    let fresh = || Folder {
        files: files.clone().into_iter(),
        current: None,
        batch: None,
        episode: usize::MAX,
        trajectory: None,
    };
    // The first trajectory says what observations and actions look like.
    let mut first = fresh();
    let steps = first.steps(0)?;
    let Some(Trajectory { obs, acts, .. }) = steps.and(first.trajectory) else {
        return Err(TableError::new(ErrorKind::Empty, name, "there are no trajectories in it"));
    };
    let [reward, terminated, truncated] = flag_parts();
    let parts = vec![
        obs.as_part("state", ""),
        acts.as_part("action", ""),
        obs.as_part("next_state", ""),
        reward,
        terminated,
        truncated,
    ];
    let notes = [DatasetNote::Kind { dataset: INFO.name, episodes: count }];
    Ok(Box::new(EpisodeReader::new(name, Box::new(fresh()), parts, options)?.noting(notes)))
}

/// How many trajectories there are.
fn count(files: &[PathBuf]) -> Result<usize, TableError> {
    let mut count = 0;
    for file in files {
        let mut batches = Batches::open(file)?;
        while let Some(batch) = batches.next()? {
            srrd::run::checkpoint();
            count += batch.num_rows();
        }
    }
    Ok(count)
}

impl Folder {
    fn next(&mut self) -> Result<Option<(String, RecordBatch, usize)>, TableError> {
        loop {
            if let (Some((batch, row)), Some(current)) = (&mut self.batch, &self.current)
                && *row < batch.num_rows()
            {
                *row += 1;
                return Ok(Some((current.name.clone(), batch.clone(), *row - 1)));
            }
            match &mut self.current {
                Some(current) => match current.next()? {
                    Some(batch) => self.batch = Some((batch, 0)),
                    None => (self.current, self.batch) = (None, None),
                },
                None => match self.files.next() {
                    Some(path) => self.current = Some(Batches::open(&path)?),
                    None => return Ok(None),
                },
            }
        }
    }
}

/// The list of a column in one row, as steps.
fn steps_of(file: &str, batch: &RecordBatch, row: usize, column: &str) -> Result<Leaf, TableError> {
    let missing =
        |what: &str| TableError::new(ErrorKind::MissingColumn, file, what).at_row(row as u64 + 1).in_column(column);
    let array: &ArrayRef = batch.column_by_name(column).ok_or_else(|| {
        missing("the column is missing: trajectories need it; save them with rewards (imitation's rollouts have them)")
    })?;
    let list = array.is_valid(row).then(|| list_value(array, row)).flatten();
    let list = list.ok_or_else(|| missing("there is no list of steps"))?;
    leaf(file, column, &list)?.ok_or_else(|| missing("the steps are no numbers"))
}

impl Recording for Folder {
    fn steps(&mut self, episode: usize) -> Result<Option<usize>, TableError> {
        let Some((file, batch, row)) = self.next()? else { return Ok(None) };
        let [obs, acts, rews] = ["obs", "acts", "rews"].map(|column| steps_of(&file, &batch, row, column));
        let (obs, acts, rews) = (obs?, acts?, rews?);
        let terminal = batch.column_by_name("terminal").and_then(|array| array.as_boolean_opt());
        let wrong = |what: String| TableError::new(ErrorKind::Malformed, &file, what).at_row(row as u64 + 1);
        let Some(terminal) = terminal.filter(|terminal| terminal.is_valid(row)) else {
            return Err(wrong("`terminal` must be true or false".to_owned()));
        };
        if obs.rows != acts.rows + 1 || rews.rows != acts.rows {
            return Err(wrong(format!(
                "a trajectory with {} actions needs as many rewards and one observation more; there are {} and {}",
                acts.rows, rews.rows, obs.rows
            )));
        }
        let steps = acts.rows;
        self.trajectory = Some(Trajectory { obs, acts, rews, terminal: terminal.value(row) });
        self.episode = episode;
        Ok(Some(steps))
    }

    fn read(&mut self, _: usize, part: usize, steps: Range<usize>, to: &mut Values) -> Result<(), TableError> {
        let Some(Trajectory { obs, acts, rews, terminal }) = &self.trajectory else { return Ok(()) };
        let file = self.current.as_ref().map_or("", |current| current.name.as_str());
        let after = steps.start + 1..steps.end + 1;
        match PARTS[part] {
            Which::State => obs.read(file, steps, obs.width(), to),
            Which::NextState => obs.read(file, after, obs.width(), to),
            Which::Action => acts.read(file, steps, acts.width(), to),
            Which::Reward => rews.read(file, steps, 1, to),
            Which::Terminated => {
                flags(steps, acts.rows, *terminal, to);
                Ok(())
            }
            Which::Truncated => {
                flags(steps, acts.rows, !*terminal, to);
                Ok(())
            }
        }
    }
}
