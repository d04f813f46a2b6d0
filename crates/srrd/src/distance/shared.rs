//! The canonical rewards of two samples side by side: what intervals, tests and noise floors are computed from.

use super::correlation::agreement;
use super::pair::Canonical;
use super::pearson::{Agreement, Undefined};
use super::projected;
use crate::project::Projection;
use crate::sample::RewardSample;
use crate::settings::{Metric, Settings, Support};

/// The canonical rewards of two samples on the transitions they share, in order.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    /// What was subtracted from all canonical rewards of a side.
    pub center: [f64; 2],
    /// How far apart values of a side may be that are equal but for rounding.
    pub noise: [f64; 2],
    /// For `projected`: the degrees of freedom left when shaping and the mean are taken out.
    pub centred_freedom: Option<f64>,
    /// For `projected` on the shared transitions: what took shaping out.
    pub projection: Option<Projection>,
    /// For `projected` on the shared transitions with γ = 1: what shaping leaves of a constant 1, where that varies. Rewards around a
    /// mean that is not 0 have so much of it in common, whatever their relation is.
    pub constant: Option<Vec<f64>>,
}

impl Shared {
    /// # Errors
    /// Why there is no distance, as far as the transitions tell; that a side is constant shows in [`agreement`](Self::agreement).
    pub fn new(
        a: &RewardSample,
        b: &RewardSample,
        common: &[(u32, u32)],
        metric: Metric,
        settings: &Settings,
    ) -> Result<Self, Undefined> {
        if metric == Metric::Projected && settings.support == Support::Pair {
            let residuals = projected::residuals(a, b, common, None, settings).map_err(|(why, _)| why)?;
            let projected::Centring { freedom, constant } = residuals.centring(settings.gamma.get());
            let (centred_freedom, center) = (Some(freedom), [0.0, 0.0]);
            let projected::Residuals { x, y, noise, projection, .. } = residuals;
            return Ok(Shared { x, y, center, noise, centred_freedom, projection: Some(projection), constant });
        }
        if common.len() < settings.min_common.max(1) {
            return Err(Undefined::TooFewCommon);
        }
        let (a, b) = rayon::join(|| Canonical::new(a, metric, settings), || Canonical::new(b, metric, settings));
        let (x, y) = common.iter().map(|&(i, j)| (a.around_center(i), b.around_center(j))).unzip();
        let (center, noise) = ([a.center, b.center], [a.noise, b.noise]);
        Ok(Shared { x, y, center, noise, centred_freedom: None, projection: None, constant: None })
    }

    /// The distance: to the last bit that of [`distance`](crate::distance).
    pub fn agreement(&self, settings: &Settings) -> Result<Agreement, Undefined> {
        agreement(settings.correlation, self.x.len(), |i| (self.x[i], self.y[i]), self.noise)
    }
}
