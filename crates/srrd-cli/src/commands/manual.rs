//! `srrd manual`: a manual page for every command.

use crate::args::Manual;
use crate::failure::Failure;
use crate::help;
use crate::print;
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::Roff;
use srrd_data::OutputFile;
use std::path::Path;

pub fn run(args: &Manual) -> Result<(), Failure> {
    std::fs::create_dir_all(&args.output).map_err(|e| {
        Failure::wrong(format!("{}: the folder cannot be made: {e}; name another one with -o", args.output.display()))
    })?;
    let mut command = help::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    collect(&command, "srrd", &mut pages);
    for (name, page) in &pages {
        let bytes = rendered(page)?;
        let mut file = OutputFile::create(&args.output.join(format!("{name}.1")))?;
        file.write_with(|to| to.write_all(&bytes))?;
        file.finish()?;
    }
    print::wrote([Path::new(&args.output)], &print::counted(pages.len(), "manual page", "manual pages"));
    Ok(())
}

/// A page for the command and every command below it: srrd-irl-maxent.
fn collect(command: &Command, name: &str, into: &mut Vec<(String, Command)>) {
    into.push((name.to_owned(), command.clone().display_name(name.to_owned())));
    for below in command.get_subcommands() {
        collect(below, &format!("{name}-{}", below.get_name()), into);
    }
}

/// The page of a command. How it is called, with values, and examples, line by line, are made here.
fn rendered(command: &Command) -> std::io::Result<Vec<u8>> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_uppercase();
    let page = Man::new(command.clone()).title(name).section("1").source(concat!("srrd ", env!("CARGO_PKG_VERSION")));
    let mut bytes = Vec::new();
    page.render_title(&mut bytes)?;
    page.render_name_section(&mut bytes)?;
    let mut synopsis = Roff::default();
    help::synopsis(command, &mut synopsis);
    synopsis.to_writer(&mut bytes)?;
    page.render_description_section(&mut bytes)?;
    page.render_options_section(&mut bytes)?;
    if command.has_subcommands() {
        page.render_subcommands_section(&mut bytes)?;
    }
    let mut more = Roff::default();
    help::more(command, &mut more);
    more.to_writer(&mut bytes)?;
    Ok(bytes)
}
