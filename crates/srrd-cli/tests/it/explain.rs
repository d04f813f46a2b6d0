//! `srrd explain`, and the advice of `srrd inspect`.

use crate::support::{Place, column};
use serde_json::Value;

/// A grid of 4 × 3 cells with all steps to neighbours; the second reward is shaped and one of its steps differs.
fn grid(second: bool) -> String {
    let mut text = String::from("state.x,state.y,action,next_state.x,next_state.y,reward\n");
    let potential = |x: i32, y: i32| f64::from((x * 7 + y * 5) % 11);
    for x in 0i32..4 {
        for y in 0i32..3 {
            for (name, dx, dy) in [("east", 1i32, 0i32), ("west", -1, 0), ("south", 0, 1), ("north", 0, -1)] {
                let (u, v) = (x + dx, y + dy);
                if !(0..4).contains(&u) || !(0..3).contains(&v) {
                    continue;
                }
                let mut reward = f64::from((x * 13 + y * 29 + dx * 3 + dy * 7).rem_euclid(17)) / 4.0;
                if second {
                    reward = 2.0 * reward + 0.9 * potential(u, v) - potential(x, y);
                    reward += if (x, y, name) == (2, 1, "west") { 30.0 } else { 0.0 };
                }
                text += &format!("{x},{y},{name},{u},{v},{reward}\n");
            }
        }
    }
    text
}

fn place() -> Place {
    let place = Place::new();
    place.write("a.csv", grid(false));
    place.write("b.csv", grid(true));
    place
}

fn json(place: &Place, call: &str) -> Value {
    serde_json::from_str(&place.ok(call)).unwrap()
}

#[test]
fn the_step_that_differs_is_named() {
    let place = place();
    let text = place.ok("explain a.csv b.csv --metric projected --top 3");
    let step = text.lines().find(|line| line.starts_with("(2, 1)  west")).unwrap_or_else(|| panic!("{text}"));
    assert!(step.starts_with("(2, 1)  west    (1, 1)"), "{text}");
    assert!(text.contains("1 of 34 transitions carries half of it"), "{text}");
    assert!(text.contains("share that starts here"), "{text}");

    let found = json(&place, "explain a.csv b.csv --metric projected --top 2 --json");
    let distance = json(&place, "distance a.csv b.csv --metric projected --json");
    assert_eq!(found["distance"], distance["results"][0]["distance"]);
    assert_eq!(found["degrees_of_freedom"], distance["results"][0]["degrees_of_freedom"]);
    let most = &found["transitions"][0];
    assert_eq!((&most["state"], &most["action"]), (&serde_json::json!([2.0, 1.0]), &"west".into()));
    assert!(most["share"].as_f64().unwrap() > 0.5 && most["difference"].as_f64().unwrap() < 0.0, "{most}");
    assert_eq!(found["transitions"].as_array().unwrap().len(), 2);
    assert_eq!(found["states"][0]["state"], serde_json::json!([2.0, 1.0]));
    assert_eq!(found["half"], 1);
}

#[test]
fn the_table_holds_all_shares() {
    let place = place();
    place.ok("explain a.csv b.csv --metric projected -o where.csv");
    let table = place.read("where.csv");
    let header =
        "state.x,state.y,action,next_state.x,next_state.y,reward_a,reward_b,canonical_a,canonical_b,difference,share";
    assert_eq!(table.lines().next(), Some(header));
    assert!(table.lines().nth(1).unwrap().starts_with("2,1,west,1,1,"), "{table}");
    let shares: Vec<f64> = column(&table, "share").iter().map(|share| share.parse().unwrap()).collect();
    assert_eq!(shares.len(), 34);
    assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    assert!(shares.is_sorted_by(|p, q| p >= q));
    assert_eq!(place.ok("explain a.csv b.csv --metric projected -o -"), table);
    place.ok("explain a.csv b.csv --metric projected -o where.parquet");
    place.ok("explain a.csv b.csv --metric projected -o again.csv --threads 1");
    assert_eq!(place.read("again.csv"), table);

    place.write("p.csv", "state,action,reward\nq1,1,5\nq1,2,7\nq2,1,0\nq2,3,1\n");
    place.write("q.csv", "state,action,reward\nq1,1,9\nq1,2,6\nq2,1,4\nq2,3,8\n");
    place.ok("explain p.csv q.csv --metric projected -o scores.csv");
    let table = place.read("scores.csv");
    assert_eq!(table.lines().next(), Some("state,action,reward_a,reward_b,canonical_a,canonical_b,difference,share"));
    assert_eq!(column(&table, "state")[..2], ["q1", "q1"]);
}

