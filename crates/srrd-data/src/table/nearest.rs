//! Names that are like others: what someone may have meant.

/// The name that is most like a name that is missing, if one is much like it.
///
/// ```
/// assert_eq!(srrd_data::nearest("rewrad", ["state", "reward"].into_iter()), Some("reward"));
/// assert_eq!(srrd_data::nearest("action", ["state", "reward"].into_iter()), None);
/// ```
pub fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let far = wanted.chars().count() / 3 + 1;
    // A table of thousands of features has no column that was misspelled, and very long names are none.
    let names: Vec<&str> = names.take(1000).collect();
    // `accuracy_reward` is a reward.
    let within = |name: &&&str| name.split(['_', '.', '/', ' ', '-']).any(|part| part.eq_ignore_ascii_case(wanted));
    let near = names.iter().copied().filter(|name| name.len() < 100).map(|name| (edits(wanted, name), name));
    let near = near.filter(|(edits, _)| *edits < far.max(2)).min_by_key(|(edits, _)| *edits).map(|(_, name)| name);
    near.or_else(|| names.iter().find(within).copied())
}

/// How many letters have to be put in, taken out or changed to make one name of the other.
pub(super) fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_names() {
        assert_eq!(nearest("reward", ["rewrd", "ward", "state"].into_iter()), Some("rewrd"));
        assert_eq!(nearest("action", ["state", "next_state", "reward"].into_iter()), None);
        assert_eq!(nearest("reward", ["step", "accuracy_reward"].into_iter()), Some("accuracy_reward"));
    }
}
