//! `srrd simulate`: rollouts of a built-in world as a table. Rows are written as they are played.

use crate::args::Simulate;
use crate::failure::Failure;
use crate::print;
use serde_json::{Map, Value, json};
use srrd_data::{TrajectoryColumns, TrajectoryWriter};
use srrd_worlds::{Columns, Plan, SimulateError, Simulation, Summary};
use std::fmt::Write as _;

/// So many rows are played before they are written.
const ROWS: usize = 8192;

pub fn run(args: &Simulate) -> Result<(), Failure> {
    if args.json && args.output.as_os_str() == "-" {
        return Err(Failure::wrong("--json: standard output already gets the table; name a file with -o"));
    }
    let plan = question(args).check()?;
    let Columns { labelled, state_features, action_features, .. } = plan.columns();
    let columns = TrajectoryColumns { labelled, state_features, action_features, whole: true, done: true };
    let mut table = TrajectoryWriter::create(&args.output, columns)?;
    let summary = plan.play(ROWS, |piece| Ok::<(), Failure>(table.write(&piece.trajectories, piece.first_episode)?))?;
    table.finish()?;
    if args.json {
        print::json(&as_json(args, &summary))?;
    } else if args.output.as_os_str() != "-" {
        print::done(&as_text(args, &plan, &summary))?;
    }
    Ok(())
}

fn question(args: &Simulate) -> Simulation {
    let mut question = Simulation::new(args.world);
    question.size = args.size.as_deref().map(Into::into);
    question.policy = args.policy.as_deref().map(Into::into);
    (question.epsilon, question.obstacles) = (args.epsilon, args.obstacles);
    (question.rollouts, question.classes, question.sets) = (args.rollouts, args.classes, args.sets);
    (question.model, question.noise) = (args.model, args.noise);
    (question.shaped, question.gamma, question.factor) = (args.shaped, args.gamma, args.factor);
    (question.seed, question.reward_seed) = (args.seed, args.reward_seed);
    question
}

impl From<SimulateError> for Failure {
    fn from(error: SimulateError) -> Self {
        Failure::wrong(error.render(|option| format!("--{option}")))
    }
}

fn as_text(args: &Simulate, plan: &Plan, summary: &Summary) -> String {
    let mut text = format!("{}: ", args.output.display());
    if args.classes {
        let _ = write!(text, "{}, ", print::counted(summary.samples, "sample", "samples"));
    }
    let episodes = print::counted(summary.episodes, "episode", "episodes");
    let rows = print::counted(summary.rows, "row", "rows");
    let (ended, how) = (print::count(summary.ended), plan.world().ended);
    let _ = writeln!(text, "{episodes} of {}, {rows}; {ended} {how}", summary.world);
    let (met, all) = (print::count(summary.states.met), print::count(summary.states.all));
    let transitions = print::counted(summary.transitions, "distinct transition", "distinct transitions");
    let share = print::percent(summary.coverage);
    let _ = writeln!(text, "{met} of {all} states met, {transitions}: {share} of all");
    text
}

fn as_json(args: &Simulate, summary: &Summary) -> Value {
    let mut object = Map::from_iter([("output".to_owned(), args.output.display().to_string().into())]);
    if let Value::Object(fields) = json!(summary) {
        object.extend(fields);
    }
    object.into()
}
