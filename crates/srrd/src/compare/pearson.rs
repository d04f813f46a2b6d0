//! The Pearson distance D = sqrt((1 − ρ) / 2), stable for rewards that are large, tiny, or nearly the same.

use thiserror::Error;

use crate::settings::Shrinkage;
use crate::units;

/// Why a distance has no value.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Undefined {
    /// Fewer shared transitions than asked for.
    #[error("the samples share too few transitions")]
    TooFewCommon,
    /// One of the canonical rewards does not vary over the shared transitions.
    #[error("a canonical reward is constant on the shared transitions (up to rounding)")]
    Constant,
    /// On the shared transitions shaping can explain any difference.
    #[error("shaping can explain any difference on the shared transitions: no degrees of freedom are left")]
    NoDegreesOfFreedom,
    /// Potentials are to be functions of features, and some states have none.
    #[error("potentials are to be functions of features, but some states of the shared transitions have none")]
    NoFeatures,
    /// Two samples in one space that share no transitions lie in different parts of it.
    #[error(
        "the samples share too few transitions, and too few transitions of one lie where the other has been, so that predictions would \
         be guesses: sample both in the same places"
    )]
    NoOverlap,
    /// Predictions are judged on episodes that are left out, and there are too few.
    #[error(
        "the samples share too few transitions, and a sample has fewer than 10 separate episodes, so that predictions cannot be judged: \
         sample more episodes"
    )]
    FewEpisodes,
    /// A reward cannot be predicted from features.
    #[error(
        "the samples share too few transitions, and a reward cannot be predicted from the features in episodes that were left out: let \
         both rewards judge the same transitions, or sample more"
    )]
    Unpredictable,
    /// Actions have names, and too many of them for predictions.
    #[error(
        "the samples share too few transitions, and their more than 64 actions are names, not features, from which no reward can be \
         predicted: give actions as feature columns"
    )]
    ManyActions,
}

impl Undefined {
    /// All of them.
    pub const ALL: [Undefined; 4] =
        [Undefined::TooFewCommon, Undefined::Constant, Undefined::NoDegreesOfFreedom, Undefined::NoFeatures];

    /// The name in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            Undefined::TooFewCommon => "too_few_common",
            Undefined::Constant => "constant",
            Undefined::NoDegreesOfFreedom => "no_degrees_of_freedom",
            Undefined::NoFeatures => "no_features",
            Undefined::NoOverlap => "no_overlap",
            Undefined::FewEpisodes => "few_episodes",
            Undefined::Unpredictable => "unpredictable",
            Undefined::ManyActions => "many_actions",
        }
    }
}

/// A distance and the correlation it comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// D = sqrt((1 − ρ) / 2), in [0, 1].
    pub distance: f64,
    /// ρ, in [−1, 1].
    pub correlation: f64,
}

impl Agreement {
    /// The same with its correlation, which is over so many transitions, drawn to 0.
    #[inline]
    pub(crate) fn shrunk(self, shrinkage: Shrinkage, shared: usize) -> Self {
        if shrinkage == Shrinkage::default() {
            // A distance close to 0 has digits that its correlation has not.
            return self;
        }
        let correlation = shrinkage.of(self.correlation, shared as f64);
        Agreement { distance: ((1.0 - correlation) / 2.0).sqrt(), correlation }
    }
}

/// The Pearson distance of two equally long vectors.
///
/// Sums run over values that were centred before, so that rewards around 10⁶ that differ by 1 lose nothing, where the one-pass
/// formula would; where centring does not suffice, two passes around the means of these very pairs are made. Close to ρ = 1 a
/// further pass sums the squared differences of the standardized vectors, because 1 − ρ would lose all its digits: equivalent
/// rewards get a distance near 10⁻¹⁶, not 10⁻⁸. O(n).
///
/// ```
/// use srrd::compare::{Undefined, pearson};
/// // Twice as much and a shift: nothing is left.
/// assert!(pearson(&[1.0, 2.0, 4.0], &[3.0, 5.0, 9.0])?.distance < 1e-9);
/// assert!((pearson(&[1.0, 2.0, 4.0], &[-1.0, -2.0, -4.0])?.distance - 1.0).abs() < 1e-12);
/// assert!(matches!(pearson(&[1.0, 2.0], &[5.0, 5.0]), Err(Undefined::Constant { .. })));
/// # Ok::<(), Undefined>(())
/// ```
///
/// # Errors
/// [`Undefined::Constant`] when a vector is constant, [`Undefined::TooFewCommon`] when both are empty.
///
/// # Panics
/// When the lengths differ.
pub fn pearson(x: &[f64], y: &[f64]) -> Result<Agreement, Undefined> {
    assert_eq!(x.len(), y.len());
    let (&[first_x, ..], &[first_y, ..]) = (x, y) else { return Err(Undefined::TooFewCommon) };
    pearson_by(x.len(), |i| (x[i] - first_x, y[i] - first_y), [0.0, 0.0])
}

