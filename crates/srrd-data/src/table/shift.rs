//! Next states for tables that have none: those of the rows that follow in their episodes.

use std::collections::HashMap;

use super::batch::Batch;
use super::layout::Layout;
use super::note::TableNote;
use super::number::finite_numbers;
use super::tokens::{Ends, cell_text, check_present};
use crate::error::{ErrorKind, TableError};

/// What follows every row of a table, by batch and row.
#[derive(Default)]
pub(crate) struct Following {
    /// The row whose state is the next one; `None` for the end state.
    pub next: Vec<Vec<Option<(u32, u32)>>>,
    /// Whether the next state is known at all.
    pub known: Vec<Vec<bool>>,
    pub episodes: usize,
    pub ended: usize,
    pub left_out: usize,
    /// Whether only the order of the rows tells that of the steps, and rows of other episodes lie between those of one.
    pub scattered: bool,
    /// How many rows that an episode is over after have rows of an episode of the same name behind them.
    pub resumed: usize,
}

impl Following {
    /// What there is to know about next states of a table that has none; `paid`: whether the rewards of rows that are left out count.
    pub fn notes(&self, table: Layout<'_>, paid: bool) -> Vec<TableNote> {
        let file = || table.file.to_owned();
        let &Following { episodes, ended, left_out, scattered, resumed, .. } = self;
        let shifted = TableNote::Shifted { file: file(), episodes, ended, left_out, paid };
        let scattered = scattered.then(|| TableNote::Scattered { file: file() });
        let resumed = (resumed > 0).then(|| TableNote::Resumed { file: file(), rows: resumed });
        [shifted].into_iter().chain(scattered).chain(resumed).chain(table.roles.no_limits(table.file)).collect()
    }
}

/// A row, and where it belongs.
struct Row {
    episode: u32,
    step: f64,
    place: (u32, u32),
}

/// Finds what follows every row. Rows of one episode are those of one `episode` (and `sample`), in the order of their `step`s; where a
/// table has no such columns, in the order of the rows, up to one after which the episode is over.
///
/// The last row of an episode leads to the end state if it ends. Where it does not, or nobody knows, or steps are missing behind it,
/// its next state is not in the table.
pub(crate) fn following(table: Layout<'_>, batches: &[Batch], ends: &Ends) -> Result<Following, TableError> {
    let Layout { file, roles, .. } = table;
    let mut rows = rows(table, batches, ends)?;
    let scattered = roles.step.is_none() && {
        let begun = rows.iter().zip(rows.iter().skip(1)).filter(|(a, b)| a.episode != b.episode);
        begun.map(|(_, row)| row.step).any(|step| step > 0.0)
    };
    rows.sort_by(|a, b| a.episode.cmp(&b.episode).then(a.step.total_cmp(&b.step)));
    let pairs = || rows.windows(2).filter(|pair| pair[0].episode == pair[1].episode);
    if let Some(pair) = pairs().find(|pair| pair[0].step == pair[1].step) {
        let [first, second] =
            [pair[0].place, pair[1].place].map(|(batch, row)| (&batches[batch as usize], row as usize));
        let what = format!(
            "the step {} occurs twice in its episode, first in row {}; give every episode a name of its own (of several environments or seeds, \
             too), or number the steps",
            pair[1].step,
            first.0.row_number(first.1)
        );
        let error = TableError::new(ErrorKind::Malformed, file, what).at_row(second.0.row_number(second.1));
        return Err(error.at_line(second.0.line(second.1)).in_column(roles.step.as_deref().unwrap_or("step")));
    }
    // Steps may be counted by tens; a row is missing where they are further apart than usual.
    let stride = pairs().map(|pair| pair[1].step - pair[0].step).fold(f64::INFINITY, f64::min);

    let mut following = Following {
        next: batches.iter().map(|batch| vec![None; batch.rows]).collect(),
        known: batches.iter().map(|batch| vec![false; batch.rows]).collect(),
        episodes: rows.iter().zip(rows.iter().skip(1)).filter(|(a, b)| a.episode != b.episode).count()
            + usize::from(!rows.is_empty()),
        ended: 0,
        left_out: 0,
        scattered,
        resumed: 0,
    };
    let starts: Vec<usize> =
        batches.iter().scan(0, |at, batch| Some(std::mem::replace(at, *at + batch.rows))).collect();
    for (index, row) in rows.iter().enumerate() {
        let (batch, at) = (row.place.0 as usize, row.place.1 as usize);
        let after = rows.get(index + 1).filter(|after| after.episode == row.episode);
        let says = |flags: &[bool]| flags.get(starts[batch] + at) == Some(&true);
        following.resumed += usize::from(after.is_some() && says(&ends.over));
        if says(&ends.ends) {
            following.known[batch][at] = true;
            // It leads to the end state, which is none of those that were met.
            following.ended += 1;
        } else if let Some(after) = after.filter(|after| !says(&ends.over) && after.step - row.step <= 1.5 * stride) {
            following.known[batch][at] = true;
            following.next[batch][at] = Some(after.place);
        } else {
            following.left_out += 1;
        }
    }
    Ok(following)
}

fn rows(table: Layout<'_>, batches: &[Batch], ends: &Ends) -> Result<Vec<Row>, TableError> {
    let Layout { file, roles, places } = table;
    let mut rows: Vec<Row> = Vec::new();
    // By name, the number of every episode and how many of its rows were met.
    let mut episodes: HashMap<(String, String), (u32, u32)> = HashMap::new();
    // Without a column for episodes, how many of each sample are over.
    let mut over: HashMap<String, u32> = HashMap::new();
    let mut steps = Vec::new();
    for (number, batch) in (0..).zip(batches) {
        steps.clear();
        if let (Some(step), Some(name)) = (places.step, &roles.step) {
            finite_numbers(file, name, batch, step, &mut steps)?;
        }
        if let (Some(episode), Some(name)) = (places.episode, &roles.episode) {
            check_present(file, name, batch, &batch.columns[episode])?;
        }
        for at in 0..batch.rows {
            let text = |position: Option<usize>| {
                position.map_or(String::new(), |position| cell_text(&batch.columns[position], at).into_owned())
            };
            let (sample, mut name) = (text(places.sample), text(places.episode));
            if places.episode.is_none() {
                let over = over.entry(sample.clone()).or_default();
                name = over.to_string();
                *over += u32::from(ends.over.get(rows.len()) == Some(&true));
            }
            let count = episodes.len() as u32;
            let (episode, met) = episodes.entry((sample, name)).or_insert((count, 0));
            // Without numbers of steps, no step is missing.
            let (episode, step) = (*episode, steps.get(at).copied().unwrap_or(f64::from(*met)));
            *met += 1;
            rows.push(Row { episode, step, place: (number, at as u32) });
        }
    }
    Ok(rows)
}
