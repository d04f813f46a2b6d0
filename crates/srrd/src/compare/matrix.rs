//! All pairs of many samples.
//!
//! Every sample is canonicalized once. Then every distinct transition gets the list of the samples that hold it, and the
//! row of a sample is accumulated along the lists of its own transitions: the work is proportional to the number of
//! *shared* transitions over all pairs, and no dense (samples × transitions) table is built.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::pair::{Canonical, Distance, distance};
use super::pearson::{Agreement, AtOnce, Sums, Undefined, carefully};
use super::ranks::Correlation;
use crate::metric::Metric;
use crate::problem::Problem;
use crate::project::Shaping;
use crate::run::{Large, Pace, Steps, checkpoint, memory};
use crate::sample::{Interner, RewardSample, Vocabulary};
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
pub fn pairwise(samples: &[&RewardSample], metric: Metric, settings: &Settings) -> DistanceMatrix {
    if metric.by_pair(settings) {
        return pair_by_pair(samples.len(), |i, j| distance(samples[i], samples[j], metric, settings));
    }
    let canonical: Vec<Canonical<'_>> =
        samples.par_iter().map(|sample| Canonical::new(sample, metric, settings)).collect();
    pairwise_canonical(&canonical, settings)
}

/// As [`pairwise`], of samples that are already canonicalized, all for the same correlation. Of the settings it takes `min_common` and
/// `shrinkage`.
pub fn pairwise_canonical(samples: &[Canonical<'_>], settings: &Settings) -> DistanceMatrix {
    let size = samples.len();
    if samples.iter().any(|sample| sample.correlation == Correlation::Spearman) {
        return pair_by_pair(size, |i, j| samples[i].distance(&samples[j], settings));
    }
    let index = Index::new(samples);
    assemble(size, || vec![Sums::default(); size], |sums, row| index.row(row, settings, sums))
}

/// The distance of every row sample to every column sample, row after row, NaN where undefined.
pub(super) fn cross_canonical(rows: &[Canonical<'_>], columns: &[Canonical<'_>], settings: &Settings) -> Vec<f64> {
    let number = |comparison: Distance| comparison.distance().unwrap_or(f64::NAN);
    if rows.iter().chain(columns).any(|sample| sample.correlation == Correlation::Spearman) {
        let row = |row: &Canonical<'_>| {
            let compared = columns.iter().map(|column| {
                checkpoint();
                number(row.distance(column, settings))
            });
            compared.collect::<Vec<f64>>()
        };
        return rows.par_iter().map(row).collect::<Vec<_>>().concat();
    }
    let all: Vec<Canonical<'_>> = rows.iter().chain(columns).cloned().collect();
    let index = Index::new(&all);
    let mut distances = vec![0.0; rows.len() * columns.len()];
    distances.par_chunks_mut(columns.len().max(1)).with_min_len(4).enumerate().for_each_init(
        || vec![Sums::default(); all.len()],
        |sums, (i, cells)| index.row(&mut Row::new(i, rows.len(), cells), settings, sums),
    );
    distances
}

/// For distances that take the pair as a whole.
fn pair_by_pair(size: usize, compare: impl Fn(usize, usize) -> Distance + Sync) -> DistanceMatrix {
    let fill = |(): &mut (), row: &mut Row<'_>| {
        for j in row.i..size {
            checkpoint();
            let comparison = compare(row.i, j);
            let few = |shaping: Shaping| shaping.degrees_of_freedom < crate::advise::ENOUGH_FREEDOM;
            if j > row.i && comparison.shaping.is_some_and(few) && comparison.outcome.is_ok() {
                row.note_weak();
            }
            row.push(comparison.common, comparison.outcome);
        }
    };
    assemble(size, || (), fill)
}

/// So many rows of the result are filled together.
const TILE: usize = 16;

