//! What a user sees of every command.

use crate::support::{Place, column, examples};
use serde_json::Value;

const A: &str = "state,action,next_state,reward,note\n\
                 s0,go,s1,1,first\n\
                 s1,go,s2,2,\"with, comma\"\n\
                 s0,go,s1,3,again\n\
                 s2,stay,s2,-0.5,\n\
                 s1,stay,s0,0.25,last\n";
pub(crate) const B: &str =
    "state,action,next_state,reward\ns0,go,s1,4\ns1,go,s2,1\ns2,stay,s2,0\ns1,stay,s0,2\ns3,go,s0,9\n";

pub(crate) fn place() -> Place {
    let place = Place::new();
    place.write("a.csv", A);
    place.write("b.csv", B);
    place
}

#[test]
fn distance_prints_a_table_and_json() {
    let place = place();
    let run = place.srrd("distance a.csv b.csv --metric all");
    assert_eq!(run.status, 0);
    assert!(run.out.contains("A  a.csv: 4 transitions, 3 states, 2 actions"), "{}", run.out);
    assert!(run.out.contains("shared: 4 transitions; gamma 0.9; double batch of all states"), "{}", run.out);
    assert!(run.err.contains("a.csv: 1 transition occurred with unequal rewards"), "{}", run.err);
    assert!(
        run.err.contains("only 4 transitions are shared: with fewer than 20 a distance is mostly noise"),
        "{}",
        run.err
    );
    let json: Value = serde_json::from_str(&place.ok("distance a.csv b.csv --json")).unwrap();
    assert_eq!(json["a"]["name"], "a.csv");
    assert_eq!(json["b"]["transitions"], 5);
    assert_eq!(json["common"], 4);
    let metrics: Vec<&str> =
        json["results"].as_array().unwrap().iter().map(|r| r["metric"].as_str().unwrap()).collect();
    assert_eq!(metrics, ["direct", "epic", "dard", "srrd", "projected"]);
    assert_eq!(json["verdict"], "unknown");
    assert!(json["reason"].as_str().unwrap().contains("shaping leaves 1 degree of freedom"), "{json}");
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    assert_eq!(&keys[..3], ["a", "b", "common"]);
}

#[test]
fn a_space_after_the_comma_of_rewards_is_none_of_a_name() {
    let place = place();
    place.write("two.csv", "state,action,next_state,old,new\na,go,b,1,2\nb,go,c,2,4\nc,go,a,0,9\n");
    let run = |rewards: &str| {
        let output = place.command("distance two.csv --json --rewards").arg(rewards).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    assert_eq!(run("old, new"), run("old,new"));
}

#[test]
fn tokens_in_other_forms_are_told() {
    let place = place();
    let rows = |form: &str| -> String {
        (0..9).map(|s| format!("{s}{form},go,{}{form},{}\n", (s * 5 + 3) % 9, s * s % 7)).collect()
    };
    place.write("whole.csv", format!("state,action,next_state,reward\n{}", rows("")));
    place.write("point.csv", format!("state,action,next_state,reward\n{}", rows(".0")));
    let run = place.srrd("distance whole.csv point.csv");
    assert!(run.err.contains("0 transitions are shared, and 9 would be if tokens such as `0` and `0.0` were the same"));
    assert!(!place.srrd("distance whole.csv whole.csv").err.contains("would be"));
}

#[test]
fn undefined_distances_are_null_with_a_reason_and_no_failure() {
    let place = place();
    place.write(
        "flat.csv",
        B.replace(",4\n", ",1\n").replace(",2\n", ",1\n").replace(",0\n", ",1\n").replace(",9\n", ",1\n"),
    );
    place.write("apart.csv", "state,action,next_state,reward\nx,go,y,1\ny,go,x,2\n");
    for (call, reason, words) in [
        (
            "distance a.csv flat.csv --metric direct",
            "constant",
            "a canonical reward is constant on the shared transitions",
        ),
        ("distance a.csv apart.csv", "too_few_common", "the samples share 0 transitions, fewer than the 3 asked for"),
        ("distance a.csv b.csv --min-common 5", "too_few_common", "fewer than the 5 asked for (--min-common)"),
    ] {
        let run = place.srrd(&format!("{call} --json"));
        assert_eq!(run.status, 0, "{call}");
        let json: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(json["results"][0]["distance"], Value::Null);
        assert_eq!(json["results"][0]["undefined"], reason, "{call}");
        assert!(run.err.contains(words), "{}", run.err);
        assert!(place.ok(call).contains("undefined"));
    }
    assert!(
        place
            .srrd("distance a.csv flat.csv")
            .err
            .contains("flat.csv: all rewards are 1: distances to it are undefined, or")
    );
}

#[test]
fn projected_tells_its_degrees_of_freedom() {
    let place = place();
    let json: Value = serde_json::from_str(&place.ok("distance a.csv b.csv --metric projected --json")).unwrap();
    let result = &json["results"][0];
    // Four transitions between three states that are joined by a cycle and a self-loop.
    assert_eq!(
        (&result["rank"], &result["components"], &result["degrees_of_freedom"]),
        (&3.into(), &1.into(), &1.into())
    );
    place.write("chain.csv", "state,action,next_state,reward\na,x,b,1\nb,x,c,2\nc,x,d,5\n");
    let run = place.srrd("distance chain.csv chain.csv --metric projected --json");
    let json: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["results"][0]["undefined"], "no_degrees_of_freedom");
    assert!(run.err.contains("shaping can explain any difference on the shared transitions"), "{}", run.err);
    assert!(
        place
            .ok("distance a.csv b.csv --metric all")
            .contains("projected: shaping has rank 3 on the shared transitions")
    );
    place.ok("canonicalize a.csv -o p.csv --metric projected");
    place.ok("matrix a.csv b.csv -o d.csv --metric projected");
    let cell = column(&place.read("d.csv"), "b.csv")[0].parse::<f64>().unwrap();
    assert_eq!(Some(cell), result["distance"].as_f64());
}

