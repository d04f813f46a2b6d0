//! Projections on potentials of a basis against the definition: Ψ written out, and dense Gram-Schmidt.

use super::*;
use crate::project::tests::{orthonormal, without};
use crate::sample::{Duplicates, RewardSample, SampleBuilder, Token};
use crate::sparse::dot;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Episodes that wander about in so many features, some of which end.
fn walk(rows: usize, arity: usize, ends: bool, seed: u64) -> (StateFeatures, Vec<Row>, Vec<Vec<f64>>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut normal = move || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
    let mut builder = SampleBuilder::new();
    let mut state: Vec<f64> = (0..arity).map(|j| 100.0 * j as f64 + normal()).collect();
    let mut raw = Vec::new();
    for i in 0..rows {
        let next: Vec<f64> = state.iter().enumerate().map(|(j, x)| x + 0.3 * normal() * (1.0 + j as f64)).collect();
        builder.push(Token::features(&state), Token::int(0), Token::features(&next), 0.0).unwrap();
        let over = i % 25 == 24;
        raw.push((state.clone(), next.clone(), ends && over));
        state = if over { (0..arity).map(|j| 100.0 * j as f64 + normal()).collect() } else { next };
    }
    let sample = builder.build(Duplicates::Mean).unwrap();
    let id = |features: &[f64]| sample.states().find(Token::features(features)).unwrap();
    let rows = raw.iter().map(|(s, t, end)| Row { state: id(s), next: (!end).then(|| id(t)) }).collect();
    let features = StateFeatures::of(sample.states()).unwrap();
    let states = sample.states().iter().map(|token| token.as_features().unwrap().to_vec()).collect();
    (features, rows, states)
}

/// Ψ of all states, written out; the frequencies are the only thing taken from the basis.
fn functions(states: &[Vec<f64>], potential: Potential, basis: &Basis) -> Vec<Vec<f64>> {
    let count = states.len() as f64;
    let arity = states[0].len();
    let standardized: Vec<Vec<f64>> = (0..arity)
        .map(|j| {
            let mean = states.iter().map(|s| s[j]).sum::<f64>() / count;
            let spread = (states.iter().map(|s| (s[j] - mean).powi(2)).sum::<f64>() / count).sqrt();
            states.iter().map(|s| (s[j] - mean) / spread).collect()
        })
        .collect();
    let mut all = vec![vec![1.0; states.len()]];
    all.extend(standardized.iter().cloned());
    if potential != Potential::Linear {
        for j in 0..arity {
            for k in j..arity {
                all.push(standardized[j].iter().zip(&standardized[k]).map(|(a, b)| a * b).collect());
            }
        }
    }
    for i in 0..potential.waves() {
        let frequency: Vec<f64> = (0..arity).map(|j| basis.frequency(j, i / 2)).collect();
        let angle = |s: usize| (0..arity).map(|j| frequency[j] * standardized[j][s]).sum::<f64>();
        let wave = |s| if i % 2 == 0 { angle(s).cos() } else { angle(s).sin() };
        all.push((0..states.len()).map(wave).collect());
    }
    all
}

/// What Gram-Schmidt, three times over, leaves of values; and the rank. `None` where a column is neither clearly independent of those
/// before it nor clearly not.
fn dense(columns: &[Vec<f64>], values: &[f64]) -> Option<(Vec<f64>, usize)> {
    let (basis, shares) = orthonormal(columns.to_vec());
    let doubtful = shares.iter().any(|share| (1e-11..1e-3).contains(share));
    (!doubtful).then(|| (without(&basis, values), basis.len()))
}

/// The shaping vector of a function of states, by id.
fn shaped(function: &[f64], rows: &[Row], gamma: f64) -> Vec<f64> {
    let of = |row: &Row| row.next.map_or(0.0, |next| gamma * function[next as usize]) - function[row.state as usize];
    rows.iter().map(of).collect()
}

fn gamma(value: f64) -> Gamma {
    Gamma::new(value).unwrap()
}

