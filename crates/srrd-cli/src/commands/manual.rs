//! `srrd manual`: a manual page for every command.

use crate::args::{Arguments, Manual};
use crate::failure::Failure;
use crate::print;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use srrd_data::OutputFile;
use std::path::Path;

pub fn run(args: &Manual) -> Result<(), Failure> {
    std::fs::create_dir_all(&args.output).map_err(|e| {
        Failure::wrong(format!("{}: the folder cannot be made: {e}; name another one with -o", args.output.display()))
    })?;
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    collect(&command, "srrd", &mut pages);
    for (name, page) in &pages {
        let mut bytes = Vec::new();
        page.render(&mut bytes)?;
        let mut file = OutputFile::create(&args.output.join(format!("{name}.1")))?;
        file.write_with(|to| to.write_all(&bytes))?;
        file.finish()?;
    }
    print::wrote([Path::new(&args.output)], &print::counted(pages.len(), "manual page", "manual pages"));
    Ok(())
}

/// A page for the command and every command below it: srrd-irl-maxent.
fn collect(command: &Command, name: &str, into: &mut Vec<(String, Man)>) {
    let page = command.clone().display_name(name.to_owned());
    into.push((name.to_owned(), Man::new(page).title(name.to_uppercase()).section("1")));
    for below in command.get_subcommands() {
        collect(below, &format!("{name}-{}", below.get_name()), into);
    }
}
