//! The projection on some of the transitions, from that on all of them: for a jackknife, which leaves out one group of states after the
//! other.
//!
//! What is left of values on all transitions is shaping less than the values themselves, so it may stand in their place on some of them.
//! It is nearly what is left there, too: only where transitions are missing does it hold shaping again. Conjugate gradients take that
//! out. They are preconditioned by the factor for all transitions, which is larger than the equations of some of them in every
//! direction and equal to them in most, so that a few steps do; nothing is numbered, ordered or factorized again. Two vectors go side by side.
//!
//! With H the equations of all transitions and L those of the ones that are gone, the equations are H − L, and a preconditioned gradient
//! z = H⁻¹g has Hz = g: no step has to pass the transitions that stay. It costs the states, the factor and what is gone.
//!
//! What is left of an error δ of the potentials is orthogonal to the residuals, so that cosines of residuals have errors of δ² only.

use std::borrow::Cow;

use super::Projection;
use super::graph::{Core, Degrees, END, Edge, ShapingGraph};
use super::solve::{Equations, Preconditioner, Solver};
use super::system::{Elimination, NONE, System};
use crate::run::checkpoint;
use crate::units;

/// So many steps do, or the equations are so far from those of all transitions that it is better to begin anew.
const STEPS: usize = 400;

/// Two values of an edge or a state.
type Two = [f64; 2];

/// What shaping leaves of two vectors on all transitions, and what has to be known of it to find what is left on some.
pub(crate) struct Residuals<'a> {
    graph: &'a ShapingGraph,
    equations: &'a Equations,
    left: [&'a [f64]; 2],
    /// The units of all sums.
    scale: Two,
    /// By edge: the sum of its values.
    sums: Vec<Two>,
    /// By edge: its number in the core; `NONE` outside.
    in_core: Vec<u32>,
    /// In the core.
    degrees: Degrees,
    /// Aᵀ times the values of the core, by state.
    gradient: Vec<Two>,
    /// The sum of the values of the core, by component.
    totals: Vec<Two>,
    /// The squares of all values.
    squares: Two,
    /// How many transitions end their episodes.
    ends: f64,
}

/// An edge that transitions are missing of.
#[derive(Clone, Copy)]
struct Missing {
    e: u32,
    /// How many of its transitions.
    weight: f64,
    /// Whether these are all.
    whole: bool,
    /// The sum of their values.
    sum: Two,
}

/// What shaping leaves of two vectors on some transitions.
pub(crate) struct OnSome<'a> {
    of_all: &'a Residuals<'a>,
    /// The transitions that are gone.
    gone: &'a [u32],
    /// By edge: what is to be added to what is left on all transitions, in units of the scale.
    change: Vec<Two>,
}

impl OnSome<'_> {
    /// What is left of both, in the order of the transitions that stay.
    pub fn pairs(&self) -> impl Iterator<Item = (f64, f64)> {
        let Residuals { graph, left, scale, .. } = self.of_all;
        // Powers of two.
        let back = scale.map(|scale| 1.0 / scale);
        let mut gone = self.gone.iter().peekable();
        let rows = (0u32..).zip(&graph.edge_of).zip(left[0].iter().zip(left[1]));
        rows.filter(move |((row, _), _)| gone.next_if_eq(&row).is_none()).map(move |((_, &e), (x, y))| {
            let change = self.change[e as usize];
            ((x * scale[0] + change[0]) * back[0], (y * scale[1] + change[1]) * back[1])
        })
    }
}

