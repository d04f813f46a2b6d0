//! Rows of CSV and TSV that are pushed by many threads.
//!
//! The usual table has a token a state and an action, one sample, and no quotes. Its blocks of lines are taken apart by all threads,
//! each into a builder of its own, and the builders are appended in the order of the blocks. While some blocks are taken apart, the
//! rows of those before them are appended. Blocks of a plain file are read by the thread that takes them apart; of a stream, those
//! that come next are read meanwhile. A block that holds anything else is taken apart once more, column by column, in its turn: what is
//! wrong with it is found there.

use rayon::prelude::*;
use srrd::{SampleBuilder, Token};
use std::mem::swap;

use crate::batch::Batch;
use crate::digits::{number, short_int};
use crate::error::TableError;
use crate::read::{Block, BlockSource, Layout, Mark, TableReader, separators};

/// So many blocks are taken apart together, for every thread.
const BLOCKS: usize = 4;

/// What takes the rows, in their order.
pub(crate) trait Rows: Send {
    /// How many rows were taken.
    fn count(&self) -> u64;

    /// Makes room for so many rows in all.
    fn expect(&mut self, rows: u64);

    /// Takes the rows of a builder, and empties it.
    fn append(&mut self, rows: &mut SampleBuilder) -> Result<(), TableError>;

    /// Takes rows that have yet to be checked.
    fn check(&mut self, batch: &Batch) -> Result<(), TableError>;
}

/// Which of the selected columns hold what, by their place in the selection.
pub(crate) struct Places {
    pub state: usize,
    pub action: usize,
    /// `None` in one-step problems.
    pub next_state: Option<usize>,
    pub reward: usize,
}

/// Hands the rows of a table to `rows`. `Ok(false)`, and nothing done, for readers that do not give blocks.
///
/// # Errors
/// The first of the reader's or of `rows`, in the order of the rows.
pub(crate) fn take_blocks(
    reader: &mut dyn TableReader,
    places: &Places,
    rows: &mut impl Rows,
) -> Result<bool, TableError> {
    let Some(source) = reader.as_blocks() else { return Ok(false) };
    let fields = Fields::new(source.layout(), places);
    let mut batch = Batch::new();
    let mut rounds = [Round::default(), Round::default(), Round::default()];
    loop {
        let source = reader.as_blocks().expect("it gave blocks before");
        let read = take_run(source, &fields, &mut rounds, &mut batch, rows);
        let next_row = rows.count() + 1;
        let mark = read.map_err(|error| if error.row().is_none() { error.at_row(next_row) } else { error })?;
        source.go_on_at(mark, next_row)?;
        if !reader.next_batch(&mut batch)? {
            return Ok(true);
        }
        rows.check(&batch)?;
    }
}

/// Takes blocks as long as there are any that can be taken, and says where they end.
fn take_run(
    source: &mut dyn BlockSource,
    fields: &Fields,
    rounds: &mut [Round; 3],
    batch: &mut Batch,
    rows: &mut impl Rows,
) -> Result<Mark, TableError> {
    let [apart, whole, fresh] = rounds;
    let mut mark = source.mark();
    let mut read = fresh.read(source);
    apart.used = 0;
    swap(whole, fresh);
    let mut unexpected = if rows.count() == 0 { source.length() } else { None };
    while apart.used + whole.used > 0 {
        let go_on = matches!(read, Ok(true));
        let (appended, next) = rayon::join(
            || apart.append(&mut mark, rows),
            || {
                let take_apart = || whole.blocks[..whole.used].par_iter_mut().for_each(|block| fields.take(block));
                rayon::join(take_apart, || go_on.then(|| fresh.read(source))).1
            },
        );
        // The rest comes after a block that has to be looked into.
        for rest in &mut apart.blocks[appended?..apart.used] {
            match rest.outcome {
                Outcome::Whole => rest.append(&mut mark, rows)?,
                Outcome::Doubtful => rest.check(&mut mark, source, batch, rows)?,
                Outcome::Unreadable => return Ok(mark),
            }
        }
        if let Some(length) = unexpected.filter(|_| rows.count() > 0) {
            // By the length of the rows so far. Lists that grow bit by bit are copied again and again, and leave gaps.
            let text: usize = apart.blocks[..apart.used].iter().map(|taken| taken.block.bytes().len()).sum();
            rows.expect(length.saturating_mul(rows.count()) / (text as u64).max(1) + 1);
            unexpected = None;
        }
        apart.used = 0;
        swap(apart, whole);
        swap(whole, fresh);
        read = next.unwrap_or(read);
    }
    read.map(|_| mark)
}

/// Some blocks, in order.
#[derive(Default)]
struct Round {
    blocks: Vec<Taken>,
    used: usize,
}

/// A block and its rows.
#[derive(Default)]
struct Taken {
    block: Block,
    /// Where its fields end.
    separators: Vec<u32>,
    rows: SampleBuilder,
    /// How many lines the block has, if its rows are whole.
    lines: u64,
    outcome: Outcome,
}

