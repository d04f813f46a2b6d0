//! Reading tables, one format a file.

mod block;
mod cell;
mod counts;
mod csv;
mod gzip;
mod jsonl;
mod lines;
mod npy;
mod npz;
mod separators;

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "parquet")]
mod parquet;

use std::fs::File;
use std::io::{Cursor, Read, Seek};
use std::path::Path;
use std::sync::Arc;

use crate::batch::{Batch, Column, Schema, TextColumn, Values};
use crate::error::{ErrorKind, TableError, shorten};
use crate::format::{Compression, FileFormat, Format};
use crate::types::push_text;
use block::Stretches;
pub(crate) use block::{Block, BlockSource, Layout, Mark, Writing};
pub(crate) use separators::{others_than_digits, separators};

/// How to read a table.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The most rows a batch holds.
    pub batch_rows: usize,
    /// Accept numbers as column names in CSV and TSV. By default they are taken for a data row, the header missing.
    pub numeric_names: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions { batch_rows: 16 * 1024, numeric_names: false }
    }
}

/// What became of the columns that carry no meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// The columns that cannot be kept, and why.
    pub left_out: Vec<(String, String)>,
    /// Where the columns are, by position, whose texts are values as JSON writes them.
    pub json: Vec<usize>,
}

/// A table being read, a batch of rows at a time.
pub trait TableReader: Send {
    /// The file, as messages name it.
    fn name(&self) -> &str;

    /// The columns that batches have: all of the table's, or those of [`select`](Self::select).
    fn schema(&self) -> &Schema;

    /// Whether the format has no types, so that numbers come as texts: true for CSV and TSV.
    fn is_untyped(&self) -> bool {
        false
    }

    /// Reads only the columns with these names, in this order; others cost (nearly) nothing and may even be of types that
    /// cannot be read. To be called before the first batch.
    ///
    /// # Errors
    /// A name that the table does not have, or that occurs twice; a column of a type that cannot be read.
    fn select(&mut self, names: &[&str]) -> Result<(), TableError>;

    /// Prepares for copying all columns. Those other than `meant` may be of any type: dates, times, decimals and mixtures come as
    /// text, and what cannot be kept is not selected. With `as_json`, columns may come as texts that are their values in JSON. To
    /// be called before the first batch, instead of [`select`](Self::select).
    ///
    /// # Errors
    /// A column in `meant` is of a type that cannot be read.
    fn keep_extras(&mut self, meant: &[&str], as_json: bool) -> Result<Extras, TableError> {
        let _ = (meant, as_json);
        Ok(Extras::default())
    }

    /// Fills `batch` with the next rows, reusing its memory. `false` means that there are no more; the batch is then empty.
    /// After an error, the batch holds nothing of use and the reader should be dropped.
    ///
    /// A column has one type throughout, with these exceptions: in JSONL a column of integers becomes a column of floats from
    /// the batch on in which its first fraction appears, and a column that so far held only nulls is a text column. In all typed
    /// formats, a batch with an integer that does not fit into 64 bits has the integers of its column as text.
    ///
    /// # Errors
    /// Anything wrong with the rows; the message names the row, the line in text formats, and the column.
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, TableError>;

    /// This reader as one that gives whole blocks of lines; `None` for formats that are not lines of delimited fields.
    fn as_blocks(&mut self) -> Option<&mut dyn BlockSource> {
        None
    }
}

/// Opens a table. The format is told by the file's name; `-` is CSV on standard input.
///
/// # Errors
/// The file cannot be opened, its format is not supported, or its beginning is not of that format.
pub fn open(path: &Path, options: &ReadOptions) -> Result<Box<dyn TableReader>, TableError> {
    let format = FileFormat::from_path(path)?;
    if path.as_os_str() == "-" {
        return open_stream("standard input", format, Box::new(std::io::stdin()), options);
    }
    let name = path.display().to_string();
    let file = open_file(path, &name)?;
    match format.format {
        Format::Csv | Format::Tsv => {
            let stretches = stretches(&file, format);
            open_delimited(&name, format, Box::new(file), stretches, options)
        }
        Format::Jsonl => open_stream(&name, format, Box::new(file), options),
        Format::Parquet => open_parquet(name, file, options),
        Format::Arrow => open_arrow(name, Box::new(std::io::BufReader::new(file)), options),
        Format::Npz => Ok(Box::new(npz::NpzReader::open(name, Box::new(std::io::BufReader::new(file)), options)?)),
    }
}

