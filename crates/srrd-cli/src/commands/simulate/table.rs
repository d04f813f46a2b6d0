//! The rows of a simulation, on their way to a file.

use super::plan::Sample;
use crate::failure::Failure;
use srrd::LARGEST_REWARD;
use srrd_data::{Batch, Column, ColumnType, Schema, TableError, TableWriter, TextColumn, Values};
use srrd_worlds::{Triple, World};

/// So many rows are written at once, or a few more: an episode is not divided.
const ROWS: usize = 8192;

/// A table of transitions being written.
pub struct TransitionTable {
    writer: Box<dyn TableWriter>,
    states: Described,
    actions: Described,
    /// Whether there are columns `sample` and `label`.
    labelled: bool,
    names: (TextColumn, TextColumn),
    episode: Vec<i64>,
    step: Vec<i64>,
    transition: Vec<Triple>,
    reward: Vec<f64>,
    done: Vec<bool>,
    written: u64,
}

impl TransitionTable {
    /// Begins a table of the transitions of a world.
    pub fn new<W: World>(
        world: &W,
        labelled: bool,
        create: impl FnOnce(&Schema) -> Result<Box<dyn TableWriter>, TableError>,
    ) -> Result<Self, Failure> {
        let mut columns = Vec::new();
        if labelled {
            columns.extend(["sample", "label"].map(|name| (name.to_owned(), ColumnType::Text)));
        }
        columns.extend(["episode", "step"].map(|name| (name.to_owned(), ColumnType::Int)));
        for (prefix, names) in [
            ("state", world.state_features()),
            ("action", world.action_features()),
            ("next_state", world.state_features()),
        ] {
            columns.extend(names.iter().map(|name| (format!("{prefix}.{name}"), ColumnType::Int)));
        }
        columns.push(("reward".to_owned(), ColumnType::Float));
        columns.push(("done".to_owned(), ColumnType::Bool));
        Ok(TransitionTable {
            writer: create(&Schema::new(columns))?,
            states: Described::new(world.states(), world.state_features().len(), |state, features| {
                world.describe_state(state, features);
            }),
            actions: Described::new(world.actions(), world.action_features().len(), |action, features| {
                world.describe_action(action, features);
            }),
            labelled,
            names: (TextColumn::new(), TextColumn::new()),
            episode: Vec::new(),
            step: Vec::new(),
            transition: Vec::new(),
            reward: Vec::new(),
            done: Vec::new(),
            written: 0,
        })
    }

    /// Adds a row of the episode that [`end_episode`](Self::end_episode) ends.
    pub fn push(&mut self, episode: usize, step: usize, transition: Triple, reward: f64, done: bool) {
        self.episode.push(episode as i64);
        self.step.push(step as i64);
        self.transition.push(transition);
        self.reward.push(reward);
        self.done.push(done);
    }

    /// Says whose the rows since the last episode are, and writes when there are enough of them.
    pub fn end_episode(&mut self, sample: &Sample) -> Result<(), Failure> {
        if self.labelled {
            for _ in self.names.0.len()..self.reward.len() {
                self.names.0.push(&sample.sample);
                self.names.1.push(&sample.label);
            }
        }
        if self.reward.len() >= ROWS { self.write() } else { Ok(()) }
    }

    /// Completes the table.
    pub fn finish(mut self) -> Result<(), Failure> {
        self.write()?;
        Ok(self.writer.finish()?)
    }

    fn write(&mut self) -> Result<(), Failure> {
        if let Some(reward) = self.reward.iter().find(|reward| reward.abs() > LARGEST_REWARD || reward.is_nan()) {
            return Err(Failure::wrong(format!(
                "the reward {reward:e} is larger than {LARGEST_REWARD:e}: choose a smaller --noise or --factor"
            )));
        }
        let take = |values: &mut Vec<i64>| Column::from(Values::Int(std::mem::take(values)));
        let mut columns = Vec::new();
        if self.labelled {
            let (samples, labels) = std::mem::take(&mut self.names);
            columns.extend([samples, labels].map(|names| Column::from(Values::Text(names))));
        }
        columns.extend([take(&mut self.episode), take(&mut self.step)]);
        self.states.extend(&mut columns, self.transition.iter().map(|t| t.state));
        self.actions.extend(&mut columns, self.transition.iter().map(|t| t.action));
        self.states.extend(&mut columns, self.transition.iter().map(|t| t.next));
        columns.push(Values::Float(std::mem::take(&mut self.reward)).into());
        columns.push(Values::Bool(std::mem::take(&mut self.done)).into());
        let batch = Batch::from_columns(columns, self.written + 1);
        self.written += self.transition.len() as u64;
        self.transition.clear();
        Ok(self.writer.write(&batch)?)
    }
}

/// The features of all states or actions. Those of the built-in worlds are whole numbers.
struct Described {
    width: usize,
    features: Vec<f64>,
}

impl Described {
    fn new(count: usize, width: usize, describe: impl Fn(usize, &mut [f64])) -> Self {
        let mut features = vec![0.0; count * width];
        features.chunks_exact_mut(width.max(1)).enumerate().for_each(|(index, row)| describe(index, row));
        Described { width, features }
    }

    /// Adds one column a feature.
    fn extend(&self, columns: &mut Vec<Column>, indices: impl Iterator<Item = u32> + Clone) {
        for feature in 0..self.width {
            let value = |index: u32| self.features[index as usize * self.width + feature] as i64;
            columns.push(Values::Int(indices.clone().map(value).collect()).into());
        }
    }
}
