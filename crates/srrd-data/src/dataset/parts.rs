//! A folder that holds one table in parts: files of one format whose names differ only in their numbers, as Spark, Hugging Face and the
//! logs of training runs have them (`part-0.parquet`, `completions_00010.parquet`, …).

use std::path::{Path, PathBuf};

use super::DatasetInfo;
use crate::error::{ErrorKind, TableError, shorten};
use crate::table::{Batch, Extras, FileFormat, Passing, Piece, Schema, TableNote, TableReader, open};

pub(super) const INFO: DatasetInfo = DatasetInfo {
    name: "parts",
    about: "a folder of tables of one format whose names differ only in their numbers, read one behind the other",
    options: &[],
    detect: |folder| parts_in(folder).is_ok(),
    open: |folder, options| {
        let parts = parts_in(folder).unwrap_or_default();
        let options = options.clone();
        Ok(Box::new(PartsReader::new(folder, parts, Box::new(move |part| open(part, &options)))?))
    },
};

/// Why the tables in a folder are no parts of one.
pub(super) enum NoParts {
    /// There are none, or the folder cannot be read.
    Nothing,
    /// One has no number in its name.
    NoNumber(String),
    /// One is not called as another.
    Unlike([String; 2]),
}

/// The parts in a folder, in the order of their numbers.
pub(super) fn parts_in(folder: &Path) -> Result<Vec<PathBuf>, NoParts> {
    let mut parts: Vec<(Vec<u64>, PathBuf)> = Vec::new();
    let mut form: Option<(String, FileFormat, String)> = None;
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .map_err(|_| NoParts::Nothing)?;
    // The same one is named as the odd one wherever the folder lies.
    paths.sort();
    for path in paths {
        let Ok(format) = FileFormat::from_path(&path) else { continue };
        let Some(name) = path.file_name().and_then(|name| name.to_str()).map(str::to_owned) else { continue };
        // Files of the file system or of the writer, not of the table.
        if !path.is_file() || name.starts_with(['.', '_']) {
            continue;
        }
        let numbers: Vec<u64> =
            name.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect();
        let letters: String = name.chars().filter(|c| !c.is_ascii_digit()).collect();
        if numbers.is_empty() {
            return Err(NoParts::NoNumber(name));
        }
        let (first_letters, first_format, first) = form.get_or_insert_with(|| (letters.clone(), format, name.clone()));
        if (&letters, &format) != (first_letters, first_format) {
            return Err(NoParts::Unlike([first.clone(), name]));
        }
        parts.push((numbers, path));
    }
    // An empty file has no rows: a step that was begun and logged nothing. A table of nothing else is refused as such.
    let is_empty = |path: &Path| std::fs::metadata(path).is_ok_and(|about| about.len() == 0);
    if parts.iter().any(|(_, path)| !is_empty(path)) {
        parts.retain(|(_, path)| !is_empty(path));
    }
    parts.sort();
    if parts.is_empty() { Err(NoParts::Nothing) } else { Ok(parts.into_iter().map(|(_, path)| path).collect()) }
}

/// The error for a folder that is no data set.
pub(super) fn no_table(folder: &Path) -> TableError {
    let odd = match parts_in(folder) {
        Ok(_) | Err(NoParts::Nothing) => "there is no table in it".to_owned(),
        Err(NoParts::NoNumber(name)) => {
            format!("`{}` has no number in its name, as parts of one table have", shorten(&name))
        }
        Err(NoParts::Unlike([first, other])) => {
            format!(
                "`{}` and `{}` differ in more than a number, so they are no parts of one table",
                shorten(&first),
                shorten(&other)
            )
        }
    };
    let recordings: Vec<&str> =
        super::DATASETS.iter().map(|dataset| dataset.name).filter(|name| *name != INFO.name).collect();
    let what = format!(
        "is a directory, but no recording that is read ({}) and no table in parts: {odd}; name the files that are meant",
        recordings.join(", ")
    );
    TableError::new(ErrorKind::Directory, folder.display().to_string(), what)
}

