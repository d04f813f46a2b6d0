//! The distance of two samples.

use std::borrow::Cow;

use super::measured::Measured;
use super::pearson::{Agreement, Undefined};
use super::ranks::{Correlation, agreement};
use crate::metric::{CanonicalForm, Metric};
use crate::project::Shaping;
use crate::run::{Pace, checkpoint};
use crate::sample::{ABSENT, RewardSample};
use crate::settings::{Gamma, Settings};

/// A sample with canonical rewards: what distances are taken of.
#[derive(Clone, Debug)]
pub struct Canonical<'a> {
    pub(super) sample: &'a RewardSample,
    pub(super) values: Vec<f64>,
    /// The mean of the values, around which correlations are summed.
    pub(super) center: f64,
    /// How far apart values may be that are equal but for rounding.
    pub(super) noise: f64,
    pub(super) correlation: Correlation,
}

impl<'a> Canonical<'a> {
    /// Canonicalizes a sample.
    pub fn new(sample: &'a RewardSample, metric: Metric, settings: &Settings) -> Self {
        let form = CanonicalForm::new(sample, metric, settings.estimator, settings.seed);
        Self::of_form(sample, &form, metric, settings.gamma).with_correlation(settings.correlation)
    }

    /// As [`new`](Self::new), from a form that serves several discount factors; compared by Pearson's correlation.
    pub(crate) fn of_form(sample: &'a RewardSample, form: &CanonicalForm<'_>, metric: Metric, gamma: Gamma) -> Self {
        checkpoint();
        let noise = metric.rounding(sample, form.largest_prediction());
        let values = form.at(gamma);
        let center = values.iter().sum::<f64>() / values.len() as f64;
        Canonical { sample, values, center, noise, correlation: Correlation::Pearson }
    }

    /// The same, to be compared by another correlation.
    #[must_use]
    pub(crate) fn with_correlation(self, correlation: Correlation) -> Self {
        Canonical { correlation, ..self }
    }

    /// The canonical rewards, in the order of [`RewardSample::transitions`].
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// A canonical reward, less the mean of all.
    #[inline]
    pub(crate) fn around_center(&self, transition: u32) -> f64 {
        self.values[transition as usize] - self.center
    }

    /// The canonical rewards of some transitions, distinct and ascending, less the mean of all.
    pub(super) fn into_centred(self, transitions: impl ExactSizeIterator<Item = u32>) -> Vec<f64> {
        match transitions.len() == self.values.len() {
            // All of them, in the memory that they have.
            true => self.values.into_iter().map(|value| value - self.center).collect(),
            false => transitions.map(|transition| self.around_center(transition)).collect(),
        }
    }

    /// How far apart values may be that are equal but for rounding.
    pub(crate) fn noise(&self) -> f64 {
        self.noise
    }

    /// The distance to another sample over the transitions that both hold, by the correlation of this one. Of the settings it takes
    /// `min_common` and `shrinkage`.
    pub fn distance(&self, other: &Canonical<'_>, settings: &Settings) -> Distance {
        self.distance_on(other, &common_transitions(self.sample, other.sample), settings)
    }

    fn distance_on(&self, other: &Canonical<'_>, common: &[(u32, u32)], settings: &Settings) -> Distance {
        let outcome = if common.len() < settings.min_common.max(1) {
            Err(Undefined::TooFewCommon)
        } else {
            let at = |i: usize| {
                let (i, j) = common[i];
                (self.around_center(i), other.around_center(j))
            };
            agreement(self.correlation, common.len(), at, [self.noise, other.noise])
                .map(|found| found.shrunk(settings.shrinkage, common.len()))
        };
        Distance { common: common.len(), outcome, shaping: None }
    }
}

/// The distance of two samples by one metric, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Distance {
    /// How many transitions both samples hold.
    pub common: usize,
    /// The distance, or why there is none.
    pub outcome: Result<Agreement, Undefined>,
    /// For `projected` on the support of the pair: what shaping can explain on the shared transitions.
    pub shaping: Option<Shaping>,
}

impl Distance {
    /// The distance, if it is defined.
    pub fn distance(&self) -> Option<f64> {
        self.outcome.ok().map(|a| a.distance)
    }

    /// The correlation, if it is defined.
    pub fn correlation(&self) -> Option<f64> {
        self.outcome.ok().map(|a| a.correlation)
    }

    /// Why there is no distance.
    pub fn undefined(&self) -> Option<Undefined> {
        self.outcome.err()
    }
}

