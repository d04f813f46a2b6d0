//! What a user sees of intervals, tests against chance, ranks and noise.

use crate::support::{Place, column};
use serde_json::Value;

/// Walks between 12 states; rewards from a function of the transition and its row.
fn table(episodes: bool, reward: impl Fn(u32, u32, u32) -> f64) -> String {
    let mut text = String::from(if episodes { "episode," } else { "" }) + "state,action,next_state,reward\n";
    for row in 0..240u32 {
        let (s, a) = (row * 7 % 12, row / 12 % 3);
        let t = (s * 5 + a * 3 + row / 36) % 12;
        if episodes {
            text += &format!("walk {},", row / 12);
        }
        text += &format!("{s},{a},{t},{}\n", reward(s, a, t));
    }
    text
}

fn place() -> Place {
    let place = Place::new();
    let first = |s: u32, a: u32, t: u32| f64::from((s * 31 + a * 17 + t * 13) % 29);
    let second = move |s: u32, a: u32, t: u32| first(s, a, t) + f64::from((s * 7 + a * 5 + t * 11) % 23);
    place.write("a.csv", table(false, first));
    place.write("b.csv", table(false, second));
    place.write("walks_a.csv", table(true, first));
    place.write("walks_b.csv", table(true, second));
    place
}

fn json(place: &Place, call: &str) -> Value {
    serde_json::from_str(&place.ok(call)).unwrap()
}

#[test]
fn distance_shows_intervals() {
    let place = place();
    let text = place.ok("distance a.csv b.csv --metric all --interval 0.95");
    assert!(text.contains("metric       distance     95 % interval  correlation"), "{text}");
    // No digit that the interval does not carry.
    assert!(text.contains("projected *     0.346  ("), "{text}");
    assert!(text.contains("projected *  ") && text.contains("* fits these data"), "{text}");
    assert!(text.contains("Verdict: the rewards differ: the projected distance is 0.346"), "{text}");
    assert!(text.contains("direct, epic, dard, srrd: interval by bootstrap, 1,000 draws of transitions\n"), "{text}");
    assert!(text.contains("no resampling sees the bias"), "{text}");
    assert!(text.contains("projected: the interval is about all transitions that could be met"), "{text}");
    let found = json(&place, "distance a.csv b.csv --metric all --interval 0.95 --json");
    for result in found["results"].as_array().unwrap() {
        let interval = &result["interval"];
        let number = |key: &str| interval[key].as_f64().unwrap();
        assert!(number("low") < result["distance"].as_f64().unwrap(), "{result}");
        assert!(number("high") > result["distance"].as_f64().unwrap(), "{result}");
        assert_eq!(number("level"), 0.95);
        let shown = format!("({:.3} to {:.3})", number("low"), number("high"));
        assert!(text.contains(&shown), "{shown} is not in {text}");
        if result["metric"] == "projected" {
            assert_eq!(interval["method"], "state-block-jackknife");
            assert_eq!(interval["degrees_of_freedom"].as_f64(), result["degrees_of_freedom"].as_f64());
        } else {
            assert_eq!(interval["method"], "bootstrap-percentile");
            assert_eq!((&interval["resampled"], &interval["draws"]), (&"transitions".into(), &1000.into()));
            assert!(number("low") < number("high"));
        }
    }
    // Nothing of it is there, or computed, unless it was asked for.
    let plain = json(&place, "distance a.csv b.csv --json");
    assert_eq!((&plain["results"][0]["interval"], &plain["results"][0]["chance"]), (&Value::Null, &Value::Null));
    assert_eq!(plain["settings"]["correlation"], "pearson");
}

