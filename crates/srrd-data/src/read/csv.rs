//! CSV and TSV (RFC 4180, with a header).
//!
//! Every value is text, kept as written, spaces included. A field that begins with a quote ends with one, and may hold
//! delimiters, line ends and doubled quotes; a quote elsewhere is an ordinary character. Blank lines are skipped. Lines
//! end with LF or CRLF.
//!
//! Blocks of lines without any quote, the usual case, take a path that only looks for delimiters and line ends.

use memchr::{memchr, memchr_iter, memchr2};

use super::block::{Block, BlockSource, Layout, Mark, Stretches};
use super::lines::LineBlocks;
use super::separators::Separators;
use super::{ReadOptions, Selection, TableReader, check_names};
use crate::batch::{Batch, ColumnType, Field, Lines, Schema, TextColumn, Values};
use crate::error::{ErrorKind, TableError, shorten};
use crate::quote::write_field;

/// A batch ends early when it holds this much text, so that long texts do not make it huge.
const BATCH_BYTES: usize = 16 * 1024 * 1024;

pub(super) struct CsvReader {
    lines: LineBlocks,
    delimiter: u8,
    /// Where threads may read on their own.
    stretches: Option<Stretches>,
    selection: Selection,
    /// The number of the next data row.
    next_row: u64,
    batch_rows: usize,
}

impl CsvReader {
    pub(super) fn open(
        mut lines: LineBlocks,
        delimiter: u8,
        stretches: Option<Stretches>,
        options: &ReadOptions,
    ) -> Result<Self, TableError> {
        let names = read_header(&mut lines, delimiter)?;
        if !options.numeric_names {
            check_header(&lines, &names)?;
        }
        let schema =
            Schema { fields: names.into_iter().map(|name| Field { name, kind: Some(ColumnType::Text) }).collect() };
        check_names(lines.name(), &schema)?;
        Ok(CsvReader {
            lines,
            delimiter,
            stretches,
            selection: Selection::everything(schema),
            next_row: 1,
            batch_rows: options.batch_rows.max(1),
        })
    }

