//! Batches one after the other, with the work shared by threads.
//!
//! Pieces of a table are fetched in rounds. All threads decode the pieces of a round side by side; then the batches are handed on in
//! their order, while the next round is fetched.

use std::sync::Arc;

use rayon::prelude::*;

use super::{Piece, TableReader};
use crate::error::TableError;
use crate::table::batch::Batch;

/// So many pieces are in a round, for every thread: some take longer than others.
const PIECES: usize = 2;

/// Rows that have been fetched and not yet decoded, which any thread can do. Its rows are counted from 1.
#[derive(Default)]
pub struct Undecoded {
    /// Whole rows.
    pub(crate) text: String,
    /// The line on which they begin.
    pub(crate) line: u64,
    /// How they are decoded; `None` when there is nothing to be decoded.
    pub(crate) decoder: Option<Arc<dyn Decoder>>,
}

/// How rows are decoded that have been fetched.
pub(crate) trait Decoder: Send + Sync {
    /// Fills the batch with all rows, counted from 1.
    fn decode(&self, text: &str, line: u64, batch: &mut Batch) -> Result<(), TableError>;
}

impl Undecoded {
    pub(crate) fn clear(&mut self) {
        self.decoder = None;
    }
}

/// A piece and what becomes of it.
struct Slot<T> {
    undecoded: Undecoded,
    batch: Batch,
    outcome: Result<Piece, TableError>,
    mapped: Option<T>,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Slot { undecoded: Undecoded::default(), batch: Batch::new(), outcome: Ok(Piece::End), mapped: None }
    }
}

impl<T> Slot<T> {
    /// Decodes what has to be decoded, and calls `map` with the rows.
    fn work(&mut self, map: impl Fn(&Batch) -> T) {
        if let (Some(decoder), Ok(Piece::Rows)) = (&self.undecoded.decoder, &self.outcome)
            && let Err(error) = decoder.decode(&self.undecoded.text, self.undecoded.line, &mut self.batch)
        {
            self.outcome = Err(error);
        }
        self.mapped = matches!(self.outcome, Ok(Piece::Rows)).then(|| map(&self.batch));
    }
}

/// Fetches pieces into the slots, up to the end or the first error, and says how many slots were used.
fn fetch<T>(reader: &mut dyn TableReader, slots: &mut [Slot<T>]) -> usize {
    for (used, slot) in slots.iter_mut().enumerate() {
        slot.outcome = reader.fetch(&mut slot.undecoded, &mut slot.batch);
        match slot.outcome {
            Ok(Piece::Rows) => {}
            Ok(Piece::End) => return used,
            // Its turn comes after the pieces before it.
            Err(_) => return used + 1,
        }
    }
    slots.len()
}

/// Goes through all batches of a table, in order; on several threads the next ones are read while one is worked on.
///
/// # Errors
/// The reader's, or the first that `each` returns.
pub fn for_each_batch(
    reader: Box<dyn TableReader>,
    mut each: impl FnMut(&mut Batch) -> Result<(), TableError> + Send,
) -> Result<(), TableError> {
    for_each_mapped(reader, |_| (), |batch, ()| each(batch))
}

/// As [`for_each_batch`]; before, threads call `map` with the batches in any order. It must not look at the numbers of rows, which are
/// not yet known.
pub(crate) fn for_each_mapped<T: Send>(
    mut reader: Box<dyn TableReader>,
    map: impl Fn(&Batch) -> T + Sync,
    mut each: impl FnMut(&mut Batch, T) -> Result<(), TableError> + Send,
) -> Result<(), TableError> {
    let count = PIECES * rayon::current_num_threads();
    let mut slots: Vec<Slot<T>> = (0..count).map(|_| Slot::default()).collect();
    let mut next: Vec<Slot<T>> = (0..count).map(|_| Slot::default()).collect();
    let mut rows_before = 0;
    let mut used = fetch(&mut *reader, &mut slots);
    while used > 0 {
        let more = used == count && matches!(slots[used - 1].outcome, Ok(Piece::Rows));
        slots[..used].par_iter_mut().for_each(|slot| slot.work(&map));
        let mut hand_on = || -> Result<(), TableError> {
            for slot in &mut slots[..used] {
                let counted_from_one = slot.undecoded.decoder.is_some();
                let shift = |error: TableError| if counted_from_one { error.shift_row(rows_before) } else { error };
                if let Err(error) = std::mem::replace(&mut slot.outcome, Ok(Piece::End)) {
                    return Err(shift(error));
                }
                if counted_from_one {
                    slot.batch.first_row = rows_before + 1;
                }
                rows_before += slot.batch.rows as u64;
                if let Some(mapped) = slot.mapped.take()
                    && slot.batch.rows > 0
                {
                    each(&mut slot.batch, mapped)?;
                }
            }
            Ok(())
        };
        if !more {
            return hand_on();
        }
        let (handed_on, fetched) = rayon::join(hand_on, || fetch(&mut *reader, &mut next));
        handed_on?;
        used = fetched;
        std::mem::swap(&mut slots, &mut next);
    }
    Ok(())
}
