//! The rows of a table become transitions of its samples, batch by batch.

use srrd::{SampleBuilder, Token};

use super::batch::Batch;
use super::gaps::{Gaps, Lasts};
use super::gather::Gathered;
use super::layout::{Layout, Rewards};
use super::note::TableNote;
use super::read::{TableReader, for_each_mapped};
use super::shift::{Following, following};
use super::tokens::{Ends, Tokens, cell_text, is_long, names_of};
use crate::error::TableError;

/// The rows of a batch, pushed by a thread on its own.
#[derive(Default)]
struct Pushed {
    builder: SampleBuilder,
    /// Their rewards in the columns behind the first.
    others: Vec<Vec<f64>>,
    /// By reward column, the sum of their squares.
    squares: Vec<f64>,
    /// Where their episodes have their last rows so far.
    lasts: Lasts,
    /// Whether there was nothing wrong with any of them.
    whole: bool,
}

impl Pushed {
    /// Pushes the rows of a batch; `None` when there is anything wrong with one, which is found out elsewhere.
    fn push(&mut self, table: Layout<'_>, batch: &Batch) -> Option<()> {
        if self.builder.rows() > 0 {
            // Of a batch in which something was wrong.
            self.builder = SampleBuilder::new();
        }
        let builder = &mut self.builder;
        let (state, action) = (table.states(batch).ok()?, table.actions(batch).ok()?);
        let next_state = table.next_states(batch).ok()?;
        let rewards = table.rewards(batch).ok()?;
        let push = |builder: &mut SampleBuilder, index: usize, reward: f64| {
            state.with(index, |s| action.with(index, |a| next_state.with(index, |n| builder.push(s, a, n, reward))))
        };
        if let (Tokens::Text(states), Tokens::Text(actions), Tokens::Text(next_states)) = (&state, &action, &next_state)
        {
            // The usual case by far, without a choice to be made for every token.
            let texts = states.iter().zip(actions.iter()).zip(next_states.iter());
            for (index, (((s, a), n), &reward)) in texts.zip(&rewards.pushed).enumerate() {
                match [s, a, n].iter().any(|text| is_long(text)) {
                    true => push(builder, index, reward).ok()?,
                    false => builder.push(Token::text(s), Token::text(a), Token::text(n), reward).ok()?,
                }
            }
        } else {
            rewards.pushed.iter().enumerate().try_for_each(|(index, &reward)| push(builder, index, reward).ok())?;
        }
        self.squares = rewards.columns().map(|column| column.iter().map(|reward| square(*reward)).sum()).collect();
        self.others = rewards.others;
        Some(())
    }
}

/// The square of a reward; of one that is missing, 0.
fn square(reward: f64) -> f64 {
    if reward.is_nan() { 0.0 } else { reward * reward }
}

/// Takes the rows of a table.
pub(super) struct Taker<'a> {
    pub table: Layout<'a>,
    pub gathered: Gathered<'a>,
    pub ends: Ends,
}

