//! Potential shaping of a chosen strength, and noise.

use srrd::Gamma;

use crate::error::WorldError;
use crate::model::PotentialFunction;
use crate::random::{Stream, symmetric};
use crate::world::Triple;

/// Potential shaping, R'(s, a, s') = R(s, a, s') + γφ(s') − φ(s).
#[derive(Clone, Debug, PartialEq)]
pub struct Shaping {
    gamma: f64,
    scale: f64,
    /// φ, scaled.
    potential: Vec<f64>,
}

impl Shaping {
    /// Shaping by a potential as it is.
    pub fn new(potential: &PotentialFunction, gamma: Gamma) -> Self {
        Shaping { gamma: gamma.get(), scale: 1.0, potential: potential.values().to_vec() }
    }

    /// Shaping by a potential scaled so that, over these transitions, mean |γφ(s') − φ(s)| = factor · mean |R|.
    ///
    /// # Errors
    /// When there is not one reward a transition, `factor` is negative or not finite, or one of the two means is 0 (as it is
    /// without transitions) or not finite.
    ///
    /// # Panics
    /// If a transition is not of the potential's world.
    pub fn scaled(
        rewards: &[f64],
        transitions: &[Triple],
        potential: &PotentialFunction,
        gamma: Gamma,
        factor: f64,
    ) -> Result<Self, WorldError> {
        if rewards.len() != transitions.len() {
            return Err(WorldError::Lengths { transitions: transitions.len(), rewards: rewards.len() });
        }
        if !(factor.is_finite() && factor >= 0.0) {
            return Err(WorldError::Factor(factor));
        }
        let mut shaping = Shaping::new(potential, gamma);
        let of_rewards: f64 = rewards.iter().map(|reward| reward.abs()).sum();
        let of_shaping: f64 = transitions.iter().map(|&transition| shaping.term(transition).abs()).sum();
        let usable = |sum: f64| sum > 0.0 && sum.is_finite();
        if !usable(of_rewards) {
            return Err(WorldError::NoScale("the rewards"));
        }
        let scale = factor * of_rewards / of_shaping;
        if !usable(of_shaping) || !scale.is_finite() {
            return Err(WorldError::NoScale("the potential differences"));
        }
        shaping.scale = scale;
        shaping.potential.iter_mut().for_each(|value| *value *= scale);
        Ok(shaping)
    }

    /// What the potential was multiplied with.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// φ(s), scaled.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn potential(&self, state: usize) -> f64 {
        self.potential[state]
    }

    /// γφ(s') − φ(s).
    ///
    /// # Panics
    /// If the transition is not of the potential's world.
    #[inline]
    pub fn term(&self, transition: Triple) -> f64 {
        self.gamma * self.potential[transition.next as usize] - self.potential[transition.state as usize]
    }

    /// The rewards of these transitions, shaped.
    ///
    /// # Panics
    /// If there is not one reward a transition, or a transition is not of the potential's world.
    pub fn apply(&self, transitions: &[Triple], rewards: &[f64]) -> Vec<f64> {
        assert_eq!(transitions.len(), rewards.len(), "one reward a transition");
        transitions.iter().zip(rewards).map(|(&transition, reward)| reward + self.term(transition)).collect()
    }
}

/// Adds to every reward a number of its own, uniform in [−bound, bound).
pub fn add_noise(rewards: &mut [f64], bound: f64, rng: &mut Stream) {
    rewards.iter_mut().for_each(|reward| *reward += bound * symmetric(rng));
}
