//! The formats, each declared once.
//!
//! [`FORMATS`] is the one table of them: names, extensions, what they are, how they are read and written. Detection by name,
//! messages, help and documentation come from it. A new format is a module of its own beside this file, and an entry here.

mod csv;
mod jsonl;
mod npz;

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "parquet")]
mod parquet;

use std::fmt;
use std::path::Path;

use crate::error::{ErrorKind, TableError};
use crate::files::Output;
use crate::table::read::{Input, ReadOptions, TableReader};
use crate::table::schema::Schema;
use crate::table::write::TableWriter;

pub use npz::NpyWriter;

/// A table format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Comma-separated values (RFC 4180) with a header.
    Csv,
    /// Tab-separated values with a header; quoted like CSV.
    Tsv,
    /// One JSON object per line.
    Jsonl,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC, the file format (Feather version 2) or, when reading, the stream format.
    Arrow,
    /// A NumPy archive, one array per column.
    Npz,
}

/// What is known about a format.
#[derive(Debug)]
pub struct FormatInfo {
    /// The format.
    pub format: Format,
    /// Its name in messages.
    pub name: &'static str,
    /// The extensions of its files, in lower case; the first is the usual one.
    pub extensions: &'static [&'static str],
    /// Whether its files may be compressed as a whole, with `.gz` or `.zst` behind their names.
    pub compressible: bool,
    /// Whether the format says what is a number and what is text.
    pub typed: bool,
    /// Whether its values are JSON: of any type in any row, lists and objects, too. The other typed formats have one type per column.
    pub json: bool,
    /// The feature of this crate that a build needs to have the format.
    pub feature: Option<&'static str>,
    /// One line about it, for help texts and documentation.
    pub about: &'static str,
    /// How it is read and written; `None` in a build without its feature.
    io: Option<Io>,
}

/// How a format is read and written.
#[derive(Clone, Copy, Debug)]
struct Io {
    open: Open,
    create: Create,
}

type Open = fn(Input, &ReadOptions) -> Result<Box<dyn TableReader>, TableError>;
type Create = fn(String, Output, Compression, &Schema) -> Result<Box<dyn TableWriter>, TableError>;

/// All formats.
pub static FORMATS: [FormatInfo; 6] = [
    FormatInfo {
        format: Format::Csv,
        name: "CSV",
        extensions: &["csv"],
        compressible: true,
        typed: false,
        json: false,
        feature: None,
        about: "comma-separated text with a header line; `-` for standard input or output",
        io: Some(csv::CSV),
    },
    FormatInfo {
        format: Format::Tsv,
        name: "TSV",
        extensions: &["tsv"],
        compressible: true,
        typed: false,
        json: false,
        feature: None,
        about: "tab-separated text with a header line",
        io: Some(csv::TSV),
    },
    FormatInfo {
        format: Format::Jsonl,
        name: "JSONL",
        extensions: &["jsonl", "ndjson"],
        compressible: true,
        typed: true,
        json: true,
        feature: None,
        about: "one JSON object per line; a key may be left out for null",
        io: Some(jsonl::IO),
    },
    FormatInfo {
        format: Format::Parquet,
        name: "Parquet",
        extensions: &["parquet"],
        compressible: false,
        typed: true,
        json: false,
        feature: Some("parquet"),
        about: "Apache Parquet; written with zstd compression",
        #[cfg(feature = "parquet")]
        io: Some(parquet::IO),
        #[cfg(not(feature = "parquet"))]
        io: None,
    },
    FormatInfo {
        format: Format::Arrow,
        name: "Arrow",
        extensions: &["arrow", "feather"],
        compressible: false,
        typed: true,
        json: false,
        feature: Some("arrow"),
        about: "Arrow IPC files (Feather version 2); streams are read, too",
        #[cfg(feature = "arrow")]
        io: Some(arrow::IO),
        #[cfg(not(feature = "arrow"))]
        io: None,
    },
    FormatInfo {
        format: Format::Npz,
        name: "NPZ",
        extensions: &["npz"],
        compressible: false,
        typed: true,
        json: false,
        feature: None,
        about: "a NumPy archive with one array per column",
        io: Some(npz::IO),
    },
];

impl Format {
    /// What is known about the format.
    pub fn info(self) -> &'static FormatInfo {
        FORMATS.iter().find(|info| info.format == self).expect("every format is in the table")
    }

    fn io(self, file: &str) -> Result<Io, TableError> {
        let info = self.info();
        info.io.ok_or_else(|| {
            let feature = info.feature.unwrap_or_default();
            let what = format!(
                "this build was made without {self}; build it with `--features {feature}`, or convert the file to CSV"
            );
            TableError::new(ErrorKind::NotBuilt, file, what)
        })
    }

    pub(crate) fn open(self, input: Input, options: &ReadOptions) -> Result<Box<dyn TableReader>, TableError> {
        (self.io(&input.name)?.open)(input, options)
    }

    /// Begins a file; `output` is asked for only when the format is there.
    pub(crate) fn create(
        self,
        name: String,
        output: impl FnOnce() -> Result<Output, TableError>,
        compression: Compression,
        schema: &Schema,
    ) -> Result<Box<dyn TableWriter>, TableError> {
        let io = self.io(&name)?;
        (io.create)(name, output()?, compression, schema)
    }
}

/// How the bytes of a text format are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip, of one or more members.
    Gzip,
    /// Zstandard, of one or more frames.
    Zstd,
}

/// A format with its compression, such as `.csv.gz`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileFormat {
    /// The table format.
    pub format: Format,
    /// The compression around it; [`Compression::None`] for all but the text formats.
    pub compression: Compression,
}

