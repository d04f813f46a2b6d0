//! The fast paths against the literal definitions, on thousands of random graphs.

use crate::support::literal::{Estimation, canonicalize as literal, canonicalize_some};
use crate::support::*;
use proptest::prelude::*;
use srrd::batch::BatchSet;
use srrd::metric::CanonicalForm;
use srrd::settings::Estimator;
use srrd::*;

fn token(x: u32) -> Token<'static> {
    Token::int(i64::from(x))
}

/// Graphs with hubs, large enough that they are treated as such: what is added up for all states at once must be what is added up for
/// each. Every few transitions are looked at.
#[test]
fn hubs_equal_the_definition() {
    let leaves = 2..110u32;
    let star = leaves.clone().flat_map(|leaf| [(0, leaf), (leaf, 0)]).collect::<Vec<_>>();
    let double_star = (leaves.clone())
        .flat_map(|leaf| [0, 1].map(|hub| (hub, leaf)))
        .filter(|(hub, leaf)| leaf % 3 != *hub)
        .flat_map(|(hub, leaf)| [(hub, leaf), (leaf, hub)])
        .collect();
    let resets = leaves.clone().flat_map(|x| [(x, x + 1), (x, 0), (0, x)]).collect();
    let bipartite =
        leaves.clone().flat_map(|x| [0, 1].map(|hub| (x, hub))).chain((120..190).flat_map(|y| [(0, y), (1, y)]));
    let three_hubs = leaves.flat_map(|leaf| [200, 201, 202].map(|hub| [(hub, leaf), (leaf, hub)])).flatten().collect();
    for (name, edges) in [
        ("star", star),
        ("double star", double_star),
        ("resets", resets),
        ("bipartite", bipartite.collect()),
        ("three hubs", three_hubs),
    ] {
        let rows: Vec<Row> = (edges.iter())
            .flat_map(|&(s, t)| {
                (0..1 + (s + t) % 2).map(move |a| (s, a, t, f64::from((s * 31 + a * 7 + t * 17) % 23) - 9.0))
            })
            .collect();
        let sample = sample(&rows);
        let rows = rows_of(&sample);
        let some: Vec<usize> = (0..rows.len()).step_by(rows.len() / 3).collect();
        let states: Vec<u32> = sample.states().iter().map(|t| t.as_int().unwrap() as u32).collect();
        let kept = states.iter().copied().filter(|x| x % 5 != 0).collect();
        let pairs = states.iter().flat_map(|&x| [(x, 0), (x, 1)]).filter(|(x, u)| (x + u) % 4 != 0).collect();
        for estimation in [Estimation::Marginal(kept), Estimation::Joint(pairs), Estimation::Unbiased] {
            for metric in [Metric::Dard, Metric::Srrd] {
                let form = form(&sample, metric, &estimation);
                let found = form.at(Gamma::new(0.7).unwrap());
                let found: Vec<f64> = some.iter().map(|&i| found[i]).collect();
                let expected = canonicalize_some(&rows, &some, metric, 0.7, &estimation);
                assert_close(&found, &expected, &format!("{name} {metric} {estimation:?}"));
            }
        }
    }
}

fn form<'a>(sample: &'a RewardSample, metric: Metric, estimation: &Estimation) -> CanonicalForm<'a> {
    match estimation {
        Estimation::Marginal(batch) => {
            let chosen = BatchSet::states(sample, batch.iter().map(|&x| token(x)));
            CanonicalForm::with_batch(sample, metric, &chosen)
        }
        Estimation::Joint(batch) => {
            let chosen = BatchSet::pairs(sample, batch.iter().map(|&(x, u)| (token(x), token(u))));
            CanonicalForm::with_batch(sample, metric, &chosen)
        }
        Estimation::Unbiased => CanonicalForm::new(sample, metric, Estimator::Unbiased, 0),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn canonical_rewards_equal_the_definition(
        rows in rows(), gamma in prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64],
        kept in prop::collection::vec(any::<bool>(), 12), kept_pairs in prop::collection::vec(any::<bool>(), 36),
        everything in any::<bool>(),
    ) {
        let sample = sample(&rows);
        let states: Vec<u32> = sample.states().iter().map(|t| t.as_int().unwrap() as u32).collect();
        let actions: Vec<u32> = sample.actions().iter().map(|t| t.as_int().unwrap() as u32).collect();
        let some_states = states.iter().copied().filter(|&x| everything || kept[x as usize]).collect();
        let some_pairs = (states.iter())
            .flat_map(|&x| actions.iter().map(move |&u| (x, u)))
            .filter(|&(x, u)| everything || kept_pairs[(x * 3 + u) as usize])
            .collect();
        let rows = rows_of(&sample);
        for estimation in [Estimation::Marginal(some_states), Estimation::Joint(some_pairs), Estimation::Unbiased] {
            for metric in Metric::PAPER {
                let found = form(&sample, metric, &estimation).at(Gamma::new(gamma).unwrap());
                let expected = literal(&rows, metric, gamma, &estimation);
                assert_close(&found, &expected, &format!("{metric} {estimation:?}"));
            }
        }
    }

    #[test]
    fn matrices_equal_pairs_and_pairs_equal_the_definition(
        samples in prop::collection::vec(rows(), 2..6), gamma in 0.0..1.0f64,
    ) {
        let samples: Vec<RewardSample> = samples.iter().map(|rows| crate::support::sample(rows)).collect();
        let references: Vec<&RewardSample> = samples.iter().collect();
        let settings = settings(gamma, MARGINAL);
        for metric in Metric::SHOWN {
            let matrix = pairwise(&references, metric, &settings);
            let mut undefined = 0;
            for (i, a) in samples.iter().enumerate() {
                for (j, b) in samples.iter().enumerate() {
                    let pair = distance(a, b, metric, &settings);
                    prop_assert_eq!(matrix.get(i, j).map(f64::to_bits), pair.distance().map(f64::to_bits));
                    if i <= j && pair.distance().is_none() {
                        prop_assert!(matrix.undefined().any(|found| found == (i, j, pair.undefined().unwrap())));
                        undefined += 1;
                    }
                    if i == j {
                        prop_assert!(pair.distance().is_none_or(|d| d == 0.0));
                    } else if let (true, Some(found)) = (metric != Metric::Projected, pair.distance()) {
                        prop_assert!((found - plain_distance(a, b, metric, &settings)).abs() < 1e-7);
                    }
                }
            }
            prop_assert_eq!(matrix.undefined().count(), undefined);
        }
    }
}

/// Shared transitions by looking every one up, and the textbook correlation.
fn plain_distance(a: &RewardSample, b: &RewardSample, metric: Metric, settings: &Settings) -> f64 {
    let (x, y) = (canonicalize(a, metric, settings), canonicalize(b, metric, settings));
    let mut pairs = Vec::new();
    for (i, t) in a.transitions().enumerate() {
        for (j, u) in b.transitions().enumerate() {
            if (t.state, t.action, t.next_state) == (u.state, u.action, u.next_state) {
                pairs.push((x[i], y[j]));
            }
        }
    }
    let n = pairs.len() as f64;
    let (mx, my) = (pairs.iter().map(|p| p.0).sum::<f64>() / n, pairs.iter().map(|p| p.1).sum::<f64>() / n);
    let sum = |f: &dyn Fn(f64, f64) -> f64| pairs.iter().map(|&(x, y)| f(x - mx, y - my)).sum::<f64>();
    let rho = sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
    ((1.0 - rho.clamp(-1.0, 1.0)) / 2.0).sqrt()
}
