//! `srrd simulate` as a user sees it.

use crate::support::{Place, column, examples};
use serde_json::Value;

fn json(place: &Place, call: &str) -> Value {
    serde_json::from_str(&place.ok(call)).unwrap_or_else(|e| panic!("{call}: {e}"))
}

fn numbers(csv: &str, name: &str) -> Vec<f64> {
    column(csv, name).iter().map(|cell| cell.parse().unwrap()).collect()
}

#[test]
fn a_gridworld_is_walked_one_cell_at_a_time() {
    let place = Place::new();
    let said = place.ok("simulate gridworld -o grid.csv --size 6x4 --rollouts 30");
    let csv = place.read("grid.csv");
    let header = "episode,step,state.x,state.y,action.dx,action.dy,next_state.x,next_state.y,reward,done";
    assert_eq!(csv.lines().next(), Some(header));
    let of = |name: &str| numbers(&csv, name);
    let rows = csv.lines().count() - 1;
    assert!(said.starts_with(&format!("grid.csv: 30 episodes of gridworld, {} rows; ", thousands(rows))), "{said}");
    let (episode, step, done) = (of("episode"), of("step"), column(&csv, "done"));
    for (axis, cells) in [("x", 6.0), ("y", 4.0)] {
        let (state, by, next) =
            (of(&format!("state.{axis}")), of(&format!("action.d{axis}")), of(&format!("next_state.{axis}")));
        for row in 0..rows {
            assert_eq!(state[row] + by[row], next[row]);
            assert!((0.0..cells).contains(&next[row]));
            match step[row] {
                0.0 => assert_eq!(state[row], 0.0),
                _ => assert_eq!(state[row], next[row - 1]),
            }
        }
    }
    let ends = of("next_state.x").into_iter().zip(of("next_state.y"));
    let at_end = ends.map(|cell| cell == (5.0, 3.0));
    for (row, at_end) in at_end.enumerate() {
        assert_eq!(done[row] == "true", at_end);
        let last = row + 1 == rows || episode[row + 1] != episode[row];
        assert_eq!(last, at_end || step[row] == 199.0);
    }
    assert!(done.contains(&"true"));
    assert_eq!(episode.last(), Some(&29.0));
}

fn thousands(n: usize) -> String {
    if n < 1000 { n.to_string() } else { format!("{},{:03}", n / 1000, n % 1000) }
}

#[test]
fn balls_have_a_distance_and_obstacles() {
    let place = Place::new();
    let summary = json(&place, "simulate bouncing-balls -o balls.csv --size 12x9 --rollouts 20 --epsilon 0.1 --json");
    let csv = place.read("balls.csv");
    assert!(csv.starts_with("episode,step,state.x,state.y,state.d,action.dx,action.dy,next_state.x"), "{csv:.90}");
    let mut distances = numbers(&csv, "next_state.d");
    distances.sort_by(f64::total_cmp);
    distances.dedup();
    assert_eq!(distances, [0.0, 1.0, 2.0]);
    assert_eq!(summary["world"], "bouncing-balls");
    assert_eq!(summary["rows"], csv.lines().count() - 1);
    assert_eq!((&summary["states"]["all"], &summary["actions"]), (&324.into(), &8.into()));
    place.ok("simulate bouncing-balls -o none.csv --obstacles 0 --rollouts 2");
    assert!(column(&place.read("none.csv"), "state.d").iter().all(|d| *d == "2"));
}

