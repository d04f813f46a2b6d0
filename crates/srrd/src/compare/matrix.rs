//! All pairs of many samples.
//!
//! Every sample is canonicalized once. Then every distinct transition gets the list of the samples that hold it, and the
//! row of a sample is accumulated along the lists of its own transitions: the work is proportional to the number of
//! *shared* transitions over all pairs, and no dense (samples × transitions) table is built.

use rayon::prelude::*;

use super::pair::Canonical;
use super::pairs::{Band, Pairs, Row};
use super::pearson::Undefined;
use crate::metric::Metric;
use crate::problem::Problem;
use crate::run::{Large, Steps, checkpoint, memory};
use crate::sample::RewardSample;
use crate::settings::Settings;

/// The distances of all pairs of samples.
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceMatrix {
    size: usize,
    distances: Vec<f64>,
    /// By first sample: the second ones. There may be as many as half the distances.
    undefined: Vec<Vec<(u32, Undefined)>>,
    few_common: usize,
    /// By first sample: the second ones with a distance that says little.
    weak: Vec<Vec<u32>>,
}

impl DistanceMatrix {
    /// Whether there is memory for the distances of so many samples: beside the samples, nearly all that computing them takes.
    ///
    /// # Errors
    /// [`Problem::Memory`] where there is not.
    pub fn check_memory(samples: usize) -> Result<(), Problem> {
        let bytes = (samples as u64).saturating_mul(samples as u64).saturating_mul(size_of::<f64>() as u64);
        memory::check(Large::Matrix { samples }, bytes)
    }

    /// Of rows that were computed before: `row` gives the band of one row. `few_common` was counted then.
    ///
    /// # Errors
    /// Those of `row`.
    pub fn from_rows<E>(size: usize, few_common: usize, row: impl Fn(usize) -> Result<Band, E>) -> Result<Self, E> {
        let mut distances = vec![0.0; size * size];
        let (mut undefined, mut weak) = (vec![Vec::new(); size], vec![Vec::new(); size]);
        for i in 0..size {
            let band = row(i)?;
            distances[i * size + i..(i + 1) * size].copy_from_slice(&band.cells);
            undefined[i] = band.undefined.into_iter().map(|(_, j, why)| (j as u32, why)).collect();
            weak[i] = band.weak.into_iter().map(|(_, j)| j as u32).collect();
        }
        mirror(size, &mut distances);
        Ok(DistanceMatrix { size, distances, undefined, few_common, weak })
    }

    /// How many samples.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The distance of samples i and j; `None` when it is undefined.
    pub fn get(&self, i: usize, j: usize) -> Option<f64> {
        Some(self.distances[i * self.size + j]).filter(|d| !d.is_nan())
    }

    /// Row after row; NaN where undefined.
    pub fn as_slice(&self) -> &[f64] {
        &self.distances
    }

    /// Row after row; NaN where undefined.
    pub fn into_distances(self) -> Vec<f64> {
        self.distances
    }

    /// The pairs (i ≤ j) without a distance, and why.
    pub fn undefined(&self) -> impl Iterator<Item = (usize, usize, Undefined)> + '_ {
        (self.undefined.iter().enumerate()).flat_map(|(i, row)| row.iter().map(move |&(j, why)| (i, j as usize, why)))
    }

    /// How many pairs (i < j) have a distance over fewer than [`FEW_COMMON`](crate::settings::FEW_COMMON) shared transitions.
    pub fn few_common(&self) -> usize {
        self.few_common
    }

    /// The pairs (i < j) whose distance is mostly noise: over fewer than [`FEW_COMMON`](crate::settings::FEW_COMMON) shared
    /// transitions, or with fewer degrees of freedom than [`advise`](mod@crate::advise) asks for.
    pub fn weak(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.weak.iter().enumerate().flat_map(|(i, row)| row.iter().map(move |&j| (i, j as usize)))
    }

    /// Row after row, with `value` where undefined; 0 on the diagonal, as those who take precomputed distances expect.
    pub fn filled(&self, value: f64) -> Vec<f64> {
        let cell = |(i, &d): (usize, &f64)| match d.is_nan() {
            false => d,
            true if i % (self.size + 1) == 0 => 0.0,
            true => value,
        };
        self.distances.iter().enumerate().map(cell).collect()
    }
}

