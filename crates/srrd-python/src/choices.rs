//! Options as Python gives them, checked once.

use crate::error::{of_problem, of_table};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use srrd::option::{Given, Group, OPTIONS, OptionInfo};
use srrd::question::DynamicsOption;
use srrd::{Metric, Options, Question};
use srrd_data::{model_path, read_model};
use std::sync::Arc;

/// What was chosen: metric, discount factor, estimator and the rest, checked as the command checks them.
#[pyclass(frozen, module = "srrd._srrd")]
pub struct Choices {
    pub question: Question,
}

#[pymethods]
impl Choices {
    /// Options by their names; None leaves the default. `certainty`: also those that say how sure a distance is.
    #[new]
    #[pyo3(signature = (given, certainty=false))]
    fn new(given: &Bound<'_, PyDict>, certainty: bool) -> PyResult<Self> {
        // A single number has no place for the noise floor, and finding it takes time.
        let mut options = Options { noise_floor: certainty, verdict: certainty, ..Options::default() };
        for (name, value) in given {
            let name: String = name.extract()?;
            let option = OptionInfo::named(&name)
                .filter(|option| is_taken(option, certainty))
                .ok_or_else(|| unknown(&name, certainty))?;
            if !value.is_none() {
                set(&mut options, option, &value)?;
            }
        }
        if let DynamicsOption::File(file) = &options.dynamics {
            let path = model_path(file, &["deterministic", "sampled"]);
            options.model = Some(Arc::new(path.and_then(|path| read_model(&path)).map_err(|error| of_table(&error))?));
        }
        // Everything that is known, as the command does: one metric is named where one number is wanted.
        let question = match certainty {
            true => options.question_by(&Metric::SHOWN),
            false => options.question(),
        };
        let question = question.map_err(|problem| of_problem(&problem))?;
        Ok(Choices { question })
    }

    /// The names of the metrics.
    #[getter]
    fn metrics(&self) -> Vec<&'static str> {
        self.question.metrics().iter().map(|metric| metric.name()).collect()
    }
}

/// Whether a comparison takes an option. In Python samples are there already: how they were made is not its choice.
fn is_taken(option: &OptionInfo, certainty: bool) -> bool {
    match option.group {
        Group::Read => false,
        Group::Certainty => certainty,
        _ => true,
    }
}

/// The name of an option in Python.
fn name_of(option: &OptionInfo) -> String {
    option.name.replace('-', "_")
}

fn unknown(name: &str, certainty: bool) -> PyErr {
    let remedy = match OptionInfo::named(name).map(|option| option.group) {
        Some(Group::Read) => "give it where the samples are made: to RewardSample, from_frame or read".to_owned(),
        Some(Group::Certainty) => "only srrd.compare takes it".to_owned(),
        _ => {
            let names: Vec<String> = OPTIONS.iter().filter(|option| is_taken(option, certainty)).map(name_of).collect();
            format!("the options are {}", names.join(", "))
        }
    };
    PyTypeError::new_err(format!("there is no option '{name}' here: {remedy}"))
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
        // An array or a tensor of one number has `__index__`, too, but only one of a whole number is an index.
        match value.extract::<i128>() {
            Ok(number) => return given(options, Given::Whole(number)),
            Err(_) if value.is_instance_of::<PyInt>() => {
                return Err(PyValueError::new_err(format!("{}: {value} is too large", name_of(option))));
            }
            Err(_) => {}
        }
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
    Err(PyTypeError::new_err(format!("{}: {} is needed, not {kind}", name_of(option), option.python)))
}

/// An option: its name, its group, its type and its default as a stub writes them, and what it is for.
type Row = (String, &'static str, String, Option<&'static str>, &'static str);

/// The type of an option as a stub writes it: where its values are names, these.
fn type_of(option: &OptionInfo) -> String {
    let names: Vec<String> = (option.choices)().iter().map(|name| format!("\"{name}\"")).collect();
    match (option.python, names.is_empty()) {
        ("str" | "str | None", false) => option.python.replace("str", &format!("Literal[{}]", names.join(", "))),
        (python, _) => python.to_owned(),
    }
}

/// The options of comparisons: of each its name, its group, its type, its default, and what it is for.
#[pyfunction]
pub fn options() -> Vec<Row> {
    let row = |option: &OptionInfo| {
        let group = match option.group {
            Group::Canonicalize => "canonicalize",
            Group::Read => "read",
            Group::Compare => "compare",
            Group::Certainty => "certainty",
            _ => "other",
        };
        let default = Some(option.default).filter(|default| !default.is_empty());
        (name_of(option), group, type_of(option), default, option.about)
    };
    OPTIONS.iter().map(row).collect()
}

/// The metrics: name, title, and what each does.
#[pyfunction]
pub fn metrics() -> Vec<(&'static str, &'static str, &'static str)> {
    srrd::METRICS.iter().map(|info| (info.name, info.title, info.about)).collect()
}
