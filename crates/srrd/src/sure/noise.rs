//! Noise in rewards, and the smallest distance it leaves between two rewards that are the same but for it.
//!
//! Where a transition was met several times with unequal rewards, these tell how noisy a single reward is: the pooled variance
//! within transitions, σ² = Σ (r − mean of its transition)² / Σ (occurrences − 1). A transition's reward is the mean of its k
//! occurrences and has the noise variance σ²/k.
//!
//! Canonicalization is linear, so noise goes through it as rewards do. The *share* of the canonical rewards' variance that is noise,
//!
//! share = σ² · mean(1/k) · E|C z|² / |C r|²,  z independent with variance 1, both sides around their mean on the transitions compared,
//!
//! bounds the correlation that even the same reward, noisy anew, can have: sqrt((1 − share_a)(1 − share_b)). E|C z|² is n − 1 for
//! `direct`, the degrees of freedom for `projected`, and the mean over a few random z for the others.

use std::sync::Arc;

use rand::RngExt;
use serde::Serialize;

use crate::compare::{Canonical, Measured, Pair};
use crate::metric::Metric;
use crate::run::random::{Purpose, stream};
use crate::sample::RewardSample;
use crate::settings::Settings;

/// How noisy the rewards of a sample are, as far as transitions that were met several times tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RewardNoise {
    /// The variance of a single reward around the mean of its transition, pooled over all transitions and unbiased.
    pub variance: f64,
    /// Rows beyond the first of their transition: what the variance was estimated from.
    pub degrees_of_freedom: usize,
    /// The variance of a transition's reward, which may be the mean of several, averaged over transitions.
    pub merged_variance: f64,
}

impl RewardSample {
    /// The noise of the rewards; `None` when no transition occurred with unequal ones.
    ///
    /// ```
    /// use srrd::{Duplicates, RewardSample};
    /// let rows = [("a", "go", "b", 1.0), ("a", "go", "b", 3.0), ("b", "go", "a", 5.0)];
    /// let noise = RewardSample::from_rows(rows, Duplicates::Mean)?.noise().unwrap();
    /// assert_eq!((noise.variance, noise.degrees_of_freedom), (2.0, 1));
    /// // One reward is the mean of two, one is a single one: (2/2 + 2) / 2.
    /// assert_eq!(noise.merged_variance, 1.5);
    /// # Ok::<(), srrd::SampleError>(())
    /// ```
    pub fn noise(&self) -> Option<RewardNoise> {
        let repeats = self.repeats;
        // Squares below the smallest normal number have lost their digits.
        if !repeats.squares.is_normal() || repeats.freedom == 0 {
            return None;
        }
        let variance = repeats.squares / repeats.freedom as f64;
        let merged_variance = variance * (1.0 - repeats.averaged_out / self.len() as f64);
        Some(RewardNoise { variance, degrees_of_freedom: repeats.freedom, merged_variance })
    }
}

/// What noise leaves possible.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NoiseFloor {
    /// The share of the variance of either side's canonical rewards that is noise, between 0 and 1.
    pub share: [f64; 2],
    /// The largest correlation to be expected.
    pub correlation: f64,
    /// The smallest distance to be expected.
    pub distance: f64,
}

impl Measured<'_> {
    /// The distance to be expected of two samples whose rewards differ by their noise alone; of a sample and itself: of two noisy
    /// copies. `None` when neither shows noise, or there is no distance.
    ///
    /// O(1), and a few canonicalizations for metrics that take expectations.
    pub fn noise_floor(&self) -> Option<NoiseFloor> {
        let Pair { a, b, common } = self.pair;
        if a.noise().is_none() && b.noise().is_none() {
            return None;
        }
        let (columns, _) = self.defined().ok()?;
        let share = |sample: &RewardSample, values: &[f64], of: fn(&(u32, u32)) -> u32| {
            let Some(noise) = sample.noise() else { return 0.0 };
            if let Some(shaping) = columns.shaping() {
                let squares: f64 = values.iter().map(|v| v * v).sum();
                return (noise.merged_variance * shaping.degrees_of_freedom as f64 / squares).min(1.0);
            }
            let kept = match self.metric {
                Metric::Direct => values.len() as f64 - 1.0,
                _ => kept_of_noise(sample, common.iter().map(of), self.metric, &self.settings),
            };
            (noise.merged_variance * kept / squares_around_mean(values.iter().copied())).min(1.0)
        };
        let first = share(a, &columns.x, |pair| pair.0);
        let share = [first, if self.pair.is_one() { first } else { share(b, &columns.y, |pair| pair.1) }];
        let correlation = ((1.0 - share[0]) * (1.0 - share[1])).sqrt();
        Some(NoiseFloor { share, correlation, distance: self.metric.told(((1.0 - correlation) / 2.0).sqrt()) })
    }
}

/// How many random rewards are canonicalized at most …
const PROBES: usize = 8;
/// … and on so many transitions one: a sum of squares over n of them varies by about sqrt(2/n) of itself.
const MANY: usize = 1 << 18;

/// E|C z|² around its mean on some transitions, z random signs on all of them.
fn kept_of_noise(
    sample: &RewardSample,
    transitions: impl Iterator<Item = u32> + Clone,
    metric: Metric,
    settings: &Settings,
) -> f64 {
    let mut probe = sample.clone();
    let probes = (MANY / sample.len().max(1)).clamp(1, PROBES);
    let kept = (0..probes).map(|draw| {
        let mut rng = stream(settings.seed, Purpose::Probe, draw);
        Arc::make_mut(&mut probe.reward).fill_with(|| if rng.random::<bool>() { 1.0 } else { -1.0 });
        let canonical = Canonical::new(&probe, metric, settings);
        squares_around_mean(transitions.clone().map(|i| canonical.values()[i as usize]))
    });
    kept.sum::<f64>() / probes as f64
}

fn squares_around_mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let (sum, n) = values.clone().fold((0.0, 0.0), |(sum, n), v| (sum + v, n + 1.0));
    let mean = sum / n;
    values.map(|v| (v - mean) * (v - mean)).sum()
}
