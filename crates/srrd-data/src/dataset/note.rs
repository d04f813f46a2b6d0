//! What is to be known about a data set that was read.

use std::fmt;

use crate::error::shorten;

/// What was understood of a recorded data set that its user should know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DatasetNote {
    /// Which kind of data set it was taken for.
    Kind {
        /// Its name.
        dataset: &'static str,
        /// How many episodes it has.
        episodes: usize,
    },
    /// Observations that are no part of states because they are pictures, or no numbers.
    KeysLeftOut {
        /// Their names.
        keys: Vec<String>,
    },
}

impl fmt::Display for DatasetNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DatasetNote::Kind { dataset, episodes } => write!(f, "read as {dataset}, {episodes} episodes"),
            DatasetNote::KeysLeftOut { keys } => {
                let keys: Vec<String> = keys.iter().map(|key| format!("`{}`", shorten(key))).collect();
                write!(
                    f,
                    "left out of states, as pictures or no numbers: {}; the option `keys` chooses what states are made of",
                    keys.join(", ")
                )
            }
        }
    }
}
