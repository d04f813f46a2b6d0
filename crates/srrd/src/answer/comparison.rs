//! How far apart two samples are, by several metrics, and how sure that is.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::used::{TokenValue, Used};
use crate::advise::fitting;
use crate::compare::{Distance, Measured, Pair, Predicted, SharedEnds};
use crate::doubt::{UNFOLLOWED, doubt_by_gamma};
use crate::metric::Metric;
use crate::potential::{BasisUsed, Potential};
use crate::problem::Problem;
use crate::question::{Certainty, Question};
use crate::sample::{Duplicates, NamedSample};
use crate::settings::Choice;
use crate::sure::Level;
use crate::sure::NoiseFloor;
use crate::sure::{Chance, ChanceSettings, ChanceTest};
use crate::sure::{Interval, IntervalMethod, IntervalSettings, NoInterval, Resampling};
use crate::verdict::{Answer, Verdict, Why};
use crate::warning::Warning;

/// Two samples, their distances, and how sure those are.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Comparison {
    /// The first sample.
    pub a: SampleSummary,
    /// The second sample.
    pub b: SampleSummary,
    /// How many transitions both hold.
    pub common: usize,
    /// The settings.
    pub used: Used,
    /// What was asked about certainty.
    pub certainty: Certainty,
    /// What was found by each metric.
    pub results: Vec<Finding>,
    /// The metric that fits these data; `None` when no distance tells anything yet.
    pub advised: Option<Metric>,
    /// Whether they ask for the same behaviour, where `projected` was asked for.
    pub verdict: Option<Judgement>,
    /// What to know before the numbers are trusted.
    pub warnings: Vec<Warning>,
}

/// Whether two rewards ask for the same behaviour, and why, in values that outlive the samples.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Judgement {
    /// The answer.
    pub answer: crate::verdict::Answer,
    /// Why.
    pub why: crate::verdict::Why,
    /// Two paths that the rewards rank oppositely.
    pub witness: Option<ShownWitness>,
}

/// Two sampled paths that two rewards rank oppositely: the first reward prefers the first.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShownWitness {
    /// The paths, step by step.
    pub paths: [Vec<WitnessStep>; 2],
    /// The discounted returns: by path, then by reward.
    pub returns: [[f64; 2]; 2],
    /// Whether both paths end their episode; else they lead to the same state in as many steps.
    pub ends: bool,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WitnessStep {
    /// s
    pub state: TokenValue,
    /// a
    pub action: TokenValue,
    /// s'; `None` in one-step problems.
    pub next_state: Option<TokenValue>,
    /// The reward of the first sample.
    pub reward_a: f64,
    /// The reward of the second sample.
    pub reward_b: f64,
}

impl Judgement {
    fn new(verdict: Verdict, [a, b]: [&NamedSample; 2]) -> Self {
        let step = |&(i, j): &(u32, u32)| {
            let ours = a.sample.transition(i as usize);
            WitnessStep {
                state: ours.state.into(),
                action: ours.action.into(),
                next_state: (!a.one_step).then(|| ours.next_state.into()),
                reward_a: ours.reward,
                reward_b: b.sample.rewards()[j as usize],
            }
        };
        let witness = verdict.witness.map(|witness| ShownWitness {
            paths: witness.paths.each_ref().map(|path| path.iter().map(step).collect()),
            returns: witness.returns,
            ends: witness.ends,
        });
        Judgement { answer: verdict.answer, why: verdict.why, witness }
    }
}

/// What a sample holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SampleSummary {
    /// Its name.
    pub name: String,
    /// How many transitions.
    pub transitions: usize,
    /// How many states.
    pub states: usize,
    /// How many actions.
    pub actions: usize,
    /// How many transitions occurred with unequal rewards.
    pub averaged: usize,
    /// What was done about them.
    #[serde(serialize_with = "by_name")]
    pub duplicates: Duplicates,
}

fn by_name<T: Choice, S: Serializer>(choice: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(choice.name())
}

impl SampleSummary {
    pub(super) fn new(named: &NamedSample) -> Self {
        let duplicates = named.sample.duplicates();
        SampleSummary {
            name: named.name.clone(),
            transitions: named.sample.len(),
            states: named.sample.states().len(),
            actions: named.sample.actions().len(),
            averaged: duplicates.averaged,
            duplicates: duplicates.policy,
        }
    }
}

