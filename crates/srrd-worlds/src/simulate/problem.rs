//! What can be wrong with a simulation, as data; one sentence per problem, in which every front end writes options its own way.

use std::fmt;

use srrd::trajectories::TrajectoryError;
use srrd::{LARGEST_REWARD, SettingError};

use super::question::SimulateOption;
use crate::error::WorldError;
use crate::worlds::WorldKind;

/// Why nothing can be simulated.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SimulateError {
    /// The world has no use for an option.
    Refused(Refusal),
    /// A count that must be at least 1.
    NoneOf(SimulateOption),
    /// A number that must be finite and from 0 up.
    Negative {
        /// Which option.
        option: SimulateOption,
        /// Its value.
        value: f64,
    },
    /// Not a size.
    Size(String),
    /// More obstacles than a step can do with.
    Obstacles {
        /// How many were asked for.
        asked: usize,
        /// How many there can be.
        most: usize,
    },
    /// A policy that is neither a name nor weights.
    PolicyText {
        /// What is no number.
        part: String,
        /// The actions of the world.
        actions: &'static [&'static str],
        /// The names of policies.
        names: Vec<&'static str>,
    },
    /// Not one weight per action.
    PolicyWeights {
        /// How many there are.
        weights: usize,
        /// The actions of the world.
        actions: &'static [&'static str],
    },
    /// A policy beside the ten agents.
    PolicyOfClasses,
    /// Several samples without the ten agents.
    SetsWithoutClasses,
    /// An option of shaping without shaping.
    WithoutShaping(SimulateOption),
    /// A discount factor that is none.
    Gamma(SettingError),
    /// A world or a policy that cannot be built.
    World {
        /// The option it was asked with.
        option: SimulateOption,
        /// What is wrong with it.
        error: WorldError,
    },
    /// Shaping that finds nothing to be scaled by.
    Shaping {
        /// What is wrong.
        error: WorldError,
        /// Whether a model makes the rewards, not the world's score.
        modelled: bool,
    },
    /// A reward that a sample cannot hold.
    TooBig(f64),
    /// What was played cannot be held, for example because there are too many steps.
    Trajectories(TrajectoryError),
    /// Who watched the simulation has stopped it.
    Stopped,
}

/// An option that a world has no use for, why, and what else can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Which option.
    pub option: SimulateOption,
    /// Why there is no use for it.
    pub why: &'static str,
    /// What to do beside leaving it out.
    pub instead: Instead,
}

/// What to do instead of giving an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Instead {
    /// There is nothing else to do.
    Nothing,
    /// Take another world.
    World(WorldKind),
    /// Take another option.
    Option(SimulateOption),
}

impl SimulateError {
    /// The sentence, with every option written by `option`: `--reward-seed` in the command, `reward_seed` in Python.
    ///
    /// ```
    /// use srrd_worlds::{Simulation, WorldKind};
    /// let mut question = Simulation::new(WorldKind::Gridworld);
    /// question.sets = Some(5);
    /// let error = question.check().unwrap_err();
    /// let said = error.render(|option| format!("--{option}"));
    /// assert_eq!(said, "--sets: there are several samples with --classes only; add it");
    /// ```
    pub fn render(&self, option: impl Fn(SimulateOption) -> String) -> String {
        use SimulateOption as O;
        match self {
            SimulateError::Refused(Refusal { option: refused, why, instead }) => {
                let instead = match instead {
                    Instead::Nothing => String::new(),
                    Instead::World(world) => format!(", or simulate {world}"),
                    Instead::Option(other) => format!(", or choose {}", option(*other)),
                };
                format!("{}: {why}; leave it out{instead}", option(*refused))
            }
            SimulateError::NoneOf(of) => format!("{}: it must be at least 1", option(*of)),
            SimulateError::Negative { option: of, value } => {
                format!("{}: {value} is not a finite number from 0 up", option(*of))
            }
            SimulateError::Size(text) => {
                format!("{}: '{text}' must be WIDTHxHEIGHT, such as 20x20", option(O::Size))
            }
            SimulateError::Obstacles { asked, most } => {
                format!("{}: {asked} are too many; choose at most {most}", option(O::Obstacles))
            }
            SimulateError::PolicyText { part, actions, names } => format!(
                "{}: '{part}' is no number: write a weight for each of {}, or a name: {}",
                option(O::Policy),
                actions.join(", "),
                names.join(", ")
            ),
            SimulateError::PolicyWeights { weights, actions } => format!(
                "{}: there are {weights} weights for {} actions: {}",
                option(O::Policy),
                actions.len(),
                actions.join(", ")
            ),
            SimulateError::PolicyOfClasses => {
                format!("{}: with {} the policies are those of the ten agents", option(O::Policy), option(O::Classes))
            }
            SimulateError::SetsWithoutClasses => {
                format!("{}: there are several samples with {} only; add it", option(O::Sets), option(O::Classes))
            }
            SimulateError::WithoutShaping(of) => {
                format!("{}: it is about shaping; add {}, or leave it out", option(*of), option(O::Shaped))
            }
            SimulateError::Gamma(error) => format!("{}: {error}", option(O::Gamma)),
            SimulateError::World { option: of, error } => format!("{}: {error}", option(*of)),
            SimulateError::Shaping { error, modelled } => {
                let other = match modelled {
                    true => format!("choose another {} or {}", option(O::Seed), option(O::Model)),
                    false => format!("choose another {}, or more {}", option(O::Seed), option(O::Rollouts)),
                };
                format!("{}: {error}; {other}", option(O::Shaped))
            }
            SimulateError::TooBig(reward) => format!(
                "the reward {reward:e} is larger than {LARGEST_REWARD:e}: choose a smaller {} or {}",
                option(O::Noise),
                option(O::Factor)
            ),
            SimulateError::Trajectories(error) => error.to_string(),
            SimulateError::Stopped => "the simulation was stopped".to_owned(),
        }
    }
}

impl fmt::Display for SimulateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(|option| option.to_string()))
    }
}

impl std::error::Error for SimulateError {}
