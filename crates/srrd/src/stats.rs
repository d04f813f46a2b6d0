//! The few functions of statistics that intervals and tests need: the normal distribution, Student's t, χ² and F.

use std::f64::consts::PI;

/// Φ(x), the standard normal distribution function.
///
/// Near 0 the series Φ(x) = ½ + φ(x)·(x + x³/3 + x⁵/15 + …), in the tails the continued fraction of Mills' ratio, so that small
/// probabilities keep their digits.
pub(crate) fn normal_cdf(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    let density = (-0.5 * x * x).exp() / (2.0 * PI).sqrt();
    if x.abs() > 3.0 {
        // x + 1/(x + 2/(x + 3/…)), from its far end.
        let fraction = (1..=60).rev().fold(x.abs(), |rest, k| x.abs() + f64::from(k) / rest);
        let tail = density / fraction;
        return if x > 0.0 { 1.0 - tail } else { tail };
    }
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    0.5 + density * sum
}

/// The x with Φ(x) = p, for p between 0 and 1; infinite at the ends. Bisection, sharpened by Newton steps that stay in the bracket.
pub(crate) fn normal_quantile(p: f64) -> f64 {
    if p <= 0.0 {
        return f64::NEG_INFINITY;
    }
    if p >= 1.0 {
        return f64::INFINITY;
    }
    if p > 0.5 {
        return -normal_quantile(1.0 - p);
    }
    let (mut low, mut high, mut x) = (-40.0, 0.0, -0.5);
    for _ in 0..200 {
        let excess = normal_cdf(x) - p;
        if excess > 0.0 {
            high = x
        } else {
            low = x
        }
        let density = (-0.5 * x * x).exp() / (2.0 * PI).sqrt();
        let newton = x - excess / density;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - x).abs() <= 1e-15 * x.abs() {
            return next;
        }
        x = next;
    }
    x
}

/// P(T ≥ t) for Student's t with `freedom` > 0 degrees of freedom, which need not be whole.
pub(crate) fn student_upper_tail(t: f64, freedom: f64) -> f64 {
    let both = incomplete_beta(0.5 * freedom, 0.5, freedom / (freedom + t * t));
    if t >= 0.0 { 0.5 * both } else { 1.0 - 0.5 * both }
}

