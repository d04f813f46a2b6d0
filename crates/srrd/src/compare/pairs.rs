//! The rows of the matrix of all pairs of many samples, one by one or some at a time.

use std::ops::Range;

use rayon::prelude::*;

use super::index::Index;
use super::pair::{Canonical, Distance, distance};
use super::pearson::{Agreement, Sums, Undefined};
use super::ranks::Correlation;
use crate::metric::Metric;
use crate::project::Shaping;
use crate::run::checkpoint;
use crate::sample::RewardSample;
use crate::settings::Settings;

/// The distances of all pairs of samples, before they are computed: rows can be asked for in any order, some at a time, so that a matrix
/// that is larger than the memory can be written to a file while it is computed.
///
/// ```
/// use srrd::compare::Pairs;
/// use srrd::{Duplicates, Metric, RewardSample, Settings, pairwise};
/// let rows = (0..30).map(|s| (s, 0, (s * 7 + 3) % 30, f64::from(s * s % 11)));
/// let a = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let b = a.with_rewards(a.rewards().iter().map(|r| r.sin()).collect())?;
/// let c = a.with_rewards(a.rewards().iter().map(|r| r.sqrt()).collect())?;
/// let (samples, settings) = ([&a, &b, &c], Settings::default());
/// let band = Pairs::new(&samples, Metric::Srrd, &settings).band(1..3);
/// let whole = pairwise(&samples, Metric::Srrd, &settings);
/// // b with b and c, and c with c: what stands left of the diagonal is there already.
/// assert_eq!(band.cells, [&whole.as_slice()[4..6], &whole.as_slice()[8..]].concat());
/// # Ok::<(), srrd::SampleError>(())
/// ```
pub struct Pairs<'a> {
    size: usize,
    settings: Settings,
    kind: Kind<'a>,
}

enum Kind<'a> {
    /// Row by row along the transitions that samples share.
    Shared(Index),
    /// Every pair by itself.
    Each(Box<dyn Fn(usize, usize) -> Distance + Send + Sync + 'a>),
}

/// Some rows of the upper half of a matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// Which rows.
    pub rows: Range<usize>,
    /// Row after row, each from the diagonal on; NaN where undefined.
    pub cells: Vec<f64>,
    /// The pairs (i ≤ j) without a distance, and why.
    pub undefined: Vec<(usize, usize, Undefined)>,
    /// The pairs (i < j) whose distance is mostly noise, as [`DistanceMatrix::weak`](crate::DistanceMatrix::weak) says.
    pub weak: Vec<(usize, usize)>,
    /// How many pairs (i < j) have a distance over fewer than [`FEW_COMMON`](crate::settings::FEW_COMMON) shared transitions.
    pub few_common: usize,
}

impl<'a> Pairs<'a> {
    /// Canonicalizes every sample once, where the metric does that sample by sample.
    pub fn new(samples: &[&'a RewardSample], metric: Metric, settings: &Settings) -> Self {
        let (size, settings) = (samples.len(), *settings);
        if metric.by_pair(&settings) {
            let samples = samples.to_vec();
            let each = move |i: usize, j: usize| distance(samples[i], samples[j], metric, &settings);
            return Pairs { size, settings, kind: Kind::Each(Box::new(each)) };
        }
        let canonical: Vec<Canonical<'a>> =
            samples.par_iter().map(|sample| Canonical::new(sample, metric, &settings)).collect();
        if by_ranks(&canonical) {
            let each = move |i: usize, j: usize| canonical[i].distance(&canonical[j], &settings);
            return Pairs { size, settings, kind: Kind::Each(Box::new(each)) };
        }
        Pairs { size, settings, kind: Kind::Shared(Index::new(&canonical)) }
    }

    /// Of samples that are already canonicalized.
    pub(super) fn of_canonical(samples: &'a [Canonical<'a>], settings: &Settings) -> Self {
        let (size, settings) = (samples.len(), *settings);
        let kind = match by_ranks(samples) {
            true => Kind::Each(Box::new(move |i, j| samples[i].distance(&samples[j], &settings))),
            false => Kind::Shared(Index::new(samples)),
        };
        Pairs { size, settings, kind }
    }

