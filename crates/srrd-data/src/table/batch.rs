//! The data model: batches of rows, held column by column.
//!
//! A [`Batch`] is filled again and again by one reader, so everything in it can be cleared without giving memory back.

use super::original::Original;
use super::schema::ColumnType;

/// Texts, one after another in a single allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextColumn {
    text: String,
    ends: Vec<usize>,
}

impl TextColumn {
    /// An empty column.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no texts.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a text.
    #[inline]
    pub fn push(&mut self, value: &str) {
        self.text.push_str(value);
        self.ends.push(self.text.len());
    }

    /// The text at `index`.
    ///
    /// # Panics
    /// When `index` is not below [`len`](Self::len).
    #[inline]
    pub fn get(&self, index: usize) -> &str {
        let start = match index {
            0 => 0,
            _ => self.ends[index - 1],
        };
        &self.text[start..self.ends[index]]
    }

    /// The texts, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The position of the first empty text.
    pub(crate) fn first_empty(&self) -> Option<usize> {
        match self.ends.first() {
            Some(0) => Some(0),
            _ => self.ends.windows(2).position(|pair| pair[0] == pair[1]).map(|before| before + 1),
        }
    }

    /// All texts joined without separator: what to search when a property of every text is asked for.
    pub(crate) fn joined(&self) -> &str {
        &self.text
    }

    /// Removes every text and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// Adds a piece of the text that the next [`end`](Self::end) completes.
    pub(crate) fn push_part(&mut self, part: &str) {
        self.text.push_str(part);
    }

    /// Completes a text made of parts.
    pub(crate) fn end(&mut self) {
        self.ends.push(self.text.len());
    }
}

impl<'a> FromIterator<&'a str> for TextColumn {
    fn from_iter<I: IntoIterator<Item = &'a str>>(values: I) -> Self {
        let mut column = TextColumn::new();
        for value in values {
            column.push(value);
        }
        column
    }
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Text, compared as written.
    Text(TextColumn),
    /// 64-bit signed integers.
    Int(Vec<i64>),
    /// 64-bit floating point numbers (narrower ones are widened).
    Float(Vec<f64>),
    /// True or false.
    Bool(Vec<bool>),
}

impl Values {
    /// No values, of type `kind`.
    pub fn empty(kind: ColumnType) -> Self {
        match kind {
            ColumnType::Text => Values::Text(TextColumn::new()),
            ColumnType::Int => Values::Int(Vec::new()),
            ColumnType::Float => Values::Float(Vec::new()),
            ColumnType::Bool => Values::Bool(Vec::new()),
        }
    }

    /// The type.
    pub fn kind(&self) -> ColumnType {
        match self {
            Values::Text(_) => ColumnType::Text,
            Values::Int(_) => ColumnType::Int,
            Values::Float(_) => ColumnType::Float,
            Values::Bool(_) => ColumnType::Bool,
        }
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            Values::Text(values) => values.len(),
            Values::Int(values) => values.len(),
            Values::Float(values) => values.len(),
            Values::Bool(values) => values.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes every value and keeps the memory.
    pub(crate) fn clear(&mut self) {
        match self {
            Values::Text(values) => values.clear(),
            Values::Int(values) => values.clear(),
            Values::Float(values) => values.clear(),
            Values::Bool(values) => values.clear(),
        }
    }

    /// Makes floats of integers.
    pub(crate) fn become_floats(&mut self) {
        if let Values::Int(values) = self {
            *self = Values::Float(values.iter().map(|&value| value as f64).collect());
        }
    }

    /// Adds the value that stands in the place of a missing one: empty, zero, NaN or false.
    pub(crate) fn push_placeholder(&mut self) {
        match self {
            Values::Text(values) => values.push(""),
            Values::Int(values) => values.push(0),
            Values::Float(values) => values.push(f64::NAN),
            Values::Bool(values) => values.push(false),
        }
    }
}

/// A column of a batch: its values, and which of them are there.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// One value per row; a missing one has a placeholder (empty text, 0, NaN, false).
    pub values: Values,
    /// Which values are there; `None` when all are. Text formats have no missing values, only empty texts.
    pub validity: Option<Vec<bool>>,
    /// The column as it is in its file, where it is only passed through; the values are all missing then.
    pub original: Option<Original>,
    /// How many numbers in lists and structures became null in JSON, which has no NaN and no infinities.
    pub(crate) lost: u64,
}