/// The t with P(T ≤ t) = p for Student's t with `freedom` > 0 degrees of freedom, ½ ≤ p < 1, by bisection.
///
/// ```
/// // The half-width of a 95 % interval, in standard errors, from 20 numbers.
/// assert!((srrd::stats::student_quantile(0.975, 19.0) - 2.093).abs() < 1e-3);
/// ```
pub fn student_quantile(p: f64, freedom: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while 1.0 - student_upper_tail(high, freedom) < p && high < 1e300 {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if 1.0 - student_upper_tail(middle, freedom) < p { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// P(X ≥ x) for χ² with `freedom` > 0 degrees of freedom, which need not be whole.
pub(crate) fn chi_squared_upper_tail(x: f64, freedom: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    if freedom > 1e5 {
        // Wilson and Hilferty: the cube root is normal to more digits than anyone asks for, where a series would take for ever.
        let spread = 2.0 / (9.0 * freedom);
        return normal_cdf((1.0 - spread - (x / freedom).cbrt()) / spread.sqrt());
    }
    let (a, x) = (0.5 * freedom, 0.5 * x);
    let front = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        // The series of the lower tail.
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > 1e-16 * sum {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return 1.0 - front * sum;
    }
    // The continued fraction of the upper tail.
    let away_from_zero = |v: f64| if v.abs() < 1e-300 { 1e-300 } else { v };
    let mut b = x + 1.0 - a;
    let mut above = 1e300;
    let mut below = 1.0 / away_from_zero(b);
    let mut value = below;
    for k in 1..100_000 {
        let k = f64::from(k);
        let numerator = -k * (k - a);
        b += 2.0;
        below = 1.0 / away_from_zero(numerator * below + b);
        above = away_from_zero(b + numerator / above);
        let change = below * above;
        value *= change;
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front * value
}

/// P(X ≥ f) for the F distribution.
pub(crate) fn f_upper_tail(f: f64, above: f64, below: f64) -> f64 {
    if f <= 0.0 { 1.0 } else { incomplete_beta(0.5 * below, 0.5 * above, below / (below + above * f)) }
}

/// The regularized incomplete beta function I_x(a, b), by its continued fraction.
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges fast on this side of the mean only.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let front = (a * x.ln() + b * (-x).ln_1p() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b)).exp() / a;
    let away_from_zero = |v: f64| if v.abs() < 1e-300 { 1e-300 } else { v };
    // Numerators of the fraction: d₁, d₂, … of 1 + d₁/(1 + d₂/(1 + …)).
    let numerator = |k: u32| {
        let m = f64::from(k / 2);
        if k.is_multiple_of(2) {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        }
    };
    let (mut value, mut above, mut below) = (1.0, 1.0, 0.0);
    for k in 1..100_000 {
        let d = numerator(k);
        below = 1.0 / away_from_zero(1.0 + d * below);
        above = away_from_zero(1.0 + d / above);
        let change = above * below;
        value *= change;
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front / value
}

/// ln Γ(x) for x > 0: Stirling's series, from where it is precise.
fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut shift) = (x, 0.0);
    while x < 12.0 {
        shift += x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = (1.0 / 12.0
        - inverse * (1.0 / 360.0 - inverse * (1.0 / 1260.0 - inverse * (1.0 / 1680.0 - inverse / 1188.0))))
        / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + series - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1e-3), "{found} is not {expected}");
    }

    #[test]
    fn chi_squared_and_f_are_those_of_tables() {
        for (x, freedom) in
            [(3.841_458_820_694_124, 1.0), (18.307_038_053_275_146, 10.0), (124.342_113_404_004_07, 100.0)]
        {
            assert!((chi_squared_upper_tail(x, freedom) - 0.05).abs() < 1e-9, "{freedom}");
        }
        // Where a formula takes over, both are the same to some digits.
        let at = |freedom: f64| chi_squared_upper_tail(freedom + 2.0 * (2.0 * freedom).sqrt(), freedom);
        assert!((at(99_999.0) - at(100_001.0)).abs() < 1e-6);
        assert!((0.0..1e-12).contains(&chi_squared_upper_tail(1e31, 1e30)));
        assert!((f_upper_tail(4.964_602_743_730_711, 1.0, 10.0) - 0.05).abs() < 1e-9);
        assert!((f_upper_tail(2.978_237_016_082_21, 10.0, 10.0) - 0.05).abs() < 1e-9);
    }

    #[test]
    fn the_normal_distribution_is_that_of_tables() {
        close(normal_cdf(0.0), 0.5);
        close(normal_cdf(1.0), 0.841_344_746_068_542_9);
        close(normal_cdf(-2.5), 0.006_209_665_325_776_132);
        // In the tail digits count relative to the value.
        assert!((normal_cdf(-6.0) / 9.865_876_450_376_98e-10 - 1.0).abs() < 1e-10);
        assert!((normal_cdf(-3.000_001) / normal_cdf(-2.999_999) - 1.0).abs() < 1e-5);
        close(normal_quantile(0.975), 1.959_963_984_540_054);
        close(normal_quantile(0.001), -3.090_232_306_167_813_5);
        assert_eq!((normal_quantile(0.0), normal_quantile(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
        for p in [1e-12, 1e-5, 0.01, 0.3, 0.5, 0.77, 0.999] {
            assert!((normal_cdf(normal_quantile(p)) / p - 1.0).abs() < 1e-10, "{p}");
        }
    }

    #[test]
    fn students_t_is_that_of_its_closed_forms() {
        for t in [-7.0f64, -1.0, 0.0, 0.3, 2.0, 40.0] {
            // One degree of freedom is Cauchy's distribution; two have a closed form, too.
            close(student_upper_tail(t, 1.0), 0.5 - t.atan() / PI);
            close(student_upper_tail(t, 2.0), 0.5 - 0.5 * t / (2.0 + t * t).sqrt());
            let four = 0.5 - 0.375 * t / (1.0 + t * t / 4.0).sqrt() * (1.0 - t * t / (12.0 * (1.0 + t * t / 4.0)));
            assert!((student_upper_tail(t, 4.0) - four).abs() < 1e-12, "{t}");
        }
        // With many degrees of freedom it is the normal distribution.
        assert!((student_upper_tail(1.5, 1e7) - normal_cdf(-1.5)).abs() < 1e-7);
        assert!(
            (student_upper_tail(2.0, 10.5) - 0.5 * (student_upper_tail(2.0, 10.0) + student_upper_tail(2.0, 11.0)))
                .abs()
                < 1e-4
        );
    }

    #[test]
    fn quantiles_of_students_t_are_those_of_tables() {
        assert!((student_quantile(0.975, 19.0) - 2.093_024_054_408_263).abs() < 1e-10);
        assert!((student_quantile(0.975, 1.0) - 12.706_204_736_432_095).abs() < 1e-9);
        assert!(student_quantile(0.5, 7.0).abs() < 1e-12);
    }

    #[test]
    fn gamma_is_a_factorial() {
        close(ln_gamma(1.0) + 1.0, 1.0);
        close(ln_gamma(0.5), 0.5 * PI.ln());
        close(ln_gamma(11.0), (1..=10).map(|k| f64::from(k).ln()).sum());
    }
}
