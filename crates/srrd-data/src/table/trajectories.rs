//! Trajectories as tables of transitions.

use srrd::Token;
use srrd::sample::Vocabulary;
use srrd::trajectories::{End, Trajectories, TrajectoriesBuilder, TrajectoryError};
use std::path::Path;

use super::roles::Identity;
use super::tokens::Tokens;
use crate::{Batch, Column, ColumnType, ErrorKind, Schema, TableError, TableWriter, TextColumn, Values, create};

/// So many rows are written at once, or a few more: an episode is not divided.
const ROWS: usize = 8192;

/// Which columns a table of trajectories has, beside `episode`, `step` and `reward`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrajectoryColumns {
    /// Whether there are columns `sample` and `label`.
    pub labelled: bool,
    /// The names of the features of states, in the order of their values; none: there are columns of tokens.
    pub state_features: Vec<String>,
    /// The names of the features of actions, in the order of their values; none: there is a column of tokens.
    pub action_features: Vec<String>,
    /// Whether all features are whole numbers, and are written as such.
    pub whole: bool,
    /// Whether there is a column `done`: whether the task was over after the step.
    pub done: bool,
}

/// The rows of trajectories, one per step, column by column: what [`TrajectoryWriter`] writes, for those who keep tables in memory.
///
/// ```
/// use srrd::trajectories::{End, Trajectories};
/// use srrd_data::{TrajectoryColumns, TrajectoryRows};
/// let mut builder = Trajectories::builder();
/// builder.push_episode(&["a", "b"], &["go"], Some(&[1.0]), End::Terminated)?;
/// let mut rows = TrajectoryRows::new(TrajectoryColumns::default());
/// rows.push(&builder.build(), 0);
/// let names: Vec<String> = rows.schema().fields.into_iter().map(|field| field.name).collect();
/// assert_eq!(names, ["episode", "step", "state", "action", "next_state", "reward"]);
/// assert_eq!(rows.take().columns.len(), names.len());
/// # Ok::<(), srrd::trajectories::TrajectoryError>(())
/// ```
pub struct TrajectoryRows {
    columns: TrajectoryColumns,
    names: [TextColumn; 2],
    numbers: [Vec<i64>; 2],
    state: Cells,
    action: Cells,
    next_state: Cells,
    reward: Vec<f64>,
    done: Vec<bool>,
    /// How many rows were taken.
    taken: u64,
}

impl TrajectoryRows {
    /// No rows.
    pub fn new(columns: TrajectoryColumns) -> Self {
        let cells = |features: &[String]| Cells::new(features.len(), columns.whole);
        TrajectoryRows {
            names: Default::default(),
            numbers: Default::default(),
            state: cells(&columns.state_features),
            action: cells(&columns.action_features),
            next_state: cells(&columns.state_features),
            reward: Vec::new(),
            done: Vec::new(),
            taken: 0,
            columns,
        }
    }

    /// The columns of the table.
    pub fn schema(&self) -> Schema {
        let TrajectoryColumns { labelled, state_features, action_features, whole, done } = &self.columns;
        let mut columns = Vec::new();
        if *labelled {
            columns.extend(["sample", "label"].map(|name| (name.to_owned(), ColumnType::Text)));
        }
        columns.extend(["episode", "step"].map(|name| (name.to_owned(), ColumnType::Int)));
        columns.extend(Cells::columns(state_features, action_features, *whole));
        columns.push(("reward".to_owned(), ColumnType::Float));
        if *done {
            columns.push(("done".to_owned(), ColumnType::Bool));
        }
        Schema::new(columns)
    }

    /// How many rows there are to take.
    pub fn len(&self) -> usize {
        self.reward.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.reward.is_empty()
    }

    /// Adds the steps of trajectories whose first episode has the number `first_episode`. Steps without a reward get NaN.
    pub fn push(&mut self, trajectories: &Trajectories, first_episode: usize) {
        (0..trajectories.len()).for_each(|episode| self.push_episode(trajectories, first_episode, episode));
    }

    fn push_episode(&mut self, trajectories: &Trajectories, first_episode: usize, episode: usize) {
        let (states, actions) = (trajectories.states(), trajectories.actions());
        for step in trajectories.episode(episode).steps() {
            if self.columns.labelled {
                self.names[0].push(trajectories.name());
                self.names[1].push(trajectories.label().unwrap_or(""));
            }
            self.numbers[0].push((first_episode + step.episode) as i64);
            self.numbers[1].push(step.number as i64);
            self.state.push(states, step.state);
            self.action.push(actions, step.action);
            self.next_state.push(states, step.next_state);
            self.reward.push(step.reward.unwrap_or(f64::NAN));
            if self.columns.done {
                self.done.push(step.is_terminated());
            }
        }
    }

