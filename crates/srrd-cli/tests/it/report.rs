//! Pages about a user's own samples, groups, and matrices of a few samples.

use crate::support::{Place, column};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Rewards on a ring of 12 states with 4 ways on: a reward by `kind`, plus shaping with a potential of `strength`.
fn rewards(kind: usize, strength: f64) -> String {
    let mut csv = String::from(
        "state.pos,state.speed,state.heat,action,next_state.pos,next_state.speed,next_state.heat,reward,terminated\n",
    );
    let features = |s: usize| format!("{},{},{}", s % 4, s / 4, (s * 5) % 7);
    let potential = |s: usize| strength * ((s * 7) % 5) as f64;
    for s in 0..12usize {
        for k in 0..8usize {
            let t = (s + 5 * k + 1) % 12;
            let plain = ((s * 31 + k * 17 + kind * (s * k * 13 + 29 * k)) % 23) as f64 / 23.0;
            let reward = plain + 0.9 * potential(t) - potential(s);
            csv += &format!("{},a{k},{},{reward},false\n", features(s), features(t));
        }
    }
    csv
}

/// Three copies of a reward with other shaping, and two of another one.
fn place() -> Place {
    let place = Place::new();
    for (name, kind, strength) in
        [("old.csv", 0, 0.0), ("new.csv", 0, 1.0), ("third.csv", 0, -2.0), ("other.csv", 3, 0.0), ("last.csv", 3, 1.5)]
    {
        place.write(name, rewards(kind, strength));
    }
    place
}

