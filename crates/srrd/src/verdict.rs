//! Same behaviour, or not: the rule, and what would decide where the data do not.
//!
//! The rule stands on `projected`, the distance that shaping cannot change, with D its value, [low, high] its 95 % interval and a
//! [margin](Margin) μ, 0.1 unless another is given:
//!
//! 1. **unknown** if shaping leaves next to nothing of a reward (10⁻⁷ of it), fewer than 10 degrees of freedom are left, or the marks of
//!    ends contradict one another;
//! 2. **different** if low > μ, or if D > μ and there is a [witness](Witness): two sampled paths that the rewards rank oppositely and
//!    clearly. Where a few transitions carry all of a difference, as with goals, no interval is narrow, but two paths are proof;
//! 3. **same** if it is known where episodes end (marked and seen, or declared absent), D ≤ μ/5, and high ≤ 2μ;
//! 4. **unknown** otherwise, and where something speaks against the answer (`doubt.rs`): noise or chance explains a difference, large
//!    rewards that both share hide one, or γ, found from the data, decides.
//!
//! Why a fifth: of rewards of small random problems with D ≤ 0.02, 1 in 160 lost more than 5 % under one another, of those with D from 0.02
//! to 0.05 one in 12 (problems of ten kinds, long horizons among them; margin 0.1).
//!
//! Where rewards were predicted, since two samples share too few transitions, the distance itself is an estimate with an error, and D ≤ μ/2
//! will do.
//!
//! "Different" means that the rewards differ by more than shaping, scale and (where nothing ends) a shift. Some such differences do no
//! harm; [`regret`](crate::theory) tells where the dynamics are known.

use std::fmt;

use crate::compare::{InSpace, Measured, SharedEnds};
use crate::metric::Metric;
use crate::settings::SettingError;
use crate::sure::{Interval, IntervalSettings, NoInterval, Range};
pub use crate::witness::Witness;
use crate::witness::witness;
use crate::words::counted;

/// Fewer degrees of freedom tell nothing.
pub(crate) const LEAST_FREEDOM: usize = crate::advise::ENOUGH_FREEDOM;
/// Of a reward: a residual that is smaller is rounding.
const NOTHING_LEFT: f64 = 1e-7;
/// Of the margin: what is close …
const CLOSE: f64 = 0.2;
/// … and what is where the distance is an estimate.
const CLOSE_ESTIMATED: f64 = 0.5;

/// The margin μ: two rewards farther apart are different. Above 0 and at most 0.5, since unrelated ones are at 0.71.
///
/// ```
/// use srrd::verdict::Margin;
/// assert_eq!(Margin::default().get(), 0.1);
/// assert!(Margin::new(0.05).is_ok() && Margin::new(0.0).is_err() && Margin::new(0.7).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin(f64);

impl Margin {
    /// A margin.
    ///
    /// # Errors
    /// When it is not above 0 and at most 0.5.
    pub fn new(value: f64) -> Result<Self, SettingError> {
        match value > 0.0 && value <= 0.5 {
            true => Ok(Margin(value)),
            false => Err(SettingError::Margin(value)),
        }
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Default for Margin {
    fn default() -> Self {
        Margin(0.1)
    }
}

/// Whether two rewards ask for the same behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// They do, as far as the data tell.
    Same,
    /// They differ by more than what changes no behaviour.
    Different,
    /// There are not enough data to tell.
    Unknown,
}

impl Answer {
    /// The name in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            Answer::Same => "same",
            Answer::Different => "different",
            Answer::Unknown => "unknown",
        }
    }
}

/// An answer, and why.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Verdict {
    /// The answer.
    pub answer: Answer,
    /// Why.
    pub why: Why,
    /// Where they differ: two paths that the rewards rank oppositely, which can be checked by hand.
    pub witness: Option<Witness>,
}

impl Verdict {
    pub(crate) fn unknown(why: Why) -> Self {
        Verdict { answer: Answer::Unknown, why, witness: None }
    }
}