#[test]
fn episodes_are_drawn_where_tables_have_them() {
    let place = place();
    let call = "distance walks_a.csv walks_b.csv --metric direct --interval 0.9 --draws 300 --json";
    let found = json(&place, call);
    let interval = &found["results"][0]["interval"];
    assert_eq!(
        (&interval["resampled"], &interval["units"], &interval["draws"]),
        (&"episodes".into(), &20.into(), &300.into())
    );
    // The same rows in another order and format, on other numbers of threads: the same bytes.
    for name in ["walks_a", "walks_b"] {
        let text = place.read(&format!("{name}.csv"));
        let (header, rows) = text.split_once('\n').unwrap();
        let turned: Vec<&str> = rows.lines().rev().collect();
        place.write(&format!("turned_{name}.csv"), format!("{header}\n{}\n", turned.join("\n")));
        place.ok(&format!("convert turned_{name}.csv -o {name}.parquet"));
    }
    for threads in [1, 3] {
        let again =
            json(&place, &call.replace(".csv", ".parquet").replace("--json", &format!("--threads {threads} --json")));
        assert_eq!(again["results"], found["results"]);
    }
    let other = json(&place, &call.replace("--json", "--seed 1 --json"));
    assert_ne!(other["results"][0]["interval"], *interval);
    assert_eq!(other["results"][0]["distance"], found["results"][0]["distance"]);
    place.write("gap.csv", place.read("walks_a.csv").replace("walk 3,", ","));
    let message = place.refused("distance gap.csv b.csv --interval 0.95");
    assert!(message.contains("column `episode`: the value is missing"), "{message}");
    place.ok("distance gap.csv b.csv");
}

#[test]
fn tests_against_chance_are_told_in_words_and_numbers() {
    let place = place();
    place.write("unrelated.csv", table(false, |s, a, t| f64::from((s * s * 7 + a * 11 + t * t * 3 + s * t) % 13)));
    let found = json(&place, "distance a.csv b.csv --metric srrd,projected --chance --draws 200 --json");
    let [srrd, projected] = [&found["results"][0]["chance"], &found["results"][1]["chance"]];
    assert_eq!((&srrd["test"], &srrd["draws"]), (&"permutation".into(), &200.into()));
    assert_eq!(srrd["p"].as_f64().unwrap(), 1.0 / 201.0);
    // What shaping leaves of these rewards goes with states: there is no valid test of it.
    assert_eq!((&projected["p"], &projected["undefined"]), (&Value::Null, &"dependent".into()));
    let run = place.srrd("distance a.csv b.csv --metric projected --chance");
    assert!(run.err.contains("no test against chance: both rewards go with states or actions"), "{}", run.err);
    let text = place.ok("distance a.csv b.csv --chance --draws 200");
    assert!(
        text.contains("srrd: more alike than chance (p = 0.0050, 200 random permutations of the rewards)"),
        "{text}"
    );
    let text = place.ok("distance a.csv unrelated.csv --metric direct --chance");
    assert!(text.contains("direct: no more alike than chance (p = 0."), "{text}");
}

#[test]
fn ranks_see_through_increasing_functions() {
    let place = place();
    let bent: String = (place.read("a.csv").lines().enumerate())
        .map(|(i, line)| match line.rsplit_once(',') {
            Some((key, reward)) if i > 0 => format!("{key},{}\n", (reward.parse::<f64>().unwrap() / 4.0).exp()),
            _ => format!("{line}\n"),
        })
        .collect();
    place.write("bent.csv", bent);
    let call = "distance a.csv bent.csv --metric direct --correlation spearman";
    let found = json(&place, &format!("{call} --interval 0.95 --json"));
    assert_eq!(
        (&found["settings"]["correlation"], &found["results"][0]["distance"]),
        (&"spearman".into(), &0.0.into())
    );
    assert!(place.ok(call).contains("; Spearman's correlation of ranks\n"));
    let pearson = json(&place, "distance a.csv bent.csv --metric direct --json");
    assert!(pearson["results"][0]["distance"].as_f64().unwrap() > 0.2);
    let summary = json(&place, "matrix a.csv b.csv bent.csv -o d.csv --metric epic --correlation spearman --json");
    assert_eq!(summary["settings"]["correlation"], "spearman");
    let single = json(&place, "distance a.csv b.csv --metric epic --correlation spearman --json");
    let cell = column(&place.read("d.csv"), "b.csv")[0].parse::<f64>().unwrap();
    assert_eq!(Some(cell), single["results"][0]["distance"].as_f64());
}

