//! The distances of all pairs of samples: at once, or in bands of rows for matrices that are larger than the memory.

use std::cell::Cell;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::used::Used;
use crate::cluster::{ClusterCount, Clusters, cluster};
use crate::compare::{Band, DistanceMatrix, Pairs, Undefined, pairwise};
use crate::metric::Metric;
use crate::problem::Problem;
use crate::question::{Question, Settled};
use crate::sample::{NamedSample, RewardSample};
use crate::settings::Settings;
use crate::warning::Warning;

/// The distances of all pairs of samples by one metric.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Matrix {
    /// The names of the samples.
    pub names: Vec<String>,
    /// Their labels, if they have any.
    pub labels: Vec<Option<String>>,
    /// The metric.
    pub metric: Metric,
    /// The settings.
    pub used: Used,
    /// The distances.
    pub distances: DistanceMatrix,
    /// What to know before the numbers are trusted.
    pub warnings: Vec<Warning>,
}

/// A pair without a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct UndefinedPair<'a> {
    /// The name of the first sample.
    pub a: &'a str,
    /// The name of the second sample.
    pub b: &'a str,
    /// Why.
    pub why: Undefined,
}

/// Compares all pairs of samples.
///
/// ```
/// use srrd::{Duplicates, NamedSample, Options, RewardSample, matrix};
/// let rows = (0..6).flat_map(|s| (0..6).map(move |t| (s, 0, t, f64::from((3 * s + 2 * t) % 7))));
/// let a = NamedSample::new("a", RewardSample::from_rows(rows, Duplicates::Mean)?);
/// let b = NamedSample::new("b", a.sample.with_rewards(a.sample.rewards().iter().map(|r| r * r).collect())?);
/// let answer = matrix(&[&a, &b], &Options::default().question()?)?;
/// assert_eq!(answer.distances.get(0, 0), Some(0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Several metrics, samples that can share no transition, or that the estimator cannot take; more samples than there is memory for
/// the distances of all pairs of them.
pub fn matrix(samples: &[&NamedSample], question: &Question) -> Result<Matrix, Problem> {
    DistanceMatrix::check_memory(samples.len())?;
    let asked = AllPairs::new(samples, question)?;
    let distances = pairwise(&asked.settled.rewards(), asked.metric, &asked.settled.settings);
    let mut tally = Tally { few_common: distances.few_common(), ..Tally::default() };
    distances.undefined().for_each(|pair| tally.add_undefined(pair));
    Ok(asked.overview(tally).with(distances))
}

/// A question about all pairs of samples, ready to be answered band by band.
///
/// ```
/// use srrd::answer::{AllPairs, Tally};
/// use srrd::{Duplicates, NamedSample, Options, RewardSample};
/// let rows = (0..6).flat_map(|s| (0..6).map(move |t| (s, 0, t, f64::from((3 * s + 2 * t) % 7))));
/// let a = NamedSample::new("a", RewardSample::from_rows(rows, Duplicates::Mean)?);
/// let b = NamedSample::new("b", a.sample.with_rewards(a.sample.rewards().iter().map(|r| r * r).collect())?);
/// let samples = [&a, &b];
/// let asked = AllPairs::new(&samples, &Options::default().question()?)?;
/// let (pairs, mut tally) = (asked.pairs(), Tally::default());
/// for row in 0..2 {
///     let band = pairs.band(row..row + 1);
///     assert_eq!(band.cells[0], 0.0);
///     tally.add(&band);
/// }
/// drop(pairs);
/// assert_eq!(asked.overview(tally).tally.undefined, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AllPairs<'a> {
    settled: Settled<'a>,
    metric: Metric,
    used: Used,
    /// Where another metric fits the samples better than the default one.
    advised: Option<Metric>,
    model: Vec<u8>,
}

impl<'a> AllPairs<'a> {
    /// Checks the question and settles it on the samples.
    ///
    /// # Errors
    /// Several metrics, samples that can share no transition, or that the estimator cannot take.
    pub fn new(samples: &[&'a NamedSample], question: &Question) -> Result<Self, Problem> {
        let question = &question.fitting(samples);
        let metric = question.metric("a matrix is")?;
        let settled = question.settle(samples)?;
        let used = Used::new(question, &settled);
        let advised = (!question.is_chosen()).then(|| question.advised(samples)).flatten();
        let advised = advised.filter(|advised| *advised != metric);
        let model = question.model().map(RewardSample::to_bytes).unwrap_or_default();
        Ok(AllPairs { settled, metric, used, advised, model })
    }

    /// The metric: the one that was named, or that fits the samples.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The settings, γ included.
    pub fn settings(&self) -> &Settings {
        &self.settled.settings
    }

    /// What there is to know about the samples, whatever their distances are.
    pub fn warnings(&self) -> &[Warning] {
        &self.settled.warnings
    }

    /// The metric that fits the samples better, where none was named.
    pub fn advised(&self) -> Option<Metric> {
        self.advised
    }

    /// The pairs. Every sample is canonicalized here.
    pub fn pairs(&self) -> Pairs<'_> {
        Pairs::new(&self.settled.rewards(), self.metric, &self.settled.settings)
    }

    /// Shows `each` all that the distances depend on, piece by piece: two questions that show the same have the same answer.
    pub fn identity(&self, mut each: impl FnMut(&[u8])) {
        let settings = (&self.settled.settings, self.used.regression, self.metric);
        each(format!("{} {settings:?}", env!("CARGO_PKG_VERSION")).as_bytes());
        each(&self.model);
        for named in &self.settled.samples {
            each(named.name.as_bytes());
            named.sample.each_of_bytes(&mut each);
        }
    }

