//! TRL: the completions that `log_completions=True` writes, one Parquet file per step that was logged.
//!
//! Looked up in TRL 1.16.0 (`GRPOTrainer.log`, `RLOOTrainer.log`): `OUTPUT_DIR/completions/completions_STEP.parquet` with `step`, `prompt`,
//! `completion`, one column per reward function, what was logged beside them, and `advantage`. Prompts and completions are texts or chat
//! messages. A reward function that does not apply to a row returns `None`, which is NaN in the file. People also save such a log again, as
//! CSV or JSON Lines.

use std::path::{Path, PathBuf};

use super::DatasetInfo;
use super::log::{Log, files_of, is_called, log_reader};
use crate::error::{ErrorKind, TableError};
use crate::table::{
    ColumnType, PartsReader, ReadOptions, Schema, TableReader, TypedReader, Values, for_each_batch, infer_types_of,
    is_index, is_nothing, is_only_text, listed, open_file,
};

pub(super) const INFO: DatasetInfo = DatasetInfo {
    name: "trl",
    about: "TRL: completions logged by GRPO and RLOO, a folder of completions_STEP.parquet, one of these, or one saved again as CSV or JSON Lines",
    options: &[],
    detect: |path| {
        let files = files_of(&folder(path));
        files.first().is_some_and(|first| is_kind(first, path.is_dir()) && is_log(first))
    },
    open,
};

/// The folder of the log, also where the folder of the whole run is named.
fn folder(path: &Path) -> PathBuf {
    let inside = path.join("completions");
    if inside.is_dir() { inside } else { path.to_owned() }
}

/// Whether a file has a format of such logs; those of folders are as TRL has written them.
fn is_kind(file: &Path, in_folder: bool) -> bool {
    is_called(file, "parquet") || !in_folder && ["csv", "tsv", "jsonl"].iter().any(|kind| is_called(file, kind))
}

/// The columns of every such log.
const COLUMNS: [&str; 4] = ["step", "prompt", "completion", "advantage"];

fn is_log(file: &Path) -> bool {
    open_file(file, &ReadOptions::default()).is_ok_and(|table| has_columns(table.schema()))
}

fn has_columns(schema: &Schema) -> bool {
    COLUMNS.iter().all(|name| schema.index_of(name).is_some())
}

/// A table in memory with the columns of such a log, as one; others as they are.
pub(crate) fn in_memory(table: Box<dyn TableReader>) -> Box<dyn TableReader> {
    let kinds = kinds_of(table.schema());
    // Where types are not known before rows are read, rewards are not.
    let typed = !table.is_untyped() && kinds.iter().any(|(_, kind)| kind.is_some());
    match typed && has_columns(table.schema()) && table.log().is_none() {
        true => as_log(table, kinds, Vec::new()),
        false => table,
    }
}

fn open(path: &Path, options: &ReadOptions) -> Result<Box<dyn TableReader>, TableError> {
    let path = folder(path);
    let files = files_of(&path);
    let Some(first) = files.first() else { return Err(no_log(&path, "it holds no such file")) };
    if !is_kind(first, path.is_dir()) {
        return Err(no_log(&path, &format!("its first file is {}", first.display())));
    }
    let opened = open_file(first, options)?;
    if !has_columns(opened.schema()) {
        return Err(no_log(first, &format!("this one has {}", listed(opened.schema().names()))));
    }
    let table: Box<dyn TableReader> = match path.is_dir() {
        false if !is_called(first, "parquet") => return as_typed_log(opened, || open_file(first, options)),
        false => opened,
        true => {
            let options = options.clone();
            Box::new(PartsReader::new(&path, files.clone(), Box::new(move |part| open_file(part, &options)))?)
        }
    };
    let mut kinds = kinds_of(table.schema());
    look_further(&files, options, &mut kinds)?;
    Ok(as_log(table, kinds, Vec::new()))
}

/// What was expected, and what is there.
fn no_log(path: &Path, found: &str) -> TableError {
    let what = format!(
        "is no log of TRL: that is a folder of completions_STEP.parquet (or that of the run, or one such file) with the columns {}, and {found}; \
         leave out what says that it is one, or name the right folder",
        listed(COLUMNS.into_iter())
    );
    TableError::new(ErrorKind::UnknownFormat, path.display().to_string(), what)
}

type Kinds = Vec<(String, Option<ColumnType>)>;

fn kinds_of(schema: &Schema) -> Kinds {
    schema.fields.iter().map(|field| (field.name.clone(), field.kind)).collect()
}

fn as_log(table: Box<dyn TableReader>, kinds: Kinds, mixed: Vec<(String, String)>) -> Box<dyn TableReader> {
    let is_number = |kind: &Option<ColumnType>| kind.is_some_and(|kind| kind != ColumnType::Text);
    // Whatever a reward function is called, such as `length`.
    let is_reward = |name: &str| !["step", "advantage"].contains(&name) && !is_index(name);
    let rewards = kinds.into_iter().filter(|(name, kind)| is_number(kind) && is_reward(name));
    let mut log = Log::new(INFO.name, rewards.map(|(name, _)| name).collect());
    log.mixed = mixed;
    log_reader(table, log, "completion")
}

