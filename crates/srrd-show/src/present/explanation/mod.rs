//! Where two samples differ: as text, and as a picture.

mod grid;
mod map;
mod picture;

use std::fmt::Write;

use srrd::Token;
use srrd::answer::{Explained, ExplainedState, ExplainedTransition, TokenValue};
use srrd::compare::Correlation;

use super::header;
use crate::words::{count, counted, percent, reward, table, token};
pub use grid::Grid;
pub use picture::{Picture, Pictured};

/// Below this a distance is rounding, and so is what it is made of.
const ROUNDING: f64 = 1e-7;

/// How much is carried by how many, and tables of those that carry most.
///
/// ```
/// use srrd::{Duplicates, Metric, NamedSample, Options, RewardSample};
/// let rows = (0..40).map(|s| (s, s % 3, (7 * s + 1) % 40, f64::from(s * s % 11)));
/// let old = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let new = old.with_rewards(old.rewards().iter().map(|r| 2.0 * r + 1.0).collect())?;
/// let [old, new] = [NamedSample::new("old", old), NamedSample::new("new", new)];
/// let question = Options { metrics: vec![Metric::Direct], ..Options::default() }.question()?;
/// let found = srrd::explain(&old, &new, &question, 3)?;
/// assert!(srrd_show::present::explanation::text(&found).contains("0, up to rounding"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn text(explained: &Explained) -> String {
    let Explained { a, b, used, distance, .. } = explained;
    let mut text = header(a, b, distance.common, used) + "\n\n";
    let (said, there) = summary(explained);
    let _ = writeln!(text, "{said}");
    if !there {
        return text;
    }
    if !explained.transitions.is_empty() {
        text.push('\n');
        text.push_str(&transitions(explained));
        text.push('\n');
        text.push_str(&states(explained));
        let unit = match used.correlation() {
            Correlation::Pearson => "without shaping, each in its own standard deviations",
            Correlation::Spearman => "without shaping, as ranks, each in its own standard deviations",
        };
        let _ = writeln!(text, "\na - b: reward a minus reward b, {unit}. share: of the squared distance.");
    }
    text
}

/// How much is carried by how many, and whether there is anything to explain.
///
/// ```
/// use srrd::{Duplicates, Metric, NamedSample, Options, RewardSample};
/// let rows = (0..40).map(|s| (s, s % 3, (7 * s + 1) % 40, f64::from(s * s % 11)));
/// let old = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let new = old.with_rewards(old.rewards().iter().map(|r| 2.0 * r + 1.0).collect())?;
/// let [old, new] = [NamedSample::new("old", old), NamedSample::new("new", new)];
/// let question = Options { metrics: vec![Metric::Direct], ..Options::default() }.question()?;
/// let (said, there) = srrd_show::present::explanation::summary(&srrd::explain(&old, &new, &question, 3)?);
/// assert!(!there && said.contains("nothing to explain"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn summary(explained: &Explained) -> (String, bool) {
    let Explained { metric, distance, .. } = explained;
    let Some(explanation) = &explained.explanation else {
        return (format!("The {metric} distance is undefined: there is nothing to explain."), false);
    };
    let value = distance.distance().unwrap_or(0.0);
    if value < ROUNDING {
        return (format!("The {metric} distance is 0, up to rounding: there is nothing to explain."), false);
    }
    let half = explanation.carrying(0.5);
    let said = format!(
        "The {metric} distance is {value:.6}. {} of {} {} half of it, {} carry 90 %.",
        count(half),
        counted(distance.common, "transition", "transitions"),
        if half == 1 { "carries" } else { "carry" },
        count(explanation.carrying(0.9)),
    );
    (said, true)
}

fn transitions(explained: &Explained) -> String {
    let row = |t: &ExplainedTransition| {
        let mut row = vec![token(t.state.token()), token(t.action.token())];
        row.extend(t.next_state.as_ref().map(next_state));
        row.extend([reward(t.reward_a), reward(t.reward_b), format!("{:+.2}", t.difference), percent(t.share)]);
        row
    };
    let rows: Vec<Vec<String>> = explained.transitions.iter().map(row).collect();
    let mut header = vec!["state", "action", "next state", "reward a", "reward b", "a - b", "share"];
    if explained.one_step {
        header.remove(2);
    }
    table(&header, &rows, if explained.one_step { &[1] } else { &[1, 2] })
}

/// A next state, which may be the end of an episode.
pub(super) fn next_state(value: &TokenValue) -> String {
    let next = value.token();
    if next == Token::text("") { "end".to_owned() } else { token(next) }
}

fn states(explained: &Explained) -> String {
    let row = |state: &ExplainedState| {
        let mut row = vec![token(state.state.token()), count(state.transitions), percent(state.starting)];
        if !explained.one_step {
            row.push(percent(state.ending));
        }
        row
    };
    let rows: Vec<Vec<String>> = explained.states.iter().filter(|state| state.transitions > 0).map(row).collect();
    let header = ["state", "transitions", "share that starts here", "share that ends here"];
    table(if explained.one_step { &header[..3] } else { &header }, &rows, &[])
}
