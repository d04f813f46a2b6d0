//! The one scanner of CSV and TSV: from text to records, and from records to rows of a batch.
//!
//! Every value is text, kept as written, spaces included. A field that begins with a quote ends with one, and may hold
//! delimiters, line ends and doubled quotes; a quote elsewhere is an ordinary character. Blank lines are skipped. Lines
//! end with LF or CRLF.

use memchr::{memchr, memchr_iter, memchr3};

use crate::table::batch::{Batch, TextColumn, Values};

const AFTER_QUOTE: &str = "a quoted field goes on after its closing quote; double the quotes inside a quoted field";

const CARRIAGE_RETURN: &str = "a carriage return stands without a line feed, as old Macs ended lines; save the file with LF or CRLF, or \
                               quote the field that holds it";

/// A field of fewer bytes is short.
const SHORT: usize = 12;

/// What [`record`] found.
pub(super) enum Record {
    /// A record that ends before `next` and spans `lines` lines.
    Whole { next: usize, lines: u64 },
    /// A line without a field.
    Blank { next: usize },
    /// The text ends within the record.
    Unfinished,
    /// Something wrong with a field, `line` lines below the record's beginning.
    Wrong { column: usize, line: u64, what: &'static str },
}

/// A field arrives whole, or as parts followed by an end.
pub(super) enum Field<'a> {
    Whole(&'a str),
    Part(&'a str),
    End,
}

/// Reads the record at `start`, telling `field` its fields with the position of their column.
#[inline]
pub(super) fn record(text: &str, start: usize, delimiter: u8, mut field: impl FnMut(usize, Field<'_>)) -> Record {
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
                field(column, Field::Part(&text[at..quote]));
                at = quote + 1;
                if bytes.get(at) != Some(&b'"') {
                    break;
                }
                field(column, Field::Part("\""));
                at += 1;
            }
            field(column, Field::End);
            at += usize::from(bytes[at..].starts_with(b"\r\n"));
            match bytes.get(at) {
                None => return Record::Unfinished,
                Some(b'\n') => {}
                Some(&byte) if byte == delimiter => {}
                Some(_) => return Record::Wrong { column, line: lines, what: AFTER_QUOTE },
            }
        } else {
            let Some(end) = end_of_field(&bytes[at..], delimiter).map(|offset| at + offset) else {
                return Record::Unfinished;
            };
            let value = &text[at..end];
            at = end;
            if bytes[end] == b'\r' {
                at += 1;
                // Others end a row there, so that nobody knows what was meant.
                if bytes.get(at) != Some(&b'\n') {
                    return Record::Wrong { column, line: lines, what: CARRIAGE_RETURN };
                }
            }
            if column == 0 && value.is_empty() && bytes[at] == b'\n' {
                return Record::Blank { next: at + 1 };
            }
            field(column, Field::Whole(value));
        }
        let ended = bytes[at] == b'\n';
        at += 1;
        if ended {
            return Record::Whole { next: at, lines: lines + 1 };
        }
        column += 1;
    }
}

/// Where a field without quotes ends.
#[inline]
fn end_of_field(bytes: &[u8], delimiter: u8) -> Option<usize> {
    // Most fields are too short for a search to pay.
    let ends = |byte: &u8| *byte == delimiter || *byte == b'\n' || *byte == b'\r';
    let (short, rest) = bytes.split_at(bytes.len().min(SHORT));
    short.iter().position(ends).or_else(|| memchr3(delimiter, b'\n', b'\r', rest).map(|offset| SHORT + offset))
}

/// How many bytes the blank lines have with which a text begins.
pub(super) fn blank_lines(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        match &bytes[at..] {
            [b'\n', ..] => at += 1,
            [b'\r', b'\n', ..] => at += 2,
            _ => return at,
        }
    }
}

/// How many bytes of the text are whole records: all, unless the last one goes on in the lines that follow.
pub(super) fn whole_records(text: &str, delimiter: u8) -> usize {
    // Without quotes, every line is a record.
    let Some(first_quote) = memchr(b'"', text.as_bytes()) else { return text.len() };
    let mut at = text[..first_quote].rfind('\n').map_or(0, |end| end + 1);
    while at < text.len() {
        match record(text, at, delimiter, |_, _| {}) {
            Record::Whole { next, .. } | Record::Blank { next } => at = next,
            Record::Unfinished => break,
            // Found again, and told, by who takes the rows.
            Record::Wrong { .. } => return text.len(),
        }
    }
    at
}

/// Something wrong with a row, and the line where.
pub(super) struct Fault {
    pub(super) problem: Problem,
    pub(super) line: u64,
}

pub(super) enum Problem {
    /// The number of fields of a row, when it is not that of the header.
    Fields(usize),
    /// What is wrong with the field in this column.
    InField(usize, &'static str),
    /// The text ends within the row.
    Unfinished,
}

/// How far rows were taken.
pub(super) struct Progress {
    pub(super) consumed: usize,
    pub(super) lines: u64,
}

/// Adds rows of the text, which is whole records from `line` on, to a batch of text columns until it has `limit` rows. `positions`
/// says which column of the file each column of the batch is; the file has `width`.
pub(super) fn take_rows(
    text: &str,
    delimiter: u8,
    (width, positions): (usize, &[usize]),
    limit: usize,
    first_line: u64,
    batch: &mut Batch,
) -> Result<Progress, Fault> {
    let mut targets: Vec<Option<&mut TextColumn>> = Vec::new();
    targets.resize_with(width, || None);
    for (column, &position) in batch.columns.iter_mut().zip(positions) {
        if let Values::Text(column) = &mut column.values {
            targets[position] = Some(column);
        }
    }
    let mut consumed = 0;
    let mut line = first_line;
    while batch.rows < limit && consumed < text.len() {
        let mut fields = 0;
        let record = record(text, consumed, delimiter, |column, field| {
            fields += usize::from(!matches!(field, Field::Part(_)));
            if let Some(Some(target)) = targets.get_mut(column) {
                match field {
                    Field::Whole(value) => target.push(value),
                    Field::Part(part) => target.push_part(part),
                    Field::End => target.end(),
                }
            }
        });
        match record {
            Record::Whole { next, lines } => {
                if fields != width {
                    return Err(Fault { problem: Problem::Fields(fields), line });
                }
                batch.lines.note(batch.rows, line);
                batch.rows += 1;
                consumed = next;
                line += lines;
            }
            Record::Blank { next } => {
                consumed = next;
                line += 1;
            }
            Record::Unfinished => return Err(Fault { problem: Problem::Unfinished, line }),
            Record::Wrong { column, line: on, what } => {
                return Err(Fault { problem: Problem::InField(column, what), line: line + on });
            }
        }
    }
    Ok(Progress { consumed, lines: line - first_line })
}
