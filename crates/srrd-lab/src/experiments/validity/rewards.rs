//! Kinds of rewards on a grid, from independent per transition to nothing but goals.

use crate::experiments::shared::correlated::{Normal, normal};
use crate::row::Choice;
use rand::RngExt;
use srrd_worlds::{Gridworld, Model, RewardFunction, Triple, World, derive_seed, stream};

/// The share of transitions with a reward, where rewards are sparse.
const SPARSE: f64 = 0.05;
/// Waves that a smooth reward is a sum of, and how often the shortest of them goes up and down across the grid.
const WAVES: usize = 6;
const SHORTEST: f64 = 1.5;
/// Where there are goals: how many, what they are worth, and what a step costs.
const GOALS: usize = 3;
const WORTH: std::ops::Range<f64> = 0.5..1.5;
const COST: f64 = 0.1;

/// Where rewards are smooth to a small part: its share of their variance.
const SMOOTH_PART: f64 = 0.1;
/// Where a step costs something and rewards are independent otherwise: what it costs, in units of their standard deviation.
const STEADY: f64 = 1.0;

/// What a reward depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RewardKind {
    /// Standard normal per transition.
    Independent,
    /// Standard normal per next state.
    NextState,
    /// A smooth function of the next state.
    Smooth,
    /// Standard normal on 5 % of the transitions.
    Sparse,
    /// A step cost and three goals.
    Goals,
    /// A smooth function of the next state for every action.
    Action,
    /// Standard normal per transition to nine tenths of the variance, a smooth function of the next state to one.
    Weak,
    /// A step cost, and standard normal per transition beside it.
    Cost,
}

impl Choice for RewardKind {
    const ALL: &'static [Self] = &[
        RewardKind::Independent,
        RewardKind::NextState,
        RewardKind::Smooth,
        RewardKind::Sparse,
        RewardKind::Goals,
        RewardKind::Action,
        RewardKind::Weak,
        RewardKind::Cost,
    ];

    fn name(self) -> &'static str {
        match self {
            RewardKind::Independent => "independent",
            RewardKind::NextState => "next-state",
            RewardKind::Smooth => "smooth",
            RewardKind::Sparse => "sparse",
            RewardKind::Goals => "goals",
            RewardKind::Action => "action",
            RewardKind::Weak => "weakly-smooth",
            RewardKind::Cost => "step-cost",
        }
    }
}

impl RewardKind {
    /// Draws a reward: its values on these transitions. The same seed is the same reward on any transitions.
    pub fn rewards(self, world: &Gridworld, seed: u64, transitions: &[Triple]) -> Vec<f64> {
        let mut rng = stream(seed, "rewards");
        let by = |of: &dyn Fn(&Triple) -> f64| transitions.iter().map(of).collect();
        match self {
            RewardKind::Independent => Normal::new(world, seed).rewards(transitions),
            RewardKind::Cost => {
                let values = Normal::new(world, seed).rewards(transitions);
                values.into_iter().map(|value| value - STEADY).collect()
            }
            RewardKind::Weak => {
                let mut wave = smooth(world, seed, "smooth");
                let count = wave.len() as f64;
                let mean = wave.iter().sum::<f64>() / count;
                let spread = (wave.iter().map(|w| (w - mean) * (w - mean)).sum::<f64>() / count).sqrt();
                wave.iter_mut().for_each(|w| *w = (*w - mean) / spread);
                let values = Normal::new(world, seed).rewards(transitions);
                let (own, of_state) = ((1.0 - SMOOTH_PART).sqrt(), SMOOTH_PART.sqrt());
                values.iter().zip(transitions).map(|(v, t)| own * v + of_state * wave[t.next as usize]).collect()
            }
            RewardKind::Sparse => {
                // Uniform in [−1, 1).
                let chosen =
                    RewardFunction::new(world, Model::Random, derive_seed(seed, "chosen")).rewards(transitions);
                let values = Normal::new(world, seed).rewards(transitions);
                let kept = |(chosen, value): (f64, f64)| if chosen < 2.0 * SPARSE - 1.0 { value } else { 0.0 };
                chosen.into_iter().zip(values).map(kept).collect()
            }
            RewardKind::NextState => {
                let values: Vec<f64> = (0..world.states()).map(|_| normal(&mut rng)).collect();
                by(&|t| values[t.next as usize])
            }
            RewardKind::Smooth => {
                let values = smooth(world, seed, "smooth");
                by(&|t| values[t.next as usize])
            }
            RewardKind::Action => {
                let values: Vec<Vec<f64>> =
                    (0..world.actions()).map(|action| smooth(world, seed, &format!("action {action}"))).collect();
                by(&|t| values[t.action as usize][t.next as usize])
            }
            RewardKind::Goals => {
                let mut values = vec![-COST; world.states()];
                for _ in 0..GOALS {
                    let goal = rng.random_range(0..values.len());
                    values[goal] += rng.random_range(WORTH);
                }
                by(&|t| values[t.next as usize])
            }
        }
    }
}

/// A smooth function of the cells.
fn smooth(world: &Gridworld, seed: u64, purpose: &str) -> Vec<f64> {
    let mut rng = stream(seed, purpose);
    let wave = |_| {
        let [across, down] = [0.0; 2].map(|_: f64| rng.random_range(0.0..SHORTEST));
        (normal(&mut rng), across, down, rng.random_range(0.0..std::f64::consts::TAU))
    };
    let waves: Vec<(f64, f64, f64, f64)> = (0..WAVES).map(wave).collect();
    let value = |state: usize| {
        let mut place = [0.0; 2];
        world.describe_state(state, &mut place);
        let (x, y) = (place[0] / world.width() as f64, place[1] / world.height() as f64);
        let of = |(size, across, down, phase): &(f64, f64, f64, f64)| {
            size * (std::f64::consts::TAU * (across * x + down * y) + phase).cos()
        };
        waves.iter().map(of).sum()
    };
    (0..world.states()).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reward_is_the_same_on_any_transitions() {
        let world = Gridworld::new(5, 5, 0.0).unwrap();
        let all: Vec<Triple> = (0..24).map(|s| Triple { state: s, action: s % 4, next: 24 - s }).collect();
        for &kind in RewardKind::ALL {
            let whole = kind.rewards(&world, 3, &all);
            assert_eq!(kind.rewards(&world, 3, &all[7..9]), whole[7..9], "{kind:?}");
            // Of so few transitions all sparse rewards may be 0.
            assert!(kind == RewardKind::Sparse || kind.rewards(&world, 4, &all) != whole);
        }
    }

    #[test]
    fn sparse_rewards_are_sparse() {
        let world = Gridworld::new(20, 20, 0.0).unwrap();
        let all: Vec<Triple> = (0..4000).map(|i| Triple { state: i % 399, action: i % 4, next: i / 10 }).collect();
        let rewards = RewardKind::Sparse.rewards(&world, 0, &all);
        let share = rewards.iter().filter(|r| **r != 0.0).count() as f64 / 4000.0;
        assert!((share - SPARSE).abs() < 0.01, "{share}");
    }
}
