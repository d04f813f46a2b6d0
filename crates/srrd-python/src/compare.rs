//! Distances, canonical rewards and what goes with them.

use crate::choices::Choices;
use crate::error::{of_answer, warn, wrong};
use crate::sample::Sample;
use crate::values::of_json;
use crate::work;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;
use srrd::NamedSample;
use srrd::{Comparison, DistanceMatrix, FEW_COMMON, RewardSample, Undefined};
use srrd_cli::answers::{self, Answer, Checked};
use std::sync::Arc;

type Named = Vec<Arc<NamedSample>>;

fn named(samples: &[Bound<'_, Sample>]) -> Named {
    samples.iter().map(|sample| Arc::clone(&sample.get().named)).collect()
}

/// Below this many transitions the loops of one comparison stay on one thread anyway, and take some milliseconds.
const SMALL: usize = 1 << 14;

/// Whether one comparison of these samples is done before a pool has woken up.
fn is_small(samples: &Named, choices: &Choices) -> bool {
    let transitions: usize = samples.iter().map(|named| named.sample.len()).sum();
    let asks_more =
        choices.checked.gamma_is_auto() || samples.iter().any(|named| named.sample.reward_table().is_some());
    transitions < SMALL && !asks_more
}

/// Where an answer is found.
enum Place {
    /// On so many threads, all cores unless given.
    Pool(Option<usize>),
    /// On the calling thread where a single comparison is done there before a pool has woken up, else on so many.
    Nearest(Option<usize>),
}

/// Has `find` answer on the samples, issues its warnings and hands its value on.
fn answered<T: Send + 'static>(
    py: Python<'_>,
    samples: Named,
    choices: &Choices,
    place: Place,
    find: impl FnOnce(&[&NamedSample], &Checked) -> Answer<T> + Send + 'static,
) -> PyResult<T> {
    let checked = choices.checked.clone();
    let here = matches!(place, Place::Nearest(_)) && is_small(&samples, choices);
    let work = move || {
        let references: Vec<&NamedSample> = samples.iter().map(AsRef::as_ref).collect();
        find(&references, &checked)
    };
    let (Place::Pool(threads) | Place::Nearest(threads)) = place;
    let answer = if here {
        work::threads(threads)?;
        work::run_here(py, work)
    } else {
        work::run(py, threads, work)?
    };
    let (value, warnings) = answer.map_err(of_answer)?;
    warn(py, &warnings)?;
    Ok(value)
}

/// Settles settings and samples, then computes.
fn computed<T>(
    samples: &[&NamedSample],
    checked: &Checked,
    compute: impl FnOnce(&[&RewardSample], &srrd::Settings, &mut Vec<String>) -> Result<T, answers::NoAnswer>,
) -> Answer<T> {
    let ((settings, ready), mut warnings) = checked.settled(samples)?;
    let references: Vec<&RewardSample> = ready.iter().map(|named| &named.sample).collect();
    Ok((compute(&references, &settings, &mut warnings)?, warnings))
}

/// The distance of two samples; NaN when it is undefined.
#[pyfunction]
#[pyo3(signature = (a, b, choices, threads=None))]
pub fn distance(
    py: Python<'_>,
    a: &Bound<'_, Sample>,
    b: &Bound<'_, Sample>,
    choices: &Choices,
    threads: Option<usize>,
) -> PyResult<f64> {
    let pair = named(&[a.clone(), b.clone()]);
    answered(py, pair, choices, Place::Nearest(threads), |pair, checked| {
        let metric = checked.metric()?;
        computed(pair, checked, |pair, settings, warnings| {
            let comparison = srrd::distance(pair[0], pair[1], metric, settings);
            warnings.extend(concerns(&comparison, settings.min_common));
            Ok(comparison.distance().unwrap_or(f64::NAN))
        })
    })
}

