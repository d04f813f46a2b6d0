//! The space of shaping that was taken out of two rewards, whatever its potentials are made of.

use super::{MeanProjection, Projection, Shaping};
use crate::potential::{BasisProjection, BasisUsed};

/// What takes shaping out on the rows that two samples share.
// There is one per pair of samples: its size does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub(crate) enum Space {
    /// Shaping by one free potential per state.
    States(Projection),
    /// The same, as means over next states.
    Means(MeanProjection),
    /// Shaping by potentials that are functions of features.
    Functions(BasisProjection),
}

impl Space {
    pub fn shaping(&self) -> Shaping {
        match self {
            Space::States(projection) => projection.shaping(),
            Space::Means(projection) => projection.shaping(),
            Space::Functions(projection) => projection.shaping(),
        }
    }

    /// The values without their projection, in the order of the rows.
    pub fn residual(&self, values: &[f64]) -> Vec<f64> {
        match self {
            Space::States(projection) => projection.residual(values),
            Space::Means(projection) => projection.residual(values),
            Space::Functions(projection) => {
                let [left] = projection.residuals([values]);
                left
            }
        }
    }

    /// As [`residual`](Self::residual), of two vectors: at once where that takes less.
    pub fn residuals(&self, x: &[f64], y: &[f64]) -> (Vec<f64>, Vec<f64>) {
        match self {
            Space::States(_) | Space::Means(_) => rayon::join(|| self.residual(x), || self.residual(y)),
            Space::Functions(projection) => projection.residuals([x, y]).into(),
        }
    }

    /// The basis of potentials that are functions of features.
    pub fn basis(&self) -> Option<BasisUsed> {
        match self {
            Space::States(_) | Space::Means(_) => None,
            Space::Functions(projection) => Some(projection.basis()),
        }
    }
}
