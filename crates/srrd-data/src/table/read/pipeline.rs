//! Batches one after the other, with the work shared by threads.
//!
//! Pieces of a table go through in rounds. While one round is fetched, all threads decode the pieces of the round before it side by side,
//! and the batches of the round before that are handed on in their order.

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
    /// Stays here from round to round, so that its memory is used again.
    mapped: T,
}

impl<T: Default> Default for Slot<T> {
    fn default() -> Self {
        Slot { undecoded: Undecoded::default(), batch: Batch::new(), outcome: Ok(Piece::End), mapped: T::default() }
    }
}

impl<T> Slot<T> {
    /// Decodes what has to be decoded, and calls `map` with the rows.
    fn work(&mut self, map: impl Fn(&Batch, &mut T)) {
        if let (Some(decoder), Ok(Piece::Rows)) = (&self.undecoded.decoder, &self.outcome)
            && let Err(error) = decoder.decode(&self.undecoded.text, self.undecoded.line, &mut self.batch)
        {
            self.outcome = Err(error);
        }
        if let Ok(Piece::Rows) = self.outcome {
            map(&self.batch, &mut self.mapped);
        }
    }
}

/// Pieces that go through together.
struct Round<T> {
    slots: Vec<Slot<T>>,
    used: usize,
}

impl<T: Default + Send> Round<T> {
    fn new() -> Self {
        let count = PIECES * rayon::current_num_threads();
        Round { slots: (0..count).map(|_| Slot::default()).collect(), used: 0 }
    }

    /// Fetches pieces up to the end or the first error, and says whether there may be more.
    fn fetch(&mut self, reader: &mut dyn TableReader) -> bool {
        self.used = 0;
        for slot in &mut self.slots {
            slot.outcome = reader.fetch(&mut slot.undecoded, &mut slot.batch);
            match slot.outcome {
                Ok(Piece::Rows) => self.used += 1,
                Ok(Piece::End) => return false,
                Err(_) => {
                    // Its turn comes after the pieces before it.
                    self.used += 1;
                    return false;
                }
            }
        }
        true
    }

    fn work(&mut self, map: &(impl Fn(&Batch, &mut T) + Sync)) {
        self.slots[..self.used].par_iter_mut().for_each(|slot| slot.work(map));
    }

    fn hand_on(
        &mut self,
        rows_before: &mut u64,
        each: &mut impl FnMut(&mut Batch, &mut T) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        for slot in &mut self.slots[..std::mem::take(&mut self.used)] {
            let counted_from_one = slot.undecoded.decoder.is_some();
            if let Err(error) = std::mem::replace(&mut slot.outcome, Ok(Piece::End)) {
                return Err(if counted_from_one { error.shift_row(*rows_before) } else { error });
            }
            if counted_from_one {
                slot.batch.first_row = *rows_before + 1;
            }
            *rows_before += slot.batch.rows as u64;
            if slot.batch.rows > 0 {
                each(&mut slot.batch, &mut slot.mapped)?;
            }
        }
        Ok(())
    }
}

/// Goes through all batches of a table, in order; on several threads the next ones are read while one is worked on.
///
/// ```
/// use srrd_data::{FileFormat, ReadOptions, for_each_batch, open_bytes};
/// let csv = "state,action,next_state,reward\nhome,walk,park,1.5\npark,walk,home,2\n";
/// let table = open_bytes("log.csv", FileFormat::from_path("log.csv".as_ref())?, csv.into(), &ReadOptions::default())?;
/// let mut rows = 0;
/// for_each_batch(table, |batch| {
///     rows += batch.rows;
///     Ok(())
/// })?;
/// assert_eq!(rows, 2);
/// # Ok::<(), srrd_data::TableError>(())
/// ```
///
/// # Errors
/// The reader's, or the first that `each` returns.
pub fn for_each_batch(
    reader: Box<dyn TableReader>,
    mut each: impl FnMut(&mut Batch) -> Result<(), TableError> + Send,
) -> Result<(), TableError> {
    for_each_mapped(reader, |_, ()| (), |batch, ()| each(batch))
}

/// As [`for_each_batch`]; before, threads call `map` with the batches in any order, and with what `each` gets beside its batch, as `each`
/// of a batch before has left it. It must not look at the numbers of rows, which are not yet known.
pub(crate) fn for_each_mapped<T: Default + Send>(
    mut reader: Box<dyn TableReader>,
    map: impl Fn(&Batch, &mut T) + Sync,
    mut each: impl FnMut(&mut Batch, &mut T) -> Result<(), TableError> + Send,
) -> Result<(), TableError> {
    let [mut fetched, mut decoded, mut handed_on] = [Round::new(), Round::new(), Round::new()];
    let mut rows_before = 0;
    let mut more = true;
    while more || decoded.used > 0 || handed_on.used > 0 {
        let (outcome, ()) = rayon::join(
            || handed_on.hand_on(&mut rows_before, &mut each),
            || {
                let fetch = || more = more && fetched.fetch(&mut *reader);
                rayon::join(fetch, || decoded.work(&map));
            },
        );
        outcome?;
        // What was handed on is empty, and filled next.
        std::mem::swap(&mut handed_on, &mut decoded);
        std::mem::swap(&mut decoded, &mut fetched);
    }
    Ok(())
}
