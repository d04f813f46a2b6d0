//! imitation: trajectories in an `.npz` archive, or in a folder of Hugging Face's `datasets`.
//!
//! The archive holds `obs` (one row more than steps for every trajectory), `acts`, `rews`, one `terminal` per trajectory and `indices`, the
//! places where actions are split into trajectories; `infos` may be a pickle and is never looked at. The folder has one row per trajectory.
//! The last step of a trajectory is terminated if its `terminal` is true, and cut off otherwise.

#[cfg(feature = "arrow")]
mod folder;

use std::ops::Range;
use std::path::Path;

use super::DatasetInfo;
use super::episodes::{EpisodeReader, Part, Recording, is_of};
use super::note::DatasetNote;
use crate::error::{ErrorKind, TableError};
use crate::table::{Batch, Column, ColumnType, Piece, ReadOptions, TableReader, Values, open_file};

pub(super) const INFO: DatasetInfo = DatasetInfo {
    name: "imitation",
    about: "imitation: an .npz archive with obs, acts, rews, terminal and indices, or a folder of Hugging Face datasets",
    options: &[],
    detect,
    open: |path, options| {
        #[cfg(feature = "arrow")]
        if path.is_dir() {
            return folder::open(path, options);
        }
        open_archive(path, options)
    },
};

fn detect(path: &Path) -> bool {
    if path.is_dir() {
        #[cfg(feature = "arrow")]
        return folder::detect(path);
        #[cfg(not(feature = "arrow"))]
        return false;
    }
    let named = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npz"));
    let names: Vec<String> = match named.then(|| open_file(path, &ReadOptions::default())) {
        Some(Ok(table)) => table.schema().names().map(str::to_owned).collect(),
        _ => return false,
    };
    let there = |array: &str| names.iter().any(|name| is_of(name, array));
    ["obs", "acts", "terminal", "indices"].into_iter().all(there)
}

/// An array of an archive: a column, or a group of columns.
struct Held {
    columns: Vec<Column>,
    scalar: bool,
}

impl Held {
    /// Loads an array; `None` when there is none of this name.
    fn load(path: &Path, array: &str) -> Result<Option<Self>, TableError> {
        let mut table = open_file(path, &ReadOptions::default())?;
        let names: Vec<String> = table.schema().names().filter(|name| is_of(name, array)).map(str::to_owned).collect();
        if names.is_empty() {
            return Ok(None);
        }
        table.select(&names.iter().map(String::as_str).collect::<Vec<_>>())?;
        let mut columns: Vec<Column> = Vec::new();
        let mut batch = Batch::new();
        while let Piece::Rows = table.next_batch(&mut batch)? {
            if columns.is_empty() {
                columns = batch.columns.iter().map(|column| Column::empty(column.kind())).collect();
            }
            columns.iter_mut().zip(&batch.columns).for_each(|(all, more)| all.append(more));
        }
        if columns.is_empty() {
            columns = names.iter().map(|_| Column::empty(ColumnType::Float)).collect();
        }
        Ok(Some(Held { columns, scalar: names.len() == 1 && names[0] == array }))
    }

    fn needed(path: &Path, array: &str) -> Result<Self, TableError> {
        Self::load(path, array)?.ok_or_else(|| {
            let what =
                format!("there are no `{array}` in it, which trajectories of imitation have; save them with rewards");
            TableError::new(ErrorKind::MissingColumn, path.display().to_string(), what)
        })
    }

    fn rows(&self) -> usize {
        self.columns[0].len()
    }

    fn as_part(&self, role: &str) -> Part {
        Part::of_role(role, "", self.columns.len(), self.scalar, self.columns[0].kind())
    }

    fn integers(&self) -> Option<&[i64]> {
        match &self.columns[0].values {
            Values::Int(values) => Some(values),
            _ => None,
        }
    }

    fn read(&self, rows: Range<usize>, to: &mut Values) {
        for row in rows {
            for column in &self.columns {
                match (&column.values, &mut *to) {
                    (Values::Float(from), Values::Float(to)) => to.push(from[row]),
                    (Values::Int(from), Values::Int(to)) => to.push(from[row]),
                    (Values::Int(from), Values::Float(to)) => to.push(from[row] as f64),
                    (Values::Bool(from), Values::Bool(to)) => to.push(from[row]),
                    (Values::Text(from), Values::Text(to)) => to.push(from.get(row)),
                    // The reader notices that values are missing.
                    _ => {}
                }
            }
        }
    }
}

