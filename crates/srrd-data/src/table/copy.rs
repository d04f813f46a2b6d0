//! Copying a table of transitions to another file, format or both, without changing which tokens are the same.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::dataset::Log;
use crate::error::{ErrorKind, TableError};
use crate::table::batch::{Batch, Column, TextColumn, Values};
use crate::table::format::{FileFormat, Format};
use crate::table::gaps::{self, Gaps, Lasts};
use crate::table::layout::{Layout, Places};
use crate::table::note::TableNote;
use crate::table::number::finite_numbers;
use crate::table::options::{Next, TableOptions};
use crate::table::read::cells::open_cells;
use crate::table::read::{Extras, Passing, TableReader, for_each_batch};
use crate::table::roles::{NextState, Roles};
use crate::table::schema::{ColumnType, Schema};
use crate::table::tokens::{Ends, Tokens, cell_text, check_present};
use crate::table::types::{coerce, infer};
use crate::table::write::{TableWriter, create};

/// A copy whose output is open and whose rows have yet to be read.
pub struct TableCopy {
    reader: Box<dyn TableReader>,
    writer: Box<dyn TableWriter>,
    check: TransitionCheck,
    changes: Changes,
    /// The number of columns to be appended.
    added: usize,
    /// How many rows the input had when its types were found, if they had to be.
    expected: Option<u64>,
    notes: Vec<TableNote>,
    log: Option<Log>,
    lost: Lost,
}

/// What came of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// How many rows there were.
    pub rows: u64,
    /// What is to be known of it.
    pub notes: Vec<TableNote>,
}

impl TableCopy {
    /// Opens the input and the output; `open` may be called twice. Columns of floats called `added` are to be appended. The options say
    /// which columns mean what; all keep their names, but for lists, which become a column per number.
    ///
    /// Tokens keep their identity: a column of tokens that comes as text goes into a typed format as integers only when all
    /// are written as integers are, and else as text; a float that is an integer by value goes into CSV and TSV as that
    /// integer. Rewards and features become numbers in a typed format however they are written.
    ///
    /// Columns that carry no meaning may be of any type. Parquet and Arrow keep the types of each other; elsewhere dates, times, decimals
    /// and nested values become text. What cannot be kept is left out with a [note](Self::notes).
    ///
    /// # Errors
    /// The input is not a table of transitions, has a column called as one to be added, or the output cannot be written.
    pub fn open(
        open: impl Fn() -> Result<Box<dyn TableReader>, TableError>,
        output: &Path,
        added: &[String],
        options: &TableOptions,
    ) -> Result<Self, TableError> {
        let format = FileFormat::from_path(output)?.format;
        let typed_output = format.info().typed;
        let mut notes = Vec::new();
        let (mut reader, extras, options) = open_passing(&open, format, options, &mut notes)?;
        let file = reader.name().to_owned();
        let mut schema = reader.schema().clone();
        let check = TransitionCheck::new(&file, &schema, &options)?;
        if let Some(name) = added.iter().find(|name| schema.index_of(name).is_some()) {
            let what = "the table has this column already: rename or drop it, it would be written twice";
            return Err(TableError::new(ErrorKind::DuplicateColumn, file, what).in_column(name));
        }
        let tokens = check.roles.token_columns();
        let (token_set, features): (HashSet<&str>, HashSet<String>) =
            (tokens.iter().copied().collect(), check.roles.feature_columns().into_iter().collect());
        let mut changes = Changes::default();
        let mut expected = None;
        if typed_output {
            let mut types = if reader.is_untyped() || schema.fields.iter().any(|field| field.kind.is_none()) {
                let (types, rows) = infer(reader.as_mut())?;
                expected = Some(rows);
                reader = open_passing(&open, format, &options, &mut Vec::new())?.0;
                types
            } else {
                schema.fields.iter().filter_map(|field| field.kind).collect()
            };
            for (position, (kind, name)) in types.iter_mut().zip(schema.names()).enumerate() {
                if reader.is_untyped() && *kind != ColumnType::Int && token_set.contains(name) {
                    *kind = ColumnType::Text;
                }
                let feature = reader.is_untyped() && *kind != ColumnType::Int && features.contains(name);
                if check.places.rewards.contains(&position) || feature {
                    *kind = ColumnType::Float;
                    changes.to_numbers.push(position);
                }
            }
            if !reader.is_untyped() {
                // Tokens of which some are text are all written as the texts of the tokens they are.
                let is_text = |name: &&&str| schema.index_of(name).is_some_and(|at| types[at] == ColumnType::Text);
                changes.to_text = tokens.iter().filter(is_text).filter_map(|name| schema.index_of(name)).collect();
            }
            schema = schema.with_types(&types);
            // The other typed formats write what the schema says by themselves.
            if format.info().json {
                let mut types = schema.clone();
                if !reader.is_untyped() {
                    // Only where some values are text, all have to be.
                    types
                        .fields
                        .iter_mut()
                        .for_each(|field| field.kind = field.kind.filter(|&kind| kind == ColumnType::Text));
                }
                changes.to_types = Some(types);
            }
        } else {
            changes.to_text = tokens.iter().filter_map(|name| schema.index_of(name)).collect();
        }
        let appended = Schema::new(added.iter().map(|name| (name.clone(), ColumnType::Float)));
        let all = Schema { fields: [schema.fields, appended.fields].concat() };
        let mut writer = create(output, &all)?;
        writer.mark_json(&extras.json);
        let left_out = |(column, why): &(String, String)| TableNote::LeftOut {
            file: file.clone(),
            column: column.clone(),
            why: why.clone(),
        };
        notes.extend(extras.left_out.iter().map(left_out));
        notes.extend(reader.notes());
        if options.next == Next::Shift && check.roles.next_state == NextState::Shifted {
            notes.push(TableNote::NotShifted { file: file.clone() });
        }
        let log = reader.log().cloned();
        let lost = Lost { json: format.info().json, columns: vec![0; all.len()] };
        Ok(TableCopy { reader, writer, check, changes, added: added.len(), expected, notes, log, lost })
    }

