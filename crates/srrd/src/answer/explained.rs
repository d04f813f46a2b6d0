//! Where two samples differ.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::comparison::{SampleSummary, distance_entries};
use super::used::{TokenValue, Used};
use crate::compare::{Distance, Pair};
use crate::explain::{Contribution, Explanation};
use crate::metric::Metric;
use crate::problem::Problem;
use crate::question::Question;
use crate::sample::NamedSample;
use crate::warning::Warning;

/// Two samples, their distance, and what carries it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explained {
    /// The first sample.
    pub a: SampleSummary,
    /// The second sample.
    pub b: SampleSummary,
    /// The settings.
    pub used: Used,
    /// The metric.
    pub metric: Metric,
    /// The distance.
    pub distance: Distance,
    /// What every shared transition and state carries, by number; `None` where the distance is undefined.
    pub explanation: Option<Explanation>,
    /// The transitions that carry most, as many as were asked for.
    pub transitions: Vec<ExplainedTransition>,
    /// The states that carry most, as many as were asked for.
    pub states: Vec<ExplainedState>,
    /// Whether the samples have no next states.
    pub one_step: bool,
    /// What to know before the numbers are trusted.
    pub warnings: Vec<Warning>,
}

/// A shared transition and what it carries.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExplainedTransition {
    /// s
    pub state: TokenValue,
    /// a
    pub action: TokenValue,
    /// s'; `None` where there are no next states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_state: Option<TokenValue>,
    /// Its reward in the first sample.
    pub reward_a: f64,
    /// Its reward in the second sample.
    pub reward_b: f64,
    /// Its canonical reward in the first sample.
    pub canonical_a: f64,
    /// Its canonical reward in the second sample.
    pub canonical_b: f64,
    /// The first canonical reward less the second, each in its own standard deviations.
    pub difference: f64,
    /// Its share of the squared distance.
    pub share: f64,
}

/// A state and what it carries.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExplainedState {
    /// The state.
    pub state: TokenValue,
    /// How many shared transitions start in it.
    pub transitions: usize,
    /// The share of the squared distance that these carry.
    pub starting: f64,
    /// The share that transitions to it carry.
    pub ending: f64,
}

/// Where two samples differ: the `top` transitions and states that carry most of their distance.
///
/// ```
/// use srrd::{Duplicates, NamedSample, Options, RewardSample, explain};
/// let rows = (0..6).flat_map(|s| (0..6).map(move |t| (s, 0, t, f64::from((3 * s + 2 * t) % 7))));
/// let a = NamedSample::new("a", RewardSample::from_rows(rows, Duplicates::Mean)?);
/// let mut rewards = a.sample.rewards().to_vec();
/// rewards[8] += 10.0;
/// let b = NamedSample::new("b", a.sample.with_rewards(rewards)?);
/// let answer = explain(&a, &b, &Options::default().question()?, 1)?;
/// assert_eq!(answer.transitions[0].reward_b - answer.transitions[0].reward_a, 10.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Several metrics, samples that can share no transition, or that the estimator cannot take.
pub fn explain(a: &NamedSample, b: &NamedSample, question: &Question, top: usize) -> Result<Explained, Problem> {
    let question = &question.fitting(&[a, b]);
    let metric = question.metric("an explanation is")?;
    let mut settled = question.settle(&[a, b])?;
    let used = Used::new(question, &settled);
    let mut warnings = std::mem::take(&mut settled.warnings);
    let pair = Pair::new(&settled.samples[0].sample, &settled.samples[1].sample);
    let measured = pair.measure(metric, &settled.settings);
    let (distance, explanation) = (measured.distance(), measured.explanation().ok());
    warnings.extend(Warning::of_distances(&[(metric, distance)], settled.settings.min_common));
    warnings.extend(Warning::of_forms(&pair));
    let transition = |c: &Contribution| {
        let (ours, theirs) = (a.sample.transition(c.a as usize), b.sample.transition(c.b as usize));
        ExplainedTransition {
            state: ours.state.into(),
            action: ours.action.into(),
            next_state: (!a.one_step).then(|| ours.next_state.into()),
            reward_a: ours.reward,
            reward_b: theirs.reward,
            canonical_a: c.canonical[0],
            canonical_b: c.canonical[1],
            difference: c.difference,
            share: c.share,
        }
    };
    let state = |state: &crate::explain::StateShare| ExplainedState {
        state: a.sample.states().token(state.state).into(),
        transitions: state.started,
        starting: state.starting,
        ending: state.ending,
    };
    let (mut transitions, mut states) = (Vec::new(), Vec::new());
    if let Some(explanation) = &explanation {
        transitions.extend(explanation.transitions.iter().take(top).map(transition));
        states.extend(explanation.states.iter().take(top).map(state));
    }
    Ok(Explained {
        a: SampleSummary::new(a),
        b: SampleSummary::new(b),
        used,
        metric,
        distance,
        explanation,
        transitions,
        states,
        one_step: a.one_step,
        warnings,
    })
}

impl Serialize for Explained {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("a", &self.a)?;
        map.serialize_entry("b", &self.b)?;
        map.serialize_entry("common", &self.distance.common)?;
        self.used.entries(&mut map)?;
        map.serialize_entry("settings", &self.used)?;
        map.serialize_entry("metric", &self.metric)?;
        distance_entries(&self.distance, &mut map)?;
        if let Some(shaping) = self.distance.shaping {
            map.serialize_entry("degrees_of_freedom", &shaping.degrees_of_freedom)?;
        }
        let carrying = |fraction| self.explanation.as_ref().map(|explanation| explanation.carrying(fraction));
        map.serialize_entry("half", &carrying(0.5))?;
        map.serialize_entry("ninety_percent", &carrying(0.9))?;
        map.serialize_entry("transitions", &self.transitions)?;
        map.serialize_entry("states", &self.states)?;
        map.serialize_entry("warnings", &self.warnings)?;
        map.end()
    }
}
