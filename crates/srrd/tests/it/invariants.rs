//! The invariants of the paper, on random inputs.

use crate::support::*;
use proptest::prelude::*;
use srrd::exact::Tabular;
use srrd::settings::{Actions, Batch, Estimator};
use srrd::*;

/// Sizes, a pseudo-random table of numbers, and a discount factor.
fn full_problem() -> impl Strategy<Value = (u32, u32, Vec<f64>, Vec<f64>, f64)> {
    (2..7u32, 1..4u32).prop_flat_map(|(states, actions)| {
        let cells = (states * actions * states) as usize;
        (
            Just(states),
            Just(actions),
            prop::collection::vec(-5.0..5.0f64, cells),
            prop::collection::vec(-20.0..20.0f64, states as usize),
            0.0..1.0f64,
        )
    })
}

fn index(states: u32, actions: u32, s: u32, a: u32, t: u32) -> usize {
    ((s * actions + a) * states + t) as usize
}

fn distribution(weights: &[f64]) -> Vec<f64> {
    let total: f64 = weights.iter().map(|w| w.abs() + 0.1).sum();
    weights.iter().map(|w| (w.abs() + 0.1) / total).collect()
}

const SHAPING_FREE: [Metric; 3] = [Metric::Epic, Metric::Dard, Metric::Srrd];

