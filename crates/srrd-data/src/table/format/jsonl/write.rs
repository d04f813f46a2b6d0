//! JSON Lines. JSON has no NaN and no infinities: they are written as null, like missing values.

use crate::error::TableError;
use crate::files::Encoder;
use crate::table::batch::{Batch, Values};
use crate::table::schema::Schema;
use crate::table::write::{Shortest, TableWriter};

/// How much is put together before it goes out.
const CHUNK: usize = 64 * 1024;

pub(super) struct JsonlWriter {
    name: String,
    encoder: Encoder,
    /// For each column what goes before its value: a comma, and the key.
    keys: Vec<Vec<u8>>,
    /// Whether the texts of a column are JSON already.
    json: Vec<bool>,
    buffer: Vec<u8>,
}

impl JsonlWriter {
    pub(super) fn new(name: String, encoder: Encoder, schema: &Schema) -> Self {
        let keys = schema
            .names()
            .enumerate()
            .map(|(index, column)| {
                let mut key = if index > 0 { vec![b','] } else { Vec::new() };
                push_string(&mut key, column);
                key.push(b':');
                key
            })
            .collect();
        JsonlWriter { name, encoder, json: vec![false; schema.len()], keys, buffer: Vec::with_capacity(2 * CHUNK) }
    }

    fn flush(&mut self) -> Result<(), TableError> {
        self.encoder.write_all(&self.name, &self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

impl TableWriter for JsonlWriter {
    fn write(&mut self, batch: &Batch) -> Result<(), TableError> {
        assert_eq!(batch.columns.len(), self.keys.len(), "one column per key");
        let mut shortest = Shortest::default();
        for row in 0..batch.rows {
            self.buffer.push(b'{');
            for ((column, key), &json) in batch.columns.iter().zip(&self.keys).zip(&self.json) {
                self.buffer.extend_from_slice(key);
                match &column.values {
                    _ if !column.is_valid(row) => self.buffer.extend_from_slice(b"null"),
                    Values::Float(values) if !values[row].is_finite() => self.buffer.extend_from_slice(b"null"),
                    Values::Text(values) if !json => push_string(&mut self.buffer, values.get(row)),
                    values => self.buffer.extend_from_slice(shortest.text(values, row).as_bytes()),
                }
            }
            self.buffer.extend_from_slice(b"}\n");
            if self.buffer.len() >= CHUNK {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn mark_json(&mut self, columns: &[usize]) {
        columns.iter().for_each(|&column| self.json[column] = true);
    }

    fn finish(mut self: Box<Self>) -> Result<(), TableError> {
        self.flush()?;
        self.encoder.finish(&self.name)
    }
}

/// Adds a JSON string.
fn push_string(buffer: &mut Vec<u8>, text: &str) {
    buffer.push(b'"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        buffer.extend_from_slice(&rest.as_bytes()[..at]);
        match rest.as_bytes()[at] {
            byte @ (b'"' | b'\\') => buffer.extend_from_slice(&[b'\\', byte]),
            b'\n' => buffer.extend_from_slice(b"\\n"),
            b'\t' => buffer.extend_from_slice(b"\\t"),
            b'\r' => buffer.extend_from_slice(b"\\r"),
            byte => buffer.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
        }
        rest = &rest[at + 1..];
    }
    buffer.extend_from_slice(rest.as_bytes());
    buffer.push(b'"');
}

#[cfg(test)]
mod tests {
    #[test]
    fn strings_read_back_the_same() {
        for text in ["", "a", "a\"b\\c\n\t\r\u{1}\u{7f}é\u{2028}😀"] {
            let mut buffer = Vec::new();
            super::push_string(&mut buffer, text);
            let back: String = serde_json::from_slice(&buffer).unwrap();
            assert_eq!(back, text);
        }
    }
}
