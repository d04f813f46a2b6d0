//! What is written is read back, in every format.
#![cfg_attr(not(any(feature = "parquet", feature = "arrow")), allow(clippy::single_element_loop))]

mod common;

use std::fs;
use std::path::Path;

use common::{Cell, Table, float, read, read_all, text, write};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use srrd_data::{
    Batch, Column, ColumnType, ErrorKind, FileFormat, Format, NpyWriter, Piece, ReadOptions, Schema, Values, coerce,
    create, infer_types_of, open, open_bytes,
};

const TEXTS: [&str; 12] = [
    "plain",
    "",
    "with,comma",
    "with\ttab",
    "quo\"te",
    "\"",
    "line\nend",
    "cr\r\nlf",
    " spaces ",
    "ünï😀",
    "007",
    "\r",
];

fn schema() -> Schema {
    Schema::new([
        ("state", ColumnType::Text),
        ("action", ColumnType::Int),
        ("reward", ColumnType::Float),
        ("done", ColumnType::Bool),
    ])
}

fn batches() -> Vec<Batch> {
    let floats = [0.1, -1e300, 5e-324, 1.0, -0.0, 1e16, 123456789.123, f64::MAX, 2.5, 3.0, 1e-7, 1.0 / 3.0];
    let ints = [0, -1, i64::MAX, i64::MIN, 5, 6, 7, 8, 9, 10, 11, 12];
    let batch = |range: std::ops::Range<usize>| {
        Batch::from_columns(
            vec![
                Values::Text(TEXTS[range.clone()].iter().copied().collect()).into(),
                Values::Int(ints[range.clone()].to_vec()).into(),
                Values::Float(floats[range.clone()].to_vec()).into(),
                Values::Bool(range.clone().map(|i| i % 3 == 0).collect()).into(),
            ],
            range.start as u64 + 1,
        )
    };
    vec![batch(0..5), batch(5..12)]
}

fn cells() -> Table {
    let rows = batches()
        .iter()
        .flat_map(|batch| {
            (0..batch.rows)
                .map(|row| batch.columns.iter().map(|column| common::cell(column, row)).collect())
                .collect::<Vec<_>>()
        })
        .collect();
    Table { names: schema().names().map(str::to_owned).collect(), rows }
}

#[test]
fn typed_formats_keep_values_and_types() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "t.jsonl",
        "t.jsonl.gz",
        "t.jsonl.zst",
        "t.npz",
        #[cfg(feature = "parquet")]
        "t.parquet",
        #[cfg(feature = "arrow")]
        "t.arrow",
        #[cfg(feature = "arrow")]
        "t.feather",
    ] {
        let path = folder.path().join(name);
        write(&path, &schema(), &batches()).unwrap();
        assert_eq!(read(&path).unwrap(), cells(), "{name}");
    }
}

#[test]
fn text_formats_keep_texts_and_shortest_numbers() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["t.csv", "t.tsv", "t.csv.gz", "t.csv.zst", "t.tsv.gz", "t.tsv.zst"] {
        let path = folder.path().join(name);
        write(&path, &schema(), &batches()).unwrap();
        let table = read(&path).unwrap();
        assert_eq!(table.column("state"), TEXTS.map(text), "{name}");
        assert_eq!(table.column("action")[3], text("-9223372036854775808"));
        assert_eq!(table.column("reward")[0], text("0.1"));
        let Cell::Text(third) = &table.column("reward")[11] else { unreachable!() };
        assert_eq!(third.parse::<f64>().unwrap(), 1.0 / 3.0);
        assert_eq!(table.column("done")[..2], [text("true"), text("false")]);
    }
}