#[test]
fn a_grid_world_is_drawn() {
    let place = place();
    place.ok("explain a.csv b.csv --metric projected --plot where.svg");
    let svg = place.read("where.svg");
    assert_eq!(svg.matches(r#"class="cell""#).count(), 12, "{svg}");
    assert_eq!(svg.matches(r#"class="arrow""#).count(), 34);
    // The step to the west from (2, 1), where the second reward is the larger one.
    let arrow =
        svg.split("<path").find(|path| path.contains(r#"data-x="2" data-y="1""#) && path.contains(r#"data-dx="-1""#));
    let value = arrow.unwrap().split(r#"data-value=""#).nth(1).unwrap().split('"').next().unwrap();
    assert!(value.replace('−', "-").parse::<f64>().unwrap() < -50.0, "{value}");

    assert!(svg.contains("cells: share") && svg.contains("arrows: share"), "one scale for shares, one for signs");
    assert!(place.refused("explain a.csv b.csv --plot where.pdf").contains("must end in .svg or .png"));
}

/// What is no grid is drawn all the same: on a plane of features, or as bars.
#[test]
fn states_that_are_no_cells_are_drawn_too() {
    let place = Place::new();
    let pair = |name: &str, header: &str, state: &dyn Fn(usize) -> String, last: &dyn Fn(usize, usize) -> String| {
        for (file, extra) in [("a", 0), ("b", 1)] {
            let mut csv = format!("{header}\n");
            for s in 0..6usize {
                for k in 0..4usize {
                    let reward = ((s * 7 + k * 5 + extra * s * k * 3) % 11) as f64;
                    csv += &format!("{},x{k},{}{reward}\n", state(s), last(s, k));
                }
            }
            place.write(&format!("{name}-{file}.csv"), csv);
        }
        place.ok(&format!("explain {name}-a.csv {name}-b.csv --metric direct --plot {name}.svg"));
        place.read(&format!("{name}.svg"))
    };
    let next = |s: usize, k: usize| (s + k + 1) % 6;
    let tokens =
        pair("tokens", "state,action,next_state,reward", &|s| format!("s{s}"), &|s, k| format!("s{},", next(s, k)));
    assert!(tokens.contains("what starts there") && tokens.contains(">s4<"), "{tokens}");
    let line =
        pair("line", "state.z,action,next_state.z,reward", &|s| s.to_string(), &|s, k| format!("{},", next(s, k)));
    assert!(line.contains("state.z") && line.contains("a - b"), "{line}");
    let half = |s: usize| format!("{}.5,{}", s % 3, s / 3);
    let header = "state.x,state.y,action,next_state.x,next_state.y,reward";
    let plane = pair("half", header, &half, &|s, k| format!("{},", half(next(s, k))));
    assert!(plane.contains("state.x") && plane.contains("state.y") && plane.contains("class=\"spot\""), "{plane}");
    // One-step problems have states, too.
    let one = pair("one", "state.x,state.y,action,reward", &half, &|_, _| String::new());
    assert!(one.contains("class=\"spot\""), "{one}");
}

#[test]
fn wrong_calls_are_refused_and_undefined_distances_explained_by_their_reason() {
    let place = place();
    assert!(
        place.refused("explain a.csv b.csv --metric srrd,epic").contains("--metric: an explanation is of one metric")
    );
    assert!(place.refused("explain a.csv b.csv -o a.csv").contains("the output is one of the inputs"));
    assert!(place.refused("explain a.csv b.csv -o - --json").contains("standard output already gets the table"));
    for command in ["explain - -", "distance - -", "inspect - -", "matrix - - -o m.csv"] {
        assert!(place.refused(command).contains("standard input can be read only once"), "{command}");
    }
    let message = place.refused("explain a.csv b.csv --min-common 50 -o out.csv");
    assert!(message.contains("there is nothing to write: the srrd distance is undefined"), "{message}");
    let run = place.srrd("explain a.csv b.csv --min-common 50");
    assert_eq!(run.status, 0);
    assert!(run.err.contains("the srrd distance is undefined: the samples share 34 transitions"), "{}", run.err);
    assert!(run.out.contains("there is nothing to explain"), "{}", run.out);
    let found = json(&place, "explain a.csv b.csv --min-common 50 --json");
    assert_eq!((&found["distance"], &found["undefined"]), (&Value::Null, &"too_few_common".into()));
    assert_eq!(found["transitions"], serde_json::json!([]));
    let same = place.ok("explain a.csv a.csv --metric projected");
    assert!(same.contains("The projected distance is 0, up to rounding: there is nothing to explain."), "{same}");
}

/// The lines below "Advice".
fn advice(text: &str) -> Vec<&str> {
    text.lines().skip_while(|line| *line != "Advice").skip(1).collect()
}

#[test]
fn inspect_advises_on_two_samples() {
    let place = place();
    let text = place.ok("inspect a.csv b.csv --metric projected");
    let lines = advice(&text);
    assert!(lines[0].contains("Use --metric projected: 34 shared transitions with 22 degrees of freedom"), "{text}");
    assert!(lines[1].contains("Gamma matters"), "{text}");
    assert!(lines[2].contains("both hold the same transitions"), "{text}");
    assert!(!place.ok("inspect a.csv").contains("Advice"));
    let found = &json(&place, "inspect a.csv b.csv --json")["advice"];
    assert_eq!((&found["metric"], &found["enough"]), (&"projected".into(), &true.into()));
    assert_eq!((&found["shared"], &found["degrees_of_freedom"]), (&34.into(), &22.into()));
    assert_eq!((&found["reasons"], &found["states"]), (&serde_json::json!([]), &serde_json::json!([])));
    assert!(json(&place, "inspect a.csv --json").get("advice").is_none());

    // Without the steps from the cell (2, 1): its four steps are four degrees of freedom.
    let fewer: Vec<String> = grid(true).lines().filter(|line| !line.starts_with("2,1,")).map(str::to_owned).collect();
    place.write("fewer.csv", fewer.join("\n") + "\n");
    let text = place.ok("inspect a.csv fewer.csv --metric projected");
    let lines = advice(&text);
    assert!(lines[0].contains("Use --metric projected") && lines[0].contains("18 degrees of freedom"), "{text}");
    assert!(
        lines[2].contains("4 transitions that only one sample holds would add 4 degrees of freedom if both held them"),
        "{text}"
    );
    assert!(lines[2].contains("at the state (2, 1) (+4)"), "{text}");
    let found = &json(&place, "inspect a.csv fewer.csv --json")["advice"];
    assert_eq!(found["reasons"], serde_json::json!([]));
    assert_eq!(
        found["states"],
        serde_json::json!([{"state": [2.0, 1.0], "gain": 4, "lacking_in_a": 0, "lacking_in_b": 4}])
    );
    assert_eq!(found["together"], serde_json::json!({"transitions": 34, "degrees_of_freedom": 22}));
}

#[test]
fn inspect_says_when_samples_cannot_be_compared() {
    let place = place();
    let header = "state.x,state.y,action,next_state.x,next_state.y,reward\n";
    place.write("apart.csv", format!("{header}9,9,east,10,9,1\n10,9,west,9,9,2\n"));
    let text = place.ok("inspect a.csv apart.csv --metric projected");
    assert!(advice(&text)[0].contains("cannot be compared: they share no transition"), "{text}");
    assert!(advice(&text)[1].contains("Check that both tables name states and actions alike"), "{text}");
    let flat: Vec<String> =
        (grid(false).lines().skip(1)).map(|line| format!("{},1", line.rsplit_once(',').unwrap().0)).collect();
    place.write("flat.csv", format!("{header}{}\n", flat.join("\n")));
    let text = place.ok("inspect a.csv flat.csv --metric projected");
    assert!(advice(&text)[0].contains("cannot be compared yet"), "{text}");
    assert!(advice(&text)[1].contains("flat.csv has the same reward on all shared transitions"), "{text}");
    // One response a prompt: nothing within a prompt can be compared.
    let single: String = (0..25).map(|i| format!("q{i},r,{}\n", i * i % 7)).collect();
    place.write("one.csv", format!("state,action,reward\n{single}"));
    place.write("two.csv", format!("state,action,reward\n{single}"));
    let text = place.ok("inspect one.csv two.csv --metric projected");
    assert!(advice(&text)[0].contains("25 shared transitions with no degrees of freedom"), "{text}");
    assert!(advice(&text)[1].contains("Shaping can explain any difference there."), "{text}");
    assert!(advice(&text)[2].contains("0 of 25 states have two or more"), "{text}");
    assert!(advice(&text)[3].contains("more actions of the states that are there"), "{text}");
}
