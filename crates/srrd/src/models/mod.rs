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
//! **Intervals** are bootstraps over prompts. Every number is made of sums over prompts, so that a draw only adds sums up. More than
//! [`MOST_GROUPS`] prompts are dealt into that many groups first, which are then drawn: as good for independent prompts, and as fast for
//! millions of them.
//!
//! O(Σ m²) for prompts of m responses, O(m log m) for large ones; by margin only prompts of up to [`MOST_PAIRED`] responses are counted.

mod prompt;
mod resample;

pub use resample::MOST_GROUPS;

use rayon::prelude::*;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use thiserror::Error;

use crate::answer::TokenValue;
use crate::run::checkpoint;
use crate::sample::NamedSample;
use crate::sure::{Draws, Level, Range};
use prompt::{Counted, Scores, Sums, Workspace};

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
    #[error("'{0}' has next states: prompts and responses have none, so compare it with `srrd distance` instead")]
    NotOneStep(String),
    /// Not the same responses.
    #[error("'{0}' and '{1}' do not score the same responses: put their scores into columns of one table")]
    Elsewhere(String, String),
    /// No prompt has two responses.
    #[error("no prompt has two different responses: what a model prefers cannot be seen")]
    NoChoice,
    /// The reference is none of the models.
    #[error("there is no model '{0}' to hold the others against: there are {1}")]
    NoGold(String, String),
}

/// Models side by side.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelComparison {
    /// How many prompts have at least two responses.
    pub prompts: usize,
    /// How many responses these have.
    pub responses: usize,
    /// How many prompts have a single response, which says nothing.
    pub single: usize,
    /// How many rows repeated a response of the same prompt, word by word, and were merged with it.
    pub repeated: usize,
    /// The models, in the order of their columns.
    pub models: Vec<ModelSummary>,
    /// What was found of each pair.
    pub pairs: Vec<ModelPair>,
    /// The level of the intervals.
    pub level: f64,
    /// How many prompts are too large to be counted by margin.
    pub unpaired: usize,
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
    /// Its interval, where more than half of the draws have the number.
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

/// A prompt on which two models disagree.
#[derive(Clone, Debug, PartialEq)]
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
}

/// Compares all pairs of models; with `gold`, that one is the second of every pair it is in.
///
/// ```
/// use srrd::models::{ModelSettings, compare_models};
/// use srrd::sample::Ends;
/// use srrd::{Duplicates, NamedSample, RewardSample};
/// let rows = (0..20).flat_map(|p| (0..4).map(move |r| (p, 100 * p + r, -1, f64::from(r * r))));
/// let sample = RewardSample::from_rows(rows, Duplicates::Mean)?.with_ends(Ends::all())?;
/// let shifted = sample.with_rewards(sample.transitions().map(|t| t.reward + t.state.as_int().unwrap() as f64).collect())?;
/// let named = |name: &str, sample| NamedSample { one_step: true, ..NamedSample::new(name, sample) };
/// let found = compare_models(&[named("old", sample), named("new", shifted)], None, &ModelSettings::default())?;
/// assert_eq!((found.prompts, found.responses), (20, 80));
/// assert!(found.pairs[0].distance.value.unwrap() < 1e-9); // a shift per prompt changes no choice
/// assert_eq!(found.pairs[0].top1.value, Some(1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When there is nothing to compare, or the models do not score the same responses.
pub fn compare_models(
    models: &[NamedSample],
    gold: Option<&str>,
    settings: &ModelSettings,
) -> Result<ModelComparison, ModelsError> {
    check(models)?;
    let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
    let gold = match gold {
        None => None,
        Some(name) => Some(
            names
                .iter()
                .position(|known| *known == name)
                .ok_or_else(|| ModelsError::NoGold(name.to_owned(), names.join(", ")))?,
        ),
    };
    let scores = Scores::new(models);
    if scores.prompts() == 0 {
        return Err(ModelsError::NoChoice);
    }
    let groups = resample::Groups::new(scores.prompts(), settings);
    let mut pairs = Vec::new();
    for i in 0..models.len() {
        for j in i + 1..models.len() {
            // The reference comes second.
            let (a, b) = if gold == Some(i) { (j, i) } else { (i, j) };
            pairs.push(compare_pair(&scores, models, [a, b], &groups, settings));
        }
    }
    // Held against the reference first.
    pairs.sort_by_key(|pair| gold.is_some_and(|gold| pair.b != names[gold]));
    let sample = &models[0].sample;
    Ok(ModelComparison {
        prompts: scores.prompts(),
        responses: scores.responses(),
        single: scores.single,
        repeated: sample.duplicates().repeated,
        models: (names.iter().enumerate())
            .map(|(model, name)| ModelSummary {
                name: (*name).to_owned(),
                deviation: scores.deviation[model],
                constant: scores.constant[model],
            })
            .collect(),
        pairs,
        level: settings.level.get(),
        unpaired: scores.sizes().filter(|size| *size > MOST_PAIRED).count(),
    })
}

