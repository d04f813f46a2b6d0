//! `srrd distance`: how far apart two samples are.

use crate::args::Distance;
use crate::failure::Failure;
use crate::gamma::{Profile, write_profile};
use crate::inputs::read_pair;
use crate::print;
use srrd::{Metric, Options, compare};
use srrd_show::present::comparison;

pub fn run(args: &Distance) -> Result<(), Failure> {
    // Noise floors, which only JSON has room for.
    let options = Options { noise_floor: args.json, verdict: true, ..args.shared.options()? };
    let question = options.question_by(&Metric::SHOWN)?;
    let inputs: Vec<_> = [&args.a].into_iter().chain(&args.b).collect();
    let profile = args.profile.checked(&question, &inputs)?;
    args.threads.run(move || {
        let table = args.table.options(&options, options.interval.is_some())?;
        let [a, b] = read_pair(&args.a, args.b.as_ref(), &table)?;
        let profile = profile.map(Profile::begin).transpose()?;
        let found = compare(&a, &b, &question)?;
        print::warnings(&found.warnings);
        write_profile(profile, &found.used)?;
        match args.json {
            true => print::json(&found)?,
            false => print::result(&comparison::text(&found))?,
        }
        Ok(())
    })
}
