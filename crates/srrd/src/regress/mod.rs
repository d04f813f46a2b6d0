//! Predicted rewards for unsampled transitions, from the features of s, s' and a.
//!
//! A model is fitted on the sampled transitions alone (with marginal actions: on the sampled pairs (s, s') with their mean
//! rewards). Every model here is *separable*: its prediction is a sum of few products of a function of s, one of s' and one of
//! a, so that its sum over a cross-product of sets is a sum of products of sums over the sets, and no pair of states is ever
//! looked at. A further model is a file here, a variant of `Model` and one of [`Regression`].
//!
//! Where a reward function can be asked, a `table` of what it says takes the place of a fitted model.

mod linear;
mod table;
mod tree;

pub use table::{RewardTable, TableError};

use crate::estimate::{Rewards, means};
use crate::sample::{RewardSample, Vocabulary};
use crate::settings::{Actions, Regression};

use linear::Linear;
use table::Lookup;
use tree::{Interval, Tree};

/// What a sample takes for the rewards of unsampled transitions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Unsampled {
    /// What a model predicts that is fitted on the sampled ones.
    Fitted(Regression),
    /// What the reward function says.
    Table(RewardTable),
}

/// What a transition is made of, in the order in which ids and features are kept here.
pub(crate) const SOURCE: usize = 0;
pub(crate) const TARGET: usize = 1;
pub(crate) const ACTION: usize = 2;

/// The features of all tokens of a vocabulary, by id; of none when they are not used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Features<'a> {
    values: &'a [f64],
    count: usize,
}

impl<'a> Features<'a> {
    const NONE: Features<'static> = Features { values: &[], count: 0 };

    fn of(vocabulary: &'a Vocabulary) -> Self {
        vocabulary.all_features().map_or(Self::NONE, |(values, count)| Features { values, count })
    }

    fn get(&self, id: u32, feature: usize) -> f64 {
        self.values[id as usize * self.count + feature]
    }
}

/// What a model is fitted on.
struct Known<'a> {
    /// Of s, s' and a.
    features: [Features<'a>; 3],
    /// The ids of s, s' and a, one row per transition (a sampled pair, when actions are marginal).
    rows: Vec<[u32; 3]>,
    /// The reward of every row.
    rewards: Vec<f64>,
}

impl<'a> Known<'a> {
    fn of(sample: &'a RewardSample, actions: Actions) -> Self {
        let states = Features::of(&sample.states);
        match actions {
            Actions::Marginal => {
                let graph = &sample.graph;
                Known {
                    features: [states, states, Features::NONE],
                    rows: (0..graph.edges()).map(|e| [graph.source(e), graph.target(e), 0]).collect(),
                    rewards: means(Rewards::of(sample)).into_owned(),
                }
            }
            Actions::Joint => Known {
                features: [states, states, Features::of(&sample.actions)],
                rows: sample.ids().map(|(x, u, y)| [x, y, u]).collect(),
                rewards: sample.rewards().to_vec(),
            },
        }
    }

    /// All features, as (s, s' or a; its feature).
    fn columns(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..3).flat_map(|part| (0..self.features[part].count).map(move |feature| (part, feature)))
    }
}

/// What the regressed estimator takes for transitions that were not sampled
/// (made by [`RewardSample::prediction`]).
pub struct Prediction<'a>(Model<'a>);

impl<'a> Prediction<'a> {
    pub(crate) fn of(sample: &'a RewardSample, actions: Actions) -> Option<Self> {
        Model::of(sample, actions).map(Prediction)
    }

    /// The predicted reward of a transition, by ids into [`RewardSample::states`] and [`RewardSample::actions`]; with marginal
    /// actions it is the same for every action.
    ///
    /// # Panics
    /// If the sample has no such state or, where action features are used, no such action.
    pub fn reward(&self, state: u32, action: u32, next_state: u32) -> f64 {
        self.0.predict([state, next_state, action])
    }
}

/// A fitted model, or a table.
pub(crate) enum Model<'a> {
    Linear(Linear),
    Tree(Tree, [Features<'a>; 3]),
    Table(Lookup<'a>),
}

impl<'a> Model<'a> {
    /// The model of a sample; `None` if it knows nothing of unsampled transitions.
    pub fn of(sample: &'a RewardSample, actions: Actions) -> Option<Self> {
        Some(match sample.unsampled.as_ref()? {
            Unsampled::Fitted(regression) => Self::fit(sample, *regression, actions),
            Unsampled::Table(table) => Model::Table(Lookup::new(table, actions)),
        })
    }

    /// Fits a model on the sampled transitions. Every state must have features, which
    /// [`with_regression`](RewardSample::with_regression) has checked.
    fn fit(sample: &'a RewardSample, regression: Regression, actions: Actions) -> Self {
        let known = Known::of(sample, actions);
        match regression {
            Regression::Linear => Model::Linear(Linear::fit(&known)),
            Regression::Tree(limits) => Model::Tree(Tree::fit(&known, limits), known.features),
        }
    }

    /// The predicted reward of a transition, by the ids of s, s' and a.
    pub fn predict(&self, transition: [u32; 3]) -> f64 {
        match self {
            Model::Linear(linear) => linear.predict(transition),
            Model::Tree(tree, features) => tree.predict(features, transition),
            Model::Table(table) => table.predict(transition),
        }
    }

    /// The products that add up to the prediction.
    pub fn products(&self) -> Vec<Product<'_>> {
        match self {
            Model::Linear(linear) => linear.products(),
            Model::Tree(tree, features) => tree.products(*features),
            Model::Table(table) => table.products(),
        }
    }

    /// No prediction is larger in magnitude.
    pub fn bound(&self) -> f64 {
        match self {
            Model::Linear(linear) => linear.bound(),
            Model::Tree(tree, _) => tree.bound(),
            Model::Table(table) => table.bound(),
        }
    }
}

/// One of the products that a prediction is a sum of: a number times a factor of s, one of s' and one of a.
pub(crate) struct Product<'a> {
    pub value: f64,
    /// Of s, s' and a.
    pub factors: [Factor<'a>; 3],
}

/// A function of the id of s, s' or a.
pub(crate) enum Factor<'a> {
    /// 1
    One,
    /// A number an id.
    Values(&'a [f64]),
    /// 1 for one id, 0 for all others.
    Only(u32),
    /// 1 where all features lie in their intervals, 0 elsewhere.
    Inside(InsideBox<'a>),
}

/// A box in the space of the features of s, of s' or of a.
pub(crate) struct InsideBox<'a> {
    intervals: Vec<Interval>,
    features: Features<'a>,
}

impl Factor<'_> {
    #[inline]
    pub fn at(&self, id: u32) -> f64 {
        match self {
            Factor::One => 1.0,
            Factor::Values(values) => values[id as usize],
            Factor::Only(one) => f64::from(id == *one),
            Factor::Inside(InsideBox { intervals, features }) => {
                f64::from(intervals.iter().all(|interval| interval.holds(features.get(id, interval.feature))))
            }
        }
    }
}
