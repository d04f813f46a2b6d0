//! Runs can be stopped, continued, divided and repeated: always with the same bytes.

use srrd_lab::{LabError, Manifest, Preset, Run, Shard, merge};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A small study with every kind of row: several cells, metrics and estimators.
fn manifest(seed: u64, shard: Shard) -> Manifest {
    let replaced = [
        ("world", "gridworld,bouncing-balls"),
        ("size", "4x3"),
        ("model", "random"),
        ("rollouts", "1,3,8"),
        ("trials", "4"),
        ("seed", &seed.to_string()),
    ];
    Manifest::new("coverage", Preset::Quick, replaced, shard).unwrap()
}

fn go(folder: &Path, manifest: &Manifest, threads: usize) -> Result<(), LabError> {
    let run = Run::new(manifest.clone())?;
    run.compute(folder, threads, |_| std::ops::ControlFlow::Continue(()))?;
    if manifest.shard == Shard::WHOLE {
        // Pictures are drawn from the same tree as the SVG files, and take nearly all of the time.
        run.publish_without_png(folder)?;
    }
    Ok(())
}

fn publish(folder: &Path) -> Result<String, LabError> {
    Run::open(folder)?.publish_without_png(folder)
}

/// Every file of a folder with its bytes.
fn bytes(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.strip_prefix(folder).unwrap().to_path_buf(), fs::read(&path).unwrap());
            }
        }
    }
    files
}

fn assert_same(a: &Path, b: &Path) {
    let (a, b) = (bytes(a), bytes(b));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (path, content) in &a {
        assert!(content == &b[path], "{} differs", path.display());
    }
}

#[test]
fn a_run_that_was_cut_off_anywhere_ends_with_the_same_bytes() {
    let whole = tempfile::tempdir().unwrap();
    go(whole.path(), &manifest(0, Shard::WHOLE), 2).unwrap();
    let trials = fs::read(whole.path().join("trials.csv")).unwrap();
    // In the header, between rows, within a row, within a trial, at the end.
    let lines: Vec<usize> = trials.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| i + 1).collect();
    for cut in [0, 5, lines[0], lines[0] + 3, lines[1], lines[7] + 60, lines[20], trials.len() - 1, trials.len()] {
        let stopped = tempfile::tempdir().unwrap();
        fs::copy(whole.path().join("run.json"), stopped.path().join("run.json")).unwrap();
        fs::write(stopped.path().join("trials.csv"), &trials[..cut]).unwrap();
        go(stopped.path(), &manifest(0, Shard::WHOLE), 3).unwrap();
        assert_same(whole.path(), stopped.path());
    }
}

#[test]
fn threads_change_nothing() {
    let folders = [1, 2, 5].map(|threads| {
        let folder = tempfile::tempdir().unwrap();
        go(folder.path(), &manifest(3, Shard::WHOLE), threads).unwrap();
        folder
    });
    assert_same(folders[0].path(), folders[1].path());
    assert_same(folders[0].path(), folders[2].path());
}

#[test]
fn parts_join_to_the_whole() {
    let whole = tempfile::tempdir().unwrap();
    go(whole.path(), &manifest(1, Shard::WHOLE), 2).unwrap();
    for of in [1, 2, 5] {
        let parts: Vec<tempfile::TempDir> = (1..=of)
            .map(|index| {
                let folder = tempfile::tempdir().unwrap();
                go(folder.path(), &manifest(1, Shard::new(index, of).unwrap()), 2).unwrap();
                folder
            })
            .collect();
        // In any order.
        let paths: Vec<PathBuf> = parts.iter().rev().map(|part| part.path().to_path_buf()).collect();
        let merged = tempfile::tempdir().unwrap();
        merge(&paths, merged.path()).unwrap().publish_without_png(merged.path()).unwrap();
        assert_same(whole.path(), merged.path());
    }
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let part = |seed, index| {
        let folder = tempfile::tempdir().unwrap();
        go(folder.path(), &manifest(seed, Shard::new(index, 2).unwrap()), 2).unwrap();
        folder
    };
    let (first, second, other) = (part(1, 1), part(1, 2), part(2, 2));
    let message = |parts: &[&tempfile::TempDir]| {
        let paths: Vec<PathBuf> = parts.iter().map(|part| part.path().to_path_buf()).collect();
        let folder = tempfile::tempdir().unwrap();
        merge(&paths, folder.path()).err().unwrap().to_string()
    };
    assert!(message(&[&first]).contains("the part 2/2 is missing"));
    assert!(message(&[&first, &first]).contains("the part 1/2 is there twice"));
    assert!(message(&[&first, &other]).contains("not a part of the same run"));
    assert!(message(&[]).contains("name the folders"));
    let rows = fs::read(second.path().join("trials.csv")).unwrap();
    fs::write(second.path().join("trials.csv"), &rows[..rows.len() / 2]).unwrap();
    assert!(message(&[&first, &second]).contains("is not finished"));
    assert!(publish(first.path()).err().unwrap().to_string().contains("reproduce merge"));
}

