//! Columns that carry no meaning are passed through a copy, whatever their types are.
#![cfg_attr(not(feature = "parquet"), allow(clippy::single_element_loop, unused_imports))]

mod common;

use std::fs;
use std::path::Path;

use common::{float, read, text};
use srrd_data::{ReadOptions, TableCopy, TableError, open};

/// Copies a table, and says what it was warned about.
fn copied(from: &Path, to: &Path) -> Result<Vec<String>, TableError> {
    let copy =
        TableCopy::open(|| open(from, &ReadOptions::default()), to, &["canonical".to_owned()], &Default::default())?;
    let warnings = copy.notes().iter().map(ToString::to_string).collect();
    let rows = match from.extension().is_some_and(|extension| extension == "npz") {
        true => 2,
        false => 3,
    };
    copy.append(rows, |row, _| row as f64)?;
    Ok(warnings)
}

#[test]
fn json_values_of_all_kinds() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let extra = [
        "1, \"b\": {\"x\": [1.50, null]}, \"c\": 1",
        "\"x\", \"b\": null, \"c\": 2.5",
        "[2], \"b\": \"q\\\"\", \"c\": 3",
    ];
    let row = |extra: &&str| format!("{{\"state\": 1, \"action\": 2, \"reward\": 0.5, \"a\": {extra}}}\n");
    fs::write(path("t.jsonl"), extra.iter().map(row).collect::<String>()).unwrap();

    assert_eq!(copied(&path("t.jsonl"), &path("out.csv")).unwrap(), [""; 0]);
    let csv = "state,action,reward,a,b,c,canonical\n\
               1,2,0.5,1,\"{\"\"x\"\": [1.50, null]}\",1.0,0.0\n1,2,0.5,x,,2.5,1.0\n1,2,0.5,[2],\"q\"\"\",3.0,2.0\n";
    assert_eq!(fs::read_to_string(path("out.csv")).unwrap(), csv);

    copied(&path("t.jsonl"), &path("out.jsonl")).unwrap();
    let back = fs::read_to_string(path("out.jsonl")).unwrap();
    let expected =
        "{\"state\":1,\"action\":2,\"reward\":0.5,\"a\":1,\"b\":{\"x\": [1.50, null]},\"c\":1,\"canonical\":0.0}";
    assert_eq!(back.lines().next(), Some(expected));
    assert!(back.contains("\"a\":\"x\",\"b\":null,\"c\":2.5,") && back.contains("\"a\":[2],\"b\":\"q\\\"\",\"c\":3,"));

    for name in [
        "out.npz",
        #[cfg(feature = "parquet")]
        "out.parquet",
    ] {
        if name == "out.npz" {
            // NPZ has no missing texts.
            let whole = fs::read_to_string(path("t.jsonl")).unwrap().replace("\"b\": null", "\"b\": 0");
            fs::write(path("whole.jsonl"), whole).unwrap();
            copied(&path("whole.jsonl"), &path(name)).unwrap();
        } else {
            copied(&path("t.jsonl"), &path(name)).unwrap();
        }
        let table = read(&path(name)).unwrap();
        assert_eq!(table.column("a"), ["1", "x", "[2]"].map(text));
        assert_eq!(table.column("b")[0], text("{\"x\": [1.50, null]}"));
        assert_eq!(table.column("c"), [1.0, 2.5, 3.0].map(float));
    }
}

#[test]
fn columns_with_a_meaning_keep_their_errors() {
    let folder = tempfile::tempdir().unwrap();
    let from = folder.path().join("t.jsonl");
    for (row, column) in [
        ("{\"state\": [[1]], \"action\": 2, \"reward\": 0.5}", "state"),
        ("{\"state\": 1, \"action\": 2, \"reward\": 0.5, \"label\": {}}", "label"),
        ("{\"state\": 1, \"action\": 2, \"reward\": 0.5, \"episode\": []}", "episode"),
    ] {
        fs::write(&from, row.to_owned() + "\n").unwrap();
        for name in ["out.csv", "out.jsonl"] {
            let error = copied(&from, &folder.path().join(name)).unwrap_err();
            assert_eq!(error.column(), Some(column), "{error}");
        }
    }
}

