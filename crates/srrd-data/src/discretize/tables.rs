//! Tables of features as tables of cells: fitted on all inputs together, written row after row.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{DiscretizeOptions, Discretizer, Rows, Space, VERSION};
use crate::error::{ErrorKind, TableError};
use crate::table::{
    Batch, Column, ColumnType, Identity, NextState, Places, Roles, Schema, TableNote, TableOptions, TextColumn, Values,
    cell_text, create, feature_numbers, finite_numbers, for_each_batch, missing_next, open, open_cells, truths,
};
use crate::table::{NotANumber, ReadOptions, TableReader, parse_number};

/// Cells are fitted on at most so many numbers; of more rows every second, fourth, … is taken.
const FITTED: usize = 16 << 20;

/// What was found about a feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FeatureNote {
    /// Its column.
    pub column: String,
    /// How many values are missing; the mean stands for them.
    pub missing: usize,
    /// Whether it never changes, so that it tells nothing apart.
    pub constant: bool,
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Discretized {
    /// How many rows were written.
    pub rows: usize,
    /// Features with missing values, or without different ones.
    pub features: Vec<FeatureNote>,
    /// What was understood of the tables.
    #[serde(skip)]
    pub notes: Vec<TableNote>,
}

/// A table that is open, with what its columns mean.
pub(super) struct Input {
    pub(super) file: String,
    pub(super) reader: Box<dyn TableReader>,
    pub(super) roles: Roles,
    pub(super) places: Places,
    notes: Vec<TableNote>,
}

impl Input {
    pub(super) fn open(path: &Path, options: &TableOptions) -> Result<Self, TableError> {
        let reader = open(path, &ReadOptions { dataset: options.dataset.clone(), ..ReadOptions::default() })?;
        let mut reader = open_cells(reader, options)?;
        let file = reader.name().to_owned();
        let mut notes = Vec::new();
        let roles = Roles::of(&file, reader.schema(), options, &mut notes)?;
        let columns = roles.meant();
        let is_other = |name: &&str| !columns.iter().any(|column| column == name);
        let others: Vec<String> = reader.schema().names().filter(is_other).map(str::to_owned).collect();
        if !others.is_empty() {
            notes.push(TableNote::Dropped { file: file.clone(), columns: others });
        }
        reader.select(&columns.iter().map(String::as_str).collect::<Vec<_>>())?;
        notes.extend(reader.notes());
        let places = Places::of(&roles, reader.schema());
        Ok(Input { file, reader, roles, places, notes })
    }

    /// Where rows of features are, of states and next states, or of actions, and whether some may be missing as a whole.
    fn groups(&self, actions: bool) -> Vec<(Vec<String>, Vec<usize>, bool)> {
        let mut groups = Vec::new();
        let mut add = |identity: &Identity, places: &[usize], gaps: bool| {
            if identity.features().is_some() {
                groups.push((identity.columns(), places.to_vec(), gaps));
            }
        };
        if actions {
            add(&self.roles.action, &self.places.action, false);
        } else {
            add(&self.roles.state, &self.places.state, false);
            if let (NextState::Given(identity), Some(places)) = (&self.roles.next_state, &self.places.next_state) {
                add(identity, places, true);
            }
        }
        groups
    }

    fn features(&self, actions: bool) -> Option<Vec<String>> {
        let identity = if actions { &self.roles.action } else { &self.roles.state };
        identity.features().map(<[String]>::to_vec)
    }
}

/// The features of all rows of a batch; what is missing is NaN.
fn rows_of(file: &str, batch: &Batch, columns: &[String], places: &[usize]) -> Result<Rows, TableError> {
    let width = columns.len();
    let mut values = vec![f64::NAN; batch.rows * width];
    let mut numbers = Vec::with_capacity(batch.rows);
    for (at, (name, &place)) in columns.iter().zip(places).enumerate() {
        let column = &batch.columns[place];
        numbers.clear();
        match &column.values {
            Values::Float(from) => {
                numbers.extend(from.iter().map(|value| if value.is_finite() { *value } else { f64::NAN }))
            }
            Values::Text(texts) if texts.iter().any(|text| parse_number(text) == Err(NotANumber::Empty)) => {
                let number = |text| match parse_number(text) {
                    Ok(value) => Ok(value),
                    Err(NotANumber::Empty) => Ok(f64::NAN),
                    Err(_) => Err(()),
                };
                for (row, text) in texts.iter().enumerate() {
                    numbers.push(number(text).map_err(|()| {
                        let what = format!("`{}` is no number", crate::error::shorten(text));
                        TableError::new(ErrorKind::Number, file, what).at(batch, row).in_column(name)
                    })?);
                }
            }
            Values::Int(from) if column.validity.is_some() => numbers.extend(from.iter().map(|&value| value as f64)),
            _ => feature_numbers(file, name, batch, place, &mut numbers)?,
        }
        for (row, &number) in numbers.iter().enumerate() {
            if column.is_valid(row) {
                values[row * width + at] = number;
            }
        }
    }
    Ok(Rows { width, values })
}

