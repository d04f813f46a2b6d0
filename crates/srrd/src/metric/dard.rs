//! DARD: Dynamics-Aware Reward Distance.
//!
//! C(s, a, s') = R(s, a, s') + E[γ R(s', A, S'') − R(s, A, S') − γ R(S', A, S'')], S' = succ(s) and S'' = succ(s').
//!
//! - `double`, with X' and X'' the elements of B whose state is in S' and S'': γ/|X''| Σ_{(x'', u) ∈ X''} R(s', u, x'') −
//!   1/|X'| Σ_{(x', u) ∈ X'} R(s, u, x') − γ/(|X'||X''|) Σ_{(x', ·) ∈ X'} Σ_{(x'', u) ∈ X''} R(x', u, x'').
//! - `unbiased`: the means over the sampled transitions between the same sets.
//! - `regressed`: as `double`, predictions added; O(edges · products of the model) more.
//!
//! The first two are the same function of s' and of s; the last depends on the pair (s, s').
//! O(Σ over edges (x, y) of |succ(y)|) time, two values per edge of memory.

use super::{Metric, MetricInfo, Polynomial, StateCoefficients};
use crate::diagnose::{Counts, TermCoverage, pooled};
use crate::estimate::batch::BatchSet;
use crate::estimate::cross::cross_sums;
use crate::estimate::predicted::{self, Predicted};
use crate::estimate::{self, Estimate, Rewards, Term, term};
use crate::graph::Graph;
use crate::run::parallel;

pub(super) const INFO: MetricInfo = MetricInfo {
    metric: Metric::Dard,
    name: "dard",
    title: "DARD",
    about: "takes means over the neighbours of a transition, of which more are sampled than of all pairs",
    paper: true,
    expects: true,
    discounts: true,
    projects: false,
    shown: true,
};

/// E[R(x, A, succ(x))] for every state x, and `f(E[R(S', A, S'')])` for every edge (s, s').
pub(crate) fn terms<T: Copy + Default + Send>(
    rewards: Rewards<'_>,
    estimate: Estimate<'_>,
    f: impl Fn(Term) -> T + Sync + Send,
) -> (Vec<Term>, Vec<T>) {
    let graph = rewards.graph;
    match estimate {
        Estimate::Double(batch) => double(rewards, batch, None, f),
        Estimate::Regressed(predicted) => double(rewards, predicted.batch, Some(predicted), f),
        Estimate::Unbiased => {
            let sums = estimate::sums(rewards);
            let counts = estimate::counts(graph);
            let (near, nears) = (estimate::row_sums(graph, &sums), estimate::row_sums(graph, &counts));
            let (cross, crosses) = (cross_sums(graph, &sums), cross_sums(graph, &counts));
            drop((sums, counts));
            let cross = parallel::map(graph.edges(), |e| f(term(cross[e], crosses[e])));
            (parallel::map(graph.states(), |x| term(near[x], nears[x])), cross)
        }
    }
}

fn double<T: Copy + Default + Send>(
    rewards: Rewards<'_>,
    batch: &BatchSet,
    predicted: Option<&Predicted<'_>>,
    f: impl Fn(Term) -> T + Sync + Send,
) -> (Vec<Term>, Vec<T>) {
    let graph = rewards.graph;
    let sizes = estimate::successor_sums(graph, |x| batch.weight(x));
    let mut near = estimate::row_sums(graph, &estimate::near(rewards, batch));
    let mut cross = cross_sums(graph, &estimate::second(rewards, batch));
    if let Some(predicted) = predicted {
        add_predictions(graph, predicted, &mut near, &mut cross);
    }
    let cross = parallel::map(graph.edges(), |e| {
        f(term(cross[e], sizes[graph.source(e) as usize] * sizes[graph.target(e) as usize]))
    });
    (near.into_iter().zip(sizes).map(|(sum, size)| term(sum, size)).collect(), cross)
}

fn add_predictions(graph: &Graph, predicted: &Predicted<'_>, near: &mut [f64], cross: &mut [f64]) {
    predicted.for_each(|factors| {
        let starts = predicted::successor_totals(graph, &factors.first(), |_| true);
        let ends = predicted::successor_totals(graph, &factors.second_with_action(), |_| true);
        let start = factors.start();
        near.iter_mut().enumerate().for_each(|(z, near)| *near += predicted::dot(&start[z], &ends[z]));
        cross.iter_mut().enumerate().for_each(|(e, cross)| {
            let (s, next) = (graph.source(e) as usize, graph.target(e) as usize);
            *cross += predicted::dot(&starts[s], &ends[next]);
        });
    });
}

pub(super) fn polynomial<S>(
    rewards: Rewards<'_>,
    estimate: Estimate<'_>,
    keep: impl Fn(StateCoefficients) -> S,
) -> Polynomial<S> {
    let (near, cross) = terms(rewards, estimate, Term::mean);
    let states = near.into_iter().map(|near| keep(StateCoefficients::near(near.mean())));
    Polynomial { states: states.collect(), cross, constant: 0.0 }
}

/// How much of every term was sampled; `rewards` are 1 everywhere.
pub(super) fn coverage(rewards: Rewards<'_>, estimate: Estimate<'_>, counts: &Counts) -> Vec<TermCoverage> {
    let graph = rewards.graph;
    let (near, cross) = terms(rewards, estimate, |term| term);
    let actions: Vec<f64> = (0..graph.edges()).map(|e| f64::from(graph.multiplicity(e))).collect();
    vec![
        pooled("R(s', A, S'')", true, near.iter().copied(), &counts.ending),
        pooled("R(s, A, S')", true, near.iter().copied(), &counts.starting),
        pooled("R(S', A, S'')", false, cross.iter().copied(), &actions),
    ]
}
