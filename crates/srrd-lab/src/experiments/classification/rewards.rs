//! Where the rewards of the agents come from. A further kind of reward is a variant of [`Source`] that draws a [`Dataset`].

use super::domains::{self, Draw};
use super::learned;
use crate::error::LabError;
use crate::parameters::Parameters;
use crate::row::Choice;
use crate::seed::trial_seed;
use crate::values::{Learning, Rewards, WorldKind};
use rayon::prelude::*;
use srrd::{Duplicates, RewardSample};
use srrd_worlds::Model;
use std::path::{Path, PathBuf};

/// Samples with the agents they are of.
pub struct Dataset {
    /// The samples.
    pub samples: Vec<RewardSample>,
    /// Their agents.
    pub labels: Vec<String>,
}

/// Where samples come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// Trajectories in a world, with rewards that were made by hand.
    Manual(WorldKind),
    /// Trajectories in a world, with rewards that were learned from them.
    Learned(WorldKind, Learning),
    /// A table with columns `sample` and `label`.
    Table {
        path: PathBuf,
        /// What no other table of the run is called.
        name: String,
    },
}

/// The sources that the parameters `world` and `rewards` name: every table once, hand-made rewards in every world.
pub fn sources(parameters: &Parameters) -> Vec<Source> {
    let tables: Vec<&Path> = (parameters.rewards.iter())
        .filter_map(|rewards| match rewards {
            Rewards::Manual | Rewards::Learned(_) => None,
            Rewards::Table(path) => Some(path.as_path()),
        })
        .collect();
    let of = |rewards: &Rewards| match rewards {
        Rewards::Manual => parameters.world.iter().map(|&world| Source::Manual(world)).collect(),
        Rewards::Learned(learning) => parameters.world.iter().map(|&world| Source::Learned(world, *learning)).collect(),
        Rewards::Table(path) => vec![Source::Table { path: path.clone(), name: table_name(path, &tables) }],
    };
    parameters.rewards.iter().flat_map(of).collect()
}

/// The name of the file, with as many of its folders as tell it from the other tables.
fn table_name(path: &Path, tables: &[&Path]) -> String {
    let parts: Vec<_> = path.components().collect();
    let same = |length: usize| {
        let end = |path: &Path| {
            path.components().rev().take(length).map(|part| part.as_os_str().to_owned()).collect::<Vec<_>>()
        };
        tables.iter().filter(|other| end(other) == end(path)).count()
    };
    let name = match (1..=parts.len()).find(|&length| same(length) == 1) {
        Some(length) => {
            let parts = &parts[parts.len() - length..];
            parts.iter().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
        }
        // Two ways to write one path.
        None => path.to_string_lossy().into_owned(),
    };
    name.replace(|c: char| c.is_control(), " ")
}

impl Source {
    /// The columns `world` and `rewards`.
    pub fn names(&self) -> (String, String) {
        match self {
            Source::Manual(world) => (world.to_string(), "manual".to_owned()),
            Source::Learned(world, learning) => (world.to_string(), learning.name().to_owned()),
            Source::Table { name, .. } => ("table".to_owned(), name.clone()),
        }
    }

    /// One name for both.
    pub fn name(&self) -> String {
        let (world, rewards) = self.names();
        format!("{world} {rewards}")
    }

    /// As people write it.
    pub fn title(&self) -> String {
        match self {
            Source::Manual(world) => format!("{}, manual rewards", world.title()),
            Source::Learned(world, learning) => format!("{}, {} rewards", world.title(), learned::title(*learning)),
            Source::Table { name, .. } => name.clone(),
        }
    }

    /// What the rewards are.
    pub fn about(&self) -> Result<String, LabError> {
        Ok(match self {
            Source::Manual(world) => format!("Rewards: {}.", domains::find(*world)?.manual_rewards()),
            Source::Learned(_, learning) => format!("Rewards: {}.", learned::about(*learning)),
            Source::Table { path, .. } => format!("Rewards: those of the table {}.", path.display()),
        })
    }

    /// Draws `sets` samples of every agent, or reads the table.
    pub fn draw(&self, sets: usize, model: Model, seed: u64) -> Result<Dataset, LabError> {
        match self {
            Source::Manual(world) => manual(*world, sets, model, seed),
            Source::Learned(world, learning) => learned::draw(*world, *learning, sets, seed),
            Source::Table { path, .. } => read(path),
        }
    }
}

fn manual(world: WorldKind, sets: usize, model: Model, seed: u64) -> Result<Dataset, LabError> {
    let domain = domains::find(world)?;
    let draw = |index: usize| {
        let class = index / sets;
        let agent_seed = trial_seed(seed, &format!("agent {class}"));
        let seed = trial_seed(seed, &format!("agent {class}, set {}", index % sets));
        domain.manual(&Draw { class, agent_seed, seed, model })
    };
    let all = domain.classes() * sets;
    let samples = (0..all).into_par_iter().map(draw).collect::<Result<_, _>>()?;
    Ok(Dataset { samples, labels: (0..all).map(|index| format!("agent {}", index / sets + 1)).collect() })
}

fn read(path: &Path) -> Result<Dataset, LabError> {
    let read = srrd_data::read_samples(path, Duplicates::Mean).map_err(|e| LabError::wrong(e.to_string()))?;
    let (mut samples, mut labels) = (Vec::new(), Vec::new());
    for named in read {
        let missing = || format!("{}: the sample '{}' has no label: add a column `label`", path.display(), named.name);
        labels.push(named.label.ok_or_else(|| LabError::wrong(missing()))?);
        samples.push(named.sample);
    }
    Ok(Dataset { samples, labels })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: &[&str]) -> Vec<String> {
        let rewards = paths.iter().map(|path| Rewards::Table(PathBuf::from(path))).collect();
        let sources = sources(&Parameters { rewards, ..Parameters::default() });
        sources.iter().map(|source| source.names().1).collect()
    }

    #[test]
    fn tables_are_told_apart_by_as_many_folders_as_needed() {
        assert_eq!(names(&["runs/a/x.csv"]), ["x.csv"]);
        assert_eq!(names(&["a/x.csv", "b/y.csv"]), ["x.csv", "y.csv"]);
        assert_eq!(names(&["a/x.csv", "b/x.csv", "y.csv"]), ["a/x.csv", "b/x.csv", "y.csv"]);
        assert_eq!(names(&["1/a/x.csv", "2/a/x.csv"]), ["1/a/x.csv", "2/a/x.csv"]);
        assert_eq!(names(&["a/./x.csv", "a/x.csv"]), ["a/./x.csv", "a/x.csv"]);
        assert_eq!(names(&["x.csv", "a/x.csv"]), ["x.csv", "a/x.csv"]);
    }
}