fn noise(count: usize, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| rng.random::<f64>() * 4.0 - 1.0).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn residuals_are_those_of_the_definition(
        arity in 1..4usize, count in 60..400usize, ends in any::<bool>(), discount in prop::sample::select(vec![0.0, 0.5, 0.9, 0.99, 1.0]),
        kind in 0..3usize, waves in 1..5usize, seed in 0..1000u64,
    ) {
        let potential = [Potential::Linear, Potential::Quadratic, Potential::Fourier(waves)][kind];
        let (features, rows, states) = walk(count, arity, ends, seed);
        let (x, y) = (noise(count, seed), noise(count, seed + 1));
        let projection =
            BasisProjection::new(&features, &[&features], rows.clone(), [&x, &y], (potential, gamma(discount), seed));
        let functions = functions(&states, potential, &projection.design.basis);
        let mut columns: Vec<Vec<f64>> = functions.iter().map(|function| shaped(function, &rows, discount)).collect();
        if !ends {
            columns.insert(0, vec![1.0; count]);
        }
        let found = projection.residuals([&x, &y]);
        for (found, values) in found.iter().zip([&x, &y]) {
            let known = dense(&columns, values);
            prop_assume!(known.is_some());
            let (expected, rank) = known.unwrap();
            prop_assert_eq!(projection.shaping().rank, rank);
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert!((found - expected).abs() < 1e-8, "{} is not {}", found, expected);
            }
        }
    }
}

#[test]
fn shaping_in_the_basis_leaves_to_nine_digits() {
    for (seed, ends) in [(1, false), (2, true)] {
        let (features, rows, states) = walk(2000, 3, ends, seed);
        let y = noise(2000, 9);
        for potential in [Potential::Linear, Potential::Quadratic, Potential::Fourier(100), Potential::Auto] {
            let project = |x: &[f64]| {
                let settings = (potential, gamma(0.99), 0);
                BasisProjection::new(&features, &[&features], rows.clone(), [x, &y], settings)
            };
            // A hundred times as large as the rewards.
            let basis = &project(&y).design.basis;
            let all = functions(&states, Potential::Linear, basis);
            let function: Vec<f64> = (0..states.len()).map(|s| 100.0 * (all[1][s] - 2.0 * all[3][s])).collect();
            let x: Vec<f64> =
                shaped(&function, &rows, 0.99).iter().zip(&y).map(|(shaping, y)| shaping + 2.0 * y).collect();
            let [left, other] = &project(&x).residuals([&x, &y]);
            let apart: f64 = left.iter().zip(other).map(|(a, b)| (a - 2.0 * b).powi(2)).sum::<f64>().sqrt();
            let relative = apart / (2.0 * dot(other, other).sqrt());
            assert!(relative < 1e-9, "{potential}, ends {ends}: {relative}");
        }
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let (features, rows, _) = walk(3000, 3, true, 5);
    let (x, y) = (noise(3000, 1), noise(3000, 2));
    let found = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let settings = (Potential::Auto, gamma(0.9), 0);
            let projection = BasisProjection::new(&features, &[&features], rows.clone(), [&x, &y], settings);
            (projection.basis(), projection.residuals([&x, &y]))
        })
    };
    assert_eq!(found(1), found(3));
}

