//! Tables that come as record batches of Arrow: Parquet and Arrow files.
//!
//! Integers, floats, booleans and texts are read, dictionary-encoded or not, with missing values. Bytes are taken for text and must be
//! UTF-8. A list of numbers is a group of columns: `observation` with seven numbers is `observation.0` to `observation.6`. Columns of
//! other types give an error, but only when they are selected; where columns are only passed through, they are shown as text.

use std::collections::HashSet;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch, downcast_dictionary_array};
use arrow_schema::{DataType, SchemaRef};

use super::guard::guarded;
use super::half::half_to_f64;
use super::{Extras, Piece, ReadOptions, Selection, TableReader, check_names, push_unsigned, shown, unsupported};
use crate::error::{ErrorKind, TableError};
use crate::table::batch::{Batch, Column, ColumnType, Field, Schema, Values};

/// Longer lists are no features.
const MOST_FEATURES: usize = 65_536;

/// Where record batches come from.
pub(crate) trait RecordSource: Send {
    /// All columns.
    fn schema(&self) -> SchemaRef;

    /// Begins with the first row, and gives only these columns (their positions, ascending).
    fn start(&mut self, positions: &[usize]) -> Result<(), TableError>;

    /// The next rows, in columns as they were asked for.
    fn next(&mut self) -> Result<Option<RecordBatch>, TableError>;

    /// The error for a file that is damaged in this way.
    fn damaged(&self, what: &str) -> TableError;
}

/// What becomes of a field of the file.
#[derive(Clone, Debug, PartialEq)]
enum Use {
    /// A column of this type.
    Plain(ColumnType),
    /// So many columns of numbers.
    List(usize),
    /// A column of text, though it is none.
    Shown,
    /// A column of texts that are JSON.
    Json,
    /// None, for this reason.
    Nothing(String),
}

/// Which field of the file a column is of, and which number of its lists.
#[derive(Clone, Copy)]
struct Place {
    field: usize,
    element: usize,
}

pub(crate) struct RecordsReader<S> {
    name: String,
    source: S,
    schema: SchemaRef,
    /// By field.
    uses: Vec<Use>,
    /// By position in the table.
    columns: Vec<Place>,
    selection: Selection,
    /// The record batch being handed out, and how many of its rows already are.
    current: Option<(RecordBatch, usize)>,
    /// The fields that were asked for, ascending, once reading has begun.
    wanted: Vec<usize>,
    ended: bool,
    next_row: u64,
    batch_rows: usize,
}

impl<S: RecordSource> RecordsReader<S> {
    pub(crate) fn open(name: String, mut source: S, options: &ReadOptions) -> Result<Self, TableError> {
        let schema = source.schema();
        let uses = guarded(|| uses_of(&schema, &mut source)).unwrap_or_else(|panic| Err(source.damaged(&panic)))?;
        let mut reader = RecordsReader {
            name,
            source,
            schema,
            uses,
            columns: Vec::new(),
            selection: Selection::everything(Schema::default()),
            current: None,
            wanted: Vec::new(),
            ended: false,
            next_row: 1,
            batch_rows: options.batch_rows.max(1),
        };
        reader.lay_out();
        check_names(&reader.name, &reader.selection.all)?;
        Ok(reader)
    }

    /// Gives every field its columns, and selects all of them.
    fn lay_out(&mut self) {
        let mut columns = Schema::default();
        self.columns.clear();
        for (field, (data, what)) in self.schema.fields().iter().zip(&self.uses).enumerate() {
            match *what {
                Use::List(count) => {
                    let kind = element_type(data.data_type()).and_then(known_type);
                    for element in 0..count {
                        columns.fields.push(Field { name: format!("{}.{element}", data.name()), kind });
                        self.columns.push(Place { field, element });
                    }
                }
                _ => {
                    let kind = match what {
                        Use::Shown | Use::Json => Some(ColumnType::Text),
                        _ => known_type(data.data_type()),
                    };
                    columns.fields.push(Field { name: data.name().clone(), kind });
                    self.columns.push(Place { field, element: 0 });
                }
            }
        }
        self.selection = Selection::everything(columns);
    }

    fn check_selected(&self) -> Result<(), TableError> {
        for &position in &self.selection.positions {
            if let Use::Nothing(why) = &self.uses[self.columns[position].field] {
                return Err(unsupported(&self.name, self.selection.name_at(position), why));
            }
        }
        Ok(())
    }

    /// Begins to read the selected columns.
    fn start(&mut self) -> Result<(), TableError> {
        self.selection.fixed = true;
        self.check_selected()?;
        self.wanted = self.selection.positions.iter().map(|&position| self.columns[position].field).collect();
        self.wanted.sort_unstable();
        self.wanted.dedup();
        self.source.start(&self.wanted)
    }

