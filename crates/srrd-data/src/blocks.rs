//! Rows of CSV and TSV that are pushed by many threads.
//!
//! The usual table has a token a state and an action, one sample, and no quotes. Its blocks of lines are taken apart by all threads,
//! each into a builder of its own, and the builders are appended in the order of the blocks. Blocks of a plain file are read by the
//! thread that takes them apart. A block that holds anything else is taken apart once more, column by column, in its turn: what is
//! wrong with it is found there.

use srrd::{SampleBuilder, Token};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use crate::batch::Batch;
use crate::digits::number;
use crate::error::TableError;
use crate::in_order::in_order;
use crate::int_rows::{Column, IntLines};
use crate::read::{Block, BlockSource, Layout, Mark, TableReader, separators};

/// How many rows a table has is guessed when so much text was taken apart.
const ENOUGH: u64 = 512 * 1024;

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
    let mut slots = Vec::new();
    loop {
        let source = reader.as_blocks().expect("it gave blocks before");
        let read = take_run(source, &fields, &mut slots, &mut batch, rows);
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
    slots: &mut Vec<Taken>,
    batch: &mut Batch,
    rows: &mut impl Rows,
) -> Result<Mark, TableError> {
    let mut mark = source.mark();
    let mut unexpected = if rows.count() == 0 { source.length() } else { None };
    let mut text = 0;
    let source = Mutex::new(source);
    let lock = || source.lock().unwrap_or_else(PoisonError::into_inner);
    let hand_on = |taken: &mut Taken| {
        match taken.outcome {
            Outcome::Whole => taken.append(&mut mark, rows)?,
            Outcome::Doubtful => taken.check(&mut mark, &**lock(), batch, rows)?,
            Outcome::Unreadable => return Ok(ControlFlow::Break(())),
        }
        text += taken.block.bytes().len() as u64;
        if let Some(length) = unexpected.filter(|_| text >= ENOUGH) {
            // By the length of the rows so far. Lists that grow bit by bit are copied again and again, and leave gaps.
            rows.expect(length.saturating_mul(rows.count()) / text + 1);
            unexpected = None;
        }
        Ok(ControlFlow::Continue(()))
    };
    in_order(slots, |taken: &mut Taken| lock().next_block(&mut taken.block), |taken| fields.take(taken), hand_on)?;
    Ok(mark)
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
    /// What every one of them is.
    columns: Vec<Column>,
}

impl Fields {
    fn new(Layout { delimiter, width, positions }: Layout, places: &Places) -> Self {
        let Places { state, action, next_state, reward } = *places;
        let [state, action, reward] = [state, action, reward].map(|column| positions[column]);
        let next_state = next_state.map(|column| positions[column]);
        let mut columns = vec![Column::Other; width];
        for (column, what) in [(state, Column::State), (action, Column::Action), (reward, Column::Reward)]
            .into_iter()
            .chain(next_state.map(|column| (column, Column::NextState)))
        {
            columns[column] = what;
        }
        Fields { delimiter, width, state, action, next_state, reward, columns }
    }

    /// Takes a block apart.
    fn take(&self, taken: &mut Taken) {
        let Taken { block, separators, rows, lines, outcome } = taken;
        if !block.load() {
            *outcome = Outcome::Unreadable;
            return;
        }
        *outcome = match self.push_rows(block, separators, rows) {
            Some(count) => {
                *lines = count;
                Outcome::Whole
            }
            None => {
                *rows = SampleBuilder::new();
                if block.plain_text().is_some() { Outcome::Doubtful } else { Outcome::Unreadable }
            }
        };
    }

    /// Pushes all rows of a block, and says how many lines they were; `None` when there is anything wrong with one, or the block is no
    /// text, or holds quotes. `found` is for the separators.
    fn push_rows(&self, block: &Block, found: &mut Vec<u32>, rows: &mut SampleBuilder) -> Option<u64> {
        let bytes = block.bytes();
        let mut text = None;
        if self.columns.contains(&Column::Other) {
            // What is in there nobody else looks at.
            text = Some(block.plain_text()?);
        }
        let (lines, taken) = match self.next_state {
            Some(_) => IntLines { bytes, delimiter: self.delimiter, columns: &self.columns }.push(rows)?,
            None => (0, 0),
        };
        if taken == bytes.len() {
            return Some(lines);
        }
        let text = text.or_else(|| block.plain_text())?;
        self.push_fields(&text[taken..], found, rows).map(|more| lines + more)
    }

    /// Pushes all rows of lines that hold no quotes, field by field.
    fn push_fields(&self, text: &str, found: &mut Vec<u32>, rows: &mut SampleBuilder) -> Option<u64> {
        let mut lines = 0;
        let bytes = text.as_bytes();
        found.clear();
        separators(bytes, self.delimiter, b'\n', found);
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
            let token = |(start, end): (usize, usize)| Token::text(&text[start..end]);
            rows.push(token(state), token(action), token(next_state), reward).ok()?;
            start = last + 1;
        }
        Some(lines)
    }
}
