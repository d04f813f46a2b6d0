//! Numbers as people read them, for messages.

/// A number with thousands separated, as counts are read.
///
/// ```
/// assert_eq!(srrd::words::count(1234567), "1,234,567");
/// ```
pub fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun.
///
/// ```
/// assert_eq!(srrd::words::counted(1, "row", "rows"), "1 row");
/// ```
pub fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}
