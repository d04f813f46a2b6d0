//! What goes wrong, as Python exceptions with the command's words.

use pyo3::create_exception;
use pyo3::exceptions::{PyFileNotFoundError, PyMemoryError, PyOSError, PyPermissionError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use srrd::{FrontEnd, Problem, Warning};
use srrd_data::{ErrorKind, TableError};
use srrd_lab::LabError;
use std::ffi::CString;

create_exception!(srrd, DataWarning, PyUserWarning, "What there is to know about data before a distance is trusted.");

/// The call or the input was wrong.
pub fn wrong(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}

pub fn of_problem(problem: &Problem) -> PyErr {
    let message = problem.say(FrontEnd::Python);
    match problem {
        Problem::Memory { .. } => PyMemoryError::new_err(message),
        _ => wrong(message),
    }
}

pub fn of_table(error: &TableError) -> PyErr {
    let message = error.say(FrontEnd::Python);
    match error.kind() {
        ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
        ErrorKind::PermissionDenied => PyPermissionError::new_err(message),
        ErrorKind::Io | ErrorKind::BrokenPipe => PyOSError::new_err(message),
        _ => wrong(message),
    }
}

pub fn of_lab(error: LabError) -> PyErr {
    match error {
        LabError::Parameter { name, what } => wrong(format!("{}: {what}", name.replace('-', "_"))),
        error if error.is_wrong() => wrong(error.to_string()),
        error => PyOSError::new_err(error.to_string()),
    }
}

/// Issues the warnings that came with an answer, as if the caller of the package had caused them.
pub fn warn(py: Python<'_>, warnings: &[Warning]) -> PyResult<()> {
    warnings.iter().try_for_each(|warning| warn_in_words(py, &warning.say(FrontEnd::Python)))
}

/// Issues a warning in these words, as if the caller of the package had caused it.
#[pyfunction]
#[pyo3(name = "warn")]
pub fn warn_in_words(py: Python<'_>, message: &str) -> PyResult<()> {
    let text = CString::new(message.replace('\0', "\u{fffd}"))?;
    PyErr::warn(py, &py.get_type::<DataWarning>(), &text, frames_of_the_package(py)? + 1)
}

/// How many calls within the package led here: warnings of a function should name the line of the user, however deep it was called.
fn frames_of_the_package(py: Python<'_>) -> PyResult<i32> {
    let mut frame = py.import("sys")?.call_method0("_getframe")?;
    let mut count = 0;
    while !frame.is_none() {
        let module = frame.getattr("f_globals")?.call_method1("get", ("__name__",))?;
        let inside = module.extract::<String>().is_ok_and(|name| name == "srrd" || name.starts_with("srrd."));
        if !inside {
            break;
        }
        count += 1;
        frame = frame.getattr("f_back")?;
    }
    Ok(count)
}