/// What was found by one metric.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// The metric.
    pub metric: Metric,
    /// The distance, or why there is none.
    pub distance: Distance,
    /// For `projected`: what is known of the ends of the shared transitions.
    pub ends: Option<SharedEnds>,
    /// Where it is unknown which transitions end an episode and some states start nothing: the distance with those states as ends.
    pub if_ends: Option<Distance>,
    /// For `projected` with potentials that are functions of features: of which, and what they explain.
    pub basis: Option<BasisUsed>,
    /// Where two samples in one space share too few transitions: what predictions of their rewards stand on.
    pub predicted: Option<Predicted>,
    /// Its interval, if one was asked for.
    pub interval: Option<Result<Interval, NoInterval>>,
    /// The test against chance, if it was asked for.
    pub chance: Option<Result<Chance, NoInterval>>,
    /// What noise in the rewards leaves possible, if that was asked for and there is noise.
    pub noise_floor: Option<NoiseFloor>,
}

/// Compares two samples.
///
/// Each metric canonicalizes (or projects) once; distance, interval, test and noise floor are computed from that.
///
/// ```
/// use srrd::{Duplicates, NamedSample, Options, RewardSample, compare};
/// let rows = (0..6).flat_map(|s| (0..6).map(move |t| (s, 0, t, f64::from((3 * s + 2 * t) % 7))));
/// let a = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let b = a.with_rewards(a.rewards().iter().map(|r| 2.0 * r + 1.0).collect())?;
/// let (a, b) = (NamedSample::new("plain", a), NamedSample::new("scaled", b));
/// let answer = compare(&a, &b, &Options::default().question()?)?;
/// assert!(answer.results[0].distance.distance().unwrap() < 1e-7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Samples that can share no transition, or that the estimator cannot take.
pub fn compare(a: &NamedSample, b: &NamedSample, question: &Question) -> Result<Comparison, Problem> {
    let question = &question.fitting(&[a, b]);
    let mut settled = question.settle(&[a, b])?;
    let used = Used::new(question, &settled);
    let mut warnings = std::mem::take(&mut settled.warnings);
    let pair = Pair::new(&settled.samples[0].sample, &settled.samples[1].sample);
    let mut verdict = None;
    let find = |&metric: &Metric| {
        let measured = pair.measure(metric, &settled.settings);
        let found = finding(&measured, [a, b], question.certainty());
        let known = question.certainty().interval.filter(|level| *level == Level::default()).and(found.interval);
        if question.certainty().verdict
            && let Some(mut found) = measured.verdict_with(question.certainty().within, known)
        {
            let distance = measured.distance().distance();
            let doubt = settled.gamma.as_ref().zip(distance).and_then(|(estimate, distance)| {
                let said = (found.answer, distance, question.certainty().within.get());
                doubt_by_gamma(&pair, &settled.settings, estimate, said)
            });
            let unsure = [a, b].iter().any(|named| named.goes_on).then_some(Why::StepsUnknown);
            let by_rows = distance.and_then(|distance| match found.answer {
                Answer::Same => {
                    let carried = a.left_out.max(b.left_out);
                    (carried >= UNFOLLOWED).then_some(Why::LeftOut { distance, carried })
                }
                Answer::Different if a.done_alone || b.done_alone => {
                    measured.doubt_by_limits(distance, question.certainty().within.get())
                }
                Answer::Different | Answer::Unknown => None,
            });
            if let Some(doubt) = unsure.or(by_rows).or(doubt) {
                found = Verdict::unknown(doubt);
            }
            verdict = Some(Judgement::new(found, [a, b]));
        }
        found
    };
    let results: Vec<Finding> = question.metrics().iter().map(find).collect();
    let advised = match settled.settings.potential {
        _ if verdict.is_none() => None,
        Potential::Tabular => {
            let projected = results.iter().find(|finding| finding.metric == Metric::Projected);
            fitting(&pair, &settled.settings, projected.map(|finding| finding.distance))
        }
        // Who names functions of features knows that states hardly repeat, where nothing else tells shaping apart.
        _ => Some(Metric::Projected),
    };
    // Predictions need no shared transitions.
    let shared = results.iter().filter(|finding| finding.predicted.is_none());
    let distances: Vec<_> = shared.map(|finding| (finding.metric, finding.distance)).collect();
    warnings.extend(Warning::of_distances(&distances, settled.settings.min_common));
    warnings.extend(Warning::of_forms(&pair));
    if settled.settings.potential == Potential::Tabular && question.metrics() != [Metric::Direct] {
        warnings.extend(Warning::of_states(&pair));
    }
    results.iter().for_each(|finding| finding.warn([a, b], &pair, &mut warnings));
    let common = pair.common().len();
    Ok(Comparison {
        a: SampleSummary::new(a),
        b: SampleSummary::new(b),
        common,
        used,
        certainty: *question.certainty(),
        results,
        advised,
        verdict,
        warnings,
    })
}

