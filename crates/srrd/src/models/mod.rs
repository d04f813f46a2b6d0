//! Reward models side by side: several scores of the same responses to the same prompts.
//!
//! A table of prompts and responses is a one-step problem. What shaping can add there is a number per prompt, and agents choose among the
//! responses of one prompt. So only differences within prompts count. For every pair of models A and B, with a and b their scores of the
//! responses of a prompt:
//!
//! - **distance**: that of [`projected`](crate::metric): D = sqrt((1 − c) / 2), c the cosine of the scores less their means by prompt;
//! - **accuracy**: of the pairs of responses of one prompt that neither model scores equal, the share that both order alike; also by how
//!   far B's scores are apart, in B's standard deviations within prompts;
//! - **tau_b**: the mean of Kendall's τ_b over the prompts where it is defined;
//! - **top1**: the share of prompts whose best response is the same. Among equally good ones each is taken as often;
//! - **best of n**: what is lost in b when the best of n responses is chosen by a instead of by b (`best_of_n`), as a mean over the prompts
//!   with at least n responses, in B's standard deviations within prompts. The mean over all choices of n among the m responses is
//!   V_n = Σ_k b_(k) · C(k − 1, n − 1) / C(m, n), b_(k) being B's score of the k-th lowest response by A; among equal ones the mean counts.
//!
//! The standard deviation within prompts is sqrt(Σ (b − mean of its prompt)² / (responses − prompts)), over prompts with at least two
//! responses. Prompts with a single response say nothing and are counted apart.
//!
//! A model need not score all responses, as where each reward function of a run is for some tasks only. Of every pair the responses count that both
//! score; how many these are is said of each pair ([`ModelPair::responses`]).
//!
//! Prompts may come in **groups**, by a criterion or by the step of training: the same prompt in two groups is two prompts. Every group has
//! numbers of its own, and over training places are looked for where the distance changes ([`Change`], `training.rs`). **Length and format**
//! of the responses explain a share of what two models disagree about ([`Explained`], `nuisance.rs`).
//!
//! **Intervals** are bootstraps over prompts. Every number is made of sums over prompts, so that a draw only adds sums up. More than
//! [`MOST_GROUPS`] prompts are dealt into that many groups first, which are then drawn: as good for independent prompts, and as fast for
//! millions of them. Where fewer than [`LEAST_TELLING`] prompts tell something of a number, or all draws are alike, there is no interval: the
//! bootstrap cannot tell.
//!
//! O(Σ m²) for prompts of m responses, O(m log m) for large ones; by margin only prompts of up to [`MOST_PAIRED`] responses are counted.

mod compare;
mod join;
mod json;
mod nuisance;
mod prompt;
mod resample;
mod sums;
mod training;

pub use compare::{compare_grouped, compare_models};
pub use join::shared_responses;
pub use nuisance::Explained;
pub use resample::{LEAST_TELLING, MOST_GROUPS};
pub use training::{Change, GroupNumbers, LEAST_PIECES, LEAST_PROMPTS, LEVEL, MOST_PIECES, ORDERS};

use serde::Serialize;
use thiserror::Error;

use crate::answer::TokenValue;
use crate::problem::FrontEnd;
use crate::sample::NamedSample;
use crate::sure::{Draws, Level, Range};

/// Larger prompts are not counted by margin: that takes all pairs of responses.
pub const MOST_PAIRED: usize = 2000;
/// How many responses the best is chosen from.
pub const BEST_OF: [usize; 6] = [2, 4, 8, 16, 32, 64];
/// Lower ends of the margins by which accuracies are shown, in standard deviations within prompts.
pub const MARGINS: [f64; 4] = [0.0, 0.5, 1.0, 2.0];
/// Of the largest score: what of a difference within prompts is rounding.
const ROUNDING: f64 = 1e-12;

/// What is asked about models.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelSettings {
    /// The level of the intervals.
    pub level: Level,
    /// How many draws they make.
    pub draws: Draws,
    /// The seed of the draws.
    pub seed: u64,
    /// Of each pair, how many of the prompts on which the models disagree most.
    pub top: usize,
}

