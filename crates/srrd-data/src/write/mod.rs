//! Writing tables, one format a file.

mod csv;
mod file;
mod jsonl;
mod npy;
mod npz;
mod output;
mod unfinished;

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "parquet")]
mod parquet;

use std::path::Path;

use crate::batch::{Batch, ColumnType, Schema};
use crate::error::{ErrorKind, TableError};
use crate::format::{FileFormat, Format};
use output::{Encoder, Output};

pub use file::OutputFile;
pub use npy::write_npy;
pub use unfinished::{Unfinished, discard_unfinished};

/// A table being written, a batch of rows at a time.
///
/// The file appears, complete, with [`finish`](Self::finish). A writer that is dropped before leaves nothing behind, and a
/// file that was there before stays as it was.
pub trait TableWriter: Send {
    /// Adds the rows of `batch`, whose columns are those of the schema.
    ///
    /// Typed formats write the types of the schema and convert other columns as [`coerce`](crate::coerce) does. Text
    /// formats write values as they come: texts as they are, floats in the shortest form that reads back the same, missing
    /// values as empty fields (CSV, TSV) or null (JSONL, which also has only null for NaN and infinities).
    ///
    /// # Errors
    /// The file cannot be written, or a value is not of its column's type.
    ///
    /// # Panics
    /// When the batch has another number of columns than the schema.
    fn write(&mut self, batch: &Batch) -> Result<(), TableError>;

    /// Says that the texts of these columns, by position, are values as JSON writes them, for a format that is JSON.
    fn mark_json(&mut self, columns: &[usize]) {
        let _ = columns;
    }

    /// This writer as one that takes rows as finished lines; `None` for formats that are not lines of delimited fields.
    fn as_lines(&mut self) -> Option<&mut dyn LineSink> {
        None
    }

    /// Completes the file and puts it in its place.
    ///
    /// # Errors
    /// The file cannot be written.
    fn finish(self: Box<Self>) -> Result<(), TableError>;
}

/// A writer of CSV or TSV that also takes rows as finished lines.
pub trait LineSink: Send {
    /// What separates fields.
    fn delimiter(&self) -> u8;

    /// About so many bytes of lines will come.
    fn expect(&mut self, bytes: u64);

    /// Adds lines, each ended by LF, that are what [`TableWriter::write`] would make of their rows.
    ///
    /// # Errors
    /// The file cannot be written.
    fn write_lines(&mut self, lines: &[u8]) -> Result<(), TableError>;
}

/// Begins to write a table. The format is told by the file's name; `-` is CSV on standard output.
///
/// Typed formats need the type of every column in the schema (see [`infer_types`](crate::infer_types) for tables that come
/// as text).
///
/// # Errors
/// The format is not supported, the folder does not exist or cannot be written, or the path is a directory: all of which
/// is found here, before any work is done.
pub fn create(path: &Path, schema: &Schema) -> Result<Box<dyn TableWriter>, TableError> {
    let format = FileFormat::from_path(path)?;
    let name = match path.as_os_str() == "-" {
        true => "standard output".to_owned(),
        false => path.display().to_string(),
    };
    let output = || match path.as_os_str() == "-" {
        true => Ok(Output::stdout()),
        false => Output::file(path, &name),
    };
    match format.format {
        Format::Csv | Format::Tsv => {
            let delimiter = if format.format == Format::Csv { b',' } else { b'\t' };
            let encoder = Encoder::new(&name, output()?, format.compression)?;
            Ok(Box::new(csv::CsvWriter::new(name, encoder, delimiter, schema)?))
        }
        Format::Jsonl => {
            let encoder = Encoder::new(&name, output()?, format.compression)?;
            Ok(Box::new(jsonl::JsonlWriter::new(name, encoder, schema)))
        }
        Format::Npz => {
            let types = known_types(&name, format.format, schema)?;
            Ok(Box::new(npz::NpzWriter::new(output()?, name, schema, &types)))
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => {
            let types = known_types(&name, format.format, schema)?;
            Ok(Box::new(parquet::ParquetWriter::new(output()?, name, schema, &types)?))
        }
        #[cfg(feature = "arrow")]
        Format::Arrow => {
            let types = known_types(&name, format.format, schema)?;
            Ok(Box::new(arrow::ArrowWriter::new(output()?, name, schema, &types)?))
        }
        #[cfg(not(all(feature = "parquet", feature = "arrow")))]
        other => Err(crate::not_built(name, other)),
    }
}

/// The types of all columns, without which a typed format cannot begin.
fn known_types(name: &str, format: Format, schema: &Schema) -> Result<Vec<ColumnType>, TableError> {
    schema
        .fields
        .iter()
        .map(|field| {
            field.kind.ok_or_else(|| {
                TableError::new(
                    ErrorKind::Usage,
                    name,
                    format!("the type of the column must be known to write {format}"),
                )
                .in_column(&field.name)
            })
        })
        .collect()
}
