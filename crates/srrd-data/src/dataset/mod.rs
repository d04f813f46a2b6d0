//! Recorded data sets that are no tables but can be read as one: the socket for their readers.
//!
//! [`DATASETS`] is the one table of them, [`DATASET_OPTIONS`] that of what can be said about them. A new one is a module of its own beside
//! this file, and an entry here.

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "png")]
mod atari;
mod episodes;
mod held;
mod imitation;
#[cfg(feature = "parquet")]
mod lerobot;
mod log;
mod mimic;
mod nemo_gym;
mod note;
mod openrlhf;
mod options;
mod parts;
mod rewardbench;
mod starcraft;
mod trl;
mod verl;
mod whole;

#[cfg(feature = "hdf5")]
mod d4rl;
#[cfg(feature = "hdf5")]
mod hdf5;
#[cfg(feature = "hdf5")]
mod minari;
#[cfg(feature = "hdf5")]
mod robomimic;

use std::path::Path;

use crate::error::{ErrorKind, TableError};
use crate::table::{FileFormat, ReadOptions, TableReader};

pub use log::Log;
pub use note::DatasetNote;
pub use options::{DATASET_OPTIONS, DatasetOptionError, DatasetOptionInfo, DatasetOptions};
pub(crate) use parts::PartsReader;
pub(crate) use whole::open_episodes;

/// What is known about a kind of data set.
#[derive(Debug)]
pub struct DatasetInfo {
    /// Its name.
    pub name: &'static str,
    /// One line about it, for help texts and documentation.
    pub about: &'static str,
    /// The options that it takes, by name.
    pub options: &'static [&'static str],
    /// Whether a path, a folder or a file, is such a data set. To be told without reading much.
    detect: fn(&Path) -> bool,
    /// Opens it as a table: one row per transition, with names of columns whose roles are known.
    open: Open,
}

type Open = fn(&Path, &ReadOptions) -> Result<Box<dyn TableReader>, TableError>;

/// All kinds of data sets that are read; the first that a path is counts.
pub static DATASETS: &[DatasetInfo] = &[
    #[cfg(feature = "hdf5")]
    robomimic::INFO,
    #[cfg(feature = "hdf5")]
    minari::INFO,
    #[cfg(feature = "hdf5")]
    d4rl::INFO,
    imitation::INFO,
    #[cfg(feature = "parquet")]
    lerobot::INFO,
    #[cfg(feature = "png")]
    atari::INFO,
    starcraft::INFO,
    mimic::INFO,
    trl::INFO,
    nemo_gym::INFO,
    rewardbench::INFO,
    verl::INFO,
    openrlhf::INFO,
    parts::INFO,
];

/// Opens a path as the data set that it is; `None` when it is a table.
pub(crate) fn open_dataset(path: &Path, options: &ReadOptions) -> Option<Result<Box<dyn TableReader>, TableError>> {
    let file = path.display().to_string();
    let given = &options.dataset;
    let there = std::fs::metadata(path).is_ok_and(|about| about.is_dir() || about.is_file());
    let found = match &given.from {
        Some(name) => DATASETS.iter().find(|dataset| dataset.name == name.as_str()),
        None if there => DATASETS.iter().find(|dataset| (dataset.detect)(path)),
        None => None,
    };
    match found {
        Some(_) if !there => Some(Err(missing(path, &file))),
        Some(dataset) => Some(given.check(&file, dataset).and_then(|()| (dataset.open)(path, options))),
        None if path.is_dir() => Some(Err(parts::no_table(path))),
        None if is_hdf5_name(path) && !there => Some(Err(missing(path, &file))),
        None if is_hdf5_name(path) => Some(Err(unknown_hdf5(path, &file))),
        None => given.given().next().map(|name| {
            let what =
                format!("it is a table and no recorded data set, which the option `{name}` is for; leave it out");
            Err(TableError::new(ErrorKind::Usage, file, what))
        }),
    }
}

/// A table that is open, as the log that its columns show it to be; others as they are.
pub(crate) fn as_log(table: Box<dyn TableReader>) -> Box<dyn TableReader> {
    trl::in_memory(table)
}

fn missing(path: &Path, file: &str) -> TableError {
    let what = match path.as_os_str() == "-" {
        true => "recorded data sets are files or folders, and cannot come by standard input",
        false => "no such file or folder; check the path and the spelling",
    };
    TableError::new(ErrorKind::NotFound, file, what)
}

/// Whether a file is called as HDF5 files are.
pub(crate) fn is_hdf5_name(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ["hdf5", "h5", "hdf"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// Whether a path can be opened, as a table or as a data set, by its name alone.
///
/// ```
/// assert!(srrd_data::is_readable("a.csv".as_ref()) && srrd_data::is_readable("demo.hdf5".as_ref()));
/// assert!(!srrd_data::is_readable("a.pkl".as_ref()));
/// ```
pub fn is_readable(path: &Path) -> bool {
    FileFormat::of_input(path).is_ok() || is_hdf5_name(path) || path.is_dir()
}

#[cfg(feature = "hdf5")]
fn unknown_hdf5(path: &Path, file: &str) -> TableError {
    let (groups, arrays) = match hdf5::File::open(path).and_then(|file| file.members("")) {
        Ok(members) => members,
        Err(error) => return error,
    };
    let names: Vec<&str> = groups.iter().chain(&arrays).map(String::as_str).collect();
    let what = format!(
        "the file is HDF5, but none of the layouts that are read ({}); it holds {}. Write a table of it (for example with pandas) and read that",
        known(),
        crate::table::listed(names.into_iter())
    );
    TableError::new(ErrorKind::UnknownFormat, file, what)
}

#[cfg(not(feature = "hdf5"))]
fn unknown_hdf5(_: &Path, file: &str) -> TableError {
    let what = "this build reads no HDF5: build with the feature `hdf5`";
    TableError::new(ErrorKind::NotBuilt, file, what)
}

#[cfg(feature = "hdf5")]
fn known() -> String {
    DATASETS.iter().map(|dataset| dataset.about).collect::<Vec<_>>().join("; ")
}
