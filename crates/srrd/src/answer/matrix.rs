//! The distances of all pairs of samples.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::used::Used;
use crate::cluster::{ClusterCount, Clusters, cluster};
use crate::compare::{DistanceMatrix, Undefined, pairwise};
use crate::metric::Metric;
use crate::problem::Problem;
use crate::question::Question;
use crate::sample::NamedSample;
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
    let question = &question.fitting(samples);
    let metric = question.metric("a matrix is")?;
    DistanceMatrix::check_memory(samples.len())?;
    let mut settled = question.settle(samples)?;
    let used = Used::new(question, &settled);
    let mut warnings = std::mem::take(&mut settled.warnings);
    let distances = pairwise(&settled.rewards(), metric, &settled.settings);
    let names: Vec<String> = samples.iter().map(|named| named.name.clone()).collect();
    let pairs = distances.size() * distances.size().saturating_sub(1) / 2;
    let apart = || distances.undefined().filter(|(i, j, _)| i != j);
    if let Some((i, j, why)) = apart().next() {
        let first = [names[i].clone(), names[j].clone()];
        warnings.push(Warning::UndefinedPairs { undefined: apart().count(), pairs, first, at: [i, j], why });
    }
    if let Some(advised) = question.advised(samples).filter(|advised| *advised != metric && !question.is_chosen()) {
        warnings.push(Warning::OtherAdvised { metric, advised });
    }
    if distances.few_common() > 0 {
        warnings.push(Warning::FewCommonPairs { few: distances.few_common(), pairs });
    }
    let labels = samples.iter().map(|named| named.label.clone()).collect();
    Ok(Matrix { names, labels, metric, used, distances, warnings })
}

impl Matrix {
    /// The samples in groups by their distances.
    ///
    /// # Errors
    /// More groups than samples.
    pub fn clusters(&self, count: ClusterCount) -> Result<Clusters, Problem> {
        cluster(self.names.len(), self.distances.as_slice(), count).map_err(Problem::Clusters)
    }

    /// The pairs without a distance, samples with themselves included.
    pub fn undefined(&self) -> impl Iterator<Item = UndefinedPair<'_>> {
        self.distances.undefined().map(|(i, j, why)| UndefinedPair { a: &self.names[i], b: &self.names[j], why })
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
        map.serialize_entry("samples", &self.names)?;
        map.serialize_entry("metric", &self.metric)?;
        self.used.entries(&mut map)?;
        map.serialize_entry("settings", &self.used)?;
        map.serialize_entry("few_common", &self.distances.few_common())?;
        map.serialize_entry("undefined", &self.undefined().collect::<Vec<_>>())?;
        map.serialize_entry("warnings", &self.warnings)?;
        map.end()
    }
}
