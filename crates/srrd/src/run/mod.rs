//! How work runs: on all cores, with the same bits on any number of them, and so that it can be watched and stopped.

mod cancel;
pub(crate) mod memory;
pub(crate) mod parallel;
pub(crate) mod prefetch;
mod progress;
pub(crate) mod random;

pub(crate) use cancel::Pace;
pub use cancel::{CancellablePool, Cancellation, Cancelled, checkpoint};
pub use memory::Large;
pub use progress::{Gauge, Seen, Steps};
pub use random::normal;
