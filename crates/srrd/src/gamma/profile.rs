//! What is left of the rewards at one γ, and which way to a better one.

use rayon::prelude::*;

use crate::compare::common_transitions;
use crate::project::{Border, Fit, ShapingGraph, Solver};
use crate::run::checkpoint;
use crate::sample::RewardSample;
use crate::stats::f_upper_tail;
use crate::units;

/// The samples that can tell something: they vary, and shaping does not explain everything.
pub(super) struct Pool<'a> {
    members: Vec<Member<'a>>,
}

struct Member<'a> {
    sample: &'a RewardSample,
    graph: ShapingGraph,
    /// What rewards are multiplied by, for their squares to stay within range; all that follows is of such rewards.
    scale: f64,
    /// The rewards, by edge.
    means: Vec<f64>,
    /// The squares around the means of edges, which no shaping explains.
    within: f64,
    /// The squares around the mean of all.
    total: f64,
    /// What rounding leaves of squares.
    rounding: f64,
    /// Whether a level of the rewards, a step cost, is fitted beside the potential: it is no shaping where episodes end.
    level: bool,
    freedom: f64,
}

/// Relative to the largest reward: what of a residual is rounding.
const ROUNDING: f64 = 1e-12;
/// The gradient need not be smaller than this, relative to the values: squares are precise to twice the digits.
const TOLERANCE: f64 = 1e-9;

/// What the samples say about one γ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub gamma: f64,
    /// The mean of ln(‖r‖² / ‖R − mean‖²) over the samples, weighted by their degrees of freedom.
    pub left: f64,
    /// The sum of the slopes, towards a larger γ where it is above 0; in units of its standard deviation at the true γ if the
    /// samples are independent.
    pub slope: f64,
    /// How many dimensions a direction has whose coordinates vary like the slope: the degrees of freedom for one sample.
    pub dimensions: f64,
}

/// The residual of one sample, and the direction in which its fit moves.
struct Look {
    /// By edge.
    rest: Vec<f64>,
    moves: Vec<f64>,
    /// ‖r‖², ‖d‖² and rᵀd.
    left: f64,
    length: f64,
    product: f64,
}

impl<'a> Pool<'a> {
    pub fn new(samples: &[&'a RewardSample]) -> Self {
        Pool { members: samples.par_iter().filter_map(|sample| Member::new(sample)).collect() }
    }

    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub fn degrees_of_freedom(&self) -> usize {
        self.members.iter().map(|member| member.freedom as usize).sum()
    }

    /// What the samples say about γ.
    pub fn at(&self, gamma: f64) -> Point {
        let looks: Vec<(f64, f64, f64)> = (self.members.par_iter())
            .map(|member| {
                let look = member.look(gamma);
                (look.left, look.length, look.product)
            })
            .collect();
        let (mut left, mut freedom, mut slope, mut variance, mut fourth) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (member, (squares, length, product)) in self.members.iter().zip(looks) {
            let nu = member.freedom;
            left += nu * (squares / member.total).ln();
            freedom += nu;
            // With the scale σ² = ‖r‖²/ν, the slope of −½ν ln‖r‖² is rᵀd/σ² and has the variance ‖d‖²/σ².
            let share = nu * length / squares;
            slope += nu * product / squares;
            variance += share;
            // One coordinate of a direction in ν dimensions has an excess kurtosis of −6/(ν + 2).
            fourth += share * share / (nu + 2.0);
        }
        let (slope, dimensions) =
            if variance > 0.0 { (slope / variance.sqrt(), variance * variance / fourth - 2.0) } else { (0.0, 0.0) };
        Point { gamma, left: left / freedom, slope, dimensions }
    }

    /// How likely rewards without shaping look as shaped as these with this γ: an F-test of shaping against a constant, over all samples.
    pub fn p_of_shaping(&self, gamma: f64) -> f64 {
        let (mut explained, mut left, mut above, mut below) = (0.0, 0.0, 0.0, 0.0);
        for member in &self.members {
            let look = member.look(gamma);
            // In units of each sample's own scale.
            let scale = look.left / member.freedom;
            explained += (member.total - look.left).max(0.0) / scale;
            left += look.left / scale;
            above += (member.graph.transitions() as f64 - member.freedom - 1.0).max(0.0);
            below += member.freedom;
        }
        if above > 0.0 && left > 0.0 { f_upper_tail(explained / above / (left / below), above, below) } else { 1.0 }
    }

    /// By how much the slope varies more than it would if the samples were independent: samples that hold the same transitions
    /// with rewards that go together say the same twice. At least 1.
    ///
    /// The slopes of two samples covary by ρ Σ dᵢdᵢ' over their shared transitions, in units of their scales, ρ being the
    /// correlation of their residuals there. O(Σ over pairs of transitions).
    pub fn dependence(&self, gamma: f64) -> f64 {
        if self.members.len() < 2 {
            return 1.0;
        }
        let looks: Vec<Look> = self.members.par_iter().map(|member| member.look(gamma)).collect();
        let scale = |k: usize| (self.members[k].freedom / looks[k].left).sqrt();
        let variance: f64 = (0..looks.len()).map(|k| scale(k).powi(2) * looks[k].length).sum();
        let rows: Vec<f64> = (0..looks.len())
            .into_par_iter()
            .map(|j| (j + 1..looks.len()).map(|k| scale(j) * scale(k) * self.shared(&looks, j, k)).sum::<f64>())
            .collect();
        if variance > 0.0 { (1.0 + 2.0 * rows.iter().sum::<f64>() / variance).max(1.0) } else { 1.0 }
    }

    /// ρ Σ dᵢdᵢ' over the transitions that two samples share.
    fn shared(&self, looks: &[Look], j: usize, k: usize) -> f64 {
        let (a, b) = (&self.members[j], &self.members[k]);
        let (mut products, mut squares, mut moves) = (0.0, [0.0; 2], 0.0);
        for (x, y) in common_transitions(a.sample, b.sample) {
            let of = |member: &Member<'_>, look: &Look, i: u32| {
                let e = member.graph.edge_of[i as usize] as usize;
                (look.rest[e] + member.scale * member.sample.rewards()[i as usize] - member.means[e], look.moves[e])
            };
            let ((r, d), (s, e)) = (of(a, &looks[j], x), of(b, &looks[k], y));
            products += r * s;
            squares[0] += r * r;
            squares[1] += s * s;
            moves += d * e;
        }
        let both = (squares[0] * squares[1]).sqrt();
        if both > 0.0 { products / both * moves } else { 0.0 }
    }
}

