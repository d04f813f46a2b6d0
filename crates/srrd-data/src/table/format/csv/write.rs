//! CSV and TSV, quoted as RFC 4180 says and no more than needed; lines end with LF.

use memchr::memchr;

use super::quote::{needs_quotes, write_field, write_quoted};
use crate::error::{ErrorKind, TableError};
use crate::files::Encoder;
use crate::table::batch::{Batch, Column, Values};
use crate::table::schema::Schema;
use crate::table::write::{Shortest, TableWriter};

/// How much is put together before it goes out.
const CHUNK: usize = 64 * 1024;

pub(super) struct CsvWriter {
    name: String,
    encoder: Encoder,
    delimiter: u8,
    names: Vec<String>,
    buffer: Vec<u8>,
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
        let quoted = |column: &Column| match &column.values {
            Values::Text(values) => alone || needs_quotes(values.joined(), delimiter),
            _ => false,
        };
        // With whether any of its cells may need quotes.
        let columns: Vec<(&Column, bool)> = batch.columns.iter().map(|column| (column, quoted(column))).collect();
        let mut shortest = Shortest::default();
        for row in 0..batch.rows {
            for (index, &(column, quoted)) in columns.iter().enumerate() {
                if index > 0 {
                    self.buffer.push(delimiter);
                }
                if !column.is_valid(row) {
                    push_text(&mut self.buffer, "", delimiter, alone);
                } else if quoted {
                    push_text(&mut self.buffer, shortest.text(&column.values, row), delimiter, alone);
                } else {
                    self.buffer.extend_from_slice(shortest.text(&column.values, row).as_bytes());
                }
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
