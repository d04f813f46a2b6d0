//! From tables to reward samples: one file is one sample, or as many as its `sample` column names, for each reward column.

use std::path::Path;

use srrd::NamedSample;

use super::gaps::words_of;
use super::gather::Gathered;
use super::layout::{Layout, Places};
use super::note::TableNote;
use super::options::TableOptions;
use super::read::TableReader;
use super::read::cells::open_cells;
use super::roles::{Lacking, NextState, Roles};
use super::take::Taker;
use super::tokens::Ends;
use super::unused::misspelt;
use crate::error::{ErrorKind, TableError};

/// The place of a row that is in no sample, and of all rows where samples have rows of their own.
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

    /// Whether a column says which sample a row belongs to.
    pub fn has_sample_column(&self) -> bool {
        !self.groups.is_empty()
    }

    /// How many reward columns there are, and so how many samples every row is in.
    pub fn reward_count(&self) -> usize {
        self.rewards
    }

    /// The indices of a row's sample (of the first reward column; those of the others follow it) and, in there, of its transition.
    /// `None` for a row that was left out because nobody knows its next state, and for all rows where samples have rows of their own.
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
    if roles.lacking != Lacking::Refused {
        reader.keep_lacking();
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
    let layout = Layout { file: &file, roles: &roles, places: &places };
    let mut taker = Taker {
        table: layout,
        gathered: Gathered::new(&file, name, options.duplicates, &roles),
        ends: Ends::default(),
    };
    if roles.next_state == NextState::Shifted {
        let following = taker.take_shifted(reader)?;
        notes.extend(following.notes(layout, false));
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
    let mut table = gathered.build(&ends.ends).map_err(|error| match error.kind() {
        ErrorKind::Empty if !left_out.is_empty() && error.column().is_none() => TableError::no_row_with(&file),
        _ => error,
    })?;
    notes.extend(left_out);
    notes.extend(words_of(&file, &roles, &table.samples));
    table.notes = notes;
    table.samples.iter_mut().for_each(|named| named.goes_on = unsure);
    table.ends = (!ends.ends.is_empty()).then_some(ends.ends);
    Ok(table)
}
