//! How alike two rewards judge episodes, as text.

use srrd::returns::{Estimate, Preferences, ReturnComparison};

use crate::escape::shown;
use crate::words::{counted, fixed, percent, table};

/// A table of numbers, and what there is to say about them.
///
/// ```
/// use srrd::returns::{ReturnSettings, Walks, compare_returns};
/// use srrd::trajectories::{End, Trajectories};
/// let mut builder = Trajectories::builder();
/// for reward in [1.0, 2.0, 4.0] {
///     builder.push_episode(&["start", "home"], &["go"], Some(&[reward]), End::Terminated)?;
/// }
/// let walks = Walks::numbered(builder.build());
/// let found = compare_returns(&walks, &walks, &ReturnSettings::default())?;
/// assert!(srrd_show::present::returns::text(Some(&found), &[]).contains("Kendall's tau_b"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn text(comparison: Option<&ReturnComparison>, preferences: &[Preferences]) -> String {
    let mut parts: Vec<String> = comparison.map(compared).into_iter().collect();
    if !preferences.is_empty() {
        parts.push(preferred(preferences));
    }
    parts.join("\n")
}

fn compared(found: &ReturnComparison) -> String {
    let left_out = match found.left_out {
        0 => String::new(),
        left_out => format!(" ({} that only one has left out)", counted(left_out, "episode", "episodes")),
    };
    let mut text = format!(
        "A  {}\nB  {}\nshared: {}{left_out}; γ = {}\n\n",
        shown(&found.a),
        shown(&found.b),
        counted(found.episodes, "episode", "episodes"),
        found.gamma
    );
    let rows = [
        ("correlation of returns", &found.correlation),
        ("without shaping", &found.correlation_without_shaping),
        ("Kendall's tau_b", &found.tau_b),
    ];
    let interval = found.level.map(|level| format!("{} % interval", (level * 1e8).round() / 1e6));
    let row = |(name, estimate): (&str, &Estimate)| {
        let mut row = vec![name.to_owned(), number(estimate)];
        row.extend(interval.as_ref().map(|_| range(estimate)));
        row
    };
    let header: Vec<&str> = ["over episodes", "value"].into_iter().chain(interval.as_deref()).collect();
    text += &table(&header, &rows.map(row), &[]);
    text += &format!(
        "\nshaping: the potentials of first and last states leave {} of the returns\n",
        counted(found.degrees_of_freedom, "degree of freedom", "degrees of freedom")
    );
    let estimates = [found.correlation, found.correlation_without_shaping, found.tau_b];
    let mut told = Vec::new();
    for why in estimates.iter().filter_map(|estimate| estimate.value.err()) {
        if !told.contains(&why) {
            text += &format!("undefined: {why}\n");
            told.push(why);
        }
    }
    if found.unknown_ends > 0 {
        text += &format!(
            "of {} nobody recorded how they ended (columns `terminated`, `done`): taken as cut off, so that the last state has a \
             potential of its own\n",
            counted(found.unknown_ends, "episode", "episodes")
        );
    }
    if found.unknown_next > 0 {
        text += &format!(
            "without shaping: the last reward of {} is left out because its next state is not known; the other numbers count it\n",
            counted(found.unknown_next, "episode", "episodes")
        );
    }
    text
}

fn preferred(preferences: &[Preferences]) -> String {
    let with_interval = preferences.iter().any(|one| one.tau_b.interval.is_some());
    let row = |one: &Preferences| {
        let mut row = vec![
            shown(&one.reward).into_owned(),
            one.pairs.to_string(),
            one.agreed.to_string(),
            one.contradicted.to_string(),
            one.tied.to_string(),
            percent(one.accuracy),
            number(&one.tau_b),
        ];
        row.extend(with_interval.then(|| range(&one.tau_b)));
        row
    };
    let header = ["reward", "preferences", "agrees", "contradicts", "ties", "accuracy", "tau_b"];
    let header: Vec<&str> = header.into_iter().chain(with_interval.then_some("interval")).collect();
    table(&header, &preferences.iter().map(row).collect::<Vec<_>>(), &[])
}

fn number(estimate: &Estimate) -> String {
    estimate.value.map_or_else(|_| "undefined".to_owned(), |value| fixed(value, 6))
}

fn range(estimate: &Estimate) -> String {
    estimate
        .interval
        .map_or_else(|| "none".to_owned(), |range| format!("({} to {})", fixed(range.low, 3), fixed(range.high, 3)))
}
