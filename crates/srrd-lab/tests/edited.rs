//! A trials.csv that someone has edited gives a message with file, row and column: when it is reported and when it goes on.

use srrd_lab::{EXPERIMENTS, LabError, Manifest, Preset, Run, Shard};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

/// Every experiment, as small as it gets.
const SMALL: [(&str, &str); 9] = [
    ("size", "3x3"),
    ("rollouts", "3"),
    ("trials", "2"),
    ("sets", "2"),
    ("k", "1"),
    ("min-common", "3"),
    ("world", "gridworld"),
    ("model", "random"),
    ("correlation", "0.5,1"),
];

fn run(what: &str) -> Run {
    let there = Manifest::new(what, Preset::Quick, [("seed", "1")], Shard::WHOLE).unwrap().parameters.entries();
    let small = SMALL.into_iter().filter(|(name, _)| there.iter().any(|(there, _)| there == name));
    Run::new(Manifest::new(what, Preset::Quick, small, Shard::WHOLE).unwrap()).unwrap()
}

fn compute(run: &Run, folder: &Path) -> Result<(), LabError> {
    run.compute(folder, 2, |_| ControlFlow::Continue(()))
}

/// What both the report and a further start say about the edited text.
fn message(run: &Run, folder: &Path, text: &str) -> String {
    fs::write(folder.join("trials.csv"), text).unwrap();
    let reported = run.publish(folder).unwrap_err();
    assert!(reported.is_wrong());
    assert_eq!(compute(run, folder).unwrap_err().to_string(), reported.to_string());
    assert_eq!(fs::read_to_string(folder.join("trials.csv")).unwrap(), text, "it is left alone");
    reported.to_string()
}

/// The text with one field replaced; lines from 0, the header.
fn with(text: &str, line: usize, column: usize, field: &str) -> String {
    let mut lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    lines[line][column] = field;
    lines.iter().map(|line| line.join(",") + "\n").collect()
}

#[test]
fn every_field_of_every_experiment_is_checked() {
    for kind in EXPERIMENTS {
        let folder = tempfile::tempdir().unwrap();
        let run = run(kind.name);
        compute(&run, folder.path()).unwrap();
        let text = fs::read_to_string(folder.path().join("trials.csv")).unwrap();
        let columns: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        for (place, column) in columns.iter().enumerate() {
            for field in ["abc", "inf", "NaN", "-5 ", "1e999"] {
                let message = message(&run, folder.path(), &with(&text, 2, place, field));
                assert!(message.contains("trials.csv: row 2"), "{} {column} {field}: {message}", kind.name);
                // Free text can only be seen not to belong to the run.
                let named = message.contains(&format!("column `{column}`"));
                assert!(named || message.contains("does not belong to this run"), "{} {column}: {message}", kind.name);
            }
        }
    }
}

#[test]
fn what_is_wrong_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let run = run("coverage");
    compute(&run, folder.path()).unwrap();
    let text = fs::read_to_string(folder.path().join("trials.csv")).unwrap();
    let header = "world,size,model,epsilon,rollouts,trial,seed,coverage,common,metric,estimator,distance,undefined";
    assert_eq!(text.lines().next().unwrap(), header);
    let place = |name: &str| header.split(',').position(|column| column == name).unwrap();
    let line = |number: usize| text.lines().nth(number).unwrap();
    let cut = |number: usize, fields: usize| {
        let short = line(number).split(',').take(fields).collect::<Vec<_>>().join(",");
        text.replacen(line(number), &short, 1)
    };
    for (edited, says) in [
        (with(&text, 3, place("distance"), "abc"), "row 3, column `distance`: 'abc' is not a number"),
        (with(&text, 3, place("distance"), "inf"), "row 3, column `distance`: 'inf' is not a number"),
        (with(&text, 3, place("distance"), "-5"), "row 3, column `distance`: '-5' is not a number from 0 to 1"),
        (with(&text, 3, place("common"), "-5"), "row 3, column `common`: '-5' is not a whole number from 0 up"),
        (with(&text, 3, place("common"), "7.5"), "row 3, column `common`: '7.5' is not a whole number from 0 up"),
        (with(&text, 3, place("metric"), "l2"), "row 3, column `metric`: 'l2' is none of direct, epic"),
        (with(&text, 3, place("undefined"), "why"), "row 3, column `undefined`: 'why' is none of too_few_common"),
        (with(&text, 3, place("rollouts"), "x"), "row 3, column `rollouts`: 'x' is not a whole number"),
        (with(&text, 3, place("seed"), "7"), "row 3: does not belong to this run"),
        (cut(3, 9), "row 3, column `metric`: the column is missing"),
        (cut(3, 2), "row 3, column `model`: the column is missing"),
        (text.replacen(line(3), &format!("{},1", line(3)), 1), "row 3: there are 14 columns where 13 belong"),
        (text.replacen(line(3), "", 1), "row 3, column `world`: '' is none of"),
        (text.replacen(",common", "", 1), "row 0, column `common`: 'metric' stands in the header instead"),
        (text.replacen(",undefined", "", 1), "row 0, column `undefined`: the column is missing in the header"),
        (text.replacen("undefined\n", "undefined,more\n", 1), "row 0: the header has the column 'more'"),
        (text.clone() + line(1) + "\n", "does not belong to this run"),
    ] {
        let message = message(&run, folder.path(), &edited);
        assert!(message.contains("trials.csv: ") && message.contains(says), "{says}: {message}");
    }
}

#[test]
fn rows_in_the_wrong_order_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let run = run("coverage");
    compute(&run, folder.path()).unwrap();
    let path = folder.path().join("trials.csv");
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.swap(1, 2);
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    let message = run.publish(folder.path()).unwrap_err().to_string();
    assert!(message.contains("row 1, column `metric`: 'epic' stands where 'direct' belongs"), "{message}");
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = run("instability");
    compute(&run, folder.path()).unwrap();
    let path = folder.path().join("trials.csv");
    let mut bytes = fs::read(&path).unwrap();
    let second = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 3;
    bytes[second] = 0xff;
    fs::write(&path, bytes).unwrap();
    let message = run.publish(folder.path()).unwrap_err().to_string();
    assert!(message.contains("trials.csv: row 1: is not text"), "{message}");
}

#[test]
fn a_confusion_matrix_of_another_size_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = run("classification");
    compute(&run, folder.path()).unwrap();
    let text = fs::read_to_string(folder.path().join("trials.csv")).unwrap();
    let last = text.lines().next().unwrap().split(',').count() - 1;
    fs::write(folder.path().join("trials.csv"), with(&text, 1, last, "1 2 3")).unwrap();
    let message = run.publish(folder.path()).unwrap_err().to_string();
    assert!(message.contains("row 1, column `confusion`: there are 3 numbers, not 10 × 10"), "{message}");
}
