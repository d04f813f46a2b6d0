//! Next states that are integers and were written as floats.
//!
//! pandas makes floats of a column of integers in which some are missing, as next states are where episodes end: CSV then has `15.0` where the
//! column of states has `15`, and `NaN` or nothing where there is none. As written these would be states that never meet. Columns of integers that
//! know gaps have `<NA>` among plain integers. Where states are integers, such words stand for nothing.

use std::sync::Arc;

use srrd::Token;

use super::candidates;
use crate::error::TableError;
use crate::table::batch::{Batch, TextColumn, Values};
use crate::table::gaps::is_nothing;
use crate::table::note::TableNote;
use crate::table::options::{Role, TableOptions};
use crate::table::read::{Decoder, Extras, Passing, Piece, TableReader, Undecoded};

/// The integer that a text is, if it is one with a fraction of zeros.
fn without_fraction(text: &str) -> Option<&str> {
    let (integer, zeros) = text.split_once('.')?;
    let whole = !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') && Token::text(integer).as_int().is_some();
    whole.then_some(integer)
}

/// The text as an integer is written, and nothing where there is none.
fn plain(text: &str) -> &str {
    if is_nothing(text) { "" } else { without_fraction(text).unwrap_or(text) }
}

/// Makes integers of the next states of a batch, which are at this position, and notes the first that was written otherwise.
fn make_plain(position: usize, batch: &mut Batch) {
    let Some(Values::Text(texts)) = batch.columns.get_mut(position).map(|column| &mut column.values) else { return };
    // Nearly all are integers already, and nothing else needs digits alone.
    let other = texts.joined().bytes().fold(false, |other, byte| other | (byte > b'9') | (byte == b'.'));
    if !other {
        return;
    }
    let example = texts.iter().find(|text| plain(text) != *text).map(str::to_owned);
    if example.is_some() {
        let integers: TextColumn = texts.iter().map(plain).collect();
        *texts = integers;
    }
    batch.reread = example;
}

/// Decodes rows whose next states are at this position.
struct IntegerDecoder {
    inner: Arc<dyn Decoder>,
    position: usize,
}

impl Decoder for IntegerDecoder {
    fn decode(&self, text: &str, line: u64, batch: &mut Batch) -> Result<(), TableError> {
        self.inner.decode(text, line, batch)?;
        make_plain(self.position, batch);
        Ok(())
    }
}

pub(super) struct IntegerReader {
    inner: Box<dyn TableReader>,
    /// The column of next states.
    column: String,
}

/// The table with next states as states are, where those are integers.
pub(super) fn open_integers(
    mut reader: Box<dyn TableReader>,
    options: &TableOptions,
) -> Result<Box<dyn TableReader>, TableError> {
    if !reader.is_untyped() {
        return Ok(reader);
    }
    let mut first = |role: Role| -> Result<Option<(String, String)>, TableError> {
        let Some(name) = candidates(reader.schema(), options, role).into_iter().next() else { return Ok(None) };
        if reader.schema().index_of(&name).is_none() {
            return Ok(None);
        }
        Ok(reader.first_cell(&name)?.map(|cell| (name, cell)))
    };
    let is_integer = |text: &str| Token::text(text).as_int().is_some();
    let Some((_, state)) = first(Role::State)? else { return Ok(reader) };
    if !is_integer(&state) {
        return Ok(reader);
    }
    match first(Role::NextState)? {
        Some((column, next)) if is_integer(plain(&next)) || is_nothing(&next) => {
            Ok(Box::new(IntegerReader { inner: reader, column }))
        }
        _ => Ok(reader),
    }
}

impl IntegerReader {
    fn position(&self) -> Option<usize> {
        self.inner.schema().index_of(&self.column)
    }
}

impl TableReader for IntegerReader {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn schema(&self) -> &crate::table::schema::Schema {
        self.inner.schema()
    }

    fn is_untyped(&self) -> bool {
        self.inner.is_untyped()
    }

    fn rows_hint(&self) -> Option<usize> {
        self.inner.rows_hint()
    }

    fn select(&mut self, names: &[&str]) -> Result<(), TableError> {
        self.inner.select(names)
    }

    fn keep_extras(&mut self, meant: &[&str], passing: Passing) -> Result<Extras, TableError> {
        self.inner.keep_extras(meant, passing)
    }

    fn first_cell(&mut self, column: &str) -> Result<Option<String>, TableError> {
        self.inner.first_cell(column)
    }

    fn notes(&self) -> Vec<TableNote> {
        self.inner.notes()
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<Piece, TableError> {
        let piece = self.inner.next_batch(batch)?;
        if let Some(position) = self.position() {
            make_plain(position, batch);
        }
        Ok(piece)
    }

    fn fetch(&mut self, undecoded: &mut Undecoded, batch: &mut Batch) -> Result<Piece, TableError> {
        let piece = self.inner.fetch(undecoded, batch)?;
        let Some(position) = self.position() else { return Ok(piece) };
        match undecoded.decoder.take() {
            Some(inner) => undecoded.decoder = Some(Arc::new(IntegerDecoder { inner, position })),
            None => make_plain(position, batch),
        }
        Ok(piece)
    }
}
