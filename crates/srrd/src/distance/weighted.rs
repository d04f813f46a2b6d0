//! The Pearson distance of vectors whose entries count differently.

use super::pearson::{Agreement, Undefined};
use crate::project::{WeightError, Weights};

/// The Pearson distance of two equally long vectors, weighted: means, variances and covariance are Σ wᵢ(…) / Σ wᵢ.
///
/// Three passes: means, variances around them, and the squared differences of the standardized vectors, from which
/// D² = Σ wᵢ(xᵢ/σ_x − yᵢ/σ_y)² / 4Σ wᵢ keeps its digits where ρ is near 1. O(n).
///
/// # Errors
/// When there are more or fewer weights than values. Inside, why there is no distance: [`Undefined::Constant`] when a vector is
/// constant, [`Undefined::TooFewCommon`] when both are empty.
///
/// # Panics
/// When the lengths of the vectors differ.
pub fn pearson_weighted(x: &[f64], y: &[f64], weights: &Weights) -> Result<Result<Agreement, Undefined>, WeightError> {
    assert_eq!(x.len(), y.len());
    weights.check(x.len())?;
    Ok(pearson(x, y, weights.as_slice(), [0.0, 0.0]))
}

/// As [`pearson_weighted`], with as many weights as values; a side whose root mean square deviation is at most its `noise` is
/// constant.
pub(super) fn pearson(x: &[f64], y: &[f64], weights: &[f64], noise: [f64; 2]) -> Result<Agreement, Undefined> {
    if x.is_empty() {
        return Err(Undefined::TooFewCommon);
    }
    let total: f64 = weights.iter().sum();
    let mean = |of: &dyn Fn(usize) -> f64| (0..x.len()).map(|i| weights[i] * of(i)).sum::<f64>() / total;
    let standardized = |v: &[f64], noise: f64| -> Option<Vec<f64>> {
        // Differences from the first value, so that the mean of a constant vector is exactly its value; in units of the largest,
        // so that squares neither overflow nor vanish.
        let middle = mean(&|i| v[i] - v[0]);
        let largest = v.iter().fold(0.0f64, |most, value| most.max((value - v[0] - middle).abs()));
        if largest <= noise {
            return None;
        }
        let around: Vec<f64> = v.iter().map(|value| (value - v[0] - middle) / largest).collect();
        let deviation = mean(&|i| around[i] * around[i]).sqrt();
        (deviation * largest > noise).then(|| around.iter().map(|value| value / deviation).collect())
    };
    let (Some(x), Some(y)) = (standardized(x, noise[0]), standardized(y, noise[1])) else {
        return Err(Undefined::Constant);
    };
    let quarter = mean(&|i| (x[i] - y[i]) * (x[i] - y[i])) / 4.0;
    let quarter = quarter.min(1.0);
    Ok(Agreement { distance: quarter.sqrt(), correlation: 1.0 - 2.0 * quarter })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whole_weights_repeat_values(
            rows in prop::collection::vec((-9.0..9.0f64, -9.0..9.0f64, 1..5usize), 3..40), shift in -1e6..1e6f64,
        ) {
            let x: Vec<f64> = rows.iter().map(|row| row.0 + shift).collect();
            let y: Vec<f64> = rows.iter().map(|row| row.1).collect();
            let weights = Weights::new(rows.iter().map(|row| row.2 as f64).collect()).unwrap();
            let repeated = |v: &[f64]| -> Vec<f64> {
                v.iter().zip(&rows).flat_map(|(&value, row)| std::iter::repeat_n(value, row.2)).collect()
            };
            let found = pearson_weighted(&x, &y, &weights).unwrap().unwrap();
            let expected = crate::pearson(&repeated(&x), &repeated(&y)).unwrap();
            prop_assert!((found.distance - expected.distance).abs() < 1e-9);
            prop_assert!((found.correlation - expected.correlation).abs() < 1e-9);
        }
    }

    #[test]
    fn what_has_no_distance_says_why() {
        let weights = Weights::new(vec![1.0, 2.0, 3.0]).unwrap();
        let (x, flat) = ([1.0, 2.0, 4.0], [1.0 / 3.0; 3]);
        assert_eq!(pearson_weighted(&x, &flat, &weights), Ok(Err(Undefined::Constant)));
        assert_eq!(pearson_weighted(&x, &x, &weights).unwrap().unwrap().distance, 0.0);
        assert_eq!(
            pearson_weighted(&x[..2], &x[..2], &weights),
            Err(WeightError::WrongLength { expected: 2, found: 3 })
        );
        let huge: Vec<f64> = x.iter().map(|v| v * 1e140).collect();
        assert!((pearson_weighted(&huge, &x, &weights).unwrap().unwrap().distance) < 1e-15);
        let empty = Weights::new(Vec::new()).unwrap();
        assert_eq!(pearson_weighted(&[], &[], &empty), Ok(Err(Undefined::TooFewCommon)));
    }
}
