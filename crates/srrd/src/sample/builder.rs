//! From rows in any order to a [`RewardSample`]: tokens interned, rows sorted, duplicates merged and counted.

use rayon::prelude::*;
use thiserror::Error;

use super::token::Kind;
use super::vocabulary::Interner;
use super::{DuplicateCounts, RewardSample, Token};
use crate::graph::Graph;

/// Which reward a transition gets that occurs several times with unequal rewards. Equal rewards always collapse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// The mean of all its occurrences.
    #[default]
    Mean,
    /// The reward of the first row.
    First,
    /// The reward of the last row.
    Last,
    /// None: it is an error.
    Error,
}

/// The largest magnitude a reward may have. Squares of canonical rewards, summed over any sample that fits in memory, stay
/// finite below it.
pub const LARGEST_REWARD: f64 = 1e140;

/// Why a sample could not be built. Rows are counted from 0 in the order they were pushed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SampleError {
    /// No rows at all.
    #[error("there are no transitions: a reward sample needs at least one")]
    Empty,
    /// A reward or a feature is infinite or not a number.
    #[error("row {row}: the {what} is {value}, but it must be a finite number")]
    NotFinite {
        /// The row, from 0.
        row: usize,
        /// `reward`, or which token the feature belongs to.
        what: &'static str,
        /// The value.
        value: f64,
    },
    /// A reward whose sums and squares would leave the range of double precision.
    #[error(
        "row {row}: the reward {value:e} is larger than {LARGEST_REWARD:e} in magnitude: divide all rewards by a constant \
         (distances do not change)"
    )]
    TooBig {
        /// The row, from 0.
        row: usize,
        /// The reward.
        value: f64,
    },
    /// Feature tuples of different lengths.
    #[error("row {row}: the {what} has {found} features where earlier ones have {expected}")]
    FeatureCount {
        /// The row, from 0.
        row: usize,
        /// Which token.
        what: &'static str,
        /// The length of the first tuple.
        expected: usize,
        /// The length of this one.
        found: usize,
    },
    /// Unequal rewards for one transition under [`Duplicates::Error`].
    #[error(
        "rows {first_row} and {second_row} give the transition ({state}, {action}, {next_state}) two rewards, \
         {first} and {second}"
    )]
    Conflict {
        /// The first row, from 0.
        first_row: usize,
        /// The row that contradicts it.
        second_row: usize,
        /// s
        state: String,
        /// a
        action: String,
        /// s'
        next_state: String,
        /// The reward of the first row.
        first: f64,
        /// The reward of the second.
        second: f64,
    },
    /// More rows or tokens than 32-bit ids can tell apart.
    #[error("a sample holds at most {} rows", u32::MAX)]
    TooLarge,
    /// [`RewardSample::with_rewards`] got the wrong number of rewards.
    #[error("{found} rewards were given for {expected} transitions")]
    WrongLength {
        /// The number of transitions.
        expected: usize,
        /// The number of rewards.
        found: usize,
    },
}

/// Collects rows and builds a [`RewardSample`]. 20 bytes a row and the distinct tokens are held until then.
#[derive(Clone, Debug, Default)]
pub struct SampleBuilder {
    states: Interner,
    actions: Interner,
    source: Vec<u32>,
    action: Vec<u32>,
    target: Vec<u32>,
    reward: Vec<f64>,
}

/// Where the pushed rows ended up.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// For every row, in the order pushed, the index of its transition in the sample.
    pub transition: Vec<u32>,
}

impl SampleBuilder {
    /// An empty builder.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many rows were pushed.
    pub fn rows(&self) -> usize {
        self.reward.len()
    }

