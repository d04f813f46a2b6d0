//! Columns of numbers appended to the rows of a table, as lines where the table is text and stays as it is.

use std::ops::{ControlFlow, Range};

use crate::batch::TextColumn;
use crate::error::{ErrorKind, TableError};
use crate::in_order::in_order;
use crate::read::{Block, BlockSource, Mark, Writing};
use crate::shortest::{self, Number, SOME};
use crate::write::LineSink;

/// The values to be appended.
pub(crate) struct Appended<V> {
    /// How many rows they are for.
    pub rows: usize,
    /// How many there are for every row.
    pub columns: usize,
    /// The value of a row in one of the columns.
    pub value: V,
}

impl<V: Fn(usize, usize) -> f64> Appended<V> {
    /// An error when `found` rows are too many, or, at the end of the table, too few: it has changed since the values were computed.
    pub(crate) fn check(&self, file: &str, found: usize, at_end: bool) -> Result<(), TableError> {
        let than = match found {
            more if more > self.rows => "more",
            fewer if at_end && fewer < self.rows => "fewer",
            _ => return Ok(()),
        };
        let what =
            format!("the table has {than} rows than when it was read before: leave it unchanged while it is copied");
        Err(TableError::new(ErrorKind::Malformed, file, what))
    }

    /// Puts lines of `bytes` together with their values: there is one for each of these rows.
    #[inline(always)]
    fn put_together(
        &self,
        bytes: &[u8],
        mut lines: impl Iterator<Item = Range<usize>>,
        rows: Range<usize>,
        delimiter: u8,
        text: &mut Text,
    ) {
        let mut to = text.make_room(bytes.len() + rows.len() * (self.columns * (1 + shortest::LONGEST) + 1));
        let cells = SOME * self.columns;
        let (mut values, mut numbers) = (vec![0.0; cells], vec![Number::default(); cells]);
        let mut some = [const { 0..0 }; SOME];
        for first in rows.step_by(SOME) {
            let mut count = 0;
            for (line, row) in lines.by_ref().take(SOME).zip(first..) {
                some[count] = line;
                for column in 0..self.columns {
                    values[count * self.columns + column] = (self.value)(row, column);
                }
                count += 1;
            }
            shortest::write(&values[..count * self.columns], &mut numbers);
            for (index, line) in some[..count].iter().enumerate() {
                to.add(bytes, line.clone());
                for number in &numbers[index * self.columns..(index + 1) * self.columns] {
                    to.add_byte(delimiter);
                    to.add_number(number);
                }
                to.add_byte(b'\n');
            }
        }
        text.used = to.used;
    }

    /// As [`put_together`](Self::put_together), of all these lines.
    fn put_all(&self, lines: &TextColumn, first_row: usize, delimiter: u8, text: &mut Text) {
        let mut start = 0;
        let ranges = lines.iter().map(|line| {
            let from = start;
            start += line.len();
            from..start - usize::from(line.ends_with('\n'))
        });
        let rows = first_row..first_row + lines.len();
        self.put_together(lines.joined().as_bytes(), ranges, rows, delimiter, text);
    }
}

/// So many bytes most numbers have, with the delimiter before them.
const USUAL_NUMBER: usize = 20;

/// Text that is put together in room made for all of it before.
#[derive(Default)]
struct Text {
    room: Vec<u8>,
    used: usize,
}

/// So much is copied at a time.
const PIECE: usize = 64;

impl Text {
    /// Empties it and makes room for so many bytes.
    fn make_room(&mut self, bytes: usize) -> Room<'_> {
        self.used = 0;
        if self.room.len() < bytes + PIECE {
            self.room.resize(bytes + PIECE, 0);
        }
        Room { bytes: &mut self.room, used: 0 }
    }

    fn bytes(&self) -> &[u8] {
        &self.room[..self.used]
    }
}

/// Where text is put. Pieces are copied with whatever follows them, which those after them overwrite: a copy of a length that is known
/// beforehand takes a few instructions, and no call.
struct Room<'a> {
    bytes: &'a mut [u8],
    used: usize,
}

