//! The command `srrd`: do these two reward functions ask for the same behaviour?

mod args;
mod commands;
mod failure;
mod gamma;
mod inputs;
mod print;
mod settings;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = args::Arguments::parse();
    match commands::run(arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
