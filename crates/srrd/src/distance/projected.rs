//! The projected distance: shaping is taken out on the very transitions that two samples share.

use super::correlation::agreement;
use super::pair::Comparison;
use super::pearson::Undefined;
use crate::project::ShapingSpace;
use crate::sample::RewardSample;
use crate::settings::Settings;

/// What shaping can explain on some transitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shaping {
    /// The dimension of the space of shaping vectors.
    pub rank: usize,
    /// Into how many parts that share no state the transitions fall.
    pub components: usize,
    /// Transitions minus rank: the dimension of what shaping cannot explain. With 0 of them any difference could be shaping.
    pub degrees_of_freedom: usize,
}

/// Of the largest reward: what of a residual may be rounding.
const ROUNDING: f64 = 1e-10;

pub(super) fn rounding(sample: &RewardSample) -> f64 {
    sample.rewards().iter().fold(0.0f64, |most, r| most.max(r.abs())) * ROUNDING
}

/// Invariant to shaping, scale and shift at any coverage; symmetric; D(a, a) = 0; in [0, 1].
pub(super) fn distance(a: &RewardSample, b: &RewardSample, common: &[(u32, u32)], settings: &Settings) -> Comparison {
    let (outcome, shaping) = match residuals(a, b, common, settings) {
        Err((why, shaping)) => (Err(why), shaping),
        Ok(Residuals { x, y, noise, shaping, .. }) => {
            (agreement(settings.correlation, x.len(), |i| (x[i], y[i]), noise), Some(shaping))
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
    pub space: ShapingSpace,
}

impl Residuals {
    /// The degrees of freedom that are left when the mean is taken out, too.
    ///
    /// Constant vectors are shaping when γ < 1 (by a constant potential), so that residuals have the mean 0 anyway. With γ = 1 the
    /// part of a constant vector that is no shaping takes away as much of a dimension: |P1|² / n, P the projection on what shaping
    /// cannot explain.
    pub fn centred_freedom(&self, gamma: f64) -> f64 {
        let freedom = self.shaping.degrees_of_freedom as f64;
        if gamma < 1.0 {
            return freedom;
        }
        let left = self.space.residual(&vec![1.0; self.x.len()]);
        freedom - left.iter().map(|v| v * v).sum::<f64>() / left.len() as f64
    }
}

/// The residuals of both rewards, or why there are none, with the shaping space as far as it is known.
pub(super) fn residuals(
    a: &RewardSample,
    b: &RewardSample,
    common: &[(u32, u32)],
    settings: &Settings,
) -> Result<Residuals, (Undefined, Option<Shaping>)> {
    if common.len() < settings.min_common.max(1) {
        return Err((Undefined::TooFewCommon, None));
    }
    let mut shared = common.iter().map(|&(i, _)| i as usize).peekable();
    let pairs = (a.ids().enumerate()).filter_map(|(i, (s, _, t))| shared.next_if_eq(&i).map(|_| (s, t)));
    let space = ShapingSpace::new(pairs, settings.gamma.get());
    let shaping =
        Shaping { rank: space.rank(), components: space.components(), degrees_of_freedom: space.degrees_of_freedom() };
    if shaping.degrees_of_freedom == 0 {
        return Err((Undefined::NoDegreesOfFreedom, Some(shaping)));
    }
    let left = |sample: &RewardSample, of: fn(&(u32, u32)) -> u32| {
        space.residual(&common.iter().map(|pair| sample.rewards()[of(pair) as usize]).collect::<Vec<_>>())
    };
    let (x, y) = rayon::join(|| left(a, |pair| pair.0), || left(b, |pair| pair.1));
    Ok(Residuals { x, y, noise: [rounding(a), rounding(b)], shaping, space })
}
