//! `srrd distance`: how far apart two samples are.

use super::certainty::{self, Certainty, Wanted};
use crate::args::Distance;
use crate::failure::Failure;
use crate::gamma::{self, Profile};
use crate::inputs::{check_same_features, read_once, read_one};
use crate::print;
use crate::settings::{Chosen, with_threads};
use serde_json::{Value, json};
use srrd::NamedSample;
use srrd::{Comparison, Correlation, FEW_COMMON, Metric, common_transitions, distance_on};

pub fn run(args: &Distance) -> Result<(), Failure> {
    let mut chosen = Chosen::new(&args.canon, Some(&args.compare), &[Metric::Srrd])?;
    let profile = Profile::new(&args.profile, &chosen, &[&args.a, &args.b])?;
    read_once([&args.a, &args.b])?;
    let wanted = Wanted::new(&args.certainty, args.json)?;
    with_threads(chosen.threads, move || {
        let a = read_one(&args.a, &chosen, wanted.episodes())?;
        let b = read_one(&args.b, &chosen, wanted.episodes())?;
        let pair = [a, b];
        check_same_features(&pair)?;
        let [a, b] = &pair;
        pair.iter().for_each(|named| print::warn_about(named, chosen.duplicates));
        gamma::settle(&mut chosen, &pair, profile)?;

        let compared = Compared::new([a, b], &chosen, &wanted);
        compared.warn(&chosen);
        if args.json {
            print::json(&compared.as_json(&chosen))?;
        } else {
            print::result(&compared.as_text(&chosen, &wanted))?;
        }
        Ok(())
    })
}

/// Two samples, their distances, and how sure those are.
pub struct Compared<'a> {
    pair: [&'a NamedSample; 2],
    common: Vec<(u32, u32)>,
    results: Vec<(Metric, Comparison)>,
    certainty: Vec<(Metric, Certainty)>,
}

