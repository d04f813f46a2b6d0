//! What can be asked of a simulation, as it was asked.

use std::fmt;

use crate::model::Model;
use crate::worlds::WorldKind;

/// What to play, and what is rewarded: the question of [`simulate`](crate::simulate()). Options that are left out have the defaults of
/// the world.
///
/// ```
/// use srrd_worlds::{Simulation, WorldKind};
/// let mut question = Simulation::new(WorldKind::Gridworld);
/// question.size = Some((6, 4).into());
/// question.rollouts = 3;
/// assert!(question.check().is_ok());
/// question.obstacles = Some(2);
/// assert!(question.check().unwrap_err().to_string().starts_with("obstacles: gridworld has none"));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Simulation {
    /// Which world.
    pub world: WorldKind,
    /// How many cells there are along x and y: 20x20 unless given.
    pub size: Option<Size>,
    /// The probability that a step leads to a random cell: 0 unless given.
    pub epsilon: Option<f64>,
    /// How many obstacles there are.
    pub obstacles: Option<usize>,
    /// How many episodes to play, for every sample.
    pub rollouts: usize,
    /// Who plays: uniform unless given.
    pub policy: Option<PolicyChoice>,
    /// Play the ten agents of the paper instead.
    pub classes: bool,
    /// How many samples to make of every one of the ten agents: 100 unless given.
    pub sets: Option<usize>,
    /// How the reward depends on the features: random unless given.
    pub model: Option<Model>,
    /// Add potential shaping, with random potentials for every sample.
    pub shaped: bool,
    /// The discount factor of shaping: 0.9 unless given.
    pub gamma: Option<f64>,
    /// The strength of shaping, its mean magnitude by that of the rewards: drawn from 1 to 5 for every sample unless given.
    pub factor: Option<f64>,
    /// Add noise between −`noise` and `noise` to the reward of every transition, for every sample.
    pub noise: f64,
    /// The seed of everything random.
    pub seed: u64,
    /// Another seed for the reward, to have one reward in several simulations: that of `seed` unless given.
    pub reward_seed: Option<u64>,
}

impl Simulation {
    /// Ten episodes of a world with all its defaults.
    pub fn new(world: WorldKind) -> Self {
        Simulation {
            world,
            size: None,
            epsilon: None,
            obstacles: None,
            rollouts: 10,
            policy: None,
            classes: false,
            sets: None,
            model: None,
            shaped: false,
            gamma: None,
            factor: None,
            noise: 0.0,
            seed: 0,
            reward_seed: None,
        }
    }

    /// Whether an option was given that a world may have no use for.
    pub(super) fn has(&self, option: SimulateOption) -> bool {
        match option {
            SimulateOption::Size => self.size.is_some(),
            SimulateOption::Epsilon => self.epsilon.is_some(),
            SimulateOption::Obstacles => self.obstacles.is_some(),
            SimulateOption::Rollouts | SimulateOption::Seed => true,
            SimulateOption::Policy => self.policy.is_some(),
            SimulateOption::Classes => self.classes,
            SimulateOption::Sets => self.sets.is_some(),
            SimulateOption::Model => self.model.is_some(),
            SimulateOption::Shaped => self.shaped,
            SimulateOption::Gamma => self.gamma.is_some(),
            SimulateOption::Factor => self.factor.is_some(),
            SimulateOption::Noise => self.noise != 0.0,
            SimulateOption::RewardSeed => self.reward_seed.is_some(),
        }
    }
}

/// How large a grid is, in cells or as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Size {
    /// So many cells.
    Cells {
        /// Along x.
        width: usize,
        /// Along y.
        height: usize,
    },
    /// `WIDTHxHEIGHT`, not yet read.
    Text(String),
}

impl From<(usize, usize)> for Size {
    fn from((width, height): (usize, usize)) -> Self {
        Size::Cells { width, height }
    }
}

impl From<&str> for Size {
    fn from(text: &str) -> Self {
        Size::Text(text.to_owned())
    }
}

/// A policy by its weights, or as it was written.
#[derive(Clone, Debug, PartialEq)]
pub enum PolicyChoice {
    /// One weight per action.
    Weights(Vec<f64>),
    /// A name, or weights with commas between them, not yet read.
    Text(String),
}

impl From<Vec<f64>> for PolicyChoice {
    fn from(weights: Vec<f64>) -> Self {
        PolicyChoice::Weights(weights)
    }
}

impl From<&str> for PolicyChoice {
    fn from(text: &str) -> Self {
        PolicyChoice::Text(text.to_owned())
    }
}

/// The options of a [`Simulation`]: what messages name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SimulateOption {
    /// [`Simulation::size`]
    Size,
    /// [`Simulation::epsilon`]
    Epsilon,
    /// [`Simulation::obstacles`]
    Obstacles,
    /// [`Simulation::rollouts`]
    Rollouts,
    /// [`Simulation::policy`]
    Policy,
    /// [`Simulation::classes`]
    Classes,
    /// [`Simulation::sets`]
    Sets,
    /// [`Simulation::model`]
    Model,
    /// [`Simulation::shaped`]
    Shaped,
    /// [`Simulation::gamma`]
    Gamma,
    /// [`Simulation::factor`]
    Factor,
    /// [`Simulation::noise`]
    Noise,
    /// [`Simulation::seed`]
    Seed,
    /// [`Simulation::reward_seed`]
    RewardSeed,
}

impl SimulateOption {
    /// All of them, in the order in which they are shown.
    pub const ALL: [SimulateOption; 14] = [
        SimulateOption::Size,
        SimulateOption::Epsilon,
        SimulateOption::Obstacles,
        SimulateOption::Rollouts,
        SimulateOption::Policy,
        SimulateOption::Classes,
        SimulateOption::Sets,
        SimulateOption::Model,
        SimulateOption::Shaped,
        SimulateOption::Gamma,
        SimulateOption::Factor,
        SimulateOption::Noise,
        SimulateOption::Seed,
        SimulateOption::RewardSeed,
    ];

    /// The name in lower case, words joined by `-`: the command writes `--` before it, Python `_` for `-`.
    pub fn name(self) -> &'static str {
        match self {
            SimulateOption::Size => "size",
            SimulateOption::Epsilon => "epsilon",
            SimulateOption::Obstacles => "obstacles",
            SimulateOption::Rollouts => "rollouts",
            SimulateOption::Policy => "policy",
            SimulateOption::Classes => "classes",
            SimulateOption::Sets => "sets",
            SimulateOption::Model => "model",
            SimulateOption::Shaped => "shaped",
            SimulateOption::Gamma => "gamma",
            SimulateOption::Factor => "factor",
            SimulateOption::Noise => "noise",
            SimulateOption::Seed => "seed",
            SimulateOption::RewardSeed => "reward-seed",
        }
    }
}

impl fmt::Display for SimulateOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