impl Default for ModelSettings {
    fn default() -> Self {
        ModelSettings { level: Level::default(), draws: Draws::default(), seed: 0, top: 3 }
    }
}

/// Why models cannot be compared.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelsError {
    /// Nothing to compare with.
    #[error("models are compared with one another, and there is only '{0}': name at least two reward columns")]
    One(String),
    /// Not a table of prompts and responses.
    #[error("{}", has_next_states(.0, "srrd distance"))]
    NotOneStep(String),
    /// Not the same responses.
    #[error("'{0}' and '{1}' do not score the same responses: put their scores into columns of one table")]
    Elsewhere(String, String),
    /// No prompt has two responses.
    #[error("no prompt has two different responses: what a model prefers cannot be seen")]
    NoChoice,
    /// No prompt has two responses in one sample; this column names samples.
    #[error(
        "no prompt has two different responses in one sample: what a model prefers cannot be seen; the column `{0}` is read as the sample \
         that a row belongs to: rename it if it means something else, such as the number of a response"
    )]
    NoChoiceInSamples(String),
    /// Tables that share nothing.
    #[error("'{0}' and '{1}' score no response in common: prompts and responses must be written alike")]
    NothingShared(String, String),
    /// Columns of which rows never have two.
    #[error("no two responses to one prompt are scored by both '{0}' and '{1}': they cannot be compared")]
    NeverTogether(String, String),
    /// Groups with other models.
    #[error("the groups '{0}' and '{1}' do not have the same models")]
    OtherModels(String, String),
    /// What should be the step of training is none.
    #[error("{}", no_step(.0, FrontEnd::Command))]
    NoStep(String),
    /// The reference is none of the models.
    #[error("there is no model '{0}' to hold the others against: there are {1}")]
    NoGold(String, String),
}

impl ModelsError {
    /// One sentence, with options and commands as this front end writes them.
    ///
    /// ```
    /// use srrd::{FrontEnd, models::ModelsError};
    /// assert!(ModelsError::NoStep("x".to_owned()).say(FrontEnd::Python).ends_with("there is `criterion`"));
    /// ```
    pub fn say(&self, front_end: FrontEnd) -> String {
        match (front_end, self) {
            (FrontEnd::Python, ModelsError::NoStep(step)) => no_step(step, front_end),
            (FrontEnd::Python, ModelsError::NotOneStep(name)) => has_next_states(name, "srrd.distance"),
            _ => self.to_string(),
        }
    }
}

fn no_step(step: &str, front_end: FrontEnd) -> String {
    format!(
        "'{step}' is no number: steps of training are; for other groups there is `{}`",
        front_end.option("criterion")
    )
}

fn has_next_states(name: &str, instead: &str) -> String {
    format!("'{name}' has next states: prompts and responses have none, so compare it with `{instead}` instead")
}

/// Scores of some prompts by all models.
#[derive(Clone, Debug)]
pub struct ModelGroup<'a> {
    /// What the prompts have in common; empty when they are all there are.
    pub name: String,
    /// By model, its scores; the responses are the same.
    pub models: Vec<&'a NamedSample>,
    /// By model, which of the responses it scores; `None`, or nothing for a model: all. What it says of the others does not count.
    pub scored: Vec<Option<&'a [bool]>>,
    /// Properties of these responses that are no merit: first their length, then whatever their format is told by. At most four.
    pub nuisances: Vec<&'a NamedSample>,
}

/// What the groups of prompts are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Criteria, in any order; the column that names them.
    Criterion(String),
    /// Steps of training; the column that numbers them.
    Step(String),
}

