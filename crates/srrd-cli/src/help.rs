//! The command line with its helps laid out: for terminals of 80 columns and more, and for manual pages.
//!
//! Behind its options a command tells examples and more, in [`after_help`](Command::after_help): paragraphs, and lines that begin with two
//! spaces, which are examples or entries of a list. They are written as the source is wide. Here paragraphs become one line each, which is
//! wrapped once, where it is shown; other lines are made to fit.

use crate::args::Arguments;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command, CommandFactory};
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};
use srrd_data::nearest;
use std::ffi::OsString;

/// Lines that are not to be wrapped are no wider.
const WIDTH: usize = 79;
/// How far what belongs to a line is indented below it.
const BELOW: &str = "      ";

/// The whole command line.
pub fn command() -> Command {
    laid_out(Arguments::command())
}

fn laid_out(command: Command) -> Command {
    let below: Vec<String> = command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    let told = command.get_after_help().map(|text| {
        let blocks = blocks(&text.to_string());
        blocks.iter().map(Block::text).collect::<Vec<_>>().join("\n")
    });
    let command = if let Some(told) = told { command.after_help(told) } else { command };
    below.into_iter().fold(command, |command, name| command.mut_subcommand(name, laid_out))
}

/// A part of what stands behind the options.
#[derive(Debug, PartialEq)]
enum Block {
    /// To be wrapped.
    Paragraph(String),
    /// Not to be wrapped.
    Line(String),
    /// Nothing, between others.
    Blank,
}

impl Block {
    fn text(&self) -> &str {
        match self {
            Block::Paragraph(text) | Block::Line(text) => text,
            Block::Blank => "",
        }
    }
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("  "), blocks.last_mut()) {
            _ if line.is_empty() => blocks.push(Block::Blank),
            (Some(line), _) => blocks.extend(fitting(line).into_iter().map(Block::Line)),
            (None, Some(Block::Paragraph(text))) => *text += &format!(" {line}"),
            (None, _) => blocks.push(Block::Paragraph(line.to_owned())),
        }
    }
    blocks
}

/// An indented line in as many as it takes: what an example is for stands below it where both do not fit, a call goes on after a backslash,
/// and the text of an entry begins where it began.
fn fitting(line: &str) -> Vec<String> {
    let whole = format!("  {line}");
    if width(&whole) <= WIDTH {
        return vec![whole];
    }
    let (head, gap, tail) = match line.find("  ") {
        Some(at) => {
            let tail = line[at..].trim_start();
            (&line[..at], line.len() - at - tail.len(), tail)
        }
        None => (line, 0, ""),
    };
    if head.starts_with("srrd ") {
        let says = (!tail.is_empty()).then(|| format!("{BELOW}{tail}"));
        return call(head).into_iter().chain(says).collect();
    }
    let before = " ".repeat(2 + width(head) + gap);
    let mut lines = vec![format!("  {head}{}", " ".repeat(gap))];
    let mut empty = true;
    for word in tail.split(' ') {
        if let Some(last) = lines.last_mut().filter(|last| empty || width(last) + 1 + width(word) <= WIDTH) {
            *last += &format!("{}{word}", if empty { "" } else { " " });
        } else {
            lines.push(format!("{before}{word}"));
        }
        empty = false;
    }
    lines
}

/// A call, divided before options where it is too long.
fn call(call: &str) -> Vec<String> {
    let mut lines = vec![format!("  {call}")];
    while let Some(last) = lines.last().filter(|last| width(last) > WIDTH) {
        let at = last.match_indices(" --").map(|(at, _)| at).filter(|&at| at > BELOW.len() && at + 2 <= WIDTH).last();
        let Some(at) = at else { break };
        let (here, next) = (format!("{} \\", &last[..at]), format!("{BELOW}{}", last[at..].trim_start()));
        lines.pop();
        lines.extend([here, next]);
    }
    lines
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// An error about an option that does not exist, with the nearest that does, where nothing was suggested.
pub fn with_nearest(mut error: clap::Error, command: &Command, arguments: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return error };
    if error.kind() != ErrorKind::UnknownArgument || error.get(ContextKind::SuggestedArg).is_some() {
        return error;
    }
    let words = arguments.iter().skip(1).filter_map(|argument| argument.to_str());
    let called = words.fold(command, |command, word| command.find_subcommand(word).unwrap_or(command));
    let options: Vec<&str> = called.get_arguments().filter_map(Arg::get_long).collect();
    let given = given.trim_start_matches('-').split('=').next().unwrap_or_default();
    if let Some(near) = nearest(given, options.into_iter()) {
        error.insert(ContextKind::SuggestedArg, ContextValue::String(format!("--{near}")));
    }
    error
}

