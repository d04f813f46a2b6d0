//! The canonical rewards of two samples side by side: what distances, intervals, tests, noise floors and explanations are computed from.

use std::sync::OnceLock;

use super::pair::{Canonical, Pair};
use super::pearson::{Agreement, Undefined};
use super::ranks::{agreement, agreement_of_residuals};
use super::shared::{Row, SharedEnds};
use crate::metric::Metric;
use crate::potential::BasisUsed;
use crate::project::{Projection, Shaping, Space};
use crate::settings::{Gamma, Settings};

/// The canonical rewards of two samples on the transitions they share, in order.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    /// What was subtracted from all canonical rewards of a side.
    pub center: [f64; 2],
    /// How far apart values of a side may be that are equal but for rounding.
    pub noise: [f64; 2],
    /// Where shaping was projected out on the shared transitions.
    projected: Option<Projected>,
}

/// What took shaping out on the shared transitions.
#[derive(Clone, Debug)]
pub(crate) struct Projected {
    pub space: Space,
    /// The shared transitions.
    pub rows: Vec<Row>,
    pub ends: SharedEnds,
    gamma: Gamma,
    constant: OnceLock<Option<Vec<f64>>>,
}

/// Of 1: what of a residual of a constant is rounding.
const NO_CONSTANT: f64 = 1e-9;

impl Projected {
    pub fn new(space: Space, rows: Vec<Row>, ends: SharedEnds, gamma: Gamma) -> Self {
        Projected { space, rows, ends, gamma, constant: OnceLock::new() }
    }

    pub fn shaping(&self) -> Shaping {
        self.space.shaping()
    }

    /// The projection on some of the rows, ascending, by one free potential per state; `None` when there are no rows.
    pub fn on(&self, rows: &[u32]) -> Option<Projection> {
        let leads = rows.iter().map(|&i| self.rows[i as usize].leads_to());
        (!rows.is_empty()).then(|| Projection::on(leads, self.gamma))
    }

    /// What is left of a constant 1, where that is not nothing: where episodes end. Rewards around a mean that is not 0 have so much in
    /// common, whatever their relation is.
    pub fn constant(&self) -> Option<&[f64]> {
        let left = self.constant.get_or_init(|| {
            let left = self.space.residual(&vec![1.0; self.rows.len()]);
            let share = left.iter().map(|v| v * v).sum::<f64>() / left.len() as f64;
            (share > NO_CONSTANT).then_some(left)
        });
        left.as_deref()
    }
}

impl Columns {
    /// # Errors
    /// Why there is no distance, as far as the transitions tell, and what shaping can explain on them where that is known. That a side
    /// is constant shows in [`agreement`](Self::agreement).
    pub fn new(pair: &Pair<'_>, metric: Metric, settings: &Settings) -> Result<Self, (Undefined, Option<Shaping>)> {
        if metric.by_pair(settings) {
            return metric.columns_of_pair(pair, settings);
        }
        if pair.common.len() < settings.min_common.max(1) {
            return Err((Undefined::TooFewCommon, None));
        }
        let of = |sample| Canonical::new(sample, metric, settings);
        let (a, b) = rayon::join(|| of(pair.a), || of(pair.b));
        let (x, y) = pair.common.iter().map(|&(i, j)| (a.around_center(i), b.around_center(j))).unzip();
        Ok(Columns { x, y, center: [a.center, b.center], noise: [a.noise, b.noise], projected: None })
    }

    /// Residuals on the shared transitions.
    pub fn of_residuals(x: Vec<f64>, y: Vec<f64>, noise: [f64; 2], projected: Projected) -> Self {
        Columns { x, y, center: [0.0, 0.0], noise, projected: Some(projected) }
    }

    /// Values that are exact and around 0, for tests.
    #[cfg(test)]
    pub fn plain(x: &[f64], y: &[f64]) -> Self {
        Columns { x: x.to_vec(), y: y.to_vec(), center: [0.0; 2], noise: [0.0; 2], projected: None }
    }

    /// The distance: to the last bit that of [`distance`](crate::distance).
    pub fn agreement(&self, settings: &Settings) -> Result<Agreement, Undefined> {
        self.agreement_with(settings, |i| self.y[i], self.noise[1])
    }

    /// The distance of the first side to other values in the place of the second.
    pub fn agreement_with(
        &self,
        settings: &Settings,
        y: impl Fn(usize) -> f64,
        noise: f64,
    ) -> Result<Agreement, Undefined> {
        let at = |i: usize| (self.x[i], y(i));
        let (n, noise) = (self.x.len(), [self.noise[0], noise]);
        match self.projected {
            Some(_) => agreement_of_residuals(settings.correlation, n, at, noise),
            None => agreement(settings.correlation, n, at, noise),
        }
    }

    /// What took shaping out on the shared transitions, if that was done.
    pub fn projected(&self) -> Option<&Projected> {
        self.projected.as_ref()
    }

    /// The basis of potentials that are functions of features.
    pub fn basis(&self) -> Option<BasisUsed> {
        self.projected()?.space.basis()
    }

    /// What shaping can explain on the shared transitions, if it was projected out there.
    pub fn shaping(&self) -> Option<Shaping> {
        self.projected().map(Projected::shaping)
    }
}
