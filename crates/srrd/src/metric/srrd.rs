//! SRRD: Sparsity Resilient Reward Distance.
//!
//! C(s, a, s') = R(s, a, s') + E[γ R(s', A, S1) − R(s, A, S2) − γ R(S3, A, S4) + γ² R(S1, A, S5) − γ R(S2, A, S6)
//!                               + γ R(S3, A, S6) − γ² R(S4, A, S5)]
//!
//! S1 = succ(s'), S2 = the non-terminal states of succ(s), S3 = all initial states, S4 = all subsequent states,
//! S5 = succ(S1), S6 = succ(S2).
//!
//! - `double`: X_i holds the elements of B whose state is in S_i, X5 and X6 being subsequent to X1 and X2; every term is the
//!   sum over its cross-product divided by the product of the two set sizes. In the terms with two sets the first one gives
//!   the action.
//! - `unbiased`: the means over the sampled transitions between the same sets; S2 keeps all of succ(s).
//! - `regressed`: as `double`, predictions added. A predicted reward may start from a terminal state, so that X1 × X5 and X2 × X6
//!   are two sums here. One more sweep for every few products of the model.
//!
//! The terms with S1 and S5 are functions of s', those with S2 and S6 functions of s, and the one with S3 and S4 is a
//! constant, so all work is done once per state: O(Σ over edges (x, y) of |succ(y)|) time (see [`two_step`]), one value per edge
//! and a few a state of memory.

use std::borrow::Cow;

use super::{Metric, MetricInfo, Polynomial, StateCoefficients};
use crate::diagnose::{Counts, TermCoverage, once, pooled};
use crate::estimate::batch::BatchSet;
use crate::estimate::predicted::{self, Predicted};
use crate::estimate::two_step::{self, Reached};
use crate::estimate::{self, Estimate, Rewards, RowSums, Term, term};
use crate::graph::Graph;
use crate::run::parallel;
use crate::settings::Actions;

pub(super) const INFO: MetricInfo = MetricInfo {
    metric: Metric::Srrd,
    name: "srrd",
    title: "SRRD",
    about: "adds terms that cancel most of what unsampled transitions leave behind",
    paper: true,
    expects: true,
    discounts: true,
    projects: false,
    shown: true,
};

/// The expectations that depend on one state z: as s' those with S1 and S5, as s those with S2 and S6.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StateTerms {
    /// E[R(z, A, S1)]
    pub near_1: Term,
    /// E[R(z, A, S2)]
    pub near_2: Term,
    /// E[R(S1, A, S5)]
    pub cross_15: Term,
    /// E[R(S2, A, S6)]
    pub cross_26: Term,
    /// E[R(S3, A, S6)]
    pub cross_36: Term,
    /// E[R(S4, A, S5)]
    pub cross_45: Term,
}

/// `f(z, terms of z)` for every state z, and E[R(S3, A, S4)].
pub(crate) fn terms<T: Copy + Default + Send>(
    rewards: Rewards<'_>,
    estimate: Estimate<'_>,
    f: impl Fn(u32, StateTerms) -> T + Sync + Send,
) -> (Vec<T>, Term) {
    match estimate {
        Estimate::Double(batch) => double(rewards, batch, f),
        Estimate::Regressed(predicted) => regressed(rewards, predicted, f),
        Estimate::Unbiased => unbiased(rewards, f),
    }
}

