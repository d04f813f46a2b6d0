//! Rewards known by query: a table of what a reward function says of all transitions between explored states.
//!
//! P(s, a, s') is a sum over the source states x (and, where it depends on the action, over the actions u) of the products
//! 1[s = x] · 1[a = u] · P(x, u, s'): as many products as the table has rows. O(rows · (states + edges)) for EPIC and DARD,
//! a sweep over two steps for every few rows for SRRD.

use std::borrow::Cow;
use std::sync::Arc;

use thiserror::Error;

use super::{Factor, Product};
use crate::sample::LARGEST_REWARD;
use crate::settings::Actions;

/// What a reward function that can be called says of all transitions between the states a sample has explored, sampled or not
/// ([`RewardSample::with_reward_table`](crate::RewardSample::with_reward_table)).
///
/// Cells are in the order of the ids of [`states`](crate::RewardSample::states) and [`actions`](crate::RewardSample::actions), row
/// after row. Clones share them.
#[derive(Clone, Debug, PartialEq)]
pub struct RewardTable {
    states: usize,
    /// `None` when the rewards are means over the actions.
    actions: Option<usize>,
    values: Arc<[f64]>,
}

/// Why a table of rewards was refused.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum TableError {
    /// Another number of cells than states × states or states × actions × states.
    #[error("the table has {found} rewards, but {states} states{} need {expected}", by_actions(*actions))]
    WrongLength {
        /// The states.
        states: usize,
        /// The actions, if there is a reward for each.
        actions: Option<usize>,
        /// How many rewards there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// The table is not one of the sample.
    #[error(
        "the table has {found} {what} where the sample has explored {expected}: ask the reward function for all pairs of the \
         sample's own states, in their order"
    )]
    WrongSample {
        /// `states` or `actions`.
        what: &'static str,
        /// Those of the sample.
        expected: usize,
        /// Those of the table.
        found: usize,
    },
    /// A reward that is not finite, or larger than [`LARGEST_REWARD`].
    #[error(
        "cell {cell} of the table is {value:e}, but rewards must be finite and at most {LARGEST_REWARD:e} in magnitude"
    )]
    BadReward {
        /// The cell, from 0.
        cell: usize,
        /// Its value.
        value: f64,
    },
}

fn by_actions(actions: Option<usize>) -> String {
    actions.map_or_else(String::new, |actions| format!(" and {actions} actions"))
}

impl RewardTable {
    /// R(s, s'), states × states: for every pair the mean over the explored actions. Where actions are
    /// [joint](crate::settings::Actions::Joint) it counts for each of them.
    ///
    /// # Errors
    /// When there are more or fewer rewards than pairs, or one of them is not finite or too large.
    pub fn marginal(states: usize, values: impl Into<Arc<[f64]>>) -> Result<Self, TableError> {
        Self::new(states, None, values.into())
    }

    /// R(s, a, s'), states × actions × states. Where actions are [marginal](crate::settings::Actions::Marginal) an unsampled pair of states
    /// gets the mean over all actions.
    ///
    /// # Errors
    /// As [`marginal`](Self::marginal).
    pub fn joint(states: usize, actions: usize, values: impl Into<Arc<[f64]>>) -> Result<Self, TableError> {
        Self::new(states, Some(actions), values.into())
    }

    fn new(states: usize, actions: Option<usize>, values: Arc<[f64]>) -> Result<Self, TableError> {
        let expected = states.saturating_mul(states).saturating_mul(actions.unwrap_or(1));
        if values.len() != expected {
            return Err(TableError::WrongLength { states, actions, expected, found: values.len() });
        }
        // Not a number is not at most anything.
        let bad = |value: &f64| value.is_nan() || value.abs() > LARGEST_REWARD;
        match values.iter().position(bad) {
            Some(cell) => Err(TableError::BadReward { cell, value: values[cell] }),
            None => Ok(RewardTable { states, actions, values }),
        }
    }

    pub(crate) fn check_fits(&self, states: usize, actions: usize) -> Result<(), TableError> {
        let same = |what, expected, found| match expected == found {
            true => Ok(()),
            false => Err(TableError::WrongSample { what, expected, found }),
        };
        same("states", states, self.states)?;
        same("actions", actions, self.actions.unwrap_or(actions))
    }

    /// How many states.
    pub fn states(&self) -> usize {
        self.states
    }

    /// How many actions; `None` when the rewards are means over the actions.
    pub fn actions(&self) -> Option<usize> {
        self.actions
    }

    /// All rewards, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
}

/// A table as the estimator asks for it.
#[derive(Debug)]
pub(crate) struct Lookup<'a> {
    states: usize,
    /// 1 where the action does not matter.
    actions: usize,
    cells: Cow<'a, [f64]>,
}

impl<'a> Lookup<'a> {
    pub(super) fn new(table: &'a RewardTable, actions: Actions) -> Self {
        let states = table.states;
        match (table.actions, actions) {
            (Some(count), Actions::Marginal) if count > 1 => {
                let mean = |(x, y): (usize, usize)| {
                    let cells = (0..count).map(|u| table.values[(x * count + u) * states + y]);
                    cells.sum::<f64>() / count as f64
                };
                let pairs = (0..states).flat_map(|x| (0..states).map(move |y| (x, y)));
                Lookup { states, actions: 1, cells: pairs.map(mean).collect() }
            }
            (count, _) => Lookup { states, actions: count.unwrap_or(1), cells: Cow::Borrowed(&table.values) },
        }
    }

    pub(super) fn predict(&self, [source, target, action]: [u32; 3]) -> f64 {
        let action = if self.actions == 1 { 0 } else { action as usize };
        self.cells[(source as usize * self.actions + action) * self.states + target as usize]
    }

    /// One product a row.
    pub(super) fn products(&self) -> Vec<Product<'_>> {
        let rows = (0u32..).zip(self.cells.chunks(self.states.max(1)));
        let product = |(row, values): (u32, _)| {
            let (source, action) = (row / self.actions as u32, row % self.actions as u32);
            let action = if self.actions == 1 { Factor::One } else { Factor::Only(action) };
            Product { value: 1.0, factors: [Factor::Only(source), Factor::Values(values), action] }
        };
        rows.map(product).collect()
    }

    pub(super) fn bound(&self) -> f64 {
        self.cells.iter().fold(0.0f64, |most, value| most.max(value.abs()))
    }
}
