//! D4RL: one HDF5 file with flat arrays of all steps.
//!
//! `observations`, `actions`, `rewards` and `terminals`, in some files also `timeouts` and `next_observations`. An episode ends behind a
//! terminal or a timeout. Without `next_observations` next states are those of the step after, never across the end of an episode; then
//! timeouts are needed, or the limit behind which episodes were cut off.

use std::ops::Range;
use std::path::Path;

use super::DatasetInfo;
use super::episodes::{EpisodeReader, Part, Recording};
use super::hdf5::{Array, File, is_hdf5};
use super::note::DatasetNote;
use crate::error::{ErrorKind, TableError};
use crate::table::{ColumnType, ReadOptions, TableReader, Values};

pub(super) const INFO: DatasetInfo = DatasetInfo {
    name: "d4rl",
    about: "D4RL: an HDF5 file with observations, actions, rewards and terminals of all steps",
    options: &["reward", "limit"],
    detect: |path| {
        is_hdf5(path)
            && File::open(path).and_then(|file| file.members("")).is_ok_and(|(_, arrays)| {
                ["observations", "actions", "rewards"].iter().all(|name| arrays.iter().any(|array| array == name))
            })
    },
    open,
};

/// So many flags are looked at at once.
const PIECE: usize = 1 << 16;

const NEEDED: &str = "D4RL files have observations, actions, rewards and terminals";

struct Flat {
    arrays: Vec<Array>,
    /// Behind which step every episode ends; the last one may be cut off by the end of the file.
    ends: Vec<usize>,
    /// By part, where its values come from.
    sources: Vec<FlatSource>,
}

enum FlatSource {
    Array(usize),
    /// Whether a time limit ended the episode there: an array, or where the limit says so.
    Limit(usize),
}

fn open(path: &Path, options: &ReadOptions) -> Result<Box<dyn TableReader>, TableError> {
    let file = File::open(path)?;
    let reward = options.dataset.reward.as_deref().unwrap_or("rewards");
    let rewards = file.needed(reward, NEEDED)?;
    let steps = rewards.rows;
    let terminals = file.needed("terminals", NEEDED)?;
    let timeouts = file.array("timeouts")?;
    let next = file.array("next_observations")?;
    if next.is_none() && timeouts.is_none() && options.dataset.limit.is_none() {
        let what = "there are neither `next_observations` nor `timeouts`, so that nobody knows where episodes were cut off; say after \
                    how many steps by the option `limit`, such as limit=1000";
        return Err(TableError::new(ErrorKind::MissingColumn, file.name(), what));
    }
    for array in [&terminals].into_iter().chain(&timeouts) {
        array.check_rows(steps, 0)?;
        array.check_width(1)?;
    }
    rewards.check_width(1)?;
    let ends = ends(&file, steps, &terminals, timeouts.as_ref(), options.dataset.limit)?;
    let (mut arrays, mut parts, mut sources) = (Vec::new(), Vec::new(), Vec::new());
    let mut add = |array: Array, part: Part| -> Result<(), TableError> {
        array.check_rows(steps, 0)?;
        sources.push(FlatSource::Array(arrays.len()));
        arrays.push(array);
        parts.push(part);
        Ok(())
    };
    for (role, array) in [("state", Some(file.needed("observations", NEEDED)?)), ("next_state", next)] {
        if let Some(array) = array {
            let part = array.as_part(role, "")?;
            add(array, part)?;
        }
    }
    let actions = file.needed("actions", NEEDED)?;
    let part = actions.as_part("action", "")?;
    add(actions, part)?;
    add(rewards, Part::single("reward", ColumnType::Float))?;
    add(terminals, Part::single("terminated", ColumnType::Bool))?;
    match (timeouts, options.dataset.limit) {
        (Some(timeouts), _) => add(timeouts, Part::single("timeout", ColumnType::Bool))?,
        (None, Some(limit)) => {
            parts.push(Part::single("timeout", ColumnType::Bool));
            sources.push(FlatSource::Limit(limit));
        }
        (None, None) => {}
    }
    let notes = [DatasetNote::Kind { dataset: INFO.name, episodes: ends.len() }];
    let name = file.name().to_owned();
    let recording = Flat { arrays, ends, sources };
    Ok(Box::new(EpisodeReader::new(name, Box::new(recording), parts, options)?.noting(notes)))
}

/// Behind which steps episodes end.
fn ends(
    file: &File,
    steps: usize,
    terminals: &Array,
    timeouts: Option<&Array>,
    limit: Option<usize>,
) -> Result<Vec<usize>, TableError> {
    if limit.is_some() && timeouts.is_some() {
        let what = "the file has `timeouts`, which say where episodes were cut off: leave the option `limit` out";
        return Err(TableError::new(ErrorKind::Usage, file.name(), what));
    }
    let mut ends = Vec::new();
    let mut started = 0;
    for from in (0..steps).step_by(PIECE) {
        srrd::run::checkpoint();
        let piece = from..steps.min(from + PIECE);
        let mut over = flags(terminals, piece.clone())?;
        if let Some(timeouts) = timeouts {
            flags(timeouts, piece.clone())?.into_iter().zip(&mut over).for_each(|(timeout, over)| *over |= timeout);
        }
        for (step, over) in piece.zip(over) {
            if over || step + 1 == steps || limit.is_some_and(|limit| step + 1 - started == limit) {
                ends.push(step + 1);
                started = step + 1;
            }
        }
    }
    Ok(ends)
}

fn flags(array: &Array, rows: Range<usize>) -> Result<Vec<bool>, TableError> {
    let mut flags = Values::empty(ColumnType::Bool);
    array.read(rows, &mut flags)?;
    match flags {
        Values::Bool(flags) => Ok(flags),
        _ => Ok(Vec::new()),
    }
}

impl Flat {
    fn start(&self, episode: usize) -> usize {
        episode.checked_sub(1).map_or(0, |before| self.ends[before])
    }
}

impl Recording for Flat {
    fn steps(&mut self, episode: usize) -> Result<Option<usize>, TableError> {
        Ok(self.ends.get(episode).map(|end| end - self.start(episode)))
    }

    fn read(&mut self, episode: usize, part: usize, steps: Range<usize>, to: &mut Values) -> Result<(), TableError> {
        let start = self.start(episode);
        match &self.sources[part] {
            FlatSource::Array(array) => self.arrays[*array].read(start + steps.start..start + steps.end, to),
            FlatSource::Limit(limit) => {
                if let Values::Bool(to) = to {
                    to.extend(steps.map(|step| step + 1 == *limit));
                }
                Ok(())
            }
        }
    }
}
