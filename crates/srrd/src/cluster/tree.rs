//! The tree of merges, the order of its leaves, and cuts of it.

use kodama::{Method, linkage};

use super::{ClusterError, between};

/// A merge of two groups.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Merge {
    /// What is merged: numbers below n are samples, n + i is what merge i made.
    pub parts: [usize; 2],
    /// How far apart the two are.
    pub distance: f64,
}

/// A tree of samples by average linkage.
///
/// ```
/// use srrd::cluster::ClusterTree;
/// // Samples 0 and 2 are near each other.
/// let tree = ClusterTree::average(3, &[0.0, 0.9, 0.1, 0.9, 0.0, 0.8, 0.1, 0.8, 0.0])?;
/// assert_eq!(tree.order(), [0, 2, 1]);
/// assert_eq!(tree.merges()[0].parts, [0, 2]);
/// assert_eq!(tree.cut(2), [1, 2, 1]);
/// # Ok::<(), srrd::cluster::ClusterError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClusterTree {
    order: Vec<usize>,
    merges: Vec<Merge>,
}

impl ClusterTree {
    /// The tree of the `n` × `n` matrix of distances, row after row; the diagonal is ignored. Where the two halves differ their mean
    /// counts, where one of them is undefined (not finite) the other, and where both are undefined 1, the largest distance there is.
    ///
    /// Takes O(n²) time and memory.
    ///
    /// # Errors
    /// [`ClusterError::Shape`] if there are not `n` × `n` distances.
    pub fn average(n: usize, distances: &[f64]) -> Result<Self, ClusterError> {
        if n.checked_mul(n) != Some(distances.len()) {
            return Err(ClusterError::Shape { samples: n, values: distances.len() });
        }
        let between = |a: usize, b: usize| between(n, distances, a, b);
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
        Ok(ClusterTree { order, merges })
    }

    /// An order of the samples that puts near ones side by side.
    ///
    /// Clustering leaves the order within each merge open. It is settled from the first merge to the last: of the four ways to join
    /// two orders end to end (either may be reversed) the one with the nearest touching ends is taken, the earlier-numbered sample's
    /// group first and unreversed in a tie. The result depends on nothing but the distances.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The merges, the lowest first.
    pub fn merges(&self) -> &[Merge] {
        &self.merges
    }

    /// The group of every sample when the tree is cut into `count` groups, or as many as there are samples: from 1 on, the largest
    /// group first, of equally large ones the one with the earlier sample.
    pub fn cut(&self, count: usize) -> Vec<usize> {
        let samples = self.order.len();
        let roots = self.roots(samples.saturating_sub(count.max(1)));
        let mut groups: Vec<Vec<usize>> = roots.iter().map(|&root| self.leaves(root)).collect();
        groups.sort_by_key(|leaves| (std::cmp::Reverse(leaves.len()), leaves[0]));
        let mut labels = vec![0; samples];
        for (label, leaves) in (1..).zip(&groups) {
            leaves.iter().for_each(|&leaf| labels[leaf] = label);
        }
        labels
    }

    /// What is left after so many merges, in ascending order.
    pub(super) fn roots(&self, merges: usize) -> Vec<usize> {
        let nodes = self.order.len() + merges.min(self.merges.len());
        let mut root = vec![true; nodes];
        self.merges.iter().take(merges).flat_map(|merge| merge.parts).for_each(|part| root[part] = false);
        (0..nodes).filter(|&node| root[node]).collect()
    }

    /// The samples below a node, in ascending order.
    fn leaves(&self, node: usize) -> Vec<usize> {
        let samples = self.order.len();
        let (mut leaves, mut open) = (Vec::new(), vec![node]);
        while let Some(node) = open.pop() {
            match node.checked_sub(samples) {
                None => leaves.push(node),
                Some(merge) => open.extend(self.merges[merge].parts),
            }
        }
        leaves.sort_unstable();
        leaves
    }
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
