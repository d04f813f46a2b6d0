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
use crate::table::read::TableReader;
use crate::table::read::revised::{Revised, Revision};
use crate::table::schema::Schema;

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

/// The column of next states, that of states, and the first next state that showed what the column is like.
#[derive(Clone)]
struct Integers {
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
            let revision = Integers { column, state, example };
            Ok(Box::new(Revised { table: reader, revision }))
        }
        _ => Ok(reader),
    }
}

impl Revision for Integers {
    fn revise(&self, schema: &Schema, batch: &mut Batch) {
        if let Some(position) = schema.index_of(&self.column)
            && let Some(Values::Text(texts)) = batch.columns.get_mut(position).map(|column| &mut column.values)
        {
            let integers: TextColumn = texts.iter().map(plain).collect();
            *texts = integers;
        }
    }

    fn notes(&self, file: &str, schema: &Schema) -> Vec<TableNote> {
        let Integers { column, state, example } = self.clone();
        let note = TableNote::Integers { file: file.to_owned(), column, state, example };
        schema.index_of(&self.column).map(|_| note).into_iter().collect()
    }
}
