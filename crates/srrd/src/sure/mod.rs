//! How sure a distance is: intervals, tests against chance, and what noise in rewards leaves possible.

pub mod chance;
pub mod interval;
pub mod noise;