fn check(models: &[NamedSample]) -> Result<(), ModelsError> {
    let [first, others @ ..] = models else { return Err(ModelsError::NoChoice) };
    if others.is_empty() {
        return Err(ModelsError::One(first.name.clone()));
    }
    if let Some(other) = models.iter().find(|model| !model.one_step) {
        return Err(ModelsError::NotOneStep(other.name.clone()));
    }
    let same = |other: &&NamedSample| {
        let (ours, theirs) = (&first.sample, &other.sample);
        ours.graph == theirs.graph
            && ours.action == theirs.action
            && ours.states == theirs.states
            && ours.actions == theirs.actions
    };
    match others.iter().find(|other| !same(other)) {
        Some(other) => Err(ModelsError::Elsewhere(first.name.clone(), other.name.clone())),
        None => Ok(()),
    }
}

fn compare_pair(
    scores: &Scores<'_>,
    models: &[NamedSample],
    [a, b]: [usize; 2],
    groups: &resample::Groups,
    settings: &ModelSettings,
) -> ModelPair {
    checkpoint();
    let constant = scores.constant[a] || scores.constant[b];
    let counted: Vec<Counted> = (0..scores.prompts())
        .into_par_iter()
        .with_min_len(256)
        .map_init(Workspace::default, |workspace, prompt| {
            checkpoint();
            scores.count(prompt, [a, b], workspace)
        })
        .collect();
    let found = groups.estimates(&counted);
    let estimate = |number: fn(&Sums) -> Option<f64>| if constant { Estimated::default() } else { found.of(number) };
    let largest = scores.sizes().max().unwrap_or(0);
    let mut distance = estimate(Sums::distance);
    if let Some(value) = &mut distance.value {
        // Where rewards are nearly the same, 1 − c has lost its digits.
        *value = scores.distance([a, b]);
    }
    let disagreements = if constant { Vec::new() } else { disagreements(scores, &models[0], [a, b], settings.top) };
    ModelPair {
        a: models[a].name.clone(),
        b: models[b].name.clone(),
        distance,
        accuracy: estimate(Sums::accuracy),
        tau_b: estimate(Sums::tau_b),
        top1: estimate(Sums::top1),
        best_of_n: (BEST_OF.into_iter().enumerate())
            .take_while(|(_, n)| *n <= largest)
            .map(|(place, n)| BestOf {
                n,
                divergence: (n as f64).ln() - (n - 1) as f64 / n as f64,
                prompts: scores.sizes().filter(|size| *size >= n).count(),
                loss: if constant { Estimated::default() } else { found.of(|sums| sums.loss(place, 0)) },
                loss_of_a: if constant { Estimated::default() } else { found.of(|sums| sums.loss(place, 1)) },
            })
            .collect(),
        by_margin: (MARGINS.into_iter().enumerate())
            .map(|(place, least)| ByMargin {
                least,
                pairs: found.total.pairs_at(place),
                accuracy: found.of(|sums| sums.accuracy_at(place)),
            })
            .collect(),
        disagreements,
    }
}

