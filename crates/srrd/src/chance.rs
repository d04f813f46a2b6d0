//! Are two rewards more alike than chance would make them?
//!
//! - `direct`, `epic`, `dard`, `srrd`: a **permutation test**. The rewards of the second sample are dealt out anew over its
//!   transitions (for `direct` over the shared ones, since no others enter) and canonicalized again, which gives the distances that
//!   rewards without any relation to one another have on these very transitions. Were they in no relation, every dealing would be as
//!   likely as the one that was found, so the test is exact whatever the canonicalization does.
//! - `projected`: **Student's t** on its degrees of freedom, t = ρ sqrt(ν / (1 − ρ²)) with ν = those left − 1. With γ = 1 shaping may
//!   leave something of a constant; rewards with means other than 0 have that in common without being related otherwise, and the
//!   test is by permutation of the rewards on the shared transitions.
//!
//! Both are one-sided: opposite rewards are not alike.

use rayon::prelude::*;

use crate::cancel::checkpoint;
use crate::distance::{Canonical, Shared, common_transitions};
use crate::interval::{Draws, NoInterval};
use crate::parallel;
use crate::project::Projection;
use crate::random::{Purpose, shuffle, stream};
use crate::sample::RewardSample;
use crate::settings::{Metric, Settings};
use crate::special::student_upper_tail;

/// What a test against chance needs to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChanceSettings {
    /// How many times a permutation test deals out the rewards.
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

/// The probability that two rewards without relation, on the transitions of these samples, are at least as alike as these.
///
/// O(draws · canonicalization) for a permutation test, O(canonicalization) for Student's t. The same seed gives the same p on any
/// number of threads.
///
/// # Errors
/// Why there is none: no distance, or too few degrees of freedom.
///
/// ```
/// use srrd::{chance, ChanceSettings, Duplicates, Metric, RewardSample, Settings};
/// let a = RewardSample::from_rows((0..50).map(|s| (s, 0, s + 1, f64::from(s % 7))), Duplicates::Mean)?;
/// let alike = chance(&a, &a, Metric::Direct, &Settings::default(), &ChanceSettings::default()).unwrap();
/// assert!(alike.p < 0.002);
/// # Ok::<(), srrd::SampleError>(())
/// ```
pub fn chance(
    a: &RewardSample,
    b: &RewardSample,
    metric: Metric,
    settings: &Settings,
    how: &ChanceSettings,
) -> Result<Chance, NoInterval> {
    chance_on(a, b, &common_transitions(a, b), metric, settings, how)
}

/// As [`chance`], with the shared transitions already known.
///
/// # Errors
/// As [`chance`].
pub fn chance_on(
    a: &RewardSample,
    b: &RewardSample,
    common: &[(u32, u32)],
    metric: Metric,
    settings: &Settings,
    how: &ChanceSettings,
) -> Result<Chance, NoInterval> {
    let shared = Shared::new(a, b, common, metric, settings)?;
    let found = shared.agreement(settings)?;
    if let Some(degrees_of_freedom) = shared.centred_freedom.filter(|_| shared.constant.is_none()) {
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
    let distances = match (metric, &shared.projection) {
        (Metric::Direct, _) => permuted_values(&shared, settings, how),
        (_, Some(projection)) => permuted_residuals(&shared, projection, b, common, settings, how),
        _ => permuted_rewards(a, b, common, metric, settings, how),
    };
    // Equal dealings (rewards repeat) must count as equal although their sums are rounded.
    let limit = found.distance * (1.0 + 1e-9) + 1e-12;
    let undefined_draws = distances.iter().filter(|d| d.is_none()).count();
    let alike = distances.iter().filter(|d| d.is_none_or(|d| d <= limit)).count();
    let p = (1 + alike) as f64 / (1 + draws) as f64;
    Ok(Chance { p, test: ChanceTest::Permutation { draws, undefined_draws } })
}

/// The distances where the values of one side are dealt out over the shared transitions.
fn permuted_values(shared: &Shared, settings: &Settings, how: &ChanceSettings) -> Vec<Option<f64>> {
    let draw = |dealt: &mut Shared, draw: usize| {
        dealt.y.copy_from_slice(&shared.y);
        shuffle(&mut stream(how.seed, Purpose::Permute, draw), &mut dealt.y);
        dealt.agreement(settings).ok().map(|agreement| agreement.distance)
    };
    draw_all(how, || shared.clone(), draw)
}

/// The distances where the rewards of one side are dealt out over the shared transitions and shaping is taken out of them.
fn permuted_residuals(
    shared: &Shared,
    projection: &Projection,
    b: &RewardSample,
    common: &[(u32, u32)],
    settings: &Settings,
    how: &ChanceSettings,
) -> Vec<Option<f64>> {
    let rewards: Vec<f64> = common.iter().map(|&(_, j)| b.reward[j as usize]).collect();
    let draw = |dealt: &mut Shared, draw: usize| {
        let mut rewards = rewards.clone();
        shuffle(&mut stream(how.seed, Purpose::Permute, draw), &mut rewards);
        dealt.y = projection.residual(&rewards);
        dealt.agreement(settings).ok().map(|agreement| agreement.distance)
    };
    draw_all(how, || shared.clone(), draw)
}

/// The distances where the rewards of the second sample are dealt out over all its transitions and canonicalized.
fn permuted_rewards(
    a: &RewardSample,
    b: &RewardSample,
    common: &[(u32, u32)],
    metric: Metric,
    settings: &Settings,
    how: &ChanceSettings,
) -> Vec<Option<f64>> {
    let first = Canonical::new(a, metric, settings);
    let draw = |dealt: &mut RewardSample, draw: usize| {
        dealt.reward.copy_from_slice(&b.reward);
        shuffle(&mut stream(how.seed, Purpose::Permute, draw), &mut dealt.reward);
        first.compare_on(&Canonical::new(dealt, metric, settings), common, settings.min_common).distance()
    };
    draw_all(how, || b.clone(), draw)
}

/// All draws, with memory to deal in.
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
    let draw = |dealt: &mut T, number: usize| {
        checkpoint();
        draw(dealt, number)
    };
    (0..draws).into_par_iter().with_min_len(parallel::piece(draws)).map_init(make, draw).collect()
}
