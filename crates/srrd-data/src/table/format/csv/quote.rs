//! When a field of CSV or TSV needs quotes, and how it gets them (RFC 4180).

use memchr::{memchr, memchr3};

/// Whether a field of this text needs quotes.
pub(crate) fn needs_quotes(text: &str, delimiter: u8) -> bool {
    let bytes = text.as_bytes();
    memchr3(delimiter, b'"', b'\n', bytes).is_some() || memchr(b'\r', bytes).is_some()
}

/// Gives the pieces of a field, quoted when needed, to `push`. An empty text that is `alone` in its row needs quotes, or the
/// line would be blank.
pub(crate) fn write_field(text: &str, delimiter: u8, alone: bool, mut push: impl FnMut(&str)) {
    let blank = alone && text.is_empty();
    if !blank && !needs_quotes(text, delimiter) {
        push(text);
        return;
    }
    write_quoted(text, push);
}

/// Gives the pieces of a field in quotes to `push`.
pub(crate) fn write_quoted(text: &str, mut push: impl FnMut(&str)) {
    push("\"");
    let mut rest = text;
    while let Some(quote) = memchr(b'"', rest.as_bytes()) {
        push(&rest[..=quote]);
        push("\"");
        rest = &rest[quote + 1..];
    }
    push(rest);
    push("\"");
}
