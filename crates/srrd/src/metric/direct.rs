//! DIRECT: rewards as they are, the baseline that knows nothing of shaping.
//!
//! C(s, a, s') = R(s, a, s'). O(transitions), for every estimator.

use super::{Metric, MetricInfo, Polynomial, largest_reward};
use crate::sample::RewardSample;

pub(super) const INFO: MetricInfo = MetricInfo {
    metric: Metric::Direct,
    name: "direct",
    title: "DIRECT",
    about: "takes the numbers as they are: shaping makes the same behaviour look different",
    paper: true,
    expects: false,
    discounts: false,
    projects: false,
    shown: true,
};

pub(super) fn polynomial<S: Default>() -> Polynomial<S> {
    Polynomial::default()
}

/// The mean of several rewards may be off by the last bit.
pub(super) fn rounding(sample: &RewardSample) -> f64 {
    if sample.duplicates().averaged == 0 { 0.0 } else { largest_reward(sample) * 4.0 * f64::EPSILON }
}
