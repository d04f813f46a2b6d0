//! From rows in any order to a [`RewardSample`]: tokens interned, rows sorted, duplicates merged and counted.

use std::borrow::Cow;
use std::sync::Arc;

use thiserror::Error;

use super::assemble::{Rows, assemble};
use super::token::Kind;
use super::vocabulary::{ABSENT, Interner, largest, rank};
use super::{RewardSample, Token, Vocabulary};
use crate::run::parallel;
use crate::settings::Choice;

mod each;

pub use each::{Apart, OfList, OwnRows, Scored};

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

impl Choice for Duplicates {
    const ALL: &'static [Self] = &[Duplicates::Mean, Duplicates::First, Duplicates::Last, Duplicates::Error];
    const NAMES: &'static [&'static str] = &["mean", "first", "last", "error"];
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
    /// A state without features, from which rewards were to be predicted.
    #[error("the state {state} has no numeric features to predict rewards from")]
    NoFeatures {
        /// The first state that is no tuple of features.
        state: String,
    },
    /// More rows or tokens than 32-bit ids can tell apart, or more text.
    #[error("a sample holds at most {} rows, and tokens of as many bytes of text", u32::MAX)]
    TooLarge,
    /// Arrays of different lengths, or another number of rewards than transitions.
    #[error("there are {found} entries where {expected} are needed")]
    WrongLength {
        /// The length of the others.
        expected: usize,
        /// The length of this one.
        found: usize,
    },
}

/// Collects rows and builds a [`RewardSample`]. 20 bytes per row and the distinct tokens are held until then.
///
/// ```
/// use srrd::{Duplicates, SampleBuilder, Token};
/// let mut builder = SampleBuilder::new();
/// builder.push(Token::text("hall"), Token::int(0), Token::text("door"), 1.0)?;
/// builder.push(Token::text("hall"), Token::int(0), Token::text("door"), 3.0)?;
/// assert_eq!(builder.build(Duplicates::Mean)?.rewards(), [2.0]);
/// # Ok::<(), srrd::SampleError>(())
/// ```
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

    /// An empty builder with room for so many rows.
    pub fn with_capacity(rows: usize) -> Self {
        SampleBuilder {
            source: Vec::with_capacity(rows),
            action: Vec::with_capacity(rows),
            target: Vec::with_capacity(rows),
            reward: Vec::with_capacity(rows),
            ..Self::default()
        }
    }

    /// Makes room for so many more rows, if there is memory for them; a guess does no harm.
    pub fn reserve(&mut self, rows: usize) {
        for ids in [&mut self.source, &mut self.action, &mut self.target] {
            let _ = ids.try_reserve_exact(rows);
        }
        let _ = self.reward.try_reserve_exact(rows);
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
        // Rows often go on where the one before them ended, or begin where it did.
        let last = [&self.source, &self.target].map(|ids| ids.last().copied().unwrap_or(ABSENT));
        let source = self.states.intern_again(state, last);
        let ids = (source, self.states.intern(next_state), self.actions.intern(action));
        let (Some(source), Some(target), Some(action)) = ids else { return Err(SampleError::TooLarge) };
        self.source.push(source);
        self.action.push(action);
        self.target.push(target);
        self.reward.push(reward);
        Ok(())
    }

    /// Adds all rows of another builder behind those that are here, as if they were pushed one by one, and leaves it empty. So
    /// threads can push rows on their own.
    ///
    /// # Errors
    /// When feature tuples have other lengths than here, said of the first row added, or there are too many rows. `other` is then
    /// of no use any more.
    pub fn append(&mut self, other: &mut SampleBuilder) -> Result<(), SampleError> {
        let row = self.rows();
        for (ours, theirs, what) in [(&self.states, &other.states, "state"), (&self.actions, &other.actions, "action")]
        {
            if let (Some(expected), Some(found)) = (ours.arity(), theirs.arity())
                && expected != found
            {
                return Err(SampleError::FeatureCount { row, what, expected, found });
            }
        }
        if row + other.rows() > u32::MAX as usize {
            return Err(SampleError::TooLarge);
        }
        let states = self.states.absorb(&mut other.states).ok_or(SampleError::TooLarge)?;
        let actions = self.actions.absorb(&mut other.actions).ok_or(SampleError::TooLarge)?;
        for (ours, theirs, renumbered) in [
            (&mut self.source, &mut other.source, &states),
            (&mut self.target, &mut other.target, &states),
            (&mut self.action, &mut other.action, &actions),
        ] {
            if renumbered.is_nothing() {
                ours.extend_from_slice(theirs);
            } else {
                ours.extend(theirs.iter().map(|&id| renumbered.of(id)));
            }
            theirs.clear();
        }
        self.reward.append(&mut other.reward);
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
        match self.build_each(Vec::new(), duplicates) {
            Ok((mut samples, placement)) => Ok((samples.remove(0), placement)),
            Err((_, error)) => Err(error),
        }
    }
}

