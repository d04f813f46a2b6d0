//! A row of three short integers and a decimal number, taken apart in a window of fixed length.
//!
//! Where its fields end is found for all of them at once, and their digits are read back from there, eight at a time: whatever comes
//! before a field is masked. So the work is the same for every row, however long its numbers are, with nothing to foresee for the
//! processor and no end of the text to look out for.

use std::num::NonZeroU64;

use crate::digits::{LAST, MIDDLE, MOST_DIGITS, MOST_PLACES, POWERS, all_places, decimal, first_of_all};
use crate::groups::{Group, join};
use crate::int_rows::IntRow;
use crate::read::others_than_digits;

/// A row that is longer, without what ends its line, is left to others.
const LONGEST: usize = 64;

/// So far back are digits read from where they end.
const BEFORE: usize = MOST_PLACES;

/// The bytes before a row that are needed, those of the longest row, and one behind it.
type Window = [u8; BEFORE + LONGEST + 1];

/// By its number of digits, the least integer that is written with so many.
const LEAST: [u32; 16] = {
    let mut least = [0; 16];
    let mut digits = 2;
    while digits <= 8 {
        least[digits] = POWERS[digits - 1] as u32;
        digits += 1;
    }
    least
};

/// The row `state,action,next state,reward` that begins at `start`, and where the next one does: `None` if it is not as simple as this
/// can read, or lies too close to an end of the text.
#[inline(always)]
pub(crate) fn row(bytes: &[u8], start: usize, delimiter: u8) -> Option<(IntRow, usize)> {
    let window: &Window = bytes.get(start.checked_sub(BEFORE)?..)?.first_chunk()?;
    let (row, length) = in_window(window, delimiter)?;
    Some((row, start + length))
}

#[inline(always)]
fn in_window(window: &Window, delimiter: u8) -> Option<(IntRow, usize)> {
    let mut others = Places(others_than_digits(window[BEFORE..].first_chunk()?));
    let byte = |place: usize| window[BEFORE + place];
    let (state_end, action_end, next_state_end) = (others.next()?, others.next()?, others.next()?);
    let negative = byte(next_state_end + 1) == b'-';
    others.leave_out(negative);
    let reward_start = next_state_end + 1 + usize::from(negative);
    let whole_end = others.next()?;
    let has_point = byte(whole_end) == b'.';
    let (end, places) = if has_point {
        let end = others.next()?;
        (end, end.wrapping_sub(whole_end + 1))
    } else {
        (whole_end, 0)
    };
    let behind = match byte(end) {
        b'\n' => end + 1,
        b'\r' if byte(end + 1) == b'\n' => end + 2,
        _ => return None,
    };

    let is_other = (byte(state_end) ^ delimiter) | (byte(action_end) ^ delimiter) | (byte(next_state_end) ^ delimiter);
    let length = |start: usize, end: usize| end.wrapping_sub(start);
    let state_digits = length(0, state_end);
    let action_digits = length(state_end + 1, action_end);
    let next_state_digits = length(action_end + 1, next_state_end);
    let whole_digits = length(reward_start, whole_end);
    // Those from 1 to 8 have no bit beyond the lowest three when 1 is taken away.
    let too_many = [state_digits, action_digits, next_state_digits, whole_digits].map(|digits| digits.wrapping_sub(1));
    let too_many = too_many.into_iter().fold(0, |all, digits| all | digits) > 7;
    let no_places = has_point & (places == 0);
    if is_other != 0 || too_many || no_places || whole_digits + places > MOST_DIGITS {
        return None;
    }

    let eight_before = |end: usize| window[BEFORE - 8 + end..].first_chunk().expect("it lies within the window");
    let group = |end: usize, digits: usize| Group::new(eight_before(end), &LAST, digits);
    let [state, next_state, action, whole, middle, last] = join([
        group(state_end, state_digits),
        group(next_state_end, next_state_digits),
        group(action_end, action_digits),
        group(whole_end, whole_digits),
        Group::new(window[BEFORE - 16 + end..].first_chunk().expect("it lies within the window"), &MIDDLE, places),
        group(end, places),
    ]);
    // In their shortest form, tokens are the integers that they say.
    let least = |digits: usize| LEAST[digits % 16];
    if (state < least(state_digits)) | (action < least(action_digits)) | (next_state < least(next_state_digits)) {
        return None;
    }
    let first = first_of_all(window[BEFORE - MOST_PLACES + end], places);
    let reward = decimal(negative, whole.into(), all_places(first, middle.into(), last.into()), places);
    Some((IntRow { state, action, next_state, reward }, behind))
}

