//! `srrd completions`: what a shell completes.

use crate::args::Completions;
use crate::failure::Failure;
use crate::help;
use crate::print;
use clap_complete::generate;

pub fn run(args: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    generate(args.shell, &mut help::command(), "srrd", &mut script);
    Ok(print::result(&String::from_utf8_lossy(&script))?)
}
