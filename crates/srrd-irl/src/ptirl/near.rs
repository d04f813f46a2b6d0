//! The reward nearest to a centre c that keeps caps and spread: minimise ½‖r − c‖² over |r| ≤ cap, A r − s b ≥ α/2.
//!
//! A has one row per walk, its LER with the sign s: + for the target's, − for others'; b is free, the middle between lb and ub. The dual has
//! one variable per walk: with multipliers z ≥ 0, sᵀz = 0, the best reward is r(z) = clip(c + Aᵀz), and the dual value
//! D(z) = ½‖r − c‖² − zᵀ(A r − α/2) is concave and piecewise quadratic, with gradient α/2 − A r(z) and second derivatives −A_F A_Fᵀ over the
//! rewards F that are not at a cap.
//!
//! An active set holds the walks with z > 0. A step solves Newton's equations on it and goes to the exact maximum along the line, at most
//! to where a multiplier becomes 0. Where the active set is at its maximum, the most violated walk joins. The end is where
//! the Karush-Kuhn-Tucker conditions hold: they prove that no other reward is nearer. D(z) above every possible distance proves that no reward
//! keeps the spread. One step takes O(entries + walks³) operations.

use srrd::run::checkpoint;

use super::rows::Rows;
use super::{Ptirl, PtirlProblem, Sets, spread};

/// cap · (P_target − P_other): shares of transitions among the steps of the target and of others.
pub(super) fn center(sets: &Sets, cap: f64) -> Vec<f64> {
    let mut center = vec![0.0; sets.probability.len()];
    for (walks, sign) in [(&sets.target, 1.0), (&sets.other, -1.0)] {
        let steps: usize = walks.iter().map(Vec::len).sum();
        walks.iter().flatten().for_each(|&at| center[at as usize] += sign * cap / steps as f64);
    }
    center
}

/// The nearest reward, and the steps that it took.
pub(super) fn solve(rows: &Rows, center: &[f64], settings: &Ptirl) -> Result<(Vec<f64>, usize), PtirlProblem> {
    let mut dual = Dual::new(rows, center, settings);
    let most = 200 + 40 * rows.rows.len();
    for step in 0..most {
        checkpoint();
        match dual.advance() {
            Progress::Moved => {}
            Progress::Optimal => return Ok((dual.reward, step)),
            Progress::Unbounded => {
                let best = spread::solve(rows, settings.cap)?;
                let largest = (rows.lower(&best) - rows.upper(&best)).max(0.0);
                return Err(PtirlProblem::Infeasible { alpha: settings.alpha, largest, cap: settings.cap });
            }
        }
    }
    Err(PtirlProblem::Unsolved { residual: dual.violation().1 })
}

enum Progress {
    Moved,
    Optimal,
    Unbounded,
}

struct Dual<'a> {
    rows: &'a Rows,
    center: &'a [f64],
    cap: f64,
    alpha: f64,
    tolerance: f64,
    /// Added to the diagonal of Newton's equations, which may be singular; only directions depend on it.
    ridge: f64,
    /// By transition, the rows that it is in, with signed weights.
    columns: Vec<Vec<(u32, f64)>>,
    active: Vec<usize>,
    /// z
    multiplier: Vec<f64>,
    /// c + Aᵀz, before it is cut at the caps.
    raw: Vec<f64>,
    reward: Vec<f64>,
    /// α/2 − A r
    gradient: Vec<f64>,
}

impl<'a> Dual<'a> {
    fn new(rows: &'a Rows, center: &'a [f64], settings: &Ptirl) -> Self {
        let mut columns = vec![Vec::new(); rows.transitions];
        for (row, entries) in rows.rows.iter().enumerate() {
            let sign = rows.sign(row);
            entries.iter().for_each(|&(at, weight)| columns[at as usize].push((row as u32, sign * weight)));
        }
        let trace: f64 = rows.rows.iter().flatten().map(|entry| entry.1 * entry.1).sum();
        let mut dual = Dual {
            rows,
            center,
            cap: settings.cap,
            alpha: settings.alpha,
            tolerance: 1e-3 * rows.tolerance(settings.cap, settings.alpha),
            ridge: 1e-13 * trace / rows.rows.len() as f64,
            columns,
            active: Vec::new(),
            multiplier: vec![0.0; rows.rows.len()],
            raw: Vec::new(),
            reward: Vec::new(),
            gradient: Vec::new(),
        };
        dual.refresh();
        dual
    }