impl Column {
    /// A column of these values, of which some may be missing.
    pub fn new(values: Values, validity: Option<Vec<bool>>) -> Self {
        Column { values, validity, original: None, lost: 0 }
    }

    /// An empty column of type `kind`.
    pub fn empty(kind: ColumnType) -> Self {
        Values::empty(kind).into()
    }

    /// The type.
    pub fn kind(&self) -> ColumnType {
        self.values.kind()
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether the value of row `index` of the batch is there.
    pub fn is_valid(&self, index: usize) -> bool {
        self.validity.as_ref().is_none_or(|valid| valid[index])
    }

    /// Makes this an empty column of type `kind`, keeping the memory when it had that type.
    pub(crate) fn reset(&mut self, kind: ColumnType) {
        if self.kind() == kind {
            self.values.clear();
        } else {
            self.values = Values::empty(kind);
        }
        self.validity = None;
        self.original = None;
        self.lost = 0;
    }

    /// Notes that the value just added is there or not. The first missing value makes the validity list appear.
    #[inline]
    pub(crate) fn note_validity(&mut self, valid: bool) {
        if let Some(list) = &mut self.validity {
            list.push(valid);
        } else if !valid {
            let mut list = vec![true; self.values.len()];
            if let Some(last) = list.last_mut() {
                *last = false;
            }
            self.validity = Some(list);
        }
    }

    /// Adds the rows of `other`, which has the same type.
    pub(crate) fn append(&mut self, other: &Column) {
        if self.validity.is_some() || other.validity.is_some() {
            let validity = self.validity.get_or_insert_with(|| vec![true; self.values.len()]);
            match &other.validity {
                Some(other) => validity.extend(other),
                None => validity.resize(validity.len() + other.len(), true),
            }
        }
        match (&mut self.values, &other.values) {
            (Values::Text(to), Values::Text(from)) => from.iter().for_each(|text| to.push(text)),
            (Values::Int(to), Values::Int(from)) => to.extend(from),
            (Values::Float(to), Values::Float(from)) => to.extend(from),
            (Values::Bool(to), Values::Bool(from)) => to.extend(from),
            (to, from) => debug_assert_eq!(to.kind(), from.kind()),
        }
    }

    /// Adds a missing value.
    pub(crate) fn push_missing(&mut self) {
        self.values.push_placeholder();
        self.note_validity(false);
    }
}

impl From<Values> for Column {
    fn from(values: Values) -> Self {
        Column::new(values, None)
    }
}

/// Some consecutive rows of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// The columns, in the order of the reader's schema.
    pub columns: Vec<Column>,
    /// The number of rows.
    pub rows: usize,
    /// The number of the first row in its file, counted from 1 without the header.
    pub first_row: u64,
    pub(crate) lines: Lines,
    /// Which rows these are, counted from the first, where some of the file's were left out.
    kept: Option<Vec<u32>>,
    /// The first next state that is read as something else than it says.
    pub(crate) reread: Option<String>,
}

impl Batch {
    /// An empty batch, for a reader to fill.
    pub fn new() -> Self {
        Self::default()
    }

    /// A batch of these columns.
    ///
    /// # Panics
    /// When the columns differ in length.
    pub fn from_columns(columns: Vec<Column>, first_row: u64) -> Self {
        let rows = columns.first().map_or(0, Column::len);
        assert!(columns.iter().all(|column| column.len() == rows), "the columns of a batch must have one length");
        Batch { columns, rows, first_row, ..Batch::default() }
    }

    /// The number of row `index` of this batch in its file, counted from 1 without the header.
    pub fn row_number(&self, index: usize) -> u64 {
        self.first_row + self.place(index) as u64
    }