/// The extensions that [`FileFormat::from_path`] knows, for messages and help texts.
///
/// ```
/// assert!(srrd_data::extensions().starts_with(".csv, .tsv, .jsonl"));
/// ```
pub fn extensions() -> String {
    let dotted = |compressible: bool| -> Vec<String> {
        let formats = FORMATS.iter().filter(|info| info.compressible == compressible);
        formats.flat_map(|info| info.extensions.iter().map(|extension| format!(".{extension}"))).collect()
    };
    format!(
        "{} (these also with .gz or .zst), {}, or - for CSV on standard input or output",
        dotted(true).join(", "),
        dotted(false).join(", ")
    )
}

/// Extensions that are no format, and what to do instead.
const REMEDIES: [(&str, &str); 3] = [
    ("json", "`.json` is not a table format; write one object per line as .jsonl"),
    ("npy", "a .npy file holds one array without a name; save the columns with numpy.savez as .npz"),
    ("", "the name has no extension that tells the format"),
];

/// Extensions of files that hold Python pickles.
const PICKLES: [&str; 5] = ["pkl", "pickle", "pt", "pth", "joblib"];

impl FileFormat {
    /// As [`from_path`](Self::from_path) of a file that is there to be read: a `.json` may hold one object per line, as DuckDB and Hugging
    /// Face write it.
    ///
    /// # Errors
    /// As [`from_path`](Self::from_path).
    pub fn of_input(path: &Path) -> Result<Self, TableError> {
        Self::from_path(path).or_else(|error| {
            // A folder that is not there has no extension either.
            if path.extension().is_none() && path != Path::new("-") && !path.exists() {
                return Err(TableError::io(path.display().to_string(), "read", &std::io::ErrorKind::NotFound.into()));
            }
            let name = path.to_string_lossy().to_ascii_lowercase();
            let inner = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
            match inner.strip_suffix(".json") {
                Some(_) => Self::from_path(Path::new(&name.replace(".json", ".jsonl"))),
                None => Err(error),
            }
        })
    }

    /// A format without compression around it.
    pub const fn plain(format: Format) -> Self {
        FileFormat { format, compression: Compression::None }
    }

    /// Every format with every compression that goes with it; those without any come first.
    ///
    /// ```
    /// use srrd_data::{FORMATS, FileFormat};
    /// let all = FileFormat::all();
    /// assert!(FORMATS.iter().zip(&all).all(|(info, plain)| FileFormat::plain(info.format) == *plain));
    /// ```
    pub fn all() -> Vec<FileFormat> {
        let plain = FORMATS.iter().map(|info| FileFormat::plain(info.format));
        let compressed = FORMATS.iter().filter(|info| info.compressible).flat_map(|info| {
            [Compression::Gzip, Compression::Zstd].map(|compression| FileFormat { format: info.format, compression })
        });
        plain.chain(compressed).collect()
    }

    /// The format that a file's name says, case ignored; `-` is CSV.
    ///
    /// # Errors
    /// An extension that is not supported, or is refused (pickles); the file itself is not looked at.
    pub fn from_path(path: &Path) -> Result<Self, TableError> {
        if path.as_os_str() == "-" {
            return Ok(Self::plain(Format::Csv));
        }
        let shown = path.display().to_string();
        let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let (inner, compression) = if let Some(inner) = name.strip_suffix(".gz") {
            (inner, Compression::Gzip)
        } else if let Some(inner) = name.strip_suffix(".zst") {
            (inner, Compression::Zstd)
        } else {
            (name.as_str(), Compression::None)
        };
        let extension = inner.rsplit_once('.').map_or("", |(_, extension)| extension);
        if PICKLES.contains(&extension) {
            let what = format!(
                "`.{extension}` files hold Python pickles, which run code when they are loaded and break between versions; \
                 export the table to CSV, NPZ or Parquet instead (for example with pandas: `df.to_parquet(...)`)"
            );
            return Err(TableError::new(ErrorKind::Refused, shown, what));
        }
        let Some(info) = FORMATS.iter().find(|info| info.extensions.contains(&extension)) else {
            let remedy = REMEDIES.iter().find(|(known, _)| *known == extension);
            let what = remedy.map_or_else(
                || format!("`.{extension}` is not a supported format"),
                |(_, remedy)| (*remedy).to_owned(),
            );
            return Err(Self::unknown(shown, &what));
        };
        if compression != Compression::None && !info.compressible {
            let what = format!("{} files are compressed inside; .gz and .zst go with text formats only", info.name);
            return Err(Self::unknown(shown, &what));
        }
        Ok(FileFormat { format: info.format, compression })
    }

    fn unknown(shown: String, what: &str) -> TableError {
        TableError::new(ErrorKind::UnknownFormat, shown, format!("{what}; supported are {}", extensions()))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info().name)
    }
}

/// What text looks like that two bytes per letter make.
pub(crate) const UTF_16: &str = "UTF-16 text";

/// What the first bytes of a file look like, when they are the signature of a known binary format.
pub(crate) fn signature(start: &[u8]) -> Option<&'static str> {
    const SIGNATURES: [(&[u8], &str); 12] = [
        (b"\x1f\x8b", "gzip data"),
        (b"\x28\xb5\x2f\xfd", "Zstandard data"),
        (b"BZh", "bzip2 data"),
        (b"\xfd7zXZ", "xz data"),
        (b"PK\x03\x04", "a zip archive (such as .npz or .xlsx)"),
        (b"PAR1", "a Parquet file"),
        (b"ARROW1", "an Arrow file"),
        (b"\x93NUMPY", "a .npy file"),
        (b"\x89HDF", "an HDF5 file"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"\xff\xfe", UTF_16),
        (b"\xfe\xff", UTF_16),
    ];
    SIGNATURES.iter().find(|(magic, _)| start.starts_with(magic)).map(|&(_, name)| name)
}
