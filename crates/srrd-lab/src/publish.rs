//! From trials to what people read: summary.csv, figures and the report.

use crate::error::LabError;
use crate::experiment::Evaluation;
use crate::manifest::{Shard, VERSION};
use crate::run::Run;
use crate::store::{read_trials, write_whole};
use rayon::prelude::*;
use srrd_show::Drawing;
use srrd_show::page::{Claim, FigureBlock, Headline, Report, Verdict};
use srrd_show::words::counted;
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
    report.headline = headline(&mut report);
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

/// What the run found in one sentence, and its first figure, which moves there.
fn headline(report: &mut Report) -> Option<Headline> {
    let sentence = found(&report.claims)?;
    let section = report.sections.iter_mut().find(|section| !section.figures.is_empty())?;
    Some(Headline::new(sentence, section.figures.remove(0)))
}

/// How many of the paper's claims hold; what was measured first where the paper claims nothing.
fn found(claims: &[Claim]) -> Option<String> {
    let count = |verdict| claims.iter().filter(|claim| claim.verdict == verdict).count();
    let [agree, disagree, undecided] = [Verdict::Agrees, Verdict::Disagrees, Verdict::Undecided].map(count);
    let of = |count: usize, one: &str, several: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        more => Some(format!("{more} {several}")),
    };
    match agree + disagree + undecided {
        0 => claims.first().map(|claim| claim.measured.clone()),
        all if agree == all => Some(match all {
            1 => "The claim of the paper holds here.".to_owned(),
            all => format!("All {all} claims of the paper hold here."),
        }),
        all => {
            let rest = [of(disagree, "does not", "do not"), of(undecided, "is undecided", "are undecided")];
            let rest: Vec<String> = rest.into_iter().flatten().collect();
            let holds = if agree == 1 { "holds" } else { "hold" };
            Some(format!(
                "{agree} of {} {holds} here, {}.",
                counted(all, "claim of the paper", "claims of the paper"),
                rest.join(", ")
            ))
        }
    }
}

/// Writes the figures of the report to files of their own, on all cores: pictures of pixels take long.
fn write_figures(folder: &Path, report: &Report, png: bool) -> Result<(), LabError> {
    let figures = folder.join("figures");
    fs::create_dir_all(&figures).map_err(LabError::io(&figures, "the folder cannot be made"))?;
    let first = report.headline.iter().map(|headline| &headline.figure);
    let blocks: Vec<&FigureBlock> = first.chain(report.sections.iter().flat_map(|section| &section.figures)).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headline_counts_the_claims_that_hold() {
        let said = |verdicts: &[Verdict]| {
            let claims: Vec<Claim> = verdicts.iter().map(|&verdict| Claim::new("p", "It is 3.", verdict, "")).collect();
            found(&claims)
        };
        let (yes, no, unsure) = (Verdict::Agrees, Verdict::Disagrees, Verdict::Undecided);
        assert_eq!(said(&[]), None);
        assert_eq!(said(&[Verdict::NotInPaper]).unwrap(), "It is 3.");
        assert_eq!(said(&[yes]).unwrap(), "The claim of the paper holds here.");
        assert_eq!(said(&[yes, yes, Verdict::NotInPaper]).unwrap(), "All 2 claims of the paper hold here.");
        assert_eq!(
            said(&[yes, no, no, unsure]).unwrap(),
            "1 of 4 claims of the paper holds here, 2 do not, 1 is undecided."
        );
        assert_eq!(said(&[no]).unwrap(), "0 of 1 claim of the paper hold here, 1 does not.");
    }
}
