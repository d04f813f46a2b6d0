//! `srrd reproduce`: the paper's experiments.

use crate::args::Reproduce;
use crate::failure::Failure;
use crate::print;
use crate::progress::Line;
use crate::threads::Threads;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use srrd_lab::{EXPERIMENTS, Manifest, PARAMETERS, Parameter, Run, Shard, merge};
use std::ops::ControlFlow;

/// The parameters that were given, as their texts. Their options are made from the lab's table of parameters.
#[derive(Debug)]
pub struct ParameterArgs(Vec<(&'static str, String)>);

impl Args for ParameterArgs {
    fn augment_args(command: Command) -> Command {
        let option = |parameter: &Parameter| {
            let option = Arg::new(parameter.name).long(parameter.name).value_name(parameter.value);
            let option = if parameter.is_flag() { option.num_args(0..=1).default_missing_value("yes") } else { option };
            // A negative number gets the message of the parameter.
            option.help(help(parameter)).allow_negative_numbers(true)
        };
        command.args(PARAMETERS.iter().map(option))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ParameterArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |parameter: &Parameter| Some((parameter.name, matches.get_one::<String>(parameter.name)?.clone()));
        Ok(ParameterArgs(PARAMETERS.iter().filter_map(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A parameter that one experiment alone takes says so.
fn help(parameter: &Parameter) -> String {
    match parameter.taken_by()[..] {
        [only] => format!("For {only}: {}", lower(&parameter.help())),
        _ => parameter.help(),
    }
}

fn lower(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().to_string() + letters.as_str())
}

/// What stands below the options in the help.
pub fn after_help() -> String {
    let mut text = "WHAT is one of\n".to_owned();
    let merge = ("merge", "joins the parts of a run that were computed with --shard");
    for (name, about) in EXPERIMENTS.iter().map(|kind| (kind.name, kind.about)).chain([merge]) {
        text += &format!("  {name:<14}  {about}\n");
    }
    text + "
Examples:
  srrd reproduce coverage -o runs/coverage                         a minute or so: --preset quick
  srrd reproduce coverage -o runs/paper --preset paper --size 20x20 --model polynomial,random
  srrd reproduce instability -o runs/instability --trials 50 --seed 7
  srrd reproduce classification -o runs/who --world gridworld --rewards manual
  srrd reproduce classification -o runs/games --world robomimic,starcraft --data recordings
  srrd reproduce coverage -o runs/code --as-published              also what the paper's code computes
  srrd reproduce noise -o runs/noise --plan                        say what would be run, and stop
  srrd reproduce coverage -o part2 --preset paper --shard 2/8      for job arrays
  srrd reproduce merge part1 part2 part3 -o runs/whole

A run that was stopped goes on where it was when the same command is given again, and ends with the
same bytes as one that was not. DIR gets trials.csv, summary.csv, run.json, figures/, report.html."
}

pub fn run(args: &Reproduce) -> Result<(), Failure> {
    if args.what == "merge" {
        return merged(args);
    }
    if !args.parts.is_empty() {
        return Err(Failure::wrong(format!(
            "'{}' is one argument too many: only merge takes folders, and -o names the one that is written",
            args.parts[0].display()
        )));
    }
    let preset = args.preset.parse().map_err(|e| Failure::wrong(format!("--preset: {e}")))?;
    let shard = match &args.shard {
        Some(text) => text.parse().map_err(|e| Failure::wrong(format!("--shard: {e}")))?,
        None => Shard::WHOLE,
    };
    let run = Run::new(Manifest::new(&args.what, preset, args.parameters.0.iter().map(|(n, t)| (*n, t)), shard)?)?;
    let threads = Threads::of(args.threads).count()?;
    if !args.plan {
        run.ready()?;
    }
    print::result(&plan(&run))?;
    if args.plan {
        return Ok(());
    }
    let mut line = Line::new();
    run.compute(&args.output, threads, |progress| {
        line.show(progress);
        ControlFlow::Continue(())
    })?;
    line.end();
    if shard != Shard::WHOLE {
        let next = "When all parts are there: srrd reproduce merge PART... -o DIR";
        print::result(&format!("The part {shard} is done: {}\n{next}\n", args.output.display()))?;
        return Ok(());
    }
    super::report::publish(&run, &args.output)
}

fn merged(args: &Reproduce) -> Result<(), Failure> {
    if let Some((name, _)) = args.parameters.0.first() {
        return Err(Failure::wrong(format!("--{name}: merge takes the settings of the parts; leave it out")));
    }
    if args.shard.is_some() || args.plan {
        return Err(Failure::wrong("--shard, --plan: merge does not compute anything; leave them out"));
    }
    super::report::publish(&merge(&args.parts, &args.output)?, &args.output)
}

fn plan(run: &Run) -> String {
    let kind = run.manifest().kind;
    let mut text = format!("{}: {}\n", kind.name, kind.about);
    for line in run.plan() {
        text += &format!("  {line}\n");
    }
    text + "\n"
}
