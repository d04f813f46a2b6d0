//! How sure a distance is: intervals, tests against chance, and what noise in rewards leaves possible.
//!
//! They are methods of [`Measured`](crate::compare::Measured): [`interval`](crate::compare::Measured::interval),
//! [`chance`](crate::compare::Measured::chance), [`noise_floor`](crate::compare::Measured::noise_floor).

mod chance;
pub(crate) mod dependence;
mod interval;
mod noise;

pub use chance::{Chance, ChanceSettings, ChanceTest};
pub use interval::{
    Bootstrap, Draws, Episodes, Interval, IntervalMethod, IntervalSettings, Level, NoInterval, Range, Resampled,
    Resampling, StateBlocks,
};
pub(crate) use interval::{expanded, percentile};
pub use noise::{NoiseFloor, RewardNoise};
