//! Logs of training and of evaluation: prompts, responses, and the scores that several reward functions gave them.
//!
//! Every row is a problem of one step: the prompt is the state, the response the action. What a log calls its rewards is known here, so that
//! nobody has to name columns. Rows without a score are left out and counted; true and false are 1 and 0; an empty response is a response.

pub(super) mod held;
pub(super) mod lines;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::note::DatasetNote;
use crate::table::{Batch, Column, Revised, Revision, Schema, TableNote, TableReader, TextColumn, Values};

/// What an empty response is called.
const EMPTY: &str = "(empty)";

/// What a log says about its columns.
#[derive(Clone, Debug)]
pub struct Log {
    /// Which kind of log it is.
    pub dataset: &'static str,
    /// The columns that hold rewards, in their order.
    pub rewards: Vec<String>,
    /// A column that is no model's but the truth: 1 for responses that were chosen, 0 for others.
    pub gold: Option<String>,
    /// Columns in the place of rewards that hold numbers and texts, with the first text of each.
    pub(super) mixed: Vec<(String, String)>,
    /// Rows left out so far because a reward is missing, and rows kept although one is.
    missing: [Arc<AtomicU64>; 2],
    /// Whether rows that lack some of the rewards are kept.
    keeps_lacking: bool,
    /// The rewards that a row may not lack; `None`: all that are read.
    chosen: Option<Vec<String>>,
}

impl Log {
    pub(super) fn new(dataset: &'static str, rewards: Vec<String>) -> Self {
        Log {
            dataset,
            rewards,
            gold: None,
            mixed: Vec::new(),
            missing: Default::default(),
            keeps_lacking: false,
            chosen: None,
        }
    }

    /// Whether a column is one of the rewards that count.
    fn counts(&self, name: &str) -> bool {
        let is = |rewards: &[String]| rewards.iter().any(|reward| reward == name);
        is(&self.rewards) && self.chosen.as_deref().is_none_or(is)
    }

    /// Asked for when all rows were read: of how many a reward is missing.
    pub fn notes(&self, file: &str) -> Vec<TableNote> {
        let [left_out, kept] = self.missing.each_ref().map(|rows| rows.load(Ordering::Relaxed));
        let notes = [
            DatasetNote::WithoutReward { rows: left_out, any: self.keeps_lacking },
            DatasetNote::SomeRewards { rows: kept },
        ];
        let told = notes.into_iter().zip([left_out, kept]).filter(|(_, rows)| *rows > 0);
        told.map(|(note, _)| TableNote::Dataset { file: file.to_owned(), note }).collect()
    }
}

/// A table that is a log; `response` is its column of responses.
pub(super) fn log_reader(table: Box<dyn TableReader>, log: Log, response: &'static str) -> Box<dyn TableReader> {
    Box::new(Revised::new(table, LogRows { log, response }))
}

/// What becomes of the rows of a log.
struct LogRows {
    log: Log,
    response: &'static str,
}

impl Revision for LogRows {
    /// Numbers for truths, and no rows without a score.
    fn revise(&self, schema: &Schema, batch: &mut Batch) {
        // By row, how many of the rewards are there.
        let (mut there, mut rewards) = (vec![0; batch.rows], 0);
        for (name, column) in schema.names().zip(&mut batch.columns) {
            if name == self.response {
                name_empty(column);
            }
            if self.log.counts(name) {
                rewards += 1;
                as_numbers(column);
                let is_there = |row: usize| match &column.values {
                    Values::Float(values) => !values[row].is_nan(),
                    _ => column.is_valid(row),
                };
                there.iter_mut().enumerate().for_each(|(row, there)| *there += usize::from(is_there(row)));
            }
        }
        let least = if self.log.keeps_lacking { rewards.min(1) } else { rewards };
        let count = |holds: &dyn Fn(usize) -> bool| there.iter().filter(|there| holds(**there)).count() as u64;
        let [missing, some] = [count(&|there| there < least), count(&|there| (least..rewards).contains(&there))];
        if missing > 0 {
            batch.retain(&there.iter().map(|there| *there >= least).collect::<Vec<_>>());
        }
        for (counter, rows) in self.log.missing.iter().zip([missing, some]) {
            counter.fetch_add(rows, Ordering::Relaxed);
        }
    }

    fn keeps_rows(&self) -> bool {
        false
    }

    fn notes(&self, file: &str) -> Vec<TableNote> {
        let note = DatasetNote::Log { dataset: self.log.dataset, rewards: self.log.rewards.clone() };
        let mixed = self.log.mixed.clone();
        let mixed = (!mixed.is_empty()).then_some(DatasetNote::MixedRewards { columns: mixed });
        let told = |note| TableNote::Dataset { file: file.to_owned(), note };
        [note].into_iter().chain(mixed).map(told).collect()
    }

    fn keep_lacking(&mut self) {
        self.log.keeps_lacking = true;
    }

    fn choose_rewards(&mut self, names: &[String]) {
        self.log.chosen = Some(names.to_vec());
    }

    fn log(&self) -> Option<&Log> {
        Some(&self.log)
    }
}

/// Truths as 1 and 0, and what is missing as NaN.
fn as_numbers(column: &mut Column) {
    let numbers: Vec<f64> = match &mut column.values {
        Values::Bool(values) => values.iter().map(|&value| f64::from(u8::from(value))).collect(),
        Values::Float(values) => std::mem::take(values),
        Values::Int(values) if column.validity.is_some() => values.iter().map(|&value| value as f64).collect(),
        // A column in which nothing is written has no type.
        Values::Text(values) if column.validity.as_ref().is_some_and(|valid| !valid.contains(&true)) => {
            vec![f64::NAN; values.len()]
        }
        Values::Int(_) | Values::Text(_) => return,
    };
    column.values = Values::Float(numbers);
    if let (Some(valid), Values::Float(values)) = (column.validity.take(), &mut column.values) {
        values.iter_mut().zip(valid).filter(|(_, valid)| !valid).for_each(|(value, _)| *value = f64::NAN);
    }
}

/// A model may say nothing, which is a response, too.
fn name_empty(column: &mut Column) {
    let valid = |row: usize| column.validity.as_ref().is_none_or(|valid| valid[row]);
    if let Values::Text(texts) = &column.values
        && let Some(first) = texts.first_empty()
        && (first..texts.len()).any(|row| texts.get(row).is_empty() && valid(row))
    {
        let named =
            texts.iter().enumerate().map(|(row, text)| if text.is_empty() && valid(row) { EMPTY } else { text });
        column.values = Values::Text(named.collect::<TextColumn>());
    }
}

/// The files of a log: the file itself, or the parts in a folder.
pub(super) fn files_of(path: &Path) -> Vec<PathBuf> {
    match path.is_dir() {
        true => super::parts::parts_in(path).unwrap_or_default(),
        false => vec![path.to_owned()],
    }
}

/// Whether a path has this extension, compressed or not.
pub(super) fn is_called(path: &Path, extension: &str) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_lowercase();
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    name.ends_with(&format!(".{extension}"))
}
