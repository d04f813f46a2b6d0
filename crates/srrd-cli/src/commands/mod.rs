//! One command, one file.

mod canonicalize;
mod check;
mod classify;
mod completions;
pub mod convert;
mod demo;
mod discretize;
mod distance;
mod explain;
mod inspect;
mod irl;
mod manual;
mod matrix;
mod models;
mod regret;
mod report;
pub mod reproduce;
mod returns;
mod simulate;

use crate::args::Command;
use crate::failure::Failure;
use std::ffi::OsString;

/// Runs a command that was called like that; what to exit with when nothing failed.
pub fn run(command: Command, call: &[OsString]) -> Result<u8, Failure> {
    match command {
        Command::Check(args) => return check::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Distance(args) => distance::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Canonicalize(args) => canonicalize::run(&args),
        Command::Matrix(args) => matrix::run(&args),
        Command::Models(args) => models::run(&args, call),
        Command::Inspect(args) => inspect::run(&args),
        Command::Irl(args) => irl::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Discretize(args) => discretize::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Classify(args) => classify::run(&args),
        Command::Regret(args) => regret::run(&args),
        Command::Report(args) => report::run(&args, call),
        Command::Completions(args) => completions::run(&args),
        Command::Manual(args) => manual::run(&args),
        Command::Returns(args) => returns::run(&args),
        Command::Simulate(args) => simulate::run(&args),
    }?;
    Ok(0)
}