impl Projection {
    /// Makes ready what is left of two vectors. `None` where nothing can be found from it. O(transitions).
    pub(crate) fn residuals<'a>(&'a self, left: [&'a [f64]; 2]) -> Option<Residuals<'a>> {
        let Some(Solver::Equations(equations)) = &self.solver else { return None };
        // Shifts, and shaping that is nearly nothing, are computed vectors of all transitions.
        if self.shift.is_some() || !equations.is_regular() {
            return None;
        }
        let graph = &self.graph;
        let Core { kept, system } = graph.core();
        let scale = left.map(units::scale);
        let mut sums = vec![[0.0; 2]; graph.edges.len()];
        for (&e, (x, y)) in graph.edge_of.iter().zip(left[0].iter().zip(left[1])) {
            add(&mut sums[e as usize], 1.0, [x * scale[0], y * scale[1]]);
        }
        let mut in_core = vec![NONE; graph.edges.len()];
        let mut gradient = vec![[0.0; 2]; system.states()];
        let mut totals = vec![[0.0; 2]; system.totals.len()];
        for ((c, &e), edge) in (0u32..).zip(kept).zip(&system.edges) {
            in_core[e as usize] = c;
            let sum = sums[e as usize];
            add_column(system, equations, edge, sum, &mut gradient);
            add(&mut totals[system.component(edge)], 1.0, sum);
        }
        let degrees = Degrees::new(system.states(), &system.edges);
        let ends = graph.edges.iter().filter(|edge| edge.target == END).map(|edge| edge.weight).sum();
        let mut of_all = Residuals {
            graph,
            equations,
            left,
            scale,
            sums,
            in_core,
            degrees,
            gradient,
            totals,
            squares: [0.0; 2],
            ends,
        };
        of_all.squares = of_all.squares_of(0..graph.transitions() as u32);
        Some(of_all)
    }
}

impl Residuals<'_> {
    /// What shaping leaves of both vectors without some of the transitions, ascending: up to potentials whose shaping is about
    /// `within` of what is there. `None` where that is not found this way, or where fewer than `freedom` degrees of freedom may be
    /// left: the caller has to project anew.
    ///
    /// O(transitions), and O(states + edges that are gone + entries of the factor) a step.
    pub(crate) fn without<'a>(&'a self, gone: &'a [u32], freedom: usize, within: f64) -> Option<OnSome<'a>> {
        checkpoint();
        let Residuals { graph, equations, .. } = *self;
        let Core { kept, system } = graph.core();
        let by_edge = gone.chunk_by(|&a, &b| graph.edge_of[a as usize] == graph.edge_of[b as usize]);
        let missing: Vec<Missing> = by_edge.map(|rows| self.missing(rows)).collect();
        let ends = missing.iter().filter(|missing| graph.edges[missing.e as usize].target == END);
        if equations.gamma() == 1.0 && self.ends > 0.0 && self.ends == ends.map(|missing| missing.weight).sum::<f64>() {
            // A shift changes no behaviour where nothing ends any more.
            return None;
        }

        // Of the core: edges that are gone, in part or as a whole, and then those that the potentials of states with one edge explain.
        let core_of = |missing: &Missing| {
            let c = self.in_core[missing.e as usize];
            (c != NONE).then_some(Missing { e: c, ..*missing })
        };
        let mut out: Vec<Missing> = missing.iter().filter_map(core_of).collect();
        let (mut degrees, mut leaves) = (self.degrees.clone(), Vec::new());
        let edge_of = |c: u32| &system.edges[c as usize];
        for missing in out.iter().filter(|missing| missing.whole) {
            degrees.take(missing.e, edge_of(missing.e), &mut leaves);
        }
        degrees.peel(&system.edges, leaves, |c| {
            let sum = self.sums[kept[c as usize] as usize];
            out.push(Missing { e: c, weight: edge_of(c).weight, whole: true, sum });
        });
        // Of an edge that is missing in part and then as a whole, the whole is what counts.
        out.sort_unstable_by_key(|missing| (missing.e, !missing.whole));
        out.dedup_by_key(|missing| missing.e);
        let taken = out.iter().filter(|missing| missing.whole).count();

        // Every state takes at most one degree of freedom, and every edge outside the core is taken as a whole.
        let edges = graph.edges.len() - missing.iter().filter(|missing| missing.whole).count();
        let rows = graph.transitions() - gone.len();
        if (rows - edges) + (system.edges.len() - taken) < degrees.states + freedom {
            return None;
        }
        drop(degrees);
        let of_gone = self.squares_of(gone.iter().copied());
        let enough = [0, 1].map(|k| within * within * (self.squares[k] - of_gone[k]).max(0.0));
        let fit = Reduced::new(system, equations, &out).fit(self, enough)?;
        let mut change: Vec<Two> = (self.in_core.iter().zip(&self.sums).zip(&graph.edges))
            .map(|((&c, sum), edge)| match c {
                NONE => sum.map(|sum| -sum / edge.weight),
                c => fit.change(system, equations, edge_of(c)),
            })
            .collect();
        let mut take_whole = |e: u32, sum: Two, weight: f64| change[e as usize] = sum.map(|sum| -sum / weight);
        let peeled = |c: u32| out.binary_search_by_key(&c, |out| out.e).is_ok_and(|i| out[i].whole);
        for out in out.iter().filter(|out| out.whole) {
            take_whole(kept[out.e as usize], out.sum, out.weight);
        }
        for part in missing.iter().filter(|missing| !missing.whole) {
            let (e, c) = (part.e as usize, self.in_core[part.e as usize]);
            if c == NONE || peeled(c) {
                let stays = [0, 1].map(|k| self.sums[e][k] - part.sum[k]);
                take_whole(part.e, stays, graph.edges[e].weight - part.weight);
            }
        }
        Some(OnSome { of_all: self, gone, change })
    }