#[test]
fn arrays_that_are_no_columns() {
    use zip::write::SimpleFileOptions;
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("t.npz"), folder.path().join("out.csv"));
    fs::write(folder.path().join("t.csv"), "state,action,reward,k\n1,2,0.5,7\n2,2,1.5,8\n").unwrap();
    let csv = folder.path().join("t.csv");
    TableCopy::open(|| open(&csv, &ReadOptions::default()), &from, &[], &Default::default()).unwrap().run().unwrap();
    let file = fs::File::options().read(true).write(true).open(&from).unwrap();
    let mut archive = zip::ZipWriter::new_append(file).unwrap();
    for (name, descr, shape, size) in
        [("gamma", "<f8", "()", 8), ("map", "<f8", "(2, 3)", 48), ("who", "|O", "(2,)", 4), ("short", "<i8", "(1,)", 8)]
    {
        use std::io::Write;
        archive.start_file(format!("{name}.npy"), SimpleFileOptions::default()).unwrap();
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
        archive.write_all(b"\x93NUMPY\x01\x00").unwrap();
        archive.write_all(&(header.len() as u16).to_le_bytes()).unwrap();
        archive.write_all(header.as_bytes()).unwrap();
        archive.write_all(&vec![0; size]).unwrap();
    }
    archive.finish().unwrap();
    let warnings = copied(&from, &to).unwrap();
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    for (warning, (column, says)) in
        warnings.iter().zip([("gamma", "0 dimensions"), ("who", "pickle"), ("short", "length 1")])
    {
        assert!(warning.starts_with(&format!("{}: column `{column}` is left out: ", from.display())), "{warning}");
        assert!(warning.contains(says), "{warning}");
    }
    let table = fs::read_to_string(&to).unwrap();
    let expected = "state,action,reward,k,map.0,map.1,map.2,canonical\n\
                    1,2,0.5,7,0.0,0.0,0.0,0.0\n2,2,1.5,8,0.0,0.0,0.0,1.0\n";
    assert_eq!(table, expected);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_dates_times_decimals_bytes_and_nested_values() {
    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use std::sync::Arc;

    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("t.parquet"), folder.path().join("out.csv"));
    let schema = "message m {
        required int64 state; required int64 action; required double reward;
        optional int64 when (TIMESTAMP(MICROS, false)); required int32 day (DATE);
        required int32 price (DECIMAL(5, 2)); required binary wide (DECIMAL(20, 1)); required int64 at (TIME(NANOS, true));
        required binary bytes; required binary legacy;
        repeated int64 many; required group pair { required int64 left; }
        required int64 last;
    }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(fs::File::create(&from).unwrap(), schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = 0;
    while let Some(mut to) = group.next_column().unwrap() {
        let bytes = |values: [&[u8]; 3]| values.map(|value| ByteArray::from(value.to_vec()));
        let mut put = |values: [i64; 3]| to.typed::<Int64Type>().write_batch(&values, None, None).map(drop);
        match column {
            2 => to.typed::<DoubleType>().write_batch(&[1.0, 2.0, 3.0], None, None).map(drop),
            3 => to.typed::<Int64Type>().write_batch(&[1, -1], Some(&[1, 0, 1]), None).map(drop),
            4 | 5 => to.typed::<Int32Type>().write_batch(&[0, -1, 19_782], None, None).map(drop),
            6 => {
                let values = bytes([&[1, 0, 0, 0, 0, 0, 0, 0, 0], &[0xff], &[5]]);
                to.typed::<ByteArrayType>().write_batch(&values, None, None).map(drop)
            }
            8 => to.typed::<ByteArrayType>().write_batch(&bytes([b"a", b"\xff", b""]), None, None).map(drop),
            9 => to.typed::<ByteArrayType>().write_batch(&bytes([b"a", b"b", b""]), None, None).map(drop),
            10 => to.typed::<Int64Type>().write_batch(&[], Some(&[0, 0, 0]), Some(&[0, 0, 0])).map(drop),
            _ => put([1, 2, 3]),
        }
        .unwrap();
        to.close().unwrap();
        column += 1;
    }
    group.close().unwrap();
    writer.close().unwrap();

    let warnings = copied(&from, &to).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let table = read(&to).unwrap();
    assert_eq!(table.names[8..], ["bytes", "legacy", "many", "pair", "last", "canonical"]);
    for (column, values) in [
        ("when", ["1970-01-01T00:00:00.000001", "", "1969-12-31T23:59:59.999999"]),
        ("day", ["1970-01-01", "1969-12-31", "2024-02-29"]),
        ("price", ["0.00", "-0.01", "197.82"]),
        ("wide", ["1844674407370955161.6", "-0.1", "0.5"]),
        ("at", ["00:00:00.000000001", "00:00:00.000000002", "00:00:00.000000003"]),
        ("bytes", ["a", "\\xff", ""]),
        ("legacy", ["a", "b", ""]),
        ("many", ["[]", "[]", "[]"]),
        ("pair", ["{\"left\":1}", "{\"left\":2}", "{\"left\":3}"]),
        ("last", ["1", "2", "3"]),
    ] {
        assert_eq!(table.column(column), values.map(text), "{column}");
    }
    let typed = folder.path().join("out.parquet");
    // A typed copy has the same values, and tells them alike.
    let input = || open(&from, &ReadOptions::default());
    TableCopy::open(input, &typed, &[], &Default::default()).unwrap().run().unwrap();
    let again = folder.path().join("again.csv");
    assert!(copied(&typed, &again).unwrap().is_empty());
    assert_eq!(read(&again).unwrap(), table);
}