#[test]
fn canonicalize_keeps_rows_and_columns_and_collapses_duplicates() {
    let place = place();
    place.ok("canonicalize a.csv -o out.csv");
    let out = place.read("out.csv");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[0], "state,action,next_state,reward,note,canonical");
    assert!(lines[1].starts_with("s0,go,s1,2,first,"), "{}", lines[1]);
    assert!(lines[2].starts_with("s1,go,s2,2,\"with, comma\","), "{}", lines[2]);
    assert!(lines[3].starts_with("s2,stay,s2,-0.5,,"), "{}", lines[3]);
    assert!(lines[4].starts_with("s1,stay,s0,0.25,last,"), "{}", lines[4]);

    place.ok("canonicalize a.csv -o first.csv --duplicates first --metric direct");
    assert_eq!(column(&place.read("first.csv"), "canonical")[0], "1.0");
    let message = place.refused("canonicalize a.csv -o no.csv --duplicates error");
    assert!(
        message.contains(
            "a.csv: row 3, column `reward`: the transition (s0, go, s1) has the reward 3 here and 1 in row 1"
        )
    );
    let message = place.refused("canonicalize out.csv -o no.csv");
    assert!(message.contains("out.csv: column `canonical`: the table has this column already"), "{message}");
}

#[test]
fn canonicalize_writes_to_standard_output_and_reads_standard_input() {
    let place = place();
    let from_file = place.ok("canonicalize a.csv -o -");
    let run = place.srrd_with_input("canonicalize - -o -", A.as_bytes());
    assert_eq!((run.status, run.out), (0, from_file));
    let run = place.srrd_with_input("convert - -o piped.parquet", A.as_bytes());
    assert_eq!(run.status, 0, "{}", run.err);
    place.ok("convert piped.parquet -o back.csv");
    assert_eq!(column(&place.read("back.csv"), "reward"), ["1.0", "2.0", "3.0", "-0.5", "0.25"]);
    let run = place.srrd_with_input("distance - b.csv --json", A.as_bytes());
    let from_stdin: Value = serde_json::from_str(&run.out).unwrap();
    let from_file: Value = serde_json::from_str(&place.ok("distance a.csv b.csv --json")).unwrap();
    assert_eq!(from_stdin["results"], from_file["results"]);
}