#[test]
fn drones_fight_for_a_score() {
    let place = Place::new();
    let said = place.ok("simulate drone-combat -o combat.csv --rollouts 6");
    let csv = place.read("combat.csv");
    let state = |prefix: &str| {
        ["allies", "enemies", "ally_x", "ally_y", "enemy_x", "enemy_y"].map(|name| format!("{prefix}.{name}")).join(",")
    };
    let header = format!("episode,step,{},action.attacking,{},reward,done", state("state"), state("next_state"));
    assert_eq!(csv.lines().next(), Some(&*header));
    let rows = csv.lines().count() - 1;
    assert!(said.starts_with(&format!("combat.csv: 6 episodes of drone-combat, {} rows; ", thousands(rows))), "{said}");
    assert!(said.contains(" were decided\n"), "{said}");
    let of = |name: &str| numbers(&csv, name);
    let (step, attacking, rewards) = (of("step"), of("action.attacking"), of("reward"));
    for side in ["allies", "enemies"] {
        let (before, after) = (of(&format!("state.{side}")), of(&format!("next_state.{side}")));
        assert!(before.iter().zip(&after).all(|(before, after)| before >= after));
        assert!((0..rows).all(|row| if step[row] == 0.0 {
            before[row] == 11.0
        } else {
            before[row] == after[row - 1]
        }));
        assert!(after.iter().any(|left| *left < 11.0));
    }
    let most = |row: usize| if attacking[row] == 0.0 { 0.0 } else { 20.0 + 7.0 * attacking[row] };
    assert!((0..rows).all(|row| (0.0..=most(row)).contains(&rewards[row]) && rewards[row].fract() == 0.0));
    assert!(attacking.iter().any(|n| *n > 2.0) && rewards.iter().any(|reward| *reward > 2.0));
}

#[test]
fn the_ten_teams_are_samples_with_labels() {
    let place = Place::new();
    let summary = json(&place, "simulate drone-combat -o teams.csv --classes --sets 2 --rollouts 3 --json");
    assert_eq!((&summary["samples"], &summary["episodes"]), (&20.into(), &60.into()));
    assert_eq!((&summary["states"]["all"], &summary["actions"]), (&230_400.into(), &12.into()));
    assert_eq!(
        (&summary["size"], &summary["model"], &summary["epsilon"]),
        (&"40x25".into(), &Value::Null, &Value::Null)
    );
    assert_eq!(summary["agents"].as_array().map(Vec::len), Some(10));
    assert_eq!(summary["agents"][2]["label"], "agent03");
    let first = r#"{"health":5,"movement":1,"shot_strength":0.1,"visibility":5}"#;
    assert_eq!(
        serde_json::to_value(&summary["agents"][2]["attributes"][0]).unwrap(),
        serde_json::from_str::<Value>(first).unwrap()
    );
    let inspected = json(&place, "inspect teams.csv --json");
    assert_eq!(inspected["samples"].as_array().map(Vec::len), Some(20));
    // The same transition comes with several scores; they are averaged.
    let compared = json(&place, "distance teams.csv#agent01-1 teams.csv#agent01-2 --json");
    assert!(compared["common"].as_u64().unwrap() > 20, "{compared}");
}

#[test]
fn scores_are_shaped_by_a_potential_and_made_noisy() {
    let place = Place::new();
    let call = "simulate drone-combat --rollouts 4 --seed 3";
    place.ok(&format!("{call} -o plain.csv"));
    place.ok(&format!("{call} -o shaped.csv --shaped --gamma 0.8 --factor 2.5"));
    place.ok(&format!("{call} -o noisy.csv --noise 0.25"));
    let [plain, shaped, noisy] = ["plain.csv", "shaped.csv", "noisy.csv"].map(|name| place.read(name));
    // From the first feature of the state to the last of the next state, and whatever is behind the reward.
    let key = |row: &str| row.splitn(3, ',').nth(2).unwrap().rsplitn(3, ',').nth(2).unwrap().to_owned();
    let [keys, with_shaping, with_noise] =
        [&plain, &shaped, &noisy].map(|csv| csv.lines().skip(1).map(key).collect::<Vec<String>>());
    assert!(keys == with_shaping && keys == with_noise);
    let rewards = numbers(&plain, "reward");
    let mut met = std::collections::BTreeMap::<&str, (f64, f64, f64)>::new();
    for (csv, is_noise) in [(&shaped, false), (&noisy, true)] {
        for ((key, plain), reward) in keys.iter().zip(&rewards).zip(numbers(csv, "reward")) {
            let added = reward - plain;
            if is_noise {
                assert!(added.abs() <= 0.25);
                continue;
            }
            let (sum, count, term) = met.entry(key.as_str()).or_insert((0.0, 0.0, added));
            *sum += plain;
            *count += 1.0;
            // Whatever the score is, one transition has one potential difference.
            assert!((*term - added).abs() < 1e-9);
        }
    }
    assert!(met.len() < keys.len());
    let scores: f64 = met.values().map(|(sum, count, _)| sum / count).sum();
    let added: f64 = met.values().map(|(_, _, term)| term.abs()).sum();
    assert!((added / scores - 2.5).abs() < 1e-9, "{added} {scores}");
    assert_ne!(numbers(&plain, "reward"), numbers(&noisy, "reward"));
}

