//! Formats by the names of files.

use std::path::Path;

use srrd_data::{Compression, ErrorKind, FORMATS, FileFormat, Format, TableError, extensions};

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
fn every_format_is_declared_once() {
    assert_eq!(
        extensions(),
        ".csv, .tsv, .jsonl, .ndjson (these also with .gz or .zst), .parquet, .arrow, .feather, .npz, or - for CSV on \
         standard input or output"
    );
    for info in &FORMATS {
        assert_eq!(info.format.info().name, info.name);
        assert!(!info.about.is_empty() && info.about.len() < 80, "{}", info.name);
        assert_eq!(of(&format!("t.{}", info.extensions[0])).unwrap().format, info.format);
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
