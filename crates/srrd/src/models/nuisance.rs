//! How much of a disagreement properties of the responses explain that nobody asked for: their length and their format.
//!
//! Let d = a/‖a‖ − b/‖b‖, a and b the scores of two models less their means by prompt; ‖d‖² is four times the squared distance. The share that
//! properties explain is that of the least-squares fit of d by these, less their means by prompt: R² = gᵀL⁻¹g / ‖d‖², g the products of the
//! properties with d and L those among themselves. All are sums over prompts, so that the bootstrap of the other numbers covers it, too.
//!
//! Properties that have nothing to do with d explain about as much by chance as there are of them, divided by responses minus prompts.

use super::Estimated;
use super::sums::{MOST_NUISANCES, Sums};

/// Below this share of a property's own square, what others leave of it is rounding.
const TINY: f64 = 1e-9;
/// Of the squared length of both scores: below it there is no disagreement to explain.
const SAME: f64 = 1e-18;

/// Which properties go together.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Explained {
    /// What explains: `length`, `format`, or `both`.
    pub by: &'static str,
    /// The share of the squared distance that it explains.
    pub share: Estimated,
    /// The correlations within prompts of both models' scores with it, where it is one property.
    pub correlations: Option<[f64; 2]>,
}

/// The groups of properties: the first is the length, the rest is the format.
pub(super) const GROUPS: [(&str, std::ops::Range<usize>); 3] =
    [("length", 0..1), ("format", 1..MOST_NUISANCES), ("both", 0..MOST_NUISANCES)];

impl Sums {
    fn square(&self, property: usize) -> f64 {
        self.0[Sums::of_properties(property, property)]
    }

    /// The correlation within prompts of a property with the scores of A (0) or B (1).
    pub fn correlation(&self, property: usize, of: usize) -> Option<f64> {
        let length = (self.square(property) * self.0[[Sums::AA, Sums::BB][of]]).sqrt();
        (length > 0.0).then(|| self.0[Sums::with_scores(property, of)] / length)
    }

    /// The share of the squared distance that properties explain; `None` where none of them varies or there is no difference.
    pub fn explained(&self, properties: std::ops::Range<usize>) -> Option<f64> {
        let difference = 2.0 * (1.0 - self.cosine()?);
        let known: Vec<usize> = properties.filter(|&property| self.square(property) > 0.0).collect();
        if known.is_empty() || difference <= SAME {
            return None;
        }
        // In units of their own: a correlation matrix, of which a Cholesky factor is made that leaves out what others tell already.
        let unit = |property: usize| self.square(property).sqrt();
        let [a, b] = [Sums::AA, Sums::BB].map(|square| self.0[square].sqrt());
        let with_difference = |property: usize| {
            let [x, y] = [0, 1].map(|of| self.0[Sums::with_scores(property, of)]);
            (x / a - y / b) / unit(property)
        };
        let between = |one: usize, other: usize| {
            self.0[Sums::of_properties(one.max(other), one.min(other))] / (unit(one) * unit(other))
        };
        // By property: its row of the factor, and last what the difference has in the direction that is new with it; the pivot.
        let mut rows: Vec<(usize, Vec<f64>, f64)> = Vec::new();
        let mut explained = 0.0;
        for property in known {
            let mut row: Vec<f64> = Vec::with_capacity(rows.len() + 1);
            for (other, factors, pivot) in &rows {
                let sum: f64 = row.iter().zip(factors).map(|(x, y)| x * y).sum();
                row.push((between(property, *other) - sum) / pivot);
            }
            let left = 1.0 - row.iter().map(|x| x * x).sum::<f64>();
            if left <= TINY {
                continue;
            }
            let pivot = left.sqrt();
            let sum: f64 = row.iter().zip(&rows).map(|(x, (_, factors, _))| x * factors[factors.len() - 1]).sum();
            let value = (with_difference(property) - sum) / pivot;
            explained += value * value;
            row.push(value);
            rows.push((property, row, pivot));
        }
        Some((explained / difference).clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums over vectors that are centred already.
    fn sums(a: &[f64], b: &[f64], properties: &[&[f64]]) -> Sums {
        let product = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let mut sums = Sums::default();
        (sums.0[Sums::AA], sums.0[Sums::BB], sums.0[Sums::AB]) = (product(a, a), product(b, b), product(a, b));
        for (one, x) in properties.iter().enumerate() {
            sums.0[Sums::with_scores(one, 0)] = product(x, a);
            sums.0[Sums::with_scores(one, 1)] = product(x, b);
            for (other, y) in properties[..=one].iter().enumerate() {
                sums.0[Sums::of_properties(one, other)] = product(x, y);
            }
        }
        sums
    }

    #[test]
    fn a_difference_made_of_properties_is_explained_by_them() {
        let quality = [3.0, -1.0, -1.0, -1.0, 0.0];
        let length = [0.0, 1.0, -1.0, 2.0, -2.0];
        let lines = [1.0, 1.0, -2.0, 0.0, 0.0];
        let liked: Vec<f64> = (0..5).map(|i| quality[i] + 0.7 * length[i] - 0.4 * lines[i]).collect();
        // The scores are brought to one length, so that the difference is made of the quality, too; with that as a property, of nothing else.
        let all = sums(&quality, &liked, &[&length, &lines, &quality]);
        assert!((all.explained(0..3).unwrap() - 1.0).abs() < 1e-12);
        assert!(all.explained(0..2).unwrap() < 1.0);
        // Properties that tell the same count once.
        let twice: Vec<f64> = length.iter().map(|x| 3.0 * x).collect();
        let doubled = sums(&quality, &liked, &[&length, &twice]);
        assert!((doubled.explained(0..2).unwrap() - all.explained(0..1).unwrap()).abs() < 1e-12);
        // One that varies nowhere says nothing.
        assert_eq!(sums(&quality, &liked, &[&[0.0; 5]]).explained(0..1), None);
        assert_eq!(sums(&quality, &quality, &[&length]).explained(0..1), None);
    }

    #[test]
    fn one_property_explains_its_squared_correlation() {
        let a = [1.0, 2.0, -3.0, 0.5, -0.5];
        let b = [2.0, -1.0, 1.0, -3.0, 1.0];
        let x = [0.3, 1.0, -1.0, 0.2, -0.5];
        let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let d: Vec<f64> = (0..5).map(|i| a[i] / norm(&a) - b[i] / norm(&b)).collect();
        let dot: f64 = d.iter().zip(&x).map(|(d, x)| d * x).sum();
        let expected = (dot / norm(&x) / norm(&d)).powi(2);
        assert!((sums(&a, &b, &[&x]).explained(0..1).unwrap() - expected).abs() < 1e-12);
    }
}
