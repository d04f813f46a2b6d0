//! JSON values and tokens as Python values.

use crate::reading::notes_as_json;
use crate::sample::Sample;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use serde::Serialize;
use serde_json::{Value, json};
use srrd::{FrontEnd, Token, Warning};
use srrd_data::TableNote;
use std::sync::Arc;

/// An answer as Python has it: the values of its JSON, what the command prints of it, and advice, sentence by sentence.
pub type Told<'py> = (Bound<'py, PyAny>, String, Vec<String>);

/// An answer about samples as Python values: those of its JSON, with warnings in Python's words and what was understood of the tables that
/// the samples were read from.
pub fn of_answer<'py>(
    py: Python<'py>,
    answer: &impl Serialize,
    warnings: Option<&[Warning]>,
    samples: &[Bound<'_, Sample>],
) -> PyResult<Bound<'py, PyAny>> {
    let mut value = serde_json::to_value(answer).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let told = |warning: &Warning| json!({"kind": warning.kind(), "message": warning.say(FrontEnd::Python)});
    if let Some(warnings) = warnings {
        value["warnings"] = warnings.iter().map(told).collect();
    }
    value["notes"] = notes_as_json(&each_once(samples.iter().map(|sample| &sample.get().notes)));
    of_json(py, &value)
}

/// What was understood of several tables, each note once.
pub fn each_once<'a>(tables: impl IntoIterator<Item = &'a Arc<[TableNote]>>) -> Vec<TableNote> {
    let mut notes: Vec<TableNote> = Vec::new();
    for note in tables.into_iter().flat_map(|table| table.iter()) {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    notes
}

/// The same value in Python.
pub fn of_json<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(value) => value.into_bound_py_any(py),
        Value::String(value) => value.into_bound_py_any(py),
        Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(value), _, _) => value.into_bound_py_any(py),
            (None, Some(value), _) => value.into_bound_py_any(py),
            (None, None, value) => value.into_bound_py_any(py),
        },
        Value::Array(values) => {
            let list = PyList::empty(py);
            for value in values {
                list.append(of_json(py, value)?)?;
            }
            Ok(list.into_any())
        }
        Value::Object(fields) => {
            let dict = PyDict::new(py);
            for (name, value) in fields {
                dict.set_item(name, of_json(py, value)?)?;
            }
            Ok(dict.into_any())
        }
    }
}

/// A token as the user gave it: an integer, a text, or a tuple of numbers. `as_text`: integers were texts.
pub fn of_token<'py>(py: Python<'py>, token: Token<'_>, as_text: bool) -> PyResult<Bound<'py, PyAny>> {
    if let Some(features) = token.as_features() {
        return Ok(PyTuple::new(py, features)?.into_any());
    }
    match token.as_int() {
        Some(value) if !as_text => value.into_bound_py_any(py),
        _ => token.to_string().into_bound_py_any(py),
    }
}
