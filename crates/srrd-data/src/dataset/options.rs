//! What a user can say about a recorded data set, each choice declared once.

use std::fmt;

use super::{DATASETS, DatasetInfo};
use crate::error::{ErrorKind, TableError, shorten};

/// How a recorded data set is read. What is left out is as the data set's reader has it.
///
/// ```
/// use srrd_data::DatasetOptions;
/// let mut options = DatasetOptions::default();
/// options.set("keys", "object,robot0_eef_pos")?;
/// assert_eq!(options.keys, ["object", "robot0_eef_pos"]);
/// assert!(options.set("key", "object").unwrap_err().to_string().contains("options are from, keys"));
/// # Ok::<(), srrd_data::DatasetOptionError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatasetOptions {
    /// Which kind of data set it is, where that is not to be found out.
    pub from: Option<String>,
    /// The observations that states are made of.
    pub keys: Vec<String>,
    /// The name of a list of episodes in the file: only those are read.
    pub filter: Option<String>,
    /// The array or column that holds the reward.
    pub reward: Option<String>,
    /// After so many steps an episode was cut off.
    pub limit: Option<usize>,
    /// Which game of several.
    pub game: Option<String>,
    /// At least so many frames, or iterations, lie between the states of a step.
    pub every: Option<usize>,
    /// The scores that divide trajectories into classes.
    pub scores: Vec<i64>,
    /// How many principal components stand for a state.
    pub components: Option<usize>,
    /// The kinds of units that count.
    pub units: Vec<String>,
}

/// What is known about an option of data sets.
#[derive(Debug)]
pub struct DatasetOptionInfo {
    /// Its name.
    pub name: &'static str,
    /// What its value looks like.
    pub value: &'static str,
    /// One line about it, for help texts and documentation.
    pub about: &'static str,
    set: fn(&mut DatasetOptions, &str) -> Result<(), String>,
    is_set: fn(&DatasetOptions) -> bool,
}

/// All options of data sets.
pub static DATASET_OPTIONS: [DatasetOptionInfo; 10] = [
    DatasetOptionInfo {
        name: "from",
        value: "NAME",
        about: "which kind of data set it is; found out where possible",
        set: |options, value| {
            if !DATASETS.iter().any(|dataset| dataset.name == value) {
                return Err(format!("`{}` is no data set that is read; those are {}", shorten(value), names()));
            }
            options.from = Some(value.to_owned());
            Ok(())
        },
        is_set: |options| options.from.is_some(),
    },
    DatasetOptionInfo {
        name: "keys",
        value: "KEY,…",
        about: "the observations that states are made of; without it all but pictures",
        set: |options, value| {
            options.keys = list(value, "key")?;
            Ok(())
        },
        is_set: |options| !options.keys.is_empty(),
    },
    DatasetOptionInfo {
        name: "filter",
        value: "NAME",
        about: "a list of episodes in the file, such as `train`: only those are read",
        set: |options, value| {
            options.filter = Some(value.to_owned());
            Ok(())
        },
        is_set: |options| options.filter.is_some(),
    },
    DatasetOptionInfo {
        name: "reward",
        value: "NAME",
        about: "the array or column that holds the reward, where it is not the usual one",
        set: |options, value| {
            options.reward = Some(value.to_owned());
            Ok(())
        },
        is_set: |options| options.reward.is_some(),
    },
    DatasetOptionInfo {
        name: "limit",
        value: "STEPS",
        about: "after so many steps an episode was cut off, where the file does not say it",
        set: |options, value| {
            options.limit = Some(count(value)?);
            Ok(())
        },
        is_set: |options| options.limit.is_some(),
    },
    DatasetOptionInfo {
        name: "game",
        value: "NAME",
        about: "which game is read, where the folder has several",
        set: |options, value| {
            options.game = Some(value.to_owned());
            Ok(())
        },
        is_set: |options| options.game.is_some(),
    },
    DatasetOptionInfo {
        name: "every",
        value: "N",
        about: "at least so many frames or iterations lie between the states of a step (atari: 10 without it, starcraft: 1)",
        set: |options, value| {
            options.every = Some(count(value)?);
            Ok(())
        },
        is_set: |options| options.every.is_some(),
    },
    DatasetOptionInfo {
        name: "scores",
        value: "N,…",
        about: "the final scores that divide trajectories into classes; 1000,3000 without it: novice, moderate, expert",
        set: |options, value| {
            let score = |text: &String| text.parse().map_err(|_| format!("`{}` is no whole number", shorten(text)));
            options.scores = list(value, "score")?.iter().map(score).collect::<Result<_, _>>()?;
            match options.scores.is_sorted_by(|a, b| a < b) {
                true => Ok(()),
                false => Err("scores have to rise from one to the next".to_owned()),
            }
        },
        is_set: |options| !options.scores.is_empty(),
    },
    DatasetOptionInfo {
        name: "components",
        value: "N",
        about: "how many principal components stand for a state; at most 10 without it",
        set: |options, value| {
            options.components = Some(count(value)?);
            Ok(())
        },
        is_set: |options| options.components.is_some(),
    },
    DatasetOptionInfo {
        name: "units",
        value: "NAME,…",
        about: "the kinds of units that count; all without it",
        set: |options, value| {
            options.units = list(value, "unit")?;
            Ok(())
        },
        is_set: |options| !options.units.is_empty(),
    },
];

