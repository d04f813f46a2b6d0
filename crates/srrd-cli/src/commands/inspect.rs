//! `srrd inspect`: what is in a table, and how much of what every metric needs was sampled.

use super::advice;
use crate::args::Inspect;
use crate::failure::Failure;
use crate::gamma;
use crate::inputs::read_all;
use crate::print::{self, count, counted, percent};
use crate::settings::{Chosen, with_threads};
use serde_json::{Value, json};
use srrd::NamedSample;
use srrd::{
    Actions, Batch, BatchSet, Estimator, Metric, MetricCoverage, NoiseFloor, RewardSample, common_transitions,
    noise_floor, term_coverage,
};
use std::fmt::Write;

pub fn run(args: &Inspect) -> Result<(), Failure> {
    let mut chosen = Chosen::new(&args.canon, None, &Metric::ALL)?;
    check_estimator(&chosen)?;
    let space = args.space.as_deref().map(parse_space).transpose()?;
    with_threads(chosen.threads, move || {
        let samples = read_all(&args.inputs, &chosen)?;
        gamma::settle(&mut chosen, &samples, None)?;
        gamma::note(&chosen);
        samples.iter().for_each(|named| print::warn_about(named, chosen.duplicates));
        if let Some((states, actions)) = space {
            check_space(&samples, states, actions)?;
        }
        let samples: Vec<&NamedSample> = samples.iter().collect();
        if args.json {
            print::json(&inspected(&samples, space, &chosen))?;
        } else {
            let findings: Vec<Finding<'_>> = samples.iter().map(|named| Finding::new(named, space, &chosen)).collect();
            print::result(&(as_text(&findings, &samples) + &advice::as_text(&samples, &chosen)))?;
        }
        Ok(())
    })
}

/// What `inspect` shows is what the double batch needs.
pub fn check_estimator(chosen: &Chosen) -> Result<(), Failure> {
    if chosen.settings.estimator == Estimator::Unbiased {
        return Err(Failure::wrong(
            "--estimator: the unbiased estimator needs no transition that was not sampled; inspect shows what the double batch \
             needs; leave it out",
        ));
    }
    if chosen.regression.is_some() {
        return Err(Failure::wrong(
            "--estimator: what the regressed estimator predicts is what the double batch lacks, which inspect shows; leave it out",
        ));
    }
    Ok(())
}

/// What is found out about some samples, and advice on two.
pub fn inspected(samples: &[&NamedSample], space: Option<(f64, f64)>, chosen: &Chosen) -> Value {
    let findings: Vec<Finding<'_>> = samples.iter().map(|named| Finding::new(named, space, chosen)).collect();
    let mut value = as_json(&findings, samples);
    advice::add_to(&mut value, samples, chosen);
    value
}

/// `400x4`
fn parse_space(text: &str) -> Result<(f64, f64), Failure> {
    let numbers = text
        .split_once(['x', '×'])
        .and_then(|(states, actions)| Some((states.trim().parse::<u32>().ok()?, actions.trim().parse::<u32>().ok()?)));
    match numbers {
        Some((states @ 1.., actions @ 1..)) => Ok((f64::from(states), f64::from(actions))),
        _ => Err(Failure::wrong(format!("--space: '{text}' must be STATESxACTIONS, such as 400x4"))),
    }
}

/// A space cannot be smaller than what was seen of it.
pub fn check_space<'a>(
    samples: impl IntoIterator<Item = &'a NamedSample>,
    states: f64,
    actions: f64,
) -> Result<(), Failure> {
    for named in samples {
        let (seen, taken) = (named.sample.states().len(), named.sample.actions().len());
        if seen as f64 > states || taken as f64 > actions {
            return Err(Failure::wrong(format!(
                "--space: {} has {seen} states and {taken} actions, more than the {states} and {actions} of the full space",
                named.name
            )));
        }
    }
    Ok(())
}

/// What there is to say of one sample.
struct Finding<'a> {
    named: &'a NamedSample,
    /// The coverage of the full space, if its size was given.
    full_coverage: Option<f64>,
    terms: Vec<MetricCoverage>,
    /// What noise leaves possible between two noisy copies of the rewards; empty when none was seen.
    floors: Vec<(Metric, NoiseFloor)>,
}

impl<'a> Finding<'a> {
    fn new(named: &'a NamedSample, space: Option<(f64, f64)>, chosen: &Chosen) -> Self {
        let sample = &named.sample;
        let (actions, batch) = match chosen.settings.estimator {
            Estimator::Double { actions, batch } => (actions, batch),
            Estimator::Unbiased => (Actions::Marginal, Batch::All),
        };
        let drawn = BatchSet::draw(sample, actions, batch, chosen.settings.seed);
        Finding {
            named,
            full_coverage: space.map(|(states, actions)| sample.coverage_of(states, actions)),
            terms: chosen.metrics.iter().map(|&metric| term_coverage(sample, metric, &drawn)).collect(),
            floors: (chosen.metrics.iter())
                .filter_map(|&metric| Some((metric, noise_floor(sample, sample, metric, &chosen.settings)?)))
                .collect(),
        }
    }
}

