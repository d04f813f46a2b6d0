//! Writing Parquet with zstd compression.
//!
//! The `parquet` crate writes no checksums of pages. One of all rows is kept with the metadata of the file instead, which other
//! readers ignore.

use std::io::{self, Write};
use std::sync::Arc;

use flate2::Crc;

use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use crate::error::{ErrorKind, TableError};
use crate::files::Output;
use crate::table::batch::Batch;
use crate::table::schema::{ColumnType, Schema};
use crate::table::write::TableWriter;
use crate::table::write::records::Records;

/// So many rows are a row group.
const GROUP_ROWS: usize = 256 * 1024;

/// The key of the checksum in the metadata: its value is how many bytes from the beginning it is of, and the CRC-32 of these.
pub(super) const CHECKSUM: &str = "srrd.crc32";

/// Who wrote the file, which programs that copy its metadata into another file replace by themselves.
const WRITER: &str = concat!("srrd ", env!("CARGO_PKG_VERSION"));

/// An output that sums up what is written to it.
struct Summed {
    output: Output,
    crc: Crc,
    bytes: u64,
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.output.write(bytes)?;
        self.crc.update(&bytes[..count]);
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

pub(super) struct ParquetWriter {
    name: String,
    file: ArrowWriter<Summed>,
    records: Records,
}

impl ParquetWriter {
    pub(super) fn new(output: Output, name: String, schema: &Schema, types: &[ColumnType]) -> Result<Self, TableError> {
        let records = Records::new(schema, types);
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .set_created_by(WRITER.to_owned())
            .build();
        // The types of Parquet say all there is to say, unless there are others that are passed through.
        let plain = schema.fields.iter().all(|field| field.original.is_none());
        let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(plain);
        let file = ArrowWriter::try_new_with_options(
            Summed { output, crc: Crc::new(), bytes: 0 },
            Arc::clone(&records.schema),
            options,
        )
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
        let ParquetWriter { name, mut file, .. } = *self;
        // All rows are written now, and what follows only says where they are. What is still buffered counts, too.
        file.flush().and_then(|()| Ok(file.sync()?)).map_err(|error| failed(&name, error))?;
        let Summed { crc, bytes, .. } = file.inner();
        let sum = format!("{bytes} {:08x}", crc.sum());
        file.append_key_value_metadata(KeyValue::new(CHECKSUM.to_owned(), sum));
        file.into_inner().map_err(|error| failed(&name, error))?.output.finish(&name)
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