    /// Adds a row.
    ///
    /// # Errors
    /// When the reward or a feature is not finite, a feature tuple has another length than those before, or there are too
    /// many rows. The row is then not added.
    #[inline]
    pub fn push(
        &mut self,
        state: Token<'_>,
        action: Token<'_>,
        next_state: Token<'_>,
        reward: f64,
    ) -> Result<(), SampleError> {
        let row = self.reward.len();
        check_reward(reward, row)?;
        if row >= u32::MAX as usize {
            return Err(SampleError::TooLarge);
        }
        // All checks come before the first intern: a refused row must leave no state behind.
        check_features(&self.states, state, row, "state")?;
        check_features(&self.states, next_state, row, "next state")?;
        check_features(&self.actions, action, row, "action")?;
        if let (Kind::Features(s), Kind::Features(n)) = (state.0, next_state.0)
            && s.len() != n.len()
        {
            return Err(SampleError::FeatureCount { row, what: "next state", expected: s.len(), found: n.len() });
        }
        let source = self.states.intern(state).ok_or(SampleError::TooLarge)?;
        let target = self.states.intern(next_state).ok_or(SampleError::TooLarge)?;
        let action = self.actions.intern(action).ok_or(SampleError::TooLarge)?;
        self.source.push(source);
        self.action.push(action);
        self.target.push(target);
        self.reward.push(reward);
        Ok(())
    }

    /// Builds the sample.
    ///
    /// # Errors
    /// When there are no rows, or unequal rewards under [`Duplicates::Error`].
    pub fn build(self, duplicates: Duplicates) -> Result<RewardSample, SampleError> {
        self.build_with_placement(duplicates).map(|(sample, _)| sample)
    }

    /// Builds the sample and says which transition every row became. O(rows · log out-degree).
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_with_placement(self, duplicates: Duplicates) -> Result<(RewardSample, Placement), SampleError> {
        let SampleBuilder { states, actions, mut source, mut action, mut target, reward } = self;
        if reward.is_empty() {
            return Err(SampleError::Empty);
        }
        let (states, state_rank) = states.sort();
        let (actions, action_rank) = actions.sort();
        for x in source.iter_mut().chain(target.iter_mut()) {
            *x = state_rank[*x as usize];
        }
        for a in &mut action {
            *a = action_rank[*a as usize];
        }

        let keyed = sort_rows(states.len(), &source, &action, &target);
        drop((action, target));

        let mut merged = Merged::with_capacity(keyed.len());
        let mut placement = vec![0u32; reward.len()];
        for group in keyed.chunk_by(|a, b| a.key == b.key && source[a.row as usize] == source[b.row as usize]) {
            let x = source[group[0].row as usize];
            let index = merged.reward.len() as u32;
            for keyed in group {
                placement[keyed.row as usize] = index;
            }
            let value = merged.merge(group, &reward, duplicates).map_err(|(first, second)| {
                let Keyed { key, .. } = group[0];
                SampleError::Conflict {
                    first_row: first as usize,
                    second_row: second as usize,
                    state: states.token(x).to_string(),
                    action: actions.token(key as u32).to_string(),
                    next_state: states.token((key >> 32) as u32).to_string(),
                    first: reward[first as usize],
                    second: reward[second as usize],
                }
            })?;
            merged.push(x, group[0].key, value);
        }
        let rows = reward.len();
        let transitions = merged.reward.len();
        let graph = Graph::new(states.len(), merged.source, merged.target, merged.first, transitions);
        let duplicates = DuplicateCounts { rows, repeated: rows - transitions, averaged: merged.averaged };
        let sample = RewardSample { states, actions, graph, action: merged.action, reward: merged.reward, duplicates };
        Ok((sample, Placement { transition: placement }))
    }
}

pub(super) fn check_reward(reward: f64, row: usize) -> Result<(), SampleError> {
    if !reward.is_finite() {
        Err(SampleError::NotFinite { row, what: "reward", value: reward })
    } else if reward.abs() > LARGEST_REWARD {
        Err(SampleError::TooBig { row, value: reward })
    } else {
        Ok(())
    }
}

