//! Rules for the source text that no compiler checks.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates that others build on. (`srrd-lab` is for the command and the package.)
const LIBRARIES: [&str; 5] = ["srrd", "srrd-data", "srrd-worlds", "srrd-irl", "srrd-show"];

/// The longest file.
const LINES: usize = 500;

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files below a folder, of all folders in it.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            found.extend(files(&entry, extension));
        } else if entry.extension().is_some_and(|it| it == extension) {
            found.push(entry);
        }
    }
    found
}

/// The public functions of a file that are no methods, without an example in what is said about them.
fn without_example(text: &str) -> Vec<&str> {
    let (mut example, mut found) = (false, Vec::new());
    for line in text.lines() {
        if line.starts_with("///") {
            example |= line.contains("```") || line.contains("[module](self) has an example");
        } else if !line.starts_with("#[") {
            let name = line.strip_prefix("pub fn ").and_then(|rest| rest.split(['(', '<']).next());
            found.extend(name.filter(|_| !example));
            example = false;
        }
    }
    found
}

#[test]
fn every_public_function_has_an_example() {
    assert_eq!(
        without_example("/// No.\npub fn a() {}\n/// ```\n/// b();\n/// ```\n#[inline]\npub fn b<T>() {}\n"),
        ["a"]
    );
    let mut missing = Vec::new();
    for file in LIBRARIES.iter().flat_map(|name| files(&crates().join(name).join("src"), "rs")) {
        let text = fs::read_to_string(&file).unwrap();
        missing.extend(without_example(&text).iter().map(|name| format!("{} in {}", name, file.display())));
    }
    assert!(missing.is_empty(), "add an example that is run as a test to: {missing:#?}");
}

#[test]
fn files_are_short() {
    let rust = fs::read_dir(crates()).unwrap().map(|entry| files(&entry.unwrap().path().join("src"), "rs"));
    let python = files(&crates().join("../python/srrd"), "py");
    let all: Vec<PathBuf> = rust.flatten().chain(python).collect();
    assert!(all.len() > 300, "{}", all.len());
    let long = |file: &&PathBuf| fs::read_to_string(file).unwrap().lines().count() > LINES;
    let long: Vec<&PathBuf> = all.iter().filter(long).collect();
    assert!(long.is_empty(), "no file has more than {LINES} lines: divide {long:#?}");
}