/// The distance of two samples: D = sqrt((1 − ρ) / 2), ρ the [correlation](Correlation) (Pearson's unless the settings say
/// otherwise) of their canonical rewards over the transitions that both hold.
///
/// Symmetric; D(a, a) = 0; in [0, 1]. The triangle inequality holds among samples with the same transitions.
/// O(canonicalization + transitions).
///
/// ```
/// use srrd::{distance, Duplicates, Metric, RewardSample, Settings};
/// let sample = |k: f64| {
///     let rows = (0..5).flat_map(|s| (0..5).map(move |t| (s, 0, t, f64::from(s * t % 7) + k * f64::from(t - s))));
///     RewardSample::from_rows(rows, Duplicates::Mean)
/// };
/// // The second reward adds γφ(s') − φ(s) with φ(s) = 3s (γ = 1): the same behaviour, other numbers.
/// let (plain, shaped) = (sample(0.0)?, sample(3.0)?);
/// let settings = Settings { gamma: srrd::Gamma::new(1.0).unwrap(), ..Settings::default() };
/// assert!(distance(&plain, &shaped, Metric::Srrd, &settings).distance().unwrap() < 1e-12);
/// assert!(distance(&plain, &shaped, Metric::Direct, &settings).distance().unwrap() > 0.5);
/// # Ok::<(), srrd::SampleError>(())
/// ```
pub fn distance(a: &RewardSample, b: &RewardSample, metric: Metric, settings: &Settings) -> Distance {
    Pair::new(a, b).distance(metric, settings)
}

/// Two samples and the transitions they share, found once for all that is asked about them.
///
/// ```
/// use srrd::{Duplicates, Metric, Pair, RewardSample, Settings};
/// let rows = (0..6).flat_map(|s| (0..6).map(move |t| (s, 0, t, f64::from((3 * s + 2 * t) % 7))));
/// let a = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let b = a.with_rewards(a.rewards().iter().map(|r| r * r).collect())?;
/// let pair = Pair::new(&a, &b);
/// assert_eq!(pair.common().len(), 36);
/// let settings = Settings::default();
/// let [direct, srrd] = [Metric::Direct, Metric::Srrd].map(|metric| pair.distance(metric, &settings));
/// assert!(direct.distance().is_some() && srrd.distance().is_some());
/// # Ok::<(), srrd::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pair<'a> {
    pub(crate) a: &'a RewardSample,
    pub(crate) b: &'a RewardSample,
    pub(crate) common: Vec<(u32, u32)>,
}

impl<'a> Pair<'a> {
    /// Finds the shared transitions. O(n + m).
    pub fn new(a: &'a RewardSample, b: &'a RewardSample) -> Self {
        Pair { a, b, common: common_transitions(a, b) }
    }

    /// The shared transitions, as pairs of indices into the two samples, ascending.
    pub fn common(&self) -> &[(u32, u32)] {
        &self.common
    }

    /// The rewards of the two samples on the shared transitions.
    pub fn rewards(&self) -> [Cow<'a, [f64]>; 2] {
        // What shares all of its transitions shares them in their order.
        let on = |rewards: &'a [f64], index: fn(&(u32, u32)) -> u32| match rewards.len() == self.common.len() {
            true => Cow::Borrowed(rewards),
            false => self.common.iter().map(|both| rewards[index(both) as usize]).collect(),
        };
        [on(self.a.rewards(), |both| both.0), on(self.b.rewards(), |both| both.1)]
    }

    /// The distance by one metric.
    pub fn distance(&self, metric: Metric, settings: &Settings) -> Distance {
        if metric.by_pair(settings) {
            return self.measure(metric, settings).distance();
        }
        let [a, b] = self.canonical(metric, settings);
        a.distance_on(&b, &self.common, settings)
    }

    /// Whether it is a sample and itself.
    pub(crate) fn is_one(&self) -> bool {
        std::ptr::eq(self.a, self.b)
    }

    /// Both by themselves, by a metric that does so.
    pub(crate) fn canonical(&self, metric: Metric, settings: &Settings) -> [Canonical<'a>; 2] {
        let of = |sample| Canonical::new(sample, metric, settings);
        if self.is_one() {
            let both = of(self.a);
            return [both.clone(), both];
        }
        rayon::join(|| of(self.a), || of(self.b)).into()
    }

    /// Both canonical rewards side by side: the distance, how sure it is and where it comes from, canonicalized once.
    pub fn measure(&self, metric: Metric, settings: &Settings) -> Measured<'_> {
        Measured::new(self, metric, settings)
    }
}

