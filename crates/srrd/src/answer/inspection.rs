//! What samples hold, how much of what every metric needs was sampled, and whether two of them can be compared.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::used::{GammaSummary, TokenValue};
use crate::advise::{Advice, Reason, advise};
use crate::compare::Pair;
use crate::diagnose::{MetricCoverage, term_coverage};
use crate::estimate::batch::BatchSet;
use crate::metric::Metric;
use crate::problem::Problem;
use crate::question::{Question, Settled};
use crate::run::Pace;
use crate::sample::{DuplicateCounts, NamedSample, RewardSample};
use crate::settings::EstimatorName;
use crate::sure::{NoiseFloor, RewardNoise};
use crate::warning::Warning;

/// How many states and actions there are in all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Space {
    /// All states.
    pub states: f64,
    /// All actions.
    pub actions: f64,
}

/// What was found out about samples.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Inspection {
    /// Each sample by itself.
    pub samples: Vec<SampleFinding>,
    /// How many transitions they share, if there are two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub common: Option<usize>,
    /// Whether they can be compared, if there are two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advised>,
    /// The γ that was used.
    #[serde(skip)]
    pub gamma: f64,
    /// What the estimate of γ came to, where it was found from the samples.
    #[serde(skip)]
    pub gamma_estimate: Option<GammaSummary>,
    /// What to know about the samples.
    pub warnings: Vec<Warning>,
}

/// Where the next states of a sample come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NextStates {
    /// They were given.
    Given,
    /// They are the states of the rows that follow in their episodes.
    Shifted,
    /// There are none: every row ends in one common end state.
    OneStep,
}

/// What was found out about one sample.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SampleFinding {
    /// Its name.
    pub name: String,
    /// Its label.
    pub label: Option<String>,
    /// How many transitions, states and actions it has.
    pub transitions: usize,
    /// How many states.
    pub states: usize,
    /// How many actions.
    pub actions: usize,
    /// How many states start transitions.
    pub initial_states: usize,
    /// How many states only end them.
    pub terminal_states: usize,
    /// How many transitions end an episode; `None` where nobody said.
    pub ending: Option<usize>,
    /// How many transitions had rows that end and rows that do not.
    pub ends_disagree: usize,
    /// Where the same action leads to several states.
    pub chance: Chances,
    /// Where next states come from.
    pub next_states: NextStates,
    /// What was merged.
    pub duplicates: DuplicateCounts,
    /// The share of the explored states and actions that was sampled.
    pub coverage: f64,
    /// The share of the full space, if its size is known.
    pub full_coverage: Option<f64>,
    /// The least, the mean and the largest reward.
    pub reward: [f64; 3],
    /// How noisy the rewards are, where that can be told.
    pub noise: Option<RewardNoise>,
    /// What noise leaves possible between two noisy copies, by each metric.
    pub floors: Vec<MetricNoise>,
    /// How much of every term of every metric was sampled.
    pub terms: Vec<MetricCoverage>,
}

/// How often chance decides where an action leads, and whether rewards depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Chances {
    /// How many pairs (s, a) there are.
    pub pairs: usize,
    /// How many of them lead to several states.
    pub several: usize,
    /// How many of those have rewards that differ from next state to next state.
    pub differing: usize,
}

impl Chances {
    /// O(transitions · log of those of a state).
    fn of(sample: &RewardSample) -> Self {
        let (graph, mut counts) = (&sample.graph, Chances::default());
        let mut rows: Vec<(u32, f64)> = Vec::new();
        let mut pace = Pace::default();
        for s in 0..graph.states() as u32 {
            let edges = graph.out_edges(s);
            let transitions = graph.first_transition(edges.start)..graph.first_transition(edges.end);
            pace.spend(8 * transitions.len());
            rows.clear();
            rows.extend(
                sample.action[transitions.clone()].iter().copied().zip(sample.reward[transitions].iter().copied()),
            );
            rows.sort_unstable_by_key(|row| row.0);
            for rows in rows.chunk_by(|p, q| p.0 == q.0) {
                counts.pairs += 1;
                counts.several += usize::from(rows.len() > 1);
                counts.differing += usize::from(rows.iter().any(|row| row.1 != rows[0].1));
            }
        }
        counts
    }
}

/// What noise leaves possible by one metric.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MetricNoise {
    /// The metric.
    pub metric: Metric,
    /// What is possible.
    pub floor: NoiseFloor,
}

