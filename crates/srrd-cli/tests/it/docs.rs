//! The pages in docs/ show what the command prints.
//!
//! In a block marked `console` every line that starts with `$ ` is a command, and the lines after it are what it prints: first
//! messages, then results. The commands of a page run one after another in a folder that holds what docs/data holds.

use crate::support::Place;
use std::path::{Path, PathBuf};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    files
}

/// A command of a page, and what the page says it prints.
#[derive(Debug, PartialEq)]
struct Shown {
    line: usize,
    command: String,
    output: String,
}

fn shown(page: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut inside = false;
    for (number, line) in page.lines().enumerate() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => match (line.strip_prefix("$ "), shown.last_mut()) {
                (Some(command), _) => {
                    shown.push(Shown { line: number + 1, command: command.to_owned(), output: String::new() });
                }
                (None, Some(last)) => last.output += &format!("{line}\n"),
                (None, None) => panic!("line {}: a block must start with a command: {line}", number + 1),
            },
        }
    }
    shown
}

#[test]
fn every_command_prints_what_its_page_says() {
    let pages: Vec<PathBuf> =
        files(&docs()).into_iter().filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    let mut commands = 0;
    for page in &pages {
        let place = Place::new();
        for file in files(&docs().join("data")) {
            std::fs::copy(&file, place.path(file.file_name().unwrap().to_str().unwrap())).unwrap();
        }
        for Shown { line, command, output } in shown(&std::fs::read_to_string(page).unwrap()) {
            let at = format!("{}, line {line}: {command}", page.display());
            let arguments = command.strip_prefix("srrd ").unwrap_or_else(|| panic!("{at}: only `srrd` can be run"));
            let run = place.srrd(&arguments.replace('\'', ""));
            assert_eq!(run.status, 0, "{at}\n{}", run.err);
            let printed = run.err + &run.out;
            assert!(printed == output, "{at}\nprints\n{printed}\nand the page says\n{output}");
            commands += 1;
        }
    }
    assert!(commands > 0, "no page shows a command");
}

#[test]
fn commands_and_their_outputs_are_told_apart() {
    let page = "text\n```console\n$ srrd a\none\n\n$ srrd b\n```\n```sh\n$ not this\n```\n";
    let of = |line, command: &str, output: &str| Shown { line, command: command.into(), output: output.into() };
    assert_eq!(shown(page), [of(3, "srrd a", "one\n\n"), of(6, "srrd b", "")]);
}