    /// What is left at a transition.
    fn at(&self, row: u32) -> Two {
        [0, 1].map(|k| self.left[k][row as usize] * self.scale[k])
    }

    fn squares_of(&self, rows: impl Iterator<Item = u32>) -> Two {
        rows.fold([0.0; 2], |[x, y], row| {
            let [a, b] = self.at(row);
            [x + a * a, y + b * b]
        })
    }

    /// Transitions of one edge.
    fn missing(&self, rows: &[u32]) -> Missing {
        let mut sum = [0.0; 2];
        rows.iter().for_each(|&row| add(&mut sum, 1.0, self.at(row)));
        let (e, weight) = (self.graph.edge_of[rows[0] as usize], rows.len() as f64);
        Missing { e, weight, whole: weight == self.graph.edges[e as usize].weight, sum }
    }
}

/// The normal equations of all transitions less those of some.
struct Reduced<'a> {
    system: &'a System,
    equations: &'a Equations,
    /// The edges of the core that transitions are missing of.
    gone: &'a [Missing],
    /// By component, as [`Equations::share`]; empty where no means are taken out.
    share: Vec<f64>,
    /// Aᵀ1 by state, where means are taken out.
    sums: Vec<f64>,
}

/// A potential that explains shaping, and what is taken from all values of a component beside it.
struct Fit {
    potential: Vec<Two>,
    /// By component; empty where no mean is taken out.
    means: Vec<Two>,
}

impl Fit {
    /// What the values of an edge are changed by.
    fn change(&self, system: &System, equations: &Equations, edge: &Edge) -> Two {
        let [x, y] = shaping(system, equations, edge, &self.potential);
        let [a, b] = mean_of(&self.means, system, edge);
        [-(x + a), -(y + b)]
    }
}

impl<'a> Reduced<'a> {
    fn new(system: &'a System, equations: &'a Equations, gone: &'a [Missing]) -> Self {
        let mut reduced = Reduced { system, equations, gone, share: Vec::new(), sums: Vec::new() };
        if equations.share.iter().any(|share| *share > 0.0) {
            let mut totals = system.totals.clone();
            let mut missing = vec![[0.0; 2]; system.states()];
            for (edge, Missing { weight, .. }) in reduced.gone() {
                totals[system.component(edge)] -= weight;
                add_column(system, equations, edge, [*weight; 2], &mut missing);
            }
            // Weights are counts, so that what is left of them is exact.
            let share = |(&share, &total): (&f64, &f64)| if share > 0.0 && total > 0.0 { 1.0 / total } else { 0.0 };
            reduced.share = equations.share.iter().zip(&totals).map(share).collect();
            reduced.sums = equations.sums.iter().zip(missing).map(|(sum, [missing, _])| sum - missing).collect();
        }
        reduced
    }

    /// The edges that transitions are missing of, with these.
    fn gone(&self) -> impl Iterator<Item = (&'a Edge, &'a Missing)> {
        self.gone.iter().map(|missing| (&self.system.edges[missing.e as usize], missing))
    }

