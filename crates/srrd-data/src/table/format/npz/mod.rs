//! NPZ: a zip archive of `.npy` arrays, one per column.

mod matrix;
mod npy;
mod read;
mod write;

use super::Io;
use crate::table::format::Format;
use crate::table::write::known_types;

pub use matrix::NpyWriter;

pub(super) const IO: Io = Io {
    open: |input, options| Ok(Box::new(read::NpzReader::open(input, options)?)),
    create: |name, output, _, schema| {
        let types = known_types(&name, Format::Npz, schema)?;
        Ok(Box::new(write::NpzWriter::new(output, name, schema, &types)))
    },
};
