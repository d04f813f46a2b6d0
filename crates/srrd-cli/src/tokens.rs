//! Names of states and actions as people and programs read them.

use serde_json::Value;
use srrd::Token;

/// Longer names are cut: a prompt that is its own name would fill the screen.
const MOST: usize = 40;

/// A token on one line: control characters escaped, cut when it is long.
pub fn shown(token: Token<'_>) -> String {
    let mut text = String::new();
    for c in token.to_string().chars() {
        if c.is_control() { text.extend(c.escape_default()) } else { text.push(c) }
    }
    if text.chars().count() > MOST {
        text = text.chars().take(MOST - 1).chain(['…']).collect();
    }
    text
}

/// An integer as a number, a text as a text, features as a list of numbers.
pub fn as_json(token: Token<'_>) -> Value {
    match (token.as_int(), token.as_features()) {
        (Some(value), _) => value.into(),
        (None, Some(features)) => features.into(),
        (None, None) => token.to_string().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_shown_on_one_short_line() {
        assert_eq!(shown(Token::int(-7)), "-7");
        assert_eq!(shown(Token::text("a\nb\u{1b}")), r"a\nb\u{1b}");
        assert_eq!(shown(Token::features(&[1.0, 2.5])), "(1, 2.5)");
        let long = shown(Token::text(&"é".repeat(50)));
        assert_eq!((long.chars().count(), long.chars().last()), (40, Some('…')));
    }

    #[test]
    fn json_keeps_the_kind() {
        assert_eq!(as_json(Token::text("7")), 7);
        assert_eq!(as_json(Token::text("hall")), "hall");
        assert_eq!(as_json(Token::features(&[1.0, 2.5])), serde_json::json!([1.0, 2.5]));
    }
}