// Long, since one sweep over the states gives all terms: cut in two it would have to hand on half a dozen arrays.
fn double<T: Copy + Default + Send>(
    rewards: Rewards<'_>,
    batch: &BatchSet,
    f: impl Fn(u32, StateTerms) -> T + Sync + Send,
) -> (Vec<T>, Term) {
    let graph = rewards.graph;
    let values = estimate::near(rewards, batch);
    let without_terminal = (0..graph.states() as u32).all(|x| graph.is_initial(x));
    let first = match batch.actions {
        // Without a batch to leave anything out, an edge adds its mean to either kind of sum.
        Actions::Marginal if batch.is_all() => None,
        _ => Some(estimate::first(rewards, batch)),
    };
    let first_values = first.as_ref().unwrap_or(&values);
    // What one thread has to do alone, and what others can do meanwhile.
    let (columns, (rows, size_3, size_4)) = parallel::join(
        graph.edges(),
        || {
            // From all states, and from S4.
            let mut columns = vec![[0.0; 2]; graph.states()];
            estimate::add_columns(graph, |e| [first_values[e]], &mut columns, [0], [1]);
            columns
        },
        || {
            let rows = match &first {
                None => RowSums::new(graph, &values),
                Some(first) => RowSums::Known(estimate::row_sums(graph, first)),
            };
            let size_3 = size(graph, batch, |x| graph.is_initial(x));
            (rows, size_3, size(graph, batch, |x| graph.is_subsequent(x)))
        },
    );
    let shared = first.is_none();
    drop(first);
    let constant = term(rows.of_all(graph.states()), size_3 * size_4);

    // Of a state: Σ R(z, u, x) over X1 and over X2, and the sizes of the two sets.
    let near = |z: u32| {
        if let (true, Some(weight)) = (without_terminal, batch.equal_weight()) {
            let edges = graph.out_edges(z);
            let size = edges.len() as f64 * weight;
            // Its row is added up already where both kinds of sum have the same values.
            let sum = if shared { rows.of(z) } else { estimate::sum(&values[edges]) };
            return [sum, sum, size, size];
        }
        let mut sums = [0.0; 4];
        for (&y, value) in graph.successors(z).iter().zip(&values[graph.out_edges(z)]) {
            let weight = batch.weight(y);
            sums[0] += value;
            sums[2] += weight;
            if graph.is_initial(y) {
                sums[1] += value;
                sums[3] += weight;
            }
        }
        sums
    };
    let terms_of = |z: u32, size_56: f64, [from_3, from_4]: [f64; 2]| {
        let [near_1, near_2, size_1, size_2] = near(z);
        // Every successor of X1 that lies in B is in X5, so a row of X1 is summed whole. The same holds of X2 and X6, and
        // terminal states have empty rows: the two sums are one function.
        let walk = rows.total(graph.successors(z));
        let terms = StateTerms {
            near_1: term(near_1, size_1),
            near_2: term(near_2, size_2),
            cross_15: term(walk, size_1 * size_56),
            cross_26: term(walk, size_2 * size_56),
            cross_36: term(from_3, size_3 * size_56),
            cross_45: term(from_4, size_4 * size_56),
        };
        f(z, terms)
    };
    let terms = match batch.equal_weight() {
        Some(weight) => two_step::map(graph, None, &columns, |z, Reached { states, sums }| {
            terms_of(z, f64::from(states) * weight, sums)
        }),
        None => {
            let weight = |(x, [from_3, from_4]): (u32, [f64; 2])| [batch.weight(x), from_3, from_4];
            let weights: Vec<[f64; 3]> = (0..).zip(columns).map(weight).collect();
            two_step::map(graph, Some(batch), &weights, |z, Reached { sums: [size_56, from_3, from_4], .. }| {
                terms_of(z, size_56, [from_3, from_4])
            })
        }
    };
    (terms, constant)
}

/// The size of a set of states: their weights in all.
fn size(graph: &Graph, batch: &BatchSet, holds: impl Fn(u32) -> bool) -> f64 {
    let states = (0..graph.states() as u32).filter(|&x| holds(x));
    match batch.equal_weight() {
        Some(weight) => states.count() as f64 * weight,
        None => states.map(|x| batch.weight(x)).sum(),
    }
}

fn regressed<T: Copy + Default + Send>(
    rewards: Rewards<'_>,
    predicted: &Predicted<'_>,
    f: impl Fn(u32, StateTerms) -> T + Sync + Send,
) -> (Vec<T>, Term) {
    let graph = rewards.graph;
    let all = 0..graph.states() as u32;
    // Of every state: what predictions add to the terms, in their order.
    let mut sums = vec![[0.0; 6]; graph.states()];
    let mut sum_34 = 0.0;
    predicted.for_each(|factors| {
        let starts = factors.first_with_action();
        let from_1 = predicted::successor_totals(graph, &starts, |_| true);
        let from_2 = predicted::successor_totals(graph, &starts, |x| graph.is_initial(x));
        let from_3 = predicted::total(all.clone().filter(|&x| graph.is_initial(x)), &starts);
        let from_4 = predicted::total(all.clone().filter(|&x| graph.is_subsequent(x)), &starts);
        let ends = factors.second();
        let to_4 = predicted::total(all.clone().filter(|&y| graph.is_subsequent(y)), &ends);
        let to_56 = predicted::two_step_totals(graph, predicted.batch, &ends);
        let ends = factors.second_with_action();
        let near_1 = predicted::successor_totals(graph, &ends, |_| true);
        let near_2 = predicted::successor_totals(graph, &ends, |y| graph.is_initial(y));
        for (z, sums) in sums.iter_mut().enumerate() {
            let start = &factors.start()[z];
            sums[0] += predicted::dot(start, &near_1[z]);
            sums[1] += predicted::dot(start, &near_2[z]);
            sums[2] += predicted::dot(&from_1[z], &to_56[z]);
            sums[3] += predicted::dot(&from_2[z], &to_56[z]);
            sums[4] += predicted::dot(&from_3, &to_56[z]);
            sums[5] += predicted::dot(&from_4, &to_56[z]);
        }
        sum_34 += predicted::dot(&from_3, &to_4);
    });
    let add = |term: Term, sum: f64| Term { sum: term.sum + sum, ..term };
    let (terms, constant) = double(rewards, predicted.batch, |z, t| {
        let [near_1, near_2, cross_15, cross_26, cross_36, cross_45] = sums[z as usize];
        let terms = StateTerms {
            near_1: add(t.near_1, near_1),
            near_2: add(t.near_2, near_2),
            cross_15: add(t.cross_15, cross_15),
            cross_26: add(t.cross_26, cross_26),
            cross_36: add(t.cross_36, cross_36),
            cross_45: add(t.cross_45, cross_45),
        };
        f(z, terms)
    });
    (terms, add(constant, sum_34))
}

