//! Logs in JSON Lines whose rows need not have the same keys, and where prompts, responses and scores may lie deep inside.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use memchr::memchr;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Log, files_of, is_called, log_reader};
use crate::error::{ErrorKind, TableError, of_json, shorten};
use crate::table::lines::{LineBlocks, open_lines};
use crate::table::{
    Batch, Column, ColumnType, Field, PartsReader, Piece, ReadOptions, Schema, Selection, TableReader, Values, is_score,
};

/// So many rows of the first and of the last of several files are looked at to find the columns of scores …
const LOOKED_AT: usize = 200;
/// … and so many of a single file, and of every file where a column has nothing but nulls so far.
const LOOKED_FURTHER: usize = 20_000;

/// The keys of a row and what is written there.
pub(in crate::dataset) type Fields<'a> = BTreeMap<String, &'a RawValue>;

/// How the rows of a kind of log are laid out.
pub(in crate::dataset) struct Layout {
    /// Its name.
    pub dataset: &'static str,
    /// Keys that every row has.
    pub keys: &'static [&'static str],
    /// Keys that no row has: those of other kinds.
    pub not: &'static [&'static str],
    /// The text of the prompt.
    pub prompt: fn(&Fields<'_>) -> Option<String>,
    /// The text of the response.
    pub response: fn(&Fields<'_>) -> Option<String>,
    /// Where prompt and response are: no columns of their own.
    pub inside: &'static [&'static str],
    /// An object of scores, if there is one.
    pub scores: Option<&'static str>,
}

impl Layout {
    /// Whether a path is such a log.
    pub(in crate::dataset) fn detect(&self, path: &Path) -> bool {
        let files = files_of(path);
        let Some(first) = files.first().filter(|file| is_called(file, "jsonl")) else { return false };
        let mut fits = false;
        let looked = look(first, 1, |fields| {
            let has = |key: &&str| fields.contains_key(*key);
            fits = self.keys.iter().all(has) && !self.not.iter().any(has);
            true
        });
        looked.is_ok() && fits
    }

    pub(in crate::dataset) fn open(
        &'static self,
        path: &Path,
        options: &ReadOptions,
    ) -> Result<Box<dyn TableReader>, TableError> {
        let files = files_of(path);
        if files.is_empty() {
            return Err(super::super::parts::no_table(path));
        }
        let columns = self.columns(&files)?;
        let rewards = columns.iter().filter(|column| column.score).map(|column| column.name.clone()).collect();
        let log = Log::new(self.dataset, rewards);
        let opened: Box<dyn TableReader> = match path.is_dir() {
            false => Box::new(LinesReader::open(self, path, columns, options)?),
            true => {
                let (layout, options) = (self, options.clone());
                let open = move |part: &Path| -> Result<Box<dyn TableReader>, TableError> {
                    Ok(Box::new(LinesReader::open(layout, part, columns.clone(), &options)?))
                };
                Box::new(PartsReader::new(path, files, Box::new(open))?)
            }
        };
        Ok(log_reader(opened, log, "response"))
    }

    /// The columns behind prompt and response: scores are numbers, or true or false. A column in which nothing is
    /// written is none: verifiers leave a key such as `failure_reason` at null. A reward may begin later than others, or be of some tasks only.
    fn columns(&self, files: &[PathBuf]) -> Result<Vec<Kept>, TableError> {
        let mut order: Vec<String> = Vec::new();
        let [mut numbers, mut others] = [BTreeSet::new(), BTreeSet::new()];
        let mut note = |fields: &Fields<'_>| {
            for (name, json) in self.scalars(fields) {
                if !order.contains(&name) {
                    order.push(name.clone());
                }
                match json {
                    Value::Null => false,
                    Value::Number(_) | Value::Bool(_) => numbers.insert(name),
                    _ => others.insert(name),
                };
            }
            order.iter().any(|name| !numbers.contains(name) && !others.contains(name))
        };
        let (mut open, ends) = (false, [files.first(), files.last().filter(|_| files.len() > 1)]);
        let rows = if files.len() > 1 { LOOKED_AT } else { LOOKED_FURTHER };
        for file in ends.into_iter().flatten() {
            look(file, rows, |fields| {
                open = note(fields);
                true
            })?;
        }
        for file in files {
            if open && files.len() > 1 {
                look(file, LOOKED_FURTHER, |fields| {
                    open = note(fields);
                    open
                })?;
            }
        }
        let score = |name: &str| is_score(name) && numbers.contains(name) && !others.contains(name);
        // The reward of training comes first.
        order.sort_by_key(|name| !["reward", "score"].contains(&name.as_str()));
        Ok(order.into_iter().map(|name| Kept { score: score(&name), name }).collect())
    }

    /// What a row holds beside prompt and response.
    fn scalars(&self, fields: &Fields<'_>) -> Vec<(String, Value)> {
        let parse = |json: &RawValue| serde_json::from_str::<Value>(json.get()).unwrap_or_default();
        let mut found: Vec<(String, Value)> = (fields.iter())
            .filter(|(name, _)| !self.inside.contains(&name.as_str()) && Some(name.as_str()) != self.scores)
            .filter(|(_, json)| !json.get().starts_with(['[', '{']))
            .map(|(name, json)| (name.clone(), parse(json)))
            .collect();
        if let Some(Value::Object(scores)) = self.scores.and_then(|name| fields.get(name)).map(|json| parse(json)) {
            found.extend(scores.into_iter().filter(|(name, _)| !fields.contains_key(name)));
        }
        found
    }
}

