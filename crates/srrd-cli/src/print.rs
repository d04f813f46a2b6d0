//! What people read: aligned tables on standard output, notes on standard error, numbers with their digits.

use serde_json::Value;
use srrd::NamedSample;
use srrd::{Comparison, Duplicates, RewardSample, Undefined};
use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Writes a result to standard output.
pub fn result(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes a JSON value and a line end to standard output.
pub fn json(value: &Value) -> io::Result<()> {
    let mut value = value.clone();
    drop_signs_of_zeros(&mut value);
    result(&format!("{value}\n"))
}

fn drop_signs_of_zeros(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() && number.as_f64() == Some(0.0) => *value = 0.0.into(),
        Value::Array(values) => values.iter_mut().for_each(drop_signs_of_zeros),
        Value::Object(values) => values.values_mut().for_each(drop_signs_of_zeros),
        _ => {}
    }
}

/// 0 for −0, which says the same and looks like a mistake; other numbers as they are.
pub fn without_sign_of_zero(number: f64) -> f64 {
    number + 0.0
}

thread_local! {
    /// Where warnings go instead of standard error, while someone collects them.
    static COLLECTED: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Tells something on standard error; that it cannot be told must not stop anything.
pub fn warn(message: &str) {
    let collected = COLLECTED.with_borrow_mut(|collected| match collected {
        Some(collected) => {
            collected.push(shown(message).into_owned());
            true
        }
        None => false,
    });
    if !collected {
        let _ = writeln!(io::stderr(), "warning: {}", shown(message));
    }
}

/// The result of `work`, and what it warned about on this thread, instead of telling that on standard error.
pub fn collecting_warnings<T>(work: impl FnOnce() -> T) -> (T, Vec<String>) {
    COLLECTED.set(Some(Vec::new()));
    let result = work();
    (result, COLLECTED.take().unwrap_or_default())
}

/// A text from a table as it is shown: control characters, such as line breaks in the name of a sample, are escaped.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if c.is_control() { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown.into()
}

/// Tells something that is no cause for concern on standard error.
pub fn note(message: &str) {
    let _ = writeln!(io::stderr(), "note: {message}");
}

/// A table with aligned columns; the first column is left-aligned, the others are right-aligned unless `left` lists them.
pub fn table(header: &[&str], rows: &[Vec<String>], left: &[usize]) -> String {
    let width = |text: &str| text.chars().count();
    let widths: Vec<usize> = (0..header.len())
        .map(|k| rows.iter().map(|row| width(&row[k])).chain([width(header[k])]).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    let mut line = |cells: &[&str]| {
        let mut line = String::new();
        for (k, cell) in cells.iter().enumerate() {
            let pad = " ".repeat(widths[k] - width(cell));
            if k > 0 {
                line.push_str("  ");
            }
            if k == 0 || left.contains(&k) {
                line.push_str(cell);
                line.push_str(&pad);
            } else {
                line.push_str(&pad);
                line.push_str(cell);
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    };
    line(header);
    for row in rows {
        line(&row.iter().map(String::as_str).collect::<Vec<_>>());
    }
    text
}

/// A number with thousands separated, as counts are read.
pub fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun.
pub fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// A fraction as percent with the digits it needs.
pub fn percent(fraction: f64) -> String {
    let percent = 100.0 * fraction;
    match percent {
        p if p == 0.0 || p >= 99.95 => format!("{p:.0} %"),
        p if p >= 0.1 => format!("{p:.1} %"),
        p => format!("{p:.1e} %"),
    }
}

/// One line on a sample.
pub fn describe(sample: &RewardSample) -> String {
    let mut text = counted(sample.len(), "transition", "transitions");
    let _ = write!(text, ", {}", counted(sample.states().len(), "state", "states"));
    let _ = write!(text, ", {}", counted(sample.actions().len(), "action", "actions"));
    text
}

/// Why a comparison has no distance, in words.
pub fn undefined_in_words(comparison: &Comparison, min_common: usize) -> Option<String> {
    Some(match comparison.undefined()? {
        Undefined::TooFewCommon => format!(
            "the samples share {}, fewer than the {min_common} asked for (--min-common)",
            counted(comparison.common, "transition", "transitions")
        ),
        other => other.to_string(),
    })
}

/// Says what was merged, and how, and what looks wrong with a sample.
pub fn warn_about(named: &NamedSample, duplicates: Duplicates) {
    let averaged = named.sample.duplicates().averaged;
    if averaged > 0 {
        warn(&format!(
            "{}: {} occurred with unequal rewards; {} was taken (--duplicates)",
            named.name,
            counted(averaged, "transition", "transitions"),
            match duplicates {
                Duplicates::First => "the first",
                Duplicates::Last => "the last",
                Duplicates::Mean | Duplicates::Error => "their mean",
            }
        ));
    }
    let rewards = named.sample.rewards();
    if rewards.len() > 1 && rewards.iter().all(|r| *r == rewards[0]) {
        warn(&format!(
            "{}: all rewards are {}: distances to it are undefined, or made by what was not sampled alone",
            named.name, rewards[0]
        ));
    }
}
