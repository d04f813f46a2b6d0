//! The distribution of one coordinate of a random direction.

/// What the square of one coordinate of a uniformly random unit vector in so many dimensions stays below 95 times in 100. (Times
/// the dimensions, it tends to 3.84, the quantile of χ² with one degree of freedom.) 1 where there are fewer than two dimensions.
///
/// The angle θ between the vector and the plane across the coordinate has a density proportional to cosⁿ⁻²θ. It is summed up to where
/// it vanishes, in steps fine enough for six digits.
pub(super) fn squared_coordinate(dimensions: f64) -> f64 {
    const LEVEL: f64 = 0.95;
    const STEPS: u32 = 4000;
    if dimensions < 2.0 {
        return 1.0;
    }
    let end = (12.0 / dimensions.sqrt()).min(std::f64::consts::FRAC_PI_2);
    let step = end / f64::from(STEPS);
    let density = |k: u32| ((f64::from(k) + 0.5) * step).cos().powf(dimensions - 2.0);
    let wanted = LEVEL * (0..STEPS).map(density).sum::<f64>();
    let mut sum = 0.0;
    for k in 0..STEPS {
        let next = sum + density(k);
        if next >= wanted {
            let angle = (f64::from(k) + (wanted - sum) / (next - sum)) * step;
            return angle.sin().powi(2);
        }
        sum = next;
    }
    1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_student() {
        // t² = (n − 1)·s²/(1 − s²) has the quantiles of Student's distribution with n − 1 degrees of freedom.
        for (freedom, t) in [(1.0, 12.7062), (2.0, 4.30265), (5.0, 2.57058), (17.0, 2.10982), (100.0, 1.98397)] {
            let square = squared_coordinate(freedom + 1.0);
            let found = (freedom * square / (1.0 - square)).sqrt();
            assert!((found - t).abs() < 1e-4 * t, "{freedom}: {found}");
        }
        assert!((1e6 * squared_coordinate(1e6) - 3.841_459).abs() < 1e-4);
        assert_eq!(squared_coordinate(1.0), 1.0);
    }
}
