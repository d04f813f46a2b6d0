//! Every way a table can be wrong has a message that says where and what to do.

mod common;

use std::fs;

use common::{fixture, read, read_all};
use srrd_data::{ErrorKind, FileFormat, Format, ReadOptions, TableError, open_bytes};

fn error_of(format: Format, bytes: impl AsRef<[u8]>) -> TableError {
    let bytes = bytes.as_ref().to_vec();
    open_bytes("FILE", FileFormat::plain(format), bytes, &ReadOptions::default())
        .and_then(|mut table| read_all(&mut *table))
        .unwrap_err()
}

#[track_caller]
fn check(error: &TableError, kind: ErrorKind, starts: &str, says: &str) {
    let message = error.to_string();
    assert_eq!(error.kind(), kind, "{message}");
    assert!(message.starts_with(starts), "{message}");
    assert!(message.contains(says), "{message}");
    assert!(!message.contains('\n'), "{message}");
}

#[test]
fn csv() {
    use ErrorKind::{DuplicateColumn, Empty, Encoding, Malformed, MissingHeader, Ragged, WrongFormat};
    for (bytes, kind, starts, says) in [
        (&b""[..], Empty, "FILE: ", "empty"),
        (b"\n\r\n", Empty, "FILE: ", "only blank lines"),
        (b"\xef\xbb\xbf", Empty, "FILE: ", "only blank lines"),
        (b"a,b\n1,2\n3\n", Ragged, "FILE: row 2 (line 3): ", "1 field, but the header has 2 (column `b` has no value)"),
        (b"a,b\n1,2,3\n", Ragged, "FILE: row 1 (line 2): ", "3 fields"),
        (b"a,b\n1,2,\n3,4,\n", Ragged, "FILE: row 1 (line 2): ", "ends with a separator, so that it has 3 fields"),
        (b"a,b\n\"x\ny\",2\n\"3\"\n", Ragged, "FILE: row 2 (line 4): ", "1 field,"),
        (b"a,b,a\n1,2,3\n", DuplicateColumn, "FILE: column `a`: ", "columns 1 and 3"),
        (b"0,left,1,0.5\n", MissingHeader, "FILE: line 1: ", "must name the columns"),
        (b"a,b\r1,2\r", Malformed, "FILE: line 1: ", "old Macs"),
        (b"a,b\n1,2\n\"\n\",x\ry\n", Malformed, "FILE: row 2 (line 4), column `b`: ", "a carriage return"),
        (b"a,b\n1,2\r\r\n", Malformed, "FILE: row 1 (line 2), column `b`: ", "a carriage return"),
        (b"a,b\n1,2\n\xff,2\n", Encoding, "FILE: row 2 (line 3): ", "0xff at position 1 of the line is not UTF-8"),
        (b"a,\xff\n1,2\n", Encoding, "FILE: line 1: ", "not UTF-8"),
        (b"a,b\n1,\0\n", Encoding, "FILE: row 1 (line 2): ", "NUL"),
        (b"a,b\n1,\"2\n3,4\n", Malformed, "FILE: row 1 (line 2): ", "never closed"),
        (b"a,\"b\n1,2\n", Malformed, "FILE: line 1: ", "never closed"),
        (b"a,b\n1,\"2\"x\n", Malformed, "FILE: row 1 (line 2), column `b`: ", "closing quote"),
        (b"\x1f\x8b\x08\0", WrongFormat, "FILE: ", "gzip data"),
        (b"PAR1xxxx", WrongFormat, "FILE: ", "a Parquet file"),
        (b"PK\x03\x04xx", WrongFormat, "FILE: ", "a zip archive"),
        (b"\xff\xfea\0", WrongFormat, "FILE: ", "UTF-16"),
    ] {
        check(&error_of(Format::Csv, bytes), kind, starts, says);
    }
    check(&TableError::no_rows("FILE"), Empty, "FILE: ", "no data rows");
}

#[test]
fn rows_longer_than_any_row_are_stopped() {
    let mut bytes = b"a,b\n1,\"".to_vec();
    bytes.resize(140 << 20, b'\n');
    check(&error_of(Format::Csv, bytes), ErrorKind::Malformed, "FILE: row 1 (line 2): ", "64 MiB");
}

