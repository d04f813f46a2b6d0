//! Distances: canonical rewards in, numbers (or the reason why there is none) out.

mod matrix;
mod pair;
mod pearson;
mod projected;

pub use matrix::{DistanceMatrix, pairwise, pairwise_canonical};
pub use pair::{Canonical, Comparison, common_transitions, distance, distance_on};
pub use pearson::{Agreement, Undefined, pearson};
pub use projected::Shaping;
