//! A pair of samples seen by one metric: canonicalized once, asked several things.

use super::columns::Columns;
use super::pair::{Distance, Pair};
use super::pearson::{Agreement, Undefined};
use super::ranks::Correlation;
use super::shared::SharedEnds;
use super::space::{InSpace, Predicted};
use crate::metric::Metric;
use crate::potential::{BasisUsed, Potential};
use crate::project::Shaping;
use crate::settings::{EndRule, Settings, Support};

/// The canonical rewards of two samples on the transitions they share, and all that is computed from them.
///
/// ```
/// use srrd::{Duplicates, Metric, Pair, RewardSample, Settings};
/// use srrd::sure::IntervalSettings;
/// let reward = |k: i32| move |s: i32| (s, 0, s + 1, f64::from(s * s % 17 + k * (s % 5)));
/// let a = RewardSample::from_rows((0..200).map(reward(0)), Duplicates::Mean)?;
/// let b = RewardSample::from_rows((0..200).map(reward(3)), Duplicates::Mean)?;
/// let (pair, settings) = (Pair::new(&a, &b), Settings::default());
/// let measured = pair.measure(Metric::Direct, &settings);
/// let d = measured.distance().distance().unwrap();
/// let range = measured.interval(&IntervalSettings::default()).unwrap().range;
/// assert!(range.low < d && d < range.high);
/// assert_eq!(measured.explanation().unwrap().transitions.len(), 200);
/// # Ok::<(), srrd::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Measured<'a> {
    pub(crate) pair: &'a Pair<'a>,
    pub(crate) metric: Metric,
    pub(crate) settings: Settings,
    columns: Result<Columns, (Undefined, Option<Shaping>)>,
    /// Where rewards were predicted.
    space: Option<InSpace>,
    outcome: Result<Agreement, Undefined>,
}

impl<'a> Measured<'a> {
    pub(super) fn new(pair: &'a Pair<'a>, metric: Metric, settings: &Settings) -> Self {
        if predicts(pair, metric, settings) {
            let space = InSpace::new(pair, settings);
            let outcome = space.as_ref().map(|space| space.agreement).map_err(|why| *why);
            let columns = Err((outcome.err().unwrap_or(Undefined::TooFewCommon), None));
            return Measured { pair, metric, settings: *settings, columns, space: space.ok(), outcome };
        }
        let columns = Columns::new(pair, metric, settings);
        let outcome = match &columns {
            Ok(columns) => columns.agreement(settings),
            Err((why, _)) => Err(*why),
        };
        Measured { pair, metric, settings: *settings, columns, space: None, outcome }
    }

    /// The metric.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The distance: to the last bit that of [`distance`](crate::distance).
    pub fn distance(&self) -> Distance {
        let shaping = match &self.columns {
            Ok(columns) => columns.shaping(),
            Err((_, shaping)) => *shaping,
        };
        let common = self.pair.common.len();
        // What shaping can explain says nothing: residuals are worth their degrees of freedom.
        let known = shaping.map_or(common, |shaping| shaping.degrees_of_freedom);
        let worth = self.space.as_ref().map_or(known, |space| space.used.rows[0].min(space.used.rows[1]));
        let outcome = self.outcome.map(|found| {
            let shrunk = found.shrunk(self.settings.shrinkage, worth);
            Agreement { distance: self.metric.told(shrunk.distance), ..shrunk }
        });
        Distance { common, outcome, shaping }
    }

    /// For `projected` on the shared transitions: what is known of their ends.
    pub fn ends(&self) -> Option<SharedEnds> {
        match &self.space {
            Some(space) => Some(space.ends),
            None => self.columns.as_ref().ok()?.projected().map(|projected| projected.ends),
        }
    }

    /// Where potentials are functions of features: of which, and what they explain of the rewards where they were not fitted.
    pub(crate) fn basis(&self) -> Option<BasisUsed> {
        self.columns.as_ref().ok()?.basis()
    }

    /// Where two samples in one space share too few transitions: what predictions of their rewards stand on.
    pub(crate) fn predicted(&self) -> Option<Predicted> {
        self.space.as_ref().map(|space| space.used)
    }

    /// The comparison by predictions, if it is one.
    pub(crate) fn in_space(&self) -> Option<&InSpace> {
        self.space.as_ref()
    }

    /// Where it is unknown which transitions end an episode and some states start nothing: the distance with those states as ends.
    pub fn distance_if_ends(&self) -> Option<Distance> {
        self.ends().filter(SharedEnds::open)?;
        Some(self.pair.distance(self.metric, &Settings { ends: EndRule::Sinks, ..self.settings }))
    }

    /// The columns and their distance, where it is defined: that of their correlation, whatever the metric makes of it.
    pub(crate) fn defined(&self) -> Result<(&Columns, Agreement), Undefined> {
        match &self.columns {
            Ok(columns) => Ok((columns, self.outcome?)),
            Err((why, _)) => Err(*why),
        }
    }
}

/// Whether rewards are predicted: potentials are functions of features, and there are too few transitions on which both are known, or the
/// caller wants it so.
fn predicts(pair: &Pair<'_>, metric: Metric, settings: &Settings) -> bool {
    let by_functions = settings.potential != Potential::Tabular && metric.by_pair(settings);
    let few = pair.common.len() < settings.min_common.max(1);
    // There are no ranks of what is only predicted.
    by_functions && settings.correlation == Correlation::Pearson && (few || settings.support == Support::Space)
}
