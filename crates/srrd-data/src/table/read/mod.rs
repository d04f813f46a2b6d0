//! Reading tables: what all formats share.

pub(crate) mod cells;
pub(crate) mod chat;
mod counted;
pub(crate) mod gzip;
pub(crate) mod half;
pub(crate) mod lines;
mod pipeline;
pub(crate) mod revised;
mod selection;

#[cfg(feature = "arrow")]
pub(crate) mod arrays;
#[cfg(feature = "arrow")]
mod calendar;
#[cfg(any(feature = "arrow", feature = "hdf5"))]
pub(crate) mod guard;
#[cfg(feature = "arrow")]
mod memory;
#[cfg(feature = "arrow")]
pub(crate) mod records;
#[cfg(feature = "arrow")]
mod shown;
#[cfg(feature = "arrow")]
mod stream;

use std::fs::{File, Metadata};
use std::io::{BufReader, Cursor, Read, Seek};
use std::path::Path;

use crate::dataset::{self, DatasetOptions, Log};
use crate::error::{ErrorKind, TableError};
use crate::table::batch::{Batch, Column, TextColumn, Values};
use crate::table::format::{Compression, FileFormat, Format, UTF_16, signature};
use crate::table::note::TableNote;
use crate::table::schema::Schema;
use crate::table::types::push_text;

use counted::Counted;
#[cfg(feature = "arrow")]
pub use memory::ArrowFrame;
pub use pipeline::Undecoded;
pub use pipeline::for_each_batch;
pub(crate) use pipeline::{Decoder, for_each_mapped};
pub(crate) use selection::{Selection, check_names, listed, unsupported};
#[cfg(feature = "arrow")]
pub use stream::open_records;

/// What messages call the table that comes by it.
pub const STANDARD_INPUT: &str = "standard input";

/// How to read a table.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The most rows that [`TableReader::next_batch`] puts into a batch.
    pub batch_rows: usize,
    /// Accept numbers as column names in CSV and TSV. By default they are taken for a data row, the header missing.
    pub numeric_names: bool,
    /// How recorded data sets are read.
    pub dataset: DatasetOptions,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions { batch_rows: 16 * 1024, numeric_names: false, dataset: DatasetOptions::default() }
    }
}

/// How columns come that carry no meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// As text, where they are no numbers and no truths.
    Text,
    /// Also as texts that are their values in JSON.
    Json,
    /// As they are in the file, where this format can hold their types.
    Original(Format),
}