    /// The place of row `index` among all rows that were read.
    fn place(&self, index: usize) -> usize {
        self.kept.as_ref().map_or(index, |kept| kept[index] as usize)
    }

    /// Notes which rows are left, before the others go.
    pub(crate) fn note_kept(&mut self, keep: &[bool]) {
        self.kept = Some((0..self.rows).filter(|&row| keep[row]).map(|row| self.place(row) as u32).collect());
    }

    /// The line of the file on which row `index` of this batch begins; `None` for formats without lines.
    pub fn line(&self, index: usize) -> Option<u64> {
        self.lines.get(self.place(index))
    }

    /// Empties the batch for rows from `first_row` on, with columns of these types; memory is kept.
    pub(crate) fn reset(&mut self, first_row: u64, kinds: impl IntoIterator<Item = ColumnType>) {
        self.rows = 0;
        self.first_row = first_row;
        self.lines.clear();
        self.kept = None;
        self.reread = None;
        let mut count = 0;
        for kind in kinds {
            match self.columns.get_mut(count) {
                Some(column) => column.reset(kind),
                None => self.columns.push(Column::empty(kind)),
            }
            count += 1;
        }
        self.columns.truncate(count);
    }
}

/// Which line each row begins on. Nearly always one more than the row before, so only the exceptions are kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lines {
    /// (row of the batch, its line), for the first row and each row that does not follow its predecessor directly.
    jumps: Vec<(usize, u64)>,
}

impl Lines {
    pub(crate) fn clear(&mut self) {
        self.jumps.clear();
    }

    /// Notes that row `index`, the next one, begins on `line`.
    #[inline]
    pub(crate) fn note(&mut self, index: usize, line: u64) {
        let expected = self.jumps.last().map(|&(row, at)| at + (index - row) as u64);
        if expected != Some(line) {
            self.jumps.push((index, line));
        }
    }

    fn get(&self, index: usize) -> Option<u64> {
        let after = self.jumps.partition_point(|&(row, _)| row <= index);
        let (row, line) = *self.jumps.get(after.checked_sub(1)?)?;
        Some(line + (index - row) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_share_one_allocation() {
        let mut column: TextColumn = ["a", "", "ünï"].into_iter().collect();
        assert_eq!(column.iter().collect::<Vec<_>>(), ["a", "", "ünï"]);
        assert_eq!(column.first_empty(), Some(1));
        assert_eq!(["a"].into_iter().collect::<TextColumn>().first_empty(), None);
        assert_eq!([""].into_iter().collect::<TextColumn>().first_empty(), Some(0));
        column.push_part("x");
        column.push_part("y");
        column.end();
        assert_eq!(column.get(3), "xy");
        column.clear();
        assert!(column.is_empty());
    }

    #[test]
    fn validity_appears_with_the_first_missing_value() {
        let mut column = Column::empty(ColumnType::Int);
        let Values::Int(values) = &mut column.values else { unreachable!() };
        values.push(5);
        column.note_validity(true);
        assert_eq!(column.validity, None);
        column.push_missing();
        assert_eq!(column.validity, Some(vec![true, false]));
        assert!(column.is_valid(0) && !column.is_valid(1));
    }

    #[test]
    fn lines_follow_rows_except_where_they_jump() {
        let mut lines = Lines::default();
        assert_eq!(lines.get(0), None);
        for (row, line) in [(0, 2), (1, 3), (2, 6), (3, 7)] {
            lines.note(row, line);
        }
        assert_eq!(lines.jumps.len(), 2);
        let got: Vec<_> = (0..4).map(|row| lines.get(row).unwrap()).collect();
        assert_eq!(got, [2, 3, 6, 7]);
    }

    #[test]
    fn reset_keeps_what_it_can() {
        let mut batch = Batch::from_columns(vec![Values::Int(vec![1, 2]).into()], 1);
        batch.reset(3, [ColumnType::Int, ColumnType::Text]);
        assert_eq!((batch.rows, batch.first_row), (0, 3));
        assert_eq!(batch.columns.len(), 2);
        assert!(batch.columns.iter().all(Column::is_empty));
    }
}
