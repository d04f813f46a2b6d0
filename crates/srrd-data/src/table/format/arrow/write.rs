//! Writing Arrow IPC, the file format, not compressed so that it can be mapped into memory.

use arrow_ipc::writer::{DictionaryHandling, FileWriter, IpcWriteOptions};

use crate::error::TableError;
use crate::files::Output;
use crate::table::batch::Batch;
use crate::table::schema::{ColumnType, Schema};
use crate::table::write::TableWriter;
use crate::table::write::records::{Records, failed};

pub(super) struct ArrowWriter {
    name: String,
    file: FileWriter<Output>,
    records: Records,
}

impl ArrowWriter {
    pub(super) fn new(output: Output, name: String, schema: &Schema, types: &[ColumnType]) -> Result<Self, TableError> {
        let records = Records::new(schema, types).with_one_dictionary();
        let options = IpcWriteOptions::default().with_dictionary_handling(DictionaryHandling::Delta);
        let file =
            FileWriter::try_new_with_options(output, &records.schema, options).map_err(|error| failed(&name, error))?;
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