impl<'a> Member<'a> {
    /// `None` when the sample can tell nothing.
    fn new(sample: &'a RewardSample) -> Option<Self> {
        let graph = ShapingGraph::new(sample.leads_to());
        // Any γ but the ends: there the dimension is the same.
        let level =
            graph.ends() && !is_shaping(&graph, &level(&graph, &Solver::new(&graph, 0.5, Border::Limit, TOLERANCE)));
        let freedom = (graph.transitions() - graph.rank(0.5)).saturating_sub(usize::from(level));
        let (scale, rewards) = (units::scale(sample.rewards()), units::scaled(sample.rewards()));
        let largest = rewards.iter().fold(0.0f64, |most, r| most.max(r.abs()));
        let rounding = rewards.len() as f64 * (largest * ROUNDING).powi(2);
        let mean = rewards.iter().map(|r| r / rewards.len() as f64).sum::<f64>();
        let total: f64 = rewards.iter().map(|r| (r - mean) * (r - mean)).sum();
        if freedom == 0 || total <= rounding {
            return None;
        }
        let means = graph.means(&rewards);
        let within = rewards.iter().zip(&graph.edge_of).map(|(r, &e)| (r - means[e as usize]).powi(2)).sum();
        Some(Member { sample, graph, scale, means, within, total, rounding, level, freedom: freedom as f64 })
    }

    fn look(&self, gamma: f64) -> Look {
        checkpoint();
        let graph = &self.graph;
        let solver = Solver::new(graph, gamma, Border::Limit, TOLERANCE);
        let level = Some(level(graph, &solver)).filter(|level| self.level && !is_shaping(graph, level));
        let mut fit = solver.fit(graph, &self.means);
        let by = level.as_ref().map_or(0.0, |level| take_out(graph, &level.rest, &mut fit.rest));
        if let Some(level) = &level {
            fit.potential.iter_mut().zip(&level.potential).for_each(|(own, of_level)| *own -= by * of_level);
        }
        let slope = solver.slope(graph, &fit.potential);
        let mut moves = solver.fit(graph, &slope).rest;
        if let Some(level) = &level {
            take_out(graph, &level.rest, &mut moves);
        }
        let mut length = graph.squared(&moves);
        let mut product = graph.product(&moves, &fit.rest);
        if length <= ROUNDING * ROUNDING * graph.squared(&slope) {
            (length, product) = (0.0, 0.0);
        }
        let left = (self.within + graph.squared(&fit.rest)).max(self.rounding);
        Look { rest: fit.rest, moves, left, length, product }
    }
}

/// What shaping leaves of a constant.
fn level(graph: &ShapingGraph, solver: &Solver) -> Fit {
    solver.fit(graph, &vec![1.0; graph.edges.len()])
}

/// Whether shaping explains a constant.
fn is_shaping(graph: &ShapingGraph, level: &Fit) -> bool {
    graph.squared(&level.rest) <= TOLERANCE * graph.transitions() as f64
}

/// Takes a direction out of values; returns how much of it.
fn take_out(graph: &ShapingGraph, direction: &[f64], values: &mut [f64]) -> f64 {
    let by = graph.product(values, direction) / graph.squared(direction);
    values.iter_mut().zip(direction).for_each(|(value, of)| *value -= by * of);
    by
}
