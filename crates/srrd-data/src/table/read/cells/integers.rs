//! Next states that are integers and were written as floats.
//!
//! pandas makes floats of a column of integers in which some are missing, as next states are where episodes end: CSV then has `15.0` where the
//! column of states has `15`, and `NaN` or nothing where there is none. As written these would be states that never meet. Columns of integers that
//! know gaps have `<NA>` among plain integers. Where states are integers, such words stand for nothing.

use srrd::Token;

use super::candidates;
use crate::error::TableError;
use crate::table::batch::{Batch, TextColumn, Values};
use crate::table::gaps::is_nothing;
use crate::table::options::{Role, TableOptions};
use crate::table::read::TableReader;
use crate::table::read::revised::{Revised, Revision};
use crate::table::schema::Schema;

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

/// The column of next states, where states are integers.
struct Integers {
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
            Ok(Box::new(Revised::new(reader, Integers { column })))
        }
        _ => Ok(reader),
    }
}

impl Revision for Integers {
    /// Makes integers of next states, and notes the first that was written otherwise.
    fn revise(&self, schema: &Schema, batch: &mut Batch) {
        let Some(position) = schema.index_of(&self.column) else { return };
        let Some(Values::Text(texts)) = batch.columns.get_mut(position).map(|column| &mut column.values) else {
            return;
        };
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

    fn keeps_rows(&self) -> bool {
        true
    }
}