/// Which values a part has, for archive and folder alike.
#[derive(Clone, Copy)]
enum Which {
    State,
    Action,
    NextState,
    Reward,
    Terminated,
    Truncated,
}

const PARTS: [Which; 6] =
    [Which::State, Which::Action, Which::NextState, Which::Reward, Which::Terminated, Which::Truncated];

/// The flag of some steps: it is only ever true in the last.
fn flags(steps: Range<usize>, count: usize, last: bool, to: &mut Values) {
    if let Values::Bool(to) = to {
        to.extend(steps.map(|step| last && step + 1 == count));
    }
}

fn flag_parts() -> [Part; 3] {
    [
        Part::single("reward", ColumnType::Float),
        Part::single("terminated", ColumnType::Bool),
        Part::single("truncated", ColumnType::Bool),
    ]
}

struct Archive {
    obs: Held,
    acts: Held,
    rews: Held,
    terminal: Vec<bool>,
    /// Where every trajectory begins, and where the last ends.
    starts: Vec<usize>,
}

fn open_archive(path: &Path, options: &ReadOptions) -> Result<Box<dyn TableReader>, TableError> {
    let name = path.display().to_string();
    let [obs, acts, rews, terminal, indices] =
        ["obs", "acts", "rews", "terminal", "indices"].map(|array| Held::needed(path, array));
    let (obs, acts, rews, terminal, indices) = (obs?, acts?, rews?, terminal?, indices?);
    let wrong = |what: String| TableError::new(ErrorKind::Malformed, &name, what);
    let Values::Bool(terminal) = &terminal.columns[0].values else {
        return Err(wrong("`terminal` must be true or false for every trajectory".to_owned()));
    };
    let empty: &[i64] = &[];
    let splits = if indices.rows() == 0 { Some(empty) } else { indices.integers() };
    let mut starts = vec![0];
    for &split in splits.ok_or_else(|| wrong("`indices` must be integers".to_owned()))? {
        match usize::try_from(split) {
            Ok(split) if split >= starts[starts.len() - 1] && split <= acts.rows() => starts.push(split),
            _ => return Err(wrong(format!("`indices` holds {split}, which does not follow on what is before it"))),
        }
    }
    starts.push(acts.rows());
    let count = starts.len() - 1;
    if terminal.len() != count || obs.rows() != acts.rows() + count || rews.rows() != acts.rows() {
        return Err(wrong(format!(
            "{count} trajectories with {} actions need as many rewards and {} observations; there are {} and {}, and {} `terminal`",
            acts.rows(),
            acts.rows() + count,
            rews.rows(),
            obs.rows(),
            terminal.len()
        )));
    }
    let [reward, terminated, truncated] = flag_parts();
    let parts =
        vec![obs.as_part("state"), acts.as_part("action"), obs.as_part("next_state"), reward, terminated, truncated];
    let recording = Archive { terminal: terminal.clone(), obs, acts, rews, starts };
    let notes = [DatasetNote::Kind { dataset: INFO.name, episodes: count }];
    Ok(Box::new(EpisodeReader::new(name, Box::new(recording), parts, options)?.noting(notes)))
}

impl Recording for Archive {
    fn steps(&mut self, episode: usize) -> Result<Option<usize>, TableError> {
        Ok(self.starts.get(episode + 1).map(|end| end - self.starts[episode]))
    }

    fn read(&mut self, episode: usize, part: usize, steps: Range<usize>, to: &mut Values) -> Result<(), TableError> {
        let (start, count) = (self.starts[episode], self.starts[episode + 1] - self.starts[episode]);
        let from = |first: usize| start + first + steps.start..start + first + steps.end;
        match PARTS[part] {
            // Every trajectory before has one observation more.
            Which::State => self.obs.read(from(episode), to),
            Which::NextState => self.obs.read(from(episode + 1), to),
            Which::Action => self.acts.read(from(0), to),
            Which::Reward => self.rews.read(from(0), to),
            Which::Terminated => flags(steps, count, self.terminal[episode], to),
            Which::Truncated => flags(steps, count, !self.terminal[episode], to),
        }
        Ok(())
    }
}
