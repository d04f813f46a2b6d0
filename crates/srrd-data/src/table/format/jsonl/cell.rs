//! One value of a JSONL row, put into its column.
//!
//! A column's type comes from its values: strings are text, integers integers, other numbers floats, `true` and `false`
//! booleans, `null` a missing value. Integers beyond 64 bits are kept as they are written, as text with the integers of
//! their column: as floats, different tokens would become one. A column that mixes integers and floats is one of floats, unless
//! that would round an integer. Any other mixture is an error, except in columns that carry no meaning.

use std::borrow::Cow;

use crate::error::{ErrorKind, shorten};
use crate::table::batch::{Column, TextColumn, Values};
use crate::table::schema::ColumnType;
use crate::table::types::{EXACT, push_text};

/// What becomes of a column whose values have several types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mixing {
    /// They are an error, and so are arrays and objects.
    Refused,
    /// Values become text: strings as they are, others as they are written.
    AsText,
    /// All values are kept as they are written in JSON, quotes and all.
    AsWritten,
}

/// What the values of a column have been so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Int,
    /// Integers of which some do not fit into 64 bits, held as text.
    LongInt,
    Float,
    Bool,
    /// Anything, held as text.
    Mixed,
}

impl Kind {
    pub(super) fn column_type(self) -> ColumnType {
        match self {
            Kind::Text | Kind::LongInt | Kind::Mixed => ColumnType::Text,
            Kind::Int => ColumnType::Int,
            Kind::Float => ColumnType::Float,
            Kind::Bool => ColumnType::Bool,
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Int | Kind::LongInt | Kind::Float => "a number",
            Kind::Bool => "true or false",
            Kind::Mixed => "anything",
        }
    }
}

/// Why a value cannot be in its column.
type Refusal = (ErrorKind, String);

/// A value that is not null.
enum Value<'a> {
    Text(Cow<'a, str>),
    Int(i64),
    LongInt,
    Float(f64),
    Bool(bool),
}

impl Value<'_> {
    fn kind(&self) -> Kind {
        match self {
            Value::Text(_) => Kind::Text,
            Value::Int(_) => Kind::Int,
            Value::LongInt => Kind::LongInt,
            Value::Float(_) => Kind::Float,
            Value::Bool(_) => Kind::Bool,
        }
    }
}

/// Adds a value, as it is written in JSON, to a column whose values so far are of `kind`.
pub(super) fn push(json: &str, mixing: Mixing, kind: &mut Option<Kind>, column: &mut Column) -> Result<(), Refusal> {
    if json == "null" {
        column.push_missing();
        return Ok(());
    }
    if mixing == Mixing::AsWritten {
        become_text(column);
        *kind = Some(Kind::Mixed);
        push_value(column, json, Value::Text(json.into()));
        return Ok(());
    }
    let refused = match value(json) {
        Ok(value) => match fit(&value, json, kind, column) {
            Ok(()) => {
                push_value(column, json, value);
                return Ok(());
            }
            Err(refusal) => refusal,
        },
        Err(refusal) => refusal,
    };
    if mixing == Mixing::Refused || refused.0 == ErrorKind::Malformed {
        return Err(refused);
    }
    become_text(column);
    *kind = Some(Kind::Mixed);
    let text = match value(json) {
        Ok(Value::Text(text)) => text,
        _ => json.into(),
    };
    push_value(column, json, Value::Text(text));
    Ok(())
}

fn value(json: &str) -> Result<Value<'_>, Refusal> {
    let nested = |what: &str| {
        let message = format!(
            "the value is {what}; values must be strings, numbers, true, false or null (features go into columns of \
             their own, such as state.x and state.y)"
        );
        Err((ErrorKind::Type, message))
    };
    match json.as_bytes().first() {
        Some(b'"') => text(json).map(Value::Text),
        Some(b't') => Ok(Value::Bool(true)),
        Some(b'f') => Ok(Value::Bool(false)),
        Some(b'[') => nested("an array"),
        Some(b'{') => nested("an object"),
        _ => number(json),
    }
}

/// The text that a JSON string is.
fn text(json: &str) -> Result<Cow<'_, str>, Refusal> {
    match json.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(plain) if !plain.contains('\\') => Ok(plain.into()),
        _ => serde_json::from_str::<String>(json).map(Cow::Owned).map_err(|_| {
            let message = format!("{} holds an escape that is no character; correct it", shorten(json));
            (ErrorKind::Malformed, message)
        }),
    }
}

fn number(json: &str) -> Result<Value<'_>, Refusal> {
    // Negative zero is no integer.
    if !json.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) && json != "-0" {
        return Ok(json.parse().map_or(Value::LongInt, Value::Int));
    }
    match json.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(Value::Float(number)),
        _ => Err((ErrorKind::Number, format!("{} is out of range; a number must be finite", shorten(json)))),
    }
}

/// Makes the column one that can hold `value`.
fn fit(value: &Value<'_>, json: &str, kind: &mut Option<Kind>, column: &mut Column) -> Result<(), Refusal> {
    let found = value.kind();
    let known = *kind.get_or_insert_with(|| {
        become_empty(column, found.column_type());
        found
    });
    if known == found {
        return Ok(());
    }
    match (known, found) {
        (Kind::Mixed, _) | (Kind::LongInt, Kind::Int) => {}
        (Kind::Int, Kind::LongInt) => {
            become_text(column);
            *kind = Some(Kind::LongInt);
        }
        (Kind::Float, Kind::Int | Kind::LongInt) => {
            whole_float(json).ok_or_else(|| inexact(json))?;
        }
        (Kind::Int | Kind::LongInt, Kind::Float) => {
            become_text(column);
            become_floats(column)?;
            *kind = Some(Kind::Float);
        }
        _ => {
            let message = format!(
                "`{}` is {}, but the rows before have {} in this column; write all of them one way",
                shorten(text_of(value, json)),
                found.in_words(),
                known.in_words()
            );
            return Err((ErrorKind::Type, message));
        }
    }
    Ok(())
}

