//! Tables in which the last row of an episode has no next state, as `lead` of SQL leaves it.

use crate::support::Place;

const TABLE: &str = "episode,step,state,action,next_state,reward,done,truncated
1,0,a,go,b,1,false,false
1,1,b,go,c,2,false,false
1,2,c,go,,3,true,false
2,0,a,stay,a,0,false,false
2,1,a,go,b,1,false,false
2,2,b,stay,,-1,false,true
3,1,c,stay,,0.5,false,false
3,0,b,go,c,2,false,false
";

/// The same with numbers for tokens, or with features.
fn table(state: &str, of: impl Fn(&str) -> String) -> String {
    let rows = TABLE.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let [from, to] = [cells[2], cells[4]].map(&of);
        format!("{},{},{from},{},{to},{}\n", cells[0], cells[1], cells[3], cells[5..].join(","))
    });
    let next: Vec<String> = state.split(',').map(|name| format!("next_{name}")).collect();
    format!("episode,step,{state},action,{},reward,done,truncated\n", next.join(",")) + &rows.collect::<String>()
}

fn number(token: &str) -> String {
    token.bytes().next().map_or(String::new(), |letter| (letter - b'a').to_string())
}

#[test]
fn a_missing_next_state_is_that_of_a_shifted_row() {
    let place = Place::new();
    place.write("tokens.csv", TABLE);
    place.write("numbers.csv", table("state", number));
    let features = |token: &str| if token.is_empty() { ",".to_owned() } else { format!("{0}.5,{0}", number(token)) };
    place.write("features.csv", table("state.x,state.y", features));
    let note = "3 rows have no next state (1 ends its episode, and leads to an end state; 2 rows are left out because their next states \
                are not known)";
    for name in ["tokens", "numbers", "features"] {
        for format in ["parquet", "jsonl", "arrow", "csv"] {
            let made = format!("{name}.made.{format}");
            place.ok(&format!("convert {name}.csv -o {made}"));
            let run = place.srrd(&format!("inspect {made} --json"));
            assert!(run.err.contains(note), "{made}: {} {}", run.out, run.err);
            let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
            let sample = &found["samples"][0];
            assert_eq!((&sample["transitions"], &sample["rows"]), (&4.into(), &6.into()), "{made}: {found}");
            let distance = place.ok(&format!("distance {name}.csv {made} --json --metric srrd"));
            let found: serde_json::Value = serde_json::from_str(&distance).unwrap();
            assert_eq!((&found["common"], &found["results"][0]["distance"]), (&4.into(), &0.0.into()), "{found}");
        }
    }
    // As the same rows without next states, shifted.
    let shifted: String = TABLE
        .lines()
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            [&cells[..4], &cells[5..]].concat().join(",") + "\n"
        })
        .collect();
    place.write("shifted.csv", shifted);
    for command in ["distance --metric srrd", "returns"] {
        let compare = |table: &str| {
            let found = place.ok(&format!("{command} {table} {table} --json")).replace(table, "t");
            let mut found: serde_json::Value = serde_json::from_str(&found).unwrap();
            // How next states were found differs, and what came of them does not.
            found["notes"] = serde_json::Value::Null;
            found
        };
        assert_eq!(compare("tokens.csv"), compare("shifted.csv"), "{command}");
    }
    let run = place.srrd("discretize features.csv --cells 3 -o cells.csv");
    assert!(run.status == 0 && !run.err.contains("is missing in"), "{}", run.err);
    assert!(place.srrd("inspect cells.csv").err.contains(note));
    let canonical = place.ok("canonicalize tokens.csv -o -");
    assert!(canonical.contains("\n1,2,c,go,,3,true,false,") && canonical.lines().count() == 5, "{canonical}");
}

#[test]
fn a_next_state_that_is_missing_elsewhere_is_an_error() {
    let place = Place::new();
    let without = |columns: usize| -> String {
        TABLE.lines().map(|line| line.splitn(columns + 1, ',').last().unwrap().to_owned() + "\n").collect()
    };
    let wrong =
        "column `next_state`: the value is missing: fill it in, drop the row, or mark it as an end (`terminated` or";
    for (table, row, line) in [
        // Not the last row of its episode, by steps or by their order.
        (TABLE.replace("2,1,a,go,b,", "2,1,a,go,,"), 5, 6),
        (TABLE.replace("3,0,b,go,c,", "3,0,b,go,,"), 8, 9),
        (
            without(2)
                .replace("c,stay,,0.5", "c,stay,b,0.5")
                .replace("b,go,c,2,false,false\n", "b,go,,2,false,false\n"),
            2,
            3,
        ),
        // Nothing says that episodes end.
        ("state,action,next_state,reward\na,go,b,1\nb,go,,2\n".to_owned(), 2, 3),
        // Nobody knows its episode.
        (TABLE.replace("3,1,c,stay,", ",1,c,stay,"), 7, 8),
    ] {
        place.write("t.csv", &table);
        for call in ["distance t.csv t.csv", "convert t.csv -o made.jsonl"] {
            let message = place.refused(call);
            assert!(
                message.contains(&format!("t.csv: row {row} (line {line}), {wrong}")),
                "{call}: {message}\n{table}"
            );
        }
    }
    // One feature of two is no missing state.
    place.write("t.csv", "state.x,state.y,action,next_state.x,next_state.y,reward,done\n1,2,go,1,,0,true\n");
    let message = place.refused("inspect t.csv");
    assert!(
        message.contains("row 1 (line 2), column `next_state.y`: the value is missing; every row needs"),
        "{message}"
    );
}

#[test]
fn returns_count_rewards_whose_next_states_are_not_known() {
    let place = Place::new();
    // Only the last rewards tell the episodes apart; the last episode is a row of its own.
    let table: String = (0..12)
        .map(|episode| {
            let last = format!("{episode},1,b,go,{},{},false,true\n", episode % 5, episode % 3);
            if episode == 11 { last } else { format!("{episode},0,a,go,1,1,false,false\n{last}") }
        })
        .collect();
    place.write("t.csv", "episode,step,state,action,one,two,done,truncated\n".to_owned() + &table);
    let run = place.srrd("returns t.csv --rewards one,two --gamma 1 --json");
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(found["episodes"], 12, "{found}");
    let (one, two): ([i32; 12], [i32; 12]) =
        (std::array::from_fn(|at| at as i32 % 5), std::array::from_fn(|at| at as i32 % 3));
    let mean = |values: &[i32; 12]| values.iter().sum::<i32>() as f64 / 12.0;
    let sum = |x: &[i32; 12], y: &[i32; 12]| -> f64 {
        x.iter().zip(y).map(|(a, b)| (f64::from(*a) - mean(x)) * (f64::from(*b) - mean(y))).sum()
    };
    let earlier = |values: [i32; 12]| std::array::from_fn(|at| values[at] + i32::from(at < 11));
    let (one, two) = (earlier(one), earlier(two));
    let expected = sum(&one, &two) / (sum(&one, &one) * sum(&two, &two)).sqrt();
    let correlation = found["correlation"]["value"].as_f64().unwrap();
    assert!((correlation - expected).abs() < 1e-12, "{correlation} {expected}");
    assert!(
        run.err.contains("of 12 rows only the rewards count because their next states are not known"),
        "{}",
        run.err
    );
}
