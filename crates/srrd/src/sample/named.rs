//! A reward sample with its name, and whatever else comparisons need to know about where it came from.

use super::RewardSample;
use crate::sure::Episodes;

/// A reward sample with what a table says about it.
#[derive(Clone, Debug)]
pub struct NamedSample {
    /// The value of the `sample` column, or the name of the file.
    pub name: String,
    /// Whether the name is that of the file: the table has no `sample` column.
    pub from_file: bool,
    /// Whether the table has no next states: every row ends in one common end state.
    pub one_step: bool,
    /// Whether the table has no next states, and says all the same that episodes go on after some rows: they may not be one step each.
    pub goes_on: bool,
    /// Whether the table has no next states, and those of the rows that follow in their episodes were taken.
    pub shifted: bool,
    /// Rows whose next states nobody knows were left out: which part of the squares of the rewards they carry.
    pub left_out: f64,
    /// Whether rows end as a column `done` says, which may hold time limits as well, and no column tells these.
    pub done_alone: bool,
    /// The class of the sample: the value of the `label` column.
    pub label: Option<String>,
    /// The names of the features that identify states, sorted; `None` when tokens do.
    pub state_features: Option<Vec<String>>,
    /// The names of the features that identify actions, sorted; `None` when tokens do.
    pub action_features: Option<Vec<String>>,
    /// The file or table it was read from; empty when it came from elsewhere.
    pub source: String,
    /// The transitions.
    pub sample: RewardSample,
    /// Which episodes met each transition, if they were asked for and the table has a column `episode`.
    pub episodes: Option<Episodes>,
}

impl NamedSample {
    /// A sample of tokens or features without names, that came from no table.
    ///
    /// ```
    /// use srrd::{Duplicates, NamedSample, RewardSample};
    /// let sample = RewardSample::from_rows([("home", "walk", "park", 1.0)], Duplicates::Mean)?;
    /// assert_eq!(NamedSample::new("walks", sample).name, "walks");
    /// # Ok::<(), srrd::SampleError>(())
    /// ```
    pub fn new(name: impl Into<String>, sample: RewardSample) -> Self {
        NamedSample {
            name: name.into(),
            from_file: false,
            one_step: false,
            goes_on: false,
            shifted: false,
            left_out: 0.0,
            done_alone: false,
            label: None,
            state_features: None,
            action_features: None,
            source: String::new(),
            sample,
            episodes: None,
        }
    }

    /// What messages about its data call it: the file it came from, or its name.
    pub fn origin(&self) -> &str {
        if self.source.is_empty() { &self.name } else { &self.source }
    }
}
