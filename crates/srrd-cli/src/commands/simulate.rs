//! `srrd simulate`: rollouts of a built-in world as a table.
//!
//! Rows are written as they are played. Shaping is scaled by what a whole sample has met, so its episodes are played twice,
//! from one stream: nothing is held but the distinct transitions.

mod plan;
mod rewards;
mod table;
mod worlds;

use crate::args::{Simulate, WorldName};
use crate::failure::Failure;
use crate::print;
use plan::Plan;
use rewards::{Rewards, Values};
use serde_json::{Value, json};
use srrd_data::create;
use srrd_worlds::{Explorer, World, episode, stream};
use std::fmt::Write as _;
use table::TransitionTable;
use worlds::Setting;

pub fn run(args: &Simulate) -> Result<(), Failure> {
    if args.json && args.output.as_os_str() == "-" {
        return Err(Failure::wrong("--json: standard output already gets the table; name a file with -o"));
    }
    match args.world {
        WorldName::Gridworld => play(args, worlds::gridworld(args)?),
        WorldName::BouncingBalls => play(args, worlds::bouncing_balls(args)?),
        WorldName::DroneCombat => play(args, worlds::drone_combat(args)?),
    }
}

/// What was played and written.
#[derive(Default)]
struct Played {
    samples: usize,
    episodes: usize,
    /// Episodes that came to their end before the horizon.
    ended: usize,
    rows: usize,
    transitions: usize,
    states: usize,
}

fn play<W: World>(args: &Simulate, setting: Setting<W>) -> Result<(), Failure> {
    let Setting { world, model, classes, single, .. } = &setting;
    let plan = Plan::new(args, classes.each_ref(), single)?;
    let mut table = TransitionTable::new(world, plan.is_labelled(), |schema| create(&args.output, schema))?;
    let mut played = Played::default();
    let mut met = Explorer::new(world);
    for player in &plan.agents {
        let rewards = Rewards::new(world, *model, player.reward_seed);
        for sample in player.samples(&plan) {
            let values = Values::new(world, &plan, player.agent, &rewards, &sample)?;
            let mut rng = stream(plan.seed, &sample.purpose("rollouts"));
            for number in 0..plan.rollouts {
                let mut ended = false;
                let mut place = 0;
                episode(world, player.agent, &mut rng, |transition, step| {
                    met.mark(transition);
                    table.push(number, place, transition, values.of(transition, step), step.done);
                    ended = step.done;
                    place += 1;
                });
                table.end_episode(&sample)?;
                played.ended += usize::from(ended);
                played.rows += place;
            }
            played.samples += 1;
            played.episodes += plan.rollouts;
        }
    }
    table.finish()?;
    let met = met.take();
    played.transitions = met.len();
    let mut states: Vec<u32> = met.iter().flat_map(|t| [t.state, t.next]).collect();
    states.sort_unstable();
    states.dedup();
    played.states = states.len();
    if args.json {
        print::json(&as_json(args, &setting, &plan, &played))?;
    } else if args.output.as_os_str() != "-" {
        print::result(&as_text(args, &setting, &played))?;
    }
    Ok(())
}

fn coverage<W: World>(world: &W, transitions: usize) -> f64 {
    transitions as f64 / (world.states() as f64 * world.actions() as f64 * world.states() as f64)
}

fn as_text<W: World>(args: &Simulate, setting: &Setting<W>, played: &Played) -> String {
    let world = &setting.world;
    let mut text = format!("{}: ", args.output.display());
    if args.classes {
        let _ = write!(text, "{}, ", print::counted(played.samples, "sample", "samples"));
    }
    let _ = writeln!(
        text,
        "{} of {}, {}; {} {}",
        print::counted(played.episodes, "episode", "episodes"),
        world.name(),
        print::counted(played.rows, "row", "rows"),
        print::count(played.ended),
        setting.ended,
    );
    let _ = writeln!(
        text,
        "{} of {} states met, {}: {} of all",
        print::count(played.states),
        print::count(world.states()),
        print::counted(played.transitions, "distinct transition", "distinct transitions"),
        print::percent(coverage(world, played.transitions)),
    );
    text
}

fn as_json<W: World>(args: &Simulate, setting: &Setting<W>, plan: &Plan<&W::Agent>, played: &Played) -> Value {
    let world = &setting.world;
    let agent = |player: &plan::Agent<&W::Agent>| {
        let (name, value) = (setting.describe)(player.agent);
        json!({"label": player.label, name: value})
    };
    json!({
        "output": args.output.display().to_string(), "world": world.name(),
        "size": format!("{}x{}", setting.size.0, setting.size.1), "epsilon": setting.epsilon,
        "model": setting.model.map(|model| model.name()), "seed": plan.seed,
        "agents": plan.agents.iter().map(agent).collect::<Vec<Value>>(),
        "samples": played.samples, "episodes": played.episodes, "ended": played.ended, "rows": played.rows,
        "states": {"met": played.states, "all": world.states()}, "actions": world.actions(),
        "transitions": played.transitions, "coverage": coverage(world, played.transitions),
    })
}
