//! Reward models side by side.

use crate::error::{of_table, wrong};
use crate::sample::Sample;
use crate::values::{Told, of_json};
use crate::work::{self, Threads};
use pyo3::prelude::*;
use serde_json::json;
use srrd::NamedSample;
use srrd::models::{ModelSettings, compare_models};
use srrd::sure::{Draws, Level};
use srrd_data::{ReadOptions, TableOptions, open, score_columns};
use srrd_show::present;
use std::path::PathBuf;

/// The columns of a file that hold scores.
#[pyfunction]
pub fn score_columns_of_file(py: Python<'_>, path: PathBuf) -> PyResult<Vec<String>> {
    let found =
        work::run(py, None, move || score_columns(open(&path, &ReadOptions::default())?, &TableOptions::default()))?;
    found.map_err(|error| of_table(&error))
}

/// Everything `srrd models --json` tells.
#[pyfunction]
#[pyo3(signature = (samples, gold, interval, draws, seed, top, threads=None))]
#[expect(clippy::too_many_arguments, reason = "one argument per option")]
pub fn models<'py>(
    py: Python<'py>,
    samples: Vec<Bound<'py, Sample>>,
    gold: Option<String>,
    interval: f64,
    draws: usize,
    seed: u64,
    top: usize,
    threads: Option<Threads>,
) -> PyResult<Told<'py>> {
    let settings = ModelSettings {
        level: Level::new(interval).map_err(|e| wrong(format!("interval: {e}")))?,
        draws: Draws::new(draws).map_err(|e| wrong(format!("draws: {e}")))?,
        seed,
        top,
    };
    let models: Vec<NamedSample> = samples.iter().map(|sample| NamedSample::clone(&sample.get().named)).collect();
    let found = work::run(py, threads, move || compare_models(&models, gold.as_deref(), &settings))?;
    let found = found.map_err(|error| wrong(error.to_string()))?;
    Ok((of_json(py, &json!(found))?, present::models::text(&found), Vec::new()))
}
