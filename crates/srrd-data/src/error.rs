//! The one error type of this crate.
//!
//! A message names the file, the row (and the line, in a text format) and the column where they apply, says what was wrong
//! and what to do. It is complete in itself: there is no chain of causes to print after it.

use std::fmt;
use std::io;

use srrd::FrontEnd;

use crate::table::Batch;

/// What went wrong with a table, in a form a program can act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file, or the folder it should go into, does not exist.
    NotFound,
    /// The path is a directory.
    Directory,
    /// The file may not be read or written.
    PermissionDenied,
    /// The reader of the output went away (`| head`): usually not worth a message.
    BrokenPipe,
    /// Any other failure of the operating system.
    Io,
    /// The extension names no supported format.
    UnknownFormat,
    /// The format is refused on purpose (pickle).
    Refused,
    /// The format is known but was left out of this build.
    NotBuilt,
    /// The contents are not what the file's name says.
    WrongFormat,
    /// The file ends too early.
    Truncated,
    /// The contents break the rules of the format.
    Malformed,
    /// Text that is not UTF-8, or holds NUL bytes.
    Encoding,
    /// The file holds nothing, or no data rows.
    Empty,
    /// The first row looks like data.
    MissingHeader,
    /// Two columns have one name.
    DuplicateColumn,
    /// A column that was asked for is not there.
    MissingColumn,
    /// A row with too few or too many fields, or with other keys than the first.
    Ragged,
    /// A value of another type than the rest of its column, or than was asked for.
    Type,
    /// A number that is not one, is not finite, or does not fit.
    Number,
    /// A column of a type that tables of transitions do not use.
    UnsupportedColumn,
    /// The caller asked for something that makes no sense (such as selecting columns after reading has begun).
    Usage,
}

/// An error about a table; see [`ErrorKind`] for the kinds and the `Display` form for the whole message.
///
/// ```
/// use srrd_data::{ErrorKind, ReadOptions, open};
/// let error = open("no/such/file.csv".as_ref(), &ReadOptions::default()).err().unwrap();
/// assert_eq!(error.kind(), ErrorKind::NotFound);
/// assert!(error.to_string().starts_with("no/such/file.csv: "));
/// ```
pub struct TableError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    file: String,
    row: Option<u64>,
    line: Option<u64>,
    column: Option<String>,
    message: String,
    /// The message for Python, where it names an option.
    in_python: Option<String>,
}

impl TableError {
    /// An error about `file` as a whole; `message` says what was wrong and what to do.
    pub fn new(kind: ErrorKind, file: impl Into<String>, message: impl Into<String>) -> Self {
        TableError(Box::new(Inner {
            kind,
            file: file.into(),
            row: None,
            line: None,
            column: None,
            message: message.into(),
            in_python: None,
        }))
    }

    /// The same, where the message names options, which every front end writes in its own way.
    pub(crate) fn telling(kind: ErrorKind, file: impl Into<String>, message: impl Fn(FrontEnd) -> String) -> Self {
        let mut error = TableError::new(kind, file, message(FrontEnd::Command));
        error.0.in_python = Some(message(FrontEnd::Python));
        error
    }

    /// The whole message, with options as this front end writes them.
    pub fn say(&self, front_end: FrontEnd) -> String {
        let message = match (front_end, &self.0.in_python) {
            (FrontEnd::Python, Some(message)) => message,
            _ => &self.0.message,
        };
        format!("{}{message}", self.place())
    }

    /// Names the data row (counted from 1, without the header).
    #[must_use]
    pub(crate) fn at_row(mut self, row: u64) -> Self {
        self.0.row = Some(row);
        self
    }

    /// Counts the row it names, if it names one, from another row on.
    #[must_use]
    pub(crate) fn shift_row(mut self, by: u64) -> Self {
        self.0.row = self.0.row.map(|row| row + by);
        self
    }

    /// Names the line of a text file (counted from 1).
    #[must_use]
    pub(crate) fn at_line(mut self, line: impl Into<Option<u64>>) -> Self {
        self.0.line = line.into();
        self
    }

    /// Names the row of a batch, and its line.
    #[must_use]
    pub(crate) fn at(self, batch: &Batch, index: usize) -> Self {
        self.at_row(batch.row_number(index)).at_line(batch.line(index))
    }

    /// Names the column.
    #[must_use]
    pub fn in_column(mut self, column: impl Into<String>) -> Self {
        self.0.column = Some(column.into());
        self
    }

    /// The error for a table that has a header but no data rows. Readers accept such a table; whoever needs rows says so.
    pub fn no_rows(file: impl Into<String>) -> Self {
        Self::new(ErrorKind::Empty, file, "the table has no data rows; at least one transition is needed")
    }

    /// The error for a log of which no row has a reward that is asked for.
    pub(crate) fn no_row_with(file: impl Into<String>) -> Self {
        Self::telling(ErrorKind::Empty, file, |front_end| {
            format!(
                "no row has such a reward, so that nothing can be compared; choose others with `{}`",
                these_rewards(front_end, "A", "B")
            )
        })
    }

