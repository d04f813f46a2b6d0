//! Numbers, names and small tables as people read them on a terminal.

use std::borrow::Cow;

use srrd::Token;
pub use srrd::words::{count, counted};

use crate::escape::shown;

/// Longer names are cut in the middle, since their ends (a seed, a version) tell them apart as often as their beginnings: a prompt that is its own name would fill the screen.
const LONGEST_NAME: usize = 40;

/// A table with aligned columns; the first column is left-aligned, the others are right-aligned unless `left` lists them.
///
/// ```
/// use srrd_show::words::table;
/// let rows = [vec!["srrd".to_owned(), "0.25".to_owned()]];
/// assert_eq!(table(&["metric", "distance"], &rows, &[]), "metric  distance\nsrrd        0.25\n");
/// ```
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

/// Colours of a terminal, or none.
///
/// ```
/// use srrd_show::words::Paint;
/// assert_eq!(Paint::PLAIN.good("same"), "same");
/// assert_eq!(Paint::new(true).strong("metric"), "\u{1b}[1mmetric\u{1b}[0m");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paint(bool);

impl Paint {
    /// No colours.
    pub const PLAIN: Paint = Paint(false);

    /// Colours if `on`.
    pub fn new(on: bool) -> Self {
        Paint(on)
    }

    /// Whether there are colours.
    pub fn is_on(self) -> bool {
        self.0
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.0 { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// What is to be seen first: bold.
    pub fn strong(self, text: &str) -> String {
        self.with("1", text)
    }

    /// What is well: green.
    pub fn good(self, text: &str) -> String {
        self.with("1;32", text)
    }

    /// What is wrong or different: red.
    pub fn bad(self, text: &str) -> String {
        self.with("1;31", text)
    }

    /// What to be careful with: yellow.
    pub fn unsure(self, text: &str) -> String {
        self.with("1;33", text)
    }
}

/// The numbers of a column, with their decimals in line: so many significant digits of the largest, and as many decimals of the others. As
/// [`number`] has them where one of them would be lost, and without decimals where all are whole.
///
/// ```
/// use srrd_show::words::numbers;
/// assert_eq!(numbers(&[-0.1, 12.3456, 2.0], 4), ["-0.10", "12.35", "2.00"]);
/// assert_eq!(numbers(&[-1.0, 12.0, 0.0], 4), ["-1", "12", "0"]);
/// assert_eq!(numbers(&[0.0001, 1234.5], 4), ["0.0001", "1234"]);
/// ```
pub fn numbers(values: &[f64], digits: usize) -> Vec<String> {
    let largest = values.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
    let before = if largest >= 1.0 { largest.log10().floor() as usize + 1 } else { 1 };
    let whole = values.iter().all(|value| value.fract() == 0.0);
    let decimals = if whole { 0 } else { digits.saturating_sub(before) };
    let rounded = |value: f64| format!("{value:.decimals$}");
    let lost = |value: &f64| *value != 0.0 && rounded(*value).parse() == Ok(0.0);
    match largest < 1e15 && !values.iter().any(lost) {
        // −0 says the same as 0.
        true => values.iter().map(|value| rounded(value + 0.0)).collect(),
        false => values.iter().map(|value| number(*value, digits)).collect(),
    }
}

/// A number as people read it: at most so many significant digits, without superfluous zeros; whole numbers in full. Powers of ten
/// only where a number is below a millionth or above 10¹⁵.
///
/// ```
/// use srrd_show::words::number;
/// let shown = [0.0, -0.0, 12.0, 0.1 + 0.2, 0.00071, 1234.5678, -2.5e-12].map(|value| number(value, 4));
/// assert_eq!(shown, ["0", "0", "12", "0.3", "0.00071", "1235", "-2.5e-12"]);
/// ```
pub fn number(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_string();
    }
    let size = value.abs();
    if size < 1e15 && value.fract() == 0.0 {
        return format!("{value:.0}");
    }
    if !(1e-6..1e15).contains(&size) {
        let text = format!("{value:.*e}", digits.saturating_sub(1));
        return match text.split_once('e') {
            Some((lead, power)) => format!("{}e{power}", without_zeros(lead)),
            None => text,
        };
    }
    let decimals = (digits as i32 - 1 - size.log10().floor() as i32).max(0) as usize;
    without_zeros(&format!("{value:.decimals$}")).to_string()
}

fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// A number with so many decimals; what they make zero has no sign.
///
/// ```
/// use srrd_show::words::fixed;
/// assert_eq!([0.12345, -0.0001, -0.25].map(|value| fixed(value, 3)), ["0.123", "0.000", "-0.250"]);
/// ```
pub fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(size) if size.bytes().all(|byte| matches!(byte, b'0' | b'.')) => size.to_owned(),
        _ => text,
    }
}