/// Models side by side.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelComparison {
    /// How many prompts have at least two responses. Where models do not score all of them, pairs have fewer.
    pub prompts: usize,
    /// How many responses these have.
    pub responses: usize,
    /// How many prompts have a single response, which says nothing.
    pub single: usize,
    /// How many rows repeated a response of the same prompt, word by word, and were merged with it.
    pub repeated: usize,
    /// How many prompts are in more than one group: in each they count as a prompt of its own.
    pub returning: usize,
    /// The models, in the order of their columns.
    pub models: Vec<ModelSummary>,
    /// What was found of each pair.
    pub pairs: Vec<ModelPair>,
    /// The level of the intervals.
    pub level: f64,
    /// How many prompts are too large to be counted by margin.
    pub unpaired: usize,
    /// What prompts are grouped by.
    pub grouping: Option<Grouping>,
}

/// One model.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ModelSummary {
    /// Its name: that of the column.
    pub name: String,
    /// The standard deviation of its scores within prompts.
    pub deviation: f64,
    /// Whether it scores all responses of every prompt alike.
    pub constant: bool,
}

/// A number with its interval; without one where it is undefined.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Estimated {
    /// The number.
    pub value: Option<f64>,
    /// Its interval, where more than half of the draws have the number, they differ, and at least [`LEAST_TELLING`] prompts tell something of it.
    pub interval: Option<Range>,
}

/// Two models side by side.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelPair {
    /// The first model.
    pub a: String,
    /// The second model, by whose scores losses and margins are measured.
    pub b: String,
    /// How many prompts have at least two responses that both score.
    pub prompts: usize,
    /// How many such responses these have.
    pub responses: usize,
    /// How far apart they are within prompts.
    pub distance: Estimated,
    /// How often they order two responses alike.
    pub accuracy: Estimated,
    /// The mean of Kendall's τ_b.
    pub tau_b: Estimated,
    /// How often they like the same response best.
    pub top1: Estimated,
    /// By n, what B loses when A chooses the best of n.
    pub best_of_n: Vec<BestOf>,
    /// Accuracies by how far B's scores are apart.
    pub by_margin: Vec<ByMargin>,
    /// The prompts that carry most of the distance.
    pub disagreements: Vec<Disagreement>,
    /// How much of the distance length and format of the responses explain, where responses are texts.
    pub explained: Vec<Explained>,
    /// The numbers of every group, where prompts are grouped.
    pub groups: Vec<GroupNumbers>,
    /// Over training, where the distance changes; `None` where there are too few steps to tell, or none.
    pub changes: Option<Vec<Change>>,
}

/// What is lost when another model chooses the best of n.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BestOf {
    /// n
    pub n: usize,
    /// The Kullback-Leibler divergence of the best of n from a random response, ln n − (n − 1)/n.
    pub divergence: f64,
    /// How many prompts have so many responses.
    pub prompts: usize,
    /// The loss in B's scores when A chooses, in B's standard deviations within prompts.
    pub loss: Estimated,
    /// The loss in A's scores when B chooses, in A's.
    pub loss_of_a: Estimated,
}

/// How often pairs of responses are ordered alike whose scores are this far apart.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ByMargin {
    /// The least difference of B's scores, in B's standard deviations within prompts. The next one's is the most.
    pub least: f64,
    /// How many pairs of responses.
    pub pairs: u64,
    /// The share of them that both order alike.
    pub accuracy: Estimated,
}

impl Disagreement {
    /// Whether the models rank the two responses oppositely.
    pub fn opposed(&self) -> bool {
        self.apart[0] > 0.0 && self.apart[1] < 0.0
    }
}

/// A prompt on which two models disagree.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Disagreement {
    /// The prompt; a long one as its beginning and a hash.
    pub prompt: TokenValue,
    /// Its share of the squared distance.
    pub share: f64,
    /// The response that A likes best.
    pub best_of_a: TokenValue,
    /// The response that B likes best.
    pub best_of_b: TokenValue,
    /// Two of its responses: those that the models rank oppositely with the largest difference, the first being the one that A prefers.
    /// Where none are ranked oppositely, those whose scores differ most from one model to the other.
    pub between: [TokenValue; 2],
    /// How far the first is above the second by A and by B, each in its own standard deviations within prompts.
    pub apart: [f64; 2],
}
