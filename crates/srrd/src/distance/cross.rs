//! The distances of some samples to some others: a block of the matrix of all pairs.

use rayon::prelude::*;

use super::pair::{Canonical, Comparison, distance};
use crate::sample::RewardSample;
use crate::settings::{Metric, Settings, Support};

/// The distance of every row sample to every column sample, row after row, NaN where undefined; each is, to the last bit, the one
/// [`pairwise`](crate::pairwise) gives.
///
/// O(canonicalizations + rows · columns · transitions), in parallel.
pub fn cross_distances(
    rows: &[&RewardSample],
    columns: &[&RewardSample],
    metric: Metric,
    settings: &Settings,
) -> Vec<f64> {
    let number = |comparison: Comparison| comparison.distance().unwrap_or(f64::NAN);
    let mut distances = vec![f64::NAN; rows.len() * columns.len()];
    let filled = distances.par_chunks_mut(columns.len().max(1)).zip(rows);
    if metric == Metric::Projected && settings.support == Support::Pair {
        filled.for_each(|(cells, row)| {
            cells
                .iter_mut()
                .zip(columns)
                .for_each(|(cell, column)| *cell = number(distance(row, column, metric, settings)));
        });
        return distances;
    }
    let columns: Vec<Canonical<'_>> =
        columns.par_iter().map(|column| Canonical::new(column, metric, settings)).collect();
    filled.for_each(|(cells, row)| {
        let row = Canonical::new(row, metric, settings);
        cells
            .iter_mut()
            .zip(&columns)
            .for_each(|(cell, column)| *cell = number(row.compare(column, settings.min_common)));
    });
    distances
}
