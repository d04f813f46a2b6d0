//! Estimators: how E[R(X, A, Y)] is estimated from the sampled transitions.
//!
//! Every estimator is described by what each *edge* (x, y) of the sample's graph adds to a sum over X × Y, so that a metric
//! only has to say which edges its terms sum over. `double` divides by set sizes, `unbiased` by the number of transitions
//! summed. `regressed` is `double` on what the sampled rewards differ by from a prediction, plus the sums of the prediction over
//! the whole cross-products ([`predicted`]). A further estimator adds a file here and a variant of [`Estimate`].

pub mod batch;
mod classes;
pub(crate) mod cross;
mod hubs;
mod local;
pub(crate) mod predicted;
mod prefixes;
pub(crate) mod two_step;

use std::borrow::Cow;

use self::predicted::Predicted;
use crate::estimate::batch::BatchSet;
use crate::graph::Graph;
use crate::run::parallel;
use crate::sample::RewardSample;
use crate::settings::Actions;

/// Transitions with rewards that need not be the sample's own: diagnostics put 1 for each.
#[derive(Clone, Copy)]
pub(crate) struct Rewards<'a> {
    pub graph: &'a Graph,
    pub action: &'a [u32],
    pub reward: &'a [f64],
}

impl<'a> Rewards<'a> {
    pub fn of(sample: &'a RewardSample) -> Self {
        Rewards { graph: &sample.graph, action: &sample.action, reward: &sample.reward }
    }
}

/// An estimator with what it needs to know.
#[derive(Clone, Copy)]
pub(crate) enum Estimate<'a> {
    Double(&'a BatchSet),
    /// The rewards being those left of the sampled ones when the predicted ones are subtracted.
    Regressed(&'a Predicted<'a>),
    Unbiased,
}

/// A value an edge; the rewards themselves where nothing has to be done to them.
pub(crate) type EdgeValues<'a> = Cow<'a, [f64]>;

/// What every edge (x, y) adds to Σ_{(y, u) ∈ Y} R(x, u, y), for a term that starts from one state x.
pub(crate) fn near<'a>(rewards: Rewards<'a>, batch: &BatchSet) -> EdgeValues<'a> {
    let graph = rewards.graph;
    match batch.actions {
        Actions::Marginal if batch.is_all() => means(rewards),
        Actions::Marginal => parallel::map(graph.edges(), |e| batch.weight(graph.target(e)) * mean(rewards, e)).into(),
        Actions::Joint => parallel::map(graph.edges(), |e| {
            let y = graph.target(e);
            sum_where(rewards, e, |u| batch.holds_pair(y, u))
        })
        .into(),
    }
}

/// What every edge adds to Σ_{(x, u) ∈ X} Σ_{(y, ·) ∈ Y} R(x, u, y): the first set gives the action.
pub(crate) fn first<'a>(rewards: Rewards<'a>, batch: &BatchSet) -> EdgeValues<'a> {
    let graph = rewards.graph;
    match batch.actions {
        Actions::Marginal => marginal_cross(rewards, batch),
        Actions::Joint => parallel::map(graph.edges(), |e| {
            let (x, y) = (graph.source(e), graph.target(e));
            batch.weight(y) * sum_where(rewards, e, |u| batch.holds_pair(x, u))
        })
        .into(),
    }
}

/// What every edge adds to Σ_{(x, ·) ∈ X} Σ_{(y, u) ∈ Y} R(x, u, y): the second set gives the action.
pub(crate) fn second<'a>(rewards: Rewards<'a>, batch: &BatchSet) -> EdgeValues<'a> {
    let graph = rewards.graph;
    match batch.actions {
        Actions::Marginal => marginal_cross(rewards, batch),
        Actions::Joint => parallel::map(graph.edges(), |e| {
            let (x, y) = (graph.source(e), graph.target(e));
            batch.weight(x) * sum_where(rewards, e, |u| batch.holds_pair(y, u))
        })
        .into(),
    }
}

/// What every edge adds in the unbiased estimates: the sum over its actions.
pub(crate) fn sums(rewards: Rewards<'_>) -> EdgeValues<'_> {
    if rewards.graph.edges() == rewards.reward.len() {
        return rewards.reward.into();
    }
    parallel::map(rewards.graph.edges(), |e| sum_where(rewards, e, |_| true)).into()
}

/// How many transitions every edge adds in the unbiased estimates.
pub(crate) fn counts(graph: &Graph) -> Vec<f64> {
    parallel::map(graph.edges(), |e| f64::from(graph.multiplicity(e)))
}

fn marginal_cross<'a>(rewards: Rewards<'a>, batch: &BatchSet) -> EdgeValues<'a> {
    if batch.is_all() {
        return means(rewards);
    }
    let graph = rewards.graph;
    let weight = |e| batch.weight(graph.source(e)) * batch.weight(graph.target(e));
    parallel::map(graph.edges(), |e| weight(e) * mean(rewards, e)).into()
}

