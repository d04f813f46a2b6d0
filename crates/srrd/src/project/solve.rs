//! The least-squares fit of shaping to values: conjugate gradients on the normal equations, started off by a factorization of
//! them where that is cheap, and by their diagonal where it is not.

use super::factor::Factor;
use super::graph::{Edge, Elimination, NONE, ShapingGraph};
use crate::cancel::checkpoint;
use crate::parallel;

/// What the space is at γ = 0 and γ = 1, where dimensions get lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// The shaping vectors themselves.
    Exact,
    /// The limit of the spaces from within (0, 1), so that all γ have the same dimension and can be compared: at γ = 1 the
    /// constant of every component stays, at γ = 0 an offset for every state that only ends transitions.
    Limit,
}

/// The equations of one γ.
#[derive(Clone, Debug)]
pub(crate) struct Solver {
    gamma: f64,
    /// The entry of a column at the transitions into a state that starts none. Such a column has no other entries, so its scale is
    /// free: 1 instead of γ keeps it away from 0.
    end: f64,
    /// By component: 1 over its total weight where its constant is taken out beforehand, from values and columns; 0 where not.
    /// It is taken out where it belongs to the space and the component is not balanced.
    share: Vec<f64>,
    /// Aᵀ1, by state: what makes the mean of a shaping vector.
    sums: Vec<f64>,
    preconditioner: Preconditioner,
    tolerance: f64,
}

#[derive(Clone, Debug)]
enum Preconditioner {
    /// The inverse of the diagonal of the normal equations; 0 where there is no column.
    Diagonal(Vec<f64>),
    Factor(Box<Factor>),
}

/// A fit of shaping to values.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    /// By state, in units of its column.
    pub potential: Vec<f64>,
    /// What of the values is shaping, by edge.
    pub explained: Vec<f64>,
    /// What is not, by edge.
    pub rest: Vec<f64>,
}

/// How small the gradient must get, relative to the values: some times what rounding makes of it.
pub(crate) const TOLERANCE: f64 = 1e-14;

impl Solver {
    /// Prepares the equations. O(edges), and what the factorization takes.
    pub fn new(graph: &ShapingGraph, gamma: f64, ends: Ends, tolerance: f64) -> Self {
        let end = if gamma == 0.0 && ends == Ends::Exact { 0.0 } else { 1.0 };
        let centred = gamma < 1.0 || ends == Ends::Limit;
        let share = |(&total, &balanced): (&f64, &bool)| if centred && !balanced { 1.0 / total } else { 0.0 };
        let share = graph.totals.iter().zip(&graph.components.balanced).map(share).collect();
        let mut solver = Solver {
            gamma,
            end,
            share,
            sums: Vec::new(),
            preconditioner: Preconditioner::Diagonal(Vec::new()),
            tolerance,
        };
        solver.sums = solver.gather(graph, &vec![1.0; graph.edges.len()]);
        let diagonal = solver.diagonal(graph);
        // Without the columns of the ends the equations fall apart, one a state: the diagonal solves them.
        let elimination = if solver.end == 0.0 { None } else { graph.elimination() };
        solver.preconditioner = match elimination {
            Some(elimination) => Preconditioner::Factor(Box::new(solver.factorize(graph, elimination, &diagonal))),
            None => Preconditioner::Diagonal(inverse(&diagonal)),
        };
        solver
    }

    /// The same equations, solved by conjugate gradients alone.
    #[cfg(test)]
    pub fn without_factor(mut self, graph: &ShapingGraph) -> Self {
        self.preconditioner = Preconditioner::Diagonal(inverse(&self.diagonal(graph)));
        self
    }

    /// The entry of an edge in the column of its target.
    #[inline]
    fn ahead(&self, graph: &ShapingGraph, edge: &Edge) -> f64 {
        if graph.starts[edge.target as usize] { self.gamma } else { self.end }
    }

