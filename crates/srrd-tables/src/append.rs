//! Columns of numbers appended to the rows of a table, as lines where the table is text and stays as it is.

use std::mem::swap;

use rayon::prelude::*;

use crate::batch::TextColumn;
use crate::error::{ErrorKind, TableError};
use crate::read::{Block, BlockSource, Mark};
use crate::write::LineSink;

/// So many blocks are put together at a time, for every thread.
const BLOCKS: usize = 4;

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

    /// Adds a line with the values of a row behind it.
    #[inline]
    fn put(&self, line: &[u8], row: usize, delimiter: u8, text: &mut Vec<u8>) {
        text.extend_from_slice(line);
        let mut number = zmij::Buffer::new();
        for column in 0..self.columns {
            text.push(delimiter);
            text.extend_from_slice(number.format((self.value)(row, column)).as_bytes());
        }
        text.push(b'\n');
    }
}

/// Copies rows as lines with their values behind them. While some blocks are put together, those before them are written and those
/// after them read.
pub(crate) fn append_to_lines<V: Fn(usize, usize) -> f64 + Sync>(
    file: &str,
    source: &mut dyn BlockSource,
    sink: &mut dyn LineSink,
    values: &Appended<V>,
) -> Result<(), TableError> {
    let mut rounds = [Round::default(), Round::default(), Round::default()];
    let mut lines = TextColumn::new();
    let mut text = Vec::new();
    let mut row = 0;
    loop {
        let mark = append_run(file, source, sink, values, &mut rounds, &mut row)?;
        source.go_on_at(mark, row as u64 + 1)?;
        if !source.next_lines(&mut lines)? {
            return values.check(file, row, true);
        }
        values.check(file, row + lines.len(), false)?;
        text.clear();
        for line in lines.iter() {
            values.put(unended(line), row, sink.delimiter(), &mut text);
            row += 1;
        }
        sink.write_lines(&text)?;
    }
}

/// Copies blocks as long as there are any whose lines stay as they are, and says where they end.
fn append_run<V: Fn(usize, usize) -> f64 + Sync>(
    file: &str,
    source: &mut dyn BlockSource,
    sink: &mut dyn LineSink,
    values: &Appended<V>,
    rounds: &mut [Round; 3],
    row: &mut usize,
) -> Result<Mark, TableError> {
    let (delimiter, width) = (sink.delimiter(), source.layout().width);
    let [finished, loaded, fresh] = rounds;
    let mut mark = source.mark();
    finished.used = 0;
    let mut more = loaded.read(source, delimiter, width)?;
    while finished.used + loaded.used > 0 {
        more &= loaded.place(source, row, &mut mark)?;
        values.check(file, *row, false)?;
        let (written, read) = rayon::join(
            || finished.write(sink),
            || {
                let put_together = || {
                    loaded.copies[..loaded.used].par_iter_mut().for_each(|copy| copy.put_together(values, delimiter))
                };
                rayon::join(put_together, || if more { fresh.read(source, delimiter, width) } else { Ok(false) }).1
            },
        );
        written?;
        if !more {
            fresh.used = 0;
        }
        more = read?;
        finished.used = 0;
        swap(finished, loaded);
        swap(loaded, fresh);
    }
    Ok(mark)
}

/// A line without its end.
fn unended(line: &str) -> &[u8] {
    line.strip_suffix('\n').unwrap_or(line).as_bytes()
}

/// Some blocks, in order.
#[derive(Default)]
struct Round {
    copies: Vec<Copied>,
    used: usize,
}

/// A block and what becomes of it.
#[derive(Default)]
struct Copied {
    block: Block,
    lines: Lines,
    /// The number of its first row.
    first_row: usize,
    text: Vec<u8>,
}

/// What the lines of a block are.
#[derive(Default)]
enum Lines {
    /// So many rows, as a writer would write them, in so many lines.
    Plain(usize, u64),
    /// Rows that have to be written anew, or something wrong.
    Doubtful,
    /// The rows, written anew.
    Rewritten(TextColumn),
    /// They cannot be read, or hold quotes.
    #[default]
    Unreadable,
}

impl Round {
    /// Reads blocks; `false` when there are no more for now.
    fn read(&mut self, source: &mut dyn BlockSource, delimiter: u8, width: usize) -> Result<bool, TableError> {
        self.copies.resize_with(BLOCKS * rayon::current_num_threads(), Copied::default);
        self.used = 0;
        let mut more = true;
        while more && self.used < self.copies.len() {
            more = source.next_block(&mut self.copies[self.used].block)?;
            self.used += usize::from(more);
        }
        self.copies[..self.used].par_iter_mut().for_each(|copy| {
            copy.lines = match copy.block.load_bytes() {
                None => Lines::Unreadable,
                Some(_) => match copy.block.plain_rows(delimiter, width) {
                    Some((rows, lines)) => Lines::Plain(rows, lines),
                    None => Lines::Doubtful,
                },
            };
        });
        Ok(more)
    }

    /// Numbers the rows up to the first block that cannot be read, which is dropped with all after it. Whether there is none.
    fn place(&mut self, source: &dyn BlockSource, row: &mut usize, mark: &mut Mark) -> Result<bool, TableError> {
        for (place, copy) in self.copies[..self.used].iter_mut().enumerate() {
            if let Lines::Doubtful = copy.lines {
                let mut rows = TextColumn::new();
                source.lines_of(&copy.block, mark.line, *row as u64 + 1, &mut rows)?;
                copy.lines = Lines::Rewritten(rows);
            }
            let (rows, lines) = match &copy.lines {
                Lines::Plain(rows, lines) => (*rows, *lines),
                Lines::Rewritten(rows) => (rows.len(), copy.block.lines()),
                Lines::Doubtful | Lines::Unreadable => {
                    self.used = place;
                    return Ok(false);
                }
            };
            copy.first_row = *row;
            *row += rows;
            *mark = copy.block.mark_behind(*mark, lines);
        }
        Ok(true)
    }

    fn write(&self, sink: &mut dyn LineSink) -> Result<(), TableError> {
        self.copies[..self.used].iter().try_for_each(|copy| sink.write_lines(&copy.text))
    }
}

impl Copied {
    fn put_together<V: Fn(usize, usize) -> f64>(&mut self, values: &Appended<V>, delimiter: u8) {
        self.text.clear();
        let rows = self.first_row..;
        match &self.lines {
            Lines::Rewritten(lines) => {
                lines
                    .iter()
                    .zip(rows)
                    .for_each(|(line, row)| values.put(unended(line), row, delimiter, &mut self.text));
            }
            _ => self.block.rows().zip(rows).for_each(|(line, row)| values.put(line, row, delimiter, &mut self.text)),
        }
    }
}