/// What stands between commas.
fn list(value: &str, what: &str) -> Result<Vec<String>, String> {
    let parts: Vec<String> = value.split(',').map(|part| part.trim().to_owned()).filter(|it| !it.is_empty()).collect();
    if parts.is_empty() { Err(format!("there is no {what} in it")) } else { Ok(parts) }
}

fn count(value: &str) -> Result<usize, String> {
    match value.trim().parse() {
        Ok(count) if count > 0 => Ok(count),
        _ => Err(format!("`{}` is not a whole number from 1 on", shorten(value))),
    }
}

/// The names of all data sets.
fn names() -> String {
    DATASETS.iter().map(|dataset| dataset.name).collect::<Vec<_>>().join(", ")
}

impl DatasetOptions {
    /// Sets the option of this name.
    ///
    /// # Errors
    /// There is no such option, or it cannot have this value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), DatasetOptionError> {
        let Some(info) = DATASET_OPTIONS.iter().find(|info| info.name == name) else {
            let known: Vec<&str> = DATASET_OPTIONS.iter().map(|info| info.name).collect();
            let what = format!("`{}` is no option of data sets; options are {}", shorten(name), known.join(", "));
            return Err(DatasetOptionError(what));
        };
        (info.set)(self, value).map_err(|what| DatasetOptionError(format!("{name}: {what}")))
    }

    /// Sets an option as `NAME=VALUE` says it.
    ///
    /// # Errors
    /// As [`set`](Self::set), and where there is no `=`.
    pub fn set_pair(&mut self, pair: &str) -> Result<(), DatasetOptionError> {
        let (name, value) = pair.split_once('=').ok_or_else(|| {
            DatasetOptionError(format!("`{}` is no option with its value; write it like filter=train", shorten(pair)))
        })?;
        self.set(name.trim(), value)
    }

    /// The names of the options that were set.
    pub(super) fn given(&self) -> impl Iterator<Item = &'static str> {
        DATASET_OPTIONS.iter().filter(|info| (info.is_set)(self)).map(|info| info.name)
    }

    /// Options that a data set does not take are an error: nothing that was said is ignored.
    pub(super) fn check(&self, file: &str, dataset: &DatasetInfo) -> Result<(), TableError> {
        let Some(name) = self.given().find(|name| *name != "from" && !dataset.options.contains(name)) else {
            return Ok(());
        };
        let takes = match dataset.options {
            [] => "none".to_owned(),
            options => options.join(", "),
        };
        let what = format!(
            "it is read as {}, which has no option `{name}`; its options: {takes}. Leave `{name}` out",
            dataset.name
        );
        Err(TableError::new(ErrorKind::Usage, file, what))
    }
}

/// Why an option of data sets cannot be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatasetOptionError(String);

impl fmt::Display for DatasetOptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DatasetOptionError {}