    /// The squared lengths of the columns, by state.
    fn diagonal(&self, graph: &ShapingGraph) -> Vec<f64> {
        let mut diagonal = vec![0.0; graph.states()];
        for edge in &graph.edges {
            let ahead = self.ahead(graph, edge);
            if edge.source == edge.target {
                diagonal[edge.source as usize] += edge.weight * (ahead - 1.0) * (ahead - 1.0);
            } else {
                diagonal[edge.source as usize] += edge.weight;
                diagonal[edge.target as usize] += edge.weight * ahead * ahead;
            }
        }
        diagonal
    }

    fn factorize(&self, graph: &ShapingGraph, elimination: &Elimination, by_state: &[f64]) -> Factor {
        let mut diagonal = vec![1.0; elimination.unknowns];
        let mut above = vec![0.0; elimination.pattern.entries()];
        for (&unknown, &d) in elimination.of_state.iter().zip(by_state).filter(|(unknown, _)| **unknown != NONE) {
            diagonal[unknown as usize] = d;
        }
        for (edge, &slot) in graph.edges.iter().zip(&elimination.of_edge).filter(|(_, slot)| **slot != NONE) {
            above[slot as usize] -= edge.weight * self.ahead(graph, edge);
        }
        // At γ = 1 the constants are no shaping: their equations stay empty.
        let taken = |component: usize| self.share[component] > 0.0;
        for (component, &unknown) in elimination.of_constant.iter().enumerate().filter(|(c, _)| taken(*c)) {
            diagonal[unknown as usize] = graph.totals[component];
        }
        for (state, &slot) in elimination.with_constant.iter().enumerate().filter(|(_, slot)| **slot != NONE) {
            if taken(graph.components.of_state[state] as usize) {
                above[slot as usize] = self.sums[state];
            }
        }
        Factor::new(&elimination.pattern, &diagonal, &above)
    }

    /// Fits shaping to values given by edge, where every edge counts with its weight.
    ///
    /// O(edges + entries of the factor) an iteration. With a factorization there are a few of them, enough to remove its
    /// rounding; with the diagonal about as many as the condition number of the columns: dozens to hundreds. A second round on
    /// what the first one left takes out the rounding of the iterations.
    pub fn fit(&self, graph: &ShapingGraph, by_edge: &[f64]) -> Fit {
        let mut rest = by_edge.to_vec();
        let mut explained = vec![0.0; rest.len()];
        // Twice: the mean of values that are large beside their differences is rounded.
        for _ in 0..2 {
            let mut means = vec![0.0; self.share.len()];
            graph.edges.iter().zip(&rest).for_each(|(edge, v)| means[graph.component(edge)] += edge.weight * v);
            means.iter_mut().zip(&self.share).for_each(|(mean, share)| *mean *= share);
            for (e, edge) in graph.edges.iter().enumerate() {
                explained[e] += means[graph.component(edge)];
                rest[e] -= means[graph.component(edge)];
            }
        }
        let enough = self.tolerance * self.tolerance * graph.squared(&rest);
        let mut potential = vec![0.0; graph.states()];
        for _ in 0..2 {
            let more = self.descend(graph, &rest, enough);
            for (e, part) in self.shaping(graph, &more).into_iter().enumerate() {
                rest[e] -= part;
                explained[e] += part;
            }
            potential.iter_mut().zip(more).for_each(|(p, more)| *p += more);
        }
        Fit { potential, explained, rest }
    }

    /// The derivative of the shaping of a potential by γ, by edge.
    pub fn slope(&self, graph: &ShapingGraph, potential: &[f64]) -> Vec<f64> {
        // The columns of ends do not depend on γ.
        let slope = |edge: &Edge| f64::from(graph.starts[edge.target as usize]) * potential[edge.target as usize];
        graph.edges.iter().map(slope).collect()
    }

