//! `srrd report`: the report of a run, from its trials.

use crate::args::ReportArgs;
use crate::failure::Failure;
use crate::print;

pub fn run(args: &ReportArgs) -> Result<(), Failure> {
    let text = srrd_lab::publish(&args.folder)?;
    print::result(&format!("{text}\nReport: {}\n", args.folder.join("report.html").display()))?;
    Ok(())
}
