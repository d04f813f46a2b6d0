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
//! 4. **unknown** otherwise, and where something speaks against the answer (`doubt.rs`): noise, chance or time limits explain a difference,
//!    large rewards that both share hide one, rewards lie where nothing follows or in rows that were left out, or γ, found from the data,
//!    decides.
//!
//! Why a fifth: of rewards of small random problems with D ≤ 0.02, 1 in 160 lost more than 5 % under one another, of those with D from 0.02
//! to 0.05 one in 12 (problems of ten kinds, long horizons among them; margin 0.1).
//!
//! Where rewards were predicted, since two samples share too few transitions, the distance itself is an estimate with an error, and D ≤ μ/2
//! will do.
//!
//! "Different" means that the rewards differ by more than shaping, scale and (where nothing ends) a shift. Some such differences do no
//! harm; [`regret`](crate::theory) tells where the dynamics are known.

mod why;

use crate::compare::{InSpace, Measured, SharedEnds};
use crate::metric::Metric;
use crate::settings::SettingError;
use crate::sure::{Interval, IntervalSettings, NoInterval, Range};
pub use crate::witness::Witness;
use crate::witness::witness;
pub use why::Why;

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