/// Why an answer is given.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Why {
    /// The distance is small, and so is the upper end of its interval.
    Close {
        /// The distance.
        distance: f64,
        /// Its interval.
        range: Range,
    },
    /// The lower end of the interval is above the margin.
    Apart {
        /// The distance.
        distance: f64,
        /// Its interval.
        range: Range,
    },
    /// The interval holds both small and large distances, but two sampled paths are ranked oppositely.
    Witnessed {
        /// The distance.
        distance: f64,
    },
    /// The interval holds both small and large distances.
    Between {
        /// The distance.
        distance: f64,
        /// Its interval.
        range: Range,
    },
    /// The interval lies between what is close and the margin: a small, real difference.
    Small {
        /// The distance.
        distance: f64,
        /// Its interval.
        range: Range,
        /// The margin from which on it counts as the same; none where no margin does.
        margin: Option<f64>,
    },
    /// Rewards were predicted where they were not sampled, and the errors leave both small and large distances possible.
    Predicted {
        /// The distance.
        distance: f64,
        /// Its interval.
        range: Range,
    },
    /// The distance is small, but a few large rewards carry it, and the others differ.
    Hidden {
        /// The distance.
        distance: f64,
        /// That of the other rewards.
        rest: f64,
        /// How many transitions carry the large ones.
        taken: usize,
    },
    /// Noise, which transitions with several rewards show, explains the distance.
    Noise {
        /// The distance.
        distance: f64,
        /// What two noisy copies of one reward would have.
        floor: f64,
    },
    /// Chance decides where actions lead, and the means over next states are close.
    Chance {
        /// The distance.
        distance: f64,
        /// That of the means.
        by_means: f64,
    },
    /// The answer hangs on γ, which the data do not tell well enough.
    GammaUncertain {
        /// Where γ may lie.
        gammas: [f64; 2],
        /// Whether the data tell it at all.
        identified: bool,
    },
    /// A table without next states says that episodes go on after some rows: nobody knows whether these are one step each.
    StepsUnknown,
    /// Nobody said where episodes end.
    EndsUnknown,
    /// No shared transition ends an episode.
    EndsUnseen,
    /// They are close, but rows that were left out, since nobody knows where they lead, carry much of a reward.
    LeftOut {
        /// The distance.
        distance: f64,
        /// Which part of its squares.
        carried: f64,
    },
    /// They differ only where the same action ends in some rows and goes on in others, as time limits make it look.
    Limits {
        /// The distance.
        distance: f64,
        /// That without these.
        without: f64,
        /// How many transitions these are.
        mixed: usize,
    },
    /// They are close, and most transitions, or those with much of a reward, lead to states that start none: any reward of these is shaping.
    NothingFollows {
        /// The distance.
        distance: f64,
        /// How many lead there.
        leading: usize,
        /// Of how many that do not end an episode.
        total: usize,
        /// Which part of the squares of a reward these carry.
        carried: f64,
    },
    /// No shared transition counts as an end, since those that are marked are not marked everywhere.
    EndsMixed {
        /// How many are marked as ends and as none.
        transitions: usize,
        /// Whether each sample marks them as one of both; else rows of one sample disagree.
        between: bool,
    },
    /// A state that an episode ended in also starts transitions, or is entered without an end.
    EndsContradict,
    /// There is no distance.
    NoDistance(crate::compare::Undefined),
    /// A reward is nothing but shaping.
    OnlyShaping,
    /// Fewer than 10 degrees of freedom.
    FewDegreesOfFreedom {
        /// How many.
        degrees_of_freedom: usize,
    },
    /// There is no valid interval.
    NoInterval(NoInterval),
}