    /// The rows that were added since the last time.
    pub fn take(&mut self) -> Batch {
        let mut columns = Vec::new();
        if self.columns.labelled {
            columns.extend(self.names.each_mut().map(|names| Column::from(Values::Text(std::mem::take(names)))));
        }
        columns.extend(self.numbers.each_mut().map(|numbers| Column::from(Values::Int(std::mem::take(numbers)))));
        for cells in [&mut self.state, &mut self.action, &mut self.next_state] {
            cells.take(&mut columns);
        }
        let rows = self.reward.len() as u64;
        columns.push(Values::Float(std::mem::take(&mut self.reward)).into());
        if self.columns.done {
            columns.push(Values::Bool(std::mem::take(&mut self.done)).into());
        }
        let batch = Batch::from_columns(columns, self.taken + 1);
        self.taken += rows;
        batch
    }
}

/// The cells of a role: a column of tokens, or one column per feature.
pub(super) enum Cells {
    Tokens(TextColumn),
    Whole(Vec<Vec<i64>>),
    Numbers(Vec<Vec<f64>>),
}

impl Cells {
    /// The columns of states, actions and next states: of tokens, or of features with these names, which are whole numbers or not.
    pub fn columns(states: &[String], actions: &[String], whole: bool) -> Vec<(String, ColumnType)> {
        let number = if whole { ColumnType::Int } else { ColumnType::Float };
        let of = |(role, features): (&str, &[String])| match features.is_empty() {
            true => vec![(role.to_owned(), ColumnType::Text)],
            false => features.iter().map(|name| (format!("{role}.{name}"), number)).collect(),
        };
        [("state", states), ("action", actions), ("next_state", states)].into_iter().flat_map(of).collect()
    }

    pub fn new(features: usize, whole: bool) -> Self {
        match (features, whole) {
            (0, _) => Cells::Tokens(TextColumn::new()),
            (_, true) => Cells::Whole(vec![Vec::new(); features]),
            (_, false) => Cells::Numbers(vec![Vec::new(); features]),
        }
    }

    pub fn push(&mut self, tokens: &Vocabulary, id: u32) {
        fn each<T>(columns: &mut [Vec<T>], token: Token<'_>, value: impl Fn(f64) -> T) {
            let features = token.as_features().unwrap_or(&[]);
            for (number, column) in columns.iter_mut().enumerate() {
                column.push(value(features.get(number).copied().unwrap_or(f64::NAN)));
            }
        }
        let token = tokens.token(id);
        match self {
            Cells::Tokens(column) => column.push(&token.to_string()),
            Cells::Whole(columns) => each(columns, token, |value| value as i64),
            Cells::Numbers(columns) => each(columns, token, |value| value),
        }
    }

    pub fn take(&mut self, columns: &mut Vec<Column>) {
        match self {
            Cells::Tokens(column) => columns.push(Values::Text(std::mem::take(column)).into()),
            Cells::Whole(of) => columns.extend(of.iter_mut().map(|c| Values::Int(std::mem::take(c)).into())),
            Cells::Numbers(of) => columns.extend(of.iter_mut().map(|c| Values::Float(std::mem::take(c)).into())),
        }
    }
}

/// A table of trajectories being written. The file appears when it is [finished](Self::finish), complete.
///
/// ```
/// use srrd::trajectories::{End, Trajectories};
/// use srrd_data::{TrajectoryColumns, TrajectoryWriter};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("walks.csv");
/// let mut builder = Trajectories::builder();
/// builder.push_episode(&["a", "b"], &["go"], Some(&[1.5]), End::Terminated)?;
/// let mut table = TrajectoryWriter::create(&path, TrajectoryColumns::default())?;
/// table.write(&builder.build(), 0)?;
/// table.finish()?;
/// let written = std::fs::read_to_string(&path)?;
/// assert_eq!(written, "episode,step,state,action,next_state,reward\n0,0,a,go,b,1.5\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TrajectoryWriter {
    writer: Box<dyn TableWriter>,
    rows: TrajectoryRows,
}

