//! The tokens, names and ends of a batch, by their roles.

use siphasher::sip128::SipHasher13;
use srrd::Token;

use super::batch::{Batch, Column, TextColumn, Values};
use super::layout::Layout;
use super::number::feature_numbers;
use super::roles::Identity;
use crate::error::{ErrorKind, TableError, shorten};

/// Texts of more bytes than this, such as prompts and completions, are not held in samples.
const LONG: usize = 200;

/// So many characters of them are shown.
const SHOWN: usize = 80;

/// Whether a text is that long.
#[inline]
pub(crate) fn is_long(text: &str) -> bool {
    text.len() > LONG
}

/// What stands for a long text: its first characters, and a hash of all of its bytes, by which it is told apart from others.
fn shortened(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~";
    let end = text.char_indices().nth(SHOWN).map_or(text.len(), |(end, _)| end);
    let hash = SipHasher13::new().hash(text.as_bytes()).as_u128();
    // Six bits each: with millions of texts, hexadecimal digits would take ten bytes more of memory for each.
    let digits = (0..22).rev().map(|place| char::from(DIGITS[(hash >> (6 * place)) as usize % 64]));
    let mut token = String::with_capacity(end + 25);
    token.push_str(&text[..end]);
    token.push('…');
    token.extend(digits);
    token
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
    /// Tokens of other batches: by row, which batch and which row there; `None` for the end state.
    Elsewhere {
        all: &'a [Tokens<'a>],
        of: &'a [Option<(u32, u32)>],
    },
}

impl<'a> Tokens<'a> {
    /// Takes the tokens of a role, whose columns are at these positions, from a batch, checking that all are there.
    pub fn of(identity: &Identity, positions: &[usize], file: &str, batch: &'a Batch) -> Result<Self, TableError> {
        match identity {
            Identity::Token(name) => {
                let column = &batch.columns[positions[0]];
                check_present(file, name, batch, column)?;
                Ok(match &column.values {
                    Values::Text(texts) => Tokens::Text(texts),
                    Values::Int(values) => Tokens::Int(values),
                    Values::Float(values) => Tokens::Float(values),
                    Values::Bool(values) => Tokens::Bool(values),
                })
            }
            features @ Identity::Features { names, .. } => {
                let count = names.len();
                let mut values = vec![0.0; batch.rows * count];
                let mut column = Vec::with_capacity(batch.rows);
                for (k, (name, &position)) in features.columns().iter().zip(positions).enumerate() {
                    column.clear();
                    feature_numbers(file, name, batch, position, &mut column)?;
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
            Tokens::Text(texts) => match texts.get(index) {
                text if is_long(text) => f(Token::text(&shortened(text))),
                text => f(Token::text(text)),
            },
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
            Tokens::Elsewhere { all, of } => match of[index] {
                Some((batch, row)) => all[batch as usize].with(row as usize, f),
                None => f(Token::text("")),
            },
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
            .at(batch, index)
            .in_column(name)),
    }
}

/// The column of names that is called so and stands there, if there is one; all of them have to be there.
pub(crate) fn names_of<'a>(
    file: &str,
    name: &Option<String>,
    position: Option<usize>,
    batch: &'a Batch,
) -> Result<Option<&'a Column>, TableError> {
    let Some((name, position)) = name.as_ref().zip(position) else { return Ok(None) };
    check_present(file, name, batch, &batch.columns[position])?;
    Ok(Some(&batch.columns[position]))
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

/// Which rows end, by their columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ends {
    /// Whether the task is over after the row; nothing where no column says so.
    pub ends: Vec<bool>,
    /// Whether the episode is over after the row, for whatever reason.
    pub over: Vec<bool>,
}

impl Ends {
    /// Adds the rows of a batch. A row ends when its `terminated` is true; without that column, when its `done` is true and neither
    /// `truncated` nor `timeout` is: a time limit ends no task.
    pub fn push(&mut self, table: Layout<'_>, batch: &Batch) -> Result<(), TableError> {
        let Layout { file, roles, places } = table;
        let mut flags: [Option<Vec<bool>>; 4] = Default::default();
        for ((to, name), position) in flags.iter_mut().zip(&roles.ends).zip(places.ends) {
            if let (Some(name), Some(position)) = (name, position) {
                *to = Some(truths(file, name, batch, &batch.columns[position])?);
            }
        }
        if flags.iter().all(Option::is_none) {
            return Ok(());
        }
        let [terminated, done, truncated, timeout] = &flags;
        let is = |flag: &Option<Vec<bool>>, row: usize| flag.as_ref().is_some_and(|flag| flag[row]);
        for row in 0..batch.rows {
            let limited = is(truncated, row) || is(timeout, row);
            self.over.push(is(terminated, row) || is(done, row) || limited);
            if terminated.is_some() || done.is_some() {
                self.ends.push(match terminated {
                    Some(terminated) => terminated[row],
                    None => is(done, row) && !limited,
                });
            }
        }
        Ok(())
    }
}

/// The truths of a column: true or false, or 1 or 0.
pub(crate) fn truths(file: &str, name: &str, batch: &Batch, column: &Column) -> Result<Vec<bool>, TableError> {
    let truth = |row: usize| {
        if !column.is_valid(row) {
            return None;
        }
        match &column.values {
            Values::Bool(values) => Some(values[row]),
            Values::Int(values) => [0, 1].contains(&values[row]).then_some(values[row] == 1),
            Values::Float(values) => [0.0, 1.0].contains(&values[row]).then_some(values[row] == 1.0),
            Values::Text(texts) => match texts.get(row) {
                // PostgreSQL writes single letters.
                "true" | "True" | "TRUE" | "t" | "1" | "1.0" => Some(true),
                "false" | "False" | "FALSE" | "f" | "0" | "0.0" => Some(false),
                _ => None,
            },
        }
    };
    (0..batch.rows)
        .map(|row| {
            truth(row).ok_or_else(|| {
                let what = match column.is_valid(row) {
                    true => format!("`{}` is neither true nor false", shorten(&cell_text(column, row))),
                    false => "the value is missing".to_owned(),
                };
                let what = format!("{what}; write true or false, or 1 or 0, in every row, or rename the column");
                TableError::new(ErrorKind::Type, file, what).at(batch, row).in_column(name)
            })
        })
        .collect()
}