    /// Rewards and gradient anew from the multipliers, so that rounding never adds up.
    fn refresh(&mut self) {
        let mixed =
            |column: &Vec<(u32, f64)>| column.iter().map(|&(row, w)| w * self.multiplier[row as usize]).sum::<f64>();
        self.raw = self.center.iter().zip(&self.columns).map(|(c, column)| c + mixed(column)).collect();
        self.reward = self.raw.iter().map(|raw| raw.clamp(-self.cap, self.cap)).collect();
        let gradient = |row| self.alpha / 2.0 - self.rows.sign(row) * self.rows.value(row, &self.reward);
        self.gradient = (0..self.rows.rows.len()).map(gradient).collect();
    }

    /// One step of the method.
    fn advance(&mut self) -> Progress {
        let (worst, by) = self.violation();
        if self.stationary() {
            if by <= self.tolerance {
                return Progress::Optimal;
            }
            worst.into_iter().for_each(|row| {
                if !self.active.contains(&row) {
                    self.active.push(row);
                }
            });
        }
        let direction = self.direction();
        if !self.search(&direction) || self.value() > self.bound() {
            return Progress::Unbounded;
        }
        self.refresh();
        let multiplier = &self.multiplier;
        self.active.retain(|&row| multiplier[row] > 0.0);
        Progress::Moved
    }

    /// The middle −b that the active walks speak for: the mean of their signed gradients.
    fn middle(&self) -> f64 {
        let sum: f64 = self.active.iter().map(|&row| self.rows.sign(row) * self.gradient[row]).sum();
        sum / self.active.len() as f64
    }

    /// Whether the active walks are at the maximum among themselves.
    fn stationary(&self) -> bool {
        let middle = self.middle();
        let off = |&row: &usize| (self.gradient[row] - self.rows.sign(row) * middle).abs();
        self.active.iter().all(|row| off(row) <= self.tolerance)
    }

    /// The walks that violate the spread most, and by how much: the lowest of the target's and the highest of others' where none is active.
    fn violation(&self) -> (Vec<usize>, f64) {
        let largest = |range: std::ops::Range<usize>, middle: f64| {
            let excess = |row: usize| self.gradient[row] - self.rows.sign(row) * middle;
            range.map(|row| (row, excess(row))).reduce(|best, next| if next.1 > best.1 { next } else { best })
        };
        let all = self.rows.rows.len();
        if self.active.is_empty() {
            let [target, other] = [0..self.rows.targets, self.rows.targets..all].map(|range| largest(range, 0.0));
            let (target, other) = (target.expect("a set has walks"), other.expect("a set has walks"));
            return (vec![target.0, other.0], target.1 + other.1);
        }
        let (row, by) = largest(0..all, self.middle()).expect("a set has walks");
        (vec![row], by)
    }

    /// Newton's direction on the active walks, which keeps sᵀz = 0.
    fn direction(&self) -> Vec<f64> {
        let size = self.active.len();
        let mut place = vec![usize::MAX; self.multiplier.len()];
        self.active.iter().enumerate().for_each(|(at, &row)| place[row] = at);
        let mut matrix = vec![0.0; size * size];
        for (raw, column) in self.raw.iter().zip(&self.columns) {
            if raw.abs() >= self.cap {
                continue;
            }
            let here = || column.iter().map(|&(row, w)| (place[row as usize], w)).filter(|entry| entry.0 != usize::MAX);
            for (i, one) in here() {
                here().for_each(|(j, other)| matrix[i * size + j] += one * other);
            }
        }
        let gradient: Vec<f64> = self.active.iter().map(|&row| self.gradient[row]).collect();
        let signs: Vec<f64> = self.active.iter().map(|&row| self.rows.sign(row)).collect();
        balanced(&matrix, &gradient, &signs, self.ridge)
    }

    /// Moves to the maximum along a direction; false where the dual grows for ever.
    fn search(&mut self, direction: &[f64]) -> bool {
        let mut change = vec![0.0; self.multiplier.len()];
        self.active.iter().zip(direction).for_each(|(&row, &d)| change[row] = d);
        let moves: Vec<f64> =
            self.columns.iter().map(|c| c.iter().map(|&(row, w)| w * change[row as usize]).sum()).collect();
        let reach = |(&z, &d): (&f64, &f64)| if d < 0.0 { -z / d } else { f64::INFINITY };
        let furthest = self.multiplier.iter().zip(&change).map(reach).fold(f64::INFINITY, f64::min);
        let Some(length) = self.maximum(direction, &moves, furthest) else { return false };
        for (z, d) in self.multiplier.iter_mut().zip(&change) {
            *z = if reach((z, d)) <= length { 0.0 } else { (*z + length * d).max(0.0) };
        }
        true
    }

