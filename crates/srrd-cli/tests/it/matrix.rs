//! `srrd matrix`: the table of all distances, and its plot.

use serde_json::Value;

use crate::commands::{B, place};
use crate::support::{Place, column};

#[test]
fn matrix_writes_a_square_table_with_names() {
    let place = place();
    place.ok("matrix a.csv b.csv -o d.csv --json");
    let table = place.read("d.csv");
    assert_eq!(table.lines().next(), Some("sample,a.csv,b.csv"));
    assert_eq!(column(&table, "sample"), ["a.csv", "b.csv"]);
    let distance: Value = serde_json::from_str(&place.ok("distance a.csv b.csv --metric srrd --json")).unwrap();
    let expected = distance["results"][0]["distance"].as_f64().unwrap();
    assert_eq!(column(&table, "b.csv")[0].parse::<f64>(), Ok(expected));
    assert_eq!(column(&table, "a.csv"), ["0.0", column(&table, "b.csv")[0]]);

    place.ok("matrix a.csv b.csv -o d.npy --plot d.svg");
    let npy = std::fs::read(place.path("d.npy")).unwrap();
    assert_eq!(&npy[..6], b"\x93NUMPY");
    assert_eq!(f64::from_le_bytes(npy[128 + 8..128 + 16].try_into().unwrap()), expected);
    let names: Value = serde_json::from_str(&place.read("d.json")).unwrap();
    assert_eq!(names["names"], serde_json::json!(["a.csv", "b.csv"]));
    assert!(place.read("d.svg").contains("SRRD distances"));
    place.ok("matrix a.csv b.csv -o d.parquet --plot d.png");
    assert_eq!(&std::fs::read(place.path("d.png")).unwrap()[..4], b"\x89PNG");
    assert_eq!(&std::fs::read(place.path("d.parquet")).unwrap()[..4], b"PAR1");
}

#[test]
fn matrix_takes_samples_from_one_table_and_fills_undefined_cells() {
    let place = Place::new();
    let mut text = String::from("sample,label,state,action,next_state,reward\n");
    for (name, label) in [("p", "red"), ("q", "blue"), ("r", "red")] {
        for i in 0..5 {
            let state = if name == "r" { i + 10 } else { i };
            text += &format!("{name},{label},{state},0,{},{}\n", state + 1, i * i % 3 + name.len());
        }
    }
    place.write("many.csv", text);
    let run = place.srrd("matrix many.csv -o d.csv --plot d.svg");
    assert!(run.err.contains("2 of 3 distances are undefined; the first is that of p and r"), "{}", run.err);
    assert_eq!(column(&place.read("d.csv"), "r")[..2], ["NaN", "NaN"]);
    place.ok("matrix many.csv -o d.csv --undefined 1");
    assert_eq!(column(&place.read("d.csv"), "r")[..2], ["1.0", "1.0"]);
    let message = place.refused("distance many.csv many.csv");
    assert!(message.contains("many.csv: the table holds 3 samples (p, q, r), but one is needed"), "{message}");
    place.ok("distance many.csv#p many.csv#q");
    assert!(place.refused("distance many.csv#p many.csv#z").contains("there is no sample 'z'"));
    let message = place.refused("matrix many.csv -o e.csv --metric epic,srrd");
    assert!(message.contains("--metric: a matrix is of one metric"), "{message}");
}

#[test]
fn matrix_keeps_its_inputs_and_tells_samples_apart() {
    let place = place();
    assert!(place.refused("matrix a.csv b.csv -o a.csv").contains("a.csv: the output is one of the inputs"));
    assert!(place.refused("matrix a.csv b.csv -o - --json").contains("--json: standard output already gets the table"));
    let named = |names: [&str; 2]| {
        names.iter().fold(String::from("sample,state,action,next_state,reward\n"), |text, name| {
            text + &(0..4).map(|i| format!("{name},{i},x,{},{}\n", i + 1, i * i)).collect::<String>()
        })
    };
    place.write("p.csv", named(["v", "sv"]));
    place.write("q.csv", named(["v", "sv"]));
    place.ok("matrix p.csv q.csv -o m.csv");
    assert_eq!(column(&place.read("m.csv"), "sample"), ["p.csv#v", "p.csv#sv", "q.csv#v", "q.csv#sv"]);
    place.write(
        "flat.csv",
        B.replace(",4\n", ",1\n").replace(",2\n", ",1\n").replace(",0\n", ",1\n").replace(",9\n", ",1\n"),
    );
    place.ok("matrix a.csv flat.csv -o m.csv --metric direct --undefined 1");
    assert_eq!(column(&place.read("m.csv"), "flat.csv"), ["1.0", "0.0"]);
}
