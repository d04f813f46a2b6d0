//! What goes wrong, as Python exceptions with the command's words.

use pyo3::create_exception;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyPermissionError, PyUserWarning, PyValueError};
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
    wrong(problem.say(FrontEnd::Python))
}

pub fn of_table(error: &TableError) -> PyErr {
    let message = error.to_string();
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
    for warning in warnings {
        let text = CString::new(warning.say(FrontEnd::Python).replace('\0', "\u{fffd}"))?;
        // 1 is the function of the package, 2 its caller.
        PyErr::warn(py, &py.get_type::<DataWarning>(), &text, 2)?;
    }
    Ok(())
}
