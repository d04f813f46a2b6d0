//! Distances, canonical rewards and what goes with them.

use crate::choices::Choices;
use crate::error::{of_problem, warn, wrong};
use crate::sample::Sample;
use crate::values::{Told, of_answer};
use crate::work::{self, Threads};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use srrd::answer::{AllPairs, ClassifyOptions, ClassifyPlan, Space, Tally};
use srrd::settings::Shrinkage;
use srrd::{
    DistanceMatrix, FrontEnd, METRICS, Metric, NamedSample, Problem, Question, RewardSample, Settings, Warning,
};
use srrd_show::present::{classification, comparison, explanation, inspection, verdict};
use std::sync::Arc;

pub(crate) type Named = Vec<Arc<NamedSample>>;

pub(crate) fn named(samples: &[Bound<'_, Sample>]) -> Named {
    samples.iter().map(|sample| Arc::clone(&sample.get().named)).collect()
}

/// Below this many transitions the loops of one comparison stay on one thread anyway, and take some milliseconds.
const SMALL: usize = 1 << 14;

/// Whether one comparison of these samples is done before a pool has woken up.
fn is_small(samples: &Named, choices: &Choices) -> bool {
    let transitions: usize = samples.iter().map(|named| named.sample.len()).sum();
    let asks_more =
        choices.question.gamma_from_data() || samples.iter().any(|named| named.sample.reward_table().is_some());
    transitions < SMALL && !asks_more
}

/// Where an answer is found.
pub(crate) enum Place {
    /// On so many threads, all cores unless given.
    Pool(Option<Threads>),
    /// On the calling thread where a single comparison is done there before a pool has woken up, else on so many.
    Nearest(Option<Threads>),
}

/// An answer, and what to warn about.
type Answer<T> = Result<(T, Vec<Warning>), Problem>;

/// Has `find` answer on the samples, issues its warnings and hands its value on.
pub(crate) fn answered<T: Send + 'static>(
    py: Python<'_>,
    samples: Named,
    choices: &Choices,
    place: Place,
    find: impl FnOnce(&[&NamedSample], &Question) -> Answer<T> + Send + 'static,
) -> PyResult<T> {
    let question = choices.question.clone();
    let here = matches!(place, Place::Nearest(_)) && is_small(&samples, choices);
    let work = move || {
        let references: Vec<&NamedSample> = samples.iter().map(AsRef::as_ref).collect();
        find(&references, &question)
    };
    let (Place::Pool(threads) | Place::Nearest(threads)) = place;
    let answer = if here {
        work::threads(threads)?;
        work::run_here(py, work)
    } else {
        work::run(py, threads, work)?
    };
    let (value, warnings) = answer.map_err(|problem| of_problem(&problem))?;
    warn(py, &warnings)?;
    Ok(value)
}

/// The distance of two samples; NaN when it is undefined.
#[pyfunction]
#[pyo3(signature = (a, b, choices, threads=None))]
pub fn distance(
    py: Python<'_>,
    a: &Bound<'_, Sample>,
    b: &Bound<'_, Sample>,
    choices: &Choices,
    threads: Option<Threads>,
) -> PyResult<f64> {
    let pair = named(&[a.clone(), b.clone()]);
    answered(py, pair, choices, Place::Nearest(threads), |pair, question| {
        let metric = question.metric("a distance is")?;
        let mut found = srrd::compare(pair[0], pair[1], question)?;
        let distance = found.results.first().and_then(|finding| finding.distance.distance());
        // A number alone cannot show which metric fits. Python shows a warning once per line of the caller.
        if !question.is_chosen()
            && let Some(advised) = question.advised(pair).filter(|advised| *advised != metric)
        {
            found.warnings.push(Warning::OtherAdvised { metric, advised });
        }
        Ok((distance.unwrap_or(f64::NAN), found.warnings))
    })
}

