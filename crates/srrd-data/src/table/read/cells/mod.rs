//! Cells that hold lists: the features of a state as one text, and whole episodes in one row.
//!
//! pandas writes an array in a cell of CSV as `[1.5, 1.3]` or, as NumPy shows it, `[1.5 1.3]`. Such columns become groups of columns here, as
//! lists of typed formats are. A row whose reward is a list is an episode: it becomes one row per step. Integers that were written as floats
//! are integers again.

mod features;
mod integers;

use super::TableReader;
use crate::dataset::open_episodes;
use crate::error::{ErrorKind, TableError};
use crate::table::options::{Role, TableOptions};
use crate::table::schema::Schema;

/// The table as it is meant, by what the first row has in columns of states, actions and rewards.
pub(crate) fn open_cells(
    mut reader: Box<dyn TableReader>,
    options: &TableOptions,
) -> Result<Box<dyn TableReader>, TableError> {
    if reader.log().is_some() {
        // Texts of a log are texts.
        return Ok(reader);
    }
    if let Some(reward) = list_of_rewards(reader.as_mut(), options)? {
        return open_episodes(reader, &reward, options);
    }
    let groups = features::groups_of(reader.as_mut(), options)?;
    match groups.is_empty() {
        true => integers::open_integers(reader, options),
        false => Ok(Box::new(features::FeatureReader::new(reader, groups))),
    }
}

/// The column of rewards whose first cell is a list, those of an episode. A list of one number is a number, unless states are lists of lists.
fn list_of_rewards(reader: &mut dyn TableReader, options: &TableOptions) -> Result<Option<String>, TableError> {
    let mut names = match options.rewards.first() {
        Some(name) => vec![name.clone()],
        None => candidates(reader.schema(), options, Role::Reward),
    };
    if names.first().is_some_and(|name| name == Role::Reward.info().name) {
        // Others are not taken for it then.
        names.truncate(1);
    }
    for name in names {
        let single = reader.schema().index_of(&format!("{name}.1")).is_none();
        let Some(cell) = reader.first_cell(&name)?.filter(|cell| cell.trim_start().starts_with('[')) else { continue };
        if reader.is_untyped() {
            let what = "the cell holds a list, as if a row were a whole episode, and CSV has no lists: save the table as Parquet or JSON Lines, \
                        which are read episode by episode, or write one row per transition";
            return Err(TableError::new(ErrorKind::Type, reader.name(), what).at_row(1).in_column(name));
        }
        let one = single && !cell.contains(',');
        let states = candidates(reader.schema(), options, Role::State);
        let mut lists_of_lists = false;
        for state in states {
            lists_of_lists |= reader.first_cell(&state)?.is_some_and(|cell| cell.starts_with("[["));
        }
        if !one || lists_of_lists {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// The columns that may have a role: the one that is said to, or those with its name or another that is taken for it.
fn candidates(schema: &Schema, options: &TableOptions, role: Role) -> Vec<String> {
    let info = role.info();
    let said = options.columns.get(role);
    let names: Vec<&str> = match said {
        Some(column) => vec![column],
        None => std::iter::once(info.name).chain(info.aliases.iter().copied()).collect(),
    };
    let group = |name: &str| schema.names().any(|column| column.strip_prefix(name) == Some(".0"));
    names.into_iter().filter(|name| schema.index_of(name).is_some() || group(name)).map(str::to_owned).collect()
}
