//! Next states that are missing, as `lead` of SQL and `shift` of pandas leave them in the last row of every episode.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use srrd::sample::Vocabulary;
use srrd::{NamedSample, Token};

use super::batch::{Batch, Column, TextColumn, Values};
use super::layout::{Layout, Places};
use super::note::TableNote;
use super::number::finite_numbers;
use super::roles::{Identity, NextState, Roles};
use super::shift::Following;
use super::tokens::{Ends, cell_text};
use crate::error::{ErrorKind, TableError, shorten};

/// What is written where there is nothing.
const NOTHING: [&str; 9] = ["NaN", "nan", "NA", "<NA>", "N/A", "NULL", "null", "None", "\\N"];

/// Whether a text is a word for nothing, which may be a name all the same.
pub(crate) fn is_nothing(text: &str) -> bool {
    text.len() <= 4 && NOTHING.contains(&text)
}

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
        if !some {
            return None;
        }
        let is_missing = |row: usize| !column.is_valid(row) || is_empty(column, row, features);
        let of_column = |known: Option<Vec<bool>>| -> Vec<bool> {
            (0..batch.rows).map(|row| known.as_ref().is_none_or(|known| known[row]) && is_missing(row)).collect()
        };
        missing = Some(of_column(missing)).filter(|missing| missing.contains(&true));
        missing.as_ref()?;
    }
    missing
}

/// Whether a value stands for none: an empty text or NaN, which as a text is none only where numbers are needed.
fn is_empty(column: &Column, row: usize, number: bool) -> bool {
    match &column.values {
        Values::Text(texts) => {
            let text = texts.get(row);
            let nothing = || is_nothing(text) || text.trim().is_empty() || text.parse().is_ok_and(f64::is_nan);
            text.is_empty() || number && nothing()
        }
        Values::Float(values) => values[row].is_nan(),
        Values::Int(_) | Values::Bool(_) => false,
    }
}

/// How many of the rows without a next state have NaN or a word for nothing there, and not nothing.
pub(crate) fn written(places: &Places, batch: &Batch, missing: &[bool]) -> u64 {
    let columns: Vec<&Column> = places.next_state.iter().flatten().map(|&position| &batch.columns[position]).collect();
    let is_written = |column: &Column, row: usize| {
        column.is_valid(row)
            && match &column.values {
                Values::Text(texts) => !texts.get(row).trim().is_empty(),
                _ => true,
            }
    };
    (0..batch.rows).filter(|&row| missing[row] && columns.iter().any(|column| is_written(column, row))).count() as u64
}

/// As [`words`], of samples.
pub(crate) fn words_of(file: &str, roles: &Roles, samples: &[NamedSample]) -> Vec<TableNote> {
    words(file, roles, samples.iter().map(|named| [named.sample.states(), named.sample.actions()]))
}