impl TrajectoryWriter {
    /// Begins a table, in the format of the extension of `path`; `-` is CSV on standard output.
    ///
    /// # Errors
    /// When there is no such format, or the file cannot be made.
    pub fn create(path: &Path, columns: TrajectoryColumns) -> Result<Self, TableError> {
        let rows = TrajectoryRows::new(columns);
        Ok(TrajectoryWriter { writer: create(path, &rows.schema())?, rows })
    }

    /// Writes the steps of trajectories whose first episode has the number `first_episode`.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&mut self, trajectories: &Trajectories, first_episode: usize) -> Result<(), TableError> {
        for episode in 0..trajectories.len() {
            self.rows.push_episode(trajectories, first_episode, episode);
            if self.rows.len() >= ROWS {
                self.writer.write(&self.rows.take())?;
            }
        }
        Ok(())
    }

    /// Completes the table.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(mut self) -> Result<(), TableError> {
        self.writer.write(&self.rows.take())?;
        self.writer.finish()
    }
}

/// A builder of trajectories whose features, if any, have the names that they have in a table, in the order of these names.
pub(super) fn builder_of(state: &Identity, action: &Identity) -> TrajectoriesBuilder {
    let mut builder = Trajectories::builder();
    if let Some(names) = state.features() {
        builder = builder.state_features(names);
    }
    if let Some(names) = action.features() {
        builder = builder.action_features(names);
    }
    builder
}

/// Trajectories of episodes with so many steps each, from tables in memory: one of states, with a row more per episode than it has steps, and
/// one of actions, with a row per step. `origin` is what messages call them.
///
/// ```
/// use srrd::trajectories::End;
/// use srrd_data::{Batch, ColumnType, Schema, Values, trajectories_of};
/// let table = |name: &str, ids: Vec<i64>| {
///     (Schema::new([(name, ColumnType::Int)]), Batch::from_columns(vec![Values::Int(ids).into()], 1))
/// };
/// let (states, actions) = (table("state", vec![0, 1, 2, 0, 2]), table("action", vec![0, 0, 1]));
/// let walks = trajectories_of("the arrays", &states, &actions, Some(&[0.0, 1.0, 0.5]), &[(2, End::Unknown), (1, End::Terminated)])?;
/// assert_eq!((walks.len(), walks.step_count()), (2, 3));
/// # Ok::<(), srrd_data::TableError>(())
/// ```
///
/// # Errors
/// When a column is missing, a value is missing, or the lengths do not fit together.
pub fn trajectories_of(
    origin: &str,
    (state_schema, states): &(Schema, Batch),
    (action_schema, actions): &(Schema, Batch),
    rewards: Option<&[f64]>,
    episodes: &[(usize, End)],
) -> Result<Trajectories, TableError> {
    let missing = |column| TableError::new(ErrorKind::MissingColumn, origin, "the column is missing").in_column(column);
    let state = Identity::find(state_schema, "state").ok_or_else(|| missing("state"))?;
    let action = Identity::find(action_schema, "action").ok_or_else(|| missing("action"))?;
    let total: usize = episodes.iter().map(|episode| episode.0).sum();
    let fits = states.rows == total + episodes.len() && actions.rows == total;
    if !fits || rewards.is_some_and(|rewards| rewards.len() != total) {
        let what = "the columns do not have one state per step and episode, and one action and one reward per step";
        return Err(TableError::new(ErrorKind::Malformed, origin, what));
    }
    let tokens = |identity: &Identity, schema: &Schema, batch| {
        let places: Vec<usize> = identity.columns().iter().filter_map(|name| schema.index_of(name)).collect();
        Tokens::of(identity, &places, origin, batch)
    };
    let (state_tokens, action_tokens) =
        (tokens(&state, state_schema, states)?, tokens(&action, action_schema, actions)?);
    let mut builder = builder_of(&state, &action);
    let wrong = |error: TrajectoryError| TableError::new(ErrorKind::Type, origin, error.to_string());
    let mut row = 0;
    for (episode, &(steps, end)) in episodes.iter().enumerate() {
        state_tokens.with(row + episode, |state| builder.begin(state)).map_err(wrong)?;
        for _ in 0..steps {
            let reward = rewards.map(|rewards| rewards[row]);
            let step = action_tokens.with(row, |action| {
                state_tokens.with(row + episode + 1, |next_state| builder.step(action, next_state, reward))
            });
            step.map_err(wrong)?;
            row += 1;
        }
        builder.end(end);
    }
    Ok(builder.build())
}