#[test]
fn missing_values() {
    let folder = tempfile::tempdir().unwrap();
    let column = |values: Values| Column::new(values, Some(vec![true, false, true]));
    let batch = Batch::from_columns(
        vec![
            column(Values::Text(["a", "", ""].into_iter().collect())),
            column(Values::Int(vec![1, 0, 3])),
            column(Values::Float(vec![0.5, 0.0, 1.5])),
            column(Values::Bool(vec![true, false, false])),
        ],
        1,
    );
    let expected = [
        [text("a"), Cell::Int(1), float(0.5), Cell::Bool(true)],
        [Cell::Missing, Cell::Missing, Cell::Missing, Cell::Missing],
        [text(""), Cell::Int(3), float(1.5), Cell::Bool(false)],
    ];
    for name in [
        "t.jsonl",
        #[cfg(feature = "parquet")]
        "t.parquet",
        #[cfg(feature = "arrow")]
        "t.arrow",
    ] {
        let path = folder.path().join(name);
        write(&path, &schema(), std::slice::from_ref(&batch)).unwrap();
        assert_eq!(read(&path).unwrap().rows, expected, "{name}");
    }
    let path = folder.path().join("t.csv");
    write(&path, &schema(), std::slice::from_ref(&batch)).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "state,action,reward,done\na,1,0.5,true\n,,,\n,3,1.5,false\n");
    let error = write(&folder.path().join("t.npz"), &schema(), &[batch]).unwrap_err();
    assert_eq!((error.row(), error.column()), (Some(2), Some("state")));
    assert!(!folder.path().join("t.npz").exists());
}

#[test]
fn tables_without_rows() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "t.csv",
        "t.npz",
        #[cfg(feature = "parquet")]
        "t.parquet",
        #[cfg(feature = "arrow")]
        "t.arrow",
    ] {
        let path = folder.path().join(name);
        write(&path, &schema(), &[]).unwrap();
        let table = read(&path).unwrap();
        assert_eq!(table.names, ["state", "action", "reward", "done"], "{name}");
        assert!(table.rows.is_empty());
    }
}

#[test]
fn from_text_to_types_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let csv = "state,code,n,x,ok\na,007,1,0.5,True\nb,1,,2,False\n\"\",x,3,1e3,True\n";
    let source = folder.path().join("in.csv");
    fs::write(&source, csv).unwrap();
    let options = ReadOptions::default();
    let types = infer_types_of(&mut *open(&source, &options).unwrap()).unwrap();
    assert_eq!(types, [ColumnType::Text, ColumnType::Text, ColumnType::Int, ColumnType::Float, ColumnType::Bool]);
    for name in [
        #[cfg(feature = "parquet")]
        "t.parquet",
        #[cfg(feature = "arrow")]
        "t.arrow",
        "t.jsonl",
    ] {
        let path = folder.path().join(name);
        let mut table = open(&source, &options).unwrap();
        let schema = table.schema().with_types(&types);
        let mut writer = create(&path, &schema).unwrap();
        let mut batch = Batch::new();
        while let Piece::Rows = table.next_batch(&mut batch).unwrap() {
            coerce("in.csv", &schema, &mut batch).unwrap();
            writer.write(&batch).unwrap();
        }
        writer.finish().unwrap();
        let table = read(&path).unwrap();
        assert_eq!(table.rows[0], [text("a"), text("007"), Cell::Int(1), float(0.5), Cell::Bool(true)]);
        assert_eq!(table.rows[1][2], Cell::Missing);
        assert_eq!(table.rows[2][0], text(""));
    }
}

#[test]
fn files_appear_complete_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let names = |folder: &Path| -> Vec<_> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    for name in [
        "t.csv",
        "t.csv.gz",
        "t.csv.zst",
        "t.jsonl",
        "t.npz",
        #[cfg(feature = "parquet")]
        "t.parquet",
        #[cfg(feature = "arrow")]
        "t.arrow",
    ] {
        let path = folder.path().join(name);
        fs::write(&path, "before").unwrap();
        let mut writer = create(&path, &schema()).unwrap();
        for batch in batches() {
            writer.write(&batch).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "before", "{name}");
        drop(writer);
        assert_eq!(names(folder.path()), [name]);
        assert_eq!(fs::read_to_string(&path).unwrap(), "before", "{name}");
        write(&path, &schema(), &batches()).unwrap();
        assert_eq!(names(folder.path()), [name]);
        assert_eq!(read(&path).unwrap().rows.len(), 12, "{name}");
        fs::remove_file(path).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real.csv"), folder.path().join("link.csv"));
    fs::write(&real, "before").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    write(&link, &schema(), &batches()).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(read(&real).unwrap().rows.len(), 12);
}

