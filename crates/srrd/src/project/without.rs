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
use super::graph::{Core, Edge, ShapingGraph, core};
use super::solve::{Equations, Preconditioner, Solver};
use super::system::{Elimination, NONE, System};
use crate::run::checkpoint;
use crate::units;

/// So many steps do, or the equations are so far from those of all transitions that it is better to begin anew.
const STEPS: usize = 400;

/// Two values of an edge or a state.
type Two = [f64; 2];

/// What shaping leaves of two vectors on some transitions.
pub(crate) struct OnSome<'a> {
    edge_of: &'a [u32],
    left: [&'a [f64]; 2],
    rows: &'a [u32],
    scale: Two,
    /// By edge: what is to be added to what is left on all transitions, in units of the scale.
    change: Vec<Two>,
}

impl OnSome<'_> {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// What is left of both at the i-th of the transitions.
    pub fn at(&self, i: usize) -> (f64, f64) {
        let row = self.rows[i] as usize;
        let change = self.change[self.edge_of[row] as usize];
        let value = |k: usize| (self.left[k][row] * self.scale[k] + change[k]) / self.scale[k];
        (value(0), value(1))
    }
}

impl Projection {
    /// What shaping leaves of two vectors on some transitions, ascending, from what it leaves of them on all: up to potentials whose
    /// shaping is about `within` of what is there. `None` where that is not found this way, or where fewer than `freedom` degrees of freedom may be
    /// left: the caller has to project anew.
    ///
    /// O(transitions), and O(states + edges that are gone + entries of the factor) a step.
    pub(crate) fn on_some<'a>(
        &'a self,
        left: [&'a [f64]; 2],
        rows: &'a [u32],
        freedom: usize,
        within: f64,
    ) -> Option<OnSome<'a>> {
        let Some(Solver::Equations(equations)) = &self.solver else { return None };
        // Shifts, and shaping that is nearly nothing, are computed vectors of all transitions.
        if self.shift.is_some() || !equations.is_regular() {
            return None;
        }
        let ShapingGraph { edges, edge_of, .. } = &self.graph;
        let Core { kept, system } = self.graph.core();
        let scale = left.map(units::scale);
        let mut weight = vec![0.0; edges.len()];
        // By edge: the mean of its values, and then what is to be added to each of them.
        let mut change = vec![[0.0; 2]; edges.len()];
        for &row in rows {
            let e = edge_of[row as usize] as usize;
            weight[e] += 1.0;
            add(&mut change[e], 1.0, [left[0][row as usize] * scale[0], left[1][row as usize] * scale[1]]);
        }
        checkpoint();
        let mut present = 0;
        for (change, weight) in change.iter_mut().zip(&weight).filter(|(_, weight)| **weight > 0.0) {
            present += 1;
            *change = change.map(|sum| sum / weight);
        }
        // The potentials of states with one edge explain it.
        let inner = core(system.states(), &system.edges, |e| weight[kept[e] as usize] > 0.0);
        let mut met = vec![false; system.states()];
        inner.iter().for_each(|&e| system.edges[e as usize].states().for_each(|state| met[state] = true));
        // Every state takes at most one, and every edge outside the core is taken as a whole.
        let states = met.iter().filter(|met| **met).count();
        if (rows.len() - present) + inner.len() < states + freedom {
            return None;
        }
        drop(met);
        let stays = inner.iter().map(|&e| {
            let of_all = kept[e as usize] as usize;
            Stays { e, weight: weight[of_all], mean: change[of_all] }
        });
        let fit = Reduced::new(system, equations, stays.clone()).fit(stays, within)?;
        change.iter_mut().for_each(|change| *change = change.map(|mean| -mean));
        for &e in &inner {
            change[kept[e as usize] as usize] = fit.change(system, equations, &system.edges[e as usize]);
        }
        Some(OnSome { edge_of, left, rows, scale, change })
    }
}

/// An edge of the core that is still in a core.
struct Stays {
    e: u32,
    /// How many of its transitions are there.
    weight: f64,
    /// The mean of their values.
    mean: Two,
}

