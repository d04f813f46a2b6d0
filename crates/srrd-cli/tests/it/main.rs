//! The command as a user calls it, one topic per file, in one binary: linking takes longer than most of them.

mod bad_input;
mod certainty;
mod check;
mod classify;
mod commands;
mod defects;
mod docs;
mod episodes;
mod explain;
mod fuzz;
mod gamma;
mod gaps;
mod golden;
mod irl;
mod manners;
mod matrix;
mod models;
mod raw;
mod readme;
mod report;
mod reproduce;
mod shifted;
#[cfg(unix)]
mod signals;
mod simulate;
mod sources;
mod support;
mod tables;
mod told;
