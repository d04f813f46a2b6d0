//! What is in some lines, found out in one go.

/// So many bytes are looked at side by side.
const LANES: usize = 16;

/// So many times, after which a byte could no longer count them.
const TIMES: usize = 255;

/// What some lines hold.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Counts {
    pub lines: usize,
    pub delimiters: usize,
    pub quotes: bool,
    pub returns: bool,
    /// Whether there are lines of nothing, not even a carriage return.
    pub blank: bool,
}

impl Counts {
    pub(super) fn of(bytes: &[u8], delimiter: u8) -> Self {
        let mut counts = Counts { blank: bytes.first() == Some(&b'\n'), ..Counts::default() };
        // Every byte beside the one that follows it.
        let following = bytes.get(1..).unwrap_or_default();
        let (here, rest) = bytes[..following.len()].as_chunks();
        let (next, next_rest) = following.as_chunks();
        for (here, next) in here.chunks(TIMES).zip(next.chunks(TIMES)) {
            counts.add_chunks(here, next, delimiter);
        }
        let last = bytes.last().map(|&byte| (byte, 0));
        for (byte, next) in rest.iter().copied().zip(next_rest.iter().copied()).chain(last) {
            counts.add_chunks(&[padded(byte)], &[padded(next)], delimiter);
        }
        counts
    }

    /// Written so that it becomes vector instructions.
    #[inline]
    fn add_chunks(&mut self, here: &[[u8; LANES]], next: &[[u8; LANES]], delimiter: u8) {
        // All bits where two bytes are the same, which is one less than nothing.
        let mask = |byte: u8, wanted: u8| if byte == wanted { 0xff } else { 0u8 };
        let none = [0u8; LANES];
        let (mut lines, mut delimiters, mut quotes, mut returns, mut blank) = (none, none, none, none, none);
        for (here, next) in here.iter().zip(next) {
            for lane in 0..LANES {
                let newline = mask(here[lane], b'\n');
                lines[lane] = lines[lane].wrapping_sub(newline);
                delimiters[lane] = delimiters[lane].wrapping_sub(mask(here[lane], delimiter));
                quotes[lane] |= mask(here[lane], b'"');
                returns[lane] |= mask(here[lane], b'\r');
                blank[lane] |= newline & mask(next[lane], b'\n');
            }
        }
        let sum = |lanes: [u8; LANES]| lanes.iter().map(|&lane| usize::from(lane)).sum::<usize>();
        self.lines += sum(lines);
        self.delimiters += sum(delimiters);
        self.quotes |= sum(quotes) > 0;
        self.returns |= sum(returns) > 0;
        self.blank |= sum(blank) > 0;
    }
}

/// One byte, and others that count for nothing.
fn padded(byte: u8) -> [u8; LANES] {
    let mut lanes = [0; LANES];
    lanes[0] = byte;
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digits::tests::draws;

    #[test]
    fn finds_what_a_look_at_every_byte_finds() {
        let mut draw = draws();
        for round in 0..3000 {
            let length = draw(if round % 100 == 0 { 3 * (TIMES * LANES) as u64 } else { 80 });
            // Some texts hold few kinds of bytes, some many.
            let kinds = 1 + draw(12);
            let letters = b"x,\n7;\x80\"\r\n\0,\n";
            let bytes: Vec<u8> = (0..length).map(|_| letters[draw(kinds) as usize]).collect();
            let count = |wanted: u8| bytes.iter().filter(|&&byte| byte == wanted).count();
            let expected = Counts {
                lines: count(b'\n'),
                delimiters: count(b','),
                quotes: count(b'"') > 0,
                returns: count(b'\r') > 0,
                blank: bytes.starts_with(b"\n") || bytes.windows(2).any(|two| two == b"\n\n"),
            };
            assert_eq!(Counts::of(&bytes, b','), expected, "{bytes:?}");
        }
    }
}
