//! Sums over the states that two steps lead to: succ(succ(z) ∩ B).
//!
//! S5 = succ(S1) and S6 = succ(S2) are the same function of s' and of s: a terminal state has no successors, so leaving the
//! terminal states out of S2 takes nothing from S6. One sweep over the states serves both.

use std::ops::Range;

use super::classes::SuccessorClasses;
use super::local::{LocalMap, Stamps, StateSet};
use super::prefixes::Prefixes;
use crate::estimate::batch::BatchSet;
use crate::graph::Graph;
use crate::run::parallel;
use crate::run::prefetch::{self, RowsAhead};

/// What two steps from a state lead to: the states w ∈ succ(succ(z) ∩ B).
#[derive(Clone, Copy)]
pub(crate) struct Reached<const K: usize> {
    /// How many they are.
    pub states: u32,
    /// Their weights in all.
    pub sums: [f64; K],
}

/// `f(z, what two steps from z lead to)` for every state z. `batch` = `None` stands for all states.
///
/// Walks: O(Σ_z Σ_{y ∈ succ(z)} |succ(y)|). Where uniting rows of bits, O(edges · states / 64), is
/// less work, that is done instead, once for every distinct set of successors. Where a few states make most of the walks, what lists
/// of middle states have in common is done once ([`Prefixes`]), as it is where rows of bits would take too much memory.
pub(crate) fn map<const K: usize, T: Copy + Default + Send>(
    graph: &Graph,
    batch: Option<&BatchSet>,
    weights: &[[f64; K]],
    f: impl Fn(u32, Reached<K>) -> T + Sync + Send,
) -> Vec<T> {
    // A word of a row takes about a sixth of the time of a walk.
    let words = graph.states().div_ceil(64) as u64;
    let walks = graph.two_step_walks();
    let bits_are_faster = 6 * walks > graph.edges() as u64 * words;
    if graph.is_uneven() || bits_are_faster && !bits_fit(graph) {
        Prefixes::new(graph, batch).map(weights, f)
    } else if bits_are_faster {
        by_bits(graph, batch, weights, f)
    } else if Stamps::suit(graph) {
        by_walks(graph, walks, batch, weights, || Stamps::new(graph.states()), f)
    } else {
        by_walks(graph, walks, batch, weights, || LocalMap::new(graph.states()), f)
    }
}

/// Whether rows of bits of all states are not much more than the graph itself.
fn bits_fit(graph: &Graph) -> bool {
    const ANYWAY: u64 = 1 << 28;
    const BYTES_PER_EDGE: u64 = 32;
    let bytes = (graph.states() as u64).pow(2) / 8;
    bytes <= ANYWAY.max(BYTES_PER_EDGE * graph.edges() as u64)
}

fn by_walks<const K: usize, T: Copy + Default + Send, S: StateSet>(
    graph: &Graph,
    walks: u64,
    batch: Option<&BatchSet>,
    weights: &[[f64; K]],
    no_states: impl Fn() -> S + Sync + Send,
    f: impl Fn(u32, Reached<K>) -> T + Sync + Send,
) -> Vec<T> {
    // Σ over succ(y), for every y: the rows of the middle states are summed whole, and what is reached again is taken off.
    // Few states are reached twice, so weights are looked up once per edge rather than once per walk. With hardly more edges than
    // states that would gain nothing, and take more memory than the sample.
    let rows: Option<Vec<Row<K>>> = graph.has_few_states().then(|| {
        parallel::map(graph.states(), |y| {
            let mut row = Row { edges: graph.row_bounds(y as u32), sums: [0.0; K] };
            graph.successors(y as u32).iter().for_each(|&w| add(&mut row.sums, &weights[w as usize]));
            row
        })
    });
    let ahead = RowsAhead::new(graph);
    parallel::map_with(graph.states(), walks, T::default(), no_states, |reached, z| {
        let held = |y: u32| batch.is_none_or(|b| b.holds_state(y));
        reached.begin(|| {
            let middle = graph.successors(z as u32).iter().filter(|&&y| held(y));
            middle.map(|&y| graph.out_edges(y).len()).sum()
        });
        let (mut states, mut sums) = (0, [0.0; K]);
        let Some(rows) = &rows else {
            for &y in graph.successors(z as u32).iter().filter(|&&y| held(y)) {
                for &w in graph.successors(y).iter().filter(|&&w| reached.insert(w)) {
                    states += 1;
                    add(&mut sums, &weights[w as usize]);
                }
            }
            return f(z as u32, Reached { states, sums });
        };
        let mut twice = [0.0; K];
        for e in graph.out_edges(z as u32) {
            let ask_for = |y| prefetch::lines(graph.targets(), &rows[y as usize].edges());
            ahead.ask(e, |y| prefetch::line(rows, y as usize), ask_for);
            let y = graph.target(e);
            if !held(y) {
                continue;
            }
            let row = &rows[y as usize];
            add(&mut sums, &row.sums);
            states += row.edges[1] - row.edges[0];
            for &w in &graph.targets()[row.edges()] {
                if !reached.insert(w) {
                    states -= 1;
                    add(&mut twice, &weights[w as usize]);
                }
            }
        }
        f(z as u32, Reached { states, sums: std::array::from_fn(|k| sums[k] - twice[k]) })
    })
}

