//! Batches as record batches of Arrow, for the formats that are written from them.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, LargeStringArray, RecordBatch, RecordBatchOptions,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema as ArrowSchema, SchemaRef};

use crate::error::{ErrorKind, TableError};
use crate::table::batch::{Batch, Column, ColumnType, Schema, Values};
use crate::table::types::coerced;

/// The columns of a file.
pub(crate) struct Records {
    pub(crate) schema: SchemaRef,
    columns: Vec<(String, ColumnType)>,
}

impl Records {
    pub(crate) fn new(schema: &Schema, types: &[ColumnType]) -> Self {
        let columns: Vec<_> = schema.names().map(str::to_owned).zip(types.iter().copied()).collect();
        let field = |(column, kind): &(String, ColumnType)| {
            let data_type = match kind {
                // Large: a batch may hold more text than 32-bit offsets reach.
                ColumnType::Text => DataType::LargeUtf8,
                ColumnType::Int => DataType::Int64,
                ColumnType::Float => DataType::Float64,
                ColumnType::Bool => DataType::Boolean,
            };
            Field::new(column, data_type, true)
        };
        Records { schema: Arc::new(ArrowSchema::new(columns.iter().map(field).collect::<Vec<_>>())), columns }
    }

    /// A batch as record batch, its columns of the types of the file.
    pub(crate) fn of(&self, file: &str, batch: &Batch) -> Result<RecordBatch, TableError> {
        assert_eq!(batch.columns.len(), self.columns.len(), "one column per name");
        let arrays = self
            .columns
            .iter()
            .enumerate()
            .map(|(index, (column, kind))| coerced(file, column, batch, index, *kind).map(|column| array(&column)))
            .collect::<Result<_, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)
            .map_err(|error| failed(file, error))
    }
}

/// The error for a file that cannot be written.
pub(crate) fn failed(name: &str, error: ArrowError) -> TableError {
    match error {
        ArrowError::IoError(_, error) => TableError::io(name, "written", &error),
        error => TableError::new(ErrorKind::Io, name, format!("cannot be written: {error}")),
    }
}

fn array(column: &Column) -> ArrayRef {
    let nulls = column.validity.as_ref().map(|valid| NullBuffer::from(valid.as_slice()));
    match &column.values {
        Values::Text(texts) => Arc::new(
            (0..texts.len()).map(|row| column.is_valid(row).then(|| texts.get(row))).collect::<LargeStringArray>(),
        ),
        Values::Int(values) => Arc::new(Int64Array::new(values.clone().into(), nulls)),
        Values::Float(values) => Arc::new(Float64Array::new(values.clone().into(), nulls)),
        Values::Bool(values) => Arc::new(BooleanArray::new(BooleanBuffer::from(values.as_slice()), nulls)),
    }
}
