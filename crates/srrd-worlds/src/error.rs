//! What can be wrong with a world, a policy, a model or a shaping.

use thiserror::Error;

use crate::grid::MOST_CELLS;
use crate::model::MODELS;

/// Why something could not be built.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum WorldError {
    /// A grid without room to move, or one that is too large.
    #[error("a grid of {width}x{height} cells: it needs from 2 to {MOST_CELLS} cells")]
    Size {
        /// Cells along x.
        width: usize,
        /// Cells along y.
        height: usize,
    },
    /// A chance that is none.
    #[error("epsilon is {0}, but it is a probability: from 0 to 1")]
    Epsilon(f64),
    /// A policy of no actions, or of more than can be told apart.
    #[error("a policy has from 1 to 64 weights, one per action; this one has {0}")]
    WeightCount(usize),
    /// A weight below zero, or not finite.
    #[error("the weight {weight} of action {action} is not a finite number from 0 up")]
    Weight {
        /// The action, from 0.
        action: usize,
        /// Its weight.
        weight: f64,
    },
    /// A policy that never acts, or whose weights have no finite sum.
    #[error("the weights of a policy add up to {0}: at least one must be above 0, and their sum finite")]
    WeightSum(f64),
    /// Not the name of a model.
    #[error("'{0}' is no model: choose from {names}", names = MODELS.each_ref().map(|model| model.name).join(", "))]
    UnknownModel(String),
    /// Lists that should have one entry per transition.
    #[error("there are {rewards} rewards for {transitions} transitions")]
    Lengths {
        /// How many transitions there are.
        transitions: usize,
        /// How many rewards.
        rewards: usize,
    },
    /// Shaping that cannot be brought to a strength, because rewards or potential differences are all zero.
    #[error("shaping cannot be scaled: the mean magnitude of {0} is 0 or not finite")]
    NoScale(&'static str),
    /// A strength of shaping below zero, or not finite.
    #[error("the factor of shaping is {0}, but it must be a finite number from 0 up")]
    Factor(f64),
    /// A unit that would be destroyed before the first hit.
    #[error("the health of a unit is 0, but it must be at least 1")]
    Health,
    /// A chance of hitting that is none.
    #[error("the shot strength is {0}, but it is a probability: from 0 to 1")]
    ShotStrength(f64),
}
