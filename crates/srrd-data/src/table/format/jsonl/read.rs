//! Reading JSON Lines: each object has keys of those at the start of the file.
//!
//! A column's type comes from its values (`cell.rs`). Lists of numbers are groups of columns: `obs` with three numbers is `obs.0`,
//! `obs.1` and `obs.2`. Lists of chat messages are texts (`read/chat.rs`). Blank lines are skipped.

use std::collections::{HashMap, HashSet};
use std::fmt;

use memchr::memchr;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::cell::{Kind, Mixing};
use super::row::{Key, KeySeed, Problem, RowSeed};
use crate::error::{ErrorKind, TableError, of_json, shorten};
use crate::table::batch::Batch;
use crate::table::read::chat::is_chat;
use crate::table::read::lines::LineBlocks;
use crate::table::read::{Extras, Input, Passing, Piece, ReadOptions, Selection, TableReader, check_names};
use crate::table::schema::{ColumnType, Field, Schema};

/// A batch ends early when it comes from this much text.
const BATCH_BYTES: usize = 16 * 1024 * 1024;

pub(super) struct JsonlReader {
    lines: LineBlocks,
    selection: Selection,
    keys: Vec<Key>,
    /// By name, which key it is.
    known: HashMap<String, usize>,
    /// By position of the column in the file: where it is in the batch.
    targets: Vec<Option<usize>>,
    /// By position in the batch: the type that values so far have given the column.
    kinds: Vec<Option<Kind>>,
    /// By position of the column in the file: what becomes of values of several types.
    mixing: Vec<Mixing>,
    /// By key: the row in which it was last seen.
    seen: Vec<u64>,
    next_row: u64,
    batch_rows: usize,
}

impl JsonlReader {
    pub(super) fn open(input: Input, options: &ReadOptions) -> Result<Self, TableError> {
        let mut lines = LineBlocks::open(input)?;
        let keys = first_keys(&mut lines)?;
        let known = keys.iter().enumerate().map(|(index, key)| (key.name.clone(), index)).collect();
        let mut reader = JsonlReader {
            lines,
            known,
            targets: Vec::new(),
            kinds: Vec::new(),
            mixing: Vec::new(),
            seen: vec![0; keys.len()],
            selection: Selection::everything(Schema::default()),
            keys,
            next_row: 1,
            batch_rows: options.batch_rows.max(1),
        };
        reader.lay_out();
        check_names(reader.lines.name(), &reader.selection.all)?;
        Ok(reader)
    }

    /// Gives every key its columns, and selects all of them.
    fn lay_out(&mut self) {
        let mut schema = Schema::default();
        for key in &mut self.keys {
            key.first = schema.len();
            match key.list {
                None => schema.fields.push(Field::new(&key.name, None)),
                Some(count) => {
                    schema.fields.extend((0..count).map(|index| Field::new(format!("{}.{index}", key.name), None)))
                }
            }
        }
        self.mixing = vec![Mixing::Refused; schema.len()];
        self.selection = Selection::everything(schema);
        self.apply_selection();
    }

    fn apply_selection(&mut self) {
        self.targets = vec![None; self.selection.all.len()];
        for (target, &position) in self.selection.positions.iter().enumerate() {
            self.targets[position] = Some(target);
        }
        self.kinds = vec![None; self.selection.positions.len()];
    }

    /// Takes rows from the lines at hand. Returns the bytes taken.
    fn take_rows(&mut self, batch: &mut Batch) -> Result<usize, TableError> {
        let text = self.lines.text();
        let mut at = 0;
        let mut line = self.lines.line();
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
                        known: &self.known,
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
        Ok(at)
    }
}

impl TableReader for JsonlReader {
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
        self.selection.select(self.lines.name(), names)?;
        self.apply_selection();
        Ok(())
    }

    fn keep_extras(&mut self, meant: &[&str], passing: Passing) -> Result<Extras, TableError> {
        let as_json = passing == Passing::Json;
        let meant: HashSet<&str> = meant.iter().copied().collect();
        // Lists without a meaning are kept as they are written, however long each of them is.
        let names = std::mem::take(&mut self.selection.all);
        for key in &mut self.keys {
            if !names.fields[key.columns()].iter().any(|field| meant.contains(field.name.as_str())) {
                key.list = None;
            }
        }
        self.lay_out();
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

    fn first_cell(&mut self, column: &str) -> Result<Option<String>, TableError> {
        Ok(self.known.get(column).and_then(|&key| self.keys[key].cell.clone()))
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<Piece, TableError> {
        self.selection.fixed = true;
        batch.reset(self.next_row, self.kinds.iter().map(|kind| kind.map_or(ColumnType::Text, Kind::column_type)));
        let mut bytes = 0;
        let mut piece = Piece::Rows;
        while batch.rows < self.batch_rows && bytes < BATCH_BYTES {
            let taken = self.take_rows(batch)?;
            self.lines.consume(taken);
            bytes += taken;
            if batch.rows < self.batch_rows {
                let at_row = |error: TableError| error.at_row(batch.row_number(batch.rows));
                if !self.lines.more().map_err(at_row)? {
                    piece = if batch.rows > 0 { Piece::Rows } else { Piece::End };
                    break;
                }
            }
        }
        self.next_row += batch.rows as u64;
        Ok(piece)
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
            true => "the file seems to be one JSON array; write its objects one per line, as `jq -c '.[]'` does",
            false => "every line must hold one object such as {\"state\": 0, \"reward\": 1.5}",
        };
        return TableError::new(
            ErrorKind::Malformed,
            file,
            format!("`{}` is not a JSON object; {hint}", shorten(start.trim_ascii_end())),
        );
    }
    let hint = if json.contains("NaN") || json.contains("Infinity") {
        "; JSON has no NaN and no Infinity: rewards must be finite, and missing values are null"
    } else {
        "; every line must hold one whole object"
    };
    TableError::new(ErrorKind::Malformed, file, format!("is not valid JSON {}{hint}", of_json(error)))
}

