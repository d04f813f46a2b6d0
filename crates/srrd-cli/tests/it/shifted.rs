//! Tables that leave next states to the rows that follow.

use crate::support::Place;

const SIDE: u64 = 5;

/// Walks on a grid from cell to cell until the last one, or until a time limit: rewards, the same twice and shaped, and the opposite. A state
/// is its two numbers, or a token.
fn walks(features: bool) -> String {
    let mut seed = 7u64;
    let mut draw = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let cells = (SIDE * SIDE) as usize;
    let potential: Vec<f64> = (0..cells).map(|_| draw(1000) as f64 / 100.0).collect();
    let bonus: Vec<f64> = (0..4 * cells).map(|_| draw(1000) as f64 / 500.0).collect();
    let state = if features { "obs_0,obs_1" } else { "obs" };
    let mut text = format!("episode_id,step,{state},actions,rewards,shaped,opposite,terminations,truncations\n");
    for episode in 0..60 {
        let mut at = draw(SIDE * SIDE - 1);
        for step in 0..40 {
            let (x, y, action) = (at % SIDE, at / SIDE, draw(4));
            let next = match action {
                0 => y * SIDE + (x + 1).min(SIDE - 1),
                1 => y * SIDE + x.saturating_sub(1),
                2 => (y + 1).min(SIDE - 1) * SIDE + x,
                _ => y.saturating_sub(1) * SIDE + x,
            };
            let over = next == SIDE * SIDE - 1;
            let reward = bonus[(4 * at + action) as usize] + if over { 10.0 } else { -1.0 };
            let ahead = if over { 0.0 } else { 0.9 * potential[next as usize] };
            let shaped = 2.0 * reward + ahead - potential[at as usize];
            let state = if features { format!("{x},{y}") } else { at.to_string() };
            let cut = !over && step == 39;
            text += &format!("{episode},{step},{state},{action},{reward},{shaped},{},{over},{cut}\n", -reward);
            if over {
                break;
            }
            at = next;
        }
    }
    text
}

/// The table without some of its first columns.
fn without(table: &str, columns: usize) -> String {
    table.lines().map(|line| line.splitn(columns + 1, ',').last().unwrap().to_owned() + "\n").collect()
}

#[test]
fn the_end_of_an_episode_is_no_state_that_was_met() {
    let place = Place::new();
    place.write("features.csv", walks(true));
    place.write("tokens.csv", walks(false));
    for table in ["features.csv", "tokens.csv"] {
        let same = place.srrd(&format!("check {table} --rewards rewards,shaped"));
        assert_eq!(same.status, 0, "{} {}", same.out, same.err);
        let other = place.srrd(&format!("check {table} --rewards rewards,opposite"));
        assert_eq!(other.status, 1, "{} {}", other.out, other.err);
    }
    let message = place.refused("distance features.csv --rewards rewards,shaped --metric epic --estimator regressed");
    assert!(message.contains("the state in which an episode ends is not in the table"), "{message}");
}

#[test]
fn rows_that_may_be_steps_of_longer_problems_have_no_verdict() {
    let place = Place::new();
    place.write("rows.csv", without(&walks(false), 2));
    let check = |options: &str| place.srrd(&format!("check rows.csv --rewards rewards,shaped {options}"));
    let unsure = check("");
    assert_eq!(unsure.status, 3, "{} {}", unsure.out, unsure.err);
    assert!(unsure.out.contains("choose next shift"), "{}", unsure.out);
    assert_eq!(check("--next shift").status, 0);
    // Whoever says that one step is right is believed.
    assert_eq!(check("--next none").status, 1);
    let found = place.ok("distance rows.csv --rewards rewards,shaped --json");
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();
    assert!(found["notes"].as_array().unwrap().iter().any(|note| note["kind"] == "one_step"), "{found}");
}

#[test]
fn episodes_that_were_cut_off_have_a_known_end() {
    let place = Place::new();
    place.write("tokens.csv", walks(false));
    let found = place.ok("returns tokens.csv --rewards rewards,shaped --json");
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();
    assert_eq!((&found["episodes"], &found["unknown_ends"]), (&60.into(), &0.into()), "{found}");
}

#[test]
fn steps_are_not_taken_for_responses_without_a_word() {
    let place = Place::new();
    place.write("tokens.csv", walks(false));
    let run = place.srrd("models tokens.csv --rewards rewards,shaped");
    assert!(run.err.contains("states are taken for prompts"), "{}", run.err);
}

#[test]
fn separators_are_told_by_any_name_of_a_column() {
    let place = Place::new();
    place.write("semicolons.csv", walks(false).replace(',', ";"));
    let message = place.refused("distance semicolons.csv --rewards rewards,shaped");
    assert!(message.contains("separated by semicolons"), "{message}");
    place.write("rows.csv", "{\"obs\": 1, \"actions\": 2, \"rewards\": 3}\n");
    let message = place.refused("inspect rows.csv");
    assert!(message.contains(".jsonl"), "{message}");
    let mut wide = vec![0xff, 0xfe];
    wide.extend("state,action".encode_utf16().flat_map(u16::to_le_bytes));
    place.write("wide.csv", wide);
    let message = place.refused("inspect wide.csv");
    assert!(message.contains("save it as UTF-8"), "{message}");
}

#[test]
fn rows_that_may_be_joined_over_a_time_limit_are_told() {
    let place = Place::new();
    let rows = "a,go,1,0\nb,go,2,0\nc,go,3,1\na,stay,1,0\nb,stay,2,0\n";
    let note = "also where a time limit cut an episode off; if there are such rows, name the column that tells them, as in `--columns \
                episode=NAME` or `--columns timeout=NAME`";
    place.write("t.csv", format!("observations,actions,rewards,terminals\n{rows}"));
    for call in ["inspect t.csv --next shift", "distance t.csv t.csv --next shift"] {
        let run = place.srrd(call);
        assert!(
            run.err.contains(&format!(
                "t.csv: a row that `terminals` does not mark is joined to the row after it, {note}"
            )),
            "{}",
            run.err
        );
    }
    place.write("t.csv", format!("state,action,reward,other\n{rows}"));
    let run = place.srrd("inspect t.csv --next shift");
    assert!(
        run.err.contains("every row is joined to the row after it, also where an episode ended or a time limit"),
        "{}",
        run.err
    );
    for header in ["state,action,reward,timeouts", "state,action,reward,episode"] {
        place.write("t.csv", format!("{header}\n{rows}"));
        let run = place.srrd("inspect t.csv --next shift");
        assert!(!run.err.contains("a time limit"), "{header}: {}", run.err);
    }
}
