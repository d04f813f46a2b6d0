//! What shaping on some transitions is made of, whatever γ.

use std::sync::OnceLock;

use super::factor::Pattern;
use super::levels::Components;
use super::order::minimum_degree;
use crate::cancel::{Pace, checkpoint};

/// The states and edges of some transitions. Transitions of the same pair of states that lie side by side are one edge with their
/// mean value: they cost as much as one.
#[derive(Clone, Debug)]
pub(crate) struct ShapingGraph {
    pub edges: Vec<Edge>,
    /// The edge of every transition.
    pub edge_of: Vec<u32>,
    /// The weight of every transition, if they are not all 1.
    pub weights: Option<Vec<f64>>,
    /// By state: whether transitions start in it.
    pub starts: Vec<bool>,
    pub components: Components,
    /// By component: the sum of its weights.
    pub totals: Vec<f64>,
    /// Made when the equations are first to be factorized; `None` inside when that would take too long.
    elimination: OnceLock<Option<Elimination>>,
}

/// A pair of states, and the sum of the weights of its transitions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub source: u32,
    pub target: u32,
    pub weight: f64,
}

impl ShapingGraph {
    /// The graph of transitions given as pairs of state numbers, with a weight each if there are any. Near-linear.
    pub fn new(pairs: impl Iterator<Item = (u32, u32)>, weights: Option<Vec<f64>>) -> Self {
        let mut edges: Vec<Edge> = Vec::new();
        let mut edge_of = Vec::new();
        let mut numbers = Numbers::default();
        let mut pace = Pace::default();
        for (s, t) in pairs {
            pace.spend(1);
            let (source, target) = (numbers.of(s), numbers.of(t));
            let weight = weights.as_ref().map_or(1.0, |weights| weights[edge_of.len()]);
            match edges.last_mut() {
                Some(last) if (last.source, last.target) == (source, target) => last.weight += weight,
                _ => edges.push(Edge { source, target, weight }),
            }
            edge_of.push(edges.len() as u32 - 1);
        }
        let states = numbers.known.len();
        let mut starts = vec![false; states];
        edges.iter().for_each(|edge| starts[edge.source as usize] = true);
        let components = Components::new(states, edges.iter().map(|edge| (edge.source, edge.target)));
        let mut totals = vec![0.0; components.len()];
        edges.iter().for_each(|edge| totals[components.of_state[edge.source as usize] as usize] += edge.weight);
        ShapingGraph { edges, edge_of, weights, starts, components, totals, elimination: OnceLock::new() }
    }

    pub fn states(&self) -> usize {
        self.starts.len()
    }

    pub fn transitions(&self) -> usize {
        self.edge_of.len()
    }

    /// The component of an edge.
    pub fn component(&self, edge: &Edge) -> usize {
        self.components.of_state[edge.source as usize] as usize
    }

    /// The dimension of the space of shaping vectors, counted and not computed: every state has a column, and every component on
    /// which a potential other than 0 shapes nothing takes one dimension. With γ = 1 that is every component (a constant), with
    /// 0 < γ < 1 the balanced ones. With γ = 0 only the states that start transitions have a column.
    pub fn rank(&self, gamma: f64) -> usize {
        if gamma == 0.0 {
            self.starts.iter().filter(|starts| **starts).count()
        } else if gamma == 1.0 {
            self.states() - self.components.len()
        } else {
            self.states() - self.components.balanced.iter().filter(|balanced| **balanced).count()
        }
    }

    /// The weighted mean of the values of every edge.
    pub fn means(&self, values: &[f64]) -> Vec<f64> {
        let mut means = vec![0.0; self.edges.len()];
        for (i, (&e, value)) in self.edge_of.iter().zip(values).enumerate() {
            means[e as usize] += self.weights.as_ref().map_or(1.0, |weights| weights[i]) * value;
        }
        means.iter_mut().zip(&self.edges).for_each(|(mean, edge)| *mean /= edge.weight);
        means
    }

    /// Σ of weighted squares, by edge.
    pub fn squared(&self, by_edge: &[f64]) -> f64 {
        by_edge.iter().zip(&self.edges).map(|(v, edge)| edge.weight * v * v).sum()
    }

    /// How the normal equations are factorized, or `None` when iterations are faster.
    pub fn elimination(&self) -> Option<&Elimination> {
        self.elimination.get_or_init(|| Elimination::new(self)).as_ref()
    }
}

/// Numbers states from 0 in order of appearance.
#[derive(Default)]
struct Numbers {
    known: rustc_hash::FxHashMap<u32, u32>,
}

impl Numbers {
    fn of(&mut self, state: u32) -> u32 {
        let next = self.known.len() as u32;
        *self.known.entry(state).or_insert(next)
    }
}

