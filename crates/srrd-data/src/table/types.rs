//! From the texts of a text format to the types of a typed one.
//!
//! Text files do not say what is a number. Before one is written as Parquet, Arrow or NPZ, [`infer_types_of`] looks at every
//! value once and finds the narrowest type of each column; [`coerce`] then turns each batch into those types.

use std::borrow::Cow;

use crate::error::{ErrorKind, TableError, shorten};
use crate::table::batch::{Batch, Column, TextColumn, Values};
use crate::table::gaps::is_nothing;
use crate::table::number::truth;
use crate::table::read::{Extras, Passing, Piece, TableReader};
use crate::table::schema::{ColumnType, Schema};
use crate::table::write::Shortest;

/// The largest integer up to which every integer is a float, too.
pub(crate) const EXACT: u64 = 1 << 53;

/// Reads a table to its end to find the type of each column of its schema.
///
/// In CSV and TSV a column is one of integers when all values are integers as a computer writes them (no leading zeros, no
/// `+`, in the signed 64-bit range); of floats when all are JSON numbers, NaN or infinite, some are finite and none is a long integer that
/// a float would round; of booleans when all are `true`/`false` or all are `True`/`False`; and else of text. So `007` stays text.
/// Empty fields fit every type and count as missing values; a column of nothing else is text.
///
/// In other formats columns have the types they have (in JSONL, floats if any value is one); columns of integers of which some do
/// not fit into 64 bits are text.
///
/// ```
/// use srrd_data::{FileFormat, ReadOptions, ColumnType, infer_types_of, open_bytes};
/// let csv = "state,action,next_state,reward\nhome,walk,park,1.5\npark,walk,home,2\n";
/// let mut table = open_bytes("log.csv", FileFormat::from_path("log.csv".as_ref())?, csv.into(), &ReadOptions::default())?;
/// assert_eq!(infer_types_of(&mut *table)?, [ColumnType::Text, ColumnType::Text, ColumnType::Text, ColumnType::Float]);
/// # Ok::<(), srrd_data::TableError>(())
/// ```
///
/// # Errors
/// Anything that is wrong with the table.
pub fn infer_types_of(table: &mut dyn TableReader) -> Result<Vec<ColumnType>, TableError> {
    infer(table).map(|(types, _)| types)
}

/// As [`infer_types_of`]; also how many rows there are.
pub(crate) fn infer(table: &mut dyn TableReader) -> Result<(Vec<ColumnType>, u64), TableError> {
    let fields = &table.schema().fields;
    let mut guesses: Vec<Guess> = fields.iter().map(|_| Guess::default()).collect();
    let mut kinds: Vec<Option<ColumnType>> = fields.iter().map(|field| field.kind).collect();
    let untyped = table.is_untyped();
    let mut batch = Batch::new();
    let mut rows = 0;
    while let Piece::Rows = table.next_batch(&mut batch)? {
        rows += batch.rows as u64;
        for (index, column) in batch.columns.iter().enumerate() {
            match &column.values {
                Values::Text(texts) if untyped => {
                    texts.iter().for_each(|text| guesses[index].look(text));
                }
                // In JSONL, a column that holds only nulls so far.
                Values::Text(_) if !(0..column.len()).any(|row| column.is_valid(row)) => {}
                // Where an integer is too large for 64 bits, the column is one of text, whatever comes after.
                _ if kinds[index] == Some(ColumnType::Text) => {}
                values => kinds[index] = Some(values.kind()),
            }
        }
    }
    let types = match untyped {
        true => guesses.iter().map(Guess::kind).collect(),
        false => kinds.into_iter().map(|kind| kind.unwrap_or(ColumnType::Text)).collect(),
    };
    Ok((types, rows))
}

/// What the values seen so far could be.
#[derive(Default)]
struct Guess {
    some: bool,
    finite: bool,
    not_int: bool,
    not_float: bool,
    /// An integer that a float would round.
    long_int: bool,
    not_lower: bool,
    not_title: bool,
}

