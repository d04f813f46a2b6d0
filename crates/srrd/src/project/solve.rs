//! The least-squares fit of shaping to values: conjugate gradients on the normal equations, started off by a factorization of
//! them where that is cheap, and by their diagonal where it is not. What the normal equations, which have the squares of lengths,
//! cannot tell from rounding is looked after by itself.

use super::course::Course;
use super::graph::{Core, END, Edge, ShapingGraph};
use super::levels::Components;
use super::system::{Elimination, NONE, System};
use crate::run::checkpoint;
use crate::run::parallel;
use crate::sparse::factor::Factor;

/// What the space is at γ = 0 and γ = 1, where dimensions get lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Border {
    /// The shaping vectors themselves.
    Exact,
    /// The limit of the spaces from within (0, 1), so that all γ have the same dimension and can be compared: at γ = 1 the
    /// constant of every component stays, at γ = 0 an offset for every state that only ends transitions.
    Limit,
}

/// What fits shaping with one γ.
#[derive(Clone, Debug)]
pub(crate) enum Solver {
    /// Without a discount the potential of a state explains the mean of what starts there.
    Means,
    /// Anything else takes equations.
    Equations(Box<Equations>),
}

/// The equations of one γ on the core of a graph.
#[derive(Clone, Debug)]
pub(crate) struct Equations {
    gamma: f64,
    /// By component: 1 over its total weight where its constant is taken out beforehand, from values and columns; 0 where not.
    /// It is taken out where it belongs to the space and the component is not balanced, unless γ is far enough from 1 to do without.
    pub(super) share: Vec<f64>,
    /// Aᵀ1, by state: what makes the mean of a shaping vector.
    pub(super) sums: Vec<f64>,
    pub(super) preconditioner: Preconditioner,
    /// Unit vectors by edge, orthogonal to one another and to the shaping of the unknowns that were not left out of the factor: what
    /// those left out add to it.
    faint: Vec<Vec<f64>>,
    tolerance: f64,
}

#[derive(Clone, Debug)]
pub(super) enum Preconditioner {
    /// The inverse of the diagonal of the normal equations; 0 where there is no column.
    Diagonal(Vec<f64>),
    Factor(Box<Factor>),
}

/// A fit of shaping to values.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    /// By state of what was fitted, in units of its column.
    pub potential: Vec<f64>,
    /// What of the values is not shaping, by edge.
    pub rest: Vec<f64>,
}

/// How small the gradient must get, relative to the values: some times what rounding makes of it.
pub(crate) const TOLERANCE: f64 = 1e-14;

/// With a small γ, potentials may grow by 1/γ from state to state and shape next to nothing: the equations are then all but
/// singular, and the rounding of potentials many times as large as the values is far above that of the values. A further round
/// on what was left takes it out as far as the next such rounding; most graphs are done after two.
const ROUNDS: usize = 12;
/// A round that changes so little, relative to what was left before it, was the last …
const SETTLED: f64 = 1e-12;
/// … as is one that leaves so little of the values.
const NOTHING: f64 = 1e-16;

/// Beyond this γ constants are all but lost among the shaping vectors, and get unknowns of their own.
const NEAR_ONE: f64 = 0.99;

/// Of its diagonal entry: the pivot of an unknown that is left out of the factor, to be looked after by itself …
const DOUBTFUL: f64 = 1e-6;
/// … as long as these are so few, …
const FAINT: usize = 100;
/// … and have so few values; otherwise only those that are rounding are left out.
const FAINT_VALUES: usize = 1 << 24;
const ROUNDING: f64 = 1e-13;
/// Shaping that is smaller than this beside its potential is rounding.
const VISIBLE: f64 = 1e-12;

impl Solver {
    /// Prepares the equations. O(edges), and what the factorization takes.
    pub fn new(graph: &ShapingGraph, gamma: f64, border: Border, tolerance: f64) -> Self {
        if gamma == 0.0 && border == Border::Exact {
            return Solver::Means;
        }
        Solver::Equations(Box::new(Equations::new(&graph.core().system, gamma, border, tolerance)))
    }

    /// The same equations, solved by conjugate gradients alone.
    #[cfg(test)]
    pub fn without_factor(self, graph: &ShapingGraph) -> Self {
        match self {
            Solver::Means => Solver::Means,
            Solver::Equations(equations) => Solver::Equations(Box::new(equations.without_factor(&graph.core().system))),
        }
    }

    /// Fits shaping to values given by edge, where every edge counts with its weight. All of an edge outside the core is shaping.
    pub fn fit(&self, graph: &ShapingGraph, by_edge: &[f64]) -> Fit {
        let Solver::Equations(equations) = self else { return fit_means(graph, by_edge) };
        let Core { kept, system } = graph.core();
        let of_core: Vec<f64> = kept.iter().map(|&e| by_edge[e as usize]).collect();
        let (potential, left) = equations.fit(system, of_core);
        let mut rest = vec![0.0; by_edge.len()];
        kept.iter().zip(left).for_each(|(&e, left)| rest[e as usize] = left);
        Fit { potential, rest }
    }