/// Fills the upper half of the matrix where it stays, row by row, then the lower one from it: there is never more than one matrix.
fn assemble<S: Send>(
    size: usize,
    scratch: impl Fn() -> S + Sync + Send,
    fill: impl Fn(&mut S, &mut Row<'_>) + Sync + Send,
) -> DistanceMatrix {
    let mut distances = vec![0.0; size * size];
    let steps = Steps::begin("pairs", (size * size.saturating_sub(1) / 2) as u64);
    let rows: Vec<(Vec<(u32, Undefined)>, Vec<u32>, usize)> =
        (distances.par_chunks_mut(size.max(1)).with_min_len(4).enumerate())
            .map_init(scratch, |scratch, (i, cells)| {
                let mut row = Row::new(i, i, &mut cells[i..]);
                fill(scratch, &mut row);
                steps.add((size - i - 1) as u64);
                (row.undefined, row.weak, row.few_common)
            })
            .collect();
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
    let few_common = rows.iter().map(|row| row.2).sum();
    let (undefined, weak) = rows.into_iter().map(|(undefined, weak, _)| (undefined, weak)).unzip();
    DistanceMatrix { size, distances, undefined, few_common, weak }
}

/// So many tiles are filled side by side.
const LANES: usize = 16;

/// The distinct transitions of all samples with the samples that hold them.
pub(super) struct Index {
    /// For every sample, in the order of its transitions: the transition's number here.
    numbers: Vec<Vec<u32>>,
    /// For every sample and transition: its own place in the list of holders.
    places: Vec<Vec<usize>>,
    start: Vec<usize>,
    holder: Vec<u32>,
    /// The holders' canonical rewards around their centres.
    value: Vec<f64>,
    /// By sample: what of its values is rounding.
    noise: Vec<f64>,
}

impl Index {
    pub fn new(samples: &[Canonical<'_>]) -> Self {
        let numbers = number_transitions(samples);
        let distinct = numbers.iter().flatten().max().map_or(0, |&most| most as usize + 1);
        let mut start = vec![0usize; distinct + 1];
        numbers.iter().flatten().for_each(|&t| start[t as usize + 1] += 1);
        for t in 0..distinct {
            start[t + 1] += start[t];
        }
        let mut next = start.clone();
        let mut holder = vec![0u32; start[distinct]];
        let mut value = vec![0.0; start[distinct]];
        let mut places = Vec::with_capacity(samples.len());
        for (i, sample) in samples.iter().enumerate() {
            let own = numbers[i].iter().zip(&sample.values).map(|(&t, &canonical)| {
                let place = next[t as usize];
                next[t as usize] += 1;
                holder[place] = i as u32;
                value[place] = canonical - sample.center;
                place
            });
            places.push(own.collect());
        }
        let noise = samples.iter().map(|sample| sample.noise).collect();
        Index { numbers, places, start, holder, value, noise }
    }

    /// The holders from sample `from` on (holders are ascending), which is i or a later one, of every transition of sample i, with
    /// i's value.
    pub fn meetings(&self, i: usize, from: usize, mut each: impl FnMut(f64, &[u32], &[f64])) {
        let mut pace = Pace::default();
        for (&t, &place) in self.numbers[i].iter().zip(&self.places[i]) {
            let mut range = place..self.start[t as usize + 1];
            if from > i {
                range.start += self.holder[range.clone()].partition_point(|&holder| (holder as usize) < from);
            }
            pace.spend(range.len());
            each(self.value[place], &self.holder[range.clone()], &self.value[range]);
        }
    }

    /// Fills the row of a sample. `sums` are all zero, before and after.
    fn row(&self, row: &mut Row<'_>, settings: &Settings, sums: &mut [Sums]) {
        let (i, from) = (row.i, row.j);
        self.meetings(i, from, |x, holders, values| {
            holders.iter().zip(values).for_each(|(&j, &y)| sums[j as usize].add(x, y));
        });
        for (j, (sums, &noise)) in (from..).zip(sums[from..].iter_mut().zip(&self.noise[from..])) {
            let sums = std::mem::take(sums);
            let common = sums.count();
            if common >= settings.min_common.max(1)
                && let AtOnce::Apart(agreement) = sums.at_once([self.noise[i], noise])
            {
                row.push_distance(common, agreement.shrunk(settings.shrinkage, common).distance);
            } else {
                let outcome = self.compare(i, j, &sums, settings.min_common);
                row.push(common, outcome.map(|found| found.shrunk(settings.shrinkage, common)));
            }
        }
    }

    /// For the few pairs whose sums do not suffice.
    #[cold]
    fn compare(&self, i: usize, j: usize, sums: &Sums, min_common: usize) -> Result<Agreement, Undefined> {
        if sums.count() < min_common.max(1) {
            return Err(Undefined::TooFewCommon);
        }
        let noise = [self.noise[i], self.noise[j]];
        let shared = self.shared(i, j);
        let precise = sums.agreement(noise, || shared.iter().copied());
        precise.unwrap_or_else(|| carefully(shared.len(), &|k| shared[k], noise))
    }

    /// The values of two samples on the transitions they share, in order.
    fn shared(&self, i: usize, j: usize) -> Vec<(f64, f64)> {
        let mut shared = Vec::new();
        let mut theirs = self.numbers[j].iter().zip(&self.places[j]).peekable();
        for (number, &place) in self.numbers[i].iter().zip(&self.places[i]) {
            while theirs.next_if(|their| their.0 < number).is_some() {}
            if let Some((_, &their_place)) = theirs.next_if(|their| their.0 == number) {
                shared.push((self.value[place], self.value[their_place]));
            }
        }
        shared
    }
}

/// A row that is being filled: the distances of sample i to sample j and those after it.
struct Row<'a> {
    i: usize,
    /// The next one.
    j: usize,
    rest: std::slice::IterMut<'a, f64>,
    undefined: Vec<(u32, Undefined)>,
    /// Ascending.
    weak: Vec<u32>,
    few_common: usize,
}

impl<'a> Row<'a> {
    fn new(i: usize, from: usize, cells: &'a mut [f64]) -> Self {
        Row { i, j: from, rest: cells.iter_mut(), undefined: Vec::new(), weak: Vec::new(), few_common: 0 }
    }

    #[inline]
    fn put(&mut self, distance: f64) {
        *self.rest.next().expect("there is a cell for every sample") = distance;
        self.j += 1;
    }

    #[inline]
    fn push_distance(&mut self, common: usize, distance: f64) {
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

    fn push(&mut self, common: usize, outcome: Result<Agreement, Undefined>) {
        match outcome {
            Ok(agreement) => self.push_distance(common, agreement.distance),
            Err(why) => {
                self.undefined.push((self.j as u32, why));
                self.put(f64::NAN);
            }
        }
    }
}

/// Up to so many conceivable transitions (4 MB) a table numbers them; beyond, they are sorted.
const TABLE: usize = 1 << 20;

/// Numbers the distinct transitions of all samples in the order that samples have them in, so that the numbers of a sample ascend.
fn number_transitions(samples: &[Canonical<'_>]) -> Vec<Vec<u32>> {
    let (states, state_ids) = common_ids(samples, |sample| &sample.states);
    let (actions, action_ids) = common_ids(samples, |sample| &sample.actions);
    // Ids are ranks, as they are within a sample.
    let keys = |i: usize| {
        let (state, action) = (&state_ids[i], &action_ids[i]);
        samples[i].sample.ids().map(|(s, u, t)| (state[s as usize], state[t as usize], action[u as usize]))
    };
    let conceivable = states.checked_mul(states).and_then(|pairs| pairs.checked_mul(actions));
    if conceivable.is_some_and(|n| n <= TABLE) {
        let place = |(s, t, u): (u32, u32, u32)| (s as usize * states + t as usize) * actions + u as usize;
        let mut table = vec![0u32; states * states * actions];
        (0..samples.len()).flat_map(keys).for_each(|key| table[place(key)] = 1);
        let mut count = 0;
        table.iter_mut().for_each(|entry| count += std::mem::replace(entry, count));
        return (0..samples.len()).map(|i| keys(i).map(|key| table[place(key)]).collect()).collect();
    }
    let mut distinct: Vec<(u32, u32, u32)> = (0..samples.len()).flat_map(keys).collect();
    distinct.par_sort_unstable();
    distinct.dedup();
    let numbers: FxHashMap<(u32, u32, u32), u32> = distinct.iter().copied().zip(0..).collect();
    (0..samples.len()).into_par_iter().map(|i| keys(i).map(|key| numbers[&key]).collect()).collect()
}

/// How many distinct tokens the samples have, and for every token of every sample its id among them.
fn common_ids(samples: &[Canonical<'_>], of: impl Fn(&RewardSample) -> &Vocabulary) -> (usize, Vec<Vec<u32>>) {
    let mut interner = Interner::default();
    let mut intern = |token| interner.intern(token).expect("samples hold fewer tokens than ids");
    let mut ids: Vec<Vec<u32>> =
        samples.iter().map(|Canonical { sample, .. }| of(sample).iter().map(&mut intern).collect()).collect();
    let (vocabulary, renumbered) = interner.sort(&ids.iter().map(Vec::as_slice).collect::<Vec<_>>());
    ids.iter_mut().for_each(|ids| renumbered.apply(ids));
    (vocabulary.len(), ids)
}
