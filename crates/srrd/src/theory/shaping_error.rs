//! Theorem 1: how large residual shaping can be beside the rewards (the *relative shaping error*, RSE).
//!
//! Residual shaping is split into φ_R = φ̃ + K, K the part that is the same for every transition and that a correlation cannot
//! see. K is what the term over the whole sample, −γ R(S, A, S') of EPIC and −γ R(S3, A, S4) of SRRD, leaves of shaping; the other
//! metrics have K = 0. With n the number of terms of the canonical form and Z the largest |R| of the unshaped sample,
//!
//! RSE(s, a, s') = |φ̃(s, a, s')| / (n Z)
//!
//! With M the largest |φ|, Theorem 1 says RSE ≤ M/Z for EPIC, 2M/(3Z) for DARD and M/(3Z) for SRRD. Its proof shows |φ̃| ≤ 2M and
//! divides by the fewest terms that unsampled transitions leave: 2, 3 and 6 (of n = 4, 4 and 8).
//!
//! **What the theorem assumes, and when it holds.** "The fraction of unsampled forward transitions is negligible." Worked out for
//! the double-batch estimator (the proofs are by counting unsampled pairs, and need no randomness):
//!
//! - EPIC: |φ̃| ≤ M (γ(1 − u) + (1 − v) + γ²u + γv) ≤ (1 + γ) M on *every* sample. The only forward term is in K. (The paper has
//!   |γ²u − γv| for the last two, which needs the sampled parts from s' and from s to have the same mean potential.)
//! - DARD: |φ̃| ≤ M (γ + γ²)(1 − w) if succ(s') is not empty; 2γM if s' is terminal, which the paper does not treat.
//! - SRRD: |φ̃| ≤ M (γq + γ²p + γ²(1 − q) + γ³(1 − p)) ≤ (γ + γ²) M if (S1, A, S5) and (S2, A, S6) are sampled *whole*: all states
//!   of succ(s') have the same successors, and so have all of succ(s). Where they have not, |φ̃| ≤ 2M fails on samples as small as
//!   1 → 1, 1 → 2, 2 → 0, 3 → 0, and the bound M/(3Z) itself (|φ̃| ≤ 8M/3) where most states lead everywhere while those near s and
//!   s' do not. [`shaping_sensitivity`] says how far. On random walks over a 10 × 10 grid it stayed below 2.
//! - (S3, A, S4) is a forward term too, but it is in K. Taken literally, "all forward transitions are sampled" would make
//!   u = v = q = 1 and the theorem empty; it is only needed of the terms that vary.
//! - With the unbiased estimator there are no unsampled transitions to count. EPIC's bound holds; those of DARD and SRRD need not,
//!   because a set is weighed by transitions, differently in each term it occurs in.
//!
//! If n counted only the terms of which something was sampled, the bounds of DARD and SRRD would fail where s' is terminal (n = 2,
//! |φ̃| up to 2γM). Here n is the number of terms of the definition.

use super::residual::{EdgeFractions, Fractions, residual_shaping, shaping_rewards};
use super::{TheoryError, check_potential};
use crate::estimate::batch::BatchSet;
use crate::estimate::{Estimate, Rewards};
use crate::metric;
use crate::metric::Metric;
use crate::sample::RewardSample;
use crate::settings::{Gamma, Settings};

/// The shaping error of every transition of a sample, beside the bound of Theorem 1.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapingError {
    /// The metric.
    pub metric: Metric,
    /// n: how many terms its canonical form has.
    pub terms: usize,
    /// M: the largest |φ| over the explored states.
    pub largest_potential: f64,
    /// Z: the largest |R| over the transitions.
    pub largest_reward: f64,
    /// K: the part of residual shaping that is the same for every transition.
    pub constant: f64,
    /// φ̃ for every transition, in the order of [`RewardSample::transitions`].
    pub effective: Vec<f64>,
    /// The bound of Theorem 1 on every RSE: 2M/(kZ), k = 2, 3, 6 for EPIC, DARD, SRRD (and k = 1 for `direct`).
    pub bound: f64,
    /// For every transition whose forward terms were sampled whole, as the theorem assumes: the bound on its RSE from its own
    /// sampled fractions u, v, w, p, q. Never above `bound`, and it always holds.
    pub fraction_bound: Vec<Option<f64>>,
}

