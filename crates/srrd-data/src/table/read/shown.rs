//! Columns of dates, times, decimals, bytes and nested values as text: what is done with them where they are only passed through.

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type};
use arrow_array::{Array, ArrayRef, Int32Array, Int64Array};
use arrow_schema::DataType;

use super::arrays::{self, column_type, list_value};
use super::calendar::{date, decimal, duration, time, timestamp};
use super::chat::{Chat, push_content};
use crate::table::batch::{Column, Values};
use crate::table::schema::ColumnType;

/// Whether values of this type can be shown as text.
pub(super) fn can_show(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Date32
            | DataType::Date64
            | DataType::Time32(_)
            | DataType::Time64(_)
            | DataType::Timestamp(..)
            | DataType::Duration(_)
            | DataType::Decimal32(..)
            | DataType::Decimal64(..)
            | DataType::Decimal128(..)
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::Decimal256(..)
            | DataType::FixedSizeBinary(_)
    ) || matches!(data_type, DataType::Dictionary(_, values) if can_show(values))
}

/// Whether values of this type can be written as JSON: lists, structs and maps of what can be read or shown.
pub(super) fn is_json(data_type: &DataType) -> bool {
    match data_type {
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) => {
            is_json(field.data_type())
        }
        DataType::Map(entries, _) => is_json(entries.data_type()),
        DataType::Struct(fields) => fields.iter().all(|field| is_json(field.data_type())),
        other => column_type(other).is_some() || can_show(other),
    }
}

/// Adds the values of `array`, which can be shown, to a column of text.
pub(super) fn fill(array: &ArrayRef, column: &mut Column) {
    const DAY: i64 = 86_400_000;
    match array.data_type() {
        DataType::Date32 => counts(array, column, date),
        DataType::Date64 => counts(array, column, |millis| date(millis.div_euclid(DAY))),
        &DataType::Time32(unit) | &DataType::Time64(unit) => counts(array, column, |value| time(value, unit)),
        DataType::Timestamp(unit, zone) => counts(array, column, |value| timestamp(value, *unit, zone.is_some())),
        &DataType::Duration(unit) => counts(array, column, |value| duration(value, unit)),
        &DataType::Decimal32(_, scale) => {
            texts(array.as_primitive::<Decimal32Type>(), column, |value| decimal(&value.to_string(), scale));
        }
        &DataType::Decimal64(_, scale) => {
            texts(array.as_primitive::<Decimal64Type>(), column, |value| decimal(&value.to_string(), scale));
        }
        &DataType::Decimal128(_, scale) => {
            texts(array.as_primitive::<Decimal128Type>(), column, |value| decimal(&value.to_string(), scale));
        }
        &DataType::Decimal256(_, scale) => {
            texts(array.as_primitive::<Decimal256Type>(), column, |value| decimal(&value.to_string(), scale));
        }
        DataType::Binary => texts(array.as_binary::<i32>(), column, bytes),
        DataType::LargeBinary => texts(array.as_binary::<i64>(), column, bytes),
        DataType::BinaryView => texts(array.as_binary_view(), column, bytes),
        DataType::FixedSizeBinary(_) => texts(array.as_fixed_size_binary(), column, bytes),
        DataType::Dictionary(..) => dictionary(array, column),
        // `can_show` lets no other type through; the caller notices that the column stays empty.
        _ => {}
    }
}

/// Adds values that stand in a dictionary, of which each is shown once.
fn dictionary(array: &ArrayRef, column: &mut Column) {
    let dictionary = array.as_any_dictionary();
    let mut shown = Column::empty(ColumnType::Text);
    fill(dictionary.values(), &mut shown);
    // An empty dictionary has no keys that are valid.
    let keys = if shown.is_empty() { Vec::new() } else { dictionary.normalized_keys() };
    let text = |row: usize| match &shown.values {
        Values::Text(texts) if array.is_valid(row) && shown.is_valid(keys[row]) => Some(texts.get(keys[row])),
        _ => None,
    };
    texts((0..array.len()).map(text), column, str::to_owned);
}

/// Bytes as the text they are; those that are no text are escaped, as `\xff`.
fn bytes(value: &[u8]) -> String {
    match std::str::from_utf8(value) {
        Ok(text) => text.to_owned(),
        Err(_) => value.escape_ascii().to_string(),
    }
}

/// Adds UUIDs, as they are written: 32 digits in five groups.
pub(super) fn fill_uuids(array: &ArrayRef, column: &mut Column) {
    texts(array.as_fixed_size_binary(), column, |bytes| {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        [0..8, 8..12, 12..16, 16..20, 20..32].map(|group| &digits[group]).join("-")
    });
}

