//! JSON Lines: one object per line.

mod cell;
mod read;
mod row;
mod write;

use super::Io;
use crate::files::Encoder;

pub(super) const IO: Io = Io {
    open: |input, options| Ok(Box::new(read::JsonlReader::open(input, options)?)),
    create: |name, output, compression, schema| {
        let encoder = Encoder::new(&name, output, compression)?;
        Ok(Box::new(write::JsonlWriter::new(name, encoder, schema)))
    },
};
