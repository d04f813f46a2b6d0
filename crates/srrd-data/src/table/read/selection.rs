//! Which of a table's columns are read.

use std::collections::{HashMap, HashSet};

use crate::error::{ErrorKind, TableError, shorten};
use crate::table::schema::Schema;

/// Two columns of one name cannot be told apart.
pub(crate) fn check_names(name: &str, schema: &Schema) -> Result<(), TableError> {
    let mut seen = HashMap::new();
    for (index, column) in schema.names().enumerate() {
        if let Some(first) = seen.insert(column, index) {
            return Err(TableError::new(
                ErrorKind::DuplicateColumn,
                name,
                format!("columns {} and {} have the same name; rename one of them", first + 1, index + 1),
            )
            .in_column(column));
        }
    }
    Ok(())
}

/// Names of columns as messages list them; of very many, the first ones.
pub(crate) fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    const MOST: usize = 30;
    let count = names.len();
    let shown: Vec<String> = names.take(MOST).map(|name| format!("`{}`", shorten(name))).collect();
    match count > MOST {
        true => format!("{} and {} more", shown.join(", "), count - MOST),
        false => shown.join(", "),
    }
}

/// Which of a table's columns are read: positions in the table, in the order of the batch.
pub(crate) struct Selection {
    pub(crate) all: Schema,
    pub(crate) selected: Schema,
    pub(crate) positions: Vec<usize>,
    /// Whether reading has begun, after which the selection stays.
    pub(crate) fixed: bool,
}

impl Selection {
    /// Selects every column.
    pub(crate) fn everything(all: Schema) -> Self {
        Selection { selected: all.clone(), positions: (0..all.len()).collect(), all, fixed: false }
    }

    /// Selects by name; `file` is for messages.
    pub(crate) fn select(&mut self, file: &str, names: &[&str]) -> Result<(), TableError> {
        if self.fixed {
            return Err(TableError::new(
                ErrorKind::Usage,
                file,
                "columns must be selected before the first rows are read",
            ));
        }
        let known: HashMap<&str, usize> =
            self.all.names().enumerate().map(|(position, name)| (name, position)).collect();
        let mut positions = Vec::with_capacity(names.len());
        let mut seen = HashSet::new();
        for &name in names {
            let position = *known.get(name).ok_or_else(|| {
                let what = format!("there is no such column; the table has {}", listed(self.all.names()));
                TableError::new(ErrorKind::MissingColumn, file, what).in_column(name)
            })?;
            if !seen.insert(position) {
                return Err(TableError::new(ErrorKind::Usage, file, "the column is selected twice").in_column(name));
            }
            positions.push(position);
        }
        self.selected =
            Schema { fields: positions.iter().map(|&position| self.all.fields[position].clone()).collect() };
        self.positions = positions;
        Ok(())
    }

    /// The name of the column at `position` of the table.
    pub(crate) fn name_at(&self, position: usize) -> &str {
        &self.all.fields[position].name
    }
}

/// Why a column cannot be read, for the formats in which that depends on the column.
pub(crate) fn unsupported(file: &str, column: &str, why: &str) -> TableError {
    TableError::new(
        ErrorKind::UnsupportedColumn,
        file,
        format!("{why}; convert the column to text, integers, floats or booleans, or drop it"),
    )
    .in_column(column)
}
