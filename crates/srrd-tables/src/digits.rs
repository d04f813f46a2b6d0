//! Fields that are short decimal numbers, read eight digits at a time. Whatever is not as simple as that is left to others.

use crate::number::parse_number;

/// '0', eight times.
const ZEROS: u64 = u64::from_ne_bytes([b'0'; 8]);

/// The powers of ten that are floats, as far as they are needed.
const POWERS: [f64; 19] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18];

/// The largest integer up to which all are floats.
const EXACT: u64 = 1 << 53;

/// The integer that `bytes[start..end]` is, if it has at most eight digits, is not negative and is written in its shortest form: as
/// a token, it is that integer.
#[inline(always)]
pub(crate) fn short_int(bytes: &[u8], start: usize, end: usize) -> Option<u32> {
    let length = end - start;
    if !(1..=8).contains(&length) || (bytes[start] == b'0' && length > 1) {
        return None;
    }
    last_digits(bytes, end, length).map(|value| value as u32)
}

/// The finite number that `text[start..end]` is, if it is one.
#[inline]
pub(crate) fn number(text: &str, start: usize, end: usize) -> Option<f64> {
    match decimal(text.as_bytes(), start, end) {
        Some(number) => Some(number),
        None => parse_number(&text[start..end]).ok(),
    }
}

/// The number with at most 18 digits, at most 10 of them before the point, and no exponent; `None` for what is none.
#[inline(always)]
fn decimal(bytes: &[u8], start: usize, end: usize) -> Option<f64> {
    let negative = bytes.get(start) == Some(&b'-');
    let mut at = start + usize::from(negative);
    let first = at;
    let mut digits = 0u64;
    while at < end && bytes[at].is_ascii_digit() && at - first < 10 {
        digits = 10 * digits + u64::from(bytes[at] - b'0');
        at += 1;
    }
    let mut places = 0;
    if at == first {
        return None;
    }
    if at < end {
        if bytes[at] != b'.' {
            return None;
        }
        at += 1;
        places = end - at;
        if places == 0 || (at - first - 1) + places > 18 {
            return None;
        }
        for _ in 0..places / 8 {
            at += 8;
            digits = 100_000_000 * digits + last_digits(bytes, at, 8)?;
        }
        let rest = end - at;
        if rest > 0 {
            digits = digits * POWERS[rest] as u64 + last_digits(bytes, end, rest)?;
        }
    }
    // Both are exact, so that the quotient is rounded once.
    let value = if digits <= EXACT { digits as f64 / POWERS[places] } else { quotient(digits, POWERS[places] as u64) };
    Some(if negative { -value } else { value })
}

/// The float next to the quotient of two integers, neither of them 0.
fn quotient(dividend: u64, divisor: u64) -> f64 {
    let (up, divisor_up) = (dividend.leading_zeros(), divisor.leading_zeros());
    // With both as large as they can be, the quotient has 63 or 64 digits, more than a float can keep ...
    let dividend = u128::from(dividend << up) << 63;
    let divisor = u128::from(divisor << divisor_up);
    let quotient = (dividend / divisor) as u64;
    // ... so that of those that follow it matters only whether any is not 0.
    let inexact = u64::from(u128::from(quotient) * divisor != dividend);
    (quotient | inexact) as f64 * power_of_two(divisor_up as i32 - up as i32 - 63)
}

/// 2 to a power that is not far from 0.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// The value of the `length` digits before `end`, one to eight; `None` if they are not all digits, or eight bytes before `end` are
/// not there.
#[inline(always)]
fn last_digits(bytes: &[u8], end: usize, length: usize) -> Option<u64> {
    let word = u64::from_le_bytes(*bytes[..end].last_chunk()?);
    // What comes before the digits lies in the lower bytes, and becomes zeros.
    let theirs = u64::MAX << (64 - 8 * length);
    let values = (word & theirs | ZEROS & !theirs) ^ ZEROS;
    // Adding 0x76 sets the highest bit of a byte from ten on.
    if (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080 != 0 {
        return None;
    }
    // Neighbours are joined: to pairs, to fours, to eight.
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    Some(fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use srrd::Token;

    fn draws() -> impl FnMut(u64) -> u64 {
        let mut state = 7u64;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        }
    }

    /// Both readings of `field`, alone and among others.
    fn assert_reads_as_written(field: &str) {
        for (before, behind) in [("", ""), ("1234567,", ",9"), ("x,y,zzz,-", "7\n"), ("99999999", "")] {
            let text = format!("{before}{field}{behind}");
            let (start, end) = (before.len(), before.len() + field.len());
            let token = Token::text(field);
            match short_int(text.as_bytes(), start, end) {
                Some(value) => assert_eq!(token, Token::from(value), "{text}"),
                None => {
                    assert!(end < 8 || !token.as_int().is_some_and(|int| (0..100_000_000).contains(&int)), "{text}")
                }
            }
            let expected = parse_number(field).ok();
            assert_eq!(number(&text, start, end).map(f64::to_bits), expected.map(f64::to_bits), "{text}");
        }
    }

    #[test]
    fn fields_are_what_they_are_read_one_byte_at_a_time() {
        for field in [
            "",
            "0",
            "-0",
            "00",
            "01",
            "10",
            "-",
            ".",
            "1.",
            ".5",
            "-.5",
            "1.5",
            "+1",
            "-1.25",
            "1e5",
            "0.1",
            "-0.0",
            "1.2.3",
            "12345678",
            "123456789",
            "0000000",
            "1234 678",
            " 1",
            "1 ",
            "\t1.5",
            "nan",
            "inf",
            "1:3",
            "1/3",
            "é",
            "12é",
            "9007199254740992",
            "9007199254740993",
            "0.9007199254740993",
            "900719925474099.3",
            "123456789012345678",
            "1234567890.12345678",
            "12345678901.1",
            "0.12345678901234567",
            "0.123456789012345678",
            "1.000000000000000000",
        ] {
            assert_reads_as_written(field);
        }
        let mut draw = draws();
        for _ in 0..200_000 {
            let value =
                (draw(2_000_001) as f64 - 1e6) * 10f64.powi(draw(40) as i32 - 20) * (draw(1 << 30) as f64 + 0.5);
            assert_reads_as_written(&value.to_string());
            assert_reads_as_written(&(value as i64 % 10i64.pow(draw(12) as u32)).to_string());
            let letters = b"0123456789012345678901234567890123456789.-+e :/";
            let odd: String = (0..draw(21)).map(|_| char::from(letters[draw(letters.len() as u64) as usize])).collect();
            assert_reads_as_written(&odd);
        }
    }
}
