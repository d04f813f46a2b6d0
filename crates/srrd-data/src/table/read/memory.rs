//! Frames of other libraries in this process, by the C interfaces of Arrow: their memory is read where it lies.
//!
//! pandas, polars, pyarrow, DuckDB and others hand out a frame as a stream of record batches, or as one. Nothing is copied on the way here.

use std::ffi::c_void;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, RecordBatch, RecordBatchIterator, StructArray};
use arrow_schema::{ArrowError, SchemaRef};

use super::guard::guarded;
use super::stream::open_records;
use super::{ReadOptions, TableReader};
use crate::error::{ErrorKind, TableError};

/// A frame that lies in memory.
#[derive(Clone, Debug)]
pub struct ArrowFrame {
    name: String,
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl ArrowFrame {
    /// Takes over an `ArrowArrayStream`; `name` is what messages call the frame.
    ///
    /// # Safety
    /// `stream` points to a valid stream that nobody else uses from now on. It is marked as released.
    ///
    /// # Errors
    /// When whoever made the stream fails, or it holds no table.
    pub unsafe fn from_stream(name: &str, stream: *mut c_void) -> Result<Self, TableError> {
        let read = || -> Result<(SchemaRef, Vec<RecordBatch>), ArrowError> {
            // SAFETY: the caller promises it.
            let reader = unsafe { RecordBatchStreamReader::from_raw(stream.cast::<FFI_ArrowArrayStream>()) }?;
            let schema = arrow_array::RecordBatchReader::schema(&reader);
            Ok((schema, reader.collect::<Result<_, _>>()?))
        };
        let (schema, batches) = taken(name, read)?;
        Ok(ArrowFrame { name: name.to_owned(), schema, batches })
    }

    /// Takes over an `ArrowArray` of structs and its `ArrowSchema`.
    ///
    /// # Safety
    /// Both point to valid structures that nobody else uses from now on. They are marked as released.
    ///
    /// # Errors
    /// When the array is no table.
    pub unsafe fn from_array(name: &str, schema: *mut c_void, array: *mut c_void) -> Result<Self, TableError> {
        let read = || -> Result<RecordBatch, ArrowError> {
            // SAFETY: the caller promises it.
            let (schema, array) = unsafe {
                let schema = FFI_ArrowSchema::from_raw(schema.cast::<FFI_ArrowSchema>());
                let array = FFI_ArrowArray::from_raw(array.cast::<FFI_ArrowArray>());
                (schema, array)
            };
            // SAFETY: as above.
            let data = unsafe { from_ffi(array, &schema) }?;
            if !matches!(data.data_type(), arrow_schema::DataType::Struct(_)) {
                return Err(ArrowError::SchemaError("it is one column, not a table".to_owned()));
            }
            Ok(RecordBatch::from(StructArray::from(data)))
        };
        let batch = taken(name, read)?;
        Ok(ArrowFrame { name: name.to_owned(), schema: batch.schema(), batches: vec![batch] })
    }

    /// Where the numbers of every column without missing values lie in memory, batch after batch: for those who want to know that nothing was
    /// copied.
    pub fn addresses(&self) -> Vec<(String, usize)> {
        let mut addresses = Vec::new();
        for batch in &self.batches {
            for (field, column) in self.schema.fields().iter().zip(batch.columns()) {
                if column.data_type().is_primitive() {
                    let data = column.to_data();
                    addresses.push((field.name().clone(), data.buffers()[0].as_ptr() as usize));
                }
            }
        }
        addresses
    }

    /// The frame as a table to be read.
    ///
    /// # Errors
    /// As for tables in files.
    pub fn into_reader(self) -> Result<Box<dyn TableReader>, TableError> {
        let batches = RecordBatchIterator::new(self.batches.into_iter().map(Ok), self.schema);
        open_records(&self.name, Box::new(batches), &ReadOptions::default())
    }
}

/// What a foreign library gives, or an error that says what it said.
fn taken<T>(name: &str, read: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, TableError> {
    let failed =
        |what: String| TableError::new(ErrorKind::Malformed, name, format!("it cannot be read as a table: {what}"));
    match guarded(read) {
        Ok(read) => read.map_err(|error| failed(error.to_string())),
        Err(panic) => Err(failed(panic)),
    }
}
