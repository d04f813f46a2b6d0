//! A reward sample with its name, and whatever else comparisons need to know about where it came from.

use super::RewardSample;
use crate::interval::Episodes;

/// A reward sample with what a table says about it.
#[derive(Clone, Debug)]
pub struct NamedSample {
    /// The value of the `sample` column, or the name of the file.
    pub name: String,
    /// Whether the name is that of the file: the table has no `sample` column.
    pub from_file: bool,
    /// Whether the table has no next states: every row ends in one common end state.
    pub one_step: bool,
    /// The class of the sample: the value of the `label` column.
    pub label: Option<String>,
    /// The names of the features that identify states, sorted; `None` when tokens do.
    pub state_features: Option<Vec<String>>,
    /// The names of the features that identify actions, sorted; `None` when tokens do.
    pub action_features: Option<Vec<String>>,
    /// The transitions.
    pub sample: RewardSample,
    /// Which episodes met each transition, if they were asked for and the table has a column `episode`.
    pub episodes: Option<Episodes>,
}
