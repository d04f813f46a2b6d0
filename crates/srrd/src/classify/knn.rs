//! The classifier: fit on labelled samples, predict others.

use rayon::prelude::*;

use super::votes::{Votes, most_frequent};
use super::{Classes, ClassifyError};
use crate::compare::{Canonical, distance};
use crate::metric::Metric;
use crate::sample::RewardSample;
use crate::settings::Settings;

/// A k-nearest-neighbour classifier of reward samples, not yet fitted.
///
/// ```
/// use srrd::classify::RewardKnn;
/// use srrd::{Duplicates, Metric, RewardSample, Settings};
/// let sample = |offset: f64| {
///     let rows = (0..30u32).map(|i| (i % 6, 0u32, (i * i + 1) % 7, (f64::from(i % 6) * offset).sin()));
///     RewardSample::from_rows(rows, Duplicates::First)
/// };
/// let train = [sample(1.0)?, sample(1.1)?, sample(3.0)?, sample(3.1)?];
/// let knn = RewardKnn::new(1, Metric::Srrd, Settings::default())?.fit(&train, &["calm", "calm", "wild", "wild"])?;
/// let unknown = sample(3.05)?;
/// let predictions = knn.predict(&[&unknown]);
/// assert_eq!(predictions[0].label, "wild");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RewardKnn {
    k: usize,
    metric: Metric,
    settings: Settings,
}

impl RewardKnn {
    /// With `k` neighbours under a metric.
    ///
    /// # Errors
    /// When `k` is 0.
    pub fn new(k: usize, metric: Metric, settings: Settings) -> Result<Self, ClassifyError> {
        if k == 0 {
            return Err(ClassifyError::Setting("the number of neighbours must be at least 1".to_owned()));
        }
        Ok(RewardKnn { k, metric, settings })
    }

    /// Takes labelled samples. They are canonicalized now, once.
    ///
    /// # Errors
    /// When there is not one label per sample, or no sample.
    pub fn fit<'a, S: AsRef<str>>(
        self,
        samples: &'a [RewardSample],
        labels: &[S],
    ) -> Result<FittedKnn<'a>, ClassifyError> {
        if samples.len() != labels.len() {
            return Err(ClassifyError::Labels { samples: samples.len(), labels: labels.len() });
        }
        if samples.is_empty() {
            return Err(ClassifyError::TooFew { found: 0, needed: 1, why: "there is nothing to learn from" });
        }
        let canonical = (!self.metric.by_pair(&self.settings))
            .then(|| samples.par_iter().map(|sample| Canonical::new(sample, self.metric, &self.settings)).collect());
        Ok(FittedKnn { knn: self, classes: Classes::new(labels), samples, canonical })
    }
}

/// A fitted classifier.
#[derive(Clone, Debug)]
pub struct FittedKnn<'a> {
    knn: RewardKnn,
    classes: Classes,
    samples: &'a [RewardSample],
    /// `None` where a distance takes the pair as a whole.
    canonical: Option<Vec<Canonical<'a>>>,
}

/// A neighbour that voted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// Its number among the training samples.
    pub sample: usize,
    /// Its distance.
    pub distance: f64,
}

/// What a sample was taken for, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The class.
    pub label: String,
    /// The classes with votes, in ascending order of their names.
    pub votes: Vec<(String, usize)>,
    /// Who voted, nearest first; at equal distance in the order of the training samples. None where no distance is defined: then the
    /// label is the most frequent one.
    pub neighbours: Vec<Neighbour>,
    /// How many training samples have no defined distance.
    pub undefined: usize,
}

impl FittedKnn<'_> {
    /// Predicts the class of every sample. O(canonicalizations + samples · training samples · transitions), in parallel.
    pub fn predict(&self, samples: &[&RewardSample]) -> Vec<Prediction> {
        samples.par_iter().map(|sample| self.predict_one(sample)).collect()
    }

    fn predict_one(&self, sample: &RewardSample) -> Prediction {
        let RewardKnn { k, metric, settings } = &self.knn;
        let distances: Vec<Option<f64>> = match &self.canonical {
            Some(canonical) => {
                let own = Canonical::new(sample, *metric, settings);
                canonical.iter().map(|other| own.distance(other, settings).distance()).collect()
            }
            None => self.samples.iter().map(|other| distance(sample, other, *metric, settings).distance()).collect(),
        };
        let undefined = distances.iter().filter(|distance| distance.is_none()).count();
        let mut neighbours: Vec<Neighbour> = (distances.iter().enumerate())
            .filter_map(|(sample, d)| d.map(|distance| Neighbour { sample, distance }))
            .collect();
        neighbours.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        // Who is as near as the k-th votes, too.
        if let Some(&Neighbour { distance: last, .. }) = neighbours.get(k - 1) {
            neighbours.truncate(neighbours.partition_point(|neighbour| neighbour.distance <= last));
        }
        let (of, classes) = (self.classes.of(), self.classes.names());
        let mut votes = Votes::new(classes.len());
        neighbours.iter().for_each(|neighbour| votes.add(of[neighbour.sample], neighbour.distance));
        let winner = votes.winner().unwrap_or_else(|| most_frequent(classes.len(), of.iter().copied()));
        Prediction {
            label: classes[winner].clone(),
            votes: votes.counts().map(|(class, count)| (classes[class].clone(), count)).collect(),
            neighbours,
            undefined,
        }
    }
}
