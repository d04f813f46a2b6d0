//! Every experiment runs from end to end with a few trials, and says what the paper says beside what it measured.

use srrd_lab::{EXPERIMENTS, Manifest, Preset, Run, Shard};
use std::fs;

const NOTHING: [(&str, &str); 0] = [];
/// Parameters that make a preset small; those that an experiment does not have are left out.
const SMALL: [(&str, &str); 6] =
    [("size", "4x4"), ("rollouts", "2,6"), ("trials", "3"), ("sets", "4"), ("k", "1,3"), ("min-common", "3")];

#[test]
fn every_experiment_runs_with_the_quick_preset() {
    every_experiment_runs(Preset::Quick);
}

/// In all worlds. PNG files of the same kinds of figures are drawn for the quick preset.
#[test]
fn every_experiment_runs_with_the_papers_preset() {
    every_experiment_runs(Preset::Paper);
}

fn every_experiment_runs(preset: Preset) {
    for kind in EXPERIMENTS {
        let whole = Manifest::new(kind.name, preset, NOTHING, Shard::WHOLE).unwrap();
        let there: Vec<&str> = whole.parameters.entries().iter().map(|(name, _)| *name).collect();
        let one_world = (preset == Preset::Quick).then_some(("world", "gridworld"));
        let small = SMALL.into_iter().chain(one_world).filter(|(name, _)| there.contains(name));
        let run = Run::new(Manifest::new(kind.name, preset, small, Shard::WHOLE).unwrap()).unwrap();
        assert!(!run.plan().is_empty());
        let folder = tempfile::tempdir().unwrap();
        run.compute(folder.path(), 2, |_| std::ops::ControlFlow::Continue(())).unwrap();
        let text = match preset {
            Preset::Quick => run.publish(folder.path()),
            Preset::Paper => run.publish_without_png(folder.path()),
        };
        let text = text.unwrap();
        assert!(!text.contains("NaN") && !text.contains("not finished"), "{}: {text}", kind.name);

        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        let trials = read("trials.csv");
        let columns = trials.lines().next().unwrap().split(',').count();
        assert!(trials.lines().all(|line| line.split(',').count() == columns), "{}", kind.name);
        let summary = read("summary.csv");
        let columns = summary.lines().next().unwrap().split(',').count();
        assert!(summary.lines().all(|line| line.split(',').count() == columns), "{}", kind.name);
        for column in ["mean", "sd", "low", "high", "count"] {
            assert!(summary.lines().next().unwrap().split(',').any(|c| c == column), "{} {column}", kind.name);
        }
        let report = read("report.html");
        assert!(report.contains(&format!("srrd reproduce {}", kind.name)));
        assert!(report.contains("<svg"));
        for entry in fs::read_dir(folder.path().join("figures")).unwrap() {
            let path = entry.unwrap().path();
            let file = fs::read(&path).unwrap();
            match path.extension().and_then(|e| e.to_str()) {
                Some("svg") => {
                    assert!(file.starts_with(b"<svg"));
                    assert_eq!(path.with_extension("png").exists(), preset == Preset::Quick);
                }
                Some("png") => assert!(file.starts_with(b"\x89PNG")),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn parameters_that_an_experiment_does_not_have_are_refused() {
    let message = |what, name: &'static str, value: &str| {
        let manifest = Manifest::new(what, Preset::Quick, [(name, value)], Shard::WHOLE);
        manifest.and_then(Run::new).err().unwrap().to_string()
    };
    assert!(message("instability", "world", "gridworld").contains("`instability` has no such parameter"));
    assert!(message("coverage", "metric", "l2").contains("--metric"));
    assert!(message("coverage", "epsilon", "2").contains("--epsilon: '2'"));
    assert!(message("sensitivity", "size", "3x3,4x4").contains("takes one value"));
    assert!(message("instability", "estimator", "regressed-tree").contains("without features"));
    assert!(message("sensitivity", "estimator", "regressed-linear").contains("without features"));
    assert!(message("coverage", "world", "drone-combat").contains("not in drone-combat"));
    assert!(message("separation", "world", "drone-combat").contains("not in drone-combat"));
    assert!(message("classification", "rewards", "learned").contains("--rewards: 'learned'"));
    assert!(message("theory", "gamma", "1").contains("--gamma"));
    assert!(message("nothing", "gamma", "1").contains("there is no experiment `nothing`"));
}

#[test]
fn the_eight_states_at_full_coverage_leave_no_shaping() {
    let run = Run::new(Manifest::new("instability", Preset::Quick, [("trials", "5")], Shard::WHOLE).unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    run.compute(folder.path(), 2, |_| std::ops::ControlFlow::Continue(())).unwrap();
    run.publish_without_png(folder.path()).unwrap();
    let summary = fs::read_to_string(folder.path().join("summary.csv")).unwrap();
    let mean = |transitions: &str, metric: &str| -> f64 {
        let line = summary.lines().find(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            fields[0] == transitions && fields[2] == metric
        });
        line.unwrap().split(',').nth(4).unwrap().parse().unwrap()
    };
    for metric in ["epic", "dard", "srrd"] {
        assert!(mean("64", metric) < 1e-9);
    }
    for transitions in ["43", "15"] {
        for metric in ["dard", "srrd"] {
            assert!(mean(transitions, "epic") > 2.0 * mean(transitions, metric));
        }
    }
}

/// Three samples each of two agents that are rewarded for different moves on a ring of eight states.
fn table(seed: usize) -> String {
    let mut text = "sample,label,state,action,next_state,reward\n".to_owned();
    for sample in 0..6 {
        let agent = sample / 3;
        for state in 0..8 {
            let next = (state + 1) % 8;
            let reward = if agent == 0 { state } else { (state * state + seed) % 5 };
            text += &format!("{sample},agent {agent},{state},go,{next},{reward}\n");
        }
    }
    text
}

#[test]
fn two_tables_of_one_file_name_are_two_sources() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a", "b"].map(|name| folder.path().join(name).join("agents.csv"));
    for (seed, path) in paths.iter().enumerate() {
        fs::create_dir(path.parent().unwrap()).unwrap();
        fs::write(path, table(seed)).unwrap();
    }
    let rewards = paths.map(|path| path.display().to_string()).join(",");
    let small =
        [("rewards", rewards.as_str()), ("trials", "2"), ("k", "1"), ("min-common", "3"), ("metric", "direct,srrd")];
    let run = Run::new(Manifest::new("classification", Preset::Quick, small, Shard::WHOLE).unwrap()).unwrap();
    let out = folder.path().join("run");
    run.compute(&out, 2, |_| std::ops::ControlFlow::Continue(())).unwrap();
    run.publish_without_png(&out).unwrap();
    let trials = fs::read_to_string(out.join("trials.csv")).unwrap();
    let field = |line: &str, place: usize| line.split(',').nth(place).unwrap().to_owned();
    let found =
        |place| trials.lines().skip(1).map(|line| field(line, place)).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(found(1).into_iter().collect::<Vec<_>>(), ["a/agents.csv", "b/agents.csv"]);
    assert_eq!(found(4).len(), 2, "each has a seed of its own");
    let figures = fs::read_dir(out.join("figures")).unwrap().count();
    assert_eq!(
        figures,
        1 + 2 * (1 + 2 + 1),
        "accuracy; of each table the confusion of direct and srrd, and an embedding"
    );
}
