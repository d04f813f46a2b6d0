//! Two samples of equivalent rewards: what the sparsity experiments compare.
//!
//! A reward function and a potential are drawn for the trial. Two agents walk through the world, each with a stream of its own;
//! the first sees the reward, the second the reward with potential shaping, so that a good metric should find the distance 0.

use crate::error::LabError;
use crate::values::{Noise, Size, WorldKind};
use rand::RngExt;
use srrd::settings::Regression;
use srrd::{Gamma, RewardSample};
use srrd_worlds::{
    BouncingBalls, Gridworld, Met, Model, Policy, PotentialFunction, RewardFunction, Shaping, World, WorldError,
    add_noise, met, stream,
};

/// What a pair is drawn from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The world.
    pub world: WorldKind,
    /// Its size.
    pub size: Size,
    /// The model of the reward and of the potential.
    pub model: Model,
    /// The probability of a random transition.
    pub epsilon: f64,
    /// The deviation from potential shaping.
    pub noise: Noise,
    /// The discount factor.
    pub gamma: Gamma,
    /// How many rollouts each sample has.
    pub rollouts: usize,
}

/// How many times the mean magnitude of the rewards that of the shaping is.
pub const SHAPING: std::ops::RangeInclusive<f64> = 1.0..=5.0;

/// Two samples, the second one shaped.
pub struct Pair {
    /// The reward.
    pub plain: RewardSample,
    /// The reward with shaping (and noise).
    pub shaped: RewardSample,
    /// Sampled transitions / all of the world's, the mean of the two samples.
    pub coverage: f64,
}

/// A pair whose unsampled rewards are predicted.
pub struct Predicting {
    /// By what.
    pub regression: Regression,
    /// The reward.
    pub plain: RewardSample,
    /// The reward with shaping.
    pub shaped: RewardSample,
}

impl Pair {
    /// The same samples for every model of unsampled rewards.
    pub fn predicting(&self, regressions: impl Iterator<Item = Regression>) -> Result<Vec<Predicting>, LabError> {
        let predicted = |regression| {
            let with = |sample: &RewardSample| sample.clone().with_regression(regression).map_err(LabError::failed);
            Ok(Predicting { regression, plain: with(&self.plain)?, shaped: with(&self.shaped)? })
        };
        regressions.map(predicted).collect()
    }
}

/// How states and actions are written in the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tokens {
    /// As numbers: fastest.
    Numbers,
    /// As features, which regression needs.
    Features,
}

/// Draws the pair of a trial.
pub fn shaped_pair(cell: &Cell, tokens: Tokens, seed: u64) -> Result<Pair, LabError> {
    let Size { width, height } = cell.size;
    match cell.world {
        WorldKind::Gridworld => {
            let world = Gridworld::new(width, height, cell.epsilon).map_err(LabError::failed)?;
            pair_in(&world, cell, tokens, seed)
        }
        WorldKind::BouncingBalls => {
            let world = BouncingBalls::new(width, height, cell.epsilon).map_err(LabError::failed)?;
            pair_in(&world, cell, tokens, seed)
        }
        other => Err(LabError::failed(format!("{other} has no size to choose"))),
    }
}

fn pair_in<W: World<Agent = Policy>>(world: &W, cell: &Cell, tokens: Tokens, seed: u64) -> Result<Pair, LabError> {
    let uniform = Policy::uniform(world.actions()).map_err(LabError::failed)?;
    let walked = |purpose| met(world, &uniform, cell.rollouts, &mut stream(seed, purpose));
    let (first, second) = (walked("rollouts of the reward"), walked("rollouts of the shaped reward"));
    let reward = RewardFunction::new(world, cell.model, seed);
    let plain = reward.rewards(&first.transitions);
    let potential = PotentialFunction::new(world, cell.model, seed);
    let factor = stream(seed, "shaping factor").random_range(SHAPING);
    let mut shaped = shape(&potential, cell.gamma, factor, &second, reward.rewards(&second.transitions))?;
    if cell.noise != Noise::None {
        let largest = shaped.iter().fold(0.0f64, |most, r| most.max(r.abs()));
        add_noise(&mut shaped, severity(cell.noise) * largest, &mut stream(seed, "noise"));
    }
    let all = (world.states() * world.states() * world.actions()) as f64;
    let coverage = 0.5 * (first.transitions.len() + second.transitions.len()) as f64 / all;
    let sample = |met: &Met, rewards| match tokens {
        Tokens::Numbers => met.sample(rewards),
        Tokens::Features => met.featured_sample(world, rewards),
    };
    Ok(Pair {
        coverage,
        plain: sample(&first, plain).map_err(LabError::failed)?,
        shaped: sample(&second, shaped).map_err(LabError::failed)?,
    })
}

/// Adds shaping whose mean magnitude over the transitions is `factor` times that of the rewards. What episodes end in has potential 0.
pub fn shape(
    potential: &PotentialFunction,
    gamma: Gamma,
    factor: f64,
    met: &Met,
    rewards: Vec<f64>,
) -> Result<Vec<f64>, LabError> {
    match Shaping::scaled(&rewards, met, potential, gamma, factor) {
        Ok(shaping) => Ok(shaping.apply(met, &rewards)),
        // A walk that stays where the potential is 0 meets no shaping.
        Err(WorldError::NoScale(_)) => Ok(rewards),
        Err(error) => Err(LabError::failed(error)),
    }
}

/// How many times the largest shaped reward the noise can be.
fn severity(noise: Noise) -> f64 {
    match noise {
        Noise::None => 0.0,
        Noise::Mild => 1.0,
        Noise::High => 5.0,
    }
}
