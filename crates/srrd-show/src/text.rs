//! How to fit text into the room there is.

use crate::escape::shown;
use crate::font::Font;

/// One line without control characters, fit to be drawn: what else is [hidden](shown) is spelled out, so that its width
/// is known.
pub(crate) fn one_line(text: &str) -> String {
    let spaced: String = text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
    shown(&spaced).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `text` if it is at most `room` wide, else its beginning and end around an ellipsis: the ends
/// of names (a seed, a version) tell them apart as often as their beginnings.
pub(crate) fn elide(text: &str, font: Font, room: f64) -> String {
    if font.width(text) <= room {
        return text.to_string();
    }
    let characters: Vec<char> = text.chars().collect();
    let mut left = room - font.advance('…');
    let (mut head, mut tail) = (0, characters.len());
    while head < tail {
        // The beginning gets the odd one.
        let from_head = head <= characters.len() - tail;
        let next = if from_head { characters[head] } else { characters[tail - 1] };
        left -= font.advance(next);
        if left < 0.0 {
            break;
        }
        if from_head {
            head += 1;
        } else {
            tail -= 1;
        }
    }
    let mut short: String = characters[..head].iter().collect();
    short.push('…');
    short.extend(&characters[tail..]);
    short
}

/// Breaks `text` at spaces into at most `most` lines of width `room`; a line that is still too
/// long is elided.
pub(crate) fn wrap(text: &str, font: Font, room: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let last_line = lines.len() == most;
        match lines.last_mut() {
            Some(line) if last_line || font.width(line) + font.advance(' ') + font.width(word) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines.iter().map(|line| elide(line, font, room)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FONT: Font = Font::regular(10.0);

    #[test]
    fn elision_keeps_both_ends_and_fits() {
        let name = "a_very_long_reward_model_name_with_seed_17";
        let short = elide(name, FONT, 100.0);
        assert!(short.starts_with("a_ve") && short.ends_with("d_17"), "{short}");
        assert!(short.contains('…') && FONT.width(&short) <= 100.0);
        assert_eq!(elide("short", FONT, 100.0), "short");
        assert_eq!(elide("anything", FONT, 1.0), "…");
        assert!(FONT.width(&elide("日本語の報酬関数の名前", FONT, 60.0)) <= 60.0);
    }

    #[test]
    fn wrapping_keeps_every_word_that_fits() {
        let lines = wrap("one two three four five six seven", FONT, 60.0, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| FONT.width(line) <= 60.0), "{lines:?}");
        assert_eq!(wrap("fits well", FONT, 100.0, 2), ["fits well"]);
        assert!(wrap("  ", FONT, 100.0, 2).is_empty());
    }

    #[test]
    fn one_line_has_no_breaks() {
        assert_eq!(one_line(" a\n\tb\u{7} c "), "a b c");
        assert_eq!(one_line("a\u{202e}b"), "a\\u{202e}b");
    }
}
