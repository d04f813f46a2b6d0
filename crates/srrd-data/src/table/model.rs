//! Tables of transition probabilities.

use std::path::Path;

use srrd::{Duplicates, RewardSample};

use super::options::{ColumnMap, Role, TableOptions};
use super::samples::read_samples;
use crate::error::{ErrorKind, TableError};

/// Reads transition probabilities: a table with the columns `state`, `action`, `next_state` and `probability`. They are the rewards of the sample.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("model.csv");
/// std::fs::write(&path, "state,action,next_state,probability\nhome,walk,park,0.75\nhome,walk,home,0.25\n")?;
/// assert_eq!(srrd_data::read_model(&path)?.rewards(), [0.25, 0.75]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Anything wrong with the table, and several samples in it.
pub fn read_model(path: &Path) -> Result<RewardSample, TableError> {
    let mut columns = ColumnMap::default();
    columns.set(Role::Reward, "probability");
    let options = TableOptions { columns, duplicates: Duplicates::Error, ..TableOptions::default() };
    let mut samples = read_samples(path, options)?;
    match (samples.pop(), samples.is_empty()) {
        (Some(model), true) => Ok(model.sample),
        _ => {
            let what = "the table holds several samples, but a model is one: leave the column `sample` out";
            Err(TableError::new(ErrorKind::Malformed, path.display().to_string(), what))
        }
    }
}