/// What is to be known of the successors of a state, in one place: on large graphs every place takes its time. So that three sums do
/// not lie in two lines of the cache, such rows begin at multiples of 32 bytes.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Row<const K: usize> {
    /// Where they start and end among the targets.
    edges: [u32; 2],
    /// The sums of their weights.
    sums: [f64; K],
}

impl<const K: usize> Row<K> {
    #[inline]
    fn edges(&self) -> Range<usize> {
        self.edges[0] as usize..self.edges[1] as usize
    }
}

impl<const K: usize> Default for Row<K> {
    fn default() -> Self {
        Row { edges: [0; 2], sums: [0.0; K] }
    }
}

/// Words of a row of bits that are united at a time, in registers.
const BLOCK: usize = 8;
/// States in a block.
const BLOCK_STATES: usize = 64 * BLOCK;

fn by_bits<const K: usize, T: Copy + Default + Send>(
    graph: &Graph,
    batch: Option<&BatchSet>,
    weights: &[[f64; K]],
    f: impl Fn(u32, Reached<K>) -> T + Sync + Send,
) -> Vec<T> {
    let SuccessorClasses { class_of, representative } = SuccessorClasses::of(graph);
    let classes = representative.len();
    let blocks = graph.states().div_ceil(BLOCK_STATES);
    // Block by block, so that what is united for one block of a large graph lies close together.
    let mut rows = vec![[0u64; BLOCK]; blocks * classes];
    for (class, &x) in representative.iter().enumerate() {
        for &y in graph.successors(x) {
            let y = y as usize;
            rows[y / BLOCK_STATES * classes + class][y / 64 % BLOCK] |= 1 << (y % 64);
        }
    }
    let weights = WordWeights::new(weights);
    let edges: usize = representative.iter().map(|&x| graph.out_edges(x).len()).sum();
    let reached = parallel::map_with(
        classes,
        // Uniting a block takes as long as a few steps of a walk.
        (4 * edges * blocks) as u64,
        Reached { states: 0, sums: [0.0; K] },
        Vec::new,
        |scratch: &mut Vec<u32>, class| {
            let successors = graph.successors(representative[class]);
            let middle = if classes == graph.states() && batch.is_none() {
                successors
            } else {
                let held = successors.iter().filter(|&&y| batch.is_none_or(|b| b.holds_state(y)));
                scratch.clear();
                scratch.extend(held.map(|&y| class_of[y as usize]));
                scratch.dedup();
                scratch.as_slice()
            };
            let (mut states, mut sums) = (0, PairedSums::new());
            for block in 0..blocks {
                let rows = &rows[block * classes..(block + 1) * classes];
                let mut reached = [0u64; BLOCK];
                for &next in middle {
                    for (reached, word) in reached.iter_mut().zip(&rows[next as usize]) {
                        *reached |= word;
                    }
                }
                for (word, weights) in reached.iter().zip(&weights.0[block * BLOCK..]) {
                    states += word.count_ones();
                    sums.add(*word, weights);
                }
            }
            Reached { states, sums: sums.total() }
        },
    );
    parallel::map(graph.states(), |z| f(z as u32, reached[class_of[z] as usize]))
}

