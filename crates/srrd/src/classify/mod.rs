//! Who acted? Classifying samples by the rewards of their nearest neighbours.
//!
//! [`RewardKnn`] is the classifier: fit it on labelled samples, predict others. [`evaluate`] measures how well it does: random
//! splits, hyper-parameters chosen inside the training part only, the same splits for every metric, so that
//! [`welch`] can compare them.
//!
//! Rules that decide a prediction, the same everywhere:
//! - The k nearest vote, and whoever is as near as the last of them. A neighbour at an undefined distance has no vote.
//! - The class with most votes wins; among classes with equally many votes the one with the nearest neighbour, then the one with the
//!   smaller sum of distances, then the first by name.
//! - A sample without any neighbour at a defined distance gets the most frequent class of the training part; of equally frequent ones the
//!   first by name.
//!
//! So the order of the samples decides nothing.

mod distances;
mod evaluate;
mod knn;
mod scores;
mod votes;
mod welch;

pub use distances::GammaDistances;
pub use evaluate::{Evaluation, Grid, Repeat, Split, Splits, choose, evaluate};
pub use knn::{FittedKnn, Neighbour, Prediction, RewardKnn};
pub use scores::{Confusion, Scores, Spread};
pub use welch::{Welch, welch};

use thiserror::Error;

/// Why nothing can be classified.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClassifyError {
    /// Not one label per sample.
    #[error("there are {samples} samples and {labels} labels; give one label per sample")]
    Labels {
        /// How many samples there are.
        samples: usize,
        /// How many labels.
        labels: usize,
    },
    /// Too few samples.
    #[error("there are {found} samples, and {needed} are needed: {why}")]
    TooFew {
        /// How many there are.
        found: usize,
        /// How many it takes.
        needed: usize,
        /// What for.
        why: &'static str,
    },
    /// Nothing to tell apart.
    #[error("all samples have the label '{0}'; at least two classes are needed")]
    OneClass(String),
    /// A setting out of range.
    #[error("{0}")]
    Setting(String),
}

/// Labels as numbers: classes are numbered in ascending order of their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    names: Vec<String>,
    of: Vec<usize>,
}

impl Classes {
    /// Numbers the labels, one per sample.
    pub fn new<S: AsRef<str>>(labels: &[S]) -> Self {
        let mut names: Vec<String> = labels.iter().map(|label| label.as_ref().to_owned()).collect();
        names.sort_unstable();
        names.dedup();
        let number = |label: &S| names.binary_search_by(|name| name.as_str().cmp(label.as_ref()));
        let of = labels.iter().map(|label| number(label).unwrap_or_default()).collect();
        Classes { names, of }
    }

    /// The names of the classes, ascending.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The class of every sample.
    pub fn of(&self) -> &[usize] {
        &self.of
    }

    /// The samples of every class, ascending.
    pub(crate) fn members(&self) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); self.names.len()];
        self.of.iter().enumerate().for_each(|(sample, &class)| members[class].push(sample as u32));
        members
    }
}