impl Passing {
    /// To a table of this format.
    pub(crate) fn to(format: Format) -> Self {
        match format {
            Format::Parquet | Format::Arrow => Passing::Original(format),
            _ if format.info().json => Passing::Json,
            _ => Passing::Text,
        }
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

/// What a reader has done to a batch. That a piece of a table holds no rows does not mean that there are no more: the two are
/// different answers, so that nobody can take one for the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Piece {
    /// The batch holds the next rows; there may be none in it (a stretch of blank lines), and more may follow.
    Rows,
    /// There are no more rows.
    End,
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

    /// About how many rows there are, where that can be told before they are read.
    fn rows_hint(&self) -> Option<usize> {
        None
    }

    /// Reads only the columns with these names, in this order; others cost (nearly) nothing and may even be of types that
    /// cannot be read. To be called before the first batch.
    ///
    /// # Errors
    /// A name that the table does not have, or that occurs twice; a column of a type that cannot be read.
    fn select(&mut self, names: &[&str]) -> Result<(), TableError>;

    /// Prepares for copying all columns. Those other than `meant` may be of any type: dates, times, decimals, lists and mixtures
    /// come as `passing` says, and what cannot be kept is not selected. To be called before the first batch, instead of
    /// [`select`](Self::select) or before it.
    ///
    /// # Errors
    /// A column in `meant` is of a type that cannot be read.
    fn keep_extras(&mut self, meant: &[&str], passing: Passing) -> Result<Extras, TableError> {
        let _ = (meant, passing);
        Ok(Extras::default())
    }

    /// The text of a column in the first row (in CSV, in the first row that has any), or its list as JSON writes it, where that can be
    /// looked at without reading it. To be asked for before the first batch.
    ///
    /// # Errors
    /// The first row cannot be read.
    fn first_cell(&mut self, column: &str) -> Result<Option<String>, TableError> {
        let _ = column;
        Ok(None)
    }

    /// Of a log: keeps rows of which some of the rewards that are read are missing, as NaN; only rows without any are left out. To be called
    /// before the first batch.
    fn keep_lacking(&mut self) {}

    /// Of a log: only rows that lack one of these rewards are left out, whatever other rewards are read, and these others stay as they are.
    /// To be called before the first batch.
    fn choose_rewards(&mut self, names: &[String]) {
        let _ = names;
    }

    /// What a log of training says about its columns; `None` for other tables.
    fn log(&self) -> Option<&Log> {
        None
    }

    /// What users should know about what is read. To be asked for when the columns have been selected.
    fn notes(&self) -> Vec<TableNote> {
        Vec::new()
    }

    /// Fills `batch` with the next rows, reusing its memory; it may hold none although more follow. After [`Piece::End`] the batch
    /// is empty. After an error, the batch holds nothing of use and the reader should be dropped.
    ///
    /// A column has one type throughout, with these exceptions: in JSONL a column of integers becomes a column of floats from
    /// the batch on in which its first fraction appears, and a column that so far held only nulls is a text column. In all typed
    /// formats, a batch with an integer that does not fit into 64 bits has the integers of its column as text.
    ///
    /// # Errors
    /// Anything wrong with the rows; the message names the row, the line in text formats, and the column.
    fn next_batch(&mut self, batch: &mut Batch) -> Result<Piece, TableError>;

    /// As [`next_batch`](Self::next_batch), where a format can leave the work of decoding to other threads: then `undecoded` gets
    /// what has to be decoded, whose rows are counted from 1, and the batch is left alone.
    ///
    /// # Errors
    /// As [`next_batch`](Self::next_batch); rows are counted as in `undecoded`.
    #[doc(hidden)]
    fn fetch(&mut self, undecoded: &mut Undecoded, batch: &mut Batch) -> Result<Piece, TableError> {
        undecoded.clear();
        self.next_batch(batch)
    }
}

/// What is to be read, for the readers of the formats.
pub(crate) struct Input {
    /// The file, as messages name it.
    pub name: String,
    pub format: Format,
    pub compression: Compression,
    pub source: Source,
}

/// Where bytes come from.
pub(crate) enum Source {
    File(File),
    Bytes(Vec<u8>),
    Stream(Box<dyn Read + Send>),
}

impl Source {
    /// How many bytes there are, where that is known.
    pub(crate) fn length(&self) -> Option<u64> {
        match self {
            Source::File(file) => file.metadata().ok().filter(Metadata::is_file).map(|metadata| metadata.len()),
            Source::Bytes(bytes) => Some(bytes.len() as u64),
            Source::Stream(_) => None,
        }
    }

    pub(crate) fn into_stream(self) -> Box<dyn Read + Send> {
        match self {
            Source::File(file) => Box::new(Counted::new(file)),
            Source::Bytes(bytes) => Box::new(Cursor::new(bytes)),
            Source::Stream(stream) => stream,
        }
    }

    /// The same as a file in which one can jump about, or as bytes: what is neither is taken into memory.
    pub(crate) fn seekable(self, name: &str) -> Result<Self, TableError> {
        let mut stream = match self {
            // A pipe has a path, too.
            Source::File(file) if !file.metadata().is_ok_and(|metadata| metadata.is_file()) => Box::new(file),
            Source::Stream(stream) => stream,
            seekable => return Ok(seekable),
        };
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).map_err(|error| TableError::io(name, "read", &error))?;
        Ok(Source::Bytes(bytes))
    }

    pub(crate) fn into_read_seek(self, name: &str) -> Result<Box<dyn ReadSeek>, TableError> {
        Ok(match self.seekable(name)? {
            Source::File(file) => Box::new(BufReader::new(Counted::new(file))),
            Source::Bytes(bytes) => Box::new(Cursor::new(bytes)),
            Source::Stream(_) => unreachable!("a stream has become bytes"),
        })
    }
}

/// Opens a table. The format is told by the file's name; `-` is CSV on standard input. What is a recorded data set is read as one ([`DATASETS`](crate::DATASETS)).
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("log.csv");
/// std::fs::write(&path, "state,action,next_state,reward\nhome,walk,park,1.5\npark,walk,home,2\n")?;
/// let mut table = srrd_data::open(&path, &srrd_data::ReadOptions::default())?;
/// table.select(&["reward"])?;
/// assert_eq!(table.schema().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The file cannot be opened, its format is not supported, or its beginning is not of that format.
pub fn open(path: &Path, options: &ReadOptions) -> Result<Box<dyn TableReader>, TableError> {
    match dataset::open_dataset(path, options) {
        Some(opened) => opened,
        None => open_file(path, options),
    }
}

