//! The projected distance: shaping is taken out on the very transitions that two samples share.

use super::pair::Comparison;
use super::pearson::{Undefined, pearson_by};
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
    let mut comparison = Comparison { common: common.len(), outcome: Err(Undefined::TooFewCommon), shaping: None };
    if common.len() < settings.min_common.max(1) {
        return comparison;
    }
    let mut shared = common.iter().map(|&(i, _)| i as usize).peekable();
    let pairs = (a.ids().enumerate()).filter_map(|(i, (s, _, t))| shared.next_if_eq(&i).map(|_| (s, t)));
    let space = ShapingSpace::new(pairs, settings.gamma.get());
    let shaping =
        Shaping { rank: space.rank(), components: space.components(), degrees_of_freedom: space.degrees_of_freedom() };
    comparison.shaping = Some(shaping);
    if shaping.degrees_of_freedom == 0 {
        comparison.outcome = Err(Undefined::NoDegreesOfFreedom);
        return comparison;
    }
    let left = |sample: &RewardSample, of: fn(&(u32, u32)) -> u32| {
        space.residual(&common.iter().map(|pair| sample.rewards()[of(pair) as usize]).collect::<Vec<_>>())
    };
    let (x, y) = rayon::join(|| left(a, |pair| pair.0), || left(b, |pair| pair.1));
    comparison.outcome = pearson_by(common.len(), |i| (x[i], y[i]), [rounding(a), rounding(b)]);
    comparison
}
