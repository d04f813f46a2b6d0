//! Record batches that come from elsewhere, such as frames of Python by the C interface of Arrow.

use std::collections::VecDeque;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{DataType, SchemaRef};

use super::records::{RecordSource, RecordsReader};
use super::{ReadOptions, TableReader};
use crate::error::{ErrorKind, TableError};

/// Opens record batches as a table, without copying them; `name` is for messages.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{Float64Array, RecordBatch, RecordBatchIterator};
/// use srrd_data::{Piece, ReadOptions, Values, open_records};
/// let batch = RecordBatch::try_from_iter([("reward", Arc::new(Float64Array::from(vec![0.5, 2.0])) as _)])?;
/// let frame = RecordBatchIterator::new([Ok(batch.clone())], batch.schema());
/// let mut table = open_records("a frame", Box::new(frame), &ReadOptions::default())?;
/// let mut rows = Default::default();
/// assert_eq!(table.next_batch(&mut rows)?, Piece::Rows);
/// assert_eq!(rows.columns[0].values, Values::Float(vec![0.5, 2.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Two columns have one name, or the first record batches cannot be had.
pub fn open_records(
    name: &str,
    batches: Box<dyn RecordBatchReader + Send>,
    options: &ReadOptions,
) -> Result<Box<dyn TableReader>, TableError> {
    let schema = batches.schema();
    // How long lists are, the first rows tell; they are needed once more then.
    let looks_ahead =
        schema.fields().iter().any(|field| matches!(field.data_type(), DataType::List(_) | DataType::LargeList(_)));
    let source = Stream { name: name.to_owned(), batches, positions: Vec::new(), looks_ahead, seen: VecDeque::new() };
    Ok(Box::new(RecordsReader::open(name.to_owned(), source, options)?))
}

struct Stream {
    name: String,
    batches: Box<dyn RecordBatchReader + Send>,
    positions: Vec<usize>,
    /// Whether what is read has to be kept for the next start.
    looks_ahead: bool,
    /// What was read before the last start.
    seen: VecDeque<RecordBatch>,
}

impl RecordSource for Stream {
    fn schema(&self) -> SchemaRef {
        self.batches.schema()
    }

    fn start(&mut self, positions: &[usize]) -> Result<(), TableError> {
        // Looking ahead ends with the second start; the first comes before anything was read.
        self.looks_ahead &= self.seen.is_empty();
        self.positions = positions.to_vec();
        Ok(())
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, TableError> {
        let next = match self.looks_ahead {
            true => None,
            false => self.seen.pop_front().map(Ok),
        };
        let Some(records) = next.or_else(|| self.batches.next()) else { return Ok(None) };
        let records = records.map_err(|error| self.damaged(&error.to_string()))?;
        if self.looks_ahead {
            self.seen.push_back(records.clone());
        }
        records.project(&self.positions).map(Some).map_err(|error| self.damaged(&error.to_string()))
    }

    fn first(&mut self, position: usize) -> Result<Option<ArrayRef>, TableError> {
        // What is looked at stays to be read.
        let mut number = 0;
        loop {
            if number == self.seen.len() {
                let Some(records) = self.batches.next() else { return Ok(None) };
                self.seen.push_back(records.map_err(|error| self.damaged(&error.to_string()))?);
            }
            if self.seen[number].num_rows() > 0 {
                return Ok(self.seen[number].columns().get(position).cloned());
            }
            number += 1;
        }
    }

    fn damaged(&self, what: &str) -> TableError {
        TableError::new(ErrorKind::Malformed, &self.name, format!("the rows cannot be read: {what}"))
    }
}