#[test]
fn jsonl() {
    use ErrorKind::{DuplicateColumn, Empty, Malformed, Number, Ragged, Type};
    for (text, kind, starts, says) in [
        ("\n \n", Empty, "FILE: ", "blank lines"),
        ("[{\"a\":1}]\n", Malformed, "FILE: row 1 (line 1): ", "one per line"),
        ("{\"a\":1}\n7\n", Malformed, "FILE: row 2 (line 2): ", "`7` is not a JSON object"),
        ("{\"a\":1}\n\n{\"a\":1\n", Malformed, "FILE: row 2 (line 3): ", "not valid JSON"),
        ("{\"a\":1}{\"a\":2}\n", Malformed, "FILE: row 1 (line 1): ", "not valid JSON"),
        ("{\"a\":1}\n{\"a\":NaN}\n", Malformed, "FILE: row 2 (line 2): ", "no NaN"),
        ("{\"a\":1e400}\n", Number, "FILE: row 1 (line 1), column `a`: ", "finite"),
        ("{\"a\":18446744073709551615}\n{\"a\":0.5}\n", Number, "FILE: row 2 (line 2), column `a`: ", "as text"),
        ("{\"a\":9007199254740993}\n{\"a\":0.5}\n", Number, "FILE: row 2 (line 2), column `a`: ", "9007199254740993"),
        ("{\"a\":[[1]]}\n", Type, "FILE: row 1 (line 1), column `a`: ", "an array"),
        ("{\"a\":[1,2]}\n{\"a\":[1]}\n", Ragged, "FILE: row 2 (line 2), column `a`: ", "the list has 1 numbers, but"),
        ("{\"a\":[1,2]}\n{\"a\":3}\n", Type, "FILE: row 2 (line 2), column `a`: ", "`3` is no list"),
        ("{\"a\":{}}\n", Type, "FILE: row 1 (line 1), column `a`: ", "an object"),
        ("{\"a\":1}\n{\"a\":\"x\"}\n", Type, "FILE: row 2 (line 2), column `a`: ", "`x` is text, but"),
        ("{\"a\":\"x\"}\n{\"a\":1.5}\n", Type, "FILE: row 2 (line 2), column `a`: ", "`1.5` is a number, but"),
        ("{\"a\":true}\n{\"a\":1}\n", Type, "FILE: row 2 (line 2), column `a`: ", "`1` is a number, but"),
        ("{\"a\":1,\"a\":2}\n", DuplicateColumn, "FILE: row 1 (line 1), column `a`: ", "twice"),
        ("{\"a\":1}\n{\"a\":1,\"a\":2}\n", DuplicateColumn, "FILE: row 2 (line 2), column `a`: ", "twice"),
    ] {
        check(&error_of(Format::Jsonl, text), kind, starts, says);
    }
    check(
        &error_of(Format::Jsonl, b"{\"a\":1}\n{\"a\":\"\xff\"}\n"),
        ErrorKind::Encoding,
        "FILE: row 2 (line 2): ",
        "UTF-8",
    );
}

#[test]
fn binary_formats_that_are_something_else_or_cut_short() {
    for (format, name) in [
        #[cfg(feature = "parquet")]
        (Format::Parquet, "pandas.parquet"),
        #[cfg(feature = "arrow")]
        (Format::Arrow, "pandas.feather"),
        #[cfg(feature = "arrow")]
        (Format::Arrow, "polars_stream.arrow"),
        (Format::Npz, "numpy.npz"),
    ] {
        check(&error_of(format, ""), ErrorKind::Empty, "FILE: ", "empty");
        let says = format!("is not {format} as its name says: it looks like text");
        check(&error_of(format, "state,action\n1,2\n"), ErrorKind::WrongFormat, "FILE: ", &says);
        check(&error_of(format, b"\x1f\x8b\x08"), ErrorKind::WrongFormat, "FILE: ", "gzip");
        let whole = fs::read(fixture(name)).unwrap();
        for keep in [whole.len() / 3, whole.len() / 2, whole.len() - 9] {
            let error = error_of(format, &whole[..keep]);
            assert!(matches!(error.kind(), ErrorKind::Truncated | ErrorKind::Malformed), "{name} {keep}: {error}");
            assert!(error.to_string().contains("again"), "{error}");
        }
    }
}

