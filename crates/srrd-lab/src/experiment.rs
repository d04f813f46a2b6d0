//! What an experiment is: a list of trials that can be computed in any order, and what they show.

use crate::error::LabError;
use crate::row::{AnyColumn, Csv, Row, Trials};
use srrd_show::page::Report;

/// An experiment with all its settings. Its trials are independent: they may run in any order, on any machine.
pub trait Experiment: Send + Sync {
    /// The columns of trials.csv: those of the [`key`](Self::key) first.
    fn columns(&self) -> Vec<AnyColumn>;
    /// How many trials there are. Trials are numbered in the order of their rows in trials.csv.
    fn trials(&self) -> usize;
    /// The first columns of a trial's rows: what it is, and its seed. No two trials have the same.
    fn key(&self, trial: usize) -> Row;
    /// How many rows the trial gives.
    fn rows(&self, trial: usize) -> usize;
    /// Roughly how long the trial takes, in any unit: for the time left.
    fn cost(&self, trial: usize) -> f64;
    /// Computes a trial: its rows, without the columns of the key.
    fn run(&self, trial: usize) -> Result<Vec<Row>, LabError>;
    /// Whether all is there that it reads: looked at before anything is written or promised.
    fn ready(&self) -> Result<(), LabError> {
        Ok(())
    }
    /// What will be done, in a few lines: for the plan.
    fn plan(&self) -> Vec<String>;
    /// What the trials show. Some may be missing, when a run is not finished.
    fn evaluate(&self, trials: &Trials) -> Result<Evaluation, LabError>;
}

/// A finished evaluation.
pub struct Evaluation {
    /// summary.csv.
    pub summary: Csv,
    /// report.html. Its figures that have a file are written there, too.
    pub report: Report,
    /// What is printed at the end of the run.
    pub text: String,
}