#[cfg(feature = "arrow")]
#[test]
fn arrow_dates_bytes_and_what_cannot_be_kept() {
    use arrow_array::{ArrayRef, Date32Array, FixedSizeBinaryArray, Float64Array, Int64Array, RecordBatch};
    use arrow_array::{IntervalYearMonthArray, ListArray, types::Int64Type};
    use std::sync::Arc;

    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("t.arrow"), folder.path().join("out.tsv"));
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let bytes = FixedSizeBinaryArray::try_from_iter([[1u8], [2], [3]].into_iter()).unwrap();
    let ragged = [Some(vec![Some(1)]), None, Some(vec![Some(2), None])];
    let columns: [(&str, ArrayRef); 8] = [
        ("bytes", Arc::new(bytes)),
        ("state", Arc::clone(&numbers)),
        ("day", Arc::new(Date32Array::from(vec![Some(0), None, Some(1)]))),
        ("action", Arc::clone(&numbers)),
        ("reward", Arc::new(Float64Array::from(vec![1.0, 2.0, 3.0]))),
        ("ragged", Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(ragged))),
        ("span", Arc::new(IntervalYearMonthArray::from(vec![1, 2, 3]))),
        ("last", numbers),
    ];
    let records = RecordBatch::try_from_iter(columns).unwrap();
    let file = fs::File::create(&from).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &records.schema()).unwrap();
    writer.write(&records).unwrap();
    writer.finish().unwrap();

    let warnings = copied(&from, &to).unwrap();
    assert!(warnings.len() == 1 && warnings[0].contains("column `span` is left out"), "{warnings:?}");
    let expected = "bytes\tstate\tday\taction\treward\tragged\tlast\tcanonical\n\
                    \u{1}\t1\t1970-01-01\t1\t1.0\t[1]\t1\t0.0\n\u{2}\t2\t\t2\t2.0\t\t2\t1.0\n\
                    \u{3}\t3\t1970-01-02\t3\t3.0\t[2,null]\t3\t2.0\n";
    assert_eq!(fs::read_to_string(&to).unwrap(), expected);
}

#[test]
fn long_integers_survive_copies() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let states = ["1", "18446744073709551615", "2", "0"];
    let row = |state: &&str| format!("{{\"state\":{state},\"action\":2,\"reward\":0.5,\"id\":{state}}}\n");
    fs::write(path("t.jsonl"), states.iter().map(row).collect::<String>()).unwrap();
    // Batches of one row: most have no long integer.
    let options = ReadOptions { batch_rows: 1, ..ReadOptions::default() };
    for name in [
        "out.csv",
        "out.jsonl",
        "out.npz",
        #[cfg(feature = "parquet")]
        "out.parquet",
        #[cfg(feature = "arrow")]
        "out.arrow",
    ] {
        let copy = TableCopy::open(|| open(&path("t.jsonl"), &options), &path(name), &[], &Default::default()).unwrap();
        copy.run().unwrap();
        assert_eq!(read(&path(name)).unwrap().column("state"), states.map(text), "{name}");
    }
    let back = fs::read_to_string(path("out.jsonl")).unwrap();
    assert!(back.contains("\"id\":18446744073709551615}"), "{back}");
}

#[cfg(feature = "arrow")]
#[test]
fn record_batches_from_elsewhere() {
    use arrow_array::types::Float64Type;
    use arrow_array::{ArrayRef, Int64Array, ListArray, RecordBatch, RecordBatchIterator};
    use srrd_data::{Batch, Piece, Values, open_records};
    use std::sync::Arc;

    let batch = |rows: std::ops::Range<i64>| {
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.clone()));
        let lists = rows.map(|row| Some(vec![Some(row as f64), Some(0.5)]));
        let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(lists));
        RecordBatch::try_from_iter([("id", numbers), ("obs", lists)]).unwrap()
    };
    let batches = vec![Ok(batch(0..0)), Ok(batch(0..3)), Ok(batch(3..5))];
    let reader = Box::new(RecordBatchIterator::new(batches, batch(0..0).schema()));
    let mut table = open_records("frame", reader, &ReadOptions::default()).unwrap();
    assert_eq!(table.schema().names().collect::<Vec<_>>(), ["id", "obs.0", "obs.1"]);
    table.select(&["obs.0", "id"]).unwrap();
    let (mut found, mut rows) = (Vec::<i64>::new(), Batch::new());
    while let Piece::Rows = table.next_batch(&mut rows).unwrap() {
        let (Values::Float(obs), Values::Int(ids)) = (&rows.columns[0].values, &rows.columns[1].values) else {
            panic!("{:?}", rows.columns)
        };
        assert!(obs.iter().zip(ids).all(|(obs, id)| *obs == *id as f64));
        found.extend(ids);
    }
    assert_eq!(found, [0, 1, 2, 3, 4]);
}