impl Taker<'_> {
    /// Takes rows that were pushed already, all into the only sample.
    fn append(
        &mut self,
        batch: &Batch,
        Pushed { builder, others, squares, .. }: &mut Pushed,
    ) -> Result<(), TableError> {
        self.gathered.squares.iter_mut().zip(squares).for_each(|(all, squares)| all.taken += *squares);
        let to = self.gathered.sample(None);
        if let Err(error) = self.gathered.builder(to).append(builder) {
            return Err(self.table.error(batch, 0, &error));
        }
        self.gathered.others(to).iter_mut().zip(others).for_each(|(to, rewards)| to.append(rewards));
        if self.gathered.notes_rows() {
            (0..batch.rows).for_each(|index| self.gathered.note_row(to, batch.row_number(index)));
        }
        Ok(())
    }

    /// Takes the rows of a batch one by one; of those whose next states are elsewhere, only those that have one.
    fn take(&mut self, batch: &Batch, elsewhere: Option<(Tokens<'_>, &[bool])>) -> Result<(), TableError> {
        let Layout { file, roles, places } = self.table;
        let (state, action) = (self.table.states(batch)?, self.table.actions(batch)?);
        let (next_state, known) = match elsewhere {
            Some((tokens, known)) => (tokens, Some(known)),
            None => (self.table.next_states(batch)?, None),
        };
        let rewards = self.table.rewards(batch)?;
        for (squares, column) in self.gathered.squares.iter_mut().zip(rewards.columns()) {
            for (index, reward) in column.iter().enumerate() {
                let taken = known.is_none_or(|known| known[index]);
                *(if taken { &mut squares.taken } else { &mut squares.left_out }) += square(*reward);
            }
        }
        let Rewards { pushed, others, .. } = rewards;
        let sample = names_of(file, &roles.sample, places.sample, batch)?;
        let episode = if roles.keep_episodes { names_of(file, &roles.episode, places.episode, batch)? } else { None };
        let label = places.label.map(|position| &batch.columns[position]);
        for index in 0..batch.rows {
            if known.is_some_and(|known| !known[index]) {
                self.gathered.note_left_out();
                continue;
            }
            let to = self.gathered.sample(sample.map(|column| cell_text(column, index)).as_deref());
            if let Some(column) = label {
                let text = if column.is_valid(index) { cell_text(column, index) } else { "".into() };
                self.gathered.label(to, &text, batch, index)?;
            }
            let builder = self.gathered.builder(to);
            let pushed = state.with(index, |s| {
                action.with(index, |a| next_state.with(index, |n| builder.push(s, a, n, pushed[index])))
            });
            pushed.map_err(|error| self.table.error(batch, index, &error))?;
            self.gathered.others(to).iter_mut().zip(&others).for_each(|(to, column)| to.push(column[index]));
            self.gathered.note_row(to, batch.row_number(index));
            if let Some(column) = episode {
                self.gathered.push_episode(to, &cell_text(column, index));
            }
        }
        Ok(())
    }

    /// Takes all rows of a table, with the next states that it gives.
    pub fn take_given(&mut self, reader: Box<dyn TableReader>) -> Result<Vec<TableNote>, TableError> {
        let table = self.table;
        // Without a choice to be made for every row, threads can push rows on their own.
        let alone = table.roles.sample.is_none() && table.roles.label.is_none() && !table.roles.needs_episodes();
        self.gathered.rows_hint = reader.rows_hint().unwrap_or(0);
        let mut gaps = Gaps::default();
        for_each_mapped(
            reader,
            |batch, pushed: &mut Pushed| {
                pushed.whole = alone && pushed.push(table, batch).is_some();
                pushed.lasts = Lasts::of(table, batch);
            },
            |batch, pushed| {
                self.ends.push(table, batch)?;
                let first = self.ends.over.len().saturating_sub(batch.rows);
                let leads = gaps.take(table, std::mem::take(&mut pushed.lasts), batch, 0, (&self.ends, first))?;
                match leads {
                    None if pushed.whole => self.append(batch, pushed),
                    None => self.take(batch, None),
                    Some(leads) => {
                        leads.fill(table.places, batch);
                        let filled = [table.next_states(batch)?];
                        self.take(batch, Some((Tokens::Elsewhere { all: &filled, of: &leads.next }, &leads.known)))
                    }
                }
            },
        )?;
        gaps.finish(table, false)
    }

    /// Takes all rows of a table whose next states are the states of other rows: they are held until all are there.
    pub fn take_shifted(&mut self, reader: Box<dyn TableReader>) -> Result<Following, TableError> {
        let batches;
        (batches, self.ends) = self.table.read_all(reader)?;
        let following = following(self.table, &batches, &self.ends)?;
        let states: Vec<Tokens<'_>> = batches.iter().map(|batch| self.table.states(batch)).collect::<Result<_, _>>()?;
        for (number, batch) in batches.iter().enumerate() {
            let next = Tokens::Elsewhere { all: &states, of: &following.next[number] };
            self.take(batch, Some((next, &following.known[number])))?;
        }
        Ok(following)
    }
}