#[test]
#[cfg(unix)]
fn a_file_that_is_replaced_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    for mode in [0o640, 0o600, 0o664] {
        std::fs::write(&path, "old").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        create(&path, &schema()).unwrap().finish().unwrap();
        let metadata = std::fs::metadata(&path).unwrap();
        assert_ne!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(metadata.permissions().mode() & 0o777, mode);
    }
}

#[test]
fn places_that_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("dir.csv")).unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    for (path, kind, says) in [
        ("dir.csv", ErrorKind::Directory, "is a directory"),
        ("none/t.csv", ErrorKind::NotFound, "does not exist; create it"),
        ("file/t.csv", ErrorKind::NotFound, "cannot be written"),
        ("t.pkl", ErrorKind::Refused, "pickle"),
    ] {
        let error = create(&folder.path().join(path), &schema()).err().unwrap();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
    let error = create(Path::new("/proc/t.csv"), &schema()).err().unwrap();
    assert!(error.to_string().contains("/proc"), "{error}");
}

/// The same rows as the `csv` crate finds, for random bytes of the kind that matters.
#[test]
fn csv_agrees_with_the_csv_crate() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let pieces = ["a", "bc", ",", ",", ",", "\n", "\n", "\r\n", "\"x\"", "\"y,\n\"", "\"\"", "\"a\"\"b\"", " ", "ü"];
    let mut rows_seen = 0;
    for _ in 0..20_000 {
        let count = random.random_range(1..30);
        let body: String = (0..count).map(|_| pieces[random.random_range(0..pieces.len())]).collect();
        let csv = format!("h,i\n{body}");
        let batch_rows = random.random_range(1..4);
        let options = ReadOptions { batch_rows, ..ReadOptions::default() };
        let mut ours = open_bytes("t", FileFormat::plain(Format::Csv), csv.clone().into(), &options).unwrap();
        let Ok(ours) = read_all(&mut *ours) else { continue };
        let theirs: Vec<Vec<Cell>> = csv::Reader::from_reader(csv.as_bytes())
            .records()
            .map(|record| record.unwrap().iter().map(text).collect())
            .collect();
        assert_eq!(ours.rows, theirs, "{csv:?}");
        rows_seen += theirs.len();
    }
    assert!(rows_seen > 1000, "{rows_seen}");
}

#[test]
fn rows_know_their_lines() {
    let csv = "\u{feff}\r\na,b\r\n1,2\r\n\r\n\"x\ny\",3\r\n4,5";
    for batch_rows in [1, 2, 100] {
        let options = ReadOptions { batch_rows, ..ReadOptions::default() };
        let mut table = open_bytes("t", FileFormat::plain(Format::Csv), csv.into(), &options).unwrap();
        let mut batch = Batch::new();
        let mut lines = Vec::new();
        while let Piece::Rows = table.next_batch(&mut batch).unwrap() {
            lines.extend((0..batch.rows).map(|row| batch.line(row).unwrap()));
        }
        assert_eq!(lines, [3, 5, 7]);
    }
}

#[test]
fn columns_can_be_selected_once_and_before_reading() {
    for (format, bytes) in [
        (Format::Csv, "a,b,c\n1,2,3\n"),
        (Format::Csv, "a,b,c\n\"1\",2,3\n"),
        (Format::Jsonl, "{\"a\":\"1\",\"b\":{\"nested\":[]},\"c\":\"3\"}\n"),
    ] {
        let format = FileFormat::plain(format);
        let mut table = open_bytes("t", format, bytes.into(), &ReadOptions::default()).unwrap();
        assert_eq!(table.select(&["a", "z"]).unwrap_err().kind(), ErrorKind::MissingColumn);
        assert_eq!(table.select(&["a", "a"]).unwrap_err().kind(), ErrorKind::Usage);
        table.select(&["c", "a"]).unwrap();
        let read = read_all(&mut *table).unwrap();
        assert_eq!(read.names, ["c", "a"]);
        assert_eq!(read.rows, [[text("3"), text("1")]]);
        assert_eq!(table.select(&["a"]).unwrap_err().kind(), ErrorKind::Usage);
    }
}

