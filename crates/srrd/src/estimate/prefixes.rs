//! Sums over the states two steps on where a few states have very many successors: reset states, hubs of stars, power laws.
//!
//! What two steps from z lead to is the union of the successors of succ(z) ∩ B. Written with the most successors first, these lists
//! of middle states are the paths of a tree, which is gone through once: a state of a path adds what was not reached before it, and
//! takes it off again when the path is left. Lists that begin alike share that work. So equal lists cost what one costs, and the
//! successors of a hub are looked at once for all states that lead to it, not once for each of them.
//!
//! O(edges · log) to sort, and Σ over the distinct beginnings of lists of |succ(last of it)|: never more than the walks of two steps,
//! and on stars no more than the edges. Rows of at least a thirty-second of all states are kept as bits, so that what was reached
//! already costs a word for 64 of them: at most 4 bytes per edge in all. A sum depends on its path alone, so that no bit depends on
//! how the tree is cut for threads.

use rayon::prelude::*;
use std::cmp::Reverse;
use std::ops::Range;

use super::two_step::{Reached, add};
use crate::estimate::batch::BatchSet;
use crate::graph::Graph;
use crate::run::{Pace, checkpoint, parallel};

/// A row with at least this part of all states is kept as bits.
const WIDE: usize = 32;

/// Every state's list of middle states, and an order in which lists that begin alike follow each other.
pub(super) struct Prefixes<'a> {
    graph: &'a Graph,
    /// All states, those with the most successors first.
    by_degree: Vec<u32>,
    /// Of every state: the places in `by_degree` of those of its successors that are in the batch and lead on, ascending.
    start: Vec<u32>,
    middle: Vec<u32>,
    /// The states in the order of their lists.
    order: Vec<u32>,
    /// The rows of the first states of `by_degree`, as bits.
    wide: Vec<u64>,
}

impl<'a> Prefixes<'a> {
    pub fn new(graph: &'a Graph, batch: Option<&BatchSet>) -> Self {
        let states = graph.states();
        let mut by_degree: Vec<u32> = (0..states as u32).collect();
        by_degree.par_sort_unstable_by_key(|&x| (Reverse(graph.out_edges(x).len()), x));
        checkpoint();
        let mut place = vec![0u32; states];
        by_degree.iter().zip(0..).for_each(|(&x, rank)| place[x as usize] = rank);

        let kept = |y: u32| graph.is_initial(y) && batch.is_none_or(|b| b.holds_state(y));
        let mut start = Vec::with_capacity(states + 1);
        start.push(0);
        let mut middle = Vec::new();
        let mut pace = Pace::default();
        for z in 0..states as u32 {
            let first = middle.len();
            middle.extend(graph.successors(z).iter().filter(|&&y| kept(y)).map(|&y| place[y as usize]));
            middle[first..].sort_unstable();
            start.push(middle.len() as u32);
            pace.spend(8 * (middle.len() - first));
        }
        drop(place);

        let of = |z: u32| &middle[start[z as usize] as usize..start[z as usize + 1] as usize];
        // Most lists are told apart by their first two places.
        let head =
            |z: u32| of(z).iter().take(2).fold((0u64, 32), |(key, shift), &p| (key | (u64::from(p) + 1) << shift, 0)).0;
        let mut order: Vec<(u64, u32)> = (0..states as u32).map(|z| (head(z), z)).collect();
        order.par_sort_unstable_by(|p, q| {
            checkpoint();
            p.0.cmp(&q.0).then_with(|| of(p.1).cmp(of(q.1))).then(p.1.cmp(&q.1))
        });
        let order = order.into_iter().map(|(_, z)| z).collect();

        let words = states.div_ceil(64);
        let wide_rows =
            by_degree.iter().take_while(|&&x| graph.out_edges(x).len() * WIDE >= states.max(64 * WIDE)).count();
        let mut wide = vec![0u64; wide_rows * words];
        for (row, &x) in wide.chunks_mut(words.max(1)).zip(&by_degree) {
            graph.successors(x).iter().for_each(|&y| row[y as usize / 64] |= 1 << (y % 64));
        }
        Prefixes { graph, by_degree, start, middle, order, wide }
    }

    fn list(&self, z: u32) -> &[u32] {
        &self.middle[self.start[z as usize] as usize..self.start[z as usize + 1] as usize]
    }

    fn successors(&self, place: u32) -> &[u32] {
        self.graph.successors(self.by_degree[place as usize])
    }

    /// How many successors are looked at in all.
    pub fn steps(&self) -> u64 {
        let mut last: &[u32] = &[];
        let mut steps = 0;
        for &z in &self.order {
            let list = self.list(z);
            let rest = &list[shared(last, list)..];
            steps += rest.iter().map(|&place| self.successors(place).len() as u64).sum::<u64>();
            last = list;
        }
        steps
    }