fn check_features(interner: &Interner, token: Token<'_>, row: usize, what: &'static str) -> Result<(), SampleError> {
    let Kind::Features(values) = token.0 else { return Ok(()) };
    if let Some(&value) = values.iter().find(|v| !v.is_finite()) {
        return Err(SampleError::NotFinite { row, what, value });
    }
    match interner.arity() {
        Some(expected) if expected != values.len() => {
            Err(SampleError::FeatureCount { row, what, expected, found: values.len() })
        }
        None if values.is_empty() => Err(SampleError::FeatureCount { row, what, expected: 1, found: 0 }),
        _ => Ok(()),
    }
}

/// A row with what it is sorted by within its source state: next state (high half), then action.
#[derive(Clone, Copy)]
struct Keyed {
    key: u64,
    row: u32,
}

/// The rows sorted by (source, target, action, row): a counting sort by source, then small sorts side by side.
fn sort_rows(states: usize, source: &[u32], action: &[u32], target: &[u32]) -> Vec<Keyed> {
    let mut next = vec![0u32; states + 1];
    for &x in source {
        next[x as usize + 1] += 1;
    }
    for i in 0..states {
        next[i + 1] += next[i];
    }
    let start = next.clone();
    let mut keyed = vec![Keyed { key: 0, row: 0 }; source.len()];
    for row in 0..source.len() {
        let place = &mut next[source[row] as usize];
        keyed[*place as usize] = Keyed { key: u64::from(target[row]) << 32 | u64::from(action[row]), row: row as u32 };
        *place += 1;
    }
    drop(next);
    let mut slices = Vec::with_capacity(states);
    let mut rest = keyed.as_mut_slice();
    for pair in start.windows(2) {
        let (slice, after) = rest.split_at_mut((pair[1] - pair[0]) as usize);
        if slice.len() > 1 {
            slices.push(slice);
        }
        rest = after;
    }
    slices.into_par_iter().with_min_len(4096).for_each(|slice| slice.sort_unstable_by_key(|k| (k.key, k.row)));
    keyed
}

/// The sorted transitions as they are appended.
struct Merged {
    source: Vec<u32>,
    target: Vec<u32>,
    first: Vec<u32>,
    action: Vec<u32>,
    reward: Vec<f64>,
    averaged: usize,
    values: Vec<f64>,
}

impl Merged {
    fn with_capacity(n: usize) -> Self {
        Merged {
            source: Vec::with_capacity(n),
            target: Vec::with_capacity(n),
            first: Vec::with_capacity(n + 1),
            action: Vec::with_capacity(n),
            reward: Vec::with_capacity(n),
            averaged: 0,
            values: Vec::new(),
        }
    }

    fn push(&mut self, x: u32, key: u64, value: f64) {
        let (y, a) = ((key >> 32) as u32, key as u32);
        if self.source.last() != Some(&x) || self.target.last() != Some(&y) {
            self.source.push(x);
            self.target.push(y);
            self.first.push(self.reward.len() as u32);
        }
        self.action.push(a);
        self.reward.push(value);
    }