#[test]
fn gzip_members_and_zstd_frames_follow_each_other() {
    use std::io::Write;
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = ("a,b\n1,2\n3,", "4\n5,6\n");
    let mut bytes = Vec::new();
    for part in [first, second] {
        let mut encoder = flate2::write::GzEncoder::new(&mut bytes, flate2::Compression::fast());
        encoder.write_all(part.as_bytes()).unwrap();
        encoder.finish().unwrap();
    }
    let path = folder.path().join("t.csv.gz");
    fs::write(&path, bytes).unwrap();
    assert_eq!(read(&path).unwrap().column("b"), ["2", "4", "6"].map(text));
    let bytes: Vec<u8> =
        [first, second].iter().flat_map(|part| zstd::encode_all(part.as_bytes(), 1).unwrap()).collect();
    let path = folder.path().join("t.csv.zst");
    fs::write(&path, &bytes).unwrap();
    assert_eq!(read(&path).unwrap().column("b"), ["2", "4", "6"].map(text));
    // As pzstd begins its files.
    let skipped = b"\x50\x2a\x4d\x18\x04\0\0\0size";
    fs::write(&path, [skipped.as_slice(), &bytes].concat()).unwrap();
    assert_eq!(read(&path).unwrap().column("b"), ["2", "4", "6"].map(text));
}

#[test]
fn json_columns_take_their_type_from_their_values() {
    let jsonl = "{\"a\":1,\"b\":null,\"c\":\"x\\u00e9\"}\n\n {\"b\":true, \"a\":2.5, \"c\":null} \n";
    for batch_rows in [1, 10] {
        let options = ReadOptions { batch_rows, ..ReadOptions::default() };
        let mut table = open_bytes("t", FileFormat::plain(Format::Jsonl), jsonl.into(), &options).unwrap();
        let table = read_all(&mut *table).unwrap();
        let first = if batch_rows == 1 { Cell::Int(1) } else { float(1.0) };
        assert_eq!(table.column("a"), [first, float(2.5)]);
        assert_eq!(table.column("b"), [Cell::Missing, Cell::Bool(true)]);
        assert_eq!(table.column("c"), [text("xé"), Cell::Missing]);
    }
}

#[test]
fn csv_that_could_not_be_read_back_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["t.csv", "t.tsv"] {
        let path = folder.path().join(name);
        let schema = Schema::new([("\u{feff}a", ColumnType::Text), ("b", ColumnType::Text)]);
        let batch = |second: &str| {
            let column = || Column::from(Values::Text(["x", second].into_iter().collect()));
            Batch::from_columns(vec![column(), column()], 5)
        };
        common::write(&path, &schema, &[batch("\u{feff}y")]).unwrap();
        let back = read(&path).unwrap();
        assert_eq!(back.names, ["\u{feff}a", "b"]);
        assert_eq!(back.rows[1], [text("\u{feff}y"), text("\u{feff}y")]);
        let error = common::write(&path, &schema, &[batch("y\0")]).unwrap_err();
        assert_eq!((error.kind(), error.row(), error.column()), (ErrorKind::Encoding, Some(6), Some("\u{feff}a")));
        let named = Schema::new([("a", ColumnType::Text), ("b\0", ColumnType::Text)]);
        assert!(common::write(&path, &named, &[batch("y")]).unwrap_err().to_string().contains("NUL"));
        assert_eq!(read(&path).unwrap(), back);
    }
}

#[test]
fn a_matrix_has_an_aligned_header_and_its_elements() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.npy");
    let mut matrix = NpyWriter::create(&path, 3, 2).unwrap();
    matrix.write(&[1.0, 2.0, 3.0, f64::NAN]).unwrap();
    matrix.write(&[5.0, 6.0]).unwrap();
    matrix.finish().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes.len(), 128 + 6 * 8);
    assert!(String::from_utf8_lossy(&bytes[..128]).contains("'shape': (3, 2)"));
    assert_eq!(bytes[128..136], 1.0f64.to_le_bytes());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