    /// Where D(z + t d) is largest for 0 ≤ t ≤ `furthest`: its slope falls and is linear between the places where a reward meets a cap.
    fn maximum(&self, direction: &[f64], moves: &[f64], furthest: f64) -> Option<f64> {
        let mut slope: f64 = self.active.iter().zip(direction).map(|(&row, d)| self.gradient[row] * d).sum();
        let mut curvature = 0.0;
        let mut breaks: Vec<(f64, f64)> = Vec::new();
        for (&raw, &v) in self.raw.iter().zip(moves).filter(|(_, v)| **v != 0.0) {
            let ([enter, leave], square) = ([-self.cap, self.cap].map(|cap| (v.signum() * cap - raw) / v), v * v);
            if leave <= 0.0 {
                continue;
            }
            if enter <= 0.0 {
                curvature += square;
            } else {
                breaks.push((enter, square));
            }
            breaks.push((leave, -square));
        }
        breaks.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        let mut at = 0.0;
        for (next, change) in breaks.into_iter().chain([(f64::INFINITY, 0.0)]) {
            let end = next.min(furthest);
            // The slope of a part without curvature does not fall; what is left of it is rounding where it is no longer positive.
            if slope <= 0.0 {
                return Some(at);
            }
            if curvature > 0.0 && slope <= curvature * (end - at) {
                return Some(at + slope / curvature);
            }
            if end == furthest {
                return furthest.is_finite().then_some(furthest);
            }
            slope -= curvature.max(0.0) * (end - at);
            curvature += change;
            at = end;
        }
        None
    }

    /// D(z)
    fn value(&self) -> f64 {
        let mixed =
            |column: &Vec<(u32, f64)>| column.iter().map(|&(row, w)| w * self.multiplier[row as usize]).sum::<f64>();
        let part = |(c, column): (&f64, &Vec<(u32, f64)>)| {
            let pull = mixed(column);
            let reward = (c + pull).clamp(-self.cap, self.cap);
            0.5 * (reward - c) * (reward - c) - pull * reward
        };
        let spread: f64 = self.multiplier.iter().map(|z| z * self.alpha / 2.0).sum();
        self.center.iter().zip(&self.columns).map(part).sum::<f64>() + spread
    }

    /// What ½‖r − c‖² is at most, whatever the reward; a dual value above it means that there is none.
    fn bound(&self) -> f64 {
        let taken = self.center.iter().zip(&self.columns).filter(|(_, column)| !column.is_empty());
        taken.map(|(c, _)| 0.5 * (self.cap + c.abs()).powi(2)).sum::<f64>() * (1.0 + 1e-9)
    }
}

/// Solves (H + ridge) d = g among the d with sᵀd = 0: the last of d is what the others leave, and they are solved for.
fn balanced(matrix: &[f64], gradient: &[f64], signs: &[f64], ridge: f64) -> Vec<f64> {
    let (size, last) = (signs.len(), signs.len() - 1);
    let mut reduced = vec![0.0; last * last];
    let same = |i: usize| signs[i] * signs[last];
    let at = |i: usize, j: usize| matrix[i * size + j];
    for i in 0..last {
        for j in 0..last {
            reduced[i * last + j] =
                at(i, j) - same(i) * at(last, j) - same(j) * at(i, last) + same(i) * same(j) * at(last, last);
        }
        reduced[i * last + i] += ridge + 1e-13 * reduced[i * last + i];
    }
    let mut step: Vec<f64> = (0..last).map(|i| gradient[i] - same(i) * gradient[last]).collect();
    cholesky(&mut reduced, last);
    substitute(&reduced, last, &mut step);
    step.push(-(0..last).map(|i| same(i) * step[i]).sum::<f64>());
    step
}

/// L of L Lᵀ, in place; row-major, lower triangle.
fn cholesky(matrix: &mut [f64], size: usize) {
    for j in 0..size {
        for i in j..size {
            let dot: f64 = (0..j).map(|k| matrix[i * size + k] * matrix[j * size + k]).sum();
            let rest = matrix[i * size + j] - dot;
            matrix[i * size + j] =
                if i == j { rest.max(f64::MIN_POSITIVE).sqrt() } else { rest / matrix[j * size + j] };
        }
    }
}

/// Solves L Lᵀ x = b, in place.
fn substitute(matrix: &[f64], size: usize, x: &mut [f64]) {
    for i in 0..size {
        let dot: f64 = (0..i).map(|k| matrix[i * size + k] * x[k]).sum();
        x[i] = (x[i] - dot) / matrix[i * size + i];
    }
    for i in (0..size).rev() {
        let dot: f64 = (i + 1..size).map(|k| matrix[k * size + i] * x[k]).sum();
        x[i] = (x[i] - dot) / matrix[i * size + i];
    }
}
