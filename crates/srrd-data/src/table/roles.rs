//! What the columns of a table of transitions mean.

use std::collections::HashSet;

use srrd::FrontEnd;

use super::names::{is_named, matches, misnamed, spaces, what_is_there};
use super::note::TableNote;
use super::options::{Next, Role, TableOptions};
use super::properties::PROPERTIES;
use super::read::{Passing, TableReader, listed};
use super::schema::Schema;
use crate::error::{ErrorKind, TableError, these_rewards};

/// The columns that make reward samples out of a table, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Roles {
    pub state: Identity,
    pub action: Identity,
    pub next_state: NextState,
    /// At least one, unless only what agents do is read.
    pub rewards: Vec<String>,
    /// Whether samples are named by their reward columns.
    pub named_by_reward: bool,
    pub sample: Option<String>,
    pub label: Option<String>,
    pub episode: Option<String>,
    pub step: Option<String>,
    /// Whether the task is over, the episode is over, was cut off, or ran out of time.
    pub ends: [Option<String>; 4],
    /// Whether someone asks for episodes.
    pub keep_episodes: bool,
    /// Whether the problem is taken to have one step although nobody said so.
    pub one_step_by_default: bool,
    /// Whether someone asks for properties of the actions.
    pub properties: bool,
    /// What becomes of rows that lack some of the rewards.
    pub lacking: Lacking,
}

/// What becomes of rows that lack some of the rewards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lacking {
    /// They are refused, or left out by who reads them.
    Refused,
    /// They are in all samples, which know what they score.
    Marked,
    /// They are in the samples of the rewards that they have.
    Apart,
}

/// Where next states come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NextState {
    /// They have columns of their own.
    Given(Identity),
    /// They are the states of the rows after them.
    Shifted,
    /// There are none: every row ends in one common end state.
    OneStep,
}

/// What identifies a state or an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    /// The column of this name.
    Token(String),
    /// The columns of the features of these names, in this (sorted) order: names beat positions.
    Features { names: Vec<String>, columns: Vec<String> },
}

impl Identity {
    /// The column of this name, or the columns `PREFIX.NAME`.
    pub(crate) fn find(schema: &Schema, prefix: &str) -> Option<Self> {
        match schema.index_of(prefix) {
            Some(_) => Some(Identity::Token(prefix.to_owned())),
            None => Identity::features_after(schema, prefix, '.'),
        }
    }

    /// The columns `PREFIX_0`, `PREFIX_1` and so on (or from 1 on), as arrays are often laid out in frames.
    fn numbered(schema: &Schema, prefix: &str) -> Option<Self> {
        let found = Identity::features_after(schema, prefix, '_')?;
        let numbers: Option<Vec<usize>> = found.features()?.iter().map(|name| name.parse().ok()).collect();
        let mut numbers = numbers?;
        numbers.sort_unstable();
        let first = numbers[0];
        // A gap would mean that the columns are something else.
        (first <= 1 && numbers.iter().copied().eq(first..first + numbers.len())).then_some(found)
    }

    fn features_after(schema: &Schema, prefix: &str, separator: char) -> Option<Self> {
        let feature = |name: &str| Some(name.strip_prefix(prefix)?.strip_prefix(separator)?.to_owned());
        let mut names: Vec<String> = schema.names().filter_map(feature).collect();
        names.sort_unstable();
        let columns = names.iter().map(|name| format!("{prefix}{separator}{name}")).collect();
        (!names.is_empty()).then_some(Identity::Features { names, columns })
    }

    /// The names of the features, if there are any.
    pub fn features(&self) -> Option<&[String]> {
        match self {
            Identity::Token(_) => None,
            Identity::Features { names, .. } => Some(names),
        }
    }

    pub fn columns(&self) -> Vec<String> {
        match self {
            Identity::Token(column) => vec![column.clone()],
            Identity::Features { columns, .. } => columns.clone(),
        }
    }
}

/// Whether a table has a column of this name, be it of one value or of features.
pub(super) fn has(schema: &Schema, column: &str) -> bool {
    Identity::find(schema, column).is_some()
}

/// Finds columns by their roles, and notes which were taken for others.
struct Finder<'a> {
    file: &'a str,
    schema: &'a Schema,
    options: &'a TableOptions,
    recognised: Vec<(Role, String)>,
}

