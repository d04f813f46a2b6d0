//! From tables to reward samples: one file is one sample, or as many as its `sample` column names, for each reward column.

use std::path::Path;

use srrd::sample::{OwnRows, Placement};
use srrd::{NamedSample, RewardSample, SampleBuilder, SampleError, Token};

use super::batch::Batch;
use super::gaps::{Gaps, Lasts, words_of};
use super::gather::Gathered;
use super::note::TableNote;
use super::number::{finite_numbers, numbers_with_gaps};
use super::options::TableOptions;
use super::properties::properties_of;
use super::read::cells::open_cells;
use super::read::{TableReader, for_each_batch, for_each_mapped};
use super::roles::{Identity, NextState, Places, RewardGaps, Roles};
use super::shift::{Following, following};
use super::tokens::{Ends, Tokens, cell_text, is_long, names_of};
use super::unused::misspelt;
use crate::error::{ErrorKind, TableError};

/// The place of a row that is in no sample.
pub(super) const NOWHERE: u32 = u32::MAX;

/// The samples of a table, and where its rows went.
#[derive(Clone, Debug)]
pub struct SampleTable {
    /// The samples, in order of their first rows; those of several reward columns one behind the other.
    pub samples: Vec<NamedSample>,
    /// What was understood of the table that its user should know.
    pub notes: Vec<TableNote>,
    /// How each sample was made.
    pub(super) made: Vec<Made>,
    /// How many reward columns there are, with properties of the actions.
    pub(super) rewards: usize,
    /// The names of these.
    pub(super) columns: Vec<String>,
    /// The values of the column that names samples, in the order of the samples; empty where no column does.
    pub(super) groups: Vec<String>,
    /// For every row of the table the index of its sample, reward columns not counted; empty when all rows are in the only one.
    pub(super) sample_of_row: Vec<u32>,
    /// For every row of the table the index of its transition in its sample.
    pub(super) transition_of_row: Vec<u32>,
    /// For every row of the table whether the task is over after it.
    pub(super) ends: Option<Vec<bool>>,
}

/// How a sample was made of the rows of a table.
#[derive(Clone, Debug, Default)]
pub(super) struct Made {
    /// Which reward column it is of, and which of the samples that rows name.
    pub column: usize,
    pub gathering: usize,
    /// Which of its transitions have such a reward; `None`: all.
    pub which: Option<Vec<bool>>,
    /// Which of the rows it is made of; `None`: all that name it.
    pub own: Option<OwnRows>,
}

/// A sample, and which of its transitions have such a reward; `None`: all.
#[derive(Clone, Debug)]
pub(super) struct Scored {
    pub sample: NamedSample,
    pub which: Option<Vec<bool>>,
}

impl From<NamedSample> for Scored {
    fn from(sample: NamedSample) -> Self {
        Scored { sample, which: None }
    }
}

impl From<NamedSample> for SampleTable {
    /// A sample whose rows nobody asks for.
    fn from(sample: NamedSample) -> Self {
        SampleTable {
            samples: vec![sample],
            made: vec![Made::default()],
            notes: Vec::new(),
            rewards: 1,
            columns: Vec::new(),
            groups: Vec::new(),
            sample_of_row: Vec::new(),
            transition_of_row: Vec::new(),
            ends: None,
        }
    }
}

impl SampleTable {
    /// How many rows the table has.
    pub fn row_count(&self) -> usize {
        self.transition_of_row.len()
    }

    /// How many reward columns there are, and so how many samples every row is in.
    pub fn reward_count(&self) -> usize {
        self.rewards
    }

    /// The indices of a row's sample (of the first reward column; those of the others follow it, unless they have rows of their own) and, in
    /// there, of its transition.
    /// `None` for a row that was left out because nobody knows its next state.
    #[inline]
    pub fn place_of(&self, row: usize) -> Option<(usize, usize)> {
        let sample = self.sample_of_row.get(row).copied().unwrap_or(0);
        (sample != NOWHERE).then(|| (sample as usize * self.rewards, self.transition_of_row[row] as usize))
    }

