//! Matrices of the distances of all pairs: kept in a file while they are computed, so that they may be larger than the memory and a process
//! that was killed can go on, and written as square tables.

mod kept;
mod store;
mod write;

pub use kept::KeptMatrix;
pub use write::MatrixWriter;