/// Adds values that count days, seconds or parts of them since something, by integers of 32 or 64 bits.
fn counts(array: &ArrayRef, column: &mut Column, show: impl Fn(i64) -> String) {
    let narrow = matches!(array.data_type(), DataType::Date32 | DataType::Time32(_));
    let integer = if narrow { DataType::Int32 } else { DataType::Int64 };
    match array.to_data().into_builder().data_type(integer).build() {
        Ok(data) if narrow => texts(&Int32Array::from(data), column, |value| show(value.into())),
        Ok(data) => texts(&Int64Array::from(data), column, show),
        // The caller notices that the column stays empty.
        Err(_) => {}
    }
}

/// Adds the values of `array` to a column of text, as JSON writes them.
pub(super) fn fill_json(array: &ArrayRef, column: &mut Column) {
    let mut json = String::new();
    for row in 0..array.len() {
        if array.is_null(row) {
            column.push_missing();
            continue;
        }
        json.clear();
        column.lost += push_json(array, row, &mut json);
        if let Values::Text(texts) = &mut column.values {
            texts.push(&json);
        }
        column.note_validity(true);
    }
}

/// Whether values are lists of chat messages: of structures with a role and a content that can be shown.
pub(super) fn is_chat(data_type: &DataType) -> bool {
    let (DataType::List(item) | DataType::LargeList(item)) = data_type else { return false };
    let DataType::Struct(fields) = item.data_type() else { return false };
    let has = |name: &str| fields.iter().any(|field| field.name() == name);
    has("role") && has("content") && is_json(item.data_type())
}

/// Adds lists of chat messages to a column of text, as the texts that they are.
pub(super) fn fill_chat(array: &ArrayRef, column: &mut Column) {
    let mut chat = Chat::default();
    let mut json = String::new();
    for row in 0..array.len() {
        let Some(messages) = list_value(array, row).filter(|_| array.is_valid(row)) else {
            column.push_missing();
            continue;
        };
        chat.clear();
        let messages = messages.as_struct();
        let fields: Vec<(&str, &ArrayRef)> = messages.column_names().into_iter().zip(messages.columns()).collect();
        let of = |name: &str| fields.iter().find(|(field, _)| *field == name).map(|(_, values)| *values);
        for message in 0..messages.len() {
            chat.role(of("role").and_then(|roles| text_at(roles, message)).unwrap_or_default());
            match of("content").and_then(|contents| text_at(contents, message)) {
                Some(content) => chat.content(content),
                None => push_parts(&mut chat, of("content"), message, &mut json),
            }
            let others =
                fields.iter().filter(|(name, values)| !["role", "content"].contains(name) && values.is_valid(message));
            for (name, values) in others {
                chat.other(name, &json_at(values, message, &mut json));
            }
        }
        if let Values::Text(texts) = &mut column.values {
            texts.push(chat.text());
        }
        column.note_validity(true);
    }
}

/// The text in a row; `None` where there is none, or something else.
fn text_at(array: &ArrayRef, row: usize) -> Option<&str> {
    if array.is_null(row) {
        return None;
    }
    match array.data_type() {
        DataType::Utf8 => Some(array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => Some(array.as_string::<i64>().value(row)),
        DataType::Utf8View => Some(array.as_string_view().value(row)),
        _ => None,
    }
}

/// Whether a column is one of texts, or of lists that JSON can write.
pub(super) fn has_cells(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => is_json(data_type),
        _ => false,
    }
}

/// The text in the first row, or its list as JSON writes it.
pub(super) fn cell(array: &ArrayRef) -> Option<String> {
    list_value(array, 0)
        .is_some()
        .then(|| {
            let mut json = String::new();
            push_json(array, 0, &mut json);
            json
        })
        .or_else(|| text_at(array, 0).map(str::to_owned))
}

fn json_at(array: &ArrayRef, row: usize, json: &mut String) -> serde_json::Value {
    json.clear();
    push_json(array, row, json);
    serde_json::from_str(json).unwrap_or_default()
}

/// A content that is a list of parts.
fn push_parts(chat: &mut Chat, contents: Option<&ArrayRef>, message: usize, json: &mut String) {
    if let Some(contents) = contents.filter(|contents| contents.is_valid(message)) {
        push_content(chat, &json_at(contents, message, json));
    }
}