/// Whether two samples can be compared, by which metric, and what would help.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Advised {
    /// The metric to use.
    pub metric: Option<Metric>,
    /// How many transitions they share.
    pub shared: usize,
    /// What shaping can explain on them.
    #[serde(flatten)]
    pub shaping: crate::project::Shaping,
    /// Whether its distance is more than noise.
    pub enough: bool,
    /// What speaks against it.
    pub reasons: Vec<Reason>,
    /// Whether γ makes a difference.
    pub gamma_matters: bool,
    /// What can be compared within states, in one-step problems.
    pub one_step: Option<crate::advise::OneStep>,
    /// What there would be if each sample held the transitions of both.
    pub together: crate::advise::Together,
    /// The states at which more data would help most.
    pub states: Vec<AdvisedState>,
    /// How many such states there are in all.
    #[serde(skip)]
    pub states_in_all: usize,
}

/// A state at which more data would help.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AdvisedState {
    /// The state.
    pub state: TokenValue,
    /// How many degrees of freedom there would be more.
    pub gain: usize,
    /// How many transitions from it the first sample lacks.
    pub lacking_in_a: usize,
    /// How many the second lacks.
    pub lacking_in_b: usize,
}

/// So many states are listed in advice.
const LISTED: usize = 10;

impl Advised {
    fn new(advice: &Advice<'_>) -> Self {
        let state = |gain: &crate::advise::StateGain<'_>| AdvisedState {
            state: gain.state.into(),
            gain: gain.gain,
            lacking_in_a: gain.lacking[0],
            lacking_in_b: gain.lacking[1],
        };
        Advised {
            shared: advice.shared,
            shaping: advice.shaping,
            metric: advice.metric,
            enough: advice.enough,
            reasons: advice.reasons.clone(),
            gamma_matters: advice.gamma_matters,
            one_step: advice.one_step,
            together: advice.together,
            states: advice.states.iter().take(LISTED).map(state).collect(),
            states_in_all: advice.states.len(),
        }
    }
}

/// What samples hold, and how far distances between them can be trusted.
///
/// ```
/// use srrd::{Duplicates, Metric, NamedSample, Options, RewardSample, inspect};
/// let rows = (0..6).flat_map(|s| (0..6).map(move |t| (s, 0, t, f64::from((3 * s + 2 * t) % 7))));
/// let sample = NamedSample::new("all", RewardSample::from_rows(rows, Duplicates::Mean)?);
/// let answer = inspect(&[&sample], &Options::default().question_by(&Metric::SHOWN)?, None)?;
/// assert_eq!(answer.samples[0].coverage, 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// An estimator other than the double batch, a space that is too small, or samples that can share no transition.
pub fn inspect(samples: &[&NamedSample], question: &Question, space: Option<Space>) -> Result<Inspection, Problem> {
    if question.estimator() != EstimatorName::Double {
        return Err(Problem::NothingToInspect { regressed: question.regression().is_some() });
    }
    if let Some(space) = space {
        samples.iter().try_for_each(|named| check_space(named, space))?;
    }
    let mut settled = question.settle(samples)?;
    let warnings = std::mem::take(&mut settled.warnings);
    let mut findings: Vec<SampleFinding> = Vec::with_capacity(samples.len());
    for (i, named) in samples.iter().enumerate() {
        // How much was sampled depends on the transitions alone: samples of the same ones share it.
        let same = samples[..i].iter().position(|other| other.sample.has_transitions_of(&named.sample));
        let known = same.map(|place| findings[place].terms.clone());
        findings.push(SampleFinding::new(named, space, question, &settled, known));
    }
    let pair = match samples {
        [a, b] => Some(Pair::new(&a.sample, &b.sample)),
        _ => None,
    };
    Ok(Inspection {
        samples: findings,
        common: pair.as_ref().map(|pair| pair.common().len()),
        advice: pair.as_ref().map(|pair| Advised::new(&advise(pair, &settled.settings))),
        gamma: settled.settings.gamma.get(),
        gamma_estimate: settled.gamma.as_ref().map(GammaSummary::from),
        warnings,
    })
}

/// A space cannot be smaller than what was seen of it.
fn check_space(named: &NamedSample, Space { states, actions }: Space) -> Result<(), Problem> {
    let seen = [named.sample.states().len(), named.sample.actions().len()];
    if seen[0] as f64 > states || seen[1] as f64 > actions {
        return Err(Problem::SmallSpace { sample: named.name.clone(), seen, space: [states, actions] });
    }
    Ok(())
}