impl Finder<'_> {
    /// The columns of a role, and the name that they have or begin with; `None` when there are none.
    fn found(&mut self, role: Role) -> Result<Option<Identity>, TableError> {
        // Rewards, episodes and the like are single columns: `reward_1` may be anything.
        let numbers = matches!(role, Role::State | Role::Action | Role::NextState);
        let schema = self.schema;
        let numbered = |name: &str| Identity::numbered(schema, name).filter(|_| numbers);
        if let Some(column) = self.options.columns.get(role) {
            return match Identity::find(schema, column).or_else(|| numbered(column)) {
                Some(identity) => Ok(Some(identity)),
                None => {
                    let what = format!("there is no such column to be the {role}; {}", self.what_is_there(column));
                    Err(TableError::new(ErrorKind::MissingColumn, self.file, what).in_column(column))
                }
            };
        }
        // What the columns of a log are besides prompts, responses and rewards, nobody has to guess: they may be called anything.
        if self.options.is_log && !matches!(role, Role::State | Role::Action | Role::Reward) {
            return Ok(None);
        }
        let info = role.info();
        if let Some(identity) = Identity::find(schema, info.name) {
            return Ok(Some(identity));
        }
        // What is said to be something else is not guessed to be this.
        let is_other =
            |name: &str| super::options::ROLES.iter().any(|other| self.options.columns.get(other.role) == Some(name));
        let guesses = || info.aliases.iter().copied().filter(|alias| !is_other(alias));
        let mut found: Vec<(String, Identity)> =
            guesses().filter_map(|name| Some((name.to_owned(), Identity::find(schema, name)?))).collect();
        if found.is_empty() {
            let names = std::iter::once(info.name).chain(guesses());
            found = names.filter_map(|name| Some((format!("{name}_*"), numbered(name)?))).collect();
        }
        match found.as_slice() {
            [] => Ok(None),
            [_] => {
                let (name, identity) = found.remove(0);
                self.recognised.push((role, name));
                Ok(Some(identity))
            }
            [(first, _), (second, _), ..] => {
                let what = |front_end: FrontEnd| {
                    let option = role.option(front_end, first.trim_end_matches("_*"));
                    format!("both `{first}` and `{second}` could be the {role}: say which, as in `{option}`")
                };
                Err(TableError::telling(ErrorKind::MissingColumn, self.file, what).in_column(info.name))
            }
        }
    }

    /// The state whose name goes with that of the next state (`obs` with `next_obs`), where another would be taken.
    fn state_of_next(&mut self) -> Option<Identity> {
        let recognised = |wanted: Role| self.recognised.iter().find(|(role, _)| *role == wanted).map(|(_, name)| name);
        let name = recognised(Role::NextState)?.strip_prefix("next_")?.to_owned();
        let (taken, said) = (recognised(Role::State), self.options.columns.get(Role::State));
        if said.is_some() || taken == Some(&name) {
            return None;
        }
        let fitting = match name.strip_suffix("_*") {
            Some(prefix) => Identity::numbered(self.schema, prefix),
            None => Identity::find(self.schema, &name),
        }?;
        self.recognised.retain(|(role, _)| *role != Role::State);
        self.recognised.insert(0, (Role::State, name));
        Some(fitting)
    }

    fn needed(&mut self, role: Role) -> Result<Identity, TableError> {
        self.found(role)?.ok_or_else(|| self.missing(role))
    }

    /// A column of its own; a list of one number is such a column, too.
    fn single(&mut self, role: Role) -> Result<Option<String>, TableError> {
        Ok(self.found(role)?.and_then(|identity| match identity {
            Identity::Token(column) => Some(column),
            Identity::Features { columns, .. } => <[String; 1]>::try_from(columns).ok().map(|[column]| column),
        }))
    }

    fn rewards(&mut self) -> Result<Vec<String>, TableError> {
        if self.options.rewards.is_empty() {
            return Ok(vec![self.single(Role::Reward)?.ok_or_else(|| self.missing(Role::Reward))?]);
        }
        let mut rewards: Vec<String> = Vec::new();
        for pattern in &self.options.rewards {
            let found: Vec<&str> = match pattern.contains('*') {
                true => self.schema.names().filter(|name| matches(pattern, name)).collect(),
                false => self.schema.names().filter(|name| name == pattern).collect(),
            };
            if found.is_empty() {
                let what = format!("there is no such reward column; {}", self.what_is_there(pattern));
                return Err(TableError::new(ErrorKind::MissingColumn, self.file, what).in_column(pattern));
            }
            for name in found {
                if !rewards.iter().any(|known| known == name) {
                    rewards.push(name.to_owned());
                }
            }
        }
        Ok(rewards)
    }

    fn what_is_there(&self, wanted: &str) -> String {
        what_is_there(self.schema, wanted)
    }

    fn missing(&self, role: Role) -> TableError {
        let column = role.info().name;
        let names = || std::iter::once(column).chain(role.info().aliases.iter().copied());
        let there = match names().find_map(|name| misnamed(self.schema, name)) {
            Some(why) => format!("this one has {}; {why}", listed(self.schema.names())),
            None => self.what_is_there(column),
        };
        let what = |front_end: FrontEnd| {
            let instead = match role {
                Role::Reward => {
                    format!("say which columns are rewards, as in `{}`", these_rewards(front_end, "old", "new"))
                }
                _ => format!(
                    "feature columns `{column}.NAME`, or `{column}_0`, `{column}_1`, …, or another column, as in `{}`",
                    role.option(front_end, "NAME")
                ),
            };
            format!("the column is missing: a table of transitions needs it (or {instead}); {there}")
        };
        TableError::telling(ErrorKind::MissingColumn, self.file, what).in_column(column)
    }
}

