//! Whether two rewards ask for the same behaviour, as text.

use srrd::answer::{Judgement, ShownWitness, TokenValue, WitnessStep};
use srrd::verdict::{Answer, Why};

use crate::escape::shown;
use crate::words::{Paint, reward};

/// One sentence, and where they differ two paths that anyone can check.
///
/// ```
/// use srrd::{Duplicates, Metric, NamedSample, Options, RewardSample};
/// let rows = (0..40).map(|s| (s, s % 3, (7 * s + 1) % 40, f64::from(s * s % 11)));
/// let old = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let new = old.with_rewards(old.rewards().iter().map(|r| 2.0 * r + 1.0).collect())?;
/// let [old, new] = [NamedSample::new("old", old), NamedSample::new("new", new)];
/// let question = Options { metrics: vec![Metric::Projected], verdict: true, ..Options::default() }.question()?;
/// let found = srrd::compare(&old, &new, &question)?.verdict.unwrap();
/// assert!(srrd_show::present::verdict::text(&found, ["old", "new"]).starts_with("Verdict: "));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn text(judgement: &Judgement, names: [&str; 2]) -> String {
    painted(judgement, names, Paint::PLAIN)
}

/// [`text`] in colours.
///
/// ```
/// use srrd::{Duplicates, Metric, NamedSample, Options, RewardSample};
/// let rows = (0..40).map(|s| (s, s % 3, (7 * s + 1) % 40, f64::from(s * s % 11)));
/// let old = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let new = old.with_rewards(old.rewards().iter().map(|r| 2.0 * r + 1.0).collect())?;
/// let [old, new] = [NamedSample::new("old", old), NamedSample::new("new", new)];
/// let question = Options { metrics: vec![Metric::Projected], verdict: true, ..Options::default() }.question()?;
/// let found = srrd::compare(&old, &new, &question)?.verdict.unwrap();
/// use srrd_show::present::verdict::{painted, text};
/// assert_eq!(painted(&found, ["old", "new"], srrd_show::words::Paint::PLAIN), text(&found, ["old", "new"]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn painted(judgement: &Judgement, [a, b]: [&str; 2], paint: Paint) -> String {
    let answer = answer_in_words(judgement);
    let answer = match judgement.answer {
        Answer::Same => paint.good(answer),
        Answer::Different => paint.bad(answer),
        Answer::Unknown => paint.unsure(answer),
    };
    let mut text = format!("Verdict: {answer}: {}.\n", judgement.why);
    if let Some(witness) = &judgement.witness {
        text += &paths(witness, [a, b]);
    }
    text
}

/// The answer and why, without a full stop.
///
/// ```
/// use srrd::{Duplicates, Metric, NamedSample, Options, RewardSample};
/// let rows = (0..40).map(|s| (s, s % 3, (7 * s + 1) % 40, f64::from(s * s % 11)));
/// let old = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let new = old.with_rewards(old.rewards().iter().map(|r| 2.0 * r + 1.0).collect())?;
/// let [old, new] = [NamedSample::new("old", old), NamedSample::new("new", new)];
/// let question = Options { metrics: vec![Metric::Projected], verdict: true, ..Options::default() }.question()?;
/// let found = srrd::compare(&old, &new, &question)?.verdict.unwrap();
/// println!("{}.", srrd_show::present::verdict::sentence(&found));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sentence(judgement: &Judgement) -> String {
    format!("{}: {}", answer_in_words(judgement), judgement.why)
}

pub(super) fn answer_in_words(judgement: &Judgement) -> &'static str {
    match (judgement.answer, judgement.why) {
        (Answer::Same, _) => "same behaviour",
        (Answer::Different, _) => "the rewards differ",
        (Answer::Unknown, Why::Small { .. }) => "a small difference",
        (Answer::Unknown, Why::Hidden { .. }) => "large rewards hide a difference",
        (Answer::Unknown, _) => "not enough data to tell",
    }
}

/// One line in the format of GitHub's workflow commands, which shows it beside the change; the paths follow as further lines of its message.
///
/// ```
/// use srrd::{Duplicates, NamedSample, Options, Metric, RewardSample, compare};
/// let sample = RewardSample::from_rows([(0, 0, 1, 1.0), (1, 0, 0, 2.0), (1, 1, 1, 0.0)], Duplicates::Mean)?;
/// let named = NamedSample::new("a", sample);
/// let options = Options { metrics: vec![Metric::Projected], verdict: true, ..Options::default() };
/// let found = compare(&named, &named, &options.question()?)?;
/// let line = srrd_show::present::verdict::annotation(found.verdict.as_ref().unwrap(), ["old", "new"]);
/// assert!(line.starts_with("::warning title=srrd check::not enough data to tell"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn annotation(judgement: &Judgement, names: [&str; 2]) -> String {
    let level = match judgement.answer {
        Answer::Same => "notice",
        Answer::Different => "error",
        Answer::Unknown => "warning",
    };
    let mut message = format!("{}.", sentence(judgement));
    if let Some(witness) = &judgement.witness {
        message += &paths(witness, names);
    }
    // What ends a line would end the command.
    let message = message.trim_end().replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    format!("::{level} title=srrd check::{message}\n")
}

fn paths(witness: &ShownWitness, names: [&str; 2]) -> String {
    // Samples that nobody named have the same name.
    let [a, b] = if names[0] == names[1] { ["A", "B"] } else { names };
    let alike = match witness.ends {
        true => "Both paths start in the same state and end the episode",
        false => "Both paths lead from the same state to the same state in as many steps",
    };
    let [first, second] = &witness.returns;
    let mut text = format!("\n{alike}; no shaping can change which is better.\n");
    for (name, path, returns) in [("1", &witness.paths[0], first), ("2", &witness.paths[1], second)] {
        text += &format!("  path {name}: {}\n", steps(path));
        let [by_a, by_b] = returns.map(reward);
        text += &format!("    return {by_a} by {}, {by_b} by {}\n", shown(a), shown(b));
    }
    text + &format!("  {} prefers path 1, {} prefers path 2.\n", shown(a), shown(b))
}

/// `s -a-> s' -a-> s''`
fn steps(path: &[WitnessStep]) -> String {
    let mut text = path.first().map_or(String::new(), |step| step_token(&step.state));
    for step in path {
        let next = step.next_state.as_ref().map_or("end".to_owned(), step_token);
        text += &format!(" -[{}]-> {next}", step_token(&step.action));
    }
    text
}

/// A state or an action in full, so that it can be looked up.
pub(super) fn step_token(value: &TokenValue) -> String {
    shown(&value.token().to_string()).into_owned()
}
