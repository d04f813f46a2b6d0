//! Tables of preferences: which of two episodes is better.

use std::path::Path;

use srrd::returns::Preference;

use super::read::{ReadOptions, TableReader, for_each_batch, listed, open};
use super::tokens::{cell_text, check_present};
use crate::error::{ErrorKind, TableError};

/// Reads preferences: a table with the columns `better` and `worse`, which name episodes.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("said.csv");
/// std::fs::write(&path, "better,worse\n3,1\n2,1\n")?;
/// assert_eq!(srrd_data::read_preferences(&path)?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When a column or a value is missing, or there are no rows.
pub fn read_preferences(path: &Path) -> Result<Vec<Preference>, TableError> {
    preferences_of(open(path, &ReadOptions::default())?)
}

/// As [`read_preferences`], of a table that is open.
///
/// ```
/// use srrd_data::{FileFormat, Format, ReadOptions, open_bytes, preferences_of};
/// let csv = b"better,worse\n3,1\n2,1\n".to_vec();
/// let table = open_bytes("said.csv", FileFormat::plain(Format::Csv), csv, &ReadOptions::default())?;
/// assert_eq!(preferences_of(table)?[0].better, "3");
/// # Ok::<(), srrd_data::TableError>(())
/// ```
///
/// # Errors
/// As [`read_preferences`].
pub fn preferences_of(mut reader: Box<dyn TableReader>) -> Result<Vec<Preference>, TableError> {
    const NAMES: [&str; 2] = ["better", "worse"];
    let file = reader.name().to_owned();
    for name in NAMES {
        if reader.schema().index_of(name).is_none() {
            let what = format!(
                "the column is missing: preferences have the columns `better` and `worse`, which name episodes; this table has {}",
                listed(reader.schema().names())
            );
            return Err(TableError::new(ErrorKind::MissingColumn, &file, what).in_column(name));
        }
    }
    reader.select(&NAMES)?;
    let mut preferences = Vec::new();
    for_each_batch(reader, |batch| {
        for (column, name) in batch.columns.iter().zip(NAMES) {
            check_present(&file, name, batch, column)?;
        }
        let cell = |column: usize, at| cell_text(&batch.columns[column], at).into_owned();
        preferences.extend((0..batch.rows).map(|at| Preference { better: cell(0, at), worse: cell(1, at) }));
        Ok(())
    })?;
    if preferences.is_empty() {
        return Err(TableError::no_rows(&file));
    }
    Ok(preferences)
}
