//! Numbers to be read.

pub(crate) use crate::words::number as short;

/// `value` with that many decimals, or three significant digits where numbers of all sizes stand
/// beside each other.
pub(crate) fn reading(value: f64, decimals: Option<usize>) -> String {
    let Some(decimals) = decimals else {
        return short(value, 3);
    };
    if value.abs() >= 1e15 {
        return short(value, 4);
    }
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        // No sign for what rounds to zero.
        Some(rest) if !rest.contains(|digit: char| matches!(digit, '1'..='9')) => rest.to_string(),
        _ => text,
    }
}

/// What an axis label measures, as it stands within a sentence: `Coverage (%)` is "coverage".
pub(crate) fn quantity(label: &str) -> String {
    let label = label.trim();
    let label = match label.rfind('(') {
        Some(start) if label.ends_with(')') && start > 0 => label[..start].trim_end(),
        _ => label,
    };
    let mut characters = label.chars();
    match (characters.next(), characters.clone().next()) {
        // SRRD stays SRRD, and so does a symbol such as R.
        (Some(first), Some(second)) if !second.is_uppercase() && second.is_alphabetic() => {
            first.to_lowercase().chain(characters).collect()
        }
        _ => label.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers() {
        let cases = [
            (2.1, "2.1"),
            (0.231_49, "0.2315"),
            (12_345.0, "12345"),
            (-0.5, "-0.5"),
            (123.456, "123.5"),
            (0.1 + 0.2, "0.3"),
            (1.5e-7, "1.5e-7"),
            (-0.0, "0"),
            (2.5e20, "2.5e20"),
        ];
        for (value, expected) in cases {
            assert_eq!(short(value, 4), expected);
        }
    }

    #[test]
    fn readings_keep_their_decimals() {
        assert_eq!(reading(0.22, Some(3)), "0.220");
        assert_eq!(reading(-0.0001, Some(3)), "0.000");
        assert_eq!(reading(-0.01, Some(2)), "-0.01");
        assert_eq!(reading(0.001_234, None), "0.00123");
        assert_eq!(reading(1e200, Some(3)), "1e200");
    }

    #[test]
    fn labels_become_words() {
        let cases = [
            ("Coverage (%)", "coverage"),
            ("SRRD distance", "SRRD distance"),
            ("R", "R"),
            ("Distance to (s, a)", "distance to"),
            ("(odd)", "(odd)"),
            ("", ""),
            ("Éclat", "éclat"),
        ];
        for (label, expected) in cases {
            assert_eq!(quantity(label), expected);
        }
    }
}