/// Opens a part.
pub(crate) type OpenPart = Box<dyn Fn(&Path) -> Result<Box<dyn TableReader>, TableError> + Send>;

/// Tables read one behind the other.
pub(crate) struct PartsReader {
    name: String,
    open: OpenPart,
    /// Those that were not yet opened.
    parts: std::vec::IntoIter<PathBuf>,
    current: Box<dyn TableReader>,
    /// The columns of the first part, which all have.
    schema: Schema,
    /// What was prepared for columns of any type, to be done for every part, and which columns were selected after that.
    extras: Option<PartExtras>,
    selected: Option<Vec<String>>,
    /// How many rows came before those of the current part.
    rows_before: u64,
    rows: u64,
}

struct PartExtras {
    meant: Vec<String>,
    passing: Passing,
    kept: Extras,
}

impl PartsReader {
    pub(crate) fn new(folder: &Path, parts: Vec<PathBuf>, open: OpenPart) -> Result<Self, TableError> {
        let name = folder.display().to_string();
        let mut parts = parts.into_iter();
        let first = parts.next().ok_or_else(|| no_table(folder))?;
        let current = open(&first)?;
        let schema = current.schema().clone();
        Ok(PartsReader { name, open, parts, current, schema, extras: None, selected: None, rows_before: 0, rows: 0 })
    }

    /// Opens a part, with the columns that were chosen.
    fn open_part(&self, path: &Path) -> Result<Box<dyn TableReader>, TableError> {
        let mut part = (self.open)(path)?;
        if let Some(PartExtras { meant, passing, kept }) = &self.extras {
            let extras = part.keep_extras(&meant.iter().map(String::as_str).collect::<Vec<_>>(), *passing)?;
            if self.selected.is_none() && extras != *kept {
                return Err(other_columns(part.name()));
            }
        }
        match &self.selected {
            Some(names) => part.select(&names.iter().map(String::as_str).collect::<Vec<_>>())?,
            None if self.extras.is_none() => part.select(&self.schema.names().collect::<Vec<_>>())?,
            None => {}
        }
        let columns = |schema: &Schema| -> Vec<_> {
            schema.fields.iter().map(|field| (field.name.clone(), field.original.clone())).collect()
        };
        if columns(part.schema()) != columns(&self.schema) {
            return Err(other_columns(part.name()));
        }
        Ok(part)
    }
}

fn other_columns(file: &str) -> TableError {
    let what =
        "the part has other columns than the first part of its folder; give all the same columns, or read them apart";
    TableError::new(ErrorKind::Ragged, file, what)
}

impl TableReader for PartsReader {
    fn name(&self) -> &str {
        &self.name
    }

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn is_untyped(&self) -> bool {
        self.current.is_untyped()
    }

    fn select(&mut self, names: &[&str]) -> Result<(), TableError> {
        self.current.select(names)?;
        self.schema = self.current.schema().clone();
        self.selected = Some(names.iter().map(|name| (*name).to_owned()).collect());
        Ok(())
    }

    fn keep_extras(&mut self, meant: &[&str], passing: Passing) -> Result<Extras, TableError> {
        let kept = self.current.keep_extras(meant, passing)?;
        self.schema = self.current.schema().clone();
        let meant = meant.iter().map(|name| (*name).to_owned()).collect();
        self.extras = Some(PartExtras { meant, passing, kept: kept.clone() });
        self.selected = None;
        Ok(kept)
    }

    fn first_cell(&mut self, column: &str) -> Result<Option<String>, TableError> {
        self.current.first_cell(column)
    }

    fn notes(&self) -> Vec<TableNote> {
        self.current.notes()
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<Piece, TableError> {
        loop {
            match self.current.next_batch(batch)? {
                Piece::Rows => {
                    // Rows are counted through all parts.
                    batch.first_row += self.rows_before;
                    self.rows += batch.rows as u64;
                    return Ok(Piece::Rows);
                }
                Piece::End => match self.parts.next() {
                    Some(path) => {
                        self.current = self.open_part(&path)?;
                        self.rows_before = self.rows;
                    }
                    None => return Ok(Piece::End),
                },
            }
        }
    }
}
