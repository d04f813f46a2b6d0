//! `srrd regret`: what it costs to act on the wrong reward.

use crate::args::Regret;
use crate::failure::Failure;
use crate::inputs::{read_once, read_pair};
use crate::print;
use srrd::regret::sampled_regret;
use srrd::{Gamma, Options};
use srrd_data::read_model;
use srrd_show::present::regret;

pub fn run(args: &Regret) -> Result<(), Failure> {
    let gamma = Gamma::new(args.gamma).map_err(|error| Failure::wrong(format!("--gamma: {error}")))?;
    read_once([&args.a].into_iter().chain(&args.b).chain(&args.dynamics))?;
    args.usual.threads.run(move || {
        let [a, b] = read_pair(&args.a, args.b.as_ref(), &args.usual.table.options(&Options::default(), false)?)?;
        let model = args.dynamics.as_deref().map(read_model).transpose()?;
        let found = sampled_regret(&a.sample, &b.sample, model.as_ref(), gamma, &args.start)
            .map_err(|error| Failure::wrong(error.to_string()))?;
        let found = found.named(&a.name, &b.name);
        match args.usual.json {
            true => print::json(&found)?,
            false => print::result(&regret::text([&a.name, &b.name], &found.found))?,
        }
        Ok(())
    })
}
