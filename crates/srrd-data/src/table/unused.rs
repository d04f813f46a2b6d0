//! Columns that are not used although their names are nearly those of columns that would be.

use super::nearest::edits;
use super::note::TableNote;
use super::options::{ROLES, Role};
use super::roles::{NextState, Roles};
use super::schema::Schema;

/// Names that people give to what has a role, and that may be something else: where the role is open, a note asks.
const HINTS: [(Role, &[&str]); 3] = [
    (
        Role::NextState,
        &[
            "s_next",
            "next_s",
            "s2",
            "sp",
            "s_prime",
            "s'",
            "state_next",
            "new_state",
            "state2",
            "obs_next",
            "new_obs",
            "next_ob",
            "obs2",
            "observation_next",
            "new_observation",
            "to_state",
            "successor",
        ],
    ),
    (
        Role::Episode,
        &[
            "traj",
            "traj_id",
            "traj_idx",
            "trajectory",
            "trajectory_id",
            "trajectory_index",
            "rollout",
            "rollout_id",
            "ep",
            "ep_id",
        ],
    ),
    (Role::Step, &["t", "time", "time_step", "step_id", "step_index", "step_idx", "timestep_id", "frame"]),
];

/// A note for every column that seems to be misspelt. Only for what a table can do without: what it needs is an error, which names the
/// nearest column.
pub(super) fn misspelt(file: &str, schema: &Schema, roles: &Roles) -> Vec<TableNote> {
    let used = roles.columns();
    let lacks = |role: Role| match role {
        Role::NextState => !matches!(roles.next_state, NextState::Given(_)),
        Role::Episode => roles.episode.is_none(),
        Role::Step => roles.step.is_none(),
        Role::Terminated | Role::Done => roles.ends[..2].iter().all(Option::is_none),
        Role::Truncated | Role::Timeout => roles.ends[2..].iter().all(Option::is_none),
        Role::State | Role::Action | Role::Reward | Role::Sample | Role::Label => false,
    };
    let lacking: Vec<_> = ROLES.iter().filter(|info| lacks(info.role)).collect();
    // A table of thousands of features has no column that was misspelled.
    let unused = schema.names().take(1000).filter(|name| name.len() < 40 && !used.iter().any(|used| used == name));
    // Where next states are given, hardly anything depends on the order of rows.
    let orders = !matches!(roles.next_state, NextState::Given(_)) && !roles.properties;
    let hinted = |name: &str| {
        let is =
            |(role, names): &&(Role, &[&str])| names.contains(&name) && lacks(*role) && (orders || *role != Role::Step);
        HINTS.iter().find(is).map(|(role, _)| *role)
    };
    let near = |name: &str| {
        let of_role = |name: &str, role: Role| {
            let info = role.info();
            std::iter::once(info.name).chain(info.aliases.iter().copied()).any(|known| is_near(known, name))
        };
        lacking.iter().find(|info| of_role(name, info.role)).map(|info| info.role)
    };
    unused
        .filter_map(|name| {
            Some(TableNote::Unused {
                file: file.to_owned(),
                column: name.to_owned(),
                role: near(name).or_else(|| hinted(name))?,
            })
        })
        .collect()
}

/// The letters and digits of a name, all small, without what begins the names of truths.
fn plain(name: &str) -> String {
    let rest = name.strip_prefix("is").filter(|rest| rest.starts_with(|c: char| c == '_' || c.is_uppercase()));
    rest.unwrap_or(name).to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Whether a name is nearly another: one letter in five differs. Of a short name, where nearly every change makes another word (`stop`,
/// `dose`), no letter may be changed, nor the first one be missing.
fn is_near(known: &str, name: &str) -> bool {
    let [known, name] = [plain(known), plain(name)];
    let edits = edits(&known, &name);
    let short = known.len() < 6;
    edits <= (known.len() / 5).max(1) && !(short && edits > 0 && is_another(&known, &name))
}

fn is_another(known: &str, name: &str) -> bool {
    let mut letters = [known, name].map(|name| name.chars().collect::<Vec<_>>());
    letters.iter_mut().for_each(|letters| letters.sort_unstable());
    known.chars().next() != name.chars().next() || known.len() == name.len() && letters[0] != letters[1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_nearly_others() {
        let near = |name: &str| {
            let of = |info: &&crate::RoleInfo| {
                std::iter::once(info.name).chain(info.aliases.iter().copied()).any(|known| is_near(known, name))
            };
            ROLES.iter().find(of).map(|info| info.role)
        };
        for (name, role) in [
            ("stpe", Role::Step),
            ("stp", Role::Step),
            ("Steps", Role::Step),
            ("frame_idx", Role::Step),
            ("is_done", Role::Done),
            ("isDone", Role::Done),
            ("DONE", Role::Done),
            ("is_terminated", Role::Terminated),
            ("epsiode", Role::Episode),
            ("episodeId", Role::Episode),
            ("next-state", Role::NextState),
            ("time_out", Role::Timeout),
            ("trucated", Role::Truncated),
        ] {
            let found = near(name);
            assert_eq!(found, Some(role), "{name}");
        }
        for name in [
            "prompt_id",
            "stop",
            "dose",
            "label_id",
            "timestamp",
            "time",
            "one",
            "tone",
            "id",
            "user_id",
            "epoch",
            "stem",
            "note",
            "seed",
            "index",
            "domain",
            "is_first",
            "termination_reason",
            "length",
            "source",
            "node",
            "dome",
        ] {
            assert_eq!(near(name), None, "{name}");
        }
    }
}
