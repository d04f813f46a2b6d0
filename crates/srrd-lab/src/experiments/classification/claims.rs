//! What the paper's tables say about classification, beside what was measured.

use super::paper;
use super::results::{Achieved, Results, Test};
use super::rewards::Source;
use crate::experiments::shared::show::{estimated, upper};
use crate::values::{Estimation, WorldKind};
use srrd::Metric;
use srrd_show::page::{Claim, Verdict};

/// What counts as significant in a verdict.
const SIGNIFICANT: f64 = 0.05;

pub fn claims(results: &Results<'_>) -> Vec<Claim> {
    let of = |(s, source): (usize, &Source)| match source {
        Source::Manual(world) => claim(results, s, *world),
        Source::Table { .. } => None,
    };
    results.sources.iter().enumerate().filter_map(of).collect()
}

/// The paper's row beside ours.
fn claim(results: &Results<'_>, source: usize, world: WorldKind) -> Option<Claim> {
    let mut tests = results.tests(source);
    tests.retain(|test| {
        test.srrd.cell.estimation == Estimation::Double && Metric::PAPER.contains(&test.other.cell.metric)
    });
    let first = tests.first()?;
    let (theirs, _) = paper::accuracy(world, Metric::Srrd)?;
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
        assert_eq!(claims.len(), 1);
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
        assert!(claims(&Results { sources: &manual, achieved: vec![a.clone()] }).is_empty());
        let table = [Source::Table { path: PathBuf::from("x.csv"), name: "x.csv".to_owned() }];
        let mut srrd = a.clone();
        srrd.cell.metric = Metric::Srrd;
        assert!(claims(&Results { sources: &table, achieved: vec![a, srrd] }).is_empty());
    }
}
