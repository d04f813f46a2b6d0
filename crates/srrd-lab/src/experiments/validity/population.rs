//! All transitions that can happen in a grid world: what a sample is a sample of.

use crate::error::LabError;
use crate::experiments::shared::feasible::feasible;
use srrd::compare::pearson;
use srrd::project::Projection;
use srrd::regret::mutual_regret;
use srrd::sample::Ends;
use srrd::{Duplicates, Dynamics, Gamma, RewardSample};
use srrd_worlds::{Gridworld, Triple, World};

/// All transitions of a world, with what takes shaping out of rewards on them.
pub struct Population {
    pub world: Gridworld,
    /// In the order of (state, next state, action), which is that of samples.
    pub transitions: Vec<Triple>,
    /// Those that moves make, without jumps.
    moves: Vec<Triple>,
    projection: Projection,
    gamma: Gamma,
}

impl Population {
    pub fn new(width: usize, height: usize, epsilon: f64, gamma: Gamma) -> Result<Self, LabError> {
        let world = Gridworld::new(width, height, epsilon).map_err(LabError::failed)?;
        let moves = feasible(&world);
        let mut transitions = match epsilon > 0.0 {
            false => moves.clone(),
            true => moves
                .iter()
                .flat_map(|&Triple { state, action, .. }| {
                    (0..world.states() as u32).map(move |next| Triple { state, action, next })
                })
                .collect(),
        };
        transitions.sort_unstable_by_key(|t| (t.state, t.next, t.action));
        let ids = |part: fn(&Triple) -> u32| transitions.iter().map(part).collect::<Vec<u32>>();
        let rewards = vec![0.0; transitions.len()];
        let (sample, _) = RewardSample::from_ids(
            &ids(|t| t.state),
            &ids(|t| t.action),
            &ids(|t| t.next),
            &rewards,
            Duplicates::Error,
        )
        .map_err(LabError::failed)?;
        let last = world.states() as u32 - 1;
        let ends = Ends::marked(transitions.iter().map(|t| t.next == last).collect());
        let sample = sample.with_ends(ends).map_err(LabError::failed)?;
        let projection = Projection::new(&sample, gamma);
        Ok(Population { world, transitions, moves, projection, gamma })
    }

    /// The distances by `projected` and by `direct` of two rewards, given on all transitions; nothing where a reward is the same everywhere,
    /// as few sparse ones are.
    pub fn distances(&self, a: &[f64], b: &[f64]) -> [Option<f64>; 2] {
        let (x, y) = (self.projection.residual(a), self.projection.residual(b));
        let product = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let cosine = product(&x, &y) / (product(&x, &x) * product(&y, &y)).sqrt();
        let projected = cosine.is_finite().then(|| (0.5 * (1.0 - cosine)).clamp(0.0, 1.0).sqrt());
        [projected, pearson(a, b).ok().map(|found| found.distance)]
    }

    /// What acting by one of two rewards loses at most under the other, from the corner where episodes start; nothing where all policies
    /// earn the same.
    pub fn regret(&self, a: &[f64], b: &[f64]) -> Result<Option<f64>, LabError> {
        let (states, epsilon) = (self.world.states(), self.world.epsilon());
        let jump = epsilon / states as f64;
        let chances = self.moves.iter().flat_map(|&Triple { state, action, next }| {
            let chance = move |to: u32| if to == next { 1.0 - epsilon + jump } else { jump };
            (0..states as u32).map(move |to| (state as usize, action as usize, to as usize, chance(to)))
        });
        let mut starts = vec![0.0; states];
        starts[0] = 1.0;
        let dynamics = Dynamics::new(states, self.world.actions(), chances).and_then(|d| d.with_initial(starts));
        let dynamics = dynamics.map_err(LabError::failed)?;
        let [a, b] = [a, b].map(|reward| self.expected(reward));
        let found = mutual_regret(&dynamics, &a, &b, self.gamma).map_err(LabError::failed)?;
        Ok([found.a_under_b.regret, found.b_under_a.regret].into_iter().flatten().reduce(f64::max))
    }

    /// The mean of a reward over next states, for every move in the order of (state, action).
    fn expected(&self, reward: &[f64]) -> Vec<f64> {
        let at = |t: &Triple| {
            let place =
                self.transitions.binary_search_by_key(&(t.state, t.next, t.action), |t| (t.state, t.next, t.action));
            place.map_or(0.0, |place| reward[place])
        };
        let epsilon = self.world.epsilon();
        let mean = |t: &Triple| {
            let jumps: f64 = match epsilon > 0.0 {
                true => (0..self.world.states() as u32).map(|next| at(&Triple { next, ..*t })).sum(),
                false => 0.0,
            };
            (1.0 - epsilon) * at(t) + epsilon * jumps / self.world.states() as f64
        };
        self.moves.iter().map(mean).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::validity::rewards::RewardKind;
    use srrd::{Metric, Settings, distance};

    #[test]
    fn distances_are_those_of_samples_of_everything() {
        for epsilon in [0.0, 0.1] {
            let all = Population::new(5, 4, epsilon, Gamma::default()).unwrap();
            let [a, b] = [1, 2].map(|seed| RewardKind::NextState.rewards(&all.world, seed, &all.transitions));
            let sample = |rewards: &[f64]| {
                let sample = srrd_worlds::sample_of(&all.transitions, rewards.to_vec()).unwrap();
                let ends = all.transitions.iter().map(|t| t.next == 19).collect();
                assert!(sample.transitions().zip(rewards).all(|(t, r)| t.reward == *r), "the order is that of samples");
                sample.with_ends(Ends::marked(ends)).unwrap()
            };
            let (x, y) = (sample(&a), sample(&b));
            let [projected, direct] = all.distances(&a, &b).map(Option::unwrap);
            for (metric, found) in [(Metric::Projected, projected), (Metric::Direct, direct)] {
                let expected = distance(&x, &y, metric, &Settings::default()).distance().unwrap();
                assert!((expected - found).abs() < 1e-9, "{metric}: {expected} {found}");
            }
        }
    }

    #[test]
    fn shaping_costs_nothing_and_opposites_cost_all() {
        for epsilon in [0.0, 0.1] {
            let all = Population::new(5, 4, epsilon, Gamma::default()).unwrap();
            let a = RewardKind::Independent.rewards(&all.world, 1, &all.transitions);
            let potential: Vec<f64> = (0..20).map(|s| if s == 19 { 0.0 } else { f64::from(s * 7 % 5) }).collect();
            let shaped = a.iter().zip(&all.transitions);
            let shaped: Vec<f64> =
                shaped.map(|(r, t)| r + 0.9 * potential[t.next as usize] - potential[t.state as usize]).collect();
            assert!(all.regret(&a, &shaped).unwrap().unwrap() < 1e-9);
            let opposite: Vec<f64> = a.iter().map(|r| -r).collect();
            assert!(all.regret(&a, &opposite).unwrap().unwrap() > 0.99);
        }
    }
}
