//! Whole episodes: how alike two rewards judge them.
//!
//! The return of an episode is Σ γ^t r_t. Over the episodes that two rewards were recorded on:
//!
//! - **episode return correlation**: Pearson's correlation of the two returns, as they are, and without what potential shaping adds to them,
//!   γ^T φ(s_T) − φ(s_0), taken out by least squares over the potentials of first and last states. What an episode ended in has potential 0
//!   where the task was over. Two rewards that differ by shaping then have the correlation 1.
//! - **trajectory alignment**: Kendall's τ_b over pairs of episodes; against another reward, or against preferences, pairs of episodes of
//!   which someone said which is better.
//!
//! Intervals are bootstraps over episodes: they are drawn with replacement, and quantiles of what the draws came to are taken as for
//! distances. Returns without shaping stay what they are: a draw holds about 63 % of the episodes, and shaping would explain more of them.
//! Quantiles are then those of as many units as there are degrees of freedom.
//!
//! ```
//! use srrd::returns::{ReturnSettings, Walks, compare_returns};
//! use srrd::trajectories::{End, Trajectories};
//! let mut builder = Trajectories::builder();
//! for (state, reward) in [("a", 0.0), ("b", 2.0), ("c", 1.0), ("d", 5.0)] {
//!     builder.push_episode(&[state, "home"], &["go"], Some(&[reward]), End::Terminated)?;
//! }
//! let walks = Walks::numbered(builder.build());
//! let cubed = walks.trajectories.rewards().unwrap().iter().map(|r| r * r * r).collect();
//! let other = Walks::numbered(walks.trajectories.clone().with_rewards(cubed)?);
//! let found = compare_returns(&walks, &other, &ReturnSettings::default())?;
//! assert_eq!(found.tau_b.value, Ok(1.0)); // the same order
//! assert!(found.correlation.value? < 0.95); // but not in proportion
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod kendall;
mod preferences;
mod shaping;

pub use kendall::PairCounts;
pub(crate) use kendall::{Ranked, Scratch};
pub use preferences::{Preference, Preferences, compare_preferences};

use std::collections::HashMap;

use rand::RngExt;
use rayon::prelude::*;
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};
use thiserror::Error;

use crate::compare::pearson;
use crate::run::checkpoint;
use crate::run::parallel;
use crate::run::random::{Purpose, stream};
use crate::settings::Gamma;
use crate::sure::{Draws, Level, Range, expanded, percentile};
use crate::trajectories::Trajectories;

/// With fewer episodes a correlation says nothing.
pub const FEWEST_EPISODES: usize = 3;
/// Of the largest return: what of a difference is rounding.
const ROUNDING: f64 = 1e-13;

/// Episodes with the names they have in a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Walks {
    /// The episodes.
    pub trajectories: Trajectories,
    /// The name of every one of them.
    pub episodes: Vec<String>,
    /// By episode, the reward of one more step whose next state nobody knows, so that it is none of the trajectory; empty where no
    /// episode has one.
    pub beyond: Vec<Option<f64>>,
}

impl Walks {
    /// Episodes without names: they are numbered from 0.
    pub fn numbered(trajectories: Trajectories) -> Self {
        let episodes = (0..trajectories.len()).map(|number| number.to_string()).collect();
        Walks { trajectories, episodes, beyond: Vec::new() }
    }

    /// Σ γ^t r_t of every episode, with the step beyond it.
    ///
    /// ```
    /// use srrd::{Gamma, returns::Walks};
    /// use srrd::trajectories::{End, Trajectories};
    /// let mut builder = Trajectories::builder();
    /// builder.push_episode(&[0, 1, 2], &[0, 0], Some(&[1.0, 4.0]), End::Truncated)?;
    /// assert_eq!(Walks::numbered(builder.build()).returns(Gamma::new(0.5)?)?, [3.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When there are no rewards.
    pub fn returns(&self, gamma: Gamma) -> Result<Vec<f64>, ReturnsError> {
        self.sums(gamma, |episode| self.beyond(episode).unwrap_or(0.0))
    }

    fn beyond(&self, episode: usize) -> Option<f64> {
        self.beyond.get(episode).copied().flatten()
    }

