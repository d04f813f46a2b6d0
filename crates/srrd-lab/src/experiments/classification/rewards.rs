//! Where the rewards of the agents come from. A further kind of reward is a variant of [`Source`] that draws a [`Dataset`].

use super::domains::{self, Draw};
use crate::error::LabError;
use crate::parameters::{Parameters, WorldKind};
use crate::seed::trial_seed;
use rayon::prelude::*;
use srrd::{Duplicates, RewardSample};
use srrd_worlds::Model;
use std::path::PathBuf;

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
    /// A table with columns `sample` and `label`.
    Table(PathBuf),
}

/// The sources that the parameters `world` and `rewards` name: every table once, hand-made rewards in every world.
pub fn sources(parameters: &Parameters) -> Result<Vec<Source>, LabError> {
    let mut sources = Vec::new();
    for rewards in &parameters.rewards {
        match rewards.as_str() {
            "manual" => sources.extend(parameters.world.iter().map(|&world| Source::Manual(world))),
            path if path.contains(['.', '/', '\\']) => sources.push(Source::Table(PathBuf::from(path))),
            other => {
                return Err(LabError::wrong(format!(
                    "--rewards: '{other}' is neither manual nor a table of rewards with columns `sample` and `label`"
                )));
            }
        }
    }
    Ok(sources)
}

impl Source {
    /// The columns `world` and `rewards`.
    pub fn names(&self) -> (String, String) {
        match self {
            Source::Manual(world) => (world.to_string(), "manual".to_owned()),
            Source::Table(path) => {
                let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
                ("table".to_owned(), name.replace(|c: char| c.is_control(), " "))
            }
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
            Source::Table(_) => self.names().1,
        }
    }

    /// What the rewards are.
    pub fn about(&self) -> Result<String, LabError> {
        Ok(match self {
            Source::Manual(world) => format!("Rewards: {}.", domains::find(*world)?.manual_rewards()),
            Source::Table(path) => format!("Rewards: those of the table {}.", path.display()),
        })
    }

    /// Draws `sets` samples of every agent, or reads the table.
    pub fn draw(&self, sets: usize, model: Model, seed: u64) -> Result<Dataset, LabError> {
        match self {
            Source::Manual(world) => {
                let domain = domains::find(*world)?;
                let draw = |index: usize| {
                    let class = index / sets;
                    let agent_seed = trial_seed(seed, &format!("agent {class}"));
                    let seed = trial_seed(seed, &format!("agent {class}, set {}", index % sets));
                    domain.manual(&Draw { class, agent_seed, seed, model })
                };
                let samples: Result<Vec<RewardSample>, LabError> =
                    (0..domain.classes() * sets).into_par_iter().map(draw).collect();
                let labels = (0..domain.classes() * sets).map(|index| format!("agent {}", index / sets + 1)).collect();
                Ok(Dataset { samples: samples?, labels })
            }
            Source::Table(path) => {
                let read =
                    srrd_data::read_samples(path, Duplicates::Mean).map_err(|e| LabError::wrong(e.to_string()))?;
                let (mut samples, mut labels) = (Vec::new(), Vec::new());
                for named in read {
                    labels.push(named.label.ok_or_else(|| {
                        LabError::wrong(format!(
                            "{}: the sample '{}' has no label: add a column `label`",
                            path.display(),
                            named.name
                        ))
                    })?);
                    samples.push(named.sample);
                }
                Ok(Dataset { samples, labels })
            }
        }
    }
}
