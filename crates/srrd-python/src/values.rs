//! JSON values and tokens as Python values.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use serde_json::Value;
use srrd::Token;

/// An answer as Python has it: the values of its JSON, what the command prints of it, and advice, sentence by sentence.
pub type Told<'py> = (Bound<'py, PyAny>, String, Vec<String>);

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