impl Room<'_> {
    #[inline(always)]
    fn add(&mut self, from: &[u8], piece: Range<usize>) {
        let length = piece.len();
        match (from[piece.start..].first_chunk::<PIECE>(), self.bytes[self.used..].first_chunk_mut()) {
            (Some(from), Some(to)) if length <= PIECE => *to = *from,
            _ => self.bytes[self.used..self.used + length].copy_from_slice(&from[piece]),
        }
        self.used += length;
    }

    #[inline(always)]
    fn add_byte(&mut self, byte: u8) {
        self.bytes[self.used] = byte;
        self.used += 1;
    }

    #[inline(always)]
    fn add_number(&mut self, number: &Number) {
        *self.bytes[self.used..].first_chunk_mut().expect("there is room for all") = number.text;
        self.used += number.length;
    }
}

/// Copies rows as lines with their values behind them. Threads put blocks together on their own, which are written in their order.
pub(crate) fn append_to_lines<V: Fn(usize, usize) -> f64 + Sync>(
    file: &str,
    source: &mut dyn BlockSource,
    sink: &mut dyn LineSink,
    values: &Appended<V>,
) -> Result<(), TableError> {
    if let Some(length) = source.length() {
        sink.expect(length + (values.rows * values.columns * USUAL_NUMBER) as u64);
    }
    let mut slots = Vec::new();
    let mut lines = TextColumn::new();
    let mut text = Text::default();
    let mut row = 0;
    loop {
        let mark = append_run(file, source, sink, values, &mut slots, &mut row)?;
        source.go_on_at(mark, row as u64 + 1)?;
        if !source.next_lines(&mut lines)? {
            return values.check(file, row, true);
        }
        values.check(file, row + lines.len(), false)?;
        values.put_all(&lines, row, sink.delimiter(), &mut text);
        row += lines.len();
        sink.write_lines(text.bytes())?;
    }
}

/// Copies blocks as long as there are any whose lines stay as they are, and says where they end.
fn append_run<V: Fn(usize, usize) -> f64 + Sync>(
    file: &str,
    source: &mut dyn BlockSource,
    sink: &mut dyn LineSink,
    values: &Appended<V>,
    slots: &mut Vec<Copied>,
    row: &mut usize,
) -> Result<Mark, TableError> {
    let delimiter = sink.delimiter();
    let mut mark = source.mark();
    let next = |copy: &mut Copied| {
        let placed = source.next_block(&mut copy.block)? && copy.place(source, delimiter, row, &mut mark)?;
        values.check(file, *row, false)?;
        Ok(placed)
    };
    let write = |copy: &mut Copied| sink.write_lines(copy.text.bytes()).map(ControlFlow::Continue);
    in_order(slots, next, |copy| copy.put_together(values, delimiter), write)?;
    Ok(mark)
}

/// A block and what becomes of it.
#[derive(Default)]
struct Copied {
    block: Block,
    lines: Lines,
    /// How many rows they are.
    rows: usize,
    /// The number of the first.
    first_row: usize,
    text: Text,
}

/// What the lines of a block are.
#[derive(Default)]
enum Lines {
    /// As a writer would write them.
    #[default]
    Plain,
    /// Written anew.
    Rewritten(TextColumn),
}

impl Copied {
    /// Reads the lines and numbers their rows. `false`: they cannot be read, or hold quotes.
    fn place(
        &mut self,
        source: &dyn BlockSource,
        delimiter: u8,
        row: &mut usize,
        mark: &mut Mark,
    ) -> Result<bool, TableError> {
        if !self.block.load() {
            return Ok(false);
        }
        let lines;
        (self.lines, self.rows, lines) = match self.block.writing(delimiter, source.layout().width) {
            Writing::Quotes => return Ok(false),
            Writing::AsTheyAre { rows, lines } => (Lines::Plain, rows, lines),
            Writing::Anew => {
                let mut rows = TextColumn::new();
                source.lines_of(&self.block, mark.line, *row as u64 + 1, &mut rows)?;
                let count = rows.len();
                (Lines::Rewritten(rows), count, self.block.lines())
            }
        };
        self.first_row = *row;
        *row += self.rows;
        *mark = self.block.mark_behind(*mark, lines);
        Ok(true)
    }

    fn put_together<V: Fn(usize, usize) -> f64>(&mut self, values: &Appended<V>, delimiter: u8) {
        match &self.lines {
            Lines::Rewritten(lines) => values.put_all(lines, self.first_row, delimiter, &mut self.text),
            Lines::Plain => {
                let rows = self.first_row..self.first_row + self.rows;
                values.put_together(self.block.bytes(), self.block.rows(), rows, delimiter, &mut self.text);
            }
        }
    }
}