impl ShapingError {
    /// RSE = |φ̃| / (n Z) of every transition.
    pub fn relative(&self) -> impl Iterator<Item = f64> + '_ {
        let scale = self.terms as f64 * self.largest_reward;
        self.effective.iter().map(move |e| e.abs() / scale)
    }

    /// The largest RSE of all transitions.
    pub fn largest(&self) -> f64 {
        self.relative().fold(0.0, f64::max)
    }
}

/// How many terms a canonical form has, and how few of them the worst case of Theorem 1 leaves.
fn terms(metric: Metric) -> Option<(usize, usize)> {
    match metric {
        Metric::Direct => Some((1, 1)),
        Metric::Epic => Some((4, 2)),
        Metric::Dard => Some((4, 3)),
        Metric::Srrd => Some((8, 6)),
        // The theorem is about the metrics of the paper.
        _ => None,
    }
}

/// The relative shaping error that a potential leaves on a sample of *unshaped* rewards, and its bound.
///
/// `potential` holds φ by state, in the order of [`RewardSample::states`]. O(canonicalization).
///
/// ```
/// use srrd::{theory::relative_shaping_error, Duplicates, Metric, RewardSample, Settings};
/// let rows = [("a", "go", "b", 1.0), ("b", "go", "c", 0.5), ("c", "go", "a", -2.0), ("a", "stay", "a", 0.0)];
/// let sample = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let error = relative_shaping_error(&sample, &[5.0, -3.0, 8.0], Metric::Srrd, &Settings::default())?;
/// assert_eq!((error.terms, error.largest_potential, error.largest_reward), (8, 8.0, 2.0));
/// assert_eq!(error.bound, 8.0 / (3.0 * 2.0));
/// println!("{} of at most {}", error.largest(), error.bound);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When there is not one finite potential a state or one is too big for a reward, when every reward is 0, or when the metric is
/// `projected`.
pub fn relative_shaping_error(
    sample: &RewardSample,
    potential: &[f64],
    metric: Metric,
    settings: &Settings,
) -> Result<ShapingError, TheoryError> {
    check_potential(sample.states.len(), potential)?;
    let (terms, fewest) = terms(metric).ok_or(TheoryError::NoTerms(metric))?;
    let largest = |values: &[f64]| values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let (largest_potential, largest_reward) = (largest(potential), largest(&sample.reward));
    if largest_reward == 0.0 {
        return Err(TheoryError::ZeroRewards);
    }
    let (effective, constant) = effective_residual(sample, potential, metric, settings)?;
    let scale = largest_potential / largest_reward;
    let factors = fraction_factors(sample, metric, settings);
    Ok(ShapingError {
        metric,
        terms,
        largest_potential,
        largest_reward,
        constant,
        effective,
        bound: 2.0 / fewest as f64 * scale,
        fraction_bound: factors.into_iter().map(|f| f.map(|f| f / terms as f64 * scale)).collect(),
    })
}

