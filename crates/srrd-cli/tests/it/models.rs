//! `srrd models`: scores side by side.

use crate::support::Place;
use serde_json::Value;

/// Prompts with three to six responses; `new` is `old` with a number per prompt added, `other` likes others.
fn log() -> String {
    let mut text = String::from("step,prompt,completion,old,new,other,advantage\n");
    for prompt in 0..40i64 {
        for response in 0..3 + prompt % 4 {
            let old = (7 * prompt + 5 * response * response) % 13;
            let other = (3 * prompt + 4 * response) % 11;
            text +=
                &format!("1,what is {prompt}?,answer {prompt}.{response},{old},{},{other},0.5\n", old + 10 * prompt);
        }
    }
    text
}

fn json(place: &Place, call: &str) -> Value {
    serde_json::from_str(&place.ok(call)).unwrap()
}

#[test]
fn scores_are_found_and_compared_within_prompts() {
    let place = Place::new();
    // Saved again by pandas, a log of TRL is known by its columns.
    place.write("trl.csv", log());
    let of_trl = place.srrd("models trl.csv");
    assert!(
        of_trl.err.contains("note: trl.csv: read as trl, with the rewards `old`, `new`, `other`"),
        "{}",
        of_trl.err
    );
    place.write("log.csv", log().replacen("completion", "response", 1));
    let run = place.srrd("models log.csv");
    assert_eq!((run.status, &run.out), (0, &of_trl.out), "{}", run.err);
    assert!(run.err.contains("note: log.csv: comparing the scores old, new, other"), "{}", run.err);
    assert!(run.out.starts_with("40 prompts with 180 responses\n"), "{}", run.out);
    assert!(run.out.contains("where old and other disagree most:"), "{}", run.out);
    let found = json(&place, "models log.csv --json");
    assert_eq!(found["models"], serde_json::json!(["old", "new", "other"]));
    let pair = &found["pairs"][0];
    assert_eq!((&pair["a"], &pair["b"]), (&"old".into(), &"new".into()));
    assert!(pair["distance"].as_f64().unwrap() < 1e-9);
    for name in ["accuracy", "tau_b"] {
        assert_eq!(pair[name], 1.0, "{name}");
    }
    assert_eq!(pair["best_of_n"]["4"], 0.0);
    assert_eq!(pair["best_of_n"].get("8"), None);
    // The same distance as that of the two columns by themselves.
    let alone = json(&place, "distance log.csv --rewards old,other --metric projected --next none --json");
    let [by_models, by_distance] =
        [&found["pairs"][1], &alone["results"][0]].map(|one| one["distance"].as_f64().unwrap());
    assert!((by_models - by_distance).abs() < 1e-9, "{by_models} {by_distance}");
}

#[test]
fn a_reference_comes_second_and_threads_change_nothing() {
    let place = Place::new();
    place.write("log.csv", log());
    let found = json(&place, "models log.csv --rewards old,other --gold new --json --top 1");
    let names: Vec<[&str; 2]> = (found["pairs"].as_array().unwrap().iter())
        .map(|pair| ["a", "b"].map(|side| pair[side].as_str().unwrap()))
        .collect();
    assert_eq!(names, [["old", "new"], ["other", "new"], ["old", "other"]]);
    assert_eq!(found["pairs"][1]["disagreements"].as_array().unwrap().len(), 1);
    let threads = |count: usize| place.ok(&format!("models log.csv --json --threads {count}"));
    assert_eq!(threads(1), threads(2));
}