/// The distances of all pairs; each is, to the last bit, the one [`distance`](crate::distance) gives.
///
/// O(canonicalizations + transitions + Σ over pairs of shared transitions), in parallel. `projected` and Spearman's correlation take
/// every pair by itself, since residuals and ranks are those of the shared transitions: O(pairs · transitions · log transitions).
///
/// ```
/// use srrd::{Duplicates, Metric, RewardSample, Settings, distance, pairwise};
/// let rows = [("home", "walk", "park", 1.0), ("park", "walk", "home", 0.5), ("park", "wait", "park", 2.0)];
/// let a = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let [b, c] = [a.with_rewards(vec![0.0, 1.0, 5.0])?, a.with_rewards(vec![2.0, 1.0, 0.0])?];
/// let settings = Settings::default();
/// let all = pairwise(&[&a, &b, &c], Metric::Srrd, &settings);
/// assert_eq!(all.get(0, 2), distance(&a, &c, Metric::Srrd, &settings).distance());
/// assert_eq!(all.get(1, 1), Some(0.0));
/// # Ok::<(), srrd::SampleError>(())
/// ```
pub fn pairwise(samples: &[&RewardSample], metric: Metric, settings: &Settings) -> DistanceMatrix {
    assemble(&Pairs::new(samples, metric, settings))
}

/// As [`pairwise`], of samples that are already canonicalized, all for the same correlation. Of the settings it takes `min_common` and
/// `shrinkage`.
///
/// ```
/// use srrd::compare::{Canonical, pairwise_canonical};
/// use srrd::{Duplicates, Metric, RewardSample, Settings, pairwise};
/// let rows = [("home", "walk", "park", 1.0), ("park", "walk", "home", 0.5), ("park", "wait", "park", 2.0)];
/// let a = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let b = a.with_rewards(vec![0.0, 1.0, 5.0])?;
/// let settings = Settings::default();
/// let canonical = [&a, &b].map(|sample| Canonical::new(sample, Metric::Epic, &settings));
/// let all = pairwise_canonical(&canonical, &settings);
/// assert_eq!(all.get(0, 1), pairwise(&[&a, &b], Metric::Epic, &settings).get(0, 1));
/// # Ok::<(), srrd::SampleError>(())
/// ```
pub fn pairwise_canonical(samples: &[Canonical<'_>], settings: &Settings) -> DistanceMatrix {
    assemble(&Pairs::of_canonical(samples, settings))
}

/// So many rows of the result are filled together.
const TILE: usize = 16;

/// What a row tells beside its distances: those that are undefined, those that say little, and how many are over few shared transitions.
type Told = (Vec<(u32, Undefined)>, Vec<u32>, usize);

/// Fills the upper half of the matrix where it stays, row by row, then the lower one from it: there is never more than one matrix.
fn assemble(pairs: &Pairs<'_>) -> DistanceMatrix {
    let size = pairs.size();
    let mut distances = vec![0.0; size * size];
    let steps = Steps::begin("pairs", (size * size.saturating_sub(1) / 2) as u64);
    let rows: Vec<Told> = (distances.par_chunks_mut(size.max(1)).with_min_len(pairs.together()).enumerate())
        .map_init(
            || pairs.scratch(),
            |sums, (i, cells)| {
                let mut row = Row::new(i, i, &mut cells[i..]);
                pairs.fill(sums, &mut row);
                steps.add((size - i - 1) as u64);
                (row.undefined, row.weak, row.few_common)
            },
        )
        .collect();
    mirror(size, &mut distances);
    let few_common = rows.iter().map(|row| row.2).sum();
    let (undefined, weak) = rows.into_iter().map(|(undefined, weak, _)| (undefined, weak)).unzip();
    DistanceMatrix { size, distances, undefined, few_common, weak }
}

/// Fills the lower half from the upper one.
fn mirror(size: usize, distances: &mut [f64]) {
    // Tiles of rows from the last to the first: what lies above a tile is still only read.
    for first in (0..size).step_by(TILE * LANES).rev() {
        checkpoint();
        let last = size.min(first + TILE * LANES);
        let (above, from_here) = distances.split_at_mut(first * size);
        let band = &mut from_here[..(last - first) * size];
        band.par_chunks_mut(TILE * size).enumerate().for_each(|(tile, to)| {
            let from = first + tile * TILE;
            // What lies side by side in a row goes into one column.
            for (j, row) in above.chunks_exact(size).enumerate() {
                to.chunks_exact_mut(size).zip(&row[from..]).for_each(|(to, &distance)| to[j] = distance);
            }
        });
        for i in first..last {
            for j in first..i {
                band[(i - first) * size + j] = band[(j - first) * size + i];
            }
        }
    }
}

/// So many tiles are filled side by side.
const LANES: usize = 16;
