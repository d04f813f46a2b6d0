//! Half-precision floats, which NumPy, Parquet and Arrow files may hold and which the language does not have yet.

/// The value of an IEEE 754 binary16 number.
pub(crate) fn half_to_f64(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f64::from(bits & 0x3ff);
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}

#[cfg(test)]
mod tests {
    use super::half_to_f64;

    #[test]
    fn known_values() {
        for (bits, value) in [
            (0x0000, 0.0),
            (0x0001, 2f64.powi(-24)),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333251953125),
            (0x7bff, 65504.0),
            (0x7c00, f64::INFINITY),
        ] {
            assert_eq!(half_to_f64(bits), value);
        }
        assert!(half_to_f64(0x7e00).is_nan());
        assert!(half_to_f64(0x8000).is_sign_negative());
    }
}
