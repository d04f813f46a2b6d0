//! `projected`: rewards without their least-squares projection on the space of all shaping vectors (see [`project`]).
//!
//! C = R − A(AᵀA)⁺AᵀR, the rows of A having −1 at s and γ at s'. Here it is taken on all transitions of one sample; distances take
//! it on the transitions that two samples share, where it is invariant to shaping at any coverage.
//!
//! O(transitions) an iteration of conjugate gradients. No estimator: nothing is estimated.
//!
//! [`project`]: crate::project

use crate::project::ShapingSpace;
use crate::sample::RewardSample;

pub(super) fn canonical(sample: &RewardSample, gamma: f64) -> Vec<f64> {
    ShapingSpace::new(sample.ids().map(|(s, _, t)| (s, t)), gamma).residual(&sample.reward)
}
