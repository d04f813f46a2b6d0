//! Text as people may see it.
//!
//! Names come from files, and files can hold anything. A control character can move the cursor of a terminal, and a
//! direction character can make a line read backwards. Neither is visible, so neither is ever shown as it is: not on a
//! terminal, not in a figure, not on a page.

use std::borrow::Cow;

/// The text with its control characters and direction characters spelled out, as in `\n` and `\u{202e}`.
///
/// All other characters stay as they are, backslashes too. To do it twice changes nothing.
///
/// ```
/// use srrd_show::escape::shown;
///
/// assert_eq!(shown("learned reward"), "learned reward");
/// assert_eq!(shown("\u{1b}[31mred\nline"), r"\u{1b}[31mred\nline");
/// assert_eq!(shown("abc\u{202e}fdp"), r"abc\u{202e}fdp");
/// ```
pub fn shown(text: &str) -> Cow<'_, str> {
    spelled_out(text, is_hidden)
}

/// As [`shown`], but line breaks stay: for text of more than one line.
///
/// ```
/// use srrd_show::escape::shown_lines;
///
/// assert_eq!(shown_lines("one\ntwo\r\u{7}"), "one\ntwo\\r\\u{7}");
/// ```
pub fn shown_lines(text: &str) -> Cow<'_, str> {
    spelled_out(text, |character| character != '\n' && is_hidden(character))
}

/// JSON with the same values, in which control and direction characters are written as JSON writes characters by their numbers.
///
/// ```
/// use srrd_show::escape::json;
///
/// assert_eq!(json("{\"name\":\"abc\u{202e}fdp\"}"), r#"{"name":"abc\u202efdp"}"#);
/// ```
pub fn json(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        // Line ends between values stay; within strings they are spelled out already.
        match is_hidden(character) && character != '\n' {
            true => out.push_str(&format!("\\u{:04x}", u32::from(character))),
            false => out.push(character),
        }
    }
    Cow::Owned(out)
}

fn spelled_out(text: &str, hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    let Some(first) = text.find(&hidden) else {
        return Cow::Borrowed(text);
    };
    let mut out = String::with_capacity(text.len() + 8);
    out.push_str(&text[..first]);
    for character in text[first..].chars() {
        if hidden(character) { out.extend(character.escape_default()) } else { out.push(character) }
    }
    Cow::Owned(out)
}

/// Whether the character is a control character or changes the direction of the text around it.
fn is_hidden(character: char) -> bool {
    let direction =
        matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    direction || character.is_control()
}

/// Adds the text to XML or HTML, inside an element or inside the quotes of an attribute. It is [`shown`] first.
pub(crate) fn markup_into(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // XML has no way to write these at all.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ if is_hidden(character) => out.extend(character.escape_default()),
            _ => out.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DIRECTIONS: [char; 12] = [
        '\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2066}',
        '\u{2067}', '\u{2068}', '\u{2069}',
    ];

    #[test]
    fn what_is_hidden_is_spelled_out() {
        let controls = ('\0'..='\u{1f}').chain('\u{7f}'..='\u{9f}');
        for character in controls.chain(DIRECTIONS) {
            let expected = format!("a{}b", character.escape_default());
            assert_eq!(shown(&format!("a{character}b")), expected);
            let mut markup = String::new();
            markup_into(&mut markup, &format!("a{character}b"));
            assert_eq!(markup, expected);
            let line = if character == '\n' { "a\nb".to_string() } else { expected };
            assert_eq!(shown_lines(&format!("a{character}b")), line);
        }
    }

    #[test]
    fn everything_else_stays() {
        let plain = "ä 日本 \u{1f600} \\n \u{200d} \u{a0} <&>\"' \u{5d0}";
        assert!(matches!(shown(plain), Cow::Borrowed(text) if text == plain));
        assert!(matches!(shown_lines("a\nb"), Cow::Borrowed("a\nb")));
    }

    #[test]
    fn markup_is_escaped() {
        let mut out = String::new();
        markup_into(&mut out, "a<b> & \"c\" 'd' ]]> \u{fffe}\u{ffff}");
        assert_eq!(out, "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39; ]]&gt; \u{fffd}\u{fffd}");
    }

    proptest! {
        #[test]
        fn twice_is_once(text in any::<String>()) {
            let once = shown(&text).into_owned();
            prop_assert!(!once.contains(is_hidden));
            prop_assert_eq!(shown(&once), once.as_str());
        }
    }
}
