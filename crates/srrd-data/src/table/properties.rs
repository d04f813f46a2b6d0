//! Properties of responses that are no merit: how long they are and how they are formatted.

use super::batch::{Batch, Column, Values};

/// What is known about a property.
pub struct PropertyInfo {
    /// Its name.
    pub name: &'static str,
    /// One line about it, for documentation.
    pub about: &'static str,
    of: fn(&str) -> usize,
}

/// All properties: the length first, the others are format.
pub static PROPERTIES: [PropertyInfo; 4] = [
    PropertyInfo { name: "length", about: "characters", of: |text| text.chars().count() },
    PropertyInfo {
        name: "lines",
        about: "lines that are not blank",
        of: |text| text.lines().filter(|line| !line.trim().is_empty()).count(),
    },
    PropertyInfo {
        name: "marks",
        about: "marks of Markdown: lines that begin with `#`, `>`, `|`, ```` ``` ````, `-`, `*`, `+` or a number with a dot, and `**`",
        of: marks,
    },
    PropertyInfo { name: "tags", about: "tags such as `<think>`, and `\\boxed{`", of: tags },
];

fn marks(text: &str) -> usize {
    let begins = |line: &&str| {
        let line = line.trim_start();
        let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = number.len() < line.len() && number.starts_with(". ");
        numbered || ["#", ">", "|", "```", "- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
    };
    text.lines().filter(begins).count() + text.matches("**").count()
}

fn tags(text: &str) -> usize {
    let tag = |(at, _): &(usize, &str)| {
        let rest = text[at + 1..].trim_start_matches('/');
        let name = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        name.len() < rest.len() && name.starts_with('>')
    };
    text.match_indices('<').filter(tag).count() + text.matches("\\boxed{").count()
}

/// By property, the values of all rows; where responses are no texts, all are 0.
pub(super) fn properties_of(column: Option<&Column>, batch: &Batch) -> Vec<Vec<f64>> {
    let texts = match column.map(|column| &column.values) {
        Some(Values::Text(texts)) => texts,
        _ => return vec![vec![0.0; batch.rows]; PROPERTIES.len()],
    };
    PROPERTIES.iter().map(|info| texts.iter().map(|text| (info.of)(text) as f64).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_counted() {
        let of = |text: &str| [0, 1, 2, 3].map(|at| (PROPERTIES[at].of)(text));
        assert_eq!(of(""), [0, 0, 0, 0]);
        assert_eq!(of("größer"), [6, 1, 0, 0]);
        assert_eq!(of("# A\n\n- b\n1. c\n**d** 2.5\n```\nx < y > z\n```"), [41, 7, 7, 0]);
        assert_eq!(of("<think>no</think> <answer>\\boxed{4}</answer> a<b"), [48, 1, 0, 5]);
    }
}
