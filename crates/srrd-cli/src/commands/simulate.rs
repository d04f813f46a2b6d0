//! `srrd simulate`: rollouts of a built-in world as a table.
//!
//! Rows are written as they are played. Shaping is scaled by what a whole sample has met, so its episodes are played twice,
//! from one stream: nothing is held but the distinct transitions.

mod plan;
mod table;

use crate::args::{Simulate, WorldName};
use crate::failure::Failure;
use crate::print;
use plan::{Plan, Sample};
use rand::RngExt;
use serde_json::{Value, json};
use srrd_tables::create;
use srrd_worlds::{
    BouncingBalls, Explorer, Gridworld, Model, Policy, PotentialFunction, RewardFunction, Shaping, Triple, World,
    bouncing_balls_classes, derive_seed, episode, gridworld_classes, gridworld_sampling_policies, stream,
};
use std::fmt::Write as _;
use table::TransitionTable;

pub fn run(args: &Simulate) -> Result<(), Failure> {
    if args.json && args.output.as_os_str() == "-" {
        return Err(Failure::wrong("--json: standard output already gets the table; name a file with -o"));
    }
    let (width, height) = plan::size(&args.size)?;
    match args.world {
        WorldName::Gridworld => {
            if args.obstacles.is_some() {
                return Err(Failure::wrong(
                    "--obstacles: gridworld has none; leave it out, or simulate bouncing-balls",
                ));
            }
            let world = Gridworld::new(width, height, args.epsilon).map_err(plan::wrong_world)?;
            let named = gridworld_sampling_policies();
            play(args, &world, &Plan::new(args, &Gridworld::ACTIONS, gridworld_classes(), &named)?)
        }
        WorldName::BouncingBalls => {
            let world = BouncingBalls::new(width, height, args.epsilon).map_err(plan::wrong_world)?;
            let obstacles = plan::obstacles(args.obstacles)?.unwrap_or(world.obstacles());
            let uniform = Policy::uniform(world.actions()).expect("a policy of eight actions");
            let named = [("uniform", uniform)];
            let plan = Plan::new(args, &BouncingBalls::ACTIONS, bouncing_balls_classes(), &named)?;
            play(args, &world.with_obstacles(obstacles), &plan)
        }
    }
}

/// What was played and written.
#[derive(Default)]
struct Played {
    samples: usize,
    episodes: usize,
    /// Episodes that have reached the end of the world's way.
    ended: usize,
    rows: usize,
    transitions: usize,
    states: usize,
}

fn play<W: World<Agent = Policy>>(args: &Simulate, world: &W, plan: &Plan) -> Result<(), Failure> {
    let mut table = TransitionTable::new(world, plan.is_labelled(), |schema| create(&args.output, schema))?;
    let mut played = Played::default();
    let mut met = Explorer::new(world);
    for agent in &plan.agents {
        let reward = RewardFunction::new(world, plan.model, agent.reward_seed);
        for sample in agent.samples(plan) {
            let values = Values::new(world, plan, &agent.policy, &reward, &sample)?;
            let mut rng = stream(plan.seed, &sample.purpose("rollouts"));
            for number in 0..plan.rollouts {
                let mut ended = false;
                let mut place = 0;
                episode(world, &agent.policy, &mut rng, |transition, step| {
                    met.mark(transition);
                    table.push(number, place, transition, values.of(transition), step.done);
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
        print::json(&as_json(args, world, plan, &played))?;
    } else if args.output.as_os_str() != "-" {
        print::result(&as_text(args, world, &played))?;
    }
    Ok(())
}

/// The rewards of one sample.
struct Values<'a> {
    reward: &'a RewardFunction,
    shaping: Option<Shaping>,
    /// A value in [−1, 1) for every transition.
    noise: Option<RewardFunction>,
    bound: f64,
}

impl<'a> Values<'a> {
    fn new<W: World<Agent = Policy>>(
        world: &W,
        plan: &Plan,
        policy: &Policy,
        reward: &'a RewardFunction,
        sample: &Sample,
    ) -> Result<Self, Failure> {
        let shaping = plan.shaping.as_ref().map(|strength| {
            let mut explorer = Explorer::new(world);
            explorer.explore(world, policy, plan.rollouts, &mut stream(plan.seed, &sample.purpose("rollouts")));
            let met = explorer.take();
            let seed = derive_seed(plan.seed, &sample.purpose("potential"));
            let potential = PotentialFunction::new(world, Model::Random, seed);
            let mut drawn = stream(plan.seed, &sample.purpose("factor"));
            let factor = strength.factor.unwrap_or_else(|| drawn.random_range(1.0..5.0));
            let scaled = Shaping::scaled(&reward.rewards(&met), &met, &potential, strength.gamma, factor);
            scaled.map_err(|e| Failure::wrong(format!("--shaped: {e}; choose another --seed or --model")))
        });
        let noise = (plan.noise > 0.0)
            .then(|| RewardFunction::new(world, Model::Random, derive_seed(plan.seed, &sample.purpose("noise"))));
        Ok(Values { reward, shaping: shaping.transpose()?, noise, bound: plan.noise })
    }

    fn of(&self, transition: Triple) -> f64 {
        let shaping = self.shaping.as_ref().map_or(0.0, |shaping| shaping.term(transition));
        let noise = self.noise.as_ref().map_or(0.0, |noise| self.bound * noise.reward(transition));
        self.reward.reward(transition) + shaping + noise
    }
}

fn coverage<W: World>(world: &W, transitions: usize) -> f64 {
    transitions as f64 / (world.states() as f64 * world.actions() as f64 * world.states() as f64)
}

fn as_text<W: World>(args: &Simulate, world: &W, played: &Played) -> String {
    let mut text = format!("{}: ", args.output.display());
    if args.classes {
        let _ = write!(text, "{}, ", print::counted(played.samples, "sample", "samples"));
    }
    let _ = writeln!(
        text,
        "{} of {}, {}; {} reached the end",
        print::counted(played.episodes, "episode", "episodes"),
        world.name(),
        print::counted(played.rows, "row", "rows"),
        print::count(played.ended),
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

fn as_json<W: World>(args: &Simulate, world: &W, plan: &Plan, played: &Played) -> Value {
    let agents: Vec<Value> =
        (plan.agents.iter()).map(|agent| json!({"label": agent.label, "weights": agent.policy.weights()})).collect();
    json!({
        "output": args.output.display().to_string(), "world": world.name(), "size": args.size,
        "epsilon": args.epsilon, "model": plan.model.name(), "seed": plan.seed, "agents": agents,
        "samples": played.samples, "episodes": played.episodes, "ended": played.ended, "rows": played.rows,
        "states": {"met": played.states, "all": world.states()}, "actions": world.actions(),
        "transitions": played.transitions, "coverage": coverage(world, played.transitions),
    })
}