/// As [`pearson`], for centred values behind a function; a side whose root mean square deviation is at most its `noise` is
/// constant.
pub(crate) fn pearson_by(n: usize, at: impl Fn(usize) -> (f64, f64), noise: [f64; 2]) -> Result<Agreement, Undefined> {
    if n == 0 {
        return Err(Undefined::TooFewCommon);
    }
    let mut sums = Sums::default();
    (0..n).map(&at).for_each(|(x, y)| sums.add(x, y));
    sums.agreement(noise, || (0..n).map(&at)).unwrap_or_else(|| carefully(n, &at, noise))
}

/// As [`pearson_by`], but around 0: the cosine of two vectors in the place of their correlation. For residuals of a projection, of which a
/// mean is a part like any other.
pub(crate) fn cosine<I: Iterator<Item = (f64, f64)>>(
    pairs: impl Fn() -> I,
    noise: [f64; 2],
) -> Result<Agreement, Undefined> {
    let squares = |units: [f64; 2]| {
        let (mut largest, mut squares, mut count) = ([0.0f64; 2], [0.0; 3], 0u64);
        for (x, y) in pairs() {
            let (x, y) = (x * units[0], y * units[1]);
            largest = [largest[0].max(x.abs()), largest[1].max(y.abs())];
            squares = [squares[0] + x * x, squares[1] + y * y, squares[2] + x * y];
            count += 1;
        }
        (largest, squares, count)
    };
    let mut units = [1.0; 2];
    let (largest, mut found, count) = squares(units);
    if count == 0 {
        return Err(Undefined::TooFewCommon);
    }
    if largest[0] <= noise[0] || largest[1] <= noise[1] {
        return Err(Undefined::Constant);
    }
    // Where squares of the values as they are leave the range of doubles, other units are needed.
    if !found[..2].iter().all(|square| (1e-200..1e200).contains(square)) {
        units = largest.map(|largest| units::scale(&[largest]));
        found = squares(units).1;
    }
    let [xx, yy, xy] = found;
    let all = count as f64;
    if xx <= all * (noise[0] * units[0]).powi(2) || yy <= all * (noise[1] * units[1]).powi(2) {
        return Err(Undefined::Constant);
    }
    let (x_length, y_length) = (f64::sqrt(xx), f64::sqrt(yy));
    let cosine = (xy / (x_length * y_length)).clamp(-1.0, 1.0);
    if cosine <= 0.9 {
        return Ok(Agreement { distance: ((1.0 - cosine) / 2.0).sqrt(), correlation: cosine });
    }
    // 1 − c would lose all its digits.
    // In two steps: together, the units and the lengths of very small values are beyond the range of doubles.
    let scaled = |(x, y): (f64, f64)| (x * units[0] / x_length, y * units[1] / y_length);
    let quarter = pairs().map(scaled).map(|(x, y)| (x - y).powi(2)).sum::<f64>() / 4.0;
    Ok(Agreement { distance: quarter.sqrt(), correlation: 1.0 - 2.0 * quarter })
}

/// Two passes around the means of these very pairs, in units of the largest deviation: right for any values.
pub(crate) fn carefully(n: usize, at: &dyn Fn(usize) -> (f64, f64), noise: [f64; 2]) -> Result<Agreement, Undefined> {
    let pairs = || (0..n).map(at);
    // Differences from the first pair, so that the mean of a constant side is exactly its value.
    let origin = at(0);
    let sum = pairs().fold([0.0; 2], |[a, b], (x, y)| [a + (x - origin.0), b + (y - origin.1)]);
    let mean = (origin.0 + sum[0] / n as f64, origin.1 + sum[1] / n as f64);
    let largest = pairs().fold([0.0f64; 2], |[a, b], (x, y)| [a.max((x - mean.0).abs()), b.max((y - mean.1).abs())]);
    if largest[0] <= noise[0] || largest[1] <= noise[1] {
        return Err(Undefined::Constant);
    }
    let scaled = |(x, y): (f64, f64)| ((x - mean.0) / largest[0], (y - mean.1) / largest[1]);
    let mut sums = Sums::default();
    pairs().map(scaled).for_each(|(x, y)| sums.add(x, y));
    let noise = [noise[0] / largest[0], noise[1] / largest[1]];
    // Values around their mean whose largest is 1: their squares add up to at least 1, of which the mean takes next to nothing.
    sums.agreement(noise, || pairs().map(scaled)).unwrap_or(Err(Undefined::Constant))
}

