//! Columns that carry no meaning keep their types between formats that have types.
#![cfg(feature = "parquet")]

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::{Float32Type, Int8Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, FixedSizeBinaryArray, Float32Array,
    Float64Array, Int16Array, Int64Array, ListArray, RecordBatch, StringArray, StructArray, TimestampMicrosecondArray,
    UInt64Array,
};
use arrow_schema::{Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use srrd_data::{Copied, ReadOptions, TableCopy, open};

/// Four rows, with the dictionary of its own that a piece of a Parquet file has.
fn batch(from: i64, names: [&str; 4]) -> RecordBatch {
    let list = |row: usize| (row != 1).then(|| vec![Some(row as f32), None]);
    let uuids = FixedSizeBinaryArray::try_from_iter((0..4).map(|row| [row as u8; 16])).unwrap();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("state", Arc::new(Int64Array::from_iter_values(from..from + 4))),
        ("action", Arc::new(StringArray::from(vec!["a", "b", "a", "b"]))),
        ("reward", Arc::new(Float64Array::from(vec![0.5, 1.0, 2.0, 4.0]))),
        ("narrow", Arc::new(Float32Array::from(vec![Some(0.1), None, Some(f32::NAN), Some(f32::INFINITY)]))),
        ("short", Arc::new(Int16Array::from(vec![Some(-1), None, Some(2), Some(3)]))),
        ("large", Arc::new(UInt64Array::from(vec![u64::MAX, 0, 1, 2]))),
        ("day", Arc::new(Date32Array::from(vec![Some(19_782), None, Some(0), Some(-1)]))),
        ("when", Arc::new(TimestampMicrosecondArray::from(vec![1, 2, 3, -4]).with_timezone("UTC"))),
        ("price", Arc::new(Decimal128Array::from(vec![1, -2, 3, 4]).with_precision_and_scale(30, 3).unwrap())),
        ("kind", Arc::new(names.into_iter().collect::<DictionaryArray<Int8Type>>())),
        ("flag", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), None]))),
        ("vector", Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>((0..4).map(list)))),
        (
            "pair",
            Arc::new(StructArray::try_from(vec![("x", Arc::new(Int64Array::from_iter_values(0..4)) as _)]).unwrap()),
        ),
        ("id", Arc::new(uuids)),
    ];
    let field = |(name, array): &(&str, ArrayRef)| {
        let metadata = HashMap::from([("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned())]);
        let field = Field::new(*name, array.data_type().clone(), true);
        if *name == "id" { field.with_metadata(metadata) } else { field }
    };
    let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
    RecordBatch::try_new(schema, columns.into_iter().map(|(_, array)| array).collect()).unwrap()
}

/// A Parquet file of two row groups whose dictionaries differ.
fn file(path: &Path) -> Vec<RecordBatch> {
    let batches = vec![batch(0, ["x", "y", "x", "y"]), batch(4, ["z", "y", "z", "x"])];
    let mut writer = ArrowWriter::try_new(fs::File::create(path).unwrap(), batches[0].schema(), None).unwrap();
    for batch in &batches {
        writer.write(batch).unwrap();
        writer.flush().unwrap();
    }
    writer.close().unwrap();
    batches
}

fn written(path: &Path) -> RecordBatch {
    let file = fs::File::open(path).unwrap();
    let batches: Vec<RecordBatch> = match path.extension().is_some_and(|extension| extension == "parquet") {
        true => ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap().map(Result::unwrap).collect(),
        false => arrow_ipc::reader::FileReader::try_new(file, None).unwrap().map(Result::unwrap).collect(),
    };
    arrow_select::concat::concat_batches(&batches[0].schema(), &batches).unwrap()
}

fn copy(from: &Path, to: &Path) -> (Vec<String>, Copied) {
    // Batches of three rows: pieces of a file are divided.
    let options = ReadOptions { batch_rows: 3, ..ReadOptions::default() };
    let copy = TableCopy::open(|| open(from, &options), to, &[], &Default::default()).unwrap();
    (copy.notes().iter().map(ToString::to_string).collect(), copy.run().unwrap())
}

fn texts(array: &ArrayRef) -> Vec<Option<String>> {
    let dictionary = array.as_any().downcast_ref::<DictionaryArray<Int8Type>>().unwrap();
    let values = dictionary.downcast_dict::<StringArray>().unwrap();
    values.into_iter().map(|text| text.map(str::to_owned)).collect()
}

#[test]
fn types_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let expected = file(&path("in.parquet"));
    let expected = arrow_select::concat::concat_batches(&expected[0].schema(), &expected).unwrap();
    for (from, to) in
        [("in.parquet", "a.parquet"), ("in.parquet", "b.arrow"), ("b.arrow", "c.feather"), ("c.feather", "d.parquet")]
    {
        let (notes, copied) = copy(&path(from), &path(to));
        assert_eq!((notes, copied.rows, copied.notes), (vec![], 8, vec![]), "{to}");
        let found = written(&path(to));
        assert_eq!(found.num_columns(), expected.num_columns());
        for (field, column) in expected.schema().fields().iter().zip(expected.columns()).skip(3) {
            let (_, found_field) = found.schema_ref().column_with_name(field.name()).unwrap();
            assert_eq!(found_field.data_type(), field.data_type(), "{to}");
            let found_column = found.column_by_name(field.name()).unwrap();
            match field.name().as_str() {
                "kind" => assert_eq!(texts(found_column), texts(column), "{to}"),
                // NaN is unlike itself.
                "narrow" => assert_eq!(format!("{found_column:?}"), format!("{column:?}"), "{to}"),
                name => assert_eq!(found_column, column, "{to} {name}"),
            }
        }
        assert!(found.schema().field_with_name("id").unwrap().metadata().contains_key("ARROW:extension:name"), "{to}");
    }
}

#[test]
fn rows_that_are_left_out_are_left_out_of_every_column() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("in.parquet"), folder.path().join("out.parquet"));
    let batches = file(&from);
    let input = || open(&from, &ReadOptions::default());
    let copy = TableCopy::open(input, &to, &[], &Default::default()).unwrap();
    copy.edit(8, |batch| batch.retain(&(0..batch.rows).map(|row| row % 2 == 0).collect::<Vec<_>>())).unwrap();
    let found = written(&to);
    assert_eq!(found.num_rows(), 4);
    let days = found.column_by_name("day").unwrap();
    assert_eq!(&days.slice(0, 1), &batches[0].column_by_name("day").unwrap().slice(0, 1));
    assert_eq!(&days.slice(1, 1), &batches[0].column_by_name("day").unwrap().slice(2, 1));
    assert_eq!(texts(found.column_by_name("kind").unwrap()), ["x", "x", "z", "z"].map(|text| Some(text.to_owned())));
}

