//! `npec`: how far a reward is from the nearest one that asks for the same behaviour as the other (EPIC's *nearest point in the equivalence
//! class*, with the Euclidean norm).
//!
//! D = min over λ ≥ 0 and φ of ‖R_A − λ R_B − shaping by φ‖ / min over φ of ‖R_A − shaping by φ‖, on the shared transitions.
//!
//! With x and y what [`projected`](super::projected) leaves of the two rewards and ρ their correlation, the best λ is max(ρ, 0) ‖x‖ / ‖y‖, and
//!
//! D = sqrt(1 − max(ρ, 0)²),
//!
//! which is symmetric, 0 for equivalent rewards, and 1 for all pairs that are not positively correlated: it does not tell unrelated rewards
//! from opposite ones. In terms of the projected distance d = sqrt((1 − ρ)/2) that is 2d·sqrt(1 − d²) up to d = sqrt(½), and 1 from there on,
//! which loses no digits near 0. It never falls where d grows, so intervals are those of `projected`, end by end, and a test against chance
//! has the same p.
//!
//! It always takes a pair as a whole. No estimator: nothing is estimated.

use super::{Metric, MetricInfo};

pub(super) const INFO: MetricInfo = MetricInfo {
    metric: Metric::Npec,
    name: "npec",
    title: "NPEC",
    about: "distance to the nearest equivalent reward: projected, told as sqrt(1 − max(ρ, 0)²)",
    paper: false,
    expects: false,
    discounts: true,
    projects: true,
    shown: false,
};

/// The distance where `projected` has this one.
pub(super) fn distance(projected: f64) -> f64 {
    if projected * projected >= 0.5 { 1.0 } else { 2.0 * projected * (1.0 - projected * projected).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Duplicates, RewardSample};
    use crate::settings::{Gamma, Settings};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Without what other vectors span, by Gram and Schmidt.
    fn without(vector: &[f64], others: &[Vec<f64>]) -> Vec<f64> {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let reduce = |vector: &[f64], basis: &[Vec<f64>]| {
            let mut left = vector.to_vec();
            for one in basis.iter().chain(basis) {
                let along = dot(one, &left);
                left.iter_mut().zip(one).for_each(|(l, o)| *l -= along * o);
            }
            left
        };
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for other in others {
            let left = reduce(other, &basis);
            let length = dot(&left, &left).sqrt();
            if length > 1e-9 {
                basis.push(left.iter().map(|l| l / length).collect());
            }
        }
        reduce(vector, &basis)
    }

    #[test]
    fn it_is_the_nearest_equivalent_reward() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let mut compared = 0;
        for _ in 0..1000 {
            let states = rng.random_range(2..6u32);
            let gamma = [0.0, 0.5, 0.9][rng.random_range(0..3)];
            let mut rows: Vec<(u32, u32, u32)> = (0..rng.random_range(4..40))
                .map(|_| (rng.random_range(0..states), rng.random_range(0..3), rng.random_range(0..states)))
                .collect();
            rows.sort_unstable_by_key(|&(s, a, t)| (s, t, a));
            rows.dedup();
            let x: Vec<f64> = rows.iter().map(|_| rng.random_range(-1.0..1.0)).collect();
            let y: Vec<f64> = x.iter().map(|x| 0.3 * x + rng.random_range(-1.0..1.0)).collect();
            let of = |rewards: &[f64]| {
                let rows = rows.iter().zip(rewards).map(|(&(s, a, t), &r)| (s, a, t, r));
                RewardSample::from_rows(rows, Duplicates::Error).unwrap()
            };
            let settings = Settings { gamma: Gamma::new(gamma).unwrap(), ..Settings::default() };
            let (a, b) = (of(&x), of(&y));
            let found = crate::distance(&a, &b, Metric::Npec, &settings);
            let shaping: Vec<Vec<f64>> = (0..states)
                .map(|z| {
                    let value = |&(s, _, t): &(u32, u32, u32)| {
                        (if t == z { gamma } else { 0.0 }) - if s == z { 1.0 } else { 0.0 }
                    };
                    rows.iter().map(value).collect()
                })
                .collect();
            let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
            let whole = norm(&without(&x, &shaping));
            let Some(found) = found.distance() else {
                continue;
            };
            // The best positive multiple of the other reward joins the space; a negative one is worse than none.
            let with_other: Vec<Vec<f64>> = shaping.iter().cloned().chain([y.clone()]).collect();
            let (left, other) = (without(&x, &shaping), without(&y, &shaping));
            let along: f64 = left.iter().zip(&other).map(|(l, o)| l * o).sum();
            let nearest = if along > 0.0 { norm(&without(&x, &with_other)) } else { whole };
            assert!((found - nearest / whole).abs() < 1e-8, "{found} {}", nearest / whole);
            compared += 1;
        }
        assert!(compared > 700, "{compared}");
    }

    #[test]
    fn it_grows_with_the_projected_distance() {
        let steps: Vec<f64> = (0..=1000).map(|i| distance(f64::from(i) / 1000.0)).collect();
        assert!(steps.is_sorted() && steps[0] == 0.0 && steps[1000] == 1.0);
        // sqrt(1 − ρ²) with ρ = 1 − 2d².
        let direct = |d: f64| (1.0 - (1.0 - 2.0 * d * d).powi(2)).sqrt();
        assert!((distance(0.3) - direct(0.3)).abs() < 1e-12 && (distance(1e-9) - 2e-9).abs() < 1e-20);
    }
}
