//! Columns of numbers appended to the rows of a table, as lines where the table is text and stays as it is.

use std::mem::swap;

use rayon::prelude::*;

use crate::batch::TextColumn;
use crate::error::{ErrorKind, TableError};
use crate::read::LineSource;
use crate::write::LineSink;

/// So many rows are put together by one thread at a time. Their text should be too much for the output's buffer, which then
/// passes it on without copying, and little enough for the second-level cache.
const PIECE_ROWS: usize = 2048;

/// Lists of values for one column each, asked for as the rows come.
pub(crate) struct Appended<'a> {
    file: &'a str,
    columns: Vec<Vec<f64>>,
    next_values: &'a mut (dyn FnMut(usize, &mut [Vec<f64>]) + Send),
}

impl<'a> Appended<'a> {
    pub(crate) fn new(
        file: &'a str,
        columns: usize,
        next_values: &'a mut (dyn FnMut(usize, &mut [Vec<f64>]) + Send),
    ) -> Self {
        Appended { file, columns: vec![Vec::new(); columns], next_values }
    }

    /// The values of the next `rows` rows.
    pub(crate) fn take(&mut self, rows: usize) -> Result<&mut [Vec<f64>], TableError> {
        self.columns.iter_mut().for_each(Vec::clear);
        (self.next_values)(rows, &mut self.columns);
        if self.columns.iter().any(|values| values.len() != rows) {
            let what = "the table has more rows than when it was read before: leave it unchanged while it is copied";
            return Err(TableError::new(ErrorKind::Malformed, self.file, what));
        }
        Ok(&mut self.columns)
    }
}

/// Copies rows as lines with the next values behind them. While some rows are put together, those before them are written
/// and those after them read.
pub(crate) fn append_to_lines(
    source: &mut dyn LineSource,
    sink: &mut dyn LineSink,
    columns: &mut Appended<'_>,
) -> Result<(), TableError> {
    let delimiter = sink.delimiter();
    let mut lines = TextColumn::new();
    let mut next = TextColumn::new();
    let mut pieces: Vec<Vec<u8>> = Vec::new();
    let mut finished: Vec<Vec<u8>> = Vec::new();
    let mut more = source.next_lines(&mut lines)?;
    while more {
        let (written, (put_together, read)) = rayon::join(
            || write_pieces(sink, &finished),
            || {
                rayon::join(
                    || columns.take(lines.len()).map(|values| put_together(&lines, values, delimiter, &mut pieces)),
                    || source.next_lines(&mut next),
                )
            },
        );
        written?;
        put_together?;
        more = read?;
        swap(&mut lines, &mut next);
        swap(&mut finished, &mut pieces);
    }
    write_pieces(sink, &finished)
}

fn write_pieces(sink: &mut dyn LineSink, pieces: &[Vec<u8>]) -> Result<(), TableError> {
    pieces.iter().try_for_each(|piece| sink.write_lines(piece))
}

/// Makes pieces of output of these lines and values.
fn put_together(lines: &TextColumn, values: &[Vec<f64>], delimiter: u8, pieces: &mut Vec<Vec<u8>>) {
    pieces.resize_with(lines.len().div_ceil(PIECE_ROWS), Vec::new);
    pieces.par_iter_mut().enumerate().for_each(|(index, piece)| {
        let mut number = zmij::Buffer::new();
        piece.clear();
        for row in index * PIECE_ROWS..lines.len().min((index + 1) * PIECE_ROWS) {
            let line = lines.get(row).as_bytes();
            // Without its line end.
            piece.extend_from_slice(&line[..line.len() - 1]);
            for values in values {
                piece.push(delimiter);
                piece.extend_from_slice(number.format(values[row]).as_bytes());
            }
            piece.push(b'\n');
        }
    });
}