impl SampleFinding {
    fn new(
        named: &NamedSample,
        space: Option<Space>,
        question: &Question,
        settled: &Settled<'_>,
        known: Option<Vec<MetricCoverage>>,
    ) -> Self {
        let sample = &named.sample;
        let terms = || {
            let batch = BatchSet::of(sample, &settled.settings).expect("only the double batch is inspected");
            question.metrics().iter().map(|&metric| term_coverage(sample, metric, &batch)).collect()
        };
        let pair = sample.noise().map(|_| Pair::new(sample, sample));
        let floor = |&metric: &Metric| {
            let floor = pair.as_ref()?.measure(metric, &settled.settings).noise_floor()?;
            Some(MetricNoise { metric, floor })
        };
        SampleFinding {
            name: named.name.clone(),
            label: named.label.clone(),
            transitions: sample.len(),
            states: sample.states().len(),
            actions: sample.actions().len(),
            initial_states: sample.initial_states().count(),
            terminal_states: sample.terminal_states().count(),
            ending: sample.ends().count(sample.len()),
            ends_disagree: sample.ends().disagreeing(),
            chance: Chances::of(sample),
            next_states: match (named.one_step, named.shifted) {
                (true, _) => NextStates::OneStep,
                (false, true) => NextStates::Shifted,
                (false, false) => NextStates::Given,
            },
            duplicates: sample.duplicates(),
            coverage: sample.coverage(),
            full_coverage: space.map(|space| sample.coverage_of(space.states, space.actions)),
            reward: reward_range(sample),
            noise: sample.noise(),
            floors: question.metrics().iter().filter_map(floor).collect(),
            terms: known.unwrap_or_else(terms),
        }
    }
}

/// The least, the mean and the largest reward.
fn reward_range(sample: &RewardSample) -> [f64; 3] {
    let rewards = sample.rewards();
    let low = rewards.iter().copied().fold(f64::INFINITY, f64::min);
    let high = rewards.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    [low, rewards.iter().sum::<f64>() / rewards.len() as f64, high]
}

#[derive(Serialize)]
struct RewardEntries {
    least: f64,
    mean: f64,
    largest: f64,
}

#[derive(Serialize)]
struct NoiseEntries {
    variance: f64,
    degrees_of_freedom: usize,
    merged_variance: f64,
    floors: Vec<FloorEntries>,
}

#[derive(Serialize)]
struct FloorEntries {
    metric: Metric,
    share: f64,
    largest_correlation: f64,
    smallest_distance: f64,
}

#[derive(Serialize)]
struct CoverageEntries {
    metric: Metric,
    forward: Option<f64>,
    non_forward: Option<f64>,
}

#[derive(Serialize)]
struct TermEntries {
    metric: Metric,
    term: &'static str,
    forward: bool,
    sampled: f64,
    needed: f64,
    fraction: Option<f64>,
}

impl Serialize for SampleFinding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let [least, mean, largest] = self.reward;
        let noise = self.noise.map(|noise| NoiseEntries {
            variance: noise.variance,
            degrees_of_freedom: noise.degrees_of_freedom,
            merged_variance: noise.merged_variance,
            floors: (self.floors.iter())
                .map(|MetricNoise { metric, floor }| FloorEntries {
                    metric: *metric,
                    share: floor.share[0],
                    largest_correlation: floor.correlation,
                    smallest_distance: floor.distance,
                })
                .collect(),
        });
        let metrics = self.terms.iter().map(|coverage| CoverageEntries {
            metric: coverage.metric,
            forward: coverage.fraction(true),
            non_forward: coverage.fraction(false),
        });
        let terms = self.terms.iter().flat_map(|coverage| coverage.terms.iter().map(|term| (coverage.metric, term)));
        let terms = terms.map(|(metric, term)| TermEntries {
            metric,
            term: term.name,
            forward: term.forward,
            sampled: term.sampled,
            needed: term.needed,
            fraction: term.fraction(),
        });
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("label", &self.label)?;
        map.serialize_entry("transitions", &self.transitions)?;
        map.serialize_entry("states", &self.states)?;
        map.serialize_entry("actions", &self.actions)?;
        map.serialize_entry("initial_states", &self.initial_states)?;
        map.serialize_entry("terminal_states", &self.terminal_states)?;
        map.serialize_entry("ending", &self.ending)?;
        map.serialize_entry("ends_disagree", &self.ends_disagree)?;
        map.serialize_entry("chance", &self.chance)?;
        map.serialize_entry("next_states", &self.next_states)?;
        map.serialize_entry("rows", &self.duplicates.rows)?;
        map.serialize_entry("repeated", &self.duplicates.repeated)?;
        map.serialize_entry("averaged", &self.duplicates.averaged)?;
        map.serialize_entry("coverage", &self.coverage)?;
        map.serialize_entry("full_coverage", &self.full_coverage)?;
        map.serialize_entry("reward", &RewardEntries { least, mean, largest })?;
        map.serialize_entry("noise", &noise)?;
        map.serialize_entry("metrics", &metrics.collect::<Vec<_>>())?;
        map.serialize_entry("terms", &terms.collect::<Vec<_>>())?;
        map.end()
    }
}
