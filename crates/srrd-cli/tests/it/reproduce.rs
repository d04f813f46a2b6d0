//! `srrd reproduce` and `srrd report` as a user runs them.

use crate::support::{Place, column};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SMALL: &str = "--world gridworld --size 5x4 --model random --rollouts 2,8 --trials 3";

/// Every file below a folder, with its bytes.
fn tree(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
                files.push((name, std::fs::read(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn a_run_says_what_it_does_and_leaves_everything_behind() {
    let place = Place::new();
    let run = place.srrd(&format!("reproduce coverage -o runs/small {SMALL} --seed 7"));
    assert_eq!(run.status, 0, "{}", run.err);
    // The plan comes first, progress is on standard error.
    assert!(run.out.starts_with("coverage: Experiment 1"), "{}", run.out);
    assert!(run.out.contains("12 trials"), "{}", run.out);
    assert!(run.out.contains("report.html"), "{}", run.out);
    assert!(run.err.contains("of 12 trials"), "{}", run.err);

    let trials = place.read("runs/small/trials.csv");
    assert_eq!(
        trials.lines().next().unwrap(),
        "world,size,model,epsilon,rollouts,trial,seed,coverage,common,metric,estimator,distance,undefined"
    );
    assert_eq!(trials.lines().count(), 1 + 2 * 2 * 3 * 4 * 2);
    let summary = place.read("runs/small/summary.csv");
    let number = |text: &&str| text.parse::<usize>().unwrap();
    let (defined, undefined) = (column(&summary, "count"), column(&summary, "undefined"));
    assert!(defined.iter().zip(&undefined).all(|(count, undefined)| number(count) + number(undefined) == 3));
    let settings: serde_json::Value = serde_json::from_str(&place.read("runs/small/run.json")).unwrap();
    assert_eq!(settings["what"], "coverage");
    assert_eq!(settings["seed"], 7);
    assert_eq!(settings["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(settings["parameters"]["rollouts"], serde_json::json!(["2", "8"]));

    // The command in the report makes the same run.
    let command = settings["command"].as_str().unwrap().replace("DIR", "again");
    place.ok(command.strip_prefix("srrd ").unwrap());
    assert_eq!(tree(&place.path("runs/small")), tree(&place.path("again")));
}

#[test]
fn a_run_that_was_killed_goes_on() {
    let place = Place::new();
    let call =
        "reproduce coverage -o killed --world gridworld --size 12x12 --model random --rollouts 20,60 --trials 60";
    let mut child =
        place.command(call).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    let rows = || std::fs::read(place.path("killed/trials.csv")).map_or(0, |text| text.len());
    while rows() < 20_000 && started.elapsed() < Duration::from_secs(60) && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(rows() > 0);
    assert!(!place.path("killed/report.html").exists(), "it was done before it could be killed");
    place.ok(call);
    place.ok(&call.replace("-o killed", "-o undisturbed --threads 1"));
    assert_eq!(tree(&place.path("killed")), tree(&place.path("undisturbed")));
}

#[test]
fn parts_of_a_run_are_joined() {
    let place = Place::new();
    for part in 1..=3 {
        let out = place.ok(&format!("reproduce coverage -o part{part} {SMALL} --shard {part}/3"));
        assert!(out.contains(&format!("The part {part}/3 is done")), "{out}");
    }
    place.ok("reproduce merge part3 part1 part2 -o joined");
    place.ok(&format!("reproduce coverage -o whole {SMALL}"));
    assert_eq!(tree(&place.path("joined")), tree(&place.path("whole")));
    assert!(place.refused("reproduce merge part1 part2 -o other").contains("the part 3/3 is missing"));
    assert!(place.refused("report part1").contains("srrd reproduce merge"));
}

#[test]
fn a_report_is_rebuilt_with_the_same_bytes() {
    let place = Place::new();
    place.ok(&format!("reproduce noise -o run {}", SMALL.replace("--world gridworld ", "")));
    let before = tree(&place.path("run"));
    for name in ["run/report.html", "run/summary.csv"] {
        std::fs::remove_file(place.path(name)).unwrap();
    }
    std::fs::remove_dir_all(place.path("run/figures")).unwrap();
    place.ok("report run");
    assert_eq!(before, tree(&place.path("run")));
}

#[test]
fn a_plan_can_be_had_without_the_run() {
    let place = Place::new();
    let out = place.ok("reproduce coverage -o run --preset paper --plan");
    assert!(out.contains("2000") && out.contains("147200 trials"), "{out}");
    assert!(place.files().is_empty());
}

#[test]
fn wrong_calls_say_what_to_do() {
    let place = Place::new();
    for (call, part) in [
        ("reproduce nothing -o run", "there is no experiment `nothing`"),
        ("reproduce coverage -o run --preset huge", "--preset: 'huge' is neither quick nor paper"),
        ("reproduce coverage -o run --world moon", "--world: 'moon'"),
        ("reproduce coverage -o run --size 20", "--size: '20'"),
        ("reproduce coverage -o run --trials 0", "--trials"),
        ("reproduce coverage -o run --trials -3", "--trials"),
        ("reproduce coverage -o run --epsilon 1.5", "--epsilon: '1.5'"),
        ("reproduce coverage -o run --gamma x", "--gamma: 'x'"),
        ("reproduce coverage -o run --metric l2", "--metric"),
        ("reproduce coverage -o run --estimator best", "--estimator: 'best'"),
        ("reproduce coverage -o run --estimator unbiased --batch 5", "--batch"),
        ("reproduce coverage -o run --shard 3/2", "--shard: '3/2'"),
        ("reproduce coverage -o run --threads 0", "--threads"),
        ("reproduce coverage extra -o run", "'extra' is one argument too many"),
        ("reproduce instability -o run --world gridworld", "`instability` has no such parameter"),
        ("reproduce merge -o run", "name the folders"),
        ("reproduce merge a -o run --seed 1", "--seed"),
        ("reproduce merge a -o run", "a/run.json"),
        ("report .", "run.json"),
    ] {
        let message = place.refused(call);
        assert!(message.contains(part), "{call}: {message}");
    }
    place.write("file", "");
    let run = place.srrd("reproduce instability -o file --trials 1");
    assert_eq!(run.status, 1);
    assert!(run.err.contains("file"), "{}", run.err);
}

/// The reports that the experiments write are opened in a browser.
#[test]
fn a_browser_reads_the_reports() {
    let place = Place::new();
    let check = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/browser/check");
    for call in [
        format!("reproduce coverage -o run-1 {SMALL}"),
        "reproduce theory -o run-2 --size 4x4 --rollouts 3 --trials 4".to_owned(),
        "reproduce sensitivity -o run-3 --size 5x5 --rollouts 5 --trials 4".to_owned(),
    ] {
        place.ok(&call);
        let folder = call.split_whitespace().nth(3).unwrap();
        let page = place.path(folder).join("report.html");
        let output = Command::new(&check).arg(page).arg("--generic").output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{call}: {said}");
    }
}

/// A flag of the experiments may stand alone; recordings that are not there are named.
#[test]
fn as_published_stands_alone_and_missing_recordings_are_named() {
    let place = Place::new();
    let out = place.ok(&format!("reproduce coverage {SMALL} --as-published -o code --plan"));
    assert!(out.contains("as-published  yes"), "{out}");
    let said = place.refused("reproduce noise --as-published -o no --plan");
    assert!(said.contains("--as-published") && said.contains("no such parameter"), "{said}");
    // Recordings are looked for before anything is promised or written; a plan alone needs none.
    let run = place.srrd("reproduce classification --world mimic --data nowhere -o none");
    assert_eq!(run.status, 2, "{}", run.err);
    assert!(run.err.contains("--data") && run.err.contains("nowhere is no folder"), "{}", run.err);
    assert_eq!(run.out, "", "{}", run.out);
    assert!(!place.path("none").exists());
    place.ok("reproduce classification --world mimic --data nowhere -o none --plan");
    let said = place.refused("reproduce classification --world montezuma --scores 5,3 -o no");
    assert!(said.contains("--scores: scores have to rise"), "{said}");
}
