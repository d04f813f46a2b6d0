//! Following what is learned from iteration to iteration: the trace, and when it is enough.
//!
//! The distance between the rewards of two successive iterations says how far learning still moves in what matters: shaping and scale
//! do not count. Once it stays small, learning policies on is of no use.

use std::sync::Arc;

use srrd::run::Steps;
use srrd::{Metric, NamedSample, RewardSample, Settings};

use crate::learned::Iterate;
use crate::problem::Problem;

/// When iterations end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patience {
    /// At the latest after so many.
    pub iterations: usize,
    /// As soon as the rewards of successive iterations are this close; `None`: only the method's own rule counts.
    pub distance: Option<f64>,
    /// How rewards are compared.
    pub metric: Metric,
    /// Whether a trace is kept.
    pub trace: bool,
}

impl Patience {
    /// So many iterations, without a trace; rewards are compared by `projected`.
    pub fn new(iterations: usize) -> Self {
        Patience { iterations, distance: None, metric: Metric::Projected, trace: false }
    }

    /// That there are iterations.
    pub(crate) fn check(self) -> Result<(), Problem> {
        match self.iterations {
            0 => Err(Problem::value("iterations", "it must be at least 1")),
            _ => Ok(()),
        }
    }

    /// Whether rewards of successive iterations are needed.
    pub fn watches(&self) -> bool {
        self.trace || self.distance.is_some()
    }
}

/// Watches the rewards of one set while they are learned.
///
/// ```
/// use srrd::{Duplicates, NamedSample, RewardSample, Settings};
/// use srrd_irl::{Iterate, Patience, Watch};
/// let ring = RewardSample::from_rows((0..5u32).flat_map(|s| [(s, 0, (s + 1) % 5, 0.0), (s, 1, s, 0.0)]), Duplicates::Mean)?;
/// let sample = NamedSample::new("ring", ring);
/// let mut watch = Watch::new(&sample, Patience { distance: Some(1e-3), ..Patience::new(100) }, Settings::default());
/// let rewards: Vec<f64> = (0..10).map(|i| f64::from(i * i % 7)).collect();
/// assert!(!watch.step(Iterate::default(), || rewards.clone()));
/// assert!(watch.step(Iterate::default(), || rewards.iter().map(|r| 2.0 * r).collect())); // the same up to scale
/// # Ok::<(), srrd::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Watch<'a> {
    sample: &'a NamedSample,
    patience: Patience,
    settings: Settings,
    last: Option<RewardSample>,
    trace: Vec<Iterate>,
    iterations: usize,
    steps: Arc<Steps>,
}

impl<'a> Watch<'a> {
    /// Of the transitions of `sample`; the settings say with which γ rewards are compared.
    pub fn new(sample: &'a NamedSample, patience: Patience, settings: Settings) -> Self {
        let steps = Arc::new(Steps::begin("iterations at most", patience.iterations as u64));
        Watch { sample, patience, settings, last: None, trace: Vec::new(), iterations: 0, steps }
    }

    /// Notes an iteration, whose number and distance are filled in, and says whether it is enough. `rewards` are asked for only where they
    /// are needed.
    pub fn step(&mut self, mut iterate: Iterate, rewards: impl FnOnce() -> Vec<f64>) -> bool {
        srrd::run::checkpoint();
        self.iterations += 1;
        self.steps.add(1);
        iterate.iteration = self.iterations;
        if self.patience.watches() {
            // Rewards that are not finite are the method's to report.
            let now = self.sample.sample.with_rewards(rewards()).ok();
            let distance = |before: RewardSample| {
                srrd::distance(&before, now.as_ref()?, self.patience.metric, &self.settings).distance()
            };
            iterate.distance = self.last.take().and_then(distance);
            self.last = now;
            if self.patience.trace {
                self.trace.push(iterate);
            }
        }
        iterate.distance.zip(self.patience.distance).is_some_and(|(distance, enough)| distance <= enough)
    }

    /// Whether another iteration is allowed.
    pub fn goes_on(&self) -> bool {
        self.iterations < self.patience.iterations
    }

    /// How many iterations there were.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// The trace.
    pub fn into_trace(self) -> Vec<Iterate> {
        self.trace
    }
}
