//! Blocks of whole lines, which threads read and take apart on their own.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memchr2};

use super::counts::Counts;
use super::separators::Separators;
use crate::batch::{Batch, TextColumn};
use crate::error::TableError;

/// About so much text is a block: little enough to stay in a cache with what is made of it, and so much that the file system is asked
/// seldom. Of 128 KiB to 1 MiB this took the least time.
pub(super) const BLOCK: usize = 256 * 1024;

/// Behind a block so much is read along with it, to find the end of its last line.
const BEHIND: usize = 1024;

/// A block whose last line is longer than this is left to the reader that goes from line to line.
const LONGEST_LINE: usize = 1024 * 1024;

/// Where the fields of a block are to be looked for.
#[derive(Clone)]
pub struct Layout {
    pub delimiter: u8,
    /// How many fields a row has.
    pub width: usize,
    /// The positions of the selected columns, in the order they were selected.
    pub positions: Vec<usize>,
}

/// A place between two lines of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The number of the line that follows.
    pub line: u64,
    /// Where it begins, in a table whose blocks are read by those who need them.
    pub offset: u64,
}

/// A reader of CSV or TSV that also gives blocks of lines, for threads to take apart on their own. Not only do they share the work
/// then: nothing is copied into columns.
pub trait BlockSource: Send {
    /// How much text there is in all, where that is known.
    fn length(&self) -> Option<u64>;

    /// Where the fields are, in all blocks.
    fn layout(&self) -> Layout;

    /// Where the next block begins.
    fn mark(&self) -> Mark;

    /// Fills `block` with the next lines, or says to it where to read them. `false`: there are no more, or they hold quotes, and
    /// the rows that follow have to be asked for otherwise, after [`go_on_at`](Self::go_on_at).
    ///
    /// # Errors
    /// The file cannot be read on, or is no text. The row that the message should name is not known here.
    fn next_block(&mut self, block: &mut Block) -> Result<bool, TableError>;

    /// Goes on behind the blocks that were taken, with the row of this number.
    ///
    /// # Errors
    /// The file cannot be read.
    fn go_on_at(&mut self, mark: Mark, next_row: u64) -> Result<(), TableError>;

    /// Takes a block apart that does not hold what was expected: at most as many rows as a batch has, from byte `from` on.
    /// `first_line` is the number of the block's first line. The result is where to go on; `batch` is empty when that is the end.
    ///
    /// # Errors
    /// As [`TableReader::next_batch`](super::TableReader::next_batch).
    fn rows_of(
        &self,
        block: &Block,
        from: usize,
        first_line: u64,
        first_row: u64,
        batch: &mut Batch,
    ) -> Result<usize, TableError>;

    /// Fills `rows` with some of the next rows, all columns whatever is selected, each as the line that a writer with the same
    /// delimiter would make of it, with its line end. `false` means that there are no more.
    ///
    /// # Errors
    /// As [`TableReader::next_batch`](super::TableReader::next_batch).
    fn next_lines(&mut self, rows: &mut TextColumn) -> Result<bool, TableError>;

    /// Adds the rows of a block, which begins with this line and row, as such lines.
    ///
    /// # Errors
    /// As [`TableReader::next_batch`](super::TableReader::next_batch).
    fn lines_of(&self, block: &Block, first_line: u64, first_row: u64, rows: &mut TextColumn)
    -> Result<(), TableError>;
}

/// How lines would be written.
pub enum Writing {
    /// Just so, but for carriage returns at their ends and blank lines.
    AsTheyAre {
        /// How many rows they are.
        rows: usize,
        lines: u64,
    },
    /// In another way.
    Anew,
    /// They hold quotes: where rows begin is known to those only who come from the lines before.
    Quotes,
}

/// Some whole lines of CSV or TSV.
#[derive(Default)]
pub struct Block {
    /// The lines are `buffer[start..end]`.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Where they are, if they are to be read by who needs them.
    stretch: Option<Stretch>,
}

impl Block {
    /// Takes these lines.
    pub(super) fn fill(&mut self, lines: &str) {
        self.buffer.clear();
        self.buffer.extend_from_slice(lines.as_bytes());
        (self.start, self.end, self.stretch) = (0, lines.len(), None);
    }

    /// Reads the lines, if they have yet to be. `false` when they cannot be read: who goes from row to row finds out why.
    pub fn load(&mut self) -> bool {
        let Some(stretch) = &self.stretch else { return true };
        (self.start, self.end) = (0, 0);
        match stretch.read(&mut self.buffer) {
            Ok(Some(lines)) => {
                (self.start, self.end) = lines;
                true
            }
            _ => false,
        }
    }

    /// The lines of a loaded block; `None` when they are no text, or hold quotes.
    pub fn plain_text(&self) -> Option<&str> {
        let bytes = self.bytes();
        str::from_utf8(bytes).ok().filter(|_| memchr2(0, b'"', bytes).is_none())
    }

