//! What the columns of a table of transitions mean.

use crate::error::{ErrorKind, TableError, shorten};
use crate::table::batch::{Batch, Column, Schema, TextColumn, Values};
use crate::table::number::feature_numbers;
use srrd::Token;

/// The columns that make reward samples out of a table, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Roles {
    pub state: Identity,
    pub action: Identity,
    /// `None` in one-step problems: every row ends in one common end state.
    pub next_state: Option<Identity>,
    pub sample: Option<String>,
    pub label: Option<String>,
    /// `None` unless someone asks for episodes.
    pub episode: Option<String>,
}

/// The episodes' column.
pub(crate) const EPISODE: &str = "episode";

/// The reward's column.
pub(crate) const REWARD: &str = "reward";

/// What identifies a state or an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    /// The column of this name.
    Token(String),
    /// The columns `PREFIX.NAME` of all these names, in this (sorted) order: names beat positions.
    Features { prefix: &'static str, names: Vec<String> },
}

impl Identity {
    pub(crate) fn find(schema: &Schema, prefix: &'static str) -> Option<Self> {
        if schema.index_of(prefix).is_some() {
            return Some(Identity::Token(prefix.to_owned()));
        }
        let feature = |name: &str| Some(name.strip_prefix(prefix)?.strip_prefix('.')?.to_owned());
        let mut names: Vec<String> = schema.names().filter_map(feature).collect();
        names.sort_unstable();
        (!names.is_empty()).then_some(Identity::Features { prefix, names })
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
            Identity::Features { prefix, names } => names.iter().map(|name| format!("{prefix}.{name}")).collect(),
        }
    }
}

impl Roles {
    /// Finds out what the columns of a table mean.
    pub fn of(file: &str, schema: &Schema) -> Result<Self, TableError> {
        let missing = |column: &str| {
            let known: Vec<String> = schema.names().map(|name| format!("`{}`", shorten(name))).collect();
            let instead = match column {
                REWARD => String::new(),
                _ => format!(" (or feature columns `{column}.NAME`)"),
            };
            let what = format!("the column is missing: a table of transitions needs it{instead}; this one has ");
            let what =
                what + &known.join(", ") + &misnamed(schema, column).map_or(String::new(), |why| format!("; {why}"));
            TableError::new(ErrorKind::MissingColumn, file, what).in_column(column)
        };
        let state = Identity::find(schema, "state").ok_or_else(|| missing("state"))?;
        let action = Identity::find(schema, "action").ok_or_else(|| missing("action"))?;
        let next_state = Identity::find(schema, "next_state");
        if next_state.is_none()
            && let Some(spaced) = schema.names().find(|name| is_named(name.trim(), "next_state"))
        {
            // Without next states the table would be taken for a one-step problem.
            return Err(TableError::new(ErrorKind::MissingColumn, file, spaces(spaced)).in_column("next_state"));
        }
        if schema.index_of(REWARD).is_none() {
            return Err(missing(REWARD));
        }
        if let Some(next_state) = &next_state
            && state.features() != next_state.features()
        {
            let describe = |identity: &Identity| match identity {
                Identity::Token(column) => format!("the column `{column}`"),
                features => {
                    features.columns().iter().map(|column| format!("`{column}`")).collect::<Vec<_>>().join(", ")
                }
            };
            return Err(TableError::new(
                ErrorKind::MissingColumn,
                file,
                format!(
                    "states are identified by {} but next states by {}; give both the same features, or a token each",
                    describe(&state),
                    describe(next_state)
                ),
            ));
        }
        let optional = |name: &str| schema.index_of(name).map(|_| name.to_owned());
        Ok(Roles { state, action, next_state, sample: optional("sample"), label: optional("label"), episode: None })
    }

    /// The columns that are needed, to be selected in this order.
    pub fn columns(&self) -> Vec<String> {
        let identities = [Some(&self.state), Some(&self.action), self.next_state.as_ref()];
        let mut columns: Vec<String> = identities.into_iter().flatten().flat_map(Identity::columns).collect();
        columns.push(REWARD.to_owned());
        columns.extend(self.sample.clone());
        columns.extend(self.label.clone());
        columns.extend(self.episode.clone());
        columns
    }
}

