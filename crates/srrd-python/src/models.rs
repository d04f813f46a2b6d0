//! Reward models side by side.

use crate::arrow::frame_of;
use crate::columns::Columns;
use crate::error::{of_table, wrong};
use crate::reading::{Reading, notes_as_json, tell};
use crate::sample::Sample;
use crate::values::{Told, of_json};
use crate::work::{self, Threads};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;
use srrd::models::{ModelComparison, ModelSettings};
use srrd::sure::{Draws, Level};
use srrd::{FrontEnd, NamedSample};
use srrd_data::{
    ModelQuestion, ModelTable, OpenTable, OutputFile, ReadOptions, TableError, TableNote, TableOptions, TableReader,
    open, read_models,
};
use srrd_show::Figure;
use srrd_show::present;
use std::path::{Path, PathBuf};

/// What is asked about models.
#[pyclass(frozen, module = "srrd._srrd")]
pub struct ModelsAsked {
    question: ModelQuestion,
    settings: ModelSettings,
    /// Files that get everything as a page, and the distances as a picture.
    report: Option<PathBuf>,
    plot: Option<PathBuf>,
}

impl ModelsAsked {
    /// Writes the files that were asked for.
    fn write(&self, found: &ModelComparison, notes: &[TableNote]) -> Result<(), TableError> {
        if let Some(path) = &self.report {
            let told: Vec<String> = notes.iter().map(|note| note.say(FrontEnd::Python)).collect();
            // What a page about data in Python is made of is in Python.
            whole(path, &present::models::report(found, "", &told, "").to_html())?;
        }
        if let (Some(path), Ok(figure)) = (&self.plot, present::models::figure(found)) {
            whole(path, &figure.to_svg())?;
        }
        Ok(())
    }
}

fn whole(path: &Path, text: &str) -> Result<(), TableError> {
    let mut file = OutputFile::create(path)?;
    file.write_with(|to| to.write_all(text.as_bytes()))?;
    file.finish()
}

#[pymethods]
impl ModelsAsked {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "one argument per option")]
    fn new(
        gold: Option<String>,
        by: Option<String>,
        criterion: Option<String>,
        interval: f64,
        draws: usize,
        seed: u64,
        top: usize,
        report: Option<PathBuf>,
        plot: Option<PathBuf>,
    ) -> PyResult<Self> {
        for (name, path, ending) in [("report", &report, "html"), ("plot", &plot, "svg")] {
            if let Some(path) = path.as_ref().filter(|path| path.extension().is_none_or(|found| found != ending)) {
                return Err(wrong(format!("{name}: '{}' must end in .{ending}", path.display())));
            }
        }
        if by.is_some() && criterion.is_some() {
            return Err(wrong("give by or criterion, not both".to_owned()));
        }
        let settings = ModelSettings {
            level: Level::new(interval).map_err(|e| wrong(format!("interval: {e}")))?,
            draws: Draws::new(draws).map_err(|e| wrong(format!("draws: {e}")))?,
            seed,
            top,
        };
        Ok(ModelsAsked { question: ModelQuestion { gold, by, criterion }, settings, report, plot })
    }
}

/// Compares what was read, and tells what was understood of it.
fn compared<'py>(
    py: Python<'py>,
    asked: &ModelsAsked,
    threads: Option<Threads>,
    read: impl FnOnce(&ModelQuestion) -> Result<ModelTable, TableError> + Send + 'static,
) -> PyResult<Told<'py>> {
    let (question, settings) = (asked.question.clone(), asked.settings);
    let found = work::run(py, threads, move || {
        let table = read(&question)?;
        Ok::<_, TableError>((table.compare(&settings), table.notes))
    })?;
    let (found, notes) = found.map_err(|error| of_table(&error))?;
    tell(py, &notes)?;
    let found = found.map_err(|error| wrong(error.say(FrontEnd::Python)))?;
    asked.write(&found, &notes).map_err(|error| of_table(&error))?;
    let mut values = json!(found);
    values["notes"] = notes_as_json(&notes);
    Ok((of_json(py, &values)?, present::models::text(&found), present::models::sentences(&found)))
}

/// Everything `srrd models --json` tells, of samples of the same responses.
#[pyfunction]
#[pyo3(signature = (samples, asked, threads=None))]
pub fn models<'py>(
    py: Python<'py>,
    samples: Vec<Bound<'py, Sample>>,
    asked: &ModelsAsked,
    threads: Option<Threads>,
) -> PyResult<Told<'py>> {
    if asked.question.by.is_some() || asked.question.criterion.is_some() {
        return Err(wrong("samples have no columns to group by: give the table instead of its samples".to_owned()));
    }
    let models: Vec<NamedSample> = samples.iter().map(|sample| NamedSample::clone(&sample.get().named)).collect();
    let gold = asked.question.gold.clone();
    compared(py, asked, threads, move |_| Ok(ModelTable::of(models, gold)))
}

/// The same of files.
#[pyfunction]
#[pyo3(signature = (paths, reading, asked, threads=None))]
pub fn models_of_files<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    reading: &Reading,
    asked: &ModelsAsked,
    threads: Option<Threads>,
) -> PyResult<Told<'py>> {
    let options = TableOptions { episodes: false, ..reading.options.clone() };
    compared(py, asked, threads, move |question| {
        let read = ReadOptions { dataset: options.dataset.clone(), ..ReadOptions::default() };
        let name = |path: &PathBuf| path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
        let tables = paths.iter().map(|path| {
            let opener: OpenTable<'_> = Box::new(|| open(path, &read));
            (name(path), opener)
        });
        read_models(tables.collect(), &options, question)
    })
}

/// The same of a table in memory.
fn of_memory<'py>(
    py: Python<'py>,
    origin: String,
    open: impl FnMut() -> Result<Box<dyn TableReader>, TableError> + Send + 'static,
    reading: &Reading,
    asked: &ModelsAsked,
    threads: Option<Threads>,
) -> PyResult<Told<'py>> {
    let options = TableOptions { episodes: false, ..reading.options.clone() };
    compared(py, asked, threads, move |question| read_models(vec![(origin, Box::new(open))], &options, question))
}

/// The same of a frame that hands out its memory by Arrow's C interface.
#[pyfunction]
#[pyo3(signature = (frame, origin, reading, asked, threads=None))]
pub fn models_of_arrow<'py>(
    py: Python<'py>,
    frame: &Bound<'py, PyAny>,
    origin: String,
    reading: &Reading,
    asked: &ModelsAsked,
    threads: Option<Threads>,
) -> PyResult<Told<'py>> {
    let frame = frame_of(frame, &origin)?;
    of_memory(py, origin, move || frame.clone().into_reader(), reading, asked, threads)
}

/// The same of columns.
#[pyfunction]
#[pyo3(signature = (columns, origin, reading, asked, threads=None))]
pub fn models_of_columns<'py>(
    py: Python<'py>,
    columns: &Bound<'py, PyDict>,
    origin: String,
    reading: &Reading,
    asked: &ModelsAsked,
    threads: Option<Threads>,
) -> PyResult<Told<'py>> {
    let columns = Columns::new(columns)?;
    let name = origin.clone();
    of_memory(py, origin, move || Ok(columns.clone().into_reader(&name)), reading, asked, threads)
}
