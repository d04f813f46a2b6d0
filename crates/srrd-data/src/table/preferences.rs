//! Tables of preferences: which of two episodes is better.

use std::path::Path;

use srrd::returns::Preference;

use super::read::{ReadOptions, TableReader, for_each_batch, listed, open};
use super::tokens::{cell_text, check_present};
use crate::error::{ErrorKind, TableError};

/// What the columns of preferences are called: the better and the worse of two, as in the papers, or as in data for training reward models.
const NAMES: [[&str; 2]; 2] = [["better", "worse"], ["chosen", "rejected"]];

/// Reads preferences: a table with the columns `better` and `worse` (or `chosen` and `rejected`), which name episodes.
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
    let file = reader.name().to_owned();
    let held = |name: &str| reader.schema().index_of(name).is_some();
    let names = NAMES.iter().find(|names| names.iter().all(|name| held(name)));
    // Where one of two is there, the other is what is missing.
    let names = names.or_else(|| NAMES.iter().find(|names| names.iter().any(|name| held(name)))).unwrap_or(&NAMES[0]);
    if let Some(missing) = names.iter().find(|name| !held(name)) {
        let what = format!(
            "the column is missing: preferences have the columns `better` and `worse` (or `chosen` and `rejected`), which name episodes; \
             this table has {}",
            listed(reader.schema().names())
        );
        return Err(TableError::new(ErrorKind::MissingColumn, &file, what).in_column(*missing));
    }
    reader.select(names)?;
    let mut preferences = Vec::new();
    for_each_batch(reader, |batch| {
        for (column, name) in batch.columns.iter().zip(names) {
            check_present(&file, name, batch, column)?;
        }
        let cell = |column: usize, at| cell_text(&batch.columns[column], at).into_owned();
        preferences.extend((0..batch.rows).map(|at| Preference { better: cell(0, at), worse: cell(1, at) }));
        Ok(())
    })?;
    if preferences.is_empty() {
        let what = "the table has no data rows; at least one preference is needed";
        return Err(TableError::new(ErrorKind::Empty, &file, what));
    }
    Ok(preferences)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{FileFormat, Format, open_bytes};

    fn read(csv: &str) -> Result<Vec<Preference>, String> {
        let table =
            open_bytes("said.csv", FileFormat::plain(Format::Csv), csv.into(), &ReadOptions::default()).unwrap();
        preferences_of(table).map_err(|error| error.to_string())
    }

    #[test]
    fn columns_have_either_pair_of_names() {
        let expected = [Preference { better: "3".to_owned(), worse: "1".to_owned() }];
        for csv in ["better,worse\n3,1\n", "worse,note,better\n1,x,3\n", "rejected,chosen\n1,3\n"] {
            assert_eq!(read(csv).unwrap(), expected, "{csv}");
        }
        // What is called better is, whatever else there is.
        assert_eq!(read("chosen,rejected,better,worse\n8,9,3,1\n").unwrap(), expected);
    }

    #[test]
    fn what_is_missing_is_said() {
        let missing = |csv| read(csv).unwrap_err();
        assert!(missing("a,b\n1,2\n").contains("column `better`: the column is missing"), "{}", missing("a,b\n1,2\n"));
        assert!(missing("chosen,b\n1,2\n").contains("column `rejected`: the column is missing: preferences have"));
        assert_eq!(
            missing("better,worse\n"),
            "said.csv: the table has no data rows; at least one preference is needed"
        );
    }
}
