//! `srrd report`: a page about samples, or the report of a run from its trials.

use crate::args::ReportArgs;
use crate::call::as_typed;
use crate::failure::Failure;
use crate::inputs::read_all;
use crate::outputs::refuse_to_overwrite;
use crate::picture::extension;
use crate::print;
use srrd::NamedSample;
use srrd::answer::survey;
use srrd_data::OutputFile;
use srrd_lab::Run;
use srrd_show::present;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub fn run(args: &ReportArgs, call: &[OsString]) -> Result<(), Failure> {
    if let ([folder], None) = (args.inputs.as_slice(), &args.output)
        && folder.is_dir()
    {
        return publish(&Run::open(folder)?, folder);
    }
    let Some(output) = &args.output else {
        return Err(Failure::wrong(
            "a page about samples needs a file: name it with -o FILE.html; without -o, the report of the one folder of a run is made",
        ));
    };
    of_samples(args, output, &as_typed(call))
}

fn of_samples(args: &ReportArgs, output: &PathBuf, command: &str) -> Result<(), Failure> {
    if !matches!(extension(output).as_deref(), Some("html" | "htm")) {
        return Err(Failure::wrong(format!("-o: '{}' must end in .html", output.display())));
    }
    let options = args.shared.options()?;
    refuse_to_overwrite([Some(output)], &args.inputs.iter().collect::<Vec<_>>())?;
    args.threads.run(move || {
        let samples = read_all(&args.inputs, &args.table.options(&options, true)?)?;
        // Begun before the work: it should not be done for a page that cannot be written.
        let mut file = OutputFile::create(output)?;
        let samples: Vec<&NamedSample> = samples.iter().collect();
        let found = survey(&samples, &options, args.clusters, args.top)?;
        print::warnings(&found.warnings);
        let mut page = present::survey::report(&found, &samples, command);
        page.notes.extend(print::told_of_tables());
        let html = page.to_html();
        file.write_with(|to| to.write_all(html.as_bytes()))?;
        file.finish()?;
        print::wrote(
            [output.as_path()],
            &format!("a report on {}", print::counted(samples.len(), "sample", "samples")),
        );
        Ok(())
    })
}

/// Writes the report of a folder of results and prints what came out.
pub fn publish(run: &Run, folder: &Path) -> Result<(), Failure> {
    let text = run.publish(folder)?;
    print::result(&format!("{text}\nReport: {}\n", folder.join("report.html").display()))?;
    Ok(())
}
