//! How sure a distance is: intervals that hold the true distance at a given level.
//!
//! - `direct`, `epic`, `dard`, `srrd`: **bootstrap**. Units (transitions, or episodes where they are known) are drawn with
//!   replacement, as many as there are, and ρ is taken over what was drawn, canonical rewards staying what they are. They are *not*
//!   computed again from what was drawn: a draw holds about 63 % of the units, so its canonicalization would see a sparser sample
//!   and carry more of the very bias that sparsity brings. The interval is therefore about sampling noise only: no resampling sees
//!   the bias of a sample-based canonicalization.
//! - `projected`: **a jackknife over groups of states**, since resampling would destroy the support that it is exact on, and since
//!   transitions of the same states have rewards that go together. Where a model of the dynamics lists all that can happen, and both
//!   samples hold all of it, there is nothing else that the distance could be over: the interval is the distance itself.
//! - `projected` with potentials that are functions of features: none. Shaping that is out of a basis' reach looks like a difference. A
//!   jackknife over groups of episodes does not see that: it held the distance of none of 12 copies (`examples/functions.rs`).
//! - two samples that share no transitions: what the errors of predictions leave possible, by the triangle inequality.
//!
//! D is a decreasing function of ρ, so an interval of one is an interval of the other.

mod blocks;
mod bootstrap;
mod episodes;
mod weighted;

pub use blocks::StateBlocks;
pub(crate) use bootstrap::{expanded, percentile};
pub use episodes::Episodes;

use thiserror::Error;

use self::episodes::Units;
use self::weighted::Weighted;
use crate::compare::{Measured, Pair, Undefined};
use crate::settings::SettingError;

/// How often an interval should hold the true distance: a number between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Level(f64);

impl Level {
    /// # Errors
    /// When `value` does not lie between 0 and 1.
    pub fn new(value: f64) -> Result<Self, SettingError> {
        if value > 0.0 && value < 1.0 { Ok(Level(value)) } else { Err(SettingError::Level(value)) }
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Default for Level {
    fn default() -> Self {
        Level(0.95)
    }
}

/// How many times something is drawn: between [`LEAST`](Self::LEAST) and [`MOST`](Self::MOST).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Draws(usize);

impl Draws {
    /// With fewer draws the ends of an interval are chance.
    pub const LEAST: usize = 100;
    /// More than anyone can wait for.
    pub const MOST: usize = 10_000_000;

    /// # Errors
    /// When `count` is too small or too large.
    pub fn new(count: usize) -> Result<Self, SettingError> {
        if (Self::LEAST..=Self::MOST).contains(&count) { Ok(Draws(count)) } else { Err(SettingError::Draws(count)) }
    }

    /// The number.
    pub fn get(self) -> usize {
        self.0
    }
}

impl Default for Draws {
    fn default() -> Self {
        Draws(1000)
    }
}

/// What is drawn.
#[derive(Clone, Copy, Debug, Default)]
pub enum Resampling<'a> {
    /// Shared transitions, one by one.
    #[default]
    Transitions,
    /// Whole episodes, whose transitions stay together: those of one episode lie close to one another and tell less than as many
    /// from all over the place. A transition that several episodes met goes with one of them, drawn at random. The episodes are
    /// those of the sample that makes the interval wider, where both have any.
    Episodes {
        /// The episodes of the first sample.
        a: Option<&'a Episodes>,
        /// The episodes of the second sample.
        b: Option<&'a Episodes>,
    },
}

/// What an interval needs to know.
#[derive(Clone, Copy, Debug, Default)]
pub struct IntervalSettings<'a> {
    /// How often it should hold the true distance.
    pub level: Level,
    /// How many draws a bootstrap makes.
    pub draws: Draws,
    /// The seed of the draws.
    pub seed: u64,
    /// What is drawn.
    pub resampling: Resampling<'a>,
}

/// Two ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Range {
    /// Whether a value lies between the ends, or on one.
    pub fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// How an interval was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IntervalMethod {
    /// Quantiles of the draws.
    BootstrapPercentile(Bootstrap),
    /// A jackknife over groups of states.
    StateBlocks(StateBlocks),
    /// What prediction errors leave possible, where two samples share too few transitions.
    Predictions {
        /// How many groups of episodes told how far the errors may be off.
        groups: usize,
    },
    /// None was needed: a model lists all transitions that can happen, and all of them were sampled.
    Complete,
}