fn unbiased<T: Copy + Default + Send>(
    rewards: Rewards<'_>,
    f: impl Fn(u32, StateTerms) -> T + Sync + Send,
) -> (Vec<T>, Term) {
    let graph = rewards.graph;
    let sums = estimate::sums(rewards);
    let rows = match &sums {
        Cow::Borrowed(rewards) => RowSums::new(graph, rewards),
        Cow::Owned(sums) => RowSums::Known(estimate::row_sums(graph, sums)),
    };
    let mut weights = vec![[0.0; 4]; graph.states()];
    estimate::add_columns(graph, |e| [sums[e], f64::from(graph.multiplicity(e))], &mut weights, [0, 2], [1, 3]);
    drop(sums);
    let constant = term(rows.of_all(graph.states()), rewards.reward.len() as f64);

    let terms = two_step::map(graph, None, &weights, |z, Reached { sums: [from_3, from_4, count_3, count_4], .. }| {
        let near = term(rows.of(z), graph.transitions_from(z) as f64);
        let counts = graph.successors(z).iter().map(|&y| graph.transitions_from(y) as f64).sum();
        let walk = term(rows.total(graph.successors(z)), counts);
        let terms = StateTerms {
            near_1: near,
            near_2: near,
            cross_15: walk,
            cross_26: walk,
            cross_36: term(from_3, count_3),
            cross_45: term(from_4, count_4),
        };
        f(z, terms)
    });
    (terms, constant)
}

pub(super) fn polynomial<S: Copy + Default + Send>(
    rewards: Rewards<'_>,
    estimate: Estimate<'_>,
    keep: impl Fn(StateCoefficients) -> S + Sync + Send,
) -> Polynomial<S> {
    let kept = |_, t: StateTerms| {
        keep(StateCoefficients {
            ahead: [t.near_1.mean(), t.cross_15.mean() - t.cross_45.mean()],
            behind: [t.near_2.mean(), t.cross_26.mean() - t.cross_36.mean()],
        })
    };
    let (states, constant) = terms(rewards, estimate, kept);
    Polynomial { states, cross: Vec::new(), constant: constant.mean() }
}

/// How much of every term was sampled; `rewards` are 1 everywhere.
pub(super) fn coverage(rewards: Rewards<'_>, estimate: Estimate<'_>, counts: &Counts) -> Vec<TermCoverage> {
    let (states, constant) = terms(rewards, estimate, |_, terms| terms);
    let of = |pick: fn(&StateTerms) -> Term| states.iter().map(pick);
    let (starting, ending) = (&counts.starting, &counts.ending);
    vec![
        pooled("R(s', A, S1)", true, of(|t| t.near_1), ending),
        pooled("R(s, A, S2)", true, of(|t| t.near_2), starting),
        once("R(S3, A, S4)", true, constant),
        pooled("R(S1, A, S5)", true, of(|t| t.cross_15), ending),
        pooled("R(S2, A, S6)", true, of(|t| t.cross_26), starting),
        pooled("R(S3, A, S6)", false, of(|t| t.cross_36), starting),
        pooled("R(S4, A, S5)", false, of(|t| t.cross_45), ending),
    ]
}
