//! The call itself, for pages that say how they are made again.

use std::ffi::OsString;

/// The call as a shell takes it again.
pub fn as_typed(call: &[OsString]) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,+@%~".contains(c);
    let quoted = |argument: &OsString| {
        let text = argument.to_string_lossy();
        match !text.is_empty() && text.chars().all(plain) {
            true => text.into_owned(),
            false => format!("'{}'", text.replace('\'', r"'\''")),
        }
    };
    ["srrd".to_owned()].into_iter().chain(call.iter().skip(1).map(quoted)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_can_be_given_again() {
        let call = ["/usr/bin/srrd", "models", "a b.csv", "it's", "", "-o", "p.html"].map(OsString::from);
        assert_eq!(as_typed(&call), r"srrd models 'a b.csv' 'it'\''s' '' -o p.html");
    }
}
