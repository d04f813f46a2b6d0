//! Distances: canonical rewards in, numbers (or the reason why there is none) out.

mod matrix;
mod pair;
mod pearson;
mod projected;
mod weighted;

pub use matrix::{DistanceMatrix, pairwise, pairwise_canonical};
pub use pair::{Canonical, Comparison, common_transitions, distance, distance_on};
pub use pearson::{Agreement, Undefined, pearson};
pub use projected::projected_distance;
pub use weighted::pearson_weighted;
