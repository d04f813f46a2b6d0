//! One command, one file.

mod canonicalize;
mod classify;
pub mod convert;
mod demo;
mod discretize;
mod distance;
mod explain;
mod inspect;
mod matrix;
mod regret;
mod report;
pub mod reproduce;
mod returns;
mod simulate;

use crate::args::Command;
use crate::failure::Failure;

/// Runs a command.
pub fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Demo(args) => demo::run(&args),
        Command::Distance(args) => distance::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Canonicalize(args) => canonicalize::run(&args),
        Command::Matrix(args) => matrix::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Discretize(args) => discretize::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Classify(args) => classify::run(&args),
        Command::Regret(args) => regret::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Returns(args) => returns::run(&args),
        Command::Simulate(args) => simulate::run(&args),
    }
}
