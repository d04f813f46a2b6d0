//! Mean, standard deviation and the 95 % interval of a mean.

use srrd::stats::student_quantile;

/// The 0.975 quantile of the normal distribution.
const NORMAL: f64 = 1.959_963_984_540_054;

/// What a set of numbers comes to; numbers are added one at a time and none is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    count: u64,
    mean: f64,
    /// The sum of squared deviations from the mean.
    squares: f64,
}

impl Moments {
    /// Takes a number in (Welford's update, stable for numbers far from 0).
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (value - self.mean);
    }

    /// How many numbers there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; NaN without any.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { f64::NAN } else { self.mean }
    }

    /// Their standard deviation (n − 1 below the line); NaN with fewer than two.
    pub fn sd(&self) -> f64 {
        if self.count < 2 { f64::NAN } else { (self.squares / (self.count - 1) as f64).sqrt() }
    }

    /// The standard error of the mean.
    pub fn standard_error(&self) -> f64 {
        self.sd() / (self.count as f64).sqrt()
    }

    /// The 95 % interval of the mean by Student's t; NaN with fewer than two numbers.
    pub fn interval(&self) -> (f64, f64) {
        if self.count < 2 {
            return (f64::NAN, f64::NAN);
        }
        let half = student_quantile(0.975, (self.count - 1) as f64) * self.standard_error();
        (self.mean - half, self.mean + half)
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut moments = Moments::default();
        values.into_iter().for_each(|value| moments.add(value));
        moments
    }
}

/// How often a number of one kind is below one of another: the area under the ROC curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Auc {
    /// P(x < y) + ½ P(x = y).
    pub value: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end of its 95 % interval.
    pub high: f64,
}

impl Auc {
    /// Of all pairs of an x and a y, with the interval of DeLong and others; `None` without two of each. O((m + n) log(m + n)).
    ///
    /// Where every x is below every y the interval has no width: no pair of the sample is the other way round.
    pub fn of(x: &[f64], y: &[f64]) -> Option<Self> {
        if x.len() < 2 || y.len() < 2 {
            return None;
        }
        let sorted = |values: &[f64]| {
            let mut values = values.to_vec();
            values.sort_by(f64::total_cmp);
            values
        };
        let (by_x, by_y) = (sorted(x), sorted(y));
        // The share of `others` that lies above a value, those equal counting half.
        let above = |value: f64, others: &[f64]| {
            let below = others.partition_point(|&other| other < value);
            let not_above = others.partition_point(|&other| other <= value);
            1.0 - 0.5 * (below + not_above) as f64 / others.len() as f64
        };
        let of_x: Moments = x.iter().map(|&value| above(value, &by_y)).collect();
        let of_y: Moments = y.iter().map(|&value| 1.0 - above(value, &by_x)).collect();
        let error = (of_x.standard_error().powi(2) + of_y.standard_error().powi(2)).sqrt();
        let (value, half) = (of_x.mean(), NORMAL * error);
        Some(Auc { value, low: (value - half).max(0.0), high: (value + half).min(1.0) })
    }
}

/// The 95 % interval of a share of `hits` in `count` cases, by Wilson's score.
pub fn share_interval(hits: u64, count: u64) -> (f64, f64) {
    const Z: f64 = NORMAL;
    let (n, share) = (count as f64, hits as f64 / count as f64);
    let middle = share + Z * Z / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    (((middle - half) / scale).max(0.0), ((middle + half) / scale).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked out apart, by the formula.
    #[test]
    fn shares_have_the_interval_of_wilson() {
        for (hits, count, low, high) in [(95, 100, 0.888_250, 0.978_456), (0, 10, 0.0, 0.277_533)] {
            let found = share_interval(hits, count);
            assert!((found.0 - low).abs() < 1e-5 && (found.1 - high).abs() < 1e-5, "{found:?}");
        }
    }

    #[test]
    fn the_area_under_the_curve_counts_pairs() {
        let (x, y) = ([0.1, 0.4, 0.4, 0.9], [0.4, 0.5, 0.95]);
        let pairs = x
            .iter()
            .flat_map(|a| y.iter().map(move |b| f64::from(u8::from(a < b)) + 0.5 * f64::from(u8::from(a == b))));
        let auc = Auc::of(&x, &y).unwrap();
        assert!((auc.value - pairs.sum::<f64>() / 12.0).abs() < 1e-15);
        assert!(auc.low < auc.value && auc.value < auc.high);
        let apart = Auc::of(&[0.0, 0.1], &[0.2, 0.3]).unwrap();
        assert_eq!((apart.value, apart.low, apart.high), (1.0, 1.0, 1.0));
        assert_eq!(Auc::of(&[0.0], &[1.0, 2.0]), None);
    }

    #[test]
    fn moments_of_numbers_far_from_zero() {
        let moments: Moments = [1e9 + 1.0, 1e9 + 2.0, 1e9 + 4.0].into_iter().collect();
        assert!((moments.mean() - (1e9 + 7.0 / 3.0)).abs() < 1e-6);
        assert!((moments.sd() - (7.0f64 / 3.0).sqrt()).abs() < 1e-6);
        let (low, high) = moments.interval();
        assert!((high - low - 2.0 * 4.302_652_730 * (7.0f64 / 9.0).sqrt()).abs() < 1e-5);
        assert!(Moments::from_iter([1.0]).interval().0.is_nan());
        assert!(Moments::default().mean().is_nan());
    }
}
