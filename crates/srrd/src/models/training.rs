//! The distance of two rewards over training, and where it changes.
//!
//! Steps are put together in order until each piece has at least [`LEAST_PROMPTS`] prompts, at most [`MOST_PIECES`] pieces, all about as large.
//! Of every piece the distance is known. Where the rewards mean the same all along, the pieces could have come in any order; so the test for
//! a change is one of permutations:
//!
//! - the statistic is the largest |mean before − mean after| · sqrt(N₁N₂/(N₁ + N₂)) over all places to cut with two pieces or more on each side,
//!   means weighted by prompts, N₁ and N₂ the prompts on both sides;
//! - it is compared with that of [`ORDERS`] random orders of the pieces: p = (1 + how many are as large) / (1 + orders);
//! - p ≤ [`LEVEL`] is a change. Both sides are then looked at in the same way, at half the level each, and so on.
//!
//! Where nothing changes, the first test decides, so that a false alarm comes in 5 of 100 logs, give or take chance. `examples/changes.rs` measures
//! that also where the spread of the scores drifts and where prompts come again.

use super::Estimated;
use crate::run::random::{Purpose, shuffle, stream};

/// A piece has at least so many prompts.
pub const LEAST_PROMPTS: usize = 20;
/// There are at most so many pieces.
pub const MOST_PIECES: usize = 100;
/// With fewer pieces nothing can be said about changes.
pub const LEAST_PIECES: usize = 8;
/// How many orders of the pieces are tried.
pub const ORDERS: usize = 999;
/// How often a change is found where there is none.
pub const LEVEL: f64 = 0.05;
/// A change has so many pieces on each side.
const SIDE: usize = 2;

/// The numbers of one group of prompts: a criterion, or a stretch of training.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GroupNumbers {
    /// What its prompts have in common.
    pub name: String,
    /// The first and the last step, over training.
    pub steps: Option<[f64; 2]>,
    /// How many prompts with two responses or more it has.
    pub prompts: usize,
    /// How many responses these have.
    pub responses: usize,
    /// How far apart the models are.
    pub distance: Estimated,
    /// How often they order two responses alike.
    pub accuracy: Estimated,
    /// The mean of Kendall's τ_b.
    pub tau_b: Estimated,
    /// How often they like the same response best.
    pub top1: Estimated,
}

/// A place in training where the distance changes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// The first step after it.
    pub at: f64,
    /// The distance since the change before, or the beginning.
    pub before: Estimated,
    /// The distance up to the next change, or the end.
    pub after: Estimated,
    /// How likely so large a change is where there is none.
    pub p_value: f64,
}

/// Puts the numbers of prompts of consecutive steps together: the first step of every piece.
pub(super) fn pieces(prompts: &[usize]) -> Vec<usize> {
    let total: usize = prompts.iter().sum();
    let target = LEAST_PROMPTS.max(total.div_ceil(MOST_PIECES));
    let mut starts = Vec::new();
    let mut held = target;
    for (step, &count) in prompts.iter().enumerate() {
        if held >= target {
            starts.push(step);
            held = 0;
        }
        held += count;
    }
    // What is left at the end is no piece of its own.
    if held < target && starts.len() > 1 {
        starts.pop();
    }
    starts
}

/// A change among pieces: the first one after it, and how likely it is by chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cut {
    pub at: usize,
    pub p_value: f64,
}

/// Where a sequence of values changes; each has a weight. In order.
pub(super) fn changes(values: &[(f64, f64)], seed: u64) -> Vec<Cut> {
    let mut found = Vec::new();
    let mut open = vec![(0, values.len(), LEVEL)];
    while let Some((from, to, level)) = open.pop() {
        let Some((at, size)) = largest(&values[from..to]).filter(|_| to - from >= LEAST_PIECES) else { continue };
        let mut order = values[from..to].to_vec();
        // A place in the sequence names the draws, so that they do not depend on what else was found.
        let place = (from * (values.len() + 1) + to) * ORDERS;
        let as_large = (0..ORDERS).filter(|draw| {
            shuffle(&mut stream(seed, Purpose::Permute, place + draw), &mut order);
            largest(&order).is_some_and(|(_, other)| other >= size * (1.0 - 1e-12))
        });
        let p_value = (1 + as_large.count()) as f64 / (1 + ORDERS) as f64;
        if p_value <= level {
            found.push(Cut { at: from + at, p_value });
            open.extend([(from, from + at, level / 2.0), (from + at, to, level / 2.0)]);
        }
    }
    found.sort_by_key(|cut| cut.at);
    found
}

/// The cut with the largest difference, and how large that is.
fn largest(values: &[(f64, f64)]) -> Option<(usize, f64)> {
    let [weights, sums] = values.iter().fold([0.0, 0.0], |[w, s], (y, weight)| [w + weight, s + weight * y]);
    let (mut before, mut sum) = (0.0, 0.0);
    let mut best: Option<(usize, f64)> = None;
    for (at, (value, weight)) in values.iter().enumerate() {
        if at >= SIDE && values.len() - at >= SIDE {
            let after = weights - before;
            let difference = (sum / before - (sums - sum) / after).abs() * (before * after / weights).sqrt();
            if best.is_none_or(|(_, most)| difference > most) {
                best = Some((at, difference));
            }
        }
        before += weight;
        sum += weight * value;
    }
    best.filter(|(_, size)| *size > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::random::normal;
    use rand::RngExt;

    #[test]
    fn steps_are_put_together() {
        assert_eq!(pieces(&[30; 5]), [0, 1, 2, 3, 4]);
        assert_eq!(pieces(&[8; 9]), [0, 3, 6]);
        assert_eq!(pieces(&[8; 10]), [0, 3, 6], "the rest goes with the last piece");
        assert_eq!(pieces(&[3]), [0]);
        assert_eq!(pieces(&[64; 1000]).len(), 100);
        assert!(pieces(&[]).is_empty());
    }

    /// The values of one sequence: noise, and a step of this height in the middle.
    fn sequence(seed: usize, length: usize, height: f64) -> Vec<(f64, f64)> {
        let mut rng = stream(1, Purpose::Probe, seed);
        let mut uniform = || rng.random::<f64>();
        let value = |at: usize, noise: f64| 0.2 + 0.02 * noise + if 2 * at >= length { height } else { 0.0 };
        (0..length).map(|at| (value(at, normal(&mut uniform)), 30.0)).collect()
    }

    #[test]
    fn a_step_is_found_where_it_is() {
        for (length, height) in [(10, 0.2), (30, 0.1), (100, 0.1)] {
            let found = changes(&sequence(3, length, height), 0);
            assert_eq!(found.iter().map(|cut| cut.at).collect::<Vec<_>>(), [length / 2], "{length}");
            assert!(found[0].p_value <= 0.01);
        }
        assert!(changes(&[(0.2, 1.0); 50], 0).is_empty(), "nothing varies");
        assert!(changes(&sequence(3, 7, 0.5), 0).is_empty(), "too few pieces");
    }

    #[test]
    fn false_alarms_are_as_rare_as_they_should_be() {
        // At most 5 % of 300, with three standard deviations of that number.
        let alarms = (0..300).filter(|&seed| !changes(&sequence(seed, 20, 0.0), 7).is_empty()).count();
        assert!(alarms <= 26, "{alarms}");
    }
}
