//! Columns of texts that are lists of numbers, as groups of columns.

use std::collections::HashSet;

use super::candidates;
use crate::error::{ErrorKind, TableError, shorten};
use crate::table::batch::{Batch, Column, TextColumn, Values};
use crate::table::note::TableNote;
use crate::table::options::{Role, TableOptions};
use crate::table::read::{Extras, Passing, Piece, Selection, TableReader};
use crate::table::schema::{ColumnType, Field, Schema};

/// Columns of texts that are read as such, whatever they look like.
const TEXTS: [&str; 3] = ["prompt", "response", "completion"];

/// Why a text is no list of numbers.
enum Flaw {
    NoList,
    /// NumPy has left out its middle.
    Shortened,
}

/// The numbers of a list, as they are written.
fn numbers(text: &str) -> Result<Vec<&str>, Flaw> {
    let inner = text.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).ok_or(Flaw::NoList)?;
    let parts = inner.split(|c: char| c == ',' || c.is_ascii_whitespace()).filter(|part| !part.is_empty());
    let (parts, dots): (Vec<&str>, Vec<&str>) = parts.partition(|part| *part != "...");
    match parts.iter().all(|part| part.parse::<f64>().is_ok()) {
        false => Err(Flaw::NoList),
        true if !dots.is_empty() => Err(Flaw::Shortened),
        true => Ok(parts),
    }
}

fn shortened(file: &str) -> TableError {
    let what = "NumPy has shortened the array (`...`) when it was written as text: its numbers are not in the file; save the table \
                as Parquet or NPZ instead";
    TableError::new(ErrorKind::Malformed, file, what)
}

/// The columns of states and actions whose first cell is a list of numbers, and how many it has.
pub(super) fn groups_of(
    reader: &mut dyn TableReader,
    options: &TableOptions,
) -> Result<Vec<(String, usize)>, TableError> {
    let mut groups = Vec::new();
    for role in [Role::State, Role::Action, Role::NextState] {
        for name in candidates(reader.schema(), options, role) {
            if reader.schema().index_of(&name).is_none() || TEXTS.contains(&name.as_str()) {
                continue;
            }
            let Some(cell) = reader.first_cell(&name)? else { continue };
            match numbers(&cell) {
                Ok(parts) if !parts.is_empty() => groups.push((name, parts.len())),
                Ok(_) | Err(Flaw::NoList) => {}
                Err(Flaw::Shortened) => return Err(shortened(reader.name()).at_row(1).in_column(&name)),
            }
        }
    }
    Ok(groups)
}

/// What a column is: one of the table, or a number of the lists in one.
#[derive(Clone)]
struct Source {
    column: String,
    element: Option<usize>,
}

pub(super) struct FeatureReader {
    inner: Box<dyn TableReader>,
    groups: Vec<(String, usize)>,
    /// By position among all columns.
    sources: Vec<Source>,
    selection: Selection,
    /// By position in the batch: where it comes from in that of the table.
    plan: Vec<(usize, Option<usize>)>,
}

impl FeatureReader {
    pub(super) fn new(inner: Box<dyn TableReader>, groups: Vec<(String, usize)>) -> Self {
        let selection = Selection::everything(Schema::default());
        let mut reader = FeatureReader { inner, groups, sources: Vec::new(), selection, plan: Vec::new() };
        reader.lay_out();
        reader
    }

    /// Gives every list its columns, and selects all of them.
    fn lay_out(&mut self) {
        // Where the table has no types, its numbers are texts.
        let kind = if self.inner.is_untyped() { ColumnType::Text } else { ColumnType::Float };
        let mut schema = Schema::default();
        self.sources.clear();
        self.plan.clear();
        for (position, field) in self.inner.schema().fields.iter().enumerate() {
            let source = |element| Source { column: field.name.clone(), element };
            match self.groups.iter().find(|(name, _)| *name == field.name) {
                None => {
                    schema.fields.push(field.clone());
                    self.sources.push(source(None));
                    self.plan.push((position, None));
                }
                Some((name, count)) => {
                    for element in 0..*count {
                        schema.fields.push(Field::new(format!("{name}.{element}"), Some(kind)));
                        self.sources.push(source(Some(element)));
                        self.plan.push((position, Some(element)));
                    }
                }
            }
        }
        self.selection = Selection::everything(schema);
    }

