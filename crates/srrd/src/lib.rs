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
//! The way a reward takes: [`SampleBuilder`] interns tokens and merges duplicates into a [`RewardSample`];
//! [`CanonicalForm`] holds what a [`Metric`] computes once a state; [`Canonical`] is a sample with canonical rewards;
//! [`distance`] and [`pairwise`] correlate those over shared transitions. [`term_coverage`] says how much of what a metric
//! needs was sampled, [`interval`](fn@interval) and [`chance`](fn@chance) how sure a distance is, [`noise_floor`] how small
//! it can get, [`estimate_gamma`] which discount factor the data speak for ([`Projection`] removes shaping by least squares), [`explain`](fn@explain) where two rewards differ,
//! [`advise`](fn@advise) whether there are enough data to say so. [`Tabular`] computes the exact forms where a reward
//! is known everywhere, [`theory`] has what the paper proves: what is left of shaping, bounds on it, and the bound on regret.
//! [`classify`] tells agents apart by their rewards.
//!
//! The library does no I/O, prints nothing and keeps no global state. Loops run on the current `rayon` pool; no result
//! depends on its size. On a pool of a [`Cancellation`] they can be stopped.

mod advise;
pub mod answer;
pub mod classify;
mod compare;
mod diagnose;
pub mod dynamics;
mod estimate;
mod exact;
mod explain;
mod gamma;
mod graph;
mod metric;
mod option;
mod problem;
mod project;
mod question;
mod regress;
mod run;
mod sample;
mod settings;
pub mod stats;
mod sure;
pub mod theory;
pub mod trajectories;
mod units;
mod warning;
pub mod words;

pub use advise::{Advice, OneStep, Reason, StateGain, Together, advise};
pub use answer::{compare, explain, inspect, matrix};
pub use compare::{
    Agreement, Canonical, Correlation, Distance, DistanceMatrix, Measured, Pair, Undefined, common_transitions,
    cross_distances, distance, embed, pairwise, pairwise_canonical, pearson, spearman,
};
pub use diagnose::{MetricCoverage, TermCoverage, term_coverage};
pub use dynamics::Dynamics;
pub use estimate::batch::BatchSet;
pub use exact::{ExactError, Tabular};
pub use explain::{Contribution, Explanation, StateShare};
pub use gamma::{GammaEstimate, estimate_gamma};
pub use metric::{CanonicalForm, METRICS, Metric, MetricInfo, canonicalize};
pub use option::{Given, Group, OPTIONS, OptionInfo};
pub use problem::{FrontEnd, Problem};
pub use project::{Projection, Shaping};
pub use question::{Certainty, Options, Question, Settled};
pub use regress::{Prediction, RewardTable, TableError};
pub use run::cancel::{CancellablePool, Cancellation, Cancelled, checkpoint};
pub use sample::{
    BytesError, DuplicateCounts, Duplicates, LARGEST_REWARD, NamedSample, Placement, RewardSample, SampleBuilder,
    SampleError, Token, Transition, Vocabulary,
};
pub use settings::{
    Actions, Batch, Choice, Discount, Estimator, EstimatorName, FEW_COMMON, Gamma, Regression, RegressionName,
    SettingError, Settings, Support, TreeLimits,
};
pub use sure::chance::{Chance, ChanceSettings, ChanceTest};
pub use sure::interval::{
    Bootstrap, Draws, Episodes, Interval, IntervalMethod, IntervalSettings, Level, NoInterval, Range, Resampled,
    Resampling,
};
pub use sure::noise::{NoiseFloor, RewardNoise};
pub use trajectories::Trajectories;
pub use warning::{Warning, undefined as undefined_in_words};

/// The README's Rust example is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