/// A fraction as percent with the digits it needs.
///
/// ```
/// use srrd_show::words::percent;
/// let shown = [0.1234, 1.0, 0.0, 0.00071, 1e-9].map(percent);
/// assert_eq!(shown, ["12.3 %", "100 %", "0 %", "0.071 %", "< 0.01 %"]);
/// ```
pub fn percent(fraction: f64) -> String {
    match 100.0 * fraction {
        p if p == 0.0 || p >= 99.95 => format!("{p:.0} %"),
        p if p >= 0.1 => format!("{p:.1} %"),
        p if p >= 0.01 => format!("{} %", number(p, 2)),
        _ => "< 0.01 %".to_string(),
    }
}

/// A reward with the digits it needs.
///
/// ```
/// use srrd_show::words::reward;
/// assert_eq!((reward(0.25), reward(0.0), reward(2.5e-7)), ("0.2500".to_owned(), "0".to_owned(), "2.5e-7".to_owned()));
/// ```
pub fn reward(value: f64) -> String {
    match value.abs() {
        size if (1e-3..1e6).contains(&size) => format!("{value:.4}"),
        _ => number(value, 4),
    }
}

/// A probability with the digits it needs, after its sign: `= 0.0312`, `< 0.0001`.
///
/// ```
/// use srrd_show::words::probability;
/// assert_eq!((probability(0.03124), probability(1e-9)), ("= 0.0312".to_owned(), "< 0.0001".to_owned()));
/// ```
pub fn probability(p: f64) -> String {
    if p >= 1e-4 { format!("= {p:.4}") } else { "< 0.0001".to_owned() }
}

/// A state or an action on one line: what cannot be seen is spelled out, and it is cut when it is long.
///
/// ```
/// use srrd::Token;
/// use srrd_show::words::token;
/// assert_eq!(token(Token::text("a\nb")), r"a\nb");
/// assert_eq!(token(Token::features(&[1.0, 2.5])), "(1, 2.5)");
/// ```
pub fn token(token: Token<'_>) -> String {
    short(&token.to_string())
}

/// A name on one line, cut in the middle when it is long.
///
/// ```
/// assert_eq!(srrd_show::words::short("two\nlines"), r"two\nlines");
/// let long = |number: u32| format!("a very long name that goes on and on, number {number}");
/// assert_eq!(srrd_show::words::short(&long(1)), "a very long name tha…on and on, number 1");
/// ```
pub fn short(text: &str) -> String {
    let text: Cow<'_, str> = shown(text);
    let length = text.chars().count();
    if length <= LONGEST_NAME {
        return text.into_owned();
    }
    let (head, tail) = (LONGEST_NAME / 2, LONGEST_NAME - LONGEST_NAME / 2 - 1);
    text.chars().take(head).chain(['…']).chain(text.chars().skip(length - tail)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_shown_on_one_short_line() {
        assert_eq!(token(Token::int(-7)), "-7");
        assert_eq!(token(Token::text("a\nb\u{1b}\u{202e}")), r"a\nb\u{1b}\u{202e}");
        let long = token(Token::text(&"é".repeat(50)));
        assert_eq!((long.chars().count(), long.chars().nth(20)), (40, Some('…')));
    }
}