fn as_text(findings: &[Finding<'_>], samples: &[&NamedSample]) -> String {
    let mut text = String::new();
    for finding in findings {
        let NamedSample { name, label, sample, .. } = finding.named;
        let duplicates = sample.duplicates();
        let [low, mean, high] = reward_range(sample);
        let label = label.as_ref().map_or(String::new(), |label| format!(" (label {})", print::shown(label)));
        let _ = write!(
            text,
            "{}{label}\n  {}; {} initial, {} terminal\n  rewards from {low:?} to {high:?}, mean {mean:?}\n",
            print::shown(name),
            print::describe(sample),
            count(sample.initial_states().count()),
            count(sample.terminal_states().count()),
        );
        if duplicates.repeated > 0 {
            let _ = writeln!(
                text,
                "  {}, of which {} repeated a transition; {} had unequal rewards",
                counted(duplicates.rows, "row", "rows"),
                count(duplicates.repeated),
                counted(duplicates.averaged, "transition", "transitions"),
            );
        }
        if let Some(noise) = sample.noise() {
            let _ = writeln!(
                text,
                "  noise: a single reward has the standard deviation {:.4} around the mean of its transition ({} tell)",
                noise.variance.sqrt(),
                counted(noise.degrees_of_freedom, "repeated row", "repeated rows"),
            );
            for (metric, floor) in &finding.floors {
                let _ = writeln!(
                    text,
                    "    {metric}: {} of the variance is noise; two noisy copies would be at a distance of {:.3}",
                    percent(floor.share[0]),
                    floor.distance
                );
            }
        }
        let _ = write!(text, "  coverage {} of the explored states and actions", percent(sample.coverage()));
        if let Some(full) = finding.full_coverage {
            let _ = write!(text, ", {} of the full space", percent(full));
        }
        text.push_str("\n\n");
        let rows: Vec<Vec<String>> = (finding.terms.iter())
            .flat_map(|coverage| coverage.terms.iter().map(|term| (coverage.metric, term)))
            .map(|(metric, term)| {
                vec![
                    metric.to_string(),
                    term.name.to_owned(),
                    if term.forward { "forward" } else { "non-forward" }.to_owned(),
                    format!("{:.0}", term.sampled),
                    format!("{:.0}", term.needed),
                    term.fraction().map_or("none needed".to_owned(), percent),
                ]
            })
            .collect();
        if !rows.is_empty() {
            let header = ["metric", "term", "transitions", "sampled", "needed", "fraction"];
            let table = print::table(&header, &rows, &[1, 2]);
            text.extend(table.lines().map(|line| format!("  {line}\n")));
            text.push('\n');
        }
        for coverage in finding.terms.iter().filter(|coverage| !coverage.terms.is_empty()) {
            let part = |forward| coverage.fraction(forward).map_or("none needed".to_owned(), percent);
            let _ = writeln!(
                text,
                "  {}: sampled of its forward transitions {}, of the others {}",
                coverage.metric,
                part(true),
                part(false)
            );
        }
        text.push('\n');
    }
    if let [a, b] = samples {
        let shared = common_transitions(&a.sample, &b.sample).len();
        let (a, b) = (print::shown(&a.name), print::shown(&b.name));
        let _ = writeln!(text, "{a} and {b} share {}", counted(shared, "transition", "transitions"));
    }
    text
}

/// The least, the mean and the largest reward.
fn reward_range(sample: &RewardSample) -> [f64; 3] {
    let rewards = sample.rewards();
    let low = rewards.iter().copied().fold(f64::INFINITY, f64::min);
    let high = rewards.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    [low, rewards.iter().sum::<f64>() / rewards.len() as f64, high].map(print::without_sign_of_zero)
}

fn as_json(findings: &[Finding<'_>], samples: &[&NamedSample]) -> Value {
    let described: Vec<Value> = (findings.iter())
        .map(|finding| {
            let NamedSample { name, label, sample, .. } = finding.named;
            let duplicates = sample.duplicates();
            let [low, mean, high] = reward_range(sample);
            let terms: Vec<Value> = (finding.terms.iter())
                .flat_map(|coverage| coverage.terms.iter().map(|term| (coverage.metric, term)))
                .map(|(metric, term)| {
                    json!({
                        "metric": metric.name(), "term": term.name, "forward": term.forward,
                        "sampled": term.sampled, "needed": term.needed, "fraction": term.fraction(),
                    })
                })
                .collect();
            let metrics: Vec<Value> = (finding.terms.iter())
                .map(|coverage| {
                    json!({
                        "metric": coverage.metric.name(), "forward": coverage.fraction(true),
                        "non_forward": coverage.fraction(false),
                    })
                })
                .collect();
            let noise = sample.noise().map(|noise| {
                let floors = finding.floors.iter().map(|(metric, floor)| {
                    let mut value = json!({"metric": metric.name()});
                    value["share"] = floor.share[0].into();
                    value["largest_correlation"] = floor.correlation.into();
                    value["smallest_distance"] = floor.distance.into();
                    value
                });
                json!({
                    "variance": noise.variance, "degrees_of_freedom": noise.degrees_of_freedom,
                    "merged_variance": noise.merged_variance, "floors": floors.collect::<Vec<Value>>(),
                })
            });
            json!({
                "name": name, "label": label, "transitions": sample.len(), "states": sample.states().len(),
                "actions": sample.actions().len(), "initial_states": sample.initial_states().count(),
                "terminal_states": sample.terminal_states().count(), "rows": duplicates.rows,
                "repeated": duplicates.repeated, "averaged": duplicates.averaged, "coverage": sample.coverage(),
                "full_coverage": finding.full_coverage, "reward": {"least": low, "mean": mean, "largest": high},
                "noise": noise, "metrics": metrics, "terms": terms,
            })
        })
        .collect();
    let mut result = json!({"samples": described});
    if let [a, b] = samples {
        result["common"] = common_transitions(&a.sample, &b.sample).len().into();
    }
    result
}