/// No unknown, or no entry.
pub(super) const NONE: u32 = u32::MAX;

/// Factorizing is worth so many multiplications an edge: about the time of a thousand steps of the iterations …
const WORK_PER_EDGE: u64 = 4000;
/// … and this many in any case.
const WORK: u64 = 1_000_000;

/// Beyond this many unknowns …
const ALWAYS: u32 = 1000;
/// … graphs with more than so many pairs of neighbours a state fill up when they are factorized, and iterations converge fast on
/// them.
const DENSE: usize = 6;

/// The unknowns of the normal equations in the order of their elimination.
///
/// The unknowns are the potentials and, on every component that is not balanced, a constant that is added to its values. For γ < 1
/// the constant is a shaping vector anyway (that of a constant potential, times γ − 1); as an unknown of its own it keeps the
/// equations as well conditioned near γ = 1 as they are at a distance from it. In exchange the potential of one state of every
/// component is fixed at 0: on a balanced component one of the highest level, where the potential that shapes nothing is largest.
#[derive(Clone, Debug)]
pub(crate) struct Elimination {
    /// The unknown of every state; `NONE` for fixed ones.
    pub of_state: Vec<u32>,
    /// The unknown of the constant of every component; `NONE` on balanced ones.
    pub of_constant: Vec<u32>,
    pub unknowns: usize,
    pub(super) pattern: Pattern,
    /// Where the product of the columns of an edge's two states goes; `NONE` where there is none.
    pub of_edge: Vec<u32>,
    /// Where the product of a state's column and its component's constant goes.
    pub with_constant: Vec<u32>,
}

impl Elimination {
    fn new(graph: &ShapingGraph) -> Option<Self> {
        let Components { of_state: component, level, balanced } = &graph.components;
        let states = graph.states();
        let mut fixed: Vec<Option<usize>> = vec![None; balanced.len()];
        for state in 0..states {
            let c = component[state] as usize;
            let better = |&other: &usize| if balanced[c] { level[state] > level[other] } else { false };
            if graph.starts[state] || balanced[c] {
                fixed[c] = Some(fixed[c].filter(|other| !better(other)).unwrap_or(state));
            }
        }
        let mut free: Vec<u32> = vec![0; states];
        fixed.iter().flatten().for_each(|&state| free[state] = NONE);
        let mut count = 0;
        for number in free.iter_mut().filter(|number| **number != NONE) {
            *number = count;
            count += 1;
        }
        let mut pairs: Vec<(u32, u32)> = (graph.edges.iter())
            .map(|edge| (free[edge.source as usize], free[edge.target as usize]))
            .filter(|&(a, b)| a != b && a != NONE && b != NONE)
            .map(|(a, b)| (a.min(b), a.max(b)))
            .collect();
        checkpoint();
        pairs.sort_unstable();
        checkpoint();
        pairs.dedup();
        if count > ALWAYS && pairs.len() > DENSE * count as usize {
            return None;
        }
        let mut neighbours = vec![Vec::new(); count as usize];
        for (a, b) in pairs {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        let order = minimum_degree(neighbours, WORK + WORK_PER_EDGE * graph.edges.len() as u64)?;
        let mut place = vec![0u32; count as usize];
        order.iter().zip(0u32..).for_each(|(&number, position)| place[number as usize] = position);
        let of_state: Vec<u32> =
            free.iter().map(|&number| if number == NONE { NONE } else { place[number as usize] }).collect();
        // The constants meet every state of their components, so they come last.
        let mut unknowns = count;
        let of_constant: Vec<u32> = (balanced.iter())
            .map(|&balanced| {
                unknowns += u32::from(!balanced);
                if balanced { NONE } else { unknowns - 1 }
            })
            .collect();
        let mut positions = Vec::new();
        let mut of_edge = vec![NONE; graph.edges.len()];
        for (slot, edge) in of_edge.iter_mut().zip(&graph.edges) {
            let (a, b) = (of_state[edge.source as usize], of_state[edge.target as usize]);
            if a != b && a != NONE && b != NONE {
                *slot = positions.len() as u32;
                positions.push((a.min(b), a.max(b)));
            }
        }
        let mut with_constant = vec![NONE; states];
        for (state, slot) in with_constant.iter_mut().enumerate() {
            let constant = of_constant[component[state] as usize];
            if of_state[state] != NONE && constant != NONE {
                *slot = positions.len() as u32;
                positions.push((of_state[state], constant));
            }
        }
        let (pattern, slots) = Pattern::new(unknowns as usize, &positions);
        for slot in of_edge.iter_mut().chain(&mut with_constant).filter(|slot| **slot != NONE) {
            *slot = slots[*slot as usize];
        }
        Some(Elimination { of_state, of_constant, unknowns: unknowns as usize, pattern, of_edge, with_constant })
    }
}
