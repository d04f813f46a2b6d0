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
//!
//! With γ = 1 shaping may leave something of a constant, P1. Rewards with a mean μ then have μP1 among what is left, which is no
//! chance. So the pairs are split: one direction u = P1 / |P1|, in which they have the coordinates a and b, of which centring leaves
//! w = 1 − |P1|²/n in the squares; and ν − 1 others around 0, of which the correlation is ρ' and which make up the shares f and g of
//! the two sums of squares. The influence of a pair is then U = sqrt(fg) xy − ρ (f x² + g y²) / 2, with
//!
//! Var U = fg (1 + ρ'²) + ρ² (f² + g² + 2fgρ'²) / 2 − 2ρρ' sqrt(fg) (f + g)
//!
//! for normal ones, in the place of (1 − ρ²)², which it is for f = g = 1; and a and b vary by themselves, too.

use super::{IntervalSettings, Range, leverage};
use crate::compare::{Agreement, Columns, Correlation};
use crate::stats::normal_quantile;
use crate::units;

/// The interval on `freedom` degrees of freedom, of which more than 2 are needed (more than 3 besides a constant), and s.
pub(super) fn range(
    columns: &Columns,
    estimate: Agreement,
    correlation: Correlation,
    freedom: f64,
    how: &IntervalSettings<'_>,
) -> Option<(Range, f64)> {
    let split = Split::new(columns, estimate, freedom);
    if split.freedom <= 2.0 {
        return None;
    }
    let (spread, factor) = match correlation {
        Correlation::Pearson => (spread(columns, &split, how.seed), 1.0),
        // Ranks have no tails.
        Correlation::Spearman => (1.0, 1.0 + 0.5 * estimate.correlation * estimate.correlation),
    };
    let variance = factor * (spread * split.ratio() / (split.freedom - 2.0) + split.beside);
    let reach = normal_quantile(0.5 + 0.5 * how.level.get()) * variance.sqrt();
    Some((ends(estimate, split.freedom, reach), spread))
}

/// Two residuals without the direction of a constant, and what that has to do with their correlation.
struct Split {
    x: Vec<f64>,
    y: Vec<f64>,
    /// u, where there is such a direction.
    constant: Option<Vec<f64>>,
    /// ν − 1, or ν without such a direction.
    freedom: f64,
    /// ρ
    correlation: f64,
    /// ρ'
    within: f64,
    /// f and g
    shares: [f64; 2],
    /// 1 − ρ², without loss near 0.
    unexplained: f64,
    /// What the coordinates in the direction of a constant add to the variance of z.
    beside: f64,
}

impl Split {
    fn new(columns: &Columns, estimate: Agreement, freedom: f64) -> Self {
        // Nothing here depends on the scale of a side.
        let (mut x, mut y) = (units::scaled(&columns.x), units::scaled(&columns.y));
        let (squared, correlation) = (estimate.distance * estimate.distance, estimate.correlation);
        let unexplained = 4.0 * squared * (1.0 - squared);
        let Some(left) = columns.constant().filter(|_| unexplained > 0.0) else {
            let (within, shares, beside) = (correlation, [1.0, 1.0], 0.0);
            return Split { x, y, constant: None, freedom, correlation, within, shares, unexplained, beside };
        };
        let length = dot(left, left);
        let visible = 1.0 - length / left.len() as f64;
        let unit: Vec<f64> = left.iter().map(|v| v / length.sqrt()).collect();
        let [a, b] = [&mut x, &mut y].map(|side| {
            let along = dot(side, &unit);
            side.iter_mut().zip(&unit).for_each(|(v, u)| *v -= along * u);
            along
        });
        // ν is what was told, and the part of a dimension that centring took.
        let freedom = freedom + (1.0 - visible) - 1.0;
        let (xx, yy) = (dot(&x, &x), dot(&y, &y));
        let totals = [xx + visible * a * a, yy + visible * b * b];
        let within = dot(&x, &y) / (xx * yy).sqrt();
        let both = (totals[0] * totals[1]).sqrt();
        let deviations = [(xx / freedom).sqrt(), (yy / freedom).sqrt()];
        let by_a = visible * (b / both - correlation * a / totals[0]) * deviations[0];
        let by_b = visible * (a / both - correlation * b / totals[1]) * deviations[1];
        let beside = (by_a * by_a + by_b * by_b + 2.0 * within * by_a * by_b) / (unexplained * unexplained);
        let shares = [xx / totals[0], yy / totals[1]];
        Split { x, y, constant: Some(unit), freedom, correlation, within, shares, unexplained, beside }
    }

    /// Var U of normal pairs.
    fn variance(&self) -> f64 {
        if self.constant.is_none() {
            return self.unexplained * self.unexplained;
        }
        let ([f, g], rho, within) = (self.shares, self.correlation, self.within);
        let products = f * g * (1.0 + within * within);
        let squares = 0.5 * rho * rho * (f * f + g * g + 2.0 * f * g * within * within);
        products + squares - 2.0 * rho * within * (f * g).sqrt() * (f + g)
    }

    /// The variance of z, beside that of pairs without a direction of their own.
    fn ratio(&self) -> f64 {
        if self.constant.is_none() { 1.0 } else { (self.variance() / (self.unexplained * self.unexplained)).max(0.0) }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
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
fn spread(columns: &Columns, split: &Split, seed: u64) -> f64 {
    let normal = split.variance();
    let Some(projection) = columns.projection().filter(|_| normal > NOTHING_LEFT) else { return 1.0 };
    let mut diagonal = leverage::diagonal(projection, columns.x.len(), seed);
    if let Some(unit) = &split.constant {
        diagonal.iter_mut().zip(unit).for_each(|(p, u)| *p = (*p - u * u).max(0.0));
    }
    let power = |k: i32| diagonal.iter().map(|p| p.powi(k)).sum::<f64>();
    let (second, fourth) = (power(2), power(4));
    let scale = |v: &[f64]| (dot(v, v) / split.freedom).sqrt();
    let (scale_x, scale_y) = (scale(&split.x), scale(&split.y));
    let (rho, [f, g]) = (split.correlation, split.shares);
    let influence = |product: f64, x: f64, y: f64| (f * g).sqrt() * product - 0.5 * rho * (f * x + g * y);
    // 0 without a direction of a constant.
    let expected = if split.constant.is_some() { influence(split.within, 1.0, 1.0) } else { 0.0 };
    let pairs = split.x.iter().zip(&split.y).zip(&diagonal);
    let total: f64 = pairs
        .map(|((x, y), p)| {
            let (x, y) = (x / scale_x, y / scale_y);
            (influence(x * y, x * x, y * y) - p * expected).powi(2)
        })
        .sum();
    let more = (total / normal - second) / fourth * second / split.freedom;
    let believed = if more > 0.0 { more } else { more * split.freedom / (split.freedom + BELIEF) };
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
