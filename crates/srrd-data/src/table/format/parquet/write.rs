//! Writing Parquet with zstd compression.

use std::sync::Arc;

use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::error::{ErrorKind, TableError};
use crate::files::Output;
use crate::table::batch::{Batch, ColumnType, Schema};
use crate::table::write::TableWriter;
use crate::table::write::records::Records;

/// So many rows are a row group.
const GROUP_ROWS: usize = 256 * 1024;

pub(super) struct ParquetWriter {
    name: String,
    file: ArrowWriter<Output>,
    records: Records,
}

impl ParquetWriter {
    pub(super) fn new(output: Output, name: String, schema: &Schema, types: &[ColumnType]) -> Result<Self, TableError> {
        let records = Records::new(schema, types);
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .build();
        // The types of Parquet say all there is to say.
        let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        let file = ArrowWriter::try_new_with_options(output, Arc::clone(&records.schema), options)
            .map_err(|error| failed(&name, error))?;
        Ok(ParquetWriter { name, file, records })
    }
}

impl TableWriter for ParquetWriter {
    fn write(&mut self, batch: &Batch) -> Result<(), TableError> {
        let records = self.records.of(&self.name, batch)?;
        self.file.write(&records).map_err(|error| failed(&self.name, error))
    }

    fn finish(self: Box<Self>) -> Result<(), TableError> {
        let ParquetWriter { name, file, .. } = *self;
        file.into_inner().map_err(|error| failed(&name, error))?.finish(&name)
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
