//! What the paper proves, as functions: what canonicalization leaves of shaping, how large that can be, and what a distance
//! says about regret.
//!
//! | question | functions | in the paper |
//! |---|---|---|
//! | What is left of γφ(s') − φ(s)? | [`residual_shaping`], [`closed_form_residual`] | residual shaping |
//! | How large is that beside the rewards? | [`relative_shaping_error`], [`shaping_sensitivity`] | Theorem 1 |
//! | How much return does the other reward's best policy lose? | [`regret_bound`], [`Mdp`] | Theorem 2 |
//! | What do more terms than SRRD's bring? | [`generalized()`], [`generalized_exact`], [`generalized_residual`] | C_n |
//!
//! Each module says under which assumptions its statement holds. Where the paper leaves one out, it is named there and a test
//! shows it.

pub mod generalized;
mod linear;
pub mod mdp;
pub mod regret;
pub mod residual;
pub mod shaping_error;

pub(crate) use linear::discounted;

pub use generalized::{generalized, generalized_exact, generalized_residual};
pub use mdp::{LARGEST_GAMMA, Mdp, Solution};
pub use regret::{Coverage, RegretBound, regret_bound};
pub use residual::{closed_form_residual, residual_shaping, shaping_rewards};
pub use shaping_error::{ShapingError, relative_shaping_error, shaping_sensitivity};

use thiserror::Error;

use crate::compare::Undefined;
use crate::exact::ExactError;
use crate::metric::Metric;
use crate::sample::{LARGEST_REWARD, SampleError};

/// Why a statement of the theory says nothing about what it was asked.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum TheoryError {
    /// Not one potential per state.
    #[error(
        "there are {found} potentials, but the sample has {expected} states: give one per state, in the order of `states()`"
    )]
    Potentials {
        /// The number of states.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A potential that is not finite.
    #[error("the potential of state {state} is {value}, but it must be a finite number")]
    PotentialNotFinite {
        /// Which state.
        state: usize,
        /// Its potential.
        value: f64,
    },
    /// Shaping rewards that a sample cannot hold.
    #[error("the shaping rewards cannot be used: {0}")]
    Sample(#[from] SampleError),
    /// An array that does not fit the problem.
    #[error(transparent)]
    Exact(#[from] ExactError),
    /// Relative to what? Every reward is 0.
    #[error("every reward of the sample is 0: a shaping error is relative to the largest of them")]
    ZeroRewards,
    /// A metric without expectation terms.
    #[error("{0} takes no reward expectations: the theory of shaping errors is about direct, epic, dard and srrd")]
    NoTerms(Metric),
    /// The closed form counts sampled fractions, which only the double-batch estimator has.
    #[error("the closed form is that of the double-batch estimator: the unbiased one has no sampled fractions")]
    NeedsDoubleBatch,
    /// C_n needs to know where a step leads.
    #[error("the generalized form needs a transition model: build the problem with `with_dynamics`")]
    NeedsDynamics,
    /// A reward whose returns and squares would leave the range of double precision.
    #[error("a reward of {0:e} is larger than {LARGEST_REWARD:e} in magnitude: divide all rewards by a constant")]
    RewardTooBig(f64),
    /// Returns need a discount.
    #[error("the discount factor is {0}, but returns need one of at most {LARGEST_GAMMA}")]
    Discount(f64),
    /// Theorem 2 needs S3 and S4 to have the same distribution.
    #[error(
        "the state distribution is not stationary (state {state} has {before} before a step and {after} after it), which the \
         regret bound needs: `Mdp::stationary` computes one"
    )]
    NotStationary {
        /// Where it changes.
        state: usize,
        /// D_S(state)
        before: f64,
        /// The same one step on.
        after: f64,
    },
    /// No K: an optimal policy meets a transition that the coverage distribution leaves out.
    #[error(
        "an optimal policy meets transition ({state}, {action}, {next_state}), to which the coverage distribution gives 0"
    )]
    NotCovered {
        /// s
        state: usize,
        /// a
        action: usize,
        /// s'
        next_state: usize,
    },
    /// The distance that a bound is made of has no value.
    #[error("the distance is undefined: {0}")]
    Undefined(#[from] Undefined),
}

/// One finite potential a state.
fn check_potential(states: usize, potential: &[f64]) -> Result<(), TheoryError> {
    if potential.len() != states {
        return Err(TheoryError::Potentials { expected: states, found: potential.len() });
    }
    match potential.iter().position(|p| !p.is_finite()) {
        None => Ok(()),
        Some(state) => Err(TheoryError::PotentialNotFinite { state, value: potential[state] }),
    }
}
