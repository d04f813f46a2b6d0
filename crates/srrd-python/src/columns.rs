//! Columns of a table that lies in Python's memory, read as the tables in files are.

use crate::error::wrong;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use srrd_data::{Batch, Column, ErrorKind, Field, Piece, Schema, TableError, TableReader, TextColumn, Values};

/// A table of columns of one length. `srrd._table` has made every column one of these: integers, numbers, truth values, texts of
/// fixed width (a row of code points each, 0 at the end), or a list of texts with None for missing ones.
#[derive(Clone)]
pub struct Columns {
    names: Vec<String>,
    columns: Vec<Column>,
}

impl Columns {
    pub fn new(given: &Bound<'_, PyDict>) -> PyResult<Self> {
        let (mut names, mut columns) = (Vec::new(), Vec::new());
        for (name, values) in given {
            let name: String = name.extract()?;
            columns.push(column(&name, &values)?);
            names.push(name);
        }
        let rows = columns.first().map_or(0, Column::len);
        if let Some(other) = columns.iter().position(|column| column.len() != rows) {
            return Err(wrong(format!(
                "`{}` has {rows} entries and `{}` has {}: give one of each for every transition",
                names[0],
                names[other],
                columns[other].len()
            )));
        }
        Ok(Columns { names, columns })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Column::len)
    }

    /// The columns of these names, if there are no others.
    fn exactly<const N: usize>(&self, names: [&str; N]) -> Option<[&Values; N]> {
        let all = names.map(|name| self.names.iter().position(|known| known == name));
        if self.names.len() != N || all.iter().any(Option::is_none) {
            return None;
        }
        Some(all.map(|at| &self.columns[at.unwrap_or(0)].values))
    }

    /// The ids of states, actions and next states and the rewards, if that is all there is and ids are small.
    pub fn ids(&self) -> Option<([Vec<u32>; 3], &[f64])> {
        let [Values::Int(states), Values::Int(actions), Values::Int(next_states), Values::Float(rewards)] =
            self.exactly(["state", "action", "next_state", "reward"])?
        else {
            return None;
        };
        let small = |ids: &[i64]| {
            // The largest is left out: it stands for "none".
            let fits = ids.iter().all(|&id| (0..i64::from(u32::MAX)).contains(&id));
            fits.then(|| ids.iter().map(|&id| id as u32).collect::<Vec<u32>>())
        };
        Some(([small(states)?, small(actions)?, small(next_states)?], rewards))
    }

    /// Whether all tokens of a role were texts, so that texts of digits should come back as such.
    pub fn is_text(&self, role: &str) -> bool {
        let at = self.names.iter().position(|name| name == role);
        at.is_some_and(|at| matches!(self.columns[at].values, Values::Text(_)))
    }

    /// This table, all rows at once.
    pub fn into_batch(self) -> (Schema, Batch) {
        let kinds = self.columns.iter().map(|column| Some(column.kind()));
        let fields = self.names.iter().cloned().zip(kinds).map(|(name, kind)| Field::new(name, kind)).collect();
        (Schema { fields }, Batch::from_columns(self.columns, 1))
    }

    /// This table for those who read tables; `origin` is what messages call it.
    pub fn into_reader(self, origin: &str) -> Box<dyn TableReader> {
        let (schema, batch) = self.into_batch();
        Box::new(Reader { origin: origin.to_owned(), schema, columns: Some(batch.columns) })
    }
}

fn column(name: &str, values: &Bound<'_, PyAny>) -> PyResult<Column> {
    if let Ok(ints) = values.extract::<PyReadonlyArray1<'_, i64>>() {
        return Ok(Values::Int(ints.as_slice()?.to_vec()).into());
    }
    if let Ok(floats) = values.extract::<PyReadonlyArray1<'_, f64>>() {
        return Ok(Values::Float(floats.as_slice()?.to_vec()).into());
    }
    if let Ok(truths) = values.extract::<PyReadonlyArray1<'_, bool>>() {
        return Ok(Values::Bool(truths.as_slice()?.to_vec()).into());
    }
    if let Ok(points) = values.extract::<PyReadonlyArray2<'_, u32>>() {
        return fixed_width(name, &points);
    }
    let list = values.cast::<PyList>()?;
    let mut texts = TextColumn::new();
    let mut validity = Vec::with_capacity(list.len());
    for value in list {
        validity.push(!value.is_none());
        match value.cast::<PyString>() {
            Ok(text) => texts.push(&text.to_cow()?),
            Err(_) => texts.push(""),
        }
    }
    let validity = validity.contains(&false).then_some(validity);
    Ok(Column::new(Values::Text(texts), validity))
}

/// NumPy's texts: code points, filled up with zeros.
fn fixed_width(name: &str, points: &PyReadonlyArray2<'_, u32>) -> PyResult<Column> {
    let points = points.as_array();
    let mut texts = TextColumn::new();
    let mut text = String::new();
    for (row, points) in points.outer_iter().enumerate() {
        text.clear();
        let used = points.iter().rposition(|&point| point != 0).map_or(0, |last| last + 1);
        for &point in points.iter().take(used) {
            let unknown = || wrong(format!("row {}, column `{name}`: the text is not valid Unicode", row + 1));
            text.push(char::from_u32(point).ok_or_else(unknown)?);
        }
        texts.push(&text);
    }
    Ok(Values::Text(texts).into())
}

/// All rows at once.
struct Reader {
    origin: String,
    schema: Schema,
    columns: Option<Vec<Column>>,
}

impl TableReader for Reader {
    fn name(&self) -> &str {
        &self.origin
    }

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn select(&mut self, names: &[&str]) -> Result<(), TableError> {
        let mut columns: Vec<Option<Column>> = self.columns.take().unwrap_or_default().into_iter().map(Some).collect();
        let mut selected = Vec::new();
        let mut fields = Vec::new();
        for name in names {
            let at = self.schema.index_of(name);
            match at.and_then(|at| columns[at].take().map(|column| (at, column))) {
                Some((at, column)) => {
                    fields.push(self.schema.fields[at].clone());
                    selected.push(column);
                }
                None => {
                    let what = "the column is missing";
                    return Err(TableError::new(ErrorKind::MissingColumn, &self.origin, what).in_column(*name));
                }
            }
        }
        self.schema = Schema { fields };
        self.columns = Some(selected);
        Ok(())
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<Piece, TableError> {
        let columns = self.columns.take();
        let more = columns.as_ref().is_some_and(|columns| columns.first().is_some_and(|column| !column.is_empty()));
        *batch = Batch::from_columns(if more { columns.unwrap_or_default() } else { Vec::new() }, 1);
        Ok(if more { Piece::Rows } else { Piece::End })
    }
}
