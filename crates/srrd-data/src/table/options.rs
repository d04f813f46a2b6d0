//! How tables are read as reward samples: which column is which, and what is made of the rows.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use srrd::{Choice, Duplicates, FrontEnd};

use super::read::{ReadOptions, TableReader, open};
use crate::dataset::{DatasetOptions, Log};
use crate::error::{TableError, shorten};

/// What a column is to a table of transitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// The state in which a transition begins.
    State,
    /// The action.
    Action,
    /// The state in which it ends.
    NextState,
    /// The reward.
    Reward,
    /// Which reward sample the row belongs to.
    Sample,
    /// The class of the sample.
    Label,
    /// Which episode the row belongs to.
    Episode,
    /// The place of the row in its episode.
    Step,
    /// Whether the task is over after the row.
    Terminated,
    /// Whether the episode is over after the row, for whatever reason.
    Done,
    /// Whether the episode was cut off after the row.
    Truncated,
    /// Whether a time limit ended the episode after the row.
    Timeout,
}

/// What is known about a role.
#[derive(Debug)]
pub struct RoleInfo {
    /// The role.
    pub role: Role,
    /// The name of its column.
    pub name: &'static str,
    /// Other names that are taken for it where no column has the first.
    pub aliases: &'static [&'static str],
    /// One line about it, for help texts and documentation.
    pub about: &'static str,
}

/// All roles, each declared once.
pub static ROLES: [RoleInfo; 12] = [
    RoleInfo {
        role: Role::State,
        name: "state",
        aliases: &["obs", "observation", "observations", "prompt"],
        about: "the state: a token, or features `state.NAME` (or `state_0`, `state_1`, …)",
    },
    RoleInfo {
        role: Role::Action,
        name: "action",
        aliases: &["act", "actions", "response", "completion"],
        about: "the action: a token, or features `action.NAME` (or `action_0`, …)",
    },
    RoleInfo {
        role: Role::NextState,
        name: "next_state",
        aliases: &["next_obs", "next_observation", "next_observations"],
        about: "the state after the action; without it the problem has one step, or rows are shifted",
    },
    RoleInfo {
        role: Role::Reward,
        name: "reward",
        aliases: &["rew", "rewards", "score", "next.reward"],
        about: "the reward: a finite number",
    },
    RoleInfo { role: Role::Sample, name: "sample", aliases: &[], about: "which reward sample the row belongs to" },
    RoleInfo { role: Role::Label, name: "label", aliases: &[], about: "the class of the sample" },
    RoleInfo {
        role: Role::Episode,
        name: "episode",
        aliases: &["episode_id", "episode_index"],
        about: "which episode the row belongs to",
    },
    RoleInfo {
        role: Role::Step,
        name: "step",
        aliases: &["frame_index", "timestep"],
        about: "the place of the row in its episode: a number",
    },
    RoleInfo {
        role: Role::Terminated,
        name: "terminated",
        aliases: &["terminations", "termination", "is_terminal"],
        about: "whether the task is over after the row: true/false or 1/0",
    },
    RoleInfo {
        role: Role::Done,
        name: "done",
        aliases: &["dones", "terminals", "terminal", "is_last", "next.done"],
        about: "whether the episode is over after the row, for whatever reason",
    },
    RoleInfo {
        role: Role::Truncated,
        name: "truncated",
        aliases: &["truncations", "truncation"],
        about: "whether the episode was cut off after the row",
    },
    RoleInfo {
        role: Role::Timeout,
        name: "timeout",
        aliases: &["timeouts"],
        about: "whether a time limit ended the episode after the row",
    },
];

impl Role {
    /// What is known about the role.
    pub fn info(self) -> &'static RoleInfo {
        ROLES.iter().find(|info| info.role == self).expect("every role is in the table")
    }

    /// How this front end is told that a column has the role.
    pub(crate) fn option(self, front_end: FrontEnd, column: &str) -> String {
        match front_end {
            FrontEnd::Command => format!("--columns {}", quoted(&format!("{self}={column}"))),
            FrontEnd::Python => format!("columns={{\"{self}\": \"{column}\"}}"),
        }
    }
}

/// A word for the shell, in quotes where it needs them.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-+=.,:/@%".contains(c);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info().name)
    }
}

/// Which columns have which roles, where a user says so: `state=obs,reward=rew`.
///
/// ```
/// use srrd_data::{ColumnMap, Role};
/// let columns: ColumnMap = "state=obs,reward=rew".parse()?;
/// assert_eq!(columns.get(Role::State), Some("obs"));
/// assert!("stat=obs".parse::<ColumnMap>().unwrap_err().to_string().contains("roles are state, action"));
/// # Ok::<(), srrd_data::ColumnMapError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnMap {
    columns: Vec<(Role, String)>,
}

impl ColumnMap {
    /// Says which column has a role, in place of an earlier answer.
    pub fn set(&mut self, role: Role, column: impl Into<String>) {
        self.columns.retain(|(known, _)| *known != role);
        self.columns.push((role, column.into()));
    }

    /// Gives a column the role of this name.
    ///
    /// # Errors
    /// There is no such role.
    pub fn set_named(&mut self, role: &str, column: impl Into<String>) -> Result<(), ColumnMapError> {
        let info = ROLES.iter().find(|info| info.name == role).ok_or_else(|| ColumnMapError::unknown(role))?;
        self.set(info.role, column);
        Ok(())
    }

