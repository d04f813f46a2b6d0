//! Next states that are integers and were written as floats.
//!
//! pandas makes floats of a column of integers in which some are missing, as next states are where episodes end: CSV then has `15.0` where the
//! column of states has `15`, and `NaN` or nothing where there is none. As written these would be states that never meet.

use srrd::Token;

use super::candidates;
use crate::error::TableError;
use crate::table::batch::{Batch, TextColumn, Values};
use crate::table::note::TableNote;
use crate::table::options::{Role, TableOptions};
use crate::table::read::{Extras, Passing, Piece, TableReader};

/// What is written where there is nothing.
const NOTHING: [&str; 9] = ["NaN", "nan", "NA", "<NA>", "N/A", "NULL", "null", "None", "\\N"];

/// The integer that a text is, if it is one with a fraction of zeros.
fn without_fraction(text: &str) -> Option<&str> {
    let (integer, zeros) = text.split_once('.')?;
    let whole = !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') && Token::text(integer).as_int().is_some();
    whole.then_some(integer)
}

/// The text as an integer is written, and nothing where there is none.
fn plain(text: &str) -> &str {
    if NOTHING.contains(&text) { "" } else { without_fraction(text).unwrap_or(text) }
}

pub(super) struct IntegerReader {
    inner: Box<dyn TableReader>,
    /// The column of next states, that of states, and the first next state that showed what the column is like.
    column: String,
    state: String,
    example: String,
}

/// The table with next states as states are, where those are integers and these are not.
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
    let Some((state, cell)) = first(Role::State)? else { return Ok(reader) };
    if Token::text(&cell).as_int().is_none() {
        return Ok(reader);
    }
    match first(Role::NextState)? {
        Some((column, example)) if plain(&example) != example => {
            Ok(Box::new(IntegerReader { inner: reader, column, state, example }))
        }
        _ => Ok(reader),
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
        let mut notes = self.inner.notes();
        if self.schema().index_of(&self.column).is_some() {
            notes.push(TableNote::Integers {
                file: self.name().to_owned(),
                column: self.column.clone(),
                state: self.state.clone(),
                example: self.example.clone(),
            });
        }
        notes
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<Piece, TableError> {
        let piece = self.inner.next_batch(batch)?;
        if let Some(position) = self.inner.schema().index_of(&self.column)
            && let Some(Values::Text(texts)) = batch.columns.get_mut(position).map(|column| &mut column.values)
        {
            let integers: TextColumn = texts.iter().map(plain).collect();
            *texts = integers;
        }
        Ok(piece)
    }
}
