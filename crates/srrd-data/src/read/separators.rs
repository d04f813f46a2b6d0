//! Where the fields of a text end.
//!
//! Fields are a few bytes long, which makes a search that starts anew for every field spend its time on starting. This one
//! looks at 64 bytes at a time and keeps what it found in them.

/// So many bytes are looked at together: as many as a word has bits.
const WIDTH: usize = 64;

/// 1, eight times.
#[cfg(any(test, not(target_arch = "x86_64")))]
const ONES: u64 = u64::from_ne_bytes([1; 8]);

/// The positions of all bytes that are one of two ASCII characters.
pub(crate) struct Separators<'a> {
    bytes: &'a [u8],
    wanted: [u8; 2],
    /// Where the bytes begin that `found` is about.
    at: usize,
    /// A bit for every byte that is one of the two and has yet to be told.
    found: u64,
}

impl<'a> Separators<'a> {
    pub(crate) fn new(bytes: &'a [u8], one: u8, other: u8) -> Self {
        debug_assert!(one.is_ascii() && other.is_ascii());
        let mut separators = Separators { bytes, wanted: [one, other], at: 0, found: 0 };
        separators.look();
        separators
    }

    /// Looks at the bytes from `at` on.
    #[inline]
    fn look(&mut self) {
        self.found = match self.bytes[self.at..].first_chunk() {
            Some(bytes) => places(bytes, self.wanted),
            None => {
                // The last bytes, filled up with one that, not being ASCII, is neither of the two.
                let rest = &self.bytes[self.at..];
                let mut bytes = [0xff; WIDTH];
                bytes[..rest.len()].copy_from_slice(rest);
                places(&bytes, self.wanted)
            }
        };
    }
}

impl Iterator for Separators<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.found == 0 {
            if self.at + WIDTH >= self.bytes.len() {
                return None;
            }
            self.at += WIDTH;
            self.look();
        }
        let position = self.at + self.found.trailing_zeros() as usize;
        self.found &= self.found - 1;
        Some(position)
    }
}

/// All these positions, added to a list of them.
pub(crate) fn separators(bytes: &[u8], one: u8, other: u8, positions: &mut Vec<u32>) {
    let (words, rest) = bytes.as_chunks();
    let mut note = |at: usize, mut found: u64| {
        positions.reserve(WIDTH);
        while found != 0 {
            positions.push(at as u32 + found.trailing_zeros());
            found &= found - 1;
        }
    };
    for (index, word) in words.iter().enumerate() {
        note(index * WIDTH, places(word, [one, other]));
    }
    let mut last = [0xff; WIDTH];
    last[..rest.len()].copy_from_slice(rest);
    note(words.len() * WIDTH, places(&last, [one, other]));
}

/// A bit for every byte that is one of two.
#[cfg(target_arch = "x86_64")]
#[inline]
fn places(bytes: &[u8; WIDTH], wanted: [u8; 2]) -> u64 {
    // SAFETY: SSE2 is part of this architecture.
    unsafe { places_sse2(bytes, wanted) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
#[inline]
fn places_sse2(bytes: &[u8; WIDTH], [one, other]: [u8; 2]) -> u64 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8};
    let (one, other) = (_mm_set1_epi8(one as i8), _mm_set1_epi8(other as i8));
    let mut places = 0;
    for (index, part) in bytes.as_chunks::<16>().0.iter().enumerate() {
        let both = u128::from_le_bytes(*part);
        let part = _mm_set_epi64x((both >> 64) as i64, both as i64);
        let equal = _mm_or_si128(_mm_cmpeq_epi8(part, one), _mm_cmpeq_epi8(part, other));
        places |= u64::from(_mm_movemask_epi8(equal) as u16) << (16 * index);
    }
    places
}

/// A bit for every byte that is one of two.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn places(bytes: &[u8; WIDTH], wanted: [u8; 2]) -> u64 {
    places_by_words(bytes, wanted)
}