#[test]
fn of_many_pairs_the_table_is_printed_and_where_the_rest_is() {
    let place = Place::new();
    let mut text = String::from("step,prompt,response,a,b,c,d\n");
    for row in 0..40 {
        let score = |k: usize| (row * (k + 3) * 31) % 17;
        text += &format!("{},p{},r{row},{},{},{},{}\n", row / 10, row / 4, score(0), score(1), score(2), score(3));
    }
    place.write("log.csv", text);
    assert!(place.ok("models log.csv").contains("of more than 3 pairs only the table is printed"));
    let out = place.ok("models log.csv --by step");
    assert!(
        out.contains("of more than 3 pairs only distances are printed") && !out.contains("a and b by step"),
        "{out}"
    );
    assert!(out.contains("\ndistances by step:\nstep    a and b") && out.contains("\n0 to 3    0.638"), "{out}");
    // Every distance of every group is there, as in the JSON.
    let out = place.ok("models log.csv --criterion step");
    let header = "step  a and b  a and c  a and d  b and c  b and d  c and d";
    let lines: Vec<&str> = out.lines().skip_while(|line| *line != header).skip(1).collect();
    let found = json(&place, "models log.csv --criterion step --json");
    let pairs = found["pairs"].as_array().unwrap();
    let groups = pairs[0]["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 4);
    for (at, group) in groups.iter().enumerate() {
        let distances = pairs.iter().map(|pair| format!("{:.3}", pair["groups"][at]["distance"].as_f64().unwrap()));
        let expected: Vec<String> = [group["name"].as_str().unwrap().to_owned()].into_iter().chain(distances).collect();
        assert_eq!(lines[at].split_whitespace().collect::<Vec<_>>(), expected, "{out}");
    }
    assert!(place.ok("models log.csv --by step --rewards a,b").contains("a and b by step"));
}

/// A log of training whose proxy begins to like long responses at this step.
fn training(change: i64) -> String {
    let mut text = String::from("step,prompt,completion,proxy,gold,advantage\n");
    for step in 0..16 {
        for prompt in 0..24 {
            for response in 0..4 {
                let number = step * 1000 + prompt * 10 + response;
                let (gold, noise, length) = ((number * 7919) % 101, (number * 104_729) % 29, (number * 31) % 40);
                let hacked = if step >= change { 5 * length } else { 0 };
                let words = "x".repeat(length as usize);
                text +=
                    &format!("{step},what is {step}.{prompt}?,{number} {words},{},{gold},0\n", gold + noise + hacked);
            }
        }
    }
    text
}

#[test]
fn over_training_a_change_is_found_and_drawn() {
    let place = Place::new();
    place.write("log.csv", training(9));
    let run = place.srrd("models log.csv --by step --gold gold -o page.html --plot line.svg");
    assert_eq!(run.status, 0, "{}", run.err);
    assert!(run.out.contains("the distance of proxy and gold changes at step 9: 0.1"), "{}", run.out);
    assert!(run.out.contains("the length of responses explains"), "{}", run.out);
    let [page, line] = ["page.html", "line.svg"].map(|name| std::fs::read_to_string(place.path(name)).unwrap());
    assert!(page.contains("srrd models log.csv --by step --gold gold -o page.html --plot line.svg"));
    assert!(page.contains("changes at step 9") && page.contains("Best of n"));
    assert!(line.contains("data-series=\"proxy and gold, between changes\""));
    crate::report::opened(&place.path("page.html"));
    let found = json(&place, "models log.csv --by step --gold gold --json");
    assert_eq!(found["by"], "step");
    let pair = &found["pairs"][0];
    assert_eq!((&pair["changes"][0]["at"], pair["groups"].as_array().unwrap().len()), (&9.0.into(), 16));
    assert!(pair["explained"]["length"]["correlation_a"].as_f64().unwrap() > 0.3);
    // A column that names groups, and the same numbers in a picture of bars.
    place.srrd("models log.csv --criterion step --rewards proxy,gold --plot bars.svg");
    assert!(std::fs::read_to_string(place.path("bars.svg")).unwrap().contains("data-series=\"proxy and gold\""));
    place.write("named.csv", training(9).trim_end().replace('\n', "\ns"));
    for (call, told) in [
        ("models named.csv --by step --rewards proxy,gold", "'s0' is no number: steps of training are"),
        ("models log.csv --by step --criterion prompt", "cannot be used with"),
        ("models log.csv --by stp", "no such column for `--by`; this one has"),
        ("models log.csv --by stp", "did you mean `step`?"),
        ("models log.csv --criterion stp", "no such column for `--criterion`"),
        ("models log.csv -o page.txt", "must end in .html"),
        ("models log.csv --plot page.txt", "must end in .svg or .png"),
        ("models log.csv --plot p.svg -o log.csv", "must end in .html"),
    ] {
        let message = place.refused(call);
        assert!(message.contains(told), "{call}: {message}");
    }
}

#[test]
fn several_tables_are_compared_where_they_meet() {
    let place = Place::new();
    place.write("a.csv", "prompt,response,score\np,x,1\np,y,2\np,z,3\nq,x,1\nq,y,0\n");
    place.write("b.csv", "prompt,response,score\nq,y,5\nq,x,7\np,y,1\np,x,0\n");
    let run = place.srrd("models a.csv b.csv");
    assert_eq!(run.status, 0, "{}", run.err);
    assert!(run.err.contains("do not score the same responses; 1 of the largest are left out"), "{}", run.err);
    assert!(run.out.starts_with("2 prompts with 4 responses\n"), "{}", run.out);
    let found = json(&place, "models a.csv b.csv --json");
    assert_eq!(found["models"], serde_json::json!(["a.csv", "b.csv"]));
    assert_eq!(found["pairs"][0]["accuracy"], 1.0);
    place.write("c.csv", "prompt,response,score\nr,x,1\nr,y,2\n");
    assert!(place.refused("models a.csv c.csv").contains("score no response in common"));
}

#[test]
fn models_need_not_score_the_same_responses() {
    let place = Place::new();
    // Half of the prompts are of one task, half of another; `format` is of both.
    let row = |row: usize| {
        let [maths, code] =
            [row % 8 < 4, row % 8 >= 4].map(|of| if of { (row * 7 % 5).to_string() } else { "null".to_owned() });
        format!(
            "{{\"input\": \"q{}\", \"output\": \"r{row}\", \"score\": {}, \"maths\": {maths}, \"code\": {code}, \"step\": 1}}\n",
            row / 4,
            row * 3 % 7,
        )
    };
    place.write("1.jsonl", (0..80).map(row).collect::<String>());
    let run = place.srrd("models 1.jsonl -o page.html");
    assert_eq!(run.status, 0, "{}", run.err);
    let told = "80 rows have only some of the rewards; every pair is compared on the rows that have both";
    let apart = "no two responses to one prompt are scored by both of code and maths";
    assert!(run.err.contains(told) && run.out.contains(apart), "{}{}", run.err, run.out);
    assert!(
        run.out.starts_with("20 prompts with 80 responses") && run.out.contains("prompts   distance"),
        "{}",
        run.out
    );
    // What was left out is in every form of the answer.
    let page = place.read("page.html");
    assert!(page.contains(told) && page.contains(apart));
    let found = json(&place, "models 1.jsonl --json");
    let kinds: Vec<&str> =
        found["notes"].as_array().unwrap().iter().map(|note| note["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["log", "some_rewards"]);
    let pairs = found["pairs"].as_array().unwrap();
    let prompts: Vec<_> =
        pairs.iter().map(|pair| (pair["prompts"].as_u64().unwrap(), pair["distance"].is_null())).collect();
    assert_eq!(prompts, [(10, false), (10, false), (0, true)]);
    place.ok("models 1.jsonl --criterion step --plot bars.svg");
    // So is every pair of a matrix, whose samples have the rows with their rewards.
    let inspected = json(&place, "inspect 1.jsonl --json");
    let sizes: Vec<_> = (inspected["samples"].as_array().unwrap().iter())
        .map(|sample| (sample["name"].as_str().unwrap(), sample["transitions"].as_u64().unwrap()))
        .collect();
    assert_eq!(sizes, [("score", 80), ("code", 40), ("maths", 40)]);
    let run = place.srrd("matrix 1.jsonl --metric projected -o d.csv");
    assert!(run.status == 0 && run.err.contains(told), "{}", run.err);
    let matrix = place.read("d.csv");
    let rows: Vec<Vec<&str>> = matrix.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!((rows[0][1..].to_vec(), rows[2][3]), (vec!["score", "code", "maths"], "NaN"), "{matrix}");
    for (pair, of_matrix) in pairs.iter().zip([rows[1][2], rows[1][3]]) {
        assert!((pair["distance"].as_f64().unwrap() - of_matrix.parse::<f64>().unwrap()).abs() < 1e-9, "{matrix}");
    }
    let message = place.refused("models 1.jsonl --rewards maths,code");
    assert!(message.contains("no two responses to one prompt are scored by both 'maths' and 'code'"), "{message}");
}

#[test]
fn intervals_that_cannot_be_told_are_none() {
    let place = Place::new();
    // The models never agree; only three prompts have two responses that are not equally good.
    place.write(
        "few.csv",
        "prompt,response,a,b\np,x,1,2\np,y,2,1\nq,x,1,3\nq,y,4,2\nr,x,0,9\nr,y,5,1\ns,x,0,0\ns,y,0,0\n",
    );
    let found = place.ok("models few.csv -o page.html");
    assert!(found.contains("0 %  (too few)") && !found.contains("0 % to 0 %"), "{found}");
    assert!(
        found.contains("\ntoo few: no interval, since fewer than 5 prompts tell something of the number"),
        "{found}"
    );
    assert!(place.read("page.html").contains("(too few)</td>"));
    let pair = &json(&place, "models few.csv --json")["pairs"][0];
    assert_eq!((&pair["accuracy"], &pair["intervals"]["accuracy"]), (&0.0.into(), &Value::Null));
    assert!(pair["intervals"]["distance"].is_null() && pair["by_margin"][0]["interval"].is_null());
}

#[test]
fn of_a_disagreement_two_responses_are_shown_that_the_models_rank_differently() {
    let place = Place::new();
    // Both like x best, and rank y and z oppositely.
    place.write("same.csv", "prompt,response,a,b\np,x,9,9\np,y,5,0\np,z,0,5\np,w,2,2\nq,x,1,1\nq,y,0,0\n");
    let run = place.srrd("models same.csv");
    assert!(run.out.contains("    a prefers: y\n    b prefers: z\n"), "{}{}", run.out, run.err);
    // The same order with other distances.
    place.write("order.csv", "prompt,response,a,b\np,x,9,9\np,y,8,1\np,z,0,0\nq,x,1,1\nq,y,0,0\n");
    let run = place.srrd("models order.csv --top 1");
    assert!(
        run.out.contains("no two responses are ranked oppositely; the first is above the second by"),
        "{}",
        run.out
    );
    let first = &json(&place, "models order.csv --json")["pairs"][0]["disagreements"][0];
    assert!(first["apart"].as_array().unwrap().iter().all(|apart| apart.as_f64().unwrap() > 0.0), "{first}");
}

#[test]
fn prompts_that_come_back_at_other_steps_are_told() {
    let place = Place::new();
    let rows = |names: [&str; 2]| {
        let row =
            |(step, prompt): (usize, &&str)| format!("{step},{prompt},x{step},1,2\n{step},{prompt},y{step},2,{step}\n");
        String::from("step,prompt,response,a,b\n") + &names.iter().enumerate().map(row).collect::<String>()
    };
    place.write("back.csv", rows(["p", "p"]));
    place.write("new.csv", rows(["p", "q"]));
    let told = "1 prompt comes back at several values of step: ";
    let found = place.ok("models back.csv --by step --rewards a,b");
    assert!(found.contains(told) && found.starts_with("2 prompts with 4 responses"), "{found}");
    assert_eq!(json(&place, "models back.csv --by step --rewards a,b --json")["returning"], 1);
    assert!(place.ok("models back.csv --rewards a,b").starts_with("1 prompt with 4 responses"));
    assert!(!place.ok("models new.csv --by step --rewards a,b").contains("several values of step"));
    place.ok("models back.csv --by step --rewards a,b -o page.html");
    assert!(place.read("page.html").contains(told));
}

#[test]
fn columns_of_samples_and_labels_that_may_mean_something_else_are_told() {
    let place = Place::new();
    let table = |column: &str, scores: &str| {
        let rows = (0..12).map(|row| {
            let (prompt, response) = (row / 3, row % 3);
            let scores: String = (1..=scores.split(',').count()).map(|k| format!(",{}", row * k % 7)).collect();
            format!("p{prompt},r{response},{response}{scores}\n")
        });
        format!("prompt,response,{column},{scores}\n{}", rows.collect::<String>())
    };
    let number = |column: &str| {
        format!(
            "the column `{column}` is read as the sample that a row belongs to: rename it if it means something else, such as the number of a \
             response"
        )
    };
    place.write("a.csv", table("sample", "score"));
    // Other scores: the same ones would be one model.
    place.write("b.csv", table("sample", "x,score"));
    place.write("wide.csv", table("sample", "x,y"));
    place.write("group.csv", table("group", "x,y"));
    place.write("renamed.csv", table("answer", "x,y"));
    place.write("label.csv", table("label", "x,y"));
    for (call, said) in [
        ("models a.csv b.csv", "no prompt has two different responses in one sample"),
        ("models wide.csv", "no prompt has two different responses in one sample"),
        ("check a.csv b.csv", "the table holds 3 samples (0, 1, 2), but one is needed"),
        ("distance a.csv b.csv", "the table holds 3 samples (0, 1, 2), but one is needed"),
        ("check wide.csv --rewards x,y", "two samples are compared, and the table holds 6"),
    ] {
        let message = place.refused(call);
        assert!(message.contains(said) && message.contains(&number("sample")), "{call}: {message}");
    }
    let message = place.refused("models group.csv --columns sample=group");
    assert!(message.contains(&number("group")), "{message}");
    place.ok("models renamed.csv");
    let message = place.refused("check renamed.csv renamed.csv --rewards x,y");
    assert!(message.contains("holds 2 samples") && !message.contains("rename it"), "{message}");
    for call in ["models label.csv", "check label.csv --rewards x,y"] {
        let message = place.refused(call);
        let said = "where `label` is not the class of a whole sample, but what somebody said of a row, rename it";
        assert!(message.contains(said), "{call}: {message}");
    }
    let message = place.refused("models a.csv");
    assert!(message.contains("at least two columns of scores"), "{message}");
}

#[test]
fn what_cannot_be_compared_is_said() {
    let place = Place::new();
    place.write("log.csv", log());
    place.write("one.csv", "prompt,response,score\np,a,1\np,b,2\n");
    place.write("single.csv", "prompt,response,a,b\np,x,1,2\nq,y,2,1\n");
    place.write("steps.csv", "state,action,next_state,a,b\n0,0,1,1,2\n0,1,1,2,1\n");
    for (call, told) in [
        ("models one.csv", "only `score` is found among"),
        ("models log.csv --rewards old", "there is only 'old': name at least two reward columns"),
        ("models log.csv --rewards old,othr", "did you mean `other`?"),
        ("models log.csv --gold style", "there is no such reward column"),
        ("models single.csv", "no prompt has two different responses"),
        ("models steps.csv", "has next states"),
    ] {
        let message = place.refused(call);
        assert!(message.contains(told), "{call}: {message}");
    }
    // A model that likes nothing.
    place.write("flat.csv", "prompt,response,a,b\np,x,1,2\np,y,2,2\nq,x,1,3\nq,z,0,3\n");
    let run = place.srrd("models flat.csv");
    assert!(run.status == 0 && run.out.contains("undefined"), "{}{}", run.out, run.err);
    assert!(run.out.contains("b scores all responses of every prompt alike: it prefers nothing"), "{}", run.out);
}