/// Everything `srrd distance --json` tells.
#[pyfunction]
#[pyo3(signature = (a, b, choices, threads=None))]
pub fn compare<'py>(
    py: Python<'py>,
    a: &Bound<'_, Sample>,
    b: &Bound<'_, Sample>,
    choices: &Choices,
    threads: Option<Threads>,
) -> PyResult<Told<'py>> {
    let samples = [a.clone(), b.clone()];
    let found = answered(py, named(&samples), choices, Place::Pool(threads), |pair, question| {
        let found = srrd::compare(pair[0], pair[1], question)?;
        let warnings = found.warnings.clone();
        Ok((found, warnings))
    })?;
    let sentences = found.verdict.iter().map(|found| format!("{}.", verdict::sentence(found))).collect();
    Ok((of_answer(py, &found, Some(&found.warnings), &samples)?, comparison::text(&found), sentences))
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
    threads: Option<Threads>,
) -> PyResult<Told<'py>> {
    let samples = [a.clone(), b.clone()];
    let found = answered(py, named(&samples), choices, Place::Pool(threads), move |pair, question| {
        let found = srrd::explain(pair[0], pair[1], question, top)?;
        let warnings = found.warnings.clone();
        Ok((found, warnings))
    })?;
    Ok((
        of_answer(py, &found, Some(&found.warnings), &samples)?,
        explanation::text(&found),
        vec![explanation::summary(&found).0],
    ))
}

/// Everything `srrd inspect --json` tells.
#[pyfunction]
#[pyo3(signature = (samples, choices, space=None, threads=None))]
pub fn inspect<'py>(
    py: Python<'py>,
    samples: Vec<Bound<'_, Sample>>,
    choices: &Choices,
    space: Option<(f64, f64)>,
    threads: Option<Threads>,
) -> PyResult<Told<'py>> {
    let space = space.map(|(states, actions)| Space { states, actions });
    let found = answered(py, named(&samples), choices, Place::Pool(threads), move |samples, question| {
        let found = srrd::inspect(samples, question, space)?;
        let warnings = found.warnings.clone();
        Ok((found, warnings))
    })?;
    Ok((
        of_answer(py, &found, Some(&found.warnings), &samples)?,
        inspection::text(&found, FrontEnd::Python),
        inspection::sentences(&found, FrontEnd::Python),
    ))
}

/// Everything `srrd classify --json` tells of labelled samples.
#[pyfunction]
#[pyo3(signature = (samples, choices, gammas, ks, train, repeats, shrinkage=None, threads=None))]
#[expect(clippy::too_many_arguments, reason = "one argument per option")]
pub fn classify<'py>(
    py: Python<'py>,
    samples: Vec<Bound<'_, Sample>>,
    choices: &Choices,
    gammas: Vec<f64>,
    ks: Vec<usize>,
    train: f64,
    repeats: usize,
    shrinkage: Option<f64>,
    threads: Option<Threads>,
) -> PyResult<Told<'py>> {
    let shrinkage = shrinkage.unwrap_or(ClassifyOptions::default().shrinkage);
    let options = ClassifyOptions { gammas, ks, train, repeats, shrinkage };
    let found = answered(py, named(&samples), choices, Place::Pool(threads), move |samples, question| {
        let found = srrd::answer::classify(samples, &ClassifyPlan::new(question, &options)?)?;
        let warnings = found.warnings.clone();
        Ok((found, warnings))
    })?;
    Ok((of_answer(py, &found, Some(&found.warnings), &samples)?, classification::text(&found), Vec::new()))
}