/// Of the sum of squares around the centre: what must be left around the mean for it to be precise to ten digits.
const ENOUGH_LEFT: f64 = 1e-6;

/// What a correlation is made of, gathered in one pass over centred values. Two numbers each, which is what a processor adds at
/// once.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(16))]
pub(crate) struct Sums {
    sum: [f64; 2],
    square: [f64; 2],
    count_and_product: [f64; 2],
}

impl Sums {
    #[inline]
    pub fn add(&mut self, x: f64, y: f64) {
        self.sum[0] += x;
        self.sum[1] += y;
        self.square[0] += x * x;
        self.square[1] += y * y;
        self.count_and_product[0] += 1.0;
        self.count_and_product[1] += x * y;
    }

    /// How many pairs there were.
    #[inline]
    pub fn count(&self) -> usize {
        self.count_and_product[0] as usize
    }

    /// What the sums alone tell: nearly always all that is asked for. Short, and inlined, since it is called for every pair of many
    /// samples.
    #[inline]
    pub fn at_once(&self, noise: [f64; 2]) -> AtOnce {
        let [n, product] = self.count_and_product;
        let share = 1.0 / n;
        let around_mean = |a: usize, b: usize, sum: f64| sum - self.sum[a] * self.sum[b] * share;
        let square = [around_mean(0, 0, self.square[0]), around_mean(1, 1, self.square[1])];
        // Squares may have overflowed or vanished, or the values may lie far from the centre.
        let precise = |i: usize| (1e-250..1e290).contains(&self.square[i]) && square[i] >= ENOUGH_LEFT * self.square[i];
        if !(precise(0) && precise(1)) {
            return AtOnce::Imprecise;
        }
        if (0..2).any(|i| square[i] <= n * noise[i] * noise[i]) {
            return AtOnce::Constant;
        }
        let deviation = [square[0].sqrt(), square[1].sqrt()];
        let correlation = (around_mean(0, 1, product) / (deviation[0] * deviation[1])).clamp(-1.0, 1.0);
        if correlation <= 0.9 {
            return AtOnce::Apart(Agreement { distance: ((1.0 - correlation) / 2.0).sqrt(), correlation });
        }
        AtOnce::Close { deviation }
    }

    /// The distance, or `None` where sums around these centres are not precise enough; `pairs` are gone through once more when ρ
    /// is close to 1.
    pub fn agreement<I: Iterator<Item = (f64, f64)>>(
        &self,
        noise: [f64; 2],
        pairs: impl FnOnce() -> I,
    ) -> Option<Result<Agreement, Undefined>> {
        let deviation = match self.at_once(noise) {
            AtOnce::Apart(agreement) => return Some(Ok(agreement)),
            AtOnce::Constant => return Some(Err(Undefined::Constant)),
            AtOnce::Imprecise => return None,
            AtOnce::Close { deviation } => deviation,
        };
        let n = self.count_and_product[0];
        let mean = [self.sum[0] / n, self.sum[1] / n];
        let quarter: f64 = pairs()
            .map(|(x, y)| {
                let difference = (x - mean[0]) / deviation[0] - (y - mean[1]) / deviation[1];
                difference * difference
            })
            .sum::<f64>()
            / 4.0;
        Some(Ok(Agreement { distance: quarter.sqrt(), correlation: 1.0 - 2.0 * quarter }))
    }
}

/// See [`Sums::at_once`].
pub(crate) enum AtOnce {
    Apart(Agreement),
    Constant,
    /// ρ is close to 1, where it has lost digits; the deviations have not.
    Close {
        deviation: [f64; 2],
    },
    /// Sums around other centres are needed.
    Imprecise,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn distance(x: &[f64], y: &[f64]) -> f64 {
        pearson(x, y).unwrap().distance
    }

    /// 31 pairs of small integers, whose moments are exact.
    fn integers() -> (Vec<f64>, Vec<f64>) {
        (0..31i64).map(|i| ((i * 7 % 31) as f64, (i * i % 17) as f64)).unzip()
    }

    #[test]
    fn cosines_of_values_of_any_size_keep_their_digits() {
        let of = |unit: f64, other: f64| {
            let pairs = [(3.0, 3.0), (1.0, 1.0), (-2.0, -2.001), (4.0, 4.0)];
            cosine(|| pairs.into_iter().map(|(x, y)| (x * unit, y * other)), [0.0; 2]).unwrap()
        };
        let expected = of(1.0, 1.0).distance;
        assert!((expected - 8.2e-5).abs() < 1e-5, "{expected}");
        for (unit, other, within) in [(1e300, 1e-300, 1e-9), (1e-311, 1e-311, 1e-2), (1.0, 1e-311, 1e-2)] {
            let found = of(unit, other).distance;
            assert!((found / expected - 1.0).abs() < within, "{unit} and {other}: {found}");
        }
    }