    /// The lines of a loaded block; nothing if they are no text.
    pub fn text(&self) -> &str {
        // Checked before; this is for the blocks that have to be looked into.
        str::from_utf8(self.bytes()).unwrap_or_default()
    }

    /// Their bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// How many lines there are.
    pub fn lines(&self) -> u64 {
        memchr_iter(b'\n', self.bytes()).count() as u64
    }

    /// The place behind the block, given the one before it.
    pub fn mark_behind(&self, before: Mark, lines: u64) -> Mark {
        let offset = match &self.stretch {
            Some(stretch) if self.end > self.start => (stretch.from - 1 + self.end as u64).min(stretch.length),
            _ => before.offset,
        };
        Mark { line: before.line + lines, offset }
    }

    /// How a writer with the same delimiter would write the lines of a loaded block.
    ///
    /// Fields are counted in all, not line by line, so this is for tables that have been read before.
    pub fn writing(&self, delimiter: u8, width: usize) -> Writing {
        let bytes = self.bytes();
        let Counts { lines, delimiters, quotes, returns, blank } = Counts::of(bytes, delimiter);
        if quotes {
            return Writing::Quotes;
        }
        let rows = if returns || blank { self.rows().count() } else { lines };
        let ends_line = |at: usize| bytes.get(at + 1) == Some(&b'\n');
        if rows + delimiters != rows * width || returns && !memchr_iter(b'\r', bytes).all(ends_line) {
            return Writing::Anew;
        }
        Writing::AsTheyAre { rows, lines: lines as u64 }
    }

    /// Where the lines are that are not blank, without their ends.
    pub fn rows(&self) -> impl Iterator<Item = Range<usize>> {
        let bytes = self.bytes();
        let mut start = 0;
        Separators::new(bytes, b'\n', b'\n').filter_map(move |at| {
            let from = std::mem::replace(&mut start, at + 1);
            let to = at - usize::from(at > from && bytes[at - 1] == b'\r');
            (from < to).then_some(from..to)
        })
    }
}

/// Gives the stretches of a file, one after the other.
pub(super) struct Stretches {
    file: Arc<File>,
    length: u64,
    /// Where the next begins, once one was given.
    next: Option<u64>,
}

impl Stretches {
    /// Of this file of this length.
    pub(super) fn new(file: Arc<File>, length: u64) -> Self {
        Stretches { file, length, next: None }
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Gives the next stretch to `block`, the first from line `start` on; `false` at the end.
    pub(super) fn next(&mut self, start: u64, block: &mut Block) -> bool {
        let from = self.next.unwrap_or(start);
        if from == 0 || from >= self.length {
            return false;
        }
        let to = (from + BLOCK as u64).min(self.length);
        self.next = Some(to);
        block.stretch = Some(Stretch { file: self.file.clone(), from, to, length: self.length });
        true
    }

    /// Moves the position from which the file is read on.
    pub(super) fn seek(&self, offset: u64) -> io::Result<()> {
        (&*self.file).seek(SeekFrom::Start(offset)).map(|_| ())
    }
}

/// A part of a file.
struct Stretch {
    file: Arc<File>,
    /// Lines that begin from here on ...
    from: u64,
    /// ... and before here are meant.
    to: u64,
    /// The length of the file.
    length: u64,
}

impl Stretch {
    /// Reads the lines into `buffer`, and says where there. `None`: a line is too long.
    fn read(&self, buffer: &mut Vec<u8>) -> io::Result<Option<(usize, usize)>> {
        // The byte before tells whether a line begins at `from`.
        let before = self.from - 1;
        let size = (self.to - before) as usize;
        let mut filled = 0;
        let mut wanted = size + BEHIND;
        loop {
            wanted = wanted.min((self.length - before) as usize);
            // One byte more, for the line end that may be missing at the end.
            if buffer.len() <= wanted {
                buffer.resize(wanted + 1, 0);
            }
            filled += read_at(&self.file, &mut buffer[filled..wanted], before + filled as u64)?;
            if filled == 0 {
                return Ok(None);
            }
            let at_end = filled < wanted || before + filled as u64 == self.length;
            if at_end && buffer[filled - 1] != b'\n' {
                buffer[filled] = b'\n';
                filled += 1;
            }
            let Some(start) = memchr(b'\n', &buffer[..filled]).map(|at| at + 1) else { return Ok(None) };
            if start >= size {
                return Ok(Some((0, 0)));
            }
            let last = (size - 1).min(filled - 1);
            if let Some(end) = memchr(b'\n', &buffer[last..filled]) {
                return Ok(Some((start, last + end + 1)));
            }
            if filled > size + LONGEST_LINE {
                return Ok(None);
            }
            wanted = 2 * filled;
        }
    }
}

/// Reads until the buffer is full or the file ends.
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        #[cfg(unix)]
        let count = std::os::unix::fs::FileExt::read_at(file, &mut buffer[filled..], offset + filled as u64);
        #[cfg(windows)]
        let count = std::os::windows::fs::FileExt::seek_read(file, &mut buffer[filled..], offset + filled as u64);
        match count {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