    /// A φ by edge, around the means of the components where those are taken out.
    fn shaping(&self, graph: &ShapingGraph, potential: &[f64]) -> Vec<f64> {
        let mut means = vec![0.0; self.share.len()];
        let states = graph.components.of_state.iter().zip(&self.sums).zip(potential);
        states.for_each(|((&c, sum), p)| means[c as usize] += sum * p);
        means.iter_mut().zip(&self.share).for_each(|(mean, share)| *mean *= share);
        parallel::map(graph.edges.len(), |e| {
            let edge = &graph.edges[e];
            self.ahead(graph, edge) * potential[edge.target as usize]
                - potential[edge.source as usize]
                - means[graph.component(edge)]
        })
    }

    /// Aᵀ v, every edge counted with its weight.
    fn gather(&self, graph: &ShapingGraph, by_edge: &[f64]) -> Vec<f64> {
        let mut by_state = vec![0.0; graph.states()];
        for (edge, value) in graph.edges.iter().zip(by_edge) {
            let value = edge.weight * value;
            by_state[edge.target as usize] += self.ahead(graph, edge) * value;
            by_state[edge.source as usize] -= value;
        }
        by_state
    }

    fn precondition(&self, graph: &ShapingGraph, gradient: &[f64]) -> Vec<f64> {
        match (&self.preconditioner, graph.elimination()) {
            (Preconditioner::Diagonal(inverse), _) => gradient.iter().zip(inverse).map(|(g, d)| g * d).collect(),
            (Preconditioner::Factor(factor), Some(Elimination { of_state, unknowns, .. })) => {
                let mut right = vec![0.0; *unknowns];
                for (&unknown, g) in of_state.iter().zip(gradient).filter(|(unknown, _)| **unknown != NONE) {
                    right[unknown as usize] = *g;
                }
                factor.solve(&mut right);
                of_state.iter().map(|&unknown| right.get(unknown as usize).copied().unwrap_or(0.0)).collect()
            }
            (Preconditioner::Factor(_), None) => unreachable!("a factor is made by an elimination"),
        }
    }

    /// The potential whose shaping is closest to the values: the gradient of the squared distance, preconditioned, is `enough`
    /// or less, or does not get smaller any more.
    fn descend(&self, graph: &ShapingGraph, values: &[f64], enough: f64) -> Vec<f64> {
        let mut potential = vec![0.0; graph.states()];
        let mut rest = values.to_vec();
        let mut gradient = self.gather(graph, &rest);
        let mut direction = self.precondition(graph, &gradient);
        let mut size = dot(&gradient, &direction);
        // Without a factorization the gradient may stay as it is until news has crossed the graph.
        let patience = match self.preconditioner {
            Preconditioner::Factor(_) => 20,
            Preconditioner::Diagonal(_) => 100 + 8 * graph.states().isqrt(),
        };
        let (mut least, mut waited) = (size, 0);
        let mut left = graph.squared(&rest);
        while size > enough && waited < patience {
            checkpoint();
            let change = self.shaping(graph, &direction);
            let curvature = graph.squared(&change);
            let step = size / curvature;
            // A step takes step · size from the squares. One that would take more than there is follows rounding, along a
            // potential that shapes next to nothing.
            if step.is_nan() || step * size > 1.000_001 * left {
                break;
            }
            potential.iter_mut().zip(&direction).for_each(|(p, d)| *p += step * d);
            rest.iter_mut().zip(&change).for_each(|(r, c)| *r -= step * c);
            left = graph.squared(&rest);
            gradient = self.gather(graph, &rest);
            let downhill = self.precondition(graph, &gradient);
            let next = dot(&gradient, &downhill);
            let keep = next / size;
            direction.iter_mut().zip(&downhill).for_each(|(d, h)| *d = h + keep * *d);
            size = next;
            if size < 0.5 * least {
                (least, waited) = (size, 0);
            } else {
                waited += 1;
            }
        }
        potential
    }
}

/// The inverse of every entry; 0 where there is no column.
fn inverse(diagonal: &[f64]) -> Vec<f64> {
    diagonal.iter().map(|&d| if d > 0.0 { 1.0 / d } else { 0.0 }).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
