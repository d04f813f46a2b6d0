//! `srrd check`: a verdict as an exit status.

use crate::support::Place;
use serde_json::Value;

/// A wide graph that goes on for ever: the old reward, a shaped and scaled copy of it, and another one.
fn log() -> String {
    let mut text = String::from("state,action,next_state,old,copy,other\n");
    for s in 0..14i64 {
        for t in 0..14i64 {
            let old = ((5 * s * s + 3 * s * t + t * t) % 11) as f64;
            let copy = 3.0 * old + 0.9 * (t * t) as f64 - (s * s) as f64;
            let other = ((7 * s + 2 * s * t + 3 * t * t) % 13) as f64;
            text += &format!("{s},to{t},{t},{old},{copy},{other}\n");
        }
    }
    text
}

#[test]
fn the_exit_status_is_the_verdict() {
    let place = Place::new();
    place.write("log.csv", log());
    let same = place.srrd("check log.csv --rewards old,copy --ends none");
    assert_eq!(same.status, 0, "{}", same.err);
    assert!(same.out.starts_with("Verdict: same behaviour: the projected distance is 0.000"), "{}", same.out);
    let different = place.srrd("check log.csv --rewards old,other --ends none");
    assert_eq!(different.status, 1, "{}{}", different.out, different.err);
    assert!(different.out.starts_with("Verdict: the rewards differ: "), "{}", different.out);
    assert!(different.out.contains("old prefers path 1, other prefers path 2."), "{}", different.out);
    // Nobody said whether episodes end.
    place.write("few.csv", log().lines().take(9).collect::<Vec<_>>().join("\n"));
    let unknown = place.srrd("check few.csv --rewards old,copy");
    assert_eq!(unknown.status, 3, "{}{}", unknown.out, unknown.err);
    assert!(unknown.out.starts_with("Verdict: not enough data to tell: "), "{}", unknown.out);
}

#[test]
fn the_discount_factor_is_told_and_whether_it_was_given() {
    let place = Place::new();
    place.write("log.csv", log());
    let second = |call: &str| place.srrd(call).out.lines().nth(1).unwrap_or_default().to_owned();
    let assumed = "With gamma 0.9, which was not given; name the one that the rewards are made for with --gamma.";
    for columns in ["old,copy", "old,other"] {
        let call = format!("check log.csv --rewards {columns} --ends none");
        assert_eq!(second(&call), assumed);
        assert_eq!(second(&format!("{call} --gamma 0.9")), "With gamma 0.9.");
        assert_eq!(second(&format!("{call} --gamma 0.5")), "With gamma 0.5.");
        assert!(second(&format!("{call} --gamma auto")).starts_with("With gamma "), "{columns}");
        let line = place.srrd(&format!("{call} --github")).out;
        assert!(line.contains(&format!(".%0A{assumed}")) && line.lines().count() == 1, "{line}");
        let line = place.srrd(&format!("{call} --github --gamma auto")).out;
        assert!(line.contains(".%0AWith gamma ") && !line.contains("not given"), "{line}");
        assert!(!line.replace("%25", "").replace("%0A", "").contains('%'), "{line}");
        let found: Value = serde_json::from_str(&place.srrd(&format!("{call} --json")).out).unwrap();
        assert_eq!(found["gamma"], 0.9);
    }
    // What follows the sentence is there, too.
    let text = place.srrd("check log.csv --rewards old,other --ends none").out;
    assert!(text.contains(&format!("{assumed}\n\nBoth paths lead")), "{text}");
    // Without next states there is nothing to discount.
    let scores: String = (0..40).map(|i| format!("p{},r{i},{},{}\n", i / 4, i * i % 7, i * i % 5)).collect();
    place.write("scores.csv", format!("prompt,response,a,b\n{scores}"));
    let run = place.srrd("check scores.csv --rewards a,b");
    assert!(run.out.starts_with("Verdict: ") && !run.out.contains("gamma"), "{}{}", run.out, run.err);
}

#[test]
fn two_tables_are_checked_as_two_columns_are() {
    let place = Place::new();
    let table = |name: &str| {
        let header = format!(",{name}");
        log().lines().next().map(|line| line.replace(&header, ",reward")).unwrap() + &log()[log().find('\n').unwrap()..]
    };
    place.write("old.csv", table("old"));
    place.write("new.csv", table("other"));
    assert_eq!(place.srrd("check old.csv new.csv --ends none").status, 1);
    assert_eq!(place.srrd("check old.csv old.csv --ends none").status, 0);
}

#[test]
fn the_margin_decides_what_counts_as_the_same() {
    let place = Place::new();
    // Noise of a few per cent. What is surely apart and still small is neither; the sentence names the margin that counts it as the same.
    let mut text = String::from("state,action,next_state,old,new\n");
    for (number, line) in log().lines().skip(1).enumerate() {
        let old: f64 = line.split(',').nth(3).unwrap().parse().unwrap();
        let head: Vec<&str> = line.split(',').take(3).collect();
        text += &format!("{},{old},{}\n", head.join(","), old + 0.03 * ((number * 37) % 17) as f64);
    }
    place.write("log.csv", text);
    let call = "check log.csv --rewards old,new --ends none";
    let between = place.srrd(call);
    assert_eq!(between.status, 3, "{}", between.out);
    assert!(between.out.starts_with("Verdict: a small difference: "), "{}", between.out);
    assert!(between.out.contains("with a margin of 0.14 (within) it counts as the same"), "{}", between.out);
    assert_eq!(place.srrd(&format!("{call} --within 0.01")).status, 1);
    assert_eq!(place.srrd(&format!("{call} --within 0.13")).status, 3);
    let found: Value = serde_json::from_str(&place.ok(&format!("{call} --within 0.14 --json"))).unwrap();
    assert_eq!((&found["verdict"], &found["within"]), (&"same".into(), &0.14.into()));
    for bad in ["0", "-1", "0.7", "nan"] {
        let message = place.refused(&format!("{call} --within {bad}"));
        assert!(message.contains("--within: the margin is"), "{message}");
    }
}

#[test]
fn annotations_are_one_line() {
    let place = Place::new();
    place.write("log.csv", log());
    let run = place.srrd("check log.csv --rewards old,other --ends none --github");
    assert_eq!((run.status, run.out.lines().count()), (1, 1));
    assert!(run.out.starts_with("::error title=srrd check::the rewards differ: "), "{}", run.out);
    assert!(run.out.contains("%0A") && run.out.contains("95 %25 interval"), "{}", run.out);
    let same = place.ok("check log.csv --rewards old,copy --ends none --github");
    assert!(same.starts_with("::notice title=srrd check::same behaviour"), "{same}");
    assert!(place.refused("check log.csv --rewards old,copy --github --json").contains("--json"));
    assert!(place.refused("check log.csv --rewards old").contains("two samples are compared"));
}