    /// `f(z, what two steps from z lead to)` for every state z.
    pub fn map<const K: usize, T: Copy + Default + Send>(
        &self,
        weights: &[[f64; K]],
        f: impl Fn(u32, Reached<K>) -> T + Sync + Send,
    ) -> Vec<T> {
        let states = self.graph.states();
        let work = self.steps() + states as u64;
        let sorted = parallel::map_with(
            states,
            work,
            T::default(),
            || Path::new(states),
            |path, i| {
                let z = self.order[i];
                f(z, path.lead_to(self, z, weights))
            },
        );
        let mut values = vec![T::default(); states];
        self.order.iter().zip(sorted).for_each(|(&z, value)| values[z as usize] = value);
        values
    }

    /// The row of a state as bits, if it is kept so.
    fn bits(&self, place: u32) -> Option<&[u64]> {
        let words = self.graph.states().div_ceil(64);
        self.wide.get(words * place as usize..words * (place as usize + 1))
    }
}

/// How many places two lists have in common at their beginnings.
fn shared(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// A path of the tree, and what its states lead to.
struct Path<const K: usize> {
    marks: Vec<u64>,
    /// The marked states, in the order in which they were reached.
    reached: Vec<u32>,
    /// What was reached at the beginning and after every state of the path.
    sums: Vec<[f64; K]>,
    counts: Vec<usize>,
    /// The path: where it lies among all lists.
    list: Range<usize>,
}

impl<const K: usize> Path<K> {
    fn new(states: usize) -> Self {
        let marks = vec![0; states.div_ceil(64)];
        Path { marks, reached: Vec::new(), sums: vec![[0.0; K]], counts: vec![0], list: 0..0 }
    }

    /// Makes this the path of z, from where it leaves the one it was.
    fn lead_to(&mut self, tree: &Prefixes<'_>, z: u32, weights: &[[f64; K]]) -> Reached<K> {
        let list = tree.list(z);
        let common = shared(&tree.middle[self.list.clone()], list);
        self.sums.truncate(common + 1);
        self.counts.truncate(common + 1);
        for w in self.reached.drain(self.counts[common]..) {
            self.marks[w as usize / 64] &= !(1 << (w % 64));
        }
        for &place in &list[common..] {
            self.go_on(tree, place, weights);
        }
        self.list = tree.start[z as usize] as usize..tree.start[z as usize + 1] as usize;
        Reached { states: self.reached.len() as u32, sums: self.sums[list.len()] }
    }

    fn go_on(&mut self, tree: &Prefixes<'_>, place: u32, weights: &[[f64; K]]) {
        let mut sums = self.sums[self.sums.len() - 1];
        match tree.bits(place) {
            Some(row) => {
                for (word, (marks, row)) in self.marks.iter_mut().zip(row).enumerate() {
                    let mut new = row & !*marks;
                    *marks |= new;
                    while new != 0 {
                        let w = 64 * word + new.trailing_zeros() as usize;
                        new &= new - 1;
                        self.reached.push(w as u32);
                        add(&mut sums, &weights[w]);
                    }
                }
            }
            None => {
                for &w in tree.successors(place) {
                    let (word, bit) = (&mut self.marks[w as usize / 64], 1 << (w % 64));
                    if *word & bit == 0 {
                        *word |= bit;
                        self.reached.push(w);
                        add(&mut sums, &weights[w as usize]);
                    }
                }
            }
        }
        self.sums.push(sums);
        self.counts.push(self.reached.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Duplicates, RewardSample};

    fn sample(edges: impl Iterator<Item = (u32, u32)>) -> RewardSample {
        RewardSample::from_rows(edges.map(|(x, y)| (x, 0, y, 0.0)), Duplicates::Mean).unwrap()
    }

    /// Looks at a few successors per edge, where walks are edges · states.
    fn is_linear(edges: impl Iterator<Item = (u32, u32)>) {
        let sample = sample(edges);
        let graph = &sample.graph;
        let steps = Prefixes::new(graph, None).steps();
        assert!(graph.two_step_walks() > 100 * graph.edges() as u64);
        assert!(steps <= 3 * graph.edges() as u64, "{steps} steps for {} edges", graph.edges());
    }

    #[test]
    fn hubs_are_looked_at_once() {
        let leaves = 1..2000u32;
        is_linear(leaves.clone().flat_map(|leaf| [(0, leaf), (leaf, 0)]));
        // Two hubs, some leaves of either and some of both.
        is_linear(leaves.clone().flat_map(|leaf| {
            let hubs = [5000, 5001].into_iter().filter(move |hub| leaf % 3 != hub - 5000);
            hubs.flat_map(move |hub| [(hub, leaf), (leaf, hub)])
        }));
        // A chain whose states can all be reset: no two lists are equal.
        is_linear(leaves.clone().flat_map(|x| [(x, x + 1), (x, 0), (0, x)]));
        // A funnel: all lead to one, which leads to others.
        is_linear(leaves.flat_map(|x| [(x, 0), (0, x + 5000)]));
    }
}
