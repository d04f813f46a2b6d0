//! Numbers in text cells, and columns as numbers.

use crate::error::{ErrorKind, TableError, shorten};
use crate::table::batch::{Batch, Values};
use crate::table::types::EXACT;

/// Why a text is not the number that is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotANumber {
    /// It is empty, or blank.
    Empty,
    /// It is no number at all.
    Text,
    /// It is NaN, infinite, or too large for a 64-bit float (`1e400`).
    NotFinite,
}

/// The finite number that `text` is. Spaces and tabs around it are allowed, as in `1, 2.5`; a decimal comma, thousands
/// separators, units and hexadecimal digits are not.
///
/// ```
/// use srrd_data::{NotANumber, parse_number};
/// assert_eq!(parse_number(" -1.5e3"), Ok(-1500.0));
/// assert_eq!(parse_number("1e400"), Err(NotANumber::NotFinite));
/// assert_eq!(parse_number("1,5"), Err(NotANumber::Text));
/// ```
#[inline]
pub fn parse_number(text: &str) -> Result<f64, NotANumber> {
    let trimmed = text.trim_matches([' ', '\t']);
    match trimmed.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err(NotANumber::NotFinite),
        Err(_) if trimmed.is_empty() => Err(NotANumber::Empty),
        Err(_) => Err(NotANumber::Text),
    }
}

/// Adds the finite numbers of column `column` of the batch to `numbers`: those of a number column, or of the texts of a text
/// column by [`parse_number`]. `file` and `name` (the column's) are for the message.
///
/// ```
/// use srrd_data::{Batch, Values, finite_numbers};
/// let batch = Batch::from_columns(vec![Values::Text(["1", "inf"].into_iter().collect()).into()], 1);
/// let error = finite_numbers("a table", "reward", &batch, 0, &mut Vec::new()).unwrap_err();
/// assert_eq!((error.row(), error.column()), (Some(2), Some("reward")));
/// ```
///
/// # Errors
/// The first value that is missing, not finite or no number; true is 1 and false 0.
pub fn finite_numbers(
    file: &str,
    name: &str,
    batch: &Batch,
    column: usize,
    numbers: &mut Vec<f64>,
) -> Result<(), TableError> {
    let column = &batch.columns[column];
    let wrong = |index: usize, what: String| Err(wrong_number(file, name, batch, index, what));
    const MISSING: &str = "the value is missing; every row needs a number here";
    numbers.reserve(batch.rows);
    if let Some(missing) = column.validity.as_ref().and_then(|valid| valid.iter().position(|valid| !valid)) {
        return wrong(missing, MISSING.to_owned());
    }
    match &column.values {
        Values::Int(values) => numbers.extend(values.iter().map(|&value| value as f64)),
        Values::Float(values) => {
            if let Some(bad) = values.iter().position(|value| !value.is_finite()) {
                return wrong(bad, not_finite(&values[bad].to_string()));
            }
            numbers.extend(values);
        }
        Values::Text(values) => {
            for (index, text) in values.iter().enumerate() {
                let why = match parse_number(text).or_else(|why| truth(text).ok_or(why)) {
                    Ok(number) => {
                        numbers.push(number);
                        continue;
                    }
                    Err(NotANumber::Empty) => MISSING.to_owned(),
                    Err(NotANumber::NotFinite) => not_finite(text),
                    Err(NotANumber::Text) => format!("`{}` is not a number; write it like 1.5 or -2e3", shorten(text)),
                };
                return wrong(index, why);
            }
        }
        Values::Bool(values) => numbers.extend(values.iter().map(|&value| f64::from(u8::from(value)))),
    }
    Ok(())
}

/// The number that a text stands for that says true or false.
pub(super) fn truth(text: &str) -> Option<f64> {
    match text.trim_matches([' ', '\t']) {
        "true" | "True" | "TRUE" => Some(1.0),
        "false" | "False" | "FALSE" => Some(0.0),
        _ => None,
    }
}

/// As [`finite_numbers`], where floats that are NaN are missing.
///
/// # Errors
/// As [`finite_numbers`], but for NaN.
pub(super) fn numbers_or_nan(
    file: &str,
    name: &str,
    batch: &Batch,
    column: usize,
    numbers: &mut Vec<f64>,
) -> Result<(), TableError> {
    let of_batch = &batch.columns[column];
    let Values::Float(values) = &of_batch.values else { return finite_numbers(file, name, batch, column, numbers) };
    if let Some(bad) = values.iter().position(|value| value.is_infinite()) {
        return Err(wrong_number(file, name, batch, bad, not_finite(&values[bad].to_string())));
    }
    numbers.extend(values);
    Ok(())
}

/// What is wrong with the number in this row of the batch.
fn wrong_number(file: &str, name: &str, batch: &Batch, index: usize, what: String) -> TableError {
    TableError::new(ErrorKind::Number, file, what).at(batch, index).in_column(name)
}

