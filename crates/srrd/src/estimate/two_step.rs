//! Sums over the states that two steps lead to: succ(succ(z) ∩ B).
//!
//! S5 = succ(S1) and S6 = succ(S2) are the same function of s' and of s: a terminal state has no successors, so leaving the
//! terminal states out of S2 takes nothing from S6. One sweep over the states serves both.

use super::classes::SuccessorClasses;
use super::local::LocalMap;
use crate::batch::BatchSet;
use crate::graph::Graph;
use crate::parallel;

/// For every state z, `f(z, Σ_{w ∈ succ(succ(z) ∩ B)} weights[w])`. `batch` = `None` stands for all states.
///
/// Walks: O(Σ_z Σ_{y ∈ succ(z)} |succ(y)|). Where uniting rows of bits, O(edges · states / 64), is
/// less work, that is done instead, once for every distinct set of successors.
pub(crate) fn map<const K: usize, T: Copy + Default + Send>(
    graph: &Graph,
    batch: Option<&BatchSet>,
    weights: &[[f64; K]],
    f: impl Fn(u32, [f64; K]) -> T + Sync + Send,
) -> Vec<T> {
    // A word of a row takes about a sixth of the time of a walk.
    let words = graph.states().div_ceil(64) as u64;
    if 6 * graph.two_step_walks() > graph.edges() as u64 * words {
        by_bits(graph, batch, weights, f)
    } else {
        by_walks(graph, batch, weights, f)
    }
}

fn by_walks<const K: usize, T: Copy + Default + Send>(
    graph: &Graph,
    batch: Option<&BatchSet>,
    weights: &[[f64; K]],
    f: impl Fn(u32, [f64; K]) -> T + Sync + Send,
) -> Vec<T> {
    // Σ over succ(y), for every y: the rows of the middle states are summed whole, and what is reached again is taken off.
    // Few states are reached twice, so weights are looked up once an edge rather than once a walk.
    let rows: Vec<Sums<K>> = parallel::map(graph.states(), |y| {
        let mut sums = [0.0; K];
        graph.successors(y as u32).iter().for_each(|&w| add(&mut sums, &weights[w as usize]));
        Sums(sums)
    });
    parallel::map_with(
        graph.states(),
        graph.two_step_walks(),
        T::default(),
        || LocalMap::new(graph.states()),
        |reached, z| {
            let middle = || graph.successors(z as u32).iter().filter(|&&y| batch.is_none_or(|b| b.holds_state(y)));
            let mut sums = [0.0; K];
            let mut twice = [0.0; K];
            reached.begin(middle().map(|&y| graph.out_edges(y).len()).sum());
            for &y in middle() {
                add(&mut sums, &rows[y as usize].0);
                for &w in graph.successors(y) {
                    if !reached.insert(w) {
                        add(&mut twice, &weights[w as usize]);
                    }
                }
            }
            f(z as u32, std::array::from_fn(|k| sums[k] - twice[k]))
        },
    )
}

/// An array with a default.
#[derive(Clone, Copy)]
struct Sums<const K: usize>([f64; K]);

impl<const K: usize> Default for Sums<K> {
    fn default() -> Self {
        Sums([0.0; K])
    }
}

fn by_bits<const K: usize, T: Copy + Default + Send>(
    graph: &Graph,
    batch: Option<&BatchSet>,
    weights: &[[f64; K]],
    f: impl Fn(u32, [f64; K]) -> T + Sync + Send,
) -> Vec<T> {
    // Whole blocks of words, which become vector instructions.
    let words = graph.states().div_ceil(64).next_multiple_of(BLOCK);
    let classes = SuccessorClasses::of(graph);
    let mut rows = vec![0u64; classes.representative.len() * words];
    for (row, &x) in rows.chunks_exact_mut(words).zip(&classes.representative) {
        graph.successors(x).iter().for_each(|&y| row[y as usize / 64] |= 1 << (y % 64));
    }
    let sums = parallel::map_with(
        classes.representative.len(),
        (graph.edges() * words) as u64,
        [0.0; K],
        || vec![0u64; words],
        |reached, class| {
            reached.fill(0);
            let mut last = None;
            for &y in graph.successors(classes.representative[class]) {
                let next = classes.class_of[y as usize] as usize;
                if last != Some(next) && batch.is_none_or(|b| b.holds_state(y)) {
                    let row = &rows[next * words..(next + 1) * words];
                    unite(reached, row);
                    last = Some(next);
                }
            }
            // Two sums side by side, so that one addition need not wait for the other.
            let (mut sums, mut others) = ([0.0; K], [0.0; K]);
            for (i, &word) in reached.iter().enumerate() {
                let mut word = word;
                while word != 0 {
                    add(&mut sums, &weights[i * 64 + word.trailing_zeros() as usize]);
                    word &= word - 1;
                    if word == 0 {
                        break;
                    }
                    add(&mut others, &weights[i * 64 + word.trailing_zeros() as usize]);
                    word &= word - 1;
                }
            }
            add(&mut sums, &others);
            sums
        },
    );
    parallel::map(graph.states(), |z| f(z as u32, sums[classes.class_of[z] as usize]))
}

/// Words that are united at a time.
const BLOCK: usize = 4;

#[inline]
fn unite(reached: &mut [u64], row: &[u64]) {
    let (reached, row) = (reached.as_chunks_mut::<BLOCK>().0, row.as_chunks::<BLOCK>().0);
    for (reached, row) in reached.iter_mut().zip(row) {
        for k in 0..BLOCK {
            reached[k] |= row[k];
        }
    }
}

#[inline]
fn add<const K: usize>(sums: &mut [f64; K], more: &[f64; K]) {
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
        fn both_ways_equal_the_definition(
            edges in prop::collection::vec((0..70u32, 0..70u32), 1..600), kept in prop::collection::vec(any::<bool>(), 70),
        ) {
            let sample =
                RewardSample::from_rows(edges.iter().map(|&(x, y)| (x, 0, y, 0.0)), Duplicates::Mean).unwrap();
            let graph = &sample.graph;
            let weights: Vec<[f64; 2]> = (0..graph.states()).map(|w| [1.0, (w * w) as f64]).collect();
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
                prop_assert_eq!(&by_walks(graph, batch, &weights, |_, sums| sums), &expected);
                prop_assert_eq!(&by_bits(graph, batch, &weights, |_, sums| sums), &expected);
            }
        }
    }
}
