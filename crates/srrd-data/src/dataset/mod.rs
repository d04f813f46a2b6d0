//! Recorded data sets that are no tables but can be read as one: the socket for their readers.
//!
//! [`DATASETS`] is the one table of them. A new one is a module of its own beside this file, and an entry here.

mod parts;

use std::path::Path;

use crate::error::{ErrorKind, TableError};
use crate::table::{ReadOptions, TableReader};

/// What is known about a kind of data set.
#[derive(Debug)]
pub struct DatasetInfo {
    /// Its name.
    pub name: &'static str,
    /// One line about it, for help texts and documentation.
    pub about: &'static str,
    /// Whether a path, usually a folder, is such a data set. To be told without reading much.
    detect: fn(&Path) -> bool,
    /// Opens it as a table: one row per transition, with names of columns whose roles are known.
    open: Open,
}

type Open = fn(&Path, &ReadOptions) -> Result<Box<dyn TableReader>, TableError>;

/// All kinds of data sets that are read; the first that a path is counts.
pub static DATASETS: [DatasetInfo; 1] = [parts::INFO];

/// Opens a folder as the data set that it is.
pub(crate) fn open_folder(path: &Path, options: &ReadOptions) -> Result<Box<dyn TableReader>, TableError> {
    match DATASETS.iter().find(|dataset| (dataset.detect)(path)) {
        Some(dataset) => (dataset.open)(path, options),
        None => Err(not_known(&path.display().to_string())),
    }
}

fn not_known(file: &str) -> TableError {
    let known: Vec<&str> = DATASETS.iter().map(|dataset| dataset.about).collect();
    let what =
        format!("is a directory, not a table; name the files in it. Folders that are read: {}", known.join("; "));
    TableError::new(ErrorKind::Directory, file, what)
}
