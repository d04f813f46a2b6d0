//! How work runs: on all cores, with the same bits on any number of them, and so that it can be stopped.

mod cancel;
pub(crate) mod memory;
pub(crate) mod parallel;
pub(crate) mod prefetch;
pub(crate) mod random;

pub(crate) use cancel::Pace;
pub use cancel::{CancellablePool, Cancellation, Cancelled, checkpoint};
pub use memory::Large;
pub use random::normal;