impl Guess {
    fn look(&mut self, text: &str) {
        if text.is_empty() || self.is_text() {
            return;
        }
        self.some = true;
        self.not_lower |= !matches!(text, "true" | "false");
        self.not_title |= !matches!(text, "True" | "False");
        match canonical_int(text) {
            Some(value) => {
                self.finite = true;
                self.long_int |= value.unsigned_abs() > EXACT;
            }
            None => {
                self.not_int = true;
                let number = float(text);
                self.not_float |= number.is_none();
                self.finite |= number.is_some_and(f64::is_finite);
            }
        }
    }

    /// Whether the values can be nothing but text.
    fn is_text(&self) -> bool {
        self.not_int && self.not_float && self.not_lower && self.not_title
    }

    fn kind(&self) -> ColumnType {
        if !self.some {
            ColumnType::Text
        } else if !self.not_int {
            ColumnType::Int
        } else if !self.not_float && self.finite && !self.long_int {
            ColumnType::Float
        } else if !self.not_lower || !self.not_title {
            ColumnType::Bool
        } else {
            ColumnType::Text
        }
    }
}

/// Whether a text is there and neither a number nor true or false.
pub(crate) fn is_only_text(text: &str) -> bool {
    let mut guess = Guess::default();
    guess.look(text);
    guess.is_text()
}

/// The integer that `text` is, when printing it gives `text` again.
fn canonical_int(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let canonical = match digits.as_bytes() {
        [b'0'] => digits.len() == text.len(),
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    canonical.then(|| text.parse().ok()).flatten()
}

/// As [`plain_float`], or what is no finite number, as programs write it.
fn float(text: &str) -> Option<f64> {
    match text {
        "NaN" | "nan" => Some(f64::NAN),
        "inf" | "Infinity" => Some(f64::INFINITY),
        "-inf" | "-Infinity" => Some(f64::NEG_INFINITY),
        _ => plain_float(text),
    }
}

/// The finite number that `text` is by the grammar of JSON, unless it is an integer too long for 64 bits.
fn plain_float(text: &str) -> Option<f64> {
    let rest = text.strip_prefix('-').unwrap_or(text);
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest.starts_with('0')) {
        return None;
    }
    let mut rest = &rest[whole..];
    if rest.is_empty() && whole > 15 {
        return None;
    }
    if let Some(fraction) = rest.strip_prefix('.') {
        let count = digits(fraction);
        if count == 0 {
            return None;
        }
        rest = &fraction[count..];
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let count = digits(exponent);
        if count == 0 {
            return None;
        }
        rest = &exponent[count..];
    }
    match rest.is_empty() {
        true => text.parse().ok().filter(|number: &f64| number.is_finite()),
        false => None,
    }
}

/// Turns the columns of a batch into the types of `schema`, where it names them: texts into what they say (an empty text
/// into a missing value), integers into floats, anything into text. `file` is for messages.
///
/// ```
/// use srrd_data::{Batch, ColumnType, Schema, Values, coerce};
/// let mut batch = Batch::from_columns(vec![Values::Text(["1", "2.5"].into_iter().collect()).into()], 1);
/// coerce("a table", &Schema::new([("reward", ColumnType::Float)]), &mut batch)?;
/// assert_eq!(batch.columns[0].values, Values::Float(vec![1.0, 2.5]));
/// # Ok::<(), srrd_data::TableError>(())
/// ```
///
/// # Errors
/// The first value that is not of its column's type.
///
/// # Panics
/// When the batch has another number of columns than the schema.
pub fn coerce(file: &str, schema: &Schema, batch: &mut Batch) -> Result<(), TableError> {
    assert_eq!(schema.len(), batch.columns.len(), "one field per column");
    for (index, field) in schema.fields.iter().enumerate() {
        if let Some(kind) = field.kind {
            let column = coerced(file, &field.name, batch, index, kind)?;
            if let Cow::Owned(column) = column {
                batch.columns[index] = column;
            }
        }
    }
    Ok(())
}

