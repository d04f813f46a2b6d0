//! Rows whose tokens are short integers, as nearly all large tables have them: their fields end where they are read and need not be
//! looked for.

use memchr::memchr2;
use srrd::SampleBuilder;

use crate::digits::{leading_decimal, leading_int};
use crate::number::parse_number;
use crate::window;

/// What a column is to a row.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Column {
    State,
    Action,
    NextState,
    Reward,
    Other,
}

/// A row whose tokens are integers.
#[derive(Default)]
pub(crate) struct IntRow {
    pub state: u32,
    pub action: u32,
    pub next_state: u32,
    pub reward: f64,
}

/// The lines of a table. They need not be text: a row is one only if all of its columns that are no [`Column::Other`] are numbers.
pub(crate) struct IntLines<'a> {
    pub bytes: &'a [u8],
    pub delimiter: u8,
    /// What every field of a line is; there are next states among them.
    pub columns: &'a [Column],
}

impl IntLines<'_> {
    /// Pushes rows as long as their tokens are short integers. Says how many they were, a line each, and how many bytes; `None` when a
    /// reward is refused.
    pub(crate) fn push(&self, rows: &mut SampleBuilder) -> Option<(u64, usize)> {
        match self.columns {
            [Column::State, Column::Action, Column::NextState, Column::Reward] => self
                .push_while(rows, |start| window::row(self.bytes, start, self.delimiter).or_else(|| self.row(start))),
            _ => self.push_while(rows, |start| self.row(start)),
        }
    }

    /// Pushes rows as long as `row` finds one where the one before it ended.
    #[inline(always)]
    fn push_while(
        &self,
        rows: &mut SampleBuilder,
        row: impl Fn(usize) -> Option<(IntRow, usize)>,
    ) -> Option<(u64, usize)> {
        let (mut count, mut start) = (0, 0);
        let mut some = IntRows::default();
        while start < self.bytes.len()
            && let Some((row, end)) = row(start)
        {
            some.push(row, rows)?;
            count += 1;
            start = end;
        }
        some.flush(rows)?;
        Some((count, start))
    }

    /// The row that begins at `start`, and where the next one does.
    fn row(&self, start: usize) -> Option<(IntRow, usize)> {
        let bytes = self.bytes;
        let mut row = IntRow::default();
        let mut at = start;
        for (index, &column) in self.columns.iter().enumerate() {
            if index > 0 {
                if bytes.get(at) != Some(&self.delimiter) {
                    return None;
                }
                at += 1;
            }
            let token = match column {
                Column::State => &mut row.state,
                Column::Action => &mut row.action,
                Column::NextState => &mut row.next_state,
                Column::Reward => {
                    (row.reward, at) = self.reward(at)?;
                    continue;
                }
                Column::Other => {
                    at = self.field_end(at)?;
                    continue;
                }
            };
            (*token, at) = leading_int(bytes, at)?;
        }
        Some((row, behind_line_end(bytes, at)?))
    }

    /// The number that a field is, and where it ends.
    #[inline(always)]
    fn reward(&self, start: usize) -> Option<(f64, usize)> {
        let bytes = self.bytes;
        let ends = |end: usize| bytes.get(end).is_some_and(|&b| b == self.delimiter || b == b'\n' || b == b'\r');
        if let Some((reward, end)) = leading_decimal(bytes, start)
            && ends(end)
        {
            return Some((reward, end));
        }
        let end = self.field_end(start)?;
        let end = end - usize::from(bytes[end] == b'\n' && bytes[start..end].ends_with(b"\r"));
        Some((parse_number(str::from_utf8(&bytes[start..end]).ok()?).ok()?, end))
    }

    /// Where a field ends.
    fn field_end(&self, start: usize) -> Option<usize> {
        memchr2(self.delimiter, b'\n', &self.bytes[start..]).map(|length| start + length)
    }
}

/// The place behind a line that ends at `end`.
#[inline(always)]
fn behind_line_end(bytes: &[u8], end: usize) -> Option<usize> {
    let end = end + usize::from(bytes.get(end) == Some(&b'\r'));
    (bytes.get(end) == Some(&b'\n')).then_some(end + 1)
}

/// So many rows are pushed at a time.
const SOME: usize = 128;

/// Some rows, not yet pushed.
struct IntRows {
    state: [u32; SOME],
    action: [u32; SOME],
    next_state: [u32; SOME],
    reward: [f64; SOME],
    used: usize,
}

impl Default for IntRows {
    fn default() -> Self {
        IntRows { state: [0; SOME], action: [0; SOME], next_state: [0; SOME], reward: [0.0; SOME], used: 0 }
    }
}

impl IntRows {
    #[inline(always)]
    fn push(&mut self, row: IntRow, rows: &mut SampleBuilder) -> Option<()> {
        if self.used == SOME {
            self.flush(rows)?;
        }
        let IntRow { state, action, next_state, reward } = row;
        (self.state[self.used], self.action[self.used], self.next_state[self.used]) = (state, action, next_state);
        self.reward[self.used] = reward;
        self.used += 1;
        Some(())
    }

    fn flush(&mut self, rows: &mut SampleBuilder) -> Option<()> {
        let used = ..std::mem::take(&mut self.used);
        rows.push_ints(&self.state[used], &self.action[used], &self.next_state[used], &self.reward[used]).ok()
    }
}
