//! What the command `srrd` does, for its `main` and for the Python package, whose results must be the command's to the last bit.
//!
//! It parses, calls the library and prints. [`command`] is the whole command.

mod args;
mod call;
mod commands;
mod failure;
mod gamma;
mod help;
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

use clap::{ColorChoice, FromArgMatches};
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the command with these arguments, the first of which is the program's name. What it exits with: 0 done, 1 it failed, 2
/// the call or the input was wrong; of `check` 0 same behaviour, 1 different, 3 not enough data to tell.
pub fn command(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let parse = |arguments: &[OsString]| {
        // How to show what is wrong with a call is part of the call.
        let mut command = help::command().color(colours(arguments));
        let matches = command.try_get_matches_from_mut(arguments);
        let mut matches = matches.map_err(|error| help::with_nearest(error, &command, arguments))?;
        args::Arguments::from_arg_matches_mut(&mut matches)
    };
    let done = match parse(&arguments) {
        Ok(parsed) => {
            print::behave(parsed.manners);
            commands::run(parsed.command, &arguments)
        }
        Err(wrong) if wrong.use_stderr() => {
            // A message repeats what was given, which may hold characters that a terminal obeys.
            let shown: Vec<OsString> = arguments.iter().map(harmless).collect();
            let wrong = if shown == arguments { wrong } else { parse(&shown).err().unwrap_or(wrong) };
            // That a message cannot be told must not change the exit status.
            let _ = wrong.print();
            return 2;
        }
        // Help and version are results as others are: that they cannot be written is a failure.
        Err(asked) => {
            let color = match colours(&arguments) {
                ColorChoice::Always => args::Color::Always,
                ColorChoice::Never => args::Color::Never,
                ColorChoice::Auto => args::Color::Auto,
            };
            print::behave(args::Manners { quiet: false, color });
            let text = match print::paint().is_on() {
                true => asked.render().ansi().to_string(),
                false => asked.render().to_string(),
            };
            print::result(&text).map(|()| 0).map_err(Into::into)
        }
    };
    match done {
        Ok(status) => status,
        Err(failure) => failure.report(),
    }
}

/// An argument as it may be shown.
fn harmless(given: &OsString) -> OsString {
    srrd_show::escape::shown(&given.to_string_lossy()).into_owned().into()
}

/// What `--color` says, for what is shown before the arguments are understood.
fn colours(arguments: &[OsString]) -> ColorChoice {
    let given = arguments.iter().enumerate().rev().find_map(|(place, argument)| match argument.to_str()? {
        "--color" => arguments.get(place + 1)?.to_str(),
        other => other.strip_prefix("--color="),
    });
    match given {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

/// [`command`] with the arguments of this process, which leaves no unfinished file behind when a signal ends it.
pub fn main() -> ExitCode {
    clean_up_when_ended();
    command(std::env::args_os()).into()
}
