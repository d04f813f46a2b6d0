//! Are two rewards more alike than chance would make them?
//!
//! - `direct`, `epic`, `dard`, `srrd`: a **permutation test**. The rewards of the second sample are permuted over its transitions (for
//!   `direct` over the shared ones, since no others enter) and canonicalized again, which gives the distances that rewards without any
//!   relation to one another have on these very transitions. Were they in no relation, every permutation would be as likely as the one
//!   that was found, so the test is exact whatever the canonicalization does.
//! - `projected`: **Student's t** on its degrees of freedom, t = ρ sqrt(ν / (1 − ρ²)) with ν = those left − 1. Where episodes end,
//!   something is left of a constant; rewards with means other than 0 have that in common without being related otherwise, and the
//!   test is by permutation of the rewards on the shared transitions.
//!
//! Both are one-sided: opposite rewards are not alike. Both count transitions as if they were independent. That is valid if one of the
//! two rewards is; where both go with states or actions (see `dependence`), the test is withheld.

use std::sync::Arc;

use rayon::prelude::*;

use super::dependence::{FOR_CHANCE, Reference};
use super::interval::{Draws, NoInterval};
use crate::compare::{Canonical, Columns, Measured, Pair, Projected, shared_rows};
use crate::project::Space;
use crate::run::parallel;
use crate::run::random::{Purpose, shuffle, stream};
use crate::run::{Steps, checkpoint};
use crate::sample::RewardSample;
use crate::settings::EndRule;
use crate::stats::student_upper_tail;

/// What a test against chance needs to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChanceSettings {
    /// How many permutations a test draws.
    pub draws: Draws,
    /// The seed of the draws.
    pub seed: u64,
}

/// What a test against chance came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chance {
    /// The probability that rewards without relation are at least as alike as these.
    pub p: f64,
    /// How it was found.
    pub test: ChanceTest,
}

/// How a test against chance was made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ChanceTest {
    /// p = (1 + draws at most as far apart) / (1 + draws).
    Permutation {
        /// How many draws were made.
        draws: usize,
        /// How many of them had no distance. They count as no farther apart: the cautious side.
        undefined_draws: usize,
    },
    /// p = P(T ≥ t).
    StudentT {
        /// ν
        degrees_of_freedom: f64,
    },
}

impl ChanceTest {
    /// The name in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            ChanceTest::Permutation { .. } => "permutation",
            ChanceTest::StudentT { .. } => "student-t",
        }
    }
}

