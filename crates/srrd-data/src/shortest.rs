//! Numbers in the shortest decimal form that is read as the same number.
//!
//! Those of the usual magnitudes are written here, with exact arithmetic and nothing for the processor to foresee: rewards lie on both
//! sides of 1 and of 0, and it would guess wrong which it is again and again. All others are left to `zmij`.
//!
//! Let v = m·2^-s with 2^52 < m < 2^53, and 10^p the largest power of ten below 2^s. Then the numbers that are read as v lie around
//! c = v·10^p, no further away than h = 10^p/2^s / 2 with 1/20 < h < 1/2 (just so far, if m is even). No more than one of them is an
//! integer, and if one is, it is the shortest, but for its zeros at the end. If none is, the next tenth to c is among them. All of
//! this fits into 128 bits.

use crate::groups::{Sixteen, split};

/// No number is written with more bytes than this.
pub(crate) const LONGEST: usize = 32;

/// The exponent of the lowest numbers that are usual, 2^-11, as they have it ...
const LOWEST: u64 = 1023 - 11;

/// ... and how many exponents are.
const EXPONENTS: usize = 30;

/// What belongs to an exponent.
#[derive(Clone, Copy)]
struct Scale {
    /// s: 34 to 63.
    shift: u32,
    /// 10^p
    power: u64,
    /// p
    places: usize,
}

const SCALES: [Scale; EXPONENTS] = {
    let mut scales = [Scale { shift: 0, power: 1, places: 0 }; EXPONENTS];
    let mut exponent = 0;
    while exponent < EXPONENTS {
        let scale = &mut scales[exponent];
        scale.shift = 63 - exponent as u32;
        while scale.power < (1 << scale.shift) / 10 {
            scale.power *= 10;
            scale.places += 1;
        }
        exponent += 1;
    }
    scales
};

/// How digits and their point are put down, by where the point is.
#[derive(Clone, Copy)]
struct Form {
    /// So far to the right are digits moved that come behind the point.
    right: usize,
    /// Of the first eight bytes, those that these are ...
    moved: u64,
    /// ... those that are digits before the point ...
    kept: u64,
    /// ... and the point, with the zeros before it and behind it.
    point: u64,
    /// So many digits are written even if they are zeros.
    least: usize,
}

/// So many zeros the smallest of them have before their first digit.
const MOST_ZEROS: usize = 4;

/// From those with [`MOST_ZEROS`] zeros to those with six digits before the point.
const FORMS: [Form; 16] = {
    let mut forms = [Form { right: 0, moved: 0, kept: 0, point: 0, least: 0 }; 16];
    let mut index = 0;
    while index < MOST_ZEROS {
        // 0.0012
        let zeros = MOST_ZEROS - index;
        let before = first_bytes(zeros + 1);
        let point = u64::from_le_bytes(*b"0.000000") & before;
        forms[index] = Form { right: zeros + 1, moved: !before, kept: 0, point, least: 0 };
        index += 1;
    }
    while index < MOST_ZEROS + 6 {
        // 12.3
        let digits = index - MOST_ZEROS + 1;
        let point = (b'.' as u64) << (8 * digits);
        let moved = !first_bytes(digits + 1);
        forms[index] = Form { right: 1, moved, kept: first_bytes(digits), point, least: digits + 1 };
        index += 1;
    }
    forms
};

/// The first bytes of a word.
const fn first_bytes(bytes: usize) -> u64 {
    (1 << (8 * bytes)) - 1
}

/// A number as it is written.
#[derive(Clone, Copy, Default)]
pub(crate) struct Number {
    /// Begins with it; what follows means nothing.
    pub text: [u8; LONGEST],
    pub length: usize,
}

/// So many numbers are written at a time.
pub(crate) const SOME: usize = 32;

/// Writes numbers, as many as both lists have.
///
/// Every step is done for some of them before the next: one number after the other, most of the time would go by waiting, since a step
/// needs what the one before it found, and a processor does not look ahead as far as the next number.
pub(crate) fn write(values: &[f64], numbers: &mut [Number]) {
    let mut usual = [const { None }; SOME];
    for (values, numbers) in values.chunks(SOME).zip(numbers.chunks_mut(SOME)) {
        for (usual, &value) in usual.iter_mut().zip(values) {
            *usual = Usual::of(value);
        }
        for ((usual, number), &value) in usual.iter().zip(numbers).zip(values) {
            match usual {
                Some(usual) => usual.write(number),
                None => write_any(value, number),
            }
        }
    }
}

fn write_any(value: f64, number: &mut Number) {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format(value).as_bytes();
    number.text[..text.len()].copy_from_slice(text);
    number.length = text.len();
}

/// A number of a usual magnitude in its shortest form.
struct Usual {
    negative: bool,
    /// 17 of them, with zeros at the end.
    digits: u64,
    /// How many of them come behind the point.
    places: usize,
}

impl Usual {
    /// `None` if the number is 0, a power of two (with nearer neighbours to one side), smaller than 2^-11 or not below 2^19.
    #[inline(always)]
    fn of(value: f64) -> Option<Self> {
        const HIDDEN: u64 = 1 << 52;
        let bits = value.to_bits();
        let fraction = bits & (HIDDEN - 1);
        let scale = SCALES.get((bits / HIDDEN % 2048).wrapping_sub(LOWEST) as usize).filter(|_| fraction != 0)?;
        let (digits, places) = shortest(HIDDEN | fraction, *scale);
        Some(Usual { negative: value.is_sign_negative(), digits, places })
    }

