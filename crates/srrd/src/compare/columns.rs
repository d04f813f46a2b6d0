//! The canonical rewards of two samples side by side: what distances, intervals, tests, noise floors and explanations are computed from.

use std::sync::OnceLock;

use super::pair::{Canonical, Pair};
use super::pearson::{Agreement, Undefined};
use super::ranks::agreement;
use crate::metric::Metric;
use crate::project::{Projection, Shaping};
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

#[derive(Clone, Debug)]
struct Projected {
    projection: Projection,
    gamma: Gamma,
    centring: OnceLock<Centring>,
}

/// What taking the mean out of residuals does.
#[derive(Clone, Debug)]
struct Centring {
    /// The degrees of freedom that are left when the mean is taken out, too.
    freedom: f64,
    /// What shaping leaves of a constant 1, where that is neither 0 nor a constant.
    constant: Option<Vec<f64>>,
}

/// Of 1: what of a residual of a constant is rounding.
const NO_CONSTANT: f64 = 1e-9;

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
    pub fn projected(x: Vec<f64>, y: Vec<f64>, noise: [f64; 2], projection: Projection, gamma: Gamma) -> Self {
        let projected = Some(Projected { projection, gamma, centring: OnceLock::new() });
        Columns { x, y, center: [0.0, 0.0], noise, projected }
    }

    /// Values that are exact and around 0, for tests.
    #[cfg(test)]
    pub fn plain(x: &[f64], y: &[f64]) -> Self {
        Columns { x: x.to_vec(), y: y.to_vec(), center: [0.0; 2], noise: [0.0; 2], projected: None }
    }

    /// The distance: to the last bit that of [`distance`](crate::distance).
    pub fn agreement(&self, settings: &Settings) -> Result<Agreement, Undefined> {
        agreement(settings.correlation, self.x.len(), |i| (self.x[i], self.y[i]), self.noise)
    }

    /// What took shaping out on the shared transitions, if that was done.
    pub fn projection(&self) -> Option<&Projection> {
        self.projected.as_ref().map(|projected| &projected.projection)
    }

    /// What shaping can explain on the shared transitions, if it was projected out there.
    pub fn shaping(&self) -> Option<Shaping> {
        self.projection().map(Projection::shaping)
    }

    /// Where shaping was projected out: the degrees of freedom left when the mean is taken out, too.
    pub fn centred_freedom(&self) -> Option<f64> {
        self.centring().map(|centring| centring.freedom)
    }

    /// Where shaping was projected out with γ = 1: what it leaves of a constant 1, where that varies. Rewards around a mean that is not
    /// 0 have so much of it in common, whatever their relation is.
    pub fn constant(&self) -> Option<&[f64]> {
        self.centring()?.constant.as_deref()
    }

    /// Constant vectors are shaping when γ < 1 (by a constant potential), so that residuals have the mean 0 anyway. With γ = 1 the
    /// part of a constant vector that is no shaping takes away as much of a dimension: |P1|² / n, P the projection on what shaping
    /// cannot explain.
    fn centring(&self) -> Option<&Centring> {
        let Projected { projection, gamma, centring } = self.projected.as_ref()?;
        Some(centring.get_or_init(|| {
            let freedom = projection.shaping().degrees_of_freedom as f64;
            if gamma.get() < 1.0 {
                return Centring { freedom, constant: None };
            }
            let left = projection.residual(&vec![1.0; self.x.len()]);
            let share = left.iter().map(|v| v * v).sum::<f64>() / left.len() as f64;
            let varies = (NO_CONSTANT..1.0 - NO_CONSTANT).contains(&share);
            Centring { freedom: freedom - share, constant: varies.then_some(left) }
        }))
    }
}