impl Measured<'_> {
    /// The probability that two rewards without relation, on the transitions of these samples, are at least as alike as these.
    ///
    /// O(draws · canonicalization) for a permutation test, O(1) for Student's t. The same seed gives the same p on any number of
    /// threads.
    ///
    /// # Errors
    /// Why there is none: no distance, or too few degrees of freedom.
    ///
    /// ```
    /// use srrd::{Duplicates, Metric, Pair, RewardSample, Settings};
    /// use srrd::sure::ChanceSettings;
    /// let a = RewardSample::from_rows((0..50).map(|s| (s, 0, s + 1, f64::from(s % 7))), Duplicates::Mean)?;
    /// let pair = Pair::new(&a, &a);
    /// let alike = pair.measure(Metric::Direct, &Settings::default()).chance(&ChanceSettings::default()).unwrap();
    /// assert!(alike.p < 0.002);
    /// # Ok::<(), srrd::SampleError>(())
    /// ```
    pub fn chance(&self, how: &ChanceSettings) -> Result<Chance, NoInterval> {
        if self.in_space().is_some() {
            return Err(NoInterval::FunctionsOfFeatures);
        }
        let (columns, found) = self.defined()?;
        if columns.basis().is_some() {
            return Err(NoInterval::FunctionsOfFeatures);
        }
        self.check_independence(columns, how.seed)?;
        if let Some(projected) = columns.projected().filter(|projected| projected.constant().is_none()) {
            let degrees_of_freedom = projected.shaping().degrees_of_freedom as f64;
            if degrees_of_freedom <= 1.0 {
                return Err(NoInterval::TooFewDegreesOfFreedom { degrees_of_freedom });
            }
            let freedom = degrees_of_freedom - 1.0;
            let squared = found.distance * found.distance;
            // ρ = 1 − 2D² and 1 − ρ² = 4D²(1 − D²), which loses nothing near ρ = 1.
            let t = (1.0 - 2.0 * squared) * (freedom / (4.0 * squared * (1.0 - squared))).sqrt();
            let p = if t.is_finite() { student_upper_tail(t, freedom) } else { f64::from(u8::from(t < 0.0)) };
            return Ok(Chance { p, test: ChanceTest::StudentT { degrees_of_freedom: freedom } });
        }
        let draws = how.draws.get();
        let distances = match columns.projected() {
            Some(projected) => self.permuted_residuals(columns, &projected.space, how),
            None if self.metric.info().expects => self.permuted_rewards(columns, how),
            None => self.permuted_values(columns, how),
        };
        // Equal permutations (rewards repeat) must count as equal although their sums are rounded.
        let limit = found.distance * (1.0 + 1e-9) + 1e-12;
        let undefined_draws = distances.iter().filter(|d| d.is_none()).count();
        let alike = distances.iter().filter(|d| d.is_none_or(|d| d <= limit)).count();
        let p = (1 + alike) as f64 / (1 + draws) as f64;
        Ok(Chance { p, test: ChanceTest::Permutation { draws, undefined_draws } })
    }

    /// Both tests are valid if one of the two rewards is independent from transition to transition. Where neither is, there is none.
    ///
    /// For `projected` that is asked of what shaping leaves; for the others, which permute rewards as they are, of rewards around their
    /// mean.
    fn check_independence(&self, columns: &Columns, seed: u64) -> Result<(), NoInterval> {
        let rewards = self.pair.rewards();
        let independent = match columns.projected() {
            Some(projected) => self.dependence(columns, projected, seed).iter().any(|p| *p >= FOR_CHANCE),
            None => {
                let (rows, _) = shared_rows(self.pair, EndRule::None);
                let reference = Reference::new(&rows, around_mean, seed);
                rewards.iter().any(|reward| reference.p(reward, &around_mean(reward), 1) >= FOR_CHANCE)
            }
        };
        if independent { Ok(()) } else { Err(NoInterval::Dependent) }
    }

    /// For each of the two rewards: how likely independent ones look as dependent as what shaping leaves of it.
    pub(super) fn dependence(&self, columns: &Columns, projected: &Projected, seed: u64) -> [f64; 2] {
        let reference = Reference::new(&projected.space_rows(), |values| projected.space.residual(values), seed);
        let rank = projected.shaping().rank;
        let [a, b] = projected.rewards(self.pair);
        [reference.p(&a, &columns.x, rank), reference.p(&b, &columns.y, rank)]
    }

    /// The distances where the values of one side are permuted over the shared transitions.
    fn permuted_values(&self, columns: &Columns, how: &ChanceSettings) -> Vec<Option<f64>> {
        let draw = |y: &mut Vec<f64>, draw: usize| {
            y.copy_from_slice(&columns.y);
            shuffle(&mut stream(how.seed, Purpose::Permute, draw), y);
            self.distance_to(columns, |i| y[i], columns.noise[1])
        };
        draw_all(how, || columns.y.clone(), draw)
    }

    /// The distances where the rewards of one side are permuted over the shared transitions and shaping is taken out of them.
    fn permuted_residuals(&self, columns: &Columns, space: &Space, how: &ChanceSettings) -> Vec<Option<f64>> {
        let rewards = match columns.projected() {
            Some(projected) => projected.rewards(self.pair),
            None => self.pair.rewards(),
        };
        let [_, rewards] = rewards;
        let draw = |permuted: &mut Vec<f64>, draw: usize| {
            permuted.copy_from_slice(&rewards);
            shuffle(&mut stream(how.seed, Purpose::Permute, draw), permuted);
            let y = space.residual(permuted);
            self.distance_to(columns, |i| y[i], columns.noise[1])
        };
        draw_all(how, || rewards.to_vec(), draw)
    }

    /// The distances where the rewards of the second sample are permuted over all its transitions and canonicalized.
    fn permuted_rewards(&self, columns: &Columns, how: &ChanceSettings) -> Vec<Option<f64>> {
        let Pair { b, common, .. } = self.pair;
        let draw = |permuted: &mut RewardSample, draw: usize| {
            let rewards = Arc::make_mut(&mut permuted.reward);
            rewards.copy_from_slice(&b.reward);
            shuffle(&mut stream(how.seed, Purpose::Permute, draw), rewards);
            let canonical = Canonical::new(permuted, self.metric, &self.settings);
            self.distance_to(columns, |i| canonical.around_center(common[i].1), canonical.noise())
        };
        draw_all(how, || RewardSample::clone(b), draw)
    }

    /// The distance of the first column to other values.
    fn distance_to(&self, columns: &Columns, y: impl Fn(usize) -> f64, noise: f64) -> Option<f64> {
        columns.agreement_with(&self.settings, y, noise).ok().map(|agreement| agreement.distance)
    }
}

fn around_mean(values: &[f64]) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|v| v - mean).collect()
}

/// All draws, with memory to permute in.
fn draw_all<T>(
    how: &ChanceSettings,
    make: impl Fn() -> T + Sync + Send,
    draw: impl Fn(&mut T, usize) -> Option<f64> + Sync + Send,
) -> Vec<Option<f64>> {
    let draws = how.draws.get();
    let make = || {
        // Before a copy is made in vain.
        checkpoint();
        make()
    };
    let steps = Steps::begin("draws", draws as u64);
    let draw = |scratch: &mut T, number: usize| {
        checkpoint();
        steps.add(1);
        draw(scratch, number)
    };
    (0..draws).into_par_iter().with_min_len(parallel::piece(draws)).map_init(make, draw).collect()
}
