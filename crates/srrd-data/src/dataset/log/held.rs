//! A small log that is held in memory.

use crate::error::TableError;
use crate::table::{Batch, Column, Field, Piece, Schema, Selection, TableReader};

pub(in crate::dataset) struct HeldReader {
    name: String,
    /// By position.
    columns: Vec<Column>,
    selection: Selection,
    read: bool,
}

impl HeldReader {
    pub(in crate::dataset) fn new(name: String, columns: Vec<(String, Column)>) -> Self {
        let field = |(name, column): &(String, Column)| Field::new(name, Some(column.kind()));
        let schema = Schema { fields: columns.iter().map(field).collect() };
        let columns = columns.into_iter().map(|(_, column)| column).collect();
        HeldReader { name, columns, selection: Selection::everything(schema), read: false }
    }
}

impl TableReader for HeldReader {
    fn name(&self) -> &str {
        &self.name
    }

    fn schema(&self) -> &Schema {
        &self.selection.selected
    }

    fn rows_hint(&self) -> Option<usize> {
        self.columns.first().map(Column::len)
    }

    fn select(&mut self, names: &[&str]) -> Result<(), TableError> {
        self.selection.select(&self.name, names)
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<Piece, TableError> {
        self.selection.fixed = true;
        let chosen = || self.selection.positions.iter().map(|&position| &self.columns[position]);
        let rows = self.rows_hint().unwrap_or(0);
        if self.read || rows == 0 {
            batch.reset(rows as u64 + 1, chosen().map(Column::kind));
            return Ok(Piece::End);
        }
        *batch = Batch::from_columns(chosen().cloned().collect(), 1);
        batch.rows = rows;
        self.read = true;
        Ok(Piece::Rows)
    }
}