    #[inline(always)]
    fn write(&self, number: &mut Number) {
        let rest = self.digits % SIXTEEN;
        let Sixteen { text, zeros } = split(rest / EIGHT, rest % EIGHT);
        let first = ((text as u64) << 8) | u64::from(b'0') | (self.digits / SIXTEEN);

        let Form { right, moved, kept, point, least } = FORMS[(16 + MOST_ZEROS - self.places) % 16];
        let first = ((first << (8 * right % 64)) & moved) | (first & kept) | point;
        let start = usize::from(self.negative);
        let behind = start + right % 8 + 1;
        let to = &mut number.text;
        to[0] = b'-';
        to[behind..behind + 16].copy_from_slice(&text.to_le_bytes());
        // Last, as it says of the first eight bytes what they all are.
        to[start..start + 8].copy_from_slice(&first.to_le_bytes());
        number.length = start + right + least.max(17 - zeros as usize);
    }
}

const EIGHT: u64 = 100_000_000;
const SIXTEEN: u64 = EIGHT * EIGHT;

/// The 17 digits, with zeros at the end, of the shortest number that is read as m·2^-s, and how many of them come behind the point.
#[inline(always)]
fn shortest(significand: u64, Scale { shift, power, places }: Scale) -> (u64, usize) {
    // c, its fraction in units of 2^-64, as h.
    let product = u128::from(significand) * u128::from(power);
    let up = 64 - shift;
    let whole = (((product >> 64) as u64) << up) | (product as u64 >> shift);
    let fraction = (product as u64) << up;
    let half = (power >> 1) << up;

    let reach = half + (1 - significand % 2);
    let is_below = fraction < reach;
    // Not 0, as that is below.
    let is_above = fraction.wrapping_neg() < reach;
    let tenths = (u128::from(fraction) * 10 + (1 << 63)) >> 64;
    // Two and a half goes down, to the even digit, as seven and a half goes up; there are no other halves.
    let tenths = if fraction == 1 << 62 { 2 } else { tenths as u64 };
    let digits = 10 * (whole + u64::from(is_above & !is_below)) + if is_below | is_above { 0 } else { tenths };
    let one_less = digits < SIXTEEN;
    (if one_less { 10 * digits } else { digits }, places + 1 + usize::from(one_less))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digits::tests::draws;

    fn assert_as_others_write_them(values: &[f64]) {
        let mut numbers = vec![Number { text: [0xff; LONGEST], length: 0 }; values.len()];
        write(values, &mut numbers);
        for (number, value) in numbers.iter().zip(values) {
            let text = str::from_utf8(&number.text[..number.length]).unwrap();
            assert_eq!(text, zmij::Buffer::new().format(*value));
            assert!(value.is_nan() || text.parse::<f64>().unwrap().to_bits() == value.to_bits());
        }
    }

    fn assert_as_others_write_it(value: f64) {
        assert_as_others_write_them(&[value, -value]);
    }

    #[test]
    fn usual_numbers_are_written_as_others_write_them() {
        let mut draw = draws();
        let mut values = Vec::new();
        for round in 0..2_000_000u64 {
            let bits = (draw(1 << 31) << 31) + draw(1 << 31);
            let decimal = draw(1 << 21) as f64 / 10f64.powi(draw(12) as i32);
            let value = match round % 4 {
                // Anywhere between 2^-15 and 2^22.
                0 => f64::from_bits(((1023 - 15 + draw(37)) << 52) + bits % (1 << 52)),
                // Uniform, as rewards may be.
                1 => bits as f64 / (1u64 << 62) as f64,
                2 => decimal,
                // Neighbours of what has few digits.
                _ => f64::from_bits((decimal.to_bits() + draw(9)).saturating_sub(4)),
            };
            values.push(if draw(2) == 0 { value } else { -value });
        }
        assert_as_others_write_them(&values);
        let usual = values.iter().filter(|value| Usual::of(**value).is_some()).count();
        assert!(usual > 1_500_000, "{usual} of 2,000,000");
    }

    #[test]
    fn so_are_those_with_special_places() {
        for exponent in -20..30 {
            let power = 2f64.powi(exponent);
            for value in [power, power.next_up(), power.next_down(), 1.5 * power, 1.25 * power, 1.75 * power] {
                assert_as_others_write_it(value);
            }
        }
        // Binary fractions of 2 to 20 places end in 25 or 75, whose halves are halves of a digit.
        for places in 2..=45 {
            for odd in (1..2000).step_by(2) {
                assert_as_others_write_it(f64::from(odd) / 2f64.powi(places));
                assert_as_others_write_it(4096.0 + f64::from(odd) / 2f64.powi(places));
            }
        }
        for power in -6..9 {
            let ten = 10f64.powi(power);
            for value in [ten, ten.next_up(), ten.next_down(), 9.5 * ten, 0.95 * ten, 0.999_999_999_999_999_9 * ten] {
                assert_as_others_write_it(value);
            }
        }
        for value in [0.0, -0.0, 1e300, 5e-324, f64::MAX, 123_456.0, 524_287.999_999_999_94, 12.0, -100.0] {
            assert_as_others_write_it(value);
        }
        assert_as_others_write_them(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]);
    }
}
