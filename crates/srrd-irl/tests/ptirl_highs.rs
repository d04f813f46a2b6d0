//! PTIRL against SciPy: optima of HiGHS and nearest rewards of SLSQP, worked out by ptirl_highs.py on the same walks.

use srrd_irl::ptirl::{Ptirl, Sets, largest_spread, solve};

/// Random walks on a grid: `east` of 10 steps go right. Transitions are 4 · cell + action.
fn walks(state: &mut u64, count: usize, steps: usize, side: i64, east: u64) -> Vec<Vec<u32>> {
    let mut walk = || {
        let (mut x, mut y) = (0, 0);
        let step = |_| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let draw = (*state >> 33) % 10;
            let action = if draw < east { 0 } else { 1 + draw % 3 };
            let taken = 4 * (y * side + x) as u32 + action as u32;
            let (dx, dy) = [(1, 0), (0, 1), (-1, 0), (0, -1)][action as usize];
            (x, y) = ((x + dx).clamp(0, side - 1), (y + dy).clamp(0, side - 1));
            taken
        };
        (0..steps).map(step).collect()
    };
    (0..count).map(|_| walk()).collect()
}

fn sets(seed: u64, targets: usize, others: usize, steps: usize, side: i64) -> Sets {
    let mut state = seed;
    let target = walks(&mut state, targets, steps, side, 4);
    let other = walks(&mut state, others, steps, side, 2);
    let probability = (0..4 * side * side).map(|at| 1.0 - 0.1 * (at % 5) as f64).collect();
    Sets { probability, target, other }
}

#[test]
fn the_largest_spread_is_that_of_highs() {
    let expected = [20_579.473684211, 23_125.937500000, 20_692.445652174, 21_606.555555556, 23_325.271739130];
    for (seed, expected) in (1..).zip(expected) {
        let found = largest_spread(&sets(seed, 5, 10, 200, 20), 100.0).unwrap();
        assert!((found / expected - 1.0f64).abs() < 1e-9, "{seed}: {found}, not {expected}");
    }
}

#[test]
fn the_nearest_reward_is_that_of_another_solver() {
    // Seed, share of the largest spread, the first five rewards, and the norm of all.
    type Case = (u64, f64, [f64; 5], f64);
    let cases: [Case; 3] = [
        (1, 0.2, [-10.44021645, -29.62356422, 13.73654199, -26.09588956, -9.49736042], 115.74037764),
        (2, 0.6, [-35.99493508, -52.79295957, -57.59768112, -52.78322960, 38.92790523], 319.30526603),
        (3, 0.9, [-100.0, -100.0, -90.77063214, -90.82735650, 96.38739905], 580.79346336),
    ];
    for (seed, share, first, norm) in cases {
        let sets = sets(seed, 3, 4, 30, 4);
        let alpha = share * largest_spread(&sets, 100.0).unwrap();
        let found = solve(&sets, &Ptirl { alpha, ..Ptirl::default() }).unwrap();
        let taken = |at: &u32| sets.target.iter().chain(&sets.other).any(|walk| walk.contains(at));
        let rewards: Vec<f64> = (0..64).filter(taken).map(|at| found.rewards[at as usize]).collect();
        for (one, other) in rewards.iter().zip(first) {
            assert!((one - other).abs() < 1e-6, "{seed}: {one}, not {other}");
        }
        assert!((rewards.iter().map(|r| r * r).sum::<f64>().sqrt() - norm).abs() < 1e-6);
        // Proof of optimality: the spread is kept, not exceeded, since less of it would be nearer.
        assert!((found.spread / alpha - 1.0).abs() < 1e-9);
    }
}