#[test]
fn a_folder_with_something_else_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    go(folder.path(), &manifest(0, Shard::WHOLE), 2).unwrap();
    let before = bytes(folder.path());
    let message = go(folder.path(), &manifest(1, Shard::WHOLE), 2).err().unwrap().to_string();
    assert!(message.contains("holds another run"), "{message}");
    assert_eq!(before, bytes(folder.path()));

    // Rows of another seed under this run.json.
    let foreign = tempfile::tempdir().unwrap();
    go(foreign.path(), &manifest(1, Shard::WHOLE), 2).unwrap();
    fs::copy(foreign.path().join("trials.csv"), folder.path().join("trials.csv")).unwrap();
    let message = go(folder.path(), &manifest(0, Shard::WHOLE), 2).err().unwrap().to_string();
    assert!(message.contains("row 1: does not belong to this run"), "{message}");

    // Trials that nobody knows the settings of.
    fs::remove_file(folder.path().join("run.json")).unwrap();
    let message = go(folder.path(), &manifest(0, Shard::WHOLE), 2).err().unwrap().to_string();
    assert!(message.contains("without a run.json"), "{message}");
}

#[test]
fn two_runs_do_not_write_to_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    go(folder.path(), &manifest(0, Shard::WHOLE), 1).unwrap();
    let held = fs::File::open(folder.path().join("trials.csv")).unwrap();
    held.lock().unwrap();
    let message = go(folder.path(), &manifest(0, Shard::WHOLE), 1).err().unwrap().to_string();
    assert!(message.contains("another run is writing here"), "{message}");
}

#[test]
fn every_trial_has_a_seed_of_its_own_and_the_seed_changes_them_all() {
    let column = |seed: u64, name: &str| -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        go(folder.path(), &manifest(seed, Shard::WHOLE), 2).unwrap();
        let text = fs::read_to_string(folder.path().join("trials.csv")).unwrap();
        let mut lines = text.lines();
        let index = lines.next().unwrap().split(',').position(|column| column == name).unwrap();
        lines.map(|line| line.split(',').nth(index).unwrap().to_owned()).collect()
    };
    let mut seeds = column(0, "seed");
    seeds.dedup();
    let others = column(1, "seed");
    assert!(seeds.iter().all(|seed| !others.contains(seed)));
    let count = seeds.len();
    seeds.sort();
    seeds.dedup();
    assert_eq!(seeds.len(), count);
    assert_eq!(count, 2 * 2 * 3 * 4);
    let (a, b) = (column(0, "distance"), column(1, "distance"));
    let same = a.iter().zip(&b).filter(|(a, b)| a == b && !a.is_empty()).count();
    assert!(same * 20 < a.len(), "{same} of {}", a.len());
}

#[test]
fn an_unfinished_run_can_be_reported() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = manifest(0, Shard::WHOLE);
    go(folder.path(), &manifest, 2).unwrap();
    let text = fs::read_to_string(folder.path().join("trials.csv")).unwrap();
    let some: String = text.split_inclusive('\n').take(40).collect();
    fs::write(folder.path().join("trials.csv"), some).unwrap();
    assert!(publish(folder.path()).unwrap().contains("not finished"));
    assert!(fs::read_to_string(folder.path().join("report.html")).unwrap().contains("not finished"));
}

