//! `srrd check`: whether a changed reward asks for the same behaviour, as an exit status.

use crate::args::Check;
use crate::failure::Failure;
use crate::inputs::read_pair;
use crate::print;
use srrd::verdict::Answer;
use srrd::{Metric, Options, compare};
use srrd_show::present::verdict;

/// 0 same behaviour, 1 different, 3 not enough data to tell.
pub fn run(args: &Check) -> Result<u8, Failure> {
    let options = Options { metrics: vec![Metric::Projected], verdict: true, ..args.shared.options()? };
    let question = options.question()?;
    args.usual.threads.run(move || {
        let [old, new] = read_pair(&args.old, args.new.as_ref(), &args.usual.table.options(&options, false)?)?;
        let found = compare(&old, &new, &question)?;
        print::warnings(&found.warnings);
        let judgement = found.verdict.as_ref().ok_or_else(|| Failure::Failed("there is no verdict".to_owned()))?;
        let names = [old.name.as_str(), new.name.as_str()];
        match (args.usual.json, args.github) {
            (true, _) => print::json(&found)?,
            (false, true) => print::result(&verdict::annotation(judgement, names))?,
            (false, false) => print::result(&verdict::painted(judgement, names, print::paint()))?,
        }
        Ok(match judgement.answer {
            Answer::Same => 0,
            Answer::Different => 1,
            Answer::Unknown => 3,
        })
    })
}
