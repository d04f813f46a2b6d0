//! Mistakes that were made once.

use crate::support::Place;

const TABLE: &str = "sample,state,action,next_state,reward\na,0,x,1,1\na,1,x,2,2\na,2,x,0,4\na,0,y,2,8\n\
                     b,0,x,1,1\nb,1,x,2,3\nb,2,x,0,2\nb,0,y,2,9\n";

/// Names of files may hold anything; a terminal gets it spelled out.
#[test]
fn names_of_files_reach_no_terminal_raw() {
    let place = Place::new();
    let table: String =
        TABLE.lines().filter(|line| !line.starts_with("b,")).map(|line| line[2..].to_owned() + "\n").collect();
    let table = table.replacen("mple,", "", 1);
    let nasty = "red\u{1b}[31m\u{202e}.csv";
    place.write(nasty, &table);
    place.write("plain.csv", &table);
    for command in ["distance", "explain", "inspect"] {
        let mut called = place.command(command);
        called.args([nasty, "plain.csv"]);
        let output = called.output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{command}: {printed}");
        assert!(printed.contains(r"red\u{1b}[31m\u{202e}.csv"), "{command}: {printed}");
        assert!(!printed.contains(['\u{1b}', '\u{202e}']), "{command}: {printed}");
    }
}

/// `correlation` is ρ everywhere; its kind is a setting.
#[test]
fn correlation_means_one_thing_in_json() {
    let place = Place::new();
    place.write("t.csv", TABLE);
    let json = |arguments: &str| serde_json::from_str::<serde_json::Value>(&place.ok(arguments)).unwrap();
    let distance = json("distance t.csv#a t.csv#b --metric direct --json");
    let explained = json("explain t.csv#a t.csv#b --metric direct --json");
    assert_eq!(distance["results"][0]["correlation"], explained["correlation"]);
    assert!(explained["correlation"].is_f64() && distance.get("correlation").is_none());
    for answer in [&distance, &explained] {
        assert_eq!(answer["settings"]["correlation"], "pearson");
    }
}

/// Two samples of one table cost one reading of it: a pipe can be read only once.
#[cfg(unix)]
#[test]
fn a_table_is_read_once_however_many_of_its_samples_are_named() {
    let place = Place::new();
    place.write("t.csv", TABLE);
    let made = std::process::Command::new("mkfifo").arg(place.path("pipe.csv")).status().unwrap();
    assert!(made.success());
    let writer = std::thread::spawn({
        let (from, to) = (place.path("t.csv"), place.path("pipe.csv"));
        move || std::fs::copy(from, to)
    });
    let apart = place.ok("distance t.csv#a t.csv#b --metric direct");
    let found = place.srrd("distance pipe.csv#a pipe.csv#b --metric direct");
    assert_eq!(found.status, 0, "{}", found.err);
    assert_eq!(found.out, apart);
    writer.join().unwrap().unwrap();
}

/// What `--support` says holds for predictions, too.
#[test]
fn predictions_take_the_support_that_was_asked_for() {
    let place = Place::new();
    place.ok("simulate gridworld -o agents.csv --classes --sets 2 --rollouts 3 --size 5x5 --seed 1");
    place.ok("simulate gridworld -o new.csv --rollouts 3 --size 5x5 --seed 2");
    let call = "classify agents.csv --metric projected --gamma 0.9 --k 3 --shrinkage 0 --predict new.csv --json";
    let of = |support: &str| {
        let found: serde_json::Value = serde_json::from_str(&place.ok(&format!("{call} --support {support}"))).unwrap();
        found["predictions"][0]["neighbours"][0]["distance"].as_f64()
    };
    let matrix: serde_json::Value =
        serde_json::from_str(&place.ok("matrix agents.csv new.csv -o d.csv --metric projected --support own --json"))
            .unwrap();
    assert_eq!(matrix["support"], "own");
    assert_ne!(of("pair"), of("own"));
    let nearest = of("own").unwrap();
    let row = place.read("d.csv").lines().last().unwrap().to_owned();
    assert!(
        row.split(',').skip(1).any(|cell| cell.parse::<f64>().is_ok_and(|d| d == nearest)),
        "{nearest} is not in {row}"
    );
}