#[test]
fn compressed_files() {
    let folder = tempfile::tempdir().unwrap();
    let text: String = "a,b\n"
        .chars()
        .chain((0..20_000).flat_map(|i| format!("{i},{}\n", i * 7919 % 10007).chars().collect::<Vec<_>>()))
        .collect();
    for (name, good) in
        [("t.csv.gz", gzip(text.as_bytes())), ("t.csv.zst", zstd::encode_all(text.as_bytes(), 3).unwrap())]
    {
        let path = folder.path().join(name);
        let shown = format!("{}: ", path.display());
        fs::write(&path, &good).unwrap();
        assert_eq!(read(&path).unwrap().rows.len(), 20_000);
        fs::write(&path, &good[..good.len() / 2]).unwrap();
        let error = read(&path).unwrap_err();
        check(&error, ErrorKind::Truncated, &shown, "ends too early");
        let mut bad = good.clone();
        let middle = bad.len() / 2;
        bad[middle..middle + 64].fill(0x55);
        fs::write(&path, &bad).unwrap();
        assert!(matches!(
            read(&path).unwrap_err().kind(),
            ErrorKind::Malformed | ErrorKind::Truncated | ErrorKind::Ragged | ErrorKind::Encoding
        ));
        fs::write(&path, &text).unwrap();
        check(&read(&path).unwrap_err(), ErrorKind::WrongFormat, &shown, "perhaps plain text");
        fs::write(&path, b"").unwrap();
        check(&read(&path).unwrap_err(), ErrorKind::Empty, &shown, "empty");
        fs::write(&path, b"PAR1").unwrap();
        check(&read(&path).unwrap_err(), ErrorKind::WrongFormat, &shown, "a Parquet file");
    }
}

#[test]
fn what_stands_behind_gzip_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv.gz");
    let two = [gzip(b"a,b\n1,2\n"), gzip(b"3,4\n")].concat();
    for zeros in [0, 1, 511, 300_000] {
        fs::write(&path, [&two[..], &vec![0; zeros]].concat()).unwrap();
        assert_eq!(read(&path).unwrap().rows.len(), 2, "{zeros}");
    }
    for behind in [&b"garbage"[..], b"\0\0garbage", b"a"] {
        fs::write(&path, [&two[..], behind].concat()).unwrap();
        check(&read(&path).unwrap_err(), ErrorKind::Malformed, "", "something behind the gzip data");
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    check(&read(&path("none.csv")).unwrap_err(), ErrorKind::NotFound, "", "no such file");
    fs::create_dir(path("dir.parquet")).unwrap();
    check(&read(&path("dir.parquet")).unwrap_err(), ErrorKind::Directory, "", "is a directory");
    check(&read(&path("t.pickle")).unwrap_err(), ErrorKind::Refused, "", "run code");
    check(&read(&path("t.xls")).unwrap_err(), ErrorKind::UnknownFormat, "", ".parquet");
}

#[cfg(unix)]
#[test]
fn files_without_permission() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    fs::write(&path, "a\n1\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // The superuser may read everything.
    if fs::read(&path).is_err() {
        check(&read(&path).unwrap_err(), ErrorKind::PermissionDenied, "", "permission denied");
    }
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_left_out() {
    check(&error_of(Format::Parquet, "PAR1"), ErrorKind::NotBuilt, "FILE: ", "--features parquet");
}

#[cfg(not(feature = "arrow"))]
#[test]
fn arrow_left_out() {
    check(&error_of(Format::Arrow, "ARROW1"), ErrorKind::NotBuilt, "FILE: ", "--features arrow");
}

#[test]
fn a_folder_of_unlike_files_names_the_odd_one_in_short() {
    let folder = tempfile::tempdir().unwrap();
    let csv = "state,action,reward\na,b,1\n";
    let said = || srrd_data::open(folder.path(), &ReadOptions::default()).err().map(|error| error.to_string());
    assert!(said().unwrap().contains("there is no table in it"));
    for name in ["part-1.csv", "part-2.csv", "notes.txt"] {
        fs::write(folder.path().join(name), csv).unwrap();
    }
    assert_eq!(said(), None);
    for (odd, says) in [
        ("summary-1.csv", "`part-1.csv` and `summary-1.csv` differ in more than a number"),
        ("all.csv", "`all.csv` has no number in its name"),
    ] {
        fs::write(folder.path().join(odd), csv).unwrap();
        let error = said().unwrap();
        assert!(error.contains(says) && error.len() < 400, "{error}");
        fs::remove_file(folder.path().join(odd)).unwrap();
    }
}

#[test]
fn a_table_by_standard_input_that_is_no_csv_belongs_into_a_file() {
    let name = srrd_data::STANDARD_INPUT;
    let error = open_bytes(name, FileFormat::plain(Format::Csv), b"PAR1xxxx".to_vec(), &ReadOptions::default());
    check(
        &error.err().unwrap(),
        ErrorKind::WrongFormat,
        "standard input: is read as CSV, and it looks like a Parquet file; ",
        "write it to a file that has the extension of what it is",
    );
}
