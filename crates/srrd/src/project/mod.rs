//! Potential shaping as a linear space, and rewards without their part in it.
//!
//! On a set of transitions every potential shaping is a vector γφ(s') − φ(s): the columns of a sparse matrix A with at most two
//! entries per row, −1 at s and γ at s'. What is left of rewards r after the least-squares projection on all such vectors,
//! r − A(AᵀA)⁺Aᵀr, does not change when shaping is added to them, whatever the transitions are.
//!
//! **Episodes that end.** Shaping keeps behaviour only if what an episode ends in has potential 0. A row that ends has −1 at s and
//! nothing else.
//!
//! **Shifts.** Where no row ends, a shift of all rewards changes no behaviour either, and the constant vector joins the space. (With
//! γ < 1 it is in it anyway, by a constant potential.) Where rows end, a shift changes behaviour: a step cost is not a step bonus.
//!
//! The parts: `levels` counts the dimension of the space on the graph, `graph` and `system` hold what does not depend on γ,
//! `crate::sparse` factorizes the normal equations AᵀA φ = Aᵀr where that is cheap, `solve` solves them, by conjugate gradients (`course`) where
//! need be. `means` has the same for rows that are means over next states. `without` goes on from a projection to that on some of its rows.

mod course;
mod graph;
mod levels;
mod means;
mod solve;
mod space;
mod system;
mod without;

pub(crate) use graph::{END, ShapingGraph};
pub(crate) use levels::Components;
pub(crate) use means::{MeanProjection, MeanRows};
pub(crate) use solve::{Border, Fit, Solver};
pub(crate) use space::Space;
pub(crate) use without::Residuals;

use serde::Serialize;

use crate::sample::RewardSample;
use crate::settings::Gamma;
use crate::units;

/// What shaping can explain on some transitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Shaping {
    /// Transitions minus rank: the dimension of what shaping cannot explain. With 0 of them any difference could be shaping.
    pub degrees_of_freedom: usize,
    /// The dimension of the space of shaping vectors, and of a shift of all rewards where that changes no behaviour.
    pub rank: usize,
    /// Into how many parts that share no state the transitions fall.
    pub components: usize,
}

/// The least-squares projection on the space of all shaping vectors γφ(s') − φ(s) on some transitions.
///
/// The residual of rewards r is r − A(AᵀA)⁺Aᵀr, the rows of A having −1 at s and γ at s'. Shaping changes nothing of it, whatever the
/// transitions are.
///
/// The normal equations are factorized (L D Lᵀ, order of elimination by minimum degree) when that takes at most some thousand
/// multiplications per edge, and little memory: always up to a few hundred states, and far beyond on chains, trees and grids. A few steps of conjugate
/// gradients then remove its rounding. On larger, denser graphs, where these converge fast, they work alone. Which way is taken
/// depends on the transitions only. The rank is counted on the graph, not on numbers.
///
/// ```
/// use srrd::{Duplicates, Gamma, RewardSample};
/// use srrd::project::Projection;
/// let rows = [("a", "go", "b", 4.5), ("b", "go", "a", -5.0), ("b", "wait", "b", -0.5), ("a", "run", "b", 5.5)];
/// let sample = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let projection = Projection::new(&sample, Gamma::new(0.9).unwrap());
/// assert_eq!((projection.shaping().rank, projection.shaping().degrees_of_freedom), (2, 2));
/// // Shaping with φ(a) = 0 and φ(b) = 5, and 1 more for running. Transitions are sorted by state, next state and action.
/// let residual = projection.residual(sample.rewards());
/// let shaping = projection.residual(&[4.5, 4.5, -5.0, -0.5]);
/// assert!(shaping.iter().all(|r| r.abs() < 1e-12));
/// assert!(((residual[1] - residual[0]) - 1.0).abs() < 1e-12);
/// # Ok::<(), srrd::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Projection {
    graph: ShapingGraph,
    solver: Option<Solver>,
    /// What shaping leaves of a shift that changes no behaviour, by edge and of length 1 over all transitions.
    shift: Option<Vec<f64>>,
    shaping: Shaping,
}

impl Projection {
    /// On all transitions of a sample, ending where its marks say so. Where they are unknown, nothing ends.
    pub fn new(sample: &RewardSample, gamma: Gamma) -> Self {
        Self::on(sample.leads_to(), gamma)
    }

    /// On transitions given as pairs of state numbers, [`END`] instead of the second for one that ends; those of the same pair should
    /// lie side by side.
    pub(crate) fn on(pairs: impl Iterator<Item = (u32, u32)>, gamma: Gamma) -> Self {
        let graph = ShapingGraph::new(pairs);
        let gamma = gamma.get();
        let rank = graph.rank(gamma);
        let shaping =
            Shaping { rank, components: graph.components.len(), degrees_of_freedom: graph.transitions() - rank };
        // With no degrees of freedom nothing is left of any values.
        let solver =
            (shaping.degrees_of_freedom > 0).then(|| Solver::new(&graph, gamma, Border::Exact, solve::TOLERANCE));
        let shift = solver.as_ref().filter(|_| graph.shift_is_extra(gamma)).map(|solver| {
            let left = solver.fit(&graph, &vec![1.0; graph.edges.len()]).rest;
            let length = graph.squared(&left).sqrt();
            left.into_iter().map(|v| v / length).collect()
        });
        Projection { graph, solver, shift, shaping }
    }

    /// What shaping can explain on these transitions.
    pub fn shaping(&self) -> Shaping {
        self.shaping
    }

    /// The values without their projection, in the order of the transitions.
    ///
    /// O(edges + entries of the factor) an iteration, of which there are a few with a factorization, dozens to hundreds without.
    ///
    /// # Panics
    /// When there are more or fewer values than transitions.
    pub fn residual(&self, values: &[f64]) -> Vec<f64> {
        assert_eq!(values.len(), self.graph.transitions(), "one value per transition");
        let Some(solver) = &self.solver else { return vec![0.0; values.len()] };
        let scale = units::scale(values);
        let back = 1.0 / scale;
        let mut means = self.graph.means(values);
        means.iter_mut().for_each(|mean| *mean *= scale);
        let mut rest = solver.fit(&self.graph, &means).rest;
        if let Some(shift) = &self.shift {
            let part = self.graph.product(shift, &rest);
            rest.iter_mut().zip(shift).for_each(|(rest, shift)| *rest -= part * shift);
        }
        // Of one transition alone there is nothing beside the mean to be rounded.
        let left = |(&e, value): (&u32, &f64)| ((value * scale - means[e as usize]) + rest[e as usize]) * back;
        self.graph.edge_of.iter().zip(values).map(left).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests;
