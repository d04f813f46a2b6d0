//! What shaping on some transitions is made of, whatever γ.

use std::sync::OnceLock;

use super::levels::Components;
use super::system::System;
use crate::run::Pace;

/// What a transition leads to that ends its episode: nothing with a potential. Its shaping vector is −φ(s) alone.
pub(crate) const END: u32 = u32::MAX;

/// The states and edges of some transitions. Transitions of the same pair of states that lie side by side are one edge with their
/// mean value: they cost as much as one.
#[derive(Clone, Debug)]
pub(crate) struct ShapingGraph {
    pub edges: Vec<Edge>,
    /// The edge of every transition.
    pub edge_of: Vec<u32>,
    /// By state: whether transitions start in it.
    pub starts: Vec<bool>,
    pub components: Components,
    /// Found when it is asked for: ranks do without.
    core: OnceLock<Core>,
}

/// What is left when states that have one edge are taken away with it, again and again.
///
/// The potential of such a state explains any value of its edge, whatever the other potentials are, for all γ > 0 and so in the limit of
/// γ → 0. (With γ = 0 itself an edge that leads to it does not show its potential; that is solved without a core.) Fitting it together with the others
/// would only cost digits: along a chain, potentials grow by 1/γ from state to state.
#[derive(Clone, Debug)]
pub(crate) struct Core {
    /// Its edges among those of the graph, ascending.
    pub kept: Vec<u32>,
    pub system: System,
}

/// A pair of states, and how many transitions it has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub source: u32,
    /// [`END`] where the transitions end their episodes.
    pub target: u32,
    pub weight: f64,
}

impl Edge {
    /// Its state or states.
    pub fn states(&self) -> impl Iterator<Item = usize> {
        [self.source, self.target].into_iter().filter(|&state| state != END).map(|state| state as usize)
    }
}

impl ShapingGraph {
    /// The graph of transitions given as pairs of state numbers, [`END`] instead of the second for one that ends. Near-linear.
    pub fn new(pairs: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut edges: Vec<Edge> = Vec::new();
        let mut edge_of = Vec::with_capacity(pairs.size_hint().0);
        let mut numbers = Numbers::default();
        let mut pace = Pace::default();
        for (s, t) in pairs {
            pace.spend(1);
            let (source, target) = (numbers.of(s), numbers.of(t));
            match edges.last_mut() {
                Some(last) if (last.source, last.target) == (source, target) => last.weight += 1.0,
                _ => edges.push(Edge { source, target, weight: 1.0 }),
            }
            edge_of.push(edges.len() as u32 - 1);
        }
        let states = numbers.count();
        let mut starts = vec![false; states];
        edges.iter().for_each(|edge| starts[edge.source as usize] = true);
        let components = Components::new(states, edges.iter().map(|edge| (edge.source, edge.target)));
        ShapingGraph { edges, edge_of, starts, components, core: OnceLock::new() }
    }

    /// What potentials have to be fitted on together. O(edges), once.
    pub fn core(&self) -> &Core {
        self.core.get_or_init(|| {
            let kept = core(self.states(), &self.edges);
            let system = System::new(self.states(), kept.iter().map(|&e| self.edges[e as usize]));
            Core { kept, system }
        })
    }

    pub fn states(&self) -> usize {
        self.starts.len()
    }

    pub fn transitions(&self) -> usize {
        self.edge_of.len()
    }

    /// The dimension of the space of shaping vectors, counted and not computed: every state has a column, and every component on
    /// which a potential other than 0 shapes nothing takes one dimension. With γ = 1 that is every component in which nothing ends (a
    /// constant), with 0 < γ < 1 the balanced ones. With γ = 0 only the states that start transitions have a column.
    pub fn shaping_rank(&self, gamma: f64) -> usize {
        if gamma == 0.0 {
            self.starts.iter().filter(|starts| **starts).count()
        } else if gamma == 1.0 {
            self.states() - self.components.grounded.iter().filter(|grounded| !**grounded).count()
        } else {
            self.states() - self.components.balanced.iter().filter(|balanced| **balanced).count()
        }
    }