impl IntervalMethod {
    /// The name in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            IntervalMethod::BootstrapPercentile(_) => "bootstrap-percentile",
            IntervalMethod::StateBlocks(_) => "state-block-jackknife",
            IntervalMethod::Predictions { .. } => "prediction-errors",
            IntervalMethod::Complete => "complete",
        }
    }

    /// The draws, where there were any.
    pub fn bootstrap(self) -> Option<Bootstrap> {
        match self {
            IntervalMethod::BootstrapPercentile(draws) => Some(draws),
            _ => None,
        }
    }
}

/// What a bootstrap came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bootstrap {
    /// What was drawn.
    pub resampled: Resampled,
    /// How many of these units there are.
    pub units: usize,
    /// How many draws were made.
    pub draws: usize,
    /// How many of them had no distance, because a canonical reward was constant on what was drawn. They are left out.
    pub undefined_draws: usize,
}

/// What was drawn in a bootstrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resampled {
    /// Shared transitions.
    Transitions,
    /// Episodes.
    Episodes,
}

impl Resampled {
    /// The name in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            Resampled::Transitions => "transitions",
            Resampled::Episodes => "episodes",
        }
    }
}

/// An interval of a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// How often such an interval holds the true distance.
    pub level: Level,
    /// The ends.
    pub range: Range,
    /// How it was found.
    pub method: IntervalMethod,
}

/// Why there is no interval.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum NoInterval {
    /// There is no distance.
    #[error(transparent)]
    Undefined(#[from] Undefined),
    /// An interval of `projected` needs at least 5 degrees of freedom, Student's t more than 1.
    #[error("{degrees_of_freedom} degrees of freedom are too few")]
    TooFewDegreesOfFreedom {
        /// Those that are left.
        degrees_of_freedom: f64,
    },
    /// One unit tells nothing of how units differ.
    #[error("all shared transitions are of one episode: there is nothing to resample")]
    OneUnit,
    /// More than half of the draws have no distance.
    #[error("{undefined} of {draws} draws have no distance: a canonical reward was constant on what was drawn")]
    TooManyUndefinedDraws {
        /// The draws without a distance.
        undefined: usize,
        /// All draws.
        draws: usize,
    },
    /// Too few groups of states tell anything.
    #[error("only {groups} of 20 groups of states can be left out and leave enough to compare: more data are needed")]
    FewGroups {
        /// How many.
        groups: usize,
    },
    /// No shared transition ends an episode, and nobody said that episodes never end: what happens at the ends is not seen.
    #[error(
        "no shared transition ends an episode, so that a difference at the ends would go unseen: sample episodes to their ends, or choose \
         ends = none if they never end"
    )]
    EndsUnseen,
    /// Nobody said where episodes end.
    #[error(
        "it is unknown where episodes end, and some states start nothing: mark the ends (a column `terminated`), or choose ends \
         = none if episodes go on, sinks if such states are ends"
    )]
    EndsUnknown,
    /// Both rewards go with states or actions, so that chance alone makes such pairs alike or unalike.
    #[error(
        "both rewards go with states or actions (they are not independent from transition to transition), where no test is valid"
    )]
    Dependent,
    /// Potentials are functions of features, for which no method was found to hold.
    #[error("potentials are functions of features, for which no method was shown to hold")]
    FunctionsOfFeatures,
    /// The episodes are not those of the sample.
    #[error("the episodes are of a sample with {found} transitions, but this one has {expected}")]
    WrongEpisodes {
        /// The transitions of the sample.
        expected: usize,
        /// The transitions that the episodes know.
        found: usize,
    },
}

impl NoInterval {
    /// The name in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            NoInterval::Undefined(why) => why.name(),
            NoInterval::TooFewDegreesOfFreedom { .. } => "too_few_degrees_of_freedom",
            NoInterval::OneUnit => "one_unit",
            NoInterval::TooManyUndefinedDraws { .. } => "too_many_undefined_draws",
            NoInterval::WrongEpisodes { .. } => "wrong_episodes",
            NoInterval::FewGroups { .. } => "few_groups",
            NoInterval::EndsUnseen => "ends_unseen",
            NoInterval::EndsUnknown => "ends_unknown",
            NoInterval::Dependent => "dependent",
            NoInterval::FunctionsOfFeatures => "functions_of_features",
        }
    }
}