/// The prompts that carry most of the squared distance, the largest first.
fn disagreements(scores: &Scores<'_>, first: &NamedSample, pair: [usize; 2], top: usize) -> Vec<Disagreement> {
    let mut shares: Vec<(f64, usize)> =
        (0..scores.prompts()).map(|prompt| (scores.squares(prompt, pair), prompt)).collect();
    let all: f64 = shares.iter().map(|(share, _)| share).sum();
    shares.retain(|(share, _)| *share > ROUNDING * ROUNDING);
    shares.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
    let shown = shares.into_iter().take(top).map(|(share, prompt)| {
        let best = pair.map(|model| first.sample.transition(scores.best(prompt, model)).action.into());
        let [best_of_a, best_of_b] = best;
        let prompt = first.sample.transition(scores.rows(prompt).start).state.into();
        Disagreement { prompt, share: share / all, best_of_a, best_of_b }
    });
    shown.collect()
}

impl Serialize for ModelComparison {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("prompts", &self.prompts)?;
        map.serialize_entry("responses", &self.responses)?;
        map.serialize_entry("single", &self.single)?;
        map.serialize_entry("repeated", &self.repeated)?;
        let names: Vec<&str> = self.models.iter().map(|model| model.name.as_str()).collect();
        map.serialize_entry("models", &names)?;
        map.serialize_entry("summaries", &self.models)?;
        map.serialize_entry("level", &self.level)?;
        map.serialize_entry("unpaired", &self.unpaired)?;
        map.serialize_entry("pairs", &self.pairs)?;
        map.end()
    }
}

/// An interval as a list of its two ends.
fn ends(estimated: &Estimated) -> Option<[f64; 2]> {
    estimated.interval.map(|range| [range.low, range.high])
}

impl Serialize for ModelPair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("a", &self.a)?;
        map.serialize_entry("b", &self.b)?;
        let numbers =
            [("distance", &self.distance), ("accuracy", &self.accuracy), ("tau_b", &self.tau_b), ("top1", &self.top1)];
        for (name, estimated) in numbers {
            map.serialize_entry(name, &estimated.value)?;
        }
        let by_n = |of: fn(&BestOf) -> Option<f64>| -> std::collections::BTreeMap<usize, Option<f64>> {
            self.best_of_n.iter().map(|best| (best.n, of(best))).collect()
        };
        map.serialize_entry("best_of_n", &by_n(|best| best.loss.value))?;
        map.serialize_entry("best_of_n_by_b", &by_n(|best| best.loss_of_a.value))?;
        let divergence = by_n(|best| Some(best.divergence));
        map.serialize_entry("divergence", &divergence)?;
        let mut intervals = intervals_of(&numbers);
        for best in &self.best_of_n {
            intervals.insert(format!("best_of_n.{}", best.n), ends(&best.loss));
            intervals.insert(format!("best_of_n_by_b.{}", best.n), ends(&best.loss_of_a));
        }
        map.serialize_entry("intervals", &intervals)?;
        map.serialize_entry("by_margin", &self.by_margin)?;
        map.serialize_entry("disagreements", &self.disagreements)?;
        map.end()
    }
}

fn intervals_of(numbers: &[(&str, &Estimated)]) -> std::collections::BTreeMap<String, Option<[f64; 2]>> {
    numbers.iter().map(|(name, estimated)| ((*name).to_owned(), ends(estimated))).collect()
}

impl Serialize for ByMargin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("least", &self.least)?;
        map.serialize_entry("pairs", &self.pairs)?;
        map.serialize_entry("accuracy", &self.accuracy.value)?;
        map.serialize_entry("interval", &ends(&self.accuracy))?;
        map.end()
    }
}

impl Serialize for Disagreement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("prompt", &self.prompt)?;
        map.serialize_entry("share", &self.share)?;
        map.serialize_entry("best_of_a", &self.best_of_a)?;
        map.serialize_entry("best_of_b", &self.best_of_b)?;
        map.end()
    }
}
