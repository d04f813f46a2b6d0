//! How much every transition counts.

use thiserror::Error;

use crate::sample::Placement;

/// A weight for every transition of a sample, in the order of [`RewardSample::transitions`](crate::RewardSample::transitions), or
/// for every shared transition of two. Only their ratios matter.
///
/// ```
/// use srrd::{Duplicates, Projection, Gamma, SampleBuilder, Token, Weights};
/// let mut builder = SampleBuilder::new();
/// for (state, next, reward) in [(0, 1, 1.0), (1, 0, 2.0), (1, 1, 0.5), (0, 1, 1.0)] {
///     builder.push(Token::from(state), Token::from(0), Token::from(next), reward)?;
/// }
/// let (sample, placement) = builder.build_with_placement(Duplicates::Mean)?;
/// // The transition (0, 0, 1) was met twice: it counts twice.
/// let weights = Weights::counts(&placement, sample.len());
/// assert_eq!(weights.as_slice(), [1.0, 0.5, 0.5]);
/// let projection = Projection::weighted(&sample, Gamma::default(), &weights)?;
/// assert_eq!(projection.residual(sample.rewards()).len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Weights(Vec<f64>);

/// Weights that cannot be used.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum WeightError {
    /// A weight that is 0, negative, infinite or not a number.
    #[error("weight {index} is {value}, but weights must be finite and above 0")]
    NotPositive {
        /// Which, from 0.
        index: usize,
        /// The weight.
        value: f64,
    },
    /// More or fewer weights than transitions.
    #[error("there are {found} weights for {expected} transitions")]
    WrongLength {
        /// How many transitions there are.
        expected: usize,
        /// How many weights there are.
        found: usize,
    },
}

impl Weights {
    /// Checks the weights, and divides them by the largest.
    ///
    /// # Errors
    /// When a weight is not finite or not above 0, or so small beside the largest that their ratio is 0.
    pub fn new(mut weights: Vec<f64>) -> Result<Self, WeightError> {
        let most = weights.iter().fold(0.0f64, |most, w| most.max(*w));
        for (index, weight) in weights.iter_mut().enumerate() {
            let value = *weight;
            *weight /= most;
            if !(value.is_finite() && value > 0.0 && *weight > 0.0) {
                return Err(WeightError::NotPositive { index, value });
            }
        }
        Ok(Weights(weights))
    }

    /// How often every one of `transitions` transitions was met while its sample was built.
    pub fn counts(placement: &Placement, transitions: usize) -> Self {
        let mut counts = vec![0.0f64; transitions];
        placement.transition.iter().for_each(|&t| counts[t as usize] += 1.0);
        let most = counts.iter().fold(1.0f64, |most, c| most.max(*c));
        Weights(counts.into_iter().map(|count| count.max(1.0) / most).collect())
    }

    /// The weights, the largest of which is 1.
    pub fn as_slice(&self) -> &[f64] {
        &self.0
    }

    pub(crate) fn check(&self, transitions: usize) -> Result<(), WeightError> {
        if self.0.len() == transitions {
            Ok(())
        } else {
            Err(WeightError::WrongLength { expected: transitions, found: self.0.len() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_usable_weights_can_be_built() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = Weights::new(vec![1.0, bad]).unwrap_err();
            assert!(matches!(error, WeightError::NotPositive { .. }), "{bad}: {error}");
        }
        assert!(Weights::new(vec![1e-300, 1e300]).is_err());
        assert_eq!(Weights::new(vec![2.0, 8.0]).unwrap().as_slice(), [0.25, 1.0]);
        let error = Weights::new(vec![1.0]).unwrap().check(2).unwrap_err();
        assert_eq!(error.to_string(), "there are 1 weights for 2 transitions");
    }
}
