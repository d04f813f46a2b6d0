//! From arrays of Arrow to columns.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Decimal32Type, Decimal64Type, Decimal128Type, Float16Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, downcast_dictionary_array};
use arrow_schema::DataType;

use super::calendar::decimal;
use super::half::half_to_f64;
use super::push_wide;
use crate::table::batch::{Column, Values};
use crate::table::schema::ColumnType;

/// The list in a row of an array of lists.
pub(crate) fn list_value(array: &ArrayRef, row: usize) -> Option<ArrayRef> {
    match array.data_type() {
        DataType::List(_) => Some(array.as_list::<i32>().value(row)),
        DataType::LargeList(_) => Some(array.as_list::<i64>().value(row)),
        DataType::FixedSizeList(..) => Some(array.as_fixed_size_list().value(row)),
        _ => None,
    }
}

/// The type of the numbers in lists of numbers.
pub(super) fn element_type(data_type: &DataType) -> Option<&DataType> {
    match data_type {
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) => {
            let numeric = field.data_type().is_numeric() && column_type(field.data_type()).is_some();
            (numeric || field.data_type() == &DataType::Boolean).then_some(field.data_type())
        }
        _ => None,
    }
}

/// Lists of one length.
pub(super) struct Lists {
    numbers: Column,
    /// By row, where its numbers begin; `None` for a missing list.
    starts: Vec<Option<usize>>,
}

impl Lists {
    /// Of lists that must have so many numbers; the first row whose list has another number of them is the error.
    pub(super) fn of(array: &ArrayRef, count: usize) -> Result<Self, (usize, usize)> {
        let ends: Vec<(usize, usize)> = match array.data_type() {
            DataType::List(_) => {
                array.as_list::<i32>().value_offsets().windows(2).map(|at| (at[0] as usize, at[1] as usize)).collect()
            }
            DataType::LargeList(_) => {
                array.as_list::<i64>().value_offsets().windows(2).map(|at| (at[0] as usize, at[1] as usize)).collect()
            }
            _ => (0..array.len()).map(|row| (row * count, (row + 1) * count)).collect(),
        };
        let values = match array.data_type() {
            DataType::List(_) => array.as_list::<i32>().values(),
            DataType::LargeList(_) => array.as_list::<i64>().values(),
            _ => array.as_fixed_size_list().values(),
        };
        let first = ends.first().map_or(0, |&(start, _)| start);
        let last = ends.last().map_or(0, |&(_, end)| end);
        let mut starts = Vec::with_capacity(array.len());
        for (row, &(start, end)) in ends.iter().enumerate() {
            let valid = array.is_valid(row);
            if valid && end - start != count {
                return Err((row, end - start));
            }
            starts.push(valid.then_some(start - first));
        }
        let mut numbers = Column::empty(column_type(values.data_type()).unwrap_or(ColumnType::Float));
        // Numbers are never refused.
        let _ = fill(&values.slice(first, last - first), &mut numbers);
        Ok(Lists { numbers, starts })
    }

    /// Adds the numbers at one place of all lists to a column.
    pub(super) fn push(&self, element: usize, column: &mut Column) {
        // Unsigned integers that are too large have become text.
        column.reset(self.numbers.kind());
        for start in &self.starts {
            pick(&self.numbers, start.map(|start| start + element), column);
        }
    }
}

/// Adds the value at `from` of a column to another of its type, or a missing one.
fn pick(values: &Column, from: Option<usize>, column: &mut Column) {
    let from = from.filter(|&from| from < values.len() && values.is_valid(from));
    match (&mut column.values, &values.values, from) {
        (Values::Text(to), Values::Text(values), Some(from)) => to.push(values.get(from)),
        (Values::Int(to), Values::Int(values), Some(from)) => to.push(values[from]),
        (Values::Float(to), Values::Float(values), Some(from)) => to.push(values[from]),
        (Values::Bool(to), Values::Bool(values), Some(from)) => to.push(values[from]),
        (to, _, _) => to.push_placeholder(),
    }
    column.note_validity(from.is_some());
}

pub(super) fn is_bytes(data_type: &DataType) -> bool {
    match data_type {
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => true,
        DataType::Dictionary(_, values) => is_bytes(values),
        _ => false,
    }
}