    fn fault(&self, fault: Fault, row: u64) -> TableError {
        let error = match fault.problem {
            Problem::Fields(count) => {
                let width = self.selection.all.len();
                let missing = match count < width {
                    true => format!(" (column `{}` has no value)", shorten(self.selection.name_at(count))),
                    false => String::new(),
                };
                TableError::new(
                    ErrorKind::Ragged,
                    self.lines.name(),
                    format!(
                        "the row has {}, but the header has {width}{missing}; every row needs as many fields as there \
                         are column names, and a field that holds a separator must be quoted",
                        plural(count, "field")
                    ),
                )
            }
            Problem::AfterQuote(column) => {
                let error = after_quote(self.lines.name());
                match column < self.selection.all.len() {
                    true => error.in_column(self.selection.name_at(column)),
                    false => error,
                }
            }
        };
        error.at_row(row).at_line(fault.line)
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

    fn select(&mut self, names: &[&str]) -> Result<(), TableError> {
        let file = self.lines.name().to_owned();
        self.selection.select(&file, names)
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, TableError> {
        self.selection.fixed = true;
        batch.reset(self.next_row, self.selection.positions.iter().map(|_| ColumnType::Text));
        let mut bytes = 0;
        while batch.rows < self.batch_rows && bytes < BATCH_BYTES {
            let text = self.lines.text();
            let mut sink = Sink::new(batch, &self.selection);
            let outcome = if memchr(b'"', text.as_bytes()).is_none() {
                sink.plain(text, self.delimiter, self.batch_rows, self.lines.line())
            } else {
                sink.quoted(text, self.delimiter, self.batch_rows, self.lines.line())
            };
            let Progress { consumed, lines } = match outcome {
                Ok(progress) => progress,
                Err(fault) => {
                    let row = batch.row_number(batch.rows);
                    return Err(self.fault(fault, row));
                }
            };
            let unfinished = consumed < text.len();
            self.lines.consume(consumed, lines);
            bytes += consumed;
            if batch.rows < self.batch_rows {
                let at_row = |error: TableError| error.at_row(batch.row_number(batch.rows));
                if !self.lines.more().map_err(at_row)? {
                    if unfinished {
                        return Err(at_row(never_closed(&self.lines)));
                    }
                    break;
                }
            }
        }
        self.next_row += batch.rows as u64;
        Ok(batch.rows > 0)
    }

    fn as_blocks(&mut self) -> Option<&mut dyn BlockSource> {
        Some(self)
    }
}

impl BlockSource for CsvReader {
    fn length(&self) -> Option<u64> {
        self.stretches.as_ref().map(Stretches::length)
    }

    fn layout(&self) -> Layout {
        let Selection { all, positions, .. } = &self.selection;
        Layout { delimiter: self.delimiter, width: all.len(), positions: positions.clone() }
    }

    fn mark(&self) -> Mark {
        Mark { line: self.lines.line(), offset: self.lines.offset() }
    }

    fn next_block(&mut self, block: &mut Block) -> Result<bool, TableError> {
        self.selection.fixed = true;
        if let Some(stretches) = &mut self.stretches {
            return Ok(stretches.next(self.lines.offset(), block));
        }
        if self.lines.text().is_empty() && !self.lines.more()? {
            return Ok(false);
        }
        let text = self.lines.text();
        let bytes = text.as_bytes();
        if memchr(b'"', bytes).is_some() {
            return Ok(false);
        }
        block.fill(text);
        let (length, lines) = (bytes.len(), memchr_iter(b'\n', bytes).count());
        self.lines.consume(length, lines as u64);
        Ok(true)
    }

    fn go_on_at(&mut self, mark: Mark, next_row: u64) -> Result<(), TableError> {
        self.next_row = next_row;
        // Where one block was not what it should be, others may not be either: from now on they are looked at first.
        if let Some(stretches) = self.stretches.take() {
            stretches.seek(mark.offset).map_err(|error| TableError::io(self.lines.name(), "read", &error))?;
            self.lines.go_on_at(mark);
        }
        Ok(())
    }

    fn rows_of(
        &self,
        block: &Block,
        from: usize,
        first_line: u64,
        first_row: u64,
        batch: &mut Batch,
    ) -> Result<usize, TableError> {
        batch.reset(first_row, self.selection.positions.iter().map(|_| ColumnType::Text));
        let (before, text) = block.text().split_at(from);
        let first_line = first_line + memchr_iter(b'\n', before.as_bytes()).count() as u64;
        let mut sink = Sink::new(batch, &self.selection);
        match sink.plain(text, self.delimiter, self.batch_rows, first_line) {
            Ok(progress) => Ok(from + progress.consumed),
            Err(fault) => Err(self.fault(fault, batch.row_number(batch.rows))),
        }
    }

    fn next_lines(&mut self, rows: &mut TextColumn) -> Result<bool, TableError> {
        rows.clear();
        while rows.is_empty() {
            let text = self.lines.text();
            let outcome = rewritten_lines(text, self.delimiter, self.selection.all.len(), self.lines.line(), rows);
            let progress = outcome.map_err(|fault| self.fault(fault, self.next_row + rows.len() as u64))?;
            let unfinished = progress.consumed < text.len();
            self.lines.consume(progress.consumed, progress.lines);
            let at_row = |error: TableError| error.at_row(self.next_row + rows.len() as u64);
            if !self.lines.more().map_err(at_row)? {
                if unfinished {
                    return Err(at_row(never_closed(&self.lines)));
                }
                break;
            }
        }
        self.next_row += rows.len() as u64;
        Ok(!rows.is_empty())
    }

    fn lines_of(
        &self,
        block: &Block,
        first_line: u64,
        first_row: u64,
        rows: &mut TextColumn,
    ) -> Result<(), TableError> {
        let before = rows.len();
        let width = self.selection.all.len();
        match rewritten_lines(block.text(), self.delimiter, width, first_line, rows) {
            Ok(_) => Ok(()),
            Err(fault) => Err(self.fault(fault, first_row + (rows.len() - before) as u64)),
        }
    }
}

/// Adds the rows of lines of any kind, written anew from their fields, until one is not whole.
fn rewritten_lines(
    text: &str,
    delimiter: u8,
    width: usize,
    first_line: u64,
    rows: &mut TextColumn,
) -> Result<Progress, Fault> {
    let separator = char::from(delimiter).to_string();
    let mut progress = Progress { consumed: 0, lines: 0 };
    let mut value = String::new();
    loop {
        let mut fields = 0;
        let record = record(text, progress.consumed, delimiter, |_, piece| match piece {
            Piece::Part(part) => value.push_str(part),
            Piece::End => {
                if fields > 0 {
                    rows.push_part(&separator);
                }
                write_field(&value, delimiter, width == 1, |part| rows.push_part(part));
                value.clear();
                fields += 1;
            }
        });
        let line = first_line + progress.lines;
        match record {
            Record::Whole { next, lines } => {
                if fields != width {
                    return Err(Fault { problem: Problem::Fields(fields), line });
                }
                rows.push("\n");
                progress = Progress { consumed: next, lines: progress.lines + lines };
            }
            Record::Blank { next } => progress = Progress { consumed: next, lines: progress.lines + 1 },
            Record::Unfinished => {
                rows.truncate(rows.len());
                return Ok(progress);
            }
            Record::AfterQuote { column, line: on } => {
                return Err(Fault { problem: Problem::AfterQuote(column), line: line + on });
            }
        }
    }
}

fn plural(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

fn after_quote(file: &str) -> TableError {
    TableError::new(
        ErrorKind::Malformed,
        file,
        "a quoted field goes on after its closing quote; double the quotes inside a quoted field",
    )
}

fn never_closed(lines: &LineBlocks) -> TableError {
    TableError::new(
        ErrorKind::Malformed,
        lines.name(),
        "a quote that opens in this row is never closed; close it, or quote the whole field and double the quotes in it",
    )
    .at_line(lines.line())
}

/// The fields of the first line that is not blank.
fn read_header(lines: &mut LineBlocks, delimiter: u8) -> Result<Vec<String>, TableError> {
    loop {
        let text = lines.text();
        let mut names = Vec::new();
        let mut part = String::new();
        let record = record(text, 0, delimiter, |_, piece| match piece {
            Piece::Part(text) => part.push_str(text),
            Piece::End => names.push(std::mem::take(&mut part)),
        });
        match record {
            Record::Whole { next, lines: count } => {
                lines.consume(next, count);
                return Ok(names);
            }
            Record::Blank { next } => lines.consume(next, 1),
            Record::AfterQuote { line, .. } => {
                return Err(after_quote(lines.name()).at_line(lines.line() + line));
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
                        false => never_closed(lines),
                    });
                }
            }
        }
    }
}