/// For every transition the largest |φ̃| that potentials with |φ| ≤ 1 can leave: Σ_x |coefficient of φ(x) in φ̃|.
///
/// No bound in terms of M alone is tighter. Theorem 1 says that it is at most 2; where it is more, the theorem's assumption
/// does not hold. O(states · canonicalization): for small samples.
///
/// ```
/// use srrd::{theory::shaping_sensitivity, Duplicates, Metric, RewardSample, Settings};
/// let rows = [(1, 0, 1, 1.0), (1, 0, 2, 0.0), (2, 0, 0, 0.0), (3, 0, 0, 0.0)];
/// let sample = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let settings = Settings { gamma: srrd::Gamma::new(1.0)?, ..Settings::default() };
/// let most = |metric| -> Result<f64, srrd::theory::TheoryError> {
///     Ok(shaping_sensitivity(&sample, metric, &settings)?.into_iter().fold(0.0, f64::max))
/// };
/// assert!(most(Metric::Dard)? <= 2.0);
/// assert!(most(Metric::Srrd)? > 2.0); // 1 leads to 1 and 2, which have different successors
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the metric is `projected`.
pub fn shaping_sensitivity(
    sample: &RewardSample,
    metric: Metric,
    settings: &Settings,
) -> Result<Vec<f64>, TheoryError> {
    terms(metric).ok_or(TheoryError::NoTerms(metric))?;
    let mut most = vec![0.0; sample.len()];
    let mut unit = vec![0.0; sample.states.len()];
    for state in 0..unit.len() {
        crate::run::checkpoint();
        unit[state] = 1.0;
        let (effective, _) = effective_residual(sample, &unit, metric, settings)?;
        most.iter_mut().zip(&effective).for_each(|(sum, e)| *sum += e.abs());
        unit[state] = 0.0;
    }
    Ok(most)
}

/// φ̃ and K.
fn effective_residual(
    sample: &RewardSample,
    potential: &[f64],
    metric: Metric,
    settings: &Settings,
) -> Result<(Vec<f64>, f64), TheoryError> {
    let mut residual = residual_shaping(sample, potential, metric, settings)?;
    let shaping = shaping_rewards(sample, potential, settings.gamma)?;
    let rewards = Rewards { graph: &sample.graph, action: &sample.action, reward: &shaping };
    let whole = |estimate: Estimate<'_>| match metric {
        Metric::Epic => metric::epic_terms(rewards, estimate).1.mean(),
        Metric::Srrd => metric::srrd_terms(rewards, estimate, |_, _| ()).1.mean(),
        _ => 0.0,
    };
    let batch = BatchSet::of(sample, settings);
    let constant = -settings.gamma.get() * whole(batch.as_ref().map_or(Estimate::Unbiased, Estimate::Double));
    residual.iter_mut().for_each(|r| *r -= constant);
    Ok((residual, constant))
}

/// What |φ̃|/M is at most, from the sampled fractions; `None` where a forward term was not sampled whole.
fn fraction_factors(sample: &RewardSample, metric: Metric, settings: &Settings) -> Vec<Option<f64>> {
    let Some(batch) = BatchSet::of(sample, settings) else { return vec![None; sample.len()] };
    let fractions = Fractions::of(sample, metric, Estimate::Double(&batch));
    let graph = &sample.graph;
    (0..graph.edges())
        .flat_map(|e| {
            let factor = fraction_factor(&fractions.at(graph, e), settings.gamma);
            graph.transitions(e).map(move |_| factor)
        })
        .collect()
}

fn fraction_factor(fractions: &EdgeFractions, gamma: Gamma) -> Option<f64> {
    let g = gamma.get();
    match *fractions {
        EdgeFractions::None => Some(1.0 + g),
        EdgeFractions::Epic { u, v, .. } => Some(g * (1.0 - u) + (1.0 - v) + g * g * u + g * v),
        EdgeFractions::Dard { near_t, near_s, w } => {
            (near_t == 1.0 && near_s == 1.0).then_some((g + g * g) * (1.0 - w))
        }
        EdgeFractions::Srrd { near_t, near_s, walk_t, walk_s, p, q, .. } => {
            let whole = [near_t, near_s, walk_t, walk_s].iter().all(|&f| f == 1.0);
            whole.then_some(g * q + g * g * p + g * g * (1.0 - q) + g * g * g * (1.0 - p))
        }
    }
}
