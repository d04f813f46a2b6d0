//! Tables of scored responses as reward models to be compared: one table with a column per model, or several tables of the same responses.

use srrd::models::{
    Grouping, ModelComparison, ModelGroup, ModelSettings, ModelsError, compare_grouped, shared_responses,
};
use srrd::{FrontEnd, NamedSample};

use super::names::what_is_there;
use super::note::TableNote;
use super::options::{Next, ROLES, Role, TableOptions};
use super::properties::PROPERTIES;
use super::read::TableReader;
use super::roles::has;
use super::samples::{Scored, read_sample_table};
use super::scores::scores_and_others;
use crate::dataset::as_log;
use crate::error::{ErrorKind, TableError};

/// Opens a table, as often as it is asked for.
pub type OpenTable<'a> = Box<dyn FnMut() -> Result<Box<dyn TableReader>, TableError> + 'a>;

/// What is asked about models beside how tables are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelQuestion {
    /// A column to hold the others against.
    pub gold: Option<String>,
    /// The column that numbers the steps of training.
    pub by: Option<String>,
    /// The column that names criteria.
    pub criterion: Option<String>,
}

impl ModelQuestion {
    fn grouping(&self, file: &str) -> Result<Option<Grouping>, TableError> {
        match (&self.by, &self.criterion) {
            (Some(_), Some(_)) => {
                let what = "prompts are grouped by steps of training or by a criterion; choose one of the two";
                Err(TableError::new(ErrorKind::Usage, file, what))
            }
            (Some(column), None) => Ok(Some(Grouping::Step(column.clone()))),
            (None, Some(column)) => Ok(Some(Grouping::Criterion(column.clone()))),
            (None, None) => Ok(None),
        }
    }

    /// Whether the table has the column that an option names.
    fn check(&self, reader: &dyn TableReader) -> Result<(), TableError> {
        for (option, column) in [("by", &self.by), ("criterion", &self.criterion)] {
            if let Some(column) = column.as_ref().filter(|column| !has(reader.schema(), column)) {
                let there = what_is_there(reader.schema(), column);
                let what = |front_end: FrontEnd| {
                    format!("there is no such column for `{}`; {there}", front_end.option(option))
                };
                return Err(TableError::telling(ErrorKind::MissingColumn, reader.name(), what).in_column(column));
            }
        }
        Ok(())
    }
}

/// Models that were read.
#[derive(Debug)]
pub struct ModelTable {
    /// By group of prompts, the properties of the responses and then the models.
    groups: Groups,
    properties: usize,
    grouping: Option<Grouping>,
    gold: Option<String>,
    /// The column whose samples are the groups, where nobody asked for groups.
    sample_column: Option<String>,
    /// What was understood of the tables that their user should know.
    pub notes: Vec<TableNote>,
}

impl ModelTable {
    /// Models that are there already, without properties of the responses.
    pub fn of(models: Vec<NamedSample>, gold: Option<String>) -> Self {
        let groups = vec![(String::new(), models.into_iter().map(Scored::from).collect())];
        ModelTable { groups, properties: 0, grouping: None, gold, sample_column: None, notes: Vec::new() }
    }

    /// Compares all pairs of models.
    ///
    /// # Errors
    /// As [`compare_grouped`].
    pub fn compare(&self, settings: &ModelSettings) -> Result<ModelComparison, ModelsError> {
        let mut groups = Vec::new();
        for (name, samples) in &self.groups {
            let (properties, models) = samples.split_at(self.properties);
            groups.push(ModelGroup {
                name: name.clone(),
                models: models.iter().map(|model| &model.sample).collect(),
                scored: models.iter().map(|model| model.which.as_deref()).collect(),
                nuisances: properties.iter().map(|property| &property.sample).collect(),
            });
        }
        let found = compare_grouped(groups, self.grouping.clone(), self.gold.as_deref(), settings);
        found.map_err(|error| match (&self.sample_column, error) {
            (Some(column), ModelsError::NoChoice) => ModelsError::NoChoiceInSamples(column.clone()),
            (_, error) => error,
        })
    }
}

