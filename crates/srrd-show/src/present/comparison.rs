//! The distances of two samples, as text.

use srrd::answer::{Comparison, Finding};
use srrd::compare::{Correlation, Predicted};
use srrd::potential::BasisUsed;
use srrd::sure::{Chance, ChanceTest, Interval, IntervalMethod, Level, Range};

use super::header;
use crate::words::{Paint, count, counted, fixed, probability, table};

/// A table of distances, and what there is to say about them.
///
/// ```
/// use srrd::{Duplicates, Metric, NamedSample, Options, RewardSample};
/// let rows = (0..40).map(|s| (s, s % 3, (7 * s + 1) % 40, f64::from(s * s % 11)));
/// let old = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let new = old.with_rewards(old.rewards().iter().map(|r| 2.0 * r + 1.0).collect())?;
/// let [old, new] = [NamedSample::new("old", old), NamedSample::new("new", new)];
/// let question = Options { metrics: vec![Metric::Direct], ..Options::default() }.question()?;
/// let text = srrd_show::present::comparison::text(&srrd::compare(&old, &new, &question)?);
/// assert!(text.starts_with("A  old: 40 transitions") && text.contains("direct"), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn text(comparison: &Comparison) -> String {
    painted(comparison, Paint::PLAIN)
}

/// [`text`] in colours.
///
/// ```
/// use srrd::{Duplicates, Metric, NamedSample, Options, RewardSample};
/// let rows = (0..40).map(|s| (s, s % 3, (7 * s + 1) % 40, f64::from(s * s % 11)));
/// let old = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let new = old.with_rewards(old.rewards().iter().map(|r| 2.0 * r + 1.0).collect())?;
/// let [old, new] = [NamedSample::new("old", old), NamedSample::new("new", new)];
/// let question = Options { metrics: vec![Metric::Direct], ..Options::default() }.question()?;
/// use srrd_show::present::comparison::{painted, text};
/// let found = srrd::compare(&old, &new, &question)?;
/// assert_eq!(painted(&found, srrd_show::words::Paint::PLAIN), text(&found));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn painted(comparison: &Comparison, paint: Paint) -> String {
    let Comparison { a, b, common, used, results, .. } = comparison;
    let ranks = match used.correlation() {
        Correlation::Pearson => "",
        Correlation::Spearman => "; Spearman's correlation of ranks",
    };
    format!(
        "{}{ranks}\n\n{}{}{}{}",
        header(a, b, *common, used),
        distances(comparison, paint),
        shaping(results),
        notes(results),
        comparison
            .verdict
            .as_ref()
            .map_or(String::new(), |found| format!("\n{}", super::verdict::painted(found, [&a.name, &b.name], paint)))
    )
}

fn distances(comparison: &Comparison, paint: Paint) -> String {
    let results = &comparison.results;
    let interval = comparison.certainty.interval.map(interval_header);
    // No more digits than the interval has, which says how few of them are known.
    let digits = if interval.is_some() { 3 } else { 6 };
    let number = |value: Option<f64>| value.map_or("undefined".to_owned(), |value| fixed(value, digits));
    // Of one metric there is nothing to choose.
    let fits = comparison.advised.filter(|_| results.len() > 1);
    let row = |finding: &Finding| {
        let mark = if fits == Some(finding.metric) { " *" } else { "" };
        let mut row = vec![format!("{}{mark}", finding.metric), number(finding.distance.distance())];
        if interval.is_some() {
            row.push(interval_cell(finding));
        }
        row.push(number(finding.distance.correlation()));
        row
    };
    let header: Vec<&str> =
        ["metric", "distance"].into_iter().chain(interval.as_deref()).chain(["correlation"]).collect();
    let text = table(&header, &results.iter().map(row).collect::<Vec<_>>(), &[]);
    let (head, rows) = text.split_once('\n').unwrap_or((&text, ""));
    let mut text = format!("{}\n{rows}", paint.strong(head));
    if fits.is_some() {
        text += "* fits these data\n";
    }
    text
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
            "\n{}: shaping has rank {} on the shared transitions ({}), which leaves {}\n{}",
            finding.metric,
            count(shaping.rank),
            counted(shaping.components, "component", "components"),
            counted(shaping.degrees_of_freedom, "degree of freedom", "degrees of freedom"),
            finding.basis.map(basis).unwrap_or_default()
        ))
    });
    told.or_else(|| results.iter().find_map(|finding| finding.predicted.map(predictions))).unwrap_or_default()
}

/// What a comparison by predictions stands on.
fn predictions(found: Predicted) -> String {
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let ([a, b], [of_a, of_b]) = (found.overlap.map(percent), found.rows.map(count));
    format!(
        "\nprojected: each reward was predicted where the other was sampled. {a} of A ({of_a} transitions) and {b} of B ({of_b}) lie where the \
         other has been. In episodes that were left out, predictions agree with A by {:.3} and with B by {:.3} (1 is all). Potentials are {}.\n",
        found.skill[0], found.skill[1], found.potential
    )
}

/// What potentials were made of, and what they explain.
fn basis(basis: BasisUsed) -> String {
    let share = |explained: Option<f64>| match explained {
        None => "an unknown share".to_owned(),
        // Potentials that do harm explain nothing.
        Some(share) => format!("{:.0} %", 100.0 * share.max(0.0)),
    };
    let [a, b] = basis.explained.map(share);
    format!(
        "Potentials are {} ({}); where they were not fitted ({} left out in turn) they explain {a} of A and {b} of B.\n",
        basis.potential,
        counted(basis.functions, "function of the features", "functions of the features"),
        basis.left_out.name()
    )
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
            Some(IntervalMethod::Predictions { .. }) => {
                notes += &format!(
                    "\n{metric}: the interval holds what the errors of predictions leave possible, where both samples have been\n"
                );
            }
            Some(IntervalMethod::Complete) => {
                notes += &format!(
                    "\n{metric}: every transition that the model calls possible is shared; the distance is no estimate\n"
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
            notes += &format!("\n{}: {verdict} (p {}, {how})\n", finding.metric, probability(p));
        }
    }
    notes
}
