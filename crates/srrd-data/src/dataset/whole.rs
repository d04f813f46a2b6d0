//! Tables with an episode in every row: cells hold lists with an entry per step, and those of observations may have one more.

use serde_json::Value;

use super::episodes::{EpisodeReader, Part};
use super::held::{Episodes, Held, HeldRecording, last_only, repeated};
use super::note::DatasetNote;
use crate::error::{ErrorKind, TableError, shorten};
use crate::table::{
    Batch, ColumnType, Passing, Piece, ROLES, ReadOptions, Role, RoleInfo, TableOptions, TableReader, Values,
};

/// The largest integer up to which every integer is a float, too.
const EXACT: u64 = 1 << 53;

/// What is made of the cells of a column.
#[derive(Clone, Copy)]
enum Take {
    /// The entries of a list, an entry per step and `extra` more, from this one on; each is so many values.
    Entries { from: usize, extra: usize, width: usize },
    /// Whether the last step ends the episode.
    Last,
    /// The same in every step.
    Same,
}

/// A part of the table of steps.
struct Made {
    /// The column of the table of episodes.
    column: usize,
    take: Take,
    part: Part,
}

/// Opens a table of which every row is an episode, as its column `reward` shows.
pub(crate) fn open_episodes(
    mut reader: Box<dyn TableReader>,
    reward: &str,
    options: &TableOptions,
) -> Result<Box<dyn TableReader>, TableError> {
    let json = reader.keep_extras(&[], Passing::Json)?.json;
    let names: Vec<String> = reader.schema().names().map(str::to_owned).collect();
    let reward = names.iter().position(|name| name == reward).unwrap_or(0);
    let file = reader.name().to_owned();
    let mut rows = Rows { file, reader, batch: Batch::default(), at: 0, names, json, reward, made: Vec::new() };
    if !rows.advance()? {
        return Err(TableError::no_rows(rows.file));
    }
    rows.lay_out(options)?;
    // The first row is read again as an episode.
    rows.at = 0;
    let note = DatasetNote::RowsAreEpisodes { column: rows.names[reward].clone() };
    let (file, parts) = (rows.file.clone(), rows.made.iter().map(|made| made.part.clone()).collect());
    let recording = Box::new(HeldRecording::new(rows));
    Ok(Box::new(EpisodeReader::new(file, recording, parts, &ReadOptions::default())?.noting([note])))
}

/// The role that a column has by its name.
fn role_of(name: &str, options: &TableOptions) -> Option<Role> {
    let said = ROLES.iter().find(|info| options.columns.get(info.role) == Some(name));
    let is = |info: &&RoleInfo| info.name == name || info.aliases.contains(&name);
    let usual = || ROLES.iter().find(is).filter(|info| options.columns.get(info.role).is_none());
    said.or_else(usual).map(|info| info.role)
}

/// The rows of the table, one after the other.
struct Rows {
    file: String,
    reader: Box<dyn TableReader>,
    batch: Batch,
    /// How many rows of the batch were begun.
    at: usize,
    names: Vec<String>,
    /// Where the columns are whose texts are JSON.
    json: Vec<usize>,
    /// The column that says how many steps there are.
    reward: usize,
    made: Vec<Made>,
}

impl Rows {
    /// Goes to the next row; false when there is none.
    fn advance(&mut self) -> Result<bool, TableError> {
        while self.at == self.batch.rows {
            self.at = 0;
            if self.reader.next_batch(&mut self.batch)? == Piece::End {
                return Ok(false);
            }
        }
        self.at += 1;
        Ok(true)
    }

    /// The cell of a column in the current row.
    fn cell(&self, column: usize) -> Value {
        let (row, values) = (self.at - 1, &self.batch.columns[column]);
        match &values.values {
            _ if !values.is_valid(row) => Value::Null,
            Values::Text(texts) if self.json.contains(&column) => {
                serde_json::from_str(texts.get(row)).unwrap_or_default()
            }
            Values::Text(texts) => texts.get(row).into(),
            Values::Int(values) => values[row].into(),
            Values::Float(values) => values[row].into(),
            Values::Bool(values) => values[row].into(),
        }
    }

