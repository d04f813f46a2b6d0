//! The rows of trials.csv: columns with names and types.
//!
//! A [`Column`] is declared once, as a constant of the experiment. A trial writes a [`Row`] with it, and an evaluation reads a
//! [`Record`] with it, so that both agree on name and type. What is read is checked: a file that someone has edited gives a
//! message with its row and column.

use crate::error::LabError;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

/// What a column or a parameter can hold, and the text that stands for it.
pub trait Value: Sized {
    /// Reads the text, or says why that is not possible, without the name of the column or parameter.
    fn read(text: &str) -> Result<Self, String>;
    /// The text. [`read`](Self::read) gives the same value back.
    fn write(&self) -> String;
    /// The value as a number, where it is one.
    fn as_number(&self) -> Option<f64> {
        None
    }
}

/// One of a few things with names.
pub trait Choice: Copy + PartialEq + 'static {
    /// All of them.
    const ALL: &'static [Self];
    /// Their names, in the same order, where these do not come from elsewhere.
    const NAMES: &'static [&'static str] = &[];
    /// The name in options and files.
    fn name(self) -> &'static str {
        let place = Self::ALL.iter().position(|choice| *choice == self);
        Self::NAMES[place.expect("all choices are listed")]
    }
    /// All their names, for messages and help.
    fn names() -> String {
        Self::ALL.iter().map(|choice| choice.name()).collect::<Vec<_>>().join(", ")
    }
}

impl<T: Choice> Value for T {
    fn read(text: &str) -> Result<Self, String> {
        let found = T::ALL.iter().copied().find(|choice| choice.name() == text);
        found.ok_or_else(|| format!("'{text}' is none of {}", T::names()))
    }

    fn write(&self) -> String {
        self.name().to_owned()
    }
}

impl Value for f64 {
    fn read(text: &str) -> Result<Self, String> {
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        number.ok_or_else(|| format!("'{text}' is not a number"))
    }

    /// The shortest text that reads back as the same number.
    fn write(&self) -> String {
        self.to_string()
    }

    fn as_number(&self) -> Option<f64> {
        Some(*self)
    }
}

impl Value for u64 {
    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| format!("'{text}' is not a whole number from 0 up"))
    }

    fn write(&self) -> String {
        self.to_string()
    }

    fn as_number(&self) -> Option<f64> {
        Some(*self as f64)
    }
}

impl Value for i64 {
    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| format!("'{text}' is not a whole number"))
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Value for usize {
    fn read(text: &str) -> Result<Self, String> {
        u64::read(text)?.try_into().map_err(|_| format!("'{text}' is too large"))
    }

    fn write(&self) -> String {
        (*self as u64).write()
    }

    fn as_number(&self) -> Option<f64> {
        Some(*self as f64)
    }
}

/// Written as 0 and 1.
impl Value for bool {
    fn read(text: &str) -> Result<Self, String> {
        match text {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => Err(format!("'{text}' is neither 0 nor 1")),
        }
    }

    fn write(&self) -> String {
        u8::from(*self).to_string()
    }
}

/// Text that is the key of a trial; it holds no commas and no line breaks.
impl Value for String {
    fn read(text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }

    fn write(&self) -> String {
        self.clone()
    }
}

/// A value that may be missing: then nothing is written.
impl<T: Value> Value for Option<T> {
    fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() { Ok(None) } else { T::read(text).map(Some) }
    }

    fn write(&self) -> String {
        self.as_ref().map_or(String::new(), T::write)
    }

    fn as_number(&self) -> Option<f64> {
        self.as_ref().and_then(T::as_number)
    }
}

/// Whole numbers with spaces between them.
impl Value for Vec<u64> {
    fn read(text: &str) -> Result<Self, String> {
        text.split(' ').map(u64::read).collect()
    }

    fn write(&self) -> String {
        self.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
    }
}

/// A column of trials.csv that holds values of the type `T`.
#[derive(Debug)]
pub struct Column<T> {
    name: &'static str,
    range: (f64, f64),
    holds: PhantomData<fn() -> T>,
}

impl<T> Clone for Column<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Column<T> {}

impl<T: Value> Column<T> {
    /// A column of this name.
    pub const fn new(name: &'static str) -> Self {
        Column { name, range: (f64::NEG_INFINITY, f64::INFINITY), holds: PhantomData }
    }

    /// The name in the header.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The same column, whose numbers lie between these two, both included.
    pub const fn within(self, low: f64, high: f64) -> Self {
        Column { range: (low, high), ..self }
    }

    /// The column without its type, for the list of all columns.
    pub const fn any(self) -> AnyColumn {
        AnyColumn { name: self.name, range: self.range, check: check::<T> }
    }
}

fn check<T: Value>(text: &str, range: (f64, f64)) -> Result<(), String> {
    read::<T>(text, range).map(|_| ())
}

