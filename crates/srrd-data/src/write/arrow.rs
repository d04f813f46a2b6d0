//! Arrow IPC, the file format, not compressed so that it can be mapped into memory.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, LargeStringArray, RecordBatch, RecordBatchOptions,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema as ArrowSchema, SchemaRef};

use super::TableWriter;
use super::output::Output;
use crate::batch::{Batch, Column, ColumnType, Schema, Values};
use crate::error::{ErrorKind, TableError};
use crate::types::coerced;

pub(super) struct ArrowWriter {
    name: String,
    file: FileWriter<Output>,
    schema: SchemaRef,
    columns: Vec<(String, ColumnType)>,
}

impl ArrowWriter {
    pub(super) fn new(output: Output, name: String, schema: &Schema, types: &[ColumnType]) -> Result<Self, TableError> {
        let columns: Vec<_> = schema.names().map(str::to_owned).zip(types.iter().copied()).collect();
        let fields: Vec<Field> = columns
            .iter()
            .map(|(column, kind)| {
                let data_type = match kind {
                    // Large: a batch may hold more text than 32-bit offsets reach.
                    ColumnType::Text => DataType::LargeUtf8,
                    ColumnType::Int => DataType::Int64,
                    ColumnType::Float => DataType::Float64,
                    ColumnType::Bool => DataType::Boolean,
                };
                Field::new(column, data_type, true)
            })
            .collect();
        let schema = Arc::new(ArrowSchema::new(fields));
        let file = FileWriter::try_new(output, &schema).map_err(|error| failed(&name, error))?;
        Ok(ArrowWriter { name, file, schema, columns })
    }
}

impl TableWriter for ArrowWriter {
    fn write(&mut self, batch: &Batch) -> Result<(), TableError> {
        assert_eq!(batch.columns.len(), self.columns.len(), "one column a name");
        let arrays = self
            .columns
            .iter()
            .enumerate()
            .map(|(index, (column, kind))| {
                coerced(&self.name, column, batch, index, *kind).map(|column| array(&column))
            })
            .collect::<Result<_, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)
            .and_then(|records| self.file.write(&records))
            .map_err(|error| failed(&self.name, error))
    }

    fn finish(self: Box<Self>) -> Result<(), TableError> {
        let ArrowWriter { name, mut file, .. } = *self;
        file.finish().and_then(|()| file.into_inner()).map_err(|error| failed(&name, error))?.finish(&name)
    }
}

fn failed(name: &str, error: ArrowError) -> TableError {
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
