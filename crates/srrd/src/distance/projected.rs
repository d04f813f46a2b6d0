//! The projected distance: shaping is taken out on the very transitions that two samples share.

use super::correlation::agreement;
use super::pair::Comparison;
use super::pearson::Undefined;
use super::weighted;
use crate::project::{Projection, Shaping, WeightError, Weights};
use crate::sample::RewardSample;
use crate::settings::Settings;

/// Of the largest reward: what of a residual may be rounding.
const ROUNDING: f64 = 1e-10;

pub(super) fn rounding(sample: &RewardSample) -> f64 {
    sample.rewards().iter().fold(0.0f64, |most, r| most.max(r.abs())) * ROUNDING
}

/// The projected distance on shared transitions that count differently: projection and correlation are both weighted.
///
/// `common` are the shared transitions ([`common_transitions`](crate::common_transitions)), with a weight each. Invariant to
/// shaping and scale, and for γ < 1 to a shift, at any coverage; symmetric; D(a, a) = 0; in [0, 1]. Equal weights give what
/// [`distance`](crate::distance) gives.
///
/// A shift is shaping by a constant potential, times 1 − γ. With γ = 1 it is not: what shaping leaves of it varies from transition to
/// transition where some ways around are longer than others, and it is part of what is compared. Nor is behaviour indifferent to it
/// then, where episodes end: the same bonus for every step makes longer episodes better.
///
/// # Errors
/// When there are more or fewer weights than shared transitions.
///
/// ```
/// use srrd::{common_transitions, projected_distance, Duplicates, RewardSample, Settings, Weights};
/// let rows = (0..4).flat_map(|s| (0..4).map(move |t| (s, 0, t, f64::from((s * 5 + t * 3) % 7))));
/// let a = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let b = a.with_rewards(a.rewards().iter().enumerate().map(|(i, r)| r + (i % 3) as f64).collect())?;
/// let common = common_transitions(&a, &b);
/// let weights = Weights::new((1..=common.len()).map(|i| i as f64).collect())?;
/// let comparison = projected_distance(&a, &b, &common, &weights, &Settings::default())?;
/// assert!(comparison.distance().unwrap() < 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn projected_distance(
    a: &RewardSample,
    b: &RewardSample,
    common: &[(u32, u32)],
    weights: &Weights,
    settings: &Settings,
) -> Result<Comparison, WeightError> {
    weights.check(common.len())?;
    Ok(distance(a, b, common, Some(weights), settings))
}

/// Invariant to shaping and scale, and for γ < 1 to a shift, at any coverage; symmetric; D(a, a) = 0; in [0, 1].
pub(super) fn distance(
    a: &RewardSample,
    b: &RewardSample,
    common: &[(u32, u32)],
    weights: Option<&Weights>,
    settings: &Settings,
) -> Comparison {
    let (outcome, shaping) = match residuals(a, b, common, weights, settings) {
        Err((why, shaping)) => (Err(why), shaping),
        Ok(Residuals { x, y, noise, shaping, .. }) => {
            let outcome = match weights {
                Some(weights) => weighted::pearson(&x, &y, weights.as_slice(), noise),
                None => agreement(settings.correlation, x.len(), |i| (x[i], y[i]), noise),
            };
            (outcome, Some(shaping))
        }
    };
    Comparison { common: common.len(), outcome, shaping }
}

/// What shaping cannot explain of two rewards on the transitions they share.
pub(super) struct Residuals {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    /// What may be rounding.
    pub noise: [f64; 2],
    pub shaping: Shaping,
    pub projection: Projection,
}

/// What taking the mean out of residuals does.
pub(super) struct Centring {
    /// The degrees of freedom that are left when the mean is taken out, too.
    pub freedom: f64,
    /// What shaping leaves of a constant 1, where that is neither 0 nor a constant: see [`Shared`](super::Shared).
    pub constant: Option<Vec<f64>>,
}

/// Of 1: what of a residual of a constant is rounding.
const NO_CONSTANT: f64 = 1e-9;

impl Residuals {
    /// Constant vectors are shaping when γ < 1 (by a constant potential), so that residuals have the mean 0 anyway. With γ = 1 the
    /// part of a constant vector that is no shaping takes away as much of a dimension: |P1|² / n, P the projection on what shaping
    /// cannot explain.
    pub fn centring(&self, gamma: f64) -> Centring {
        let freedom = self.shaping.degrees_of_freedom as f64;
        if gamma < 1.0 {
            return Centring { freedom, constant: None };
        }
        let left = self.projection.residual(&vec![1.0; self.x.len()]);
        let share = left.iter().map(|v| v * v).sum::<f64>() / left.len() as f64;
        let varies = (NO_CONSTANT..1.0 - NO_CONSTANT).contains(&share);
        Centring { freedom: freedom - share, constant: varies.then_some(left) }
    }
}

/// The residuals of both rewards, or why there are none, with the shaping space as far as it is known.
pub(super) fn residuals(
    a: &RewardSample,
    b: &RewardSample,
    common: &[(u32, u32)],
    weights: Option<&Weights>,
    settings: &Settings,
) -> Result<Residuals, (Undefined, Option<Shaping>)> {
    if common.len() < settings.min_common.max(1) {
        return Err((Undefined::TooFewCommon, None));
    }
    let mut shared = common.iter().map(|&(i, _)| i as usize).peekable();
    let pairs = (a.ids().enumerate()).filter_map(|(i, (s, _, t))| shared.next_if_eq(&i).map(|_| (s, t)));
    let projection = Projection::on(pairs, settings.gamma, weights.map(|weights| weights.as_slice().to_vec()));
    let shaping = projection.shaping();
    if shaping.degrees_of_freedom == 0 {
        return Err((Undefined::NoDegreesOfFreedom, Some(shaping)));
    }
    let left = |sample: &RewardSample, of: fn(&(u32, u32)) -> u32| {
        projection.residual(&common.iter().map(|pair| sample.rewards()[of(pair) as usize]).collect::<Vec<_>>())
    };
    let (x, y) = rayon::join(|| left(a, |pair| pair.0), || left(b, |pair| pair.1));
    Ok(Residuals { x, y, noise: [rounding(a), rounding(b)], shaping, projection })
}
