//! Groups of samples by their distances: a tree by average linkage, cut where its groups are clearest.
//!
//! The distance of two groups is the mean distance between their samples (average linkage, UPGMA). A cut at K groups undoes the K − 1
//! highest merges. How clear groups are is the mean *silhouette* (Rousseeuw 1987): with a the mean distance of a sample to the others of
//! its group and b the least mean distance to another group, its silhouette is (b − a) / max(a, b), and 0 where it is alone.
//!
//! **How many groups** ([`ClusterCount::Auto`]): the number from 2 to 100 with the largest mean silhouette, the smallest of several,
//! where that reaches [`CLEAR`]. Where none does there are no groups: all samples are one if their mean distance is at most
//! [`ALIKE`], half of that of unrelated rewards, and else each stands for itself.
//!
//! A distance below 10⁻⁶ counts as 0: it is that of copies, up to rounding. An undefined distance counts as 1, the largest there is.

mod tree;

use std::str::FromStr;

use rayon::prelude::*;
use serde::Serialize;
use thiserror::Error;

use crate::run::checkpoint;
pub use tree::{ClusterTree, Merge};

/// The mean silhouette from which on groups are told apart: below it, Kaufman and Rousseeuw say, no structure was found.
pub const CLEAR: f64 = 0.25;
/// Samples that form no groups are alike up to this mean distance.
pub const ALIKE: f64 = std::f64::consts::FRAC_1_SQRT_2 / 2.0;
/// More groups are not tried.
const MOST: usize = 100;
/// Copies are not farther apart.
const COPIES: f64 = 1e-6;

/// How many groups there are to be.
///
/// ```
/// use srrd::cluster::ClusterCount;
/// assert_eq!("auto".parse(), Ok(ClusterCount::Auto));
/// assert_eq!("3".parse(), Ok(ClusterCount::Given(3)));
/// assert!("0".parse::<ClusterCount>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClusterCount {
    /// As many as are clearest.
    #[default]
    Auto,
    /// So many.
    Given(usize),
}

/// Why samples cannot be grouped as asked.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClusterError {
    /// Neither a number nor `auto`.
    #[error("'{0}' is neither `auto` nor a whole number from 1 up")]
    NotACount(String),
    /// More groups than samples.
    #[error("{clusters} clusters of {samples} samples cannot be made; name at most {samples}, or auto")]
    TooMany {
        /// How many groups were asked for.
        clusters: usize,
        /// How many samples there are.
        samples: usize,
    },
    /// Not a square matrix.
    #[error("{values} distances are not those of {samples} x {samples} samples")]
    Shape {
        /// How many samples there are.
        samples: usize,
        /// How many distances were given.
        values: usize,
    },
}

impl FromStr for ClusterCount {
    type Err = ClusterError;

    fn from_str(text: &str) -> Result<Self, ClusterError> {
        match (text, text.parse::<usize>()) {
            ("auto", _) => Ok(ClusterCount::Auto),
            (_, Ok(count @ 1..)) => Ok(ClusterCount::Given(count)),
            _ => Err(ClusterError::NotACount(text.to_owned())),
        }
    }
}

/// Samples in groups.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Clusters {
    /// How many groups there are.
    pub count: usize,
    /// Whether that is the number that is clearest, not one that was asked for.
    pub auto: bool,
    /// The group of every sample, from 1 on: the largest first, of equally large ones the one with the earlier sample.
    pub labels: Vec<usize>,
    /// How well every sample fits into its group, from −1 to 1; 0 where it is alone, or where there is one group only.
    pub silhouettes: Vec<f64>,
    /// Their mean.
    pub silhouette: f64,
    /// By group: the sample with the least mean distance to the others, which stands for it.
    pub medoids: Vec<usize>,
    /// The tree that was cut.
    #[serde(skip)]
    pub tree: ClusterTree,
}

/// Groups samples by the matrix of their distances, row after row; NaN is undefined.
///
/// O(n²) time and memory.
///
/// ```
/// use srrd::cluster::{ClusterCount, cluster};
/// // Samples 0 and 2 are near each other, and so are 1 and 3.
/// let near = |a: usize, b: usize| if a == b { 0.0 } else if a % 2 == b % 2 { 0.1 } else { 0.7 };
/// let distances: Vec<f64> = (0..16).map(|cell| near(cell / 4, cell % 4)).collect();
/// let found = cluster(4, &distances, ClusterCount::Auto)?;
/// assert_eq!((found.count, found.labels), (2, vec![1, 2, 1, 2]));
/// # Ok::<(), srrd::cluster::ClusterError>(())
/// ```
///
/// # Errors
/// A matrix that is not square, or more groups than samples.
pub fn cluster(samples: usize, distances: &[f64], count: ClusterCount) -> Result<Clusters, ClusterError> {
    let tree = ClusterTree::average(samples, distances)?;
    let silhouettes = tree.silhouettes(distances);
    let mean = |groups: usize| silhouettes.iter().map(|of| of.get(groups)).sum::<f64>() / samples.max(1) as f64;
    let auto = count == ClusterCount::Auto;
    let count = match count {
        ClusterCount::Given(clusters) if clusters > samples => return Err(ClusterError::TooMany { clusters, samples }),
        ClusterCount::Given(clusters) => clusters,
        ClusterCount::Auto => {
            let mut best = (1, CLEAR);
            for groups in 2..=MOST.min(samples.saturating_sub(1)) {
                let found = mean(groups);
                if found > best.1 || (best.0 == 1 && found >= CLEAR) {
                    best = (groups, found);
                }
            }
            match best {
                (1, _) if mean_distance(samples, distances) > ALIKE => samples,
                (groups, _) => groups,
            }
        }
    };
    let labels = tree.cut(count);
    let silhouettes: Vec<f64> = match count <= MOST {
        true => silhouettes.iter().map(|of| of.get(count)).collect(),
        false => silhouettes_of(samples, distances, &labels),
    };
    let silhouette = silhouettes.iter().sum::<f64>() / samples.max(1) as f64;
    let medoids = (1..=count).map(|group| medoid(samples, distances, &labels, group)).collect();
    Ok(Clusters { count, auto, labels, silhouettes, silhouette, medoids, tree })
}

