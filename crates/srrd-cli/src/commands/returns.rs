//! `srrd returns`: how alike two rewards judge whole episodes.

use crate::args::Returns;
use crate::failure::Failure;
use crate::inputs::{read_once, split_name};
use crate::print;
use serde_json::json;
use srrd::returns::{Preferences, ReturnSettings, Walks, compare_preferences, compare_returns};
use srrd::sure::{Draws, Level};
use srrd::{Gamma, Options};
use srrd_data::{TableOptions, read_preferences, read_walks};
use srrd_show::present::returns;
use std::path::Path;

pub fn run(args: &Returns) -> Result<(), Failure> {
    let settings = settings(args)?;
    read_once([&args.a].into_iter().chain(&args.b).chain(&args.preferences))?;
    args.usual.threads.run(move || {
        let options = args.usual.table.options(&Options::default(), true)?;
        let mut rewards = read(&args.a, &options)?;
        if let Some(b) = &args.b {
            rewards = vec![only(&args.a, rewards)?, only(b, read(b, &options)?)?];
        }
        let preferences = args.preferences.as_deref().map(read_preferences).transpose()?;
        let comparison = match rewards.as_slice() {
            [a, b] => Some(compare_returns(a, b, &settings).map_err(wrong)?),
            [_] if preferences.is_some() => None,
            others => {
                return Err(Failure::wrong(format!(
                    "{}: two rewards are compared, and the table holds {}: name a second table, two reward columns with --rewards A,B, \
                     or a table of --preferences",
                    args.a.display(),
                    others.len()
                )));
            }
        };
        let preferred: Vec<Preferences> = match &preferences {
            None => Vec::new(),
            Some(preferences) => {
                let of = |walks: &Walks| compare_preferences(walks, preferences, &settings).map_err(wrong);
                rewards.iter().map(of).collect::<Result<_, _>>()?
            }
        };
        match args.usual.json {
            true => {
                let mut answer = match &comparison {
                    Some(comparison) => serde_json::to_value(comparison).map_err(|e| Failure::Failed(e.to_string()))?,
                    None => json!({}),
                };
                if preferences.is_some() {
                    answer["preferences"] = serde_json::to_value(&preferred).map_err(|e| Failure::Failed(e.to_string()))?;
                }
                print::json(&answer)?;
            }
            false => print::result(&returns::text(comparison.as_ref(), &preferred))?,
        }
        Ok(())
    })
}

fn settings(args: &Returns) -> Result<ReturnSettings, Failure> {
    let wrong = |option: &str, error: &dyn std::fmt::Display| Failure::wrong(format!("--{option}: {error}"));
    Ok(ReturnSettings {
        gamma: Gamma::new(args.gamma).map_err(|e| wrong("gamma", &e))?,
        interval: args.interval.map(Level::new).transpose().map_err(|e| wrong("interval", &e))?,
        draws: Draws::new(args.draws).map_err(|e| wrong("draws", &e))?,
        seed: args.seed,
    })
}

fn wrong(error: impl std::fmt::Display) -> Failure {
    Failure::wrong(error.to_string())
}

/// The rewards of a table, or the one that `TABLE#SAMPLE` names.
fn read(path: &Path, options: &TableOptions) -> Result<Vec<Walks>, Failure> {
    let (table, wanted) = match split_name(path) {
        Some((table, name)) => (table, Some(name)),
        None => (path.to_owned(), None),
    };
    let found = read_walks(&table, options.clone())?;
    print::table_notes(&found.notes);
    let Some(name) = wanted else { return Ok(found.walks) };
    let names: Vec<&str> = found.walks.iter().map(|walks| walks.trajectories.name()).take(5).collect();
    let missing = format!("{}: there is no sample '{name}': the table holds {}", table.display(), names.join(", "));
    let one = found.walks.into_iter().find(|walks| found.named && walks.trajectories.name() == name);
    Ok(vec![one.ok_or_else(|| Failure::wrong(missing))?])
}

fn only(path: &Path, mut rewards: Vec<Walks>) -> Result<Walks, Failure> {
    match (rewards.pop(), rewards.len()) {
        (Some(only), 0) => Ok(only),
        (_, others) => Err(Failure::wrong(format!(
            "{}: the table holds {} rewards, but one is needed: name it as '{}#NAME'",
            path.display(),
            others + 1,
            path.display()
        ))),
    }
}
