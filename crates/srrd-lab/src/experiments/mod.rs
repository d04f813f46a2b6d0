//! The experiments, one a file.

mod classification;
mod correlated;
mod coverage;
mod estimators;
mod instability;
mod intervals;
mod noise;
mod pairs;
mod regression;
mod sensitivity;
mod separation;
mod sparsity;
mod theory;
mod verdicts;

pub use pairs::Noise;

use crate::error::LabError;
use crate::experiment::Kind;

/// All of them.
pub static ALL: [&Kind; 10] = [
    &coverage::KIND,
    &instability::KIND,
    &estimators::KIND,
    &noise::KIND,
    &regression::KIND,
    &sensitivity::KIND,
    &theory::KIND,
    &classification::KIND,
    &separation::KIND,
    &intervals::KIND,
];

/// The experiment of this name.
pub fn find(name: &str) -> Result<&'static Kind, LabError> {
    let found = ALL.into_iter().find(|kind| kind.name == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|kind| kind.name).collect();
        LabError::wrong(format!("there is no experiment `{name}`; there are {}", names.join(", ")))
    })
}
