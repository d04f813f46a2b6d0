//! References inside a figure. Each function gives the reference with its id prefixed, or nothing if it leads elsewhere.

/// A colour, a keyword or `url(#id)`, the last one also with a colour to fall back on.
pub(super) fn paint(value: &str, prefix: &str) -> Option<String> {
    // With a backslash, CSS can spell `url(` in ways that no search finds.
    if value.contains('\\') {
        return None;
    }
    let Some(reference) = value.trim_start().strip_prefix("url(#") else {
        return (!names_function_with_address(value)).then(|| value.to_string());
    };
    let (id, rest) = reference.split_once(')')?;
    (is_id(id) && !names_function_with_address(rest)).then(|| format!("url(#{prefix}{id}){rest}"))
}

/// `#id`.
pub(super) fn fragment(value: &str, prefix: &str) -> Option<String> {
    let id = value.trim().strip_prefix('#')?;
    is_id(id).then(|| format!("#{prefix}{id}"))
}

/// A PNG image that is inside the address itself.
pub(super) fn image(value: &str) -> Option<String> {
    let data = value.trim().strip_prefix("data:image/png;base64,")?;
    let digit =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=') || byte.is_ascii_whitespace();
    data.bytes().all(digit).then(|| value.trim().to_string())
}

/// Whether a value uses a function of CSS that takes addresses. Colours have none of these names.
fn names_function_with_address(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    ["url", "src", "image", "element", "attr", "var", "script"].iter().any(|name| value.contains(name))
}

fn is_id(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}
