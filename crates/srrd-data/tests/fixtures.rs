//! Files that other programs wrote.

mod common;

use common::{Cell, Table, fixture, float, read, read_all, text};
use srrd_data::{ErrorKind, ReadOptions, open};

fn expected() -> Table {
    let states = ["s0", "s1", "ünï", "a,b", "q\"q"];
    let next = ["s1", "ünï", "a,b", "q\"q", "end"];
    let actions = [0, 1, -2, 3, 4];
    let rewards = [0.5, -1.25, 3.0, 1e-300, 0.1];
    let done = [false, false, true, false, true];
    Table {
        names: ["state", "action", "next_state", "reward", "done"].map(str::to_owned).to_vec(),
        rows: (0..5)
            .map(|i| {
                vec![text(states[i]), Cell::Int(actions[i]), text(next[i]), float(rewards[i]), Cell::Bool(done[i])]
            })
            .collect(),
    }
}

#[test]
fn typed_files_of_pandas_polars_and_numpy() {
    for name in [
        #[cfg(feature = "parquet")]
        "pandas.parquet",
        #[cfg(feature = "parquet")]
        "pandas_gzip.parquet",
        #[cfg(feature = "parquet")]
        "pandas_lz4.parquet",
        #[cfg(feature = "parquet")]
        "polars.parquet",
        #[cfg(feature = "arrow")]
        "pandas.feather",
        #[cfg(feature = "arrow")]
        "polars.arrow",
        #[cfg(feature = "arrow")]
        "polars_zstd.arrow",
        #[cfg(feature = "arrow")]
        "polars_stream.arrow",
        "polars.jsonl",
        "numpy.npz",
        "numpy_compressed.npz",
    ] {
        assert_eq!(read(&fixture(name)).unwrap(), expected(), "{name}");
    }
}

#[test]
fn text_files_of_pandas() {
    let table = read(&fixture("pandas.csv")).unwrap();
    assert_eq!(table.names, expected().names);
    assert_eq!(table.column("state"), expected().column("state"));
    assert_eq!(table.column("reward")[3], text("1e-300"));
    assert_eq!(table.column("done")[2], text("True"));
    // With the index that pandas writes unless told otherwise.
    let table = read(&fixture("pandas_index.csv")).unwrap();
    assert_eq!(table.names[0], "");
    assert_eq!(table.column("")[4], text("4"));
    let table = read(&fixture("pandas.jsonl")).unwrap();
    assert_eq!(table.column("next_state"), expected().column("next_state"));
    assert_eq!(table.column("reward"), expected().column("reward"));
}

#[cfg(all(feature = "arrow", feature = "parquet"))]
#[test]
fn every_type_with_missing_values() {
    let usable = ["state", "action", "large", "view", "reward", "half", "done"];
    for name in ["types.feather", "types.parquet"] {
        let mut table = open(&fixture(name), &ReadOptions::default()).unwrap();
        table.select(&usable).unwrap();
        let table = read_all(&mut *table).unwrap();
        let missing = || Cell::Missing;
        assert_eq!(table.column("state"), [text("a"), missing(), text("b"), text("a")], "{name}");
        assert_eq!(table.column("action"), [Cell::Int(1), missing(), Cell::Int(3), Cell::Int(4)]);
        assert_eq!(table.column("large"), [text("x"), text(""), missing(), text("w")]);
        assert_eq!(table.column("view"), [text("a text too long to be inline"), missing(), text("y"), text("z")]);
        let rewards = table.column("reward");
        assert_eq!((&rewards[0], &rewards[1], &rewards[3]), (&float(1.5), &missing(), &float(-2.0)));
        assert!(matches!(rewards[2], Cell::Float(bits) if f64::from_bits(bits).is_nan()));
        assert_eq!(table.column("half"), [1.5, -2.0, 0.0, 65504.0].map(float));
        assert_eq!(table.column("done"), [Cell::Bool(true), missing(), Cell::Bool(false), Cell::Bool(true)]);

        let mut table = open(&fixture(name), &ReadOptions::default()).unwrap();
        table.select(&["nothing"]).unwrap();
        assert_eq!(read_all(&mut *table).unwrap().column("nothing"), [missing(), missing(), missing(), missing()]);

        for (column, kind, says) in [
            ("when", ErrorKind::UnsupportedColumn, "imestamp"),
            ("list", ErrorKind::MissingColumn, "`list.0`"),
            ("no such", ErrorKind::MissingColumn, "the table has `state`, `action`"),
        ] {
            let mut table = open(&fixture(name), &ReadOptions::default()).unwrap();
            let error = table.select(&[column]).unwrap_err();
            assert_eq!((error.kind(), error.column()), (kind, Some(column)), "{name}");
            assert!(error.to_string().contains(says), "{error}");
        }
        let mut table = open(&fixture(name), &ReadOptions::default()).unwrap();
        table.select(&["unsigned"]).unwrap();
        let unsigned = read_all(&mut *table).unwrap().column("unsigned");
        assert_eq!(unsigned, ["1", "2", "3", "9223372036854775808"].map(text), "{name}");
        // Without a selection, every column is needed.
        let error = read(&fixture(name)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnsupportedColumn);
    }
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_types_that_are_refused() {
    let error = read(&fixture("int96.parquet")).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::UnsupportedColumn, Some("when")));
    assert!(error.to_string().contains("Timestamp"), "{error}");
    // Decimals are numbers.
    assert_eq!(read(&fixture("decimal.parquet")).unwrap().column("reward"), [1.0, 2.0].map(float));
    let error = read(&fixture("pandas_brotli.parquet")).unwrap_err();
    assert!(error.to_string().contains("zstd or snappy"), "{error}");
}

