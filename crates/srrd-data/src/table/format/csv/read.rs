//! Reading CSV and TSV.
//!
//! Whole records are fetched from the file in order; turning them into rows is left to any thread.

use std::sync::Arc;

use super::scan::{Fault, Field as Part, Problem, Progress, Record, blank_lines, record, take_rows, whole_records};
use crate::error::{ErrorKind, TableError, shorten};
use crate::table::batch::Batch;
use crate::table::read::lines::LineBlocks;
use crate::table::read::{Decoder, Input, Piece, ReadOptions, Selection, TableReader, Undecoded, check_names};
use crate::table::schema::{ColumnType, Field, Schema};

pub(super) struct CsvReader {
    lines: LineBlocks,
    delimiter: u8,
    selection: Selection,
    batch_rows: usize,
    /// How rows are decoded, once columns have been selected.
    decoder: Option<Arc<RowDecoder>>,
    /// Records that were fetched, and how many bytes of them are in batches already.
    held: Undecoded,
    taken: usize,
    /// The number of the next data row.
    next_row: u64,
}

impl CsvReader {
    pub(super) fn open(input: Input, delimiter: u8, options: &ReadOptions) -> Result<Self, TableError> {
        let mut lines = LineBlocks::open(input)?;
        let names = read_header(&mut lines, delimiter)?;
        if !options.numeric_names {
            check_header(&lines, &names)?;
        }
        let schema =
            Schema { fields: names.into_iter().map(|name| Field::new(name, Some(ColumnType::Text))).collect() };
        check_names(lines.name(), &schema)?;
        Ok(CsvReader {
            lines,
            delimiter,
            selection: Selection::everything(schema),
            batch_rows: options.batch_rows.max(1),
            decoder: None,
            held: Undecoded::default(),
            taken: 0,
            next_row: 1,
        })
    }

    /// The decoder of the selected columns, which are fixed from now on.
    fn decoder(&mut self) -> Arc<RowDecoder> {
        self.selection.fixed = true;
        let CsvReader { lines, delimiter, selection, .. } = self;
        let decoder = self.decoder.get_or_insert_with(|| {
            Arc::new(RowDecoder {
                name: lines.name().to_owned(),
                delimiter: *delimiter,
                all: selection.all.clone(),
                positions: selection.positions.clone(),
            })
        });
        Arc::clone(decoder)
    }

    /// The first field of a column that is not empty, among the records that are held, which stay unread.
    fn first_field(&mut self, wanted: usize) -> Result<Option<String>, TableError> {
        loop {
            let text = self.lines.text();
            let (mut at, mut whole) = (0, false);
            loop {
                let mut found = String::new();
                let outcome = record(text, at, self.delimiter, |column, part| match part {
                    Part::Whole(text) | Part::Part(text) if column == wanted => found.push_str(text),
                    _ => {}
                });
                match outcome {
                    Record::Whole { .. } if !found.is_empty() => return Ok(Some(found)),
                    Record::Whole { next, .. } => (at, whole) = (next, true),
                    Record::Blank { next } => at = next,
                    // Told when it is read.
                    Record::Wrong { .. } => return Ok(None),
                    Record::Unfinished => break,
                }
            }
            if whole {
                return Ok(Some(String::new()));
            }
            // Only blank lines so far, of which a file may have very many.
            self.lines.consume(at);
            if !self.lines.more().map_err(|error| error.at_row(1))? {
                return Ok(None);
            }
        }
    }

    /// Fetches the next whole records.
    fn fetch_records(&mut self, records: &mut Undecoded) -> Result<Piece, TableError> {
        records.decoder = Some(self.decoder());
        loop {
            let text = self.lines.text();
            let whole = whole_records(text, self.delimiter);
            if whole > 0 {
                records.text.clear();
                records.text.push_str(&text[..whole]);
                records.line = self.lines.line();
                self.lines.consume(whole);
                return Ok(Piece::Rows);
            }
            let unfinished = !text.is_empty();
            if !self.lines.more().map_err(|error| error.at_row(1))? {
                return match unfinished {
                    true => Err(never_closed(self.lines.name()).at_row(1).at_line(self.lines.line())),
                    false => Ok(Piece::End),
                };
            }
        }
    }
}

impl TableReader for CsvReader {
    fn name(&self) -> &str {
        self.lines.name()
    }

    fn schema(&self) -> &Schema {
        &self.selection.selected
    }

    fn is_untyped(&self) -> bool {
        true
    }

    fn rows_hint(&self) -> Option<usize> {
        self.lines.lines_hint()
    }

    fn select(&mut self, names: &[&str]) -> Result<(), TableError> {
        self.selection.select(self.lines.name(), names)
    }