    /// The derivative of the shaping of a potential by γ, by edge; but for shaping, which a fit takes out.
    pub fn slope(&self, graph: &ShapingGraph, potential: &[f64]) -> Vec<f64> {
        let Core { kept, system } = graph.core();
        let mut slope = vec![0.0; graph.edges.len()];
        for (&e, edge) in kept.iter().zip(&system.edges) {
            // The columns of states that start nothing do not depend on γ.
            if edge.target != END && system.starts[edge.target as usize] {
                slope[e as usize] = potential[edge.target as usize];
            }
        }
        slope
    }
}

fn fit_means(graph: &ShapingGraph, by_edge: &[f64]) -> Fit {
    let mut potential = vec![0.0; graph.states()];
    let mut weight = vec![0.0; graph.states()];
    let mut rest = by_edge.to_vec();
    // Twice: the mean of values that are large beside their differences is rounded.
    for _ in 0..2 {
        let mut means = vec![0.0; graph.states()];
        weight.fill(0.0);
        for (edge, value) in graph.edges.iter().zip(&rest) {
            means[edge.source as usize] += edge.weight * value;
            weight[edge.source as usize] += edge.weight;
        }
        means.iter_mut().zip(&weight).filter(|(_, w)| **w > 0.0).for_each(|(mean, w)| *mean /= w);
        graph.edges.iter().zip(&mut rest).for_each(|(edge, rest)| *rest -= means[edge.source as usize]);
        potential.iter_mut().zip(means).for_each(|(potential, mean)| *potential -= mean);
    }
    Fit { potential, rest }
}

impl Equations {
    /// Prepares the equations. O(edges), and what the factorization takes.
    fn new(system: &System, gamma: f64, border: Border, tolerance: f64) -> Self {
        let elimination = system.elimination(gamma > NEAR_ONE);
        let centred = (gamma < 1.0 || border == Border::Limit) && (gamma > NEAR_ONE || elimination.is_none());
        let Components { balanced, grounded, .. } = &system.components;
        let share = |c: usize| if centred && !balanced[c] && !grounded[c] { 1.0 / system.totals[c] } else { 0.0 };
        let share = (0..system.totals.len()).map(share).collect();
        let mut equations = Equations {
            gamma,
            share,
            sums: Vec::new(),
            preconditioner: Preconditioner::Diagonal(Vec::new()),
            faint: Vec::new(),
            tolerance,
        };
        equations.sums = equations.gather(system, &vec![1.0; system.edges.len()]);
        let diagonal = equations.diagonal(system);
        equations.preconditioner = match elimination {
            Some(elimination) => {
                Preconditioner::Factor(Box::new(equations.factorize(system, elimination, &diagonal, border)))
            }
            None => Preconditioner::Diagonal(inverse(&diagonal)),
        };
        if border == Border::Exact {
            equations.find_faint(system);
        }
        equations
    }

    pub(super) fn gamma(&self) -> f64 {
        self.gamma
    }

    #[cfg(test)]
    fn without_factor(mut self, system: &System) -> Self {
        self.preconditioner = Preconditioner::Diagonal(inverse(&self.diagonal(system)));
        self.faint.clear();
        self
    }

