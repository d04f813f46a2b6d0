//! Tables of transition probabilities.

use std::path::{Path, PathBuf};

use srrd::{Duplicates, RewardSample};

use super::FileFormat;
use super::nearest::nearest;
use super::options::{ColumnMap, Role, TableOptions};
use super::samples::read_samples;
use crate::error::{ErrorKind, TableError};

/// The table that an option names which is none of its words: what can be no table was a word, misspelled.
///
/// ```
/// use srrd_data::model_path;
/// assert!(model_path("moves.csv", &["set", "pooled"]).is_ok());
/// let error = model_path("poled", &["set", "pooled"]).unwrap_err();
/// assert_eq!(error.to_string(), "poled: it is neither set nor pooled nor the name of a table; did you mean pooled?");
/// ```
///
/// # Errors
/// When the name is not that of a table, and no file is called so.
pub fn model_path(given: &str, words: &[&str]) -> Result<PathBuf, TableError> {
    let path = Path::new(given);
    if path.exists() || path.extension().is_some() || FileFormat::from_path(path).is_ok() {
        return Ok(path.to_owned());
    }
    let nearest = nearest(given, words.iter().copied());
    let nearest = nearest.map_or(String::new(), |word| format!("; did you mean {word}?"));
    let what = format!("it is neither {} nor the name of a table{nearest}", words.join(" nor "));
    Err(TableError::new(ErrorKind::UnknownFormat, given, what))
}

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