    /// The one reward of a group of rows, or two rows that contradict each other.
    fn merge(&mut self, group: &[Keyed], reward: &[f64], duplicates: Duplicates) -> Result<f64, (u32, u32)> {
        let first = reward[group[0].row as usize];
        let Some(unequal) = group.iter().find(|k| reward[k.row as usize] != first) else {
            // `-0.0 == 0.0`: adding zero gives the two one sign, so that the order of rows cannot show.
            return Ok(first + 0.0);
        };
        self.averaged += 1;
        match duplicates {
            Duplicates::First => Ok(first),
            Duplicates::Last => Ok(reward[group[group.len() - 1].row as usize]),
            Duplicates::Error => Err((group[0].row, unequal.row)),
            Duplicates::Mean => {
                self.values.clear();
                self.values.extend(group.iter().map(|k| reward[k.row as usize]));
                // Sorted, so that the sum does not depend on the order of the rows.
                self.values.sort_unstable_by(f64::total_cmp);
                Ok(mean(&self.values))
            }
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(rows: &[(&str, &str, &str, f64)], duplicates: Duplicates) -> Result<RewardSample, SampleError> {
        RewardSample::from_rows(rows.iter().copied(), duplicates)
    }

    #[test]
    fn rows_in_any_order_give_the_same_sample() {
        let mut rows = vec![
            ("b", "go", "a", 1.0),
            ("a", "go", "b", 2.0),
            ("a", "stay", "a", 0.1),
            ("a", "go", "a", 3.0),
            ("a", "stay", "a", 0.7),
            ("a", "stay", "a", 0.2),
        ];
        let expected = build(&rows, Duplicates::Mean).unwrap();
        assert_eq!(expected.len(), 4);
        assert_eq!(expected.duplicates(), DuplicateCounts { rows: 6, repeated: 2, averaged: 1 });
        for _ in 0..rows.len() {
            rows.rotate_left(1);
            let rotated = build(&rows, Duplicates::Mean).unwrap();
            let bits = |s: &RewardSample| s.rewards().iter().map(|r| r.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&rotated), bits(&expected));
            assert_eq!(rotated, expected);
        }
        let listed: Vec<String> =
            expected.transitions().map(|t| format!("{} {} {}", t.state, t.action, t.next_state)).collect();
        assert_eq!(listed, ["a go a", "a stay a", "a go b", "b go a"]);
        for (i, transition) in expected.transitions().enumerate() {
            assert_eq!(expected.transition(i), transition);
        }
    }

    #[test]
    fn duplicates_are_merged_as_asked() {
        let rows = [
            ("s", "a", "t", 1.0),
            ("s", "a", "t", 5.0),
            ("s", "a", "t", 3.0),
            ("s", "a", "u", 3.0),
            ("s", "a", "u", 3.0),
        ];
        let reward = |d| build(&rows, d).map(|s| s.rewards()[0]);
        assert_eq!(reward(Duplicates::Mean), Ok(3.0));
        assert_eq!(reward(Duplicates::First), Ok(1.0));
        assert_eq!(reward(Duplicates::Last), Ok(3.0));
        let error = reward(Duplicates::Error).unwrap_err();
        assert_eq!(error.to_string(), "rows 0 and 1 give the transition (s, a, t) two rewards, 1 and 5");
        assert_eq!(build(&rows[3..], Duplicates::Error).unwrap().duplicates().repeated, 1);
    }

    #[test]
    fn placement_tells_where_every_row_went() {
        let mut builder = SampleBuilder::new();
        for (s, t) in [(2, 1), (1, 2), (2, 1), (0, 1)] {
            builder.push(Token::int(s), Token::int(0), Token::int(t), 1.0).unwrap();
        }
        let (sample, placement) = builder.build_with_placement(Duplicates::Mean).unwrap();
        assert_eq!(sample.len(), 3);
        assert_eq!(placement.transition, [2, 1, 2, 0]);
    }

    #[test]
    fn bad_rows_are_refused() {
        assert_eq!(build(&[], Duplicates::Mean), Err(SampleError::Empty));
        for value in [f64::NAN, f64::INFINITY] {
            let error = build(&[("s", "a", "t", 0.0), ("s", "a", "t", value)], Duplicates::Mean).unwrap_err();
            assert!(matches!(error, SampleError::NotFinite { row: 1, what: "reward", .. }));
        }
        let mut builder = SampleBuilder::new();
        let (one, two) = ([1.0], [1.0, 2.0]);
        let error = builder.push(Token::features(&one), Token::int(0), Token::features(&two), 0.0);
        assert!(matches!(error, Err(SampleError::FeatureCount { expected: 1, found: 2, .. })));
        let nan = [f64::NAN];
        let error = builder.push(Token::features(&nan), Token::int(0), Token::features(&one), 0.0);
        assert!(matches!(error, Err(SampleError::NotFinite { what: "state", .. })));
    }

    #[test]
    fn rewards_that_would_overflow_are_refused() {
        let error = build(&[("s", "a", "t", 1e141)], Duplicates::Mean).unwrap_err();
        assert_eq!(
            error.to_string(),
            "row 0: the reward 1e141 is larger than 1e140 in magnitude: divide all rewards by a constant (distances do not \
             change)"
        );
    }
}