    /// The error for a log of which every row lacks one of the rewards.
    pub(crate) fn no_row_with_all(file: impl Into<String>, rewards: &[String]) -> Self {
        Self::telling(ErrorKind::Empty, file, |front_end| {
            format!(
                "no row has all of the rewards {}, and a copy has the rows that do; choose others with `{}`",
                crate::table::listed(rewards.iter().map(String::as_str)),
                these_rewards(front_end, "A", "B")
            )
        })
    }

    /// An operating system error while doing `what` ("read", "write").
    pub(crate) fn io(file: impl Into<String>, what: &str, error: &io::Error) -> Self {
        let kind = match error.kind() {
            io::ErrorKind::NotFound => ErrorKind::NotFound,
            io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
            io::ErrorKind::BrokenPipe => ErrorKind::BrokenPipe,
            io::ErrorKind::IsADirectory => ErrorKind::Directory,
            io::ErrorKind::UnexpectedEof => ErrorKind::Truncated,
            _ => ErrorKind::Io,
        };
        let message = match kind {
            ErrorKind::PermissionDenied => {
                format!("permission denied: this file cannot be {what}; check its permissions")
            }
            ErrorKind::BrokenPipe => "the reader of the output has closed it".to_owned(),
            _ => format!("cannot be {what}: {error}"),
        };
        Self::new(kind, file, message)
    }

    /// What kind of error this is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The file, as it was named by the caller.
    pub fn file(&self) -> &str {
        &self.0.file
    }

    /// The data row, counted from 1 without the header.
    pub fn row(&self) -> Option<u64> {
        self.0.row
    }

    /// The line of a text file, counted from 1.
    pub fn line(&self) -> Option<u64> {
        self.0.line
    }

    /// The column.
    pub fn column(&self) -> Option<&str> {
        self.0.column.as_deref()
    }
}

/// What is wrong with a line of JSON, and where. The position that serde_json tells counts within the line, which is always "line 1".
pub(crate) fn of_json(error: &serde_json::Error) -> String {
    let full = error.to_string();
    format!("at character {}: {}", error.column(), full.split(" at line ").next().unwrap_or(&full))
}

/// Two reward columns, as this front end is told of them.
pub(crate) fn these_rewards(front_end: FrontEnd, one: &str, other: &str) -> String {
    match front_end {
        FrontEnd::Command => format!("--rewards {one},{other}"),
        FrontEnd::Python => format!("rewards=[\"{one}\", \"{other}\"]"),
    }
}

impl TableError {
    /// File, row and column, as far as they are known, with what sets them apart from the message.
    fn place(&self) -> String {
        let Inner { file, row, line, column, .. } = &*self.0;
        let row = match (row, line) {
            (Some(row), Some(line)) => Some(format!("row {row} (line {line})")),
            (Some(row), None) => Some(format!("row {row}")),
            (None, Some(line)) => Some(format!("line {line}")),
            (None, None) => None,
        };
        let column = column.as_ref().map(|column| format!("column `{}`", shorten(column)));
        let within: Vec<String> = row.into_iter().chain(column).collect();
        let within = if within.is_empty() { String::new() } else { format!("{}: ", within.join(", ")) };
        format!("{file}: {within}")
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.say(FrontEnd::Command))
    }
}

impl fmt::Debug for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for TableError {}

/// A value as it is shown in a message: control characters escaped, long ones cut.
pub(crate) fn shorten(text: &str) -> String {
    const LIMIT: usize = 60;
    let mut shown = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == LIMIT {
            shown.push('…');
            break;
        }
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_names_every_place_it_knows() {
        let error = TableError::new(ErrorKind::Number, "a.csv", "bad");
        assert_eq!(error.to_string(), "a.csv: bad");
        let error = error.in_column("reward");
        assert_eq!(error.to_string(), "a.csv: column `reward`: bad");
        let error = error.at_row(3);
        assert_eq!(error.to_string(), "a.csv: row 3, column `reward`: bad");
        let error = error.at_line(4);
        assert_eq!(error.to_string(), "a.csv: row 3 (line 4), column `reward`: bad");
        let error = TableError::new(ErrorKind::Encoding, "a.csv", "bad").at_line(2);
        assert_eq!(error.to_string(), "a.csv: line 2: bad");
    }

    #[test]
    fn options_are_named_as_the_front_end_has_them() {
        let error = TableError::no_row_with("a.csv").at_row(3);
        assert!(error.to_string().ends_with("with `--rewards A,B`"), "{error}");
        let said = error.say(FrontEnd::Python);
        assert!(said.starts_with("a.csv: row 3: ") && said.ends_with("with `rewards=[\"A\", \"B\"]`"), "{said}");
    }

    #[test]
    fn values_are_shortened_and_escaped() {
        assert_eq!(shorten("a\nb\u{0}"), "a\\nb\\u{0}");
        assert_eq!(shorten(&"é".repeat(100)).chars().count(), 61);
    }
}
