//! Reading Parquet, through the record batches of the `parquet` crate, checksums of pages included.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::LogicalType;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::TypePtr;

use super::write::CHECKSUM;
use srrd::run::Steps;

use crate::error::{ErrorKind, TableError};
use crate::table::format::Format;
use crate::table::read::guard::guarded;
use crate::table::read::records::{BATCH_BYTES, BATCH_ROWS, RecordSource, UUID};
use crate::table::read::{Input, ReadOptions, Source, wrong_format};

pub(super) struct ParquetSource {
    name: String,
    input: Place,
    metadata: ArrowReaderMetadata,
    batch_rows: usize,
    reader: Option<ParquetRecordBatchReader>,
    /// How many rows were read since the start.
    rows: u64,
    steps: Option<Steps>,
}

/// Where the bytes are.
#[derive(Clone)]
enum Place {
    File(Arc<File>),
    Bytes(Bytes),
}

impl Length for Place {
    fn len(&self) -> u64 {
        match self {
            Place::File(file) => Length::len(&**file),
            Place::Bytes(bytes) => bytes.len() as u64,
        }
    }
}

impl ChunkReader for Place {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(match self {
            Place::File(file) => Box::new(file.get_read(start)?),
            Place::Bytes(bytes) => Box::new(bytes.get_read(start)?),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        match self {
            Place::File(file) => file.get_bytes(start, length),
            Place::Bytes(bytes) => bytes.get_bytes(start, length),
        }
    }
}

impl ParquetSource {
    pub(super) fn open(input: Input, options: &ReadOptions) -> Result<Self, TableError> {
        let name = input.name;
        let input = match input.source.seekable(&name)? {
            Source::File(file) => Place::File(Arc::new(file)),
            Source::Bytes(bytes) => Place::Bytes(bytes.into()),
            Source::Stream(_) => unreachable!("a stream has become bytes"),
        };
        let length = input.len();
        let bytes = |from: u64, count: u64| {
            input.get_bytes(from, count.min(length) as usize).map_err(|error| damaged(&name, &error))
        };
        let start = bytes(0, 16)?;
        if !start.starts_with(b"PAR1") {
            return Err(match start.starts_with(b"PARE") {
                true => TableError::new(ErrorKind::Malformed, name, "the Parquet file is encrypted; decrypt it first"),
                false => wrong_format(&name, Format::Parquet, &start),
            });
        }
        if length < 12 || bytes(length.saturating_sub(4), 4)?.as_ref() != b"PAR1" {
            return Err(TableError::new(
                ErrorKind::Truncated,
                name,
                "the Parquet file was cut short: its footer is missing; copy or write the file again",
            ));
        }
        let metadata = guarded(|| ArrowReaderMetadata::load(&input, ArrowReaderOptions::new()))
            .unwrap_or_else(|panic| Err(ParquetError::General(panic)))
            .map_err(|error| damaged(&name, &error))?;
        check_sum(&name, &input, &metadata)?;
        Ok(ParquetSource {
            name,
            input,
            metadata,
            batch_rows: options.batch_rows.max(1),
            reader: None,
            rows: 0,
            steps: None,
        })
    }
}

impl ParquetSource {
    /// How many rows of these columns are decoded at a time: fewer where they are long.
    fn batch_rows_of(&self, mask: &ProjectionMask) -> usize {
        let metadata = self.metadata.metadata();
        let columns = metadata.row_groups().iter().flat_map(|group| group.columns().iter().enumerate());
        let bytes = columns
            .filter(|(leaf, _)| mask.leaf_included(*leaf))
            .map(|(_, column)| u64::try_from(column.uncompressed_size()).unwrap_or(0))
            .fold(0, u64::saturating_add);
        let rows = u64::try_from(metadata.file_metadata().num_rows()).unwrap_or(0);
        let fitting = (BATCH_BYTES as u64).saturating_mul(rows) / bytes.max(1);
        self.batch_rows.min(usize::try_from(fitting).unwrap_or(usize::MAX).max(BATCH_ROWS))
    }
}

/// Compares the checksum of all rows, in files that have one.
fn check_sum(name: &str, input: &Place, metadata: &ArrowReaderMetadata) -> Result<(), TableError> {
    let file = metadata.metadata().file_metadata();
    // Other programs copy the metadata of a file to what they make of its rows.
    if !file.created_by().is_some_and(|by| by.starts_with("srrd ")) {
        return Ok(());
    }
    let entries = file.key_value_metadata();
    let entry = entries.into_iter().flatten().find(|entry| entry.key == CHECKSUM);
    let Some(value) = entry.and_then(|entry| entry.value.as_deref()) else { return Ok(()) };
    let wrong = || damaged(name, &ParquetError::General("its checksum is not that of its rows".to_owned()));
    let (bytes, sum) = value.split_once(' ').ok_or_else(wrong)?;
    let bytes = bytes.parse().ok().filter(|&bytes| bytes <= input.len()).ok_or_else(wrong)?;
    let mut crc = flate2::CrcReader::new(input.get_read(0).map_err(|error| damaged(name, &error))?.take(bytes));
    io::copy(&mut crc, &mut io::sink()).map_err(|error| TableError::io(name, "read", &error))?;
    match format!("{:08x}", crc.crc().sum()) == sum {
        true => Ok(()),
        false => Err(wrong()),
    }
}

impl RecordSource for ParquetSource {
    fn schema(&self) -> SchemaRef {
        let schema = self.metadata.schema();
        // Not everyone who writes UUIDs says so in the schema of Arrow, too.
        let columns = self.metadata.parquet_schema().root_schema().get_fields();
        let field = |(field, column): (&Arc<Field>, &TypePtr)| match column.get_basic_info().logical_type_ref() {
            Some(LogicalType::Uuid) => {
                let metadata = HashMap::from([(UUID.0.to_owned(), UUID.1.to_owned())]);
                Arc::new(field.as_ref().clone().with_metadata(metadata))
            }
            _ => Arc::clone(field),
        };
        Arc::new(Schema::new(schema.fields().iter().zip(columns).map(field).collect::<Vec<_>>()))
    }