pub(crate) fn column_type(data_type: &DataType) -> Option<ColumnType> {
    match data_type {
        DataType::Boolean => Some(ColumnType::Bool),
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => Some(ColumnType::Int),
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => Some(ColumnType::Int),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => Some(ColumnType::Float),
        DataType::Decimal32(_, 0) | DataType::Decimal64(_, 0) | DataType::Decimal128(_, 0) => Some(ColumnType::Int),
        DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) => Some(ColumnType::Float),
        // A column of nothing but missing values.
        DataType::Null | DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(ColumnType::Text),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Some(ColumnType::Text),
        DataType::Dictionary(_, values) => column_type(values),
        _ => None,
    }
}

/// The type of a column that it has whatever its values are.
pub(super) fn known_type(data_type: &DataType) -> Option<ColumnType> {
    match data_type {
        DataType::UInt64 | DataType::Decimal64(_, 0) | DataType::Decimal128(_, 0) => None,
        DataType::Dictionary(_, values) => known_type(values),
        other => column_type(other),
    }
}

/// Adds the values of `array` to `column`, which is empty. The error is the first row whose bytes are no text.
pub(crate) fn fill(array: &ArrayRef, column: &mut Column) -> Result<(), usize> {
    match array.data_type() {
        DataType::Boolean => {
            let array = array.as_boolean();
            if let Values::Bool(values) = &mut column.values {
                values.extend((0..array.len()).map(|row| array.value(row)));
            }
        }
        DataType::Int8 => integers::<Int8Type>(array, column),
        DataType::Int16 => integers::<Int16Type>(array, column),
        DataType::Int32 => integers::<Int32Type>(array, column),
        DataType::Int64 => integers::<Int64Type>(array, column),
        DataType::UInt8 => integers::<UInt8Type>(array, column),
        DataType::UInt16 => integers::<UInt16Type>(array, column),
        DataType::UInt32 => integers::<UInt32Type>(array, column),
        DataType::UInt64 => push_wide(array.as_primitive::<UInt64Type>().iter(), column),
        &DataType::Decimal32(_, scale) => decimals::<Decimal32Type>(array, scale, column),
        &DataType::Decimal64(_, scale) => decimals::<Decimal64Type>(array, scale, column),
        &DataType::Decimal128(_, scale) => decimals::<Decimal128Type>(array, scale, column),
        DataType::Float16 => floats::<Float16Type>(array, column, |value| half_to_f64(value.to_bits())),
        DataType::Float32 => floats::<Float32Type>(array, column, f64::from),
        DataType::Float64 => floats::<Float64Type>(array, column, |value| value),
        DataType::Utf8 => texts(array.as_string::<i32>().iter(), column),
        DataType::LargeUtf8 => texts(array.as_string::<i64>().iter(), column),
        DataType::Utf8View => texts(array.as_string_view().iter(), column),
        DataType::Binary => bytes(array.as_binary::<i32>().iter(), column)?,
        DataType::LargeBinary => bytes(array.as_binary::<i64>().iter(), column)?,
        DataType::BinaryView => bytes(array.as_binary_view().iter(), column)?,
        DataType::Null => {
            (0..array.len()).for_each(|_| column.push_missing());
            return Ok(());
        }
        DataType::Dictionary(..) => {
            return downcast_dictionary_array!(
                array => dictionary(array, column),
                // No other keys exist; the caller notices that the column stays empty.
                _ => Ok(())
            );
        }
        // `column_type` lets no other type through; the caller notices that the column stays empty.
        _ => return Ok(()),
    }
    if array.null_count() > 0 {
        column.validity = Some((0..array.len()).map(|row| array.is_valid(row)).collect());
    }
    Ok(())
}

fn integers<T: ArrowPrimitiveType>(array: &ArrayRef, column: &mut Column)
where
    T::Native: Into<i64>,
{
    if let Values::Int(values) = &mut column.values {
        values.extend(array.as_primitive::<T>().values().iter().map(|&value| value.into()));
    }
}

fn floats<T: ArrowPrimitiveType>(array: &ArrayRef, column: &mut Column, widen: impl Fn(T::Native) -> f64) {
    if let Values::Float(values) = &mut column.values {
        values.extend(array.as_primitive::<T>().values().iter().map(|&value| widen(value)));
    }
}

/// Decimals without a fraction are integers.
fn decimals<T: ArrowPrimitiveType>(array: &ArrayRef, scale: i8, column: &mut Column)
where
    T::Native: Into<i128>,
{
    let values = array.as_primitive::<T>().iter();
    match &mut column.values {
        // By its digits, so that it is rounded once.
        Values::Float(to) if scale != 0 => to.extend(values.map(|value| {
            value.and_then(|value| decimal(&i128::to_string(&value.into()), scale).parse().ok()).unwrap_or(f64::NAN)
        })),
        _ => push_wide(values, column),
    }
}