#[cfg(feature = "parquet")]
#[test]
fn uuids_are_texts() {
    for name in ["uuid.parquet", "uuid.feather"] {
        let samples = srrd_data::read_samples(&fixture(name), srrd::Duplicates::Mean).unwrap();
        let names: Vec<&str> = samples.iter().map(|sample| sample.name.as_str()).collect();
        let ids = ["00010203-0405-0607-0809-0a0b0c0d0e0f", "f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff"];
        assert_eq!(names, ids, "{name}");
        // Also where nobody asks what they mean.
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("copy.csv");
        let input = || open(&fixture(name), &ReadOptions::default());
        srrd_data::TableCopy::open(input, &copy, &[], &Default::default()).unwrap().run().unwrap();
        assert_eq!(read(&copy).unwrap().column("run"), [ids[0], ids[0], ids[1]].map(text), "{name}");
    }
}

#[cfg(feature = "parquet")]
#[test]
fn row_groups_and_pages() {
    for batch_rows in [1, 64, 999, 100_000] {
        let options = ReadOptions { batch_rows, ..ReadOptions::default() };
        let table = read_all(&mut *open(&fixture("groups.parquet"), &options).unwrap()).unwrap();
        assert_eq!(table.rows.len(), 3000);
        for (i, row) in table.rows.iter().enumerate() {
            assert_eq!(row, &[Cell::Int(i as i64), text(&(i % 7).to_string())]);
        }
    }
}

#[test]
fn npz_features_and_odd_arrays() {
    let mut table = open(&fixture("features.npz"), &ReadOptions::default()).unwrap();
    let names: Vec<_> = table.schema().names().map(str::to_owned).collect();
    assert_eq!(names, ["state.0", "state.1", "next_state.0", "next_state.1", "action", "reward", "half", "big"]);
    table.select(&["next_state.1", "state.0", "state.1", "action", "reward", "half"]).unwrap();
    let table = read_all(&mut *table).unwrap();
    assert_eq!(table.column("state.0"), [0.0, 2.0, 4.0].map(float));
    assert_eq!(table.column("state.1"), [1.0, 3.0, 5.0].map(float));
    assert_eq!(table.column("next_state.1"), [7.0, 9.0, 11.0].map(float));
    assert_eq!(table.column("action"), ["l", "r", ""].map(text));
    assert_eq!(table.column("reward"), [1, 2, 3].map(Cell::Int));
    assert_eq!(table.column("half"), [1.5, -2.0, 0.0].map(float));
    let big = read(&fixture("features.npz")).unwrap().column("big");
    assert_eq!(big, ["1", "2", "9223372036854775808"].map(text));

    for (column, says) in
        [("objects", "pickle"), ("records", "records"), ("cube", "3 dimensions"), ("scalar", "0 dimensions")]
    {
        let mut table = open(&fixture("odd.npz"), &ReadOptions::default()).unwrap();
        let error = table.select(&["reward", column]).unwrap_err();
        assert_eq!((error.kind(), error.column()), (ErrorKind::UnsupportedColumn, Some(column)));
        assert!(error.to_string().contains(says), "{error}");
    }
    let mut table = open(&fixture("odd.npz"), &ReadOptions::default()).unwrap();
    table.select(&["reward", "short"]).unwrap();
    let error = read_all(&mut *table).unwrap_err();
    assert!(error.to_string().contains("length 1, but `reward` has 2"), "{error}");
}
