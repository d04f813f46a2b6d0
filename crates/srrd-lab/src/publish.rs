//! From trials to what people read: summary.csv, figures and the report.

use crate::error::LabError;
use crate::experiment::Evaluation;
use crate::manifest::{Shard, VERSION};
use crate::run::Run;
use crate::store::{read_trials, write_whole};
use srrd_show::page::{FigureBlock, Report};
use std::fs;
use std::path::Path;

/// Pixels of a PNG for every unit of the figure: sharp in print.
#[cfg(feature = "png")]
const PNG_SCALE: f64 = 2.0;

/// Evaluates the trials of a folder and writes everything but the trials. Returns what to print.
pub(crate) fn publish(run: &Run, folder: &Path) -> Result<String, LabError> {
    let Run { manifest, experiment } = run;
    if manifest.shard != Shard::WHOLE {
        return Err(LabError::wrong(format!(
            "{}: the folder holds the part {} of a run; join all parts with `srrd reproduce merge` first",
            folder.display(),
            manifest.shard
        )));
    }
    let trials = read_trials(folder, manifest.shard, experiment.as_ref())?;
    let Evaluation { summary, mut report, mut text } = experiment.evaluate(&trials)?;
    report.command = manifest.command();
    for (name, values) in manifest.parameters.entries() {
        report.facts.push((name.to_owned(), values.join(", ")));
    }
    report.facts.push(("version".to_owned(), VERSION.to_owned()));
    if !trials.complete {
        let unfinished = "The run is not finished: this is what the trials so far say.";
        report.lead.insert(0, unfinished.to_owned());
        text = format!("{unfinished}\n\n{text}");
    }
    write_whole(&folder.join("summary.csv"), summary.as_str().as_bytes())?;
    write_figures(folder, &report)?;
    write_whole(&folder.join("report.html"), report.to_html().as_bytes())?;
    Ok(text)
}

/// Writes the figures of the report to files of their own.
fn write_figures(folder: &Path, report: &Report) -> Result<(), LabError> {
    let figures = folder.join("figures");
    fs::create_dir_all(&figures).map_err(LabError::io(&figures, "the folder cannot be made"))?;
    for FigureBlock { drawing, file, .. } in report.sections.iter().flat_map(|section| &section.figures) {
        let Some(file) = file else { continue };
        let path = folder.join(file);
        write_whole(&path, drawing.to_svg().as_bytes())?;
        #[cfg(feature = "png")]
        write_whole(&path.with_extension("png"), &drawing.to_png(PNG_SCALE).map_err(LabError::failed)?)?;
    }
    Ok(())
}