/// The normal equations of all transitions less those of some.
struct Reduced<'a> {
    system: &'a System,
    equations: &'a Equations,
    /// The edges that are gone, and how many transitions of each.
    gone: Vec<(u32, f64)>,
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
    fn new(system: &'a System, equations: &'a Equations, stays: impl Iterator<Item = Stays>) -> Self {
        let mut there = stays.peekable();
        let gone = |(e, edge): (u32, &Edge)| {
            let weight = there.next_if(|stay| stay.e == e).map_or(0.0, |stay| stay.weight);
            (weight < edge.weight).then_some((e, edge.weight - weight))
        };
        let gone = (0u32..).zip(&system.edges).filter_map(gone).collect();
        let mut reduced = Reduced { system, equations, gone, share: Vec::new(), sums: Vec::new() };
        if equations.share.iter().any(|share| *share > 0.0) {
            let mut totals = system.totals.clone();
            let mut missing = vec![[0.0; 2]; system.states()];
            for (edge, weight) in reduced.gone() {
                totals[system.component(edge)] -= weight;
                add_column(system, equations, edge, [weight; 2], &mut missing);
            }
            // Weights are counts, so that what is left of them is exact.
            let share = |(&share, &total): (&f64, &f64)| if share > 0.0 && total > 0.0 { 1.0 / total } else { 0.0 };
            reduced.share = equations.share.iter().zip(&totals).map(share).collect();
            reduced.sums = equations.sums.iter().zip(missing).map(|(sum, [missing, _])| sum - missing).collect();
        }
        reduced
    }

    /// The edges that are gone, with their weights.
    fn gone(&self) -> impl Iterator<Item = (&'a Edge, f64)> {
        self.gone.iter().map(|&(e, weight)| (&self.system.edges[e as usize], weight))
    }

    /// The potential whose shaping is closest to the values that stay; `None` where many steps do not find it.
    fn fit(&self, stays: impl Iterator<Item = Stays> + Clone, within: f64) -> Option<Fit> {
        let Reduced { system, equations, .. } = *self;
        let stays = || stays.clone().map(|stay| (&system.edges[stay.e as usize], stay.weight, stay.mean));
        let mut means = vec![[0.0; 2]; self.share.len()];
        if !means.is_empty() {
            stays().for_each(|(edge, weight, mean)| add(&mut means[system.component(edge)], weight, mean));
            means.iter_mut().zip(&self.share).for_each(|(mean, share)| *mean = mean.map(|sum| sum * share));
        }
        let mut gradient = vec![[0.0; 2]; system.states()];
        let mut squares = [0.0; 2];
        for (edge, weight, [x, y]) in stays() {
            let [a, b] = mean_of(&means, system, edge);
            let value = [x - a, y - b];
            add(&mut squares, weight, [value[0] * value[0], value[1] * value[1]]);
            add_column(system, equations, edge, [weight * value[0], weight * value[1]], &mut gradient);
        }
        let potential = self.descend(gradient, squares.map(|square| within * within * square))?;
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
        for (edge, weight) in self.gone() {
            let shaped = shaping(system, equations, edge, potential).map(|shaped| shaped * weight);
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
mod tests {
    use super::super::END;
    use super::*;
    use crate::settings::Gamma;
    use proptest::prelude::*;

    /// Numbers that look like chance.
    fn mixed(number: u64) -> u64 {
        let mut hash = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
        hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        hash = (hash ^ (hash >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        hash ^ (hash >> 31)
    }

    fn unit(number: u64) -> f64 {
        (mixed(number) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// The residuals of two vectors without a twentieth of the states, both ways; `None` where the quick one gives up.
    fn both(pairs: &[(u32, u32)], gamma: f64, group: u64, within: f64) -> Option<[Vec<Two>; 2]> {
        let gamma = Gamma::new(gamma).unwrap();
        let values = [1, 2].map(|salt| -> Vec<f64> {
            (0..pairs.len() as u64).map(|i| 1e3 * unit(i * 7 + salt) + if salt == 2 { 1.0 } else { 0.0 }).collect()
        });
        let projection = Projection::on(pairs.iter().copied(), gamma);
        let left = values.each_ref().map(|values| projection.residual(values));
        let out = |state: u32| state != END && mixed(u64::from(state)) % 20 == group;
        let rows: Vec<u32> =
            (0..pairs.len() as u32).filter(|&i| !out(pairs[i as usize].0) && !out(pairs[i as usize].1)).collect();
        let found = projection.on_some([&left[0], &left[1]], &rows, 5, within)?;
        let found = (0..found.len()).map(|i| <[f64; 2]>::from(found.at(i))).collect();
        let anew = Projection::on(rows.iter().map(|&i| pairs[i as usize]), gamma);
        assert!(anew.shaping().degrees_of_freedom >= 5);
        let [x, y] =
            values.map(|values| anew.residual(&rows.iter().map(|&i| values[i as usize]).collect::<Vec<f64>>()));
        Some([found, x.into_iter().zip(y).map(|(x, y)| [x, y]).collect()])
    }

    /// Whether both ways agree to this part of the length of what is left.
    fn agree([found, expected]: &[Vec<Two>; 2], within: f64) -> bool {
        let length = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
        (0..2).all(|k| {
            let apart = length(&mut found.iter().zip(expected).map(|(a, b)| a[k] - b[k]));
            apart <= within * length(&mut expected.iter().map(|value| value[k])).max(1e-6)
        })
    }

    /// A grid with loops at its borders, in which some walls end episodes.
    fn grid(side: u32, ends: bool) -> Vec<(u32, u32)> {
        let at = |x: u32, y: u32| y * side + x;
        let cells = (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
        cells
            .flat_map(|(x, y)| {
                let wall = if ends && (x + y) % 11 == 0 { END } else { at(x, y) };
                [
                    if x + 1 < side { at(x + 1, y) } else { wall },
                    if y > 0 { at(x, y - 1) } else { wall },
                    if x > 0 { at(x - 1, y) } else { wall },
                    if y + 1 < side { at(x, y + 1) } else { wall },
                ]
                .map(|next| (at(x, y), next))
            })
            .collect()
    }

    #[test]
    fn leaving_out_is_projecting_anew() {
        let star: Vec<(u32, u32)> = (1..2000).flat_map(|leaf| [(0, leaf), (leaf, 0)]).collect();
        let random = |states: u64, rows: u64| -> Vec<(u32, u32)> {
            let mut rows: Vec<(u32, u32)> =
                (0..rows).map(|i| ((mixed(3 * i) % states) as u32, (mixed(3 * i + 1) % states) as u32)).collect();
            rows.sort_unstable();
            rows
        };
        // Few edges a state, as walks leave them; many, where iterations work alone; and a chain with ways back.
        let (sparse, dense) = (random(2000, 5000), random(2000, 16_000));
        let chain: Vec<(u32, u32)> = (0..1500).flat_map(|s| [(s, s + 1), (s + 1, s / 2)]).collect();
        for (name, pairs) in [
            ("star", star),
            ("grid", grid(40, false)),
            ("ends", grid(40, true)),
            ("sparse", sparse),
            ("dense", dense),
            ("chain", chain),
        ] {
            let hub = mixed(0) % 20;
            for gamma in [0.5, 0.9, 0.99, 0.999] {
                for group in (0..20).filter(|group| *group != hub).step_by(10) {
                    let Some(two) = both(&pairs, gamma, group, 1e-8) else { panic!("{name}, γ = {gamma}: given up") };
                    assert!(agree(&two, 1e-6), "{name}, γ = {gamma}, group {group}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn small_graphs_agree_or_are_given_up(
            mut pairs in prop::collection::vec((0..60u32, 0..62u32), 40..200),
            gamma in prop_oneof![Just(1.0), Just(0.9), 0.6..1.0f64],
            group in 0..20u64,
        ) {
            pairs.sort_unstable();
            let pairs: Vec<(u32, u32)> = pairs.into_iter().map(|(s, t)| (s, if t > 59 { END } else { t })).collect();
            if let Some(two) = both(&pairs, gamma, group, 1e-9) {
                prop_assert!(agree(&two, 1e-5));
            }
        }
    }
}
