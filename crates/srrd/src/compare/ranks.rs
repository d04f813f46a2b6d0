//! Which correlation a distance is made of: Pearson's of the values, or Spearman's of their ranks.

use super::pearson::{Agreement, Undefined, cosine, pearson_by};
use crate::settings::Choice;

/// The ρ in D = sqrt((1 − ρ) / 2).
///
/// Spearman's is Pearson's correlation of the *ranks* of the canonical rewards (equal ones share the mean of their ranks): a few
/// huge rewards cannot dominate it, and it does not change when canonical rewards go through an increasing function. Ranks are
/// always taken *after* shaping was removed. Before, they would make no sense: shaping is added to rewards, not to their ranks,
/// so that ranks of shaped rewards hold no shaping that could be taken out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Correlation {
    /// Of the values.
    #[default]
    Pearson,
    /// Of the ranks.
    Spearman,
}

impl Choice for Correlation {
    const ALL: &'static [Self] = &[Correlation::Pearson, Correlation::Spearman];
    const NAMES: &'static [&'static str] = &["pearson", "spearman"];
}

/// The distance of two equally long vectors by their ranks. O(n log n).
///
/// ```
/// use srrd::compare::spearman;
/// // Only the order counts.
/// assert!(spearman(&[1.0, 2.0, 3.0], &[1.0, 10.0, 1000.0])?.distance < 1e-9);
/// # Ok::<(), srrd::Undefined>(())
/// ```
///
/// # Errors
/// As [`pearson`](crate::compare::pearson).
///
/// # Panics
/// When the lengths differ.
pub fn spearman(x: &[f64], y: &[f64]) -> Result<Agreement, Undefined> {
    assert_eq!(x.len(), y.len());
    agreement(Correlation::Spearman, x.len(), |i| (x[i], y[i]), [0.0, 0.0])
}

/// The distance of pairs of residuals: the cosine of the values, or the correlation of their ranks.
pub(crate) fn agreement_of_residuals<I: Iterator<Item = (f64, f64)>>(
    correlation: Correlation,
    pairs: impl Fn() -> I,
    noise: [f64; 2],
) -> Result<Agreement, Undefined> {
    match correlation {
        Correlation::Pearson => cosine(pairs, noise),
        Correlation::Spearman => of_ranks(pairs(), noise),
    }
}

/// The distance of centred values behind a function; what differs by at most its side's `noise` is equal.
pub(crate) fn agreement(
    correlation: Correlation,
    n: usize,
    at: impl Fn(usize) -> (f64, f64),
    noise: [f64; 2],
) -> Result<Agreement, Undefined> {
    match correlation {
        Correlation::Pearson => pearson_by(n, at, noise),
        Correlation::Spearman => of_ranks((0..n).map(at), noise),
    }
}

fn of_ranks(pairs: impl Iterator<Item = (f64, f64)>, noise: [f64; 2]) -> Result<Agreement, Undefined> {
    let (x, y): (Vec<f64>, Vec<f64>) = pairs.unzip();
    let (x, y) = (centred_ranks(&x, noise[0]), centred_ranks(&y, noise[1]));
    pearson_by(x.len(), |i| (x[i], y[i]), [0.0, 0.0])
}

/// The ranks of values, less their mean; equal values share the mean of their ranks. Their sum is exactly 0.
pub(crate) fn centred_ranks(values: &[f64], noise: f64) -> Vec<f64> {
    let order = RankOrder::new(values, noise);
    let mut ranks = vec![0.0; values.len()];
    order.weighted_ranks(|_| 1.0, &mut ranks);
    ranks
}

/// Values in ascending order, those that are equal in groups.
#[derive(Clone, Debug)]
pub(crate) struct RankOrder {
    order: Vec<u32>,
    /// Where the groups start in `order`, and the number of values at the end.
    start: Vec<u32>,
}

impl RankOrder {
    /// Neighbours in the order that differ by at most `noise` are equal: what is the same number up to rounding must not get
    /// different ranks.
    pub fn new(values: &[f64], noise: f64) -> Self {
        let mut order: Vec<u32> = (0..values.len() as u32).collect();
        order.sort_unstable_by(|&i, &j| values[i as usize].total_cmp(&values[j as usize]).then(i.cmp(&j)));
        let mut start = Vec::new();
        for (place, &i) in order.iter().enumerate() {
            if place == 0 || values[i as usize] - values[order[place - 1] as usize] > noise {
                start.push(place as u32);
            }
        }
        start.push(order.len() as u32);
        RankOrder { order, start }
    }