    /// The potential whose shaping is closest to the values that stay, up to shaping whose squares are `enough`; `None` where many steps
    /// do not find it.
    fn fit(&self, of_all: &Residuals<'_>, enough: Two) -> Option<Fit> {
        let Reduced { system, equations, .. } = *self;
        let (mut gradient, mut totals) = (of_all.gradient.clone(), of_all.totals.clone());
        for (edge, missing) in self.gone() {
            add_column(system, equations, edge, missing.sum.map(|sum| -sum), &mut gradient);
            add(&mut totals[system.component(edge)], -1.0, missing.sum);
        }
        let mut means = Vec::new();
        if !self.share.is_empty() {
            means.extend(totals.iter().zip(&self.share).map(|(sum, share)| sum.map(|sum| sum * share)));
            let states = gradient.iter_mut().zip(&self.sums).zip(&system.components.of_state);
            states.for_each(|((gradient, &sum), &c)| add(gradient, -sum, means[c as usize]));
        }
        let potential = self.descend(gradient, enough)?;
        let of_shaping = means_of_shaping(system, &self.sums, &self.share, &potential);
        means.iter_mut().zip(of_shaping).for_each(|(mean, shaped)| add(mean, -1.0, shaped));
        Some(Fit { potential, means })
    }

    /// Conjugate gradients from the potential 0, until the gradient, preconditioned, is `enough` or less.
    fn descend(&self, mut gradient: Vec<Two>, enough: Two) -> Option<Vec<Two>> {
        let mut potential = vec![[0.0; 2]; gradient.len()];
        // Used again in every step: new memory takes the system longer than what is done with it.
        let mut work = Vec::new();
        let mut direction = Vec::new();
        self.precondition(&gradient, &mut work, &mut direction);
        // The equations of all transitions times the direction.
        let mut of_all = self.with_all(&direction, &gradient).into_owned();
        let mut size = dot(&gradient, &direction);
        // What is missing of a direction, and the next way down.
        let mut other = Vec::new();
        for _ in 0..STEPS {
            // A vector that is done stays as it is.
            let open = [0, 1].map(|k| size[k] > enough[k]);
            if open == [false; 2] {
                return Some(potential);
            }
            checkpoint();
            self.missing(&direction, &mut other);
            let (whole, less) = (dot(&direction, &of_all), dot(&direction, &other));
            let step = [0, 1].map(|k| if open[k] { size[k] / (whole[k] - less[k]) } else { 0.0 });
            if !step.iter().all(|step| step.is_finite() && *step >= 0.0) {
                return None;
            }
            for (((g, p), d), (a, m)) in
                gradient.iter_mut().zip(&mut potential).zip(&direction).zip(of_all.iter().zip(&other))
            {
                for k in 0..2 {
                    g[k] -= step[k] * (a[k] - m[k]);
                    p[k] += step[k] * d[k];
                }
            }
            self.precondition(&gradient, &mut work, &mut other);
            let next = dot(&gradient, &other);
            let keep = [0, 1].map(|k| if open[k] { next[k] / size[k] } else { 0.0 });
            go_on(&mut of_all, keep, &self.with_all(&other, &gradient));
            go_on(&mut direction, keep, &other);
            size = [0, 1].map(|k| if open[k] { next[k] } else { size[k] });
        }
        None
    }

    /// What the equations of all transitions have more than those of what stays, times a potential.
    fn missing(&self, potential: &[Two], missing: &mut Vec<Two>) {
        let Reduced { system, equations, .. } = *self;
        missing.clear();
        missing.resize(potential.len(), [0.0; 2]);
        for (edge, gone) in self.gone() {
            let shaped = shaping(system, equations, edge, potential).map(|shaped| shaped * gone.weight);
            add_column(system, equations, edge, shaped, missing);
        }
        if !self.share.is_empty() {
            let of_all = means_of_shaping(system, &equations.sums, &equations.share, potential);
            let of_rest = means_of_shaping(system, &self.sums, &self.share, potential);
            for (state, missing) in missing.iter_mut().enumerate() {
                let c = system.components.of_state[state] as usize;
                add(missing, self.sums[state], of_rest[c]);
                add(missing, -equations.sums[state], of_all[c]);
            }
        }
    }

