//! What goes wrong, as Python exceptions with the command's words.

use pyo3::create_exception;
use pyo3::exceptions::{
    PyFileNotFoundError, PyOSError, PyPermissionError, PyRuntimeError, PyUserWarning, PyValueError,
};
use pyo3::prelude::*;
use srrd_cli::answers::NoAnswer;
use srrd_data::{ErrorKind, TableError};
use srrd_lab::LabError;
use std::ffi::CString;
use std::fmt::Write;

create_exception!(srrd, DataWarning, PyUserWarning, "What there is to know about data before a distance is trusted.");

/// The command's words as Python users know things: `--min-common` is `min_common` to them.
pub fn in_python(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find("--") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        text.push_str(before);
        let option: String = after.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
        if option.starts_with(|c: char| c.is_ascii_lowercase()) && !before.ends_with(|c: char| c.is_alphanumeric()) {
            let _ = write!(text, "{}", option.trim_end_matches('-').replace('-', "_"));
            text.push_str(&option[option.trim_end_matches('-').len()..]);
        } else {
            let _ = write!(text, "--{option}");
        }
        rest = &after[option.len()..];
    }
    text + rest
}

/// The call or the input was wrong.
pub fn wrong(message: impl AsRef<str>) -> PyErr {
    PyValueError::new_err(in_python(message.as_ref()))
}

pub fn of_answer(error: NoAnswer) -> PyErr {
    match error {
        // Tables name features by their columns, arrays by an argument.
        NoAnswer::Wrong(message) if message.contains("by the features") => {
            wrong(message + " (`state_features` and `action_features` name the features of arrays)")
        }
        NoAnswer::Wrong(message) => wrong(message),
        NoAnswer::Failed(message) => PyRuntimeError::new_err(in_python(&message)),
    }
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
pub fn warn(py: Python<'_>, warnings: &[String]) -> PyResult<()> {
    for warning in warnings {
        let text = CString::new(in_python(warning).replace('\0', "\u{fffd}"))?;
        // 1 is the function of the package, 2 its caller.
        PyErr::warn(py, &py.get_type::<DataWarning>(), &text, 2)?;
    }
    Ok(())
}