    fn first_cell(&mut self, column: &str) -> Result<Option<String>, TableError> {
        self.selection.all.index_of(column).map_or(Ok(None), |wanted| self.first_field(wanted))
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<Piece, TableError> {
        let before = self.next_row - 1;
        let decoder = self.decoder();
        decoder.reset(batch);
        batch.first_row = self.next_row;
        if self.taken == self.held.text.len() {
            let mut held = std::mem::take(&mut self.held);
            let fetched = self.fetch_records(&mut held);
            self.held = held;
            self.taken = 0;
            if let Piece::End = fetched.map_err(|error| error.shift_row(before))? {
                self.held.text.clear();
                return Ok(Piece::End);
            }
        }
        let progress = decoder
            .rows(&self.held.text[self.taken..], self.held.line, self.batch_rows, batch)
            .map_err(|error| error.shift_row(before))?;
        self.taken += progress.consumed;
        self.held.line += progress.lines;
        self.next_row += batch.rows as u64;
        Ok(Piece::Rows)
    }

    fn fetch(&mut self, undecoded: &mut Undecoded, _: &mut Batch) -> Result<Piece, TableError> {
        self.fetch_records(undecoded)
    }
}

/// Turns records into rows.
struct RowDecoder {
    name: String,
    delimiter: u8,
    all: Schema,
    /// The selected columns.
    positions: Vec<usize>,
}

impl RowDecoder {
    fn reset(&self, batch: &mut Batch) {
        batch.reset(1, self.positions.iter().map(|_| ColumnType::Text));
    }

    /// Takes rows, counted from 1, up to `limit`.
    fn rows(&self, text: &str, line: u64, limit: usize, batch: &mut Batch) -> Result<Progress, TableError> {
        let columns = (self.all.len(), self.positions.as_slice());
        take_rows(text, self.delimiter, columns, limit, line, batch).map_err(|fault| {
            let row = text.lines().nth((fault.line - line) as usize).unwrap_or_default();
            self.fault(fault, row).at_row(batch.rows as u64 + 1)
        })
    }

    /// The error for a fault in a row whose first line this is.
    fn fault(&self, fault: Fault, row: &str) -> TableError {
        let error = match fault.problem {
            Problem::Fields(count) if count == self.all.len() + 1 && row.ends_with(char::from(self.delimiter)) => {
                let what = format!(
                    "the row ends with a separator, so that it has {}, but the header has {}; delete the separator at the end of every row, \
                     or add one to the header",
                    plural(count, "field"),
                    self.all.len()
                );
                TableError::new(ErrorKind::Ragged, &self.name, what)
            }
            Problem::Fields(count) => {
                let width = self.all.len();
                let missing = match self.all.fields.get(count) {
                    Some(field) => format!(" (column `{}` has no value)", shorten(&field.name)),
                    None => String::new(),
                };
                let what = format!(
                    "the row has {}, but the header has {width}{missing}; every row needs as many fields as there are column \
                     names, and a field that holds a separator must be quoted",
                    plural(count, "field")
                );
                TableError::new(ErrorKind::Ragged, &self.name, what)
            }
            Problem::InField(column, what) => {
                let error = TableError::new(ErrorKind::Malformed, &self.name, what);
                match self.all.fields.get(column) {
                    Some(field) => error.in_column(&field.name),
                    None => error,
                }
            }
            Problem::Unfinished => never_closed(&self.name),
        };
        error.at_line(fault.line)
    }
}

impl Decoder for RowDecoder {
    fn decode(&self, text: &str, line: u64, batch: &mut Batch) -> Result<(), TableError> {
        self.reset(batch);
        self.rows(text, line, usize::MAX, batch).map(drop)
    }
}

fn plural(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

fn never_closed(file: &str) -> TableError {
    TableError::new(
        ErrorKind::Malformed,
        file,
        "a quote that opens in this row is never closed; close it, or quote the whole field and double the quotes in it",
    )
}

/// The fields of the first line that is not blank.
fn read_header(lines: &mut LineBlocks, delimiter: u8) -> Result<Vec<String>, TableError> {
    loop {
        // All blank lines at once: a file may begin with millions of them.
        lines.consume(blank_lines(lines.text().as_bytes()));
        let text = lines.text();
        let mut names = Vec::new();
        let mut name = String::new();
        let record = record(text, 0, delimiter, |_, part| match part {
            Part::Whole(text) => names.push(text.to_owned()),
            Part::Part(text) => name.push_str(text),
            Part::End => names.push(std::mem::take(&mut name)),
        });
        match record {
            Record::Whole { next, .. } => {
                lines.consume(next);
                return Ok(names);
            }
            Record::Blank { next } => lines.consume(next),
            Record::Wrong { line, what, .. } => {
                return Err(TableError::new(ErrorKind::Malformed, lines.name(), what).at_line(lines.line() + line));
            }
            Record::Unfinished => {
                let nothing = text.is_empty();
                if !lines.more()? {
                    return Err(match nothing {
                        true => TableError::new(
                            ErrorKind::Empty,
                            lines.name(),
                            "the file holds only blank lines; the first line must name the columns",
                        ),
                        false => never_closed(lines.name()).at_line(lines.line()),
                    });
                }
            }
        }
    }
}

/// A number is no column name: it means that the header is missing. One empty name is fine (pandas writes it for the index).
fn check_header(lines: &LineBlocks, names: &[String]) -> Result<(), TableError> {
    match names.iter().find(|name| name.trim().parse::<f64>().is_ok_and(f64::is_finite)) {
        None => Ok(()),
        Some(number) => {
            let what = format!(
                "`{}` is no column name: the header seems to be missing; the first line must name the columns, such as \
                 state,action,next_state,reward",
                shorten(number)
            );
            let line = lines.line().saturating_sub(1).max(1);
            Err(TableError::new(ErrorKind::MissingHeader, lines.name(), what).at_line(line))
        }
    }
}
