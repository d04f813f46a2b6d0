//! Kendall's τ_b: how often two rewards put pairs of episodes in the same order.
//!
//! τ_b = (C − D) / sqrt((C + D + X)(C + D + Y)), C and D the pairs that both order alike and oppositely, X and Y the pairs that only the
//! first and only the second hold equal. Undefined where a side holds all pairs equal.

use crate::compare::RankOrder;

/// Pairs, by how two rewards order them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairCounts {
    /// Ordered alike.
    pub concordant: u64,
    /// Ordered oppositely.
    pub discordant: u64,
    /// Equal to the first only.
    pub tied_first: u64,
    /// Equal to the second only.
    pub tied_second: u64,
}

impl PairCounts {
    /// τ_b; `None` where a side holds all pairs equal.
    ///
    /// ```
    /// use srrd::returns::PairCounts;
    /// let counts = PairCounts { concordant: 5, discordant: 1, ..PairCounts::default() };
    /// assert_eq!(counts.tau_b(), Some(4.0 / 6.0));
    /// assert_eq!(PairCounts { tied_first: 3, ..PairCounts::default() }.tau_b(), None);
    /// ```
    pub fn tau_b(&self) -> Option<f64> {
        let ordered = (self.concordant + self.discordant) as f64;
        let both = (ordered + self.tied_first as f64) * (ordered + self.tied_second as f64);
        (both > 0.0).then(|| (self.concordant as f64 - self.discordant as f64) / both.sqrt())
    }
}

/// Two rewards' returns of the same episodes, ranked once: counting pairs, also of episodes that were drawn, takes no further comparison of
/// numbers.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    /// The ranks by the first and the second reward, in ascending order of both; equal returns have one rank.
    ranks: Vec<[u32; 2]>,
    /// Which episode every one of them is.
    episode: Vec<u32>,
}

impl Ranked {
    /// Returns that differ by at most `noise` are equal.
    pub fn new(x: &[f64], y: &[f64], noise: [f64; 2]) -> Self {
        let (x, y) = (ranks(x, noise[0]), ranks(y, noise[1]));
        let mut episode: Vec<u32> = (0..x.len() as u32).collect();
        episode.sort_unstable_by_key(|&i| (x[i as usize], y[i as usize], i));
        let ranks = episode.iter().map(|&i| [x[i as usize], y[i as usize]]).collect();
        Ranked { ranks, episode }
    }

    /// The pairs of all episodes, every one of them as often as `times` says. O(n log n), by Knight's algorithm.
    pub fn counts(&self, times: impl Fn(usize) -> u32, scratch: &mut Scratch) -> PairCounts {
        let Scratch { values, merged } = scratch;
        values.clear();
        let (mut tied_x, mut tied_both) = (0, 0);
        // How many the run of equal ranks holds, by the first reward and by both.
        let (mut run_x, mut run_both, mut last) = (0u64, 0u64, [u32::MAX; 2]);
        for (&rank, &episode) in self.ranks.iter().zip(&self.episode) {
            let times = times(episode as usize);
            if times == 0 {
                continue;
            }
            if rank[0] != last[0] {
                tied_x += pairs(run_x);
                run_x = 0;
            }
            if rank != last {
                tied_both += pairs(run_both);
                run_both = 0;
            }
            run_x += u64::from(times);
            run_both += u64::from(times);
            last = rank;
            values.extend(std::iter::repeat_n(rank[1], times as usize));
        }
        tied_x += pairs(run_x);
        tied_both += pairs(run_both);
        let all = pairs(values.len() as u64);
        let discordant = sort_counting(values, merged);
        let tied_y: u64 = values.chunk_by(|a, b| a == b).map(|run| pairs(run.len() as u64)).sum();
        PairCounts {
            concordant: all + tied_both - tied_x - tied_y - discordant,
            discordant,
            tied_first: tied_x - tied_both,
            tied_second: tied_y - tied_both,
        }
    }
}

/// Memory that counting needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    values: Vec<u32>,
    merged: Vec<u32>,
}

fn pairs(count: u64) -> u64 {
    count * count.saturating_sub(1) / 2
}

/// The number of the group of equal values, ascending.
fn ranks(values: &[f64], noise: f64) -> Vec<u32> {
    let mut ranks = vec![0; values.len()];
    for (number, group) in (0..).zip(RankOrder::new(values, noise).groups()) {
        group.iter().for_each(|&i| ranks[i as usize] = number);
    }
    ranks
}

/// Sorts, and counts the pairs that were in descending order. Merges runs of doubling length.
fn sort_counting(values: &mut Vec<u32>, merged: &mut Vec<u32>) -> u64 {
    let (n, mut width, mut inversions) = (values.len(), 1, 0);
    while width < n {
        merged.clear();
        for start in (0..n).step_by(2 * width) {
            let (middle, end) = ((start + width).min(n), (start + 2 * width).min(n));
            let (mut i, mut j) = (start, middle);
            while i < middle && j < end {
                if values[j] < values[i] {
                    inversions += (middle - i) as u64;
                    merged.push(values[j]);
                    j += 1;
                } else {
                    merged.push(values[i]);
                    i += 1;
                }
            }
            merged.extend_from_slice(&values[i..middle]);
            merged.extend_from_slice(&values[j..end]);
        }
        std::mem::swap(values, merged);
        width *= 2;
    }
    inversions
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pair by pair.
    fn counted(x: &[f64], y: &[f64]) -> PairCounts {
        let mut counts = PairCounts::default();
        for i in 0..x.len() {
            for j in 0..i {
                match ((x[i] - x[j]) * (y[i] - y[j]), x[i] == x[j], y[i] == y[j]) {
                    (_, true, true) => {}
                    (_, true, false) => counts.tied_first += 1,
                    (_, false, true) => counts.tied_second += 1,
                    (product, ..) if product > 0.0 => counts.concordant += 1,
                    _ => counts.discordant += 1,
                }
            }
        }
        counts
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn pairs_are_counted_as_one_by_one(
            rows in prop::collection::vec((0..6i32, 0..6i32, 0..4u32), 0..40), real in any::<bool>(),
        ) {
            let value = |v: i32, i: usize| f64::from(v) + if real { i as f64 * 0.37 % 1.0 } else { 0.0 };
            let x: Vec<f64> = rows.iter().enumerate().map(|(i, r)| value(r.0, i)).collect();
            let y: Vec<f64> = rows.iter().enumerate().map(|(i, r)| value(r.1, 3 * i)).collect();
            let ranked = Ranked::new(&x, &y, [0.0; 2]);
            let mut scratch = Scratch::default();
            prop_assert_eq!(ranked.counts(|_| 1, &mut scratch), counted(&x, &y));
            // Episodes that are drawn several times, or never.
            let again = |v: &[f64]| -> Vec<f64> {
                v.iter().zip(&rows).flat_map(|(v, r)| std::iter::repeat_n(*v, r.2 as usize)).collect()
            };
            prop_assert_eq!(ranked.counts(|i| rows[i].2, &mut scratch), counted(&again(&x), &again(&y)));
        }
    }
}
