//! Distances for several discount factors at once.

use rayon::prelude::*;

use crate::compare::{Canonical, pairwise, pairwise_canonical};
use crate::metric::CanonicalForm;
use crate::metric::Metric;
use crate::run::checkpoint;
use crate::sample::RewardSample;
use crate::settings::{Gamma, Settings};

/// What an undefined distance counts as: the largest there is.
pub const FARTHEST: f64 = 1.0;

/// The distances of all pairs of samples, a matrix for every γ.
#[derive(Clone, Debug, PartialEq)]
pub struct GammaDistances {
    size: usize,
    gammas: Vec<Gamma>,
    /// One for every γ, or a single one where γ changes nothing. Undefined distances are [`FARTHEST`].
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
        let (mut matrices, mut undefined) = (Vec::new(), Vec::new());
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
                    pairwise_canonical(&canonical, settings.min_common)
                }
            };
            undefined.push(matrix.undefined().iter().filter(|(i, j, _)| i != j).count());
            matrices.push(matrix.filled(FARTHEST));
        }
        GammaDistances { size: samples.len(), gammas: gammas.to_vec(), matrices, undefined }
    }

    /// One matrix of precomputed distances, row after row, for every γ: undefined ones already filled.
    ///
    /// # Panics
    /// If a matrix is not `size` × `size`, or there is not one per γ.
    pub fn from_matrices(size: usize, gammas: Vec<Gamma>, matrices: Vec<Vec<f64>>) -> Self {
        assert_eq!(gammas.len(), matrices.len(), "one matrix per discount factor");
        assert!(matrices.iter().all(|matrix| matrix.len() == size * size), "square matrices");
        let undefined = vec![0; matrices.len()];
        GammaDistances { size, gammas, matrices, undefined }
    }

    /// How many samples.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The discount factors.
    pub fn gammas(&self) -> &[Gamma] {
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

/// For every sample the others, nearest first; at equal distance in their order.
pub(super) fn nearest_first(matrix: &[f64], size: usize) -> Vec<u32> {
    let mut order = vec![0u32; size * size.saturating_sub(1)];
    if size < 2 {
        return order;
    }
    order.par_chunks_mut(size - 1).enumerate().for_each(|(i, order)| {
        checkpoint();
        let row = &matrix[i * size..(i + 1) * size];
        let others = (0..size as u32).filter(|&j| j as usize != i);
        order.iter_mut().zip(others).for_each(|(place, j)| *place = j);
        // Stable: equal distances keep the order of the samples.
        order.sort_by(|&a, &b| row[a as usize].total_cmp(&row[b as usize]));
    });
    order
}
