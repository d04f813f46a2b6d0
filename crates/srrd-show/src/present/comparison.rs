//! The distances of two samples, as text.

use srrd::answer::{Comparison, Finding};
use srrd::compare::Correlation;
use srrd::sure::{Chance, ChanceTest, Interval, IntervalMethod, Level, Range};

use super::header;
use crate::words::{count, counted, probability, table};

/// A table of distances, and what there is to say about them.
pub fn text(comparison: &Comparison) -> String {
    let Comparison { a, b, common, used, results, .. } = comparison;
    let ranks = match used.correlation() {
        Correlation::Pearson => "",
        Correlation::Spearman => "; Spearman's correlation of ranks",
    };
    format!(
        "{}{ranks}\n\n{}{}{}",
        header(a, b, *common, used),
        distances(results, comparison.certainty.interval),
        shaping(results),
        notes(results)
    )
}

fn distances(results: &[Finding], level: Option<Level>) -> String {
    let number = |value: Option<f64>| value.map_or("undefined".to_owned(), |value| format!("{value:.6}"));
    let interval = level.map(interval_header);
    let row = |finding: &Finding| {
        let mut row = vec![finding.metric.to_string(), number(finding.distance.distance())];
        if interval.is_some() {
            row.push(interval_cell(finding));
        }
        row.push(number(finding.distance.correlation()));
        row
    };
    let header: Vec<&str> =
        ["metric", "distance"].into_iter().chain(interval.as_deref()).chain(["correlation"]).collect();
    table(&header, &results.iter().map(row).collect::<Vec<_>>(), &[])
}

/// The header of the column of intervals.
fn interval_header(level: Level) -> String {
    // 57, not 56.99999999999999.
    format!("{} % interval", (level.get() * 1e8).round() / 1e6)
}

fn interval_cell(finding: &Finding) -> String {
    match finding.interval {
        Some(Ok(Interval { range: Range { low, high }, .. })) => format!("({low:.3} to {high:.3})"),
        Some(Err(_)) => "none".to_owned(),
        None => String::new(),
    }
}

/// What shaping can explain on the shared transitions.
fn shaping(results: &[Finding]) -> String {
    let told = results.iter().find_map(|finding| {
        let shaping = finding.distance.shaping?;
        Some(format!(
            "\n{}: shaping has rank {} on the shared transitions ({}), which leaves {}\n",
            finding.metric,
            count(shaping.rank),
            counted(shaping.components, "component", "components"),
            counted(shaping.degrees_of_freedom, "degree of freedom", "degrees of freedom")
        ))
    });
    told.unwrap_or_default()
}

/// How intervals were found and what they leave out, and what the tests say.
fn notes(results: &[Finding]) -> String {
    let mut notes = String::new();
    let mut bootstrapped = Vec::new();
    let mut drawn = None;
    for finding in results {
        let metric = finding.metric;
        match finding.interval.and_then(Result::ok).map(|interval| interval.method) {
            Some(IntervalMethod::BootstrapPercentile(made)) => {
                bootstrapped.push(metric.name());
                drawn = Some((made.draws, made.resampled.name()));
            }
            Some(IntervalMethod::StateBlocks(_)) => {
                notes += &format!(
                    "\n{metric}: the interval is about all transitions that could be met, not only those shared (a jackknife over \
                     groups of states)\n"
                );
            }
            None => {}
        }
    }
    if let Some((draws, what)) = drawn {
        notes += &format!(
            "\n{}: interval by bootstrap, {} of {what}\n",
            bootstrapped.join(", "),
            counted(draws, "draw", "draws"),
        );
        if bootstrapped != ["direct"] {
            notes += "It is about sampling noise only: no resampling sees the bias of sparse samples.\n";
        }
    }
    for finding in results {
        if let Some(Ok(Chance { p, test })) = finding.chance {
            let how = match test {
                ChanceTest::Permutation { draws, .. } => {
                    format!("{} of the rewards", counted(draws, "random permutation", "random permutations"))
                }
                ChanceTest::StudentT { .. } => "Student's t".to_owned(),
            };
            let verdict = if p < 0.05 { "more alike than chance" } else { "no more alike than chance" };
            notes += &format!("\n{}: {verdict} (p = {}, {how})\n", finding.metric, probability(p));
        }
    }
    notes
}
