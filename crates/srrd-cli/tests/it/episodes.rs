//! `srrd returns`, `srrd regret` and the metric `npec`.

use crate::support::Place;
use serde_json::Value;

/// Episodes on a line: 0 to 3 steps right, then the end. The second reward is the first, shaped and doubled.
fn log() -> String {
    let potential = [3.0, -1.0, 2.0, 5.0, 0.5];
    let mut text = String::from("episode,step,state,action,next_state,terminated,old,new,other\n");
    for episode in 0..12usize {
        let (start, length) = (episode % 3, 1 + episode % 2);
        for step in 0..length {
            let (s, t) = (start + step, start + step + 1);
            let over = step + 1 == length && episode % 4 != 0;
            let old = ((episode * 7 + step * 3) % 5) as f64;
            let ahead = if over { 0.0 } else { potential[t] };
            let new = 2.0 * (old + 0.9 * ahead - potential[s]);
            text += &format!("e{episode},{step},{s},go,{t},{over},{old},{new},{}\n", (episode * episode) % 7);
        }
    }
    text
}

fn json(place: &Place, call: &str) -> Value {
    serde_json::from_str(&place.ok(call)).unwrap()
}

#[test]
fn returns_without_shaping_agree() {
    let place = Place::new();
    place.write("log.csv", log());
    let text = place.ok("returns log.csv --rewards old,new");
    assert!(text.contains("shared: 12 episodes; γ = 0.9"), "{text}");
    assert!(text.contains("without shaping") && text.contains("1.000000"), "{text}");
    let found = json(&place, "returns log.csv --rewards old,new --interval 0.95 --draws 200 --json");
    assert!(found["correlation"]["value"].as_f64().unwrap() < 0.9);
    assert!((found["correlation_without_shaping"]["value"].as_f64().unwrap() - 1.0).abs() < 1e-9);
    assert_eq!((&found["episodes"], &found["unknown_ends"], &found["level"]), (&12.into(), &0.into(), &0.95.into()));
    let range = found["tau_b"]["interval"].as_array().unwrap();
    assert!(range[0].as_f64() < range[1].as_f64());
    let threads = |count: usize| {
        place.ok(&format!("returns log.csv --rewards old,new --interval 0.95 --draws 200 --json --threads {count}"))
    };
    assert_eq!(threads(1), threads(2));

    // Two tables name the same episodes alike, in any order of rows.
    let rows = |reward: usize| {
        let mut lines: Vec<String> = log()
            .lines()
            .map(|line| {
                let cells: Vec<&str> = line.split(',').collect();
                let reward = if cells[reward] == ["old", "new"][reward - 6] { "reward" } else { cells[reward] };
                [&cells[..6].join(","), reward].join(",")
            })
            .collect();
        lines[1..].reverse();
        lines.join("\n") + "\n"
    };
    place.write("old.csv", rows(6));
    place.write("new.csv", rows(7));
    let two = json(&place, "returns old.csv new.csv --interval 0.95 --draws 200 --json");
    for key in ["correlation", "correlation_without_shaping", "tau_b", "degrees_of_freedom"] {
        assert_eq!(two[key], found[key], "{key}");
    }
}

#[test]
fn preferences_are_held_against_returns() {
    let place = Place::new();
    place.write("log.csv", log());
    place.write("said.csv", "better,worse\ne1,e0\ne3,e2\ne2,e3\n");
    let found = json(&place, "returns log.csv --rewards old --preferences said.csv --json");
    let said = &found["preferences"][0];
    assert_eq!((&said["reward"], &said["pairs"]), (&"old".into(), &3.into()));
    let sum: u64 = ["agreed", "contradicted", "tied"].iter().map(|key| said[key].as_u64().unwrap()).sum();
    assert_eq!(sum, 3);
    let text = place.ok("returns log.csv --rewards old,other --preferences said.csv");
    assert!(text.contains("contradicts") && text.contains("other"), "{text}");
}