/// The transitions that both samples hold, as pairs of indices, ascending. O(n + m).
///
/// ```
/// use srrd::compare::common_transitions;
/// use srrd::{Duplicates, RewardSample};
/// let a = RewardSample::from_rows([("home", "walk", "park", 1.0), ("park", "walk", "home", 0.5)], Duplicates::Mean)?;
/// let b = RewardSample::from_rows([("park", "walk", "home", 7.0), ("park", "wait", "park", 2.0)], Duplicates::Mean)?;
/// let shared = common_transitions(&a, &b);
/// assert_eq!(shared.len(), 1);
/// let (in_a, in_b) = shared[0];
/// assert_eq!((a.rewards()[in_a as usize], b.rewards()[in_b as usize]), (0.5, 7.0));
/// # Ok::<(), srrd::SampleError>(())
/// ```
pub fn common_transitions(a: &RewardSample, b: &RewardSample) -> Vec<(u32, u32)> {
    checkpoint();
    let states = b.states.ids_in(&a.states);
    let actions = b.actions.ids_in(&a.actions);
    // Both lists are sorted by (state, next state, action) in token order, and the ids of the first keep that order.
    let theirs = (b.ids().enumerate()).filter_map(|(j, (s, u, t))| {
        let key = (states[s as usize], states[t as usize], actions[u as usize]);
        (key.0 != ABSENT && key.1 != ABSENT && key.2 != ABSENT).then_some((key, j as u32))
    });
    let mut ours = (0u32..).zip(a.ids().map(|(s, u, t)| (s, t, u))).peekable();
    let mut common = Vec::with_capacity(a.len().min(b.len()));
    let mut pace = Pace::default();
    for (key, j) in theirs {
        pace.spend(1);
        while ours.next_if(|&(_, ours)| ours < key).is_some() {}
        match ours.peek() {
            Some(&(i, ours)) if ours == key => common.push((i, j)),
            Some(_) => {}
            None => break,
        }
    }
    if common.len() < common.capacity() / 2 {
        common.shrink_to_fit();
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Duplicates;

    fn sample(rows: &[(&str, &str, &str, f64)]) -> RewardSample {
        RewardSample::from_rows(rows.iter().copied(), Duplicates::Mean).unwrap()
    }

    #[test]
    fn shared_transitions_are_found_by_token() {
        let a = sample(&[("b", "x", "c", 1.0), ("a", "x", "b", 2.0), ("a", "y", "b", 3.0), ("10", "x", "9", 4.0)]);
        let b = sample(&[("a", "y", "b", 5.0), ("10", "x", "9", 6.0), ("c", "y", "b", 7.0), ("b", "z", "c", 8.0)]);
        let shared: Vec<(f64, f64)> = common_transitions(&a, &b)
            .into_iter()
            .map(|(i, j)| (a.rewards()[i as usize], b.rewards()[j as usize]))
            .collect();
        assert_eq!(shared, [(4.0, 6.0), (3.0, 5.0)]);
    }

    #[test]
    fn undefined_comparisons_say_why() {
        let a = sample(&[("a", "x", "b", 1.0), ("b", "x", "a", 2.0), ("a", "x", "a", 4.0)]);
        let settings = Settings::default();
        let short = sample(&[("a", "x", "b", 1.0), ("b", "x", "a", 2.0), ("a", "x", "d", 4.0)]);
        let comparison = distance(&a, &short, Metric::Srrd, &settings);
        assert_eq!((comparison.common, comparison.undefined()), (2, Some(Undefined::TooFewCommon)));
        let flat = a.with_rewards(vec![0.1; 3]).unwrap();
        assert_eq!(distance(&a, &flat, Metric::Direct, &settings).undefined(), Some(Undefined::Constant));
        assert_eq!(distance(&a, &a, Metric::Direct, &settings).distance(), Some(0.0));
    }

    #[test]
    fn means_that_differ_by_rounding_are_constant() {
        let a = sample(&[
            ("a", "x", "b", 0.2),
            ("b", "x", "a", 0.2),
            ("a", "x", "a", 0.1),
            ("a", "x", "a", 0.2),
            ("a", "x", "a", 0.3),
        ]);
        let b = sample(&[("a", "x", "b", 1.0), ("b", "x", "a", 3.0), ("a", "x", "a", 7.0)]);
        assert_eq!(distance(&a, &b, Metric::Direct, &Settings::default()).undefined(), Some(Undefined::Constant));
    }

    #[test]
    fn what_is_left_of_pure_shaping_is_constant_not_noise() {
        let potential = |s: i32| f64::from(s * s % 11) * 1.7;
        let rows = |k: f64| {
            let pairs = (0..8).flat_map(|s| (0..8).map(move |t| (s, t)));
            pairs.map(move |(s, t)| {
                (s, 0, t, k * (0.7 * potential(t) - potential(s)) + (1.0 - k) * f64::from((s * 3 + t) % 5))
            })
        };
        let pure = RewardSample::from_rows(rows(1.0), Duplicates::Mean).unwrap();
        let other = RewardSample::from_rows(rows(0.2), Duplicates::Mean).unwrap();
        let settings = Settings { gamma: Gamma::new(0.7).unwrap(), ..Settings::default() };
        for metric in [Metric::Epic, Metric::Dard, Metric::Srrd] {
            assert_eq!(distance(&pure, &other, metric, &settings).undefined(), Some(Undefined::Constant), "{metric}");
        }
    }
}