impl fmt::Display for Why {
    // Long, but one arm per reason.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = |distance: &f64, range: &Range| {
            format!("the projected distance is {distance:.3} (95 % interval {:.3} to {:.3})", range.low, range.high)
        };
        match self {
            Why::Close { distance, range } => write!(f, "{}", found(distance, range)),
            Why::Apart { distance, range } => {
                write!(f, "{}, and shaping cannot explain it", found(distance, range))
            }
            Why::Witnessed { distance } => write!(
                f,
                "the projected distance is {distance:.3}, and the rewards rank two sampled paths oppositely, which no shaping can change"
            ),
            Why::Between { distance, range } => write!(
                f,
                "{}, which holds both same and different; more shared transitions would narrow it",
                found(distance, range)
            ),
            Why::Small { distance, range, margin } => {
                write!(
                    f,
                    "{}: the difference is real, so that more transitions would not decide whether it matters; see where the rewards \
                     differ (explain) and what it costs (regret)",
                    found(distance, range)
                )?;
                match margin {
                    Some(margin) => write!(f, "; with a margin of {margin:.2} (within) it counts as the same"),
                    None => Ok(()),
                }
            }
            Why::Predicted { distance, range } => write!(
                f,
                "{}, which holds both same and different, since rewards were predicted where they were not sampled; both rewards on the \
                 same transitions, or more episodes, would decide it",
                found(distance, range)
            ),
            Why::Hidden { distance, rest, taken } => write!(
                f,
                "the projected distance is {distance:.3}, but {} most of both rewards; without {} it is {rest:.2}; see what the \
                 difference costs (regret) and where it is (explain)",
                match taken {
                    1 => "1 transition carries".to_owned(),
                    taken => format!("{} carry", counted(*taken, "transition", "transitions")),
                },
                if *taken == 1 { "it" } else { "them" },
            ),
            Why::Noise { distance, floor } => write!(
                f,
                "the projected distance is {distance:.3}, and the noise of rewards, which transitions with several of them show, makes \
                 {floor:.3} of two copies of one reward; more visits of every transition would decide it"
            ),
            Why::Chance { distance, by_means } => write!(
                f,
                "the projected distance is {distance:.3}, but actions have several next states, and that of the means over them is \
                 {by_means:.3}; choose dynamics sampled, or give the probabilities, if chance decides where actions lead"
            ),
            Why::GammaUncertain { identified: false, .. } => {
                f.write_str("the answer hangs on gamma, which the data cannot tell; give the gamma that the rewards were made for")
            }
            Why::GammaUncertain { gammas: [low, high], .. } => write!(
                f,
                "the answer hangs on gamma, of which the data tell only that it is between {low:.3} and {high:.3}; give the gamma that \
                 the rewards were made for"
            ),
            Why::StepsUnknown => f.write_str(
                "there are no next states, and yet episodes go on after some rows; choose next shift to take the state of the row that \
                 follows, or next none if every row is a problem of one step",
            ),
            Why::EndsUnknown => f.write_str(
                "it is unknown where episodes end; mark the ends (a column `terminated`), or choose ends sinks if episodes end in \
                 states that start nothing, and ends none if they never end",
            ),
            Why::EndsUnseen => f.write_str(
                "no shared transition ends an episode, so that what happens at the ends is unseen; sample episodes to their ends, or \
                 choose ends none if they never end",
            ),
            Why::LeftOut { distance, carried } => write!(
                f,
                "the projected distance is {distance:.3}, but rows that were left out, since nobody knows where they lead, carry {:.0} % of the \
                 squares of a reward; mark where episodes end (a column `terminated`), or give these rows a next state",
                100.0 * carried,
            ),
            Why::Limits { distance, without, mixed } => write!(
                f,
                "the projected distance is {distance:.3}, but {without:.3} without {} in which an action ends that goes on in other rows; if \
                 `done` holds time limits, give them a column of their own (`truncated`), or give next states",
                counted(*mixed, "transition", "transitions"),
            ),
            Why::NothingFollows { distance, leading, total, carried } => write!(
                f,
                "the projected distance is {distance:.3}, but {leading} of {} no episode lead to states in which none starts, with {:.0} % of \
                 the squares of a reward, and shaping explains any reward there; mark where episodes end (a column `terminated`), write next \
                 states as states are written, or sample on from there",
                counted(*total, "shared transition that ends", "shared transitions that end"),
                100.0 * carried,
            ),
            Why::EndsMixed { transitions, between } => write!(
                f,
                "no shared transition counts as the end of an episode: {} marked as {} {}; mark all rows of a transition that ends \
                 episodes, and time limits as `truncated`",
                counted(*transitions, "transition is", "transitions are"),
                if *transitions == 1 { "an end" } else { "ends" },
                if *between { "in one sample and not in the other" } else { "in some of their rows and not in others" }
            ),
            Why::EndsContradict => f.write_str(
                "the marks of ends contradict one another (a state in which an episode ended also starts transitions, or is entered \
                 without an end); mark time limits as `truncated`, not as ends, and leave out rows that start in final states",
            ),
            Why::NoDistance(crate::compare::Undefined::Constant) => f.write_str(
                "nothing is left of a reward but shaping or a constant: it prefers nothing on the shared transitions, so that there is \
                 nothing to compare",
            ),
            Why::NoDistance(why) => write!(f, "the projected distance is undefined: {why}; sample more transitions"),
            Why::OnlyShaping => f.write_str(
                "what shaping leaves of a reward is less than 10⁻⁷ of it: it prefers nothing on the shared transitions, or a large \
                 constant or shaping hides what it prefers; subtract that first",
            ),
            Why::FewDegreesOfFreedom { degrees_of_freedom } => write!(
                f,
                "shaping leaves {} on the shared transitions, and {LEAST_FREEDOM} are needed; sample more transitions between the same \
                 states",
                counted(*degrees_of_freedom, "degree of freedom", "degrees of freedom")
            ),
            Why::NoInterval(why) => write!(f, "the projected distance has no valid interval: {why}"),
        }
    }
}