fn concerns(comparison: &Comparison, min_common: usize) -> Option<String> {
    match comparison.undefined() {
        Some(Undefined::TooFewCommon) => Some(format!(
            "the distance is undefined: the samples share {} transitions, fewer than the {min_common} asked for (--min-common)",
            comparison.common
        )),
        Some(why) => Some(format!("the distance is undefined: {why}")),
        None if comparison.common < FEW_COMMON => Some(format!(
            "only {} transitions are shared: with fewer than {FEW_COMMON} a distance is mostly noise",
            comparison.common
        )),
        None => {
            let shaping = comparison.shaping.filter(|shaping| shaping.degrees_of_freedom < FEW_COMMON)?;
            Some(format!(
                "the distance has {} degrees of freedom: with fewer than {FEW_COMMON} it is mostly noise",
                shaping.degrees_of_freedom
            ))
        }
    }
}

/// Everything `srrd distance --json` tells.
#[pyfunction]
#[pyo3(signature = (a, b, choices, interval=None, chance=false, draws=1000, threads=None))]
#[expect(clippy::too_many_arguments, reason = "one argument an option")]
pub fn compare<'py>(
    py: Python<'py>,
    a: &Bound<'_, Sample>,
    b: &Bound<'_, Sample>,
    choices: &Choices,
    interval: Option<f64>,
    chance: bool,
    draws: usize,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let pair = named(&[a.clone(), b.clone()]);
    let value = answered(py, pair, choices, Place::Pool(threads), move |pair, checked| {
        answers::distance([pair[0], pair[1]], checked, interval, chance, draws)
    })?;
    of_json(py, &value)
}

/// Everything `srrd explain --json` tells.
#[pyfunction]
#[pyo3(signature = (a, b, choices, top=10, threads=None))]
pub fn explain<'py>(
    py: Python<'py>,
    a: &Bound<'_, Sample>,
    b: &Bound<'_, Sample>,
    choices: &Choices,
    top: usize,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let pair = named(&[a.clone(), b.clone()]);
    let value = answered(py, pair, choices, Place::Pool(threads), move |pair, checked| {
        answers::explain([pair[0], pair[1]], checked, top)
    })?;
    of_json(py, &value)
}

/// Everything `srrd inspect --json` tells.
#[pyfunction]
#[pyo3(signature = (samples, choices, space=None, threads=None))]
pub fn inspect<'py>(
    py: Python<'py>,
    samples: Vec<Bound<'_, Sample>>,
    choices: &Choices,
    space: Option<(f64, f64)>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let value = answered(py, named(&samples), choices, Place::Pool(threads), move |samples, checked| {
        answers::inspect(samples, checked, space)
    })?;
    of_json(py, &value)
}

/// Everything `srrd classify --json` tells of labelled samples.
#[pyfunction]
#[pyo3(signature = (samples, choices, gammas, ks, train, repeats, threads=None))]
#[expect(clippy::too_many_arguments, reason = "one argument an option")]
pub fn classify<'py>(
    py: Python<'py>,
    samples: Vec<Bound<'_, Sample>>,
    choices: &Choices,
    gammas: Vec<f64>,
    ks: Vec<usize>,
    train: f64,
    repeats: usize,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let value: Value = answered(py, named(&samples), choices, Place::Pool(threads), move |samples, checked| {
        answers::classify(samples, checked, &gammas, &ks, train, repeats)
    })?;
    of_json(py, &value)
}

/// Canonical rewards, in the order of the sample's transitions.
#[pyfunction]
#[pyo3(signature = (sample, choices, threads=None))]
pub fn canonicalize<'py>(
    py: Python<'py>,
    sample: &Bound<'_, Sample>,
    choices: &Choices,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let only = named(std::slice::from_ref(sample));
    let values = answered(py, only, choices, Place::Nearest(threads), |only, checked| {
        let metric = checked.metric()?;
        computed(only, checked, |only, settings, _| Ok(srrd::canonicalize(only[0], metric, settings)))
    })?;
    Ok(values.into_pyarray(py))
}

