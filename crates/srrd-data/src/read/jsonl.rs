//! JSON Lines: one object a line, each with the keys of the first.
//!
//! A column's type comes from its values (`cell.rs`). Blank lines are skipped.

use std::collections::HashMap;
use std::fmt;

use memchr::memchr;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::cell::{self, Kind, Mixing};
use super::lines::LineBlocks;
use super::{Extras, ReadOptions, Selection, TableReader};
use crate::batch::{Batch, Column, ColumnType, Field, Schema};
use crate::error::{ErrorKind, TableError, shorten};

/// A batch ends early when it comes from this much text.
const BATCH_BYTES: usize = 16 * 1024 * 1024;

pub(super) struct JsonlReader {
    lines: LineBlocks,
    selection: Selection,
    /// The position of each key.
    keys: HashMap<String, usize>,
    /// By position in the file: where the column is in the batch.
    targets: Vec<Option<usize>>,
    /// By position in the batch: the type that values so far have given the column.
    kinds: Vec<Option<Kind>>,
    /// By position in the batch: what becomes of values of several types.
    mixing: Vec<Mixing>,
    /// By position in the file: the row in which the key was last seen.
    seen: Vec<u64>,
    next_row: u64,
    batch_rows: usize,
}

impl JsonlReader {
    pub(super) fn open(mut lines: LineBlocks, options: &ReadOptions) -> Result<Self, TableError> {
        let names = first_keys(&mut lines)?;
        let keys: HashMap<String, usize> =
            names.iter().enumerate().map(|(position, name)| (name.clone(), position)).collect();
        let selection = Selection::everything(Schema {
            fields: names.into_iter().map(|name| Field { name, kind: None }).collect(),
        });
        let mut reader = JsonlReader {
            lines,
            keys,
            targets: Vec::new(),
            kinds: Vec::new(),
            mixing: Vec::new(),
            seen: vec![0; selection.all.len()],
            selection,
            next_row: 1,
            batch_rows: options.batch_rows.max(1),
        };
        reader.apply_selection();
        Ok(reader)
    }

    fn apply_selection(&mut self) {
        self.targets = vec![None; self.selection.all.len()];
        for (target, &position) in self.selection.positions.iter().enumerate() {
            self.targets[position] = Some(target);
        }
        self.kinds = vec![None; self.selection.positions.len()];
        self.mixing = vec![Mixing::Refused; self.selection.positions.len()];
    }

    /// Takes rows from the lines at hand. Returns the bytes and lines taken.
    fn take_rows(&mut self, batch: &mut Batch) -> Result<(usize, u64), TableError> {
        let text = self.lines.text();
        let mut at = 0;
        let mut line = self.lines.line();
        let first_line = line;
        while batch.rows < self.batch_rows && at < text.len() {
            let end = memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end);
            let json = &text[at..end];
            if !json.trim_ascii().is_empty() {
                let row = batch.first_row + batch.rows as u64;
                let mut problem = None;
                let outcome = parse_row(
                    json,
                    RowSeed {
                        keys: &self.keys,
                        names: &self.selection.all,
                        targets: &self.targets,
                        kinds: &mut self.kinds,
                        mixing: &self.mixing,
                        seen: &mut self.seen,
                        row,
                        columns: &mut batch.columns,
                        problem: &mut problem,
                    },
                );
                if let Err(error) = outcome {
                    let error = match problem {
                        Some(problem) => problem.describe(self.lines.name()),
                        None => not_json(self.lines.name(), json, row, &error),
                    };
                    return Err(error.at_row(row).at_line(line));
                }
                batch.lines.note(batch.rows, line);
                batch.rows += 1;
            }
            at = (end + 1).min(text.len());
            line += 1;
        }
        Ok((at, line - first_line))
    }
}

impl TableReader for JsonlReader {
    fn name(&self) -> &str {
        self.lines.name()
    }

    fn schema(&self) -> &Schema {
        &self.selection.selected
    }

    fn select(&mut self, names: &[&str]) -> Result<(), TableError> {
        let file = self.lines.name().to_owned();
        self.selection.select(&file, names)?;
        self.apply_selection();
        Ok(())
    }