    /// Which columns were taken for others, and what is left out of the copy.
    pub fn notes(&self) -> &[TableNote] {
        &self.notes
    }

    /// The input, as messages name it.
    pub fn name(&self) -> &str {
        &self.check.file
    }

    /// Where the reward columns are in the input, by position.
    pub fn reward_columns(&self) -> &[usize] {
        &self.check.places.rewards
    }

    /// The columns of the input.
    pub fn schema(&self) -> &Schema {
        &self.check.schema
    }

    /// Copies all rows as they are, checking that they are transitions, and says what came of it. The output appears when all
    /// is done.
    ///
    /// # Errors
    /// Anything wrong with a row, a table that has changed since its types were found, or the output cannot be written; nothing is
    /// left behind then.
    pub fn run(self) -> Result<Copied, TableError> {
        let TableCopy { reader, mut writer, mut check, mut changes, expected, mut lost, log, .. } = self;
        for_each_batch(reader, |batch| {
            check.rows(batch)?;
            check_rows(&check.file, check.rows, expected, false)?;
            changes.make(&check, batch)?;
            lost.count(batch);
            writer.write(batch)
        })?;
        let mut notes = log.map_or_else(Vec::new, |log| log.notes(&check.file));
        notes.extend(check.finish(!notes.is_empty())?);
        check_rows(&check.file, check.rows, expected, true)?;
        writer.finish()?;
        notes.extend(lost.note(&check.file, &check.schema));
        if changes.emptied > 0 {
            notes.push(TableNote::NullNextState { file: check.file.clone(), rows: changes.emptied });
        }
        Ok(Copied { rows: check.rows, notes })
    }

    /// Copies the rows of a table that has been read as samples, so that nothing is left to be checked but that it still has as
    /// many `rows`; `edit` may change a batch and appends the added columns. The output appears when all is done, with what is to be known
    /// of it.
    ///
    /// # Errors
    /// The input cannot be read again or has another number of rows, or the output cannot be written; nothing is left behind then.
    pub fn edit(self, rows: usize, mut edit: impl FnMut(&mut Batch) + Send) -> Result<Vec<TableNote>, TableError> {
        let TableCopy { reader, mut writer, check, mut changes, mut lost, .. } = self;
        let expected = Some(rows as u64);
        let mut found = 0;
        for_each_batch(reader, |batch| {
            found += batch.rows as u64;
            check_rows(&check.file, found, expected, false)?;
            changes.make(&check, batch)?;
            edit(batch);
            lost.count(batch);
            writer.write(batch)
        })?;
        check_rows(&check.file, found, expected, true)?;
        writer.finish()?;
        Ok(lost.note(&check.file, &check.schema).into_iter().collect())
    }

    /// As [`edit`](Self::edit) where each of so many rows stays as it is: only the values of the added columns are asked for, by
    /// row and column.
    ///
    /// # Errors
    /// As [`edit`](Self::edit).
    pub fn append(
        self,
        rows: usize,
        value: impl Fn(usize, usize) -> f64 + Sync + Send,
    ) -> Result<Vec<TableNote>, TableError> {
        let added = self.added;
        let mut row = 0;
        self.edit(rows, |batch| {
            let of_batch = row..row + batch.rows;
            row = of_batch.end;
            batch.columns.extend(
                (0..added).map(|column| Values::Float(of_batch.clone().map(|row| value(row, column)).collect()).into()),
            );
        })
    }
}