/// All that is asked about one metric.
fn finding(measured: &Measured<'_>, [a, b]: [&NamedSample; 2], certainty: &Certainty) -> Finding {
    let Certainty { interval, chance, draws, noise_floor, .. } = *certainty;
    let seed = measured.settings.seed;
    let resampling = match (&a.episodes, &b.episodes) {
        (None, None) => Resampling::Transitions,
        (a, b) => Resampling::Episodes { a: a.as_ref(), b: b.as_ref() },
    };
    Finding {
        metric: measured.metric(),
        distance: measured.distance(),
        ends: measured.ends(),
        if_ends: measured.distance_if_ends(),
        basis: measured.basis(),
        predicted: measured.predicted(),
        interval: interval.map(|level| measured.interval(&IntervalSettings { level, draws, seed, resampling })),
        chance: chance.then(|| measured.chance(&ChanceSettings { draws, seed })),
        noise_floor: if noise_floor { measured.noise_floor() } else { None },
    }
}

impl Finding {
    /// Says why there is no interval or no test where there is a distance, and when an interval is likely too narrow.
    fn warn(&self, samples: [&NamedSample; 2], pair: &Pair<'_>, warnings: &mut Vec<Warning>) {
        let metric = self.metric;
        if let Some(if_ends) = &self.if_ends {
            let (open, ended) = (self.distance.distance(), if_ends.distance());
            let apart = match (open, ended) {
                (Some(open), Some(ended)) => (open - ended).abs() > 0.05,
                (open, ended) => open.is_some() != ended.is_some(),
            };
            if apart {
                let sinks = self.ends.map_or(0, |ends| ends.sinks);
                warnings.push(Warning::EndsUnknown { metric, sinks, distances: [open, ended] });
            }
        }
        if let Some(ends) = self.ends
            && ends.disagreeing > 0
        {
            warnings.push(Warning::EndsDisagree { transitions: ends.disagreeing });
        }
        let told = |why: &NoInterval| !matches!(why, NoInterval::Undefined(_));
        if let Some(why) = self.interval.and_then(Result::err).filter(told) {
            warnings.push(Warning::NoInterval { metric, why });
        }
        if let Some(why) = self.chance.and_then(Result::err).filter(told) {
            warnings.push(Warning::NoChance { metric, why });
        }
        let Some(Ok(Interval { method, .. })) = self.interval else { return };
        if let IntervalMethod::BootstrapPercentile(made) = method
            && made.undefined_draws > 0
        {
            let (undefined, draws) = (made.undefined_draws, made.draws);
            warnings.push(Warning::UndefinedDraws { metric, undefined, draws });
        }
        // With fewer unusual rewards than this, intervals held the truth too rarely in simulations.
        let enough = match method {
            IntervalMethod::BootstrapPercentile(_) => 20,
            _ => return,
        };
        for (named, rewards) in samples.into_iter().zip(pair.rewards()) {
            if let Some((usual, others)) = usual_reward(rewards.into_owned())
                && others < enough
            {
                warnings.push(Warning::NarrowInterval { metric, sample: named.name.clone(), usual, others });
            }
        }
    }
}

/// The reward that more than half of some transitions have, if there is one, and how many have another one.
fn usual_reward(mut rewards: Vec<f64>) -> Option<(f64, usize)> {
    rewards.sort_unstable_by(f64::total_cmp);
    // What more than half have lies in the middle.
    let usual = *rewards.get(rewards.len() / 2)?;
    let same = rewards.iter().filter(|reward| **reward == usual).count();
    (2 * same > rewards.len()).then_some((usual, rewards.len() - same))
}

