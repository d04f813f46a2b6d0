//! The command itself, and the paper's experiments as plans whose parts can run anywhere.

use crate::error::{of_lab, wrong};
use crate::work::{self, Threads};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use srrd_lab::{LabError, Manifest, Preset, Run, Shard, merge};
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Runs the command with these arguments; what it exits with.
#[pyfunction]
pub fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| srrd_cli::command(arguments))
}

/// For the program `srrd`, not for programs that import the package: signals end it as they would, unfinished files removed.
#[pyfunction]
pub fn clean_up_when_ended() {
    srrd_cli::clean_up_when_ended();
}

fn lab_run(what: &str, preset: &str, replaced: &[(String, String)], shard: (usize, usize)) -> Result<Run, LabError> {
    let preset: Preset = preset.parse()?;
    let replaced = replaced.iter().map(|(name, value)| (name, value));
    Run::new(Manifest::new(what, preset, replaced, Shard::new(shard.0, shard.1)?)?)
}

/// What a run would do: how many trials, and the command that does the same.
#[pyfunction]
pub fn plan<'py>(
    py: Python<'py>,
    what: &str,
    preset: &str,
    replaced: Vec<(String, String)>,
) -> PyResult<Bound<'py, PyDict>> {
    let run = lab_run(what, preset, &replaced, (1, 1)).map_err(of_lab)?;
    let dict = PyDict::new(py);
    dict.set_item("what", run.manifest().kind.name)?;
    dict.set_item("trials", run.trials())?;
    dict.set_item("command", run.manifest().command())?;
    Ok(dict)
}

/// Computes the trials of one part that are missing in a folder, on so many threads, and says how many the part has.
/// `progress` is called now and then with the trials done and all; what it raises stops the run, which can go on later.
#[pyfunction]
#[pyo3(signature = (folder, what, preset, replaced, shard, threads=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "one argument per option")]
pub fn run_part(
    py: Python<'_>,
    folder: PathBuf,
    what: &str,
    preset: &str,
    replaced: Vec<(String, String)>,
    shard: (usize, usize),
    threads: Option<Threads>,
    progress: Option<Py<PyAny>>,
) -> PyResult<usize> {
    let threads = work::threads(threads)?;
    let run = lab_run(what, preset, &replaced, shard).map_err(of_lab)?;
    let mut raised = None;
    let mut last = None::<std::time::Instant>;
    let mut all = 0;
    let done = py.detach(|| {
        run.compute(&folder, threads, |now| {
            all = now.all;
            let due = last.is_none_or(|last| last.elapsed().as_millis() >= 100) || now.done == now.all;
            if !due {
                return ControlFlow::Continue(());
            }
            last = Some(std::time::Instant::now());
            let told = Python::attach(|py| {
                py.check_signals()?;
                progress.as_ref().map_or(Ok(()), |progress| progress.call1(py, (now.done, now.all)).map(|_| ()))
            });
            match told {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    raised = Some(error);
                    ControlFlow::Break(())
                }
            }
        })
    });
    match raised {
        Some(raised) => Err(raised),
        None => done.map_err(of_lab).map(|()| all),
    }
}

/// Joins parts that were computed apart.
#[pyfunction]
pub fn merge_parts(py: Python<'_>, parts: Vec<PathBuf>, folder: PathBuf) -> PyResult<()> {
    if parts.is_empty() {
        return Err(wrong("there are no parts to join"));
    }
    work::run(py, None, move || merge(&parts, &folder))?.map(|_| ()).map_err(of_lab)
}

/// Writes the summary, the figures and the report of a folder of results; returns what the command prints.
#[pyfunction]
pub fn publish_run(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    work::run(py, None, move || Run::open(&folder)?.publish(&folder))?.map_err(of_lab)
}
