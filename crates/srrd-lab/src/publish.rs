//! From trials to what people read: summary.csv, figures and the report.

use crate::error::LabError;
use crate::experiment::Evaluation;
use crate::manifest::{Shard, VERSION};
use crate::run::Run;
use crate::store::{read_trials, write_whole};
use rayon::prelude::*;
use srrd_show::Drawing;
use srrd_show::page::{FigureBlock, Report};
use std::fs;
use std::path::Path;

/// Pixels of a PNG for every unit of the figure: sharp in print.
#[cfg(feature = "png")]
const PNG_SCALE: f64 = 2.0;

/// Evaluates the trials of a folder and writes everything but the trials. Returns what to print.
pub(crate) fn publish(run: &Run, folder: &Path, png: bool) -> Result<String, LabError> {
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
    write_figures(folder, &report, png)?;
    write_whole(&folder.join("report.html"), report.to_html().as_bytes())?;
    Ok(text)
}

/// Writes the figures of the report to files of their own, on all cores: pictures of pixels take long.
fn write_figures(folder: &Path, report: &Report, png: bool) -> Result<(), LabError> {
    let figures = folder.join("figures");
    fs::create_dir_all(&figures).map_err(LabError::io(&figures, "the folder cannot be made"))?;
    let blocks: Vec<&FigureBlock> = report.sections.iter().flat_map(|section| &section.figures).collect();
    blocks.into_par_iter().try_for_each(|FigureBlock { drawing, file, .. }| {
        let Some(file) = file else { return Ok(()) };
        let path = folder.join(file);
        write_whole(&path, drawing.to_svg().as_bytes())?;
        if png { write_png(drawing, &path) } else { Ok(()) }
    })
}

#[cfg(feature = "png")]
fn write_png(drawing: &Drawing, svg: &Path) -> Result<(), LabError> {
    write_whole(&svg.with_extension("png"), &drawing.to_png(PNG_SCALE).map_err(LabError::failed)?)
}

#[cfg(not(feature = "png"))]
fn write_png(_: &Drawing, _: &Path) -> Result<(), LabError> {
    Ok(())
}