    /// The places of all rows, in order.
    pub fn rows(&self) -> impl Iterator<Item = Option<(usize, usize)>> + '_ {
        (0..self.row_count()).map(|row| self.place_of(row))
    }

    /// The samples by the values of the column that names them, each called by its reward column, with what it scores; one group without a name
    /// where no column names them.
    pub(super) fn into_scored(self) -> Vec<(String, Vec<Scored>)> {
        let SampleTable { samples, made, columns, groups, .. } = self;
        let names = if groups.is_empty() { vec![String::new()] } else { groups };
        let mut scored: Vec<(String, Vec<Scored>)> = names.into_iter().map(|name| (name, Vec::new())).collect();
        for (sample, Made { column, gathering, which, .. }) in samples.into_iter().zip(made) {
            let sample = NamedSample { name: columns[column].clone(), ..sample };
            scored[gathering].1.push(Scored { sample, which });
        }
        scored
    }

    /// Tells every sample which of its transitions end an episode.
    fn mark_ends(&mut self) {
        let Some(ends) = &self.ends else { return };
        let gatherings = self.made.last().map_or(0, |made| made.gathering + 1);
        let mut rows = vec![(Placement { transition: Vec::new() }, Vec::new()); gatherings];
        for (place, &ends) in self.rows().zip(ends) {
            if let Some((sample, transition)) = place {
                let (placement, of_sample) = &mut rows[sample / self.rewards];
                placement.transition.push(transition as u32);
                of_sample.push(ends);
            }
        }
        let made = std::mem::take(&mut self.made);
        self.each_sample(|number, sample| {
            let (placement, ends) = &rows[made[number].gathering];
            match &made[number].own {
                None => sample.with_row_ends(placement, ends),
                Some(OwnRows { rows, placement }) => {
                    let ends: Vec<bool> = rows.iter().map(|&row| ends[row as usize]).collect();
                    sample.with_row_ends(placement, &ends)
                }
            }
        });
        self.made = made;
    }

    fn each_sample(&mut self, change: impl Fn(usize, RewardSample) -> Result<RewardSample, SampleError>) {
        let samples = std::mem::take(&mut self.samples);
        let change = |(number, named): (usize, NamedSample)| NamedSample {
            sample: change(number, named.sample).expect("there is a mark for every row"),
            ..named
        };
        self.samples = samples.into_iter().enumerate().map(change).collect();
    }

    /// For every row of the table whether the task is over after it; `None` where no column says so.
    pub fn ends(&self) -> Option<&[bool]> {
        self.ends.as_deref()
    }
}

/// Reads the reward samples of a table; `-` is CSV on standard input. See [`read_table`] for what was understood of it.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("log.csv");
/// std::fs::write(&path, "state,action,next_state,reward\nhome,walk,park,1.5\npark,walk,home,2\n")?;
/// let samples = srrd_data::read_samples(&path, srrd::Duplicates::Mean)?;
/// assert_eq!((samples[0].name.as_str(), samples[0].sample.len()), ("log.csv", 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`read_table`].
pub fn read_samples(path: &Path, options: impl Into<TableOptions>) -> Result<Vec<NamedSample>, TableError> {
    read_table(path, options).map(|table| table.samples)
}

/// Reads the reward samples of a table, and where its rows went; `-` is CSV on standard input.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("log.csv");
/// std::fs::write(&path, "state,action,next_state,reward\nhome,walk,park,1.5\npark,walk,home,2\n")?;
/// let options = srrd_data::TableOptions { rewards: vec!["reward".into()], ..srrd_data::TableOptions::default() };
/// let table = srrd_data::read_table(&path, options)?;
/// // The second row of the file, by sample and transition there.
/// let (sample, transition) = table.place_of(1).unwrap();
/// assert_eq!(table.samples[sample].sample.rewards()[transition], 2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Anything wrong with the table; the message names the file, the row and the column and says what to do.
pub fn read_table(path: &Path, options: impl Into<TableOptions>) -> Result<SampleTable, TableError> {
    let options = options.into();
    let (reader, name) = options.open(path)?;
    read_sample_table(reader, &name, options)
}

