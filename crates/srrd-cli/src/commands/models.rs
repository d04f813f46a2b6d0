//! `srrd models`: scores of the same responses, side by side.

use crate::args::Models;
use crate::failure::Failure;
use crate::inputs::Source;
use crate::print;
use srrd::models::{ModelSettings, compare_models};
use srrd_data::{Next, score_columns};
use srrd_show::present::models;

pub fn run(args: &Models) -> Result<(), Failure> {
    let options = args.shared.options()?;
    let level = options.interval.unwrap_or_default();
    let settings = ModelSettings { level, draws: options.draws, seed: options.seed, top: args.top };
    args.threads.run(move || {
        let mut table = args.table.options(&options, false)?;
        let source = Source::new(&args.input)?;
        if table.rewards.is_empty() {
            table.rewards = score_columns(source.open(&table.dataset)?, &table)?;
            print::note(&format!(
                "{}: comparing the scores {}; choose others with --rewards",
                args.input.display(),
                table.rewards.join(", ")
            ));
        }
        if let Some(gold) = args.gold.as_ref().filter(|gold| !table.rewards.contains(gold)) {
            table.rewards.push(gold.clone());
        }
        // Prompts have no successors, whatever the steps of a log say.
        table.next = Next::None;
        let samples = source.samples(&table)?.samples;
        let found = compare_models(&samples, args.gold.as_deref(), &settings)
            .map_err(|error| Failure::wrong(format!("{}: {error}", args.input.display())))?;
        match args.json {
            true => print::json(&found)?,
            false => print::result(&models::text(&found))?,
        }
        Ok(())
    })
}
