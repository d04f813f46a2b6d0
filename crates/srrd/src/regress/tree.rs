//! A regression tree (CART): splits "feature ≤ threshold", each chosen to leave the least sum of squared errors.
//!
//! A node is split while it is above the largest depth, its rewards differ, and both sides keep enough rows. Of equally good
//! splits the first is taken, features in the order s, s', a and thresholds ascending; a threshold lies halfway between two
//! neighbouring values. A leaf predicts the mean reward of its rows.
//!
//! A leaf is a box of features of s times one of s' times one of a: the tree is a sum over its leaves of products.
//!
//! Every feature is sorted once and its order kept through the splits: O(features · rows · (log rows + depth)) time, one id a
//! feature and row of memory.

use super::{Factor, Features, InsideBox, Known, Product};
use crate::run::Pace;
use crate::settings::TreeLimits;

/// Of the sum of squares in a node: what a split must be better by than one before it, so that rounding does not decide between
/// equals.
const TIE: f64 = 1e-12;
/// Of the largest reward: rewards that differ by no more are equal.
const EQUAL: f64 = 1e-12;

/// A fitted tree. The first node is the root.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Node {
    Leaf(f64),
    /// Features up to the threshold go to the node `below`, others to the one after it.
    Split {
        part: usize,
        feature: usize,
        threshold: f64,
        below: usize,
    },
}

/// The values of a feature that lie above one threshold and up to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub feature: usize,
    above: f64,
    up_to: f64,
}

impl Interval {
    #[inline]
    pub fn holds(&self, value: f64) -> bool {
        self.above < value && value <= self.up_to
    }
}

struct Split {
    column: usize,
    threshold: f64,
    score: f64,
}

impl Tree {
    /// There must be a feature at least.
    pub(super) fn fit(known: &Known<'_>, limits: TreeLimits) -> Self {
        let columns: Vec<(usize, usize)> = known.columns().collect();
        let value = |column: usize, row: u32| {
            let (part, feature) = columns[column];
            known.features[part].get(known.rows[row as usize][part], feature)
        };
        let rows = known.rows.len();
        let mut pace = Pace::default();
        // Of every feature, the rows sorted by it; those of a node lie side by side.
        let mut orders: Vec<Vec<u32>> = (0..columns.len())
            .map(|column| {
                let mut order: Vec<u32> = (0..rows as u32).collect();
                order.sort_by(|&a, &b| {
                    pace.spend(1);
                    value(column, a).total_cmp(&value(column, b))
                });
                order
            })
            .collect();
        let largest = known.rewards.iter().fold(0.0f64, |most, r| most.max(r.abs()));
        let mut goes_below = vec![false; rows];
        let mut scratch = Vec::with_capacity(rows);

        let mut nodes = vec![Node::Leaf(0.0)];
        let mut open = vec![(0, 0..rows, 0)];
        while let Some((node, range, depth)) = open.pop() {
            let count = range.len() as f64;
            let rewards = || orders[0][range.clone()].iter().map(|&row| known.rewards[row as usize]);
            let mean = rewards().sum::<f64>() / count;
            nodes[node] = Node::Leaf(mean);
            if depth == limits.max_depth() || rewards().all(|r| (r - mean).abs() <= EQUAL * largest) {
                continue;
            }
            let margin = TIE * rewards().map(|r| (r - mean).powi(2)).sum::<f64>();
            let mut best: Option<Split> = None;
            for (column, order) in orders.iter().enumerate() {
                let order = &order[range.clone()];
                pace.spend(order.len());
                let mut sum = 0.0;
                for (below, pair) in (1..).zip(order.windows(2)) {
                    // Around the mean of the node, so that both sides have the same sum but for its sign.
                    sum += known.rewards[pair[0] as usize] - mean;
                    let above = order.len() - below;
                    if below < limits.min_leaf() || above < limits.min_leaf() {
                        continue;
                    }
                    let (low, high) = (value(column, pair[0]), value(column, pair[1]));
                    if low >= high {
                        continue;
                    }
                    let score = sum / below as f64 * (sum / above as f64) * count;
                    if best.as_ref().is_none_or(|best| score > best.score + margin) {
                        best = Some(Split { column, threshold: halfway(low, high), score });
                    }
                }
            }
            let Some(Split { column, threshold, .. }) = best else { continue };
            for &row in &orders[column][range.clone()] {
                goes_below[row as usize] = value(column, row) <= threshold;
            }
            let mut middle = range.start;
            for order in &mut orders {
                let order = &mut order[range.clone()];
                scratch.clear();
                scratch.extend(order.iter().copied().filter(|&row| goes_below[row as usize]));
                middle = range.start + scratch.len();
                scratch.extend(order.iter().copied().filter(|&row| !goes_below[row as usize]));
                order.copy_from_slice(&scratch);
            }
            let (part, feature) = columns[column];
            let below = nodes.len();
            nodes[node] = Node::Split { part, feature, threshold, below };
            nodes.extend([Node::Leaf(0.0); 2]);
            open.push((below + 1, middle..range.end, depth + 1));
            open.push((below, range.start..middle, depth + 1));
        }
        Tree { nodes }
    }

    pub(super) fn predict(&self, features: &[Features<'_>; 3], transition: [u32; 3]) -> f64 {
        let mut node = 0;
        loop {
            match self.nodes[node] {
                Node::Leaf(value) => return value,
                Node::Split { part, feature, threshold, below } => {
                    node = below + usize::from(features[part].get(transition[part], feature) > threshold);
                }
            }
        }
    }

    /// One product a leaf.
    pub(super) fn products<'a>(&self, features: [Features<'a>; 3]) -> Vec<Product<'a>> {
        let mut products = Vec::new();
        let mut open: Vec<(usize, [Vec<Interval>; 3])> = vec![(0, Default::default())];
        while let Some((node, intervals)) = open.pop() {
            match self.nodes[node] {
                Node::Leaf(value) => {
                    let mut parts = intervals.into_iter().zip(features);
                    let factors = std::array::from_fn(|_| match parts.next() {
                        Some((intervals, features)) if !intervals.is_empty() => {
                            Factor::Inside(InsideBox { intervals, features })
                        }
                        _ => Factor::One,
                    });
                    products.push(Product { value, factors });
                }
                Node::Split { part, feature, threshold, below } => {
                    let (mut left, mut right) = (intervals.clone(), intervals);
                    interval(&mut left[part], feature).up_to = threshold;
                    interval(&mut right[part], feature).above = threshold;
                    open.push((below + 1, right));
                    open.push((below, left));
                }
            }
        }
        products
    }

    pub(super) fn bound(&self) -> f64 {
        self.nodes.iter().fold(0.0f64, |most, node| match node {
            Node::Leaf(value) => most.max(value.abs()),
            Node::Split { .. } => most,
        })
    }
}

/// The interval of a feature, which is everything at first.
fn interval(intervals: &mut Vec<Interval>, feature: usize) -> &mut Interval {
    let index = intervals.iter().position(|interval| interval.feature == feature).unwrap_or_else(|| {
        intervals.push(Interval { feature, above: f64::NEG_INFINITY, up_to: f64::INFINITY });
        intervals.len() - 1
    });
    &mut intervals[index]
}

/// A threshold t with low ≤ t < high.
fn halfway(low: f64, high: f64) -> f64 {
    let middle = low / 2.0 + high / 2.0;
    if low <= middle && middle < high { middle } else { low }
}
