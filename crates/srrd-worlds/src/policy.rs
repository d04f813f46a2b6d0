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
    /// A policy with one weight per action. Only their ratios matter.
    ///
    /// ```
    /// use srrd_worlds::{Policy, stream};
    /// let only_the_second = Policy::new(&[0.0, 2.0])?;
    /// assert_eq!(only_the_second.draw(&mut stream(0, "rollouts")), 1);
    /// # Ok::<(), srrd_worlds::WorldError>(())
    /// ```
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use proptest::prelude::*;

    fn frequencies(actions: usize, mut draw: impl FnMut() -> usize) -> Vec<f64> {
        let mut counts = vec![0.0; actions];
        (0..100_000).for_each(|_| counts[draw()] += 1e-5);
        counts
    }

    fn close(found: &[f64], expected: &[f64]) {
        let near = |(f, e): (&f64, &f64)| (f - e).abs() < 0.006 && (*f == 0.0) == (*e == 0.0);
        assert!(found.iter().zip(expected).all(near), "{found:?} is not {expected:?}");
    }

    #[test]
    fn actions_come_as_often_as_their_weights_say() {
        let mut rng = stream(0, "test");
        let policy = Policy::new(&[10.0, 0.0, 20.0, 70.0]).unwrap();
        close(&frequencies(4, || policy.draw(&mut rng)), &[0.1, 0.0, 0.2, 0.7]);
        let uniform = Policy::uniform(5).unwrap();
        close(&frequencies(5, || uniform.draw(&mut rng)), &[0.2; 5]);
        let many = Policy::new(&(0..20).map(f64::from).collect::<Vec<_>>()).unwrap();
        let expected: Vec<f64> = (0..20).map(|i| f64::from(i) / 190.0).collect();
        close(&frequencies(20, || many.draw(&mut rng)), &expected);
    }

    #[test]
    fn drawing_from_some_actions_is_redrawing_until_one_of_them_comes() {
        let mut rng = stream(1, "test");
        let policy = Policy::new(&[1.0, 2.0, 3.0, 0.0, 4.0]).unwrap();
        for allowed in 0..32u64 {
            if allowed & 0b10111 == 0 {
                assert_eq!(policy.draw_from(allowed, &mut rng), None, "{allowed:b}");
                continue;
            }
            let direct = frequencies(5, || policy.draw_from(allowed, &mut rng).unwrap());
            let redrawn = frequencies(5, || {
                loop {
                    let action = policy.draw(&mut rng);
                    if allowed >> action & 1 == 1 {
                        return action;
                    }
                }
            });
            assert!(direct.iter().zip(&redrawn).all(|(a, b)| (a - b).abs() < 0.009), "{direct:?} {redrawn:?}");
        }
    }

    #[test]
    fn any_of_is_uniform_over_its_set() {
        let mut rng = stream(2, "test");
        let third = 1.0 / 3.0;
        close(&frequencies(6, || any_of(0b100101, &mut rng)), &[third, 0.0, third, 0.0, 0.0, third]);
    }

    #[test]
    fn wrong_weights_are_refused() {
        let refused = |weights: &[f64]| Policy::new(weights).unwrap_err();
        assert_eq!(refused(&[]), WorldError::WeightCount(0));
        assert_eq!(refused(&[1.0; 65]), WorldError::WeightCount(65));
        assert_eq!(refused(&[1.0, -2.0]), WorldError::Weight { action: 1, weight: -2.0 });
        assert!(matches!(refused(&[f64::NAN]), WorldError::Weight { action: 0, .. }));
        assert_eq!(refused(&[0.0, 0.0]), WorldError::WeightSum(0.0));
        assert_eq!(refused(&[f64::MAX, f64::MAX]), WorldError::WeightSum(f64::INFINITY));
        assert_eq!(Policy::uniform(0).unwrap_err(), WorldError::WeightCount(0));
    }

    proptest! {
        /// A policy with a table draws what one without draws: the ninth action, which never comes, makes the difference.
        #[test]
        fn with_and_without_a_table(weights in prop::collection::vec(0u32..50, 1..=8), allowed in 0u64..256, seed: u64) {
            let mut weights: Vec<f64> = weights.into_iter().map(f64::from).collect();
            weights[0] += 1.0;
            let tabled = Policy::new(&weights).unwrap();
            weights.resize(9, 0.0);
            let plain = Policy::new(&weights).unwrap();
            prop_assert!(!tabled.bounds.is_empty() && plain.bounds.is_empty());
            let (mut one, mut other) = (stream(seed, "test"), stream(seed, "test"));
            for _ in 0..50 {
                let drawn = tabled.draw_from(allowed, &mut one);
                prop_assert_eq!(drawn, plain.draw_from(allowed, &mut other));
                if let Some(action) = drawn {
                    prop_assert!(allowed >> action & 1 == 1 && weights[action] > 0.0);
                }
            }
        }
    }
}