fn published(what: &str, replaced: &[(&str, &str)]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let manifest = Manifest::new(what, Preset::Quick, replaced.iter().copied(), Shard::WHOLE).unwrap();
    let run = Run::new(manifest).unwrap();
    run.compute(folder.path(), 2, |_| std::ops::ControlFlow::Continue(())).unwrap();
    let text = run.publish_without_png(folder.path()).unwrap();
    (folder, text)
}

/// What the paper's code computes stands beside the definition, in rows of its own.
#[test]
fn as_published_has_rows_of_its_own_and_one_sentence() {
    let replaced = [
        ("world", "gridworld"),
        ("size", "10x10"),
        ("model", "random"),
        ("epsilon", "0"),
        ("rollouts", "30"),
        ("trials", "4"),
        ("estimator", "double"),
        ("as-published", "yes"),
    ];
    let (folder, text) = published("coverage", &replaced);
    let trials = fs::read_to_string(folder.path().join("trials.csv")).unwrap();
    let distances = |metric: &str| -> Vec<f64> {
        let rows = trials.lines().map(|line| line.split(',').collect::<Vec<_>>()).filter(|row| row[9] == metric);
        rows.map(|row| row[11].parse().unwrap()).collect()
    };
    let mean = |metric: &str| distances(metric).iter().sum::<f64>() / 4.0;
    // EPIC's last term is a constant. DARD's error is the code's, not the definition's.
    assert!((mean("epic") - mean("epic-published")).abs() < 1e-9);
    assert!(mean("dard-published") > mean("dard") + 0.05, "{} {}", mean("dard-published"), mean("dard"));
    assert!(text.contains("DARD as published"), "{text}");
    let report = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(report.contains("The published code takes the successors of s in all three places of DARD"));
}

#[test]
fn recorded_games_are_told_apart_and_every_row_says_which_data() {
    let data = tempfile::tempdir().unwrap();
    for (class, step) in [("left", -1), ("right", 1)] {
        fs::create_dir_all(data.path().join("starcraft").join(class)).unwrap();
        for game in 0..12 {
            let mut text = "iteration,name,is_mine,is_enemy,is_attacking,x_pos,y_pos,score\n".to_owned();
            for iteration in 0..40 {
                let x = step * ((iteration * (game % 5 + 3)) % 17);
                text += &format!("{iteration},a,1,0,{},{x},0,{}\n", iteration % 2, (iteration * iteration) % 7);
                text += &format!("{iteration},b,0,1,0,20,{},{}\n", iteration % 3, (iteration * iteration) % 7);
            }
            fs::write(data.path().join(format!("starcraft/{class}/game_{game:02}.csv")), text).unwrap();
        }
    }
    let folder = data.path().to_string_lossy().into_owned();
    let replaced = [
        ("world", "starcraft"),
        ("data", folder.as_str()),
        ("rewards", "manual,maxent,airl,ptirl"),
        ("episodes", "1"),
        ("cells", "8"),
        ("min-common", "3"),
        ("trials", "3"),
        ("k", "1,3"),
        ("as-published", "yes"),
    ];
    let (run, text) = published("classification", &replaced);
    let summary = fs::read_to_string(run.path().join("summary.csv")).unwrap();
    assert!(summary.lines().next().unwrap().ends_with("undefined,data,samples,fewest,defined"));
    let place = data.path().join("starcraft").display().to_string();
    assert!(summary.lines().skip(1).all(|line| line.contains(&format!("{place},24,12,"))), "{summary}");
    for says in ["occupancy alone", "% of pairs with a distance", "PTIRL rewards", "DARD as published", "overlap alone"]
    {
        assert!(text.contains(says), "{says}: {text}");
    }
    // Teams on different sides share no cells: who acted is plain without rewards.
    let occupancy = summary.lines().find(|line| line.contains(",occupancy,")).unwrap().split(',').nth(5).unwrap();
    assert_eq!(occupancy, "1", "{summary}");
    let error = Run::new(Manifest::new("coverage", Preset::Quick, [("world", "starcraft")], Shard::WHOLE).unwrap());
    assert!(error.map(|_| ()).unwrap_err().to_string().contains("not in starcraft"));
}