impl RewardSample {
    /// A sample from arrays of integer ids, one entry per row; the same as pushing the rows one by one, and faster.
    ///
    /// # Errors
    /// As [`SampleBuilder::push`] and [`SampleBuilder::build`], and when the arrays differ in length.
    pub fn from_ids(
        states: &[u32],
        actions: &[u32],
        next_states: &[u32],
        rewards: &[f64],
        duplicates: Duplicates,
    ) -> Result<(RewardSample, Placement), SampleError> {
        let expected = rewards.len();
        for found in [states.len(), actions.len(), next_states.len()] {
            if found != expected {
                return Err(SampleError::WrongLength { expected, found });
            }
        }
        if expected >= u32::MAX as usize {
            return Err(SampleError::TooLarge);
        }
        let refused = |rewards: &[f64]| rewards.iter().any(|r| r.abs() > LARGEST_REWARD || r.is_nan());
        if parallel::any(rewards, refused) {
            (0..).zip(rewards).try_for_each(|(row, &reward)| check_reward(reward, row))?;
        }
        let (state_vocabulary, [source, target]) = rank_ids([states, next_states]);
        let (action_vocabulary, [action]) = rank_ids([actions]);
        let rows = Rows { source, action, target, reward: rewards.into() };
        assemble(Arc::new(state_vocabulary), Arc::new(action_vocabulary), rows, duplicates)
    }
}

/// The sorted distinct ids of some arrays, and the arrays with every id replaced by its rank.
fn rank_ids<const N: usize>(arrays: [&[u32]; N]) -> (Vocabulary, [Cow<'_, [u32]>; N]) {
    let rows = arrays.iter().map(|ids| ids.len()).sum::<usize>();
    let most = largest(&arrays).map_or(0, |id| id as usize);
    if most > 4 * rows + 1024 {
        let mut distinct: Vec<u32> = arrays.concat();
        distinct.sort_unstable();
        distinct.dedup();
        let rank = |id: &u32| distinct.binary_search(id).expect("every id is there") as u32;
        let ranked = arrays.map(|ids| ids.iter().map(rank).collect::<Vec<_>>().into());
        return (Vocabulary::from_sorted_ints(distinct.iter().map(|&id| i64::from(id)).collect()), ranked);
    }
    let (ints, ranks) = rank(&arrays, most + 1);
    let ranked = if ints.len() == ranks.len() {
        arrays.map(Cow::Borrowed)
    } else {
        arrays.map(|ids| parallel::map(ids.len(), |i| ranks[ids[i] as usize]).into())
    };
    (Vocabulary::from_sorted_ints(ints), ranked)
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

/// Inlined, so that nothing is called for tokens without features.
#[inline]
fn check_features(interner: &Interner, token: Token<'_>, row: usize, what: &'static str) -> Result<(), SampleError> {
    match token.0 {
        Kind::Features(values) => check_tuple(interner, values, row, what),
        _ => Ok(()),
    }
}

fn check_tuple(interner: &Interner, values: &[f64], row: usize, what: &'static str) -> Result<(), SampleError> {
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

#[cfg(test)]
mod tests;
