//! From tables to episodes: the rows of every episode in their order, and how it ended.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use rayon::prelude::*;
use srrd::FrontEnd;
use srrd::Token;
use srrd::returns::Walks;
use srrd::run::checkpoint;
use srrd::trajectories::{End, Trajectories, TrajectoryError};

use super::batch::Batch;
use super::copy::label_changes;
use super::gaps;
use super::layout::{Layout, Places};
use super::note::TableNote;
use super::number::finite_numbers;
use super::options::TableOptions;
use super::read::cells::open_cells;
use super::read::{TableReader, listed};
use super::roles::{NextState, Roles};
use super::shift::{Following, following};
use super::tokens::{Ends, Tokens, cell_text, names_of};
use super::trajectories::builder_of;
use super::unused::misspelt;
use crate::error::{ErrorKind, TableError, shorten};

/// The episodes of a table, and what was understood of it.
#[derive(Clone, Debug)]
pub struct WalkTable {
    /// By sample, and in it by reward column. Trajectories have the name of their reward column where several were asked for, else that of
    /// their sample.
    pub walks: Vec<Walks>,
    /// Whether the samples have names of their own, in a column or by reward columns.
    pub named: bool,
    /// What was understood of the table that its user should know.
    pub notes: Vec<TableNote>,
}

/// Reads the episodes of a table; `-` is CSV on standard input.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("walks.csv");
/// std::fs::write(&path, "episode,step,state,action,reward\n1,0,home,walk,0\n1,1,park,walk,1\n2,0,park,wait,0\n2,1,park,walk,0\n")?;
/// let table = srrd_data::read_walks(&path, srrd::Duplicates::Mean)?;
/// assert_eq!(table.walks[0].episodes.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Anything wrong with the table; the message names the file, the row and the column and says what to do.
pub fn read_walks(path: &Path, options: impl Into<TableOptions>) -> Result<WalkTable, TableError> {
    let options = options.into();
    let (reader, name) = options.open(path)?;
    read_walk_table(reader, &name, options)
}

/// Reads the episodes of a table that is open; `name` is that of the reward where nothing else names it.
///
/// Rows of one episode are those of one `episode` (and `sample`), in the order of their `step`s; without that column in the order of the rows.
///
/// ```
/// use srrd_data::{FileFormat, Format, ReadOptions, TableOptions, open_bytes, read_walk_table};
/// let csv = b"episode,state,action,next_state,reward\ne1,a,go,b,1\ne1,b,go,c,2\ne0,a,go,c,5\n".to_vec();
/// let table = open_bytes("walks.csv", FileFormat::plain(Format::Csv), csv, &ReadOptions::default())?;
/// let found = read_walk_table(table, "walks.csv", TableOptions::default())?;
/// assert_eq!(found.walks[0].episodes, ["e0", "e1"]);
/// assert_eq!(found.walks[0].trajectories.step_count(), 3);
/// # Ok::<(), srrd_data::TableError>(())
/// ```
///
/// # Errors
/// As [`read_walks`].
pub fn read_walk_table(
    reader: Box<dyn TableReader>,
    name: &str,
    options: impl Into<TableOptions>,
) -> Result<WalkTable, TableError> {
    let options = TableOptions { episodes: true, ..options.into() };
    let mut reader = open_cells(reader, &options)?;
    let file = reader.name().to_owned();
    let mut notes = Vec::new();
    let roles = Roles::of(&file, reader.schema(), &options, &mut notes)?;
    if !options.is_log {
        notes.extend(misspelt(&file, reader.schema(), &roles));
    }
    if roles.episode.is_none() {
        let what = format!(
            "the column is missing: {}, so every row has to name its own; this one has {}",
            match options.demonstrations {
                true => "what agents do is learned from episodes",
                false => "rewards are summed over episodes",
            },
            listed(reader.schema().names())
        );
        return Err(TableError::new(ErrorKind::MissingColumn, &file, what).in_column("episode"));
    }
    reader.select(&roles.meant().iter().map(String::as_str).collect::<Vec<_>>())?;
    notes.extend(reader.notes());
    let places = Places::of(&roles, reader.schema());
    let layout = Layout { file: &file, roles: &roles, places: &places };
    let (mut batches, ends) = layout.read_all(reader)?;
    let paid = !roles.rewards.is_empty();
    let following = match roles.next_state {
        NextState::Shifted => {
            let found = following(layout, &batches, &ends)?;
            notes.extend(found.notes(layout, paid));
            Some(found)
        }
        NextState::Given(_) => {
            let (following, told) = gaps::following(layout, &mut batches, &ends, paid)?;
            notes.extend(told);
            following
        }
        NextState::OneStep => None,
    };
    let table = WholeTable { layout, batches: &batches, ends: &ends, following };
    let (samples, values) = (table.grouped()?, table.values()?);
    let of = |sample: &SampleRows| {
        checkpoint();
        table.walks(sample.name.as_deref().unwrap_or(name), sample, &values)
    };
    // The first problem in the order of samples, whatever thread finds one first.
    let found: Vec<Result<Vec<Walks>, TableError>> = samples.par_iter().map(of).collect();
    let mut walks = Vec::new();
    for found in found {
        walks.extend(found?);
    }
    let all = walks.iter().map(|walks| [walks.trajectories.states(), walks.trajectories.actions()]);
    notes.extend(gaps::words(&file, &roles, all));
    Ok(WalkTable { walks, named: roles.sample.is_some() || roles.named_by_reward, notes })
}

