//! From tables to episodes: the rows of every episode in their order, and how it ended.

use std::collections::BTreeMap;
use std::path::Path;

use srrd::returns::Walks;
use srrd::trajectories::{End, Trajectories};

use super::batch::Batch;
use super::number::finite_numbers;
use super::options::{TableNote, TableOptions};
use super::read::{ReadOptions, TableReader, for_each_batch, listed, open};
use super::roles::{NextState, Places, Roles};
use super::shift::{Following, following};
use super::tokens::{Ends, Tokens, cell_text, check_present};
use crate::error::{ErrorKind, TableError};

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
/// # Errors
/// Anything wrong with the table; the message names the file, the row and the column and says what to do.
pub fn read_walks(path: &Path, options: impl Into<TableOptions>) -> Result<WalkTable, TableError> {
    let options = options.into();
    let reader = open(path, &ReadOptions { dataset: options.dataset.clone(), ..ReadOptions::default() })?;
    let name = match path.file_name() {
        Some(name) if name != "-" => name.to_string_lossy().into_owned(),
        _ => reader.name().to_owned(),
    };
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
    mut reader: Box<dyn TableReader>,
    name: &str,
    options: impl Into<TableOptions>,
) -> Result<WalkTable, TableError> {
    let options = TableOptions { episodes: true, ..options.into() };
    let file = reader.name().to_owned();
    let mut notes = Vec::new();
    let roles = Roles::of(&file, reader.schema(), &options, &mut notes)?;
    if roles.episode.is_none() {
        let what = format!(
            "the column is missing: rewards are summed over episodes, so every row has to name its own; this one has {}",
            listed(reader.schema().names())
        );
        return Err(TableError::new(ErrorKind::MissingColumn, &file, what).in_column("episode"));
    }
    let mut columns = roles.meant();
    let mut seen = std::collections::HashSet::new();
    columns.retain(|column| seen.insert(column.clone()));
    reader.select(&columns.iter().map(String::as_str).collect::<Vec<_>>())?;
    notes.extend(reader.notes());
    let places = Places::of(&roles, reader.schema());
    let (mut batches, mut ends): (Vec<Batch>, Ends) = Default::default();
    for_each_batch(reader, |batch| {
        ends.push(&file, &roles, &places, batch)?;
        batches.push(std::mem::take(batch));
        Ok(())
    })?;
    if batches.is_empty() {
        return Err(TableError::no_rows(&file));
    }
    let following = match roles.next_state {
        NextState::Shifted => Some(following(&file, &roles, &places, &batches, &ends)?),
        NextState::Given(_) | NextState::OneStep => None,
    };
    if let Some(Following { episodes, ended, left_out, .. }) = following {
        notes.push(TableNote::Shifted { file: file.clone(), episodes, ended, left_out });
    }
    let rows = Rows { file: &file, roles: &roles, places: &places, batches: &batches, ends: &ends, following };
    let mut walks = Vec::new();
    for (sample, episodes) in rows.grouped()? {
        walks.extend(rows.walks(sample.as_deref().unwrap_or(name), &episodes)?);
    }
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
type EpisodeRows = BTreeMap<String, Vec<Place>>;

struct Rows<'a> {
    file: &'a str,
    roles: &'a Roles,
    places: &'a Places,
    batches: &'a [Batch],
    ends: &'a Ends,
    following: Option<Following>,
}