/// An error when `found` rows are too many, or, at the end of the table, too few: it has changed since it was read before.
fn check_rows(file: &str, found: u64, expected: Option<u64>, at_end: bool) -> Result<(), TableError> {
    let than = match expected {
        Some(expected) if found > expected => "more",
        Some(expected) if at_end && found < expected => "fewer",
        _ => return Ok(()),
    };
    let what = format!("the table has {than} rows than when it was read before: leave it unchanged while it is copied");
    Err(TableError::new(ErrorKind::Malformed, file, what))
}

/// Opens a table to be copied to this format with all columns that can be kept, and says how it is read.
fn open_passing(
    open: impl Fn() -> Result<Box<dyn TableReader>, TableError>,
    format: Format,
    options: &TableOptions,
    notes: &mut Vec<TableNote>,
) -> Result<(Box<dyn TableReader>, Extras, TableOptions), TableError> {
    let mut reader = open_cells(open()?, options)?;
    let mut options = options.clone();
    let roles = match reader.log() {
        Some(log) => {
            options.mean(log);
            // What columns of a log mean is no guess.
            Roles::of(reader.name(), reader.schema(), &options, &mut Vec::new())?
        }
        None => Roles::of(reader.name(), reader.schema(), &options, notes)?,
    };
    reader.choose_rewards(&roles.rewards);
    let meant = roles.meant();
    let meant: Vec<&str> = meant.iter().map(String::as_str).collect();
    let extras = reader.keep_extras(&meant, Passing::to(format))?;
    Ok((reader, extras, options))
}

/// Numbers that JSON has no word for, by column: they become null.
struct Lost {
    /// Whether the output is JSON. Elsewhere only lists and structures are.
    json: bool,
    columns: Vec<u64>,
}

impl Lost {
    fn count(&mut self, batch: &Batch) {
        for (lost, column) in self.columns.iter_mut().zip(&batch.columns) {
            *lost += column.lost;
            if let (Values::Float(values), true) = (&column.values, self.json) {
                let odd = |row: &usize| !values[*row].is_finite() && column.is_valid(*row);
                *lost += (0..values.len()).filter(odd).count() as u64;
            }
        }
    }

    fn note(self, file: &str, schema: &Schema) -> Option<TableNote> {
        let columns =
            schema.names().map(str::to_owned).zip(self.columns).filter(|(_, lost)| *lost > 0).collect::<Vec<_>>();
        (!columns.is_empty()).then(|| TableNote::Null { file: file.to_owned(), columns })
    }
}

/// What has to be done to the columns of the input before they are written, by position.
#[derive(Default)]
struct Changes {
    /// Columns of tokens that, where they are floats, are to be written as the texts of those tokens.
    to_text: Vec<usize>,
    /// Columns of rewards and features that are to be written as numbers.
    to_numbers: Vec<usize>,
    /// How many next states were NaN or a word for nothing, and are null now.
    emptied: u64,
    /// The types of all columns, where the writer does not see to them.
    to_types: Option<Schema>,
}

impl Changes {
    fn make(&mut self, table: &TransitionCheck, batch: &mut Batch) -> Result<(), TableError> {
        let TransitionCheck { file, schema, places, .. } = table;
        // Next states that may be missing stay so.
        let missing = gaps::missing(&table.roles, places, batch);
        if let Some(missing) = &missing {
            self.emptied += gaps::written(places, batch, missing);
            gaps::fill(places, batch, missing);
        }
        for &position in &self.to_text {
            let column = &mut batch.columns[position];
            if let Values::Float(values) = &column.values {
                let tokens = Tokens::Float(values);
                let mut texts = TextColumn::new();
                (0..values.len()).for_each(|i| tokens.with(i, |token| texts.push(&token.to_string())));
                column.values = Values::Text(texts);
            }
        }
        for &position in &self.to_numbers {
            let mut numbers = Vec::with_capacity(batch.rows);
            finite_numbers(file, &schema.fields[position].name, batch, position, &mut numbers)?;
            batch.columns[position] = Values::Float(numbers).into();
        }
        if let Some(missing) = &missing {
            gaps::empty(places, batch, missing);
        }
        match &self.to_types {
            Some(types) => coerce(file, types, batch),
            None => Ok(()),
        }
    }
}

