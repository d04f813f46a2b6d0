//! Potential shaping of a chosen strength, and noise.

use srrd::Gamma;

use crate::error::WorldError;
use crate::explore::Met;
use crate::model::PotentialFunction;
use crate::random::{Stream, symmetric};
use crate::world::Triple;

/// Potential shaping, R'(s, a, s') = R(s, a, s') + γφ(s') − φ(s).
///
/// ```
/// use srrd::Gamma;
/// use srrd_worlds::{PotentialFunction, Shaping, Triple};
/// let potential = PotentialFunction::from_values(vec![1.0, 3.0]);
/// let shaping = Shaping::new(&potential, Gamma::new(0.5)?);
/// assert_eq!(shaping.term(Triple { state: 0, action: 0, next: 1 }), 0.5 * 3.0 - 1.0);
/// # Ok::<(), srrd::settings::SettingError>(())
/// ```
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

    /// Shaping by a potential scaled so that, over these transitions, mean |γφ(s') − φ(s)| = factor · mean |R|. A transition that ends an
    /// episode counts with |φ(s)|.
    ///
    /// # Errors
    /// When there is not one reward per transition, `factor` is negative or not finite, or one of the two means is 0 (as it is
    /// without transitions) or not finite.
    ///
    /// # Panics
    /// If a transition is not of the potential's world.
    pub fn scaled(
        rewards: &[f64],
        met: &Met,
        potential: &PotentialFunction,
        gamma: Gamma,
        factor: f64,
    ) -> Result<Self, WorldError> {
        if rewards.len() != met.transitions.len() {
            return Err(WorldError::Lengths { transitions: met.transitions.len(), rewards: rewards.len() });
        }
        if !(factor.is_finite() && factor >= 0.0) {
            return Err(WorldError::Factor(factor));
        }
        let mut shaping = Shaping::new(potential, gamma);
        let of_rewards: f64 = rewards.iter().map(|reward| reward.abs()).sum();
        let of_shaping: f64 = shaping.terms(met).map(f64::abs).sum();
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

    /// What shaping adds to a transition that ends the episode: −φ(s). What an episode ends in has potential 0, or shaping would change
    /// behaviour.
    ///
    /// # Panics
    /// If the transition is not of the potential's world.
    #[inline]
    pub(crate) fn last_term(&self, transition: Triple) -> f64 {
        -self.potential[transition.state as usize]
    }

    /// What shaping adds to each of these transitions.
    ///
    /// # Panics
    /// If a transition is not of the potential's world.
    pub(crate) fn terms(&self, met: &Met) -> impl Iterator<Item = f64> {
        let term = |(&transition, &ends): (&Triple, &bool)| match ends {
            true => self.last_term(transition),
            false => self.term(transition),
        };
        met.transitions.iter().zip(&met.ends).map(term)
    }

    /// The rewards of these transitions, shaped.
    ///
    /// # Panics
    /// If there is not one reward per transition, or a transition is not of the potential's world.
    pub fn apply(&self, met: &Met, rewards: &[f64]) -> Vec<f64> {
        assert_eq!(met.transitions.len(), rewards.len(), "one reward per transition");
        self.terms(met).zip(rewards).map(|(term, reward)| reward + term).collect()
    }
}

