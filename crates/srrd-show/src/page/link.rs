//! Links to files beside the report.

use std::fmt::Write as _;

/// The path of a file beside the report as the `href` of a link, or nothing when the path could lead anywhere else:
/// an absolute path, a scheme (`javascript:`, `https:`), a step upwards.
pub(crate) fn relative_href(path: &str) -> Option<String> {
    // Browsers read a backslash as a slash and drop tabs and line breaks.
    let foreign = |character: char| character == '\\' || character == ':' || character.is_control();
    if path.contains(foreign) || path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return None;
    }
    let mut href = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => href.push(char::from(byte)),
            // Writing to a string does not fail.
            _ => _ = write!(href, "%{byte:02X}"),
        }
    }
    Some(href)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_below_the_report_are_links() {
        assert_eq!(relative_href("figures/a.svg").as_deref(), Some("figures/a.svg"));
        assert_eq!(relative_href("a b#1?.svg").as_deref(), Some("a%20b%231%3F.svg"));
        assert_eq!(relative_href("π.svg").as_deref(), Some("%CF%80.svg"));
        assert_eq!(relative_href("100%.svg").as_deref(), Some("100%25.svg"));
        assert_eq!(relative_href("a..b.svg").as_deref(), Some("a..b.svg"));
    }

    #[test]
    fn everything_else_is_none() {
        let foreign = [
            "",
            "/etc/passwd",
            "//host/a.svg",
            "\\\\host\\a.svg",
            "../a.svg",
            "figures/../../a.svg",
            "javascript:alert(1)",
            "java\nscript:alert(1)",
            "https://host/a.svg",
            "C:/a.svg",
        ];
        for path in foreign {
            assert_eq!(relative_href(path), None, "{path:?}");
        }
    }
}
