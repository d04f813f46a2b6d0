//! The values of the golden files, worked out term by term from the definitions.

use serde_json::Value;
use srrd::batch::BatchSet;
use srrd::exact::{Draws, Tabular};
use srrd::metric::CanonicalForm;
use srrd::settings::{Actions, Batch, DynamicsRule, Estimator};
use srrd::*;
use std::path::Path;

/// A file of `tests/golden`, which its README explains.
fn golden(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap()
}

fn close(value: f64, expected: f64) -> bool {
    (value - expected).abs() <= 1e-12 + 1e-9 * expected.abs()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn sample(rows: &Value) -> (RewardSample, Vec<usize>) {
    let mut builder = SampleBuilder::new();
    for row in rows.as_array().unwrap() {
        let token = |i: usize| Token::text(text(&row[i]));
        builder.push(token(0), token(1), token(2), row[3].as_f64().unwrap()).unwrap();
    }
    let (sample, placement) = builder.build_with_placement(Duplicates::Error).unwrap();
    (sample, placement.transition.into_iter().map(|t| t as usize).collect())
}

fn actions(case: &Value) -> Actions {
    match text(&case["actions"]) {
        "marginal" => Actions::Marginal,
        "joint" => Actions::Joint,
        other => panic!("{other}"),
    }
}

fn estimator(case: &Value) -> Estimator {
    match text(&case["estimator"]) {
        "double" => Estimator::Double { actions: actions(case), batch: Batch::All },
        "unbiased" => Estimator::Unbiased,
        other => panic!("{other}"),
    }
}

fn gamma(case: &Value) -> Gamma {
    Gamma::new(case["gamma"].as_f64().unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

#[test]
fn canonical_rewards() {
    let file = golden("canonical.json");
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() >= 72);
    for case in cases {
        let (sample, placement) = sample(&case["transitions"]);
        for metric in Metric::PAPER {
            let form = match case.get("batch").map(|b| b.as_array().unwrap()) {
                None => CanonicalForm::new(&sample, metric, estimator(case), 0),
                Some(batch) => {
                    let chosen = match actions(case) {
                        Actions::Marginal => BatchSet::states(&sample, batch.iter().map(|x| Token::text(text(x)))),
                        Actions::Joint => BatchSet::pairs(
                            &sample,
                            batch.iter().map(|p| (Token::text(text(&p[0])), Token::text(text(&p[1])))),
                        ),
                    };
                    CanonicalForm::with_batch(&sample, metric, &chosen)
                }
            };
            let canonical = form.at(gamma(case));
            let expected = numbers(&case["canonical"][metric.name()]);
            assert_eq!(expected.len(), placement.len());
            for (row, (&transition, &expected)) in placement.iter().zip(&expected).enumerate() {
                assert!(
                    close(canonical[transition], expected),
                    "{} {metric} {} {} row {row}: {} is not {expected}",
                    case["sample"],
                    case["estimator"],
                    case["actions"],
                    canonical[transition]
                );
            }
        }
    }
}

#[test]
fn the_sets_of_the_ten_state_example() {
    let file = golden("canonical.json");
    let (sample, _) = sample(&file["cases"][0]["transitions"]);
    let sets = &file["ten_state_sets"];
    let id = |name: &Value| sample.states().find(Token::text(text(name))).unwrap();
    let (s, next) = (id(&sets["transition"][0]), id(&sets["transition"][2]));
    let succ = |of: &[u32]| {
        let mut union: Vec<u32> = of.iter().flat_map(|&x| sample.successors(x).iter().copied()).collect();
        union.sort_unstable();
        union.dedup();
        union
    };
    let initial: Vec<u32> = sample.initial_states().collect();
    let s1 = succ(&[next]);
    let s2: Vec<u32> = succ(&[s]).into_iter().filter(|x| initial.contains(x)).collect();
    let (s5, s6) = (succ(&s1), succ(&s2));
    let found = [s1, s2, initial, sample.subsequent_states().collect(), s5, s6];
    for (name, found) in ["S1", "S2", "S3", "S4", "S5", "S6"].iter().zip(found) {
        let mut expected: Vec<u32> = sets[name].as_array().unwrap().iter().map(id).collect();
        expected.sort_unstable();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn distances() {
    let file = golden("distance.json");
    let pairs = file["pairs"].as_array().unwrap();
    assert!(pairs.len() >= 24);
    for (i, case) in pairs.iter().enumerate() {
        let ((a, _), (b, _)) = (sample(&case["a"]), sample(&case["b"]));
        let settings =
            Settings { gamma: gamma(case), estimator: estimator(case), min_common: 3, ..Settings::default() };
        for metric in Metric::PAPER {
            let comparison = distance(&a, &b, metric, &settings);
            assert_eq!(comparison.common as u64, case["common"].as_u64().unwrap());
            let (found, expected) = (comparison.distance().unwrap(), case["distance"][metric.name()].as_f64().unwrap());
            assert!(close(found, expected), "pair {i} {metric}: {found} is not {expected}");
            let matrix = pairwise(&[&a, &b], metric, &settings);
            assert_eq!(matrix.get(1, 0).map(f64::to_bits), Some(found.to_bits()));
        }
    }
}

/// With episodes that end, means over next states, and γ up to 1.
#[test]
fn projected_distances() {
    let file = golden("projected.json");
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() >= 40);
    for case in cases {
        let of = |rows: &Value| {
            let mut builder = SampleBuilder::new();
            for row in rows.as_array().unwrap() {
                let token = |i: usize| Token::text(text(&row[i]));
                builder.push(token(0), token(1), token(2), row[3].as_f64().unwrap()).unwrap();
            }
            let (sample, placement) = builder.build_with_placement(Duplicates::Mean).unwrap();
            let ends: Vec<bool> = rows.as_array().unwrap().iter().map(|row| row[4] == true).collect();
            sample.with_row_ends(&placement, &ends).unwrap()
        };
        let dynamics = match case["dynamics"].as_str() {
            None => DynamicsRule::Deterministic,
            Some("sampled") => DynamicsRule::Sampled,
            Some(other) => panic!("{other}"),
        };
        let (name, settings) = (text(&case["name"]), Settings { gamma: gamma(case), dynamics, ..Settings::default() });
        let found = distance(&of(&case["a"]), &of(&case["b"]), Metric::Projected, &settings);
        assert_eq!(found.common as u64, case["common"].as_u64().unwrap(), "{name}");
        let freedom = found.shaping.unwrap().degrees_of_freedom as u64;
        assert_eq!(freedom, case["degrees_of_freedom"].as_u64().unwrap(), "{name}");
        let Some(expected) = case["distance"].as_f64() else {
            assert_eq!(found.distance(), None, "{name}");
            continue;
        };
        let found = found.distance().unwrap();
        // Values below 10⁻⁶ are 0.
        assert!(close(found, expected) || (found < 1e-6 && expected < 1e-6), "{name}: {found} is not {expected}");
    }
}

#[test]
fn exact_forms() {
    fn flat(value: &Value) -> Vec<f64> {
        match value {
            Value::Array(items) => items.iter().flat_map(flat).collect(),
            number => vec![number.as_f64().unwrap()],
        }
    }
    let file = golden("exact.json");
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() >= 4);
    for (i, case) in cases.iter().enumerate() {
        let problem = Tabular::new(numbers(&case["state_distribution"]), numbers(&case["action_distribution"]))
            .and_then(|p| p.with_dynamics(&flat(&case["transition"])))
            .unwrap();
        let shared = problem.clone().with_draws(Draws::Shared);
        let with_shared_actions = [Metric::Dard, Metric::Srrd].map(|metric| (&shared, metric, "canonical_shared"));
        let independent = [Metric::Epic, Metric::Dard, Metric::Srrd].map(|metric| (&problem, metric, "canonical"));
        for (problem, metric, key) in independent.into_iter().chain(with_shared_actions) {
            let found = problem.canonicalize(&flat(&case["reward"]), metric, gamma(case)).unwrap();
            let expected = flat(&case[key][metric.name()]);
            assert_eq!(found.len(), expected.len());
            for (j, (&found, &expected)) in found.iter().zip(&expected).enumerate() {
                assert!(close(found, expected), "case {i} {metric} {key} at {j}: {found} is not {expected}");
            }
        }
    }
}
