//! Why a run cannot go on.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// The call was wrong, or a folder holds something else.
    #[error("{0}")]
    Wrong(String),
    /// A parameter of an experiment has a value that it cannot have. Shown as an option of the command.
    #[error("--{name}: {what}")]
    Parameter {
        /// Which one, as in [`PARAMETERS`](crate::PARAMETERS).
        name: String,
        /// What is wrong with it.
        what: String,
    },
    /// A row of trials.csv is not as it was written.
    #[error("{}: row {row}{}: {what}", .path.display(), .column.as_ref().map_or(String::new(), |name| format!(", column `{name}`")))]
    Row {
        /// The file.
        path: PathBuf,
        /// Which row, from 1; 0 is the header.
        row: usize,
        /// Which column, where it is one of them.
        column: Option<String>,
        /// What is wrong with it.
        what: String,
    },
    /// A file or folder could not be read or written.
    #[error("{}: {what}: {source}", .path.display())]
    Io {
        /// Which one.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Whoever watched the run stopped it.
    #[error("the run was stopped; the same call goes on where it was")]
    Stopped,
    /// The computation of a trial failed.
    #[error("{0}")]
    Failed(String),
}

impl LabError {
    /// Whether the call or the input was wrong, and trying again cannot help.
    pub fn is_wrong(&self) -> bool {
        matches!(self, LabError::Wrong(_) | LabError::Parameter { .. } | LabError::Row { .. })
    }

    /// A call that is wrong.
    pub fn wrong(message: impl Into<String>) -> Self {
        LabError::Wrong(message.into())
    }

    /// A parameter that cannot have its value.
    pub(crate) fn parameter(name: &str, what: impl Into<String>) -> Self {
        LabError::Parameter { name: name.to_owned(), what: what.into() }
    }

    /// A row of trials.csv that is not as it was written.
    pub(crate) fn row(path: &Path, row: usize, column: Option<&str>, what: impl Into<String>) -> Self {
        LabError::Row { path: path.to_owned(), row, column: column.map(str::to_owned), what: what.into() }
    }

    /// A trial that failed although nothing was wrong with the call.
    pub(crate) fn failed(error: impl Display) -> Self {
        LabError::Failed(error.to_string())
    }

    /// A file that could not be read or written.
    pub(crate) fn io(path: &Path, what: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| LabError::Io { path, what, source }
    }
}
