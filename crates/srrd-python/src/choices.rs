//! Options as Python gives them, checked once.

use crate::error::of_problem;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use srrd::option::{Given, OPTIONS, OptionInfo};
use srrd::{Options, Question};

/// What was chosen: metric, discount factor, estimator and the rest, checked as the command checks them.
#[pyclass(frozen, module = "srrd._srrd")]
pub struct Choices {
    pub options: Options,
    pub question: Question,
}

#[pymethods]
impl Choices {
    /// Options by their names; None leaves the default.
    #[new]
    fn new(given: &Bound<'_, PyDict>) -> PyResult<Self> {
        // Python has room for all that JSON tells.
        let mut options = Options { noise_floor: true, ..Options::default() };
        for (name, value) in given {
            let name: String = name.extract()?;
            let option = OptionInfo::named(&name).ok_or_else(|| unknown(&name))?;
            if !value.is_none() {
                set(&mut options, option, &value)?;
            }
        }
        let question = options.question().map_err(|problem| of_problem(&problem))?;
        Ok(Choices { options, question })
    }

    /// The names of the metrics.
    #[getter]
    fn metrics(&self) -> Vec<&'static str> {
        self.question.metrics().iter().map(|metric| metric.name()).collect()
    }
}

fn unknown(name: &str) -> PyErr {
    let names: Vec<String> = OPTIONS.iter().map(|option| option.name.replace('-', "_")).collect();
    PyTypeError::new_err(format!("there is no option '{name}': there are {}", names.join(", ")))
}

/// Sets an option to a Python value: a truth value, a number, a text, or several texts.
fn set(options: &mut Options, option: &'static OptionInfo, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let given = |options: &mut Options, given| options.set(option, given).map_err(|problem| of_problem(&problem));
    if let Ok(flag) = value.cast::<PyBool>() {
        return given(options, Given::Flag(flag.is_true()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return given(options, Given::Text(&text.to_cow()?));
    }
    if value.is_instance_of::<PyFloat>() {
        return given(options, Given::Number(value.extract()?));
    }
    if value.is_instance_of::<PyInt>() || value.hasattr("__index__")? {
        // Whole numbers that do not fit are as wrong as those that are too large.
        let number: i128 = value
            .extract()
            .map_err(|_| PyValueError::new_err(format!("{}: {value} is too large", option.name.replace('-', "_"))))?;
        return given(options, Given::Whole(number));
    }
    if let Ok(texts) =
        value.try_iter().and_then(|items| items.map(|item| item?.extract()).collect::<PyResult<Vec<String>>>())
    {
        return given(options, Given::Texts(&texts));
    }
    if let Ok(number) = value.extract::<f64>() {
        return given(options, Given::Number(number));
    }
    let kind = value.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "{}: a value of type {kind} is no {}",
        option.name.replace('-', "_"),
        option.python
    )))
}

/// The options: name, type and default as a stub writes them, and what each is for.
#[pyfunction]
pub fn options() -> Vec<(String, &'static str, Option<&'static str>, &'static str)> {
    let default = |option: &OptionInfo| Some(option.default).filter(|default| !default.is_empty());
    OPTIONS.iter().map(|option| (option.name.replace('-', "_"), option.python, default(option), option.about)).collect()
}

/// The metrics: name, title, and what each does.
#[pyfunction]
pub fn metrics() -> Vec<(&'static str, &'static str, &'static str)> {
    srrd::METRICS.iter().map(|info| (info.name, info.title, info.about)).collect()
}
