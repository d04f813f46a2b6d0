//! Reward samples as a table: one row per transition.

use std::path::Path;

use srrd::{NamedSample, RewardSample};

use super::trajectories::Cells;
use crate::{Batch, Column, ColumnType, Schema, TableError, TableWriter, TextColumn, Values, create};

/// So many rows are written at once, or a few more: a sample is not divided.
const ROWS: usize = 8192;

/// Which columns a table of rewards has, beside `sample` and `reward`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RewardColumns {
    /// Whether there is a column `label`.
    pub labelled: bool,
    /// The names of the features of states, in the order of their values; none: there are columns of tokens.
    pub state_features: Vec<String>,
    /// The names of the features of actions, in the order of their values; none: there is a column of tokens.
    pub action_features: Vec<String>,
    /// Whether all features are whole numbers, and are written as such.
    pub whole: bool,
    /// Whether there is a column `std_error`.
    pub std_errors: bool,
    /// Whether there is a column `terminated`: whether a transition ends its episode.
    pub ends: bool,
}

impl RewardColumns {
    /// The columns that samples of one kind need; `std_errors` where these are known.
    pub fn of<'a>(samples: impl IntoIterator<Item = &'a NamedSample> + Clone, std_errors: bool) -> Self {
        let first = samples.clone().into_iter().next();
        let features =
            |of: fn(&NamedSample) -> &Option<Vec<String>>| first.and_then(|s| of(s).clone()).unwrap_or_default();
        let whole = |sample: &RewardSample| {
            let tokens = sample.states().iter().chain(sample.actions().iter());
            tokens
                .filter_map(|token| token.as_features().map(<[f64]>::to_vec))
                .flatten()
                .all(|v| v.fract() == 0.0 && v.abs() < 9e15)
        };
        RewardColumns {
            labelled: samples.clone().into_iter().any(|sample| sample.label.is_some()),
            state_features: features(|sample| &sample.state_features),
            action_features: features(|sample| &sample.action_features),
            whole: samples.clone().into_iter().all(|sample| whole(&sample.sample)),
            std_errors,
            ends: samples.into_iter().all(|sample| sample.sample.ends().are_known()),
        }
    }

    fn schema(&self) -> Schema {
        let mut columns = vec![("sample".to_owned(), ColumnType::Text)];
        if self.labelled {
            columns.push(("label".to_owned(), ColumnType::Text));
        }
        columns.extend(Cells::columns(&self.state_features, &self.action_features, self.whole));
        columns.push(("reward".to_owned(), ColumnType::Float));
        if self.std_errors {
            columns.push(("std_error".to_owned(), ColumnType::Float));
        }
        if self.ends {
            columns.push(("terminated".to_owned(), ColumnType::Bool));
        }
        Schema::new(columns)
    }
}

/// A table of rewards being written. The file appears when it is [finished](Self::finish), complete.
///
/// ```
/// use srrd::{Duplicates, NamedSample, RewardSample};
/// use srrd_data::{RewardColumns, RewardWriter};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("rewards.csv");
/// let sample = NamedSample::new("agent", RewardSample::from_rows([("a", "go", "b", 1.5)], Duplicates::Mean)?);
/// let mut table = RewardWriter::create(&path, RewardColumns::of([&sample], true))?;
/// table.write(&sample.name, None, &sample.sample, sample.sample.rewards(), Some(&[0.25]))?;
/// table.finish()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "sample,state,action,next_state,reward,std_error\nagent,a,go,b,1.5,0.25\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RewardWriter {
    writer: Box<dyn TableWriter>,
    columns: RewardColumns,
    names: [TextColumn; 2],
    cells: [Cells; 3],
    reward: Vec<f64>,
    std_error: Vec<f64>,
    has_error: Vec<bool>,
    terminated: Vec<bool>,
    written: u64,
}

impl RewardWriter {
    /// Begins a table, in the format of the extension of `path`; `-` is CSV on standard output.
    ///
    /// # Errors
    /// When there is no such format, or the file cannot be made.
    pub fn create(path: &Path, columns: RewardColumns) -> Result<Self, TableError> {
        let writer = create(path, &columns.schema())?;
        let cells = [&columns.state_features, &columns.action_features, &columns.state_features];
        let cells = cells.map(|features| Cells::new(features.len(), columns.whole));
        Ok(RewardWriter {
            writer,
            columns,
            names: Default::default(),
            cells,
            reward: Vec::new(),
            std_error: Vec::new(),
            has_error: Vec::new(),
            terminated: Vec::new(),
            written: 0,
        })
    }

    /// Writes the transitions of a sample with these rewards, and errors where they are known (cells of others are empty), in the order of the
    /// sample.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(
        &mut self,
        name: &str,
        label: Option<&str>,
        sample: &RewardSample,
        rewards: &[f64],
        std_errors: Option<&[f64]>,
    ) -> Result<(), TableError> {
        for (at, (state, action, next_state)) in sample.ids().enumerate() {
            self.names[0].push(name);
            self.names[1].push(label.unwrap_or(""));
            self.cells[0].push(sample.states(), state);
            self.cells[1].push(sample.actions(), action);
            self.cells[2].push(sample.states(), next_state);
            self.reward.push(rewards[at]);
            let known = std_errors.map(|errors| errors[at]).filter(|error| error.is_finite());
            self.std_error.push(known.unwrap_or(0.0));
            self.has_error.push(known.is_some());
            self.terminated.push(sample.ends().at(at) == Some(true));
        }
        if self.reward.len() >= ROWS { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), TableError> {
        let rows = self.reward.len() as u64;
        let [names, labels] = self.names.each_mut().map(std::mem::take);
        let mut columns = vec![Column::from(Values::Text(names))];
        if self.columns.labelled {
            columns.push(Values::Text(labels).into());
        }
        self.cells.iter_mut().for_each(|cells| cells.take(&mut columns));
        columns.push(Values::Float(std::mem::take(&mut self.reward)).into());
        let (errors, known) = (std::mem::take(&mut self.std_error), std::mem::take(&mut self.has_error));
        if self.columns.std_errors {
            let validity = known.contains(&false).then_some(known);
            columns.push(Column { validity, ..Values::Float(errors).into() });
        }
        let terminated = std::mem::take(&mut self.terminated);
        if self.columns.ends {
            columns.push(Values::Bool(terminated).into());
        }
        let batch = Batch::from_columns(columns, self.written + 1);
        self.written += rows;
        self.writer.write(&batch)
    }

    /// Completes the table.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(mut self) -> Result<(), TableError> {
        self.flush()?;
        self.writer.finish()
    }
}