/// Reads the reward samples of a table that is open; `name` is that of the sample when neither a `sample` column nor reward columns
/// name it.
///
/// ```
/// use srrd_data::{FileFormat, ReadOptions, TableOptions, open_bytes, read_sample_table};
/// let csv = "state,action,next_state,reward\nhome,walk,park,1.5\npark,walk,home,2\n";
/// let table = open_bytes("log.csv", FileFormat::from_path("log.csv".as_ref())?, csv.into(), &ReadOptions::default())?;
/// let read = read_sample_table(table, "log", TableOptions::default())?;
/// assert_eq!((read.samples[0].name.as_str(), read.row_count()), ("log", 2));
/// # Ok::<(), srrd_data::TableError>(())
/// ```
///
/// # Errors
/// As [`read_table`].
pub fn read_sample_table(
    reader: Box<dyn TableReader>,
    name: &str,
    options: impl Into<TableOptions>,
) -> Result<SampleTable, TableError> {
    let mut options = options.into();
    let mut reader = open_cells(reader, &options)?;
    let file = reader.name().to_owned();
    let mut notes = Vec::new();
    if let Some(log) = reader.log() {
        options.mean(log);
    }
    let roles = Roles::of(&file, reader.schema(), &options, &mut notes)?;
    if roles.gaps != RewardGaps::None {
        reader.keep_gaps();
    }
    let log = reader.log().cloned();
    if log.is_some() {
        // What columns of a log mean is no guess.
        notes.clear();
    } else {
        notes.extend(misspelt(&file, reader.schema(), &roles));
    }
    roles.select(reader.as_mut())?;
    notes.extend(reader.notes());
    let places = Places::of(&roles, reader.schema());
    let rows = Rows { file: &file, roles: &roles, places: &places };
    let mut taker =
        Taker { rows, gathered: Gathered::new(&file, name, options.duplicates, &roles), ends: Ends::default() };
    if roles.next_state == NextState::Shifted {
        let following = taker.take_shifted(reader)?;
        notes.extend(following.notes(&file, &roles, false));
    } else {
        notes.extend(taker.take_given(reader)?);
    }
    let Taker { gathered, ends, .. } = taker;
    let mut unsure = false;
    if roles.one_step_by_default {
        let goes_on = roles.ends.iter().flatten().next().filter(|_| ends.over.contains(&false));
        if let Some(column) = goes_on.or(roles.episode.as_ref()) {
            let (column, goes_on) = (column.clone(), goes_on.is_some());
            notes.push(TableNote::OneStep { file: file.clone(), column, goes_on });
            unsure = goes_on;
        }
    }
    if options.properties && log.is_none() && roles.episode.is_some() && roles.step.is_some() {
        notes.push(TableNote::StepsAsPrompts { file: file.clone() });
    }
    let left_out = log.map_or_else(Vec::new, |log| log.notes(&file));
    let mut table = gathered.build().map_err(|error| match error.kind() {
        ErrorKind::Empty if !left_out.is_empty() && error.column().is_none() => TableError::no_row_with(&file),
        _ => error,
    })?;
    notes.extend(left_out);
    notes.extend(words_of(&file, &roles, &table.samples));
    table.notes = notes;
    table.samples.iter_mut().for_each(|named| named.goes_on = unsure);
    table.ends = (!ends.ends.is_empty()).then_some(ends.ends);
    if roles.next_state == NextState::OneStep {
        table.each_sample(|_, sample| sample.with_ends(srrd::sample::Ends::all()));
    } else if table.ends.is_some() {
        table.mark_ends();
    }
    Ok(table)
}

/// The rows of the batches of a table.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub file: &'a str,
    pub roles: &'a Roles,
    pub places: &'a Places,
}

