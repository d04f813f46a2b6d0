//! What several test files need.
#![allow(dead_code)] // each test file uses a part

use std::path::{Path, PathBuf};

use srrd_data::{Batch, Column, Piece, ReadOptions, Schema, TableError, TableReader, Values, open};

/// A value of a table, for comparing.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Missing,
    Text(String),
    Int(i64),
    /// By bits, so that NaN equals itself.
    Float(u64),
    Bool(bool),
}

pub fn text(value: &str) -> Cell {
    Cell::Text(value.to_owned())
}

pub fn float(value: f64) -> Cell {
    Cell::Float(value.to_bits())
}

/// A table as rows of cells.
#[derive(Debug, PartialEq)]
pub struct Table {
    pub names: Vec<String>,
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    pub fn column(&self, name: &str) -> Vec<Cell> {
        let index = self.names.iter().position(|known| known == name).unwrap();
        self.rows.iter().map(|row| row[index].clone()).collect()
    }
}

pub fn cell(column: &Column, row: usize) -> Cell {
    if !column.is_valid(row) {
        return Cell::Missing;
    }
    match &column.values {
        Values::Text(values) => text(values.get(row)),
        Values::Int(values) => Cell::Int(values[row]),
        Values::Float(values) => float(values[row]),
        Values::Bool(values) => Cell::Bool(values[row]),
    }
}

pub fn read_all(table: &mut dyn TableReader) -> Result<Table, TableError> {
    let names = table.schema().names().map(str::to_owned).collect();
    let mut rows = Vec::new();
    let mut batch = Batch::new();
    while let Piece::Rows = table.next_batch(&mut batch)? {
        assert_eq!(batch.first_row, rows.len() as u64 + 1);
        assert!(batch.columns.iter().all(|column| column.len() == batch.rows));
        for row in 0..batch.rows {
            rows.push(batch.columns.iter().map(|column| cell(column, row)).collect());
        }
    }
    assert_eq!(batch.rows, 0);
    Ok(Table { names, rows })
}

pub fn read(path: &Path) -> Result<Table, TableError> {
    read_all(&mut *open(path, &ReadOptions::default())?)
}

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Writes the batches to `path`.
pub fn write(path: &Path, schema: &Schema, batches: &[Batch]) -> Result<(), TableError> {
    let mut writer = srrd_data::create(path, schema)?;
    for batch in batches {
        writer.write(batch)?;
    }
    writer.finish()
}
