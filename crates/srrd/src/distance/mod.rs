//! Distances: canonical rewards in, numbers (or the reason why there is none) out.

mod matrix;
mod pair;
mod pearson;

pub use matrix::{DistanceMatrix, pairwise, pairwise_canonical};
pub use pair::{Canonical, Comparison, common_transitions, distance};
pub use pearson::{Agreement, Undefined, pearson};
