//! NPZ, as `numpy.savez_compressed` writes it: one array per column, texts as fixed-width Unicode.
//!
//! An array begins with its length, so the table is held in memory until it is finished. Missing values exist only as NaN,
//! in columns of floats, which columns of integers with missing values become.

use super::matrix::write_header;
use std::io::{self, Write};

use zip::ZipWriter;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;

use crate::error::{ErrorKind, TableError};
use crate::files::Output;
use crate::table::batch::{Batch, Column, TextColumn, Values};
use crate::table::schema::{ColumnType, Schema};
use crate::table::types::{EXACT, coerced};
use crate::table::write::TableWriter;

pub(super) struct NpzWriter {
    name: String,
    output: Output,
    columns: Vec<(String, Column)>,
}

impl NpzWriter {
    pub(super) fn new(output: Output, name: String, schema: &Schema, types: &[ColumnType]) -> Self {
        let columns =
            schema.names().zip(types).map(|(column, &kind)| (column.to_owned(), Column::empty(kind))).collect();
        NpzWriter { name, output, columns }
    }
}

impl TableWriter for NpzWriter {
    fn write(&mut self, batch: &Batch) -> Result<(), TableError> {
        assert_eq!(batch.columns.len(), self.columns.len(), "one column per name");
        for (index, (column_name, to)) in self.columns.iter_mut().enumerate() {
            let from = coerced(&self.name, column_name, batch, index, to.kind())?;
            let refuse = |row: usize, what: &str| {
                TableError::new(ErrorKind::Type, &self.name, format!("{what}; choose another format, such as Parquet"))
                    .at_row(batch.row_number(row))
                    .in_column(column_name.as_str())
            };
            let is_gap = |from: &Column| from.validity.as_ref().is_some_and(|valid| valid.contains(&false));
            let from = match &from.values {
                // As pandas and NumPy do: integers of which some are missing are floats.
                Values::Int(_) if is_gap(&from) && fits_floats(to) && fits_floats(&from) => {
                    to.values.become_floats();
                    coerced(&self.name, column_name, batch, index, ColumnType::Float)?
                }
                _ => from,
            };
            match (&from.values, &from.validity) {
                (Values::Float(_), _) | (_, None) => {}
                (_, Some(valid)) => {
                    if let Some(row) = valid.iter().position(|valid| !valid) {
                        return Err(refuse(row, "the value is missing, and NPZ has missing values only as NaN"));
                    }
                }
            }
            if let Values::Text(texts) = &from.values
                && let Some(row) = texts.iter().position(|text| text.ends_with('\0'))
            {
                return Err(refuse(row, "the text ends with a NUL character, which NPZ would drop"));
            }
            to.append(&from);
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), TableError> {
        let failed = |error: io::Error| TableError::io(&self.name, "written", &error);
        let mut archive = ZipWriter::new(self.output);
        for (column_name, column) in &self.columns {
            let (descr, size) = element(column);
            // The fastest level: what compresses well here is the padding of texts, at any level.
            let options = SimpleFileOptions::default()
                .compression_method(zip::CompressionMethod::Deflated)
                .compression_level(Some(1))
                .large_file(size.saturating_mul(column.len() as u64) > u64::from(u32::MAX) / 2);
            archive.start_file(format!("{column_name}.npy"), options).map_err(|error| failed(to_io(error)))?;
            write_array(&mut archive, &descr, column).map_err(failed)?;
        }
        let output = archive.finish().map_err(|error| failed(to_io(error)))?;
        output.finish(&self.name)
    }
}

/// Whether all integers of a column are floats, too.
fn fits_floats(column: &Column) -> bool {
    matches!(&column.values, Values::Int(values) if values.iter().all(|value| value.unsigned_abs() <= EXACT))
}

fn to_io(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        other => io::Error::other(other.to_string()),
    }
}

/// NumPy's name for the element type, and its size in bytes.
fn element(column: &Column) -> (String, u64) {
    match &column.values {
        Values::Bool(_) => ("|b1".to_owned(), 1),
        Values::Int(_) => ("<i8".to_owned(), 8),
        Values::Float(_) => ("<f8".to_owned(), 8),
        Values::Text(texts) => {
            let width = width(texts);
            (format!("<U{width}"), 4 * width as u64)
        }
    }
}

/// The characters of the longest text; NumPy has no width of zero.
fn width(texts: &TextColumn) -> usize {
    texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1)
}

fn write_array(to: &mut impl Write, descr: &str, column: &Column) -> io::Result<()> {
    write_header(to, descr, &format!("({},)", column.len()))?;
    let mut buffer = Vec::with_capacity(64 * 1024);
    let width = match &column.values {
        Values::Text(texts) => width(texts),
        _ => 0,
    };
    for row in 0..column.len() {
        match &column.values {
            Values::Bool(values) => buffer.push(u8::from(values[row])),
            Values::Int(values) => buffer.extend_from_slice(&values[row].to_le_bytes()),
            Values::Float(values) => {
                let value = if column.is_valid(row) { values[row] } else { f64::NAN };
                buffer.extend_from_slice(&value.to_le_bytes());
            }
            Values::Text(texts) => {
                let end = buffer.len() + 4 * width;
                for c in texts.get(row).chars() {
                    buffer.extend_from_slice(&u32::from(c).to_le_bytes());
                }
                buffer.resize(end, 0);
            }
        }
        if buffer.len() >= 32 * 1024 {
            to.write_all(&buffer)?;
            buffer.clear();
        }
    }
    to.write_all(&buffer)
}