#[test]
fn a_combat_is_the_same_for_the_same_seed() {
    let place = Place::new();
    let of =
        |options: &str| place.ok(&format!("simulate drone-combat -o - --rollouts 2 --shaped --noise 0.1 {options}"));
    assert_eq!(of(""), of("--seed 0"));
    assert_ne!(of(""), of("--seed 1"));
}

#[test]
fn the_other_commands_read_what_was_written() {
    let place = Place::new();
    let world = "--size 8x8 --rollouts 40 --reward-seed 7";
    for extension in ["csv", "parquet", "jsonl.gz", "npz", "arrow"] {
        let shaped = json(&place, &format!("simulate gridworld -o a.{extension} {world} --seed 1 --shaped --json"));
        place.ok(&format!("simulate gridworld -o b.{extension} {world} --seed 2"));
        let inspected = json(&place, &format!("inspect a.{extension} --space 64x4 --json"));
        assert!(
            inspected.to_string().contains(&format!("\"transitions\":{}", shaped["transitions"])),
            "{extension}: {inspected}"
        );
        let compared = json(&place, &format!("distance a.{extension} b.{extension} --metric all --json"));
        let of = |metric: &str| {
            let results = compared["results"].as_array().unwrap();
            results.iter().find(|r| r["metric"] == metric).unwrap()["distance"].as_f64().unwrap()
        };
        assert!(of("projected") < 1e-6 && of("direct") > 0.3, "{extension}: {compared}");
        assert!(of("srrd") < of("epic"));
    }
}

#[test]
fn shaping_adds_a_potential_difference_of_the_strength_asked_for() {
    let place = Place::new();
    let world = "--size 7x5 --rollouts 15 --model linear --seed 3";
    place.ok(&format!("simulate gridworld -o plain.csv {world}"));
    place.ok(&format!("simulate gridworld -o shaped.csv {world} --shaped --gamma 0.8 --factor 2.5"));
    let (plain, shaped) = (place.read("plain.csv"), place.read("shaped.csv"));
    let key = |csv: &str, row: usize| csv.lines().nth(row + 1).unwrap().rsplitn(3, ',').last().unwrap().to_owned();
    let (without, with) = (numbers(&plain, "reward"), numbers(&shaped, "reward"));
    let mut met = std::collections::BTreeMap::new();
    for row in 0..without.len() {
        // The walks are the same ones.
        assert_eq!(key(&plain, row), key(&shaped, row));
        let transition = key(&plain, row).splitn(3, ',').last().unwrap().to_owned();
        met.insert(transition, (without[row], with[row] - without[row]));
    }
    let mean = |of: fn(&(f64, f64)) -> f64| met.values().map(of).sum::<f64>() / met.len() as f64;
    let (rewards, added) = (mean(|v| v.0.abs()), mean(|v| v.1.abs()));
    assert!((added / rewards - 2.5).abs() < 1e-9, "{added} {rewards}");
}

#[test]
fn noise_stays_in_its_bounds_and_is_one_for_a_transition() {
    let place = Place::new();
    place.ok("simulate gridworld -o plain.csv --size 4x4");
    place.ok("simulate gridworld -o noisy.csv --size 4x4 --noise 0.25");
    let [plain, noisy] = ["plain.csv", "noisy.csv"].map(|name| numbers(&place.read(name), "reward"));
    let added: Vec<f64> = plain.iter().zip(&noisy).map(|(a, b)| b - a).collect();
    assert!(added.iter().all(|noise| noise.abs() <= 0.25 + 1e-12));
    assert!(added.iter().any(|noise| *noise > 0.1) && added.iter().any(|noise| *noise < -0.1));
    let inspected = place.ok("inspect noisy.csv");
    assert!(inspected.contains("0 transitions had unequal rewards"), "{inspected}");
}