/// A log whose format does not say what its columns hold: it is read twice, and again where rewards may be told by text.
fn as_typed_log(
    mut first: Box<dyn TableReader>,
    open: impl Fn() -> Result<Box<dyn TableReader>, TableError>,
) -> Result<Box<dyn TableReader>, TableError> {
    let table = open()?;
    let untyped = table.is_untyped();
    let mut types = infer_types_of(first.as_mut())?;
    let is_text = |name: &str| ["prompt", "completion"].contains(&name);
    types
        .iter_mut()
        .zip(table.schema().names())
        .filter(|(_, name)| is_text(name))
        .for_each(|(kind, _)| *kind = ColumnType::Text);
    let mut schema = table.schema().clone().with_types(&types);
    let mut mixed = mixed(open, &kinds_of(&schema))?;
    // True and false among numbers are 1 and 0, and words for nothing are none.
    let fields = schema.fields.iter_mut().filter(|field| untyped && mixed.contains(&(field.name.clone(), None)));
    fields.for_each(|field| field.kind = Some(ColumnType::Float));
    let mixed = mixed.drain(..).filter_map(|(name, text)| Some((name, text?))).collect();
    let kinds = kinds_of(&schema);
    Ok(as_log(if untyped { Box::new(TypedReader::new(table, schema)) } else { table }, kinds, mixed))
}

/// The columns of text in the place of rewards in which some values are numbers, such as one with `None` where a reward function did not
/// apply, with the first text of each; `None` where the others are true, false or words for nothing.
fn mixed(
    open: impl Fn() -> Result<Box<dyn TableReader>, TableError>,
    kinds: &Kinds,
) -> Result<Vec<(String, Option<String>)>, TableError> {
    let behind = kinds.iter().skip_while(|(name, _)| name != "completion").skip(1);
    let rewards = behind.take_while(|(name, _)| name != "advantage");
    let texts = rewards.filter(|(_, kind)| *kind == Some(ColumnType::Text)).map(|(name, _)| name.as_str());
    let texts: Vec<&str> = texts.collect();
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let mut table = open()?;
    table.select(&texts)?;
    let mut found: Vec<(bool, Option<String>)> = vec![(false, None); texts.len()];
    // Among text such words may mean anything.
    let mut words = vec![None; texts.len()];
    for_each_batch(table, |batch| {
        for (((number, text), word), column) in found.iter_mut().zip(&mut words).zip(&batch.columns) {
            let Values::Text(values) = &column.values else { continue };
            for value in values.iter().filter(|value| !value.is_empty()) {
                match is_only_text(value) {
                    false => *number = true,
                    true if is_nothing(value) => *word = word.take().or_else(|| Some(value.to_owned())),
                    true if text.is_none() => *text = word.clone().or_else(|| Some(value.to_owned())),
                    true => {}
                }
            }
        }
        Ok(())
    })?;
    let mixed = |(name, (number, text)): (&str, (bool, Option<String>))| number.then(|| (name.to_owned(), text));
    Ok(texts.into_iter().zip(found).filter_map(mixed).collect())
}

/// A reward function that applies to no row of a step leaves a column without values, and without a type: a later file has it.
fn look_further(files: &[PathBuf], options: &ReadOptions, kinds: &mut Kinds) -> Result<(), TableError> {
    let texts = kinds
        .iter()
        .filter(|(name, kind)| *kind == Some(ColumnType::Text) && !["prompt", "completion"].contains(&name.as_str()));
    let texts: Vec<String> = texts.map(|(name, _)| name.clone()).collect();
    let [first, later @ ..] = files else { return Ok(()) };
    if texts.is_empty() || later.is_empty() {
        return Ok(());
    }
    let mut table = open_file(first, options)?;
    table.select(&texts.iter().map(String::as_str).collect::<Vec<_>>())?;
    let mut open = vec![true; texts.len()];
    for_each_batch(table, |batch| {
        for (open, column) in open.iter_mut().zip(&batch.columns) {
            *open &= (0..batch.rows).all(|row| !column.is_valid(row));
        }
        Ok(())
    })?;
    let mut open: Vec<String> = texts.into_iter().zip(open).filter(|(_, open)| *open).map(|(name, _)| name).collect();
    for file in later {
        if open.is_empty() {
            break;
        }
        for field in
            open_file(file, options)?.schema().fields.iter().filter(|field| field.kind != Some(ColumnType::Text))
        {
            if let Some(known) = kinds.iter_mut().find(|(name, _)| open.contains(name) && *name == field.name) {
                known.1 = field.kind;
                open.retain(|name| *name != field.name);
            }
        }
    }
    Ok(())
}