impl Rows<'_> {
    fn states<'b>(&self, batch: &'b Batch) -> Result<Tokens<'b>, TableError> {
        Tokens::of(&self.roles.state, &self.places.state, self.file, batch)
    }

    fn actions<'b>(&self, batch: &'b Batch) -> Result<Tokens<'b>, TableError> {
        Tokens::of(&self.roles.action, &self.places.action, self.file, batch)
    }

    fn next_states<'b>(&self, batch: &'b Batch) -> Result<Tokens<'b>, TableError> {
        match (&self.roles.next_state, &self.places.next_state) {
            (NextState::Given(identity), Some(positions)) => Tokens::of(identity, positions, self.file, batch),
            _ => Ok(Tokens::End),
        }
    }

    /// Properties that are asked for, then by reward column the rewards of all rows.
    fn rewards(&self, batch: &Batch) -> Result<Vec<Vec<f64>>, TableError> {
        let columns = self.roles.rewards.iter().zip(&self.places.rewards);
        let made = match (self.roles.properties, &self.roles.action) {
            // What is pushed has a reward for every row.
            (false, _) if self.roles.gaps == RewardGaps::Apart => vec![vec![0.0; batch.rows]],
            (false, _) => Vec::new(),
            (true, Identity::Token(_)) => properties_of(batch.columns.get(self.places.action[0]), batch),
            (true, Identity::Features { .. }) => properties_of(None, batch),
        };
        let read = columns.map(|(name, &position)| {
            let mut rewards = Vec::with_capacity(batch.rows);
            let take = if self.roles.gaps == RewardGaps::None { finite_numbers } else { numbers_with_gaps };
            take(self.file, name, batch, position, &mut rewards).map(|()| rewards)
        });
        made.into_iter().map(Ok).chain(read).collect()
    }

    /// Pushes the rows of a batch; `None` when there is anything wrong with one, which is found out elsewhere.
    fn push(&self, batch: &Batch, pushed: &mut Pushed) -> Option<()> {
        if pushed.builder.rows() > 0 {
            // Of a batch in which something was wrong.
            pushed.builder = SampleBuilder::new();
        }
        let builder = &mut pushed.builder;
        let (state, action) = (self.states(batch).ok()?, self.actions(batch).ok()?);
        let next_state = self.next_states(batch).ok()?;
        let mut rewards = self.rewards(batch).ok()?;
        let push = |builder: &mut SampleBuilder, index: usize, reward: f64| {
            state.with(index, |s| action.with(index, |a| next_state.with(index, |n| builder.push(s, a, n, reward))))
        };
        if let (Tokens::Text(states), Tokens::Text(actions), Tokens::Text(next_states)) = (&state, &action, &next_state)
        {
            // The usual case by far, without a choice to be made for every token.
            let texts = states.iter().zip(actions.iter()).zip(next_states.iter());
            for (index, (((s, a), n), &reward)) in texts.zip(&rewards[0]).enumerate() {
                match [s, a, n].iter().any(|text| is_long(text)) {
                    true => push(builder, index, reward).ok()?,
                    false => builder.push(Token::text(s), Token::text(a), Token::text(n), reward).ok()?,
                }
            }
        } else {
            rewards[0].iter().enumerate().try_for_each(|(index, &reward)| push(builder, index, reward).ok())?;
        }
        rewards.remove(0);
        pushed.others = rewards;
        Some(())
    }

    /// An error of the library about one row.
    fn error(&self, batch: &Batch, index: usize, error: &SampleError) -> TableError {
        let what = match error {
            SampleError::TooBig { value, .. } => format!(
                "{value:e} is too large to compute with; divide all rewards by a constant (distances do not change)"
            ),
            other => other.to_string(),
        };
        let placed = TableError::new(ErrorKind::Number, self.file, what).at(batch, index);
        match error {
            SampleError::TooBig { .. } => placed.in_column(&self.roles.rewards[0]),
            _ => placed,
        }
    }
}

/// The rows of a batch, pushed by a thread on its own.
#[derive(Default)]
struct Pushed {
    builder: SampleBuilder,
    /// Their rewards in the columns behind the first.
    others: Vec<Vec<f64>>,
    /// Where their episodes have their last rows so far.
    lasts: Lasts,
    /// Whether there was nothing wrong with any of them.
    whole: bool,
}

/// Takes the rows of a table.
struct Taker<'a> {
    rows: Rows<'a>,
    gathered: Gathered<'a>,
    ends: Ends,
}

