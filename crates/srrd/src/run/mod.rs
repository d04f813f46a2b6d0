//! How work runs: on all cores, with the same bits on any number of them, and so that it can be stopped.

pub mod cancel;
pub mod parallel;
pub mod prefetch;
pub mod random;