/// A column that is kept.
#[derive(Clone)]
struct Kept {
    name: String,
    score: bool,
}

/// Shows the first rows of a file, until there is nothing more to see.
fn look(file: &Path, rows: usize, mut show: impl FnMut(&Fields<'_>) -> bool) -> Result<(), TableError> {
    let mut lines = open_lines(file)?;
    let (mut left, mut row) = (rows, 0);
    while left > 0 {
        let text = lines.text();
        let mut taken = 0;
        let mut line = lines.line();
        while let Some(end) = memchr(b'\n', &text.as_bytes()[taken..]).filter(|_| left > 0) {
            let json = &text[taken..taken + end];
            taken += end + 1;
            if !json.trim_ascii().is_empty() {
                row += 1;
                let mut rewritten = String::new();
                let fields =
                    parse(lines.name(), json, &mut rewritten).map_err(|error| error.at_row(row).at_line(line))?;
                left = if show(&fields) { left - 1 } else { 0 };
            }
            line += 1;
        }
        lines.consume(taken);
        if left > 0 && !lines.more()? {
            break;
        }
    }
    Ok(())
}

/// The keys of a row, in `json` or, where Python has written NaN, in `rewritten`.
fn parse<'a>(file: &str, json: &'a str, rewritten: &'a mut String) -> Result<Fields<'a>, TableError> {
    let parsed = serde_json::from_str(json);
    if parsed.is_ok() || !(json.contains("NaN") || json.contains("Infinity")) {
        return parsed.map_err(|error| not_json(file, json, &error));
    }
    *rewritten = without_nan(json);
    serde_json::from_str(rewritten).map_err(|error| not_json(file, json, &error))
}

/// `null` for NaN and infinities, which JSON does not have and Python writes all the same, where they are no parts of texts.
fn without_nan(json: &str) -> String {
    let mut rest = json;
    let mut to = String::with_capacity(json.len());
    let (mut inside, mut escaped) = (false, false);
    while let Some(c) = rest.chars().next() {
        let word = ["NaN", "-Infinity", "Infinity"].into_iter().find(|word| !inside && rest.starts_with(word));
        to.push_str(if word.is_some() { "null" } else { &rest[..c.len_utf8()] });
        rest = &rest[word.map_or(c.len_utf8(), str::len)..];
        (inside, escaped) = (inside ^ (c == '"' && !escaped), inside && c == '\\' && !escaped);
    }
    to
}

fn not_json(file: &str, json: &str, error: &serde_json::Error) -> TableError {
    let what =
        format!("`{}` is not a JSON object ({}); every line must hold one whole object", shorten(json), of_json(error));
    TableError::new(ErrorKind::Malformed, file, what)
}

/// A log in JSON Lines being read.
struct LinesReader {
    lines: LineBlocks,
    layout: &'static Layout,
    selection: Selection,
    scores: Vec<bool>,
    next_row: u64,
    batch_rows: usize,
}

/// The places of prompt and response among the columns.
const BEFORE: [&str; 2] = ["prompt", "response"];

impl LinesReader {
    fn open(
        layout: &'static Layout,
        file: &Path,
        columns: Vec<Kept>,
        options: &ReadOptions,
    ) -> Result<Self, TableError> {
        let before = BEFORE.map(|name| Kept { name: name.to_owned(), score: false });
        let columns: Vec<Kept> = before.into_iter().chain(columns).collect();
        let field = |column: &Kept| Field::new(&column.name, Some(kind_of(column.score)));
        let schema = Schema { fields: columns.iter().map(field).collect() };
        let batch_rows = options.batch_rows.clamp(1, 4096);
        let scores = columns.iter().map(|column| column.score).collect();
        let selection = Selection::everything(schema);
        Ok(LinesReader { lines: open_lines(file)?, layout, selection, scores, next_row: 1, batch_rows })
    }

    fn push_row(&self, json: &str, columns: &mut [Column]) -> Result<(), TableError> {
        let file = self.lines.name();
        let mut rewritten = String::new();
        let fields = parse(file, json, &mut rewritten)?;
        // Only what nothing else has is looked for inside.
        let deep = self.layout.scores.map(|_| self.layout.scalars(&fields));
        for (column, &position) in columns.iter_mut().zip(&self.selection.positions) {
            let name = self.selection.name_at(position);
            let value = match position {
                0 | 1 => {
                    let text = if position == 0 { self.layout.prompt } else { self.layout.response };
                    Value::from(text(&fields).ok_or_else(|| self.no_text(name))?)
                }
                _ => match (fields.get(name), &deep) {
                    (Some(json), _) => serde_json::from_str(json.get()).unwrap_or_default(),
                    (None, Some(deep)) => {
                        deep.iter().find(|(key, _)| key == name).map_or(Value::Null, |found| found.1.clone())
                    }
                    (None, None) => Value::Null,
                },
            };
            push_value(column, &value, self.scores[position])
                .map_err(|what| TableError::new(ErrorKind::Type, file, what).in_column(name))?;
        }
        Ok(())
    }

    fn no_text(&self, column: &str) -> TableError {
        let what = format!(
            "the row has no {column} where logs of {} have it (a text, or a list of messages); drop the row, or write a table of it",
            self.layout.dataset
        );
        TableError::new(ErrorKind::MissingColumn, self.lines.name(), what).in_column(column)
    }
}

fn kind_of(score: bool) -> ColumnType {
    if score { ColumnType::Float } else { ColumnType::Text }
}

fn push_value(column: &mut Column, value: &Value, score: bool) -> Result<(), String> {
    match (&mut column.values, value) {
        (_, Value::Null) => {
            column.push_missing();
            return Ok(());
        }
        (Values::Float(values), Value::Number(number)) => values.push(number.as_f64().unwrap_or(f64::NAN)),
        (Values::Float(values), Value::Bool(truth)) => values.push(f64::from(u8::from(*truth))),
        (Values::Text(texts), Value::String(text)) => texts.push(text),
        (Values::Text(texts), other) => texts.push(&other.to_string()),
        (_, other) => {
            return Err(format!("`{}` is no score; a number, true or false is needed", shorten(&other.to_string())));
        }
    }
    debug_assert_eq!(score, matches!(column.values, Values::Float(_)));
    column.note_validity(true);
    Ok(())
}

impl TableReader for LinesReader {
    fn name(&self) -> &str {
        self.lines.name()
    }

    fn schema(&self) -> &Schema {
        &self.selection.selected
    }

    fn rows_hint(&self) -> Option<usize> {
        self.lines.lines_hint()
    }

    fn select(&mut self, names: &[&str]) -> Result<(), TableError> {
        self.selection.select(self.lines.name(), names)
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<Piece, TableError> {
        self.selection.fixed = true;
        batch.reset(self.next_row, self.selection.positions.iter().map(|&position| kind_of(self.scores[position])));
        loop {
            let text = self.lines.text();
            let mut taken = 0;
            let mut line = self.lines.line();
            while batch.rows < self.batch_rows && taken < text.len() {
                let end = memchr(b'\n', &text.as_bytes()[taken..]).map_or(text.len(), |end| taken + end);
                let json = &text[taken..end];
                if !json.trim_ascii().is_empty() {
                    let row = self.next_row + batch.rows as u64;
                    self.push_row(json, &mut batch.columns).map_err(|error| error.at_row(row).at_line(line))?;
                    batch.lines.note(batch.rows, line);
                    batch.rows += 1;
                }
                taken = (end + 1).min(text.len());
                line += 1;
            }
            self.lines.consume(taken);
            if batch.rows >= self.batch_rows || !self.lines.more()? {
                break;
            }
        }
        self.next_row += batch.rows as u64;
        Ok(if batch.rows > 0 { Piece::Rows } else { Piece::End })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_is_missing_where_it_is_no_text() {
        let json = r#"{"a": NaN, "b": -Infinity, "c": "NaN \" Infinity", "d": [1, Infinity]}"#;
        assert_eq!(without_nan(json), r#"{"a": null, "b": null, "c": "NaN \" Infinity", "d": [1, null]}"#);
    }
}
