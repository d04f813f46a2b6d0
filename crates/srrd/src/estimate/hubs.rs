//! DARD's sums over succ(s) × succ(s') where a few states, the hubs, have very many successors.
//!
//! The sum of an edge (s, s') is Σ_{x ∈ succ(s)} g(x, s') with g(x, y) = Σ of the values of the edges from x into succ(y). Where neither
//! x nor s' is a hub, the sums are gathered as in [`sparse`](super::cross). A hub's row of values is spread out once, and all states s
//! that lead to it look up in it what they need: as s', which of the edges of their other successors end in its row; as x, what its
//! row holds for their other successors. Where both are hubs, g is computed once for the two.
//!
//! O(Σ_s (1 + hubs in succ(s)) · Σ_{x ∈ succ(s), no hub} |succ(x)| + hubs · edges of hubs), states with equal successors counting once.
//! On a star that is O(edges). How many hubs there are is chosen so that this is least. It is a count of four-cycles, for which no
//! linear method is known.

use super::classes::SuccessorClasses;
use super::local::{LocalMap, StateSet};
use crate::graph::Graph;
use crate::run::Pace;
use crate::run::parallel;

const NONE: u32 = u32::MAX;

/// Which states are treated as hubs, and what that takes.
pub(super) struct Hubs {
    classes: SuccessorClasses,
    hubs: Vec<u32>,
    /// The number of a hub; `NONE` of any other state.
    number: Vec<u32>,
    /// How many edges are looked at.
    pub steps: u64,
}

/// How many hubs may be tried.
const SIZES: [usize; 7] = [0, 1, 4, 16, 64, 256, 1024];

impl Hubs {
    pub fn choose(graph: &Graph) -> Self {
        let classes = SuccessorClasses::found(graph);
        let mut entering = vec![0u64; graph.states()];
        for &s in &classes.representative {
            graph.successors(s).iter().for_each(|&x| entering[x as usize] += 1);
        }
        // What a state costs that is no hub: its edges, for every state that leads to it.
        let cost = |x: u32| entering[x as usize] * graph.out_edges(x).len() as u64;
        let mut dearest: Vec<u32> = (0..graph.states() as u32).filter(|&x| cost(x) > 0).collect();
        let most = SIZES[SIZES.len() - 1].min(dearest.len());
        if most < dearest.len() {
            dearest.select_nth_unstable_by_key(most, |&x| (std::cmp::Reverse(cost(x)), x));
            dearest.truncate(most);
        }
        dearest.sort_unstable_by_key(|&x| (std::cmp::Reverse(cost(x)), x));
        let numbered = |count: usize| {
            let mut number = vec![NONE; graph.states()];
            dearest[..count].iter().zip(0..).for_each(|(&hub, i)| number[hub as usize] = i);
            number
        };
        let steps = |count: usize| steps(graph, &classes, &dearest[..count], &numbered(count));
        let sizes = SIZES.iter().map(|&size| size.min(most));
        let (steps, count) = sizes.map(|size| (steps(size), size)).min().expect("there are sizes to try");
        let number = numbered(count);
        dearest.truncate(count);
        Hubs { classes, hubs: dearest, number, steps }
    }

    fn is_hub(&self, x: u32) -> bool {
        self.number[x as usize] != NONE
    }

    /// For every edge (s, s'): Σ_{x ∈ succ(s)} Σ_{y ∈ succ(s')} value(x, y).
    pub fn cross_sums(&self, graph: &Graph, edge_values: &[f64]) -> Vec<f64> {
        let between = self.between(graph, edge_values);
        let mut sums = parallel::fill_rows(
            graph.states(),
            |x| graph.first_edge(x),
            self.steps,
            |range, sums| {
                let first = graph.first_edge(range.start);
                let is_first = |s: &u32| self.classes.representative[self.classes.class_of[*s as usize] as usize] == *s;
                let states: Vec<u32> = range.filter(is_first).collect();
                self.without_hubs(graph, edge_values, &states, first, sums);
                self.with_hubs(graph, edge_values, &between, &states, first, sums);
            },
        );
        for (s, &class) in (0..).zip(&self.classes.class_of) {
            let same = self.classes.representative[class as usize];
            if same != s {
                sums.copy_within(graph.out_edges(same), graph.first_edge(s));
            }
        }
        sums
    }

    /// g(x, h) for every two hubs, those of one h side by side.
    fn between(&self, graph: &Graph, edge_values: &[f64]) -> Vec<f64> {
        let count = self.hubs.len();
        let work = count as u64 * self.hubs.iter().map(|&x| graph.out_edges(x).len() as u64).sum::<u64>();
        let fill = |hubs: std::ops::Range<u32>, sums: &mut [f64]| {
            let mut row = Row::new(graph.states());
            let mut pace = Pace::default();
            for (h, sums) in hubs.zip(sums.chunks_mut(count.max(1))) {
                row.spread(graph, edge_values, self.hubs[h as usize]);
                for (sum, &x) in sums.iter_mut().zip(&self.hubs) {
                    pace.spend(graph.out_edges(x).len());
                    *sum = row.meet(graph, edge_values, x).ending;
                }
            }
        };
        parallel::fill_rows(count, |h| h as usize * count, work, fill)
    }

