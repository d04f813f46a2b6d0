//! `srrd explain`: where two samples differ.

mod picture;
mod table;

use super::distance::warn_about_results;
use crate::args::Explain;
use crate::failure::Failure;
use crate::gamma;
use crate::inputs::{check_same_features, read_once, read_one};
use crate::outputs::{check_table, refuse_to_overwrite};
use crate::plot::Plot;
use crate::print::{self, count, counted, percent};
use crate::settings::{Chosen, with_threads};
use crate::tokens;
use picture::Grid;
use serde_json::{Value, json};
use srrd::NamedSample;
use srrd::{Comparison, Contribution, Correlation, Explanation, Metric, common_transitions, explain_on};
use srrd_data::OutputFile;
use std::fmt::Write;

/// Below this a distance is rounding, and so is what it is made of.
const ROUNDING: f64 = 1e-7;

pub fn run(args: &Explain) -> Result<(), Failure> {
    let mut chosen = Chosen::new(&args.canon, Some(&args.compare), &[Metric::Srrd])?;
    let &[metric] = chosen.metrics.as_slice() else {
        return Err(Failure::wrong(
            "--metric: an explanation is of one metric; name one, and run the command once for each that you want",
        ));
    };
    read_once([&args.a, &args.b])?;
    let plot = args.plot.as_deref().map(Plot::new).transpose()?;
    refuse_to_overwrite([args.output.as_ref(), args.plot.as_ref()], &[&args.a, &args.b])?;
    let on_standard_output = args.output.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if args.json && on_standard_output {
        return Err(Failure::wrong("--json: standard output already gets the table; name a file with -o"));
    }
    args.output.as_deref().map_or(Ok(()), check_table)?;
    with_threads(chosen.threads, move || {
        let pair = [read_one(&args.a, &chosen, false)?, read_one(&args.b, &chosen, false)?];
        check_same_features(&pair)?;
        gamma::settle(&mut chosen, &pair, None)?;
        let [a, b] = &pair;
        pair.iter().for_each(|named| print::warn_about(named, chosen.duplicates));
        // What cannot be drawn or written is found before the work.
        let grid = plot.as_ref().map(|_| Grid::new(a)).transpose()?;
        let picture = plot.as_ref().map(|plot| OutputFile::create(&plot.path)).transpose()?;

        let found = Found::new([a, b], metric, &chosen, args.top);
        if let (Some(why), true) = (
            print::undefined_in_words(&found.comparison, chosen.settings.min_common),
            args.output.is_some() || plot.is_some(),
        ) {
            return Err(Failure::wrong(format!(
                "there is nothing to write: the {metric} distance is undefined: {why}"
            )));
        }
        found.warn(&chosen);
        if let Some(explanation) = &found.explanation {
            if let Some(path) = &args.output {
                table::write(path, a, b, explanation)?;
            }
            if let (Some(plot), Some(grid), Some(file)) = (&plot, &grid, picture) {
                let drawn = grid.draw(a, b, explanation).map_err(|error| plot.failed(&error))?;
                plot.write(file, &drawn)?;
            }
        }
        if args.json {
            print::json(&found.as_json(&chosen))?;
        } else if !on_standard_output {
            print::result(&found.as_text(&chosen))?;
        }
        Ok(())
    })
}

/// What is to be told.
pub struct Found<'a> {
    a: &'a NamedSample,
    b: &'a NamedSample,
    metric: Metric,
    comparison: Comparison,
    explanation: Option<Explanation>,
    /// How many transitions and states to name.
    top: usize,
}