#[test]
fn the_ten_agents_are_samples_with_labels() {
    let place = Place::new();
    for (world, weights) in
        [("gridworld", "[5.0,5.0,5.0,85.0]"), ("bouncing-balls", "[5.0,5.0,25.0,25.0,25.0,5.0,5.0,5.0]")]
    {
        let call = format!("simulate {world} -o agents.csv --classes --sets 3 --rollouts 4 --size 6x6 --json");
        let summary = json(&place, &call);
        assert_eq!((&summary["samples"], &summary["episodes"]), (&30.into(), &120.into()));
        assert_eq!(summary["agents"][1]["weights"].to_string(), weights);
        let csv = place.read("agents.csv");
        assert!(csv.starts_with("sample,label,episode,step,state.x"));
        let (samples, labels) = (column(&csv, "sample"), column(&csv, "label"));
        let mut names: Vec<(&str, &str)> = samples.into_iter().zip(labels).collect();
        names.dedup();
        assert_eq!(names.len(), 30);
        assert_eq!((names[0], names[29]), (("agent01-1", "agent01"), ("agent10-3", "agent10")));
    }
    place.ok("matrix agents.csv -o distances.csv --metric direct");
    assert_eq!(place.read("distances.csv").lines().count(), 31);
}

#[test]
fn agents_have_rewards_of_their_own_and_sets_share_them() {
    let place = Place::new();
    place.ok("simulate gridworld -o agents.csv --classes --sets 2 --rollouts 20 --size 4x4");
    let distance = |a: &str, b: &str| {
        let call = format!("distance agents.csv#{a} agents.csv#{b} --metric direct --json");
        json(&place, &call)["results"][0]["distance"].as_f64().unwrap()
    };
    assert!(distance("agent01-1", "agent01-2") < 1e-6);
    assert!(distance("agent01-1", "agent06-1") > 0.3);
}

#[test]
fn the_same_call_gives_the_same_bytes_and_a_seed_changes_them() {
    let place = Place::new();
    let call = "--size 5x5 --rollouts 3 --shaped --noise 0.1 --epsilon 0.2";
    for world in ["gridworld", "bouncing-balls"] {
        let of = |options: &str| place.ok(&format!("simulate {world} -o - {call} {options}"));
        assert_eq!(of(""), of("--seed 0"));
        assert_ne!(of(""), of("--seed 1"));
        let walks = |csv: &str| numbers(csv, "next_state.x");
        assert_eq!(walks(&of("")), walks(&of("--reward-seed 1")));
        assert_ne!(of(""), of("--reward-seed 1"));
        place.ok(&format!("simulate {world} -o file.csv {call}"));
        assert_eq!(place.read("file.csv"), of(""));
    }
}

#[test]
fn policies_go_where_they_say() {
    let place = Place::new();
    let mean = |policy: &str, axis: &str| {
        let csv = place.ok(&format!("simulate gridworld -o - --size 15x15 --rollouts 20 --policy {policy}"));
        let values = numbers(&csv, &format!("state.{axis}"));
        values.iter().sum::<f64>() / values.len() as f64
    };
    assert!(mean("top", "y") < 2.0 && mean("top", "x") > 8.0);
    assert!(mean("left", "x") < 2.0 && mean("left", "y") > 8.0);
    assert!(mean("1,0,0,99", "x") > 10.0);
    assert_eq!(mean("diagonal", "x"), mean("10,10,40,40", "x"));
    assert_eq!(mean("uniform", "x"), mean("25,25,25,25", "x"));
}

#[test]
fn many_rows_are_written_in_pieces() {
    let place = Place::new();
    let summary = json(&place, "simulate gridworld -o many.csv --rollouts 150 --json");
    let csv = place.read("many.csv");
    assert_eq!(summary["rows"], csv.lines().count() - 1);
    assert!(summary["rows"].as_u64().unwrap() > 3 * 8192);
    assert_eq!(column(&csv, "episode").iter().filter(|e| **e == "149").count() as u64, 200);
    assert_eq!(summary["transitions"], json(&place, "inspect many.csv --json")["samples"][0]["transitions"]);
}

