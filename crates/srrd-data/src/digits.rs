//! Fields that are short decimal numbers, read eight digits at a time. Whatever is not as simple as that is left to others.

use crate::number::parse_number;

/// '0', eight times.
pub(crate) const ZEROS: u64 = u64::from_ne_bytes([b'0'; 8]);

/// No more digits are joined, so that they fit into a word.
pub(crate) const MOST_DIGITS: usize = 18;

/// So many come behind the point at most, as there is one before it.
pub(crate) const MOST_PLACES: usize = MOST_DIGITS - 1;

/// The powers of ten.
pub(crate) const POWERS: [u64; MOST_DIGITS + 1] = {
    let mut powers = [1; MOST_DIGITS + 1];
    let mut places = 1;
    while places <= MOST_DIGITS {
        powers[places] = 10 * powers[places - 1];
        places += 1;
    }
    powers
};

/// The integer that begins at `at`, and where it ends, if it has at most eight digits, is not negative and is written in its shortest
/// form: as a token, it is that integer. Only if what comes behind it is no digit, that is: who asks has to look.
#[inline(always)]
pub(crate) fn leading_int(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    let (value, length) = leading_digits(bytes, at)?;
    if length == 0 || (bytes[at] == b'0' && length > 1) {
        return None;
    }
    Some((value as u32, at + length))
}

/// The finite number that `text[start..end]` is, if it is one.
#[inline]
pub(crate) fn number(text: &str, start: usize, end: usize) -> Option<f64> {
    let bytes = text.as_bytes();
    if let Some(number) = usual_decimal(bytes, start, end) {
        return Some(number);
    }
    match leading_decimal(bytes, start) {
        Some((number, behind)) if behind == end => Some(number),
        _ => parse_number(&text[start..end]).ok(),
    }
}

/// The number `bytes[start..end]`, if it is a digit, a point and up to 17 digits, with a sign or without.
#[inline(always)]
fn usual_decimal(bytes: &[u8], start: usize, end: usize) -> Option<f64> {
    let negative = *bytes.get(start)? == b'-';
    let first = start + usize::from(negative);
    let &[whole @ b'0'..=b'9', b'.'] = bytes.get(first..first + 2)? else { return None };
    let places = end.checked_sub(first + 2).filter(|places| (1..=MOST_PLACES).contains(places))?;
    let last = LastDigits::new(bytes.get(..end)?.last_chunk()?, places);
    last.are_digits().then(|| decimal(negative, u64::from(whole - b'0'), last.integer(), places))
}

/// The number that begins at `at`, and where it ends, if it has at most 18 digits, at most 8 of them before the point, and no
/// exponent. Only if nothing comes behind it that belongs to a number: who asks has to look.
#[inline(always)]
pub(crate) fn leading_decimal(bytes: &[u8], at: usize) -> Option<(f64, usize)> {
    let negative = *bytes.get(at)? == b'-';
    let first = at + usize::from(negative);
    let (mut digits, whole) = match bytes.get(first..first + 2)? {
        &[digit @ b'0'..=b'9', b'.'] => (u64::from(digit - b'0'), 1),
        _ => leading_digits(bytes, first).filter(|&(_, length)| length > 0)?,
    };
    let mut end = first + whole;
    let mut places = 0;
    if bytes.get(end) == Some(&b'.') {
        end += 1;
        loop {
            let (more, length) = leading_digits(bytes, end)?;
            places += length;
            end += length;
            if whole + places > MOST_DIGITS {
                return None;
            }
            digits = digits * POWERS[length] + more;
            if length < 8 {
                break;
            }
        }
        if places == 0 {
            return None;
        }
    }
    Some((signed_quotient(negative, digits, places), end))
}

/// The number with these digits before the point, and so many behind it that are this integer: no more than [`MOST_DIGITS`] in all.
#[inline(always)]
pub(crate) fn decimal(negative: bool, whole: u64, fraction: u64, places: usize) -> f64 {
    signed_quotient(negative, whole * POWERS[places] + fraction, places)
}

#[inline(always)]
fn signed_quotient(negative: bool, digits: u64, places: usize) -> f64 {
    let value = if digits == 0 { 0.0 } else { quotient(digits, places) };
    // Half of all rewards are negative, and nobody can foresee which.
    f64::from_bits(value.to_bits() | u64::from(negative) << 63)
}

/// The digits that come last in two words and a byte, and zeros before them: the values of their bytes.
struct LastDigits {
    last: u64,
    middle: u64,
    first: u8,
}

/// By the number of digits: which bytes of a word they are when so many of them come behind it.
const fn masks(behind: usize) -> [u64; 32] {
    let mut masks = [0; 32];
    let mut digits = behind + 1;
    while digits < masks.len() {
        masks[digits] = if digits < behind + 8 { u64::MAX << (64 - 8 * (digits - behind)) } else { u64::MAX };
        digits += 1;
    }
    masks
}

pub(crate) static LAST: [u64; 32] = masks(0);
pub(crate) static MIDDLE: [u64; 32] = masks(8);

impl LastDigits {
    /// The last of these bytes, so many of them.
    #[inline(always)]
    fn new(bytes: &[u8; MOST_PLACES], digits: usize) -> Self {
        let ([first], words) = bytes.split_first_chunk().expect("there are 17");
        let (words, _) = words.as_chunks();
        let values = |word: usize, masks: &[u64; 32]| (u64::from_le_bytes(words[word]) ^ ZEROS) & masks[digits % 32];
        LastDigits { last: values(1, &LAST), middle: values(0, &MIDDLE), first: first_of_all(*first, digits) }
    }