/// How a command is called, for its manual page: with the values of its options.
pub fn synopsis(command: &Command, to: &mut Roff) {
    let mut line = vec![bold(command.get_bin_name().unwrap_or_else(|| command.get_name()))];
    let options: Vec<&Arg> =
        command.get_arguments().filter(|one| one.get_long().is_some() && !one.is_hide_set()).collect();
    // What must be given stands behind what may be.
    for required in [false, true] {
        options.iter().filter(|option| option.is_required_set() == required).for_each(|one| option(one, &mut line));
    }
    for positional in command.get_positionals().filter(|positional| !positional.is_hide_set()) {
        let [before, after] = if positional.is_required_set() { ["", ""] } else { ["[", "]"] };
        let many = if positional.get_num_args().is_some_and(|count| count.max_values() > 1) { "..." } else { "" };
        line.extend([roman(format!(" {before}")), italic(values(positional)), roman(format!("{many}{after}"))]);
    }
    if command.has_subcommands() {
        line.extend([roman(" "), italic("COMMAND")]);
    }
    // Names of options and values are not hyphenated, nor spread over the line.
    to.control("SH", ["SYNOPSIS"]).control("nh", []).control("ad", ["l"]).text(line);
    to.control("ad", []).control("hy", []);
}

fn option(option: &Arg, line: &mut Vec<Inline>) {
    let [before, after] = if option.is_required_set() { [" ", ""] } else { [" [", "]"] };
    line.push(roman(before));
    if let Some(short) = option.get_short() {
        line.extend([bold(format!("-{short}")), roman("|")]);
    }
    line.push(bold(format!("--{}", option.get_long().unwrap_or_default())));
    if matches!(option.get_action(), ArgAction::Set | ArgAction::Append) {
        line.extend([roman(" "), italic(values(option))]);
    }
    line.push(roman(after));
}

/// What stands for the values of an argument.
fn values(argument: &Arg) -> String {
    let names: Vec<&str> = argument.get_value_names().unwrap_or_default().iter().map(|name| name.as_str()).collect();
    if names.is_empty() { argument.get_id().to_string().to_uppercase() } else { names.join(" ") }
}

/// What stands behind the options, for the manual page: lines stay lines.
pub fn more(command: &Command, to: &mut Roff) {
    let Some(text) = command.get_after_help() else { return };
    to.control("SH", ["EXAMPLES AND MORE"]);
    let mut inside = false;
    for block in blocks(&text.to_string()) {
        let is_line = matches!(block, Block::Line(_));
        if is_line != inside {
            to.control(if is_line { "nf" } else { "fi" }, []);
            inside = is_line;
        }
        match &block {
            Block::Blank => to.control("PP", []),
            Block::Paragraph(text) | Block::Line(text) => to.text([roman(text.as_str())]),
        };
    }
    if inside {
        to.control("fi", []);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_one_line_and_examples_fit() {
        let text = "Examples:\n  srrd a   why\n\nOne two\nthree.\n";
        let line = |text: &str| Block::Line(text.to_owned());
        let paragraph = |text: &str| Block::Paragraph(text.to_owned());
        assert_eq!(
            blocks(text),
            [paragraph("Examples:"), line("  srrd a   why"), Block::Blank, paragraph("One two three.")]
        );
        let call = format!("srrd x {}-o out.csv --last 1", "--option value ".repeat(4));
        let said = format!("{call}      what it is for");
        let lines = fitting(&said);
        assert_eq!(lines.concat().replace(" \\      ", " "), format!("  {call}      what it is for"));
        assert_eq!(lines.len(), 3);
        let entry = fitting(&format!("name    {}", "some words ".repeat(12).trim_end()));
        assert!(entry[1].starts_with("          some") && entry.len() == 2, "{entry:?}");
        assert!(lines.iter().chain(&entry).all(|line| width(line) <= WIDTH));
    }

    #[test]
    fn nothing_that_stays_a_line_is_wider_than_a_terminal() {
        fn look(command: &Command) {
            let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in text.lines().filter(|line| line.starts_with("  ")) {
                assert!(width(line) <= WIDTH, "{}: {line}", command.get_name());
            }
            command.get_subcommands().for_each(look);
        }
        look(&command());
    }
}
