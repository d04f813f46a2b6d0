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
    /// Nets that see one number per state would need more memory than there is.
    ManyStates {
        /// The set.
        set: String,
        /// How many states its model has.
        states: usize,
        /// How many steps it has.
        steps: usize,
    },
    /// An environment that fails, or that demonstrations do not fit.
    Environment {
        /// The set.
        set: String,
        /// What is wrong.
        why: String,
    },
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
        error: Box<TrajectoryError>,
    },
    /// Given probabilities of a pair that are no distribution.
    Distribution {
        /// s
        state: String,
        /// a
        action: String,
        /// What is wrong with them.
        why: String,
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
    /// No state in which there was something to choose.
    NoChoice {
        /// The set.
        set: String,
    },
    /// Functions of features of states that have none.
    NoFeatures {
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
    /// No preferences.
    NoPreferences,
    /// One name, two episodes.
    EpisodeTwice {
        /// The name.
        episode: String,
    },
    /// A preference about an episode that is not there.
    UnknownEpisode {
        /// The row of the preferences, from 1.
        row: usize,
        /// `better` or `worse`.
        column: &'static str,
        /// The episode.
        episode: String,
    },
    /// A preference of an episode to itself.
    PreferredToItself {
        /// The row of the preferences, from 1.
        row: usize,
        /// The episode.
        episode: String,
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
    /// That an option does not take its value.
    pub(crate) fn value(option: &'static str, why: &str) -> Self {
        Problem::Value { option, why: why.to_owned() }
    }

    /// That λ cannot be used, where it cannot.
    pub(crate) fn check_ridge(ridge: f64) -> Result<(), Self> {
        match (1e-9..=1e9).contains(&ridge) {
            true => Ok(()),
            false => Err(Problem::value("ridge", "it must lie between 1e-9 and 1e9")),
        }
    }

    /// The problem as a sentence.
    pub fn say(&self, front_end: FrontEnd) -> String {
        match self {
            Problem::NoSets => "there are no demonstrations".to_owned(),
            Problem::ManyStates { set, states, steps } => format!(
                "{}nets see one number per state, and {states} states in each of {steps} steps are too many: use the exact generator, or \
                 discretize states first",
                of(set)
            ),
            Problem::Environment { set, why } => format!("{}{why}", of(set)),
            Problem::Ptirl { set, problem } => format!("{}{}", of(set), problem.say(front_end)),
            Problem::NoSteps { set } => format!("{}there are no steps to learn from", of(set)),
            Problem::OtherFeatures { sets: [one, other] } => format!(
                "the sets '{one}' and '{other}' describe their states or actions by different columns: learn from them one by one"
            ),
            Problem::TooLarge => "there are more states or actions than 32-bit numbers can tell apart".to_owned(),
            Problem::Trajectories { set, error } => format!("{}{error}", of(set)),
            Problem::Distribution { state, action, why } => {
                format!("{}: the probabilities of state {state} and action {action} {why}", front_end.option("model"))
            }
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
                front_end.choice("reward", "state-action")
            ),
            Problem::NoChoice { set } => format!(
                "{}in no state were two different actions taken, so that nothing can be learned of the reward: add demonstrations, or \
                 count where actions lead from all sets with {}",
                of(set),
                front_end.choice("model", "pooled")
            ),
            Problem::NoFeatures { set } => format!(
                "{}states have no features: functions of features need columns such as `state.x`; use {} for states that are names",
                of(set),
                front_end.choice("form", "free")
            ),
            Problem::Diverged { set, iteration } => {
                format!("{}learning diverged in iteration {iteration}: rewards are not finite any more", of(set))
            }
            Problem::NoPreferences => "there are no preferences to learn from".to_owned(),
            Problem::EpisodeTwice { episode } => {
                format!("there are two episodes '{episode}': preferences cannot tell them apart")
            }
            Problem::UnknownEpisode { row, column, episode } => format!(
                "row {row} of the preferences, column `{column}`: it names the episode '{episode}', which the demonstrations do not hold"
            ),
            Problem::PreferredToItself { row, episode } => format!(
                "row {row} of the preferences prefers the episode '{episode}' to itself: drop the row (a tie is two rows, one in each order)"
            ),
            Problem::Value { option, why } => format!("{}: {why}", front_end.option(option)),
        }
    }
}

/// How a message about a set begins.
fn of(set: &str) -> String {
    if set.is_empty() { String::new() } else { format!("{set}: ") }
}