/// The keys of the first row and of those behind it that are at hand, which stay unconsumed.
fn first_keys(lines: &mut LineBlocks) -> Result<Vec<Key>, TableError> {
    loop {
        let text = lines.text();
        // All blank lines at once: a file may begin with millions of them.
        let first = text.bytes().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(text.len());
        let first = text[..first].rfind('\n').map_or(0, |end| end + 1);
        if first > 0 {
            lines.consume(first);
            continue;
        }
        if let Some(end) = memchr(b'\n', text.as_bytes()) {
            let json = &text[..end];
            let mut duplicate = None;
            let first = parse_row(json, KeysSeed(&mut duplicate));
            let with_later = |mut keys: Vec<Key>| {
                later_keys(&text[end + 1..], &mut keys);
                keys
            };
            return first.map(with_later).map_err(|error| {
                let error = match duplicate {
                    Some(key) => Problem::twice(key).describe(lines.name()),
                    None => not_json(lines.name(), json, 1, &error),
                };
                error.at_row(1).at_line(lines.line())
            });
        }
        if !lines.more().map_err(|error| error.at_row(1))? {
            return Err(TableError::new(
                ErrorKind::Empty,
                lines.name(),
                "the file holds only blank lines; at least one row is needed",
            ));
        }
    }
}

/// Adds the keys of the other rows at hand: many programs leave out what a row does not have. What is wrong with a row is told when it is
/// read.
fn later_keys(text: &str, keys: &mut Vec<Key>) {
    let mut known = keys.iter().enumerate().map(|(index, key)| (key.name.clone(), index)).collect();
    for json in text.lines().filter(|line| !line.trim_ascii().is_empty()) {
        if parse_row(json, MoreKeys { keys, known: &mut known }).is_err() {
            return;
        }
    }
}

/// Adds the keys of an object that are new, and says more of those that were null so far.
struct MoreKeys<'a> {
    keys: &'a mut Vec<Key>,
    known: &'a mut HashMap<String, usize>,
}

impl<'de> DeserializeSeed<'de> for MoreKeys<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for MoreKeys<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut place = 0;
        loop {
            let expected = self.keys.get(place).map(|key| key.name.as_str());
            let Some(found) = map.next_key_seed(KeySeed { expected, index: place, known: self.known })? else { break };
            place += 1;
            match found {
                Ok(index) if !self.keys[index].null => drop(map.next_value::<IgnoredAny>()?),
                Ok(index) => {
                    let value: &RawValue = map.next_value()?;
                    self.keys[index] = Key::of(std::mem::take(&mut self.keys[index].name), value.get());
                }
                Err(name) => {
                    let value: &RawValue = map.next_value()?;
                    self.known.insert(name.clone(), self.keys.len());
                    self.keys.push(Key::of(name, value.get()));
                }
            }
        }
        Ok(())
    }
}

impl Key {
    /// The key of a value, as it is written.
    fn of(name: String, json: &str) -> Self {
        let chat = json.starts_with('[') && serde_json::from_str(json).is_ok_and(|value| is_chat(&value));
        let cell = match json.starts_with("\"[") {
            true => serde_json::from_str(json).ok(),
            false => json.starts_with('[').then(|| json.to_owned()),
        };
        Key { name, list: numbers_in(json), chat, null: json == "null", first: 0, cell }
    }
}

/// Reads the keys of an object, and which of its values are lists of numbers.
struct KeysSeed<'a>(&'a mut Option<String>);

impl<'de> DeserializeSeed<'de> for KeysSeed<'_> {
    type Value = Vec<Key>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for KeysSeed<'_> {
    type Value = Vec<Key>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut keys = Vec::new();
        let mut known = HashSet::new();
        while let Some(name) = map.next_key::<String>()? {
            if !known.insert(name.clone()) {
                *self.0 = Some(name);
                return Err(de::Error::custom("duplicate key"));
            }
            let value: &RawValue = map.next_value()?;
            keys.push(Key::of(name, value.get()));
        }
        Ok(keys)
    }
}

/// How many numbers a list has; `None` for whatever is no list of numbers.
fn numbers_in(json: &str) -> Option<usize> {
    if !json.starts_with('[') {
        return None;
    }
    let elements: Vec<&RawValue> = serde_json::from_str(json).ok()?;
    let number = |element: &&RawValue| element.get().starts_with(|c: char| c == '-' || c.is_ascii_digit());
    (!elements.is_empty() && elements.iter().all(number)).then_some(elements.len())
}