/// Reads the models of one table or of several; each has the name of its file, without folders, and a way to open it.
///
/// Reward columns are those of `options`, of a log, or all that look like scores. Of several tables each may hold a single reward, which then
/// has the name of its file; models are compared on the responses that all tables score.
///
/// ```
/// use srrd::models::ModelSettings;
/// use srrd_data::{FileFormat, ModelQuestion, ReadOptions, TableOptions, open_bytes, read_models};
/// let csv = "prompt,response,old,new\np,a,0,1\np,b,1,2\nq,a,0,1\nq,c,2,9\n";
/// let open = || open_bytes("log.csv", FileFormat::from_path("log.csv".as_ref())?, csv.into(), &ReadOptions::default());
/// let table = read_models(vec![("log.csv".to_owned(), Box::new(open))], &TableOptions::default(), &ModelQuestion::default())?;
/// assert_eq!(table.compare(&ModelSettings::default())?.prompts, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Anything wrong with the tables; nothing that all of them score.
pub fn read_models(
    tables: Vec<(String, OpenTable<'_>)>,
    options: &TableOptions,
    question: &ModelQuestion,
) -> Result<ModelTable, TableError> {
    let several = tables.len() > 1;
    let mut notes = Vec::new();
    let mut gold = question.gold.clone();
    let mut read: Vec<(String, Groups)> = Vec::new();
    let mut grouping = None;
    let mut sample_column = None;
    for (name, mut open) in tables {
        // A frame has no name by which it is found to be a log.
        let mut open = || open().map(as_log);
        let reader = open()?;
        let file = reader.name().to_owned();
        grouping = question.grouping(&file)?;
        let mut options = TableOptions { next: Next::None, properties: true, ..options.clone() };
        let log = reader.log().cloned();
        if let Some(log) = &log {
            gold = gold.or_else(|| log.gold.clone());
        }
        let single = several && has_reward(&*reader, &options);
        let mut reader = Some(reader);
        if options.rewards.is_empty() && (log.is_some() || !single) {
            if let Some(reader) = reader.take() {
                let (scores, others) = scores_and_others(reader, &options)?;
                options.rewards = scores;
                if !others.is_empty() {
                    notes.push(TableNote::NoScores { file: file.clone(), columns: others });
                }
            }
            if log.is_none() {
                notes.push(TableNote::Scores { file: file.clone(), columns: options.rewards.clone() });
            }
        }
        if let Some(gold) = question.gold.as_ref().filter(|gold| !several && !options.rewards.contains(gold)) {
            options.rewards.push(gold.clone());
        }
        // One reward that all call the same is named by its file.
        let generic = matches!(options.rewards.as_slice(), [only] if ["reward", "score"].contains(&only.as_str()));
        if let Some(Grouping::Step(column) | Grouping::Criterion(column)) = &grouping {
            options.columns.set(Role::Sample, column);
        }
        let reader = reader.map_or_else(&mut open, Ok)?;
        question.check(&*reader)?;
        let named_by = options.sample_column().to_owned();
        let table = read_sample_table(reader, &name, options)?;
        if grouping.is_none() && table.has_sample_column() {
            sample_column = Some(named_by);
        }
        notes.extend(table.notes.iter().cloned());
        let from_file = table.samples.iter().any(|sample| sample.from_file);
        let mut groups = table.into_scored();
        if several && (generic || from_file) {
            groups.iter_mut().for_each(|(_, samples)| samples[PROPERTIES.len()].sample.name.clone_from(&name));
        }
        read.push((file, groups));
    }
    let properties = PROPERTIES.len();
    let Some((file, mut groups)) = read.pop() else { return Ok(ModelTable::of(Vec::new(), gold)) };
    if several {
        read.push((file.clone(), groups));
        let left_out;
        (groups, left_out) = together(read, &file)?;
        if left_out > 0 {
            notes.push(TableNote::NotShared { responses: left_out });
        }
    }
    Ok(ModelTable { groups, properties, grouping, gold, sample_column, notes })
}

/// Whether a table has the one column of rewards.
fn has_reward(reader: &dyn TableReader, options: &TableOptions) -> bool {
    let info = ROLES.iter().find(|info| info.role == Role::Reward);
    let is = |name: &str| info.is_some_and(|info| info.name == name || info.aliases.contains(&name));
    options.columns.get(Role::Reward).is_some() || reader.schema().names().any(is)
}

/// The groups of one table.
type Groups = Vec<(String, Vec<Scored>)>;

/// The groups that all tables have, with the responses that all of them hold, and how many responses that leaves out.
fn together(mut read: Vec<(String, Groups)>, last: &str) -> Result<(Groups, usize), TableError> {
    let names: Vec<String> = read[0].1.iter().map(|(name, _)| name.clone()).collect();
    let (mut groups, mut left_out) = (Groups::new(), 0);
    let wrong = |error: ModelsError| TableError::new(ErrorKind::Usage, last, error.to_string());
    let mut problem = None;
    for name in names {
        let of_tables: Vec<(String, Vec<Scored>)> = (read.iter_mut())
            .filter_map(|(file, groups)| {
                let at = groups.iter().position(|(known, _)| *known == name)?;
                Some((file.clone(), groups.swap_remove(at).1))
            })
            .collect();
        let rows = of_tables[0].1[0].sample.sample.len();
        if of_tables.len() < read.len() {
            left_out += rows;
            continue;
        }
        match shared(joined(of_tables)) {
            Ok((models, without)) => {
                left_out += without;
                groups.push((name, models));
            }
            // Other groups may share something.
            Err(error) => {
                left_out += rows;
                problem = Some(wrong(error));
            }
        }
    }
    match (groups.is_empty(), problem) {
        (true, Some(problem)) => Err(problem),
        (true, None) => Err(wrong(ModelsError::NoChoice)),
        (false, _) => Ok((groups, left_out)),
    }
}

/// The same on the responses that all of them hold, scored or not.
fn shared(mut models: Vec<Scored>) -> Result<(Vec<Scored>, usize), ModelsError> {
    // Messages name the first.
    models.rotate_left(PROPERTIES.len());
    // Marks take part as scores of 1 and 0.
    let marks = models.iter().filter_map(|model| {
        let marks = model.which.as_ref()?.iter().map(|there| f64::from(u8::from(*there))).collect();
        let sample = model.sample.sample.with_rewards(marks).expect("there is a mark for every response");
        Some(NamedSample { sample, ..model.sample.clone() })
    });
    let marks: Vec<NamedSample> = marks.collect();
    let marked: Vec<bool> = models.iter().map(|model| model.which.is_some()).collect();
    let (mut samples, left_out) =
        shared_responses(models.into_iter().map(|model| model.sample).chain(marks).collect())?;
    let mut marks = samples.split_off(marked.len()).into_iter();
    let mut marks = || marks.next().map(|marks| marks.sample.rewards().iter().map(|there| *there > 0.0).collect());
    let scored = |(sample, marked): (NamedSample, bool)| Scored { sample, which: if marked { marks() } else { None } };
    let mut shared: Vec<Scored> = samples.into_iter().zip(marked).map(scored).collect();
    shared.rotate_right(PROPERTIES.len());
    Ok((shared, left_out))
}

/// The properties of the first table, and the models of all, those of one name told apart by their files.
fn joined(of_tables: Vec<(String, Vec<Scored>)>) -> Vec<Scored> {
    let mut models: Vec<(String, Scored)> = Vec::new();
    let mut joined: Vec<Scored> = Vec::new();
    for (file, mut properties) in of_tables {
        let samples = properties.split_off(PROPERTIES.len());
        if joined.is_empty() {
            joined = properties;
        }
        models.extend(samples.into_iter().map(|sample| (file.clone(), sample)));
    }
    // What several tables say alike, such as which response was chosen, is one model.
    let mut kept: Vec<(String, Scored)> = Vec::new();
    for (file, model) in models {
        let same = |(_, known): &(String, Scored)| {
            known.sample.name == model.sample.name
                && known.sample.sample == model.sample.sample
                && known.which == model.which
        };
        if !kept.iter().any(same) {
            kept.push((file, model));
        }
    }
    let names: Vec<String> = kept.iter().map(|(_, model)| model.sample.name.clone()).collect();
    let repeated = |name: &String| names.iter().filter(|known| *known == name).count() > 1;
    joined.extend(kept.into_iter().map(|(file, mut model)| {
        if repeated(&model.sample.name) {
            model.sample.name = format!("{file}#{}", model.sample.name);
        }
        model
    }));
    joined
}