/// Adds to every reward a number of its own, uniform in [−bound, bound).
///
/// ```
/// use srrd_worlds::{add_noise, stream};
/// let mut rewards = [1.0, 1.0];
/// add_noise(&mut rewards, 0.1, &mut stream(0, "noise"));
/// assert!(rewards[0] != rewards[1] && rewards.iter().all(|reward| (reward - 1.0).abs() <= 0.1));
/// ```
pub fn add_noise(rewards: &mut [f64], bound: f64, rng: &mut Stream) {
    rewards.iter_mut().for_each(|reward| *reward += bound * symmetric(rng));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use crate::{Gridworld, Model, Policy, RewardFunction, met};
    use proptest::prelude::*;
    use srrd::{Metric, Settings, distance};

    fn mean_magnitude(values: impl ExactSizeIterator<Item = f64>) -> f64 {
        let count = values.len() as f64;
        values.map(f64::abs).sum::<f64>() / count
    }

    fn gamma(value: f64) -> Gamma {
        Gamma::new(value).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn shaping_has_the_strength_asked_for(
            width in 1usize..9, height in 2usize..9, count in 1usize..8, discount in 0.0..1.0, factor in 0.0..6.0,
            reward_model in 0usize..4, potential_model in 0usize..4, seed: u64,
        ) {
            let world = Gridworld::new(width, height, 0.2).unwrap();
            let met = met(&world, &Policy::uniform(4).unwrap(), count, &mut stream(seed, "rollouts"));
            let rewards = RewardFunction::new(&world, Model::ALL[reward_model], seed).rewards(&met.transitions);
            let potential = PotentialFunction::new(&world, Model::ALL[potential_model], seed);
            let last = (width * height - 1) as u32;
            let term = |t: &Triple| {
                let ahead = if t.next == last { 0.0 } else { discount * potential.potential(t.next as usize) };
                ahead - potential.potential(t.state as usize)
            };
            let expected = factor * mean_magnitude(rewards.iter().copied());
            let unscaled = mean_magnitude(met.transitions.iter().map(term));
            let Ok(shaping) = Shaping::scaled(&rewards, &met, &potential, gamma(discount), factor) else {
                prop_assert!(unscaled == 0.0);
                return Ok(());
            };
            let shaped = shaping.apply(&met, &rewards);
            let added = shaped.iter().zip(&rewards).map(|(with, without)| with - without);
            prop_assert!((mean_magnitude(added) - expected).abs() <= 1e-9 * expected.max(mean_magnitude(rewards.iter().copied())));
            let exact = mean_magnitude(shaping.terms(&met).collect::<Vec<f64>>().into_iter());
            prop_assert!((exact - expected).abs() <= 1e-12 * expected);
            for ((t, with), without) in met.transitions.iter().zip(&shaped).zip(&rewards) {
                let ahead = if t.next == last { 0.0 } else { discount * shaping.potential(t.next as usize) };
                let scaled = ahead - shaping.potential(t.state as usize);
                prop_assert_eq!(*with, without + scaled);
                prop_assert!((scaled - shaping.scale() * term(t)).abs() <= 1e-12 * scaled.abs().max(expected));
            }
        }
    }

    #[test]
    fn shaping_is_what_the_distances_take_out() {
        let world = Gridworld::new(8, 8, 0.0).unwrap();
        let met = met(&world, &Policy::uniform(4).unwrap(), 50, &mut stream(0, "rollouts"));
        let rewards = RewardFunction::new(&world, Model::Random, 0).rewards(&met.transitions);
        let potential = PotentialFunction::new(&world, Model::Random, 0);
        let shaping = Shaping::scaled(&rewards, &met, &potential, gamma(0.7), 5.0).unwrap();
        let plain = met.sample(rewards.clone()).unwrap();
        let shaped = met.sample(shaping.apply(&met, &rewards)).unwrap();
        let settings = Settings { gamma: gamma(0.7), ..Settings::default() };
        let of = |metric| distance(&plain, &shaped, metric, &settings).distance().unwrap();
        assert!(of(Metric::Projected) < 1e-6);
        assert!(of(Metric::Direct) > 0.4);
    }

    #[test]
    fn what_cannot_be_scaled_is_refused() {
        let triples = vec![Triple { state: 0, action: 0, next: 1 }, Triple { state: 1, action: 0, next: 1 }];
        let met = Met::new(triples.clone(), vec![false; 2]);
        let potential = PotentialFunction::from_values(vec![1.0, 2.0]);
        let scaled = |rewards: &[f64], potential: &PotentialFunction, factor| {
            Shaping::scaled(rewards, &met, potential, gamma(0.5), factor).map(|shaping| shaping.scale())
        };
        assert_eq!(scaled(&[2.0, -4.0], &potential, 2.0), Ok(12.0));
        // |−1| and |−2| where both end.
        let ending = Met::new(triples, vec![true; 2]);
        let shaping = Shaping::scaled(&[2.0, -4.0], &ending, &potential, gamma(0.5), 2.0).unwrap();
        assert_eq!((shaping.scale(), shaping.apply(&ending, &[0.0, 0.0])), (4.0, vec![-4.0, -8.0]));
        assert_eq!(scaled(&[1.0], &potential, 1.0), Err(WorldError::Lengths { transitions: 2, rewards: 1 }));
        assert_eq!(scaled(&[0.0, 0.0], &potential, 1.0), Err(WorldError::NoScale("the rewards")));
        let flat = PotentialFunction::from_values(vec![0.0, 0.0]);
        assert_eq!(scaled(&[1.0, 1.0], &flat, 1.0), Err(WorldError::NoScale("the potential differences")));
        assert_eq!(scaled(&[1.0, 1.0], &potential, -1.0), Err(WorldError::Factor(-1.0)));
        assert!(scaled(&[1.0, 1.0], &potential, f64::NAN).is_err());
        assert!(scaled(&[1.0, f64::INFINITY], &potential, 1.0).is_err());
        let nothing = Shaping::scaled(&[], &Met::default(), &potential, gamma(0.5), 1.0);
        assert_eq!(nothing, Err(WorldError::NoScale("the rewards")));
    }

    #[test]
    fn noise_fills_its_bounds_and_is_fresh_for_every_reward() {
        let mut rewards = vec![10.0; 20_000];
        add_noise(&mut rewards, 0.5, &mut stream(0, "noise"));
        assert!(rewards.iter().all(|r| (9.5..10.5).contains(r)));
        let mean = rewards.iter().sum::<f64>() / 20_000.0;
        assert!((mean - 10.0).abs() < 0.01, "{mean}");
        assert!(rewards.iter().any(|r| *r < 9.51) && rewards.iter().any(|r| *r > 10.49));
        rewards.dedup();
        assert_eq!(rewards.len(), 20_000);
        let mut same = vec![1.0, 2.0];
        add_noise(&mut same, 0.0, &mut stream(0, "noise"));
        assert_eq!(same, [1.0, 2.0]);
    }
}
