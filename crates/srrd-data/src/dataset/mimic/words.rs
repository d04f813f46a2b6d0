//! Texts as counts of keywords, and those as a few numbers.

use std::collections::HashMap;

use crate::discretize::{Components, Rows, moments, principal_components, standardize};

/// Words that say nothing by themselves.
const STOP: [&str; 36] = [
    "and",
    "any",
    "are",
    "but",
    "due",
    "each",
    "elsewhere",
    "except",
    "for",
    "from",
    "has",
    "having",
    "into",
    "mention",
    "more",
    "nec",
    "nos",
    "not",
    "of",
    "one",
    "other",
    "others",
    "part",
    "stated",
    "than",
    "that",
    "the",
    "this",
    "type",
    "unspecified",
    "use",
    "via",
    "was",
    "with",
    "without",
    "classified",
];

/// At most so many keywords, those that most visits have.
const MOST_KEYWORDS: usize = 150;

/// The words of a text in lower case: at least three letters, and none that says nothing.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|c: char| !c.is_alphabetic()).filter(|word| word.chars().count() >= 3);
    parts.map(str::to_lowercase).filter(|word| !STOP.contains(&word.as_str()))
}

/// How often every visit has every word.
#[derive(Default)]
pub(super) struct WordCounts {
    numbers: HashMap<String, u32>,
    /// The words of texts that were seen before: drugs and titles come again and again.
    texts: HashMap<String, Vec<u32>>,
    /// By visit and word.
    counts: HashMap<(u32, u32), u32>,
}

impl WordCounts {
    /// Adds the words of a text to a visit.
    pub fn add(&mut self, visit: usize, text: &str) {
        if !self.texts.contains_key(text) {
            let mut found = Vec::new();
            for word in words(text) {
                let next = self.numbers.len() as u32;
                found.push(*self.numbers.entry(word).or_insert(next));
            }
            self.texts.insert(text.to_owned(), found);
        }
        for &word in self.texts.get(text).into_iter().flatten() {
            *self.counts.entry((visit as u32, word)).or_default() += 1;
        }
    }

    /// The counts of the keywords of every visit.
    fn rows(&self, visits: usize) -> Rows {
        let mut holders = vec![0usize; self.numbers.len()];
        self.counts.keys().for_each(|(_, word)| holders[*word as usize] += 1);
        // A word of a single visit tells nothing about others.
        let mut chosen: Vec<(&String, u32)> = self
            .numbers
            .iter()
            .map(|(word, &number)| (word, number))
            .filter(|(_, it)| holders[*it as usize] > 1)
            .collect();
        chosen.sort_by(|a, b| holders[b.1 as usize].cmp(&holders[a.1 as usize]).then_with(|| a.0.cmp(b.0)));
        chosen.truncate(MOST_KEYWORDS);
        let mut places = vec![None; self.numbers.len()];
        chosen.iter().enumerate().for_each(|(place, (_, number))| places[*number as usize] = Some(place));
        let width = chosen.len();
        let mut values = vec![0.0; width * visits];
        for (&(visit, word), &count) in &self.counts {
            if let Some(place) = places[word as usize] {
                values[visit as usize * width + place] = f64::from(count);
            }
        }
        Rows { width, values }
    }

    /// Every visit as principal components of its scaled counts.
    pub fn reduced(&self, visits: usize, wanted: Option<usize>, usual: usize) -> Result<Reduced, String> {
        let mut rows = self.rows(visits);
        if rows.width == 0 {
            return Err("no word occurs in two visits".to_owned());
        }
        let keywords = rows.width;
        let (means, spreads) = moments(&rows);
        standardize(&mut rows, &means, &spreads);
        let count = wanted.unwrap_or_else(|| usual.min(rows.width).min(visits));
        let components: Components = principal_components(&rows, count)?;
        let explained = (100.0 * components.explained()).round() as u8;
        Ok(Reduced { rows: components.project(&rows), keywords, explained })
    }
}

/// Visits as a few numbers.
pub(super) struct Reduced {
    pub rows: Rows,
    pub keywords: usize,
    pub explained: u8,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_without_those_that_say_nothing() {
        let found: Vec<String> = words("Acute kidney failure, unspecified (not of the 2nd KIDNEY)").collect();
        assert_eq!(found, ["acute", "kidney", "failure", "kidney"]);
        let mut counts = WordCounts::default();
        counts.add(0, "kidney kidney heart");
        counts.add(1, "kidney lung");
        counts.add(1, "kidney lung");
        // Heart and lung are words of one visit each.
        let rows = counts.rows(2);
        assert_eq!((rows.width, &rows.values[..]), (1, &[2.0, 2.0][..]));
    }
}