#[test]
fn auto_takes_the_basis_that_the_potential_is_in() {
    let (features, rows, states) = walk(4000, 2, false, 8);
    let y = noise(4000, 3);
    let chosen = |function: &dyn Fn(&[f64]) -> f64| {
        let of: Vec<f64> = states.iter().map(|s| function(s)).collect();
        let x: Vec<f64> = shaped(&of, &rows, 0.9).iter().zip(&y).map(|(shaping, y)| shaping + y).collect();
        let settings = (Potential::Auto, gamma(0.9), 0);
        let projection = BasisProjection::new(&features, &[&features], rows.clone(), [&x, &y], settings);
        projection.basis()
    };
    let linear = chosen(&|s| 5.0 * s[0] - s[1]);
    assert_eq!((linear.potential, linear.left_out), (Potential::Linear, LeftOut::Episodes));
    assert!(linear.explained[0].unwrap() > 0.6 && linear.explained[1].unwrap() < 0.05, "{linear:?}");
    let quadratic = chosen(&|s| (s[0] - 1.0) * (s[1] - 98.0));
    let wavy = chosen(&|s| 10.0 * (1.5 * s[0]).sin() * (0.8 * s[1]).cos());
    assert_eq!(quadratic.potential, Potential::Quadratic);
    assert!(matches!(wavy.potential, Potential::Fourier(_)), "{wavy:?}");
}

#[test]
fn columns_that_do_not_vary_and_huge_ones_do_no_harm() {
    let rows = |k: f64| {
        (0..300).map(move |i| {
            let state = |i: u32| [k * f64::from(i * i % 101), 7.0, f64::from(i % 13) / k];
            (state(i), state(i + 1), f64::from(i * 7 % 11))
        })
    };
    let residual = |k: f64| {
        let mut builder = SampleBuilder::new();
        for (s, t, r) in rows(k) {
            builder.push(Token::features(&s), Token::int(0), Token::features(&t), r).unwrap();
        }
        let sample: RewardSample = builder.build(Duplicates::Mean).unwrap();
        let features = StateFeatures::of(sample.states()).unwrap();
        let rows = sample.ids().map(|(s, _, t)| Row { state: s, next: Some(t) }).collect();
        let settings = (Potential::Quadratic, gamma(0.9), 0);
        let projection = BasisProjection::new(&features, &[&features], rows, [sample.rewards(); 2], settings);
        assert_eq!(projection.shaping().rank, 6, "{k}");
        {
            let [left] = projection.residuals([sample.rewards()]);
            left
        }
    };
    for k in [1e150, 1e-150] {
        for (found, expected) in residual(k).iter().zip(residual(1.0)) {
            assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
        }
    }
}

#[test]
fn names_are_read_and_written() {
    for name in ["tabular", "linear", "quadratic", "auto", "fourier:1", "fourier:2048"] {
        assert_eq!(name.parse::<Potential>().unwrap().to_string(), name);
    }
    for name in ["", "fourier", "fourier:", "fourier:0", "fourier:2049", "fourier:-3", "Linear", "rbf"] {
        let error = name.parse::<Potential>().unwrap_err().to_string();
        assert!(error.contains("fourier:N") && error.contains("2048"), "{error}");
    }
}

#[test]
fn what_is_a_function_of_the_features_is_predicted_and_noise_is_not() {
    let (_, rows, _) = walk(500, 3, false, 5);
    let groups = Groups::of(&rows);
    let (values, numbers): (Vec<f64>, Vec<u32>) = (noise(1000, 9), (0..500).collect());
    let among = Rows::new(values.clone(), 2, 0);
    let wanted: Vec<f64> = values.chunks_exact(2).map(|v| (1.5 * v[0]).sin() + v[0] * v[1]).collect();
    let predictor = Predictor::new(&among, &numbers, &wanted, &groups, 1);
    let miss = |found: &[f64], wanted: &[f64]| {
        let apart: f64 = found.iter().zip(wanted).map(|(a, b)| (a - b).powi(2)).sum();
        apart / dot(wanted, wanted)
    };
    assert!(miss(&predictor.own, &wanted) < 1e-3, "{}", miss(&predictor.own, &wanted));
    let folds = predictor.at(&numbers);
    assert!(folds.len() == FOLDS && folds.iter().all(|found| miss(found, &wanted) < 1e-3));
    let random = noise(500, 4);
    let mean = random.iter().sum::<f64>() / 500.0;
    let random: Vec<f64> = random.iter().map(|v| v - mean).collect();
    assert!(miss(&Predictor::new(&among, &numbers, &random, &groups, 1).own, &random) > 0.95);
}
