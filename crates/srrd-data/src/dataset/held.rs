//! Recordings whose episodes are made whole, one at a time, and then given out step by step.

use std::ops::Range;
use std::path::Path;

use super::episodes::Recording;
use crate::error::{ErrorKind, TableError};
use crate::table::{Batch, ColumnType, ReadOptions, Values, for_each_batch, listed, open_file};

/// One episode in memory.
pub(super) struct Held {
    pub steps: usize,
    /// By part, its values, row after row.
    pub parts: Vec<Values>,
}

/// Where episodes come from. They are asked for in order.
pub(super) trait Episodes: Send {
    fn load(&mut self, episode: usize) -> Result<Option<Held>, TableError>;
}

/// Gives out the current episode.
pub(super) struct HeldRecording<E> {
    episodes: E,
    held: Held,
}

impl<E: Episodes> HeldRecording<E> {
    pub fn new(episodes: E) -> Self {
        HeldRecording { episodes, held: Held { steps: 0, parts: Vec::new() } }
    }
}

impl<E: Episodes> Recording for HeldRecording<E> {
    fn steps(&mut self, episode: usize) -> Result<Option<usize>, TableError> {
        let Some(held) = self.episodes.load(episode)? else { return Ok(None) };
        self.held = held;
        Ok(Some(self.held.steps))
    }

    fn read(&mut self, _: usize, part: usize, steps: Range<usize>, to: &mut Values) -> Result<(), TableError> {
        let from = &self.held.parts[part];
        let width = from.len() / self.held.steps.max(1);
        let range = steps.start * width..steps.end * width;
        if from.kind() == ColumnType::Float {
            to.become_floats();
        }
        match (from, to) {
            (Values::Float(from), Values::Float(to)) => to.extend_from_slice(&from[range]),
            (Values::Int(from), Values::Int(to)) => to.extend_from_slice(&from[range]),
            (Values::Int(from), Values::Float(to)) => to.extend(from[range].iter().map(|&value| value as f64)),
            (Values::Bool(from), Values::Bool(to)) => to.extend_from_slice(&from[range]),
            (Values::Text(from), Values::Text(to)) => range.for_each(|at| to.push(from.get(at))),
            // Parts are made with the types that they say they have.
            (from, to) => debug_assert_eq!(from.kind(), to.kind()),
        }
        Ok(())
    }
}

/// The same text in every step.
pub(super) fn repeated(text: &str, steps: usize) -> Values {
    Values::Text(std::iter::repeat_n(text, steps).collect())
}

/// True in the last step if `last` is, and nowhere else.
pub(super) fn last_only(last: bool, steps: usize) -> Values {
    Values::Bool((0..steps).map(|step| last && step + 1 == steps).collect())
}

/// Shows these columns of a table, in this order, batch after batch.
pub(super) fn each_batch(
    path: &Path,
    columns: &[&str],
    mut each: impl FnMut(&str, &Batch) -> Result<(), TableError> + Send,
) -> Result<(), TableError> {
    let mut reader = open_file(path, &ReadOptions::default())?;
    let file = reader.name().to_owned();
    if let Some(missing) = columns.iter().find(|column| reader.schema().index_of(column).is_none()) {
        let what = format!("the column is missing; this one has {}", listed(reader.schema().names()));
        return Err(TableError::new(ErrorKind::MissingColumn, file, what).in_column(*missing));
    }
    reader.select(columns)?;
    for_each_batch(reader, |batch| each(&file, batch))
}
