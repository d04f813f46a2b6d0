//! Rewards where they were not sampled: ridge regression on functions of the features of a transition.
//!
//! The functions are those that potentials are made of (1, the features, their products, random waves), here of *all* features of a row.
//! How many of them and how large a ridge is judged on episodes that were left out. A fit is kept for every fold, so that a prediction of
//! another sample is made from as many rows as one of a fold that was left out: both are as good, and can be compared.

use rayon::prelude::*;

use super::Potential;
use super::basis::{Basis, Discounting, Row, StateFeatures};
use super::design::Design;
use super::fit::{self, Fold};
use super::groups::{FOLDS, Groups};

/// How many random waves there are.
const WAVES: usize = 256;
/// Parts of their squared lengths by which those of all functions but the constant are increased.
const RIDGES: [f64; 4] = [1e-6, 1e-4, 1e-2, 1.0];
/// A row that "ends": its vector is −Ψ, the functions themselves but for the sign.
const PLAIN: Discounting = Discounting { gamma: 0.0, ends: true };

/// The features of the transitions of two samples, one row after the other.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    features: StateFeatures,
    basis: Basis,
}

impl Rows {
    /// So many features per row.
    pub fn new(values: Vec<f64>, count: usize, seed: u64) -> Self {
        let features = StateFeatures::of_values(values, count);
        let basis = Basis::new(&[&features], &[Potential::Fourier(WAVES)], seed);
        Rows { features, basis }
    }

    /// The features of some rows at mean 0 and standard deviation 1, and how many vary.
    pub fn standardized(&self, rows: impl Iterator<Item = u32>) -> (Vec<f64>, usize) {
        self.basis.standardized(&self.features, rows)
    }

    fn design(&self) -> Design {
        Design { basis: self.basis.clone(), features: self.features.clone(), how: PLAIN }
    }
}

/// What was learned from the rows of one sample.
pub(crate) struct Predictor {
    design: Design,
    /// One column per fold.
    weights: Vec<f64>,
    folds: usize,
    /// The values of its own rows, predicted without the fold they are in.
    pub own: Vec<f64>,
}

impl Predictor {
    /// Learns one value per row. Rows have numbers in `among`; whole groups are left out.
    pub fn new(among: &Rows, rows: &[u32], values: &[f64], groups: &Groups, seed: u64) -> Self {
        let design = among.design();
        let rows: Vec<Row> = rows.iter().map(|&state| Row { state, next: None }).collect();
        let folds = groups.lots(seed, FOLDS, usize::MAX);
        let parts: Vec<Fold> = folds.iter().map(|fold| Fold::new(&design, &rows, values, 1, fold)).collect();
        let classes = design.basis.levels().len() + 1;
        let fits: Vec<(usize, usize)> =
            (0..RIDGES.len()).flat_map(|ridge| (0..parts.len()).map(move |fold| (ridge, fold))).collect();
        let fitted: Vec<(Vec<f64>, Vec<f64>)> = fits
            .par_iter()
            .map(|&(ridge, fold)| {
                let weights = fit::without(&design, &parts, fold, RIDGES[ridge], 1);
                let mut rest: Vec<f64> =
                    parts[fold].values.iter().flat_map(|v| std::iter::repeat_n(*v, classes)).collect();
                design.subtract(&parts[fold].rows, Some(&weights), &mut rest, classes);
                (weights, rest)
            })
            .collect();
        let squares = |ridge: usize, class: usize| -> f64 {
            let of = &fitted[ridge * parts.len()..][..parts.len()];
            of.iter().flat_map(|(_, rest)| rest.iter().skip(class).step_by(classes)).map(|v| v * v).sum()
        };
        let choices = (0..RIDGES.len()).flat_map(|ridge| (0..classes).map(move |class| (ridge, class)));
        let (ridge, class) =
            choices.min_by(|a, b| squares(a.0, a.1).total_cmp(&squares(b.0, b.1))).expect("there are ridges");
        let taken = &fitted[ridge * parts.len()..][..parts.len()];
        let mut own = vec![0.0; rows.len()];
        for (fold, (_, rest)) in folds.iter().zip(taken) {
            let left = rest.iter().skip(class).step_by(classes);
            fold.iter().zip(left).for_each(|(&row, left)| own[row as usize] = values[row as usize] - left);
        }
        let count = parts.len();
        let mut weights = vec![0.0; design.basis.len() * count];
        for (fold, (all, _)) in taken.iter().enumerate() {
            let column = all.iter().skip(class).step_by(classes);
            column.enumerate().for_each(|(j, weight)| weights[j * count + fold] = *weight);
        }
        Predictor { design, weights, folds: count, own }
    }

    /// Values of other rows, predicted without one fold after the other.
    pub fn at(&self, rows: &[u32]) -> Vec<Vec<f64>> {
        let rows: Vec<Row> = rows.iter().map(|&state| Row { state, next: None }).collect();
        let mut values = vec![0.0; rows.len() * self.folds];
        self.design.subtract(&rows, Some(&self.weights), &mut values, self.folds);
        (0..self.folds).map(|fold| values.iter().skip(fold).step_by(self.folds).map(|v| -v).collect()).collect()
    }
}