/// The same without anything that only some processors have: eight bytes at a time.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline]
fn places_by_words(bytes: &[u8; WIDTH], wanted: [u8; 2]) -> u64 {
    const LOW_BITS: u64 = 0x7f * ONES;
    // The highest bit of every byte that is zero: no lower bit carries into it, and it is not set itself.
    let zeros = |word: u64| !(((word & LOW_BITS) + LOW_BITS) | word | LOW_BITS);
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().enumerate().fold(0, |places, (index, word)| {
        let word = u64::from_le_bytes(*word);
        let [one, other] = wanted.map(|byte| zeros(word ^ (u64::from(byte) * ONES)));
        places | gathered(one | other) << (8 * index)
    })
}

/// A bit for every byte that is not a digit.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn others_than_digits(bytes: &[u8; WIDTH]) -> u64 {
    // SAFETY: SSE2 is part of this architecture.
    unsafe { others_than_digits_sse2(bytes) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
#[inline]
fn others_than_digits_sse2(bytes: &[u8; WIDTH]) -> u64 {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8, _mm_xor_si128,
    };
    let ten = _mm_set1_epi8(10);
    let mut others = 0;
    for (index, part) in bytes.as_chunks::<16>().0.iter().enumerate() {
        let both = u128::from_le_bytes(*part);
        let values = _mm_xor_si128(_mm_set_epi64x((both >> 64) as i64, both as i64), _mm_set1_epi8(b'0' as i8));
        let from_ten_on = _mm_cmpeq_epi8(_mm_min_epu8(values, ten), ten);
        others |= u64::from(_mm_movemask_epi8(from_ten_on) as u16) << (16 * index);
    }
    others
}

/// A bit for every byte that is not a digit.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn others_than_digits(bytes: &[u8; WIDTH]) -> u64 {
    others_than_digits_by_words(bytes)
}

/// The same without anything that only some processors have.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline]
fn others_than_digits_by_words(bytes: &[u8; WIDTH]) -> u64 {
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().enumerate().fold(0, |others, (index, word)| {
        let values = u64::from_le_bytes(*word) ^ (u64::from(b'0') * ONES);
        // The lower seven bits from ten on carry into the highest.
        let from_ten_on = ((values & (0x7f * ONES)) + 0x76 * ONES) | values;
        others | gathered(from_ten_on) << (8 * index)
    })
}

/// The highest bits of the bytes of a word, side by side.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline]
fn gathered(word: u64) -> u64 {
    (word >> 7 & ONES).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_a_search_byte_by_byte_finds() {
        // Neighbours of the two bytes, and bytes with the highest bit set, wherever they may stand in a word.
        let letters = [b',', b'\n', b',' + 1, b',' - 1, b'\n' + 1, b'\n' ^ 0x80, b',' ^ 0x80, 0, 0xff, b'x'];
        let mut state = 1u32;
        for length in 0..500 {
            let bytes: Vec<u8> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    letters[(state >> 16) as usize % letters.len()]
                })
                .collect();
            let expected: Vec<usize> = (0..length).filter(|&i| matches!(bytes[i], b',' | b'\n')).collect();
            assert_eq!(Separators::new(&bytes, b',', b'\n').collect::<Vec<_>>(), expected, "{bytes:?}");
            let mut positions = vec![7];
            separators(&bytes, b',', b'\n', &mut positions);
            assert!(positions[1..].iter().map(|&at| at as usize).eq(expected), "{bytes:?}");
            if let Some(first) = bytes.first_chunk() {
                assert_eq!(places_by_words(first, [b',', b'\n']), places(first, [b',', b'\n']), "{bytes:?}");
            }
        }
    }

    #[test]
    fn tells_digits_from_all_other_bytes() {
        for byte in 0..=255 {
            for at in [0, 7, 8, 63] {
                let mut bytes = [b'5'; WIDTH];
                bytes[at] = byte;
                bytes[(at + 9) % WIDTH] = b',';
                let expected = u64::from(!byte.is_ascii_digit()) << at | 1 << ((at + 9) % WIDTH);
                assert_eq!(others_than_digits(&bytes), expected, "{byte} at {at}");
                assert_eq!(others_than_digits_by_words(&bytes), expected, "{byte} at {at}");
            }
        }
    }
}
