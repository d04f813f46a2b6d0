//! Groups of up to eight digits each, joined to integers side by side, and taken apart again.

use crate::digits::ZEROS;

/// Eight bytes that end with some digits, and which of them the digits are.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    bytes: u64,
    mask: u64,
}

impl Group {
    /// The last of these bytes, as many as `masks` says by this number.
    #[inline(always)]
    pub(crate) fn new(bytes: &[u8; 8], masks: &[u64; 32], digits: usize) -> Self {
        Group { bytes: u64::from_le_bytes(*bytes), mask: masks[digits % 32] }
    }
}

/// The integers that the digits are.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn join(groups: [Group; 6]) -> [u32; 6] {
    use std::arch::x86_64::{
        __m128i, _mm_add_epi16, _mm_and_si128, _mm_cvtsi128_si64, _mm_madd_epi16, _mm_mullo_epi16, _mm_packs_epi32,
        _mm_set_epi64x, _mm_set1_epi16, _mm_set1_epi32, _mm_srli_epi16, _mm_unpackhi_epi64, _mm_xor_si128,
    };
    // SAFETY: SSE2 is part of this architecture.
    unsafe {
        let both = |a: u64, b: u64| _mm_set_epi64x(b as i64, a as i64);
        // Neighbours are joined: to pairs and to fours, of two groups at a time ...
        let fours = |a: Group, b: Group| {
            let values = _mm_xor_si128(both(a.bytes, b.bytes), both(ZEROS, ZEROS));
            let digits = _mm_and_si128(values, both(a.mask, b.mask));
            let pairs = _mm_add_epi16(_mm_mullo_epi16(digits, _mm_set1_epi16(10)), _mm_srli_epi16::<8>(digits));
            _mm_madd_epi16(_mm_and_si128(pairs, _mm_set1_epi16(0xff)), _mm_set1_epi32(1 << 16 | 100))
        };
        // ... and to eights, of four.
        let eights = |a, b| _mm_madd_epi16(_mm_packs_epi32(a, b), _mm_set1_epi32(1 << 16 | 10_000));
        let integers = |two: __m128i| {
            let two = _mm_cvtsi128_si64(two) as u64;
            [two as u32, (two >> 32) as u32]
        };
        let [a, b, c, d, e, f] = groups;
        let four = eights(fours(a, b), fours(c, d));
        let two = fours(e, f);
        let [[a, b], [c, d]] = [four, _mm_unpackhi_epi64(four, four)].map(integers);
        let [e, f] = integers(eights(two, two));
        [a, b, c, d, e, f]
    }
}

/// The integers that the digits are.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn join(groups: [Group; 6]) -> [u32; 6] {
    join_one_by_one(groups)
}

/// The same without anything that only some processors have.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline]
fn join_one_by_one(groups: [Group; 6]) -> [u32; 6] {
    groups.map(|Group { bytes, mask }| crate::digits::join_digits((bytes ^ ZEROS) & mask) as u32)
}

/// Twice eight digits.
#[derive(Debug, PartialEq)]
pub(crate) struct Sixteen {
    /// As text, the first in the lowest byte.
    pub text: u128,
    /// How many of the last are zeros.
    pub zeros: u32,
}

