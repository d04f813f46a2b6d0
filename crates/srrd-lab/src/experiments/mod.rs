//! The experiments. Each is a folder: `mod.rs` has its parameters and what it computes, `claims.rs` what the paper says beside
//! what was measured, `draw.rs` its figures and tables. `sparsity` is the study that four of them share.

mod classification;
mod coverage;
mod estimators;
mod instability;
mod intervals;
mod noise;
mod regression;
mod regret;
mod sensitivity;
mod separation;
mod shared;
mod sparsity;
mod theory;
mod validity;

use crate::error::LabError;
use crate::experiment::Experiment;
use crate::parameters::Parameters;
use crate::values::Preset;

/// An experiment by its name: how the command and run.json find it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Kind {
    /// The name after `srrd reproduce`.
    pub name: &'static str,
    /// What it shows, in one line.
    pub about: &'static str,
    /// The parameters of a preset.
    pub(crate) preset: fn(Preset) -> Parameters,
    /// Builds it, if it can be run with these parameters.
    pub(crate) build: fn(Parameters) -> Result<Box<dyn Experiment>, LabError>,
}

/// Names differ: see the test.
impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// All experiments.
///
/// ```
/// use srrd_lab::EXPERIMENTS;
///
/// assert!(EXPERIMENTS.iter().any(|kind| kind.name == "coverage"));
/// ```
pub static ALL: [&Kind; 12] = [
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
    &regret::KIND,
    &validity::KIND,
];

/// The experiment of this name.
pub(crate) fn find(name: &str) -> Result<&'static Kind, LabError> {
    let found = ALL.into_iter().find(|kind| kind.name == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|kind| kind.name).collect();
        LabError::wrong(format!("there is no experiment `{name}`; there are {}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_and_fit_into_the_help() {
        for (place, kind) in ALL.iter().enumerate() {
            assert!(ALL[..place].iter().all(|other| other != kind));
            assert!(kind.about.chars().count() <= 82, "{}", kind.about);
        }
    }
}
