//! Runs the command as a user does.
#![allow(dead_code)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub struct Run {
    pub status: i32,
    pub out: String,
    pub err: String,
}

fn finished(output: Output) -> Run {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the command prints UTF-8");
    Run { status: output.status.code().expect("no signal"), out: text(output.stdout), err: text(output.stderr) }
}

/// A folder of its own for every test, and the command run in it.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Self {
        Place { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), contents).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn files(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_srrd"));
        command.current_dir(self.folder.path()).args(arguments.split_whitespace());
        command
    }

    pub fn srrd(&self, arguments: &str) -> Run {
        finished(self.command(arguments).stdin(Stdio::null()).output().unwrap())
    }

    pub fn srrd_with_input(&self, arguments: &str, input: &[u8]) -> Run {
        let mut command = self.command(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        finished(child.wait_with_output().unwrap())
    }

    /// The standard output of a call that must succeed.
    pub fn ok(&self, arguments: &str) -> String {
        let run = self.srrd(arguments);
        assert_eq!(run.status, 0, "srrd {arguments}: {}", run.err);
        run.out
    }

    /// The message of a call that must be refused, and must not have written anything.
    pub fn refused(&self, arguments: &str) -> String {
        let before = self.files();
        let run = self.srrd(arguments);
        assert_eq!(run.status, 2, "srrd {arguments}: {}{}", run.out, run.err);
        assert_eq!(run.out, "", "srrd {arguments}");
        assert_eq!(self.files(), before, "srrd {arguments} has left something behind");
        assert!(!run.err.contains("panicked"), "{}", run.err);
        run.err
    }
}

/// The calls that a help gives as examples.
pub fn examples(help: &str) -> Vec<String> {
    let help = help.replace(" \\\n      ", " ");
    let call = |line: &str| Some(line.strip_prefix("  srrd ")?.split("   ").next()?.trim_end().to_owned());
    help.lines().filter_map(call).collect()
}

/// The columns of a CSV without quotes, by name.
pub fn column<'a>(csv: &'a str, name: &str) -> Vec<&'a str> {
    let mut lines = csv.lines();
    let position = lines.next().unwrap().split(',').position(|n| n == name).unwrap_or_else(|| panic!("no {name}"));
    lines.map(|line| line.split(',').nth(position).unwrap()).collect()
}

/// A file of `tests/golden`, which its README explains.
pub fn golden(name: &str) -> serde_json::Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden").join(name);
    serde_json::from_str(&std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))).unwrap()
}

/// Golden rows as CSV.
pub fn csv_of(rows: &serde_json::Value) -> String {
    let mut csv = String::from("state,action,next_state,reward\n");
    for row in rows.as_array().unwrap() {
        let cell = |i: usize| row[i].as_str().map_or_else(|| row[i].to_string(), str::to_owned);
        csv += &format!("{},{},{},{}\n", cell(0), cell(1), cell(2), cell(3));
    }
    csv
}