impl Measured<'_> {
    /// An interval of the distance: a bootstrap, or a jackknife over groups of states for `projected`.
    ///
    /// O(draws · shared transitions) for a bootstrap, O(20 projections) for a jackknife. The same seed gives the same interval on any
    /// number of threads.
    ///
    /// # Errors
    /// Why there is none.
    ///
    /// ```
    /// use srrd::{Duplicates, Metric, Pair, RewardSample, Settings};
    /// use srrd::sure::IntervalSettings;
    /// let reward = |k: i32| move |s: i32| (s, 0, s + 1, f64::from(s * s % 17 + k * (s % 5)));
    /// let a = RewardSample::from_rows((0..200).map(reward(0)), Duplicates::Mean)?;
    /// let b = RewardSample::from_rows((0..200).map(reward(3)), Duplicates::Mean)?;
    /// let pair = Pair::new(&a, &b);
    /// let measured = pair.measure(Metric::Direct, &Settings::default());
    /// let found = measured.interval(&IntervalSettings::default()).unwrap();
    /// assert!(found.range.holds(measured.distance().distance().unwrap()));
    /// # Ok::<(), srrd::SampleError>(())
    /// ```
    pub fn interval(&self, how: &IntervalSettings<'_>) -> Result<Interval, NoInterval> {
        let level = how.level;
        if let Some(space) = self.in_space() {
            let (range, groups) = self.of_predictions(space, level)?;
            return Ok(Interval { level, range, method: IntervalMethod::Predictions { groups } });
        }
        let (columns, estimate) = self.defined()?;
        let correlation = self.settings.correlation;
        if columns.basis().is_some() {
            return Err(NoInterval::FunctionsOfFeatures);
        }
        if let Some(projected) = columns.projected() {
            if projected.is_complete(self.pair) {
                let distance = self.metric.told(estimate.distance);
                return Ok(Interval {
                    level,
                    range: Range { low: distance, high: distance },
                    method: IntervalMethod::Complete,
                });
            }
            let (range, blocks) = self.blocks((columns, projected), estimate, how)?;
            let range = Range { low: self.metric.told(range.low), high: self.metric.told(range.high) };
            return Ok(Interval { level, range, method: IntervalMethod::StateBlocks(blocks) });
        }
        let pairs = Weighted::new(columns, correlation)?;
        let (resampled, units) = choose_units(self.pair, || pairs.influence(), how)?;
        if units.count < 2 {
            return Err(NoInterval::OneUnit);
        }
        let draws = how.draws.get();
        let distances = bootstrap::distances(&pairs, &units, draws, how.seed);
        let undefined_draws = draws - distances.len();
        if 2 * undefined_draws > draws {
            return Err(NoInterval::TooManyUndefinedDraws { undefined: undefined_draws, draws });
        }
        let range = bootstrap::percentile(&distances, bootstrap::expanded(level.get(), units.count));
        let made = Bootstrap { resampled, units: units.count, draws, undefined_draws };
        Ok(Interval { level, range, method: IntervalMethod::BootstrapPercentile(made) })
    }
}

/// The units to draw: of those that the episodes of the two samples make, the ones over which the distance varies more.
fn choose_units(
    pair: &Pair<'_>,
    influence: impl Fn() -> Vec<f64>,
    how: &IntervalSettings<'_>,
) -> Result<(Resampled, Units), NoInterval> {
    let common = &pair.common;
    let Resampling::Episodes { a, b } = how.resampling else {
        return Ok((Resampled::Transitions, Units::transitions(common.len())));
    };
    for (sample, episodes) in [pair.a, pair.b].into_iter().zip([a, b]) {
        if let Some(episodes) = episodes
            && episodes.transitions() != sample.len()
        {
            return Err(NoInterval::WrongEpisodes { expected: sample.len(), found: episodes.transitions() });
        }
    }
    let first = a.map(|episodes| Units::episodes(episodes, common.iter().map(|pair| pair.0), how.seed));
    let second = b.map(|episodes| Units::episodes(episodes, common.iter().map(|pair| pair.1), how.seed));
    Ok(match (first, second) {
        (None, None) => (Resampled::Transitions, Units::transitions(common.len())),
        (Some(only), None) | (None, Some(only)) => (Resampled::Episodes, only),
        (Some(first), Some(second)) => {
            let influence = influence();
            let variance = |units: &Units| units.sums(&influence).iter().map(|u| u * u).sum::<f64>();
            (Resampled::Episodes, if variance(&first) >= variance(&second) { first } else { second })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_valid_settings_can_be_built() {
        for value in [0.0, 1.0, -0.5, f64::NAN] {
            assert!(Level::new(value).is_err(), "{value}");
        }
        assert_eq!(Level::new(0.9).unwrap().get(), 0.9);
        assert!(Draws::new(99).is_err() && Draws::new(100).is_ok() && Draws::new(usize::MAX).is_err());
        assert!(Draws::new(5).unwrap_err().to_string().contains("between 100 and 10000000"));
    }
}