/// The column `index` of the batch as one of type `kind`.
pub(crate) fn coerced<'a>(
    file: &str,
    name: &str,
    batch: &'a Batch,
    index: usize,
    kind: ColumnType,
) -> Result<Cow<'a, Column>, TableError> {
    let column = &batch.columns[index];
    if column.kind() == kind {
        return Ok(Cow::Borrowed(column));
    }
    convert(column, kind).map(Cow::Owned).map_err(|(row, shown)| {
        let kind = match kind {
            ColumnType::Text => "text",
            ColumnType::Int => "a 64-bit integer",
            ColumnType::Float => "a finite number",
            ColumnType::Bool => "true or false",
        };
        TableError::new(
            ErrorKind::Type,
            file,
            format!("`{}` is not {kind}, as the column is to be written", shorten(&shown)),
        )
        .at(batch, row)
        .in_column(name)
    })
}

/// The column as one of type `kind`, or the row and text of the first value that is not of it.
fn convert(column: &Column, kind: ColumnType) -> Result<Column, (usize, String)> {
    let mut to = Column::empty(kind);
    for row in 0..column.len() {
        if !column.is_valid(row) {
            to.push_missing();
            continue;
        }
        if let Values::Text(from) = &column.values
            && (from.get(row).is_empty() || kind == ColumnType::Float && is_word_for_nothing(from.get(row)))
        {
            to.push_missing();
            continue;
        }
        let fits = match (&column.values, &mut to.values) {
            (Values::Text(from), Values::Int(to)) => push_some(to, canonical_int(from.get(row))),
            (Values::Text(from), Values::Float(to)) => {
                let text = from.get(row);
                let exact = canonical_int(text).filter(|value| value.unsigned_abs() <= EXACT);
                push_some(to, exact.map(|value| value as f64).or_else(|| float(text)).or_else(|| truth(text)))
            }
            (Values::Text(from), Values::Bool(to)) => {
                let value = match from.get(row) {
                    "true" | "True" => Some(true),
                    "false" | "False" => Some(false),
                    _ => None,
                };
                push_some(to, value)
            }
            (Values::Int(from), Values::Float(to)) => {
                let exact = from[row].unsigned_abs() <= EXACT;
                push_some(to, exact.then_some(from[row] as f64))
            }
            (_, Values::Text(to)) => {
                push_text(to, &column.values, row);
                true
            }
            _ => false,
        };
        if !fits {
            let mut shown = TextColumn::new();
            push_text(&mut shown, &column.values, row);
            return Err((row, shown.get(0).to_owned()));
        }
        to.note_validity(true);
    }
    Ok(to)
}

/// A table whose texts come as what they say.
pub(crate) struct TypedReader {
    inner: Box<dyn TableReader>,
    /// All columns with their types.
    all: Schema,
    selected: Schema,
}

impl TypedReader {
    pub(crate) fn new(inner: Box<dyn TableReader>, schema: Schema) -> Self {
        TypedReader { inner, selected: schema.clone(), all: schema }
    }

    /// Gives the columns that are selected their types.
    fn retype(&mut self) {
        let of = |name: &str| self.all.fields.iter().find(|field| field.name == name).cloned();
        self.selected = Schema { fields: self.inner.schema().names().filter_map(of).collect() };
    }
}

impl TableReader for TypedReader {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn schema(&self) -> &Schema {
        &self.selected
    }

    fn rows_hint(&self) -> Option<usize> {
        self.inner.rows_hint()
    }

    fn select(&mut self, names: &[&str]) -> Result<(), TableError> {
        self.inner.select(names)?;
        self.retype();
        Ok(())
    }

    fn keep_extras(&mut self, meant: &[&str], passing: Passing) -> Result<Extras, TableError> {
        let extras = self.inner.keep_extras(meant, passing)?;
        self.retype();
        Ok(extras)
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<Piece, TableError> {
        let piece = self.inner.next_batch(batch)?;
        coerce(self.inner.name(), &self.selected, batch)?;
        Ok(piece)
    }
}

/// Whether a text is a word for nothing, and not NaN, which is a float.
fn is_word_for_nothing(text: &str) -> bool {
    is_nothing(text) && float(text).is_none()
}

fn push_some<T>(to: &mut Vec<T>, value: Option<T>) -> bool {
    let some = value.is_some();
    to.extend(value);
    some
}

pub(crate) fn push_text(to: &mut TextColumn, values: &Values, row: usize) {
    to.push(Shortest::default().text(values, row));
}