fn read<T: Value>(text: &str, (low, high): (f64, f64)) -> Result<T, String> {
    let value = T::read(text)?;
    match value.as_number() {
        Some(number) if !(low <= number && number <= high) => {
            Err(format!("'{text}' is not a number from {low} to {high}"))
        }
        _ => Ok(value),
    }
}

/// A column whose type is known to itself alone: it can still say whether a text is a value of it.
#[derive(Clone, Copy, Debug)]
pub struct AnyColumn {
    name: &'static str,
    range: (f64, f64),
    check: fn(&str, (f64, f64)) -> Result<(), String>,
}

impl AnyColumn {
    /// The name in the header.
    pub fn name(&self) -> &'static str {
        self.name
    }
}

/// The header line of a table with these columns.
pub fn header(columns: &[AnyColumn]) -> String {
    columns.iter().map(AnyColumn::name).collect::<Vec<_>>().join(",")
}

/// Why a line does not fit the columns: the column, where there is one, and what is wrong.
pub struct Misfit {
    pub column: Option<&'static str>,
    pub what: String,
}

/// Checks that a line has a value of the right type for every column.
pub fn check_line(line: &str, columns: &[AnyColumn]) -> Result<(), Misfit> {
    let mut fields = line.split(',');
    for column in columns {
        let misfit = |what| Misfit { column: Some(column.name), what };
        let field = fields.next().ok_or_else(|| misfit("the column is missing".to_owned()))?;
        (column.check)(field, column.range).map_err(misfit)?;
    }
    match fields.count() {
        0 => Ok(()),
        more => {
            let (all, columns) = (columns.len() + more, columns.len());
            Err(Misfit { column: None, what: format!("there are {all} columns where {columns} belong") })
        }
    }
}

/// A row, or a part of one, that is about to be written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row(Vec<(&'static str, String)>);

impl Row {
    /// A row without columns.
    pub fn new() -> Self {
        Row::default()
    }

    /// The row with a further column.
    #[must_use]
    pub fn with<T: Value>(mut self, column: Column<T>, value: T) -> Self {
        self.0.push((column.name, value.write()));
        self
    }

    /// The row with the columns of another one after its own.
    #[must_use]
    pub fn followed_by(mut self, other: Row) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The row as it is written, without the end of the line.
    pub fn line(&self) -> String {
        self.0.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(",")
    }

    /// The line, if it can be read back with these columns.
    pub(crate) fn checked_line(&self, columns: &[AnyColumn]) -> Result<String, LabError> {
        if !self.0.iter().map(|(name, _)| *name).eq(columns.iter().map(AnyColumn::name)) {
            let names: Vec<&str> = self.0.iter().map(|(name, _)| *name).collect();
            return Err(LabError::failed(format!(
                "a trial has the columns {}, not {}",
                names.join(","),
                header(columns)
            )));
        }
        let line = self.line();
        check_line(&line, columns).map_err(|Misfit { column, what }| {
            LabError::failed(format!("a trial cannot be written: column {}: {what}", column.unwrap_or_default()))
        })?;
        Ok(line)
    }
}

/// The rows of trials.csv, all of them checked.
pub struct Trials {
    path: PathBuf,
    columns: Vec<AnyColumn>,
    text: String,
    /// How many rows each trial has.
    rows: Vec<usize>,
    /// Whether every trial of the plan is there.
    pub complete: bool,
}

impl Trials {
    /// `text` is the whole file, of which every line was checked.
    pub(crate) fn new(path: &Path, columns: Vec<AnyColumn>, text: String, rows: Vec<usize>, complete: bool) -> Self {
        Trials { path: path.to_owned(), columns, text, rows, complete }
    }

    /// The trials in the order of the plan, each with its rows.
    pub fn each(&self) -> impl Iterator<Item = Vec<Record<'_>>> {
        let mut lines = self.text.lines().enumerate().skip(1);
        self.rows.iter().map(move |&rows| {
            let lines = lines.by_ref().take(rows);
            lines.map(|(row, line)| Record { trials: self, row, fields: line.split(',').collect() }).collect()
        })
    }
}

/// One row of trials.csv.
pub struct Record<'a> {
    trials: &'a Trials,
    row: usize,
    fields: Vec<&'a str>,
}

impl Record<'_> {
    /// The value in a column.
    pub fn get<T: Value>(&self, column: Column<T>) -> Result<T, LabError> {
        let place = self.trials.columns.iter().position(|known| known.name == column.name);
        let field =
            place.and_then(|place| self.fields.get(place)).ok_or_else(|| self.misfit(column.name, "is missing"))?;
        read(field, column.range).map_err(|what| self.misfit(column.name, what))
    }

    /// Refuses a row that is about something else than what belongs in its place.
    pub fn expect<T: Value>(&self, column: Column<T>, value: T) -> Result<(), LabError> {
        let (found, expected) = (self.get(column)?.write(), value.write());
        if found == expected {
            return Ok(());
        }
        Err(self.misfit(column.name, format!("'{found}' stands where '{expected}' belongs")))
    }

    /// The error for a value that is not one of this run.
    pub fn misfit(&self, column: &str, what: impl Into<String>) -> LabError {
        LabError::row(&self.trials.path, self.row, Some(column), what)
    }
}