impl Taker<'_> {
    /// Takes rows that were pushed already, all into the only sample.
    fn append(&mut self, batch: &Batch, Pushed { builder, others, .. }: &mut Pushed) -> Result<(), TableError> {
        let to = self.gathered.sample(None);
        if let Err(error) = self.gathered.builder(to).append(builder) {
            return Err(self.rows.error(batch, 0, &error));
        }
        self.gathered.others(to).iter_mut().zip(others).for_each(|(to, rewards)| to.append(rewards));
        if self.gathered.notes_rows() {
            (0..batch.rows).for_each(|index| self.gathered.note_row(to, batch.row_number(index)));
        }
        Ok(())
    }

    /// Takes the rows of a batch one by one; of those whose next states are elsewhere, only those that have one.
    fn take(&mut self, batch: &Batch, elsewhere: Option<(Tokens<'_>, &[bool])>) -> Result<(), TableError> {
        let Rows { file, roles, places } = self.rows;
        let (state, action) = (self.rows.states(batch)?, self.rows.actions(batch)?);
        let (next_state, known) = match elsewhere {
            Some((tokens, known)) => (tokens, Some(known)),
            None => (self.rows.next_states(batch)?, None),
        };
        let rewards = self.rows.rewards(batch)?;
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
                action.with(index, |a| next_state.with(index, |n| builder.push(s, a, n, rewards[0][index])))
            });
            pushed.map_err(|error| self.rows.error(batch, index, &error))?;
            self.gathered.others(to).iter_mut().zip(&rewards[1..]).for_each(|(to, column)| to.push(column[index]));
            self.gathered.note_row(to, batch.row_number(index));
            if let Some(column) = episode {
                self.gathered.push_episode(to, &cell_text(column, index));
            }
        }
        Ok(())
    }

    /// Takes all rows of a table, with the next states that it gives.
    fn take_given(&mut self, reader: Box<dyn TableReader>) -> Result<Vec<TableNote>, TableError> {
        let rows = self.rows;
        // Without a choice to be made for every row, threads can push rows on their own.
        let apart = rows.roles.sample.is_none() && rows.roles.label.is_none() && !rows.roles.needs_episodes();
        self.gathered.rows_hint = reader.rows_hint().unwrap_or(0);
        let mut gaps = Gaps::default();
        for_each_mapped(
            reader,
            |batch, pushed: &mut Pushed| {
                pushed.whole = apart && rows.push(batch, pushed).is_some();
                pushed.lasts = Lasts::of(rows, batch);
            },
            |batch, pushed| {
                self.ends.push(rows.file, rows.roles, rows.places, batch)?;
                let first = self.ends.over.len().saturating_sub(batch.rows);
                let leads = gaps.take(rows, std::mem::take(&mut pushed.lasts), batch, 0, (&self.ends, first))?;
                match leads {
                    None if pushed.whole => self.append(batch, pushed),
                    None => self.take(batch, None),
                    Some(leads) => {
                        leads.fill(rows.places, batch);
                        let filled = [rows.next_states(batch)?];
                        self.take(batch, Some((Tokens::Elsewhere { all: &filled, of: &leads.next }, &leads.known)))
                    }
                }
            },
        )?;
        gaps.finish(rows, false)
    }

    /// Takes all rows of a table whose next states are the states of other rows: they are held until all are there.
    fn take_shifted(&mut self, reader: Box<dyn TableReader>) -> Result<Following, TableError> {
        let Rows { file, roles, places } = self.rows;
        let mut batches: Vec<Batch> = Vec::new();
        for_each_batch(reader, |batch| {
            self.ends.push(file, roles, places, batch)?;
            batches.push(std::mem::take(batch));
            Ok(())
        })?;
        if batches.is_empty() {
            return Err(TableError::no_rows(file));
        }
        let following = following(file, roles, places, &batches, &self.ends)?;
        let states: Vec<Tokens<'_>> = batches.iter().map(|batch| self.rows.states(batch)).collect::<Result<_, _>>()?;
        for (number, batch) in batches.iter().enumerate() {
            let next = Tokens::Elsewhere { all: &states, of: &following.next[number] };
            self.take(batch, Some((next, &following.known[number])))?;
        }
        Ok(following)
    }
}
