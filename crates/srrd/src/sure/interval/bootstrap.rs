//! Bootstrap intervals: units are drawn with replacement, and the distance is taken of what was drawn.
//!
//! O(draws · shared transitions), in parallel; every draw has its own random stream.

use rand::RngExt;
use rayon::prelude::*;

use super::Range;
use super::episodes::Units;
use super::weighted::{Scratch, Weighted};
use crate::run::parallel;
use crate::run::random::{Purpose, stream};
use crate::run::{Steps, checkpoint};
use crate::stats::{normal_cdf, student_quantile};

/// The distances of all draws that have one, ascending.
pub(super) fn distances(pairs: &Weighted, units: &Units, draws: usize, seed: u64) -> Vec<f64> {
    let steps = Steps::begin("draws", draws as u64);
    let draw = |(counts, scratch): &mut (Vec<u32>, Scratch), draw: usize| {
        checkpoint();
        let mut rng = stream(seed, Purpose::Resample, draw);
        counts.clear();
        counts.resize(units.count, 0);
        for _ in 0..units.count {
            counts[rng.random_range(0..units.count as u32) as usize] += 1;
        }
        let distance = pairs.distance(|i| f64::from(counts[units.of[i] as usize]), scratch).ok();
        steps.add(1);
        distance
    };
    let pieces = (0..draws).into_par_iter().with_min_len(parallel::piece(draws));
    let made: Vec<Option<f64>> = pieces.map_init(Default::default, draw).collect();
    let mut defined: Vec<f64> = made.into_iter().flatten().collect();
    defined.sort_unstable_by(f64::total_cmp);
    defined
}

/// The level at which quantiles are taken so that intervals of few units are as wide as they should be.
///
/// Draws vary less than distances do, as variances of u units divided by u do, and know their own spread only from u units:
/// quantiles are taken at Φ(−t · sqrt(u / (u − 3))), t that of Student with u − 1 degrees of freedom, instead of at Φ(−z). (A
/// correlation of u normal pairs varies as 1 / (u − 3) on Fisher's scale, hence the 3.) With many units that is the same.
pub(crate) fn expanded(level: f64, units: usize) -> f64 {
    let u = units as f64;
    let reach = student_quantile(0.5 + 0.5 * level, u - 1.0) * (u / (u - 3.0).max(1.0)).sqrt();
    1.0 - 2.0 * normal_cdf(-reach)
}

/// The percentile interval: between the quantiles of the draws.
pub(crate) fn percentile(sorted: &[f64], level: f64) -> Range {
    Range { low: quantile(sorted, 0.5 - 0.5 * level), high: quantile(sorted, 0.5 + 0.5 * level) }
}

/// The quantile of m sorted values at place (m + 1)p, between two of them in proportion.
fn quantile(sorted: &[f64], p: f64) -> f64 {
    let place = ((sorted.len() + 1) as f64 * p - 1.0).clamp(0.0, (sorted.len() - 1) as f64);
    let (low, part) = (place.floor() as usize, place.fract());
    let high = (low + 1).min(sorted.len() - 1);
    sorted[low] + part * (sorted[high] - sorted[low])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_where_they_should() {
        let values: Vec<f64> = (1..=99).map(f64::from).collect();
        assert_eq!(quantile(&values, 0.25), 25.0);
        assert!((quantile(&values, 0.255) - 25.5).abs() < 1e-12);
        assert_eq!((quantile(&values, 0.0), quantile(&values, 1.0)), (1.0, 99.0));
        assert_eq!(percentile(&values, 0.5), Range { low: 25.0, high: 75.0 });
    }

    #[test]
    fn few_units_make_intervals_wider() {
        let levels: Vec<f64> = [2, 3, 5, 10, 30, 100, 10_000].into_iter().map(|u| expanded(0.95, u)).collect();
        assert!(levels.is_sorted_by(|a, b| a > b), "{levels:?}");
        assert!((levels[6] - 0.95).abs() < 1e-4 && levels[0] <= 1.0, "{levels:?}");
        // t = 2.045 with 29 degrees of freedom, times sqrt(30/27).
        assert!((levels[4] - (1.0 - 2.0 * normal_cdf(-2.155_8))).abs() < 1e-4, "{levels:?}");
    }
}