    /// How many samples.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The distances of these samples to themselves and all after them, in parallel; the same, to the last bit, whatever the rows.
    pub fn band(&self, rows: Range<usize>) -> Band {
        let mut cells = vec![0.0; rows.clone().map(|i| self.size - i).sum()];
        let mut rest = cells.as_mut_slice();
        let mut parts = Vec::with_capacity(rows.len());
        for i in rows.clone() {
            let (row, others) = rest.split_at_mut(self.size - i);
            parts.push(Row::new(i, i, row));
            rest = others;
        }
        let parallel = parts.par_iter_mut().with_min_len(self.together());
        parallel.for_each_init(|| self.scratch(), |sums, row| self.fill(sums, row));
        let few_common = parts.iter().map(|row| row.few_common).sum();
        let weak = parts.iter().flat_map(|row| row.weak.iter().map(|&j| (row.i, j as usize))).collect();
        let of_row = |row: Row<'_>| row.undefined.into_iter().map(move |(j, why)| (row.i, j as usize, why));
        let undefined = parts.into_iter().flat_map(of_row).collect();
        Band { rows, cells, undefined, weak, few_common }
    }

    /// What [`fill`](Self::fill) needs and leaves as it was.
    pub(super) fn scratch(&self) -> Vec<Sums> {
        match self.kind {
            Kind::Shared(_) => vec![Sums::default(); self.size],
            Kind::Each(_) => Vec::new(),
        }
    }

    /// How many rows at least are worth a scratch.
    pub(super) fn together(&self) -> usize {
        match self.kind {
            Kind::Shared(_) => 4,
            Kind::Each(_) => 1,
        }
    }

    /// Fills the rest of a row.
    pub(super) fn fill(&self, sums: &mut [Sums], row: &mut Row<'_>) {
        match &self.kind {
            Kind::Shared(index) => index.row(row, &self.settings, sums),
            Kind::Each(compare) => {
                for j in row.j..self.size {
                    checkpoint();
                    let comparison = compare(row.i, j);
                    let few = |shaping: Shaping| shaping.degrees_of_freedom < crate::advise::ENOUGH_FREEDOM;
                    if j > row.i && comparison.shaping.is_some_and(few) && comparison.outcome.is_ok() {
                        row.note_weak();
                    }
                    row.push(comparison.common, comparison.outcome);
                }
            }
        }
    }
}

/// Ranks are those of the shared transitions: every pair has its own.
pub(super) fn by_ranks(samples: &[Canonical<'_>]) -> bool {
    samples.iter().any(|sample| sample.correlation == Correlation::Spearman)
}

/// A row that is being filled: the distances of sample i to sample j and those after it.
pub(super) struct Row<'a> {
    pub i: usize,
    /// The next one.
    pub j: usize,
    rest: std::slice::IterMut<'a, f64>,
    pub undefined: Vec<(u32, Undefined)>,
    /// Ascending.
    pub weak: Vec<u32>,
    pub few_common: usize,
}

impl<'a> Row<'a> {
    pub fn new(i: usize, from: usize, cells: &'a mut [f64]) -> Self {
        Row { i, j: from, rest: cells.iter_mut(), undefined: Vec::new(), weak: Vec::new(), few_common: 0 }
    }

    #[inline]
    fn put(&mut self, distance: f64) {
        *self.rest.next().expect("there is a cell for every sample") = distance;
        self.j += 1;
    }

    #[inline]
    pub fn push_distance(&mut self, common: usize, distance: f64) {
        if self.j > self.i && common < crate::settings::FEW_COMMON {
            self.few_common += 1;
            self.note_weak();
        }
        self.put(distance);
    }

    /// Notes that the next distance says little.
    #[cold]
    fn note_weak(&mut self) {
        if self.weak.last() != Some(&(self.j as u32)) {
            self.weak.push(self.j as u32);
        }
    }

    pub fn push(&mut self, common: usize, outcome: Result<Agreement, Undefined>) {
        match outcome {
            Ok(agreement) => self.push_distance(common, agreement.distance),
            Err(why) => {
                self.undefined.push((self.j as u32, why));
                self.put(f64::NAN);
            }
        }
    }
}
