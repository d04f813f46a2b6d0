//! Which format a file is in, told by its name.

use std::fmt;
use std::path::Path;

use crate::error::{ErrorKind, TableError};

/// A table format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Comma-separated values (RFC 4180) with a header.
    Csv,
    /// Tab-separated values with a header; quoted like CSV.
    Tsv,
    /// One JSON object a line.
    Jsonl,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC, the file format (Feather version 2) or, when reading, the stream format.
    Arrow,
    /// A NumPy archive, one array a column.
    Npz,
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

/// The extensions that [`FileFormat::from_path`] knows, for messages.
pub const EXTENSIONS: &str = ".csv, .tsv, .jsonl (these also with .gz or .zst), .parquet, .arrow, .feather, .npz, \
or - for CSV on standard input or output";

impl FileFormat {
    /// A format without compression around it.
    pub const fn plain(format: Format) -> Self {
        FileFormat { format, compression: Compression::None }
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
        let format = match extension {
            "csv" => Format::Csv,
            "tsv" => Format::Tsv,
            "jsonl" | "ndjson" => Format::Jsonl,
            "parquet" => Format::Parquet,
            "arrow" | "feather" => Format::Arrow,
            "npz" => Format::Npz,
            "pkl" | "pickle" | "pt" | "pth" | "joblib" => {
                return Err(TableError::new(
                    ErrorKind::Refused,
                    shown,
                    format!(
                        "`.{extension}` files hold Python pickles, which run code when they are loaded and break between \
                         versions; export the table to CSV, NPZ or Parquet instead (for example with \
                         pandas: `df.to_parquet(...)`)"
                    ),
                ));
            }
            "json" => {
                return Err(Self::unknown(shown, "`.json` is not a table format; write one object a line as .jsonl"));
            }
            "npy" => {
                return Err(Self::unknown(
                    shown,
                    "a .npy file holds one array without a name; save the columns with numpy.savez as .npz",
                ));
            }
            "" => {
                return Err(Self::unknown(shown, "the name has no extension that tells the format"));
            }
            other => {
                return Err(Self::unknown(shown, &format!("`.{other}` is not a supported format")));
            }
        };
        if compression != Compression::None && !matches!(format, Format::Csv | Format::Tsv | Format::Jsonl) {
            return Err(Self::unknown(
                shown,
                &format!("{format} files are compressed inside; .gz and .zst go with text formats only"),
            ));
        }
        Ok(FileFormat { format, compression })
    }

    fn unknown(shown: String, what: &str) -> TableError {
        TableError::new(ErrorKind::UnknownFormat, shown, format!("{what}; supported are {EXTENSIONS}"))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Csv => "CSV",
            Format::Tsv => "TSV",
            Format::Jsonl => "JSONL",
            Format::Parquet => "Parquet",
            Format::Arrow => "Arrow",
            Format::Npz => "NPZ",
        })
    }
}

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
        (b"\xff\xfe", "UTF-16 text"),
        (b"\xfe\xff", "UTF-16 text"),
    ];
    SIGNATURES.iter().find(|(magic, _)| start.starts_with(magic)).map(|&(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> Result<FileFormat, TableError> {
        FileFormat::from_path(Path::new(name))
    }

    #[test]
    fn formats_by_extension() {
        for (name, format, compression) in [
            ("-", Format::Csv, Compression::None),
            ("a.csv", Format::Csv, Compression::None),
            ("dir.x/A.CSV", Format::Csv, Compression::None),
            ("a.b.tsv.gz", Format::Tsv, Compression::Gzip),
            ("a.ndjson.zst", Format::Jsonl, Compression::Zstd),
            ("a.jsonl", Format::Jsonl, Compression::None),
            ("a.parquet", Format::Parquet, Compression::None),
            ("a.feather", Format::Arrow, Compression::None),
            ("a.arrow", Format::Arrow, Compression::None),
            ("a.npz", Format::Npz, Compression::None),
        ] {
            assert_eq!(of(name).unwrap(), FileFormat { format, compression }, "{name}");
        }
    }

    #[test]
    fn other_extensions_are_explained() {
        for (name, kind, says) in [
            ("a.pkl", ErrorKind::Refused, "run code"),
            ("a.joblib", ErrorKind::Refused, "Parquet"),
            ("a.pt", ErrorKind::Refused, "pickles"),
            ("a.json", ErrorKind::UnknownFormat, ".jsonl"),
            ("a.npy", ErrorKind::UnknownFormat, "savez"),
            ("a.xlsx", ErrorKind::UnknownFormat, ".csv, .tsv"),
            ("table", ErrorKind::UnknownFormat, "no extension"),
            ("csv", ErrorKind::UnknownFormat, "no extension"),
            ("a.gz", ErrorKind::UnknownFormat, "no extension"),
            ("a.parquet.gz", ErrorKind::UnknownFormat, "compressed inside"),
        ] {
            let error = of(name).unwrap_err();
            assert_eq!(error.kind(), kind, "{name}");
            assert!(error.to_string().contains(says), "{error}");
        }
    }
}