/// Whether a name is that of a column or of one of its features.
fn is_named(name: &str, column: &str) -> bool {
    name.strip_prefix(column).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn spaces(name: &str) -> String {
    format!("`{}` has spaces around it; write names and values without spaces beside the separators", shorten(name))
}

/// Why a column that seems to be there is not found, and what to do.
fn misnamed(schema: &Schema, column: &str) -> Option<String> {
    for (separator, called, remedy) in [
        (';', "semicolons", "separate them by commas"),
        ('\t', "tabs", "give the file the extension .tsv, or separate them by commas"),
        (',', "commas", "give the file the extension .csv, or separate them by tabs"),
    ] {
        let holds = |name: &str| {
            let mut parts = name.split(separator);
            name.contains(separator) && parts.any(|part| is_named(part.trim().trim_matches('"'), column))
        };
        if schema.names().any(holds) {
            return Some(format!("the fields seem to be separated by {called}: {remedy}"));
        }
    }
    if let Some(name) = schema.names().find(|name| is_named(name.trim(), column)) {
        return Some(spaces(name));
    }
    let other = schema.names().find(|name| is_named(&name.trim().to_lowercase(), column))?;
    Some(format!("names are compared as written: rename `{}` to `{}`", shorten(other), other.trim().to_lowercase()))
}

/// The tokens of one batch in one role.
pub(crate) enum Tokens<'a> {
    Text(&'a TextColumn),
    Int(&'a [i64]),
    Float(&'a [f64]),
    Bool(&'a [bool]),
    /// Row after row.
    Features {
        values: Vec<f64>,
        count: usize,
    },
    /// One-step problems: every row ends in the same state, whose token no table can hold.
    End,
}

impl<'a> Tokens<'a> {
    /// Takes the tokens of a role from a batch of the selected columns, checking that all are there.
    pub fn of(identity: Option<&Identity>, file: &str, schema: &Schema, batch: &'a Batch) -> Result<Self, TableError> {
        let position = |name: &str| schema.index_of(name).expect("the column was selected");
        match identity {
            None => Ok(Tokens::End),
            Some(Identity::Token(name)) => {
                let column = &batch.columns[position(name)];
                check_present(file, name, batch, column)?;
                Ok(match &column.values {
                    Values::Text(texts) => Tokens::Text(texts),
                    Values::Int(values) => Tokens::Int(values),
                    Values::Float(values) => Tokens::Float(values),
                    Values::Bool(values) => Tokens::Bool(values),
                })
            }
            Some(features @ Identity::Features { names, .. }) => {
                let count = names.len();
                let mut values = vec![0.0; batch.rows * count];
                let mut column = Vec::with_capacity(batch.rows);
                for (k, name) in features.columns().iter().enumerate() {
                    column.clear();
                    feature_numbers(file, name, batch, position(name), &mut column)?;
                    values.iter_mut().skip(k).step_by(count).zip(&column).for_each(|(to, &value)| *to = value);
                }
                Ok(Tokens::Features { values, count })
            }
        }
    }

    /// Calls `f` with the token of row `index` of the batch.
    #[inline]
    pub fn with<T>(&self, index: usize, f: impl FnOnce(Token<'_>) -> T) -> T {
        match self {
            Tokens::Text(texts) => f(Token::text(texts.get(index))),
            Tokens::Int(values) => f(Token::int(values[index])),
            Tokens::Float(values) => {
                // By value: an integer is the same integer in a float column, as pandas makes of one with gaps.
                let value = values[index];
                if value.fract() == 0.0 && value.abs() < 9e15 {
                    f(Token::int(value as i64))
                } else {
                    f(Token::text(&value.to_string()))
                }
            }
            Tokens::Bool(values) => f(Token::text(if values[index] { "true" } else { "false" })),
            Tokens::Features { values, count } => f(Token::features(&values[index * count..(index + 1) * count])),
            Tokens::End => f(Token::text("")),
        }
    }
}

/// Refuses missing values, and the empty texts that stand for them in text formats.
pub(crate) fn check_present(file: &str, name: &str, batch: &Batch, column: &Column) -> Result<(), TableError> {
    let absent = match &column.values {
        Values::Text(texts) if column.validity.is_none() => texts.first_empty(),
        Values::Text(texts) => (0..batch.rows).find(|&i| texts.get(i).is_empty() || !column.is_valid(i)),
        Values::Float(values) => (0..batch.rows).find(|&i| !values[i].is_finite() || !column.is_valid(i)),
        _ if column.validity.is_none() => None,
        _ => (0..batch.rows).find(|&i| !column.is_valid(i)),
    };
    match absent {
        None => Ok(()),
        Some(index) => Err(TableError::new(ErrorKind::Type, file, "the value is missing: fill it in, or drop the row")
            .at_row(batch.row_number(index))
            .at_line(batch.line(index))
            .in_column(name)),
    }
}

/// The text of a cell, for names and labels.
pub(crate) fn cell_text(column: &Column, index: usize) -> std::borrow::Cow<'_, str> {
    match &column.values {
        Values::Text(texts) => texts.get(index).into(),
        Values::Int(values) => values[index].to_string().into(),
        Values::Float(values) => values[index].to_string().into(),
        Values::Bool(values) => values[index].to_string().into(),
    }
}