/// Rows but for those that are missing as a whole: next states that nobody recorded.
fn present<'a>(rows: &'a Rows, absent: Option<&'a [bool]>) -> impl Iterator<Item = &'a [f64]> {
    rows.iter().enumerate().filter(move |(row, _)| !absent.is_some_and(|absent| absent[*row])).map(|(_, row)| row)
}

/// Rows to fit on, thinned out where they are too many.
#[derive(Default)]
struct Gathered {
    features: Option<Vec<String>>,
    rows: Rows,
    /// Every so-manieth row is taken.
    stride: usize,
    seen: usize,
    missing: Vec<usize>,
}

impl Gathered {
    /// Takes rows, but for those that are missing as a whole.
    fn add(&mut self, rows: &Rows, absent: Option<&[bool]>) {
        self.rows.width = rows.width;
        self.missing.resize(rows.width, 0);
        self.stride = self.stride.max(1);
        for row in present(rows, absent) {
            row.iter().zip(&mut self.missing).for_each(|(value, missing)| *missing += usize::from(value.is_nan()));
            if self.seen.is_multiple_of(self.stride) {
                self.rows.values.extend_from_slice(row);
            }
            self.seen += 1;
            if self.rows.values.len() > FITTED {
                let every_second = self.rows.iter().step_by(2).flatten().copied().collect();
                self.rows.values = every_second;
                self.stride *= 2;
            }
        }
    }

    fn fit(
        self,
        prefix: &str,
        options: &DiscretizeOptions,
        cells: usize,
    ) -> Result<Option<(Space, Vec<FeatureNote>)>, String> {
        let Some(features) = self.features else { return Ok(None) };
        let missing = self.missing;
        let space = Space::fit(features, self.rows, options, cells)?;
        let constant: Vec<&str> = space.constant();
        let note = |(name, missing): (&String, &usize)| FeatureNote {
            column: format!("{prefix}.{name}"),
            missing: *missing,
            constant: constant.contains(&name.as_str()),
        };
        let notes: Vec<FeatureNote> = space.features.iter().zip(&missing).map(note).collect();
        let notes = notes.into_iter().filter(|note| note.missing > 0 || note.constant).collect();
        Ok(Some((space, notes)))
    }
}

/// Fits cells on the states (and next states) and on the actions of all tables together.
///
/// ```
/// use srrd_data::TableOptions;
/// use srrd_data::discretize::{DiscretizeOptions, fit_tables};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("balls.csv");
/// std::fs::write(&path, "state.x,action,next_state.x,reward\n0.1,go,0.9,1\n0.8,go,0.2,0\n0.15,go,0.85,3\n")?;
/// let options = DiscretizeOptions { cells: 2, ..DiscretizeOptions::default() };
/// let (cells, _) = fit_tables(&[path.clone()], &TableOptions::default(), &options)?;
/// assert!(cells.states.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Anything wrong with a table; tables with different features, or without any.
pub fn fit_tables(
    paths: &[PathBuf],
    reading: &TableOptions,
    options: &DiscretizeOptions,
) -> Result<(Discretizer, Vec<FeatureNote>), TableError> {
    let mut gathered = [Gathered::default(), Gathered::default()];
    for path in paths {
        let input = Input::open(path, reading)?;
        for (actions, gathered) in [false, true].into_iter().zip(&mut gathered) {
            let features = input.features(actions);
            if gathered.seen > 0 && gathered.features != features {
                let what = "the table has other features than those before it; cells are fitted on tables with the same features";
                return Err(TableError::new(ErrorKind::Ragged, input.file, what));
            }
            gathered.features = features;
        }
        let groups = [input.groups(false), input.groups(true)];
        let Input { file, reader, roles, places, .. } = input;
        for_each_batch(reader, |batch| {
            let absent = missing_next(&roles, &places, batch);
            for (groups, gathered) in groups.iter().zip(&mut gathered) {
                for (columns, places, gaps) in groups {
                    let absent = absent.as_deref().filter(|_| *gaps);
                    gathered.add(&rows_of(&file, batch, columns, places)?, absent);
                }
            }
            Ok(())
        })?;
    }
    let file = paths.first().map(|path| path.display().to_string()).unwrap_or_default();
    let wrong = |what: String| TableError::new(ErrorKind::Usage, &file, what);
    let [states, actions] = gathered;
    let states = states.fit("state", options, options.cells).map_err(wrong)?;
    // Principal components are of states; actions have few features.
    let of_actions = DiscretizeOptions { components: None, ..*options };
    let actions = actions.fit("action", &of_actions, options.action_cells).map_err(wrong)?;
    if states.is_none() && actions.is_none() {
        return Err(wrong(
            "neither states nor actions have features (columns `state.NAME`): there is nothing to discretize"
                .to_owned(),
        ));
    }
    let mut notes = Vec::new();
    let mut space = |fitted: Option<(Space, Vec<FeatureNote>)>| {
        fitted.map(|(space, found)| {
            notes.extend(found);
            space
        })
    };
    let (states, actions) = (space(states), space(actions));
    Ok((Discretizer { version: VERSION, options: *options, states, actions }, notes))
}

