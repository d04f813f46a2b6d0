//! Why a run cannot go on.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The call was wrong: a parameter, or a folder that holds something else.
    #[error("{0}")]
    Wrong(String),
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
    /// Whoever watched the run broke it off.
    #[error("the run was stopped; the same call goes on where it was")]
    Stopped,
    /// The computation of a trial failed.
    #[error("{0}")]
    Failed(String),
}

impl LabError {
    /// A call that is wrong.
    pub fn wrong(message: impl Into<String>) -> Self {
        LabError::Wrong(message.into())
    }

    /// A trial that failed although nothing was wrong with the call.
    pub fn failed(error: impl Display) -> Self {
        LabError::Failed(error.to_string())
    }

    /// A file that could not be read or written.
    pub fn io(path: &Path, what: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| LabError::Io { path, what, source }
    }
}