impl Batch {
    /// Keeps the rows whose entry in `keep` is true, with their numbers and lines.
    ///
    /// # Panics
    /// When `keep` has not one entry per row.
    pub fn retain(&mut self, keep: &[bool]) {
        assert_eq!(keep.len(), self.rows, "one entry per row");
        fn kept<T: Copy>(values: &mut Vec<T>, keep: &[bool]) {
            let mut flags = keep.iter();
            values.retain(|_| *flags.next().expect("one entry per row"));
        }
        for Column { values, validity, original, .. } in &mut self.columns {
            match values {
                Values::Int(values) => kept(values, keep),
                Values::Float(values) => kept(values, keep),
                Values::Bool(values) => kept(values, keep),
                Values::Text(texts) => {
                    *texts = texts.iter().zip(keep).filter(|(_, keep)| **keep).map(|(text, _)| text).collect();
                }
            }
            if let Some(validity) = validity {
                kept(validity, keep);
            }
            if let Some(original) = original {
                original.retain(keep);
            }
        }
        self.note_kept(keep);
        self.rows = keep.iter().filter(|keep| **keep).count();
    }
}

/// Checks the rows of a table of transitions without building samples of them.
struct TransitionCheck {
    file: String,
    schema: Schema,
    roles: Roles,
    places: Places,
    rewards: Vec<f64>,
    /// The label of every sample.
    labels: HashMap<String, String>,
    gaps: Gaps,
    rows: u64,
}

impl TransitionCheck {
    fn new(file: &str, schema: &Schema, options: &TableOptions) -> Result<Self, TableError> {
        let roles = Roles::of(file, schema, options, &mut Vec::new())?;
        Ok(TransitionCheck {
            file: file.to_owned(),
            schema: schema.clone(),
            places: Places::of(&roles, schema),
            roles,
            rewards: Vec::new(),
            labels: HashMap::new(),
            gaps: Gaps::default(),
            rows: 0,
        })
    }

    fn rows(&mut self, batch: &Batch) -> Result<(), TableError> {
        let TransitionCheck { file, roles, places, rewards, labels, gaps, rows, .. } = self;
        let table = Layout { file, roles, places };
        table.states(batch)?;
        table.actions(batch)?;
        let mut ends = Ends::default();
        ends.push(table, batch)?;
        match gaps.take(table, Lasts::of(table, batch), batch, 0, (&ends, 0))? {
            None => drop(table.next_states(batch)?),
            Some(leads) => {
                let mut filled = batch.clone();
                leads.fill(places, &mut filled);
                table.next_states(&filled)?;
            }
        }
        for (name, &position) in roles.rewards.iter().zip(&places.rewards) {
            rewards.clear();
            finite_numbers(file, name, batch, position, rewards)?;
        }
        let sample = roles.sample.as_deref().zip(places.sample.map(|position| &batch.columns[position]));
        if let Some((name, column)) = sample {
            check_present(file, name, batch, column)?;
        }
        if let Some(label) = places.label.map(|position| &batch.columns[position]) {
            for index in 0..batch.rows {
                let name = sample.map_or("".into(), |(_, column)| cell_text(column, index));
                let text = if label.is_valid(index) { cell_text(label, index) } else { "".into() };
                match labels.get(name.as_ref()) {
                    None => drop(labels.insert(name.into_owned(), text.into_owned())),
                    Some(known) if *known == text => {}
                    Some(known) => return Err(label_changes(file, &name, known, &text, roles, batch, index)),
                }
            }
        }
        *rows += batch.rows as u64;
        Ok(())
    }

    /// When all rows were taken, with what is to be known of them; `left_out`: whether there are others, which lack a reward.
    fn finish(&mut self, left_out: bool) -> Result<Vec<TableNote>, TableError> {
        // All rows stay, those without a next state, too.
        let table = Layout { file: &self.file, roles: &self.roles, places: &self.places };
        let mut notes = std::mem::take(&mut self.gaps).finish(table, false)?;
        notes.retain(|note| !matches!(note, TableNote::Gaps { .. }));
        match (self.rows, left_out) {
            (0, false) => Err(TableError::no_rows(&self.file)),
            (0, true) => Err(TableError::no_row_with_all(&self.file, &self.roles.rewards)),
            _ => Ok(notes),
        }
    }
}

/// The error for a label that is not constant within its sample.
pub(crate) fn label_changes(
    file: &str,
    sample: &str,
    before: &str,
    here: &str,
    roles: &Roles,
    batch: &Batch,
    index: usize,
) -> TableError {
    let of = if sample.is_empty() { "the table's only sample".to_owned() } else { format!("sample '{sample}'") };
    let column = roles.label.as_deref().unwrap_or("label");
    let what = format!(
        "{of} has the label '{here}' here and '{before}' before: a sample has one label; correct it, or give the rows another `{}`; where \
         `{column}` is not the class of a whole sample, but what somebody said of a row, rename it",
        roles.sample.as_deref().unwrap_or("sample")
    );
    TableError::new(ErrorKind::Malformed, file, what).at(batch, index).in_column(column)
}
