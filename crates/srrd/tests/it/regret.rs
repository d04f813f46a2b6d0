//! The regret bound of Theorem 2 against true regret, on thousands of small random problems.

use crate::support::assert_close;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use srrd::exact::Tabular;
use srrd::theory::*;
use srrd::*;

fn normalized(mut weights: Vec<f64>) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|w| *w /= total);
    weights
}

/// A distribution over n elements with at most `most` of them possible.
fn sparse(rng: &mut ChaCha8Rng, n: usize, most: usize) -> Vec<f64> {
    let mut weights = vec![0.0; n];
    for _ in 0..most {
        weights[rng.random_range(0..n)] += rng.random_range(0.05..1.0);
    }
    normalized(weights)
}

/// Deterministic (`spread` = 1), sparse or dense dynamics.
fn random_mdp(rng: &mut ChaCha8Rng, spread: usize) -> Mdp {
    let (states, actions) = (rng.random_range(2..8), rng.random_range(1..5));
    let gamma = [0.0, 0.3, 0.7, 0.9, 0.99][rng.random_range(0..5)];
    let transition = (0..states * actions).flat_map(|_| sparse(rng, states, spread)).collect();
    let starts = rng.random_range(1..4);
    let initial = sparse(rng, states, starts);
    Mdp::new(states, actions, transition, initial, Gamma::new(gamma).unwrap()).unwrap()
}

fn shaped(mdp: &Mdp, reward: &[f64], potential: &[f64]) -> Vec<f64> {
    let (n, m, gamma) = (mdp.states(), mdp.actions(), mdp.gamma().get());
    let shape = |(i, r): (usize, &f64)| r + gamma * potential[i % n] - potential[i / n / m];
    reward.iter().enumerate().map(shape).collect()
}

/// Every transition some weight, all alike, or those of the dynamics most; actions drawn alike or not.
fn random_coverage(rng: &mut ChaCha8Rng, mdp: &Mdp) -> Coverage {
    match rng.random_range(0..4) {
        0 => Coverage::uniform(mdp),
        1 => Coverage::of_random_actions(mdp),
        kind => {
            let weights = (0..mdp.actions()).map(|_| rng.random_range(0.1..1.0)).collect();
            let actions = normalized(weights);
            let states = mdp.stationary(&actions).unwrap();
            let weigh = |p: &f64| rng.random_range(0.001..1.0) * if kind == 2 { 1.0 } else { 0.01 + p };
            let transitions = normalized(mdp.transition().iter().map(weigh).collect());
            Coverage::new(mdp, states, actions, transitions).unwrap()
        }
    }
}

#[test]
fn regret_is_within_the_bound_on_every_random_problem() {
    let mut rng = ChaCha8Rng::seed_from_u64(20);
    let (mut tried, mut regretful, mut uncovered, mut constant, mut tightest) = (0, 0, 0, 0, 0.0f64);
    for round in 0..6000 {
        let mdp = random_mdp(&mut rng, [1, 2, 4, 12][round % 4]);
        let cells = mdp.transition().len();
        let a: Vec<f64> = match round % 3 {
            0 => (0..cells).map(|_| rng.random_range(-1.0..1.0)).collect(),
            // Few transitions pay.
            1 => (0..cells)
                .map(|_| if rng.random_range(0..6) == 0 { rng.random_range(-9.0..9.0) } else { 0.0 })
                .collect(),
            _ => (0..cells).map(|_| 100.0 + f64::from(rng.random_range(-2..3))).collect(),
        };
        // Another reward, the same with noise, or its opposite: from near to far.
        let (keep, noise) = [(0.0, 1.0), (1.0, 0.1), (1.0, 0.5), (-1.0, 0.0)][round / 3 % 4];
        let scale = rng.random_range(0.1..10.0);
        let b: Vec<f64> = a.iter().map(|r| scale * (keep * r + noise * rng.random_range(-2.0..2.0))).collect();
        let potential: Vec<f64> = (0..mdp.states()).map(|_| rng.random_range(-5.0..5.0)).collect();
        let b = shaped(&mdp, &b, &potential);
        let coverage = random_coverage(&mut rng, &mdp);
        let known = match regret_bound(&mdp, &a, &b, &coverage) {
            Ok(known) => known,
            Err(TheoryError::NotCovered { .. }) => {
                uncovered += 1;
                continue;
            }
            Err(TheoryError::Undefined(_)) => {
                constant += 1;
                continue;
            }
            Err(other) => panic!("{other}"),
        };
        tried += 1;
        let slack = 1e-9 * (1.0 + known.reward_norm) / (1.0 - mdp.gamma().get());
        assert!(known.regret >= -slack, "{known:?}");
        assert!(known.regret <= known.tight_bound + slack, "{mdp:?} {known:?}");
        assert!(known.tight_bound <= known.bound * (1.0 + 1e-9), "{known:?}");
        assert!((0.0..=1.0).contains(&known.distance));
        // Both are distributions over transitions: K D can only be at least the other if K is at least 1.
        assert!(known.coverage_ratio >= 1.0 - 1e-9, "{known:?}");
        if known.regret > 10.0 * slack {
            regretful += 1;
            tightest = tightest.max(known.regret / known.tight_bound);
        }
    }
    // The test says something: most problems count, many have regret, and for some the bound is not far off.
    assert!(
        tried > 4500 && regretful > 1500,
        "{tried} tried, {regretful} with regret, {uncovered} not covered, {constant}"
    );
    assert!(tightest > 0.2 && uncovered > 0, "{tightest}");
}