impl Clusters {
    /// The samples of a group, in the order given.
    pub fn members(&self, group: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.labels.len()).filter(move |&sample| self.labels[sample] == group)
    }
}

/// A distance as grouping takes it: the mean of both halves of the matrix where they differ, 1 where it is undefined.
fn between(samples: usize, distances: &[f64], a: usize, b: usize) -> f64 {
    let (one, other) = (distances[a * samples + b], distances[b * samples + a]);
    let distance = match (one.is_finite(), other.is_finite()) {
        (true, true) => one / 2.0 + other / 2.0,
        (true, false) => one,
        (false, true) => other,
        (false, false) => 1.0,
    };
    if distance < COPIES { 0.0 } else { distance }
}

fn mean_distance(samples: usize, distances: &[f64]) -> f64 {
    let row = |a: usize| (a + 1..samples).map(|b| between(samples, distances, a, b)).sum::<f64>();
    let pairs = samples * samples.saturating_sub(1) / 2;
    if pairs == 0 { 0.0 } else { (0..samples).map(row).sum::<f64>() / pairs as f64 }
}

/// The sample of a group with the least mean distance to the others; the first of several.
fn medoid(samples: usize, distances: &[f64], labels: &[usize], group: usize) -> usize {
    let members: Vec<usize> = (0..samples).filter(|&sample| labels[sample] == group).collect();
    let sum = |&a: &usize| members.iter().filter(|b| **b != a).map(|&b| between(samples, distances, a, b)).sum::<f64>();
    let sums: Vec<f64> = members.iter().map(sum).collect();
    let least = (0..members.len()).min_by(|&p, &q| sums[p].total_cmp(&sums[q]));
    least.map_or(0, |place| members[place])
}

/// The silhouettes of one sample for cuts at 1 to [`MOST`] groups.
struct ByCount(Vec<f64>);

impl ByCount {
    fn get(&self, groups: usize) -> f64 {
        self.0.get(groups).copied().unwrap_or(0.0)
    }
}

impl ClusterTree {
    /// The silhouettes of every sample, for every cut that is tried. Merging two groups adds up the distances to them: all cuts of a
    /// sample together take O(n) for the merges and O([`MOST`]²) for the least of the means.
    fn silhouettes(&self, distances: &[f64]) -> Vec<ByCount> {
        let samples = self.order().len();
        let most = MOST.min(samples);
        let of = |sample: usize| {
            checkpoint();
            // By group of the tree: the sum of distances to its samples, and how many they are.
            let mut groups: Vec<(f64, usize)> =
                (0..samples).map(|other| (between(samples, distances, sample, other), 1)).collect();
            groups[sample].0 = 0.0;
            let mut alive: Vec<usize> = Vec::new();
            let mut own = sample;
            let mut found = vec![0.0; most + 1];
            for (done, merge) in self.merges().iter().enumerate() {
                let left = samples - done;
                if left <= most {
                    if alive.is_empty() {
                        alive = self.roots(done);
                    }
                    found[left] = silhouette(own, &groups, &alive);
                }
                let [first, second] = merge.parts;
                groups.push((groups[first].0 + groups[second].0, groups[first].1 + groups[second].1));
                let merged = groups.len() - 1;
                own = if merge.parts.contains(&own) { merged } else { own };
                if !alive.is_empty() {
                    alive.retain(|group| !merge.parts.contains(group));
                    alive.push(merged);
                }
            }
            ByCount(found)
        };
        (0..samples).into_par_iter().map(of).collect()
    }
}

/// (b − a) / max(a, b) for a sample of the group `own`.
fn silhouette(own: usize, groups: &[(f64, usize)], alive: &[usize]) -> f64 {
    let (sum, size) = groups[own];
    if size < 2 {
        return 0.0;
    }
    let inside = sum / (size - 1) as f64;
    let others = alive.iter().filter(|group| **group != own).map(|&group| groups[group].0 / groups[group].1 as f64);
    let outside = others.fold(f64::INFINITY, f64::min);
    let larger = inside.max(outside);
    if outside.is_finite() && larger > 0.0 { (outside - inside) / larger } else { 0.0 }
}

/// The silhouettes of a cut into more groups than are tried, by the definition.
fn silhouettes_of(samples: usize, distances: &[f64], labels: &[usize]) -> Vec<f64> {
    let count = labels.iter().copied().max().unwrap_or(0);
    let of = |sample: usize| {
        checkpoint();
        let mut groups = vec![(0.0, 0usize); count + 1];
        for other in (0..samples).filter(|other| *other != sample) {
            groups[labels[other]].0 += between(samples, distances, sample, other);
            groups[labels[other]].1 += 1;
        }
        // The own group counts the sample itself, at a distance of 0.
        groups[labels[sample]].1 += 1;
        silhouette(labels[sample], &groups, &(1..=count).collect::<Vec<_>>())
    };
    (0..samples).into_par_iter().map(of).collect()
}

#[cfg(test)]
mod tests;