    /// The sums of edges to states that are no hubs, over states that are none.
    fn without_hubs(&self, graph: &Graph, edge_values: &[f64], states: &[u32], first: usize, sums: &mut [f64]) {
        let mut v = LocalMap::new(graph.states());
        let mut pace = Pace::default();
        for &s in states {
            let middle = || graph.successors(s).iter().zip(graph.out_edges(s)).filter(|(x, _)| !self.is_hub(**x));
            let walks = middle().map(|(&x, _)| graph.out_edges(x).len()).sum();
            pace.spend(2 * walks);
            v.begin(|| walks);
            for (&x, _) in middle() {
                graph.out_edges(x).for_each(|e| v.add(graph.target(e), edge_values[e]));
            }
            for (&next, edge) in middle() {
                sums[edge - first] = graph.successors(next).iter().fold(0.0, |sum, &y| sum + v.get(y));
            }
        }
    }

    /// Adds what hubs add as x, and fills in the sums of edges to hubs.
    fn with_hubs(
        &self,
        graph: &Graph,
        edge_values: &[f64],
        between: &[f64],
        states: &[u32],
        first: usize,
        sums: &mut [f64],
    ) {
        // By hub: the edges that lead to it.
        let mut to_hubs: Vec<(u32, u32)> = Vec::new();
        for &s in states {
            let edges = graph.successors(s).iter().zip(graph.out_edges(s)).filter(|(x, _)| self.is_hub(**x));
            to_hubs.extend(edges.map(|(&x, e)| (self.number[x as usize], e as u32)));
        }
        if to_hubs.is_empty() {
            return;
        }
        to_hubs.sort_unstable();
        let mut row = Row::new(graph.states());
        let mut pace = Pace::default();
        for edges in to_hubs.chunk_by(|p, q| p.0 == q.0) {
            let h = edges[0].0 as usize;
            row.spread(graph, edge_values, self.hubs[h]);
            for &(_, edge) in edges {
                let s = graph.source(edge as usize);
                let mut ending = 0.0;
                for (&x, to_x) in graph.successors(s).iter().zip(graph.out_edges(s)) {
                    match self.number[x as usize] {
                        NONE => {
                            let met = row.meet(graph, edge_values, x);
                            ending += met.ending;
                            sums[to_x - first] += met.held;
                            pace.spend(graph.out_edges(x).len());
                        }
                        other => ending += between[h * self.hubs.len() + other as usize],
                    }
                }
                sums[edge as usize - first] = ending;
            }
        }
    }
}

/// How many edges are looked at with these hubs.
fn steps(graph: &Graph, classes: &SuccessorClasses, hubs: &[u32], number: &[u32]) -> u64 {
    let of_state = |s: &u32| {
        let (mut met, mut walks) = (0, 0);
        for &x in graph.successors(*s) {
            match number[x as usize] {
                NONE => walks += graph.out_edges(x).len() as u64,
                _ => met += 1,
            }
        }
        // Gathering goes through the edges twice.
        (2 + met) * walks + met * met
    };
    let edges: u64 = hubs.iter().map(|&x| graph.out_edges(x).len() as u64).sum();
    parallel::sum(&classes.representative, of_state) + hubs.len() as u64 * edges
}

/// The row of a hub, with a place for every state.
struct Row {
    values: Vec<f64>,
    holds: Vec<u64>,
    hub: u32,
}

/// What a state x and the row of a hub h have in common.
struct Met {
    /// Σ of the values of the edges of x that end in succ(h).
    ending: f64,
    /// Σ of the values of the edges of h that end in succ(x).
    held: f64,
}

impl Row {
    fn new(states: usize) -> Self {
        Row { values: vec![0.0; states], holds: vec![0; states.div_ceil(64)], hub: NONE }
    }

    fn spread(&mut self, graph: &Graph, edge_values: &[f64], hub: u32) {
        if self.hub != NONE {
            for &y in graph.successors(self.hub) {
                self.values[y as usize] = 0.0;
                self.holds[y as usize / 64] = 0;
            }
        }
        for (&y, value) in graph.successors(hub).iter().zip(&edge_values[graph.out_edges(hub)]) {
            self.values[y as usize] = *value;
            self.holds[y as usize / 64] |= 1 << (y % 64);
        }
        self.hub = hub;
    }

    #[inline]
    fn meet(&self, graph: &Graph, edge_values: &[f64], x: u32) -> Met {
        let mut met = Met { ending: 0.0, held: 0.0 };
        for (&y, value) in graph.successors(x).iter().zip(&edge_values[graph.out_edges(x)]) {
            if self.holds[y as usize / 64] >> (y % 64) & 1 == 1 {
                met.ending += value;
                met.held += self.values[y as usize];
            }
        }
        met
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Duplicates, RewardSample};

    #[test]
    fn hubs_take_steps_that_follow_the_edges() {
        let leaves = 1..2000u32;
        let star: Vec<(u32, u32)> = leaves.clone().flat_map(|leaf| [(0, leaf), (leaf, 0)]).collect();
        let resets: Vec<(u32, u32)> = leaves.clone().flat_map(|x| [(x, x + 1), (x, 0), (0, x)]).collect();
        let funnel: Vec<(u32, u32)> = leaves.flat_map(|x| [(x, 0), (0, x + 5000)]).collect();
        for edges in [star, resets, funnel] {
            let rows = edges.iter().map(|&(x, y)| (x, 0, y, 0.0));
            let sample = RewardSample::from_rows(rows, Duplicates::Mean).unwrap();
            let graph = &sample.graph;
            let hubs = Hubs::choose(graph);
            assert!(graph.two_step_walks() > 100 * graph.edges() as u64);
            assert!(hubs.steps <= 8 * graph.edges() as u64, "{} steps for {} edges", hubs.steps, graph.edges());
        }
    }
}
