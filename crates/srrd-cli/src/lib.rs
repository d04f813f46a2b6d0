//! What the command `srrd` does, for its `main` and for the Python package, whose results must be the command's to the last bit.
//!
//! It parses, calls the library and prints. [`command`] is the whole command.

mod args;
mod commands;
mod failure;
mod gamma;
mod inputs;
mod options;
mod outputs;
mod picture;
mod print;
mod progress;
mod room;
mod signals;
mod threads;

pub use signals::clean_up_when_ended;

use clap::Parser;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the command with these arguments, the first of which is the program's name. What it exits with: 0 done, 1 it failed, 2
/// the call or the input was wrong; of `check` 0 same behaviour, 1 different, 3 not enough data to tell.
pub fn command(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let done = match args::Arguments::try_parse_from(arguments) {
        Ok(arguments) => commands::run(arguments.command),
        Err(wrong) if wrong.use_stderr() => {
            // That a message cannot be told must not change the exit status.
            let _ = wrong.print();
            return 2;
        }
        // Help and version are results as others are: that they cannot be written is a failure.
        Err(asked) => print::result(&asked.to_string()).map(|()| 0).map_err(Into::into),
    };
    match done {
        Ok(status) => status,
        Err(failure) => failure.report(),
    }
}

/// [`command`] with the arguments of this process, which leaves no unfinished file behind when a signal ends it.
pub fn main() -> ExitCode {
    clean_up_when_ended();
    command(std::env::args_os()).into()
}
