//! How tables become samples, as Python says it.

use crate::error::{warn_in_words, wrong};
use pyo3::prelude::*;
use serde_json::Value;
use srrd::{Choice, Duplicates, FrontEnd};
use srrd_data::{ColumnMap, DatasetOptions, Next, ROLES, TableNote, TableOptions};

/// Which column is which, and what is done with rows: checked once.
#[pyclass(frozen, module = "srrd._srrd")]
pub struct Reading {
    pub options: TableOptions,
}

#[pymethods]
impl Reading {
    /// `columns` are pairs of a role and a column; `rewards` the reward columns, by name or pattern; `next` where next states come from;
    /// `dataset` pairs of an option of recorded data sets and its value; with `demonstrations` rewards need not be there.
    #[new]
    #[pyo3(signature = (duplicates, columns, rewards, next, dataset, demonstrations=false))]
    fn new(
        duplicates: &str,
        columns: Vec<(String, String)>,
        rewards: Vec<String>,
        next: &str,
        dataset: Vec<(String, String)>,
        demonstrations: bool,
    ) -> PyResult<Self> {
        let duplicates = Duplicates::named(duplicates).map_err(|error| wrong(format!("duplicates: {error}")))?;
        let next = Next::named(next).map_err(|error| wrong(format!("next: {error}")))?;
        let mut map = ColumnMap::default();
        for (role, column) in columns {
            map.set_named(&role, column).map_err(|error| wrong(format!("columns: {error}")))?;
        }
        let mut options = DatasetOptions::default();
        for (name, value) in dataset {
            options.set(&name, &value).map_err(|error| wrong(format!("dataset: {error}")))?;
        }
        let dataset = options;
        Ok(Reading {
            options: TableOptions {
                columns: map,
                rewards,
                next,
                duplicates,
                episodes: true,
                demonstrations,
                dataset,
                ..TableOptions::default()
            },
        })
    }
}

/// The roles of columns: the name of each, and other names that are taken for it.
#[pyfunction]
pub fn roles() -> Vec<(&'static str, Vec<&'static str>)> {
    ROLES.iter().map(|info| (info.name, info.aliases.to_vec())).collect()
}

/// Tells what was understood of a table: a warning where something is lost or may be misread, as if the caller of the package had caused it;
/// else an entry of the log `srrd`, since a note is no cause for concern.
pub fn tell(py: Python<'_>, notes: &[TableNote]) -> PyResult<()> {
    notes.iter().try_for_each(|note| match (note.is_warning(), note.say(FrontEnd::Python)) {
        (true, said) => warn_in_words(py, &said),
        (false, said) => {
            let log = py.import("logging")?.call_method1("getLogger", ("srrd",))?;
            log.call_method1("info", ("%s", said)).map(drop)
        }
    })
}

/// The same as values of an answer: the kind and the sentence of each.
pub fn notes_as_json<'a>(notes: impl IntoIterator<Item = &'a TableNote>) -> Value {
    notes.into_iter().map(|note| note.to_json(FrontEnd::Python)).collect()
}
