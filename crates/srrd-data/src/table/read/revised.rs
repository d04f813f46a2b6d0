//! Tables whose rows are changed as they are read, and whose columns stay as they are.

use super::{Extras, Passing, Piece, TableReader};
use crate::dataset::Log;
use crate::error::TableError;
use crate::table::batch::Batch;
use crate::table::note::TableNote;
use crate::table::schema::Schema;

/// What is done to the rows of a table.
pub(crate) trait Revision: Send {
    /// Changes the rows of a batch of these columns.
    fn revise(&self, schema: &Schema, batch: &mut Batch);

    /// What users should know about it, when these columns have been selected.
    fn notes(&self, file: &str, schema: &Schema) -> Vec<TableNote>;

    /// As [`TableReader::keep_lacking`].
    fn keep_lacking(&mut self) {}

    /// As [`TableReader::log`].
    fn log(&self) -> Option<&Log> {
        None
    }
}

/// A table, and what is done to its rows.
pub(crate) struct Revised<R> {
    pub table: Box<dyn TableReader>,
    pub revision: R,
}

impl<R: Revision> TableReader for Revised<R> {
    fn name(&self) -> &str {
        self.table.name()
    }

    fn schema(&self) -> &Schema {
        self.table.schema()
    }

    fn is_untyped(&self) -> bool {
        self.table.is_untyped()
    }

    fn rows_hint(&self) -> Option<usize> {
        self.table.rows_hint()
    }

    fn select(&mut self, names: &[&str]) -> Result<(), TableError> {
        self.table.select(names)
    }

    fn keep_extras(&mut self, meant: &[&str], passing: Passing) -> Result<Extras, TableError> {
        self.table.keep_extras(meant, passing)
    }

    fn first_cell(&mut self, column: &str) -> Result<Option<String>, TableError> {
        self.table.first_cell(column)
    }

    fn keep_lacking(&mut self) {
        self.revision.keep_lacking();
    }

    fn log(&self) -> Option<&Log> {
        self.revision.log()
    }

    fn notes(&self) -> Vec<TableNote> {
        let mut notes = self.table.notes();
        notes.extend(self.revision.notes(self.name(), self.schema()));
        notes
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<Piece, TableError> {
        let piece = self.table.next_batch(batch)?;
        self.revision.revise(self.table.schema(), batch);
        Ok(piece)
    }
}