#[test]
fn what_json_cannot_say_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    file(&path("in.parquet"));
    let lists = ListArray::from_iter_primitive::<Float32Type, _, _>([Some(vec![Some(f32::NAN), Some(1.0)])]);
    let columns: [(&str, ArrayRef); 4] = [
        ("state", Arc::new(Int64Array::from(vec![1]))),
        ("action", Arc::new(Int64Array::from(vec![1]))),
        ("reward", Arc::new(Float64Array::from(vec![1.0]))),
        ("lists", Arc::new(lists)),
    ];
    let nested = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer =
        ArrowWriter::try_new(fs::File::create(path("nested.parquet")).unwrap(), nested.schema(), None).unwrap();
    writer.write(&nested).unwrap();
    writer.close().unwrap();
    for (from, to, says) in [
        ("in.parquet", "out.jsonl", Some("null stands for 4 of column `narrow`;")),
        ("nested.parquet", "out.jsonl", Some("null stands for 1 of column `lists`;")),
        ("nested.parquet", "out.csv", Some("null stands for 1 of column `lists`;")),
        ("in.parquet", "out.csv", None),
    ] {
        let notes = copy(&path(from), &path(to)).1.notes;
        assert_eq!(notes.len(), usize::from(says.is_some()), "{notes:?}");
        assert!(says.is_none_or(|says| notes[0].to_string().contains(says)), "{notes:?}");
    }
}