    /// The column that has a role.
    pub fn get(&self, role: Role) -> Option<&str> {
        self.columns.iter().find(|(known, _)| *known == role).map(|(_, column)| column.as_str())
    }
}

impl FromStr for ColumnMap {
    type Err = ColumnMapError;

    fn from_str(text: &str) -> Result<Self, ColumnMapError> {
        let mut map = ColumnMap::default();
        for pair in text.split(',').filter(|pair| !pair.trim().is_empty()) {
            let (role, column) = pair.split_once('=').ok_or_else(|| ColumnMapError::not_a_pair(pair))?;
            let (role, column) = (role.trim(), column.trim());
            if column.is_empty() {
                return Err(ColumnMapError::not_a_pair(pair));
            }
            let before = map.columns.len();
            map.set_named(role, column)?;
            if map.columns.len() == before {
                return Err(ColumnMapError::twice(role));
            }
        }
        Ok(map)
    }
}

/// Why a text says of no columns which roles they have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnMapError(String);

impl ColumnMapError {
    fn unknown(role: &str) -> Self {
        let known: Vec<&str> = ROLES.iter().map(|info| info.name).collect();
        ColumnMapError(format!("`{}` is no role of a column; roles are {}", shorten(role), known.join(", ")))
    }

    fn twice(role: &str) -> Self {
        let several = if role == "reward" { "; several rewards are named by --rewards A,B" } else { "" };
        ColumnMapError(format!("`{role}` is given twice; one column has a role{several}"))
    }

    fn not_a_pair(pair: &str) -> Self {
        ColumnMapError(format!("`{}` does not say which column is which; write it like state=obs", shorten(pair)))
    }
}

impl fmt::Display for ColumnMapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ColumnMapError {}

/// Where next states come from in a table that has no column for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Next {
    /// By shifting if the table has both `episode` and `step`; otherwise there are none.
    #[default]
    Auto,
    /// The next state of a row is the state of the row after it in its episode.
    Shift,
    /// There are none: every row ends in one common end state.
    None,
}

impl Choice for Next {
    const ALL: &'static [Self] = &[Next::Auto, Next::Shift, Next::None];
    const NAMES: &'static [&'static str] = &["auto", "shift", "none"];
}

/// How a table is read as reward samples.
///
/// ```
/// use srrd_data::{ColumnMap, Next, TableOptions};
/// let options = TableOptions { columns: "state=obs".parse()?, next: Next::Shift, ..TableOptions::default() };
/// # Ok::<(), srrd_data::ColumnMapError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TableOptions {
    /// Which column is which, where their names do not say it.
    pub columns: ColumnMap,
    /// The reward columns, by name or by a pattern with `*`: one sample for each, named by the column. None: the one reward column.
    pub rewards: Vec<String>,
    /// Where next states come from.
    pub next: Next,
    /// Which reward a transition gets that occurs several times.
    pub duplicates: Duplicates,
    /// Whether the episodes of each sample are wanted, where the table has them. 12 bytes per row more while it is read.
    pub episodes: bool,
    /// Whether only what agents do is read: rewards need not be there, and do not count.
    pub demonstrations: bool,
    /// Whether properties of the actions, such as the length of responses, are wanted, too: one sample more for each of
    /// [`PROPERTIES`](super::PROPERTIES), before those of the reward columns. Of a log, a row then need not have all of the rewards.
    pub properties: bool,
    /// How recorded data sets are read.
    pub dataset: DatasetOptions,
    /// Whether it is a log, of which only prompts, responses and rewards have roles that nobody named. What is opened says so.
    #[doc(hidden)]
    pub is_log: bool,
}

impl TableOptions {
    /// The table at `path` to be read with these options, and the name of what it holds where nothing else names it.
    pub(super) fn open(&self, path: &Path) -> Result<(Box<dyn TableReader>, String), TableError> {
        let reader = open(path, &ReadOptions { dataset: self.dataset.clone(), ..ReadOptions::default() })?;
        let name = match path.file_name() {
            Some(name) if name != "-" => name.to_string_lossy().into_owned(),
            _ => reader.name().to_owned(),
        };
        Ok((reader, name))
    }

    /// Adds what is known of a log of training.
    /// The column that names samples, where there is one.
    pub fn sample_column(&self) -> &str {
        self.columns.get(Role::Sample).unwrap_or("sample")
    }

    pub(crate) fn mean(&mut self, log: &Log) {
        // Prompts have no successors, whatever the steps of a log say, and what is a reward is known.
        self.next = Next::None;
        self.is_log = true;
        if self.rewards.is_empty() && self.columns.get(Role::Reward).is_none() && !self.demonstrations {
            match log.rewards.as_slice() {
                // Named by its file: others call theirs the same.
                [only] if ["reward", "score"].contains(&only.as_str()) => self.columns.set(Role::Reward, only),
                rewards => self.rewards = rewards.to_vec(),
            }
        }
    }
}

impl From<Duplicates> for TableOptions {
    fn from(duplicates: Duplicates) -> Self {
        TableOptions { duplicates, ..TableOptions::default() }
    }
}