/// Canonical rewards, in the order of the sample's transitions.
#[pyfunction]
#[pyo3(signature = (sample, choices, threads=None))]
pub fn canonicalize<'py>(
    py: Python<'py>,
    sample: &Bound<'_, Sample>,
    choices: &Choices,
    threads: Option<Threads>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let only = named(std::slice::from_ref(sample));
    let values = answered(py, only, choices, Place::Nearest(threads), |only, question| {
        let metric = question.metric("canonical rewards are")?;
        let settled = question.settle(only)?;
        let values = srrd::canonicalize(settled.rewards()[0], metric, &settled.settings);
        Ok((values, settled.warnings))
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
    threads: Option<Threads>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let size = samples.len();
    let distances = answered(py, named(&samples), choices, Place::Pool(threads), move |samples, question| {
        let found = srrd::matrix(samples, question)?;
        let distances = match undefined {
            Some(value) => found.distances.filled(value),
            None => found.distances.into_distances(),
        };
        Ok((distances, found.warnings))
    })?;
    distances.into_pyarray(py).reshape([size, size])
}

/// What the distance of every pair rests on, row after row: where shaping is projected out the degrees of freedom that it leaves, by
/// other metrics the shared transitions.
#[pyfunction]
#[pyo3(signature = (samples, choices, threads=None))]
pub fn degrees_of_freedom<'py>(
    py: Python<'py>,
    samples: Vec<Bound<'_, Sample>>,
    choices: &Choices,
    threads: Option<Threads>,
) -> PyResult<Bound<'py, PyArray2<usize>>> {
    let size = samples.len();
    let found = answered(py, named(&samples), choices, Place::Pool(threads), move |samples, question| {
        let metric = question.metric("degrees of freedom are")?;
        // How many transitions two samples share does not depend on how they are canonicalized.
        let metric = if metric == Metric::Projected { metric } else { Metric::Direct };
        let settled = question.settle(samples)?;
        let (rewards, settings) = (settled.rewards(), &settled.settings);
        let pairs: Vec<(usize, usize)> = (0..size).flat_map(|i| (i..size).map(move |j| (i, j))).collect();
        let one = |&(i, j): &(usize, usize)| {
            let found = srrd::distance(rewards[i], rewards[j], metric, settings);
            found.shaping.map_or(found.common, |shaping| shaping.degrees_of_freedom)
        };
        let worth: Vec<usize> = pairs.par_iter().map(one).collect();
        let mut square = vec![0; size * size];
        for (&(i, j), &worth) in pairs.iter().zip(&worth) {
            square[i * size + j] = worth;
            square[j * size + i] = worth;
        }
        Ok((square, Vec::new()))
    })?;
    found.into_pyarray(py).reshape([size, size])
}

/// Raises MemoryError where the distances of all pairs of so many samples need more memory than there is.
#[pyfunction]
pub fn check_matrix(samples: usize) -> PyResult<()> {
    DistanceMatrix::check_memory(samples).map_err(|problem| of_problem(&problem))
}

/// What `find` has for every row sample and every column sample, which it gets one behind the other, rows first.
fn rectangle<'py>(
    py: Python<'py>,
    samples: [Vec<Bound<'_, Sample>>; 2],
    choices: &Choices,
    threads: Option<Threads>,
    find: impl FnOnce(&[&NamedSample], &Question) -> Answer<Vec<f64>> + Send + 'static,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let shape = [samples[0].len(), samples[1].len()];
    let all: Vec<Bound<'_, Sample>> = samples.into_iter().flatten().collect();
    answered(py, named(&all), choices, Place::Pool(threads), find)?.into_pyarray(py).reshape(shape)
}

/// The distances of every row sample to every column sample, NaN where undefined: a block of [`pairwise`], to the last bit.
#[pyfunction]
#[pyo3(signature = (rows, columns, choices, threads=None))]
pub fn cross<'py>(
    py: Python<'py>,
    rows: Vec<Bound<'_, Sample>>,
    columns: Vec<Bound<'_, Sample>>,
    choices: &Choices,
    threads: Option<Threads>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let count = rows.len();
    rectangle(py, [rows, columns], choices, threads, move |all, question| {
        crossed(all.split_at(count), question, question.metric("a matrix is")?, None)
    })
}

/// The distances of every row sample to every column sample, correlations over few transitions drawn to 0 by the shrinkage.
fn crossed(
    (rows, columns): (&[&NamedSample], &[&NamedSample]),
    question: &Question,
    metric: Metric,
    shrinkage: Option<Shrinkage>,
) -> Answer<Vec<f64>> {
    let settled = question.settle(&[rows, columns].concat())?;
    let shrinkage = shrinkage.unwrap_or(settled.settings.shrinkage);
    let rewards = settled.rewards();
    let (rows, columns) = rewards.split_at(rows.len());
    let found = srrd::compare::cross_distances(rows, columns, metric, &Settings { shrinkage, ..settled.settings });
    Ok((found.distances, settled.warnings))
}