    /// The numbers of all lists of a column, by their place in the lists.
    fn split(&self, batch: &Batch, position: usize, count: usize) -> Result<Vec<Column>, TableError> {
        let (file, name) = (self.inner.name(), &self.inner.schema().fields[position].name);
        let column = &batch.columns[position];
        let untyped = self.inner.is_untyped();
        let mut split = vec![Column::empty(if untyped { ColumnType::Text } else { ColumnType::Float }); count];
        for row in 0..batch.rows {
            let text = match &column.values {
                Values::Text(texts) => texts.get(row),
                _ => "",
            };
            if !column.is_valid(row) || text.trim().is_empty() {
                split.iter_mut().for_each(Column::push_missing);
                continue;
            }
            let wrong = |kind: ErrorKind, what: String| Err(TableError::new(kind, file, what));
            let parts = match numbers(text) {
                Ok(parts) if parts.len() == count => Ok(parts),
                Ok(parts) => wrong(
                    ErrorKind::Ragged,
                    format!(
                        "the list has {} numbers, but the one in the first row has {count}; lists that are features need one length",
                        parts.len()
                    ),
                ),
                Err(Flaw::Shortened) => Err(shortened(file)),
                Err(Flaw::NoList) => wrong(
                    ErrorKind::Type,
                    format!("`{}` is no list of numbers, but the first row has one in this column", shorten(text)),
                ),
            }
            .map_err(|error| error.at(batch, row).in_column(name))?;
            for (to, part) in split.iter_mut().zip(parts) {
                match &mut to.values {
                    Values::Float(to) => to.push(part.parse().unwrap_or(f64::NAN)),
                    Values::Text(to) => to.push(part),
                    to => to.push_placeholder(),
                }
                to.note_validity(true);
            }
        }
        if untyped {
            // Text formats have no missing values, only empty texts.
            split.iter_mut().for_each(|column| column.validity = None);
        }
        Ok(split)
    }
}

impl TableReader for FeatureReader {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn schema(&self) -> &Schema {
        &self.selection.selected
    }

    fn is_untyped(&self) -> bool {
        self.inner.is_untyped()
    }

    fn rows_hint(&self) -> Option<usize> {
        self.inner.rows_hint()
    }

    fn select(&mut self, names: &[&str]) -> Result<(), TableError> {
        self.selection.select(self.inner.name(), names)?;
        let mut needed: Vec<&str> = Vec::new();
        self.plan.clear();
        for &position in &self.selection.positions {
            let Source { column, element } = &self.sources[position];
            let at = needed.iter().position(|known| known == column).unwrap_or_else(|| {
                needed.push(column);
                needed.len() - 1
            });
            self.plan.push((at, *element));
        }
        self.inner.select(&needed)
    }

    fn keep_extras(&mut self, meant: &[&str], passing: Passing) -> Result<Extras, TableError> {
        let mut inner: Vec<&str> = meant.to_vec();
        let known: HashSet<&str> = meant.iter().copied().collect();
        // Lists without a meaning stay as they are written.
        self.groups.retain(|(name, _)| known.contains(format!("{name}.0").as_str()));
        inner.extend(self.groups.iter().map(|(name, _)| name.as_str()));
        let mut extras = self.inner.keep_extras(&inner, passing)?;
        self.lay_out();
        let json: HashSet<usize> = extras.json.iter().copied().collect();
        let of_json = |&(_, (from, _)): &(usize, &(usize, Option<usize>))| json.contains(from);
        extras.json = self.plan.iter().enumerate().filter(of_json).map(|(position, _)| position).collect();
        Ok(extras)
    }

    fn notes(&self) -> Vec<TableNote> {
        self.inner.notes()
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<Piece, TableError> {
        self.selection.fixed = true;
        let piece = self.inner.next_batch(batch)?;
        let mut split: Vec<Option<Vec<Column>>> = vec![None; batch.columns.len()];
        let mut columns = Vec::with_capacity(self.plan.len());
        for &(from, element) in &self.plan {
            columns.push(match element {
                None => std::mem::replace(&mut batch.columns[from], Values::Text(TextColumn::new()).into()),
                Some(element) => {
                    if split[from].is_none() {
                        let name = &self.inner.schema().fields[from].name;
                        let count = self.groups.iter().find(|(group, _)| group == name).map_or(0, |group| group.1);
                        split[from] = Some(self.split(batch, from, count)?);
                    }
                    let of = split[from].as_mut().map(|of| &mut of[element]);
                    of.map_or_else(
                        || Column::empty(ColumnType::Text),
                        |of| std::mem::replace(of, Column::empty(ColumnType::Text)),
                    )
                }
            });
        }
        batch.columns = columns;
        Ok(piece)
    }
}
