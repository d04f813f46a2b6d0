//! What the paper's tables say about classification, beside what was measured.

use super::paper;
use super::results::{Achieved, Results, Test, percent};
use crate::experiments::shared::show::{estimated, upper};
use crate::values::Estimation;
use srrd::Metric;
use srrd_show::page::{Claim, Verdict};

/// What counts as significant in a verdict.
const SIGNIFICANT: f64 = 0.05;

pub fn claims(results: &Results<'_>) -> Vec<Claim> {
    let of_rewards = (0..results.sources.len()).filter_map(|source| claim(results, source));
    of_rewards.chain(without_rewards(results)).collect()
}

/// What an accuracy says of rewards, beside that of overlap alone.
fn without_rewards(results: &Results<'_>) -> Option<Claim> {
    let mut lines = Vec::new();
    let (mut above, mut all) = (0, 0);
    for (s, source) in results.sources.iter().enumerate() {
        let here = results.of(s);
        let Some(best) = here.iter().max_by(|a, b| a.percent().mean.total_cmp(&b.percent().mean)) else { continue };
        let (best_mean, overlap) = (best.percent().mean, percent(&best.overlap).mean);
        all += 1;
        above += usize::from(best_mean > overlap);
        lines.push(format!(
            "{}: overlap alone {overlap:.1} %, best metric {} {best_mean:.1} %",
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
                    "In all of them some metric is above overlap alone, the share of common transitions without a look at rewards."
                        .to_owned()
                }
                above => format!(
                    "In {} of {all} no metric is above overlap alone, the share of common transitions without a look at rewards. There, \
                     which transitions an agent takes tells who it is better than its rewards do, so that a high accuracy is no \
                     evidence that a metric sees rewards: samples of one agent share more transitions, and distances are taken on \
                     shared ones.",
                    all - above
                ),
            },
        )
    })
}

/// The paper's row beside ours.
fn claim(results: &Results<'_>, source: usize) -> Option<Claim> {
    let mut tests = results.tests(source);
    tests.retain(|test| {
        test.srrd.cell.estimation == Estimation::Double && Metric::PAPER.contains(&test.other.cell.metric)
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
    let shown = |a: &Achieved| format!("{} {:.1}", upper(a.cell.metric), a.percent().mean);
    let others: Vec<String> = tests.iter().map(|test| shown(test.other)).collect();
    let here = results.of(source);
    let unbiased: Vec<String> = (here.iter())
        .filter(|a| a.cell.estimation == Estimation::Unbiased && estimated(a.cell.metric))
        .map(|a| shown(a))
        .collect();
    let unbiased = if unbiased.is_empty() { String::new() } else { format!(" Unbiased: {}.", unbiased.join(", ")) };
    let srrd = first.srrd.percent().mean;
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
    use crate::values::{Learning, WorldKind};
    use std::path::PathBuf;

    /// The verdict on accuracies around these of DIRECT, EPIC, DARD and SRRD.
    fn verdict(accuracies: [f64; 4]) -> Verdict {
        let sources = [Source::Manual(WorldKind::Gridworld)];
        let achieved = Metric::PAPER.into_iter().zip(accuracies).map(|(metric, accuracy)| {
            let mut a = Achieved::new(Cell { source: 0, metric, estimation: Estimation::Double });
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
        let mut a = Achieved::new(Cell { source: 0, metric: Metric::Epic, estimation: Estimation::Double });
        a.accuracy = vec![0.5, 0.6];
        let manual = [Source::Manual(WorldKind::Gridworld)];
        // What is left is what overlap alone says.
        let left = |sources: &[Source], achieved| claims(&Results { sources, achieved }).len();
        assert_eq!(left(&manual, vec![a.clone()]), 1);
        let table = [Source::Table { path: PathBuf::from("x.csv"), name: "x.csv".to_owned() }];
        let mut srrd = a.clone();
        srrd.cell.metric = Metric::Srrd;
        assert_eq!(left(&table, vec![a.clone(), srrd]), 1);
        assert_eq!(left(&manual, vec![]), 0);
        // Overlap that is better than any metric says that rewards tell nothing.
        let verdict = |overlap: f64| {
            let mut a = a.clone();
            a.overlap = vec![overlap; 2];
            claims(&Results { sources: &[Source::Learned(WorldKind::Gridworld, Learning::Maxent)], achieved: vec![a] })
                [0]
            .verdict
        };
        assert_eq!((verdict(0.9), verdict(0.1)), (Verdict::Disagrees, Verdict::Agrees));
    }
}