impl Roles {
    /// Finds out what the columns of a table mean; what was taken for something by another name is noted.
    pub fn of(
        file: &str,
        schema: &Schema,
        options: &TableOptions,
        notes: &mut Vec<TableNote>,
    ) -> Result<Self, TableError> {
        let mut finder = Finder { file, schema, options, recognised: Vec::new() };
        let mut state = finder.needed(Role::State)?;
        let action = finder.needed(Role::Action)?;
        let next_state = finder.found(Role::NextState)?;
        if let Some(fitting) = finder.state_of_next() {
            state = fitting;
        }
        if next_state.is_none()
            && !options.is_log
            && let Some(spaced) = schema.names().find(|name| is_named(name.trim(), "next_state"))
        {
            // Without next states the table would be taken for a one-step problem.
            return Err(TableError::new(ErrorKind::MissingColumn, file, spaces(spaced)).in_column("next_state"));
        }
        let rewards = if options.demonstrations { Vec::new() } else { finder.rewards()? };
        if let Some(next_state) = &next_state {
            check_same_features(file, &state, next_state)?;
        }
        let [sample, label, episode, step] =
            [Role::Sample, Role::Label, Role::Episode, Role::Step].map(|role| finder.single(role));
        let (episode, step) = (episode?, step?);
        let [terminated, done, truncated, timeout] =
            [Role::Terminated, Role::Done, Role::Truncated, Role::Timeout].map(|role| finder.single(role));
        // Models are of responses, whatever else was said.
        if next_state.is_some() && options.next != Next::Auto && !options.properties {
            notes.push(TableNote::OwnNextStates { file: file.to_owned(), next: options.next });
        }
        let next_state = match (next_state, options.next) {
            (Some(given), _) => NextState::Given(given),
            (None, Next::Shift) => NextState::Shifted,
            (None, Next::Auto) if episode.is_some() && step.is_some() => NextState::Shifted,
            (None, _) => NextState::OneStep,
        };
        let lacking = match (options.is_log, options.properties, rewards.len()) {
            (true, true, _) => Lacking::Marked,
            (true, false, 2..) => Lacking::Apart,
            _ => Lacking::Refused,
        };
        let one_step_by_default = next_state == NextState::OneStep && options.next == Next::Auto;
        let roles = Roles {
            state,
            action,
            next_state,
            rewards,
            named_by_reward: !options.rewards.is_empty(),
            sample: sample?,
            label: label?,
            episode,
            step,
            ends: [terminated?, done?, truncated?, timeout?],
            keep_episodes: options.episodes,
            one_step_by_default,
            properties: options.properties,
            lacking,
        };
        let recognised = finder.recognised;
        if !recognised.is_empty() {
            notes.push(TableNote::Recognised { file: file.to_owned(), columns: recognised });
        }
        Ok(roles)
    }

    /// The names of all samples of a row: the properties that are asked for, which every row has, and its reward columns.
    pub fn sample_columns(&self) -> Vec<&str> {
        let properties = PROPERTIES.iter().filter(|_| self.properties).map(|info| info.name);
        properties.chain(self.rewards.iter().map(String::as_str)).collect()
    }

