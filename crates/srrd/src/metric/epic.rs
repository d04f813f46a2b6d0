//! EPIC: Equivalent-Policy Invariant Comparison.
//!
//! C(s, a, s') = R(s, a, s') + E[γ R(s', A, S') − R(s, A, S') − γ R(S, A, S')], S and S' over all explored states.
//!
//! - `double`: γ/|B| Σ_{(x, u) ∈ B} R(s', u, x) − 1/|B| Σ_{(x, u) ∈ B} R(s, u, x) − γ/|B|² Σ_{(x, ·) ∈ B} Σ_{(x', u) ∈ B}
//!   R(x, u, x').
//! - `unbiased`: the means over the sampled transitions from s', from s, and over all.
//! - `regressed`: as `double`, predictions added; O(states · products of the model) more.
//!
//! The first two are the same function of s' and of s. O(transitions) time, O(states) memory beside one value per edge.

use super::{Metric, MetricInfo, Polynomial, StateCoefficients};
use crate::diagnose::{Counts, TermCoverage, once, pooled};
use crate::estimate::predicted::{self, Predicted};
use crate::estimate::{self, Estimate, Rewards, Term, term};
use crate::run::parallel;
use crate::settings::Actions;

pub(super) const INFO: MetricInfo = MetricInfo {
    metric: Metric::Epic,
    name: "epic",
    title: "EPIC",
    about: "takes means over all pairs of states, of which few are sampled in most data",
    paper: true,
    expects: true,
    discounts: true,
    projects: false,
    shown: true,
};

/// E[R(x, A, S')] for every state x, and E[R(S, A, S')].
pub(crate) fn terms(rewards: Rewards<'_>, estimate: Estimate<'_>) -> (Vec<Term>, Term) {
    let graph = rewards.graph;
    match estimate {
        Estimate::Double(batch) => {
            let size = batch.total();
            let near = estimate::row_sums(graph, &estimate::near(rewards, batch));
            let cross: f64 = if batch.is_all() && batch.actions == Actions::Marginal {
                near.iter().sum()
            } else {
                estimate::row_sums(graph, &estimate::second(rewards, batch)).iter().sum()
            };
            (near.into_iter().map(|sum| term(sum, size)).collect(), term(cross, size * size))
        }
        Estimate::Regressed(predicted) => {
            let (mut near, mut constant) = terms(rewards, Estimate::Double(predicted.batch));
            add_predictions(predicted, &mut near, &mut constant);
            (near, constant)
        }
        Estimate::Unbiased => {
            let sums = estimate::row_sums(graph, &estimate::sums(rewards));
            let counts = estimate::row_sums(graph, &estimate::counts(graph));
            let all = term(sums.iter().sum(), counts.iter().sum());
            (parallel::map(graph.states(), |x| term(sums[x], counts[x])), all)
        }
    }
}

fn add_predictions(predicted: &Predicted<'_>, near: &mut [Term], constant: &mut Term) {
    let everything = 0..near.len() as u32;
    predicted.for_each(|factors| {
        let ends = predicted::total(everything.clone(), &factors.second_with_action());
        let starts = predicted::total(everything.clone(), &factors.first());
        near.iter_mut().zip(factors.start()).for_each(|(near, start)| near.sum += predicted::dot(start, &ends));
        constant.sum += predicted::dot(&starts, &ends);
    });
}

pub(super) fn polynomial<S>(
    rewards: Rewards<'_>,
    estimate: Estimate<'_>,
    keep: impl Fn(StateCoefficients) -> S,
) -> Polynomial<S> {
    let (near, constant) = terms(rewards, estimate);
    let states = near.into_iter().map(|near| keep(StateCoefficients::near(near.mean())));
    Polynomial { states: states.collect(), cross: Vec::new(), constant: constant.mean() }
}

/// How much of every term was sampled; `rewards` are 1 everywhere.
pub(super) fn coverage(rewards: Rewards<'_>, estimate: Estimate<'_>, counts: &Counts) -> Vec<TermCoverage> {
    let (near, constant) = terms(rewards, estimate);
    vec![
        pooled("R(s', A, S')", false, near.iter().copied(), &counts.ending),
        pooled("R(s, A, S')", false, near.iter().copied(), &counts.starting),
        once("R(S, A, S')", true, constant),
    ]
}
