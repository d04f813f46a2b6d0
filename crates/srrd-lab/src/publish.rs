//! From trials to what people read: summary.csv, figures and the report.

use crate::error::LabError;
use crate::experiment::Evaluation;
use crate::manifest::{Manifest, Shard};
use crate::store::{read_trials, write_whole};
use srrd_show::Drawing;
use std::fs;
use std::path::Path;

/// Pixels of a PNG for every unit of the figure: sharp in print.
#[cfg(feature = "png")]
const PNG_SCALE: f64 = 2.0;

/// Evaluates the trials of a folder and writes everything but the trials. Returns what to print.
pub fn publish(folder: &Path) -> Result<String, LabError> {
    let manifest = Manifest::read(folder)?;
    if manifest.shard != Shard::WHOLE {
        return Err(LabError::wrong(format!(
            "{}: the folder holds the part {} of a run; join all parts with `srrd reproduce merge` first",
            folder.display(),
            manifest.shard
        )));
    }
    let experiment = manifest.experiment()?;
    let trials = read_trials(folder, manifest.shard, experiment.as_ref())?;
    let Evaluation { summary, figures, mut report, mut text } = experiment.evaluate(&trials)?;
    report.command = manifest.command();
    for (name, values) in manifest.parameters.entries() {
        report.facts.push((name.to_owned(), values.join(", ")));
    }
    report.facts.push(("version".to_owned(), crate::manifest::VERSION.to_owned()));
    if !trials.complete {
        let unfinished = "The run is not finished: this is what the trials so far say.";
        report.lead.insert(0, unfinished.to_owned());
        text = format!("{unfinished}\n\n{text}");
    }
    write_whole(&folder.join("summary.csv"), summary.as_str().as_bytes())?;
    write_figures(&folder.join("figures"), &figures)?;
    write_whole(&folder.join("report.html"), report.to_html().as_bytes())?;
    Ok(text)
}

fn write_figures(folder: &Path, figures: &[(String, Drawing)]) -> Result<(), LabError> {
    fs::create_dir_all(folder).map_err(LabError::io(folder, "the folder cannot be made"))?;
    for (name, drawing) in figures {
        write_whole(&folder.join(format!("{name}.svg")), drawing.to_svg().as_bytes())?;
        #[cfg(feature = "png")]
        {
            let png = drawing.to_png(PNG_SCALE).map_err(LabError::failed)?;
            write_whole(&folder.join(format!("{name}.png")), &png)?;
        }
    }
    Ok(())
}