/// Opens a table, without a look whether it is a recorded data set.
pub(crate) fn open_file(path: &Path, options: &ReadOptions) -> Result<Box<dyn TableReader>, TableError> {
    let format = FileFormat::of_input(path)?;
    if path.as_os_str() == "-" {
        return open_stream(STANDARD_INPUT, format, Box::new(std::io::stdin()), options);
    }
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            TableError::new(ErrorKind::NotFound, &name, "no such file; check the path and the spelling")
        }
        _ => TableError::io(&name, "read", &error),
    })?;
    open_source(name, format, Source::File(file), options)
}

/// Opens a table held in memory; `name` is for messages.
///
/// ```
/// use srrd_data::{FileFormat, ReadOptions, open_bytes};
/// let csv = "state,action,next_state,reward\nhome,walk,park,1.5\npark,walk,home,2\n";
/// let table = open_bytes("log.csv", FileFormat::from_path("log.csv".as_ref())?, csv.into(), &ReadOptions::default())?;
/// assert_eq!(table.schema().names().collect::<Vec<_>>(), ["state", "action", "next_state", "reward"]);
/// # Ok::<(), srrd_data::TableError>(())
/// ```
///
/// # Errors
/// As for [`open`].
pub fn open_bytes(
    name: &str,
    format: FileFormat,
    bytes: Vec<u8>,
    options: &ReadOptions,
) -> Result<Box<dyn TableReader>, TableError> {
    open_source(name.to_owned(), format, Source::Bytes(bytes), options)
}

/// Opens a table that arrives as a stream. Text formats are read as they come; of the others, which need to jump about in
/// the file, the whole is taken into memory first.
///
/// ```
/// use srrd_data::{FileFormat, ReadOptions, open_stream};
/// let stream = Box::new(std::io::Cursor::new("state,action,reward\nhome,walk,1.5\n"));
/// let table = open_stream("a pipe", FileFormat::from_path("-".as_ref())?, stream, &ReadOptions::default())?;
/// assert_eq!(table.schema().len(), 3);
/// # Ok::<(), srrd_data::TableError>(())
/// ```
///
/// # Errors
/// As for [`open`].
pub fn open_stream(
    name: &str,
    format: FileFormat,
    input: Box<dyn Read + Send>,
    options: &ReadOptions,
) -> Result<Box<dyn TableReader>, TableError> {
    open_source(name.to_owned(), format, Source::Stream(input), options)
}

fn open_source(
    name: String,
    FileFormat { format, compression }: FileFormat,
    source: Source,
    options: &ReadOptions,
) -> Result<Box<dyn TableReader>, TableError> {
    format.open(Input { name, format, compression, source }, options)
}

/// A file, or bytes in memory.
pub(crate) trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

/// The error for a file of another format than its name says. `start` are its first bytes.
pub(crate) fn wrong_format(name: &str, format: Format, start: &[u8]) -> TableError {
    if signature(start) == Some(UTF_16) {
        return TableError::new(ErrorKind::WrongFormat, name, "it is UTF-16 text; save it as UTF-8");
    }
    let looks = if start.is_empty() {
        return TableError::new(ErrorKind::Empty, name, "the file is empty; a table needs at least its column names");
    } else if let Some(signature) = signature(start) {
        format!("it looks like {signature}")
    } else if start.iter().all(|&byte| byte >= b' ' || byte.is_ascii_whitespace()) {
        "it looks like text".to_owned()
    } else {
        "it has no signature of that format".to_owned()
    };
    if name == STANDARD_INPUT {
        let what = format!(
            "is read as {format}, and {looks}; write it to a file that has the extension of what it is, and name that file"
        );
        return TableError::new(ErrorKind::WrongFormat, name, what);
    }
    TableError::new(
        ErrorKind::WrongFormat,
        name,
        format!("is not {format} as its name says: {looks}; give it the extension of what it is"),
    )
}

/// Adds wide integers, with None for missing ones, to a column of integers. If one does not fit into 64 bits with a sign, all of the
/// column become text: as tokens, texts of digits are the integers they say.
pub(crate) fn push_wide(values: impl Iterator<Item = Option<impl Into<i128>>>, column: &mut Column) {
    for value in values.map(|value| value.map(Into::into)) {
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
