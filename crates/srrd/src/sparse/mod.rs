//! Sparse symmetric positive definite systems N x = b: the order of elimination and the pattern once, the numbers as often as they
//! change.
//!
//! ```
//! use srrd::sparse::Symmetric;
//! // A chain of three: [2 −1 0; −1 2 −1; 0 −1 2].
//! let (pattern, slots) = Symmetric::new(3, &[(0, 1), (1, 2)], u64::MAX).unwrap();
//! let mut above = vec![0.0; pattern.entries()];
//! slots.iter().for_each(|&slot| above[slot as usize] = -1.0);
//! let factor = pattern.factor(&[2.0; 3], &above);
//! let mut x = vec![1.0, 0.0, 1.0];
//! pattern.solve(&factor, &mut x);
//! assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-12));
//! ```

pub(crate) mod factor;
pub(crate) mod order;

use factor::{Factor, Pattern};
use order::{Limit, minimum_degree};

/// The scalar product of two vectors.
#[inline]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The pattern of a symmetric matrix and the order in which its unknowns are eliminated. The [module](self) has an example.
#[derive(Clone, Debug)]
pub struct Symmetric {
    /// By unknown, when it is eliminated.
    place: Vec<u32>,
    pattern: Pattern,
}

/// The factors of one matrix of a [`Symmetric`] pattern.
#[derive(Clone, Debug)]
pub struct SymmetricFactor(Factor);

impl Symmetric {
    /// The pattern of an n × n matrix with entries at these positions, in either triangle, and the slot of each of them; repeated
    /// positions share one. The diagonal is always there. `None` when a factorization would take more than `limit` multiplications.
    ///
    /// # Panics
    /// When a position is on the diagonal, or not below n.
    pub fn new(n: usize, positions: &[(u32, u32)], limit: u64) -> Option<(Self, Vec<u32>)> {
        let mut pairs: Vec<(u32, u32)> = positions.iter().map(|&(i, j)| (i.min(j), i.max(j))).collect();
        assert!(
            pairs.iter().all(|&(i, j)| i != j && (j as usize) < n),
            "positions are beside the diagonal and in range"
        );
        pairs.sort_unstable();
        pairs.dedup();
        let limit = Limit { multiplications: limit, entries: u64::MAX, looks: limit };
        let order = minimum_degree(&pairs, &vec![false; n], limit)?;
        let mut place = vec![0u32; n];
        order.iter().zip(0u32..).for_each(|(&unknown, position)| place[unknown as usize] = position);
        let placed = |&(i, j): &(u32, u32)| {
            let (i, j) = (place[i as usize], place[j as usize]);
            (i.min(j), i.max(j))
        };
        let (pattern, slots) = Pattern::new(n, &positions.iter().map(placed).collect::<Vec<_>>());
        Some((Symmetric { place, pattern }, slots))
    }

    /// How many distinct positions there are.
    pub fn entries(&self) -> usize {
        self.pattern.entries()
    }

    /// The factors of the matrix with this diagonal, by unknown, and these entries beside it, by slot. O(Σ over columns of the factor of
    /// entries²).
    pub fn factor(&self, diagonal: &[f64], beside: &[f64]) -> SymmetricFactor {
        let mut placed = vec![0.0; diagonal.len()];
        diagonal.iter().zip(&self.place).for_each(|(value, &place)| placed[place as usize] = *value);
        SymmetricFactor(Factor::new(&self.pattern, &placed, beside, 0.0))
    }

    /// Puts the solution of N x = b in the place of b. O(entries of the factor).
    pub fn solve(&self, factor: &SymmetricFactor, b: &mut [f64]) {
        self.with_placed(b, |placed| factor.0.solve(placed));
    }

    /// Turns standard normal numbers into numbers whose covariance is N⁻¹. O(entries of the factor).
    pub fn colour(&self, factor: &SymmetricFactor, normal: &mut [f64]) {
        self.with_placed(normal, |placed| factor.0.colour(placed));
    }

    /// bᵀ N⁻¹ b of a vector of a few entries (unknown, value). `work` holds n zeros, before and after.
    pub fn quadratic(&self, factor: &SymmetricFactor, b: &[(u32, f64)], work: &mut [f64]) -> f64 {
        let placed: Vec<(u32, f64)> = b.iter().map(|&(i, value)| (self.place[i as usize], value)).collect();
        factor.0.quadratic(&placed, work)
    }

    fn with_placed(&self, values: &mut [f64], change: impl FnOnce(&mut [f64])) {
        let mut placed = vec![0.0; values.len()];
        values.iter().zip(&self.place).for_each(|(value, &place)| placed[place as usize] = *value);
        change(&mut placed);
        values.iter_mut().zip(&self.place).for_each(|(value, &place)| *value = placed[place as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn forms_and_colours_agree_with_solutions(
            entries in prop::collection::vec((0..13u32, 0..13u32, -1.0..1.0f64), 0..40),
            right in prop::collection::vec((0..13u32, -3.0..3.0f64), 1..5),
        ) {
            let entries: Vec<_> = entries.into_iter().filter(|(i, j, _)| i != j).collect();
            let positions: Vec<(u32, u32)> = entries.iter().map(|&(i, j, _)| (i, j)).collect();
            let (pattern, slots) = Symmetric::new(13, &positions, u64::MAX).unwrap();
            let (mut diagonal, mut beside) = (vec![0.5; 13], vec![0.0; pattern.entries()]);
            for (&(i, j, v), &slot) in entries.iter().zip(&slots) {
                beside[slot as usize] += v;
                diagonal[i as usize] += v.abs();
                diagonal[j as usize] += v.abs();
            }
            let factor = pattern.factor(&diagonal, &beside);
            let mut b = vec![0.0; 13];
            right.iter().for_each(|&(i, value)| b[i as usize] += value);
            let mut x = b.clone();
            pattern.solve(&factor, &mut x);
            let expected: f64 = b.iter().zip(&x).map(|(b, x)| b * x).sum();
            let mut work = vec![0.0; 13];
            let found = pattern.quadratic(&factor, &right, &mut work);
            prop_assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0));
            prop_assert!(work.iter().all(|w| *w == 0.0));
            // Σ over unit vectors e of (bᵀ colour(e))² is bᵀ N⁻¹ b.
            let mut sum = 0.0;
            for i in 0..13 {
                let mut unit = vec![0.0; 13];
                unit[i] = 1.0;
                pattern.colour(&factor, &mut unit);
                sum += b.iter().zip(&unit).map(|(b, u)| b * u).sum::<f64>().powi(2);
            }
            prop_assert!((sum - expected).abs() <= 1e-9 * expected.abs().max(1.0));
        }
    }
}
