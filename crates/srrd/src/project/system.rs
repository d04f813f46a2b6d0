//! The equations that a fit of shaping has to solve, whatever γ: the states and edges of a core, and how to eliminate the states.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::graph::{END, Edge};
use super::levels::Components;
use crate::run::checkpoint;
use crate::sparse::factor::Pattern;
use crate::sparse::order::{Limit, minimum_degree};

/// States and edges between them, states numbered anew.
#[derive(Clone, Debug)]
pub(crate) struct System {
    pub edges: Vec<Edge>,
    /// By state: whether edges start in it.
    pub starts: Vec<bool>,
    pub components: Components,
    /// By component: the sum of its weights.
    pub totals: Vec<f64>,
    /// Without and with constants. Made when the equations are first to be factorized; `None` inside when that would take too long.
    eliminations: [OnceLock<Option<Elimination>>; 2],
}

impl System {
    /// Of some of the edges between so many states.
    pub fn new(states: usize, edges: impl Iterator<Item = Edge>) -> Self {
        let mut numbers = vec![NONE; states];
        let mut states = 0;
        let mut number = |state: u32| {
            // `END` is no state, and stays what it is.
            let Some(number) = numbers.get_mut(state as usize) else { return END };
            if *number == NONE {
                *number = states;
                states += 1;
            }
            *number
        };
        let edges: Vec<Edge> = edges
            .map(|Edge { source, target, weight }| Edge { source: number(source), target: number(target), weight })
            .collect();
        let states = states as usize;
        let mut starts = vec![false; states];
        edges.iter().for_each(|edge| starts[edge.source as usize] = true);
        let components = Components::new(states, edges.iter().map(|edge| (edge.source, edge.target)));
        let mut totals = vec![0.0; components.len()];
        edges.iter().for_each(|edge| totals[components.of_state[edge.source as usize] as usize] += edge.weight);
        System { edges, starts, components, totals, eliminations: Default::default() }
    }

    pub fn states(&self) -> usize {
        self.starts.len()
    }

    /// The component of an edge.
    pub fn component(&self, edge: &Edge) -> usize {
        self.components.of_state[edge.source as usize] as usize
    }

    /// Σ of weighted squares, by edge.
    pub fn squared(&self, by_edge: &[f64]) -> f64 {
        by_edge.iter().zip(&self.edges).map(|(v, edge)| edge.weight * v * v).sum()
    }

    /// How the normal equations are factorized, with constants as unknowns or without, or `None` when iterations are faster.
    pub fn elimination(&self, constants: bool) -> Option<&Elimination> {
        self.eliminations[usize::from(constants)].get_or_init(|| Elimination::new(self, constants)).as_ref()
    }
}

/// No unknown, or no entry.
pub(super) const NONE: u32 = u32::MAX;

/// Beyond this many unknowns …
const ALWAYS: u32 = 1000;
/// … graphs with more than so many pairs of neighbours a state fill up when they are factorized, and iterations converge fast on
/// them.
const DENSE: usize = 6;

/// The unknowns of the normal equations in the order of their elimination.
///
/// The unknowns are the potentials; near γ = 1 also, on every component that is not balanced, a constant that is added to its
/// values. For γ < 1 the constant is a shaping vector anyway (that of a constant potential, times γ − 1); as an unknown of its own it
/// keeps the equations as well conditioned near γ = 1 as they are at a distance from it. (Where something ends, a constant is no
/// shaping, and the equations are well conditioned anyway.) In exchange the potential of one state of
/// such a component is fixed at 0, and on a balanced component that of one of the highest level, where the potential that shapes
/// nothing is largest.
///
/// States that start nothing come last. As long as they are not eliminated, the pivot of any other is at least 1 − γ² times the weight
/// that starts in it, so no digits get lost; with them, a potential that grows by 1/γ from state to state up to one that starts
/// nothing may come to shape next to nothing, and that shows at the pivot of the last one, where it is largest.
#[derive(Clone, Debug)]
pub(crate) struct Elimination {
    /// The unknown of every state; `NONE` for fixed ones.
    pub of_state: Vec<u32>,
    /// The unknown of the constant of every component; `NONE` where there is none.
    pub of_constant: Vec<u32>,
    pub unknowns: usize,
    pub(super) pattern: Pattern,
    /// Where the product of the columns of an edge's two states goes; `NONE` where there is none.
    pub of_edge: Vec<u32>,
    /// Where the product of a state's column and its component's constant goes.
    pub with_constant: Vec<u32>,
}

impl Elimination {
    fn new(system: &System, constants: bool) -> Option<Self> {
        let Components { of_state: component, level, balanced, grounded } = &system.components;
        let states = system.states();
        let mut fixed: Vec<Option<usize>> = vec![None; balanced.len()];
        for state in 0..states {
            let c = component[state] as usize;
            let better = |&other: &usize| if balanced[c] { level[state] > level[other] } else { false };
            if (system.starts[state] && constants && !grounded[c]) || balanced[c] {
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
        let mut pairs: Vec<(u32, u32)> = (system.edges.iter())
            .filter(|edge| edge.target != END)
            .map(|edge| (free[edge.source as usize], free[edge.target as usize]))
            .filter(|&(a, b)| a != b && a != NONE && b != NONE)
            .map(|(a, b)| (a.min(b), a.max(b)))
            .collect();
        checkpoint();
        pairs.par_sort_unstable();
        checkpoint();
        pairs.dedup();
        if count > ALWAYS && pairs.len() > DENSE * count as usize {
            return None;
        }
        let limit = Limit::beside_iterations(system.edges.len());
        let mut late = vec![false; count as usize];
        for (&number, &starts) in free.iter().zip(&system.starts).filter(|(number, _)| **number != NONE) {
            late[number as usize] = !starts;
        }
        // Where none comes late there is nothing else to try.
        let order = minimum_degree(&pairs, &late, limit)
            .or_else(|| minimum_degree(late.contains(&true).then_some(&pairs)?, &vec![false; count as usize], limit))?;
        drop(pairs);
        let mut place = vec![0u32; count as usize];
        order.iter().zip(0u32..).for_each(|(&number, position)| place[number as usize] = position);
        let of_state: Vec<u32> =
            free.iter().map(|&number| if number == NONE { NONE } else { place[number as usize] }).collect();
        // The constants meet every state of their components, so they come last.
        let mut unknowns = count;
        let of_constant: Vec<u32> = (balanced.iter().zip(grounded))
            .map(|(&balanced, &grounded)| {
                let has = constants && !balanced && !grounded;
                unknowns += u32::from(has);
                if has { unknowns - 1 } else { NONE }
            })
            .collect();
        let mut positions = Vec::new();
        let mut of_edge = vec![NONE; system.edges.len()];
        for (slot, edge) in of_edge.iter_mut().zip(&system.edges).filter(|(_, edge)| edge.target != END) {
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
