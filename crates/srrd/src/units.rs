//! Units in which squares neither overflow nor vanish.
//!
//! Squares of rewards below 10⁻¹⁵⁴ or above 10¹⁵⁴ leave the range of doubles. What is computed from squares is therefore computed in
//! units of a power of two: multiplying by one rounds nothing, so that values of ordinary size keep every bit.

/// The power of two that takes the largest of the values to between 1 and 2, as near as there is one; 1 where all are 0.
pub(crate) fn scale(values: &[f64]) -> f64 {
    let largest = values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    if largest == 0.0 {
        return 1.0;
    }
    // The exponent of a double as it is stored, 1023 above the real one. The ends are left out: the inverse is finite, too.
    let exponent = (largest.to_bits() >> 52).clamp(1, 2045);
    f64::from_bits((2046 - exponent) << 52)
}

/// The values in such units.
pub(crate) fn scaled(values: &[f64]) -> Vec<f64> {
    let scale = scale(values);
    values.iter().map(|value| value * scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_value_is_between_1_and_2() {
        for value in [1.0, -1.999, 3.0, 1e-3, -1e154, 1e-200, f64::MIN_POSITIVE, 8e307] {
            let [_, largest] = scaled(&[value / 3.0, value])[..] else { unreachable!() };
            assert!((1.0..2.0).contains(&largest.abs()), "{value}");
            // Exactly, there and back.
            assert_eq!(largest / scale(&[value]), value);
        }
        assert_eq!(scaled(&[0.0, -0.0]), [0.0, 0.0]);
        // Where no power of two does it, its squares are well within the range.
        for value in [f64::MAX, 5e-324] {
            let largest = value * scale(&[value]);
            assert!((1e-20..4.0).contains(&largest) && largest * (1.0 / scale(&[value])) == value, "{value}");
        }
    }
}