#[test]
fn what_returns_need_is_named() {
    let place = Place::new();
    place.write("log.csv", log());
    place.write("plain.csv", "state,action,next_state,reward\na,go,b,1\n");
    place.write("gap.csv", "episode,state,action,next_state,reward\n0,a,go,b,1\n0,c,go,d,1\n");
    place.write("on.csv", "episode,state,action,next_state,reward,done\n0,a,go,b,1,1\n0,b,go,d,1,0\n");
    place.write("one.csv", "episode,state,action,reward\n0,a,go,1\n0,b,go,1\n");
    place.write("said.csv", "good,bad\n1,2\n");
    place.write("unknown.csv", "better,worse\ne1,e77\n");
    for (call, told) in [
        (
            "returns plain.csv plain.csv",
            "plain.csv: column `episode`: the column is missing: rewards are summed over episodes",
        ),
        (
            "returns gap.csv gap.csv",
            "row 2 (line 3): episode `0` goes on in c, where its row before it (1) did not end",
        ),
        ("returns on.csv on.csv", "the episode goes on, although it ended in row 1"),
        ("returns one.csv one.csv", "the episode has several rows, but the table has no column `next_state`"),
        ("returns log.csv --rewards old", "two rewards are compared, and the table holds 1"),
        ("returns log.csv --rewards old --preferences said.csv", "preferences have the columns `better` and `worse`"),
        (
            "returns log.csv --rewards old --preferences unknown.csv",
            "names the episode 'e77', which the table does not hold",
        ),
        ("returns log.csv --rewards old,new --gamma 2", "--gamma: "),
        ("returns log.csv --rewards old,new --interval 2", "--interval: "),
        ("returns log.csv --rewards old,new --interval 0.9 --draws 3", "--draws: "),
    ] {
        let error = place.refused(call);
        assert!(error.contains(told), "{call}: {error}");
    }
}

#[test]
fn opposite_exits_cost_everything() {
    let place = Place::new();
    let corridor = |left: f64, right: f64| {
        format!(
            "state,action,next_state,reward,terminated\n1,left,0,{left},1\n1,right,2,-0.05,0\n2,left,1,-0.05,0\n2,right,3,{right},1\n"
        )
    };
    place.write("a.csv", corridor(1.0, -1.0));
    place.write("b.csv", corridor(-1.0, 1.0));
    place.write("model.csv", "state,action,next_state,probability\n1,left,0,1\n1,right,2,1\n2,left,1,1\n2,right,3,1\n");
    let found = json(&place, "regret a.csv b.csv --json");
    assert!((found["a_under_b"]["regret"].as_f64().unwrap() - 1.0).abs() < 1e-9, "{found}");
    assert_eq!((&found["a"], &found["available"]), (&"a.csv".into(), &4.into()));
    let given = json(&place, "regret a.csv b.csv --dynamics model.csv --json");
    assert_eq!(given["b_under_a"], found["b_under_a"]);
    let text = place.ok("regret a.csv b.csv --start 1");
    assert!(text.contains("1 start") && text.contains("a.csv") && text.contains("1.000000"), "{text}");
    for (call, told) in [
        ("regret a.csv b.csv --gamma 1", "the discount factor is 1, but values need one of at most 0.999999"),
        ("regret a.csv b.csv --start 0", "no action is available in the state '0'"),
        ("regret a.csv b.csv --dynamics a.csv", "probability"),
    ] {
        let error = place.refused(call);
        assert!(error.contains(told), "{call}: {error}");
    }
}

#[test]
fn npec_is_there_where_it_is_named() {
    let place = Place::new();
    let mut text = String::from("state,action,next_state,old,other\n");
    for (s, t) in (0..5).flat_map(|s| (0..5).map(move |t| (s, t))) {
        text += &format!("{s},go,{t},{},{}\n", (3 * s + 5 * t * t) % 7, (3 * s + 5 * t * t) % 7 + (s * t) % 4);
    }
    place.write("log.csv", text);
    let found = json(&place, "distance log.csv --rewards old,other --metric projected,npec --json");
    let results = found["results"].as_array().unwrap();
    let rho = results[0]["correlation"].as_f64().unwrap();
    let npec = results[1]["distance"].as_f64().unwrap();
    assert!((npec - (1.0 - rho.max(0.0).powi(2)).sqrt()).abs() < 1e-9, "{found}");
    let all = json(&place, "distance log.csv --rewards old,other --metric all --json");
    assert!(all["results"].as_array().unwrap().iter().all(|result| result["metric"] != "npec"));
}