/// A block of [`pairwise`], to the last bit: the distances of every row sample to every column sample, or of the row samples among
/// themselves, NaN where undefined; and how many of them are over few shared transitions. Nothing is warned about: that is for whoever
/// puts the blocks together.
#[pyfunction]
#[pyo3(signature = (rows, columns, choices, threads=None))]
pub fn block<'py>(
    py: Python<'py>,
    rows: Vec<Bound<'_, Sample>>,
    columns: Option<Vec<Bound<'_, Sample>>>,
    choices: &Choices,
    threads: Option<Threads>,
) -> PyResult<(Bound<'py, PyArray2<f64>>, usize)> {
    let shape = [rows.len(), columns.as_ref().map_or(rows.len(), Vec::len)];
    let among = columns.is_none();
    let all: Vec<Bound<'_, Sample>> = rows.into_iter().chain(columns.into_iter().flatten()).collect();
    let (distances, few) = answered(py, named(&all), choices, Place::Pool(threads), move |all, question| {
        let metric = question.metric("a matrix is")?;
        let settled = question.settle(all)?;
        let (rewards, settings) = (settled.rewards(), &settled.settings);
        let (rows, columns) = rewards.split_at(shape[0]);
        let found = match among {
            true => {
                let found = srrd::pairwise(rows, metric, settings);
                let few = found.few_common();
                (found.into_distances(), few)
            }
            false => {
                let found = srrd::compare::cross_distances(rows, columns, metric, settings);
                (found.distances, found.few_common)
            }
        };
        Ok((found, Vec::new()))
    })?;
    Ok((distances.into_pyarray(py).reshape(shape)?, few))
}

/// The distances that neighbours are found by: as [`block`], with correlations over few transitions drawn to 0.
#[pyfunction]
#[pyo3(signature = (rows, columns, choices, shrinkage, threads=None))]
pub fn neighbour_distances<'py>(
    py: Python<'py>,
    rows: Vec<Bound<'_, Sample>>,
    columns: Vec<Bound<'_, Sample>>,
    choices: &Choices,
    shrinkage: f64,
    threads: Option<Threads>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let count = rows.len();
    rectangle(py, [rows, columns], choices, threads, move |all, question| {
        let metric = question.metric("neighbours are")?;
        let shrinkage = Shrinkage::new(shrinkage).map_err(|error| Problem::Value { option: "shrinkage", error })?;
        let (distances, _) = crossed(all.split_at(count), question, metric, Some(shrinkage))?;
        Ok((distances, Vec::new()))
    })
}

/// 1 − the share of common transitions of every row sample and every column sample, NaN where there are none.
#[pyfunction]
#[pyo3(signature = (rows, columns, choices, threads=None))]
pub fn overlap_distances<'py>(
    py: Python<'py>,
    rows: Vec<Bound<'_, Sample>>,
    columns: Vec<Bound<'_, Sample>>,
    choices: &Choices,
    threads: Option<Threads>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let count = rows.len();
    rectangle(py, [rows, columns], choices, threads, move |all, _| {
        let rewards: Vec<&RewardSample> = all.iter().map(|named| &named.sample).collect();
        let (rows, columns) = rewards.split_at(count);
        Ok((srrd::compare::overlap_distances(rows, columns), Vec::new()))
    })
}

/// What classification takes as shrinkage unless it is told otherwise.
#[pyfunction]
pub fn default_shrinkage() -> f64 {
    Shrinkage::OF_NEIGHBOURS.get()
}

/// Checks that samples can be compared as asked, warns of what there is to know about them, and returns the discount factor: the given
/// one, or the one that is estimated from the samples.
#[pyfunction]
#[pyo3(signature = (samples, choices, threads=None))]
pub fn settle(
    py: Python<'_>,
    samples: Vec<Bound<'_, Sample>>,
    choices: &Choices,
    threads: Option<Threads>,
) -> PyResult<f64> {
    answered(py, named(&samples), choices, Place::Pool(threads), |samples, question| {
        question.metric("a matrix is")?;
        let settled = question.settle(samples)?;
        Ok((settled.settings.gamma.get(), settled.warnings))
    })
}

