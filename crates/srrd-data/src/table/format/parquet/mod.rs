//! Apache Parquet.

mod read;
mod write;

use super::{Format, Io};
use crate::table::read::records::RecordsReader;
use crate::table::write::known_types;

pub(super) const IO: Io = Io {
    open: |input, options| {
        let name = input.name.clone();
        Ok(Box::new(RecordsReader::open(name, read::ParquetSource::open(input, options)?, options)?))
    },
    create: |name, output, _, schema| {
        let types = known_types(&name, Format::Parquet, schema)?;
        Ok(Box::new(write::ParquetWriter::new(output, name, schema, &types)?))
    },
};
