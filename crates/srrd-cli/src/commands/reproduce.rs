//! `srrd reproduce`: the paper's experiments.

use crate::args::Reproduce;
use crate::failure::Failure;
use crate::print;
use crate::progress::Line;
use crate::threads::Threads;
use srrd_lab::{Manifest, Shard, merge, publish};
use std::ops::ControlFlow;

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
    let manifest = Manifest::new(&args.what, preset, &replaced(args), shard)?;
    let experiment = manifest.experiment()?;
    let threads = Threads::of(args.threads).count()?;
    print::result(&plan(&manifest, experiment.as_ref()))?;
    if args.plan {
        return Ok(());
    }
    let mut line = Line::new();
    srrd_lab::run(&args.output, &manifest, experiment.as_ref(), threads, |progress| {
        line.show(progress);
        ControlFlow::Continue(())
    })?;
    line.end();
    if shard != Shard::WHOLE {
        let next = "When all parts are there: srrd reproduce merge PART... -o DIR";
        print::result(&format!("The part {shard} is done: {}\n{next}\n", args.output.display()))?;
        return Ok(());
    }
    finish(args)
}

fn merged(args: &Reproduce) -> Result<(), Failure> {
    let given = replaced(args);
    if let Some((name, _)) = given.first() {
        return Err(Failure::wrong(format!("--{name}: merge takes the settings of the parts; leave it out")));
    }
    if args.shard.is_some() || args.plan {
        return Err(Failure::wrong("--shard, --plan: merge does not compute anything; leave them out"));
    }
    merge(&args.parts, &args.output)?;
    finish(args)
}

fn finish(args: &Reproduce) -> Result<(), Failure> {
    let text = publish(&args.output)?;
    print::result(&format!("{text}\nReport: {}\n", args.output.join("report.html").display()))?;
    Ok(())
}

/// The parameters that were given.
fn replaced(args: &Reproduce) -> Vec<(&'static str, String)> {
    let all = [
        ("world", &args.world),
        ("size", &args.size),
        ("model", &args.model),
        ("epsilon", &args.epsilon),
        ("noise", &args.noise),
        ("rollouts", &args.rollouts),
        ("correlation", &args.correlation),
        ("trials", &args.trials),
        ("gamma", &args.gamma),
        ("metric", &args.metric),
        ("estimator", &args.estimator),
        ("batch", &args.batch),
        ("rewards", &args.rewards),
        ("k", &args.k),
        ("sets", &args.sets),
        ("min-common", &args.min_common),
        ("seed", &args.seed),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value.clone()?))).collect()
}

fn plan(manifest: &Manifest, experiment: &dyn srrd_lab::Experiment) -> String {
    let trials = manifest.shard.trials(experiment.trials()).len();
    let mut text = format!("{}: {}\n", manifest.kind.name, manifest.kind.about);
    for line in experiment.plan() {
        text += &format!("  {line}\n");
    }
    text += &match manifest.shard {
        Shard::WHOLE => format!("  {trials} trials\n"),
        shard => format!("  {trials} of {} trials: the part {shard}\n", experiment.trials()),
    };
    text + "\n"
}
