//! Whole episodes and how alike two rewards judge them.

use crate::columns::Columns;
use crate::error::{of_table, wrong};
use crate::reading::{Reading, notes_as_json, tell};
use crate::values::{Told, each_once, of_json};
use crate::work::{self, Threads};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};
use srrd::Gamma;
use srrd::returns::{Preference, ReturnSettings, ReturnsError, compare_preferences, compare_returns};
use srrd::sure::{Draws, Level};
use srrd_data::{TableError, TableNote, WalkTable, read_preferences, read_walk_table, read_walks};
use srrd_show::present;
use std::path::PathBuf;
use std::sync::Arc;

/// The episodes of a table with one reward.
#[pyclass(frozen, module = "srrd._srrd")]
pub struct Walks {
    pub(crate) walks: Arc<srrd::returns::Walks>,
    /// Whether states and actions were given as texts, so that texts of digits come back as texts.
    pub(crate) texts: [bool; 2],
    /// What was understood of the table that they were read from.
    pub(crate) notes: Arc<[TableNote]>,
}

fn told(py: Python<'_>, read: Result<WalkTable, TableError>, texts: [bool; 2]) -> PyResult<Vec<Walks>> {
    let table = read.map_err(|error| of_table(&error))?;
    tell(py, &table.notes)?;
    let notes: Arc<[TableNote]> = table.notes.into();
    let of = |walks| Walks { walks: Arc::new(walks), texts, notes: Arc::clone(&notes) };
    Ok(table.walks.into_iter().map(of).collect())
}

/// The episodes of columns in memory: by sample and reward column.
#[pyfunction]
pub fn walks_of_columns(
    py: Python<'_>,
    columns: &Bound<'_, PyDict>,
    origin: String,
    name: String,
    reading: &Reading,
) -> PyResult<Vec<Walks>> {
    let (columns, options) = (Columns::new(columns)?, reading.options.clone());
    let texts = [columns.is_text("state"), columns.is_text("action")];
    let read = work::run(py, None, move || read_walk_table(columns.into_reader(&origin), &name, options))?;
    told(py, read, texts)
}

/// The episodes of a file: by sample and reward column.
#[pyfunction]
pub fn walks_of_file(py: Python<'_>, path: PathBuf, reading: &Reading) -> PyResult<Vec<Walks>> {
    let options = reading.options.clone();
    let read = work::run(py, None, move || read_walks(&path, options))?;
    told(py, read, [false; 2])
}

/// The pairs (better, worse) of a table of preferences.
#[pyfunction]
pub fn preferences_of_file(py: Python<'_>, path: PathBuf) -> PyResult<Vec<(String, String)>> {
    let read = work::run(py, None, move || read_preferences(&path))?.map_err(|error| of_table(&error))?;
    Ok(read.into_iter().map(|one| (one.better, one.worse)).collect())
}

/// Everything `srrd returns --json` tells.
#[pyfunction]
#[pyo3(signature = (rewards, preferences, gamma, interval, draws, seed, threads=None))]
#[expect(clippy::too_many_arguments, reason = "one argument per option")]
pub fn returns<'py>(
    py: Python<'py>,
    rewards: Vec<Bound<'py, Walks>>,
    preferences: Option<Vec<(String, String)>>,
    gamma: f64,
    interval: Option<f64>,
    draws: usize,
    seed: u64,
    threads: Option<Threads>,
) -> PyResult<Told<'py>> {
    let settings = ReturnSettings {
        gamma: Gamma::new(gamma).map_err(|e| wrong(format!("gamma: {e}")))?,
        interval: interval.map(Level::new).transpose().map_err(|e| wrong(format!("interval: {e}")))?,
        draws: Draws::new(draws).map_err(|e| wrong(format!("draws: {e}")))?,
        seed,
    };
    let preferences: Option<Vec<Preference>> =
        preferences.map(|pairs| pairs.into_iter().map(|(better, worse)| Preference { better, worse }).collect());
    let notes = each_once(rewards.iter().map(|walks| &walks.get().notes));
    let rewards: Vec<Arc<srrd::returns::Walks>> = rewards.iter().map(|walks| Arc::clone(&walks.get().walks)).collect();
    let found = work::run(py, threads, move || -> Result<(Value, String), ReturnsError> {
        let compared = match rewards.as_slice() {
            [a, b] => Some(compare_returns(a, b, &settings)?),
            _ => None,
        };
        let mut answer = compared.as_ref().map_or_else(|| json!({}), |compared| json!(compared));
        let mut preferred = Vec::new();
        if let Some(preferences) = preferences {
            let of = |walks: &Arc<srrd::returns::Walks>| compare_preferences(walks, &preferences, &settings);
            preferred = rewards.iter().map(of).collect::<Result<Vec<_>, _>>()?;
            answer["preferences"] = json!(preferred);
        }
        Ok((answer, present::returns::text(compared.as_ref(), &preferred)))
    })?;
    let (mut value, text) = found.map_err(|error| wrong(error.to_string()))?;
    value["notes"] = notes_as_json(&notes);
    Ok((of_json(py, &value)?, text, Vec::new()))
}
