//! Numbers, names and small tables as people read them on a terminal.

use std::borrow::Cow;

use srrd::Token;
pub use srrd::words::{count, counted};

use crate::escape::shown;

/// Longer names are cut: a prompt that is its own name would fill the screen.
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

/// A fraction as percent with the digits it needs.
///
/// ```
/// use srrd_show::words::percent;
/// assert_eq!((percent(0.1234), percent(1.0), percent(0.0)), ("12.3 %".to_owned(), "100 %".to_owned(), "0 %".to_owned()));
/// ```
pub fn percent(fraction: f64) -> String {
    let percent = 100.0 * fraction;
    match percent {
        p if p == 0.0 || p >= 99.95 => format!("{p:.0} %"),
        p if p >= 0.1 => format!("{p:.1} %"),
        p => format!("{p:.1e} %"),
    }
}

/// A reward with the digits it needs.
pub fn reward(value: f64) -> String {
    match value.abs() {
        size if size == 0.0 || (1e-3..1e6).contains(&size) => format!("{value:.4}"),
        _ => format!("{value:.3e}"),
    }
}

/// A probability with the digits it needs.
pub fn probability(p: f64) -> String {
    if p >= 1e-4 { format!("{p:.4}") } else { format!("{p:.1e}") }
}

/// 0 for −0, which says the same and looks like a mistake; other numbers as they are.
pub fn without_sign_of_zero(number: f64) -> f64 {
    number + 0.0
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

/// A name on one line, cut when it is long.
pub fn short(text: &str) -> String {
    let text: Cow<'_, str> = shown(text);
    match text.chars().count() > LONGEST_NAME {
        true => text.chars().take(LONGEST_NAME - 1).chain(['…']).collect(),
        false => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_shown_on_one_short_line() {
        assert_eq!(token(Token::int(-7)), "-7");
        assert_eq!(token(Token::text("a\nb\u{1b}\u{202e}")), r"a\nb\u{1b}\u{202e}");
        let long = token(Token::text(&"é".repeat(50)));
        assert_eq!((long.chars().count(), long.chars().last()), (40, Some('…')));
    }
}
