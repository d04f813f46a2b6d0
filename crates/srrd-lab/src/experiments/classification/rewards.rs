//! Where the rewards of the agents come from. A further kind of reward is a variant of [`Source`] that draws a [`Dataset`].

use super::domains::{self, Draw};
use super::learned::{self, Method};
use super::recorded::{Recordings, shaped};
use crate::error::LabError;
use crate::parameters::Parameters;
use crate::row::Choice;
use crate::seed::trial_seed;
use crate::values::{Learning, Place, Recorded, Rewards, WorldKind};
use rayon::prelude::*;
use srrd::trajectories::Trajectories;
use srrd::{Duplicates, RewardSample};
use srrd_worlds::Model;
use std::path::{Path, PathBuf};

/// Samples with the agents they are of.
#[derive(Default)]
pub struct Dataset {
    /// The samples.
    pub samples: Vec<RewardSample>,
    /// Their agents.
    pub labels: Vec<String>,
    /// What was recorded, for the report.
    pub about: Option<String>,
}

impl Dataset {
    /// How many samples the agent with fewest has.
    pub fn fewest(&self) -> usize {
        let count = |label: &String| self.labels.iter().filter(|other| *other == label).count();
        self.labels.iter().map(count).min().unwrap_or(0)
    }
}

/// What samples are drawn from.
pub struct Drawing<'a> {
    /// How many samples of every agent.
    pub sets: usize,
    /// The model of hand-made rewards.
    pub model: Model,
    /// The seed of the source.
    pub seed: u64,
    /// How strongly unknowns are drawn to 0 where rewards are learned.
    pub ridge: f64,
    /// What was recorded.
    pub recordings: &'a Recordings,
}

/// Where samples come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// Trajectories in a world, with rewards that were made by hand.
    Manual(Place),
    /// Trajectories in a world, with rewards that were learned from them.
    Learned(Place, Learning),
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
    let worlds = parameters.world.iter().map(|&world| Place::World(world));
    let places: Vec<Place> =
        worlds.chain(parameters.recorded.iter().map(|&recorded| Place::Recorded(recorded))).collect();
    let of = |rewards: &Rewards| match rewards {
        Rewards::Manual => places.iter().map(|&place| Source::Manual(place)).collect(),
        Rewards::Learned(learning) => places.iter().map(|&place| Source::Learned(place, *learning)).collect(),
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
            Source::Manual(place) => (place.name().to_owned(), "manual".to_owned()),
            Source::Learned(place, learning) => (place.name().to_owned(), learning.name().to_owned()),
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

    /// What the rewards are, with the ridge of those that are learned.
    pub fn about(&self, ridge: f64) -> Result<String, LabError> {
        Ok(match self {
            Source::Manual(Place::World(world)) => format!("Rewards: {}.", domains::find(*world)?.manual_rewards()),
            Source::Manual(Place::Recorded(recorded)) => format!("Rewards: {}.", recorded_rewards(*recorded)),
            Source::Learned(place, learning) => {
                format!("Rewards: {}.", learned::about(*learning, ridge, matches!(place, Place::Recorded(_))))
            }
            Source::Table { path, .. } => format!("Rewards: those of the table {}.", path.display()),
        })
    }

    /// What a difference to the paper's accuracy can mean.
    pub fn difference(&self) -> &'static str {
        match self {
            Source::Manual(Place::World(_)) => {
                "The world is built from the paper's description: a difference to its accuracy may come from what the description leaves open, and from how its code computes \
                 DARD and finds neighbours."
            }
            Source::Learned(Place::World(_), _) => {
                "The paper trained networks; rewards here are learned exactly on cells, by the same methods. A difference to its accuracy is one of the \
                 learned rewards first."
            }
            Source::Manual(Place::Recorded(_)) | Source::Learned(Place::Recorded(_), _) => {
                "Accuracies depend on the recordings: with other players, cells or numbers of episodes than the paper's they are others, whatever the \
                 metric. What can be compared is the order of the metrics, and how far they are above what is told apart without rewards."
            }
            Source::Table { .. } => "The paper has no such data.",
        }
    }

    /// Draws the samples of every agent, or reads them.
    pub fn draw(&self, from: &Drawing<'_>) -> Result<Dataset, LabError> {
        let Drawing { sets, model, seed, ridge, recordings } = *from;
        match self {
            Source::Manual(Place::World(world)) => manual(*world, sets, model, seed),
            Source::Learned(Place::World(world), learning) => {
                learned::draw(*world, Method { learning: *learning, ridge, seed }, sets)
            }
            Source::Manual(Place::Recorded(recorded)) => recorded_manual(*recorded, recordings, seed),
            Source::Learned(Place::Recorded(recorded), learning) => {
                let read = recordings.of(*recorded)?;
                let learned = learned::learn(read.sets.clone(), Method { learning: *learning, ridge, seed }, true)?;
                let about = [Some(read.about.clone()), learned.about.clone()];
                Ok(Dataset { about: Some(about.into_iter().flatten().collect::<Vec<_>>().join(" ")), ..learned })
            }
            Source::Table { path, .. } => read(path),
        }
    }
}

fn recorded_rewards(recorded: Recorded) -> &'static str {
    match recorded {
        Recorded::Robomimic => "those of the recording, for completing the task",
        Recorded::Montezuma => "what the game pays, summed over the frames of a step",
        Recorded::Starcraft => "the score of the game in the state that a step leads to",
        Recorded::Mimic => {
            "5 · 0.9^t for a visit that the patient survives and −5 for one that not, and random potential shaping for every sample"
        }
    }
}

fn recorded_manual(recorded: Recorded, recordings: &Recordings, seed: u64) -> Result<Dataset, LabError> {
    let read = recordings.of(recorded)?;
    let sample = |set: &Trajectories| {
        let set = match recorded {
            // Where rewards were made by hand the paper adds shaping.
            Recorded::Mimic => set.clone().with_rewards(shaped(set, seed)?).map_err(LabError::failed)?,
            _ => set.clone(),
        };
        Ok(set.to_sample(Duplicates::Mean).map_err(LabError::failed)?.sample)
    };
    Ok(Dataset {
        samples: read.sets.iter().map(sample).collect::<Result<_, LabError>>()?,
        labels: read.sets.iter().map(|set| set.label().unwrap_or_default().to_owned()).collect(),
        about: Some(read.about.clone()),
    })
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
    let labels = (0..all).map(|index| format!("agent {}", index / sets + 1)).collect();
    Ok(Dataset { samples, labels, ..Dataset::default() })
}

fn read(path: &Path) -> Result<Dataset, LabError> {
    let read = srrd_data::read_samples(path, Duplicates::Mean).map_err(|e| LabError::wrong(e.to_string()))?;
    let (mut samples, mut labels) = (Vec::new(), Vec::new());
    for named in read {
        let missing = || format!("{}: the sample '{}' has no label: add a column `label`", path.display(), named.name);
        labels.push(named.label.ok_or_else(|| LabError::wrong(missing()))?);
        samples.push(named.sample);
    }
    Ok(Dataset { samples, labels, about: None })
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