/// Whether the browser finds nothing wrong with a page.
pub(crate) fn opened(page: &Path) {
    let check = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/browser/check");
    let output = Command::new(check).arg(page).arg("--generic").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

#[test]
fn a_report_on_two_samples_has_everything_and_opens_in_a_browser() {
    let place = place();
    let run = place.srrd("report old.csv other.csv -o page.html --ends none");
    assert_eq!((run.status, run.out.as_str()), (0, ""), "{}", run.err);
    assert!(run.err.ends_with("wrote page.html: a report on 2 samples\n"), "{}", run.err);
    let page = place.read("page.html");
    for part in [
        "<h1>old.csv and other.csv: do they ask for the same behaviour?</h1>",
        "The rewards differ: ",
        "Distances by every metric",
        "Where they differ",
        "The transitions that carry most",
        "What was sampled",
        "The discount factor",
        "srrd report old.csv other.csv -o page.html --ends none",
        // Three features that vary, on a plane.
        "main direction 1",
        "class=\"spot\"",
        "Least, at γ = ",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for metric in ["direct", "epic", "dard", "srrd", "projected"] {
        assert!(page.contains(&format!("<td>{metric}</td>")), "{metric}");
    }
    opened(&place.path("page.html"));
    // The same call gives the same bytes.
    place.ok("report old.csv other.csv -o page.html --ends none --threads 1");
    assert_eq!(place.read("page.html").replace(" --threads 1", ""), page);
    let same = place.srrd("report old.csv new.csv -o same.html --ends none");
    assert_eq!(same.status, 0);
    assert!(place.read("same.html").contains("Same behaviour: the projected distance is 0.000"));
}

#[test]
fn a_report_on_many_samples_groups_them_and_opens_in_a_browser() {
    let place = place();
    place.ok("report old.csv new.csv third.csv other.csv last.csv -o page.html --ends none --gamma 0.9");
    let page = place.read("page.html");
    for part in [
        "<h1>5 rewards: which ask for the same behaviour?</h1>",
        "5 rewards form 2 groups: the mean distance is 0.00 within groups",
        "old.csv, new.csv, third.csv",
        "0.71 unrelated",
        "2 groups are outlined.",
        "Pairs with intervals and verdicts",
        "same behaviour",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // All ten pairs.
    assert_eq!(page.matches("<td>same behaviour</td>").count() + page.matches("<td>different</td>").count(), 10);
    opened(&place.path("page.html"));
    // Reward columns of one table, and more groups than there are samples.
    place.write("log.csv", "state,action,next_state,p,q,r\na,x,b,1,2,3\nb,x,a,2,1,0\na,y,a,4,2,2\nb,y,b,0,1,1\n");
    place.ok("report log.csv --rewards p,q,r -o log.html");
    assert!(
        place.refused("report log.csv --rewards p,q,r -o no.html --clusters 4").contains("--clusters: 4 clusters of 3")
    );
}

#[test]
fn what_makes_no_report_is_refused() {
    let place = place();
    assert!(
        place.refused("report old.csv -o page.html").contains("two or more samples are compared, and there is one")
    );
    assert!(place.refused("report old.csv new.csv").contains("name it with -o FILE.html"));
    assert!(place.refused("report old.csv new.csv -o page.pdf").contains("must end in .html"));
    assert!(place.refused("report old.csv none.csv -o page.html").contains("no such file"));
    place.write("old.html", "state,action,next_state,reward\na,x,b,1\n");
    assert!(place.refused("report nowhere").contains("name it with -o FILE.html"));
}

#[test]
fn clusters_are_written_beside_the_distances() {
    let place = place();
    let call = "matrix old.csv other.csv new.csv last.csv third.csv --metric projected --ends none --clusters";
    let run = place.srrd(&format!("{call} auto -o d.csv --plot d.svg --json"));
    assert_eq!(run.status, 0, "{}", run.err);
    assert!(
        run.err.contains("wrote d.csv, d.svg, d.clusters.csv: the projected distances of 5 samples, 2 clusters"),
        "{}",
        run.err
    );
    let labels = place.read("d.clusters.csv");
    assert_eq!(column(&labels, "sample"), ["old.csv", "other.csv", "new.csv", "last.csv", "third.csv"]);
    assert_eq!(column(&labels, "cluster"), ["1", "2", "1", "2", "1"]);
    assert!(column(&labels, "silhouette").iter().all(|value| value.parse::<f64>().unwrap() > 0.9));
    let json: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["clusters"]["labels"], serde_json::json!([1, 2, 1, 2, 1]));
    assert!(place.read("d.svg").contains("2 groups are outlined."));
    place.ok(&format!("{call} 3 -o e.csv.gz"));
    assert_eq!(column(&place.read("e.clusters.csv"), "cluster").iter().filter(|label| **label == "3").count(), 1);
    assert!(place.refused(&format!("{call} 6 -o f.csv")).contains("6 clusters of 5 samples cannot be made"));
    assert!(place.refused(&format!("{call} none -o f.csv")).contains("neither `auto` nor a whole number"));
    assert!(place.refused(&format!("{call} auto -o -")).contains("name a file with -o"));
}

#[test]
fn the_distances_of_a_few_samples_are_a_small_matrix() {
    let place = place();
    let text = place.ok("distance old.csv new.csv other.csv --ends none");
    assert!(text.starts_with("projected distances; gamma 0.9;"), "{text}");
    let cells: Vec<&str> = text.lines().nth(3).unwrap().split_whitespace().collect();
    assert_eq!((cells[0], cells[1], cells[2]), ("old.csv", "0.000", "0.000"));
    let both: Value = serde_json::from_str(
        &place.ok("distance old.csv new.csv other.csv --metric direct,projected --json --ends none"),
    )
    .unwrap();
    assert_eq!(both["samples"], serde_json::json!(["old.csv", "new.csv", "other.csv"]));
    let direct = both["results"][0]["distances"][0][1].as_f64().unwrap();
    let pair: Value = serde_json::from_str(&place.ok("distance old.csv new.csv --metric direct --json")).unwrap();
    assert_eq!(pair["results"][0]["distance"].as_f64(), Some(direct));
    assert!(both["results"][1]["distances"][0][1].as_f64().unwrap() < 1e-6);
    let message = place.refused("distance old.csv new.csv other.csv --interval 0.95");
    assert!(message.contains("`srrd report` has intervals of all pairs"), "{message}");
    // Three reward columns of one table are several samples, too.
    place.write("log.csv", "state,action,next_state,p,q,r\na,x,b,1,2,3\nb,x,a,2,1,0\na,y,a,4,2,2\nb,y,b,0,1,1\n");
    let text = place.ok("distance log.csv --rewards p,q,r --metric direct");
    assert!(text.contains('?') && text.contains("mostly noise"), "{text}");
}