    /// Whether a shift of all rewards changes no behaviour and yet is no shaping: nothing ends, and γ = 1. (With γ < 1 a shift is the shaping of a
    /// constant potential where nothing ends. With γ = 1 it is shaping where all transitions lead one level on.)
    pub fn shift_is_extra(&self, gamma: f64) -> bool {
        gamma == 1.0 && !self.ends() && !self.components.balanced.iter().all(|balanced| *balanced)
    }

    /// The dimension of what changes no behaviour: shaping, and the shift where that changes none.
    pub fn rank(&self, gamma: f64) -> usize {
        self.shaping_rank(gamma) + usize::from(self.shift_is_extra(gamma))
    }

    /// Whether any transition ends its episode.
    pub fn ends(&self) -> bool {
        self.components.grounded.iter().any(|grounded| *grounded)
    }

    /// The mean of the values of every edge.
    pub fn means(&self, values: &[f64]) -> Vec<f64> {
        let mut means = vec![0.0; self.edges.len()];
        for (&e, value) in self.edge_of.iter().zip(values) {
            means[e as usize] += value;
        }
        means.iter_mut().zip(&self.edges).for_each(|(mean, edge)| *mean /= edge.weight);
        means
    }

    /// Σ of weighted products, by edge.
    pub fn product(&self, a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).zip(&self.edges).map(|((a, b), edge)| edge.weight * a * b).sum()
    }

    /// Σ of weighted squares, by edge.
    pub fn squared(&self, by_edge: &[f64]) -> f64 {
        self.product(by_edge, by_edge)
    }
}

/// The edges that remain when states with one edge are taken away with it until there are none. O(edges).
fn core(states: usize, edges: &[Edge]) -> Vec<u32> {
    let mut degrees = Degrees::new(states, edges);
    let leaves = (0..states as u32).filter(|&state| degrees.degree[state as usize] == 1).collect();
    let mut kept = vec![true; edges.len()];
    degrees.peel(edges, leaves, |e| kept[e as usize] = false);
    (0..edges.len() as u32).filter(|&e| kept[e as usize]).collect()
}

/// How many edges the states have, while some are taken away.
#[derive(Clone)]
pub(super) struct Degrees {
    degree: Vec<u32>,
    /// The numbers of a state's edges, combined so that the last one can be read off.
    last: Vec<u32>,
    /// How many states have edges.
    pub states: usize,
}

impl Degrees {
    pub fn new(states: usize, edges: &[Edge]) -> Self {
        let (mut degree, mut last) = (vec![0u32; states], vec![0u32; states]);
        for (e, edge) in (0u32..).zip(edges) {
            for state in edge.states() {
                degree[state] += 1;
                last[state] ^= e;
            }
        }
        let states = degree.iter().filter(|degree| **degree > 0).count();
        Degrees { degree, last, states }
    }

    /// Takes an edge away; `leaves` gets states that have one edge then.
    pub fn take(&mut self, e: u32, edge: &Edge, leaves: &mut Vec<u32>) {
        for state in edge.states() {
            self.degree[state] -= 1;
            self.last[state] ^= e;
            match self.degree[state] {
                0 => self.states -= 1,
                1 => leaves.push(state as u32),
                _ => {}
            }
        }
    }

    /// Takes states with one edge away with it, again and again, beginning with some of them; `taken` is told the edges.
    pub fn peel(&mut self, edges: &[Edge], mut leaves: Vec<u32>, mut taken: impl FnMut(u32)) {
        while let Some(leaf) = leaves.pop() {
            // Its edge may be gone by now.
            if self.degree[leaf as usize] == 1 {
                let e = self.last[leaf as usize];
                taken(e);
                self.take(e, &edges[e as usize], &mut leaves);
            }
        }
    }
}

/// Numbers states from 0 in order of appearance.
#[derive(Default)]
pub(super) struct Numbers {
    /// By state, up to the largest that was met; [`END`] for one that was not.
    known: Vec<u32>,
    count: u32,
}

impl Numbers {
    pub fn of(&mut self, state: u32) -> u32 {
        if state == END {
            return END;
        }
        let at = state as usize;
        if at >= self.known.len() {
            self.known.resize(at + 1, END);
        }
        if self.known[at] == END {
            self.known[at] = self.count;
            self.count += 1;
        }
        self.known[at]
    }

    pub fn count(&self) -> usize {
        self.count as usize
    }
}
