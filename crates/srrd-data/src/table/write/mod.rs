//! Writing tables: what all formats share.

#[cfg(feature = "arrow")]
pub(crate) mod originals;
#[cfg(feature = "arrow")]
pub(crate) mod records;

use std::path::Path;

use crate::error::{ErrorKind, TableError};
use crate::files::Output;
use crate::table::batch::{Batch, Values};
use crate::table::format::{FileFormat, Format};
use crate::table::schema::{ColumnType, Schema};

/// A table being written, a batch of rows at a time.
///
/// The file appears, complete, with [`finish`](Self::finish). A writer that is dropped before leaves nothing behind, and a
/// file that was there before stays as it was.
pub trait TableWriter: Send {
    /// Adds the rows of `batch`, whose columns are those of the schema.
    ///
    /// Typed formats write the types of the schema and convert other columns as [`coerce`](crate::coerce) does. Text
    /// formats write values as they come: texts as they are, floats in the shortest form that reads back the same, missing
    /// values as empty fields (CSV, TSV) or null (JSONL, which also has only null for NaN and infinities).
    ///
    /// # Errors
    /// The file cannot be written, or a value is not of its column's type.
    ///
    /// # Panics
    /// When the batch has another number of columns than the schema.
    fn write(&mut self, batch: &Batch) -> Result<(), TableError>;

    /// Says that the texts of these columns, by position, are values as JSON writes them, for a format that is JSON.
    fn mark_json(&mut self, columns: &[usize]) {
        let _ = columns;
    }

    /// Completes the file and puts it in its place.
    ///
    /// # Errors
    /// The file cannot be written.
    fn finish(self: Box<Self>) -> Result<(), TableError>;
}

/// Begins to write a table. The format is told by the file's name; `-` is CSV on standard output.
///
/// Typed formats need the type of every column in the schema (see [`infer_types_of`](crate::infer_types_of) for tables that come
/// as text).
///
/// ```
/// use srrd_data::{Batch, ColumnType, Schema, Values, create};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("rewards.jsonl");
/// let mut writer = create(&path, &Schema::new([("reward", ColumnType::Float)]))?;
/// writer.write(&Batch::from_columns(vec![Values::Float(vec![0.5, 2.0]).into()], 1))?;
/// assert!(!path.exists()); // it appears when it is complete
/// writer.finish()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "{\"reward\":0.5}\n{\"reward\":2.0}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The format is not supported, the folder does not exist or cannot be written, or the path is a directory: all of which
/// is found here, before any work is done.
pub fn create(path: &Path, schema: &Schema) -> Result<Box<dyn TableWriter>, TableError> {
    let FileFormat { format, compression } = FileFormat::from_path(path)?;
    let stdout = path.as_os_str() == "-";
    let name = if stdout { "standard output".to_owned() } else { path.display().to_string() };
    let output = || if stdout { Ok(Output::stdout()) } else { Output::file(path, &path.display().to_string()) };
    format.create(name, output, compression, schema)
}

/// Values as text, one at a time: numbers in the shortest form that reads back the same.
#[derive(Default)]
pub(crate) struct Shortest {
    ints: itoa::Buffer,
    floats: zmij::Buffer,
}

impl Shortest {
    #[inline]
    pub(crate) fn text<'a>(&'a mut self, values: &'a Values, row: usize) -> &'a str {
        match values {
            Values::Text(values) => values.get(row),
            Values::Int(values) => self.ints.format(values[row]),
            Values::Float(values) => self.floats.format(values[row]),
            Values::Bool(values) => match values[row] {
                true => "true",
                false => "false",
            },
        }
    }
}

/// The types of all columns, without which a typed format cannot begin.
pub(crate) fn known_types(name: &str, format: Format, schema: &Schema) -> Result<Vec<ColumnType>, TableError> {
    schema
        .fields
        .iter()
        .map(|field| {
            field.kind.ok_or_else(|| {
                let what = format!("the type of the column must be known to write {format}");
                TableError::new(ErrorKind::Usage, name, what).in_column(&field.name)
            })
        })
        .collect()
}
