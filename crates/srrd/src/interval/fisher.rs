//! The interval of `projected`: Fisher's z on its degrees of freedom.
//!
//! Resampling would take transitions away and with them the very support on which shaping is removed. It is not needed: what
//! shaping cannot explain is a vector in a space of ν dimensions (transitions minus the rank of shaping, minus what taking the
//! mean costs), in which two rewards with independent normal entries of correlation ρ are ν independent pairs around a known mean
//! of 0. A correlation of n pairs around their own means has n − 1 such dimensions and z = artanh ρ̂ with a variance of about
//! 1 / (n − 3); so here
//!
//! z = artanh ρ̂ − ρ̂ / (2ν) ± q · sqrt(s · c / (ν − 2)),  q the normal quantile,
//!
//! the second term being the bias of z, and c = 1 for Pearson's correlation, 1 + ρ̂²/2 for Spearman's. In distances
//! z = ln(sqrt(1 − D²) / D) and D = 1 / sqrt(1 + e^(2z)), which lose no digits near 0.
//!
//! s is 1 for normal rewards. Rewards that are mostly 0 and sometimes large have heavier tails, and correlations that vary more: of
//! independent pairs with the influences U on ρ, n·Var(ρ̂) = E[U²], which is (1 − ρ²)² for normal ones and k more for others.
//! Residuals are mixtures of the pairs. With P the projection that leaves them,
//!
//! Var(ρ̂) = (1 − ρ²)² / ν + k ΣP_ii² / ν²,  Σ Û² ≈ (1 − ρ²)² ΣP_ii² + k ΣP_ii⁴,
//!
//! of which the second gives k and the first s. Heavier tails than normal ones count in full. Lighter ones count ν / (ν + 400)
//! of what they came to, since a handful of pairs often looks so by chance.

use super::{IntervalSettings, Range, leverage};
use crate::distance::{Agreement, Correlation, Shared};
use crate::special::normal_quantile;

/// The interval on `freedom` degrees of freedom, of which more than 2 are needed, and s.
pub(super) fn range(
    shared: &Shared,
    estimate: Agreement,
    correlation: Correlation,
    freedom: f64,
    how: &IntervalSettings<'_>,
) -> Option<(Range, f64)> {
    if freedom <= 2.0 {
        return None;
    }
    let (spread, factor) = match correlation {
        Correlation::Pearson => (spread(shared, estimate, freedom, how.seed), 1.0),
        // Ranks have no tails.
        Correlation::Spearman => (1.0, 1.0 + 0.5 * estimate.correlation * estimate.correlation),
    };
    let reach = normal_quantile(0.5 + 0.5 * how.level.get()) * (spread * factor / (freedom - 2.0)).sqrt();
    Some((ends(estimate, freedom, reach), spread))
}

/// The distances at z ± reach.
fn ends(estimate: Agreement, freedom: f64, reach: f64) -> Range {
    let Agreement { distance, correlation } = estimate;
    let z = ((1.0 - distance * distance).max(0.0).sqrt() / distance).ln() - correlation / (2.0 * freedom);
    let back = |z: f64| 1.0 / (1.0 + (2.0 * z).exp()).sqrt();
    Range { low: back(z + reach), high: back(z - reach) }
}

/// How many degrees of freedom it takes to believe half of what light tails promise.
const BELIEF: f64 = 400.0;
/// Below this (1 − ρ²)² is rounding, and an interval a point.
const NOTHING_LEFT: f64 = 1e-12;

/// s: how much more the correlation varies than that of normal rewards.
fn spread(shared: &Shared, estimate: Agreement, freedom: f64, seed: u64) -> f64 {
    let squared = estimate.distance * estimate.distance;
    let unexplained = (4.0 * squared * (1.0 - squared)).powi(2);
    let Some(projection) = shared.projection.as_ref().filter(|_| unexplained > NOTHING_LEFT) else { return 1.0 };
    let diagonal = leverage::diagonal(projection, shared.x.len(), seed);
    let power = |k: i32| diagonal.iter().map(|p| p.powi(k)).sum::<f64>();
    let (second, fourth) = (power(2), power(4));
    let scale = |v: &[f64]| (v.iter().map(|v| v * v).sum::<f64>() / freedom).sqrt();
    let (scale_x, scale_y) = (scale(&shared.x), scale(&shared.y));
    let influence = |x: f64, y: f64| {
        let (x, y) = (x / scale_x, y / scale_y);
        x * y - 0.5 * estimate.correlation * (x * x + y * y)
    };
    let total: f64 = shared.x.iter().zip(&shared.y).map(|(&x, &y)| influence(x, y).powi(2)).sum();
    let more = (total / unexplained - second) / fourth * second / freedom;
    let believed = if more > 0.0 { more } else { more * freedom / (freedom + BELIEF) };
    // All pairs on a few points could promise a correlation that never varies; so much no sample can tell.
    (1.0 + believed).max(0.4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(distance: f64) -> Agreement {
        Agreement { distance, correlation: 1.0 - 2.0 * distance * distance }
    }

    #[test]
    fn ends_are_those_of_the_textbook() {
        // 28 pairs with a correlation of 0.5: 27 degrees of freedom around the mean; z = 0.549306, se = 1 / sqrt(25).
        let found = ends(at(0.5), 27.0, 1.959_963_984_540_054 / 5.0);
        let z = 0.5f64.atanh() - 0.5 / 54.0;
        let distance = |z: f64| ((1.0 - z.tanh()) / 2.0).sqrt();
        assert!((found.low - distance(z + 1.959_963_984_540_054 / 5.0)).abs() < 1e-12);
        assert!((found.high - distance(z - 1.959_963_984_540_054 / 5.0)).abs() < 1e-12);
    }

    #[test]
    fn ends_stay_between_0_and_1() {
        assert_eq!(ends(at(0.0), 10.0, 0.5), Range { low: 0.0, high: 0.0 });
        assert_eq!(ends(at(1.0), 10.0, 0.5), Range { low: 1.0, high: 1.0 });
        for distance in [1e-9, 1e-3, 0.3, 0.7, 0.999] {
            let (narrow, wide) = (ends(at(distance), 30.0, 0.3), ends(at(distance), 30.0, 0.5));
            assert!(0.0 < wide.low && wide.low < narrow.low && narrow.low < distance);
            assert!(distance < narrow.high && narrow.high < wide.high && wide.high < 1.0);
        }
    }
}
