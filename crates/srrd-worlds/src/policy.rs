//! Agents that draw their actions by fixed weights.

use crate::error::WorldError;
use crate::random::{CERTAIN, Stream, below, bits63};

/// For up to so many actions the bounds of every set of allowed actions are kept (16 KB for 8 actions).
const TABLED: usize = 8;

/// The same weights for the actions in every state.
///
/// An action is drawn by cumulative weights with 63 random bits. Where a world allows only some actions, redrawing until
/// one is allowed has the distribution of the weights of the allowed ones; that is drawn from directly, in one go.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    weights: Vec<f64>,
    /// The actions with a weight above 0, as bits.
    possible: u64,
    /// For every set of possible actions, as bits, the cumulative weights scaled to 2⁶³; empty for many actions.
    bounds: Vec<u64>,
}

impl Policy {
    /// A policy with one weight an action. Only their ratios matter.
    ///
    /// # Errors
    /// When there are no weights or more than 64, one is negative or not finite, or all are 0.
    pub fn new(weights: &[f64]) -> Result<Self, WorldError> {
        if weights.is_empty() || weights.len() > 64 {
            return Err(WorldError::WeightCount(weights.len()));
        }
        if let Some(action) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
            return Err(WorldError::Weight { action, weight: weights[action] });
        }
        let sum: f64 = weights.iter().sum();
        if !(sum > 0.0 && sum.is_finite()) {
            return Err(WorldError::WeightSum(sum));
        }
        let possible = (weights.iter().enumerate()).filter(|(_, w)| **w > 0.0).fold(0, |set, (i, _)| set | 1u64 << i);
        let mut bounds = Vec::new();
        if weights.len() <= TABLED {
            for set in 0..1u64 << weights.len() {
                bounds.extend(bounds_of(weights, set & possible));
            }
        }
        Ok(Policy { weights: weights.to_vec(), possible, bounds })
    }

    /// All of `actions` actions alike.
    ///
    /// # Errors
    /// When there are none, or more than 64.
    pub fn uniform(actions: usize) -> Result<Self, WorldError> {
        Policy::new(&vec![1.0; actions])
    }

    /// How many actions it draws from.
    pub fn actions(&self) -> usize {
        self.weights.len()
    }

    /// The weights as given.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Draws an action.
    #[inline]
    pub fn draw(&self, rng: &mut Stream) -> usize {
        self.pick(self.possible, rng)
    }

    /// Draws one of the actions whose bits are set in `allowed`; `None` when none of them has a weight above 0.
    #[inline]
    pub fn draw_from(&self, allowed: u64, rng: &mut Stream) -> Option<usize> {
        let allowed = allowed & self.possible;
        (allowed != 0).then(|| self.pick(allowed, rng))
    }

    /// `allowed` is not empty, and all in it are possible.
    #[inline]
    fn pick(&self, allowed: u64, rng: &mut Stream) -> usize {
        let actions = self.weights.len();
        let draw = bits63(rng);
        if self.bounds.is_empty() {
            return bounds_of(&self.weights, allowed).filter(|bound| *bound <= draw).count();
        }
        let row = allowed as usize * actions;
        self.bounds[row..row + actions].iter().filter(|bound| **bound <= draw).count()
    }
}

/// The cumulative weights of the actions in `set`, scaled to 2⁶³; exactly that from the last one on, so that every draw
/// falls below it.
fn bounds_of(weights: &[f64], set: u64) -> impl Iterator<Item = u64> + '_ {
    let weight = move |action: usize| if set >> action & 1 == 1 { weights[action] } else { 0.0 };
    let total: f64 = (0..weights.len()).map(weight).sum();
    let last = 63 - (set | 1).leading_zeros() as usize;
    let mut sum = 0.0;
    (0..weights.len()).map(move |action| {
        sum += weight(action);
        if action >= last { CERTAIN } else { (sum / total * CERTAIN as f64) as u64 }
    })
}

/// Draws one of the bits set in `set` uniformly, whatever anybody's weights are.
///
/// # Panics
/// If `set` is empty.
pub(crate) fn any_of(set: u64, rng: &mut Stream) -> usize {
    let mut left = set;
    for _ in 0..below(u64::from(set.count_ones()), rng) {
        left &= left - 1;
    }
    assert!(left != 0, "there is something to choose from");
    left.trailing_zeros() as usize
}
