//! The types of columns that come as text.

use srrd_data::{
    Batch, ColumnType, FileFormat, Format, ReadOptions, Schema, Values, coerce, infer_types_of, open_bytes,
};

fn infer(format: Format, text: &str) -> Vec<ColumnType> {
    let options = ReadOptions { batch_rows: 2, ..ReadOptions::default() };
    let format = FileFormat::plain(format);
    let mut table = open_bytes("t", format, text.as_bytes().to_vec(), &options).unwrap();
    infer_types_of(&mut *table).unwrap()
}

#[test]
fn a_column_has_the_narrowest_type_of_its_values() {
    use ColumnType::{Bool, Float, Int, Text};
    for (values, kind) in [
        ("1 -5 0", Int),
        ("1 2.5 -0", Float),
        ("1e5 2E-3 3", Float),
        ("007 1", Text),
        ("+1 1", Text),
        (".5 1", Text),
        ("true false", Bool),
        ("True False", Bool),
        ("true False", Text),
        ("true 1", Text),
        ("9223372036854775807", Int),
        ("9223372036854775808", Text),
        ("9007199254740993 0.5", Text),
        ("1e400 1", Text),
        ("nan 1", Float),
        ("-inf 1.5 NaN", Float),
        ("nan inf", Text),
        ("nan x 1", Text),
        ("\"\" 1", Int),
        ("\"\" \"\"", Text),
    ] {
        let csv = format!("x\n{}\n", values.replace(' ', "\n"));
        assert_eq!(infer(Format::Csv, &csv), [kind], "{values}");
    }
    let jsonl = "{\"a\":1,\"b\":null,\"c\":true}\n\n{\"a\":2,\"b\":null,\"c\":null}\n{\"a\":0.5,\"b\":1,\"c\":false}\n";
    assert_eq!(infer(Format::Jsonl, jsonl), [Float, Int, Bool]);
    let strings = "{\"a\":\"1\",\"b\":null}\n";
    assert_eq!(infer(Format::Jsonl, strings), [Text, Text]);
}

#[test]
fn coercing_keeps_missing_values_and_names_bad_ones() {
    let texts = Values::Text(["1", "", "3"].into_iter().collect());
    let mut batch = Batch::from_columns(vec![texts.clone().into(), texts.into()], 1);
    let schema = Schema::new([("a", ColumnType::Int), ("b", ColumnType::Text)]);
    coerce("t", &schema, &mut batch).unwrap();
    assert_eq!(batch.columns[0].values, Values::Int(vec![1, 0, 3]));
    assert_eq!(batch.columns[0].validity, Some(vec![true, false, true]));
    assert_eq!(batch.columns[1].validity, None);
    // The longest integers that infer_types lets into a column of floats.
    let long = Values::Text(["9007199254740992", "-0.5"].into_iter().collect());
    let mut floats = Batch::from_columns(vec![long.into()], 1);
    coerce("t", &Schema::new([("x", ColumnType::Float)]), &mut floats).unwrap();
    assert_eq!(floats.columns[0].values, Values::Float(vec![9007199254740992.0, -0.5]));
    let schema = Schema::new([("a", ColumnType::Bool), ("b", ColumnType::Text)]);
    let error = coerce("t", &schema, &mut batch).unwrap_err();
    assert_eq!(error.to_string(), "t: row 1, column `a`: `1` is not true or false, as the column is to be written");
}
