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
fn json_files_may_hold_one_object_per_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("query.JSON");
    // As DuckDB's COPY and `to_json` of Hugging Face datasets write it.
    std::fs::write(&path, "{\"state\":1,\"action\":2,\"reward\":0.5}\n{\"state\":2,\"action\":2,\"reward\":1}\n")
        .unwrap();
    assert!(srrd_data::is_readable(&path));
    assert_eq!(srrd_data::read_samples(&path, srrd::Duplicates::Mean).unwrap()[0].sample.len(), 2);
    // As pandas writes records without `lines=True`.
    std::fs::write(&path, "[{\"state\":1,\"action\":2,\"reward\":0.5}]").unwrap();
    let error = srrd_data::read_samples(&path, srrd::Duplicates::Mean).unwrap_err().to_string();
    assert!(error.contains("one JSON array") && error.contains("jq -c '.[]'"), "{error}");
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
