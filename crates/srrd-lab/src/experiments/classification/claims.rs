//! What the paper's tables say about classification, beside what was measured.

use super::paper;
use super::results::{Achieved, Results, Test, percent};
use crate::experiments::shared::show::{estimated, upper};
use crate::values::{Estimation, Measure};
use srrd::Metric;
use srrd_show::page::{Claim, Verdict};

/// What counts as significant in a verdict.
const SIGNIFICANT: f64 = 0.05;

pub fn claims(results: &Results<'_>) -> Vec<Claim> {
    let of_rewards = (0..results.sources.len()).filter_map(|source| claim(results, source));
    of_rewards.chain(without_rewards(results)).chain(as_published(results)).collect()
}

/// What an accuracy says of rewards, beside that of overlap alone.
fn without_rewards(results: &Results<'_>) -> Option<Claim> {
    let mut lines = Vec::new();
    let (mut above, mut all) = (0, 0);
    for (s, source) in results.sources.iter().enumerate() {
        let here = results.of(s);
        let ours = here.iter().filter(|a| !a.cell.measure.published);
        let Some(best) = ours.max_by(|a, b| a.percent().mean.total_cmp(&b.percent().mean)) else { continue };
        let best_mean = best.percent().mean;
        let [overlap, occupancy] = [&best.overlap, &best.occupancy].map(|shares| percent(shares).mean);
        all += 1;
        // NaN, of runs without one of them, is no maximum.
        above += usize::from(best_mean > overlap.max(occupancy));
        lines.push(format!(
            "{}: overlap alone {overlap:.1} %, occupancy alone {occupancy:.1} %, best metric {} {best_mean:.1} %",
            source.title(),
            best.name()
        ));
    }
    (all > 0).then(|| {
        Claim::new(
            "Metrics tell agents apart by their rewards.".to_owned(),
            format!("{}.", lines.join("; ")),
            match above {
                above if above == all => Verdict::Agrees,
                0 => Verdict::Disagrees,
                _ => Verdict::Undecided,
            },
            match above {
                above if above == all => {
                    "In all of them some metric is above overlap and occupancy alone: which transitions are common, and how often they were met, \
                     without a look at rewards."
                        .to_owned()
                }
                above => format!(
                    "In {} of {all} no metric is above overlap and occupancy alone: which transitions are common, and how often they were met. There, \
                     which transitions an agent takes tells who it is better than its rewards do, so that a high accuracy is no \
                     evidence that a metric sees rewards: samples of one agent share more transitions, and distances are taken on \
                     shared ones.",
                    all - above
                ),
            },
        )
    })
}

/// DARD as the paper's code computes it, beside its definition.
fn as_published(results: &Results<'_>) -> Option<Claim> {
    let mut lines = Vec::new();
    for (s, source) in results.sources.iter().enumerate() {
        let here = results.of(s);
        let find = |metric: Metric, estimation: Estimation, published: bool| {
            let measure = Measure { metric, published };
            here.iter().find(|a| (a.cell.measure, a.cell.estimation) == (measure, estimation))
        };
        let code = find(Metric::Dard, Estimation::Double, true);
        let defined = find(Metric::Dard, Estimation::Double, false);
        let srrd = find(Metric::Srrd, Estimation::Unbiased, false).or(find(Metric::Srrd, Estimation::Double, false));
        if let (Some(code), Some(defined), Some(srrd)) = (code, defined, srrd) {
            lines.push((
                srrd.percent().mean - code.percent().mean,
                srrd.percent().mean - defined.percent().mean,
                format!(
                    "{}: {} {:.1} %, DARD as defined {:.1} %, DARD as published {:.1} %",
                    source.title(),
                    srrd.name(),
                    srrd.percent().mean,
                    defined.percent().mean,
                    code.percent().mean
                ),
            ));
        }
    }
    if lines.is_empty() {
        return None;
    }
    let (above_code, above_defined) =
        (lines.iter().filter(|line| line.0 > 0.0).count(), lines.iter().filter(|line| line.1 > 0.0).count());
    let all = lines.len();
    let texts: Vec<&str> = lines.iter().map(|line| line.2.as_str()).collect();
    Some(Claim::new(
        "SRRD is above DARD: with both as the paper's code computes them.".to_owned(),
        format!("{}.", texts.join("; ")),
        match above_code {
            above if above == all => Verdict::Agrees,
            0 => Verdict::Disagrees,
            _ => Verdict::Undecided,
        },
        format!(
            "The published code divides all terms of DARD by the union of both sets and takes unbiased estimates for SRRD alone: so computed, SRRD is above DARD in \
             {above_code} of {all}; above DARD as it is defined in {above_defined}."
        ),
    ))
}

