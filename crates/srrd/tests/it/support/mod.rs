//! What several tests share: the definitions written out loop by loop, and random samples to hold against them.
#![allow(dead_code)]

pub mod literal;
pub mod simulate;
pub mod swings;

use proptest::prelude::*;
use srrd::settings::{Actions, Batch, Estimator};
use srrd::*;

pub type Row = (u32, u32, u32, f64);

/// Random transitions over a few states and actions: dense or sparse, with terminal states (every fifth never starts a
/// transition when `terminals` is set), self-loops, several actions an edge, and islands (states never joined across a border).
pub fn rows() -> impl Strategy<Value = Vec<Row>> {
    (2..12u32, 1..4u32, any::<bool>(), any::<bool>()).prop_flat_map(|(states, actions, terminals, islands)| {
        let row = (0..states, 0..actions, 0..states, -5.0..5.0f64);
        prop::collection::vec(row, 1..60).prop_map(move |rows| {
            let border = states / 2;
            let mut kept: Vec<Row> = rows
                .iter()
                .copied()
                .filter(|&(s, _, t, _)| !(terminals && s % 5 == 4 || islands && (s < border) != (t < border)))
                .collect();
            if kept.is_empty() {
                kept.push((0, 0, 1, 1.5));
            }
            kept.sort_by_key(|&(s, a, t, _)| (s, a, t));
            kept.dedup_by_key(|&mut (s, a, t, _)| (s, a, t));
            kept
        })
    })
}

pub fn sample(rows: &[Row]) -> RewardSample {
    RewardSample::from_rows(rows.iter().copied(), Duplicates::Error).unwrap()
}

/// The transitions of a sample as rows again, in the sample's order.
pub fn rows_of(sample: &RewardSample) -> Vec<Row> {
    let int = |token: Token<'_>| token.as_int().unwrap() as u32;
    sample.transitions().map(|t| (int(t.state), int(t.action), int(t.next_state), t.reward)).collect()
}

/// All transitions of a full space, with rewards from a function.
pub fn full(states: u32, actions: u32, reward: impl Fn(u32, u32, u32) -> f64) -> RewardSample {
    let all = (0..states).flat_map(|s| (0..actions).flat_map(move |a| (0..states).map(move |t| (s, a, t))));
    let rows: Vec<Row> = all.map(|(s, a, t)| (s, a, t, reward(s, a, t))).collect();
    sample(&rows)
}

pub const MARGINAL: Estimator = Estimator::Double { actions: Actions::Marginal, batch: Batch::All };
pub const JOINT: Estimator = Estimator::Double { actions: Actions::Joint, batch: Batch::All };
pub const ESTIMATORS: [Estimator; 3] = [MARGINAL, JOINT, Estimator::Unbiased];

pub fn settings(gamma: f64, estimator: Estimator) -> Settings {
    Settings { gamma: Gamma::new(gamma).unwrap(), estimator, ..Settings::default() }
}

pub fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!((f - e).abs() <= 1e-9 * (1.0 + e.abs()), "{what}, transition {i}: {f} is not {e}");
    }
}