/// The tokens of a role, as cells or as they are.
fn tokens(
    input: (&str, &Identity, &[usize]),
    absent: Option<&[bool]>,
    space: Option<&Space>,
    batch: &Batch,
    missing: &mut BTreeMap<String, usize>,
) -> Result<Values, TableError> {
    let (file, identity, places) = input;
    let (Some(names), Some(space)) = (identity.features(), space) else {
        if identity.features().is_some() {
            let what = "there are no cells for these features; fit them on this table, too";
            return Err(TableError::new(ErrorKind::Usage, file, what).in_column(identity.columns().swap_remove(0)));
        }
        let column = &batch.columns[places[0]];
        return Ok(Values::Text((0..batch.rows).map(|row| cell_text(column, row)).fold(
            TextColumn::new(),
            |mut all, text| {
                all.push(&text);
                all
            },
        )));
    };
    if names != space.features {
        let what = format!(
            "the features are {}, but cells were fitted on {}",
            crate::table::listed(names.iter().map(String::as_str)),
            crate::table::listed(space.features.iter().map(String::as_str))
        );
        return Err(TableError::new(ErrorKind::Ragged, file, what));
    }
    let columns = identity.columns();
    let rows = rows_of(file, batch, &columns, places)?;
    for row in present(&rows, absent) {
        for (_, column) in row.iter().zip(&columns).filter(|(value, _)| value.is_nan()) {
            *missing.entry(column.clone()).or_default() += 1;
        }
    }
    Ok(Values::Int(space.cells(&rows)))
}

/// Writes all tables as one of cells; with several, a column `sample` says which row is of which.
///
/// ```
/// use srrd_data::TableOptions;
/// use srrd_data::discretize::{DiscretizeOptions, discretize, fit_tables};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("balls.csv");
/// std::fs::write(&path, "state.x,action,next_state.x,reward\n0.1,go,0.9,1\n0.8,go,0.2,0\n0.15,go,0.85,3\n")?;
/// let options = DiscretizeOptions { cells: 2, ..DiscretizeOptions::default() };
/// let (cells, _) = fit_tables(&[path.clone()], &TableOptions::default(), &options)?;
/// let output = folder.path().join("cells.csv");
/// assert_eq!(discretize(&[path], &TableOptions::default(), &cells, &output)?.rows, 3);
/// assert_eq!(srrd_data::read_samples(&output, srrd::Duplicates::Mean)?[0].sample.states().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Anything wrong with a table, other features than cells were fitted on, or an output that cannot be written.
pub fn discretize(
    paths: &[PathBuf],
    reading: &TableOptions,
    with: &Discretizer,
    output: &Path,
) -> Result<Discretized, TableError> {
    let mut writer = None;
    let mut written = Discretized { rows: 0, features: Vec::new(), notes: Vec::new() };
    let mut missing = BTreeMap::new();
    let mut schema: Option<Schema> = None;
    for path in paths {
        let Input { file, reader, roles, places, notes } = Input::open(path, reading)?;
        written.notes.extend(notes);
        let name = path.file_name().map_or_else(|| file.clone(), |name| name.to_string_lossy().into_owned());
        for_each_batch(reader, |batch| {
            let mut columns = cells_of(&file, &name, paths.len() > 1, batch, &roles, &places, with, &mut missing)?;
            let of_batch = Schema::new(columns.iter().map(|(name, column)| (name.as_str(), column.kind())));
            let expected = schema.get_or_insert_with(|| of_batch.clone());
            as_before(&file, expected, &mut columns, batch)?;
            let of_batch = Schema::new(columns.iter().map(|(name, column)| (name.as_str(), column.kind())));
            if *expected != of_batch {
                let what = "the table has other columns than those before it; discretize tables with the same columns together";
                return Err(TableError::new(ErrorKind::Ragged, &file, what));
            }
            let writer = match &mut writer {
                Some(writer) => writer,
                none => none.insert(create(output, &of_batch)?),
            };
            written.rows += batch.rows;
            let first = written.rows - batch.rows + 1;
            writer.write(&Batch::from_columns(columns.into_iter().map(|(_, column)| column).collect(), first as u64))
        })?;
    }
    match writer {
        Some(writer) if written.rows > 0 => writer.finish()?,
        _ => return Err(TableError::no_rows(paths.first().map(|path| path.display().to_string()).unwrap_or_default())),
    }
    written.features =
        missing.into_iter().map(|(column, missing)| FeatureNote { column, missing, constant: false }).collect();
    Ok(written)
}

