//! The classes of the samples.

use std::cmp::Ordering;
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
pub(super) struct Classes {
    /// Sorted, so that a class keeps its colour when samples come in another order.
    pub(super) names: Vec<String>,
    /// The class of every sample.
    pub(super) of: Vec<usize>,
}

impl Classes {
    pub(super) fn new<S: AsRef<str>>(classes: &[S]) -> Self {
        let mut names: Vec<&str> = classes.iter().map(AsRef::as_ref).collect();
        names.sort_unstable_by(|a, b| natural_order(a, b));
        names.dedup();
        let numbers: BTreeMap<&str, usize> = names.iter().copied().zip(0..).collect();
        let of = classes.iter().map(|class| numbers[class.as_ref()]).collect();
        Classes { names: names.into_iter().map(String::from).collect(), of }
    }
}

/// Order of texts in which numbers inside them count as numbers: `run 2` before `run 10`.
fn natural_order(a: &str, b: &str) -> Ordering {
    let numbers_first = |text: &str| {
        let mut pieces: Vec<(Option<u64>, String)> = Vec::new();
        for piece in text.split_inclusive(|c: char| !c.is_ascii_digit()) {
            let digits = piece.trim_end_matches(|c: char| !c.is_ascii_digit());
            if !digits.is_empty() {
                pieces.push((Some(digits.parse().unwrap_or(u64::MAX)), String::new()));
            }
            pieces.push((None, piece[digits.len()..].to_string()));
        }
        pieces
    };
    // Texts that differ only in leading zeros are still different.
    let by_numbers = numbers_first(a).cmp(&numbers_first(b));
    by_numbers.then_with(|| a.cmp(b))
}