    #[test]
    fn an_offset_of_a_million_costs_nothing() {
        let (x, y) = integers();
        let expected = distance(&x, &y);
        let far: Vec<f64> = x.iter().map(|v| v / 31.0 + 1e6).collect();
        let away: Vec<f64> = y.iter().map(|v| v / 17.0 - 3e6).collect();
        assert!((distance(&far, &away) - expected).abs() < 1e-9);
        // The formula that this replaces is far off: E[xy] − E[x]E[y] over one pass.
        let n = far.len() as f64;
        let e = |f: &dyn Fn(usize) -> f64| (0..far.len()).map(f).sum::<f64>() / n;
        let (mx, my) = (e(&|i| far[i]), e(&|i| away[i]));
        let (vx, vy) = (e(&|i| far[i] * far[i]) - mx * mx, e(&|i| away[i] * away[i]) - my * my);
        let one_pass = (e(&|i| far[i] * away[i]) - mx * my) / (vx * vy).sqrt();
        assert!((((1.0 - one_pass) / 2.0).sqrt() - expected).abs() > 1e-6);
    }

    #[test]
    fn nearly_equal_vectors_keep_their_digits() {
        let (x, noise) = integers();
        for scale in [1e-3, 1e-6, 1e-9] {
            let y: Vec<f64> = x.iter().zip(&noise).map(|(a, b)| a + scale * b).collect();
            // To first order the distance is half the length of the standardized, orthogonal part of the disturbance.
            let rho = pearson(&x, &noise).unwrap().correlation;
            let spread = |v: &[f64]| {
                let mean = v.iter().sum::<f64>() / v.len() as f64;
                v.iter().map(|a| (a - mean) * (a - mean)).sum::<f64>().sqrt()
            };
            let expected = scale * spread(&noise) * (1.0 - rho * rho).sqrt() / spread(&x) / 2.0;
            assert!((distance(&x, &y) / expected - 1.0).abs() < 1e-2 * scale.max(1e-4).sqrt() + 1e-3, "{scale}");
        }
        assert_eq!(distance(&x, &x), 0.0);
    }

    #[test]
    fn huge_and_tiny_vectors_are_fine() {
        let (x, y) = integers();
        let expected = distance(&x, &y);
        for (a, b) in [(1e140, 1e140), (1e-300, 1.0), (1e-300, 1e-200), (1e140, 1e-300)] {
            let x: Vec<f64> = x.iter().map(|v| v * a).collect();
            let y: Vec<f64> = y.iter().map(|v| v * b).collect();
            assert!((distance(&x, &y) - expected).abs() < 1e-12, "{a} {b}");
        }
    }

    #[test]
    fn constants_are_undefined() {
        let third = [1.0 / 3.0; 7];
        let (x, y) = integers();
        assert_eq!(pearson(&third, &x[..7]), Err(Undefined::Constant));
        assert_eq!(pearson(&x[..7], &third), Err(Undefined::Constant));
        assert_eq!(pearson(&[], &[]), Err(Undefined::TooFewCommon));
        assert_eq!(pearson_by(31, |i| (1e-15 * x[i] - 1e-14, y[i] - 5.0), [1e-13, 0.0]), Err(Undefined::Constant));
        // Far from their centres, and constant there.
        assert_eq!(pearson_by(31, |i| (1e6 + 1.0 / 3.0, y[i] - 5.0), [0.0, 0.0]), Err(Undefined::Constant));
        let far = pearson_by(31, |i| (x[i] + 1e9, y[i] - 1e7), [0.0, 0.0]).unwrap().distance;
        assert!((far - distance(&x, &y)).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn symmetric_bounded_and_blind_to_scale_and_shift(
            pairs in prop::collection::vec((-10.0..10.0f64, -10.0..10.0f64), 3..60),
            scale in 0.01..100.0f64, shift in -100.0..100.0f64,
        ) {
            let (x, y): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            if let Ok(a) = pearson(&x, &y) {
                prop_assert_eq!(Ok(a), pearson(&y, &x));
                prop_assert!((0.0..=1.0).contains(&a.distance));
                let moved: Vec<f64> = x.iter().map(|v| v * scale + shift).collect();
                prop_assert!((distance(&moved, &y) - a.distance).abs() < 1e-9);
                let opposite: Vec<f64> = x.iter().map(|v| -v).collect();
                prop_assert!((distance(&opposite, &x) - 1.0).abs() < 1e-12);
            }
        }
    }
}
