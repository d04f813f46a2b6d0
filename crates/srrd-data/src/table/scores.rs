//! Which columns of a table of prompts and responses are scores, where nobody says so.

use std::fmt;

use super::batch::{Batch, Column, Values};
use super::gaps::is_nothing;
use super::number::parse_number;
use super::options::{ROLES, Role, TableOptions};
use super::read::{Passing, Piece, TableReader, listed};
use crate::error::{ErrorKind, TableError, shorten, these_rewards};

/// Numbers beside the scores in logs of training: what counts rows, steps and letters, and what was made of the scores. Also as the last
/// word of a name, such as `response_length`.
const OTHERS: [&str; 17] = [
    "advantage",
    "advantages",
    "id",
    "idx",
    "index",
    "uid",
    "epoch",
    "iteration",
    "rank",
    "seed",
    "time",
    "timestamp",
    "len",
    "length",
    "lengths",
    "tokens",
    "step",
];

/// The columns that hold scores: all that are numbers, but for those that have another role or count something.
///
/// ```
/// use srrd_data::{FileFormat, ReadOptions, TableOptions, open_bytes, score_columns};
/// let log = "step,prompt,completion,correct,style,advantage\n1,2+2?,4,1,0.5,0.7\n1,2+2?,5,0,0.25,-0.7\n";
/// let table = open_bytes("log.csv", FileFormat::from_path("log.csv".as_ref())?, log.into(), &ReadOptions::default())?;
/// assert_eq!(score_columns(table, &TableOptions::default())?, ["correct", "style"]);
/// # Ok::<(), srrd_data::TableError>(())
/// ```
///
/// # Errors
/// Anything wrong with the first rows; fewer than two such columns.
pub fn score_columns(reader: Box<dyn TableReader>, options: &TableOptions) -> Result<Vec<String>, TableError> {
    scores_and_others(reader, options).map(|(scores, _)| scores)
}

/// A value that keeps a column from being one of scores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OddScore {
    /// The column.
    pub column: String,
    /// The row, counted from 1.
    pub row: u64,
    /// What it holds instead of a number; empty where nothing is written.
    pub text: String,
}

impl fmt::Display for OddScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` (row {} holds ", shorten(&self.column), self.row)?;
        match self.text.as_str() {
            "" => f.write_str("nothing)"),
            text => write!(f, "`{}`)", shorten(text)),
        }
    }
}

/// What to do about such values.
pub(super) const CORRECT_THEM: &str = "correct these cells or fill them in, or drop their rows";

/// The columns that hold scores, and those that would if some of their first values were numbers, too, each with the first that is none.
pub(super) fn scores_and_others(
    mut reader: Box<dyn TableReader>,
    options: &TableOptions,
) -> Result<(Vec<String>, Vec<OddScore>), TableError> {
    if let Some(log) = reader.log() {
        return Ok((log.rewards.iter().chain(&log.gold).cloned().collect(), Vec::new()));
    }
    let file = reader.name().to_owned();
    let candidates: Vec<String> =
        reader.schema().names().filter(|name| may_be_a_score(name, options)).map(str::to_owned).collect();
    let listing = listed(reader.schema().names());
    // Text formats tell numbers only in their rows.
    let untyped = reader.is_untyped();
    match untyped {
        true => reader.select(&candidates.iter().map(String::as_str).collect::<Vec<_>>())?,
        // Whatever else there is, such as a column of lists, must not be in the way.
        false => drop(reader.keep_extras(&[], Passing::Text)?),
    }
    let mut batch = Batch::default();
    while reader.next_batch(&mut batch)? == Piece::Rows && batch.rows == 0 {}
    let is_number = |values: &Values| match values {
        Values::Int(_) | Values::Float(_) => true,
        Values::Text(texts) => untyped && batch.rows > 0 && texts.iter().all(|text| parse_number(text).is_ok()),
        Values::Bool(_) => false,
    };
    let found: Vec<String> = (reader.schema().names().zip(&batch.columns))
        .filter(|(name, column)| is_number(&column.values) && candidates.iter().any(|candidate| candidate == name))
        .map(|(name, _)| name.to_owned())
        .collect();
    let other = |(name, column): (&str, &Column)| {
        let Values::Text(texts) = &column.values else { return None };
        let odd = texts.iter().position(|text| parse_number(text).is_err())?;
        let numbers = texts.iter().filter(|text| parse_number(text).is_ok()).count();
        let missing = texts.iter().filter(|text| text.is_empty() || is_nothing(text)).count();
        // With many texts among the numbers it is something else, such as answers.
        let scores = numbers > 0 && numbers * 4 >= (batch.rows - missing) * 3;
        let odd = || OddScore { column: name.to_owned(), row: batch.row_number(odd), text: texts.get(odd).to_owned() };
        (scores && candidates.iter().any(|candidate| candidate == name)).then(odd)
    };
    let others: Vec<OddScore> = reader.schema().names().zip(&batch.columns).filter_map(other).collect();
    if found.len() < 2 {
        let there = if found.is_empty() { "none is".to_owned() } else { format!("only `{}` is", found[0]) };
        let named: Vec<String> = others.iter().map(OddScore::to_string).collect();
        let named = match named.as_slice() {
            [] => String::new(),
            named => format!("; not all values are numbers in {}: {CORRECT_THEM}", named.join(", ")),
        };
        return Err(TableError::telling(ErrorKind::MissingColumn, file, |front_end| {
            format!(
                "at least two columns of scores are needed, and {there} found among {listing}{named}; {} with `{}`",
                if others.is_empty() { "name them" } else { "or name others" },
                these_rewards(front_end, "A", "B")
            )
        }));
    }
    Ok((found, others))
}

/// Whether a column is the index that pandas gives its rows: in Parquet, in CSV, in CSV that it has read from CSV, and where
/// `reset_index` has made a column of it (`index`, `level_0`).
pub(crate) fn is_index(name: &str) -> bool {
    let is_level = name.strip_prefix("level_").is_some_and(|number| number.parse::<u8>().is_ok());
    is_level || ["", "index"].contains(&name) || name.starts_with("__index_level_") || name.starts_with("Unnamed: ")
}

/// Whether a column of numbers in a log may be one of scores, by its name.
pub(crate) fn is_score(name: &str) -> bool {
    may_be_a_score(name, &TableOptions::default())
}

fn may_be_a_score(name: &str, options: &TableOptions) -> bool {
    let lower = name.to_lowercase();
    let last_word = lower.rsplit(['_', '.', '/', ' ', '-']).next().unwrap_or_default();
    let has_role = ROLES.iter().filter(|info| info.role != Role::Reward).any(|info| {
        let given = options.columns.get(info.role);
        let is = |column: &str| name.strip_prefix(column).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        given.map_or_else(|| is(info.name) || info.aliases.iter().any(|alias| is(alias)), is)
    });
    // `turns_used`, `num_turns`: they count as well, wherever the word stands.
    let turns = lower.split(['_', '.', '/', ' ', '-']).any(|word| word == "turns");
    !has_role && !turns && !is_index(name) && !OTHERS.contains(&last_word)
}
