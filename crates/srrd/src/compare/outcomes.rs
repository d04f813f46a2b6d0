//! Where chance decides what an action leads to: the pairs (s, a) of the shared transitions, and the share of each of their next states.
//!
//! Behaviour depends on a reward only through its mean over the next states of (s, a). Shares are those of the rows of both tables
//! together, or given probabilities. With those, a pair of which a possible next state was not sampled has no known mean, and is left out.

use super::pair::Pair;
use super::shared::Row;
use crate::settings::DynamicsRule;

/// The pairs (s, a), each with its transitions and their shares.
#[derive(Clone, Debug)]
pub(crate) struct Outcomes {
    /// Where the transitions of each pair start, and how many there are at the end.
    start: Vec<u32>,
    /// The numbers of the transitions.
    transition: Vec<u32>,
    share: Vec<f64>,
    /// How many pairs were left out because not all of their next states were sampled.
    pub left_out: usize,
}

/// Of 1: what may be missing of given probabilities.
const MISSING: f64 = 1e-9;

impl Outcomes {
    /// The pairs of the shared transitions, in order of their first ones; `None` where every transition counts by itself.
    pub fn new(pair: &Pair<'_>, rows: &[Row], rule: DynamicsRule) -> Option<Self> {
        let weight = |i: usize| {
            let (a, b) = pair.common[i];
            match rule {
                DynamicsRule::Given => pair.a.probability(a as usize),
                _ => f64::from(pair.a.occurrences(a as usize)) + f64::from(pair.b.occurrences(b as usize)),
            }
        };
        if rule == DynamicsRule::Deterministic {
            return None;
        }
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        order.sort_unstable_by_key(|&i| (rows[i as usize].state, rows[i as usize].action, i));
        let mut found = Outcomes { start: vec![0], transition: Vec::new(), share: Vec::new(), left_out: 0 };
        let key = |i: &u32| (rows[*i as usize].state, rows[*i as usize].action);
        for group in order.chunk_by(|p, q| key(p) == key(q)) {
            let total: f64 = group.iter().map(|&i| weight(i as usize)).sum();
            if rule == DynamicsRule::Given && (total - 1.0).abs() > MISSING {
                found.left_out += 1;
                continue;
            }
            for &i in group {
                let share = weight(i as usize) / total;
                // A transition that the model calls impossible says nothing.
                if share > 0.0 {
                    found.transition.push(i);
                    found.share.push(share);
                }
            }
            found.start.push(found.transition.len() as u32);
        }
        Some(found)
    }

    pub fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// The transitions of a pair, with their shares.
    pub fn of(&self, pair: usize) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        let range = self.start[pair] as usize..self.start[pair + 1] as usize;
        self.transition[range.clone()].iter().map(|&i| i as usize).zip(self.share[range].iter().copied())
    }

    /// The mean of values of transitions, by pair.
    pub(crate) fn means(&self, values: &[f64]) -> Vec<f64> {
        (0..self.len()).map(|pair| self.of(pair).map(|(i, share)| share * values[i]).sum()).collect()
    }
}
