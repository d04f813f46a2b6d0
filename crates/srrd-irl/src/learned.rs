//! What is learned of a set.

use serde::{Deserialize, Serialize};
use srrd::FrontEnd;
use srrd::NamedSample;
use srrd::words::{count, counted};

/// The reward that was learned from one set.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Learned {
    /// The distinct transitions of the set with their rewards; its name, label, features and ends.
    pub sample: NamedSample,
    /// How uncertain the rewards are, in the order of the sample, where that was asked for; NaN where nothing was learned.
    pub std_errors: Option<Vec<f64>>,
    /// Further rewards that explain the demonstrations as well, each in the order of the sample.
    pub draws: Vec<Vec<f64>>,
    /// How it was learned, step by step, where that was asked for.
    pub trace: Vec<Iterate>,
    /// How many iterations it took.
    pub iterations: usize,
    /// The largest element of the gradient per step, at the end, where there is one.
    pub gradient: Option<f64>,
    /// What there is to know before the reward is trusted.
    pub cautions: Vec<Caution>,
}

impl Learned {
    /// A reward without further ado.
    pub fn new(sample: NamedSample) -> Self {
        Learned {
            sample,
            std_errors: None,
            draws: Vec::new(),
            trace: Vec::new(),
            iterations: 0,
            gradient: None,
            cautions: Vec::new(),
        }
    }
}

/// One iteration of learning.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Iterate {
    /// Its number, from 1.
    pub iteration: usize,
    /// What is maximized or minimized, per step.
    pub objective: f64,
    /// The largest element of the gradient, per step, where there is one.
    pub gradient: Option<f64>,
    /// The distance of the reward from that of the iteration before, where it is defined.
    pub distance: Option<f64>,
    /// The share of steps that a discriminator tells right, where there is one.
    pub accuracy: Option<f64>,
    /// What the policy earns per episode, where that is known.
    pub returns: Option<f64>,
}

/// Something to know before a reward is trusted.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub enum Caution {
    /// The spread is the largest, but many rewards have it.
    ManyRewards {
        /// The largest spread.
        spread: f64,
    },
    /// States in which only one action is possible tell nothing.
    SingleAction {
        /// How many.
        states: usize,
        /// Of how many in which somebody acted.
        of: usize,
    },
    /// Learning did not come to its end.
    NotConverged {
        /// After how many iterations it was broken off.
        iterations: usize,
    },
    /// Standard errors and draws were asked for, and could not be made.
    NoSpread,
    /// Pairs of one length cannot tell a constant.
    OpenConstants {
        /// How many groups of rewards there are that were never compared with each other, each with a constant of its own.
        groups: usize,
    },
    /// Rewards that no preference depends on.
    Unjudged {
        /// How many.
        unknowns: usize,
        /// Of how many.
        of: usize,
    },
    /// No preference contradicts another.
    Separable,
    /// What was shown agrees with the same reward everywhere.
    TellsNothing,
    /// Nobody said how some episodes ended: they count as going on.
    EndsUnknown {
        /// How many episodes.
        episodes: usize,
    },
}

impl Caution {
    /// A name for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Caution::ManyRewards { .. } => "many_rewards",
            Caution::SingleAction { .. } => "single_action",
            Caution::NotConverged { .. } => "not_converged",
            Caution::NoSpread => "no_spread",
            Caution::OpenConstants { .. } => "open_constants",
            Caution::Unjudged { .. } => "unjudged",
            Caution::Separable => "separable",
            Caution::TellsNothing => "tells_nothing",
            Caution::EndsUnknown { .. } => "ends_unknown",
        }
    }

    /// The caution as a sentence.
    pub fn say(&self, front_end: FrontEnd) -> String {
        match self {
            Caution::ManyRewards { spread } => format!(
                "the largest spread is {spread}, but many rewards reach it, and which one this is depends on the solver: {} has one answer",
                front_end.choice("objective", "near")
            ),
            Caution::SingleAction { states, of } => format!(
                "in {} of {} only one action was ever taken: what is chosen there tells nothing of the reward",
                count(*states),
                counted(*of, "state", "states")
            ),
            Caution::NotConverged { iterations } => format!(
                "learning was broken off after {}, before it had converged: allow more with {}",
                counted(*iterations, "iteration", "iterations"),
                front_end.option("iterations")
            ),
            Caution::NoSpread => "there are no standard errors and no draws: choices depend on so many states at once that their equations \
                                  cannot be factorized"
                .to_owned(),
            Caution::OpenConstants { groups: 1 } => {
                "a constant added to all rewards changes no preference, since pairs are of one length: their mean is set to 0".to_owned()
            }
            Caution::OpenConstants { groups } => format!(
                "preferences fall into {} that are never compared with each other: each has a constant of its own that they cannot \
                 tell, and the mean 0",
                counted(*groups, "group of rewards", "groups of rewards")
            ),
            Caution::Unjudged { unknowns, of } => {
                format!("no preference depends on {} of {}: these are 0", count(*unknowns), counted(*of, "reward", "rewards"))
            }
            Caution::Separable => format!(
                "no preference contradicts another, so that ever larger rewards would agree ever better: their size is what {} makes it, and \
                 only their order was learned",
                front_end.option("ridge")
            ),
            Caution::TellsNothing => {
                "what was shown favours nothing over anything else: it tells nothing of the reward, which is that of an agent without one"
                    .to_owned()
            }
            Caution::EndsUnknown { episodes } => format!(
                "nobody said how {} ended: they count as going on (a column `terminated` says which ones were over)",
                counted(*episodes, "episode", "episodes")
            ),
        }
    }
}