/// The paper's row beside ours.
fn claim(results: &Results<'_>, source: usize) -> Option<Claim> {
    let mut tests = results.tests(source);
    tests.retain(|test| {
        test.srrd.cell.estimation == Estimation::Double && Metric::PAPER.contains(&test.other.cell.measure.metric)
    });
    let first = tests.first()?;
    let (theirs, _) = paper::accuracy(&results.sources[source], Metric::Srrd)?;
    let count = |holds: fn(&Test<'_>) -> bool| tests.iter().filter(|test| holds(test)).count();
    let above = count(|test| test.welch.p < SIGNIFICANT);
    let below = count(|test| test.welch.p > 1.0 - SIGNIFICANT);
    let verdict = match (above, below) {
        (above, _) if above == tests.len() => Verdict::Agrees,
        (_, 0) => Verdict::Undecided,
        _ => Verdict::Disagrees,
    };
    let shown = |a: &Achieved| format!("{} {:.1}", upper(a.cell.measure.metric), a.percent().mean);
    let others: Vec<String> = tests.iter().map(|test| shown(test.other)).collect();
    let here = results.of(source);
    let unbiased: Vec<String> = (here.iter())
        .filter(|a| a.cell.estimation == Estimation::Unbiased && estimated(a.cell.measure.metric))
        .map(|a| shown(a))
        .collect();
    let unbiased = if unbiased.is_empty() { String::new() } else { format!(" Unbiased: {}.", unbiased.join(", ")) };
    let srrd = first.srrd.percent().mean;
    if first.srrd.too_few() {
        return Some(Claim::new(
            format!("{}: SRRD is the most accurate, {theirs} %.", results.sources[source].title()),
            format!(
                "{} samples, {} of the smallest class: too few to classify. (SRRD {srrd:.1} %, {}.)",
                first.srrd.samples,
                first.srrd.fewest,
                others.join(", ")
            ),
            Verdict::Undecided,
            "Nothing follows from so few samples.".to_owned(),
        ));
    }
    Some(Claim::new(
        format!(
            "{}: SRRD is the most accurate, {theirs} %, significantly above the others.",
            results.sources[source].title()
        ),
        format!("Double batch: SRRD {srrd:.1} %, {}.{unbiased}", others.join(", ")),
        verdict,
        match verdict {
            Verdict::Agrees => "Agrees: above each of them by Welch's test.".to_owned(),
            Verdict::Disagrees => {
                format!("Does not come out: above {above} and below {below} of {} by Welch's test.", tests.len())
            }
            _ => format!("Above {above} of {} by Welch's test, below none.", tests.len()),
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::classification::Cell;
    use crate::experiments::classification::rewards::Source;
    use crate::values::{Learning, Place, WorldKind};
    use std::path::PathBuf;

    /// The verdict on accuracies around these of DIRECT, EPIC, DARD and SRRD.
    fn verdict(accuracies: [f64; 4]) -> Verdict {
        let sources = [Source::Manual(Place::World(WorldKind::Gridworld))];
        let achieved = Metric::PAPER.into_iter().zip(accuracies).map(|(metric, accuracy)| {
            let mut a =
                Achieved::new(Cell { source: 0, measure: Measure::defined(metric), estimation: Estimation::Double });
            a.fewest = 30;
            a.accuracy = [-0.02, -0.01, 0.0, 0.01, 0.02].map(|off| accuracy + off).to_vec();
            a
        });
        let claims = claims(&Results { sources: &sources, achieved: achieved.collect() });
        assert_eq!(claims.len(), 2);
        assert!(claims[0].paper.starts_with("Gridworld, manual rewards: SRRD is the most accurate, 75.8 %"));
        claims[0].verdict
    }

    #[test]
    fn srrd_is_above_all_or_below_some_or_neither() {
        assert_eq!(verdict([0.5, 0.6, 0.7, 0.8]), Verdict::Agrees);
        assert_eq!(verdict([0.5, 0.6, 0.9, 0.8]), Verdict::Disagrees);
        assert_eq!(verdict([0.5, 0.6, 0.8, 0.8]), Verdict::Undecided);
    }

    #[test]
    fn tables_and_runs_without_srrd_have_no_claim() {
        let mut a =
            Achieved::new(Cell { source: 0, measure: Measure::defined(Metric::Epic), estimation: Estimation::Double });
        a.accuracy = vec![0.5, 0.6];
        let manual = [Source::Manual(Place::World(WorldKind::Gridworld))];
        // What is left is what overlap alone says.
        let left = |sources: &[Source], achieved| claims(&Results { sources, achieved }).len();
        assert_eq!(left(&manual, vec![a.clone()]), 1);
        let table = [Source::Table { path: PathBuf::from("x.csv"), name: "x.csv".to_owned() }];
        let mut srrd = a.clone();
        srrd.cell.measure.metric = Metric::Srrd;
        assert_eq!(left(&table, vec![a.clone(), srrd]), 1);
        assert_eq!(left(&manual, vec![]), 0);
        // Overlap that is better than any metric says that rewards tell nothing.
        let verdict = |overlap: f64| {
            let mut a = a.clone();
            (a.overlap, a.occupancy) = (vec![overlap; 2], vec![0.0; 2]);
            claims(&Results {
                sources: &[Source::Learned(Place::World(WorldKind::Gridworld), Learning::Maxent)],
                achieved: vec![a],
            })[0]
                .verdict
        };
        assert_eq!((verdict(0.9), verdict(0.1)), (Verdict::Disagrees, Verdict::Agrees));
    }

    #[test]
    fn what_the_code_computes_is_told_from_what_is_defined() {
        let sources = [Source::Manual(Place::World(WorldKind::Gridworld))];
        let of = |metric, published, accuracy: f64| {
            let mut a = Achieved::new(Cell {
                source: 0,
                measure: Measure { metric, published },
                estimation: Estimation::Double,
            });
            (a.accuracy, a.fewest) = (vec![accuracy, accuracy], 30);
            a
        };
        let with = |code: f64| {
            let achieved =
                vec![of(Metric::Dard, false, 0.8), of(Metric::Srrd, false, 0.7), of(Metric::Dard, true, code)];
            as_published(&Results { sources: &sources, achieved }).unwrap()
        };
        assert_eq!((with(0.6).verdict, with(0.75).verdict), (Verdict::Agrees, Verdict::Disagrees));
        assert!(
            with(0.6).note.contains("above DARD in 1 of 1; above DARD as it is defined in 0"),
            "{}",
            with(0.6).note
        );
    }

    #[test]
    fn few_samples_decide_nothing() {
        let sources = [Source::Manual(Place::World(WorldKind::Gridworld))];
        let of = |metric, accuracy: f64| {
            let mut a =
                Achieved::new(Cell { source: 0, measure: Measure::defined(metric), estimation: Estimation::Double });
            (a.accuracy, a.fewest, a.samples) = (vec![accuracy - 0.01, accuracy, accuracy + 0.01], 2, 9);
            a
        };
        let achieved = vec![of(Metric::Direct, 0.5), of(Metric::Srrd, 0.9)];
        let claim = &claims(&Results { sources: &sources, achieved })[0];
        assert_eq!(claim.verdict, Verdict::Undecided);
        assert!(
            claim.measured.starts_with("9 samples, 2 of the smallest class: too few to classify"),
            "{}",
            claim.measured
        );
    }
}
