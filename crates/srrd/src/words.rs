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

/// A number of bytes as people read it.
///
/// ```
/// assert_eq!(srrd::words::bytes(8_000_000_000_000), "8.0 TB");
/// ```
pub fn bytes(count: u64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"];
    let place = (count.max(1).ilog10() / 3) as usize;
    match place {
        0 => format!("{count} bytes"),
        _ => format!("{:.1} {}", count as f64 / 1000f64.powi(place as i32), units[place]),
    }
}
