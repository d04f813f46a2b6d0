//! `srrd report`: the report of a run, from its trials.

use crate::args::ReportArgs;
use crate::failure::Failure;
use crate::print;
use srrd_lab::Run;
use std::path::Path;

pub fn run(args: &ReportArgs) -> Result<(), Failure> {
    publish(&Run::open(&args.folder)?, &args.folder)
}

/// Writes the report of a folder of results and prints what came out.
pub fn publish(run: &Run, folder: &Path) -> Result<(), Failure> {
    let text = run.publish(folder)?;
    print::result(&format!("{text}\nReport: {}\n", folder.join("report.html").display()))?;
    Ok(())
}