/// Makes the steps of a batch floats where those before it are, and refuses fractions behind integers.
fn as_before(file: &str, expected: &Schema, columns: &mut [(String, Column)], batch: &Batch) -> Result<(), TableError> {
    for (field, (name, column)) in expected.fields.iter().zip(columns).filter(|(_, (name, _))| name == "step") {
        match (field.kind, &column.values) {
            (Some(ColumnType::Float), Values::Int(_)) => column.values.become_floats(),
            (Some(ColumnType::Int), Values::Float(values)) => {
                let row = values.iter().position(|value| value.fract() != 0.0).unwrap_or(0);
                let what = "the step has a fraction, and those before it are integers; write all of them in one way";
                return Err(TableError::new(ErrorKind::Number, file, what).at(batch, row).in_column(name.as_str()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Steps as integers where all are.
fn whole(numbers: Vec<f64>, column: &Column) -> Values {
    let written = match &column.values {
        Values::Int(_) | Values::Bool(_) => true,
        Values::Float(_) => false,
        Values::Text(texts) => texts.iter().all(|text| srrd::Token::text(text.trim()).as_int().is_some()),
    };
    let exact = numbers.iter().all(|number| number.abs() < 9e15);
    if written && exact {
        Values::Int(numbers.iter().map(|&number| number as i64).collect())
    } else {
        Values::Float(numbers)
    }
}

/// The columns of a batch, with cells instead of features.
#[allow(clippy::too_many_arguments)]
pub(super) fn cells_of(
    file: &str,
    name: &str,
    several: bool,
    batch: &Batch,
    roles: &Roles,
    places: &Places,
    with: &Discretizer,
    missing: &mut BTreeMap<String, usize>,
) -> Result<Vec<(String, Column)>, TableError> {
    let texts = |place: usize| {
        let mut texts = TextColumn::new();
        (0..batch.rows).for_each(|row| texts.push(&cell_text(&batch.columns[place], row)));
        Values::Text(texts)
    };
    let mut columns: Vec<(String, Column)> = Vec::new();
    let mut add = |name: &str, column: Column| columns.push((name.to_owned(), column));
    match (places.sample, several) {
        (Some(place), false) => add("sample", texts(place).into()),
        (Some(place), true) => {
            let joined = (0..batch.rows).map(|row| format!("{name}#{}", cell_text(&batch.columns[place], row)));
            add(
                "sample",
                Values::Text(joined.fold(TextColumn::new(), |mut all, text| {
                    all.push(&text);
                    all
                }))
                .into(),
            );
        }
        (None, true) => add("sample", Values::Text(std::iter::repeat_n(name, batch.rows).collect()).into()),
        (None, false) => {}
    }
    if let Some(place) = places.label {
        add("label", texts(place).into());
    }
    add("state", tokens((file, &roles.state, &places.state), None, with.states.as_ref(), batch, missing)?.into());
    add("action", tokens((file, &roles.action, &places.action), None, with.actions.as_ref(), batch, missing)?.into());
    if let (NextState::Given(identity), Some(at)) = (&roles.next_state, &places.next_state) {
        let absent = missing_next(roles, places, batch);
        let cells = tokens((file, identity, at), absent.as_deref(), with.states.as_ref(), batch, missing)?;
        // A next state that is missing is in no cell.
        let there = absent.map(|rows| rows.iter().map(|missing| !missing).collect());
        add("next_state", Column::new(cells, there));
    }
    for (reward, &place) in roles.rewards.iter().zip(&places.rewards) {
        let mut numbers = Vec::with_capacity(batch.rows);
        finite_numbers(file, reward, batch, place, &mut numbers)?;
        add(if roles.rewards.len() == 1 { "reward" } else { reward }, Values::Float(numbers).into());
    }
    for (column, (name, place)) in
        ["terminated", "done", "truncated", "timeout"].into_iter().zip(roles.ends.iter().zip(places.ends))
    {
        if let (Some(name), Some(place)) = (name, place) {
            add(column, Values::Bool(truths(file, name, batch, &batch.columns[place])?).into());
        }
    }
    if let Some(place) = places.episode {
        add("episode", texts(place).into());
    }
    if let (Some(name), Some(place)) = (&roles.step, places.step) {
        let mut numbers = Vec::with_capacity(batch.rows);
        finite_numbers(file, name, batch, place, &mut numbers)?;
        add("step", whole(numbers, &batch.columns[place]).into());
    }
    Ok(columns)
}