/// Adds a value to a column that can hold it.
fn push_value(column: &mut Column, json: &str, value: Value<'_>) {
    match (&mut column.values, &value) {
        (Values::Text(values), value) => values.push(text_of(value, json)),
        (Values::Int(values), Value::Int(value)) => values.push(*value),
        (Values::Float(values), Value::Float(value)) => values.push(*value),
        (Values::Float(values), _) => values.push(whole_float(json).unwrap_or(f64::NAN)),
        (Values::Bool(values), Value::Bool(value)) => values.push(*value),
        // `fit` lets no other value through.
        (values, _) => values.push_placeholder(),
    }
    column.note_validity(true);
}

fn text_of<'a>(value: &'a Value<'_>, json: &'a str) -> &'a str {
    match value {
        Value::Text(text) => text,
        _ => json,
    }
}

/// The float that is an integer as written: one that a float does not change.
fn whole_float(json: &str) -> Option<f64> {
    match json.parse::<i64>() {
        Ok(int) if int.unsigned_abs() <= EXACT => Some(int as f64),
        _ => json.parse::<f64>().ok().filter(|float| float.to_string() == json),
    }
}

fn inexact(json: &str) -> Refusal {
    let message = format!(
        "the column mixes fractions with the integer {}, which is too large to be a float without rounding; write the \
         column as text",
        shorten(json)
    );
    (ErrorKind::Number, message)
}

/// Gives a column that holds only missing values a type.
fn become_empty(column: &mut Column, kind: ColumnType) {
    let mut values = Values::empty(kind);
    (0..column.len()).for_each(|_| values.push_placeholder());
    column.values = values;
}

fn become_text(column: &mut Column) {
    if let Values::Text(_) = column.values {
        return;
    }
    let mut texts = TextColumn::new();
    for row in 0..column.len() {
        if column.is_valid(row) {
            push_text(&mut texts, &column.values, row);
        } else {
            texts.push("");
        }
    }
    column.values = Values::Text(texts);
}

/// Makes floats of a column of integers held as text.
fn become_floats(column: &mut Column) -> Result<(), Refusal> {
    let Values::Text(texts) = &column.values else { return Ok(()) };
    let mut floats = Vec::with_capacity(texts.len());
    for (row, text) in texts.iter().enumerate() {
        floats.push(match column.is_valid(row) {
            true => whole_float(text).ok_or_else(|| inexact(text))?,
            false => f64::NAN,
        });
    }
    column.values = Values::Float(floats);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[&str], mixing: Mixing) -> Result<Column, Refusal> {
        let mut column = Column::empty(ColumnType::Text);
        let mut kind = None;
        values.iter().try_for_each(|json| push(json, mixing, &mut kind, &mut column))?;
        Ok(column)
    }

    fn texts(values: &[&str]) -> Values {
        Values::Text(values.iter().copied().collect())
    }

    #[test]
    fn integers_of_any_length_stay_what_they_are() {
        let of = |values: &[&str]| column(values, Mixing::Refused).unwrap().values;
        assert_eq!(of(&["1", "-9223372036854775808"]), Values::Int(vec![1, i64::MIN]));
        for long in ["9223372036854775808", "18446744073709551616", "-9223372036854775809"] {
            assert_eq!(of(&["1", long, "2"]), texts(&["1", long, "2"]));
            assert_eq!(of(&[long, "null"]), texts(&[long, ""]));
            assert!(column(&["0.5", long], Mixing::Refused).is_err());
            assert!(column(&[long, "0.5"], Mixing::Refused).is_err());
            assert!(column(&[long, "\"x\""], Mixing::Refused).is_err());
        }
        // As JavaScript writes 1e20.
        let large = "100000000000000000000";
        assert_eq!(of(&[large, "0.5", large]), Values::Float(vec![1e20, 0.5, 1e20]));
        assert_eq!(of(&["1", "-0"]), Values::Float(vec![1.0, -0.0]));
    }

    #[test]
    fn columns_without_meaning_may_hold_anything() {
        let values = ["1", "null", "\"a\\nb\"", "true", "[1, 2]", "{\"a\": 1.50}", "1e400", "2.0"];
        let expected = ["1", "", "a\nb", "true", "[1, 2]", "{\"a\": 1.50}", "1e400", "2.0"];
        let mixed = column(&values, Mixing::AsText).unwrap();
        assert_eq!(mixed.values, texts(&expected));
        assert!(!mixed.is_valid(1) && mixed.is_valid(2));
        let written = column(&values, Mixing::AsWritten).unwrap();
        assert_eq!(written.values, texts(&["1", "", "\"a\\nb\"", "true", "[1, 2]", "{\"a\": 1.50}", "1e400", "2.0"]));
        assert_eq!(column(&["1", "2.5"], Mixing::AsText).unwrap().values, Values::Float(vec![1.0, 2.5]));
        for values in [&["1", "[1]"], &["true", "1"], &["1", "1e400"]] {
            assert!(column(values, Mixing::Refused).is_err());
        }
        assert_eq!(column(&["\"\\ud800\""], Mixing::AsText).unwrap_err().0, ErrorKind::Malformed);
    }
}