    /// Σ γ^t r_t of every episode, and of what follows it.
    fn sums(&self, gamma: Gamma, then: impl Fn(usize) -> f64) -> Result<Vec<f64>, ReturnsError> {
        let of = |(number, episode): (usize, crate::trajectories::Episode<'_>)| {
            // From the end: every reward is added to what is worth γ of it.
            let rewards = if episode.is_empty() { &[] } else { episode.rewards()? };
            Some(rewards.iter().rev().fold(then(number), |later, reward| reward + gamma.get() * later))
        };
        let name = || ReturnsError::NoRewards(self.trajectories.name().to_owned());
        self.trajectories.episodes().enumerate().map(of).collect::<Option<Vec<f64>>>().ok_or_else(name)
    }

    fn places(&self) -> Result<HashMap<&str, usize>, ReturnsError> {
        let mut places = HashMap::with_capacity(self.episodes.len());
        for (place, name) in self.episodes.iter().enumerate() {
            if places.insert(name.as_str(), place).is_some() {
                return Err(ReturnsError::Twice(name.clone()));
            }
        }
        Ok(places)
    }
}

/// What is asked about returns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReturnSettings {
    /// γ
    pub gamma: Gamma,
    /// The level of intervals, where these are wanted.
    pub interval: Option<Level>,
    /// How many draws a bootstrap makes.
    pub draws: Draws,
    /// The seed of the draws.
    pub seed: u64,
}

/// Why returns cannot be compared.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ReturnsError {
    /// Demonstrations.
    #[error("{}there are no rewards to sum", .0.is_empty().then(String::new).unwrap_or_else(|| format!("{}: ", .0)))]
    NoRewards(String),
    /// One name, two episodes.
    #[error("there are two episodes '{0}'")]
    Twice(String),
    /// Nothing to compare.
    #[error("the two tables share no episode: the same episodes need the same names in the column `episode`")]
    NoneShared,
    /// An episode of the same name that is another one.
    #[error(
        "episode '{episode}' is not the same in the two tables ({what}): returns are compared on the same episodes, so give \
         different ones different names"
    )]
    Different {
        /// Its name.
        episode: String,
        /// What differs.
        what: &'static str,
    },
    /// A preference about an episode that is not there.
    #[error("row {row} of the preferences names the episode '{episode}', which the table does not hold")]
    Unknown {
        /// The row, counted from 1.
        row: usize,
        /// The name.
        episode: String,
    },
    /// A preference between an episode and itself.
    #[error("row {row} of the preferences compares the episode '{episode}' with itself")]
    Itself {
        /// The row, counted from 1.
        row: usize,
        /// The name.
        episode: String,
    },
    /// Nothing to compare with.
    #[error("there are no preferences")]
    NoPreferences,
}

/// Why a number is missing.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoNumber {
    /// Fewer than [`FEWEST_EPISODES`].
    #[error("fewer than {FEWEST_EPISODES} episodes are shared")]
    TooFewEpisodes,
    /// All returns of a reward are the same.
    #[error("all returns of a reward are the same")]
    Constant,
    /// The potentials of first and last states explain any return.
    #[error("the potentials of first and last states explain any return: no degrees of freedom are left")]
    NoDegreesOfFreedom,
}

/// A number with its interval, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// The number.
    pub value: Result<f64, NoNumber>,
    /// Its interval, where one was asked for and more than half of the draws had a number.
    pub interval: Option<Range>,
}

impl Serialize for Estimate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Estimate", 3)?;
        object.serialize_field("value", &self.value.ok())?;
        object.serialize_field("interval", &self.interval.map(|range| [range.low, range.high]))?;
        object.serialize_field("undefined", &self.value.err())?;
        object.end()
    }
}

/// How alike two rewards judge the same episodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReturnComparison {
    /// The names of the two rewards.
    pub a: String,
    /// The second.
    pub b: String,
    /// How many episodes both have.
    pub episodes: usize,
    /// How many only one of them has; they are left out.
    pub left_out: usize,
    /// γ
    pub gamma: f64,
    /// Pearson's correlation of the returns.
    pub correlation: Estimate,
    /// The same without what shaping explains of them. Of a step to a state that nobody knows shaping could explain anything: it does not count.
    pub correlation_without_shaping: Estimate,
    /// How many dimensions returns have that shaping cannot explain.
    pub degrees_of_freedom: usize,
    /// Of how many of the episodes nobody recorded how they ended. What they ended in has a potential of its own, as if they had been cut off.
    pub unknown_ends: usize,
    /// Of how many of the episodes the last reward counts in returns, and not in those without shaping: nobody knows its next state.
    pub unknown_next: usize,
    /// Kendall's τ_b over pairs of episodes.
    pub tau_b: Estimate,
    /// The level of the intervals.
    pub level: Option<f64>,
}

