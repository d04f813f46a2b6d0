//! TRL: the completions that `log_completions=True` writes, one Parquet file per step that was logged.
//!
//! Looked up in TRL 1.16.0 (`GRPOTrainer.log`, `RLOOTrainer.log`): `OUTPUT_DIR/completions/completions_STEP.parquet` with `step`, `prompt`,
//! `completion`, one column per reward function, what was logged beside them, and `advantage`. Prompts and completions are texts or chat
//! messages. A reward function that does not apply to a row returns `None`, which is NaN in the file.

use std::path::{Path, PathBuf};

use super::DatasetInfo;
use super::log::{Log, LogReader, files_of, is_called};
use crate::error::TableError;
use crate::table::{ColumnType, PartsReader, ReadOptions, TableReader, open_file};

pub(super) const INFO: DatasetInfo = DatasetInfo {
    name: "trl",
    about: "TRL: completions logged by GRPO and RLOO, a folder of completions_STEP.parquet or one of these",
    options: &[],
    detect: |path| {
        let files = files_of(&folder(path));
        files.first().is_some_and(|first| is_called(first, "parquet") && is_log(first))
    },
    open,
};

/// The folder of the log, also where the folder of the whole run is named.
fn folder(path: &Path) -> PathBuf {
    let inside = path.join("completions");
    if inside.is_dir() { inside } else { path.to_owned() }
}

fn is_log(file: &Path) -> bool {
    let Ok(table) = open_file(file, &ReadOptions::default()) else { return false };
    ["step", "prompt", "completion", "advantage"].iter().all(|name| table.schema().index_of(name).is_some())
}

fn open(path: &Path, options: &ReadOptions) -> Result<Box<dyn TableReader>, TableError> {
    let path = folder(path);
    let table: Box<dyn TableReader> = match path.is_dir() {
        false => open_file(&path, options)?,
        true => {
            let options = options.clone();
            Box::new(PartsReader::new(&path, files_of(&path), Box::new(move |part| open_file(part, &options)))?)
        }
    };
    let numbers = table.schema().fields.iter().filter(|field| field.kind.is_some_and(|kind| kind != ColumnType::Text));
    // Whatever a reward function is called, such as `length`.
    let is_reward = |name: &str| !["step", "advantage"].contains(&name);
    let rewards = numbers.filter(|field| is_reward(&field.name)).map(|field| field.name.clone()).collect();
    Ok(Box::new(LogReader::new(table, Log::new(INFO.name, rewards), "completion")))
}
