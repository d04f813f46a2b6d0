//! The sampled transitions as a graph: compressed sparse rows.
//!
//! An *edge* is a pair of states (x, y) that at least one sampled transition joins; the transitions of an edge differ in
//! their action. Edges are sorted by (x, y) and the transitions of an edge lie side by side, so that a transition's index
//! is its rank in (state, next state, action) order.

use rayon::prelude::*;
use std::ops::Range;
use std::sync::OnceLock;

use crate::run::parallel;

/// Compressed sparse rows over edges. Ids are 32 bits wide: 4.29 billion transitions at most.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    out_start: Vec<u32>,
    source: Vec<u32>,
    target: Vec<u32>,
    /// The first transition of every edge, and the number of transitions at the end.
    first: Vec<u32>,
    /// Whether transitions end in a state.
    subsequent: Vec<bool>,
    /// How many walks of two steps there are, counted when it is first asked for.
    walks: OnceLock<u64>,
}

impl PartialEq for Graph {
    fn eq(&self, other: &Self) -> bool {
        self.out_start == other.out_start && self.target == other.target && self.first == other.first
    }
}

impl Graph {
    /// Builds the graph from edges sorted by (source, target), where those of every state start, and the first transition of each; the
    /// last two end with the number of edges and of transitions.
    pub fn new(out_start: Vec<u32>, source: Vec<u32>, target: Vec<u32>, first: Vec<u32>) -> Self {
        debug_assert!(source.iter().zip(&target).is_sorted());
        debug_assert_eq!(out_start, starts(out_start.len() - 1, &source));
        debug_assert_eq!(first.len(), target.len() + 1);
        let subsequent = parallel::occurring(&[&target], out_start.len() - 1);
        Graph { out_start, source, target, first, subsequent, walks: OnceLock::new() }
    }

    pub fn states(&self) -> usize {
        self.out_start.len() - 1
    }

    pub fn edges(&self) -> usize {
        self.target.len()
    }

    /// Whether there are so many more edges than states that numbers kept of every state are little beside the graph, and save work.
    pub fn has_few_states(&self) -> bool {
        self.edges() > 2 * self.states()
    }

    /// The edges that leave `x`.
    #[inline]
    pub fn out_edges(&self, x: u32) -> Range<usize> {
        self.out_start[x as usize] as usize..self.out_start[x as usize + 1] as usize
    }

    /// Where the edges that leave `x` start; of one past the last state, the number of edges.
    #[inline]
    pub fn first_edge(&self, x: u32) -> usize {
        self.out_start[x as usize] as usize
    }

    /// Where the edges that leave `x` start and end.
    #[inline]
    pub fn row_bounds(&self, x: u32) -> [u32; 2] {
        [self.out_start[x as usize], self.out_start[x as usize + 1]]
    }

    /// Where the edges of every state start, and the number of edges at the end.
    pub fn row_starts(&self) -> &[u32] {
        &self.out_start
    }

    /// The end of every edge.
    pub fn targets(&self) -> &[u32] {
        &self.target
    }

    /// Where the transitions of an edge start; of one past the last edge, the number of transitions.
    #[inline]
    pub fn first_transition(&self, edge: usize) -> usize {
        self.first[edge] as usize
    }

    /// Where the transitions of these edges start, and where those of the last of them end.
    #[inline]
    pub fn transition_bounds(&self, edges: Range<usize>) -> &[u32] {
        &self.first[edges.start..edges.end + 1]
    }

    /// succ(x), ascending.
    #[inline]
    pub fn successors(&self, x: u32) -> &[u32] {
        &self.target[self.out_edges(x)]
    }

    #[inline]
    pub fn source(&self, edge: usize) -> u32 {
        self.source[edge]
    }

    #[inline]
    pub fn target(&self, edge: usize) -> u32 {
        self.target[edge]
    }

    /// The transitions of an edge, one an action.
    #[inline]
    pub fn transitions(&self, edge: usize) -> Range<usize> {
        self.first[edge] as usize..self.first[edge + 1] as usize
    }

    /// How many actions join the two states of an edge.
    #[inline]
    pub fn multiplicity(&self, edge: usize) -> u32 {
        self.first[edge + 1] - self.first[edge]
    }

    /// How many transitions start from `x`.
    #[inline]
    pub fn transitions_from(&self, x: u32) -> u32 {
        let edges = self.out_edges(x);
        self.first[edges.end] - self.first[edges.start]
    }