/// A small table as text.
#[derive(Clone, Debug, Default)]
pub struct Csv {
    text: String,
}

impl Csv {
    /// A table with these columns.
    pub fn new(columns: &[&str]) -> Self {
        Csv { text: columns.join(",") + "\n" }
    }

    /// Adds a row; values hold no commas, quotes or line breaks.
    pub fn row<S: AsRef<str>>(&mut self, values: impl IntoIterator<Item = S>) {
        for (i, value) in values.into_iter().enumerate() {
            if i > 0 {
                self.text.push(',');
            }
            self.text.push_str(value.as_ref());
        }
        self.text.push('\n');
    }

    /// The table.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// A number in a table: the shortest text that reads back as the same number, and nothing for NaN.
pub fn number(value: f64) -> String {
    if value.is_nan() { String::new() } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use srrd::Metric;

    const METRIC: Column<Metric> = Column::new("metric");
    const COMMON: Column<u64> = Column::new("common");
    const DISTANCE: Column<Option<f64>> = Column::<Option<f64>>::new("distance").within(0.0, 1.0);
    const COLUMNS: [AnyColumn; 3] = [METRIC.any(), COMMON.any(), DISTANCE.any()];

    fn trials(text: &str) -> Trials {
        Trials::new(Path::new("run/trials.csv"), COLUMNS.to_vec(), text.to_owned(), vec![2], true)
    }

    #[test]
    fn what_is_written_reads_back() {
        let row = |distance| Row::new().with(METRIC, Metric::Srrd).with(COMMON, 12).with(DISTANCE, distance);
        let lines = [row(Some(0.1 + 0.2)), row(None)].map(|row| row.checked_line(&COLUMNS).unwrap());
        assert_eq!(lines, ["srrd,12,0.30000000000000004", "srrd,12,"]);
        let trials = trials(&format!("metric,common,distance\n{}\n{}\n", lines[0], lines[1]));
        let read: Vec<Vec<Record<'_>>> = trials.each().collect();
        assert_eq!(read[0][0].get(METRIC).unwrap(), Metric::Srrd);
        assert_eq!(read[0][0].get(DISTANCE).unwrap(), Some(0.1 + 0.2));
        assert_eq!(read[0][1].get(DISTANCE).unwrap(), None);
        let message = read[0][1].expect(METRIC, Metric::Epic).unwrap_err().to_string();
        assert_eq!(message, "run/trials.csv: row 2, column `metric`: 'srrd' stands where 'epic' belongs");
    }

    #[test]
    fn lines_that_do_not_fit_name_the_column() {
        for (line, column, what) in [
            ("srrd,12", Some("distance"), "the column is missing"),
            ("srrd", Some("common"), "the column is missing"),
            ("srrd,12,0.5,7", None, "there are 4 columns where 3 belong"),
            ("l2,12,0.5", Some("metric"), "'l2' is none of direct, epic, dard, srrd, projected"),
            (",12,0.5", Some("metric"), "'' is none of"),
            ("srrd,-5,0.5", Some("common"), "'-5' is not a whole number from 0 up"),
            ("srrd,7.5,0.5", Some("common"), "'7.5' is not a whole number from 0 up"),
            ("srrd,,0.5", Some("common"), "'' is not a whole number from 0 up"),
            ("srrd,12,abc", Some("distance"), "'abc' is not a number"),
            ("srrd,12,inf", Some("distance"), "'inf' is not a number"),
            ("srrd,12,NaN", Some("distance"), "'NaN' is not a number"),
            ("srrd,12,-5", Some("distance"), "'-5' is not a number from 0 to 1"),
        ] {
            let misfit = check_line(line, &COLUMNS).err().unwrap();
            assert_eq!(misfit.column, column, "{line}");
            assert!(misfit.what.starts_with(what), "{line}: {}", misfit.what);
        }
    }

    #[test]
    fn a_row_that_could_not_be_read_is_not_written() {
        let row = |distance| Row::new().with(METRIC, Metric::Srrd).with(COMMON, 1).with(DISTANCE, Some(distance));
        assert!(row(f64::NAN).checked_line(&COLUMNS).unwrap_err().to_string().contains("column distance"));
        let short = Row::new().with(COMMON, 1);
        assert!(short.checked_line(&COLUMNS).unwrap_err().to_string().contains("has the columns common"));
    }
}