    fn keep_extras(&mut self, meant: &[&str], as_json: bool) -> Result<Extras, TableError> {
        let mut extras = Extras::default();
        for (target, name) in self.selection.selected.names().enumerate() {
            if meant.contains(&name) {
                continue;
            }
            self.mixing[target] = if as_json { Mixing::AsWritten } else { Mixing::AsText };
            if as_json {
                extras.json.push(target);
            }
        }
        Ok(extras)
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, TableError> {
        self.selection.fixed = true;
        batch.reset(self.next_row, self.kinds.iter().map(|kind| kind.map_or(ColumnType::Text, Kind::column_type)));
        let mut bytes = 0;
        while batch.rows < self.batch_rows && bytes < BATCH_BYTES {
            let (taken, lines) = self.take_rows(batch)?;
            self.lines.consume(taken, lines);
            bytes += taken;
            if batch.rows < self.batch_rows {
                let at_row = |error: TableError| error.at_row(batch.row_number(batch.rows));
                if !self.lines.more().map_err(at_row)? {
                    break;
                }
            }
        }
        self.next_row += batch.rows as u64;
        Ok(batch.rows > 0)
    }
}

fn parse_row<'de, S: DeserializeSeed<'de>>(json: &'de str, seed: S) -> serde_json::Result<S::Value> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let value = seed.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

fn not_json(file: &str, json: &str, row: u64, error: &serde_json::Error) -> TableError {
    let start = json.trim_ascii_start();
    if !start.starts_with('{') {
        let hint = match start.starts_with('[') && row == 1 {
            true => "the file seems to be one JSON array; write its objects one a line",
            false => "every line must hold one object such as {\"state\": 0, \"reward\": 1.5}",
        };
        return TableError::new(
            ErrorKind::Malformed,
            file,
            format!("`{}` is not a JSON object; {hint}", shorten(start.trim_ascii_end())),
        );
    }
    // The position that serde_json tells counts within the line, always "line 1".
    let full = error.to_string();
    let what = full.split(" at line ").next().unwrap_or(&full);
    let hint = if json.contains("NaN") || json.contains("Infinity") {
        "; JSON has no NaN and no Infinity: rewards must be finite, and missing values are null"
    } else {
        "; every line must hold one whole object"
    };
    TableError::new(
        ErrorKind::Malformed,
        file,
        format!("is not valid JSON at character {}: {what}{hint}", error.column()),
    )
}

/// The keys of the first row, which stays unconsumed.
fn first_keys(lines: &mut LineBlocks) -> Result<Vec<String>, TableError> {
    loop {
        let text = lines.text();
        let end = memchr(b'\n', text.as_bytes());
        match end {
            Some(end) if text[..end].trim_ascii().is_empty() => lines.consume(end + 1, 1),
            Some(end) => {
                let json = &text[..end];
                let mut duplicate = None;
                return parse_row(json, KeysSeed(&mut duplicate)).map_err(|error| {
                    let error = match duplicate {
                        Some(key) => Problem::twice(key).describe(lines.name()),
                        None => not_json(lines.name(), json, 1, &error),
                    };
                    error.at_row(1).at_line(lines.line())
                });
            }
            None => {
                if !lines.more().map_err(|error| error.at_row(1))? {
                    return Err(TableError::new(
                        ErrorKind::Empty,
                        lines.name(),
                        "the file holds only blank lines; at least one row is needed",
                    ));
                }
            }
        }
    }
}

/// Reads the keys of an object and skips its values.
struct KeysSeed<'a>(&'a mut Option<String>);

impl<'de> DeserializeSeed<'de> for KeysSeed<'_> {
    type Value = Vec<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for KeysSeed<'_> {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut keys = Vec::new();
        let mut known = std::collections::HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if !known.insert(key.clone()) {
                *self.0 = Some(key);
                return Err(de::Error::custom("duplicate key"));
            }
            keys.push(key);
            map.next_value::<IgnoredAny>()?;
        }
        Ok(keys)
    }
}

/// Why a row, though JSON, is no row of this table.
struct Problem {
    kind: ErrorKind,
    column: String,
    message: String,
}

impl Problem {
    fn twice(column: String) -> Self {
        Problem {
            kind: ErrorKind::DuplicateColumn,
            column,
            message: "the key occurs twice in the row; remove one".to_owned(),
        }
    }

    fn describe(self, file: &str) -> TableError {
        TableError::new(self.kind, file, self.message).in_column(self.column)
    }
}

/// Reads one row into the columns.
struct RowSeed<'a> {
    keys: &'a HashMap<String, usize>,
    names: &'a Schema,
    targets: &'a [Option<usize>],
    kinds: &'a mut [Option<Kind>],
    mixing: &'a [Mixing],
    seen: &'a mut [u64],
    row: u64,
    columns: &'a mut [Column],
    /// Where the reason goes when the error is not one of JSON.
    problem: &'a mut Option<Problem>,
}

impl RowSeed<'_> {
    fn fail<E: de::Error>(&mut self, kind: ErrorKind, column: &str, message: String) -> E {
        *self.problem = Some(Problem { kind, column: column.to_owned(), message });
        E::custom("bad row")
    }
}

impl<'de> DeserializeSeed<'de> for RowSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RowSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let mut count = 0;
        loop {
            // Rows nearly always have their keys in the order of the first.
            let seed = KeySeed {
                expected: self.names.fields.get(count).map(|field| field.name.as_str()),
                position: count,
                keys: self.keys,
            };
            let Some(key) = map.next_key_seed(seed)? else {
                break;
            };
            let position = match key {
                Ok(position) => position,
                Err(key) => {
                    let message = "the first row has no such key; every row needs the same keys".to_owned();
                    return Err(self.fail(ErrorKind::Ragged, &key, message));
                }
            };
            if self.seen[position] == self.row {
                *self.problem = Some(Problem::twice(self.names.fields[position].name.clone()));
                return Err(de::Error::custom("bad row"));
            }
            self.seen[position] = self.row;
            count += 1;
            match self.targets[position] {
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
                Some(target) => {
                    let value: &RawValue = map.next_value()?;
                    let (column, kind) = (&mut self.columns[target], &mut self.kinds[target]);
                    if let Err((kind, message)) = cell::push(value.get(), self.mixing[target], kind, column) {
                        let name = self.names.fields[position].name.clone();
                        return Err(self.fail(kind, &name, message));
                    }
                }
            }
        }
        if count < self.seen.len() {
            let missing = self.seen.iter().position(|&row| row != self.row).unwrap_or(0);
            let name = self.names.fields[missing].name.clone();
            let message =
                "the row does not have this key, but the first row does; every row needs the same keys, with \
                           null for a missing value"
                    .to_owned();
            return Err(self.fail(ErrorKind::Ragged, &name, message));
        }
        Ok(())
    }
}

/// Finds the position of a key; `Err` with the key when it is new.
struct KeySeed<'a> {
    expected: Option<&'a str>,
    position: usize,
    keys: &'a HashMap<String, usize>,
}

impl<'de> DeserializeSeed<'de> for KeySeed<'_> {
    type Value = Result<usize, String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeed<'_> {
    type Value = Result<usize, String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<Self::Value, E> {
        if self.expected == Some(key) {
            return Ok(Ok(self.position));
        }
        Ok(self.keys.get(key).copied().ok_or_else(|| key.to_owned()))
    }
}
