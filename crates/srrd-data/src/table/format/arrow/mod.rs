//! Arrow IPC.

mod read;
mod write;

use super::{Format, Io};
use crate::table::read::records::RecordsReader;
use crate::table::write::known_types;

pub(super) const IO: Io = Io {
    open: |input, options| {
        let name = input.name.clone();
        Ok(Box::new(RecordsReader::open(name, read::ArrowSource::open(input)?, options)?))
    },
    create: |name, output, _, schema| {
        let types = known_types(&name, Format::Arrow, schema)?;
        Ok(Box::new(write::ArrowWriter::new(output, name, schema, &types)?))
    },
};
