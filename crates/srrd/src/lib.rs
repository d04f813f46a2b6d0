//! Do these two reward functions ask for the same behaviour?
//!
//! Rewards that differ by potential shaping, γφ(s') − φ(s), by a positive factor or by a shift have the same optimal
//! policies. `srrd` answers from sampled transitions, without training anything: it *canonicalizes* both rewards so that
//! shaping disappears and takes the Pearson distance of what is left, 0 for equivalent rewards and 1 for opposite ones.
//!
//! ```
//! use srrd::{distance, Duplicates, Metric, RewardSample, Settings};
//!
//! let a = RewardSample::from_rows(
//!     [("kitchen", "walk", "hall", 0.0), ("hall", "walk", "door", 1.0), ("hall", "wait", "hall", -0.1),
//!      ("kitchen", "wait", "kitchen", -0.1)],
//!     Duplicates::Mean,
//! )?;
//! let b = a.with_rewards(a.rewards().iter().map(|r| 2.0 * r + 5.0).collect())?;
//! let comparison = distance(&a, &b, Metric::Srrd, &Settings::default());
//! assert_eq!(comparison.common, 4);
//! println!("{:?}", comparison.distance());
//! # Ok::<(), srrd::SampleError>(())
//! ```
//!
//! The way a reward takes: [`SampleBuilder`] interns tokens and merges duplicates into a [`RewardSample`]. [`Options`] become a
//! [`Question`]. [`compare()`], [`matrix()`], [`explain()`], [`inspect()`] and [`answer::classify`] take samples and a question, and return
//! everything that was found, warnings included, as values that serialize to the JSON of the command ([`answer`]).
//!
//! Below them: a [`Pair`] knows the transitions that two samples share, and [`Measured`] what a [`Metric`] makes of them: the
//! distance, its interval ([`sure`]), and where it comes from ([`mod@explain`]). [`pairwise`] compares many samples. [`diagnose`] says how much
//! of what a metric needs was sampled, [`advise`] whether there are enough data, [`gamma`] which discount factor the data speak for,
//! [`project`] removes shaping by least squares, [`exact`] has the exact forms where a reward is known everywhere, [`theory`] what the
//! paper proves, [`classify`] tells agents apart by their rewards, [`returns`] compares what rewards
//! make of whole episodes, [`regret`] says what it costs to act on the other one, [`models`] compares
//! scores of prompts and responses.
//!
//! The library does no I/O, prints nothing and keeps no global state. Loops run on the current `rayon` pool; no result depends on its
//! size. On a pool of a [`Cancellation`](run::Cancellation) they can be stopped.

pub mod advise;
pub mod answer;
pub mod classify;
pub mod cluster;
pub mod compare;
pub mod diagnose;
mod doubt;
pub mod dynamics;
mod estimate;
pub mod exact;
pub mod explain;
pub mod gamma;
mod graph;
pub mod metric;
pub mod models;
pub mod option;
pub mod potential;
pub mod problem;
pub mod project;
pub mod question;
pub mod regress;
pub mod regret;
pub mod returns;
pub mod run;
pub mod sample;
pub mod settings;
pub mod sparse;
pub mod stats;
pub mod sure;
pub mod theory;
pub mod trajectories;
mod units;
pub mod verdict;
pub mod warning;
mod witness;
pub mod words;

/// Batches of states, or of states and actions, that a double-batch estimate sums over.
pub mod batch {
    pub use crate::estimate::batch::BatchSet;
}

pub use answer::{compare, explain, inspect, matrix};
pub use compare::{Distance, DistanceMatrix, Measured, Pair, Undefined, distance, pairwise};
pub use dynamics::Dynamics;
pub use gamma::{GammaEstimate, estimate_gamma};
pub use metric::{METRICS, Metric, MetricInfo, canonicalize};
pub use problem::{FrontEnd, Problem};
pub use question::{Options, Question};
pub use sample::{Duplicates, NamedSample, RewardSample, SampleBuilder, SampleError, Token, Transition};
pub use settings::{Choice, Gamma, Settings};
pub use trajectories::Trajectories;
pub use warning::Warning;

/// The README's Rust example is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