/// Words for nothing that are taken for the names of states or actions.
pub(crate) fn words<'a>(
    file: &str,
    roles: &Roles,
    vocabularies: impl IntoIterator<Item = [&'a Vocabulary; 2]>,
) -> Vec<TableNote> {
    let mut found: [Option<&str>; 2] = [None, None];
    for pair in vocabularies {
        for (is_action, (found, vocabulary)) in found.iter_mut().zip(pair).enumerate() {
            // To do nothing is an action.
            let mut words = NOTHING.iter().filter(|word| is_action == 0 || **word != "None");
            *found = found.or_else(|| words.find(|word| vocabulary.find(Token::text(word)).is_some()).copied());
        }
    }
    let columns_of = |action: bool| {
        let next_state = match &roles.next_state {
            NextState::Given(identity) => Some(identity),
            NextState::Shifted | NextState::OneStep => None,
        };
        let of =
            if action { vec![&roles.action] } else { [Some(&roles.state), next_state].into_iter().flatten().collect() };
        of.into_iter().flat_map(Identity::columns).collect::<Vec<_>>()
    };
    let note = |(word, action): (Option<&str>, bool)| {
        let (file, columns) = (file.to_owned(), columns_of(action));
        word.map(|word| TableNote::NamedNothing { file, word: word.to_owned(), columns, action })
    };
    found.into_iter().zip([false, true]).filter_map(note).collect()
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

/// What tells which row of an episode is its last one.
#[derive(Default)]
enum Order {
    /// The places of the rows.
    #[default]
    Rows,
    /// The steps of all rows of the batch.
    Steps(Vec<f64>),
    /// Steps, and there is something wrong with one: no error as long as nobody has to know the order.
    Wrong(TableError),
}

/// What is the last row of every episode of a batch.
#[derive(Default)]
pub(crate) struct Lasts {
    /// The largest number that the order gives to a row of an episode; rows are counted from the first of the batch.
    numbers: HashMap<u64, f64>,
    order: Order,
}

impl Order {
    fn of(table: Layout<'_>, batch: &Batch) -> Self {
        let Some(name) = &table.roles.step else { return Order::Rows };
        let Some(step) = table.places.step else {
            let what = "the column cannot be read, and has to tell which rows without a next state are the last ones of their `episode`; \
                        convert it to numbers, or drop it where rows are in order";
            return Order::Wrong(TableError::new(ErrorKind::UnsupportedColumn, table.file, what).in_column(name));
        };
        let mut steps = Vec::new();
        match finite_numbers(table.file, name, batch, step, &mut steps) {
            Ok(()) => Order::Steps(steps),
            Err(error) => Order::Wrong(error),
        }
    }

    /// The number of a row in its episode, where so many rows were in the batches before.
    fn number(&self, row: usize, before: usize) -> f64 {
        match self {
            Order::Steps(steps) => steps[row],
            Order::Rows | Order::Wrong(_) => (before + row) as f64,
        }
    }
}

impl Lasts {
    /// Of the rows of a batch.
    pub fn of(table: Layout<'_>, batch: &Batch) -> Self {
        let Layout { roles, places, .. } = table;
        let (NextState::Given(_), Some(episode)) = (&roles.next_state, places.episode) else { return Lasts::default() };
        let order = Order::of(table, batch);
        let names: Vec<&Column> =
            [Some(episode), places.sample].into_iter().flatten().map(|position| &batch.columns[position]).collect();
        let mut numbers = HashMap::new();
        // Rows of one episode mostly lie together.
        let (mut known, mut last) = (None, f64::NEG_INFINITY);
        let mut note = |episode: Option<u64>, last: f64| {
            if let Some(episode) = episode {
                let number: &mut f64 = numbers.entry(episode).or_insert(f64::NEG_INFINITY);
                *number = number.max(last);
            }
        };
        for row in 0..batch.rows {
            if row == 0 || !names.iter().all(|column| same(column, row)) {
                note(known, last);
                (known, last) = (key(places, episode, batch, row), f64::NEG_INFINITY);
            }
            last = last.max(order.number(row, 0));
        }
        note(known, last);
        Lasts { numbers, order }
    }
}

/// Whether a row has the value of the row before it.
fn same(column: &Column, row: usize) -> bool {
    column.is_valid(row) == column.is_valid(row - 1)
        && match &column.values {
            Values::Text(values) => values.get(row) == values.get(row - 1),
            Values::Int(values) => values[row] == values[row - 1],
            Values::Float(values) => values[row] == values[row - 1],
            Values::Bool(values) => values[row] == values[row - 1],
        }
}

/// What tells an episode apart from those of other samples, too: a hash of its names, as there may be many. `None` where a row names none.
fn key(places: &Places, episode: usize, batch: &Batch, row: usize) -> Option<u64> {
    let column = &batch.columns[episode];
    if !column.is_valid(row) || is_empty(column, row, false) {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    let sample = places.sample.map(|sample| cell_text(&batch.columns[sample], row));
    (cell_text(column, row), sample).hash(&mut hasher);
    Some(hasher.finish())
}

/// A row without a next state that has to be the last one of its episode.
struct Open {
    episode: u64,
    number: f64,
    row: u64,
    line: Option<u64>,
}

/// What the rows without a next state come to, batch by batch.
#[derive(Default)]
pub(crate) struct Gaps {
    rows: usize,
    lasts: HashMap<u64, f64>,
    open: Vec<Open>,
    /// What is wrong with the first step that is no number.
    wrong_step: Option<TableError>,
    ended: usize,
    left_out: usize,
    /// The first next state that is read as something else than it says.
    reread: Option<String>,
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
    /// Takes the next batch, which is to be batch `number` of those where rows are looked up, and whose first row is at this place of the
    /// ends. A row without a next state leads to the end state if the task is over after it; it is left out if it was cut off, or is the
    /// last of its episode.
    pub fn take(
        &mut self,
        table: Layout<'_>,
        lasts: Lasts,
        batch: &Batch,
        number: usize,
        ends: (&Ends, usize),
    ) -> Result<Option<Leads>, TableError> {
        let Layout { roles, places, .. } = table;
        let before = self.rows;
        self.rows += batch.rows;
        if let (None, Some(text)) = (&self.reread, &batch.reread) {
            self.reread = Some(text.clone());
        }
        let missing = missing(roles, places, batch);
        let Lasts { numbers, order } = lasts;
        let from = match &order {
            // Only what is behind a row has a larger number.
            Order::Rows if missing.is_none() && self.open.is_empty() => return Ok(None),
            Order::Rows => before as f64,
            Order::Steps(_) | Order::Wrong(_) => 0.0,
        };
        for (episode, last) in numbers {
            let known = self.lasts.entry(episode).or_insert(f64::NEG_INFINITY);
            *known = known.max(last + from);
        }
        let Some(missing) = missing else {
            self.note_order(order);
            return Ok(None);
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
                let (row_number, line) = (batch.row_number(row), batch.line(row));
                let Some(episode) = places.episode.and_then(|episode| key(places, episode, batch, row)) else {
                    return Err(wrong(table, row_number, line, true));
                };
                self.open.push(Open { episode, number: order.number(row, before), row: row_number, line });
            }
        }
        self.note_order(order);
        Ok(Some(leads))
    }

    fn note_order(&mut self, order: Order) {
        if let (None, Order::Wrong(error)) = (&self.wrong_step, order) {
            self.wrong_step = Some(error);
        }
    }

    /// When all rows have been taken: what there is to know about next states, and those that are missing; `paid`: whether the rewards
    /// of rows that are left out count.
    pub fn finish(self, table: Layout<'_>, paid: bool) -> Result<Vec<TableNote>, TableError> {
        if let Some(error) = self.wrong_step.filter(|_| !self.open.is_empty()) {
            return Err(error);
        }
        let goes_on = |open: &&Open| self.lasts.get(&open.episode).is_some_and(|&last| last > open.number);
        if let Some(open) = self.open.iter().find(goes_on) {
            return Err(wrong(table, open.row, open.line, false));
        }
        let file = || table.file.to_owned();
        let mut notes = Vec::new();
        if let (Some(example), NextState::Given(next_state)) = (self.reread, &table.roles.next_state) {
            let [state, column] = [&table.roles.state, next_state].map(|of| of.columns().swap_remove(0));
            notes.push(TableNote::Integers { file: file(), column, state, example });
        }
        if self.ended + self.left_out > 0 {
            notes.push(TableNote::Gaps { file: file(), ended: self.ended, left_out: self.left_out, paid });
        }
        Ok(notes)
    }
}

fn wrong(table: Layout<'_>, row: u64, line: Option<u64>, unnamed: bool) -> TableError {
    let what = "the value is missing: fill it in, drop the row, or mark it as an end (`terminated` or `done`) or as cut off (`truncated` or \
                `timeout`). Only such rows, and the last one of each `episode`, may have no next state";
    let unnamed = match &table.roles.episode {
        Some(column) if unnamed => format!(". The `{}` of this row is missing or cannot be read", shorten(column)),
        _ => String::new(),
    };
    let what = format!("{what}{unnamed}");
    let error = TableError::new(ErrorKind::Type, table.file, what).at_row(row).at_line(line);
    match &table.roles.next_state {
        NextState::Given(Identity::Token(column)) => error.in_column(column),
        NextState::Given(features) => error.in_column(features.columns().swap_remove(0)),
        NextState::Shifted | NextState::OneStep => error,
    }
}

/// Where all rows of a table lead, `None` where every row has its next state, and what there is to know about them.
pub(crate) fn following(
    table: Layout<'_>,
    batches: &mut [Batch],
    ends: &Ends,
    paid: bool,
) -> Result<(Option<Following>, Vec<TableNote>), TableError> {
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
    let some = gaps.ended + gaps.left_out > 0;
    Ok((some.then_some(following), gaps.finish(table, paid)?))
}
