//! Where the fields of a text end.
//!
//! Fields are a few bytes long, which makes a search that starts anew for every field spend its time on starting. This one
//! looks at eight bytes at a time and keeps what it found in them.

const ONES: u64 = u64::from_ne_bytes([1; 8]);
const LOW_BITS: u64 = 0x7f * ONES;

/// The positions of all bytes that are one of two ASCII characters.
pub(crate) struct Separators<'a> {
    bytes: &'a [u8],
    /// Each of the two, eight times.
    wanted: [u64; 2],
    /// The position of the word that `found` is about.
    at: usize,
    /// The highest bit of every byte of the word that is one of the two and has yet to be told.
    found: u64,
}

impl<'a> Separators<'a> {
    pub(crate) fn new(bytes: &'a [u8], one: u8, other: u8) -> Self {
        debug_assert!(one.is_ascii() && other.is_ascii());
        let wanted = [one, other].map(|byte| u64::from(byte) * ONES);
        let mut separators = Separators { bytes, wanted, at: 0, found: 0 };
        separators.look();
        separators
    }

    /// Looks into the word at `at`.
    #[inline]
    fn look(&mut self) {
        let word = match self.bytes[self.at..].first_chunk() {
            Some(&word) => u64::from_le_bytes(word),
            None => {
                // The last bytes, filled up with one that, not being ASCII, is neither of the two.
                let rest = &self.bytes[self.at..];
                let mut word = [0xff; 8];
                word[..rest.len()].copy_from_slice(rest);
                u64::from_le_bytes(word)
            }
        };
        // The highest bit of every byte that is zero: no lower bit carries into it, and it is not set itself.
        let zeros = |word: u64| !(((word & LOW_BITS) + LOW_BITS) | word | LOW_BITS);
        self.found = zeros(word ^ self.wanted[0]) | zeros(word ^ self.wanted[1]);
    }
}

impl Iterator for Separators<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.found == 0 {
            if self.at + 8 >= self.bytes.len() {
                return None;
            }
            self.at += 8;
            self.look();
        }
        let position = self.at + self.found.trailing_zeros() as usize / 8;
        self.found &= self.found - 1;
        Some(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_a_search_byte_by_byte_finds() {
        // Neighbours of the two bytes, and bytes with the highest bit set, wherever they may stand in a word.
        let letters = [b',', b'\n', b',' + 1, b',' - 1, b'\n' + 1, b'\n' ^ 0x80, b',' ^ 0x80, 0, 0xff, b'x'];
        let mut state = 1u32;
        for length in 0..200 {
            let bytes: Vec<u8> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    letters[(state >> 16) as usize % letters.len()]
                })
                .collect();
            let expected: Vec<usize> = (0..length).filter(|&i| matches!(bytes[i], b',' | b'\n')).collect();
            assert_eq!(Separators::new(&bytes, b',', b'\n').collect::<Vec<_>>(), expected, "{bytes:?}");
        }
    }
}
