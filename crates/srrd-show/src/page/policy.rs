//! The page's style and script, and the policy that admits these two and nothing else.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The style of the page.
pub(crate) const STYLE: &str = include_str!("page.css");
/// The script of the page.
pub(crate) const SCRIPT: &str = include_str!("page.js");

/// The Content-Security-Policy of the page: nothing is loaded, no style or script runs but those that are named by hash.
pub(crate) fn policy() -> String {
    format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
        source(STYLE),
        source(SCRIPT)
    )
}

/// The hash of an inline style or script as a policy names it.
fn source(content: &str) -> String {
    format!("sha256-{}", STANDARD.encode(hmac_sha256::Hash::hash(content.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::escape::shown_lines;

    #[test]
    fn hashes_are_those_of_the_standard() {
        // FIPS 180-2, appendix B.1: "abc".
        assert_eq!(source("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    }

    #[test]
    fn style_and_script_cannot_end_their_elements() {
        for text in [STYLE, SCRIPT] {
            assert!(!text.contains("</") && !text.contains("<!--"));
            // HTML turns other line ends into this one, and the hash would no longer be that of the page.
            assert!(!text.contains('\r'));
            // The page spells out hidden characters, here too.
            assert_eq!(shown_lines(text), text);
        }
    }

    #[test]
    fn style_and_script_name_no_address() {
        for text in [STYLE, SCRIPT] {
            assert!(!text.contains("url(") && !text.contains("@import") && !text.contains("://"), "{text}");
        }
    }
}