/// As [`settle`], for a matrix: the discount factor, the metric, and the one that fits the samples better, where none was named.
#[pyfunction]
#[pyo3(signature = (samples, choices, threads=None))]
pub fn settle_matrix(
    py: Python<'_>,
    samples: Vec<Bound<'_, Sample>>,
    choices: &Choices,
    threads: Option<Threads>,
) -> PyResult<(f64, &'static str, Option<&'static str>)> {
    answered(py, named(&samples), choices, Place::Pool(threads), |samples, question| {
        let asked = AllPairs::new(samples, question)?;
        let settled = (asked.settings().gamma.get(), asked.metric().name(), asked.advised().map(Metric::name));
        Ok((settled, asked.warnings().to_vec()))
    })
}

/// Warns of what there is to know about the distances of so many samples: `undefined` pairs without one, of which `first` are the
/// first samples, at this place, and `few` over few shared transitions.
#[pyfunction]
#[pyo3(signature = (samples, choices, undefined, first, at, few, advised))]
#[expect(clippy::too_many_arguments, reason = "they are what was counted, by name")]
pub fn warn_of_matrix(
    py: Python<'_>,
    samples: usize,
    choices: &Choices,
    undefined: usize,
    first: Option<[Bound<'_, Sample>; 2]>,
    at: [usize; 2],
    few: usize,
    advised: Option<&str>,
) -> PyResult<()> {
    let advised = advised.and_then(|name| METRICS.iter().find(|info| info.name == name)).map(|info| info.metric);
    let pair = first.map_or_else(Vec::new, |pair| named(&pair));
    answered(py, pair, choices, Place::Nearest(None), move |pair, question| {
        let metric = question.metric("a matrix is")?;
        let why = match pair {
            [a, b] => srrd::compare(a, b, question)?.results.first().and_then(|finding| finding.distance.undefined()),
            _ => None,
        };
        let tally = Tally { undefined, first: why.map(|why| (at[0], at[1], why)), few_common: few };
        let names = why.map(|_| [pair[0].name.clone(), pair[1].name.clone()]);
        Ok(((), tally.warnings(samples, names, metric, advised)))
    })
}

/// What samples say about the discount factor.
#[pyfunction]
#[pyo3(signature = (samples, threads=None))]
pub fn estimate_gamma<'py>(
    py: Python<'py>,
    samples: Vec<Bound<'_, Sample>>,
    threads: Option<Threads>,
) -> PyResult<Bound<'py, PyDict>> {
    let samples = named(&samples);
    let estimate = work::run(py, threads, move || {
        let references: Vec<_> = samples.iter().map(|named| &named.sample).collect();
        srrd::estimate_gamma(&references)
    })?;
    let dict = PyDict::new(py);
    dict.set_item("gamma", estimate.taken().get())?;
    dict.set_item("low", estimate.low)?;
    dict.set_item("high", estimate.high)?;
    dict.set_item("identified", estimate.identified)?;
    dict.set_item("degrees_of_freedom", estimate.degrees_of_freedom)?;
    let (gammas, left): (Vec<f64>, Vec<f64>) = estimate.profile.into_iter().unzip();
    dict.set_item("profile_gamma", gammas.into_pyarray(py))?;
    dict.set_item("profile_unexplained", left.into_pyarray(py))?;
    Ok(dict)
}

/// Points in the plane whose distances are close to the given ones (classical scaling).
#[pyfunction]
pub fn embed<'py>(py: Python<'py>, distances: PyReadonlyArray2<'_, f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (rows, columns) = (distances.shape()[0], distances.shape()[1]);
    if rows != columns {
        return Err(wrong(format!("the distances are {rows} × {columns}: they must be a square")));
    }
    let distances = distances.as_slice()?.to_vec();
    let points = work::run(py, None, move || srrd::compare::embed(&distances, rows))?;
    points.into_iter().flatten().collect::<Vec<f64>>().into_pyarray(py).reshape([rows, 2])
}
