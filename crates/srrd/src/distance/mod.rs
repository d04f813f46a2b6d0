//! Distances: canonical rewards in, numbers (or the reason why there is none) out.

mod correlation;
mod cross;
mod matrix;
mod pair;
mod pearson;
mod projected;
mod shared;
mod weighted;

pub(crate) use correlation::RankOrder;
pub use correlation::{Correlation, spearman};
pub use cross::cross_distances;
pub use matrix::{DistanceMatrix, pairwise, pairwise_canonical};
pub use pair::{Canonical, Comparison, common_transitions, distance, distance_on};
pub use pearson::{Agreement, Undefined, pearson};
pub use projected::projected_distance;
pub(crate) use shared::Shared;
pub use weighted::pearson_weighted;
