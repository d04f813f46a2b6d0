//! Writing Arrow IPC, the file format, not compressed so that it can be mapped into memory.

use arrow_ipc::writer::FileWriter;

use crate::error::TableError;
use crate::files::Output;
use crate::table::batch::{Batch, ColumnType, Schema};
use crate::table::write::TableWriter;
use crate::table::write::records::{Records, failed};

pub(super) struct ArrowWriter {
    name: String,
    file: FileWriter<Output>,
    records: Records,
}

impl ArrowWriter {
    pub(super) fn new(output: Output, name: String, schema: &Schema, types: &[ColumnType]) -> Result<Self, TableError> {
        let records = Records::new(schema, types);
        let file = FileWriter::try_new(output, &records.schema).map_err(|error| failed(&name, error))?;
        Ok(ArrowWriter { name, file, records })
    }
}

impl TableWriter for ArrowWriter {
    fn write(&mut self, batch: &Batch) -> Result<(), TableError> {
        let records = self.records.of(&self.name, batch)?;
        self.file.write(&records).map_err(|error| failed(&self.name, error))
    }

    fn finish(self: Box<Self>) -> Result<(), TableError> {
        let ArrowWriter { name, mut file, .. } = *self;
        file.finish().and_then(|()| file.into_inner()).map_err(|error| failed(&name, error))?.finish(&name)
    }
}