/// As [`finite_numbers`], for features: an integer that a float would round is an error, since it would become the same as others.
///
/// # Errors
/// As [`finite_numbers`], and integers beyond 2^53.
pub(crate) fn feature_numbers(
    file: &str,
    name: &str,
    batch: &Batch,
    column: usize,
    numbers: &mut Vec<f64>,
) -> Result<(), TableError> {
    let from = numbers.len();
    finite_numbers(file, name, batch, column, numbers)?;
    let long = |index: usize| match &batch.columns[column].values {
        Values::Int(values) if values[index].unsigned_abs() > EXACT => Some(values[index].to_string()),
        Values::Text(texts) if is_long_int(texts.get(index)) => Some(shorten(texts.get(index))),
        _ => None,
    };
    for (index, number) in numbers[from..].iter().enumerate() {
        if number.abs() >= EXACT as f64
            && let Some(shown) = long(index)
        {
            let role = name.split('.').next().unwrap_or(name);
            let what = format!(
                "`{shown}` is an integer beyond {EXACT} (2^53), which as a feature would be rounded, so that different ones \
                 become the same; use it as a token, in a column `{role}`, or subtract an offset from the whole column"
            );
            return Err(wrong_number(file, name, batch, index, what));
        }
    }
    Ok(())
}

/// Whether a text, whose number is not below 2^53, is an integer beyond that.
fn is_long_int(text: &str) -> bool {
    let text = text.trim_matches([' ', '\t']);
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.trim_start_matches('0') != EXACT.to_string()
}

fn not_finite(shown: &str) -> String {
    format!("`{}` is not a finite number; NaN, infinities and numbers beyond 1.8e308 are not allowed", shorten(shown))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::batch::Column;

    #[test]
    fn texts_that_are_numbers_and_texts_that_are_not() {
        for (text, number) in [("1", 1.0), ("+.5", 0.5), ("5.", 5.0), (" 2\t", 2.0), ("-0", 0.0)] {
            assert_eq!(parse_number(text), Ok(number), "{text}");
        }
        for (text, why) in [
            ("", NotANumber::Empty),
            ("  ", NotANumber::Empty),
            ("abc", NotANumber::Text),
            ("1 2", NotANumber::Text),
            ("0x10", NotANumber::Text),
            ("1\n", NotANumber::Text),
            ("nan", NotANumber::NotFinite),
            ("-inf", NotANumber::NotFinite),
            ("1e400", NotANumber::NotFinite),
        ] {
            assert_eq!(parse_number(text), Err(why), "{text}");
        }
    }

    #[test]
    fn features_are_not_rounded() {
        let texts = |texts: &[&str]| Values::Text(texts.iter().copied().collect());
        let read = |values: Values| {
            let batch = Batch::from_columns(vec![values.into()], 1);
            feature_numbers("f.csv", "state.x", &batch, 0, &mut Vec::new()).map_err(|error| error.to_string())
        };
        assert_eq!(read(texts(&["9007199254740992", "-09007199254740992", "1e300", "9007199254740993.0"])), Ok(()));
        assert_eq!(read(Values::Int(vec![1 << 53, -(1 << 53)])), Ok(()));
        assert_eq!(read(Values::Float(vec![1e300])), Ok(()));
        for bad in [
            texts(&["1", "9007199254740993"]),
            texts(&["1", "-9007199254740993"]),
            texts(&["1", " 18446744073709551617"]),
            Values::Int(vec![1, (1 << 53) + 1]),
            Values::Int(vec![1, i64::MIN]),
        ] {
            let message = read(bad).unwrap_err();
            assert!(message.starts_with("f.csv: row 2, column `state.x`: "), "{message}");
            assert!(message.contains("in a column `state`") && message.contains("subtract an offset"), "{message}");
        }
    }

    #[test]
    fn errors_name_row_and_column() {
        let mut missing = Column::from(Values::Int(vec![1]));
        missing.push_missing();
        for (column, says) in [
            (Values::Text(["1", "x"].into_iter().collect()).into(), "`x` is not a number"),
            (Values::Text(["1", ""].into_iter().collect()).into(), "missing"),
            (Values::Float(vec![1.0, f64::NAN]).into(), "`NaN` is not a finite number"),
            (missing, "missing"),
        ] {
            let batch = Batch::from_columns(vec![column], 7);
            let error = finite_numbers("f.csv", "reward", &batch, 0, &mut Vec::new()).unwrap_err();
            let message = error.to_string();
            assert!(message.starts_with("f.csv: row 8, column `reward`: "), "{message}");
            assert!(message.contains(says), "{message}");
        }
    }

    #[test]
    fn true_is_one_and_false_zero() {
        let text = |cells: [&str; 2]| Values::Text(cells.into_iter().collect());
        for column in [Values::Bool(vec![true, false]), text(["True", "false"]), text(["TRUE", " 0"])] {
            let (batch, mut numbers) = (Batch::from_columns(vec![column.into()], 1), Vec::new());
            finite_numbers("f.csv", "reward", &batch, 0, &mut numbers).unwrap();
            assert_eq!(numbers, [1.0, 0.0]);
        }
    }
}
