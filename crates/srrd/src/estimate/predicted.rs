//! Sums of predicted rewards over cross-products of sets, for the regressed estimator.
//!
//! An unsampled transition adds its prediction P to a sum over X × Y, a sampled one its reward R:
//!
//! Σ_{X × Y} (R if sampled, else P) = Σ_{sampled} (R − P) + Σ_{X × Y} P
//!
//! The first sum is that of the double-batch estimator, of other rewards. In the second, P is a sum of products g(x)·a(u)·h(y)
//! ([`regress`](crate::regress)), so that it is Σ over the products of (Σ_X g·a)·(Σ_Y h): no pair is looked at. A linear model has
//! two products (three with actions), a tree one per leaf, a table one per row; they are taken a few at a time, side by side.

use super::{Rewards, two_step};
use crate::estimate::batch::BatchSet;
use crate::graph::Graph;
use crate::regress::{ACTION, Factor, Model, Product, SOURCE, TARGET};
use crate::run::checkpoint;
use crate::run::parallel;
use crate::sample::RewardSample;

/// How many products are summed side by side.
const LANES: usize = 8;

/// A number for each of the products.
pub(crate) type Lanes = [f64; LANES];

/// What the regressed estimator needs: a batch and a model of the rewards.
pub(crate) struct Predicted<'a> {
    pub batch: &'a BatchSet,
    model: Model<'a>,
    actions: u32,
}

impl<'a> Predicted<'a> {
    /// `None` if the sample does not ask for predictions.
    pub fn of(sample: &'a RewardSample, batch: &'a BatchSet) -> Option<Self> {
        let model = Model::of(sample, batch.actions)?;
        Some(Predicted { batch, model, actions: sample.actions.len() as u32 })
    }

    /// The sampled rewards minus the predicted ones.
    pub fn residuals(&self, rewards: Rewards<'_>) -> Vec<f64> {
        let graph = rewards.graph;
        parallel::fill_rows(
            graph.states(),
            |x| graph.first_transition(graph.first_edge(x)),
            rewards.reward.len() as u64,
            |range, residuals| {
                let mut residuals = residuals.iter_mut();
                for e in graph.first_edge(range.start)..graph.first_edge(range.end) {
                    let transitions = graph.transitions(e);
                    let own = rewards.action[transitions.clone()].iter().zip(&rewards.reward[transitions]);
                    for ((&u, reward), residual) in own.zip(&mut residuals) {
                        *residual = reward - self.model.predict([graph.source(e), graph.target(e), u]);
                    }
                }
            },
        )
    }

    /// No prediction is larger in magnitude.
    pub fn bound(&self) -> f64 {
        self.model.bound()
    }

    /// `f` for all products, a few at a time.
    pub fn for_each(&self, mut f: impl FnMut(&Factors)) {
        for products in self.model.products().chunks(LANES) {
            checkpoint();
            f(&Factors::of(products, self));
        }
    }
}

/// The factors of a few products, by state.
pub(crate) struct Factors {
    /// g of s, times what is constant.
    source: Vec<Lanes>,
    /// h of s'.
    target: Vec<Lanes>,
    /// Σ a(u) over the elements (x, u) of B, by x.
    action: Vec<Lanes>,
    /// How many elements of B have a state.
    weight: Vec<f64>,
}

impl Factors {
    fn of(products: &[Product<'_>], predicted: &Predicted<'_>) -> Self {
        let weight = predicted.batch.weights();
        let states = weight.len();
        let by_state = |part: usize, scale: fn(&Product<'_>) -> f64| {
            parallel::map(states, |x| {
                let mut lanes = [0.0; LANES];
                let values = products.iter().map(|p| scale(p) * p.factors[part].at(x as u32));
                lanes.iter_mut().zip(values).for_each(|(lane, value)| *lane = value);
                lanes
            })
        };
        let mut action = vec![[0.0; LANES]; states];
        for (k, product) in products.iter().enumerate() {
            let sums = match &product.factors[ACTION] {
                Factor::One => weight.clone(),
                factor => predicted.batch.action_sums(|u| factor.at(u), predicted.actions),
            };
            action.iter_mut().zip(sums).for_each(|(lanes, sum)| lanes[k] = sum);
        }
        Factors { source: by_state(SOURCE, |product| product.value), target: by_state(TARGET, |_| 1.0), action, weight }
    }

    /// Of a term that starts from one state: that state's factor.
    pub fn start(&self) -> &[Lanes] {
        &self.source
    }

    /// What every state adds as an element of the second set, giving the action.
    pub fn second_with_action(&self) -> Vec<Lanes> {
        self.target.iter().zip(&self.action).map(|(h, a)| std::array::from_fn(|k| h[k] * a[k])).collect()
    }

    /// What every state adds as an element of the second set, the first one giving the action.
    pub fn second(&self) -> Vec<Lanes> {
        self.target.iter().zip(&self.weight).map(|(h, w)| h.map(|h| h * w)).collect()
    }

    /// What every state adds as an element of the first set, giving the action.
    pub fn first_with_action(&self) -> Vec<Lanes> {
        self.source.iter().zip(&self.action).map(|(g, a)| std::array::from_fn(|k| g[k] * a[k])).collect()
    }

    /// What every state adds as an element of the first set, the second one giving the action.
    pub fn first(&self) -> Vec<Lanes> {
        self.source.iter().zip(&self.weight).map(|(g, w)| g.map(|g| g * w)).collect()
    }
}

/// Σ of all lanes of a product: the sum over a cross-product of sets, of the sums over either.
#[inline]
pub(crate) fn dot(a: &Lanes, b: &Lanes) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Σ over some states.
pub(crate) fn total(states: impl Iterator<Item = u32>, values: &[Lanes]) -> Lanes {
    let mut sums = [0.0; LANES];
    for x in states {
        sums.iter_mut().zip(&values[x as usize]).for_each(|(sum, value)| *sum += value);
    }
    sums
}

/// Σ over those of succ(x) that `keep` tells to keep, for every state x.
pub(crate) fn successor_totals(
    graph: &Graph,
    values: &[Lanes],
    keep: impl Fn(u32) -> bool + Sync + Send,
) -> Vec<Lanes> {
    parallel::map(graph.states(), |x| total(graph.successors(x as u32).iter().copied().filter(|&y| keep(y)), values))
}

/// Σ over the states two steps on from every state.
pub(crate) fn two_step_totals(graph: &Graph, batch: &BatchSet, values: &[Lanes]) -> Vec<Lanes> {
    two_step::map(graph, Some(batch).filter(|b| !b.is_all()), values, |_, reached| reached.sums)
}
