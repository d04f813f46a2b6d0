//! Sine and cosine of many numbers at once.
//!
//! A million transitions with 256 features take half a billion of them, at some 20 ns each in the system's library, whose last digits also
//! differ from system to system. These are branch-free, so that the compiler makes vector instructions of the loop, and use nothing but
//! additions, multiplications and shifts: the same bits everywhere.

/// 1.5 · 2⁵²: adding it rounds a number to a whole one, which then stands in the lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// π in three parts, the first two with zeros at their ends, so that their products with whole numbers below 2²⁰ are exact.
const PI: [f64; 3] = [3.141_592_651_605_606, 1.984_187_158_327_044_3e-9, 1.034_036_596_358_821e-18];

/// Coefficients of x³, x⁵, … of the sine, and of x⁴, x⁶, … of the cosine: Taylor's, up to where terms end to matter below π/2.
const SINE: [f64; 10] = [
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5_040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 355_687_428_096_000.0,
    -1.0 / 121_645_100_408_832_000.0,
    1.0 / 51_090_942_171_709_440_000.0,
];
const COSINE: [f64; 10] = [
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
    -1.0 / 6_402_373_705_728_000.0,
    1.0 / 2_432_902_008_176_640_000.0,
    -1.0 / 1_124_000_727_777_607_680_000.0,
];

/// Beyond this the parts of π have too few digits.
pub(super) const LARGEST: f64 = 3e6;

/// Sine and cosine of a number up to [`LARGEST`] in magnitude, to within 10⁻¹⁵.
#[inline(always)]
pub(super) fn sin_cos(x: f64) -> (f64, f64) {
    let rounded = x * std::f64::consts::FRAC_1_PI + ROUND;
    let turns = rounded - ROUND;
    let r = ((x - turns * PI[0]) - turns * PI[1]) - turns * PI[2];
    // An odd number of half turns changes both signs.
    let sign = rounded.to_bits() << 63;
    let square = r * r;
    let polynomial = |coefficients: &[f64; 10]| coefficients.iter().rev().fold(0.0, |sum, c| sum * square + c);
    let sine = r + r * square * polynomial(&SINE);
    let cosine = (1.0 - 0.5 * square) + square * square * polynomial(&COSINE);
    (f64::from_bits(sine.to_bits() ^ sign), f64::from_bits(cosine.to_bits() ^ sign))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_sine_and_cosine(near in -10.0..10.0f64, far in -3e6..3e6f64) {
            for (x, within) in [(near, 1e-15), (far, 1e-15)] {
                let (sine, cosine) = sin_cos(x);
                prop_assert!((sine - x.sin()).abs() < within && (cosine - x.cos()).abs() < within, "{x}: {sine} {cosine}");
            }
        }
    }

    #[test]
    fn halves_of_turns_are_where_they_should_be() {
        for k in -20..=20 {
            let x = f64::from(k) * std::f64::consts::FRAC_PI_2;
            let (sine, cosine) = sin_cos(x);
            assert!((sine - x.sin()).abs() < 1e-15 && (cosine - x.cos()).abs() < 1e-15, "{x}: {sine} {cosine}");
        }
    }
}