/// A number is no column name: it means that the header is missing. One empty name is fine (pandas writes it for the index).
fn check_header(lines: &LineBlocks, names: &[String]) -> Result<(), TableError> {
    let missing = |what: String| {
        TableError::new(
            ErrorKind::MissingHeader,
            lines.name(),
            format!("{what}; the first line must name the columns, such as state,action,next_state,reward"),
        )
        .at_line(lines.line().saturating_sub(1).max(1))
    };
    if names.iter().any(|name| name.contains('\r')) {
        return Err(missing(
            "the line holds carriage returns: the file has the line ends of old Macs; save it with LF or CRLF"
                .to_owned(),
        ));
    }
    if let Some(number) = names.iter().find(|name| name.trim().parse::<f64>().is_ok_and(f64::is_finite)) {
        return Err(missing(format!("`{}` is no column name: the header seems to be missing", shorten(number))));
    }
    Ok(())
}

/// Where the fields of a block go.
struct Sink<'a> {
    /// By position in the file; `None` for columns that nobody wants.
    targets: Vec<Option<&'a mut TextColumn>>,
    rows: &'a mut usize,
    lines: &'a mut Lines,
}

struct Progress {
    consumed: usize,
    lines: u64,
}

/// Something wrong with a row, and the line where.
struct Fault {
    problem: Problem,
    line: u64,
}

enum Problem {
    /// The number of fields of a row, when it is not that of the header.
    Fields(usize),
    /// Text behind the closing quote in this column.
    AfterQuote(usize),
}

impl<'a> Sink<'a> {
    fn new(batch: &'a mut Batch, selection: &Selection) -> Self {
        let mut targets: Vec<Option<&mut TextColumn>> = Vec::new();
        targets.resize_with(selection.all.len(), || None);
        for (column, &position) in batch.columns.iter_mut().zip(&selection.positions) {
            if let Values::Text(column) = &mut column.values {
                targets[position] = Some(column);
            }
        }
        Sink { targets, rows: &mut batch.rows, lines: &mut batch.lines }
    }

    /// Takes rows from lines that hold no quote, until `limit` rows are there.
    fn plain(&mut self, text: &str, delimiter: u8, limit: usize, first_line: u64) -> Result<Progress, Fault> {
        let bytes = text.as_bytes();
        let width = self.targets.len();
        let mut rows = *self.rows;
        let mut line = first_line;
        let mut row_start = 0;
        let mut start = 0;
        let mut column = 0;
        for at in Separators::new(bytes, delimiter, b'\n') {
            let is_end = bytes[at] == b'\n';
            let mut end = at;
            if is_end && end > start && bytes[end - 1] == b'\r' {
                end -= 1;
            }
            if is_end && column == 0 && end == row_start {
                line += 1;
                start = at + 1;
                row_start = start;
                continue;
            }
            if let Some(Some(target)) = self.targets.get_mut(column) {
                target.push(&text[start..end]);
            }
            column += 1;
            start = at + 1;
            if is_end {
                if column != width {
                    *self.rows = rows;
                    return Err(Fault { problem: Problem::Fields(column), line });
                }
                self.lines.note(rows, line);
                rows += 1;
                line += 1;
                column = 0;
                row_start = start;
                if rows == limit {
                    break;
                }
            }
        }
        *self.rows = rows;
        Ok(Progress { consumed: row_start, lines: line - first_line })
    }

