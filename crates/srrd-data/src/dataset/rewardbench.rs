//! RewardBench 1 and 2: the scores of one reward model, with what was chosen as the truth.
//!
//! Looked up in rewardbench 0.1.4. Version 1, `scripts/run_rm.py`: one JSON object of columns with `text_chosen`, `text_rejected`,
//! `scores_chosen`, `scores_rejected`, `subset`, `id` and the name of the `model`; the command `rewardbench` writes the same columns as
//! `MODEL_outputs.jsonl`, with the `prompt`. Version 2, `scripts/run_v2.py`: `text` and `scores` are lists of all responses of a row, of which
//! the first `num_correct` are correct.
//!
//! One row per response: the prompt (its id where there is one), the response, the score in a column named by the model, and `chosen`: 1 for
//! what was chosen or is correct, and 0 otherwise. `subset` is kept.

use std::path::Path;

use serde_json::{Map, Value};

use super::DatasetInfo;
use super::log::held::HeldReader;
use super::log::{Log, is_called, log_reader};
use crate::error::{ErrorKind, TableError};
use crate::table::{Column, ColumnType, TableReader, TextColumn, Values, text_of};

pub(super) const INFO: DatasetInfo = DatasetInfo {
    name: "rewardbench",
    about: "RewardBench 1 and 2: the scores of one reward model, a .json of columns or MODEL_outputs.jsonl",
    options: &[],
    detect: |path| (is_called(path, "json") || is_called(path, "jsonl")) && path.is_file() && looks_like(path),
    open: |path, _| {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| TableError::io(&name, "read", &error))?;
        let results = Results::of(path, &text).map_err(|what| TableError::new(ErrorKind::Malformed, &name, what))?;
        results.into_reader(name)
    },
};

/// The column that tells what was chosen.
const CHOSEN: &str = "chosen";

/// Without reading much: a file of several megabytes begins with its first column, whose name says nothing.
fn looks_like(path: &Path) -> bool {
    let has = |text: &str| {
        text.contains("\"scores_chosen\"") || text.contains("\"num_correct\"") && text.contains("\"scores\"")
    };
    let Ok(file) = std::fs::File::open(path) else { return false };
    if is_called(path, "jsonl") {
        let mut first = String::new();
        return std::io::BufRead::read_line(&mut std::io::BufReader::new(file), &mut first).is_ok() && has(&first);
    }
    std::fs::read_to_string(path).is_ok_and(|text| text.trim_start().starts_with('{') && has(&text))
}

/// The rows of a file.
#[derive(Default)]
struct Results {
    model: String,
    prompts: TextColumn,
    responses: TextColumn,
    scores: Vec<f64>,
    chosen: Vec<f64>,
    subsets: TextColumn,
}

impl Results {
    fn of(path: &Path, text: &str) -> Result<Self, String> {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let stem = stem.strip_suffix("_outputs").unwrap_or(&stem).to_owned();
        let mut results = Results { model: stem, ..Results::default() };
        if is_called(path, "jsonl") {
            for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                let row: Map<String, Value> = serde_json::from_str(line)
                    .map_err(|error| format!("line {} is not a JSON object: {error}", number + 1))?;
                results.push(&|key| row.get(key)).map_err(|what| format!("line {}: {what}", number + 1))?;
            }
            return Ok(results);
        }
        let columns: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| format!("is not one JSON object of columns: {error}"))?;
        if let Some(model) = columns.get("model").and_then(Value::as_str) {
            results.model = model.to_owned();
        }
        let rows = columns.values().filter_map(Value::as_array).map(Vec::len).max().unwrap_or(0);
        for row in 0..rows {
            results
                .push(&|key| columns.get(key)?.as_array()?.get(row))
                .map_err(|what| format!("entry {} of the columns: {what}", row + 1))?;
        }
        Ok(results)
    }

    /// Adds the responses of a row, whose values are under their keys.
    fn push<'a>(&mut self, at: &dyn Fn(&str) -> Option<&'a Value>) -> Result<(), String> {
        let needed = |key: &str| at(key).ok_or_else(|| format!("there is no `{key}`"));
        let text = |value: &Value| text_of(value).unwrap_or_else(|| value.to_string());
        let subset = ["subset", "subsets"].iter().find_map(|key| at(key)).map(text).unwrap_or_default();
        // A prompt may be asked twice, with other responses; what was chosen counts among these alone.
        let prompt = match (at("id"), at("prompt")) {
            (Some(id), _) if subset.is_empty() => text(id),
            (Some(id), _) => format!("{subset}/{}", text(id)),
            (None, Some(prompt)) => text(prompt),
            (None, None) => return Err("there is neither `id` nor `prompt`".to_owned()),
        };
        let mut add = |response: &Value, value: &Value, chosen: bool| {
            self.prompts.push(&prompt);
            self.responses.push(&text(response));
            self.scores.push(score(value)?);
            self.chosen.push(f64::from(u8::from(chosen)));
            self.subsets.push(if subset.is_empty() { "none" } else { &subset });
            Ok::<(), String>(())
        };
        if let Some(chosen) = at("scores_chosen") {
            add(needed("text_chosen")?, chosen, true)?;
            return add(needed("text_rejected")?, needed("scores_rejected")?, false);
        }
        let lists = [needed("text")?, needed("scores")?].map(Value::as_array);
        let [Some(texts), Some(scores)] = lists else { return Err("`text` and `scores` are no lists".to_owned()) };
        if texts.len() != scores.len() {
            return Err(format!("there are {} texts and {} scores", texts.len(), scores.len()));
        }
        let correct = needed("num_correct")?.as_u64().ok_or("`num_correct` is no number")? as usize;
        texts.iter().zip(scores).enumerate().try_for_each(|(k, (text, score))| add(text, score, k < correct))
    }

    fn into_reader(self, name: String) -> Result<Box<dyn TableReader>, TableError> {
        if self.scores.is_empty() {
            return Err(TableError::no_rows(name));
        }
        let rewards = vec![self.model.clone()];
        let columns: Vec<(String, Column)> = vec![
            ("prompt".to_owned(), Values::Text(self.prompts).into()),
            ("response".to_owned(), Values::Text(self.responses).into()),
            (self.model, Values::Float(self.scores).into()),
            (CHOSEN.to_owned(), Values::Float(self.chosen).into()),
            ("subset".to_owned(), Values::Text(self.subsets).into()),
        ];
        debug_assert!(columns.iter().all(|(_, column)| column.kind() != ColumnType::Bool));
        let mut log = Log::new(INFO.name, rewards);
        log.gold = Some(CHOSEN.to_owned());
        Ok(log_reader(Box::new(HeldReader::new(name, columns)), log, "response"))
    }
}

/// A score: a number, or a list of one; missing ones are left out later.
fn score(value: &Value) -> Result<f64, String> {
    match value {
        Value::Number(number) => Ok(number.as_f64().unwrap_or(f64::NAN)),
        Value::Array(values) if values.len() == 1 => score(&values[0]),
        Value::Null => Ok(f64::NAN),
        other => Err(format!("`{}` is no score; a number is needed", crate::error::shorten(&other.to_string()))),
    }
}