    /// All but the distances, of which `tally` was made.
    pub fn overview(self, tally: Tally) -> Overview {
        let AllPairs { settled, metric, used, advised, .. } = self;
        let mut warnings = settled.warnings;
        let names: Vec<String> = settled.samples.iter().map(|named| named.name.clone()).collect();
        let labels = settled.samples.iter().map(|named| named.label.clone()).collect();
        let first = tally.first.map(|(i, j, _)| [names[i].clone(), names[j].clone()]);
        warnings.extend(tally.warnings(names.len(), first, metric, advised));
        Overview { names, labels, metric, used, tally, warnings }
    }
}

/// What is counted over the bands of a matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many pairs (i < j) have no distance.
    pub undefined: usize,
    /// The first of them, and why.
    pub first: Option<(usize, usize, Undefined)>,
    /// How many pairs (i < j) have a distance over few shared transitions.
    pub few_common: usize,
}

impl Tally {
    /// Counts a band. Bands are counted in the order of their rows.
    pub fn add(&mut self, band: &Band) {
        self.few_common += band.few_common;
        band.undefined.iter().for_each(|&pair| self.add_undefined(pair));
    }

    /// What to know about the distances of so many samples by `metric`, where `advised` fits them better; `first` are the names of the first
    /// two without a distance.
    pub fn warnings(
        &self,
        samples: usize,
        first: Option<[String; 2]>,
        metric: Metric,
        advised: Option<Metric>,
    ) -> Vec<Warning> {
        let pairs = samples * samples.saturating_sub(1) / 2;
        let undefined = self.first.zip(first).map(|((i, j, why), first)| Warning::UndefinedPairs {
            undefined: self.undefined,
            pairs,
            first,
            at: [i, j],
            why,
        });
        let advised = advised.map(|advised| Warning::OtherAdvised { metric, advised });
        let few = (self.few_common > 0).then_some(Warning::FewCommonPairs { few: self.few_common, pairs });
        undefined.into_iter().chain(advised).chain(few).collect()
    }

    /// Counts a pair without a distance; a sample with itself does not count.
    pub fn add_undefined(&mut self, (i, j, why): (usize, usize, Undefined)) {
        if i != j {
            self.undefined += 1;
            self.first.get_or_insert((i, j, why));
        }
    }
}

/// A matrix without its distances, which are elsewhere.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Overview {
    /// The names of the samples.
    pub names: Vec<String>,
    /// Their labels, if they have any.
    pub labels: Vec<Option<String>>,
    /// The metric.
    pub metric: Metric,
    /// The settings.
    pub used: Used,
    /// What was counted.
    pub tally: Tally,
    /// What to know before the numbers are trusted.
    pub warnings: Vec<Warning>,
}

impl Overview {
    /// Together with its distances.
    pub fn with(self, distances: DistanceMatrix) -> Matrix {
        let Overview { names, labels, metric, used, warnings, .. } = self;
        Matrix { names, labels, metric, used, distances, warnings }
    }

    /// The entries of the answer's object; `undefined` are the pairs without a distance, samples with themselves included.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn entries<M: SerializeMap>(
        &self,
        map: &mut M,
        undefined: impl Iterator<Item = (usize, usize, Undefined)>,
    ) -> Result<(), M::Error> {
        let Overview { names, metric, used, tally, warnings, .. } = self;
        entries(map, (names, *metric, used, tally.few_common, warnings), undefined)
    }
}

impl Matrix {
    /// The samples in groups by their distances.
    ///
    /// # Errors
    /// More groups than samples.
    pub fn clusters(&self, count: ClusterCount) -> Result<Clusters, Problem> {
        cluster(self.names.len(), self.distances.as_slice(), count).map_err(Problem::Clusters)
    }
}

impl Serialize for UndefinedPair<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("a", self.a)?;
        map.serialize_entry("b", self.b)?;
        map.serialize_entry("undefined", self.why.name())?;
        map.end()
    }
}

/// A summary: the distances themselves are a table of their own.
impl Serialize for Matrix {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let Matrix { names, metric, used, distances, warnings, .. } = self;
        entries(&mut map, (names, *metric, used, distances.few_common(), warnings), distances.undefined())?;
        map.end()
    }
}

fn entries<M: SerializeMap>(
    map: &mut M,
    (names, metric, used, few_common, warnings): (&[String], Metric, &Used, usize, &[Warning]),
    undefined: impl Iterator<Item = (usize, usize, Undefined)>,
) -> Result<(), M::Error> {
    map.serialize_entry("samples", names)?;
    map.serialize_entry("metric", &metric)?;
    used.entries(map)?;
    map.serialize_entry("settings", used)?;
    map.serialize_entry("few_common", &few_common)?;
    let pair = |(i, j, why): (usize, usize, Undefined)| UndefinedPair { a: &names[i], b: &names[j], why };
    map.serialize_entry("undefined", &OneByOne(Cell::new(Some(undefined.map(pair)))))?;
    map.serialize_entry("warnings", warnings)
}

/// A list that is made while it is written: there may be as many pairs as half the distances.
struct OneByOne<I>(Cell<Option<I>>);

impl<I: Iterator<Item: Serialize>> Serialize for OneByOne<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.take().into_iter().flatten())
    }
}
