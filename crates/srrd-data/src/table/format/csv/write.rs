//! CSV and TSV, quoted as RFC 4180 says and no more than needed; lines end with LF.

use memchr::memchr;

use super::quote::{needs_quotes, write_field, write_quoted};
use crate::error::{ErrorKind, TableError};
use crate::files::Encoder;
use crate::table::batch::{Batch, Schema, TextColumn, Values};
use crate::table::write::TableWriter;

/// How much is put together before it goes out.
const CHUNK: usize = 64 * 1024;

pub(super) struct CsvWriter {
    name: String,
    encoder: Encoder,
    delimiter: u8,
    names: Vec<String>,
    buffer: Vec<u8>,
}

/// A column of the batch being written.
enum Cells<'a> {
    /// Texts of which none needs quotes.
    Plain(&'a TextColumn),
    Text(&'a TextColumn),
    Int(&'a [i64]),
    Float(&'a [f64]),
    Bool(&'a [bool]),
}

impl CsvWriter {
    pub(super) fn new(name: String, encoder: Encoder, delimiter: u8, schema: &Schema) -> Result<Self, TableError> {
        let names = schema.names().map(str::to_owned).collect();
        let mut writer = CsvWriter { name, encoder, delimiter, names, buffer: Vec::with_capacity(2 * CHUNK) };
        for (index, column) in schema.names().enumerate() {
            if index > 0 {
                writer.buffer.push(delimiter);
            }
            if column.contains('\0') {
                return Err(nul(&writer.name, column));
            }
            match index == 0 && column.starts_with('\u{feff}') {
                // At the start of a file it would be taken for a byte order mark.
                true => write_quoted(column, |part| writer.buffer.extend_from_slice(part.as_bytes())),
                false => push_text(&mut writer.buffer, column, delimiter, schema.len() == 1),
            }
        }
        writer.buffer.push(b'\n');
        writer.flush()?;
        Ok(writer)
    }

    fn flush(&mut self) -> Result<(), TableError> {
        self.encoder.write_all(&self.name, &self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

impl TableWriter for CsvWriter {
    fn write(&mut self, batch: &Batch) -> Result<(), TableError> {
        assert_eq!(batch.columns.len(), self.names.len(), "one column per name");
        let delimiter = self.delimiter;
        let alone = self.names.len() == 1;
        for (column, name) in batch.columns.iter().zip(&self.names) {
            if let Values::Text(values) = &column.values
                && memchr(0, values.joined().as_bytes()).is_some()
            {
                let row = values.iter().position(|text| text.contains('\0')).unwrap_or(0);
                return Err(nul(&self.name, name).at_row(batch.row_number(row)));
            }
        }
        let columns: Vec<_> = batch
            .columns
            .iter()
            .map(|column| {
                let cells = match &column.values {
                    Values::Text(values) if !alone && !needs_quotes(values.joined(), delimiter) => Cells::Plain(values),
                    Values::Text(values) => Cells::Text(values),
                    Values::Int(values) => Cells::Int(values),
                    Values::Float(values) => Cells::Float(values),
                    Values::Bool(values) => Cells::Bool(values),
                };
                (cells, column.validity.as_deref())
            })
            .collect();
        let mut ints = itoa::Buffer::new();
        let mut floats = zmij::Buffer::new();
        for row in 0..batch.rows {
            for (index, (cells, validity)) in columns.iter().enumerate() {
                if index > 0 {
                    self.buffer.push(delimiter);
                }
                if validity.is_some_and(|valid| !valid[row]) {
                    push_text(&mut self.buffer, "", delimiter, alone);
                    continue;
                }
                let text = match cells {
                    Cells::Plain(values) => values.get(row),
                    Cells::Text(values) => {
                        push_text(&mut self.buffer, values.get(row), delimiter, alone);
                        continue;
                    }
                    Cells::Int(values) => ints.format(values[row]),
                    Cells::Float(values) => floats.format(values[row]),
                    Cells::Bool(values) => match values[row] {
                        true => "true",
                        false => "false",
                    },
                };
                self.buffer.extend_from_slice(text.as_bytes());
            }
            self.buffer.push(b'\n');
            if self.buffer.len() >= CHUNK {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), TableError> {
        self.flush()?;
        self.encoder.finish(&self.name)
    }
}

/// The error for a text that could not be read back.
fn nul(file: &str, column: &str) -> TableError {
    let what = "a NUL character cannot be written to CSV or TSV; remove it, or choose another format, such as Parquet";
    TableError::new(ErrorKind::Encoding, file, what).in_column(column)
}

/// Adds a text, quoted when needed.
fn push_text(buffer: &mut Vec<u8>, text: &str, delimiter: u8, alone: bool) {
    write_field(text, delimiter, alone, |part| buffer.extend_from_slice(part.as_bytes()));
}
