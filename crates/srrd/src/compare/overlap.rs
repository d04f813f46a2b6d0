//! How much of what was sampled two samples share, whatever the rewards.

use rayon::prelude::*;

use super::index::Index;
use super::pair::Canonical;
use crate::metric::Metric;
use crate::sample::RewardSample;
use crate::settings::Settings;

/// 1 − the Jaccard share of common transitions (those that both samples hold / those that at least one holds) of every row sample and every
/// column sample, row after row; NaN where they share none.
///
/// Rewards play no part: what a distance of rewards tells beyond this is what it tells about rewards. O(transitions + Σ over pairs of
/// shared transitions), in parallel.
///
/// ```
/// use srrd::{Duplicates, RewardSample};
/// use srrd::compare::overlap_distances;
/// let sample = |states: std::ops::Range<i32>| {
///     RewardSample::from_rows(states.map(|s| (s, 0, s + 1, f64::from(s * s))), Duplicates::Mean)
/// };
/// let (a, b, c) = (sample(0..6)?, sample(3..8)?, sample(20..30)?);
/// let found = overlap_distances(&[&a], &[&a, &b, &c]);
/// assert_eq!(found[..2], [0.0, 1.0 - 3.0 / 8.0]);
/// assert!(found[2].is_nan());
/// # Ok::<(), srrd::SampleError>(())
/// ```
pub fn overlap_distances(rows: &[&RewardSample], columns: &[&RewardSample]) -> Vec<f64> {
    let settings = Settings::default();
    let all: Vec<&RewardSample> = rows.iter().chain(columns).copied().collect();
    let canonical: Vec<Canonical<'_>> =
        all.par_iter().map(|sample| Canonical::new(sample, Metric::Direct, &settings)).collect();
    let index = Index::new(&canonical);
    let row = |shared: &mut Vec<usize>, i: usize| {
        shared.fill(0);
        index.meetings(i, rows.len(), |_, holders, _| {
            holders.iter().for_each(|&j| shared[j as usize - rows.len()] += 1);
        });
        let distance = |(column, &shared): (&&RewardSample, &usize)| match shared {
            0 => f64::NAN,
            _ => 1.0 - shared as f64 / (rows[i].len() + column.len() - shared) as f64,
        };
        columns.iter().zip(&*shared).map(distance).collect::<Vec<f64>>()
    };
    let rows = (0..rows.len()).into_par_iter().with_min_len(4).map_init(|| vec![0; columns.len()], row);
    rows.collect::<Vec<_>>().concat()
}