impl<'a> Found<'a> {
    pub fn new([a, b]: [&'a NamedSample; 2], metric: Metric, chosen: &Chosen, top: usize) -> Self {
        let common = common_transitions(&a.sample, &b.sample);
        let explained = explain_on(&a.sample, &b.sample, &common, metric, &chosen.settings);
        let comparison = match &explained {
            Ok(explanation) => explanation.comparison,
            Err(why) => Comparison { common: common.len(), outcome: Err(*why), shaping: None },
        };
        Found { a, b, metric, comparison, explanation: explained.ok(), top }
    }

    /// Says whether the distance is undefined or mostly noise.
    pub fn warn(&self, chosen: &Chosen) {
        warn_about_results(&[(self.metric, self.comparison)], chosen.settings.min_common);
    }

    fn as_text(&self, chosen: &Chosen) -> String {
        let Found { a, b, metric, comparison, .. } = self;
        let mut text = format!(
            "A  {}: {}\nB  {}: {}\nshared: {}; {}; {}\n\n",
            a.name,
            print::describe(&a.sample),
            b.name,
            print::describe(&b.sample),
            counted(comparison.common, "transition", "transitions"),
            gamma::in_words(chosen),
            chosen.estimator_in_words(),
        );
        let Some(explanation) = &self.explanation else {
            let _ = writeln!(text, "The {metric} distance is undefined: there is nothing to explain.");
            return text;
        };
        let distance = comparison.distance().unwrap_or(0.0);
        if distance < ROUNDING {
            let _ = writeln!(text, "The {metric} distance is 0, up to rounding: there is nothing to explain.");
            return text;
        }
        let half = explanation.carrying(0.5);
        let _ = writeln!(
            text,
            "The {metric} distance is {distance:.6}. {} of {} half of it, {} carry 90 %.",
            count(half),
            match half {
                1 => format!("{} carries", counted(comparison.common, "transition", "transitions")),
                _ => format!("{} carry", counted(comparison.common, "transition", "transitions")),
            },
            count(explanation.carrying(0.9)),
        );
        if self.top > 0 {
            text.push('\n');
            text.push_str(&self.transitions_as_text(explanation));
            text.push('\n');
            text.push_str(&self.states_as_text(explanation));
            let unit = match chosen.settings.correlation {
                Correlation::Pearson => "without shaping, each in its own standard deviations",
                Correlation::Spearman => "without shaping, as ranks, each in its own standard deviations",
            };
            let _ = writeln!(text, "\na - b: reward a minus reward b, {unit}. share: of the squared distance.");
        }
        text
    }

    fn transitions_as_text(&self, explanation: &Explanation) -> String {
        let one_step = self.a.one_step;
        let row = |c: &Contribution| {
            let (ours, theirs) = (self.a.sample.transition(c.a as usize), self.b.sample.transition(c.b as usize));
            let mut row = vec![tokens::shown(ours.state), tokens::shown(ours.action)];
            if !one_step {
                row.push(tokens::shown(ours.next_state));
            }
            row.extend([number(ours.reward), number(theirs.reward), format!("{:+.2}", c.difference), percent(c.share)]);
            row
        };
        let rows: Vec<Vec<String>> = explanation.transitions.iter().take(self.top).map(row).collect();
        let mut header = vec!["state", "action", "next state", "reward a", "reward b", "a - b", "share"];
        if one_step {
            header.remove(2);
        }
        print::table(&header, &rows, if one_step { &[1] } else { &[1, 2] })
    }

    fn states_as_text(&self, explanation: &Explanation) -> String {
        let one_step = self.a.one_step;
        let rows: Vec<Vec<String>> = (explanation.states.iter().filter(|state| state.started > 0).take(self.top))
            .map(|state| {
                let name = tokens::shown(self.a.sample.states().token(state.state));
                let mut row = vec![name, count(state.started), percent(state.starting)];
                if !one_step {
                    row.push(percent(state.ending));
                }
                row
            })
            .collect();
        let header = ["state", "transitions", "share that starts here", "share that ends here"];
        print::table(if one_step { &header[..3] } else { &header }, &rows, &[])
    }

    pub fn as_json(&self, chosen: &Chosen) -> Value {
        let Found { a, b, metric, comparison, explanation, top } = self;
        let sample = |named: &NamedSample| {
            json!({
                "name": named.name, "transitions": named.sample.len(), "states": named.sample.states().len(),
                "actions": named.sample.actions().len(), "averaged": named.sample.duplicates().averaged,
            })
        };
        let transition = |c: &Contribution| {
            let (ours, theirs) = (a.sample.transition(c.a as usize), b.sample.transition(c.b as usize));
            let mut value = json!({"state": tokens::as_json(ours.state), "action": tokens::as_json(ours.action)});
            if !a.one_step {
                value["next_state"] = tokens::as_json(ours.next_state);
            }
            value["reward_a"] = ours.reward.into();
            value["reward_b"] = theirs.reward.into();
            value["canonical_a"] = c.canonical[0].into();
            value["canonical_b"] = c.canonical[1].into();
            value["difference"] = c.difference.into();
            value["share"] = c.share.into();
            value
        };
        let state = |state: &srrd::StateShare| {
            let name = tokens::as_json(a.sample.states().token(state.state));
            json!({
                "state": name, "transitions": state.started, "starting": state.starting, "ending": state.ending,
            })
        };
        let transitions = explanation.as_ref().map_or(&[][..], |explanation| &explanation.transitions);
        let states = explanation.as_ref().map_or(&[][..], |explanation| &explanation.states);
        let mut value = json!({
            "a": sample(a), "b": sample(b), "common": comparison.common, "gamma": chosen.settings.gamma.get(), "gamma_estimate": gamma::as_json(&chosen.gamma_estimate),
            "estimator": chosen.estimator_name(), "regression": chosen.regression_as_json(),
            "actions": chosen.actions_name(), "batch": chosen.batch_as_json(), "seed": chosen.settings.seed,
            "min_common": chosen.settings.min_common, "duplicates": chosen.duplicates_name(),
            "metric": metric.name(), "distance": comparison.distance(), "correlation": comparison.correlation(),
            "undefined": comparison.undefined().map(|why| why.name()),
        });
        if let Some(shaping) = comparison.shaping {
            value["degrees_of_freedom"] = shaping.degrees_of_freedom.into();
        }
        value["half"] = explanation.as_ref().map(|explanation| explanation.carrying(0.5)).into();
        value["ninety_percent"] = explanation.as_ref().map(|explanation| explanation.carrying(0.9)).into();
        value["transitions"] = transitions.iter().take(*top).map(transition).collect();
        value["states"] = states.iter().take(*top).map(state).collect();
        value
    }
}

/// A reward with the digits it needs.
fn number(value: f64) -> String {
    match value.abs() {
        size if size == 0.0 || (1e-3..1e6).contains(&size) => format!("{value:.4}"),
        _ => format!("{value:.3e}"),
    }
}