fn texts<'a>(array: impl Iterator<Item = Option<&'a str>>, column: &mut Column) {
    if let Values::Text(values) = &mut column.values {
        array.for_each(|value| values.push(value.unwrap_or_default()));
    }
}

fn bytes<'a>(array: impl Iterator<Item = Option<&'a [u8]>>, column: &mut Column) -> Result<(), usize> {
    if let Values::Text(values) = &mut column.values {
        for (row, value) in array.enumerate() {
            values.push(std::str::from_utf8(value.unwrap_or_default()).map_err(|_| row)?);
        }
    }
    Ok(())
}

/// The dictionary itself may hold a missing value, so that both levels decide.
fn dictionary<K: ArrowDictionaryKeyType>(
    array: &arrow_array::DictionaryArray<K>,
    column: &mut Column,
) -> Result<(), usize> {
    let mut entries = Column::empty(column.kind());
    fill(array.values(), &mut entries)
        .map_err(|entry| (0..array.len()).find(|&row| array.key(row) == Some(entry)).unwrap_or(0))?;
    // Entries that are too large for integers have become text.
    column.reset(entries.kind());
    (0..array.len()).for_each(|row| pick(&entries, array.key(row), column));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Decimal128Array, Float64Array, Int8Array, Int64Array, ListArray, UInt64Array};
    use std::sync::Arc;

    fn filled(values: ArrayRef) -> Column {
        let keys = Int8Array::from(vec![Some(1), None, Some(0), Some(1)]);
        let array: ArrayRef = Arc::new(arrow_array::DictionaryArray::new(keys, values));
        let mut column = Column::empty(column_type(array.data_type()).unwrap());
        fill(&array, &mut column).unwrap();
        assert_eq!(column.validity, Some(vec![true, false, true, true]));
        column
    }

    #[test]
    fn dictionaries_of_any_type() {
        assert_eq!(filled(Arc::new(Int64Array::from(vec![5, -7]))).values, Values::Int(vec![-7, 0, 5, -7]));
        let floats = filled(Arc::new(Float64Array::from(vec![0.5, 1.5])));
        assert!(matches!(floats.values, Values::Float(values) if values[2] == 0.5 && values[3] == 1.5));
        let large = u64::MAX.to_string();
        let texts = filled(Arc::new(UInt64Array::from(vec![5, u64::MAX])));
        assert_eq!(texts.values, Values::Text([&large, "", "5", &large].into_iter().collect()));
    }

    #[test]
    fn decimals_are_numbers() {
        let filled = |array: Decimal128Array| {
            let array: ArrayRef = Arc::new(array);
            let mut column = Column::empty(column_type(array.data_type()).unwrap());
            fill(&array, &mut column).unwrap();
            assert_eq!(column.validity, Some(vec![true, false, true]));
            column.values
        };
        let of = |last: i128, scale: i8| {
            let digits = Decimal128Array::from(vec![Some(-5), None, Some(last)]);
            filled(digits.with_precision_and_scale(38, scale).unwrap())
        };
        assert_eq!(of(7, 0), Values::Int(vec![-5, 0, 7]));
        let large = 1i128 << 64;
        assert_eq!(of(large, 0), Values::Text(["-5", "0", &large.to_string()].into_iter().collect()));
        assert!(matches!(of(123, 2), Values::Float(values) if values[0] == -0.05 && values[2] == 1.23));
        assert!(matches!(of(3, -2), Values::Float(values) if values[2] == 300.0));
    }

    #[test]
    fn lists_of_one_length_are_columns() {
        let rows = [Some(vec![Some(1), Some(2)]), None, Some(vec![None, Some(4)]), Some(vec![Some(5), Some(6)])];
        let array: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(rows));
        // A part of an array has offsets that do not begin with 0.
        let lists = Lists::of(&array.slice(1, 3), 2).ok().unwrap();
        let mut column = Column::empty(ColumnType::Int);
        lists.push(1, &mut column);
        assert_eq!((column.values, column.validity), (Values::Int(vec![0, 4, 6]), Some(vec![false, true, true])));
        assert_eq!(Lists::of(&array, 3).err(), Some((0, 2)));
    }
}