impl Rows<'_> {
    /// The rows by sample, in the order of their first rows, and by episode, in the order of names, so that the order of rows cannot show.
    fn grouped(&self) -> Result<Vec<(Option<String>, EpisodeRows)>, TableError> {
        let mut samples: Vec<(Option<String>, EpisodeRows)> = Vec::new();
        let mut steps = Vec::new();
        let mut row = 0;
        for (number, batch) in self.batches.iter().enumerate() {
            let column = |name: &Option<String>, position: Option<usize>| -> Result<_, TableError> {
                let Some((name, position)) = name.as_ref().zip(position) else { return Ok(None) };
                check_present(self.file, name, batch, &batch.columns[position])?;
                Ok(Some(&batch.columns[position]))
            };
            let sample = column(&self.roles.sample, self.places.sample)?;
            let episode = column(&self.roles.episode, self.places.episode)?;
            steps.clear();
            if let (Some(step), Some(name)) = (self.places.step, &self.roles.step) {
                finite_numbers(self.file, name, batch, step, &mut steps)?;
            }
            for at in 0..batch.rows {
                let sample = sample.map(|column| cell_text(column, at).into_owned());
                let known = samples.iter().rposition(|(name, _)| *name == sample);
                let place = known.unwrap_or_else(|| {
                    samples.push((sample, EpisodeRows::new()));
                    samples.len() - 1
                });
                let name = episode.map_or_else(String::new, |column| cell_text(column, at).into_owned());
                let step = steps.get(at).copied().unwrap_or(row as f64);
                samples[place].1.entry(name).or_default().push(Place { step, batch: number, at, row });
                row += 1;
            }
        }
        for places in samples.iter_mut().flat_map(|(_, episodes)| episodes.values_mut()) {
            places.sort_by(|a, b| a.step.total_cmp(&b.step));
        }
        Ok(samples)
    }

    fn walks(&self, sample: &str, episodes: &EpisodeRows) -> Result<Vec<Walks>, TableError> {
        let (file, roles, places) = (self.file, self.roles, self.places);
        let of = |identity, positions: &[usize]| -> Result<Vec<Tokens<'_>>, TableError> {
            self.batches.iter().map(|batch| Tokens::of(identity, positions, file, batch)).collect()
        };
        let (states, actions) = (of(&roles.state, &places.state)?, of(&roles.action, &places.action)?);
        let next_states = match (&roles.next_state, &places.next_state, &self.following) {
            (NextState::Given(identity), Some(positions), _) => of(identity, positions)?,
            (_, _, Some(following)) => following.next.iter().map(|of| Tokens::Elsewhere { all: &states, of }).collect(),
            _ => self.batches.iter().map(|_| Tokens::End).collect(),
        };
        let mut rewards: Vec<Vec<Vec<f64>>> = Vec::new();
        for (name, &position) in roles.rewards.iter().zip(&places.rewards) {
            let of_batch = |batch: &Batch| {
                let mut values = Vec::with_capacity(batch.rows);
                finite_numbers(file, name, batch, position, &mut values).map(|()| values)
            };
            rewards.push(self.batches.iter().map(of_batch).collect::<Result<_, _>>()?);
        }
        let mut builder = Trajectories::builder();
        let mut others: Vec<Vec<f64>> = vec![Vec::new(); rewards.len() - 1];
        let mut names = Vec::new();
        for (name, rows) in episodes {
            let mut began = false;
            for (number, place) in rows.iter().enumerate() {
                self.check_order(rows, number)?;
                let &Place { batch, at, row, .. } = place;
                // The last row of an episode whose next state nobody recorded is not known to lead anywhere.
                if self.following.as_ref().is_some_and(|following| !following.known[batch][at]) {
                    continue;
                }
                let pushed = states[batch].with(at, |state| {
                    actions[batch].with(at, |action| {
                        next_states[batch]
                            .with(at, |next| builder.push_row(!began, state, action, next, Some(rewards[0][batch][at])))
                    })
                });
                pushed.map_err(|error| self.wrong(place, error.to_string()))?;
                others.iter_mut().zip(&rewards[1..]).for_each(|(to, column)| to.push(column[batch][at]));
                began = true;
                if number + 1 == rows.len() {
                    builder.end(self.end_of(row));
                }
            }
            if began {
                builder.end(End::Unknown);
                names.push(name.clone());
            }
        }
        let first = builder.build();
        let name = |column: &String| if roles.named_by_reward { column.clone() } else { sample.to_owned() };
        let mut walks = Vec::new();
        for (column, values) in roles.rewards.iter().zip([None].into_iter().chain(others.into_iter().map(Some))) {
            let trajectories = match values {
                None => first.clone(),
                Some(values) => first
                    .clone()
                    .with_rewards(values)
                    .map_err(|error| TableError::new(ErrorKind::Number, file, error.to_string()).in_column(column))?,
            };
            walks.push(Walks { trajectories: trajectories.named(name(column), None), episodes: names.clone() });
        }
        Ok(walks)
    }

    /// That a row may stand behind the one before it.
    fn check_order(&self, rows: &[Place], number: usize) -> Result<(), TableError> {
        let Some(before) = number.checked_sub(1).map(|before| rows[before]) else { return Ok(()) };
        let place = &rows[number];
        let row_before = self.batches[before.batch].row_number(before.at);
        if self.roles.next_state == NextState::OneStep {
            let what = "the episode has several rows, but the table has no column `next_state`: add it, or a column `step`, or say \
                        `--next shift`";
            return Err(self.wrong(place, what.to_owned()));
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

    fn end_of(&self, row: usize) -> End {
        if self.roles.next_state == NextState::OneStep || self.ends.ends.get(row) == Some(&true) {
            End::Terminated
        } else if self.ends.over.get(row) == Some(&true) || !self.ends.ends.is_empty() {
            End::Truncated
        } else {
            End::Unknown
        }
    }

    fn wrong(&self, place: &Place, what: String) -> TableError {
        let batch = &self.batches[place.batch];
        TableError::new(ErrorKind::Malformed, self.file, what)
            .at_row(batch.row_number(place.at))
            .at_line(batch.line(place.at))
    }
}
