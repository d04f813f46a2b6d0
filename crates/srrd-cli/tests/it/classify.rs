//! `srrd classify` as a user runs it.

use crate::support::{Place, examples};
use serde_json::Value;

/// Ten agents of a small grid world with a few samples each, and one table of new samples.
fn place() -> Place {
    let place = Place::new();
    place.ok("simulate gridworld -o agents.csv --size 6x6 --rollouts 3 --classes --sets 6 --reward-seed 3");
    place.ok("simulate gridworld -o new.csv --size 6x6 --rollouts 3 --classes --sets 1 --reward-seed 3 --seed 9");
    place
}

#[test]
fn an_evaluation_says_how_well_agents_are_told_apart() {
    let place = place();
    let call = "classify agents.csv --metric direct,srrd --gamma 0,0.9 --k 1,3 --repeats 25";
    let json: Value = serde_json::from_str(&place.ok(&format!("{call} --json"))).unwrap();
    assert_eq!((&json["samples"], &json["classes"]), (&60.into(), &10.into()));
    assert_eq!((&json["train"], &json["repeats"]), (&40.into(), &25.into()));
    let results = json["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    for result in results {
        for score in ["accuracy", "precision", "recall", "f1"] {
            let of = |name: &str| result[score][name].as_f64().unwrap();
            assert!(of("low") <= of("mean") && of("mean") <= of("high") && of("sd") >= 0.0, "{result}");
        }
        assert!(result["accuracy"]["mean"].as_f64().unwrap() > 0.3, "{result}");
        assert_eq!(result["gamma"].as_array().unwrap().len(), 25);
        assert!(result["k"].as_array().unwrap().iter().all(|k| [1, 3].contains(&k.as_u64().unwrap())));
        let confusion: u64 = (result["confusion"].as_array().unwrap().iter())
            .flat_map(|row| row.as_array().unwrap().iter().map(|count| count.as_u64().unwrap()))
            .sum();
        assert_eq!(confusion, 25 * 20);
    }
    let overlap = &json["overlap"];
    assert!(overlap["accuracy"]["mean"].as_f64().unwrap() > 0.1, "{overlap}");
    assert_eq!(overlap["k"].as_array().unwrap().len(), 25);
    let welch = json["welch"].as_array().unwrap();
    assert_eq!(welch.len(), 2);
    let p = |test: usize| welch[test]["p"].as_f64().unwrap();
    assert!((p(0) + p(1) - 1.0).abs() < 1e-9, "the two sides of one test: {welch:?}");
    // The same bytes with any number of threads.
    assert_eq!(place.ok(&format!("{call} --threads 1")), place.ok(&format!("{call} --threads 3")));
    assert_ne!(place.ok(call), place.ok(&format!("{call} --seed 5")));
    let text = place.ok(call);
    assert!(text.starts_with("60 samples of 10 classes; 25 random splits with 40 for training"), "{text}");
    assert!(text.contains("Welch's test") && text.contains("±"), "{text}");
    assert!(text.contains("overlap alone"), "{text}");
    // The order of the table changes nothing, few transitions something.
    let table = place.read("agents.csv");
    let (header, rows) = table.split_once('\n').unwrap();
    let backwards: Vec<&str> = rows.lines().rev().collect();
    place.write("backwards.csv", format!("{header}\n{}\n", backwards.join("\n")));
    let other = place.ok(&format!("{} --json", call.replace("agents.csv", "backwards.csv")));
    assert_eq!(serde_json::from_str::<Value>(&other).unwrap(), json);
    assert_ne!(place.ok(&format!("{call} --shrinkage 0 --json")), place.ok(&format!("{call} --json")));
}

#[test]
fn new_samples_get_labels_with_votes_and_distances() {
    let place = place();
    let call = "classify agents.csv --gamma 0.9 --k 3 --predict new.csv";
    let json: Value = serde_json::from_str(&place.ok(&format!("{call} --json"))).unwrap();
    assert_eq!((&json["k"], &json["metric"], &json["validation"]), (&3.into(), &"srrd".into(), &Value::Null));
    let predictions = json["predictions"].as_array().unwrap();
    assert_eq!(predictions.len(), 10);
    for prediction in predictions {
        let votes: u64 = prediction["votes"].as_object().unwrap().values().map(|v| v.as_u64().unwrap()).sum();
        // Who is as near as the third votes, too.
        assert!(votes >= 3 && votes as usize == prediction["neighbours"].as_array().unwrap().len(), "{prediction}");
        let distances: Vec<f64> = (prediction["neighbours"].as_array().unwrap().iter())
            .map(|neighbour| neighbour["distance"].as_f64().unwrap())
            .collect();
        assert!(distances.is_sorted(), "{prediction}");
        assert!(prediction["votes"][prediction["label"].as_str().unwrap()].as_u64().unwrap() >= 1);
    }
    // With lists, γ and k are chosen, and the choice is told.
    let text = place.ok("classify agents.csv --predict new.csv --k 1,3 --gamma 0,0.9");
    assert!(text.contains("chosen by cross-validation"), "{text}");
}

#[test]
fn examples_of_the_help_run() {
    let place = place();
    let help = place.ok("classify --help");
    let examples = examples(&help);
    assert_eq!(examples.len(), 3);
    for example in examples {
        place.ok(&example);
    }
}

#[test]
fn wrong_calls_say_what_to_do() {
    let place = place();
    place.write("bare.csv", "state,action,next_state,reward\na,x,b,1\nb,x,a,2\n");
    place.write(
        "one.csv",
        "sample,label,state,action,next_state,reward\np,l,a,x,b,1\nq,l,a,x,b,1\nr,l,a,x,b,1\ns,l,a,x,b,1\n",
    );
    place.write("two.csv", "sample,label,state,action,next_state,reward\np,l,a,x,b,1\nq,m,a,x,b,1\n");
    for (call, part) in [
        ("classify bare.csv", "add a column `label`"),
        ("classify one.csv", "all samples have the label 'l'"),
        ("classify two.csv", "2 samples"),
        ("classify agents.csv --k 0", "--k:"),
        ("classify agents.csv --gamma 1.5", "--gamma:"),
        ("classify agents.csv --train 1.5", "--train:"),
        ("classify agents.csv --repeats 0", "--repeats:"),
        ("classify agents.csv --shrinkage -1", "--shrinkage: the shrinkage is -1, but it must be a number from 0 on"),
        ("classify agents.csv --metric direct,srrd --predict new.csv", "--metric: predictions are of one metric"),
        ("classify agents.csv --predict bare.csv", "can share no transition"),
        ("classify nowhere.csv", "nowhere.csv"),
    ] {
        let message = place.refused(call);
        assert!(message.contains(part), "{call}: {message}");
    }
}

/// A run over a table from elsewhere goes through the same door as the built-in domains.
#[test]
fn an_experiment_takes_rewards_from_a_table() {
    let place = place();
    let call =
        "reproduce classification -o run --rewards agents.csv --trials 4 --gamma 0.5 --k 1,3 --metric direct,srrd";
    let out = place.ok(call);
    assert!(out.contains("agents.csv"), "{out}");
    assert!(place.path("run/report.html").exists());
    let trials = place.read("run/trials.csv");
    assert_eq!(trials.lines().count(), 1 + 3 * 4);
    assert!(place.refused("reproduce classification -o other --rewards learned").contains("--rewards: 'learned'"));
}