/// What became of a block.
#[derive(Default)]
enum Outcome {
    /// All its rows were taken.
    Whole,
    /// There is something wrong with a row, or unusual.
    Doubtful,
    /// Its lines are not rows, or cannot be read.
    #[default]
    Unreadable,
}

impl Round {
    /// Reads blocks; `false` when there are no more for now.
    fn read(&mut self, source: &mut dyn BlockSource) -> Result<bool, TableError> {
        self.blocks.resize_with(BLOCKS * rayon::current_num_threads(), Taken::default);
        self.used = 0;
        for taken in &mut self.blocks {
            if !source.next_block(&mut taken.block)? {
                return Ok(false);
            }
            self.used += 1;
        }
        Ok(true)
    }

    /// Appends the rows of all blocks up to the first that has to be looked into, whose place is the result.
    fn append(&mut self, mark: &mut Mark, rows: &mut impl Rows) -> Result<usize, TableError> {
        for (place, taken) in self.blocks[..self.used].iter_mut().enumerate() {
            if !matches!(taken.outcome, Outcome::Whole) {
                return Ok(place);
            }
            taken.append(mark, rows)?;
        }
        Ok(self.used)
    }
}

impl Taken {
    fn append(&mut self, mark: &mut Mark, rows: &mut impl Rows) -> Result<(), TableError> {
        *mark = self.block.mark_behind(*mark, self.lines);
        rows.append(&mut self.rows)
    }

    /// Takes the block apart once more, column by column.
    fn check(
        &mut self,
        mark: &mut Mark,
        source: &dyn BlockSource,
        batch: &mut Batch,
        rows: &mut impl Rows,
    ) -> Result<(), TableError> {
        let length = self.block.bytes().len();
        let mut from = 0;
        while from < length {
            from = source.rows_of(&self.block, from, mark.line, rows.count() + 1, batch)?;
            if batch.rows == 0 {
                break;
            }
            rows.check(batch)?;
        }
        *mark = self.block.mark_behind(*mark, self.block.lines());
        Ok(())
    }
}

/// Where the fields of a row are.
struct Fields {
    delimiter: u8,
    /// How many a row has.
    width: usize,
    state: usize,
    action: usize,
    next_state: Option<usize>,
    reward: usize,
}

impl Fields {
    fn new(Layout { delimiter, width, positions }: Layout, places: &Places) -> Self {
        let Places { state, action, next_state, reward } = *places;
        let [state, action, reward] = [state, action, reward].map(|column| positions[column]);
        Fields { delimiter, width, state, action, next_state: next_state.map(|column| positions[column]), reward }
    }

    /// Takes a block apart.
    fn take(&self, taken: &mut Taken) {
        let Taken { block, separators, rows, lines, outcome } = taken;
        *outcome = match block.load() {
            None => Outcome::Unreadable,
            Some(text) => match self.push_rows(text, separators, rows) {
                Some(count) => {
                    *lines = count;
                    Outcome::Whole
                }
                None => {
                    *rows = SampleBuilder::new();
                    Outcome::Doubtful
                }
            },
        };
    }

    /// Pushes all rows of lines that hold no quotes, and says how many lines they were; `None` when there is anything wrong with
    /// one. `found` is for the separators.
    fn push_rows(&self, text: &str, found: &mut Vec<u32>, rows: &mut SampleBuilder) -> Option<u64> {
        let bytes = text.as_bytes();
        found.clear();
        separators(bytes, self.delimiter, b'\n', found);
        let mut lines = 0;
        let mut start = 0;
        let mut rest = found.as_slice();
        while let Some(&first) = rest.first() {
            let first = first as usize;
            lines += 1;
            if bytes[first] == b'\n' && matches!(&bytes[start..first], b"" | b"\r") {
                rest = &rest[1..];
                start = first + 1;
                continue;
            }
            let (ends, after) = rest.split_at_checked(self.width)?;
            rest = after;
            let (&last, others) = ends.split_last()?;
            let last = last as usize;
            if bytes[last] != b'\n' || others.iter().any(|&end| bytes[end as usize] == b'\n') {
                return None;
            }
            let line_end = last - usize::from(bytes[last - 1] == b'\r');
            let field = |column: usize| {
                let start = if column == 0 { start } else { ends[column - 1] as usize + 1 };
                (start, if column + 1 == self.width { line_end } else { ends[column] as usize })
            };
            let (state, action, reward) = (field(self.state), field(self.action), field(self.reward));
            let next_state = self.next_state.map_or((start, start), field);
            let is_empty = |(start, end): (usize, usize)| start == end;
            if is_empty(state) || is_empty(action) || (is_empty(next_state) && self.next_state.is_some()) {
                return None;
            }
            let reward = number(text, reward.0, reward.1)?;
            let int = |(start, end)| short_int(bytes, start, end);
            let pushed = match (int(state), int(action), int(next_state)) {
                (Some(state), Some(action), Some(next_state)) => rows.push_ints(state, action, next_state, reward),
                _ => {
                    let token = |(start, end): (usize, usize)| Token::text(&text[start..end]);
                    rows.push(token(state), token(action), token(next_state), reward)
                }
            };
            pushed.ok()?;
            start = last + 1;
        }
        Some(lines)
    }
}
