//! Is one mean larger than another? Welch's t-test, which does not take the variances for equal.

use crate::stats::student_upper_tail;

/// The outcome of a one-sided test that the first mean is larger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Welch {
    /// (mean a − mean b) / √(var a / n a + var b / n b); infinite when neither side varies.
    pub t: f64,
    /// The degrees of freedom by Welch and Satterthwaite.
    pub degrees_of_freedom: f64,
    /// How likely so large a t is if the first mean is not larger.
    pub p: f64,
}

/// Tests whether the mean of `a` is larger than that of `b`. `None` with fewer than two values on a side, or when neither varies
/// and the means are equal.
///
/// Scores of repeated splits are not independent (splits share samples), so p is smaller than it should be; it is given because
/// it is what is published.
///
/// ```
/// use srrd::classify::welch;
/// let test = welch(&[0.9, 0.8, 0.85, 0.95], &[0.6, 0.7, 0.5, 0.65]).unwrap();
/// assert!(test.t > 4.0 && test.p < 0.01);
/// assert_eq!(welch(&[0.9], &[0.6, 0.7]), None);
/// ```
pub fn welch(a: &[f64], b: &[f64]) -> Option<Welch> {
    if a.len() < 2 || b.len() < 2 {
        return None;
    }
    let (mean_a, error_a) = mean_and_error(a);
    let (mean_b, error_b) = mean_and_error(b);
    let error = error_a + error_b;
    let difference = mean_a - mean_b;
    if error == 0.0 {
        let p = if difference > 0.0 { 0.0 } else { 1.0 };
        let t = difference.signum() * f64::INFINITY;
        return (difference != 0.0).then_some(Welch { t, degrees_of_freedom: f64::NAN, p });
    }
    let t = difference / error.sqrt();
    let part = |error: f64, n: usize| error * error / (n - 1) as f64;
    let degrees_of_freedom = error * error / (part(error_a, a.len()) + part(error_b, b.len()));
    Some(Welch { t, degrees_of_freedom, p: student_upper_tail(t, degrees_of_freedom) })
}

/// The mean, and its squared standard error.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, squares / (n - 1.0) / n)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed with scipy.stats.ttest_ind(a, b, equal_var=False, alternative="greater"), SciPy 1.17.1.
    type Case = (&'static [f64], &'static [f64], f64, f64, f64);
    const PINNED: [Case; 4] = [
        (
            &[0.7, 0.72, 0.69, 0.75],
            &[0.6, 0.66, 0.61, 0.7, 0.58],
            3.321224826949388,
            6.32702470197862,
            0.007387361599823119,
        ),
        (&[0.5, 0.4, 0.6], &[0.55, 0.5, 0.62, 0.7], -1.2799269524429706, 4.043870126187924, 0.8654672708995497),
        (&[1.0, 2.0, 4.0, 8.0], &[1.5, 1.5, 1.5], 1.453631135557047, 3.0, 0.12100684731228427),
        (
            &[0.7179, 0.697, 0.7401, 0.7668, 0.7954, 0.7544, 0.7279, 0.7186, 0.7799, 0.8154, 0.7609, 0.7007],
            &[0.6521, 0.78, 0.7101, 0.6134, 0.6958, 0.6418, 0.6685, 0.6756, 0.6643],
            3.6389657635140766,
            14.814583879305589,
            0.0012341736510309473,
        ),
    ];

    #[test]
    fn values_are_those_of_scipy() {
        for (a, b, t, degrees_of_freedom, p) in PINNED {
            let found = welch(a, b).unwrap();
            assert!((found.t - t).abs() < 1e-9 * t.abs().max(1.0));
            assert!((found.degrees_of_freedom - degrees_of_freedom).abs() < 1e-9 * degrees_of_freedom);
            assert!((found.p - p).abs() < 1e-9 * p.max(1e-3));
        }
    }

    #[test]
    fn cases_without_variance() {
        assert_eq!(welch(&[1.0], &[2.0, 3.0]), None);
        assert_eq!(welch(&[1.0, 1.0], &[1.0, 1.0]), None);
        assert_eq!(welch(&[2.0, 2.0], &[1.0, 1.0]).unwrap().p, 0.0);
        assert_eq!(welch(&[0.0, 0.0], &[1.0, 1.0]).unwrap().p, 1.0);
    }
}
