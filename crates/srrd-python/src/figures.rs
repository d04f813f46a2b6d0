//! Groups of samples, and where two of them differ as a picture.

use crate::choices::Choices;
use crate::compare::{Place, answered, named};
use crate::error::{of_problem, wrong};
use crate::sample::Sample;
use crate::work::Threads;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use srrd::Problem;
use srrd::cluster::{ClusterCount, ClusterError, cluster as grouped};
use srrd::warning::undefined_in_words;
use srrd::{FrontEnd, NamedSample};
use srrd_show::Figure;
use srrd_show::present::explanation::Picture;

/// Labels and silhouettes.
type Groups<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

/// The group of every sample from 1 on, and how well it fits there, as `srrd matrix --clusters` writes them.
#[pyfunction]
pub fn cluster<'py>(py: Python<'py>, distances: PyReadonlyArray2<'_, f64>, clusters: &str) -> PyResult<Groups<'py>> {
    let of_error = |error: ClusterError| of_problem(&Problem::Clusters(error));
    let count: ClusterCount = clusters.parse().map_err(of_error)?;
    let [rows, columns] = [distances.shape()[0], distances.shape()[1]];
    if rows != columns {
        return Err(wrong(format!("distances: a square matrix is needed, not {rows} x {columns}")));
    }
    let values: Vec<f64> = distances.as_array().iter().copied().collect();
    let found = py.detach(|| grouped(rows, &values, count)).map_err(of_error)?;
    let labels: Vec<i64> = found.labels.iter().map(|&label| label as i64).collect();
    Ok((labels.into_pyarray(py), found.silhouettes.into_pyarray(py)))
}

/// The picture of `srrd explain --plot`, as SVG and PNG.
#[pyfunction]
#[pyo3(signature = (a, b, choices, threads=None))]
pub fn picture<'py>(
    py: Python<'py>,
    a: &Bound<'_, Sample>,
    b: &Bound<'_, Sample>,
    choices: &Choices,
    threads: Option<Threads>,
) -> PyResult<(String, Bound<'py, PyBytes>)> {
    let pair = named(&[a.clone(), b.clone()]);
    let drawn = answered(py, pair, choices, Place::Pool(threads), move |pair, question| {
        let found = srrd::explain(pair[0], pair[1], question, 0)?;
        let least = question.settings().min_common;
        Ok((drawing([pair[0], pair[1]], &found, least), found.warnings))
    })?;
    match drawn {
        Ok((svg, png)) => Ok((svg, PyBytes::new(py, &png))),
        Err(Undrawn::Undefined(why)) => Err(wrong(why)),
        Err(Undrawn::Figure(why)) => Err(PyRuntimeError::new_err(why)),
    }
}

/// Why there is no picture.
enum Undrawn {
    Undefined(String),
    Figure(String),
}

fn drawing(
    pair: [&NamedSample; 2],
    found: &srrd::answer::Explained,
    min_common: usize,
) -> Result<(String, Vec<u8>), Undrawn> {
    let Some(explanation) = &found.explanation else {
        let why = found
            .distance
            .undefined()
            .map_or(String::new(), |why| undefined_in_words(why, found.distance.common, min_common, FrontEnd::Python));
        return Err(Undrawn::Undefined(format!(
            "there is nothing to draw: the {} distance is undefined: {why}",
            found.metric
        )));
    };
    let failed = |error: srrd_show::FigureError| Undrawn::Figure(error.to_string());
    let drawing = Picture::of(pair[0]).draw(pair, explanation).map_err(failed)?.draw();
    // As sharp as the command draws it.
    Ok((drawing.to_svg(), drawing.to_png(2.0).map_err(failed)?))
}
