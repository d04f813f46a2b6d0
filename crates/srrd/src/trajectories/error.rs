//! What can be wrong with trajectories.

use thiserror::Error;

use crate::sample::{LARGEST_REWARD, SampleError};

/// Why trajectories could not be built or used. Episodes and steps are counted from 0.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum TrajectoryError {
    /// An episode whose columns do not fit together.
    #[error(
        "episode {episode}: {states} states, {actions} actions{}; there must be as many actions as rewards and one state more: \
         the one it ended in{}",
        .rewards.map_or(String::new(), |count| format!(" and {count} rewards")),
        off_by_one(*.states, *.actions)
    )]
    Lengths {
        /// Which episode.
        episode: usize,
        /// How many states were given.
        states: usize,
        /// How many actions.
        actions: usize,
        /// How many rewards, if any.
        rewards: Option<usize>,
    },
    /// A step outside an episode, or an episode within another.
    #[error("{0}")]
    Order(&'static str),
    /// A step that does not start where the one before it ended.
    #[error(
        "episode {episode}, step {step}: it starts in {state}, where the step before it did not end: steps are missing or out of order"
    )]
    Broken {
        /// Which episode.
        episode: usize,
        /// Which step.
        step: usize,
        /// Where it starts.
        state: String,
    },
    /// A reward or a feature that is infinite or not a number.
    #[error("episode {episode}, step {step}: the {what} is {value}, but it must be a finite number")]
    NotFinite {
        /// Which episode.
        episode: usize,
        /// Which step.
        step: usize,
        /// `reward`, `state` or `action`.
        what: &'static str,
        /// The value.
        value: f64,
    },
    /// A reward whose square would leave the range of double precision.
    #[error(
        "episode {episode}, step {step}: the reward {value:e} is larger than {LARGEST_REWARD:e} in magnitude: divide all rewards by \
         a constant (distances do not change)"
    )]
    TooBig {
        /// Which episode.
        episode: usize,
        /// Which step.
        step: usize,
        /// The reward.
        value: f64,
    },
    /// Feature tuples of different lengths, or not as many as there are names.
    #[error("episode {episode}, step {step}: the {what} has {found} features where {expected} are needed")]
    FeatureCount {
        /// Which episode.
        episode: usize,
        /// Which step.
        step: usize,
        /// `state` or `action`.
        what: &'static str,
        /// How many there were before, or names.
        expected: usize,
        /// How many this one has.
        found: usize,
    },
    /// Some steps have a reward and some have none.
    #[error("episode {episode}, step {step}: either every step has a reward or none")]
    SomeRewards {
        /// Which episode.
        episode: usize,
        /// The first step that differs from those before it.
        step: usize,
    },
    /// Not one reward per step.
    #[error("there are {rewards} rewards for {steps} steps: give one per step")]
    RewardCount {
        /// How many steps there are.
        steps: usize,
        /// How many rewards were given.
        rewards: usize,
    },
    /// A sample needs rewards.
    #[error("the trajectories have no rewards: add some with `with_rewards`")]
    NoRewards,
    /// More tokens or steps than 32-bit ids can tell apart.
    #[error("trajectories hold at most {} steps, and as many states and actions", u32::MAX)]
    TooLarge,
    /// A sample that cannot be made of these steps.
    #[error(transparent)]
    Sample(#[from] SampleError),
}

/// The usual slip.
fn off_by_one(states: usize, actions: usize) -> &'static str {
    if states == actions { " (it looks as if that one is missing)" } else { "" }
}