/// Where a row is: which batch, which row there, and which row of the table, from 0.
#[derive(Clone, Copy)]
struct Place {
    step: f64,
    batch: usize,
    at: usize,
    row: usize,
}

/// By name, the rows of every episode in their order.
type RowsByEpisode = BTreeMap<String, Vec<Place>>;

/// The rows of one sample.
struct SampleRows {
    name: Option<String>,
    label: Option<String>,
    episodes: RowsByEpisode,
}

/// A table all of whose rows are there.
struct WholeTable<'a> {
    layout: Layout<'a>,
    batches: &'a [Batch],
    ends: &'a Ends,
    following: Option<Following>,
}

/// The tokens and rewards of all batches.
struct Values<'a> {
    states: Vec<Tokens<'a>>,
    actions: Vec<Tokens<'a>>,
    /// Where rows lead, by themselves or as what follows says; `None`: to states.
    next_states: Option<Vec<Tokens<'a>>>,
    /// By reward column and batch.
    rewards: Vec<Vec<Vec<f64>>>,
}

impl<'a> WholeTable<'a> {
    /// The rows by sample, in the order of their first rows, and by episode, in the order of names, so that the order of rows cannot show.
    fn grouped(&self) -> Result<Vec<SampleRows>, TableError> {
        let Layout { file, roles, places } = self.layout;
        let mut samples: Vec<SampleRows> = Vec::new();
        let mut known: HashMap<Option<String>, usize> = HashMap::new();
        let (mut steps, mut row) = (Vec::new(), 0);
        // Rows of one episode mostly lie together: where both names stay the same, nothing is looked up.
        let mut last: Option<(Option<String>, String, Option<String>)> = None;
        let (mut current, mut run): (usize, Vec<Place>) = (0, Vec::new());
        for (number, batch) in self.batches.iter().enumerate() {
            let sample = names_of(file, &roles.sample, places.sample, batch)?;
            let label = names_of(file, &roles.label, places.label, batch)?;
            let episode = names_of(file, &roles.episode, places.episode, batch)?;
            steps.clear();
            if let (Some(step), Some(name)) = (places.step, &roles.step) {
                finite_numbers(file, name, batch, step, &mut steps)?;
            }
            for at in 0..batch.rows {
                let [sample, label, episode] =
                    [sample, label, episode].map(|column| column.map(|column| cell_text(column, at)));
                let episode = episode.unwrap_or_default();
                let same = last.as_ref().is_some_and(|last| {
                    last.0.as_deref() == sample.as_deref() && last.1 == episode && last.2.as_deref() == label.as_deref()
                });
                if !same {
                    if let Some((_, name, _)) = &last {
                        samples[current].episodes.entry(name.clone()).or_default().append(&mut run);
                    }
                    let [sample, label] = [sample, label].map(|text| text.map(Cow::into_owned));
                    current = *known.entry(sample.clone()).or_insert_with(|| {
                        let (name, label) = (sample.clone(), label.clone());
                        samples.push(SampleRows { name, label, episodes: RowsByEpisode::new() });
                        samples.len() - 1
                    });
                    let known = &samples[current].label;
                    if *known != label {
                        let [known, label, sample] = [known, &label, &sample].map(|text| text.as_deref().unwrap_or(""));
                        return Err(label_changes(file, sample, known, label, roles, batch, at));
                    }
                    last = Some((sample, episode.into_owned(), label));
                }
                let step = steps.get(at).copied().unwrap_or(row as f64);
                run.push(Place { step, batch: number, at, row });
                row += 1;
            }
        }
        if let Some((_, name, _)) = last {
            samples[current].episodes.entry(name).or_default().append(&mut run);
        }
        for rows in samples.iter_mut().flat_map(|sample| sample.episodes.values_mut()) {
            if !rows.is_sorted_by(|a, b| a.step <= b.step) {
                rows.sort_by(|a, b| a.step.total_cmp(&b.step));
            }
        }
        Ok(samples)
    }

