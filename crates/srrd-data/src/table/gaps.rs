//! Next states that are missing, as `lead` of SQL and `shift` of pandas leave them in the last row of every episode.

use std::collections::HashMap;

use super::batch::{Batch, Column, TextColumn, Values};
use super::note::TableNote;
use super::number::finite_numbers;
use super::roles::{Identity, NextState, Places, Roles};
use super::samples::Rows;
use super::shift::Following;
use super::tokens::{Ends, cell_text};
use crate::error::{ErrorKind, TableError};

/// The rows of a batch without a next state: of features, without any of them. `None` where there are none.
pub(crate) fn missing(roles: &Roles, places: &Places, batch: &Batch) -> Option<Vec<bool>> {
    let (NextState::Given(identity), Some(positions)) = (&roles.next_state, &places.next_state) else { return None };
    let features = identity.features().is_some();
    let mut missing: Option<Vec<bool>> = None;
    for column in positions.iter().map(|&position| &batch.columns[position]) {
        let some = match &column.values {
            Values::Text(texts) if !features && column.validity.is_none() => texts.first_empty().is_some(),
            Values::Text(_) | Values::Float(_) => true,
            Values::Int(_) | Values::Bool(_) => column.validity.is_some(),
        };
        let is_missing = |row: usize| !column.is_valid(row) || is_empty(column, row, features);
        let of_column = |known: Option<Vec<bool>>| -> Vec<bool> {
            (0..batch.rows).map(|row| known.as_ref().is_none_or(|known| known[row]) && is_missing(row)).collect()
        };
        missing = Some(of_column(missing)).filter(|missing| some && missing.contains(&true));
        missing.as_ref()?;
    }
    missing
}

/// Whether a value stands for none: an empty text or NaN, which as a text is none only where numbers are needed.
fn is_empty(column: &Column, row: usize, number: bool) -> bool {
    match &column.values {
        Values::Text(texts) => {
            let text = texts.get(row);
            text.is_empty() || number && (text.trim().is_empty() || text.parse().is_ok_and(f64::is_nan))
        }
        Values::Float(values) => values[row].is_nan(),
        Values::Int(_) | Values::Bool(_) => false,
    }
}

/// Puts something in the place of what is missing, so that the other rows can be read.
pub(crate) fn fill(places: &Places, batch: &mut Batch, missing: &[bool]) {
    for &position in places.next_state.iter().flatten() {
        let column = &mut batch.columns[position];
        let gaps = || (0..missing.len()).filter(|&row| missing[row]);
        match &mut column.values {
            Values::Text(texts) => {
                let all: TextColumn =
                    texts.iter().zip(missing).map(|(text, &missing)| if missing { "0" } else { text }).collect();
                *texts = all;
            }
            Values::Float(values) => gaps().for_each(|row| values[row] = 0.0),
            Values::Int(_) | Values::Bool(_) => {}
        }
        if let Some(validity) = &mut column.validity {
            gaps().for_each(|row| validity[row] = true);
        }
    }
}

/// Takes out again what [`fill`] has put in.
pub(crate) fn empty(places: &Places, batch: &mut Batch, missing: &[bool]) {
    for &position in places.next_state.iter().flatten() {
        let column = &mut batch.columns[position];
        let validity = column.validity.get_or_insert_with(|| vec![true; missing.len()]);
        validity.iter_mut().zip(missing).for_each(|(valid, missing)| *valid &= !missing);
    }
}

/// By episode, the largest step (without that column, the last row) among some rows.
#[derive(Default)]
pub(crate) struct Lasts(Vec<(String, f64)>);

impl Lasts {
    /// Of the rows of a batch, whose rows are counted from 0.
    pub fn of(table: Rows<'_>, batch: &Batch) -> Self {
        let mut lasts = Lasts::default();
        let (NextState::Given(_), Some(episode)) = (&table.roles.next_state, table.places.episode) else {
            return lasts;
        };
        let places = table.places;
        let names = [Some(&batch.columns[episode]), places.sample.map(|sample| &batch.columns[sample])];
        // Steps that are no numbers are no error as long as no next state is missing.
        let steps = steps(table, batch).ok();
        for row in 0..batch.rows {
            let step = steps.as_ref().map_or(f64::INFINITY, |steps| steps.get(row).copied().unwrap_or(row as f64));
            let same = row > 0 && names.iter().flatten().all(|column| same(column, row));
            match lasts.0.last_mut().filter(|_| same) {
                Some((_, last)) => *last = last.max(step),
                None => lasts.0.push((key(places, episode, batch, row), step)),
            }
        }
        lasts
    }
}

/// The steps of all rows; none where no column tells them.
fn steps(table: Rows<'_>, batch: &Batch) -> Result<Vec<f64>, TableError> {
    let mut steps = Vec::new();
    if let (Some(step), Some(name)) = (table.places.step, &table.roles.step) {
        finite_numbers(table.file, name, batch, step, &mut steps)?;
    }
    Ok(steps)
}

/// Whether a row has the value of the row before it.
fn same(column: &Column, row: usize) -> bool {
    match &column.values {
        Values::Text(values) => values.get(row) == values.get(row - 1),
        Values::Int(values) => values[row] == values[row - 1],
        Values::Float(values) => values[row] == values[row - 1],
        Values::Bool(values) => values[row] == values[row - 1],
    }
}

/// What tells an episode apart from those of other samples, too.
fn key(places: &Places, episode: usize, batch: &Batch, row: usize) -> String {
    let sample = places.sample.map_or("".into(), |sample| cell_text(&batch.columns[sample], row));
    format!("{}\0{sample}", cell_text(&batch.columns[episode], row))
}

