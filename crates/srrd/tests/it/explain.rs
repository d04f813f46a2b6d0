//! Explanations add up to the distance they explain, and see what it sees.

use crate::support::*;
use proptest::prelude::*;
use srrd::compare::Correlation;
use srrd::explain::Explanation;
use srrd::*;

/// Shares by transition, in the order of the samples.
fn shares(explanation: &Explanation) -> Vec<f64> {
    let mut by_index: Vec<(u32, f64)> = explanation.transitions.iter().map(|c| (c.a, c.share)).collect();
    by_index.sort_by_key(|&(index, _)| index);
    by_index.into_iter().map(|(_, share)| share).collect()
}

/// The shares as the definition has them: canonical rewards on the shared transitions, made to have mean 0 and norm 1.
fn literal(x: &[f64], y: &[f64]) -> (f64, Vec<f64>) {
    let unit = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let norm = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>().sqrt();
        values.iter().map(|v| (v - mean) / norm).collect::<Vec<f64>>()
    };
    let parts: Vec<f64> = unit(x).iter().zip(unit(y)).map(|(u, v)| (u - v) * (u - v) / 4.0).collect();
    let squared = parts.iter().sum::<f64>();
    (squared.sqrt(), parts.iter().map(|part| part / squared).collect())
}

proptest! {
    #[test]
    fn shares_add_up_to_the_distance(
        rows in rows(), other in rows(), second in prop::collection::vec(-5.0..5.0f64, 60), gamma in 0.0..=1.0f64,
        ranks in any::<bool>(),
    ) {
        let a = sample(&rows);
        // Two samples that share only some transitions, and two rewards on the same ones.
        for b in [sample(&other), a.with_rewards(second[..a.len()].to_vec()).unwrap()] {
            for metric in Metric::SHOWN {
                for estimator in ESTIMATORS {
                    let correlation = if ranks { Correlation::Spearman } else { Correlation::Pearson };
                    let settings = Settings { correlation, ..settings(gamma, estimator) };
                    let comparison = distance(&a, &b, metric, &settings);
                    let explanation = match Pair::new(&a, &b).measure(metric, &settings).explanation() {
                        Ok(explanation) => explanation,
                        Err(why) => {
                            prop_assert_eq!(comparison.undefined(), Some(why));
                            continue;
                        }
                    };
                    prop_assert_eq!(explanation.distance, comparison);
                    let n = comparison.common as f64;
                    let squared: f64 = explanation.transitions.iter().map(|c| c.difference * c.difference / (4.0 * n)).sum();
                    let d = comparison.distance().unwrap();
                    prop_assert!((squared.sqrt() - d).abs() < 1e-9, "{metric}: {squared} is not {d} squared");
                    // Of rounding there is nothing to share out.
                    if d < 1e-7 {
                        continue;
                    }
                    let sum = |shares: &mut dyn Iterator<Item = f64>| (shares.sum::<f64>() - 1.0).abs();
                    prop_assert!(sum(&mut explanation.transitions.iter().map(|c| c.share)) < 1e-9);
                    prop_assert!(sum(&mut explanation.states.iter().map(|s| s.starting)) < 1e-9);
                    prop_assert!(sum(&mut explanation.states.iter().map(|s| s.ending)) < 1e-9);
                    prop_assert_eq!(explanation.states.iter().map(|s| s.started).sum::<usize>(), comparison.common);
                    prop_assert!(explanation.transitions.is_sorted_by(|p, q| p.share >= q.share));
                    prop_assert!(explanation.states.is_sorted_by(|p, q| p.starting >= q.starting));
                    for c in &explanation.transitions {
                        let (p, q) = (a.transition(c.a as usize), b.transition(c.b as usize));
                        prop_assert!(p.state == q.state && p.action == q.action && p.next_state == q.next_state);
                    }
                }
            }
        }
    }

    #[test]
    fn shares_are_those_of_the_definition(
        rows in rows(), second in prop::collection::vec(-5.0..5.0f64, 60), gamma in 0.0..1.0f64,
    ) {
        let a = sample(&rows);
        let b = a.with_rewards(second[..a.len()].to_vec()).unwrap();
        for metric in Metric::SHOWN {
            let settings = settings(gamma, MARGINAL);
            let Ok(explanation) = Pair::new(&a, &b).measure(metric, &settings).explanation() else { continue };
            // All transitions are shared, so that projecting on them is canonicalizing.
            let (x, y) = (canonicalize(&a, metric, &settings), canonicalize(&b, metric, &settings));
            for c in &explanation.transitions {
                assert_close(&c.canonical, &[x[c.a as usize], y[c.b as usize]], metric.name());
            }
            let (d, expected) = literal(&x, &y);
            prop_assume!(d > 1e-3);
            prop_assert!((d - explanation.distance.distance().unwrap()).abs() < 1e-9);
            for (found, expected) in shares(&explanation).iter().zip(&expected) {
                prop_assert!((found - expected).abs() < 1e-6, "{metric}: {found} is not {expected}");
            }
            for state in &explanation.states {
                let of = |pick: fn(&Row) -> u32| -> f64 {
                    rows_of(&a).iter().zip(&expected).filter(|(row, _)| pick(row) == int(&a, state.state)).map(|(_, s)| s).sum()
                };
                prop_assert!((state.starting - of(|row| row.0)).abs() < 1e-6);
                prop_assert!((state.ending - of(|row| row.2)).abs() < 1e-6);
            }
            for fraction in [0.25, 0.5, 0.9] {
                let count = explanation.carrying(fraction);
                let carried = |n: usize| explanation.transitions[..n].iter().map(|c| c.share).sum::<f64>();
                prop_assert!(carried(count) >= fraction && carried(count - 1) < fraction);
            }
        }
    }

    #[test]
    fn scale_shift_and_shaping_change_no_share(
        rows in rows(), second in prop::collection::vec(-5.0..5.0f64, 60), gamma in 0.3..1.0f64,
        potential in prop::collection::vec(-10.0..10.0f64, 12), scale in 0.1..10.0f64, shift in -10.0..10.0f64,
    ) {
        let a = sample(&rows);
        let b = a.with_rewards(second[..a.len()].to_vec()).unwrap();
        let settings = settings(gamma, MARGINAL);
        for metric in [Metric::Direct, Metric::Projected] {
            let changed = a.with_rewards(
                rows_of(&a).iter().map(|&(s, _, t, r)| {
                    let shaping = gamma * potential[t as usize] - potential[s as usize];
                    scale * r + shift + if metric == Metric::Projected { shaping } else { 0.0 }
                }).collect(),
            ).unwrap();
            let (Ok(plain), Ok(moved)) = (Pair::new(&a, &b).measure(metric, &settings).explanation(), Pair::new(&changed, &b).measure(metric, &settings).explanation())
            else { continue };
            prop_assume!(plain.distance.distance().unwrap() > 1e-3);
            for (p, q) in shares(&plain).into_iter().zip(shares(&moved)) {
                prop_assert!((p - q).abs() < 1e-5, "{metric}: {p} is not {q}");
            }
        }
    }
}

fn int(sample: &RewardSample, state: u32) -> u32 {
    sample.states().token(state).as_int().unwrap() as u32
}
