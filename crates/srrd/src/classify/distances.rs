//! Distances for several discount factors at once.

use rayon::prelude::*;

use crate::compare::{Canonical, overlap_distances, pairwise, pairwise_canonical};
use crate::metric::CanonicalForm;
use crate::metric::Metric;
use crate::run::checkpoint;
use crate::sample::RewardSample;
use crate::settings::{Gamma, Settings};

/// The distances of all pairs of samples, a matrix for every γ.
#[derive(Clone, Debug, PartialEq)]
pub struct GammaDistances {
    size: usize,
    gammas: Vec<Gamma>,
    /// One for every γ, or a single one where γ changes nothing. NaN where undefined.
    matrices: Vec<Vec<f64>>,
    undefined: Vec<usize>,
}

impl GammaDistances {
    /// Takes the distances for every γ; the γ of `settings` is not looked at.
    ///
    /// A canonical reward is a polynomial in γ, so every sample is canonicalized once; `direct` does not depend on γ and is
    /// computed once. (`projected` is no polynomial: it projects once for every γ and pair, or for every γ and sample.) O(canonicalizations + γ · shared
    /// transitions of all pairs), in parallel; 8 bytes per pair and γ.
    pub fn new<'a>(samples: &[&'a RewardSample], metric: Metric, gammas: &[Gamma], settings: &Settings) -> Self {
        let form = |sample: &&'a RewardSample| CanonicalForm::new(sample, metric, settings.estimator, settings.seed);
        let forms: Option<Vec<CanonicalForm<'_>>> =
            (!metric.by_pair(settings)).then(|| samples.par_iter().map(form).collect());
        let distinct = if metric.info().discounts { gammas } else { &gammas[..gammas.len().min(1)] };
        let mut matrices = Vec::new();
        for &gamma in distinct {
            checkpoint();
            let matrix = match &forms {
                None => pairwise(samples, metric, &Settings { gamma, ..*settings }),
                Some(forms) => {
                    let canonical: Vec<Canonical<'_>> = (samples.par_iter().zip(forms))
                        .map(|(sample, form)| {
                            Canonical::of_form(sample, form, metric, gamma).with_correlation(settings.correlation)
                        })
                        .collect();
                    pairwise_canonical(&canonical, settings)
                }
            };
            matrices.push(matrix.into_distances());
        }
        GammaDistances::of(samples.len(), gammas.to_vec(), matrices)
    }

    /// 1 − the share of common transitions ([`overlap_distances`]), the same for every γ: how well samples are told apart without a look
    /// at their rewards.
    pub fn of_overlap(samples: &[&RewardSample], gammas: &[Gamma]) -> Self {
        GammaDistances::of(samples.len(), gammas.to_vec(), vec![overlap_distances(samples, samples)])
    }

    /// One matrix of precomputed distances, row after row, for every γ: NaN where undefined.
    ///
    /// # Panics
    /// If a matrix is not `size` × `size`, or there is not one per γ.
    pub fn from_matrices(size: usize, gammas: Vec<Gamma>, matrices: Vec<Vec<f64>>) -> Self {
        assert_eq!(gammas.len(), matrices.len(), "one matrix per discount factor");
        assert!(matrices.iter().all(|matrix| matrix.len() == size * size), "square matrices");
        GammaDistances::of(size, gammas, matrices)
    }

    fn of(size: usize, gammas: Vec<Gamma>, matrices: Vec<Vec<f64>>) -> Self {
        let pairs = |matrix: &Vec<f64>| {
            (0..size).map(|i| matrix[i * size + i + 1..(i + 1) * size].iter().filter(|d| d.is_nan()).count()).sum()
        };
        let undefined = matrices.iter().map(pairs).collect();
        GammaDistances { size, gammas, matrices, undefined }
    }

    /// How many samples.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The discount factors.
    pub(crate) fn gammas(&self) -> &[Gamma] {
        &self.gammas
    }

    /// The matrix of the γ with this number, row after row.
    pub fn matrix(&self, gamma: usize) -> &[f64] {
        &self.matrices[gamma.min(self.matrices.len() - 1)]
    }

    /// Whether all γ have the same matrix.
    pub(super) fn is_constant(&self) -> bool {
        self.matrices.len() == 1
    }

    /// How many pairs of different samples have no distance, for the γ with this number.
    pub fn undefined(&self, gamma: usize) -> usize {
        self.undefined[gamma.min(self.undefined.len() - 1)]
    }
}

/// Another sample and how far it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Other {
    pub sample: u32,
    pub distance: f64,
}

/// For every sample the others at a defined distance, nearest first; at equal distance in any order.
pub(super) fn nearest_first(matrix: &[f64], size: usize) -> Vec<Vec<Other>> {
    let of = |i: usize| {
        checkpoint();
        let row = matrix[i * size..(i + 1) * size].iter().enumerate();
        let mut others: Vec<Other> = row
            .filter(|&(j, distance)| j != i && !distance.is_nan())
            .map(|(j, &distance)| Other { sample: j as u32, distance })
            .collect();
        others.sort_unstable_by(|a, b| a.distance.total_cmp(&b.distance));
        others
    };
    (0..size).into_par_iter().map(of).collect()
}
