//! The projection on some of the transitions, from that on all of them: for a jackknife, which leaves out one group of states after the
//! other.
//!
//! What is left of values on all transitions is shaping less than the values themselves, so it may stand in their place on some of them.
//! It is nearly what is left there, too: only where transitions are missing does it hold shaping again. Conjugate gradients take that
//! out. They are preconditioned by the factor for all transitions, which is larger than the equations of some of them in every
//! direction and equal to them in most, so that a few steps do; nothing is numbered, ordered or factorized again. Two vectors go side by side.
//!
//! What is left of an error δ of the potentials is orthogonal to the residuals, so that cosines of residuals have errors of δ² only.

use super::Projection;
use super::graph::{Edge, ShapingGraph, core};
use super::solve::{Equations, Preconditioner, Solver};
use super::system::{Elimination, NONE, System};
use crate::run::checkpoint;
use crate::units;

/// So many steps do, or the equations are so far from those of all transitions that it is better to begin anew.
const STEPS: usize = 400;

/// Two values of an edge or a state.
type Two = [f64; 2];

impl Projection {
    /// What shaping leaves of two vectors on some transitions, ascending, from what it leaves of them on all: up to potentials whose
    /// shaping is about `within` of what is there. `None` where that is not found this way, or where fewer than `freedom` degrees of freedom may be
    /// left: the caller has to project anew.
    ///
    /// O(transitions + entries of the factor) a step.
    pub(crate) fn on_some(&self, left: [&[f64]; 2], rows: &[u32], freedom: usize, within: f64) -> Option<Vec<Two>> {
        let Some(Solver::Equations(equations)) = &self.solver else { return None };
        // Shifts, and shaping that is nearly nothing, are computed vectors of all transitions.
        if self.shift.is_some() || !equations.is_regular() {
            return None;
        }
        let ShapingGraph { edges, edge_of, kept, core: system, .. } = &self.graph;
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
        let present = weight.iter().filter(|weight| **weight > 0.0).count();
        for (change, weight) in change.iter_mut().zip(&weight).filter(|(_, weight)| **weight > 0.0) {
            change.iter_mut().for_each(|value| *value /= weight);
        }
        // The potentials of states with one edge explain it.
        let inner = core(system.states(), &system.edges, |e| weight[kept[e] as usize] > 0.0);
        let mut of_core = vec![0.0; system.edges.len()];
        let mut rest = vec![[0.0; 2]; system.edges.len()];
        let mut met = vec![false; system.states()];
        for &e in &inner {
            let of_all = kept[e as usize] as usize;
            (of_core[e as usize], rest[e as usize]) = (weight[of_all], change[of_all]);
            system.edges[e as usize].states().for_each(|state| met[state] = true);
        }
        // Every state takes at most one, and every edge outside the core is taken as a whole.
        let states = met.iter().filter(|met| **met).count();
        if (rows.len() - present) + inner.len() < states + freedom {
            return None;
        }
        drop((weight, met));
        change.iter_mut().for_each(|change| *change = [-change[0], -change[1]]);
        Reduced::new(system, equations, of_core).fit(&mut rest, within).then_some(())?;
        kept.iter().zip(&rest).for_each(|(&e, &rest)| add(&mut change[e as usize], 1.0, rest));
        let back = [1.0 / scale[0], 1.0 / scale[1]];
        let left = |&row: &u32| {
            let by = change[edge_of[row as usize] as usize];
            let value = |k: usize| (left[k][row as usize] * scale[k] + by[k]) * back[k];
            [value(0), value(1)]
        };
        Some(rows.iter().map(left).collect())
    }
}

/// The normal equations of a system with other weights.
struct Reduced<'a> {
    system: &'a System,
    equations: &'a Equations,
    /// By edge: how many transitions there are. 0 takes an edge away.
    weight: Vec<f64>,
    /// By component, as [`Equations::share`].
    share: Vec<f64>,
    /// Aᵀ1 by state, where means are taken out.
    sums: Vec<f64>,
    /// The inverse of the diagonal, where that is the preconditioner.
    inverse: Vec<f64>,
}

impl<'a> Reduced<'a> {
    fn new(system: &'a System, equations: &'a Equations, weight: Vec<f64>) -> Self {
        let mut reduced =
            Reduced { system, equations, weight, share: Vec::new(), sums: Vec::new(), inverse: Vec::new() };
        if equations.share.iter().any(|share| *share > 0.0) {
            let mut totals = vec![0.0; equations.share.len()];
            reduced.present().for_each(|(_, edge, weight)| totals[system.component(edge)] += weight);
            let share = |(&share, &total): (&f64, &f64)| if share > 0.0 && total > 0.0 { 1.0 / total } else { 0.0 };
            reduced.share = equations.share.iter().zip(&totals).map(share).collect();
            let sums = reduced.gather(&vec![[1.0; 2]; system.edges.len()]);
            reduced.sums = sums.into_iter().map(|[sum, _]| sum).collect();
        }
        if let Preconditioner::Diagonal(_) = equations.preconditioner {
            let mut diagonal = vec![0.0; system.states()];
            for (_, edge, weight) in reduced.present() {
                equations.add_to_diagonal(system, edge, weight, &mut diagonal);
            }
            reduced.inverse = super::solve::inverse(&diagonal);
        }
        reduced
    }