    /// Takes rows from lines of any kind, until `limit` rows are there or one is not whole.
    fn quoted(&mut self, text: &str, delimiter: u8, limit: usize, first_line: u64) -> Result<Progress, Fault> {
        let mut consumed = 0;
        let mut line = first_line;
        while *self.rows < limit {
            let mut fields = 0;
            let targets = &mut self.targets;
            let record = record(text, consumed, delimiter, |column, piece| {
                let target = targets.get_mut(column).and_then(Option::as_mut);
                match piece {
                    Piece::Part(part) => {
                        if let Some(target) = target {
                            target.push_part(part);
                        }
                    }
                    Piece::End => {
                        fields += 1;
                        if let Some(target) = target {
                            target.end();
                        }
                    }
                }
            });
            match record {
                Record::Whole { next, lines } => {
                    if fields != self.targets.len() {
                        return Err(Fault { problem: Problem::Fields(fields), line });
                    }
                    self.lines.note(*self.rows, line);
                    *self.rows += 1;
                    consumed = next;
                    line += lines;
                }
                Record::Blank { next } => {
                    consumed = next;
                    line += 1;
                }
                Record::Unfinished => {
                    for target in self.targets.iter_mut().flatten() {
                        target.truncate(*self.rows);
                    }
                    break;
                }
                Record::AfterQuote { column, line: on } => {
                    return Err(Fault { problem: Problem::AfterQuote(column), line: line + on });
                }
            }
        }
        Ok(Progress { consumed, lines: line - first_line })
    }
}

/// What [`record`] found.
enum Record {
    /// A record that ends before `next` and spans `lines` lines.
    Whole { next: usize, lines: u64 },
    /// A line without a field.
    Blank { next: usize },
    /// The text ends within the record.
    Unfinished,
    /// Text after a closing quote, `line` lines below the record's beginning.
    AfterQuote { column: usize, line: u64 },
}

/// A field arrives as parts followed by an end.
enum Piece<'a> {
    Part(&'a str),
    End,
}

/// Reads the record at `start`, telling `field` its pieces with the position of their column.
fn record(text: &str, start: usize, delimiter: u8, mut field: impl FnMut(usize, Piece<'_>)) -> Record {
    let bytes = text.as_bytes();
    let mut at = start;
    let mut column = 0;
    let mut lines = 0;
    loop {
        if bytes.get(at) == Some(&b'"') {
            at += 1;
            loop {
                let Some(quote) = memchr(b'"', &bytes[at..]).map(|offset| at + offset) else {
                    return Record::Unfinished;
                };
                lines += memchr_iter(b'\n', &bytes[at..quote]).count() as u64;
                field(column, Piece::Part(&text[at..quote]));
                at = quote + 1;
                if bytes.get(at) != Some(&b'"') {
                    break;
                }
                field(column, Piece::Part("\""));
                at += 1;
            }
            field(column, Piece::End);
            at += usize::from(bytes[at..].starts_with(b"\r\n"));
            match bytes.get(at) {
                None => return Record::Unfinished,
                Some(b'\n') => {}
                Some(&byte) if byte == delimiter => {}
                Some(_) => {
                    return Record::AfterQuote { column, line: lines };
                }
            }
        } else {
            let Some(end) = memchr2(delimiter, b'\n', &bytes[at..]).map(|offset| at + offset) else {
                return Record::Unfinished;
            };
            let mut value = &text[at..end];
            if bytes[end] == b'\n' {
                value = value.strip_suffix('\r').unwrap_or(value);
                if column == 0 && value.is_empty() {
                    return Record::Blank { next: end + 1 };
                }
            }
            field(column, Piece::Part(value));
            field(column, Piece::End);
            at = end;
        }
        let ended = bytes[at] == b'\n';
        at += 1;
        if ended {
            return Record::Whole { next: at, lines: lines + 1 };
        }
        column += 1;
    }
}