#[test]
fn equivalent_rewards_have_no_distance_and_no_regret() {
    let mut rng = ChaCha8Rng::seed_from_u64(21);
    for round in 0..300 {
        let mdp = random_mdp(&mut rng, 1 + round % 5);
        let a: Vec<f64> = (0..mdp.transition().len()).map(|_| rng.random_range(-1.0..1.0)).collect();
        let potential: Vec<f64> = (0..mdp.states()).map(|_| rng.random_range(-5.0..5.0)).collect();
        let b: Vec<f64> = shaped(&mdp, &a, &potential).iter().map(|r| 3.0 * r + 7.0).collect();
        let Ok(known) = regret_bound(&mdp, &a, &b, &Coverage::uniform(&mdp)) else { continue };
        assert!(known.distance < 1e-9, "{}", known.distance);
        assert!(known.regret.abs() < 1e-7, "{}", known.regret);
        assert_eq!(known.optimal_a.policy, known.optimal_b.policy);
    }
}

#[test]
fn with_uniform_coverage_the_distance_is_that_of_the_tabular_problem() {
    let mut rng = ChaCha8Rng::seed_from_u64(22);
    for round in 0..200 {
        let mdp = random_mdp(&mut rng, 1 + round % 5);
        let mut reward = || -> Vec<f64> { (0..mdp.transition().len()).map(|_| rng.random_range(-1.0..1.0)).collect() };
        let (a, b) = (reward(), reward());
        let coverage = Coverage::uniform(&mdp);
        let Ok(known) = regret_bound(&mdp, &a, &b, &coverage) else { continue };
        let problem = Tabular::new(coverage.states().to_vec(), coverage.actions().to_vec())
            .and_then(|p| p.with_dynamics(&mdp.transition()))
            .unwrap();
        let expected = problem.distance(&a, &b, Metric::Srrd, mdp.gamma()).unwrap().distance;
        assert!((known.distance - expected).abs() < 1e-9);
        let canonical = problem.canonicalize(&a, Metric::Srrd, mdp.gamma()).unwrap();
        let mean = canonical.iter().sum::<f64>() / canonical.len() as f64;
        let variance = canonical.iter().map(|c| (c - mean) * (c - mean)).sum::<f64>() / canonical.len() as f64;
        assert_close(&[known.deviation], &[variance.sqrt()], "deviation");
    }
}

#[test]
fn the_worked_example() {
    // Two rooms; action 0 stays, action 1 changes the room; it starts in room 0, γ = ½.
    let transition = vec![1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0];
    let mdp = Mdp::new(2, 2, transition, vec![1.0, 0.0], Gamma::new(0.5).unwrap()).unwrap();
    let a = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]; // staying in room 1
    let b = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]; // staying in room 0
    let known = regret_bound(&mdp, &a, &b, &Coverage::uniform(&mdp)).unwrap();
    assert_eq!((&known.optimal_a.policy[..], &known.optimal_b.policy[..]), (&[1, 0][..], &[0, 1][..]));
    // A: 0 now, then 1 + ½ + ¼ + … = 2 from the next step on. B's policy never leaves room 0.
    assert_eq!((known.optimal_a.total, known.optimal_b.total, known.regret), (1.0, 2.0, 1.0));
    // Every policy is surely somewhere, each of 8 transitions has 1/8.
    assert!((known.coverage_ratio - 8.0).abs() < 1e-12);
    assert_eq!(known.reward_norm, 1.0);
    assert!((known.constant - 32.0 * 8.0 / 0.5).abs() < 1e-9);
    assert!((known.bound - known.constant * known.distance).abs() < 1e-9);
}