/// Places in a window, a bit each.
struct Places(u64);

impl Places {
    /// The first, which is taken out.
    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let place = NonZeroU64::new(self.0)?.trailing_zeros() as usize;
        self.leave_out(true);
        Some(place)
    }

    /// Takes the first out, or not.
    #[inline(always)]
    fn leave_out(&mut self, first: bool) {
        self.0 &= self.0.wrapping_sub(first.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digits::tests::draws;
    use srrd::Token;

    /// The row that a line is, field by field.
    fn literally(line: &str) -> Option<(u32, u32, u32, u64)> {
        let [state, action, next_state, reward] = line.split(',').collect::<Vec<_>>().try_into().ok()?;
        let token = |text| Token::text(text).as_int().and_then(|int| u32::try_from(int).ok());
        let plain = reward.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'-');
        let reward: f64 = reward.parse().ok().filter(|_| plain)?;
        Some((token(state)?, token(action)?, token(next_state)?, reward.to_bits()))
    }

    /// What is found of a line among others, if anything is; it must be right then.
    fn read(line: &str, end: &str) -> Option<(u32, u32, u32, u64)> {
        let before = "1,2,3,4.5\n".repeat(3);
        let text = format!("{before}{line}{end}{}", "6,7,8,-9.25\n".repeat(9));
        let (row, behind) = row(text.as_bytes(), before.len(), b',')?;
        assert_eq!(behind, before.len() + line.len() + end.len(), "{line}");
        let found = (row.state, row.action, row.next_state, row.reward.to_bits());
        assert_eq!(Some(found), literally(line), "{line}");
        Some(found)
    }

    #[test]
    fn rows_are_read_as_they_are_field_by_field() {
        for line in
            ["0,0,0,0", "1,2,3,-0.0", "99999999,10,7,12345678.1234567890", "5,5,5,0.00000000000000001", "1,2,3,-7"]
        {
            for end in ["\n", "\r\n"] {
                assert!(read(line, end).is_some(), "{line}");
            }
        }
        let mut draw = draws();
        let mut seen = 0;
        for i in 0..300_000 {
            let number = (draw(2_000_001) as f64 - 1e6) * 10f64.powi(draw(12) as i32 - 9);
            let [s, a, t] = [8, 2, 8].map(|digits| {
                let digits = 1 + draw(digits) as u32;
                draw(10u64.pow(digits))
            });
            let mut line = format!("{s},{a},{t},{number}");
            // Half of the lines are spoilt.
            for _ in 0..draw(2) * draw(4) {
                let letters = "0123456789,.-+e \r\n\t\";é";
                let place = draw(line.len() as u64) as usize;
                if line.is_char_boundary(place) && line.is_char_boundary(place + 1) {
                    let letter =
                        letters.chars().nth(draw(letters.chars().count() as u64) as usize).unwrap().to_string();
                    line.replace_range(place..place + draw(2) as usize, &letter);
                }
            }
            if line.contains('\n') || line.ends_with('\r') {
                continue;
            }
            seen += usize::from(read(&line, if i % 5 == 0 { "\r\n" } else { "\n" }).is_some());
        }
        assert!(seen > 150_000, "{seen} of 300,000");
    }

    #[test]
    fn what_lies_too_close_to_an_end_is_left_to_others() {
        let text = "1,2,3,4.5\n".repeat(12);
        for start in (0..text.len()).step_by(10) {
            let inside = start >= BEFORE && start + LONGEST < text.len();
            assert_eq!(row(text.as_bytes(), start, b',').is_some(), inside, "{start}");
        }
    }
}
