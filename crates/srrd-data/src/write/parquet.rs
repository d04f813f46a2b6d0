//! Parquet with zstd compression, through the column writers of the `parquet` crate.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use super::TableWriter;
use super::output::Output;
use crate::batch::{Batch, Column, ColumnType, Schema, Values};
use crate::error::{ErrorKind, TableError};
use crate::types::coerced;

/// Rows are kept until there are this many, so that small batches do not make small row groups.
const GROUP_ROWS: usize = 256 * 1024;

pub(super) struct ParquetWriter {
    name: String,
    file: SerializedFileWriter<Output>,
    columns: Vec<(String, Column)>,
    rows: usize,
}

impl ParquetWriter {
    pub(super) fn new(output: Output, name: String, schema: &Schema, types: &[ColumnType]) -> Result<Self, TableError> {
        let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
        let file = root(schema, types)
            .and_then(|root| SerializedFileWriter::new(output, Arc::new(root), Arc::new(properties)))
            .map_err(|error| failed(&name, error))?;
        let columns =
            schema.names().zip(types).map(|(column, &kind)| (column.to_owned(), Column::empty(kind))).collect();
        Ok(ParquetWriter { name, file, columns, rows: 0 })
    }

    /// Writes the rows that are kept as a row group.
    fn write_group(&mut self) -> Result<(), ParquetError> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        let mut columns = self.columns.iter_mut();
        while let Some(mut writer) = group.next_column()? {
            if let Some((_, column)) = columns.next() {
                write_column(&mut writer, column)?;
                column.reset(column.kind());
            }
            writer.close()?;
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }
}

impl TableWriter for ParquetWriter {
    fn write(&mut self, batch: &Batch) -> Result<(), TableError> {
        assert_eq!(batch.columns.len(), self.columns.len(), "one column a name");
        for (index, (column_name, to)) in self.columns.iter_mut().enumerate() {
            to.append(&*coerced(&self.name, column_name, batch, index, to.kind())?);
        }
        self.rows += batch.rows;
        if self.rows >= GROUP_ROWS {
            self.write_group().map_err(|error| failed(&self.name, error))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), TableError> {
        self.write_group().map_err(|error| failed(&self.name, error))?;
        let output = self.file.into_inner().map_err(|error| failed(&self.name, error))?;
        output.finish(&self.name)
    }
}

fn failed(name: &str, error: ParquetError) -> TableError {
    match error {
        ParquetError::External(error) if error.is::<std::io::Error>() => match error.downcast::<std::io::Error>() {
            Ok(error) => TableError::io(name, "written", &error),
            Err(error) => TableError::new(ErrorKind::Io, name, format!("cannot be written: {error}")),
        },
        error => TableError::new(ErrorKind::Io, name, format!("cannot be written: {error}")),
    }
}

fn root(schema: &Schema, types: &[ColumnType]) -> Result<Type, ParquetError> {
    let fields = schema
        .names()
        .zip(types)
        .map(|(column, kind)| {
            let (physical, logical) = match kind {
                ColumnType::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
                ColumnType::Int => (Physical::INT64, None),
                ColumnType::Float => (Physical::DOUBLE, None),
                ColumnType::Bool => (Physical::BOOLEAN, None),
            };
            Type::primitive_type_builder(column, physical)
                .with_logical_type(logical)
                .with_repetition(Repetition::OPTIONAL)
                .build()
                .map(Arc::new)
        })
        .collect::<Result<_, _>>()?;
    Type::group_type_builder("schema").with_fields(fields).build()
}

fn write_column(writer: &mut SerializedColumnWriter<'_>, column: &mut Column) -> Result<(), ParquetError> {
    let levels: Vec<i16> = match &column.validity {
        Some(valid) => valid.iter().map(|&valid| i16::from(valid)).collect(),
        None => vec![1; column.len()],
    };
    match &column.values {
        Values::Text(texts) => {
            // One allocation for all texts, of which each value is a part.
            let joined = Bytes::copy_from_slice(texts.joined().as_bytes());
            let mut from = 0;
            let values: Vec<ByteArray> = texts
                .iter()
                .map(|text| {
                    let to = from + text.len();
                    let value = joined.slice(from..to).into();
                    from = to;
                    value
                })
                .collect();
            write_values::<ByteArrayType>(writer, &values, column, &levels)
        }
        Values::Int(values) => write_values::<Int64Type>(writer, values, column, &levels),
        Values::Float(values) => write_values::<DoubleType>(writer, values, column, &levels),
        Values::Bool(values) => write_values::<BoolType>(writer, values, column, &levels),
    }
}

/// Writes the values that are there.
fn write_values<T: DataType>(
    writer: &mut SerializedColumnWriter<'_>,
    values: &[T::T],
    column: &Column,
    levels: &[i16],
) -> Result<(), ParquetError> {
    let there: Vec<T::T>;
    let values = match &column.validity {
        None => values,
        Some(valid) => {
            there = values.iter().zip(valid).filter(|&(_, &valid)| valid).map(|(value, _)| value.clone()).collect();
            &there
        }
    };
    writer.typed::<T>().write_batch(values, Some(levels), None)?;
    Ok(())
}