    pub(super) fn elimination<'a>(&self, system: &'a System) -> Option<&'a Elimination> {
        system.elimination(self.gamma > NEAR_ONE)
    }

    /// The entry of an edge in the column of its target, and the target, unless it ends: γ, or 1 if nothing starts there. Such a column
    /// has no other entries, so its scale is free, and 1 keeps it away from 0.
    #[inline]
    pub(super) fn ahead(&self, system: &System, edge: &Edge) -> Option<(f64, usize)> {
        let target = edge.target as usize;
        // `END` is no state.
        system.starts.get(target).map(|&starts| (if starts { self.gamma } else { 1.0 }, target))
    }

    /// The shaping of an edge.
    #[inline]
    fn shaping_of(&self, system: &System, edge: &Edge, potential: &[f64]) -> f64 {
        self.ahead(system, edge).map_or(0.0, |(ahead, target)| ahead * potential[target])
            - potential[edge.source as usize]
    }

    /// Whether the equations alone tell what shaping is.
    pub(super) fn is_regular(&self) -> bool {
        let left_out = match &self.preconditioner {
            Preconditioner::Factor(factor) => factor.left_out(),
            Preconditioner::Diagonal(_) => &[],
        };
        self.faint.is_empty() && left_out.is_empty()
    }

    /// The squared lengths of the columns, by state.
    fn diagonal(&self, system: &System) -> Vec<f64> {
        let mut diagonal = vec![0.0; system.states()];
        system.edges.iter().for_each(|edge| self.add_to_diagonal(system, edge, edge.weight, &mut diagonal));
        diagonal
    }

    /// Adds what an edge of this weight brings to the squared lengths of the columns.
    #[inline]
    pub(super) fn add_to_diagonal(&self, system: &System, edge: &Edge, weight: f64, diagonal: &mut [f64]) {
        let source = edge.source as usize;
        match self.ahead(system, edge) {
            Some((ahead, target)) if target == source => diagonal[source] += weight * (ahead - 1.0) * (ahead - 1.0),
            ahead => {
                diagonal[source] += weight;
                ahead.into_iter().for_each(|(ahead, target)| diagonal[target] += weight * ahead * ahead);
            }
        }
    }

    /// Computes what the unknowns that were left out of the factor add to the space of shaping vectors.
    ///
    /// With a small γ, or in many layers, there are potentials that grow by 1/γ from state to state and shape next to nothing but
    /// not nothing. The normal equations, which have its square, cannot tell it from 0; the shaping itself can be computed.
    fn find_faint(&mut self, system: &System) {
        let Preconditioner::Factor(factor) = &self.preconditioner else { return };
        let Some(Elimination { of_state, of_constant, .. }) = self.elimination(system) else { return };
        let mut directions = Vec::new();
        for &unknown in factor.left_out() {
            let x = factor.direction(unknown);
            let at = |unknown: u32| x.get(unknown as usize).copied().unwrap_or(0.0);
            let potential: Vec<f64> = of_state.iter().map(|&unknown| at(unknown)).collect();
            let shaped = |edge: &Edge| {
                let component = system.component(edge);
                let constant = if self.share[component] > 0.0 { at(of_constant[component]) } else { 0.0 };
                self.shaping_of(system, edge, &potential) + constant
            };
            let largest = x.iter().fold(0.0f64, |most, x| most.max(x.abs()));
            directions.push((system.edges.iter().map(shaped).collect::<Vec<f64>>(), largest));
        }
        for (shaped, largest) in directions {
            // What others explain, those found before included, is not its own.
            let (_, left) = self.fit(system, shaped);
            let length = system.squared(&left).sqrt();
            if length > VISIBLE * largest {
                self.faint.push(left.into_iter().map(|v| v / length).collect());
            }
        }
    }

    fn factorize(&self, system: &System, elimination: &Elimination, by_state: &[f64], border: Border) -> Factor {
        let mut diagonal = vec![1.0; elimination.unknowns];
        let mut above = vec![0.0; elimination.pattern.entries()];
        for (&unknown, &d) in elimination.of_state.iter().zip(by_state).filter(|(unknown, _)| **unknown != NONE) {
            diagonal[unknown as usize] = d;
        }
        for (edge, &slot) in system.edges.iter().zip(&elimination.of_edge).filter(|(_, slot)| **slot != NONE) {
            let (ahead, _) = self.ahead(system, edge).expect("an edge that ends has no slot");
            above[slot as usize] -= edge.weight * ahead;
        }
        // At γ = 1 the constants are no shaping: their equations stay empty.
        let taken = |component: usize| self.share[component] > 0.0;
        for (component, &unknown) in elimination.of_constant.iter().enumerate().filter(|(c, _)| taken(*c)) {
            diagonal[unknown as usize] = system.totals[component];
        }
        for (state, &slot) in elimination.with_constant.iter().enumerate().filter(|(_, slot)| **slot != NONE) {
            if taken(system.components.of_state[state] as usize) {
                above[slot as usize] = self.sums[state];
            }
        }
        let factor = |doubtful: f64| Factor::new(&elimination.pattern, &diagonal, &above, doubtful);
        // The derivatives by γ of faint shaping are out of reach: where they are wanted, as little as possible is left out.
        if border == Border::Limit {
            return factor(ROUNDING);
        }
        let cautious = factor(DOUBTFUL);
        let fits = cautious.left_out().len() <= FAINT.min(FAINT_VALUES / system.edges.len().max(1));
        if fits { cautious } else { factor(ROUNDING) }
    }

    /// Fits shaping to values given by edge, where every edge counts with its weight.
    ///
    /// O(edges + entries of the factor) an iteration. With a factorization there are a few of them, enough to remove its
    /// rounding; with the diagonal about as many as the condition number of the columns: dozens to hundreds. A second round on
    /// what the first one left takes out the rounding of the iterations.
    fn fit(&self, system: &System, mut rest: Vec<f64>) -> (Vec<f64>, Vec<f64>) {
        let nothing = NOTHING * NOTHING * system.squared(&rest);
        let mut potential = vec![0.0; system.states()];
        for round in 1..=ROUNDS {
            // Every time anew: large potentials that all but cancel leave means behind. Twice: the mean of values that are large
            // beside their differences is rounded.
            for _ in 0..2 {
                let means = self.means(system, &rest);
                rest.iter_mut().zip(means).for_each(|(rest, mean)| *rest -= mean);
            }
            let before = system.squared(&rest);
            let more = self.descend(system, &rest, self.tolerance * self.tolerance * before);
            let parts = self.shaping(system, &more);
            rest.iter_mut().zip(&parts).for_each(|(rest, part)| *rest -= part);
            potential.iter_mut().zip(more).for_each(|(p, more)| *p += more);
            for faint in &self.faint {
                let part: f64 = system.edges.iter().zip(faint).zip(&rest).map(|((e, f), r)| e.weight * f * r).sum();
                rest.iter_mut().zip(faint).for_each(|(rest, f)| *rest -= part * f);
            }
            let settled = system.squared(&parts) <= SETTLED * SETTLED * before;
            if round > 1 && (settled || system.squared(&rest) <= nothing) {
                break;
            }
        }
        (potential, rest)
    }

    /// By edge, the mean of its component where that is taken out; 0 where not.
    fn means(&self, system: &System, by_edge: &[f64]) -> Vec<f64> {
        let mut means = vec![0.0; self.share.len()];
        system.edges.iter().zip(by_edge).for_each(|(edge, v)| means[system.component(edge)] += edge.weight * v);
        means.iter_mut().zip(&self.share).for_each(|(mean, share)| *mean *= share);
        system.edges.iter().map(|edge| means[system.component(edge)]).collect()
    }

    /// A φ by edge, around the means of the components where those are taken out.
    fn shaping(&self, system: &System, potential: &[f64]) -> Vec<f64> {
        let mut means = vec![0.0; self.share.len()];
        let states = system.components.of_state.iter().zip(&self.sums).zip(potential);
        states.for_each(|((&c, sum), p)| means[c as usize] += sum * p);
        means.iter_mut().zip(&self.share).for_each(|(mean, share)| *mean *= share);
        parallel::map(system.edges.len(), |e| {
            let edge = &system.edges[e];
            self.shaping_of(system, edge, potential) - means[system.component(edge)]
        })
    }

    /// Aᵀ v, every edge counted with its weight.
    fn gather(&self, system: &System, by_edge: &[f64]) -> Vec<f64> {
        let mut by_state = vec![0.0; system.states()];
        for (edge, value) in system.edges.iter().zip(by_edge) {
            let value = edge.weight * value;
            if let Some((ahead, target)) = self.ahead(system, edge) {
                by_state[target] += ahead * value;
            }
            by_state[edge.source as usize] -= value;
        }
        by_state
    }

    fn precondition(&self, system: &System, gradient: &[f64]) -> Vec<f64> {
        match (&self.preconditioner, self.elimination(system)) {
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
    fn descend(&self, system: &System, values: &[f64], enough: f64) -> Vec<f64> {
        let mut potential = vec![0.0; system.states()];
        let mut rest = values.to_vec();
        let gradient = self.gather(system, &rest);
        let mut course = Course::new(&gradient, self.precondition(system, &gradient));
        // Without a factorization the gradient may stay as it is, or grow, until news has crossed the graph; with one, a gradient that
        // grows is rounding, which further steps would feed.
        let (patience, growth) = match self.preconditioner {
            Preconditioner::Factor(_) => (20, 1e3),
            Preconditioner::Diagonal(_) => (100 + 8 * system.states().isqrt(), f64::INFINITY),
        };
        let mut left = system.squared(&rest);
        while course.size > enough && course.size < growth * course.least && course.waited < patience {
            checkpoint();
            let change = self.shaping(system, &course.direction);
            let curvature = system.squared(&change);
            let step = course.size / curvature;
            // A step takes step · size from the squares. One that would take more than there is follows rounding, along a
            // potential that shapes next to nothing.
            if step.is_nan() || step * course.size > 1.000_001 * left {
                break;
            }
            potential.iter_mut().zip(&course.direction).for_each(|(p, d)| *p += step * d);
            rest.iter_mut().zip(&change).for_each(|(r, c)| *r -= step * c);
            left = system.squared(&rest);
            let gradient = self.gather(system, &rest);
            course.turn(&gradient, &self.precondition(system, &gradient));
        }
        potential
    }
}

/// The inverse of every entry; 0 where there is no column.
pub(super) fn inverse(diagonal: &[f64]) -> Vec<f64> {
    diagonal.iter().map(|&d| if d > 0.0 { 1.0 / d } else { 0.0 }).collect()
}
