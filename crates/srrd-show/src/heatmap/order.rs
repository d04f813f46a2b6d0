//! Order of the samples by hierarchical clustering.

use kodama::{Method, linkage};

use crate::FigureError;

/// An order of the samples that puts near ones side by side, from average-linkage clustering.
///
/// `distances` is the `n` × `n` matrix, row after row; the diagonal is ignored. Where the two
/// halves differ their mean counts, where one of them is undefined (not finite) the other, and
/// where both are undefined 1, the largest distance there is.
///
/// Clustering leaves the order within each merge open. It is settled from the first merge to the
/// last: of the four ways to join two orders end to end (either may be reversed) the one with the
/// nearest touching ends is taken, the earlier-numbered sample's group first and unreversed in a
/// tie. The result depends on nothing but the input.
///
/// Takes O(n²) time and memory.
///
/// ```
/// use srrd_show::clustered_order;
///
/// // Samples 0 and 2 are near each other.
/// let order = clustered_order(3, &[0.0, 0.9, 0.1, 0.9, 0.0, 0.8, 0.1, 0.8, 0.0])?;
/// assert_eq!(order, [0, 2, 1]);
/// # Ok::<(), srrd_show::FigureError>(())
/// ```
///
/// # Errors
///
/// [`FigureError::Shape`] if `distances` has not `n` × `n` values.
pub fn clustered_order(n: usize, distances: &[f64]) -> Result<Vec<usize>, FigureError> {
    if n.checked_mul(n) != Some(distances.len()) {
        return Err(FigureError::Shape { samples: n, values: distances.len() });
    }
    Ok(cluster(n, distances).order)
}

/// A clustering: the order of the leaves and the merges above them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Clustering {
    pub(crate) order: Vec<usize>,
    /// Lowest merge first. Labels below `n` are samples, label `n + i` is what merge `i` made.
    pub(crate) merges: Vec<Merge>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Merge {
    pub(crate) parts: [usize; 2],
    pub(crate) distance: f64,
}

/// [`clustered_order`] with its merges, for a matrix of checked shape.
pub(crate) fn cluster(n: usize, distances: &[f64]) -> Clustering {
    let between = |a: usize, b: usize| {
        let (one, other) = (distances[a * n + b], distances[b * n + a]);
        match (one.is_finite(), other.is_finite()) {
            (true, true) => one / 2.0 + other / 2.0,
            (true, false) => one,
            (false, true) => other,
            (false, false) => 1.0,
        }
    };
    let mut condensed: Vec<f64> =
        (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).map(|(a, b)| between(a, b)).collect();
    let tree = linkage(&mut condensed, n, Method::Average);

    let mut groups: Vec<Vec<usize>> = (0..n).map(|leaf| vec![leaf]).collect();
    let mut earliest: Vec<usize> = (0..n).collect();
    let mut merges = Vec::with_capacity(n.saturating_sub(1));
    for step in tree.steps() {
        let mut parts = [step.cluster1, step.cluster2];
        parts.sort_by_key(|&label| earliest[label]);
        let [first, second] = parts.map(|label| std::mem::take(&mut groups[label]));
        groups.push(join(first, second, between));
        earliest.push(earliest[parts[0]]);
        merges.push(Merge { parts, distance: step.dissimilarity });
    }
    let mut order = groups.pop().unwrap_or_default();
    // An order and its reverse are equally good; begin at the end that was given first.
    if order.first() > order.last() {
        order.reverse();
    }
    Clustering { order, merges }
}

fn join(mut first: Vec<usize>, mut second: Vec<usize>, between: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    let ends = |group: &[usize]| [group[0], group[group.len() - 1]];
    let ([first_start, first_end], [second_start, second_end]) = (ends(&first), ends(&second));
    let ways = [
        (false, false, between(first_end, second_start)),
        (false, true, between(first_end, second_end)),
        (true, false, between(first_start, second_start)),
        (true, true, between(first_start, second_end)),
    ];
    let mut best = ways[0];
    for way in ways {
        if way.2 < best.2 {
            best = way;
        }
    }
    if best.0 {
        first.reverse();
    }
    if best.1 {
        second.reverse();
    }
    first.append(&mut second);
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(n: usize, distance: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        (0..n * n).map(|cell| distance(cell / n, cell % n)).collect()
    }

    fn is_permutation(order: &[usize], n: usize) -> bool {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        sorted.into_iter().eq(0..n)
    }

    #[test]
    fn orders_are_permutations() {
        for n in 0..40 {
            let scrambled = matrix(n, |a, b| match (a * 7919 + b * 104_729) % 13 {
                0 => f64::NAN,
                rest => rest as f64 / 13.0,
            });
            let order = clustered_order(n, &scrambled).unwrap();
            assert!(is_permutation(&order, n), "{order:?}");
            assert_eq!(order, clustered_order(n, &scrambled).unwrap());
        }
    }

    #[test]
    fn blocks_come_together() {
        let class = |sample: usize| sample % 3;
        let blocks = matrix(30, |a, b| if class(a) == class(b) { 0.1 } else { 0.8 });
        let order = clustered_order(30, &blocks).unwrap();
        let borders = order.windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count();
        assert_eq!(borders, 2, "{order:?}");
    }

    #[test]
    fn points_on_a_line_come_in_line() {
        let places = [0.9, 0.1, 0.52, 0.3, 0.0, 0.7, 0.18, 0.77];
        let line = matrix(8, |a, b| f64::abs(places[a] - places[b]));
        let order = clustered_order(8, &line).unwrap();
        let along: Vec<f64> = order.iter().map(|&sample| places[sample]).collect();
        assert!(along.is_sorted_by(|a, b| a >= b), "{along:?}");
    }

    #[test]
    fn ties_keep_the_given_order() {
        assert_eq!(clustered_order(2, &[0.0, 0.4, 0.4, 0.0]).unwrap(), [0, 1]);
        let order = clustered_order(5, &matrix(5, |_, _| 0.5)).unwrap();
        assert!(is_permutation(&order, 5));
        assert_eq!(order[..2], [0, 1]);
    }

    #[test]
    fn undefined_counts_as_far() {
        let far = matrix(4, |a, b| match (a.min(b), a.max(b)) {
            (a, b) if a == b => 0.0,
            (0, 2) | (1, 3) => 0.2,
            _ => f64::NAN,
        });
        let filled: Vec<f64> = far.iter().map(|&value| if value.is_nan() { 1.0 } else { value }).collect();
        let order = clustered_order(4, &far).unwrap();
        assert_eq!(order, clustered_order(4, &filled).unwrap());
        assert_eq!(order, [0, 2, 1, 3]);
    }

    #[test]
    fn wrong_shapes_are_refused() {
        assert!(matches!(clustered_order(3, &[0.0; 8]), Err(FigureError::Shape { samples: 3, values: 8 })));
        assert!(clustered_order(usize::MAX, &[]).is_err());
    }
}