#[test]
fn every_format_gives_the_same_distance() {
    let place = place();
    place.write("a.csv", A.replace("with, comma", "without"));
    let expected: Value = serde_json::from_str(&place.ok("distance a.csv b.csv --json")).unwrap();
    let extensions = ["tsv", "jsonl", "parquet", "arrow", "feather", "npz", "csv.gz", "csv.zst", "jsonl.gz", "tsv.zst"];
    for extension in extensions {
        place.ok(&format!("convert a.csv -o c.{extension}"));
        let found: Value = serde_json::from_str(&place.ok(&format!("distance c.{extension} b.csv --json"))).unwrap();
        assert_eq!(found["results"], expected["results"], "{extension}");
        place.ok(&format!("canonicalize c.{extension} -o d.{extension}"));
        place.ok(&format!("convert d.{extension} -o d.csv"));
        let values = |csv: &str| column(csv, "canonical").iter().map(|v| v.parse::<f64>().unwrap()).collect::<Vec<_>>();
        assert_eq!(values(&place.read("d.csv")), values(&place.ok("canonicalize a.csv -o -")), "{extension}");
    }
}

#[test]
fn tokens_keep_their_identity_through_formats() {
    let place = Place::new();
    place.write("t.csv", "state,action,next_state,reward\n007,1,7,1\n7,1,007,2\n1.0,1,1,3\n1,2,1.0,4\n");
    for extension in ["parquet", "arrow", "npz", "jsonl"] {
        place.ok(&format!("convert t.csv -o t.{extension}"));
        place.ok(&format!("convert t.{extension} -o back.csv"));
        let back = place.read("back.csv");
        assert_eq!(column(&back, "state"), ["007", "7", "1.0", "1"], "{extension}");
        assert_eq!(column(&back, "action"), ["1", "1", "1", "2"], "{extension}");
        let json: Value = serde_json::from_str(&place.ok(&format!("inspect t.{extension} --json"))).unwrap();
        assert_eq!(json["samples"][0]["states"], 4, "{extension}");
    }
}

#[test]
fn convert_takes_tables_with_other_names_and_logs() {
    let place = Place::new();
    place.write("t.csv", "s,a,n,old,new\n1,x,2,0.5,1\n2,x,1,1,2\n");
    let message = place.refused("convert t.csv -o t.parquet");
    assert!(message.contains("column `state`"), "{message}");
    place.ok("convert t.csv -o t.parquet --columns state=s,action=a,next_state=n --rewards old,new");
    place.ok("convert t.parquet -o back.csv --columns state=s,action=a,next_state=n --rewards old,new");
    // Names stay; both rewards are numbers.
    assert_eq!(place.read("back.csv"), "s,a,n,old,new\n1,x,2,0.5,1.0\n2,x,1,1.0,2.0\n");
    // Nobody has to say what the rewards of a log are.
    let log = "{\"input\": \"p\", \"output\": \"q\", \"score\": 1, \"step\": 1, \"acc\": true}\n";
    place.write("1.jsonl", log);
    let run = place.srrd("convert 1.jsonl -o log.csv");
    assert!(run.status == 0 && run.err.contains("read as verl"), "{}", run.err);
    assert_eq!(column(&place.read("log.csv"), "score"), ["1.0"]);
}

