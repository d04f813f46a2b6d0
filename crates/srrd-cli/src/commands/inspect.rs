//! `srrd inspect`: what is in a table, and how much of what every metric needs was sampled.

use crate::args::Inspect;
use crate::failure::Failure;
use crate::inputs::read_all;
use crate::print;
use srrd::answer::Space;
use srrd::{FrontEnd, Metric, NamedSample, inspect};
use srrd_show::present::{gamma, inspection};

pub fn run(args: &Inspect) -> Result<(), Failure> {
    let options = args.shared.options()?;
    let question = options.question_by(&Metric::SHOWN)?;
    // Wrong settings are told before tables are read.
    inspect(&[], &question, None)?;
    let space = args.space.as_deref().map(parse_space).transpose()?;
    args.usual.threads.run(move || {
        let samples = read_all(&args.inputs, &args.usual.table.options(&options, false)?)?;
        let samples: Vec<&NamedSample> = samples.iter().collect();
        let found = inspect(&samples, &question, space)?;
        if found.gamma_estimate.is_some_and(|estimate| estimate.identified) {
            print::note(&gamma::told(found.gamma, found.gamma_estimate.as_ref()));
        }
        print::warnings(&found.warnings);
        match args.usual.json {
            true => print::json(&found)?,
            false => print::result(&inspection::text(&found, FrontEnd::Command))?,
        }
        Ok(())
    })
}

/// `400x4`
fn parse_space(text: &str) -> Result<Space, Failure> {
    let numbers = text
        .split_once(['x', '×'])
        .and_then(|(states, actions)| Some((states.trim().parse::<u32>().ok()?, actions.trim().parse::<u32>().ok()?)));
    match numbers {
        Some((states @ 1.., actions @ 1..)) => Ok(Space { states: states.into(), actions: actions.into() }),
        _ => Err(Failure::wrong(format!("--space: '{text}' must be STATESxACTIONS, such as 400x4"))),
    }
}