    /// The equations of all transitions, times a gradient that was preconditioned.
    fn with_all<'g>(&self, preconditioned: &[Two], gradient: &'g [Two]) -> Cow<'g, [Two]> {
        let Reduced { system, equations, .. } = *self;
        if let Preconditioner::Factor(_) = equations.preconditioner {
            return Cow::Borrowed(gradient);
        }
        let means = means_of_shaping(system, &equations.sums, &equations.share, preconditioned);
        let mut product = vec![[0.0; 2]; gradient.len()];
        for edge in &system.edges {
            let shaped = shaping(system, equations, edge, preconditioned);
            let mean = mean_of(&means, system, edge);
            let value = [0, 1].map(|k| edge.weight * (shaped[k] - mean[k]));
            add_column(system, equations, edge, value, &mut product);
        }
        Cow::Owned(product)
    }

    /// The gradient times the inverse of the equations of all transitions, or of their diagonal.
    fn precondition(&self, gradient: &[Two], work: &mut Vec<Two>, downhill: &mut Vec<Two>) {
        downhill.clear();
        match (&self.equations.preconditioner, self.equations.elimination(self.system)) {
            (Preconditioner::Factor(factor), Some(Elimination { of_state, unknowns, .. })) => {
                work.clear();
                work.resize(*unknowns, [0.0; 2]);
                for (&unknown, g) in of_state.iter().zip(gradient).filter(|(unknown, _)| **unknown != NONE) {
                    work[unknown as usize] = *g;
                }
                factor.solve_columns(work);
                downhill
                    .extend(of_state.iter().map(|&unknown| work.get(unknown as usize).copied().unwrap_or([0.0; 2])));
            }
            (Preconditioner::Diagonal(inverse), _) => {
                downhill.extend(gradient.iter().zip(inverse).map(|(g, d)| g.map(|g| g * d)));
            }
            (Preconditioner::Factor(_), None) => unreachable!("a factor is made by an elimination"),
        }
    }
}

/// The shaping of an edge.
#[inline]
fn shaping(system: &System, equations: &Equations, edge: &Edge, potential: &[Two]) -> Two {
    let mut shaped = potential[edge.source as usize].map(|value| -value);
    if let Some((ahead, target)) = equations.ahead(system, edge) {
        add(&mut shaped, ahead, potential[target]);
    }
    shaped
}

/// Adds the column of an edge in Aᵀ, times a value.
#[inline]
fn add_column(system: &System, equations: &Equations, edge: &Edge, value: Two, by_state: &mut [Two]) {
    if let Some((ahead, target)) = equations.ahead(system, edge) {
        add(&mut by_state[target], ahead, value);
    }
    add(&mut by_state[edge.source as usize], -1.0, value);
}

/// By component: the mean of the shaping of a potential, from the sums of the columns and 1 over the number of transitions.
fn means_of_shaping(system: &System, sums: &[f64], share: &[f64], potential: &[Two]) -> Vec<Two> {
    let mut means = vec![[0.0; 2]; share.len()];
    let states = system.components.of_state.iter().zip(sums).zip(potential);
    states.for_each(|((&c, &sum), &potential)| add(&mut means[c as usize], sum, potential));
    means.iter_mut().zip(share).for_each(|(mean, share)| *mean = mean.map(|mean| mean * share));
    means
}

/// The mean of the component of an edge; 0 where none is taken out.
fn mean_of(means: &[Two], system: &System, edge: &Edge) -> Two {
    if means.is_empty() { [0.0; 2] } else { means[system.component(edge)] }
}

/// The next direction: downhill, and as much as it takes of the last one.
fn go_on(direction: &mut [Two], keep: Two, downhill: &[Two]) {
    for (direction, downhill) in direction.iter_mut().zip(downhill) {
        *direction = [0, 1].map(|k| downhill[k] + keep[k] * direction[k]);
    }
}

#[inline]
fn add(to: &mut Two, times: f64, value: Two) {
    to[0] += times * value[0];
    to[1] += times * value[1];
}

fn dot(a: &[Two], b: &[Two]) -> Two {
    a.iter().zip(b).fold([0.0; 2], |[x, y], (a, b)| [x + a[0] * b[0], y + a[1] * b[1]])
}

#[cfg(test)]
mod tests;
