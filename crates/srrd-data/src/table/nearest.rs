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

/// How many letters have to be put in, taken out, changed or swapped with their neighbours to make one name of the other.
pub(super) fn edits(a: &str, b: &str) -> usize {
    let [a, b]: [Vec<char>; 2] = [a, b].map(|name| name.chars().collect());
    // By letters of `b`: of the two beginnings of `a` before, and of this one.
    let (mut before, mut last) = (Vec::new(), (0..=b.len()).collect::<Vec<usize>>());
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let mut least = (last[j] + usize::from(a[i] != b[j])).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        (before, last) = (last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_names() {
        assert_eq!(nearest("reward", ["rewrd", "ward", "state"].into_iter()), Some("rewrd"));
        assert_eq!(nearest("action", ["state", "next_state", "reward"].into_iter()), None);
        assert_eq!(nearest("reward", ["step", "accuracy_reward"].into_iter()), Some("accuracy_reward"));
        for (a, b, expected) in
            [("step", "stpe", 1), ("step", "pest", 4), ("", "ab", 2), ("ab", "", 2), ("done", "done", 0)]
        {
            assert_eq!(edits(a, b), expected, "{a} {b}");
        }
    }
}
