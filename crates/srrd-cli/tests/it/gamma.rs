//! `--gamma auto`, `--profile` and `--support`, as a user sees them.

use crate::support::{Place, column};
use serde_json::Value;

/// A number without pattern in [0, 1).
fn noise(seed: u64) -> f64 {
    let mixed = (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((mixed ^ (mixed >> 32)) >> 11) as f64 / (1u64 << 53) as f64
}

/// Moves in a 7 × 6 grid, some of them missing, with rewards shaped with γ = 0.65.
fn table(seed: u64, rewards: f64) -> String {
    let mut text = String::from("state,action,next_state,reward\n");
    for s in 0..42u64 {
        for (action, next) in
            [("right", s + 1), ("left", s.wrapping_sub(1)), ("up", s + 7), ("down", s.wrapping_sub(7))]
        {
            if next < 42 && noise(seed * 1000 + s * 5 + next) < 0.9 {
                let potential = |x: u64| 6.0 * noise(seed * 77 + x);
                let own = rewards * noise(s * 50 + next * 3 + 900_000);
                text += &format!("{s},{action},{next},{}\n", own + 0.65 * potential(next) - potential(s));
            }
        }
    }
    text
}

fn place() -> Place {
    let place = Place::new();
    place.write("a.csv", table(1, 1.0));
    place.write("b.csv", table(2, 1.0));
    place
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn the_factor_is_found_told_and_used() {
    let place = place();
    let found = json(&place.ok("distance a.csv b.csv --metric all --gamma auto --json"));
    let gamma = found["gamma"].as_f64().unwrap();
    let estimate = &found["gamma_estimate"];
    assert!((gamma - 0.65).abs() < 0.05, "{found}");
    assert_eq!(estimate["identified"], true);
    assert!(estimate["low"].as_f64().unwrap() < gamma && gamma < estimate["high"].as_f64().unwrap(), "{found}");
    assert!(estimate["degrees_of_freedom"].as_u64().unwrap() > 50, "{found}");
    // It is the γ of all metrics: given as a number it yields the same.
    let given = json(&place.ok(&format!("distance a.csv b.csv --metric all --gamma {gamma} --json")));
    assert_eq!(given["results"], found["results"]);
    assert_eq!(given["gamma_estimate"], Value::Null);
    let text = place.ok("distance a.csv b.csv --gamma auto");
    assert!(text.contains(&format!("gamma {gamma} (estimated; 95 % interval 0.")), "{text}");
    assert!(text.contains("degrees of freedom)"), "{text}");

    let run = place.srrd("matrix a.csv b.csv -o m.csv --gamma auto --json");
    assert_eq!(json(&run.out)["gamma"], found["gamma"]);
    assert!(run.err.contains(&format!("note: gamma {gamma} (estimated")), "{}", run.err);
    let run = place.srrd("canonicalize a.csv -o c.csv --gamma auto --json");
    let alone = json(&run.out);
    assert!((alone["gamma"].as_f64().unwrap() - 0.65).abs() < 0.1 && run.err.contains("note: gamma"), "{alone}");
    place.ok(&format!("canonicalize a.csv -o d.csv --gamma {}", alone["gamma"]));
    assert_eq!(place.read("c.csv"), place.read("d.csv"));
}

#[test]
fn pure_shaping_gives_the_factor_away() {
    let place = place();
    place.write("pure.csv", table(3, 0.0));
    let found = json(&place.ok("canonicalize pure.csv -o c.csv --gamma auto --json"));
    assert_eq!(found["gamma"], 0.65);
    assert_eq!(found["gamma_estimate"]["low"], 0.65);
    assert_eq!(found["gamma_estimate"]["high"], 0.65);
}

#[test]
fn data_that_cannot_tell_say_so() {
    let place = Place::new();
    // One episode without return, scored responses, and rewards that do not vary.
    place.write("chain.csv", "state,action,next_state,reward\na,x,b,1\nb,x,c,2\nc,x,d,5\nd,x,e,1\n");
    place.write("scores.csv", "state,action,reward\np,yes,1\np,no,2\nq,yes,4\nq,no,1\nr,yes,3\nr,no,7\n");
    place.write("flat.csv", "state,action,next_state,reward\na,x,b,1\nb,x,a,1\na,y,b,1\nb,y,a,1\n");
    for (name, words) in [("chain", "any gamma"), ("scores", "any gamma"), ("flat", "any gamma")] {
        let run = place.srrd(&format!("canonicalize {name}.csv -o {name}.out.csv --gamma auto --json"));
        assert_eq!(run.status, 0, "{}", run.err);
        let found = json(&run.out);
        assert_eq!(found["gamma"], 0.9, "{name}");
        let estimate = &found["gamma_estimate"];
        assert_eq!((&estimate["low"], &estimate["high"]), (&0.0.into(), &1.0.into()), "{name}");
        assert_eq!(estimate["identified"], false, "{name}");
        assert!(run.err.contains("--gamma auto: the data cannot tell gamma") && run.err.contains(words), "{}", run.err);
    }
    let text = place.ok("distance scores.csv scores.csv --gamma auto");
    assert!(text.contains("gamma 0.9 (the data cannot tell; 6 degrees of freedom)"), "{text}");
}

#[test]
fn the_profile_is_drawn_and_written() {
    let place = place();
    place.ok("distance a.csv b.csv --gamma auto --profile p.csv");
    let table = place.read("p.csv");
    let numbers = |name: &str| column(&table, name).iter().map(|v| v.parse::<f64>().unwrap()).collect::<Vec<_>>();
    let (gamma, left) = (numbers("gamma"), numbers("unexplained"));
    assert!(gamma.is_sorted() && gamma[0] == 0.0 && gamma[gamma.len() - 1] == 1.0 && gamma.len() > 21);
    let least = (0..gamma.len()).min_by(|&i, &j| left[i].total_cmp(&left[j])).unwrap();
    let found = json(&place.ok("distance a.csv b.csv --gamma auto --json"))["gamma"].as_f64().unwrap();
    assert!((gamma[least] - found).abs() < 1e-4, "{} {found}", gamma[least]);
    assert!(left.iter().all(|l| (0.0..=1.0).contains(l)));
    place.ok("matrix a.csv b.csv -o m.csv --gamma auto --profile p.svg");
    assert!(place.read("p.svg").contains("95 % interval"));
    #[cfg(feature = "png")]
    {
        place.ok("canonicalize a.csv -o c.csv --gamma auto --profile p.png");
        assert!(std::fs::read(place.path("p.png")).unwrap().starts_with(b"\x89PNG"));
    }
}

#[test]
fn own_support_is_exact_on_equal_transitions_and_close_on_others() {
    let place = place();
    // The same transitions, shaped otherwise.
    let lines = place.read("a.csv");
    let mut other = String::from("state,action,next_state,reward\n");
    for line in lines.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let state = |k: usize| cells[k].parse::<u64>().unwrap();
        let reward: f64 = cells[3].parse().unwrap();
        let shaping = 0.65 * noise(state(2) + 5000) - noise(state(0) + 5000);
        other += &format!("{},{},{},{}\n", cells[0], cells[1], cells[2], reward + 9.0 * shaping);
    }
    place.write("same.csv", other);
    let between = |other: &str, support: &str| {
        let call = format!("distance a.csv {other} --metric projected --gamma 0.65 --support {support} --json");
        let found = json(&place.ok(&call));
        assert_eq!(found["support"], support);
        assert_eq!(found["results"][0]["degrees_of_freedom"].is_null(), support == "own");
        found["results"][0]["distance"].as_f64().unwrap()
    };
    assert!(between("same.csv", "pair") < 1e-9 && between("same.csv", "own") < 1e-9);
    // The same rewards on transitions that are not all the same.
    let (pair, own) = (between("b.csv", "pair"), between("b.csv", "own"));
    assert!(pair < 1e-9 && 1e-3 < own && own < 0.4, "{pair} {own}");
    place.ok("matrix a.csv b.csv same.csv -o m.csv --metric projected --gamma 0.65 --support own");
    let cell = column(&place.read("m.csv"), "b.csv")[0].parse::<f64>().unwrap();
    assert_eq!(cell, own);
}