/// The mean over the actions of every edge.
pub(crate) fn means(rewards: Rewards<'_>) -> EdgeValues<'_> {
    if rewards.graph.edges() == rewards.reward.len() {
        return rewards.reward.into();
    }
    parallel::map(rewards.graph.edges(), |e| mean(rewards, e)).into()
}

fn mean(rewards: Rewards<'_>, edge: usize) -> f64 {
    match &rewards.reward[rewards.graph.transitions(edge)] {
        [only] => *only,
        several => several.iter().sum::<f64>() / several.len() as f64,
    }
}

fn sum_where(rewards: Rewards<'_>, edge: usize, keep: impl Fn(u32) -> bool) -> f64 {
    let range = rewards.graph.transitions(edge);
    rewards.action[range.clone()].iter().zip(&rewards.reward[range]).filter(|&(&u, _)| keep(u)).map(|(_, r)| r).sum()
}

/// Σ over the edges that leave every state.
pub(crate) fn row_sums(graph: &Graph, edge_values: &[f64]) -> Vec<f64> {
    parallel::map(graph.states(), |x| sum(&edge_values[graph.out_edges(x as u32)]))
}

pub(crate) fn sum(values: &[f64]) -> f64 {
    sum_of(values, |value| *value)
}

/// Four sums side by side: one alone would wait for every addition before the next.
#[inline]
fn sum_of<T>(items: &[T], value: impl Fn(&T) -> f64) -> f64 {
    let (chunks, rest) = items.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for chunk in chunks {
        for k in 0..4 {
            sums[k] += value(&chunk[k]);
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest.iter().map(value).sum::<f64>()
}

/// Σ over succ(x) of one value per state, for every state x.
pub(crate) fn successor_sums(graph: &Graph, value: impl Fn(u32) -> f64 + Sync + Send) -> Vec<f64> {
    parallel::map(graph.states(), |x| graph.successors(x as u32).iter().map(|&y| value(y)).sum())
}

/// Σ over the edges that leave a state.
pub(crate) enum RowSums<'a> {
    /// Of every state.
    Known(Vec<f64>),
    /// Added up when it is asked for: as many additions as there are walks of two steps.
    Asked { graph: &'a Graph, edge_values: &'a [f64] },
}

impl<'a> RowSums<'a> {
    /// They are known beforehand, unless there are hardly more edges than states: then they would take a good part of the memory
    /// of the sample, and save nothing. Where a few states have most of the edges, theirs would be added up again and again.
    pub fn new(graph: &'a Graph, edge_values: &'a [f64]) -> Self {
        match graph.has_few_states() || graph.is_uneven() {
            true => RowSums::Known(row_sums(graph, edge_values)),
            false => RowSums::Asked { graph, edge_values },
        }
    }

    #[inline]
    pub fn of(&self, x: u32) -> f64 {
        match self {
            RowSums::Known(sums) => sums[x as usize],
            RowSums::Asked { graph, edge_values } => sum(&edge_values[graph.out_edges(x)]),
        }
    }

    /// Over the edges that leave any of some states.
    #[inline]
    pub fn total(&self, states: &[u32]) -> f64 {
        match self {
            RowSums::Known(sums) => sum_of(states, |&x| sums[x as usize]),
            RowSums::Asked { .. } => sum_of(states, |&x| self.of(x)),
        }
    }

    /// Over all edges between so many states.
    pub fn of_all(&self, states: usize) -> f64 {
        (0..states as u32).map(|x| self.of(x)).sum()
    }
}

/// Adds, for every state, K values over the edges that enter it: from all states to the places `all` of its sums, and from the
/// subsequent states (S4) alone to the places `from_subsequent`.
pub(crate) fn add_columns<const K: usize, const N: usize>(
    graph: &Graph,
    values: impl Fn(usize) -> [f64; K],
    sums: &mut [[f64; N]],
    all: [usize; K],
    from_subsequent: [usize; K],
) {
    // One thread goes through the edges in order: on large graphs the sums fit into a cache where the edges of a column, spread
    // over memory, do not.
    for x in 0..graph.states() as u32 {
        let subsequent = graph.is_subsequent(x);
        for (&y, e) in graph.successors(x).iter().zip(graph.out_edges(x)) {
            let sums = &mut sums[y as usize];
            for (k, value) in values(e).into_iter().enumerate() {
                sums[all[k]] += value;
                sums[from_subsequent[k]] += if subsequent { value } else { 0.0 };
            }
        }
    }
}

/// An estimated expectation before it is divided: over R ≡ 1 it says how many of the needed transitions were sampled.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Term {
    pub sum: f64,
    pub size: f64,
}

impl Term {
    /// The expectation; an empty set makes it 0.
    #[inline]
    pub fn mean(self) -> f64 {
        if self.size == 0.0 { 0.0 } else { self.sum / self.size }
    }
}

#[inline]
pub(crate) fn term(sum: f64, size: f64) -> Term {
    Term { sum, size }
}