impl Measured<'_> {
    /// Whether the two rewards ask for the same behaviour, of a measurement by `projected`; `None` for another metric.
    ///
    /// ```
    /// use srrd::{Duplicates, Metric, Pair, RewardSample, Settings};
    /// use srrd::settings::EndRule;
    /// use srrd::verdict::{Answer, Margin};
    /// let rows = (0..12).flat_map(|s| (0..12).map(move |t| (s, 0, t, f64::from((3 * s * s + 2 * t * s) % 7))));
    /// let a = RewardSample::from_rows(rows, Duplicates::Mean)?;
    /// let shaped = a.transitions().map(|t| {
    ///     let [s, n] = [t.state, t.next_state].map(|x| x.as_int().unwrap() as f64);
    ///     2.0 * t.reward + 0.9 * n * n - s * s
    /// });
    /// let b = a.with_rewards(shaped.collect())?;
    /// let settings = Settings { ends: EndRule::None, ..Settings::default() };
    /// let (pair, opposite) = (Pair::new(&a, &b), a.with_rewards(a.rewards().iter().map(|r| -r).collect())?);
    /// assert_eq!(pair.measure(Metric::Projected, &settings).verdict(Margin::default()).unwrap().answer, Answer::Same);
    /// let pair = Pair::new(&a, &opposite);
    /// assert_eq!(pair.measure(Metric::Projected, &settings).verdict(Margin::default()).unwrap().answer, Answer::Different);
    /// # Ok::<(), srrd::SampleError>(())
    /// ```
    pub fn verdict(&self, margin: Margin) -> Option<Verdict> {
        self.verdict_with(margin, None)
    }

    /// The same, with a 95 % interval that is known already.
    pub(crate) fn verdict_with(&self, margin: Margin, known: Option<Result<Interval, NoInterval>>) -> Option<Verdict> {
        if self.metric != Metric::Projected || !self.metric.by_pair(&self.settings) {
            return None;
        }
        match self.with_marks(self.why(margin.get(), known)) {
            why @ Why::Close { distance, .. } => Some(match self.doubt_sameness(distance, margin.get()) {
                Some(doubt) => Verdict::unknown(doubt),
                None => Verdict { answer: Answer::Same, why, witness: None },
            }),
            why @ Why::Apart { distance, range } => Some(match self.doubt_difference(distance, range, margin.get()) {
                Some(doubt) => Verdict::unknown(doubt),
                None => Verdict { answer: Answer::Different, why, witness: witness(self) },
            }),
            Why::Between { distance, range } if distance > margin.get() => Some(match witness(self) {
                None => Verdict::unknown(Why::Between { distance, range }),
                witness => match self.doubt_difference(distance, range, margin.get()) {
                    Some(doubt) => Verdict::unknown(doubt),
                    None => Verdict { answer: Answer::Different, why: Why::Witnessed { distance }, witness },
                },
            }),
            why => Some(Verdict::unknown(why)),
        }
    }

    /// The reason, and where no end is seen, whether marks of ends are why.
    fn with_marks(&self, why: Why) -> Why {
        let within = self.pair.a.ends().disagreeing().max(self.pair.b.ends().disagreeing());
        let between = self.ends().map_or(0, |ends| ends.disagreeing);
        match (why, within, between) {
            (Why::EndsUnseen, 0, 0) => why,
            (Why::EndsUnseen, 0, transitions) => Why::EndsMixed { transitions, between: true },
            (Why::EndsUnseen, transitions, _) => Why::EndsMixed { transitions, between: false },
            _ => why,
        }
    }

    fn why(&self, margin: f64, known_interval: Option<Result<Interval, NoInterval>>) -> Why {
        if let Some(space) = self.in_space() {
            return self.why_predicted(space, margin, known_interval);
        }
        let (columns, found) = match self.defined() {
            Ok(defined) => defined,
            Err(_) if self.ends().is_some_and(|ends| ends.open()) => return Why::EndsUnknown,
            Err(why) => return Why::NoDistance(why),
        };
        let Some(projected) = columns.projected() else { return Why::EndsUnknown };
        let rewards = projected.rewards(self.pair);
        if rewards
            .iter()
            .zip([&columns.x, &columns.y])
            .any(|(reward, left)| length(left) < NOTHING_LEFT * length(reward))
        {
            return Why::OnlyShaping;
        }
        let degrees_of_freedom = projected.shaping().degrees_of_freedom;
        if degrees_of_freedom < LEAST_FREEDOM {
            return Why::FewDegreesOfFreedom { degrees_of_freedom };
        }
        let SharedEnds { known, ending, contradictory, .. } = projected.ends;
        if contradictory {
            return Why::EndsContradict;
        }
        let distance = found.distance;
        let interval = known_interval.unwrap_or_else(|| self.interval(&IntervalSettings::default()));
        let range = match interval {
            Ok(interval) => interval.range,
            Err(why) => return Why::without(why),
        };
        if range.low > margin {
            return Why::Apart { distance, range };
        }
        if range.low > CLOSE * margin && range.high <= margin {
            return Why::Small { distance, range, margin: margin_of(distance, range) };
        }
        if distance > CLOSE * margin || range.high > 2.0 * margin {
            return Why::Between { distance, range };
        }
        if !known {
            return Why::EndsUnknown;
        }
        // A column without a single end may be one of episodes that were cut off.
        if ending == 0 && self.settings.ends != crate::settings::EndRule::None {
            return Why::EndsUnseen;
        }
        Why::Close { distance, range }
    }

    /// The rule where rewards were predicted.
    fn why_predicted(&self, space: &InSpace, margin: f64, known: Option<Result<Interval, NoInterval>>) -> Why {
        let distance = space.agreement.distance;
        let range = match known.unwrap_or_else(|| self.interval(&IntervalSettings::default())) {
            Ok(interval) => interval.range,
            Err(why) => return Why::without(why),
        };
        match (space.ends.known, distance <= CLOSE_ESTIMATED * margin && range.high <= 2.0 * margin) {
            _ if range.low > margin => Why::Apart { distance, range },
            (_, false) => Why::Predicted { distance, range },
            (false, true) => Why::EndsUnknown,
            (true, true) => Why::Close { distance, range },
        }
    }
}

impl Why {
    /// There is no interval.
    fn without(why: NoInterval) -> Self {
        match why {
            NoInterval::EndsUnknown => Why::EndsUnknown,
            NoInterval::EndsUnseen => Why::EndsUnseen,
            why => Why::NoInterval(why),
        }
    }
}

/// The smallest margin by which a distance counts as the same, in hundredths.
fn margin_of(distance: f64, range: Range) -> Option<f64> {
    let margin = (100.0 * (distance / CLOSE).max(range.high / 2.0)).ceil() / 100.0;
    Margin::new(margin).ok().map(Margin::get)
}

fn length(values: &[f64]) -> f64 {
    let largest = values.iter().fold(0.0f64, |most, v| most.max(v.abs()));
    if largest == 0.0 { 0.0 } else { largest * values.iter().map(|v| (v / largest).powi(2)).sum::<f64>().sqrt() }
}