    /// [`next_batch`](TableReader::next_batch), which may panic.
    fn fill_batch(&mut self, batch: &mut Batch) -> Result<Piece, TableError> {
        if !self.selection.fixed {
            self.start()?;
        }
        let kinds = self.selection.positions.iter().map(|&position| {
            let field = self.columns[position].field;
            let data_type = self.schema.field(field).data_type();
            match self.uses[field] {
                Use::Plain(kind) => kind,
                Use::List(_) => element_type(data_type).and_then(column_type).unwrap_or(ColumnType::Float),
                _ => ColumnType::Text,
            }
        });
        batch.reset(self.next_row, kinds);
        if self.ended {
            return Ok(Piece::End);
        }
        let (records, from) = match self.current.take() {
            Some(current) => current,
            None => match self.source.next()? {
                Some(records) => (records, 0),
                None => {
                    self.ended = true;
                    return Ok(Piece::End);
                }
            },
        };
        let rows = self.batch_rows.min(records.num_rows() - from);
        self.fill_columns(&records.slice(from, rows), batch)?;
        batch.rows = rows;
        self.next_row += rows as u64;
        if from + rows < records.num_rows() {
            self.current = Some((records, from + rows));
        }
        Ok(Piece::Rows)
    }

    fn fill_columns(&self, records: &RecordBatch, batch: &mut Batch) -> Result<(), TableError> {
        // The numbers of the lists, which are several columns each.
        let mut lists: Option<(usize, Lists)> = None;
        for (index, &position) in self.selection.positions.iter().enumerate() {
            let name = &self.selection.selected.fields[index].name;
            let Place { field, element } = self.columns[position];
            let at = self.wanted.binary_search(&field).unwrap_or(usize::MAX);
            let array = records.columns().get(at).ok_or_else(|| self.source.damaged("a column is missing"))?;
            let column = &mut batch.columns[index];
            let placed = |row: usize, error: TableError| error.at_row(self.next_row + row as u64).in_column(name);
            match self.uses[field] {
                Use::List(count) => {
                    if lists.as_ref().is_none_or(|(known, _)| *known != field) {
                        let found = Lists::of(array, count).map_err(|(row, length)| {
                            let what = format!(
                                "the list has {length} numbers, but lists before it have {count}; lists that are features \
                                 need one length"
                            );
                            let name = self.schema.field(field).name();
                            placed(row, TableError::new(ErrorKind::Ragged, &self.name, what)).in_column(name)
                        })?;
                        lists = Some((field, found));
                    }
                    if let Some((_, lists)) = &lists {
                        lists.push(element, column);
                    }
                }
                Use::Json => shown::fill_json(array, column),
                Use::Shown => shown::fill(array, column),
                _ => fill(array, column).map_err(|row| {
                    let what = "the value is not UTF-8 text; binary columns are not supported";
                    placed(row, TableError::new(ErrorKind::Encoding, &self.name, what))
                })?,
            }
            if column.len() != records.num_rows() {
                return Err(self.source.damaged("a column of the wrong length").in_column(name));
            }
        }
        Ok(())
    }
}

impl<S: RecordSource> TableReader for RecordsReader<S> {
    fn name(&self) -> &str {
        &self.name
    }

    fn schema(&self) -> &Schema {
        &self.selection.selected
    }

    fn select(&mut self, names: &[&str]) -> Result<(), TableError> {
        self.selection.select(&self.name, names)?;
        self.check_selected()
    }