    /// Whether transitions start from `x`: x ∈ S3, "non-terminal".
    #[inline]
    pub fn is_initial(&self, x: u32) -> bool {
        self.out_start[x as usize] < self.out_start[x as usize + 1]
    }

    /// Whether transitions end in `x`: x ∈ S4.
    #[inline]
    pub fn is_subsequent(&self, x: u32) -> bool {
        self.subsequent[x as usize]
    }

    /// Σ over edges (x, y) of |succ(y)|: what it costs to look at all walks of two steps one by one.
    pub fn two_step_walks(&self) -> u64 {
        *self.walks.get_or_init(|| parallel::sum(&self.target, |&y| self.out_edges(y).len() as u64))
    }

    /// Whether a few states make most of the walks of two steps: these are many for every edge, and many times those of a graph
    /// whose states have equally many edges.
    pub fn is_uneven(&self) -> bool {
        const MANY: u64 = 32;
        const TIMES: f64 = 4.0;
        let (edges, walks) = (self.edges() as f64, self.two_step_walks());
        walks > MANY * self.edges() as u64 && walks as f64 * self.states() as f64 > TIMES * edges * edges
    }
}

/// Row starts of keys that lie in 0..rows.
pub(crate) fn starts(rows: usize, keys: &[u32]) -> Vec<u32> {
    let mut start = vec![0u32; rows + 1];
    for &key in keys {
        start[key as usize + 1] += 1;
    }
    for i in 0..rows {
        start[i + 1] += start[i];
    }
    start
}

/// As [`starts`], of keys that ascend, on all threads.
pub(crate) fn starts_of_sorted(rows: usize, keys: &[u32]) -> Vec<u32> {
    debug_assert!(keys.is_sorted());
    let mut start = vec![keys.len() as u32; rows + 1];
    // Every stretch of keys says where the rows behind the last key before it start, up to that of its own last key.
    let mut rest = start.as_mut_slice();
    let mut next_row = 0;
    let stretches = keys.chunks(STRETCH).enumerate().map(|(stretch, keys)| {
        let first_row = next_row;
        next_row = keys.last().map_or(next_row, |&last| last + 1);
        let (of_stretch, after) = std::mem::take(&mut rest).split_at_mut((next_row - first_row) as usize);
        rest = after;
        (stretch * STRETCH, keys, first_row, of_stretch)
    });
    let fill = |(from, keys, mut row, start): (usize, &[u32], u32, &mut [u32])| {
        let mut start = start.iter_mut();
        for (&key, at) in keys.iter().zip(from as u32..) {
            while row <= key {
                *start.next().expect("there is one for every row up to the last key") = at;
                row += 1;
            }
        }
    };
    if keys.len() <= STRETCH {
        stretches.for_each(fill)
    } else {
        stretches.collect::<Vec<_>>().into_par_iter().for_each(fill)
    }
    start
}

/// So many keys a thread looks at in one go.
const STRETCH: usize = 1 << 15;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_tell_edges_and_transitions() {
        // 0 -> 1 (two actions), 0 -> 2, 2 -> 1; state 3 is isolated.
        let graph = Graph::new(vec![0, 2, 2, 3, 3], vec![0, 0, 2], vec![1, 2, 1], vec![0, 2, 3, 4]);
        assert_eq!(graph.successors(0), [1, 2]);
        assert_eq!(graph.transitions(0), 0..2);
        assert_eq!(graph.multiplicity(2), 1);
        assert!(graph.is_initial(2) && !graph.is_initial(1));
        assert!(graph.is_subsequent(1) && !graph.is_subsequent(0) && !graph.is_subsequent(3));
        assert_eq!(graph.two_step_walks(), 1);
    }

    #[test]
    fn sorted_keys_start_where_counting_says() {
        for (count, step) in
            [(0, 1), (1, 5), (1000, 3), (3 * STRETCH + 7, 1), (2 * STRETCH, 700), (STRETCH + 1, 100_000)]
        {
            let keys: Vec<u32> = (0..count).map(|i| (i / step * 3 + 2) as u32).collect();
            let rows = keys.last().map_or(4, |&last| last as usize + 4);
            assert_eq!(starts_of_sorted(rows, &keys), starts(rows, &keys), "{count} keys, {step} of each");
        }
    }
}