#[test]
fn what_the_theorem_needs_is_checked() {
    // 0 -> 1 -> 1: only (0, 1) is stationary.
    let mdp = Mdp::new(2, 1, vec![0.0, 1.0, 0.0, 1.0], vec![1.0, 0.0], Gamma::default()).unwrap();
    let error = Coverage::new(&mdp, vec![0.5, 0.5], vec![1.0], vec![0.25; 4]).unwrap_err().to_string();
    assert!(
        error.starts_with("the state distribution is not stationary (state 0 has 0.5 before a step and 0 after it)")
    );
    assert!(Coverage::new(&mdp, vec![0.0, 1.0], vec![1.0], vec![0.25; 4]).is_ok());
    assert!(Coverage::new(&mdp, vec![0.0, 1.0], vec![1.0], vec![0.25; 3]).is_err());
    assert!(Coverage::new(&mdp, vec![0.0, 1.0], vec![0.5, 0.5], vec![0.25; 4]).is_err());
    assert!(Coverage::new(&mdp, vec![0.0, 1.0], vec![1.0], vec![0.5; 4]).is_err());
    // Random actions leave state 0 for good, but that is where it starts.
    let random = Coverage::of_random_actions(&mdp);
    let error = regret_bound(&mdp, &[1.0, 2.0, 4.0, 8.0], &[1.0, 0.0, 0.0, 3.0], &random).unwrap_err();
    assert!(matches!(
        error,
        TheoryError::NotCovered { state: 0, action: 0, next_state: 1 } | TheoryError::Undefined(_)
    ));
    let flat = regret_bound(&mdp, &[1.0; 4], &[1.0, 0.0, 0.0, 3.0], &Coverage::uniform(&mdp)).unwrap_err();
    assert_eq!(flat, TheoryError::Undefined(Undefined::Constant));
    let larger = Mdp::new(1, 1, vec![1.0], vec![1.0], Gamma::default()).unwrap();
    assert!(regret_bound(&mdp, &[1.0; 4], &[1.0; 4], &Coverage::uniform(&larger)).is_err());
}

#[test]
fn without_a_stationary_distribution_canonical_rewards_ask_for_other_policies() {
    let mut rng = ChaCha8Rng::seed_from_u64(23);
    let mut other = [0, 0];
    for _ in 0..300 {
        let mdp = random_mdp(&mut rng, 2);
        let reward: Vec<f64> = (0..mdp.transition().len()).map(|_| rng.random_range(-1.0..1.0)).collect();
        let uniform = vec![1.0 / mdp.actions() as f64; mdp.actions()];
        let elsewhere = sparse(&mut rng, mdp.states(), 2);
        let distributions = [mdp.stationary(&uniform).unwrap(), elsewhere];
        for (other, d_s) in other.iter_mut().zip(distributions) {
            let problem = Tabular::new(d_s, uniform.clone()).and_then(|p| p.with_dynamics(&mdp.transition())).unwrap();
            let canonical = problem.canonicalize(&reward, Metric::Srrd, mdp.gamma()).unwrap();
            *other += usize::from(mdp.optimal(&canonical).unwrap().policy != mdp.optimal(&reward).unwrap().policy);
        }
    }
    assert_eq!(other[0], 0);
    assert!(other[1] > 10, "{other:?}");
}

#[test]
fn the_norm_of_the_theorem_is_the_euclidean_one() {
    // A cycle of 400 states with rewards ±1 on its steps and nothing elsewhere. Under uniform coverage √E[R²] = 1/20, but the
    // canonical reward sees the likely steps: ‖C‖ ≤ 8 √E[R²] is wrong, ‖C‖ ≤ 8 √ΣR² is not.
    let n = 400;
    let mut rng = ChaCha8Rng::seed_from_u64(24);
    let (mut transition, mut reward) = (vec![0.0; n * n], vec![0.0; n * n]);
    for s in 0..n {
        transition[s * n + (s + 1) % n] = 1.0;
        reward[s * n + (s + 1) % n] = if rng.random_range(0..2) == 0 { -1.0 } else { 1.0 };
    }
    let problem = Tabular::new(vec![1.0 / n as f64; n], vec![1.0]).and_then(|p| p.with_dynamics(&transition)).unwrap();
    let canonical = problem.canonicalize(&reward, Metric::Srrd, Gamma::new(0.9).unwrap()).unwrap();
    let square = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>();
    let cells = (n * n) as f64;
    assert!((square(&canonical) / cells).sqrt() > 2.0 * 8.0 * (square(&reward) / cells).sqrt());
    assert!((square(&canonical) / cells).sqrt() < 8.0 * square(&reward).sqrt());
}