    fn keep_extras(&mut self, meant: &[&str], as_json: bool) -> Result<Extras, TableError> {
        let meant: HashSet<&str> = meant.iter().copied().collect();
        let mut is_meant = vec![false; self.uses.len()];
        for (place, name) in self.columns.iter().zip(self.selection.all.names()) {
            is_meant[place.field] |= meant.contains(name);
        }
        let mut extras = Extras::default();
        let mut left_out = HashSet::new();
        for (field, data) in self.schema.fields().iter().enumerate().filter(|(field, _)| !is_meant[*field]) {
            let data_type = data.data_type();
            // What is not meant is not checked, either: lists of any length, bytes that are no text.
            self.uses[field] = match &self.uses[field] {
                Use::Plain(kind) if !is_bytes(data_type) => Use::Plain(*kind),
                _ if shown::can_show(data_type) => Use::Shown,
                _ if shown::is_json(data_type) => Use::Json,
                _ => {
                    let why = format!("its type {data_type} is not supported");
                    extras.left_out.push((data.name().clone(), why.clone()));
                    left_out.insert(field);
                    Use::Nothing(why)
                }
            };
        }
        self.lay_out();
        let kept: Vec<(String, usize)> = (self.columns.iter().zip(self.selection.all.names()))
            .filter(|(place, _)| !left_out.contains(&place.field))
            .map(|(place, name)| (name.to_owned(), place.field))
            .collect();
        self.select(&kept.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>())?;
        if as_json {
            let json = kept.iter().enumerate().filter(|(_, (_, field))| self.uses[*field] == Use::Json);
            extras.json = json.map(|(position, _)| position).collect();
        }
        Ok(extras)
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<Piece, TableError> {
        guarded(|| self.fill_batch(batch)).unwrap_or_else(|panic| {
            // What a panic leaves is not to be read on.
            self.current = None;
            self.ended = true;
            Err(self.source.damaged(&panic))
        })
    }
}

/// What becomes of every field. How long lists are that may have any length, the first of them tells.
fn uses_of(schema: &SchemaRef, source: &mut impl RecordSource) -> Result<Vec<Use>, TableError> {
    let mut uses: Vec<Use> = Vec::new();
    let mut unknown = Vec::new();
    for (position, field) in schema.fields().iter().enumerate() {
        let data_type = field.data_type();
        uses.push(match (column_type(data_type), data_type) {
            (Some(kind), _) => Use::Plain(kind),
            (None, DataType::FixedSizeList(_, count)) if element_type(data_type).is_some() => {
                features(usize::try_from(*count).unwrap_or(0))
            }
            _ => {
                if element_type(data_type).is_some() {
                    unknown.push(position);
                }
                Use::Nothing(format!("its type {data_type} is not supported"))
            }
        });
    }
    if unknown.is_empty() {
        return Ok(uses);
    }
    source.start(&unknown)?;
    let mut found = vec![false; unknown.len()];
    while let Some(records) = source.next()? {
        for ((array, &position), found) in records.columns().iter().zip(&unknown).zip(&mut found) {
            if !*found && let Some(first) = (0..array.len()).find(|&row| array.is_valid(row)) {
                uses[position] = features(list_value(array, first).map_or(0, |list| list.len()));
                *found = true;
            }
        }
        if found.iter().all(|&found| found) {
            break;
        }
    }
    Ok(uses)
}

fn features(count: usize) -> Use {
    match count {
        0 => Use::Nothing("its lists are empty".to_owned()),
        1..=MOST_FEATURES => Use::List(count),
        _ => Use::Nothing(format!("its lists have {count} numbers")),
    }
}

/// The list in a row of an array of lists.
pub(super) fn list_value(array: &ArrayRef, row: usize) -> Option<ArrayRef> {
    match array.data_type() {
        DataType::List(_) => Some(array.as_list::<i32>().value(row)),
        DataType::LargeList(_) => Some(array.as_list::<i64>().value(row)),
        DataType::FixedSizeList(..) => Some(array.as_fixed_size_list().value(row)),
        _ => None,
    }
}

/// The type of the numbers in lists of numbers.
fn element_type(data_type: &DataType) -> Option<&DataType> {
    match data_type {
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) => {
            let numeric = field.data_type().is_numeric() && column_type(field.data_type()).is_some();
            (numeric || field.data_type() == &DataType::Boolean).then_some(field.data_type())
        }
        _ => None,
    }
}

/// Lists of one length.
struct Lists {
    numbers: Column,
    /// By row, where its numbers begin; `None` for a missing list.
    starts: Vec<Option<usize>>,
}

impl Lists {
    /// Of lists that must have so many numbers; the first row whose list has another number of them is the error.
    fn of(array: &ArrayRef, count: usize) -> Result<Self, (usize, usize)> {
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
    fn push(&self, element: usize, column: &mut Column) {
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

fn is_bytes(data_type: &DataType) -> bool {
    match data_type {
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => true,
        DataType::Dictionary(_, values) => is_bytes(values),
        _ => false,
    }
}

pub(super) fn column_type(data_type: &DataType) -> Option<ColumnType> {
    match data_type {
        DataType::Boolean => Some(ColumnType::Bool),
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => Some(ColumnType::Int),
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => Some(ColumnType::Int),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => Some(ColumnType::Float),
        // A column of nothing but missing values.
        DataType::Null | DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(ColumnType::Text),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Some(ColumnType::Text),
        DataType::Dictionary(_, values) => column_type(values),
        _ => None,
    }
}

/// The type of a column that it has whatever its values are.
fn known_type(data_type: &DataType) -> Option<ColumnType> {
    match data_type {
        DataType::UInt64 => None,
        DataType::Dictionary(_, values) => known_type(values),
        other => column_type(other),
    }
}

/// Adds the values of `array` to `column`, which is empty. The error is the first row whose bytes are no text.
pub(super) fn fill(array: &ArrayRef, column: &mut Column) -> Result<(), usize> {
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
        DataType::UInt64 => {
            push_unsigned(array.as_primitive::<UInt64Type>().iter(), column);
            return Ok(());
        }
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
    use arrow_array::{Float64Array, Int8Array, Int64Array, ListArray, UInt64Array};
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
