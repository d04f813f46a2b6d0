//! The distances of some samples to some others: a block of the matrix of all pairs.

use rayon::prelude::*;

use super::matrix::cross_canonical;
use super::pair::{Canonical, distance};
use crate::metric::Metric;
use crate::run::checkpoint;
use crate::sample::RewardSample;
use crate::settings::Settings;

/// The distance of every row sample to every column sample, row after row, NaN where undefined; each is, to the last bit, the one
/// [`pairwise`](crate::pairwise) gives.
///
/// O(canonicalizations + transitions + Σ over pairs of shared transitions), in parallel; `projected` and Spearman's correlation take
/// every pair by itself.
///
/// ```
/// use srrd::{Duplicates, Metric, RewardSample, Settings, pairwise};
/// use srrd::compare::cross_distances;
/// let rows = (0..30).map(|s| (s, 0, (s * 7 + 3) % 30, f64::from(s * s % 11)));
/// let a = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let b = a.with_rewards(a.rewards().iter().map(|r| r.sin()).collect())?;
/// let c = a.with_rewards(a.rewards().iter().map(|r| r.sqrt()).collect())?;
/// let settings = Settings::default();
/// let block = cross_distances(&[&a], &[&b, &c], Metric::Srrd, &settings);
/// assert_eq!(block, pairwise(&[&a, &b, &c], Metric::Srrd, &settings).as_slice()[1..3]);
/// # Ok::<(), srrd::SampleError>(())
/// ```
pub fn cross_distances<'a>(
    rows: &[&'a RewardSample],
    columns: &[&'a RewardSample],
    metric: Metric,
    settings: &Settings,
) -> Vec<f64> {
    if metric.by_pair(settings) {
        let row = |row: &&RewardSample| {
            let compared = columns.iter().map(|column| {
                checkpoint();
                distance(row, column, metric, settings).distance().unwrap_or(f64::NAN)
            });
            compared.collect::<Vec<f64>>()
        };
        return rows.par_iter().map(row).collect::<Vec<_>>().concat();
    }
    let of = |sample: &&'a RewardSample| Canonical::new(sample, metric, settings);
    let rows: Vec<Canonical<'_>> = rows.par_iter().map(of).collect();
    let columns: Vec<Canonical<'_>> = columns.par_iter().map(of).collect();
    cross_canonical(&rows, &columns, settings)
}
