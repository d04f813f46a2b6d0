//! What an experiment is: a list of trials that can be computed in any order, and what they come to.

use crate::error::LabError;
use crate::parameters::{Parameters, Preset};
use srrd_show::Drawing;
use srrd_show::page::Report;

/// An experiment with all its settings. Its trials are independent: they may run in any order, on any machine.
pub trait Experiment: Send + Sync {
    /// The columns of trials.csv: those of the [`key`](Self::key) first.
    fn columns(&self) -> Vec<&'static str>;
    /// How many trials there are. Trials are numbered in the order of their rows in trials.csv.
    fn trials(&self) -> usize;
    /// The first columns of a trial's rows: what it is, and its seed. No two trials have the same.
    fn key(&self, trial: usize) -> String;
    /// How many rows the trial gives.
    fn rows(&self, trial: usize) -> usize;
    /// Roughly how long the trial takes, in any unit: for the time left.
    fn cost(&self, trial: usize) -> f64;
    /// Computes a trial: the columns after the key, a line for each row.
    fn run(&self, trial: usize) -> Result<Vec<String>, LabError>;
    /// What will be done, in a few lines: for the plan.
    fn plan(&self) -> Vec<String>;
    /// What the trials say. Some may be missing, when a run is not finished.
    fn evaluate(&self, trials: &Trials) -> Result<Evaluation, LabError>;
}

/// An experiment by its name: how the command and run.json find it.
pub struct Kind {
    /// The name after `srrd reproduce`.
    pub name: &'static str,
    /// What it shows, in one line.
    pub about: &'static str,
    /// The parameters of a preset.
    pub preset: fn(Preset) -> Parameters,
    /// Builds it with checked parameters.
    pub build: fn(Parameters) -> Result<Box<dyn Experiment>, LabError>,
}

/// A finished evaluation.
pub struct Evaluation {
    /// summary.csv.
    pub summary: Csv,
    /// figures/NAME.svg and .png.
    pub figures: Vec<(String, Drawing)>,
    /// report.html, which shows the same drawings.
    pub report: Report,
    /// What is printed at the end of the run.
    pub text: String,
}

/// A small table as text.
#[derive(Clone, Debug, Default)]
pub struct Csv {
    text: String,
}

impl Csv {
    /// A table with these columns.
    pub fn new(columns: &[&str]) -> Self {
        Csv { text: columns.join(",") + "\n" }
    }

    /// Adds a row; values hold no commas, quotes or line breaks.
    pub fn row<S: AsRef<str>>(&mut self, values: impl IntoIterator<Item = S>) {
        for (i, value) in values.into_iter().enumerate() {
            if i > 0 {
                self.text.push(',');
            }
            self.text.push_str(value.as_ref());
        }
        self.text.push('\n');
    }

    /// The table.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// A number in a table: the shortest text that reads back as the same number, and nothing for NaN.
pub fn number(value: f64) -> String {
    if value.is_nan() { String::new() } else { value.to_string() }
}

/// The rows of trials.csv.
pub struct Trials {
    text: String,
    /// Whether every trial of the plan is there.
    pub complete: bool,
}

impl Trials {
    /// The text of trials.csv, header included.
    pub fn new(text: String, complete: bool) -> Self {
        Trials { text, complete }
    }

    /// The rows, split into columns.
    pub fn rows(&self) -> impl Iterator<Item = Vec<&str>> {
        self.text.lines().skip(1).map(|line| line.split(',').collect())
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.text.lines().skip(1).count()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
