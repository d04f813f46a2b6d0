//! Recordings as tables: arrays with one row per step, episode after episode, become columns.
//!
//! A format says which arrays an episode has and how steps of them are read ([`Recording`]); [`EpisodeReader`] makes batches of them. Only
//! arrays with a selected column are read, and never more than a batch of steps at once, so that a file may be larger than memory.

use std::ops::Range;

use super::note::DatasetNote;
use crate::error::{ErrorKind, TableError};
use crate::table::{Batch, Column, ColumnType, Piece, ReadOptions, Schema, Selection, TableNote, TableReader, Values};

/// A batch holds about so many values at most.
const BATCH_VALUES: usize = 1 << 20;

/// States of more features than this are pictures, or the file is damaged.
pub(super) const MOST_FEATURES: usize = 20_000;

/// An array of which every step has a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The names of its columns.
    pub columns: Vec<String>,
    /// The type of all of them.
    pub kind: ColumnType,
    /// Whether integers become floats when a fraction appears, so that the table cannot say its type before.
    pub grows: bool,
}

impl Part {
    pub fn new(columns: Vec<String>, kind: ColumnType) -> Self {
        Part { columns, kind, grows: false }
    }

    /// An array with one value per step.
    pub fn single(column: &str, kind: ColumnType) -> Self {
        Part::new(vec![column.to_owned()], kind)
    }

    /// The same, whose integers become floats when a fraction appears.
    pub fn growing(self) -> Self {
        Part { grows: self.kind == ColumnType::Int, ..self }
    }

    /// An array of a role. One integer or text per step is a token; everything else is features, `ROLE.KEY.0`, `ROLE.KEY.1` and so on.
    pub fn of_role(role: &str, key: &str, width: usize, scalar: bool, kind: ColumnType) -> Self {
        let dotted = if key.is_empty() { role.to_owned() } else { format!("{role}.{key}") };
        let token = scalar && key.is_empty() && kind != ColumnType::Float;
        let columns = match (token, width) {
            (true, _) => vec![dotted],
            (false, 1) if !key.is_empty() => vec![dotted],
            _ => (0..width).map(|index| format!("{dotted}.{index}")).collect(),
        };
        Part::new(columns, kind)
    }
}

/// Whether a column is an array, or a feature of it.
pub(super) fn is_of(column: &str, array: &str) -> bool {
    column == array
        || column
            .strip_prefix(array)
            .and_then(|rest| rest.strip_prefix('.'))
            .is_some_and(|rest| rest.parse::<usize>().is_ok())
}

/// Data recorded episode after episode.
pub(super) trait Recording: Send {
    /// How many steps an episode has; `None` when there is no such episode. Episodes are asked for in order.
    fn steps(&mut self, episode: usize) -> Result<Option<usize>, TableError>;

    /// Adds the values of a part in some steps of an episode, row after row, to values of its type. Those of a part that grows may become
    /// floats.
    fn read(&mut self, episode: usize, part: usize, steps: Range<usize>, to: &mut Values) -> Result<(), TableError>;

    /// The number that a table gives a step.
    fn step_name(&self, episode: usize, step: usize) -> i64 {
        let _ = episode;
        step as i64
    }

    /// What a table calls an episode.
    fn episode_name(&self, episode: usize) -> i64 {
        episode as i64
    }
}

/// Where the values of a column come from.
#[derive(Clone, Copy)]
enum From {
    Part { part: usize, column: usize },
    Episode,
    Step,
}

/// A recording as a table. Its columns are those of its parts, then `episode` and `step`.
pub(super) struct EpisodeReader {
    name: String,
    recording: Box<dyn Recording>,
    parts: Vec<Part>,
    /// By column of the table.
    from: Vec<From>,
    selection: Selection,
    batch_rows: usize,
    rows: u64,
    /// The current episode, how many steps it has (once that is known), and how many of them are read.
    episode: usize,
    steps: Option<usize>,
    read: usize,
    notes: Vec<DatasetNote>,
    /// Values of one part, used again and again.
    block: Values,
}

impl EpisodeReader {
    pub fn new(
        name: String,
        recording: Box<dyn Recording>,
        parts: Vec<Part>,
        options: &ReadOptions,
    ) -> Result<Self, TableError> {
        let mut schema = Schema::default();
        let mut from = Vec::new();
        for (part, Part { columns, kind, grows }) in parts.iter().enumerate() {
            let mut of_part = Schema::new(columns.iter().map(|column| (column.as_str(), *kind)));
            of_part.fields.iter_mut().filter(|_| *grows).for_each(|field| field.kind = None);
            from.extend((0..of_part.len()).map(|column| From::Part { part, column }));
            schema.fields.extend(of_part.fields);
        }
        from.extend([From::Episode, From::Step]);
        schema.fields.extend(Schema::new([("episode", ColumnType::Int), ("step", ColumnType::Int)]).fields);
        if schema.len() > 3 * MOST_FEATURES {
            let what = format!("an episode has {} features; choose some by the option `keys`", schema.len());
            return Err(TableError::new(ErrorKind::UnsupportedColumn, name, what));
        }
        crate::table::check_names(&name, &schema)?;
        Ok(EpisodeReader {
            name,
            recording,
            parts,
            from,
            batch_rows: options.batch_rows.min(BATCH_VALUES / schema.len()).max(1),
            selection: Selection::everything(schema),
            rows: 0,
            episode: 0,
            steps: None,
            read: 0,
            notes: Vec::new(),
            block: Values::empty(ColumnType::Float),
        })
    }

