//! Tables whose rows are changed as they are read, and whose columns stay as they are.

use std::sync::Arc;

use super::{Decoder, Extras, Passing, Piece, TableReader, Undecoded};
use crate::dataset::Log;
use crate::error::TableError;
use crate::table::batch::Batch;
use crate::table::note::TableNote;
use crate::table::schema::Schema;

/// What is done to the rows of a table.
pub(crate) trait Revision: Send + Sync + 'static {
    /// Changes the rows of a batch of these columns.
    fn revise(&self, schema: &Schema, batch: &mut Batch);

    /// Whether no row is left out: then whatever thread decodes a batch can change it.
    fn keeps_rows(&self) -> bool;

    /// What users should know about it.
    fn notes(&self, file: &str) -> Vec<TableNote> {
        let _ = file;
        Vec::new()
    }

    /// As [`TableReader::keep_lacking`].
    fn keep_lacking(&mut self) {}

    /// As [`TableReader::choose_rewards`].
    fn choose_rewards(&mut self, names: &[String]) {
        let _ = names;
    }

    /// As [`TableReader::log`].
    fn log(&self) -> Option<&Log> {
        None
    }
}

/// A table, and what is done to its rows.
pub(crate) struct Revised<R> {
    table: Box<dyn TableReader>,
    revision: Arc<R>,
}

impl<R: Revision> Revised<R> {
    pub fn new(table: Box<dyn TableReader>, revision: R) -> Self {
        Revised { table, revision: Arc::new(revision) }
    }
}

/// Decodes rows of these columns, and changes them.
struct RevisedDecoder<R> {
    inner: Arc<dyn Decoder>,
    revision: Arc<R>,
    schema: Schema,
}

impl<R: Revision> Decoder for RevisedDecoder<R> {
    fn decode(&self, text: &str, line: u64, batch: &mut Batch) -> Result<(), TableError> {
        self.inner.decode(text, line, batch)?;
        self.revision.revise(&self.schema, batch);
        Ok(())
    }
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
        Arc::get_mut(&mut self.revision).expect("no batch was read yet").keep_lacking();
    }

    fn choose_rewards(&mut self, names: &[String]) {
        Arc::get_mut(&mut self.revision).expect("no batch was read yet").choose_rewards(names);
    }

    fn log(&self) -> Option<&Log> {
        self.revision.log()
    }

    fn notes(&self) -> Vec<TableNote> {
        let mut notes = self.table.notes();
        notes.extend(self.revision.notes(self.name()));
        notes
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<Piece, TableError> {
        let piece = self.table.next_batch(batch)?;
        self.revision.revise(self.table.schema(), batch);
        Ok(piece)
    }

    fn fetch(&mut self, undecoded: &mut Undecoded, batch: &mut Batch) -> Result<Piece, TableError> {
        if !self.revision.keeps_rows() {
            undecoded.clear();
            return self.next_batch(batch);
        }
        let piece = self.table.fetch(undecoded, batch)?;
        match undecoded.decoder.take() {
            Some(inner) => {
                let (revision, schema) = (Arc::clone(&self.revision), self.table.schema().clone());
                undecoded.decoder = Some(Arc::new(RevisedDecoder { inner, revision, schema }));
            }
            None => self.revision.revise(self.table.schema(), batch),
        }
        Ok(piece)
    }
}
