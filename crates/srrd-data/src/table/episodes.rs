//! The episodes of rows as they come in: names become numbers, and numbers become [`Episodes`].

use std::collections::HashMap;

use srrd::sample::Placement;
use srrd::sure::Episodes;
use srrd::{RewardSample, SampleError};

/// The episode of every row of one sample: 4 bytes per row, and every name once.
#[derive(Clone, Debug, Default)]
pub(crate) struct EpisodeRows {
    names: Vec<String>,
    known: HashMap<String, u32>,
    of_row: Vec<u32>,
    last: usize,
}

impl EpisodeRows {
    pub fn push(&mut self, name: &str) {
        // Rows of one episode mostly lie together.
        if self.names.get(self.last).is_none_or(|last| last != name) {
            let next = self.names.len() as u32;
            let number = *self.known.entry(name.to_owned()).or_insert(next);
            if number == next {
                self.names.push(name.to_owned());
            }
            self.last = number as usize;
        }
        self.of_row.push(self.last as u32);
    }

    /// The episodes of the rows that are placed, all or these, numbered in the order of all names, so that the order of the rows cannot show.
    pub fn finish(
        &self,
        sample: &RewardSample,
        placement: &Placement,
        rows: Option<&[u32]>,
    ) -> Result<Episodes, SampleError> {
        let mut sorted: Vec<u32> = (0..self.names.len() as u32).collect();
        sorted.sort_unstable_by_key(|&number| &self.names[number as usize]);
        let mut rank = vec![0u32; sorted.len()];
        sorted.iter().zip(0..).for_each(|(&number, place)| rank[number as usize] = place);
        let of_row = |row: usize| rank[self.of_row[row] as usize];
        let of_row: Vec<u32> = match rows {
            Some(rows) => rows.iter().map(|&row| of_row(row as usize)).collect(),
            None => (0..self.of_row.len()).map(of_row).collect(),
        };
        Episodes::from_rows(sample, placement, &of_row)
    }
}