    /// Whether all are digits.
    #[inline(always)]
    fn are_digits(&self) -> bool {
        from_ten_on(self.last) | from_ten_on(self.middle) | from_ten_on(self.first.into()) == 0
    }

    /// The integer that they are.
    #[inline(always)]
    fn integer(&self) -> u64 {
        all_places(self.first, join_digits(self.middle), join_digits(self.last))
    }
}

/// The value of the digit before the last sixteen, where there are so many.
#[inline(always)]
pub(crate) fn first_of_all(digit: u8, digits: usize) -> u8 {
    if digits == MOST_PLACES { digit ^ b'0' } else { 0 }
}

/// The integer that a digit and twice eight are.
#[inline(always)]
pub(crate) fn all_places(first: u8, middle: u64, last: u64) -> u64 {
    u64::from(first) * POWERS[16] + middle * POWERS[8] + last
}

/// A power of ten as a divisor.
#[derive(Clone, Copy)]
struct Divisor {
    /// As large as it can be.
    shifted: u64,
    /// By so many digits.
    up: u32,
    /// The largest integer below 2^128 over `shifted`, without its highest digit.
    reciprocal: u64,
}

impl Divisor {
    const fn new(value: u64) -> Self {
        let up = value.leading_zeros();
        let shifted = value << up;
        Divisor { shifted, up, reciprocal: (u128::MAX / shifted as u128) as u64 }
    }
}

const DIVISORS: [Divisor; MOST_DIGITS + 1] = {
    let mut divisors = [Divisor::new(1); MOST_DIGITS + 1];
    let mut places = 1;
    while places <= MOST_DIGITS {
        divisors[places] = Divisor::new(POWERS[places]);
        places += 1;
    }
    divisors
};

/// The float next to an integer, not 0, over a power of ten.
#[inline(always)]
fn quotient(dividend: u64, places: usize) -> f64 {
    let Divisor { shifted, up, reciprocal } = DIVISORS[places];
    let dividend_up = dividend.leading_zeros();
    // With both as large as they can be, the quotient has 62 or 63 digits, more than a float can keep ...
    let dividend = u128::from(dividend << dividend_up) << 62;
    let (quotient, rest) = divide(dividend, shifted, reciprocal);
    // ... so that of those that follow it matters only whether any is not 0.
    (quotient | u64::from(rest != 0)).cast_signed() as f64 * power_of_two(up as i32 - dividend_up as i32 - 62)
}

/// Quotient and rest, by a multiplication. The divisor's highest digit is set, and the higher half of the dividend below it.
///
/// With v = ⌊(2^128 - 1)/d⌋ - 2^64, the higher half of (v + 2^64)·u₁ + u₀, plus 1, is the quotient or at most 1 more or less.
#[inline(always)]
fn divide(dividend: u128, divisor: u64, reciprocal: u64) -> (u64, u64) {
    let estimate = u128::from(reciprocal) * (dividend >> 64) + dividend;
    let mut quotient = ((estimate >> 64) as u64).wrapping_add(1);
    let mut rest = (dividend as u64).wrapping_sub(quotient.wrapping_mul(divisor));
    // Half of the time, and nobody can foresee when.
    let too_large = u64::from(rest > estimate as u64);
    quotient = quotient.wrapping_sub(too_large);
    rest = rest.wrapping_add(divisor & too_large.wrapping_neg());
    if rest >= divisor {
        quotient += 1;
        rest -= divisor;
    }
    (quotient, rest)
}

/// 2 to a power that is not far from 0.
#[inline]
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// The value of the digits that begin at `at`, up to eight, and how many they are; `None` if fewer than eight bytes are there.
#[inline(always)]
fn leading_digits(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let values = u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?) ^ ZEROS;
    let length = from_ten_on(values).trailing_zeros() as usize / 8;
    if length == 0 {
        return Some((0, 0));
    }
    // The last digit goes to the highest byte, with zeros before the first.
    Some((join_digits(values << (64 - 8 * length)), length))
}

/// The highest bit of the first byte that is no digit's value, and of some behind it.
#[inline(always)]
fn from_ten_on(values: u64) -> u64 {
    // Adding 0x76 sets the highest bit of a byte from ten on, and may carry into the next.
    (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080
}

/// The integer whose eight digits are the bytes of a word, the last in the highest.
#[inline(always)]
pub(crate) fn join_digits(values: u64) -> u64 {
    // Neighbours are joined: to pairs, to fours, to eight.
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use srrd::Token;

    /// Numbers below a bound.
    pub(crate) fn draws() -> impl FnMut(u64) -> u64 {
        let mut state = 7u64;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        }
    }

    /// Both readings of `field`, alone and among others.
    fn assert_reads_as_written(field: &str) {
        for (before, behind) in
            [("", ""), ("1234567,", ",9"), ("x,y,zzz,-", "\r\n7,8,9,10,11"), ("99999999", "\t12345678")]
        {
            let text = format!("{before}{field}{behind}");
            let (start, end) = (before.len(), before.len() + field.len());
            let token = Token::text(field);
            match leading_int(text.as_bytes(), start).filter(|&(_, behind)| behind == end) {
                Some((value, _)) => assert_eq!(token, Token::from(value), "{text}"),
                None => {
                    assert!(
                        start + 8 > text.len() || !token.as_int().is_some_and(|int| (0..100_000_000).contains(&int)),
                        "{text}"
                    )
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