proptest! {
    #[test]
    fn under_full_coverage_shaping_disappears_and_the_three_agree(
        (states, actions, cells, potential, gamma) in full_problem(),
    ) {
        let plain = full(states, actions, |s, a, t| cells[index(states, actions, s, a, t)]);
        let shaped = full(states, actions, |s, a, t| {
            cells[index(states, actions, s, a, t)] + gamma * potential[t as usize] - potential[s as usize]
        });
        for estimator in ESTIMATORS {
            let settings = settings(gamma, estimator);
            let epic = canonicalize(&plain, Metric::Epic, &settings);
            for metric in SHAPING_FREE {
                let what = format!("{metric} {estimator:?}");
                let canonical = canonicalize(&plain, metric, &settings);
                assert_close(&canonicalize(&shaped, metric, &settings), &canonical, &what);
                assert_close(&canonical, &epic, &what);
                // Canonicalizing twice changes nothing.
                let again = plain.with_rewards(canonical.clone()).unwrap();
                assert_close(&canonicalize(&again, metric, &settings), &canonical, &what);
                if states * actions * states > 4 {
                    prop_assert!(distance(&plain, &shaped, metric, &settings).distance().unwrap() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn exact_forms_lose_shaping_under_any_dynamics(
        (states, actions, cells, potential, gamma) in full_problem(),
        seeds in prop::collection::vec(-1.0..1.0f64, 7 * 7 * 4),
    ) {
        let (n, m) = (states as usize, actions as usize);
        let state_distribution = distribution(&seeds[..n]);
        let action_distribution = distribution(&seeds[7..7 + m]);
        let dynamics: Vec<f64> =
            (0..n * m).flat_map(|row| distribution(&(0..n).map(|t| seeds[(row * 13 + t * 7) % seeds.len()]).collect::<Vec<_>>())).collect();
        let problem =
            Tabular::new(state_distribution.clone(), action_distribution.clone()).unwrap().with_dynamics(&dynamics).unwrap();
        let shaped: Vec<f64> = (cells.iter().enumerate())
            .map(|(i, r)| r + gamma * potential[i % n] - potential[i / n / m])
            .collect();
        let gamma = Gamma::new(gamma).unwrap();
        for metric in SHAPING_FREE {
            let found = problem.canonicalize(&shaped, metric, gamma).unwrap();
            let expected = problem.canonicalize(&cells, metric, gamma).unwrap();
            // What is left of the potential is the same for every transition: the distance cannot see it.
            let left = found[0] - expected[0];
            let expected: Vec<f64> = expected.iter().map(|e| e + left).collect();
            assert_close(&found, &expected, metric.name());
            if cells.len() > 4 {
                let d = problem.distance(&cells, &shaped, metric, gamma).unwrap().distance;
                prop_assert!(d < 1e-7, "{metric} {d}");
            }
        }
        // Full coverage: every state is reached alike from everywhere.
        let uniform = vec![1.0 / n as f64; n];
        let everywhere: Vec<f64> = (0..n * m).flat_map(|_| uniform.clone()).collect();
        let problem = Tabular::new(uniform, action_distribution).unwrap().with_dynamics(&everywhere).unwrap();
        let epic = problem.canonicalize(&cells, Metric::Epic, gamma).unwrap();
        for metric in SHAPING_FREE {
            let canonical = problem.canonicalize(&cells, metric, gamma).unwrap();
            assert_close(&canonical, &epic, metric.name());
            let again = problem.canonicalize(&canonical, metric, gamma).unwrap();
            assert_close(&again, &canonical, metric.name());
        }
    }

    #[test]
    fn the_exact_form_of_a_uniform_problem_is_the_sampled_form_of_all_its_transitions(
        (states, actions, cells, _, gamma) in full_problem(),
    ) {
        let (n, m) = (states as usize, actions as usize);
        let sample = full(states, actions, |s, a, t| cells[index(states, actions, s, a, t)]);
        let uniform = vec![1.0 / n as f64; n];
        let problem = Tabular::new(uniform.clone(), vec![1.0 / m as f64; m])
            .and_then(|p| p.with_dynamics(&uniform.repeat(n * m)))
            .unwrap();
        for metric in Metric::ALL {
            let exact = problem.canonicalize(&cells, metric, Gamma::new(gamma).unwrap()).unwrap();
            let sampled = canonicalize(&sample, metric, &settings(gamma, MARGINAL));
            for ((s, a, t, _), value) in rows_of(&sample).into_iter().zip(sampled) {
                prop_assert!((value - exact[index(states, actions, s, a, t)]).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn distances_are_symmetric_bounded_and_blind_to_scale_and_shift(
        rows in rows(), other in prop::collection::vec(-5.0..5.0f64, 60), gamma in 0.0..1.0f64,
        scale in 0.1..10.0f64, shift in -10.0..10.0f64,
    ) {
        let a = sample(&rows);
        let b = a.with_rewards(other[..a.len()].to_vec()).unwrap();
        let scaled = a.with_rewards(a.rewards().iter().map(|r| scale * r).collect()).unwrap();
        let moved = a.with_rewards(a.rewards().iter().map(|r| r + shift).collect()).unwrap();
        for metric in Metric::ALL {
            for estimator in ESTIMATORS {
                let settings = settings(gamma, estimator);
                let between = |x: &RewardSample, y: &RewardSample| distance(x, y, metric, &settings).distance();
                if let Some(d) = between(&a, &b) {
                    prop_assert!((0.0..=1.0).contains(&d));
                    prop_assert_eq!(Some(d.to_bits()), between(&b, &a).map(f64::to_bits));
                    prop_assert!((between(&scaled, &b).unwrap() - d).abs() < 1e-8, "{metric} {estimator:?}");
                }
                prop_assert!(between(&a, &a).is_none_or(|d| d == 0.0));
            }
        }
        // A shift of all rewards moves the terms of a canonical reward by the same amount wherever each of them is a mean over
        // sampled transitions; DIRECT has no terms at all.
        if let (Some(d), Some(e)) = (
            distance(&a, &b, Metric::Direct, &Settings::default()).distance(),
            distance(&moved, &b, Metric::Direct, &Settings::default()).distance(),
        ) {
            prop_assert!((d - e).abs() < 1e-8);
        }
    }

    #[test]
    fn projected_distances_do_not_see_shaping_at_any_coverage(
        rows in rows(), other in rows(), second in prop::collection::vec(-5.0..5.0f64, 60),
        potential in prop::collection::vec(-20.0..20.0f64, 12), gamma in 0.0..=1.0f64,
    ) {
        let shaped = |sample: &RewardSample| {
            let shape = |(s, _, t, r): Row| r + gamma * potential[t as usize] - potential[s as usize];
            sample.with_rewards(rows_of(sample).into_iter().map(shape).collect()).unwrap()
        };
        let settings = settings(gamma, MARGINAL);
        let between = |x: &RewardSample, y: &RewardSample| distance(x, y, Metric::Projected, &settings);
        let a = sample(&rows);
        let equivalent = between(&a, &shaped(&a));
        if equivalent.distance().is_some() {
            prop_assert!(equivalent.distance().unwrap() < 1e-6, "{equivalent:?}");
        }
        // Two samples that share only some transitions, and two rewards on the same ones.
        for b in [sample(&other), a.with_rewards(second[..a.len()].to_vec()).unwrap()] {
            let (plain, moved) = (between(&a, &b), between(&a, &shaped(&b)));
            prop_assert_eq!(plain.shaping, moved.shaping);
            if let (Some(d), Some(e)) = (plain.distance(), moved.distance()) {
                prop_assert!((d - e).abs() < 1e-5, "{d} {e} {plain:?}");
            }
        }
    }

    #[test]
    fn a_shift_changes_nothing_under_full_coverage(
        (states, actions, cells, other, gamma) in full_problem(), shift in -10.0..10.0f64,
    ) {
        let a = full(states, actions, |s, a, t| cells[index(states, actions, s, a, t)]);
        let moved = a.with_rewards(a.rewards().iter().map(|r| r + shift).collect()).unwrap();
        let b = full(states, actions, |s, a, t| other[s as usize] * f64::from(t) + f64::from(a) * other[t as usize]);
        for metric in Metric::ALL {
            for estimator in ESTIMATORS {
                let settings = settings(gamma, estimator);
                let (d, e) = (distance(&a, &b, metric, &settings), distance(&moved, &b, metric, &settings));
                if let (Some(d), Some(e)) = (d.distance(), e.distance()) {
                    prop_assert!((d - e).abs() < 1e-7, "{metric} {estimator:?} {d} {e}");
                }
            }
        }
    }

    #[test]
    fn the_triangle_inequality_holds_on_one_support(
        rows in rows(), second in prop::collection::vec(-5.0..5.0f64, 60), third in prop::collection::vec(-5.0..5.0f64, 60),
        gamma in 0.0..1.0f64,
    ) {
        let a = sample(&rows);
        let b = a.with_rewards(second[..a.len()].to_vec()).unwrap();
        let c = a.with_rewards(third[..a.len()].to_vec()).unwrap();
        for metric in Metric::ALL {
            for estimator in ESTIMATORS {
                let matrix = pairwise(&[&a, &b, &c], metric, &settings(gamma, estimator));
                if let (Some(ab), Some(bc), Some(ac)) = (matrix.get(0, 1), matrix.get(1, 2), matrix.get(0, 2)) {
                    prop_assert!(ac <= ab + bc + 1e-12, "{metric}: {ac} > {ab} + {bc}");
                }
            }
        }
    }

    #[test]
    fn row_order_changes_no_bit_and_names_nothing_beyond_rounding(
        (rows, order) in rows().prop_flat_map(|rows| {
            let order = Just((0..rows.len()).collect::<Vec<_>>()).prop_shuffle();
            (Just(rows), order)
        }),
        names in Just((0..12u32).collect::<Vec<_>>()).prop_shuffle(), gamma in 0.0..1.0f64, size in 1..8usize,
    ) {
        let straight = sample(&rows);
        let shuffled = sample(&order.iter().map(|&i| rows[i]).collect::<Vec<_>>());
        let name = |x: u32| format!("state {}", names[x as usize]);
        let tokens: Vec<(String, String, String, f64)> =
            rows.iter().map(|&(s, a, t, r)| (name(s), format!("action {}", 9 - a), name(t), r)).collect();
        let mut builder = SampleBuilder::new();
        for (s, a, t, r) in &tokens {
            builder.push(Token::text(s), Token::text(a), Token::text(t), *r).unwrap();
        }
        let (renamed, placement) = builder.build_with_placement(Duplicates::Error).unwrap();
        for metric in Metric::ALL {
            let batch = Batch::size(size).unwrap();
            for estimator in ESTIMATORS.into_iter().chain([Estimator::Double { actions: Actions::Joint, batch }]) {
                let settings = settings(gamma, estimator);
                let (a, b) = (canonicalize(&straight, metric, &settings), canonicalize(&shuffled, metric, &settings));
                prop_assert!(a.iter().zip(&b).all(|(a, b)| a.to_bits() == b.to_bits()), "{metric} {estimator:?}");
            }
            for estimator in ESTIMATORS {
                let settings = settings(gamma, estimator);
                let found = canonicalize(&renamed, metric, &settings);
                let expected = canonicalize(&straight, metric, &settings);
                let sorted = rows_of(&straight);
                for (row, &place) in rows.iter().zip(&placement.transition) {
                    let index = sorted.iter().position(|r| r == row).unwrap();
                    prop_assert!((found[place as usize] - expected[index]).abs() < 1e-9, "{metric}");
                }
            }
        }
    }
}

/// A larger sample, so that loops really are shared out.
fn grid(side: u32) -> RewardSample {
    let mut rows: Vec<Row> = Vec::new();
    for x in 0..side {
        for y in 0..side {
            for (a, (dx, dy)) in [(1, 0), (0, 1), (side - 1, 0), (0, side - 1)].into_iter().enumerate() {
                let t = (x + dx) % side * side + (y + dy) % side;
                let reward = f64::from((x * 7919 + y * 104729 + a as u32 * 31) % 1009) / 7.0;
                rows.push((x * side + y, a as u32, t, reward));
            }
        }
    }
    sample(&rows)
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let sparse = grid(90);
    let dense = full(70, 2, |s, a, t| f64::from((s * 31 + a * 7 + t * 13) % 101) / 3.0);
    for sample in [&sparse, &dense] {
        for metric in Metric::ALL {
            for estimator in ESTIMATORS {
                let settings = settings(0.7, estimator);
                let run = |threads| {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    let values = pool.install(|| canonicalize(sample, metric, &settings));
                    values.into_iter().map(f64::to_bits).collect::<Vec<_>>()
                };
                assert!(run(1) == run(2) && run(1) == run(7), "{metric} {estimator:?}");
            }
        }
    }
}
