//! `srrd check`: whether a changed reward asks for the same behaviour, as an exit status.

use crate::args::Check;
use crate::failure::Failure;
use crate::inputs::read_pair;
use crate::print;
use srrd::answer::Used;
use srrd::verdict::Answer;
use srrd::{Metric, Options, compare};
use srrd_show::present::{gamma, verdict};

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
        // Prompts have no successors, so that no gamma is at work.
        let gamma = (!(old.one_step && new.one_step)).then(|| said_of_gamma(&found.used, args.shared.gives_gamma));
        match (args.usual.json, args.github) {
            (true, _) => print::json(&found)?,
            (false, true) => {
                let line = verdict::annotation(judgement, names);
                // As what ends a line is written there.
                print::result(&with_gamma(&line, "%0A", &gamma.map(|gamma| gamma.replace('%', "%25"))))?;
            }
            (false, false) => {
                print::result(&with_gamma(&verdict::painted(judgement, names, print::paint()), "\n", &gamma))?;
            }
        }
        Ok(match judgement.answer {
            Answer::Same => 0,
            Answer::Different => 1,
            Answer::Unknown => 3,
        })
    })
}

/// With which discount factor rewards were compared, and whether anybody chose it.
fn said_of_gamma(used: &Used, given: bool) -> String {
    let gamma = gamma::in_words(used);
    match given {
        true => format!("With {gamma}."),
        false => format!("With {gamma}, which was not given; name the one that the rewards are made for with --gamma."),
    }
}

/// A verdict with a line below its sentence; `end` ends lines.
fn with_gamma(text: &str, end: &str, line: &Option<String>) -> String {
    let at = text.find(end).unwrap_or(text.trim_end().len());
    let (sentence, rest) = text.split_at(at);
    match line {
        Some(line) => format!("{sentence}{end}{line}{rest}"),
        None => text.to_owned(),
    }
}
