//! Rows of CSV and TSV that are pushed by many threads.
//!
//! The usual table has a token a state and an action, one sample, and no quotes. Its blocks of lines are taken apart by all threads,
//! each into a builder of its own, and the builders are appended in the order of the blocks. While some blocks are taken apart, the
//! rows of those before them are appended and those after them are read. A block that holds anything else is taken
//! apart once more, column by column, in its turn: what is wrong with it is found there.

use rayon::prelude::*;
use srrd::{SampleBuilder, Token};
use std::mem::swap;

use crate::batch::Batch;
use crate::error::TableError;
use crate::number::parse_number;
use crate::read::{Block, BlockSource, Layout, Separators, TableReader};

/// So many blocks are taken apart together, for every thread.
const BLOCKS: usize = 2;

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
        read.map_err(|error| if error.row().is_none() { error.at_row(next_row) } else { error })?;
        source.resume_at(next_row);
        if !reader.next_batch(&mut batch)? {
            return Ok(true);
        }
        rows.check(&batch)?;
    }
}

/// Takes blocks as long as there are any.
fn take_run(
    source: &mut dyn BlockSource,
    fields: &Fields,
    rounds: &mut [Round; 3],
    batch: &mut Batch,
    rows: &mut impl Rows,
) -> Result<(), TableError> {
    let [apart, whole, fresh] = rounds;
    let mut read = fresh.read(source);
    apart.used = 0;
    swap(whole, fresh);
    let mut unexpected = if rows.count() == 0 { source.length() } else { None };
    while apart.used + whole.used > 0 {
        let go_on = matches!(read, Ok(true));
        let (appended, next) = rayon::join(
            || apart.append(rows),
            || {
                let take_apart = || whole.blocks[..whole.used].par_iter_mut().for_each(|block| fields.take(block));
                rayon::join(take_apart, || go_on.then(|| fresh.read(source))).1
            },
        );
        // The rest comes after a block that has to be looked into.
        for rest in &mut apart.blocks[appended?..apart.used] {
            rest.append_or_check(source, batch, rows)?;
        }
        if let Some(length) = unexpected.filter(|_| rows.count() > 0) {
            // By the length of the rows so far. Lists that grow bit by bit are copied again and again, and leave gaps.
            let text: usize = apart.blocks[..apart.used].iter().map(|taken| taken.block.text.len()).sum();
            rows.expect(length.saturating_mul(rows.count()) / (text as u64).max(1) + 1);
            unexpected = None;
        }
        apart.used = 0;
        swap(apart, whole);
        swap(whole, fresh);
        read = next.unwrap_or(read);
    }
    read.map(|_| ())
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
    rows: SampleBuilder,
    /// Whether `rows` are all that the block holds.
    whole: bool,
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
    fn append(&mut self, rows: &mut impl Rows) -> Result<usize, TableError> {
        for (place, taken) in self.blocks[..self.used].iter_mut().enumerate() {
            if !taken.whole {
                return Ok(place);
            }
            rows.append(&mut taken.rows)?;
        }
        Ok(self.used)
    }
}

impl Taken {
    fn append_or_check(
        &mut self,
        source: &dyn BlockSource,
        batch: &mut Batch,
        rows: &mut impl Rows,
    ) -> Result<(), TableError> {
        if self.whole {
            return rows.append(&mut self.rows);
        }
        let mut from = 0;
        while from < self.block.text.len() {
            from = source.rows_of(&self.block, from, rows.count() + 1, batch)?;
            if batch.rows == 0 {
                break;
            }
            rows.check(batch)?;
        }
        Ok(())
    }
}

/// Where the fields of a row go.
struct Fields {
    delimiter: u8,
    /// For every column its place among state, action, next state, reward and what nobody needs.
    slot: Vec<u8>,
    one_step: bool,
}

impl Fields {
    fn new(layout: Layout, places: &Places) -> Self {
        let mut slot = vec![4; layout.width];
        let wanted = [Some(places.state), Some(places.action), places.next_state, Some(places.reward)];
        for (place, column) in wanted.into_iter().enumerate() {
            if let Some(column) = column {
                slot[layout.positions[column]] = place as u8;
            }
        }
        Fields { delimiter: layout.delimiter, slot, one_step: places.next_state.is_none() }
    }

    /// Takes a block apart.
    fn take(&self, taken: &mut Taken) {
        taken.whole = self.push_rows(&taken.block.text, &mut taken.rows).is_some();
        if !taken.whole {
            taken.rows = SampleBuilder::new();
        }
    }

    /// Pushes all rows of lines that hold no quotes; `None` when there is anything wrong with one.
    fn push_rows(&self, text: &str, rows: &mut SampleBuilder) -> Option<()> {
        let bytes = text.as_bytes();
        let mut found = [(0, 0); 5];
        let mut column = 0;
        let mut start = 0;
        for at in Separators::new(bytes, self.delimiter, b'\n') {
            let mut end = at;
            let is_end = bytes[at] == b'\n';
            if is_end {
                if end > start && bytes[end - 1] == b'\r' {
                    end -= 1;
                }
                if column == 0 && end == start {
                    start = at + 1;
                    continue;
                }
            }
            found[usize::from(*self.slot.get(column)?)] = (start, end);
            column += 1;
            start = at + 1;
            if !is_end {
                continue;
            }
            if column != self.slot.len() {
                return None;
            }
            column = 0;
            let field = |(start, end): (usize, usize)| &text[start..end];
            let [state, action, next_state, reward, _] = found.map(field);
            if state.is_empty() || action.is_empty() || (next_state.is_empty() && !self.one_step) {
                return None;
            }
            let reward = parse_number(reward).ok()?;
            rows.push(Token::text(state), Token::text(action), Token::text(next_state), reward).ok()?;
        }
        Some(())
    }
}
