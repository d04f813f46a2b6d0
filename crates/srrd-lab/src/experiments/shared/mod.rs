//! What several experiments share: pairs of samples, columns, verdicts, and how results are shown.

pub mod columns;
pub mod correlated;
pub mod feasible;
pub mod pairs;
pub mod published;
pub mod show;
pub mod verdicts;
