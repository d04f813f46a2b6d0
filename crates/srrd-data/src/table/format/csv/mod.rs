//! CSV and TSV (RFC 4180, with a header), which differ only in the delimiter.

mod quote;
mod read;
mod scan;
mod write;

use super::{Compression, Io};
use crate::error::TableError;
use crate::files::{Encoder, Output};
use crate::table::read::{Input, ReadOptions, TableReader};
use crate::table::schema::Schema;
use crate::table::write::TableWriter;

pub(super) const CSV: Io =
    Io { open: |input, options| open(input, b',', options), create: |n, o, c, s| create(n, o, c, s, b',') };

pub(super) const TSV: Io =
    Io { open: |input, options| open(input, b'\t', options), create: |n, o, c, s| create(n, o, c, s, b'\t') };

fn open(input: Input, delimiter: u8, options: &ReadOptions) -> Result<Box<dyn TableReader>, TableError> {
    Ok(Box::new(read::CsvReader::open(input, delimiter, options)?))
}

fn create(
    name: String,
    output: Output,
    compression: Compression,
    schema: &Schema,
    delimiter: u8,
) -> Result<Box<dyn TableWriter>, TableError> {
    let encoder = Encoder::new(&name, output, compression)?;
    Ok(Box::new(write::CsvWriter::new(name, encoder, delimiter, schema)?))
}
