//! Answers as text and pictures, one kind of answer per file.

pub mod classification;
pub mod comparison;
pub mod explanation;
pub mod gamma;
pub mod inspection;
pub mod matrix;
pub mod models;
pub mod regret;
pub mod returns;
pub mod survey;
pub mod verdict;

use srrd::answer::{SampleSummary, Used};

use crate::escape::shown;
use crate::page::Cell;
use crate::words::{counted, short};

/// A cell with a name, which is cut when it is long.
fn name(name: &str) -> Cell {
    let whole = shown(name);
    Cell::cut(short(&whole), whole.as_ref())
}

/// One line on a sample.
fn described(sample: &SampleSummary) -> String {
    format!("{}: {}", shown(&sample.name), sizes(sample.transitions, sample.states, sample.actions))
}

/// How many transitions, states and actions there are.
fn sizes(transitions: usize, states: usize, actions: usize) -> String {
    format!(
        "{}, {}, {}",
        counted(transitions, "transition", "transitions"),
        counted(states, "state", "states"),
        counted(actions, "action", "actions")
    )
}

/// Two samples and how they are compared, in three lines.
fn header(a: &SampleSummary, b: &SampleSummary, common: usize, used: &Used) -> String {
    format!(
        "A  {}\nB  {}\nshared: {}; {}; {}",
        described(a),
        described(b),
        counted(common, "transition", "transitions"),
        gamma::in_words(used),
        used.estimator_in_words(),
    )
}