#[test]
fn rewards_are_numbers_in_typed_formats_however_they_are_written() {
    let place = Place::new();
    place.write(
        "odd.csv",
        "state.x,action,next_state.x,reward\n+1,go,2.,.5\n2,go,1, 2.50 \n1,stay,1,9007199254740993\n2,stay,2,+1\n",
    );
    let expected: Value = serde_json::from_str(&place.ok("inspect odd.csv --json")).unwrap();
    for extension in ["parquet", "arrow", "npz", "jsonl"] {
        place.ok(&format!("convert odd.csv -o odd.{extension}"));
        let mut found: Value = serde_json::from_str(&place.ok(&format!("inspect odd.{extension} --json"))).unwrap();
        found["samples"][0]["name"] = "odd.csv".into();
        assert_eq!(found, expected, "{extension}");
        place.ok(&format!("canonicalize odd.csv -o canonical.{extension}"));
    }
    let first = place.read("odd.jsonl").lines().next().unwrap().to_owned();
    assert_eq!(first, r#"{"state.x":1.0,"action":"go","next_state.x":2.0,"reward":0.5}"#);
}

#[test]
fn nothing_is_printed_before_all_is_checked() {
    let place = Place::new();
    place.write("bad.csv", "state,action,next_state,reward\na,x,b,1\na,x,c,nan\n");
    assert!(place.refused("convert bad.csv -o -").contains("row 2 (line 3), column `reward`"));
    assert!(place.refused("canonicalize bad.csv -o -").contains("row 2 (line 3), column `reward`"));
    place.write("good.csv", B);
    assert!(
        place.refused("canonicalize good.csv -o - --json").contains("--json: standard output already gets the table")
    );
}

#[test]
fn large_integers_are_the_same_tokens_in_every_format() {
    let place = Place::new();
    let (most, other) = (i64::MAX, 1_234_567_890_123_456_789i64);
    place
        .write("big.csv", format!("state,action,next_state,reward\n{most},x,{other},1\n{other},x,5,2\n5,x,{most},4\n"));
    for extension in ["parquet", "jsonl", "npz", "arrow"] {
        place.ok(&format!("convert big.csv -o big.{extension}"));
        let json: Value = serde_json::from_str(&place.ok(&format!("distance big.csv big.{extension} --json"))).unwrap();
        assert_eq!(json["common"], 3, "{extension}");
    }
}

#[cfg(unix)]
#[test]
fn pipes_with_names_can_be_read_twice() {
    let place = place();
    assert!(std::process::Command::new("mkfifo").arg(place.path("pipe.csv")).status().unwrap().success());
    for call in ["canonicalize pipe.csv -o piped.csv", "convert pipe.csv -o piped.parquet"] {
        let to = place.path("pipe.csv");
        let writer = std::thread::spawn(move || std::fs::write(to, A).unwrap());
        place.ok(call);
        writer.join().unwrap();
    }
    assert_eq!(place.read("piped.csv"), place.ok("canonicalize a.csv -o -"));
}

#[test]
fn inspect_tells_coverage_and_terms() {
    let place = place();
    let json: Value = serde_json::from_str(&place.ok("inspect a.csv b.csv --json --space 10x2")).unwrap();
    let a = &json["samples"][0];
    assert_eq!(
        (&a["transitions"], &a["rows"], &a["repeated"], &a["averaged"]),
        (&4.into(), &5.into(), &1.into(), &1.into())
    );
    assert_eq!((&a["states"], &a["actions"], &a["terminal_states"]), (&3.into(), &2.into(), &0.into()));
    assert_eq!(a["coverage"], 4.0 / 18.0);
    assert_eq!(a["full_coverage"], 4.0 / 200.0);
    assert_eq!(a["terms"].as_array().unwrap().len(), 3 + 3 + 7);
    assert_eq!(json["common"], 4);
    let text = place.ok("inspect a.csv --metric srrd");
    assert!(text.contains("R(S4, A, S5)  non-forward"), "{text}");
    assert!(place.refused("inspect a.csv --space 10").contains("--space: '10' must be STATESxACTIONS"));
    assert!(
        place.refused("inspect a.csv --space 2x2").contains("--space: a.csv has 3 states and 2 actions, more than")
    );
    assert!(
        place.refused("inspect a.csv --estimator unbiased").contains("--estimator: the unbiased estimator needs no")
    );
}

#[test]
fn inspect_says_where_next_states_come_from() {
    let place = Place::new();
    place.write("given.csv", "state,action,next_state,reward\na,go,b,1\n");
    place.write("walk.csv", "state,action,reward,episode,step\na,go,1,0,0\nb,go,2,0,1\n");
    for (call, name, says) in [
        ("inspect given.csv", "given", "  next states as given\n"),
        ("inspect walk.csv", "shifted", "  next states shifted: the state of the row after it in its episode\n"),
        ("inspect walk.csv --next none", "one-step", "  next states none: a one-step problem\n"),
    ] {
        assert!(place.ok(call).contains(says), "{call}");
        let json: Value = serde_json::from_str(&place.ok(&format!("{call} --json"))).unwrap();
        assert_eq!(json["samples"][0]["next_states"], name);
    }
}

#[test]
fn inspect_takes_one_sample_of_a_table() {
    let place = place();
    place.write("s.csv", format!("sample,{}", A.replace('\n', "\n1,").trim_end_matches("1,")) + "2,x,go,y,0,\n");
    let json: Value = serde_json::from_str(&place.ok("inspect s.csv#1 --json")).unwrap();
    let samples = json["samples"].as_array().unwrap();
    assert_eq!((samples.len(), &samples[0]["name"], &samples[0]["transitions"]), (1, &"1".into(), &4.into()));
    let both: Value = serde_json::from_str(&place.ok("inspect s.csv#2 s.csv#1 --json")).unwrap();
    assert_eq!((&both["samples"][0]["name"], &both["samples"][1]), (&"2".into(), &samples[0]));
}

#[test]
fn zeros_have_no_sign() {
    let place = Place::new();
    place.write("one.csv", "state,action,next_state,reward\na,go,b,-0.0\n");
    for call in ["inspect one.csv", "inspect one.csv --json", "explain one.csv one.csv --json"] {
        assert!(!place.ok(call).contains("-0.0"), "{call}: {}", place.ok(call));
    }
}

#[test]
fn help_offers_what_is_taken() {
    let place = Place::new();
    for command in ["matrix", "explain"] {
        let help = place.ok(&format!("{command} --help"));
        assert!(help.contains("One of direct, epic, dard, srrd, projected, npec, or auto: the one that"), "{help}");
    }
    let help = place.ok("inspect --help");
    assert!(help.contains("[default: all]") && help.contains("--batch"), "{help}");
    assert!(!help.contains("--estimator") && !help.contains("unbiased") && !help.contains("regress"), "{help}");
}

#[test]
fn the_same_call_gives_the_same_bytes_on_any_number_of_threads() {
    let place = Place::new();
    let mut text = String::from("state,action,next_state,reward\n");
    for i in 0..30_000u32 {
        text += &format!("{},{},{},{}\n", i % 997, i % 3, i * 7 % 997, f64::from(i * i % 1013) / 7.0);
    }
    place.write("big.csv", text);
    let call = |threads: u32, seed: u32| {
        place.ok(&format!("canonicalize big.csv -o - --metric all --batch 300 --seed {seed} --threads {threads}"))
    };
    assert!(call(1, 5) == call(2, 5) && call(1, 5) == call(5, 5));
    assert!(call(1, 5) != call(1, 6));
}

/// Steps on a line with a linear reward, shaped by φ(x) = kx for γ = 0.9; most pairs of states are not joined.
fn featured(k: f64) -> String {
    let mut text = String::from("state.x,state.y,action,next_state.x,next_state.y,reward\n");
    for s in 0..12 {
        for t in [s + 1, s + 3, s + 11, s] {
            let (x, y) = (f64::from(s), f64::from(t % 12));
            let reward = 0.5 * x - y + 0.01 * f64::from(s * t % 5) + k * (0.9 * y - x);
            text += &format!("{x},1,{},{y},1,{reward}\n", t - s);
        }
    }
    text
}

#[test]
fn regressed_rewards_are_predicted_from_features() {
    let place = Place::new();
    place.write("p.csv", featured(1.0));
    place.write("q.csv", featured(-6.0));
    let distance = |options: &str| -> Value {
        serde_json::from_str(&place.ok(&format!("distance p.csv q.csv --metric epic --json {options}"))).unwrap()
    };
    let number = |json: &Value| json["results"][0]["distance"].as_f64().unwrap();
    let (double, linear, tree) = (
        distance(""),
        distance("--estimator regressed"),
        distance("--estimator regressed --regression tree --actions joint --batch 20"),
    );
    assert_eq!((&double["estimator"], &double["regression"]), (&"double".into(), &Value::Null));
    assert_eq!((&linear["estimator"], &linear["regression"]), (&"regressed".into(), &"linear".into()));
    assert_eq!((&tree["estimator"], &tree["regression"]), (&"regressed".into(), &"tree".into()));
    assert_eq!((&tree["actions"], &tree["batch"]), (&"joint".into(), &20.into()));
    // Shaping is linear in the features here: a linear model sees through it where the double batch cannot.
    assert!(number(&linear) < 0.05 && number(&double) > 0.3, "{linear} {double}");
    assert_eq!(distance("--estimator regressed --regression linear"), linear);
    assert!(number(&tree) != number(&double));
    let text = place.ok("distance p.csv q.csv --estimator regressed --regression tree");
    assert!(text.contains("double batch of all states, the rest predicted by a regression tree"), "{text}");

    place.ok("matrix p.csv q.csv -o d.csv --metric epic --estimator regressed");
    assert_eq!(column(&place.read("d.csv"), "q.csv")[0].parse::<f64>(), Ok(number(&linear)));
    let json: Value =
        serde_json::from_str(&place.ok("matrix p.csv q.csv -o d.csv --estimator regressed --regression tree --json"))
            .unwrap();
    assert_eq!((&json["estimator"], &json["regression"]), (&"regressed".into(), &"tree".into()));
    let json: Value =
        serde_json::from_str(&place.ok("canonicalize p.csv -o c.csv --metric all --estimator regressed --json"))
            .unwrap();
    assert_eq!((&json["estimator"], &json["regression"]), (&"regressed".into(), &"linear".into()));
    let (predicted, plain) = (place.read("c.csv"), place.ok("canonicalize p.csv -o - --metric all"));
    for (name, same) in [("direct", true), ("epic", false), ("dard", false), ("srrd", false), ("projected", true)] {
        let column_of = |csv| column(csv, &format!("canonical.{name}")).join(" ");
        assert_eq!(column_of(&predicted) == column_of(&plain), same, "{name}");
    }
}

#[test]
fn demo_shows_that_srrd_sees_through_shaping() {
    let place = Place::new();
    let json: Value = serde_json::from_str(&place.ok("demo --json")).unwrap();
    let of = |metric: usize, which: &str| json["results"][metric][which].as_f64().unwrap();
    assert!(of(3, "shaped") < of(0, "shaped") - 0.2, "{json}");
    assert!(of(4, "shaped") < 1e-6, "{json}");
    assert!((0..5).all(|m| (0.6..0.8).contains(&of(m, "unrelated"))), "{json}");
    let text = place.ok("demo -o tables");
    assert_eq!(text, place.ok("demo -o tables"));
    for line in text.lines().skip_while(|line| !line.starts_with("Try next")).filter(|line| line.contains("srrd ")) {
        let command = line.trim().split("  ").next().unwrap().strip_prefix("srrd ").unwrap();
        // The shell would expand the star.
        let command = command.replace("tables/*.csv", "tables/reward.csv tables/shaped.csv tables/unrelated.csv");
        // The experiment has tests of its own; here it is enough that the call is right.
        let command = command.replace("reproduce coverage", "reproduce coverage --plan");
        place.ok(&command);
    }
    assert!(place.files().contains(&"heat.svg".to_owned()));
    let report = place.read("tables/report.html");
    assert!(report.contains("<svg") && report.contains("srrd demo --seed 0"));
    let check = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/browser/check");
    let output =
        std::process::Command::new(check).arg(place.path("tables/report.html")).arg("--generic").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn convert_tells_what_it_wrote() {
    let place = place();
    let told: serde_json::Value = serde_json::from_str(&place.ok("convert b.csv -o b.npz --json")).unwrap();
    assert_eq!(told["output"], "b.npz");
    assert_eq!(told["columns"], serde_json::json!(["state", "action", "next_state", "reward"]));
    assert_eq!(told["rows"], B.lines().count() - 1);
    assert_eq!(place.ok("convert b.csv -o c.npz"), "");
    assert!(place.refused("convert b.csv -o - --json").contains("standard output already gets the table"));
}

#[test]
fn help_shows_examples_that_run() {
    let place = place();
    for name in ["c.csv", "rewards.csv", "old.csv", "new.csv"] {
        place.write(name, B);
    }
    place.write("p.csv", featured(1.0));
    place.write("q.csv", featured(2.0));
    place.write("log.csv", "prompt,response,old,new,other\np,x,1,2,0\np,y,2,2,1\nq,x,3,0,1\nq,y,0,1,2\n");
    place.write("agents.csv", "sample,state,action,next_state,reward\nalice,a,x,b,1\nbob,a,x,b,2\n");
    std::fs::create_dir(place.path("runs")).unwrap();
    place.write("runs/1.csv", A);
    place.write("runs/2.csv", B);
    place.ok("convert b.csv -o b.parquet");
    place.ok("convert b.csv -o rewards.npz");
    let recording = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/data/lift.hdf5");
    for name in ["low_dim_v15.hdf5", "lift.hdf5", "new.hdf5"] {
        std::fs::copy(recording, place.path(name)).unwrap();
    }
    place.ok("reproduce coverage -o runs/coverage --size 4x4 --trials 2 --rollouts 2");
    for command in [
        "demo",
        "distance",
        "explain",
        "canonicalize",
        "matrix",
        "inspect",
        "convert",
        "discretize",
        "report",
        "manual",
    ] {
        let help = place.ok(&format!("{command} --help"));
        let examples = examples(&help);
        assert!(!examples.is_empty(), "{help}");
        for example in examples {
            place.ok(&example.replace('\'', "").replace("runs/*.csv", "runs/1.csv runs/2.csv"));
        }
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let place = Place::new();
    let mut text = String::from("state,action,next_state,reward\n");
    (0..200_000).for_each(|i| text += &format!("{},0,{},{}\n", i % 5000, i % 4999, i % 7));
    place.write("big.csv", text);
    let mut command = place.command("convert big.csv -o -");
    let mut child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
