//! The golden values through the command: tables in, tables and JSON out.

use crate::support::{Place, column, csv_of, golden};
use serde_json::Value;

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-12 + 1e-9 * expected.abs()
}

#[test]
fn distances() {
    let place = Place::new();
    let file = golden("distance.json");
    for pair in file["pairs"].as_array().unwrap() {
        place.write("a.csv", csv_of(&pair["a"]));
        place.write("b.csv", csv_of(&pair["b"]));
        let call = format!(
            "distance a.csv b.csv --metric all --json --gamma {} --estimator {} --actions {}",
            pair["gamma"],
            pair["estimator"].as_str().unwrap(),
            pair["actions"].as_str().unwrap()
        );
        let result: Value = serde_json::from_str(&place.ok(&call)).unwrap();
        assert_eq!(result["common"], pair["common"]);
        assert_eq!(result["estimator"], pair["estimator"]);
        assert_eq!(result["actions"], pair["actions"]);
        let results = result["results"].as_array().unwrap();
        assert_eq!(results.len(), 5);
        for result in results.iter().filter(|result| result["metric"] != "projected") {
            let expected = pair["distance"][result["metric"].as_str().unwrap()].as_f64().unwrap();
            let (distance, rho) = (result["distance"].as_f64().unwrap(), result["correlation"].as_f64().unwrap());
            assert!(close(distance, expected), "{call}: {distance} is not {expected}");
            assert!(close(((1.0 - rho) / 2.0).sqrt(), distance));
            assert_eq!(result["undefined"], Value::Null);
        }
    }
}

#[test]
fn canonical_rewards() {
    let place = Place::new();
    let file = golden("canonical.json");
    let without_batch = file["cases"].as_array().unwrap().iter().filter(|case| case.get("batch").is_none());
    for case in without_batch {
        place.write("in.csv", csv_of(&case["transitions"]));
        let call = format!(
            "canonicalize in.csv -o out.csv --metric all --gamma {} --estimator {} --actions {}",
            case["gamma"],
            case["estimator"].as_str().unwrap(),
            case["actions"].as_str().unwrap()
        );
        place.ok(&call);
        let out = place.read("out.csv");
        for (metric, expected) in case["canonical"].as_object().unwrap() {
            let found = column(&out, &format!("canonical.{metric}"));
            let expected = expected.as_array().unwrap();
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(expected) {
                assert!(close(found.parse().unwrap(), expected.as_f64().unwrap()), "{call}");
            }
        }
    }
}
