//! What it costs to act on the wrong reward.

use crate::error::{of_table, wrong};
use crate::sample::Sample;
use crate::values::{Told, of_answer};
use crate::work::{self, Threads};
use pyo3::prelude::*;
use srrd::Gamma;
use srrd::regret::sampled_regret;
use srrd_data::read_model;
use srrd_show::present;
use std::path::PathBuf;
use std::sync::Arc;

/// Everything `srrd regret --json` tells. The model is a sample whose rewards are probabilities, or a file.
#[pyfunction]
#[pyo3(signature = (a, b, model, file, gamma, starts, threads=None))]
#[expect(clippy::too_many_arguments, reason = "one argument per option")]
pub fn regret<'py>(
    py: Python<'py>,
    a: &Bound<'_, Sample>,
    b: &Bound<'_, Sample>,
    model: Option<&Bound<'_, Sample>>,
    file: Option<PathBuf>,
    gamma: f64,
    starts: Vec<String>,
    threads: Option<Threads>,
) -> PyResult<Told<'py>> {
    let gamma = Gamma::new(gamma).map_err(|e| wrong(format!("gamma: {e}")))?;
    let samples = [a.clone(), b.clone()];
    let [a, b] = [a, b].map(|sample| Arc::clone(&sample.get().named));
    let given = model.map(|model| Arc::clone(&model.get().named));
    let read = match file {
        None => None,
        Some(path) => Some(work::run(py, None, move || read_model(&path))?.map_err(|error| of_table(&error))?),
    };
    let names = [a.name.clone(), b.name.clone()];
    let found = work::run(py, threads, move || {
        let model = read.as_ref().or(given.as_ref().map(|given| &given.sample));
        sampled_regret(&a.sample, &b.sample, model, gamma, &starts).map(|found| found.named(&a.name, &b.name))
    })?;
    let found = found.map_err(|error| wrong(error.to_string()))?;
    let names = [names[0].as_str(), &names[1]];
    let (text, sentences) =
        (present::regret::text(names, &found.found), present::regret::sentences(names, &found.found));
    Ok((of_answer(py, &found, None, &samples)?, text, sentences))
}
