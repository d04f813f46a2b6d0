//! Soft value iteration: what an agent that acts as randomly as its rewards allow does under a given reward.
//!
//! V(s) = log Σ_a exp(r(s, a) + γ Σ P(s' | s, a)(1 − ended) V(s')), swept until nothing changes: O(outcomes) a sweep, log(1/ε)/(1 − γ)
//! sweeps.

use srrd::run::checkpoint;

use crate::model::Model;

/// With a larger discount factor sweeps would take too long.
pub const MOST_GAMMA: f64 = 0.9999;
/// How precise values are, relative to the largest of them.
const PRECISE: f64 = 1e-13;

/// Soft values and the policy that they make.
#[derive(Clone, Debug, PartialEq)]
pub struct Soft {
    /// V(s)
    pub values: Vec<f64>,
    /// π(a | s), by pair of the model.
    pub policy: Vec<f64>,
}

/// γ Σ P (1 − ended) V of a pair.
pub(crate) fn ahead(model: &Model<'_>, gamma: f64, pair: usize, values: &[f64]) -> f64 {
    let dynamics = model.dynamics();
    let ended = &model.ended()[dynamics.outcomes_of(pair)];
    gamma * dynamics.of_pair(pair).iter().zip(ended).map(|((t, p), ended)| p * (1.0 - ended) * values[t]).sum::<f64>()
}

/// Solves for the soft values of rewards given by pair; `rest` are the values of states in which nobody acts.
///
/// ```
/// use srrd::trajectories::{End, Trajectories};
/// use srrd_irl::{Demonstrations, Model, maxent::soft};
/// let mut builder = Trajectories::builder();
/// builder.push_episode(&["hall", "street"], &["left"], None, End::Terminated)?;
/// builder.push_episode(&["hall", "yard"], &["right"], None, End::Terminated)?;
/// let shown = Demonstrations::new([builder.build()])?;
/// let found = soft::solve(&Model::of_set(&shown.sets()[0]), 0.9, &[3f64.ln(), 0.0], &[0.0; 3]);
/// assert!((found.policy[0] - 0.75).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// When there is not one reward per pair and one value per state, or γ is above [`MOST_GAMMA`].
pub fn solve(model: &Model<'_>, gamma: f64, rewards: &[f64], rest: &[f64]) -> Soft {
    assert!(gamma <= MOST_GAMMA, "the discount factor is {gamma}");
    let dynamics = model.dynamics();
    assert_eq!((rewards.len(), rest.len()), (dynamics.pairs(), dynamics.states()));
    let mut worth = vec![0.0; dynamics.pairs()];
    let mut values = rest.to_vec();
    loop {
        checkpoint();
        let (mut change, mut scale) = (0.0f64, 1.0f64);
        for (pair, worth) in worth.iter_mut().enumerate() {
            *worth = rewards[pair] + ahead(model, gamma, pair, &values);
        }
        for (state, value) in values.iter_mut().enumerate() {
            let pairs = dynamics.pairs_of(state);
            if !pairs.is_empty() {
                let next = log_sum(&worth[pairs]);
                change = change.max((next - *value).abs());
                scale = scale.max(next.abs());
                *value = next;
            }
        }
        // Also ends where values are not finite: the caller sees it in the rewards.
        if !change.is_finite() || change <= PRECISE * scale * (1.0 - gamma).max(1e-3) {
            break;
        }
    }
    let mut policy = worth;
    for state in 0..dynamics.states() {
        let pairs = dynamics.pairs_of(state);
        if !pairs.is_empty() {
            let value = log_sum(&policy[pairs.clone()]);
            policy[pairs].iter_mut().for_each(|worth| *worth = (*worth - value).exp());
        }
    }
    Soft { values, policy }
}

/// ln Σ exp.
pub(crate) fn log_sum(worth: &[f64]) -> f64 {
    let most = worth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most + worth.iter().map(|worth| (worth - most).exp()).sum::<f64>().ln()
}
