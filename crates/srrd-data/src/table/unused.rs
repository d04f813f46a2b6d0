//! Columns that are not used although their names are nearly those of columns that would be.

use super::nearest::edits;
use super::note::TableNote;
use super::options::{ROLES, Role};
use super::roles::{NextState, Roles};
use super::schema::Schema;

/// A note for every column that seems to be misspelt. Only for what a table can do without: what it needs is an error, which names the
/// nearest column.
pub(super) fn misspelt(file: &str, schema: &Schema, roles: &Roles) -> Vec<TableNote> {
    let used = roles.columns();
    let lacks = |role: Role| match role {
        Role::NextState => !matches!(roles.next_state, NextState::Given(_)),
        Role::Episode => roles.episode.is_none(),
        Role::Step => roles.step.is_none(),
        Role::Terminated | Role::Done | Role::Truncated | Role::Timeout => roles.ends.iter().all(Option::is_none),
        Role::State | Role::Action | Role::Reward | Role::Sample | Role::Label => false,
    };
    let lacking: Vec<_> = ROLES.iter().filter(|info| lacks(info.role)).collect();
    // A table of thousands of features has no column that was misspelled.
    let unused = schema.names().take(1000).filter(|name| name.len() < 40 && !used.iter().any(|used| used == name));
    let near = |name: &str| {
        let is_near = |of: &str| (1..=(of.len() / 5).max(1)).contains(&edits(of, name));
        lacking.iter().find(|info| is_near(info.name)).map(|info| info.role)
    };
    unused
        .filter_map(|name| {
            Some(TableNote::Unused { file: file.to_owned(), column: name.to_owned(), role: near(name)? })
        })
        .collect()
}