    fn values(&self) -> Result<Values<'a>, TableError> {
        let Layout { file, roles, places } = self.layout;
        let batches: &'a [Batch] = self.batches;
        type Read<'a> = fn(&Layout<'a>, &'a Batch) -> Result<Tokens<'a>, TableError>;
        let all = |read: Read<'a>| batches.iter().map(|batch| read(&self.layout, batch)).collect::<Result<Vec<_>, _>>();
        let next_states = match &roles.next_state {
            NextState::Shifted => None,
            NextState::Given(_) | NextState::OneStep => Some(all(Layout::next_states)?),
        };
        let mut rewards: Vec<Vec<Vec<f64>>> = Vec::new();
        for (name, &position) in roles.rewards.iter().zip(&places.rewards) {
            let of_batch = |batch: &Batch| {
                let mut values = Vec::with_capacity(batch.rows);
                finite_numbers(file, name, batch, position, &mut values).map(|()| values)
            };
            rewards.push(batches.iter().map(of_batch).collect::<Result<_, _>>()?);
        }
        Ok(Values { states: all(Layout::states)?, actions: all(Layout::actions)?, next_states, rewards })
    }

    /// The walks of a sample, one for every reward column; one without rewards where none are asked for.
    fn walks(&self, name: &str, sample: &SampleRows, values: &Values<'_>) -> Result<Vec<Walks>, TableError> {
        let Values { states, actions, next_states, rewards } = values;
        let mut builder = builder_of(&self.layout.roles.state, &self.layout.roles.action);
        let mut others: Vec<Vec<f64>> = vec![Vec::new(); rewards.len().saturating_sub(1)];
        let (mut names, mut beyond) = (Vec::new(), Vec::new());
        for (name, rows) in &sample.episodes {
            let (mut began, mut cut, mut last) = (false, End::Unknown, None);
            for (number, place) in rows.iter().enumerate() {
                self.check_order(rows, number)?;
                let &Place { batch, at, row, .. } = place;
                // The last row of an episode whose next state nobody recorded is not known to lead anywhere. Its reward counts.
                if self.following.as_ref().is_some_and(|following| !following.known[batch][at]) {
                    if let Some(after) = rows.get(number + 1).filter(|_| !rewards.is_empty()) {
                        return Err(self.wrong(place, self.goes_on(place, after)));
                    }
                    cut = self.end_of(row);
                    last = Some(place).filter(|_| !rewards.is_empty());
                    continue;
                }
                let reward = rewards.first().map(|rewards| rewards[batch][at]);
                let mut push = |next: Token<'_>| {
                    states[batch].with(at, |state| {
                        actions[batch].with(at, |action| builder.push_row(!began, state, action, next, reward))
                    })
                };
                let following = self.following.as_ref();
                let pushed = match following.map_or(Some((batch as u32, at as u32)), |all| all.next[batch][at]) {
                    Some((batch, row)) => {
                        next_states.as_ref().unwrap_or(states)[batch as usize].with(row as usize, &mut push)
                    }
                    // All states of a walk have features; those of the last one tell nothing.
                    None if self.layout.roles.state.features().is_some() => states[batch].with(at, &mut push),
                    None => Tokens::End.with(at, &mut push),
                };
                pushed.map_err(|error| self.wrong(place, self.broken(&error, name, rows, number)))?;
                others.iter_mut().zip(rewards.iter().skip(1)).for_each(|(to, column)| to.push(column[batch][at]));
                began = true;
                if number + 1 == rows.len() {
                    builder.end(self.end_of(row));
                }
            }
            if let Some(&Place { batch, at, .. }) = last.filter(|_| !began) {
                // An episode of that row alone.
                let begun = states[batch].with(at, |state| builder.begin(state));
                begun.map_err(|error| self.wrong(&rows[0], error.to_string()))?;
                began = true;
            }
            if began {
                builder.end(cut);
                names.push(name.clone());
                beyond.push(last);
            }
        }
        let beyond: Vec<Vec<Option<f64>>> = match beyond.iter().any(Option::is_some) {
            true => rewards
                .iter()
                .map(|rewards| beyond.iter().map(|last| last.map(|at| rewards[at.batch][at.at])).collect())
                .collect(),
            false => vec![Vec::new(); rewards.len()],
        };
        self.named(name, sample, builder.build(), names, others, beyond)
    }

    /// The same episodes with every reward column.
    fn named(
        &self,
        name: &str,
        sample: &SampleRows,
        first: Trajectories,
        names: Vec<String>,
        others: Vec<Vec<f64>>,
        beyond: Vec<Vec<Option<f64>>>,
    ) -> Result<Vec<Walks>, TableError> {
        let label = sample.label.as_deref();
        if self.layout.roles.rewards.is_empty() {
            let trajectories = first.named(name, label);
            return Ok(vec![Walks { trajectories, episodes: names, beyond: Vec::new() }]);
        }
        let column_name =
            |column: &String| if self.layout.roles.named_by_reward { column.clone() } else { name.to_owned() };
        let mut walks = Vec::new();
        let all = [None].into_iter().chain(others.into_iter().map(Some));
        for ((column, values), beyond) in self.layout.roles.rewards.iter().zip(all).zip(beyond) {
            let trajectories = match values {
                None => first.clone(),
                Some(values) => first.clone().with_rewards(values).map_err(|error| {
                    TableError::new(ErrorKind::Number, self.layout.file, error.to_string()).in_column(column)
                })?,
            };
            let trajectories = trajectories.named(column_name(column), label);
            walks.push(Walks { trajectories, episodes: names.clone(), beyond });
        }
        Ok(walks)
    }

    /// That a row may stand behind the one before it.
    fn check_order(&self, rows: &[Place], number: usize) -> Result<(), TableError> {
        let Some(before) = number.checked_sub(1).map(|before| rows[before]) else { return Ok(()) };
        let place = &rows[number];
        let row_before = self.batches[before.batch].row_number(before.at);
        if self.layout.roles.next_state == NextState::OneStep {
            let what = |front_end: FrontEnd| {
                format!(
                    "the episode has several rows, but the table has no column `next_state`: add it, or a column `step`, or say `{}`",
                    front_end.choice("next", "shift")
                )
            };
            return Err(self.at(place, TableError::telling(ErrorKind::Malformed, self.layout.file, what)));
        }
        if place.step == before.step {
            let what = format!("the step {} occurs twice in its episode, first in row {row_before}", place.step);
            return Err(self.wrong(place, what));
        }
        if self.end_of(before.row) == End::Terminated {
            let what = format!(
                "the episode goes on, although it ended in row {row_before}: give every episode a name of its own"
            );
            return Err(self.wrong(place, what));
        }
        Ok(())
    }

    /// Why a row cannot stand behind the one before it, with the names that the table gives.
    fn broken(&self, error: &TrajectoryError, episode: &str, rows: &[Place], number: usize) -> String {
        let (TrajectoryError::Broken { state, .. }, Some(before)) = (error, number.checked_sub(1)) else {
            return error.to_string();
        };
        let (episode, state, before) = (shorten(episode), shorten(state), &rows[before]);
        let row_before = self.batches[before.batch].row_number(before.at);
        match &self.layout.roles.step {
            Some(column) => format!(
                "episode `{episode}` goes on in {state} (`{column}` {}), where its row before it ({row_before}, `{column}` {}) did not end: steps \
                 are missing or out of order: add them, or give what follows an episode of its own",
                rows[number].step, before.step
            ),
            None => format!(
                "episode `{episode}` goes on in {state}, where its row before it ({row_before}) did not end: steps are missing or out of \
                 order: say their order in a column `step`, add them, or give what follows an episode of its own"
            ),
        }
    }

    /// Why another row cannot stand behind one whose next state is not known: the reward between them would be lost.
    fn goes_on(&self, place: &Place, after: &Place) -> String {
        let row_after = self.batches[after.batch].row_number(after.at);
        match self.ends.over.get(place.row) {
            Some(true) => format!(
                "the row is cut off, but its episode goes on in row {row_after}: give what follows an episode of its own, or correct the mark"
            ),
            _ => format!(
                "steps are missing between this row and the next one of its episode, row {row_after}: add them, or give what follows an \
                 episode of its own"
            ),
        }
    }

    fn end_of(&self, row: usize) -> End {
        if self.layout.roles.next_state == NextState::OneStep || self.ends.ends.get(row) == Some(&true) {
            End::Terminated
        } else if self.ends.over.get(row) == Some(&true) || !self.ends.ends.is_empty() {
            End::Truncated
        } else {
            End::Unknown
        }
    }

    fn wrong(&self, place: &Place, what: String) -> TableError {
        self.at(place, TableError::new(ErrorKind::Malformed, self.layout.file, what))
    }

    fn at(&self, place: &Place, error: TableError) -> TableError {
        error.at(&self.batches[place.batch], place.at)
    }
}
