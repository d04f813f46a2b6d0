//! What is wrong with a call or with demonstrations, as data. Each front end says it in its own words.

use srrd::FrontEnd;
use srrd::dynamics::DynamicsError;
use srrd::trajectories::TrajectoryError;
use thiserror::Error;

use crate::ptirl::PtirlProblem;

/// Why nothing was learned.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{}", self.say(FrontEnd::Python))]
#[non_exhaustive]
pub enum Problem {
    /// Nothing to learn from.
    NoSets,
    /// PTIRL has no answer.
    Ptirl {
        /// The set.
        set: String,
        /// Why.
        problem: PtirlProblem,
    },
    /// A set whose episodes have no steps.
    NoSteps {
        /// The set.
        set: String,
    },
    /// Sets that describe states or actions differently.
    OtherFeatures {
        /// The two sets.
        sets: [String; 2],
    },
    /// More states than can be told apart.
    TooLarge,
    /// Something else that is wrong with the episodes of a set.
    Trajectories {
        /// The set.
        set: String,
        /// What.
        error: TrajectoryError,
    },
    /// Given probabilities that are none.
    Dynamics(DynamicsError),
    /// A step that the given model does not know.
    NotInModel {
        /// The set.
        set: String,
        /// s
        state: String,
        /// a
        action: String,
        /// s'
        next_state: String,
    },
    /// Every episode has one step: what follows an action is never seen.
    OneStep {
        /// The set.
        set: String,
    },
    /// Rewards or losses that are not finite any more.
    Diverged {
        /// The set.
        set: String,
        /// In which iteration.
        iteration: usize,
    },
    /// An option with a value that it does not take.
    Value {
        /// The option.
        option: &'static str,
        /// What is wrong with the value.
        why: String,
    },
}

impl Problem {
    /// The problem as a sentence.
    pub fn say(&self, front_end: FrontEnd) -> String {
        match self {
            Problem::NoSets => "there are no demonstrations".to_owned(),
            Problem::Ptirl { set, problem } => format!("{}{}", of(set), problem.say(front_end)),
            Problem::NoSteps { set } => format!("{}there are no steps to learn from", of(set)),
            Problem::OtherFeatures { sets: [one, other] } => format!(
                "the sets '{one}' and '{other}' describe their states or actions by different columns: learn from them one by one"
            ),
            Problem::TooLarge => "there are more states or actions than 32-bit numbers can tell apart".to_owned(),
            Problem::Trajectories { set, error } => format!("{}{error}", of(set)),
            Problem::Dynamics(error) => format!("{}: {error}", front_end.option("model")),
            Problem::NotInModel { set, state, action, next_state } => format!(
                "{}the step from {state} by {action} to {next_state} is not in the transition model: complete the model, or count it \
                 with {}",
                of(set),
                front_end.choice("model", "pooled")
            ),
            Problem::OneStep { set } => format!(
                "{}every episode has a single step, so that nothing is known of what follows an action: use {}, or longer episodes",
                of(set),
                front_end.choice("reward", "sa")
            ),
            Problem::Diverged { set, iteration } => {
                format!("{}learning diverged in iteration {iteration}: rewards are not finite any more", of(set))
            }
            Problem::Value { option, why } => format!("{}: {why}", front_end.option(option)),
        }
    }
}

/// How a message about a set begins.
fn of(set: &str) -> String {
    if set.is_empty() { String::new() } else { format!("{set}: ") }
}
