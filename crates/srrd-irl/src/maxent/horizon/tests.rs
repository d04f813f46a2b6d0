//! The curvature against differences of slopes, and both ways up against each other.

use srrd::trajectories::Trajectories;

use super::*;
use crate::maxent::tests::grid::{Grid, truth};
use crate::{Demonstrations, Model};

/// Walks of a grid.
fn with_walks<T>(grid: &Grid, count: usize, horizon: usize, gamma: f64, of: impl FnOnce(&Walks) -> T) -> T {
    let (_, policy) = grid.soft(&truth(grid.states(), 9));
    let played: Trajectories = grid.walks(&policy, count, horizon, 9);
    let shown = Demonstrations::new([played]).unwrap();
    let model = Model::of_set(&shown.sets()[0]);
    let task = Task::new(&shown, 0, &model).unwrap();
    of(&Walks::new(&task, horizon, gamma).unwrap())
}

#[test]
fn the_slope_and_the_curvature_are_differences() {
    for slip in [0.0, 0.2] {
        with_walks(&Grid { side: 3, slip }, 60, 6, 1.0, |walks| {
            let n = walks.states;
            let here: Vec<f64> = (0..n).map(|i| 0.3 * (i as f64).sin()).collect();
            let moved = |i: usize, by: f64| {
                let mut reward = here.clone();
                reward[i] += by;
                walks.climb(&reward)
            };
            let at = walks.climb(&here);
            let ridge = 0.5;
            let curvature = curvature::of_visits(walks, &at.policies, ridge).unwrap();
            for i in 0..n {
                let (up, down) = (moved(i, 1e-5), moved(i, -1e-5));
                let slope = (up.likelihood - down.likelihood) / 2e-5;
                assert!((slope - at.slope[i]).abs() < 1e-5 * (1.0 + slope.abs()), "{i}: {slope}, {}", at.slope[i]);
                // H e_i by differences; solving it with the curvature gives e_i back where actions are certain.
                let column: Vec<f64> =
                    (0..n).map(|j| (down.slope[j] - up.slope[j]) / 2e-5 + if i == j { ridge } else { 0.0 }).collect();
                let back = curvature.solve(&column);
                if slip == 0.0 {
                    for (j, x) in back.iter().enumerate() {
                        assert!((x - f64::from(u8::from(i == j))).abs() < 1e-5, "{i}, {j}: {x}");
                    }
                }
                // Where they are not, it is more than the real one on average: eᵀ C⁻¹ H e ≤ 1 up to what the sample is off.
                assert!(back[i] < 1.0 + 1e-5, "slip {slip}, {i}: {}", back[i]);
            }
        });
    }
}

#[test]
fn both_ways_lead_to_the_same_top() {
    for (slip, gamma) in [(0.0, 1.0), (0.0, 0.9), (0.1, 1.0), (0.1, 0.9)] {
        with_walks(&Grid { side: 4, slip }, 40, 15, gamma, |walks| {
            let mut steps = [0, 0];
            let by_visits = rise(walks, 0.01, &curvature::of_visits, &mut |_, _| {
                steps[0] += 1;
                steps[0] > 60
            });
            let by_memory = rise(walks, 0.01, &|_, _, _| None, &mut |_, _| {
                steps[1] += 1;
                steps[1] > 2000
            });
            for (a, b) in by_visits.reward.iter().zip(&by_memory.reward) {
                assert!((a - b).abs() < 1e-4, "slip {slip}, gamma {gamma}: {a}, {b}");
            }
            assert!(by_visits.steepness() <= GRADIENT * walks.steps(), "{steps:?}");
            // Where actions are certain, steps are (nearly) Newton's.
            assert!(slip > 0.0 || steps[0] < 15, "{steps:?}");
        });
    }
}
