//! What is known of a table before its rows: its name, what its columns mean, and where they are.

use std::collections::HashMap;

use srrd::SampleError;

use super::batch::Batch;
use super::number::{finite_numbers, numbers_or_nan};
use super::properties::properties_of;
use super::read::{TableReader, for_each_batch};
use super::roles::{Identity, Lacking, NextState, Roles};
use super::schema::Schema;
use super::tokens::{Ends, Tokens};
use crate::error::{ErrorKind, TableError};

/// Where the columns of the roles are in batches.
pub(crate) struct Places {
    pub state: Vec<usize>,
    pub action: Vec<usize>,
    pub next_state: Option<Vec<usize>>,
    pub rewards: Vec<usize>,
    pub sample: Option<usize>,
    pub label: Option<usize>,
    pub episode: Option<usize>,
    pub step: Option<usize>,
    pub ends: [Option<usize>; 4],
}

impl Places {
    /// In batches of these columns.
    pub fn of(roles: &Roles, schema: &Schema) -> Self {
        let known: HashMap<&str, usize> = schema.names().enumerate().map(|(at, name)| (name, at)).collect();
        let all = |names: &[String]| names.iter().filter_map(|name| known.get(name.as_str()).copied()).collect();
        let one = |name: &Option<String>| name.as_deref().and_then(|name| known.get(name).copied());
        Places {
            state: all(&roles.state.columns()),
            action: all(&roles.action.columns()),
            next_state: match &roles.next_state {
                NextState::Given(identity) => Some(all(&identity.columns())),
                _ => None,
            },
            rewards: all(&roles.rewards),
            sample: one(&roles.sample),
            label: one(&roles.label),
            episode: one(&roles.episode),
            step: one(&roles.step),
            ends: [0, 1, 2, 3].map(|which| one(&roles.ends[which])),
        }
    }
}

/// The rewards of the rows of a batch: properties that are asked for, then by reward column.
pub(crate) struct Rewards {
    /// Those that are pushed with the rows: the first list, which has one for every row; where samples have rows of their own, 0.
    pub pushed: Vec<f64>,
    /// The other lists; where samples have rows of their own, all.
    pub others: Vec<Vec<f64>>,
    /// Whether what is pushed are the rewards of the first column.
    pushes_first: bool,
}

impl Rewards {
    /// By reward column.
    pub fn columns(&self) -> impl Iterator<Item = &[f64]> {
        self.pushes_first.then_some(&self.pushed).into_iter().chain(&self.others).map(Vec::as_slice)
    }
}

/// A table, for whoever reads its batches.
#[derive(Clone, Copy)]
pub(crate) struct Layout<'a> {
    pub file: &'a str,
    pub roles: &'a Roles,
    pub places: &'a Places,
}

impl Layout<'_> {
    /// All rows, and which of them end.
    pub fn read_all(self, reader: Box<dyn TableReader>) -> Result<(Vec<Batch>, Ends), TableError> {
        let (mut batches, mut ends) = (Vec::new(), Ends::default());
        for_each_batch(reader, |batch| {
            ends.push(self, batch)?;
            batches.push(std::mem::take(batch));
            Ok(())
        })?;
        if batches.is_empty() {
            return Err(TableError::no_rows(self.file));
        }
        Ok((batches, ends))
    }

    pub fn states<'b>(&self, batch: &'b Batch) -> Result<Tokens<'b>, TableError> {
        Tokens::of(&self.roles.state, &self.places.state, self.file, batch)
    }

    pub fn actions<'b>(&self, batch: &'b Batch) -> Result<Tokens<'b>, TableError> {
        Tokens::of(&self.roles.action, &self.places.action, self.file, batch)
    }

    pub fn next_states<'b>(&self, batch: &'b Batch) -> Result<Tokens<'b>, TableError> {
        match (&self.roles.next_state, &self.places.next_state) {
            (NextState::Given(identity), Some(positions)) => Tokens::of(identity, positions, self.file, batch),
            _ => Ok(Tokens::End),
        }
    }

    /// The rewards of all rows.
    pub fn rewards(&self, batch: &Batch) -> Result<Rewards, TableError> {
        let columns = self.roles.rewards.iter().zip(&self.places.rewards);
        let made = match (self.roles.properties, &self.roles.action) {
            (false, _) => Vec::new(),
            (true, Identity::Token(_)) => properties_of(batch.columns.get(self.places.action[0]), batch),
            (true, Identity::Features { .. }) => properties_of(None, batch),
        };
        let read = columns.map(|(name, &position)| {
            let mut rewards = Vec::with_capacity(batch.rows);
            let take = if self.roles.lacking == Lacking::Refused { finite_numbers } else { numbers_or_nan };
            take(self.file, name, batch, position, &mut rewards).map(|()| rewards)
        });
        let mut others = made.into_iter().map(Ok).chain(read).collect::<Result<Vec<_>, _>>()?;
        let pushed = match self.roles.lacking {
            Lacking::Apart => vec![0.0; batch.rows],
            Lacking::Refused | Lacking::Marked => others.remove(0),
        };
        Ok(Rewards { pushed, others, pushes_first: self.roles.lacking != Lacking::Apart })
    }

    /// An error of the library about one row.
    pub fn error(&self, batch: &Batch, index: usize, error: &SampleError) -> TableError {
        let what = match error {
            SampleError::TooBig { value, .. } => format!(
                "{value:e} is too large to compute with; divide all rewards by a constant (distances do not change)"
            ),
            other => other.to_string(),
        };
        let placed = TableError::new(ErrorKind::Number, self.file, what).at(batch, index);
        match error {
            SampleError::TooBig { .. } => placed.in_column(&self.roles.rewards[0]),
            _ => placed,
        }
    }
}