/// Opens a table held in memory; `name` is for messages.
///
/// # Errors
/// As for [`open`].
pub fn open_bytes(
    name: &str,
    format: FileFormat,
    bytes: Vec<u8>,
    options: &ReadOptions,
) -> Result<Box<dyn TableReader>, TableError> {
    match format.format {
        Format::Csv | Format::Tsv | Format::Jsonl => open_stream(name, format, Box::new(Cursor::new(bytes)), options),
        #[cfg(feature = "parquet")]
        Format::Parquet => open_parquet(name.to_owned(), bytes::Bytes::from(bytes), options),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => open_parquet(name.to_owned(), bytes, options),
        Format::Arrow => open_arrow(name.to_owned(), Box::new(Cursor::new(bytes)), options),
        Format::Npz => Ok(Box::new(npz::NpzReader::open(name.to_owned(), Box::new(Cursor::new(bytes)), options)?)),
    }
}

/// Opens a table that arrives as a stream. Text formats are read as they come; of the others, which need to jump about in
/// the file, the whole is taken into memory first.
///
/// # Errors
/// As for [`open`].
pub fn open_stream(
    name: &str,
    format: FileFormat,
    mut input: Box<dyn Read + Send>,
    options: &ReadOptions,
) -> Result<Box<dyn TableReader>, TableError> {
    match format.format {
        Format::Csv | Format::Tsv => open_delimited(name, format, input, None, options),
        Format::Jsonl => {
            let lines = lines::LineBlocks::open(name, format, input)?;
            Ok(Box::new(jsonl::JsonlReader::open(lines, options)?))
        }
        Format::Parquet | Format::Arrow | Format::Npz => {
            let mut bytes = Vec::new();
            input.read_to_end(&mut bytes).map_err(|error| TableError::io(name, "read", &error))?;
            let format = FileFormat { compression: Compression::None, ..format };
            open_bytes(name, format, bytes, options)
        }
    }
}

/// The stretches of a file that can be read in any order: one whose text lies there as it is.
fn stretches(file: &File, format: FileFormat) -> Option<Stretches> {
    let metadata = file.metadata().ok().filter(|metadata| metadata.is_file())?;
    let plain = format.compression == Compression::None;
    plain.then(|| file.try_clone().ok()).flatten().map(|file| Stretches::new(Arc::new(file), metadata.len()))
}

/// Opens CSV or TSV, whose stretches can be read in any order if there are any.
fn open_delimited(
    name: &str,
    format: FileFormat,
    input: Box<dyn Read + Send>,
    stretches: Option<Stretches>,
    options: &ReadOptions,
) -> Result<Box<dyn TableReader>, TableError> {
    let delimiter = if format.format == Format::Csv { b',' } else { b'\t' };
    let lines = lines::LineBlocks::open(name, format, input)?;
    Ok(Box::new(csv::CsvReader::open(lines, delimiter, stretches, options)?))
}

#[cfg(feature = "parquet")]
fn open_parquet<R: ::parquet::file::reader::ChunkReader + 'static>(
    name: String,
    source: R,
    options: &ReadOptions,
) -> Result<Box<dyn TableReader>, TableError> {
    Ok(Box::new(parquet::ParquetReader::open(name, source, options)?))
}

#[cfg(not(feature = "parquet"))]
fn open_parquet<R>(name: String, _source: R, _options: &ReadOptions) -> Result<Box<dyn TableReader>, TableError> {
    Err(crate::not_built(name, Format::Parquet))
}

#[cfg(feature = "arrow")]
fn open_arrow(
    name: String,
    source: Box<dyn ReadSeek>,
    options: &ReadOptions,
) -> Result<Box<dyn TableReader>, TableError> {
    Ok(Box::new(arrow::ArrowReader::open(name, source, options)?))
}

#[cfg(not(feature = "arrow"))]
fn open_arrow(
    name: String,
    _source: Box<dyn ReadSeek>,
    _options: &ReadOptions,
) -> Result<Box<dyn TableReader>, TableError> {
    Err(crate::not_built(name, Format::Arrow))
}

/// A file, or bytes in memory.
pub(crate) trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