    fn wrong(&self, column: usize, kind: ErrorKind, what: impl Into<String>) -> TableError {
        TableError::new(kind, &self.file, what).at(&self.batch, self.at - 1).in_column(&self.names[column])
    }

    /// How many steps the current row has.
    fn steps(&self) -> Result<usize, TableError> {
        self.cell(self.reward).as_array().map(Vec::len).ok_or_else(|| {
            let what =
                "the first row has a list of rewards, those of an episode; this one has none: give every row a list";
            self.wrong(self.reward, ErrorKind::Type, what)
        })
    }

    /// Says by the first row what is made of every column.
    fn lay_out(&mut self, options: &TableOptions) -> Result<(), TableError> {
        let steps = self.steps()?;
        let roles: Vec<Option<Role>> = self.names.iter().map(|name| role_of(name, options)).collect();
        let mut made = Vec::new();
        for (column, name) in self.names.iter().enumerate() {
            // Both are counted, as in other recordings.
            if ["episode", "step"].contains(&name.as_str()) {
                continue;
            }
            let role = if options.rewards.contains(name) { Some(Role::Reward) } else { roles[column] };
            let cell = self.cell(column);
            let same = |kind| Made { column, take: Take::Same, part: Part::single(name, kind).growing() };
            match &cell {
                Value::Array(entries) if role.is_some() || entries.len() == steps => {
                    let (width, kind) = self.entry(column, entries, role)?;
                    let extra = usize::from(role == Some(Role::State) && entries.len() == steps + 1);
                    let of = |name: &str, from| {
                        let columns = match width {
                            0 => vec![name.to_owned()],
                            _ => (0..width).map(|index| format!("{name}.{index}")).collect(),
                        };
                        let take = Take::Entries { from, extra, width: width.max(1) };
                        Made { column, take, part: Part::new(columns, kind).growing() }
                    };
                    made.push(of(name, 0));
                    if extra > 0 && !roles.contains(&Some(Role::NextState)) {
                        made.push(of(Role::NextState.info().name, 1));
                    }
                }
                Value::Object(_) if role.is_some() => {
                    let what = "each row is an episode, and this cell is a structure with lists in it: give each of them a column of its own, \
                                such as `observations.position`";
                    return Err(self.wrong(column, ErrorKind::UnsupportedColumn, what));
                }
                Value::Bool(_) if ends_episodes(role) => {
                    made.push(Made { take: Take::Last, ..same(ColumnType::Bool) });
                }
                Value::Number(_) => made.push(same(number_type([&cell]))),
                Value::Bool(_) => made.push(same(ColumnType::Bool)),
                _ => made.push(same(ColumnType::Text)),
            }
        }
        self.made = made;
        Ok(())
    }

    /// How many values each entry of a list has (0 for one that is no list), and of which type.
    fn entry(&self, column: usize, entries: &[Value], role: Option<Role>) -> Result<(usize, ColumnType), TableError> {
        let (mut values, mut first) = (Vec::new(), Vec::new());
        entries.iter().for_each(|entry| flatten(entry, &mut values));
        entries.first().into_iter().for_each(|entry| flatten(entry, &mut first));
        let features = matches!(role, Some(Role::State | Role::Action | Role::NextState));
        let kind = match first.first() {
            Some(Value::Number(_)) => number_type(values.iter().copied()),
            Some(Value::Bool(_)) => ColumnType::Bool,
            Some(Value::String(_)) => ColumnType::Text,
            _ => {
                let what = "nobody can tell what its entries are: the first row needs a number, a text or a list of numbers per step";
                return Err(self.wrong(column, ErrorKind::UnsupportedColumn, what));
            }
        };
        let fraction = || entries.iter().any(Value::is_f64);
        match entries[0].is_array() {
            true => Ok((first.len(), kind)),
            // One integer or text per step is a token; everything else is features.
            false => Ok((usize::from(features && fraction()), kind)),
        }
    }

