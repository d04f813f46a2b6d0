//! Answers: what was asked about samples and what was found, as values.
//!
//! A [`Question`](crate::Question) and samples go in; a value with everything that was found comes out, warnings included. It serializes to the
//! JSON of the command. Nothing here prints or draws.

mod classification;
mod comparison;
mod explained;
mod inspection;
mod matrix;
mod survey;
mod used;

pub use classification::{
    Achieved, Classification, ClassifyOptions, ClassifyPlan, Labelled, Labelling, classify, label,
};
pub use comparison::{Comparison, Finding, Judgement, SampleSummary, ShownWitness, WitnessStep, compare};
pub use explained::{Explained, ExplainedState, ExplainedTransition, explain};
pub use inspection::{
    Advised, AdvisedState, Chances, Inspection, MetricNoise, NextStates, SampleFinding, Space, inspect,
};
pub use matrix::{AllPairs, Matrix, Overview, Tally, UndefinedPair, matrix};
pub use survey::{ComparedPair, ExplainedPair, Survey, survey};
pub use used::{GammaSummary, TokenValue, Used};
