//! CSV and TSV, quoted as RFC 4180 says and no more than needed; lines end with LF.

use super::output::Encoder;
use super::{LineSink, TableWriter};
use crate::batch::{Batch, Schema, TextColumn, Values};
use crate::error::TableError;
use crate::quote::{needs_quotes, write_field};

/// How much is put together before it goes out.
const CHUNK: usize = 64 * 1024;

pub(super) struct CsvWriter {
    name: String,
    encoder: Encoder,
    delimiter: u8,
    columns: usize,
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
        let mut writer =
            CsvWriter { name, encoder, delimiter, columns: schema.len(), buffer: Vec::with_capacity(2 * CHUNK) };
        for (index, column) in schema.names().enumerate() {
            if index > 0 {
                writer.buffer.push(delimiter);
            }
            push_text(&mut writer.buffer, column, delimiter, schema.len() == 1);
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
        assert_eq!(batch.columns.len(), self.columns, "one column a name");
        let delimiter = self.delimiter;
        let alone = self.columns == 1;
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

    fn as_lines(&mut self) -> Option<&mut dyn LineSink> {
        Some(self)
    }

    fn finish(mut self: Box<Self>) -> Result<(), TableError> {
        self.flush()?;
        self.encoder.finish(&self.name)
    }
}

impl LineSink for CsvWriter {
    fn delimiter(&self) -> u8 {
        self.delimiter
    }

    fn write_lines(&mut self, lines: &[u8]) -> Result<(), TableError> {
        self.flush()?;
        self.encoder.write_all(&self.name, lines)
    }
}

/// Adds a text, quoted when needed.
fn push_text(buffer: &mut Vec<u8>, text: &str, delimiter: u8, alone: bool) {
    write_field(text, delimiter, alone, |part| buffer.extend_from_slice(part.as_bytes()));
}
