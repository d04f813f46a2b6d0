//! One row of JSON Lines: its keys, which are among those of the rows at the start of the file, and their values.

use std::collections::HashMap;
use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::cell::{self, Kind, Mixing};
use crate::error::{ErrorKind, TableError, shorten};
use crate::table::batch::Column;
use crate::table::read::chat::text_of;

/// A key of the rows at the start of the file.
pub(super) struct Key {
    pub name: String,
    /// How many numbers its lists have; `None` for single values.
    pub list: Option<usize>,
    /// Whether its values are chat messages, which are texts.
    pub chat: bool,
    /// Whether it was null in all of these rows.
    pub null: bool,
    /// The position of its first column.
    pub first: usize,
    /// What the first row that has the key has, where that may be a list.
    pub cell: Option<String>,
}

impl Key {
    /// The positions of its columns.
    pub fn columns(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.list.unwrap_or(1)
    }
}

/// Chat messages as the text that they are, in JSON.
fn chat_text(json: &str) -> Result<String, (ErrorKind, String)> {
    if json == "null" {
        return Ok(json.to_owned());
    }
    let text = serde_json::from_str(json).ok().and_then(|value| text_of(&value));
    text.map(|text| serde_json::Value::from(text).to_string()).ok_or_else(|| {
        let message = format!(
            "`{}` is neither text nor a list of messages, but the first row has messages with role and content in this column",
            shorten(json)
        );
        (ErrorKind::Type, message)
    })
}

/// Why a row, though JSON, is no row of this table.
pub(super) struct Problem {
    kind: ErrorKind,
    column: String,
    message: String,
}

impl Problem {
    pub fn twice(column: String) -> Self {
        Problem {
            kind: ErrorKind::DuplicateColumn,
            column,
            message: "the key occurs twice in the row; remove one".to_owned(),
        }
    }

    pub fn describe(self, file: &str) -> TableError {
        TableError::new(self.kind, file, self.message).in_column(self.column)
    }
}

/// Reads one row into the columns.
pub(super) struct RowSeed<'a> {
    pub keys: &'a [Key],
    pub known: &'a HashMap<String, usize>,
    pub targets: &'a [Option<usize>],
    pub kinds: &'a mut [Option<Kind>],
    pub mixing: &'a [Mixing],
    pub seen: &'a mut [u64],
    pub row: u64,
    pub columns: &'a mut [Column],
    /// Where the reason goes when the error is not one of JSON.
    pub problem: &'a mut Option<Problem>,
}

impl RowSeed<'_> {
    fn fail<E: de::Error>(&mut self, kind: ErrorKind, column: &str, message: String) -> E {
        *self.problem = Some(Problem { kind, column: column.to_owned(), message });
        E::custom("bad row")
    }

    /// Adds the value of a key, as it is written, to its column, or to its columns if it is a list.
    fn push(&mut self, key: &Key, json: &str) -> Result<(), (ErrorKind, String)> {
        let mut push = |position: usize, json: &str| match self.targets[position] {
            None => Ok(()),
            Some(target) => cell::push(json, self.mixing[position], &mut self.kinds[target], &mut self.columns[target]),
        };
        if key.chat && self.targets[key.first].is_some() && self.mixing[key.first] == Mixing::Refused {
            return push(key.first, &chat_text(json)?);
        }
        let Some(count) = key.list else { return push(key.first, json) };
        if json == "null" {
            return key.columns().try_for_each(|position| push(position, json));
        }
        let elements: Vec<&RawValue> = serde_json::from_str(json).map_err(|_| {
            let message = format!("`{}` is no list, but the first row has one in this column", shorten(json));
            (ErrorKind::Type, message)
        })?;
        if elements.len() != count {
            let message = format!(
                "the list has {} numbers, but the one in the first row has {count}; lists that are features need one length",
                elements.len()
            );
            return Err((ErrorKind::Ragged, message));
        }
        key.columns().zip(&elements).try_for_each(|(position, element)| push(position, element.get()))
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
        let keys = self.keys;
        let mut count = 0;
        loop {
            // Rows nearly always have their keys in the order of the first.
            let expected = keys.get(count).map(|key| key.name.as_str());
            let seed = KeySeed { expected, index: count, known: self.known };
            let Some(found) = map.next_key_seed(seed)? else {
                break;
            };
            let index = match found {
                Ok(index) => index,
                Err(name) => {
                    let message =
                        "the rows at the start of the file have no such key; write it in the first row, too, with null for a missing value"
                            .to_owned();
                    return Err(self.fail(ErrorKind::Ragged, &name, message));
                }
            };
            let key = &keys[index];
            if self.seen[index] == self.row {
                *self.problem = Some(Problem::twice(key.name.clone()));
                return Err(de::Error::custom("bad row"));
            }
            self.seen[index] = self.row;
            count += 1;
            if self.targets[key.columns()].iter().all(Option::is_none) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value: &RawValue = map.next_value()?;
            if let Err((kind, message)) = self.push(key, value.get()) {
                return Err(self.fail(kind, &key.name, message));
            }
        }
        if count < keys.len() {
            // Many programs leave a key out instead of writing null.
            for (index, key) in keys.iter().enumerate() {
                if self.seen[index] != self.row
                    && let Err((kind, message)) = self.push(key, "null")
                {
                    return Err(self.fail(kind, &key.name, message));
                }
            }
        }
        Ok(())
    }
}

/// Finds out which key it is; `Err` with the key when it is new.
pub(super) struct KeySeed<'a> {
    pub expected: Option<&'a str>,
    pub index: usize,
    pub known: &'a HashMap<String, usize>,
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
            return Ok(Ok(self.index));
        }
        Ok(self.known.get(key).copied().ok_or_else(|| key.to_owned()))
    }
}