    /// Whether the episode of every row is needed.
    pub fn needs_episodes(&self) -> bool {
        self.keep_episodes || self.next_state == NextState::Shifted
    }

    /// Whether rows end as `done` says, which may hold time limits as well, and no column tells these.
    pub fn done_alone(&self) -> bool {
        matches!(self.ends, [None, Some(_), None, None])
    }

    /// That rows are joined in their order although nothing says where time limits cut episodes off.
    pub fn no_limits(&self, file: &str) -> Option<TableNote> {
        let [terminated, done, truncated, timeout] = &self.ends;
        let told = [&self.episode, truncated, timeout].into_iter().any(Option::is_some);
        let mark = terminated.as_ref().or(done.as_ref()).cloned();
        (self.next_state == NextState::Shifted && !told).then(|| TableNote::NoLimits { file: file.to_owned(), mark })
    }

    /// Whether episodes tell which rows need no next state.
    fn orders_gaps(&self) -> bool {
        matches!(self.next_state, NextState::Given(_)) && self.episode.is_some()
    }

    fn identities(&self) -> impl Iterator<Item = &Identity> {
        let next_state = match &self.next_state {
            NextState::Given(identity) => Some(identity),
            _ => None,
        };
        [&self.state, &self.action].into_iter().chain(next_state)
    }

    /// Selects the columns that are needed, and those that may be and can be read: what may only have to order rows without a next state
    /// may be anything as long as there are none.
    pub fn select(&self, reader: &mut dyn TableReader) -> Result<(), TableError> {
        let needed = self.columns_in(false);
        let mut columns = self.columns();
        if columns.len() > needed.len() {
            let needed: Vec<&str> = needed.iter().map(String::as_str).collect();
            reader.keep_extras(&needed, Passing::Text)?;
            columns.retain(|column| needed.contains(&column.as_str()) || reader.schema().index_of(column).is_some());
        }
        reader.select(&columns.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The columns that are needed or may be, to be selected in this order.
    pub fn columns(&self) -> Vec<String> {
        self.columns_in(true)
    }

    fn columns_in(&self, order: bool) -> Vec<String> {
        let mut columns: Vec<String> = self.identities().flat_map(Identity::columns).collect();
        columns.extend(self.rewards.iter().cloned());
        columns.extend([&self.sample, &self.label].into_iter().flatten().cloned());
        let orders = self.next_state == NextState::Shifted || order && self.orders_gaps();
        if self.needs_episodes() || orders {
            columns.extend(self.episode.clone());
        }
        if orders {
            columns.extend(self.step.clone());
        }
        columns.extend(self.ends.iter().flatten().cloned());
        once(columns)
    }

    /// All columns that mean something, needed or not.
    pub fn meant(&self) -> Vec<String> {
        let mut columns = self.columns();
        columns.extend([&self.episode, &self.step].into_iter().flatten().cloned());
        once(columns)
    }

    /// The columns whose values are tokens or names.
    pub fn token_columns(&self) -> Vec<&str> {
        let tokens = self.identities().filter_map(|identity| match identity {
            Identity::Token(column) => Some(column.as_str()),
            Identity::Features { .. } => None,
        });
        tokens.chain(self.sample.as_deref()).chain(self.label.as_deref()).collect()
    }

    /// The columns that are features of states or actions.
    pub fn feature_columns(&self) -> Vec<String> {
        self.identities().filter(|identity| identity.features().is_some()).flat_map(Identity::columns).collect()
    }
}

/// Each name once: a column may have two roles, such as a state that is rewarded by itself.
fn once(mut columns: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    columns.retain(|column| seen.insert(column.clone()));
    columns
}

fn check_same_features(file: &str, state: &Identity, next_state: &Identity) -> Result<(), TableError> {
    if state.features() == next_state.features() {
        return Ok(());
    }
    let describe = |identity: &Identity| match identity {
        Identity::Token(column) => format!("the column `{column}`"),
        features => listed(features.columns().iter().map(String::as_str)),
    };
    let what = format!(
        "states are identified by {} but next states by {}; give both the same features, or a token each",
        describe(state),
        describe(next_state)
    );
    Err(TableError::new(ErrorKind::MissingColumn, file, what))
}
