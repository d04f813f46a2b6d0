//! What identifies a state or an action: an integer, a text, or a tuple of features.

use std::cmp::Ordering;
use std::fmt;

/// A name of a state or an action, borrowed from wherever it is stored.
///
/// Two tokens are the same state when they are equal. A text that is an integer in its shortest decimal form *is* that
/// integer, so that `"42"` read from a CSV file and `42` read from a Parquet file meet, while `"042"` stays a text of its
/// own ("compared as written in text formats, by value in typed ones").
///
/// Tokens are ordered: integers by value, then texts by their bytes, then feature tuples by value. Everything that depends
/// on an order (sums, batches) uses this one, which makes results independent of the order of the rows.
#[derive(Clone, Copy, PartialEq)]
pub struct Token<'a>(pub(crate) Kind<'a>);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind<'a> {
    Int(i64),
    Text(&'a str),
    Features(&'a [f64]),
}

impl<'a> Token<'a> {
    /// The token of an integer.
    pub fn int(value: i64) -> Self {
        Token(Kind::Int(value))
    }

    /// The token of a text; shortest-form integers become integer tokens.
    #[inline]
    pub fn text(text: &'a str) -> Self {
        match parse_shortest_int(text.as_bytes()) {
            Some(value) => Token(Kind::Int(value)),
            None => Token(Kind::Text(text)),
        }
    }

    /// The token of a tuple of numeric features. The tuple is the identity; features must be finite
    /// ([`SampleBuilder`](crate::SampleBuilder) checks that).
    pub fn features(values: &'a [f64]) -> Self {
        Token(Kind::Features(values))
    }

    /// The features, if this token is a tuple of them.
    pub fn as_features(&self) -> Option<&'a [f64]> {
        match self.0 {
            Kind::Features(values) => Some(values),
            _ => None,
        }
    }

    /// The integer, if this token is one.
    pub fn as_int(&self) -> Option<i64> {
        match self.0 {
            Kind::Int(value) => Some(value),
            _ => None,
        }
    }
}

impl<'a> From<&'a str> for Token<'a> {
    fn from(text: &'a str) -> Self {
        Token::text(text)
    }
}

impl<'a> From<&'a String> for Token<'a> {
    fn from(text: &'a String) -> Self {
        Token::text(text)
    }
}

impl From<i64> for Token<'_> {
    fn from(value: i64) -> Self {
        Token::int(value)
    }
}

impl From<i32> for Token<'_> {
    fn from(value: i32) -> Self {
        Token::int(value.into())
    }
}

impl From<u32> for Token<'_> {
    fn from(value: u32) -> Self {
        Token::int(value.into())
    }
}

impl<'a> From<&'a [f64]> for Token<'a> {
    fn from(values: &'a [f64]) -> Self {
        Token::features(values)
    }
}

impl Eq for Token<'_> {}

impl PartialOrd for Token<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Token<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.0, other.0) {
            (Kind::Int(a), Kind::Int(b)) => a.cmp(&b),
            (Kind::Text(a), Kind::Text(b)) => a.cmp(b),
            (Kind::Features(a), Kind::Features(b)) => compare_features(a, b),
            (a, b) => rank(a).cmp(&rank(b)),
        }
    }
}

fn rank(kind: Kind<'_>) -> u8 {
    match kind {
        Kind::Int(_) => 0,
        Kind::Text(_) => 1,
        Kind::Features(_) => 2,
    }
}

pub(crate) fn compare_features(a: &[f64], b: &[f64]) -> Ordering {
    for (x, y) in a.iter().zip(b) {
        // Not `total_cmp`, which tells the two zeros apart.
        match x.partial_cmp(y).unwrap_or_else(|| x.total_cmp(y)) {
            Ordering::Equal => {}
            unequal => return unequal,
        }
    }
    a.len().cmp(&b.len())
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Kind::Int(value) => write!(f, "{value}"),
            Kind::Text(text) => f.write_str(text),
            Kind::Features(values) => {
                f.write_str("(")?;
                for (i, value) in values.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{value}")?;
                }
                f.write_str(")")
            }
        }
    }
}

impl fmt::Debug for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The integer whose shortest decimal form is exactly `bytes`, if it fits.
#[inline]
fn parse_shortest_int(bytes: &[u8]) -> Option<i64> {
    let (negative, digits) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, bytes),
    };
    match digits {
        [b'0'] => return (!negative).then_some(0),
        [b'1'..=b'9', ..] if digits.len() <= 19 => {}
        _ => return None,
    }
    // Of at most 19 digits, so it cannot overflow; whether it fits with its sign is asked at the end.
    let mut value = 0u64;
    for &byte in digits {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value * 10 + u64::from(byte - b'0');
    }
    if negative { 0i64.checked_sub_unsigned(value) } else { i64::try_from(value).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortest_integers_are_integers_and_nothing_else_is() {
        for (text, value) in
            [("0", 0), ("7", 7), ("-3", -3), ("9223372036854775807", i64::MAX), ("-9223372036854775808", i64::MIN)]
        {
            assert_eq!(Token::text(text), Token::int(value), "{text}");
            assert_eq!(Token::text(text).to_string(), text);
        }
        for text in [
            "",
            "-",
            "-0",
            "007",
            "+1",
            "1.0",
            " 1",
            "1 ",
            "1e3",
            "99999999999999999999",
            "9223372036854775808",
            "-9223372036854775809",
            "x1",
        ] {
            assert_eq!(Token::text(text).as_int(), None, "{text}");
            assert_eq!(Token::text(text).to_string(), text);
        }
    }

    #[test]
    fn order_is_integers_then_texts_then_features() {
        let (low, high) = ([0.0, 1.0], [0.0, 2.0]);
        let sorted = [
            Token::int(-2),
            Token::int(10),
            Token::text("10a"),
            Token::text("9a"),
            Token::features(&low),
            Token::features(&high),
        ];
        assert!(sorted.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