    /// With something that users should know.
    pub fn noting(mut self, notes: impl IntoIterator<Item = DatasetNote>) -> Self {
        self.notes.extend(notes);
        self
    }

    /// The selected columns of a part: where they are in it, and in the batch.
    fn selected(&self, wanted: usize) -> Vec<(usize, usize)> {
        let of_part = |(at, &position): (usize, &usize)| match self.from[position] {
            From::Part { part, column } if part == wanted => Some((column, at)),
            _ => None,
        };
        self.selection.positions.iter().enumerate().filter_map(of_part).collect()
    }

    /// Adds steps of the current episode to the batch.
    fn add(&mut self, steps: Range<usize>, batch: &mut Batch) -> Result<(), TableError> {
        for part in 0..self.parts.len() {
            let selected = self.selected(part);
            if selected.is_empty() {
                continue;
            }
            let Part { columns, kind, .. } = &mut self.parts[part];
            if self.block.kind() == *kind {
                self.block.clear()
            } else {
                self.block = Values::empty(*kind)
            }
            self.recording.read(self.episode, part, steps.clone(), &mut self.block)?;
            if self.block.len() != steps.len() * columns.len() {
                let what = format!(
                    "episode {} gives {} values where {} steps of {} should be; the file is damaged",
                    self.recording.episode_name(self.episode),
                    self.block.len(),
                    steps.len(),
                    columns.len()
                );
                return Err(TableError::new(ErrorKind::Malformed, &self.name, what).in_column(&columns[0]));
            }
            // Once they are floats, they stay floats.
            *kind = self.block.kind();
            for (column, to) in selected {
                scatter(&self.block, column, columns.len(), &mut batch.columns[to]);
            }
        }
        for (to, &position) in self.selection.positions.iter().enumerate() {
            let Values::Int(values) = &mut batch.columns[to].values else { continue };
            match self.from[position] {
                From::Episode => values.extend(steps.clone().map(|_| self.recording.episode_name(self.episode))),
                From::Step => values.extend(steps.clone().map(|step| self.recording.step_name(self.episode, step))),
                From::Part { .. } => {}
            }
        }
        Ok(())
    }
}

/// Adds one column of values that stand row after row.
fn scatter(block: &Values, column: usize, width: usize, to: &mut Column) {
    if block.kind() == ColumnType::Float {
        to.values.become_floats();
    }
    match (block, &mut to.values) {
        (Values::Float(from), Values::Float(to)) => to.extend(from.iter().skip(column).step_by(width)),
        (Values::Int(from), Values::Int(to)) => to.extend(from.iter().skip(column).step_by(width)),
        (Values::Bool(from), Values::Bool(to)) => to.extend(from.iter().skip(column).step_by(width)),
        (Values::Text(from), Values::Text(to)) => {
            (column..from.len()).step_by(width).for_each(|at| to.push(from.get(at)));
        }
        // The batch was made with the types of the parts.
        (from, to) => debug_assert_eq!(from.kind(), to.kind()),
    }
}

impl TableReader for EpisodeReader {
    fn name(&self) -> &str {
        &self.name
    }

    fn schema(&self) -> &Schema {
        &self.selection.selected
    }

    fn select(&mut self, names: &[&str]) -> Result<(), TableError> {
        self.selection.select(&self.name, names)
    }

    fn notes(&self) -> Vec<TableNote> {
        self.notes.iter().map(|note| TableNote::Dataset { file: self.name.clone(), note: note.clone() }).collect()
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<Piece, TableError> {
        self.selection.fixed = true;
        let kinds = self.selection.positions.iter().map(|&position| match self.from[position] {
            From::Part { part, .. } => self.parts[part].kind,
            From::Episode | From::Step => ColumnType::Int,
        });
        batch.reset(self.rows + 1, kinds.collect::<Vec<_>>());
        while batch.rows < self.batch_rows {
            srrd::run::checkpoint();
            let steps = match self.steps {
                Some(steps) => steps,
                None => match self.recording.steps(self.episode)? {
                    Some(steps) => *self.steps.insert(steps),
                    None => break,
                },
            };
            let until = steps.min(self.read + self.batch_rows - batch.rows);
            if until > self.read {
                self.add(self.read..until, batch)?;
                batch.rows += until - self.read;
                self.read = until;
            }
            if self.read >= steps {
                (self.episode, self.steps, self.read) = (self.episode + 1, None, 0);
            }
        }
        self.rows += batch.rows as u64;
        Ok(if batch.rows > 0 { Piece::Rows } else { Piece::End })
    }
}