    /// The values of a part in all steps of the current row.
    fn values(&self, made: &Made, steps: usize) -> Result<Values, TableError> {
        let cell = self.cell(made.column);
        let (from, extra, width) = match made.take {
            Take::Entries { from, extra, width } => (from, extra, width),
            Take::Last => return Ok(last_only(cell == Value::Bool(true), steps)),
            Take::Same => {
                let mut values = Values::empty(made.part.kind);
                return match (&cell, made.part.kind) {
                    (Value::String(text), ColumnType::Text) => Ok(repeated(text, steps)),
                    (Value::Null, ColumnType::Text) => Ok(repeated("", steps)),
                    (other, ColumnType::Text) => Ok(repeated(&other.to_string(), steps)),
                    (other, _) => {
                        (0..steps).try_for_each(|_| self.push(made.column, other, &mut values)).map(|()| values)
                    }
                };
            }
        };
        let entries = cell.as_array().map_or(&[][..], Vec::as_slice);
        if entries.len() != steps + extra {
            let more = if extra > 0 { " and one more, for the state that the last one leads to" } else { "" };
            let what = format!(
                "the list has {} entries, but there are {steps} rewards in this row; give one per step{more}",
                entries.len()
            );
            return Err(self.wrong(made.column, ErrorKind::Ragged, what));
        }
        let mut values = Values::empty(made.part.kind);
        let mut parts = Vec::new();
        for entry in &entries[from..from + steps] {
            parts.clear();
            flatten(entry, &mut parts);
            if parts.len() != width {
                let what = format!(
                    "an entry has {} numbers, but the first has {width}; lists that are features need one length",
                    parts.len()
                );
                return Err(self.wrong(made.column, ErrorKind::Ragged, what));
            }
            parts.iter().try_for_each(|part| self.push(made.column, part, &mut values))?;
        }
        Ok(values)
    }

    fn push(&self, column: usize, value: &Value, values: &mut Values) -> Result<(), TableError> {
        let long = |value: &Value| value.as_i64().is_none_or(|int| int.unsigned_abs() > EXACT) && !value.is_f64();
        if value.is_f64() {
            values.become_floats();
        }
        match (value, values) {
            (Value::Number(_), Values::Int(to)) if !long(value) => to.push(value.as_i64().unwrap_or_default()),
            (Value::Number(_), Values::Float(to)) if !long(value) => to.push(value.as_f64().unwrap_or(f64::NAN)),
            (Value::Bool(value), Values::Bool(to)) => to.push(*value),
            (Value::String(text), Values::Text(to)) => to.push(text),
            (Value::Null, _) => {
                let what = "an entry is missing, or is no finite number; every step needs one";
                return Err(self.wrong(column, ErrorKind::Number, what));
            }
            (other, to) => {
                let kind = match to.kind() {
                    ColumnType::Text => "a text",
                    ColumnType::Bool => "true or false",
                    ColumnType::Int | ColumnType::Float => "a number up to 2^53",
                };
                let what =
                    format!("`{}` is not {kind}, as the first entry of the column is", shorten(&other.to_string()));
                return Err(self.wrong(column, ErrorKind::Type, what));
            }
        }
        Ok(())
    }
}

/// Integers, as long as no fraction appears.
fn number_type<'a>(values: impl IntoIterator<Item = &'a Value>) -> ColumnType {
    if values.into_iter().any(Value::is_f64) { ColumnType::Float } else { ColumnType::Int }
}

fn ends_episodes(role: Option<Role>) -> bool {
    matches!(role, Some(Role::Terminated | Role::Done | Role::Truncated | Role::Timeout))
}

/// The values of lists in lists, in their order.
fn flatten<'a>(value: &'a Value, to: &mut Vec<&'a Value>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| flatten(value, to)),
        value => to.push(value),
    }
}

impl Episodes for Rows {
    fn load(&mut self, _: usize) -> Result<Option<Held>, TableError> {
        if !self.advance()? {
            return Ok(None);
        }
        let steps = self.steps()?;
        let parts = self.made.iter().map(|made| self.values(made, steps)).collect::<Result<_, _>>()?;
        Ok(Some(Held { steps, parts }))
    }
}