impl Serialize for Comparison {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("a", &self.a)?;
        map.serialize_entry("b", &self.b)?;
        map.serialize_entry("common", &self.common)?;
        self.used.entries(&mut map)?;
        map.serialize_entry("settings", &self.used)?;
        map.serialize_entry("results", &self.results)?;
        map.serialize_entry("advised", &self.advised)?;
        map.serialize_entry("within", &self.verdict.as_ref().map(|_| self.certainty.within.get()))?;
        map.serialize_entry("verdict", &self.verdict.as_ref().map(|verdict| verdict.answer.name()))?;
        map.serialize_entry("reason", &self.verdict.as_ref().map(|verdict| verdict.why.to_string()))?;
        if let Some(witness) = self.verdict.as_ref().and_then(|verdict| verdict.witness.as_ref()) {
            map.serialize_entry("witness", &witness.paths)?;
            map.serialize_entry("witness_returns", &witness.returns)?;
            map.serialize_entry("witness_ends", &witness.ends)?;
        }
        map.serialize_entry("warnings", &self.warnings)?;
        map.end()
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("metric", &self.metric)?;
        distance_entries(&self.distance, &mut map)?;
        if let Some(shaping) = self.distance.shaping {
            map.serialize_entry("degrees_of_freedom", &shaping.degrees_of_freedom)?;
            map.serialize_entry("rank", &shaping.rank)?;
            map.serialize_entry("components", &shaping.components)?;
        }
        if let Some(basis) = &self.basis {
            map.serialize_entry("basis", &basis.potential.to_string())?;
            map.serialize_entry("functions", &basis.functions)?;
            map.serialize_entry("explained", &basis.explained)?;
            map.serialize_entry("left_out", basis.left_out.name())?;
        }
        if let Some(Predicted { rows, overlap, skill, potential, .. }) = &self.predicted {
            map.serialize_entry("basis", &potential.to_string())?;
            map.serialize_entry("predicted_on", rows)?;
            map.serialize_entry("overlap", overlap)?;
            map.serialize_entry("skill", skill)?;
        }
        if let Some(if_ends) = &self.if_ends {
            map.serialize_entry("distance_if_ends", &if_ends.distance())?;
        }
        if let Some(ends) = self.ends {
            map.serialize_entry("ending", &ends.ending)?;
            map.serialize_entry("ends_known", &ends.known)?;
        }
        match self.interval {
            None => {}
            Some(Ok(interval)) => map.serialize_entry("interval", &IntervalEntries(interval))?,
            Some(Err(NoInterval::Undefined(_))) => map.serialize_entry("interval", &())?,
            Some(Err(why)) => {
                map.serialize_entry("interval", &NoRange { low: None, high: None, undefined: why.name() })?;
            }
        }
        match self.chance {
            None => {}
            Some(Ok(chance)) => map.serialize_entry("chance", &ChanceEntries(chance))?,
            Some(Err(NoInterval::Undefined(_))) => map.serialize_entry("chance", &())?,
            Some(Err(why)) => map.serialize_entry("chance", &NoP { p: None, undefined: why.name() })?,
        }
        if let Some(floor) = self.noise_floor {
            map.serialize_entry("noise_floor", &floor)?;
        }
        map.end()
    }
}

/// Distance, correlation and why they are undefined.
pub(super) fn distance_entries<M: SerializeMap>(distance: &Distance, map: &mut M) -> Result<(), M::Error> {
    map.serialize_entry("distance", &distance.distance())?;
    map.serialize_entry("correlation", &distance.correlation())?;
    map.serialize_entry("undefined", &distance.undefined().map(|why| why.name()))
}

#[derive(Serialize)]
struct NoRange {
    low: Option<f64>,
    high: Option<f64>,
    undefined: &'static str,
}

#[derive(Serialize)]
struct NoP {
    p: Option<f64>,
    undefined: &'static str,
}

struct IntervalEntries(Interval);

impl Serialize for IntervalEntries {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Interval { level, range, method } = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("level", &level.get())?;
        map.serialize_entry("low", &range.low)?;
        map.serialize_entry("high", &range.high)?;
        map.serialize_entry("method", method.name())?;
        match method {
            IntervalMethod::BootstrapPercentile(made) => {
                map.serialize_entry("resampled", made.resampled.name())?;
                map.serialize_entry("units", &made.units)?;
                map.serialize_entry("draws", &made.draws)?;
                map.serialize_entry("undefined_draws", &made.undefined_draws)?;
            }
            IntervalMethod::StateBlocks(made) => {
                map.serialize_entry("degrees_of_freedom", &made.degrees_of_freedom)?;
                map.serialize_entry("groups", &made.groups)?;
                map.serialize_entry("standard_error", &made.standard_error)?;
            }
            IntervalMethod::Predictions { groups } => map.serialize_entry("groups", &groups)?,
            IntervalMethod::Complete => {}
        }
        map.end()
    }
}

struct ChanceEntries(Chance);

impl Serialize for ChanceEntries {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Chance { p, test } = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("p", &p)?;
        map.serialize_entry("test", test.name())?;
        match test {
            ChanceTest::Permutation { draws, undefined_draws } => {
                map.serialize_entry("draws", &draws)?;
                map.serialize_entry("undefined_draws", &undefined_draws)?;
            }
            ChanceTest::StudentT { degrees_of_freedom } => {
                map.serialize_entry("degrees_of_freedom", &degrees_of_freedom)?;
            }
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_reward_is_what_more_than_half_have() {
        assert_eq!(usual_reward(vec![0.0, 3.0, 0.0, 1.0, 0.0]), Some((0.0, 2)));
        assert_eq!(usual_reward(vec![0.0, 3.0, 0.0, 1.0]), None);
        assert_eq!(usual_reward(vec![2.0, 1.0, 3.0]), None);
        assert_eq!(usual_reward(Vec::new()), None);
    }
}