fn open_file(path: &Path, name: &str) -> Result<File, TableError> {
    let failed = |error: std::io::Error| {
        if error.kind() == std::io::ErrorKind::NotFound {
            TableError::new(ErrorKind::NotFound, name, "no such file; check the path and the spelling")
        } else {
            TableError::io(name, "read", &error)
        }
    };
    let file = File::open(path).map_err(failed)?;
    // Opening a directory succeeds on Unix; only reading from it fails, with a message that helps nobody.
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(TableError::new(ErrorKind::Directory, name, "is a directory, not a table; name the files in it"));
    }
    Ok(file)
}

/// The error for a file of another format than its name says. `start` are its first bytes.
fn wrong_format(name: &str, format: Format, start: &[u8]) -> TableError {
    let looks = if start.is_empty() {
        return TableError::new(ErrorKind::Empty, name, "the file is empty; a table needs at least its column names");
    } else if let Some(signature) = crate::format::signature(start) {
        format!("it looks like {signature}")
    } else if start.iter().all(|&byte| byte >= b' ' || byte.is_ascii_whitespace()) {
        "it looks like text".to_owned()
    } else {
        "it has no signature of that format".to_owned()
    };
    TableError::new(
        ErrorKind::WrongFormat,
        name,
        format!("is not {format} as its name says: {looks}; give it the extension of what it is"),
    )
}

/// Two columns of one name cannot be told apart.
fn check_names(name: &str, schema: &Schema) -> Result<(), TableError> {
    let mut seen = std::collections::HashMap::new();
    for (index, column) in schema.names().enumerate() {
        if let Some(first) = seen.insert(column, index) {
            return Err(TableError::new(
                ErrorKind::DuplicateColumn,
                name,
                format!("columns {} and {} have the same name; rename one of them", first + 1, index + 1),
            )
            .in_column(column));
        }
    }
    Ok(())
}

/// Which of a table's columns are read: positions in the table, in the order of the batch.
struct Selection {
    all: Schema,
    selected: Schema,
    positions: Vec<usize>,
    /// Whether reading has begun, after which the selection stays.
    fixed: bool,
}

impl Selection {
    /// Selects every column.
    fn everything(all: Schema) -> Self {
        Selection { selected: all.clone(), positions: (0..all.len()).collect(), all, fixed: false }
    }

    /// Selects by name; `file` is for messages.
    fn select(&mut self, file: &str, names: &[&str]) -> Result<(), TableError> {
        if self.fixed {
            return Err(TableError::new(
                ErrorKind::Usage,
                file,
                "columns must be selected before the first rows are read",
            ));
        }
        let mut positions = Vec::with_capacity(names.len());
        for name in names {
            let position = self.all.index_of(name).ok_or_else(|| {
                let known: Vec<String> = self.all.names().map(|known| format!("`{}`", shorten(known))).collect();
                TableError::new(
                    ErrorKind::MissingColumn,
                    file,
                    format!("there is no such column; the table has {}", known.join(", ")),
                )
                .in_column(*name)
            })?;
            if positions.contains(&position) {
                return Err(TableError::new(ErrorKind::Usage, file, "the column is selected twice").in_column(*name));
            }
            positions.push(position);
        }
        self.selected =
            Schema { fields: positions.iter().map(|&position| self.all.fields[position].clone()).collect() };
        self.positions = positions;
        Ok(())
    }

    /// The name of the column at `position` of the table.
    fn name_at(&self, position: usize) -> &str {
        &self.all.fields[position].name
    }
}

/// Why a column cannot be read, for the formats in which that depends on the column.
fn unsupported(file: &str, column: &str, why: &str) -> TableError {
    TableError::new(
        ErrorKind::UnsupportedColumn,
        file,
        format!("{why}; convert the column to text, integers, floats or booleans, or drop it"),
    )
    .in_column(column)
}

/// Adds unsigned integers, with None for missing ones, to a column of integers. If one does not fit into 64 bits with a sign, all
/// of the column become text: as tokens, texts of digits are the integers they say.
fn push_unsigned(values: impl Iterator<Item = Option<u64>>, column: &mut Column) {
    for value in values {
        if let (Values::Int(ints), Some(large)) = (&column.values, value)
            && i64::try_from(large).is_err()
        {
            let mut texts = TextColumn::new();
            (0..ints.len()).for_each(|row| push_text(&mut texts, &column.values, row));
            column.values = Values::Text(texts);
        }
        match (&mut column.values, value) {
            (Values::Int(ints), Some(value)) => ints.push(value as i64),
            (Values::Text(texts), Some(value)) => texts.push(itoa::Buffer::new().format(value)),
            (values, _) => values.push_placeholder(),
        }
        column.note_validity(value.is_some());
    }
}