/// Compares the returns of two rewards on the episodes that both have.
///
/// O(n log n) for n episodes, and as much for every draw of an interval. The same seed gives the same intervals on any number of threads.
///
/// ```
/// use srrd::returns::{ReturnSettings, Walks, compare_returns};
/// use srrd::trajectories::{End, Trajectories};
/// let mut builder = Trajectories::builder();
/// for (state, reward) in [("a", 0.0), ("b", 2.0), ("c", 1.0), ("d", 5.0)] {
///     builder.push_episode(&[state, "home"], &["go"], Some(&[reward]), End::Terminated)?;
/// }
/// let walks = Walks::numbered(builder.build());
/// let found = compare_returns(&walks, &walks, &ReturnSettings::default())?;
/// assert_eq!(found.tau_b.value, Ok(1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When rewards are missing, no episode is shared, or an episode is not the same in both.
pub fn compare_returns(a: &Walks, b: &Walks, settings: &ReturnSettings) -> Result<ReturnComparison, ReturnsError> {
    let (returns_a, returns_b) = (a.returns(settings.gamma)?, b.returns(settings.gamma)?);
    let shared = shared(a, b)?;
    let of_shared = |returns_a: &[f64], returns_b: &[f64]| -> (Vec<f64>, Vec<f64>) {
        shared.iter().map(|&(i, j)| (returns_a[i], returns_b[j])).unzip()
    };
    let (x, y) = of_shared(&returns_a, &returns_b);
    let noise = [rounding(&x), rounding(&y)];
    let walks = &a.trajectories;
    let removed = shaping::ReturnShaping::new(walks, shared.iter().map(|&(i, _)| i), settings.gamma.get());
    let degrees_of_freedom = shared.len() - removed.rank();
    let correlation_without_shaping = match degrees_of_freedom {
        0 => Estimate { value: Err(NoNumber::NoDegreesOfFreedom), interval: None },
        _ => {
            let (x, y) = of_shared(&a.sums(settings.gamma, |_| 0.0)?, &b.sums(settings.gamma, |_| 0.0)?);
            let (x, y) = (removed.without(&x), removed.without(&y));
            // Least squares are less precise than sums.
            correlated(&x, &y, noise.map(|noise| 1e3 * noise), degrees_of_freedom + 1, settings)
        }
    };
    let unknown = |&&(i, _): &&(usize, usize)| walks.episode(i).end() == crate::trajectories::End::Unknown;
    Ok(ReturnComparison {
        a: walks.name().to_owned(),
        b: b.trajectories.name().to_owned(),
        episodes: shared.len(),
        left_out: a.episodes.len() + b.episodes.len() - 2 * shared.len(),
        gamma: settings.gamma.get(),
        correlation: correlated(&x, &y, noise, x.len(), settings),
        correlation_without_shaping,
        degrees_of_freedom,
        unknown_ends: shared.iter().filter(unknown).count(),
        unknown_next: shared.iter().filter(|&&(i, _)| a.beyond(i).is_some()).count(),
        tau_b: aligned(&x, &y, noise, settings),
        level: settings.interval.map(Level::get),
    })
}