/// Adds the value in a row as JSON writes it, and says how many numbers in it became null, since JSON has none like them.
fn push_json(array: &ArrayRef, row: usize, json: &mut String) -> u64 {
    let mut lost = 0;
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    if array.is_null(row) {
        json.push_str("null");
    } else if let Some(list) = list_value(array, row) {
        push_all(json, '[', ']', 0..list.len(), |index, json| lost += push_json(&list, index, json));
    } else if let Some(map) = array.as_map_opt() {
        let entries: ArrayRef = std::sync::Arc::new(map.value(row));
        push_all(json, '[', ']', 0..entries.len(), |index, json| lost += push_json(&entries, index, json));
    } else if let Some(fields) = array.as_struct_opt() {
        let parts = fields.column_names().into_iter().zip(fields.columns());
        push_all(json, '{', '}', parts, |(name, values), json| {
            *json += &quoted(name);
            json.push(':');
            lost += push_json(values, row, json);
        });
    } else {
        let one = array.slice(row, 1);
        let kind = column_type(one.data_type()).filter(|_| !can_show(one.data_type()));
        let mut column = Column::empty(kind.unwrap_or(ColumnType::Text));
        match kind {
            None => fill(&one, &mut column),
            Some(_) => drop(arrays::fill(&one, &mut column)),
        }
        match &column.values {
            _ if column.is_empty() || !column.is_valid(0) => json.push_str("null"),
            Values::Text(texts) => *json += &quoted(texts.get(0)),
            Values::Float(values) => {
                lost += u64::from(!values[0].is_finite());
                *json += &serde_json::Value::from(values[0]).to_string();
            }
            Values::Int(values) => *json += &values[0].to_string(),
            Values::Bool(values) => *json += &values[0].to_string(),
        }
    }
    lost
}

/// Adds things in brackets, with commas between them.
fn push_all<T>(
    json: &mut String,
    open: char,
    close: char,
    things: impl IntoIterator<Item = T>,
    mut push: impl FnMut(T, &mut String),
) {
    json.push(open);
    for (index, thing) in things.into_iter().enumerate() {
        if index > 0 {
            json.push(',');
        }
        push(thing, json);
    }
    json.push(close);
}

fn texts<T>(values: impl IntoIterator<Item = Option<T>>, column: &mut Column, show: impl Fn(T) -> String) {
    for value in values {
        match (value, &mut column.values) {
            (Some(value), Values::Text(texts)) => {
                texts.push(&show(value));
                column.note_validity(true);
            }
            _ => column.push_missing(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Time64MicrosecondArray;
    use arrow_array::{
        Date32Array, Decimal128Array, Decimal256Array, DictionaryArray, DurationMillisecondArray, Int8Array,
    };
    use arrow_array::{TimestampNanosecondArray, TimestampSecondArray};
    use arrow_buffer::i256;
    use std::sync::Arc;

    #[test]
    fn dates_times_and_decimals_are_shown() {
        let days = Arc::new(Date32Array::from(vec![None, Some(19_782)]));
        let dates = DictionaryArray::new(Int8Array::from(vec![Some(1), Some(0)]), days);
        let least = "-5.7896044618658097711785492504343953926634992332820282019728792003956564819968";
        let arrays: [(ArrayRef, &str); 8] = [
            (Arc::new(Date32Array::from(vec![Some(19_782), None])), "2024-02-29"),
            (Arc::new(TimestampNanosecondArray::from(vec![Some(1), None])), "1970-01-01T00:00:00.000000001"),
            (
                Arc::new(TimestampSecondArray::from(vec![Some(60), None]).with_timezone("+01:00")),
                "1970-01-01T00:01:00Z",
            ),
            (Arc::new(Time64MicrosecondArray::from(vec![Some(3_600_000_000), None])), "01:00:00"),
            (Arc::new(DurationMillisecondArray::from(vec![Some(1500), None])), "PT1.500S"),
            (Arc::new(Decimal128Array::from(vec![Some(-5), None])), "-0.0000000005"),
            (
                Arc::new(Decimal256Array::from(vec![Some(i256::MIN), None]).with_precision_and_scale(76, 76).unwrap()),
                least,
            ),
            (Arc::new(dates), "2024-02-29"),
        ];
        for (array, shown) in arrays {
            assert!(can_show(array.data_type()));
            let mut column = Column::empty(ColumnType::Text);
            fill(&array, &mut column);
            assert_eq!(column.values, Values::Text([shown, ""].into_iter().collect()), "{:?}", array.data_type());
            assert_eq!(column.validity, Some(vec![true, false]));
        }
    }
}
