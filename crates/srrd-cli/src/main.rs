//! The command `srrd`: do these two reward functions ask for the same behaviour?

mod args;
mod commands;
mod failure;
mod gamma;
mod inputs;
mod plot;
mod print;
mod progress;
mod settings;
mod tokens;

use clap::Parser;
use std::process::ExitCode;

/// It asks the system for huge pages: of a table of a million rows, the system's allocator spends a fifth of the time on getting
/// fresh pages of 4 KiB one by one.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let done = match args::Arguments::try_parse() {
        Ok(arguments) => commands::run(arguments.command),
        Err(wrong) if wrong.use_stderr() => wrong.exit(),
        // Help and version are results as others are: that they cannot be written is a failure.
        Err(asked) => print::result(&asked.to_string()).map_err(Into::into),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
