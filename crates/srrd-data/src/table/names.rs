//! Names of columns that are missing: what is there instead, and what was probably meant.

use super::nearest::nearest;
use super::read::listed;
use super::schema::Schema;
use crate::error::shorten;

/// The columns of a table, and the one whose name is nearest to a name that is missing.
pub(super) fn what_is_there(schema: &Schema, wanted: &str) -> String {
    let nearest = nearest(wanted, schema.names());
    let nearest = nearest.map_or(String::new(), |name| format!("; did you mean `{}`?", shorten(name)));
    format!("this one has {}{nearest}", listed(schema.names()))
}

/// Whether a name is that of a column or of one of its features.
pub(super) fn is_named(name: &str, column: &str) -> bool {
    name.strip_prefix(column).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Whether a name is what a pattern says, in which `*` stands for anything.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

pub(super) fn spaces(name: &str) -> String {
    format!("`{}` has spaces around it; write names and values without spaces beside the separators", shorten(name))
}

/// Why a column that seems to be there is not found, and what to do.
pub(super) fn misnamed(schema: &Schema, column: &str) -> Option<String> {
    if schema.names().next().is_some_and(|first| first.starts_with('#')) {
        return Some(
            "the first line begins with `#`, as comments do, and should name the columns: delete the lines of comments, or the `#` before \
             the names"
                .to_owned(),
        );
    }
    for (separator, called, remedy) in [
        (
            ';',
            "semicolons",
            "separate them by commas, and write numbers with a point, as 0.5 (with pandas: \
             `read_csv(FILE, sep=\";\", decimal=\",\").to_csv(NEW, index=False)`)",
        ),
        ('\t', "tabs", "give the file the extension .tsv, or separate them by commas"),
        (',', "commas", "give the file the extension .csv, or separate them by tabs"),
        ('|', "pipes (`|`)", "separate them by commas"),
    ] {
        let holds = |name: &str| {
            let mut parts = name.split(separator);
            name.contains(separator) && parts.any(|part| is_named(part.trim().trim_matches('"'), column))
        };
        if schema.names().any(holds) {
            return Some(format!("the fields seem to be separated by {called}: {remedy}"));
        }
    }
    if schema.index_of(&format!("{column}.1")).is_some() {
        return Some(format!(
            "`{column}` holds several numbers in a row, and one is needed: write one row per transition (of several environments side by side, too)"
        ));
    }
    if let Some(name) = schema.names().find(|name| *name != name.trim() && is_named(name.trim(), column)) {
        return Some(spaces(name));
    }
    let other = schema.names().find(|name| is_named(&name.trim().to_lowercase(), column))?;
    Some(format!("names are compared as written: rename `{}` to `{}`", shorten(other), other.trim().to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, fits) in [
            ("rewards/*", "rewards/a", true),
            ("rewards/*", "reward", false),
            ("*_score", "old_score", true),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "abc", true),
            ("a*b*c", "acb", false),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