/// The digits of two integers below 10^8.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn split(high: u64, low: u64) -> Sixteen {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_cvtsi128_si64, _mm_movemask_epi8, _mm_mul_epu32, _mm_mulhi_epu16, _mm_mullo_epi16,
        _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8, _mm_set1_epi16, _mm_set1_epi64x, _mm_setzero_si128,
        _mm_slli_epi16, _mm_slli_epi32, _mm_slli_epi64, _mm_srli_epi16, _mm_srli_epi64, _mm_sub_epi16, _mm_sub_epi64,
        _mm_unpackhi_epi64,
    };
    // SAFETY: SSE2 is part of this architecture.
    unsafe {
        // Quotients come from products with reciprocals of 40, 20 and 16 binary places, enough for numbers so small.
        let eights = _mm_set_epi64x(low as i64, high as i64);
        let quotients = _mm_srli_epi64::<40>(_mm_mul_epu32(eights, _mm_set1_epi64x((1 << 40) / 10_000 + 1)));
        let rests = _mm_sub_epi64(eights, _mm_mul_epu32(quotients, _mm_set1_epi64x(10_000)));
        let fours = _mm_or_si128(quotients, _mm_slli_epi64::<32>(rests));
        let quotients = _mm_srli_epi16::<4>(_mm_mulhi_epu16(fours, _mm_set1_epi16(10_486)));
        let rests = _mm_sub_epi16(fours, _mm_mullo_epi16(quotients, _mm_set1_epi16(100)));
        let pairs = _mm_or_si128(quotients, _mm_slli_epi32::<16>(rests));
        let quotients = _mm_mulhi_epu16(pairs, _mm_set1_epi16(6_554));
        let rests = _mm_sub_epi16(pairs, _mm_mullo_epi16(quotients, _mm_set1_epi16(10)));
        let digits = _mm_or_si128(quotients, _mm_slli_epi16::<8>(rests));
        let are_zero = _mm_movemask_epi8(_mm_cmpeq_epi8(digits, _mm_setzero_si128())) as u16;
        let text = _mm_or_si128(digits, _mm_set1_epi8(b'0' as i8));
        let [first, last] = [text, _mm_unpackhi_epi64(text, text)].map(|half| _mm_cvtsi128_si64(half) as u64);
        Sixteen { text: u128::from(first) | u128::from(last) << 64, zeros: are_zero.leading_ones() }
    }
}

/// The digits of two integers below 10^8.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn split(high: u64, low: u64) -> Sixteen {
    split_one_by_one(high, low)
}

/// The same without anything that only some processors have.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline]
fn split_one_by_one(high: u64, low: u64) -> Sixteen {
    let [high, low] = [high, low].map(|eight| {
        let fours = (eight / 10_000) | (eight % 10_000) << 32;
        let quotients = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
        let pairs = quotients | (fours - 100 * quotients) << 16;
        let quotients = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
        u128::from(quotients | (pairs - 10 * quotients) << 8)
    });
    let digits = high | low << 64;
    let zeros = u128::from(ZEROS) << 64 | u128::from(ZEROS);
    Sixteen { text: digits | zeros, zeros: digits.leading_zeros() / 8 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digits::LAST;
    use crate::digits::tests::draws;

    #[test]
    fn every_group_is_the_integer_that_its_digits_are() {
        let mut draw = draws();
        for _ in 0..100_000 {
            let lengths = [(); 6].map(|()| draw(9) as usize);
            let texts = lengths.map(|digits| {
                let text: [u8; 8] = std::array::from_fn(|place| match place < 8 - digits {
                    true => draw(256) as u8,
                    false => b'0' + draw(10) as u8,
                });
                text
            });
            let groups = std::array::from_fn(|i| Group::new(&texts[i], &LAST, lengths[i]));
            let expected = std::array::from_fn(|i| {
                texts[i][8 - lengths[i]..].iter().fold(0, |value, &digit| 10 * value + u32::from(digit - b'0'))
            });
            assert_eq!(join(groups), expected, "{texts:?}");
            assert_eq!(join_one_by_one(groups), expected, "{texts:?}");
        }
    }

    #[test]
    fn integers_are_taken_apart_to_their_digits() {
        let mut draw = draws();
        let numbers =
            (0..10_000).chain((0..8).map(|power| 10u64.pow(power))).chain((1..9).map(|power| 10u64.pow(power) - 1));
        let drawn: Vec<u64> = (0..100_000)
            .map(|_| {
                let digits = 1 + draw(8) as u32;
                draw(10u64.pow(digits))
            })
            .collect();
        for number in numbers.chain(drawn) {
            for (high, low) in [(number, draw(100_000_000)), (draw(100_000_000), number), (number, 0)] {
                let text = format!("{high:08}{low:08}");
                let zeros = text.bytes().rev().take_while(|&digit| digit == b'0').count() as u32;
                let expected = Sixteen { text: u128::from_le_bytes(text.as_bytes().try_into().unwrap()), zeros };
                assert_eq!(split(high, low), expected);
                assert_eq!(split_one_by_one(high, low), expected);
            }
        }
    }
}