    fn start(&mut self, positions: &[usize]) -> Result<(), TableError> {
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), positions.iter().copied());
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(self.input.clone(), self.metadata.clone());
        let rows = self.batch_rows_of(&mask);
        let reader = builder.with_projection(mask).with_batch_size(rows).build();
        self.reader = Some(reader.map_err(|error| damaged(&self.name, &error))?);
        self.rows = 0;
        self.steps = self.rows_hint().map(|rows| Steps::begin("rows read", rows as u64));
        Ok(())
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, TableError> {
        let Some(reader) = &mut self.reader else { return Ok(None) };
        match reader.next() {
            Some(Ok(records)) => {
                self.rows += records.num_rows() as u64;
                if let Some(steps) = &self.steps {
                    steps.add(records.num_rows() as u64);
                }
                Ok(Some(records))
            }
            Some(Err(ArrowError::ParquetError(what))) => Err(self.damaged(&what)),
            Some(Err(error)) => Err(self.damaged(&error.to_string())),
            None => {
                let expected = self.metadata.metadata().file_metadata().num_rows();
                match u64::try_from(expected) == Ok(self.rows) {
                    true => Ok(None),
                    false => Err(self.damaged(&format!("it has {} rows and says {expected}", self.rows))),
                }
            }
        }
    }

    fn rows_hint(&self) -> Option<usize> {
        usize::try_from(self.metadata.metadata().file_metadata().num_rows()).ok()
    }

    fn damaged(&self, what: &str) -> TableError {
        damaged(&self.name, &ParquetError::General(what.to_owned()))
    }
}

fn damaged(name: &str, error: &ParquetError) -> TableError {
    let text = error.to_string();
    if text.contains("Disabled feature at compile time") || text.contains("not installed") {
        return TableError::new(
            ErrorKind::Malformed,
            name,
            format!("the compression is not supported ({text}); write the file with zstd or snappy"),
        );
    }
    let kind = match error {
        ParquetError::EOF(_) => ErrorKind::Truncated,
        _ => ErrorKind::Malformed,
    };
    TableError::new(
        kind,
        name,
        format!("the Parquet file is damaged or not supported ({text}); copy or write it again"),
    )
}
