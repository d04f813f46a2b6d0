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

/// pyarrow keeps the metadata of a table that it read, whatever it then does to its rows.
#[cfg(feature = "parquet")]
#[test]
fn a_checksum_that_another_program_copied_into_its_file_counts_for_nothing() {
    use parquet::file::metadata::KeyValue;
    use parquet::file::properties::WriterProperties;
    let column =
        |values: Vec<i64>| -> arrow_array::ArrayRef { std::sync::Arc::new(arrow_array::Int64Array::from(values)) };
    let names = ["state", "action", "next_state", "reward"];
    let rows = arrow_array::RecordBatch::try_from_iter(names.map(|name| (name, column(vec![0, 1, 2])))).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let read = |by: &str| {
        let path = folder.path().join("t.parquet");
        let copied = KeyValue::new("srrd.crc32".to_owned(), "40 00000000".to_owned());
        let properties = WriterProperties::builder()
            .set_key_value_metadata(Some(vec![copied]))
            .set_created_by(by.to_owned())
            .build();
        let file = std::fs::File::create(&path).unwrap();
        let mut writer = parquet::arrow::ArrowWriter::try_new(file, rows.schema(), Some(properties)).unwrap();
        writer.write(&rows).unwrap();
        writer.close().unwrap();
        srrd_data::read_table(&path, srrd::Duplicates::Mean).map(|table| table.samples[0].sample.len())
    };
    assert_eq!(read("parquet-cpp-arrow version 24.0.0").unwrap(), 3);
    assert!(read("srrd 0.1.0").unwrap_err().to_string().contains("checksum"));
}