/// The weights of the states of every word, and zeros for the place that `trailing_zeros` names of a word without bits.
struct WordWeights<const K: usize>(Vec<[[f64; K]; 65]>);

impl<const K: usize> WordWeights<K> {
    fn new(weights: &[[f64; K]]) -> Self {
        WordWeights(
            weights
                .chunks(64)
                .map(|weights| {
                    let mut word = [[0.0; K]; 65];
                    word[..weights.len()].copy_from_slice(weights);
                    word
                })
                .collect(),
        )
    }
}

/// Sums over the bits of words. Those of every other bit go to a second sum, so that one addition need not wait for the other.
struct PairedSums<const K: usize>([[f64; K]; 2]);

impl<const K: usize> PairedSums<K> {
    fn new() -> Self {
        PairedSums([[0.0; K]; 2])
    }

    /// Adds the weights of the bits of a word, four at a time: most words of a sparse row have fewer, and adding zeros for those
    /// that are missing takes less time than a branch that cannot be foreseen.
    #[inline]
    fn add(&mut self, mut word: u64, weights: &[[f64; K]; 65]) {
        loop {
            for _ in 0..2 {
                for sums in &mut self.0 {
                    add(sums, &weights[word.trailing_zeros() as usize]);
                    word &= word.wrapping_sub(1);
                }
            }
            if word == 0 {
                break;
            }
        }
    }

    fn total(self) -> [f64; K] {
        let [mut sums, others] = self.0;
        add(&mut sums, &others);
        sums
    }
}

#[inline]
pub(super) fn add<const K: usize>(sums: &mut [f64; K], more: &[f64; K]) {
    for k in 0..K {
        sums[k] += more[k];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Duplicates, RewardSample};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn all_ways_equal_the_definition(
            // The second range gives several blocks of words.
            range in prop_oneof![Just(70u32), Just(1300)],
            edges in prop::collection::vec((any::<u32>(), any::<u32>()), 1..900),
            // How much less often a state is met than the one before it: hubs.
            skew in prop_oneof![Just(1i32), Just(4)],
            kept in prop::collection::vec(any::<bool>(), 1300),
        ) {
            let at = |x: u32| ((f64::from(x) / f64::from(u32::MAX)).powi(skew) * f64::from(range - 1)) as u32;
            let rows = edges.iter().map(|&(x, y)| (at(x), 0, at(y), 0.0));
            let sample = RewardSample::from_rows(rows, Duplicates::Mean).unwrap();
            let graph = &sample.graph;
            let weights: Vec<[f64; 1]> = (0..graph.states()).map(|w| [(w * w) as f64]).collect();
            let tokens = sample.states().iter().zip(&kept).filter(|(_, k)| **k).map(|(t, _)| t);
            let chosen = BatchSet::states(&sample, tokens);
            for batch in [None, Some(&chosen)] {
                let expected: Vec<[f64; 2]> = (0..graph.states() as u32)
                    .map(|z| {
                        let held = |y: &&u32| batch.is_none_or(|b| b.holds_state(**y));
                        let reached: BTreeSet<u32> = (graph.successors(z).iter().filter(held))
                            .flat_map(|&y| graph.successors(y).iter().copied())
                            .collect();
                        [reached.len() as f64, reached.iter().map(|&w| f64::from(w * w)).sum()]
                    })
                    .collect();
                let walks = graph.two_step_walks();
                let stamps = || Stamps::new(graph.states());
                let with_count = |_, Reached { states, sums }: Reached<1>| [f64::from(states), sums[0]];
                prop_assert_eq!(&by_walks(graph, walks, batch, &weights, stamps, with_count), &expected);
                let map = || LocalMap::new(u32::MAX as usize);
                prop_assert_eq!(&by_walks(graph, walks, batch, &weights, map, with_count), &expected);
                prop_assert_eq!(&by_bits(graph, batch, &weights, with_count), &expected);
                prop_assert_eq!(&Prefixes::new(graph, batch).map(&weights, with_count), &expected);
            }
        }
    }
}