/// The episodes that both have, as pairs of places, in the order of their names.
fn shared(a: &Walks, b: &Walks) -> Result<Vec<(usize, usize)>, ReturnsError> {
    let (ours, theirs) = (a.places()?, b.places()?);
    let mut shared: Vec<(usize, usize)> =
        ours.iter().filter_map(|(name, &place)| Some((place, *theirs.get(name)?))).collect();
    if shared.is_empty() {
        return Err(ReturnsError::NoneShared);
    }
    shared.sort_unstable_by_key(|&(place, _)| &a.episodes[place]);
    let [states, actions] = [
        b.trajectories.states().ids_in(a.trajectories.states()),
        b.trajectories.actions().ids_in(a.trajectories.actions()),
    ];
    for &(i, j) in &shared {
        let (one, other) = (a.trajectories.episode(i), b.trajectories.episode(j));
        let same = |ours: &[u32], theirs: &[u32], ids: &[u32]| {
            ours.iter().zip(theirs).all(|(our, their)| *our == ids[*their as usize])
        };
        let what = if one.len() != other.len() || a.beyond(i).is_some() != b.beyond(j).is_some() {
            "its lengths differ"
        } else if !same(one.states(), other.states(), &states) {
            "its states differ"
        } else if !same(one.actions(), other.actions(), &actions) {
            "its actions differ"
        } else if one.end() != other.end() {
            "it ends differently"
        } else {
            continue;
        };
        return Err(ReturnsError::Different { episode: a.episodes[i].clone(), what });
    }
    Ok(shared)
}

fn rounding(returns: &[f64]) -> f64 {
    ROUNDING * returns.iter().fold(0.0, |most: f64, r| most.max(r.abs()))
}

/// Pearson's correlation; the interval is that of so many units.
fn correlated(x: &[f64], y: &[f64], noise: [f64; 2], units: usize, settings: &ReturnSettings) -> Estimate {
    let constant = |v: &[f64], noise: f64| v.iter().all(|value| (value - v[0]).abs() <= noise);
    let value = match x.len() {
        0..FEWEST_EPISODES => Err(NoNumber::TooFewEpisodes),
        _ if constant(x, noise[0]) || constant(y, noise[1]) => Err(NoNumber::Constant),
        _ => pearson(x, y).map(|found| found.correlation).map_err(|_| NoNumber::Constant),
    };
    let draw = |counts: &[u32], (drawn_x, drawn_y): &mut (Vec<f64>, Vec<f64>)| {
        drawn_x.clear();
        drawn_y.clear();
        for (i, &count) in counts.iter().enumerate() {
            drawn_x.extend(std::iter::repeat_n(x[i], count as usize));
            drawn_y.extend(std::iter::repeat_n(y[i], count as usize));
        }
        pearson(drawn_x, drawn_y).ok().map(|found| found.correlation)
    };
    let interval = value.ok().and_then(|_| interval(x.len(), units, settings, draw));
    Estimate { value, interval }
}

/// Kendall's τ_b.
fn aligned(x: &[f64], y: &[f64], noise: [f64; 2], settings: &ReturnSettings) -> Estimate {
    let ranked = kendall::Ranked::new(x, y, noise);
    let value = match x.len() {
        0..FEWEST_EPISODES => Err(NoNumber::TooFewEpisodes),
        _ => ranked.counts(|_| 1, &mut kendall::Scratch::default()).tau_b().ok_or(NoNumber::Constant),
    };
    let draw = |counts: &[u32], scratch: &mut kendall::Scratch| ranked.counts(|i| counts[i], scratch).tau_b();
    let interval = value.ok().and_then(|_| interval(x.len(), x.len(), settings, draw));
    Estimate { value, interval }
}

/// Between the quantiles of what a number comes to on episodes that are drawn with replacement, as many as there are; `units` is how many of
/// them count. `None` where no interval is asked for, or at most half of the draws have the number.
fn interval<S: Default + Send>(
    episodes: usize,
    units: usize,
    settings: &ReturnSettings,
    number: impl Fn(&[u32], &mut S) -> Option<f64> + Sync,
) -> Option<Range> {
    let level = settings.interval?;
    let draws = settings.draws.get();
    let draw = |(counts, scratch): &mut (Vec<u32>, S), draw: usize| {
        checkpoint();
        let mut rng = stream(settings.seed, Purpose::Resample, draw);
        counts.clear();
        counts.resize(episodes, 0);
        (0..episodes).for_each(|_| counts[rng.random_range(0..episodes as u32) as usize] += 1);
        number(counts, scratch)
    };
    let pieces = (0..draws).into_par_iter().with_min_len(parallel::piece(draws));
    let made: Vec<Option<f64>> = pieces.map_init(Default::default, draw).collect();
    let mut defined: Vec<f64> = made.into_iter().flatten().collect();
    defined.sort_unstable_by(f64::total_cmp);
    (2 * defined.len() > draws && units >= 2).then(|| percentile(&defined, expanded(level.get(), units)))
}
