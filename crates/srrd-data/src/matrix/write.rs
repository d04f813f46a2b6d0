//! A matrix as a square table, or as a NumPy array with its names beside it.

use std::path::Path;

use serde_json::json;
use srrd::NamedSample;
use srrd::answer::Overview;

use super::kept::KeptMatrix;
use crate::error::{ErrorKind, TableError};
use crate::files::OutputFile;
use crate::table::{Batch, Column, ColumnType, NpyWriter, Schema, TableWriter, TextColumn, Values, create};

/// So many rows are held at a time.
const ROWS: usize = 256;

/// The file of a matrix, begun before the matrix is computed: that should not be done for one that cannot be written.
pub struct MatrixWriter(Kind);

enum Kind {
    Table(Box<dyn TableWriter>),
    Npy { values: Box<NpyWriter>, names: OutputFile },
}

impl MatrixWriter {
    /// Whether the name says that it is a NumPy array.
    pub fn is_array(path: &Path) -> bool {
        path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"))
    }

    /// Begins the file. The extension says the format; `.npy` gets its names in a file `.json` beside it.
    ///
    /// # Errors
    /// The file cannot be written, or the samples have names that the format cannot hold.
    pub fn create(path: &Path, samples: &[NamedSample]) -> Result<Self, TableError> {
        if Self::is_array(path) {
            let values = Box::new(NpyWriter::create(path, samples.len(), samples.len())?);
            return Ok(MatrixWriter(Kind::Npy { values, names: OutputFile::create(&path.with_extension("json"))? }));
        }
        if samples.iter().any(|named| named.name == "sample") {
            let what = "a sample is called 'sample', as the column of names in the output is: rename it, or write .npy";
            return Err(TableError::new(ErrorKind::DuplicateColumn, path.display().to_string(), what));
        }
        let names = samples.iter().map(|named| (named.name.clone(), ColumnType::Float));
        let schema = Schema::new([("sample".to_owned(), ColumnType::Text)].into_iter().chain(names));
        Ok(MatrixWriter(Kind::Table(create(path, &schema)?)))
    }

    /// Writes a matrix that is complete, with `undefined` where there is no distance, and gives the file its name.
    ///
    /// # Errors
    /// The file cannot be written, or what was kept cannot be read.
    pub fn write(self, kept: &KeptMatrix, about: &Overview, undefined: Option<f64>) -> Result<(), TableError> {
        let size = kept.size();
        let bands = (0..size).step_by(ROWS).map(|first| first..size.min(first + ROWS));
        match self.0 {
            Kind::Table(mut writer) => {
                for rows in bands {
                    let named: TextColumn = about.names[rows.clone()].iter().map(String::as_str).collect();
                    let first = rows.start as u64 + 1;
                    let values = kept.whole_rows(rows, undefined)?;
                    let column = |k: usize| Values::Float(values.iter().skip(k).step_by(size).copied().collect());
                    let columns = [Values::Text(named)].into_iter().chain((0..size).map(column)).map(Column::from);
                    writer.write(&Batch::from_columns(columns.collect(), first))?;
                }
                writer.finish()
            }
            Kind::Npy { mut values, mut names } => {
                let sidecar = match about.labels.iter().any(Option::is_some) {
                    true => json!({"names": about.names, "labels": about.labels}),
                    false => json!({"names": about.names}),
                };
                names.write_with(|to| writeln!(to, "{sidecar}"))?;
                for rows in bands {
                    values.write(&kept.whole_rows(rows, undefined)?)?;
                }
                values.finish()?;
                names.finish()
            }
        }
    }
}
