//! Batches as record batches of Arrow, for the formats that are written from them.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, LargeStringArray, RecordBatch, RecordBatchOptions,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema as ArrowSchema, SchemaRef};

use crate::error::{ErrorKind, TableError};
use crate::table::batch::{Batch, Column, Values};
use crate::table::schema::{ColumnType, Schema};
use crate::table::types::coerced;
use crate::table::write::originals::Dictionary;

/// The columns of a file.
pub(crate) struct Records {
    pub(crate) schema: SchemaRef,
    columns: Vec<(String, ColumnType)>,
    /// By column, where the file has one dictionary for all of its rows.
    dictionaries: Vec<Option<Dictionary>>,
}

impl Records {
    pub(crate) fn new(schema: &Schema, types: &[ColumnType]) -> Self {
        let columns: Vec<_> = schema.names().map(str::to_owned).zip(types.iter().copied()).collect();
        let field = |((column, kind), field): (&(String, ColumnType), &crate::Field)| {
            if let Some(original) = &field.original {
                return Arc::clone(&original.0);
            }
            let data_type = match kind {
                // Large: a batch may hold more text than 32-bit offsets reach.
                ColumnType::Text => DataType::LargeUtf8,
                ColumnType::Int => DataType::Int64,
                ColumnType::Float => DataType::Float64,
                ColumnType::Bool => DataType::Boolean,
            };
            Arc::new(Field::new(column, data_type, true))
        };
        let fields: Vec<FieldRef> = columns.iter().zip(&schema.fields).map(field).collect();
        let dictionaries = columns.iter().map(|_| None).collect();
        Records { schema: Arc::new(ArrowSchema::new(fields)), columns, dictionaries }
    }

    /// For a file that has one dictionary per column.
    pub(crate) fn with_one_dictionary(mut self) -> Self {
        let is_dictionary = |field: &FieldRef| matches!(field.data_type(), DataType::Dictionary(..));
        self.dictionaries = self.schema.fields().iter().map(|f| is_dictionary(f).then(Dictionary::default)).collect();
        self
    }

    /// A batch as record batch, its columns of the types of the file.
    pub(crate) fn of(&mut self, file: &str, batch: &Batch) -> Result<RecordBatch, TableError> {
        assert_eq!(batch.columns.len(), self.columns.len(), "one column per name");
        let written = |(index, ((column, kind), dictionary)): (
            usize,
            (&(String, ColumnType), &mut Option<Dictionary>),
        )| match (&batch.columns[index].original, dictionary) {
            (Some(original), Some(dictionary)) => {
                dictionary.encode(&original.0).map_err(|error| failed(file, error).in_column(column))
            }
            (Some(original), None) => Ok(Arc::clone(&original.0)),
            (None, _) => coerced(file, column, batch, index, *kind).map(|column| array(&column)),
        };
        let columns = self.columns.iter().zip(&mut self.dictionaries).enumerate();
        let arrays = columns.map(written).collect::<Result<_, _>>()?;
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
