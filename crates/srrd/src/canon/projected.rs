//! `projected`: rewards without their least-squares projection on the space of all shaping vectors (see [`Projection`]).
//!
//! C = R − A(AᵀA)⁺AᵀR, the rows of A having −1 at s and γ at s'. Here it is taken on all transitions of one sample; distances take
//! it on the transitions that two samples share (unless asked otherwise), where it is invariant to shaping at any coverage.
//!
//! No estimator: nothing is estimated.

use crate::project::Projection;
use crate::sample::RewardSample;
use crate::settings::Gamma;

pub(super) fn canonical(sample: &RewardSample, gamma: Gamma) -> Vec<f64> {
    Projection::new(sample, gamma).residual(&sample.reward)
}
