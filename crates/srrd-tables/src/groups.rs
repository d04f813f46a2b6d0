//! Groups of up to eight digits each, joined to integers side by side.

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
}