    /// The members of every group, ascending.
    pub fn groups(&self) -> impl DoubleEndedIterator<Item = &[u32]> {
        self.start.windows(2).map(|pair| &self.order[pair[0] as usize..pair[1] as usize])
    }

    /// Ranks where every value occurs as often as its weight says, less their mean: the weight below, plus half of the weight of
    /// the group, less half of all. O(n).
    pub fn weighted_ranks(&self, weight: impl Fn(usize) -> f64, ranks: &mut [f64]) {
        let total: f64 = (0..self.order.len()).map(&weight).sum();
        let mut below = 0.0;
        for group in self.groups() {
            let own: f64 = group.iter().map(|&i| weight(i as usize)).sum();
            group.iter().for_each(|&i| ranks[i as usize] = below + 0.5 * own - 0.5 * total);
            below += own;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The rank of a value by counting.
    fn counted(values: &[f64], i: usize) -> f64 {
        let below = values.iter().filter(|v| **v < values[i]).count() as f64;
        let equal = values.iter().filter(|v| **v == values[i]).count() as f64;
        below + 0.5 * (equal + 1.0) - 0.5 * (values.len() as f64 + 1.0)
    }

    proptest! {
        #[test]
        fn ranks_are_counted_and_weights_are_repetitions(
            values in prop::collection::vec((-4..4i32).prop_map(|v| f64::from(v) / 3.0), 1..40),
            counts in prop::collection::vec(0..4usize, 40),
        ) {
            let ranks = centred_ranks(&values, 0.0);
            for (i, &rank) in ranks.iter().enumerate() {
                prop_assert_eq!(rank, counted(&values, i));
            }
            let repeated: Vec<f64> =
                values.iter().zip(&counts).flat_map(|(&v, &n)| std::iter::repeat_n(v, n)).collect();
            let mut weighted = vec![0.0; values.len()];
            RankOrder::new(&values, 0.0).weighted_ranks(|i| counts[i] as f64, &mut weighted);
            let expected = centred_ranks(&repeated, 0.0);
            let mut next = 0;
            for (i, &n) in counts[..values.len()].iter().enumerate() {
                prop_assert!(expected[next..next + n].iter().all(|r| *r == weighted[i]));
                next += n;
            }
        }

        #[test]
        fn increasing_functions_change_nothing(
            pairs in prop::collection::vec((-3.0..3.0f64, -3.0..3.0f64), 3..50),
        ) {
            let (x, y): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let bent: Vec<f64> = x.iter().map(|v| v.exp() + v * v * v).collect();
            prop_assert_eq!(spearman(&x, &y), spearman(&bent, &y));
            prop_assert!(spearman(&x, &bent).unwrap().distance < 1e-7);
        }
    }

    #[test]
    fn rounding_makes_no_ranks() {
        let exact = [1.0, 2.0, 2.0, 3.0];
        let rounded = [1.0, 2.0, 2.0 + 1e-15, 3.0];
        assert_eq!(centred_ranks(&rounded, 1e-12), centred_ranks(&exact, 0.0));
        assert_ne!(centred_ranks(&rounded, 0.0), centred_ranks(&exact, 0.0));
        assert_eq!(spearman(&[0.5; 4], &exact), Err(Undefined::Constant));
        assert_eq!(spearman(&[], &[]), Err(Undefined::TooFewCommon));
    }

    #[test]
    fn one_outlier_moves_values_but_not_ranks() {
        let x: Vec<f64> = (0..50).map(f64::from).collect();
        let mut y = x.clone();
        y[10] = 1e6;
        assert!(crate::compare::pearson(&x, &y).unwrap().correlation < 0.2);
        assert!(spearman(&x, &y).unwrap().correlation > 0.85);
        assert_eq!(Correlation::named("spearman"), Ok(Correlation::Spearman));
        assert!(Correlation::named("kendall").unwrap_err().to_string().contains("pearson, spearman"));
    }
}
