//! How well agents are told apart by what they do alone: k-NN without a look at rewards.

use srrd::classify::{Classes, ClassifyError, GammaDistances, Grid, Splits, evaluate};
use srrd::{Gamma, RewardSample};
use std::collections::HashMap;

/// Accuracies without rewards, one per split.
#[derive(Clone, Debug)]
pub struct WithoutRewards {
    /// By the share of common transitions.
    pub overlap: Vec<f64>,
    /// By how often transitions were met: half the sum of the differences of their shares.
    pub occupancy: Vec<f64>,
}

impl WithoutRewards {
    pub fn new(
        samples: &[&RewardSample],
        classes: &Classes,
        grid: &Grid,
        splits: &Splits,
        gamma: Gamma,
    ) -> Result<Self, ClassifyError> {
        let overlap = GammaDistances::of_overlap(samples, &[gamma]);
        let occupancy = GammaDistances::from_matrices(samples.len(), vec![gamma], vec![distances(samples)]);
        let accuracies = |distances| Ok(evaluate(distances, classes, grid, splits)?.accuracies());
        Ok(WithoutRewards { overlap: accuracies(&overlap)?, occupancy: accuracies(&occupancy)? })
    }
}

/// The total variation distances of how often transitions were met, row after row.
fn distances(samples: &[&RewardSample]) -> Vec<f64> {
    let mut numbers: HashMap<[String; 3], u32> = HashMap::new();
    let shares: Vec<Vec<(u32, f64)>> = samples
        .iter()
        .map(|sample| {
            let total: f64 = (0..sample.len()).map(|at| f64::from(sample.occurrences(at))).sum();
            let mut shares: Vec<(u32, f64)> = (sample.transitions().enumerate())
                .map(|(at, it)| {
                    let next = numbers.len() as u32;
                    let key = [it.state, it.action, it.next_state].map(|token| token.to_string());
                    (*numbers.entry(key).or_insert(next), f64::from(sample.occurrences(at)) / total)
                })
                .collect();
            shares.sort_by_key(|(number, _)| *number);
            shares
        })
        .collect();
    let size = samples.len();
    let mut matrix = vec![0.0; size * size];
    for a in 0..size {
        for b in a + 1..size {
            let distance = total_variation(&shares[a], &shares[b]);
            (matrix[a * size + b], matrix[b * size + a]) = (distance, distance);
        }
    }
    matrix
}

/// 1 − the sum of the smaller shares.
fn total_variation(a: &[(u32, f64)], b: &[(u32, f64)]) -> f64 {
    let (mut at, mut common) = (0, 0.0);
    for &(number, share) in a {
        while b.get(at).is_some_and(|(other, _)| *other < number) {
            at += 1;
        }
        if let Some((_, other)) = b.get(at).filter(|(other, _)| *other == number) {
            common += share.min(*other);
        }
    }
    (1.0 - common).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use srrd::Duplicates;

    #[test]
    fn distances_are_halves_of_summed_differences() {
        let sample = |rows: &[(i64, i64, i64)]| {
            RewardSample::from_rows(rows.iter().map(|&(s, a, n)| (s, a, n, 0.0)), Duplicates::Mean).unwrap()
        };
        let a = sample(&[(0, 0, 1), (0, 0, 1), (0, 0, 1), (1, 0, 2)]);
        let b = sample(&[(0, 0, 1), (2, 0, 3)]);
        let c = sample(&[(7, 0, 7)]);
        let found = distances(&[&a, &b, &c]);
        // |3/4 − 1/2| + 1/4 + 1/2, halved.
        assert!((found[1] - 0.5).abs() < 1e-12 && (found[3] - 0.5).abs() < 1e-12, "{found:?}");
        assert_eq!((found[0], found[2], found[4]), (0.0, 1.0, 0.0));
    }
}