#[test]
fn noise_is_told_where_rewards_repeat_unequally() {
    let place = place();
    let mut text = place.read("a.csv");
    for (i, line) in place.read("a.csv").lines().skip(1).enumerate() {
        let (key, reward) = line.rsplit_once(',').unwrap();
        text += &format!("{key},{}\n", reward.parse::<f64>().unwrap() + f64::from(i as u32 % 5) - 2.0);
    }
    place.write("noisy.csv", text);
    let found = json(&place, "inspect noisy.csv --json");
    let noise = &found["samples"][0]["noise"];
    assert!(noise["variance"].as_f64().unwrap() > 0.0);
    let floors = noise["floors"].as_array().unwrap();
    assert_eq!(floors.len(), 5);
    for floor in floors {
        let [share, rho, d] =
            ["share", "largest_correlation", "smallest_distance"].map(|key| floor[key].as_f64().unwrap());
        assert!((0.0..0.5).contains(&share) && (rho - (1.0 - share)).abs() < 1e-12, "{floor}");
        assert!((d - ((1.0 - rho) / 2.0).sqrt()).abs() < 1e-12, "{floor}");
    }
    let text = place.ok("inspect noisy.csv --metric direct");
    assert!(text.contains("noise: a single reward has the standard deviation"), "{text}");
    assert!(text.contains("direct: ") && text.contains("two noisy copies would be at a distance of"), "{text}");
    let found = json(&place, "distance noisy.csv b.csv --metric direct --json");
    let floor = &found["results"][0]["noise_floor"];
    assert_eq!(floor["share"][1], 0.0);
    assert!(floor["share"][0].as_f64().unwrap() > 0.0 && floor["distance"].as_f64().unwrap() > 0.0, "{floor}");
    assert_eq!(json(&place, "inspect a.csv --json")["samples"][0]["noise"], Value::Null);
}

#[test]
fn what_has_no_interval_says_so() {
    let place = place();
    place.write("chain.csv", "state,action,next_state,reward\na,x,b,1\nb,x,c,2\nc,x,d,5\nc,y,d,4\nc,z,d,7\n");
    place.write("other.csv", "state,action,next_state,reward\na,x,b,1\nb,x,c,2\nc,x,d,1\nc,y,d,4\nc,z,d,2\n");
    let run = place.srrd("distance chain.csv other.csv --metric projected --ends none --interval 0.95 --json");
    assert!(
        run.err.contains("the projected distance has no interval: 2 degrees of freedom are too few"),
        "{}",
        run.err
    );
    let found: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(found["results"][0]["interval"]["undefined"], "too_few_degrees_of_freedom");
    assert!(place.ok("distance chain.csv other.csv --metric projected --interval 0.95").contains("  none  "));
    place.write("flat.csv", "state,action,next_state,reward\na,x,b,1\nb,x,c,1\nc,x,d,1\nc,y,d,1\nc,z,d,1\n");
    let found = json(&place, "distance chain.csv flat.csv --metric direct --interval 0.95 --chance --json");
    assert_eq!((&found["results"][0]["interval"], &found["results"][0]["chance"]), (&Value::Null, &Value::Null));
    for (options, message) in [
        ("--interval 95", "--interval: the level is 95, but it must lie between 0 and 1, such as 0.95"),
        ("--interval -1", "--interval: the level is -1"),
        ("--interval 0.95 --draws 3", "--draws: the number of draws is 3, but it must lie between 100 and 10000000"),
    ] {
        let said = place.refused(&format!("distance a.csv b.csv {options}"));
        assert!(said.contains(message), "{said}");
    }
}