#[test]
fn wrong_calls_name_the_option_and_the_remedy() {
    let place = Place::new();
    for (options, parts) in [
        ("gridworld --size 0x5", &["--size", "0x5", "from 2 to 1048576 cells"][..]),
        ("gridworld --size 1x1", &["--size", "from 2 to"]),
        ("bouncing-balls --size 9999999x9999999", &["--size", "from 2 to"]),
        ("gridworld --size 20", &["--size", "'20' must be WIDTHxHEIGHT, such as 20x20"]),
        ("gridworld --size -2x5", &["--size", "'-2x5' must be WIDTHxHEIGHT"]),
        ("gridworld --epsilon 1.5", &["--epsilon", "1.5", "from 0 to 1"]),
        ("bouncing-balls --epsilon -0.1", &["--epsilon", "from 0 to 1"]),
        ("gridworld --policy 1,2,3", &["--policy", "3 weights for 4 actions: north, west, south, east"]),
        ("bouncing-balls --policy 1,2,3,4", &["--policy", "4 weights for 8 actions: north, north-east"]),
        ("gridworld --policy 0,0,0,0", &["--policy", "at least one must be above 0"]),
        ("gridworld --policy 1,1,-1,1", &["--policy", "weight -1 of action 2"]),
        ("gridworld --policy up", &["--policy", "'up' is no number", "uniform, diagonal, top, left"]),
        ("bouncing-balls --policy diagonal", &["--policy", "'diagonal' is no number"]),
        ("gridworld --obstacles 5", &["--obstacles", "simulate bouncing-balls"]),
        ("bouncing-balls --obstacles 10001", &["--obstacles", "at most 10000"]),
        ("gridworld --rollouts 0", &["--rollouts", "at least 1"]),
        ("gridworld --sets 5", &["--sets", "--classes"]),
        ("gridworld --classes --sets 0", &["--sets", "at least 1"]),
        ("gridworld --classes --policy uniform", &["--policy", "--classes"]),
        ("gridworld --gamma 0.5", &["--gamma", "--shaped"]),
        ("gridworld --factor 2", &["--factor", "--shaped"]),
        ("gridworld --shaped --gamma 1.5", &["--gamma", "between 0 and 1"]),
        ("gridworld --shaped --factor -2", &["--factor", "from 0 up"]),
        ("gridworld --noise -1", &["--noise", "from 0 up"]),
        ("gridworld --noise inf", &["--noise", "from 0 up"]),
        ("gridworld --noise 1e200", &["--noise", "choose a smaller"]),
        ("gridworld --model cubic", &["--model", "linear, polynomial, sinusoidal, random"]),
        ("drone-combat --size 10x10", &["--size", "40x25", "leave it out"]),
        ("drone-combat --epsilon 0.1", &["--epsilon", "no random transitions"]),
        ("drone-combat --obstacles 5", &["--obstacles", "draws 300"]),
        ("drone-combat --policy uniform", &["--policy", "attributes", "--classes"]),
        ("drone-combat --model linear", &["--model", "score"]),
        ("drone-combat --reward-seed 4", &["--reward-seed", "score"]),
        ("drone-combat --sets 5", &["--sets", "--classes"]),
        ("drone-combat --noise 1e200", &["--noise", "choose a smaller"]),
        ("maze", &["maze", "gridworld, bouncing-balls, drone-combat"]),
    ] {
        let message = place.refused(&format!("simulate {options} -o out.csv"));
        for part in parts {
            assert!(message.contains(part), "simulate {options}: {message}");
        }
    }
    let message = place.refused("simulate gridworld -o - --json");
    assert!(message.contains("--json"), "{message}");
    let message = place.refused("simulate gridworld -o nowhere/out.csv");
    assert!(message.contains("nowhere"), "{message}");
    assert!(place.refused("simulate gridworld").contains("--output"));
}

#[test]
fn the_examples_of_the_help_run() {
    let place = Place::new();
    let help = place.ok("simulate --help");
    let examples = examples(&help);
    assert_eq!(examples.len(), 7);
    for example in examples {
        place.ok(&example);
    }
    assert!(["grid.csv", "balls.parquet", "agents.csv", "combat.csv", "a.csv"].iter().all(|n| place.path(n).exists()));
}

#[test]
fn the_help_names_what_the_library_has() {
    let help = Place::new().ok("simulate --help");
    for option in srrd_worlds::SimulateOption::ALL {
        assert!(help.contains(&format!("--{option}")), "{option}");
    }
    for world in &srrd_worlds::WORLDS {
        assert!(help.contains(world.name), "{}", world.name);
        assert!(world.policies.iter().all(|(policy, _)| help.contains(policy)), "{}", world.name);
    }
    assert!(srrd_worlds::MODELS.iter().all(|model| help.contains(model.name)));
}