impl<'a> Compared<'a> {
    pub fn new([a, b]: [&'a NamedSample; 2], chosen: &Chosen, wanted: &Wanted) -> Self {
        let common = common_transitions(&a.sample, &b.sample);
        let results = (chosen.metrics.iter())
            .map(|&metric| (metric, distance_on(&a.sample, &b.sample, &common, metric, &chosen.settings)))
            .collect();
        let certainty = (chosen.metrics.iter())
            .map(|&metric| (metric, Certainty::new([a, b], &common, metric, &chosen.settings, wanted)))
            .collect();
        Compared { pair: [a, b], common, results, certainty }
    }

    /// Says which distances are undefined, mostly noise, or without an interval.
    pub fn warn(&self, chosen: &Chosen) {
        warn_about_results(&self.results, chosen.settings.min_common);
        for (metric, certainty) in &self.certainty {
            certainty.warn(*metric);
            certainty.warn_about_values(self.pair, &self.common, *metric);
        }
    }

    pub fn as_json(&self, chosen: &Chosen) -> Value {
        let [a, b] = self.pair;
        let mut value = as_json(a, b, self.common.len(), chosen, &self.results);
        for (i, (_, certainty)) in self.certainty.iter().enumerate() {
            certainty.add_to(&mut value["results"][i]);
        }
        value
    }

    fn as_text(&self, chosen: &Chosen, wanted: &Wanted) -> String {
        let [a, b] = self.pair;
        let cells = || self.certainty.iter().map(|(_, certainty)| certainty.cell()).collect();
        let intervals = wanted.column().map(|header| (header, cells()));
        as_text(a, b, self.common.len(), chosen, &self.results, intervals) + &certainty::notes(&self.certainty)
    }
}

/// Says which distances are undefined or mostly noise.
pub(super) fn warn_about_results(results: &[(Metric, Comparison)], min_common: usize) {
    for (metric, comparison) in results {
        if let Some(why) = print::undefined_in_words(comparison, min_common) {
            print::warn(&format!("the {metric} distance is undefined: {why}"));
        }
    }
    if let Some((_, comparison)) = results.iter().find(|(_, comparison)| comparison.distance().is_some())
        && comparison.common < FEW_COMMON
    {
        print::warn(&format!(
            "only {} shared: with fewer than {FEW_COMMON} a distance is mostly noise",
            print::counted(comparison.common, "transition is", "transitions are")
        ));
    }
    for (metric, comparison) in results.iter().filter(|(_, comparison)| comparison.distance().is_some()) {
        if let Some(shaping) = comparison.shaping
            && shaping.degrees_of_freedom < FEW_COMMON
        {
            print::warn(&format!(
                "the {metric} distance has {}: with fewer than {FEW_COMMON} it is mostly noise",
                print::counted(shaping.degrees_of_freedom, "degree of freedom", "degrees of freedom")
            ));
        }
    }
}

fn as_json(
    a: &NamedSample,
    b: &NamedSample,
    common: usize,
    chosen: &Chosen,
    results: &[(Metric, Comparison)],
) -> Value {
    let sample = |named: &NamedSample| {
        json!({
            "name": named.name, "transitions": named.sample.len(), "states": named.sample.states().len(),
            "actions": named.sample.actions().len(), "averaged": named.sample.duplicates().averaged,
        })
    };
    let results: Vec<Value> = (results.iter())
        .map(|(metric, comparison)| {
            let mut result = json!({
                "metric": metric.name(), "distance": comparison.distance(), "correlation": comparison.correlation(),
                "undefined": comparison.undefined().map(|why| why.name()),
            });
            if let Some(shaping) = comparison.shaping {
                result["degrees_of_freedom"] = shaping.degrees_of_freedom.into();
                result["rank"] = shaping.rank.into();
                result["components"] = shaping.components.into();
            }
            result
        })
        .collect();
    json!({
        "a": sample(a), "b": sample(b), "common": common, "gamma": chosen.settings.gamma.get(),
        "gamma_estimate": gamma::as_json(&chosen.gamma_estimate), "support": chosen.settings.support.name(),
        "estimator": chosen.estimator_name(), "regression": chosen.regression_as_json(), "actions": chosen.actions_name(),
        "batch": chosen.batch_as_json(), "seed": chosen.settings.seed, "min_common": chosen.settings.min_common,
        "duplicates": chosen.duplicates_name(), "correlation": chosen.settings.correlation.name(), "results": results,
    })
}

fn as_text(
    a: &NamedSample,
    b: &NamedSample,
    common: usize,
    chosen: &Chosen,
    results: &[(Metric, Comparison)],
    intervals: Option<(String, Vec<String>)>,
) -> String {
    let mut rows: Vec<Vec<String>> = (results.iter())
        .map(|(metric, comparison)| {
            let number = |value: Option<f64>| value.map_or("undefined".to_owned(), |value| format!("{value:.6}"));
            vec![metric.to_string(), number(comparison.distance()), number(comparison.correlation())]
        })
        .collect();
    let left = results.iter().find_map(|(metric, comparison)| {
        let shaping = comparison.shaping?;
        Some(format!(
            "\n{metric}: shaping has rank {} on the shared transitions ({}), which leaves {}\n",
            print::count(shaping.rank),
            print::counted(shaping.components, "component", "components"),
            print::counted(shaping.degrees_of_freedom, "degree of freedom", "degrees of freedom")
        ))
    });
    let mut header = vec!["metric", "distance", "correlation"];
    if let Some((column, cells)) = &intervals {
        header.insert(2, column);
        rows.iter_mut().zip(cells).for_each(|(row, cell)| row.insert(2, cell.clone()));
    }
    let table = print::table(&header, &rows, &[]);
    let ranks = match chosen.settings.correlation {
        Correlation::Pearson => "",
        Correlation::Spearman => "; Spearman's correlation of ranks",
    };
    format!(
        "A  {}: {}\nB  {}: {}\nshared: {}; {}; {}{ranks}\n\n{}",
        print::shown(&a.name),
        print::describe(&a.sample),
        print::shown(&b.name),
        print::describe(&b.sample),
        print::counted(common, "transition", "transitions"),
        gamma::in_words(chosen),
        chosen.estimator_in_words(),
        table + &left.unwrap_or_default(),
    )
}