    /// The edges that are there, with their numbers and weights.
    fn present(&self) -> impl Iterator<Item = (usize, &'a Edge, f64)> {
        let weighted = self.system.edges.iter().zip(&self.weight).enumerate();
        weighted.filter(|(_, (_, weight))| **weight > 0.0).map(|(e, (edge, weight))| (e, edge, *weight))
    }

    /// Takes shaping out of two vectors; whether it could.
    fn fit(&self, rest: &mut [Two], within: f64) -> bool {
        self.take_means_out(rest);
        let mut gradient = self.gather(rest);
        let mut direction = self.precondition(&gradient);
        let mut size = dot(&gradient, &direction);
        let enough = self.squared(rest).map(|square| within * within * square);
        for _ in 0..STEPS {
            if size[0] <= enough[0] && size[1] <= enough[1] {
                return true;
            }
            checkpoint();
            let means = self.means_of_shaping(&direction);
            let mut curvature = [0.0; 2];
            for (_, edge, weight) in self.present() {
                let shaped = self.shaping(edge, &direction, &means);
                add(&mut curvature, weight, [shaped[0] * shaped[0], shaped[1] * shaped[1]]);
            }
            // A vector that is done stays as it is.
            let step = [0, 1].map(|k| if size[k] > enough[k] { size[k] / curvature[k] } else { 0.0 });
            if !step.iter().all(|step| step.is_finite()) {
                return false;
            }
            gradient.fill([0.0; 2]);
            for (e, edge, weight) in self.present() {
                let shaped = self.shaping(edge, &direction, &means);
                add(&mut rest[e], -1.0, [step[0] * shaped[0], step[1] * shaped[1]]);
                self.add_gradient(edge, weight, rest[e], &mut gradient);
            }
            let downhill = self.precondition(&gradient);
            let next = dot(&gradient, &downhill);
            let keep = [0, 1].map(|k| if size[k] > enough[k] { next[k] / size[k] } else { 0.0 });
            for (direction, downhill) in direction.iter_mut().zip(&downhill) {
                *direction = [0, 1].map(|k| downhill[k] + keep[k] * direction[k]);
            }
            size = [0, 1].map(|k| if size[k] > enough[k] { next[k] } else { size[k] });
        }
        false
    }

    /// The shaping of an edge, less the mean of its component where that is taken out.
    #[inline]
    fn shaping(&self, edge: &Edge, potential: &[Two], means: &[Two]) -> Two {
        let mut shaped = potential[edge.source as usize].map(|value| -value);
        if let Some((ahead, target)) = self.equations.ahead(self.system, edge) {
            add(&mut shaped, ahead, potential[target]);
        }
        if !means.is_empty() {
            add(&mut shaped, -1.0, means[self.system.component(edge)]);
        }
        shaped
    }

    /// By component: the mean of the shaping of a potential; empty where none is taken out.
    fn means_of_shaping(&self, potential: &[Two]) -> Vec<Two> {
        let mut means = vec![[0.0; 2]; self.share.len()];
        if !means.is_empty() {
            let states = self.system.components.of_state.iter().zip(&self.sums).zip(potential);
            states.for_each(|((&c, &sum), &potential)| add(&mut means[c as usize], sum, potential));
            means.iter_mut().zip(&self.share).for_each(|(mean, share)| *mean = mean.map(|mean| mean * share));
        }
        means
    }

    fn take_means_out(&self, rest: &mut [Two]) {
        let mut means = vec![[0.0; 2]; self.share.len()];
        if means.is_empty() {
            return;
        }
        self.present().for_each(|(e, edge, weight)| add(&mut means[self.system.component(edge)], weight, rest[e]));
        means.iter_mut().zip(&self.share).for_each(|(mean, share)| *mean = mean.map(|mean| mean * share));
        self.present().for_each(|(e, edge, _)| add(&mut rest[e], -1.0, means[self.system.component(edge)]));
    }

    /// Aᵀ v, every edge counted with its weight.
    fn gather(&self, by_edge: &[Two]) -> Vec<Two> {
        let mut by_state = vec![[0.0; 2]; self.system.states()];
        self.present().for_each(|(e, edge, weight)| self.add_gradient(edge, weight, by_edge[e], &mut by_state));
        by_state
    }

    #[inline]
    fn add_gradient(&self, edge: &Edge, weight: f64, value: Two, by_state: &mut [Two]) {
        if let Some((ahead, target)) = self.equations.ahead(self.system, edge) {
            add(&mut by_state[target], ahead * weight, value);
        }
        add(&mut by_state[edge.source as usize], -weight, value);
    }

    fn squared(&self, by_edge: &[Two]) -> Two {
        let mut sums = [0.0; 2];
        self.present().for_each(|(e, _, weight)| add(&mut sums, weight, by_edge[e].map(|value| value * value)));
        sums
    }

    fn precondition(&self, gradient: &[Two]) -> Vec<Two> {
        match (&self.equations.preconditioner, self.equations.elimination(self.system)) {
            (Preconditioner::Factor(factor), Some(Elimination { of_state, unknowns, .. })) => {
                let mut right = vec![[0.0; 2]; *unknowns];
                for (&unknown, g) in of_state.iter().zip(gradient).filter(|(unknown, _)| **unknown != NONE) {
                    right[unknown as usize] = *g;
                }
                factor.solve_columns(&mut right);
                of_state.iter().map(|&unknown| right.get(unknown as usize).copied().unwrap_or([0.0; 2])).collect()
            }
            _ => gradient.iter().zip(&self.inverse).map(|(g, d)| g.map(|g| g * d)).collect(),
        }
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
