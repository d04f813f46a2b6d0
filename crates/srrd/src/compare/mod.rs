//! Comparing rewards: canonical rewards in, numbers (or the reason why there is none) out.

mod columns;
mod cross;
mod embed;
mod index;
mod matrix;
mod measured;
mod outcomes;
mod overlap;
mod pair;
mod pairs;
mod pearson;
mod ranks;
mod shared;
mod space;

pub(crate) use columns::{Columns, Projected, by_row, mean_projection};
pub use cross::{Block, cross_distances};
pub use embed::embed;
pub use matrix::{DistanceMatrix, pairwise, pairwise_canonical};
pub use measured::Measured;
pub(crate) use outcomes::Outcomes;
pub use overlap::overlap_distances;
pub use pair::{Canonical, Distance, Pair, common_transitions, distance};
pub use pairs::{Band, Pairs};
pub use pearson::{Agreement, Undefined, pearson};
pub use ranks::{Correlation, spearman};
pub(crate) use ranks::{RankOrder, agreement_of_residuals};
pub use shared::SharedEnds;
pub(crate) use shared::{Row, shared_rows};
pub(crate) use space::InSpace;
pub use space::Predicted;
