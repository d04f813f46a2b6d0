//! The best γ and the interval around it, with few looks at the data.

use rayon::prelude::*;
use std::cell::RefCell;

use super::profile::{Point, Pool};
use super::quantile::squared_coordinate;

/// A grid of 21 values: what is left varies slowly with γ.
const STEPS: usize = 20;
/// A profile that varies by less is flat: rounding.
const FLAT: f64 = 1e-9;
/// How precisely the best γ is found.
const PRECISE: f64 = 1e-7;
/// How precisely the ends of the interval are found, relative to their distance from the best γ.
const ENDS: f64 = 1e-3;

pub(super) struct Search<'a> {
    pool: &'a Pool<'a>,
    grid: Vec<Point>,
    /// What was looked at beside the grid.
    more: RefCell<Vec<Point>>,
}

impl<'a> Search<'a> {
    pub fn over(pool: &'a Pool<'a>) -> Self {
        let steps = if pool.is_empty() { 0..0 } else { 0..STEPS + 1 };
        let grid = steps.into_par_iter().map(|k| pool.at(k as f64 / STEPS as f64)).collect();
        Search { pool, grid, more: RefCell::new(Vec::new()) }
    }

    fn look(&self, gamma: f64) -> Point {
        let point = self.pool.at(gamma);
        self.more.borrow_mut().push(point);
        point
    }

    /// Whether no γ is better than another.
    pub fn is_flat(&self) -> bool {
        let (low, high) =
            self.grid.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p.left), h.max(p.left)));
        // Without any points, and without numbers, too.
        (high - low).partial_cmp(&FLAT) != Some(std::cmp::Ordering::Greater)
    }

    /// (γ, ‖residual‖ relative to the rewards) of all that was looked at.
    pub fn profile(&self) -> Vec<(f64, f64)> {
        let mut points = self.grid.clone();
        points.extend(self.more.borrow().iter());
        points.sort_by(|a, b| a.gamma.total_cmp(&b.gamma));
        points.dedup_by(|a, b| a.gamma == b.gamma);
        points.into_iter().map(|point| (point.gamma, (0.5 * point.left).exp().min(1.0))).collect()
    }

    /// The best γ and the ends of its interval. Not for flat profiles.
    pub fn estimate(&self) -> (f64, f64, f64) {
        let best = self.best();
        let dependence = self.pool.dependence(best.gamma);
        // How far the slope is beyond what chance makes of it; at the true γ below 0 with 95 %.
        let beyond = |point: &Point| {
            let limit = dependence * point.dimensions * squared_coordinate(point.dimensions);
            if point.dimensions < 2.0 { -1.0 } else { point.slope.abs() / limit.sqrt() - 1.0 }
        };
        let end = |outwards: &mut dyn Iterator<Item = &Point>, limit: f64| {
            let mut inside = best;
            for &point in outwards {
                if beyond(&point) > 0.0 {
                    return self.border(inside, point, best.gamma, &beyond);
                }
                inside = point;
            }
            limit
        };
        let low = end(&mut self.grid.iter().rev().filter(|point| point.gamma < best.gamma), 0.0);
        let high = end(&mut self.grid.iter().filter(|point| point.gamma > best.gamma), 1.0);
        (best.gamma, low, high)
    }

    /// The point where least is left: the best of the grid, then the root of the slope beside it.
    fn best(&self) -> Point {
        let (at, &start) = (self.grid.iter().enumerate())
            .min_by(|(_, a), (_, b)| a.left.total_cmp(&b.left))
            .expect("a profile that is not flat has points");
        let beside = if start.slope > 0.0 { at.checked_add(1) } else { at.checked_sub(1) };
        let Some(&beside) = beside.and_then(|k| self.grid.get(k)) else { return start };
        // The slope of `near` points to `far`. If that of `far` points back, the root lies between them; if not, there is a hill
        // between them, and halving gets to the near side of it.
        let (mut near, mut far) = (start, beside);
        let (mut near_slope, mut far_slope) = (near.slope, far.slope);
        while (far.gamma - near.gamma).abs() > PRECISE && near.slope != 0.0 {
            let bracket = near_slope * far_slope < 0.0;
            let part = if bracket { near_slope / (near_slope - far_slope) } else { 0.5 };
            let between = self.look(near.gamma + part.clamp(0.01, 0.99) * (far.gamma - near.gamma));
            // Regula falsi; the end that stays counts half, so that both ends move.
            if between.slope * near.slope > 0.0 && (bracket || between.left <= near.left) {
                (near, near_slope) = (between, between.slope);
                far_slope *= 0.5;
            } else {
                (far, far_slope) = (between, between.slope);
                near_slope *= 0.5;
            }
        }
        if far.left < near.left { far } else { near }
    }

    /// Where `beyond` becomes positive between a point inside the interval and one outside.
    fn border(&self, mut inside: Point, mut outside: Point, best: f64, beyond: &dyn Fn(&Point) -> f64) -> f64 {
        let (mut a, mut b) = (beyond(&inside).min(0.0), beyond(&outside));
        while (outside.gamma - inside.gamma).abs() > ENDS * (outside.gamma - best).abs().max(PRECISE) {
            let part = (a / (a - b)).clamp(0.02, 0.98);
            let between = self.look(inside.gamma + part * (outside.gamma - inside.gamma));
            let value = beyond(&between);
            if value > 0.0 {
                (outside, b) = (between, value);
                a *= 0.5;
            } else {
                (inside, a) = (between, value);
                b *= 0.5;
            }
        }
        outside.gamma
    }
}
