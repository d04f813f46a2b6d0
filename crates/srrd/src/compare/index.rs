//! The distinct transitions of many samples, each with the samples that hold it.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::pair::Canonical;
use super::pairs::Row;
use super::pearson::{Agreement, AtOnce, Sums, Undefined, carefully};
use crate::run::Pace;
use crate::sample::{Interner, RewardSample, Vocabulary};
use crate::settings::Settings;

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
    pub fn row(&self, row: &mut Row<'_>, settings: &Settings, sums: &mut [Sums]) {
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
