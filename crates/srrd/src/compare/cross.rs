//! The distances of some samples to some others: a block of the matrix of all pairs.

use rayon::prelude::*;

use super::index::Index;
use super::pair::{Canonical, Distance, distance};
use super::pairs::{Row, by_ranks};
use super::pearson::Sums;
use crate::metric::Metric;
use crate::run::checkpoint;
use crate::sample::RewardSample;
use crate::settings::Settings;

/// A block of the matrix of all pairs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Block {
    /// The distance of every row sample to every column sample, row after row; NaN where undefined.
    pub distances: Vec<f64>,
    /// How many of these distances are over fewer than [`FEW_COMMON`](crate::settings::FEW_COMMON) shared transitions.
    pub few_common: usize,
}

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
/// assert_eq!(block.distances, pairwise(&[&a, &b, &c], Metric::Srrd, &settings).as_slice()[1..3]);
/// # Ok::<(), srrd::SampleError>(())
/// ```
pub fn cross_distances<'a>(
    rows: &[&'a RewardSample],
    columns: &[&'a RewardSample],
    metric: Metric,
    settings: &Settings,
) -> Block {
    if metric.by_pair(settings) {
        return each(rows.len(), columns.len(), |i, j| distance(rows[i], columns[j], metric, settings));
    }
    let of = |sample: &&'a RewardSample| Canonical::new(sample, metric, settings);
    let all: Vec<Canonical<'_>> = rows.par_iter().chain(columns.par_iter()).map(of).collect();
    if by_ranks(&all) {
        return each(rows.len(), columns.len(), |i, j| all[i].distance(&all[rows.len() + j], settings));
    }
    let index = Index::new(&all);
    let scratch = || vec![Sums::default(); all.len()];
    filled(rows.len(), columns.len(), 4, scratch, |sums, row| index.row(row, settings, sums))
}

/// For distances that take the pair as a whole.
fn each(rows: usize, columns: usize, compare: impl Fn(usize, usize) -> Distance + Sync) -> Block {
    let fill = |(): &mut (), row: &mut Row<'_>| {
        for j in 0..columns {
            checkpoint();
            let comparison = compare(row.i, j);
            row.push(comparison.common, comparison.outcome);
        }
    };
    filled(rows, columns, 1, || (), fill)
}

/// Columns are numbered after rows, so that none of them is taken for a sample itself.
fn filled<S>(
    rows: usize,
    columns: usize,
    // How many rows are worth a scratch.
    together: usize,
    scratch: impl Fn() -> S + Sync + Send,
    fill: impl Fn(&mut S, &mut Row<'_>) + Sync + Send,
) -> Block {
    let mut distances = vec![0.0; rows * columns];
    let few = distances.par_chunks_mut(columns.max(1)).with_min_len(together).enumerate().map_init(
        scratch,
        |scratch, (i, cells)| {
            let mut row = Row::new(i, rows, cells);
            fill(scratch, &mut row);
            row.few_common
        },
    );
    let few_common = few.sum();
    Block { distances, few_common }
}