/// A row without a next state that has to be the last one of its episode.
struct Open {
    episode: String,
    step: f64,
    wrong: TableError,
}

/// What the rows without a next state come to, batch by batch.
#[derive(Default)]
pub(crate) struct Gaps {
    rows: usize,
    lasts: HashMap<String, f64>,
    open: Vec<Open>,
    ended: usize,
    left_out: usize,
}

/// Where the rows of a batch lead of which some have no next state.
pub(crate) struct Leads {
    /// The row itself, whose next state is there; `None` for the end state.
    pub next: Vec<Option<(u32, u32)>>,
    /// Whether the next state is known at all.
    pub known: Vec<bool>,
    /// Whether the row has none.
    missing: Vec<bool>,
}

impl Leads {
    /// Puts something in the place of what is missing, so that the other rows can be read.
    pub fn fill(&self, places: &Places, batch: &mut Batch) {
        fill(places, batch, &self.missing);
    }
}

impl Gaps {
    /// Takes the next batch, which is to be batch `number` of those where rows are looked up, and whose first row is at this place of the ends. A row without a next
    /// state leads to the end state if the task is over after it; it is left out if it was cut off, or is the last of its episode.
    pub fn take(
        &mut self,
        table: Rows<'_>,
        lasts: Lasts,
        batch: &Batch,
        number: usize,
        ends: (&Ends, usize),
    ) -> Result<Option<Leads>, TableError> {
        let Rows { roles, places, .. } = table;
        let first = self.rows;
        self.rows += batch.rows;
        let from = if roles.step.is_some() { 0.0 } else { first as f64 };
        for (episode, last) in lasts.0 {
            let known = self.lasts.entry(episode).or_insert(f64::NEG_INFINITY);
            *known = known.max(last + from);
        }
        let Some(missing) = missing(roles, places, batch) else { return Ok(None) };
        let steps = match places.episode {
            Some(_) => steps(table, batch)?,
            None => Vec::new(),
        };
        let (ends, at) = ends;
        let mut leads = Leads {
            next: (0..batch.rows as u32).map(|row| Some((number as u32, row))).collect(),
            known: vec![true; batch.rows],
            missing,
        };
        for row in (0..batch.rows).filter(|&row| leads.missing[row]) {
            let says = |flags: &[bool]| flags.get(at + row) == Some(&true);
            if says(&ends.ends) {
                leads.next[row] = None;
                self.ended += 1;
                continue;
            }
            leads.known[row] = false;
            self.left_out += 1;
            if !says(&ends.over) {
                let wrong = wrong(table, batch, row);
                let named = |episode: &usize| {
                    let column = &batch.columns[*episode];
                    column.is_valid(row) && !is_empty(column, row, false)
                };
                let Some(episode) = places.episode.filter(named) else { return Err(wrong) };
                let step = steps.get(row).copied().unwrap_or((first + row) as f64);
                self.open.push(Open { episode: key(places, episode, batch, row), step, wrong });
            }
        }
        Ok(Some(leads))
    }

    /// When all rows have been taken: what there is to know about those without a next state; `paid`: whether the rewards of those that
    /// are left out count.
    pub fn finish(self, file: &str, paid: bool) -> Result<Option<TableNote>, TableError> {
        let goes_on = |open: &Open| self.lasts.get(&open.episode).is_some_and(|&last| last > open.step);
        if let Some(open) = self.open.into_iter().find(goes_on) {
            return Err(open.wrong);
        }
        let some = self.ended + self.left_out > 0;
        Ok(some.then(|| {
            let (ended, left_out) = (self.ended, self.left_out);
            TableNote::Gaps { file: file.to_owned(), ended, left_out, paid }
        }))
    }
}

fn wrong(table: Rows<'_>, batch: &Batch, row: usize) -> TableError {
    let what = "the value is missing: a next state may be missing only in a row that ends its episode (`terminated` or `done`), is cut off \
                (`truncated` or `timeout`), or is the last of its `episode`: fill it in, mark the row, or drop it";
    let error = TableError::new(ErrorKind::Type, table.file, what).at(batch, row);
    match &table.roles.next_state {
        NextState::Given(Identity::Token(column)) => error.in_column(column),
        NextState::Given(features) => error.in_column(features.columns().swap_remove(0)),
        NextState::Shifted | NextState::OneStep => error,
    }
}

/// Where all rows of a table lead, and what there is to know about them; `None` where every row has its next state.
pub(crate) fn following(
    table: Rows<'_>,
    batches: &mut [Batch],
    ends: &Ends,
    paid: bool,
) -> Result<Option<(Following, TableNote)>, TableError> {
    let mut gaps = Gaps::default();
    let (mut following, mut rows) = (Following::default(), 0);
    for (number, batch) in batches.iter_mut().enumerate() {
        let leads = gaps.take(table, Lasts::of(table, batch), batch, number, (ends, rows))?;
        rows += batch.rows;
        if let Some(leads) = &leads {
            leads.fill(table.places, batch);
        }
        let all = |row: usize| Some((number as u32, row as u32));
        let (next, known) = leads.map_or_else(
            || ((0..batch.rows).map(all).collect(), vec![true; batch.rows]),
            |leads| (leads.next, leads.known),
        );
        following.next.push(next);
        following.known.push(known);
    }
    Ok(gaps.finish(table.file, paid)?.map(|note| (following, note)))
}