/// The distances of all pairs; `undefined` is the value of pairs without one.
#[pyfunction]
#[pyo3(signature = (samples, choices, undefined=None, threads=None))]
pub fn pairwise<'py>(
    py: Python<'py>,
    samples: Vec<Bound<'_, Sample>>,
    choices: &Choices,
    undefined: Option<f64>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let size = samples.len();
    let distances = answered(py, named(&samples), choices, Place::Pool(threads), move |samples, checked| {
        let metric = checked.metric()?;
        computed(samples, checked, |samples, settings, warnings| {
            let matrix = srrd::pairwise(samples, metric, settings);
            warnings.extend(concerns_of_all(&matrix));
            Ok(match undefined {
                Some(value) => matrix.filled(value),
                None => matrix.into_distances(),
            })
        })
    })?;
    distances.into_pyarray(py).reshape([size, size])
}

fn concerns_of_all(matrix: &DistanceMatrix) -> Vec<String> {
    let pairs = matrix.size() * matrix.size().saturating_sub(1) / 2;
    let undefined: Vec<_> = matrix.undefined().iter().filter(|(i, j, _)| i != j).collect();
    let mut concerns = Vec::new();
    if let Some((i, j, why)) = undefined.first() {
        concerns.push(format!(
            "{} of {pairs} distances are undefined; the first is that of samples {i} and {j}: {why}",
            undefined.len()
        ));
    }
    if matrix.few_common() > 0 {
        concerns.push(format!(
            "{} of {pairs} distances are over fewer than {FEW_COMMON} shared transitions: mostly noise",
            matrix.few_common()
        ));
    }
    concerns
}

/// The distances of every row sample to every column sample, NaN where undefined: a block of [`pairwise`], to the last bit.
#[pyfunction]
#[pyo3(signature = (rows, columns, choices, threads=None))]
pub fn cross<'py>(
    py: Python<'py>,
    rows: Vec<Bound<'_, Sample>>,
    columns: Vec<Bound<'_, Sample>>,
    choices: &Choices,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let shape = [rows.len(), columns.len()];
    let all: Vec<Bound<'_, Sample>> = rows.into_iter().chain(columns).collect();
    let distances = answered(py, named(&all), choices, Place::Pool(threads), move |all, checked| {
        let metric = checked.metric()?;
        computed(all, checked, |all, settings, _| {
            let (rows, columns) = all.split_at(shape[0]);
            Ok(srrd::cross_distances(rows, columns, metric, settings))
        })
    })?;
    distances.into_pyarray(py).reshape(shape)
}

/// What samples say about the discount factor.
#[pyfunction]
#[pyo3(signature = (samples, threads=None))]
pub fn estimate_gamma<'py>(
    py: Python<'py>,
    samples: Vec<Bound<'_, Sample>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let samples = named(&samples);
    let (gamma, estimate) = work::run(py, threads, move || {
        let references: Vec<&NamedSample> = samples.iter().map(AsRef::as_ref).collect();
        answers::discount(&references)
    })?;
    let dict = PyDict::new(py);
    dict.set_item("gamma", gamma.get())?;
    dict.set_item("low", estimate.low)?;
    dict.set_item("high", estimate.high)?;
    dict.set_item("identified", estimate.identified)?;
    dict.set_item("degrees_of_freedom", estimate.degrees_of_freedom)?;
    let (gammas, left): (Vec<f64>, Vec<f64>) = estimate.profile.into_iter().unzip();
    dict.set_item("profile_gamma", gammas.into_pyarray(py))?;
    dict.set_item("profile_unexplained", left.into_pyarray(py))?;
    Ok(dict)
}

/// Points in the plane whose distances come near the given ones (classical scaling).
#[pyfunction]
pub fn embed<'py>(py: Python<'py>, distances: PyReadonlyArray2<'_, f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (rows, columns) = (distances.shape()[0], distances.shape()[1]);
    if rows != columns {
        return Err(wrong(format!("the distances are {rows} × {columns}: they must be a square")));
    }
    let distances = distances.as_slice()?.to_vec();
    let points = work::run(py, None, move || srrd::embed(&distances, rows))?;
    points.into_iter().flatten().collect::<Vec<f64>>().into_pyarray(py).reshape([rows, 2])
}
