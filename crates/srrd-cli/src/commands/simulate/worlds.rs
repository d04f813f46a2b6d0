//! The worlds that can be simulated: for each, which options it takes, who plays, and what is rewarded.

use crate::args::{ModelName, Simulate};
use crate::failure::Failure;
use serde_json::{Value, json};
use srrd_worlds::{
    BouncingBalls, DroneCombat, Gridworld, Model, Policy, Team, World, WorldError, bouncing_balls_classes,
    drone_combat_classes, gridworld_classes, gridworld_sampling_policies,
};

/// More than this and a step takes longer than writing it.
const MOST_OBSTACLES: usize = 10_000;

/// A world, and what the command has to know about it.
pub struct Setting<W: World> {
    pub world: W,
    /// Cells along x and y.
    pub size: (usize, usize),
    /// The probability of a random transition, where there is one.
    pub epsilon: Option<f64>,
    /// How the reward depends on the features; `None` where it is the world's score.
    pub model: Option<Model>,
    /// The ten agents of the paper.
    pub classes: [W::Agent; 10],
    /// Who plays without `--classes`.
    pub single: W::Agent,
    /// What an agent is, as a name and a value in JSON.
    pub describe: fn(&W::Agent) -> (&'static str, Value),
    /// What is said of episodes that came to their end.
    pub ended: &'static str,
}

pub fn gridworld(args: &Simulate) -> Result<Setting<Gridworld>, Failure> {
    refuse(&[(
        "--obstacles",
        args.obstacles.is_some(),
        "gridworld has none; leave it out, or simulate bouncing-balls",
    )])?;
    let (size, epsilon) = (size(args)?, args.epsilon.unwrap_or(0.0));
    let world = Gridworld::new(size.0, size.1, epsilon).map_err(wrong_world)?;
    let single = policy(args, &Gridworld::ACTIONS, &gridworld_sampling_policies())?;
    Ok(walk(args, world, size, epsilon, gridworld_classes(), single))
}

pub fn bouncing_balls(args: &Simulate) -> Result<Setting<BouncingBalls>, Failure> {
    let (size, epsilon) = (size(args)?, args.epsilon.unwrap_or(0.0));
    let world = BouncingBalls::new(size.0, size.1, epsilon).map_err(wrong_world)?;
    let obstacles = obstacles(args.obstacles)?.unwrap_or(world.obstacles());
    let uniform = Policy::uniform(world.actions()).expect("a policy of eight actions");
    let single = policy(args, &BouncingBalls::ACTIONS, &[("uniform", uniform)])?;
    Ok(walk(args, world.with_obstacles(obstacles), size, epsilon, bouncing_balls_classes(), single))
}

/// Worlds where a policy walks from corner to corner, and a model makes the reward.
fn walk<W: World<Agent = Policy>>(
    args: &Simulate,
    world: W,
    size: (usize, usize),
    epsilon: f64,
    classes: [Policy; 10],
    single: Policy,
) -> Setting<W> {
    let model = match args.model.unwrap_or(ModelName::Random) {
        ModelName::Linear => Model::Linear,
        ModelName::Polynomial => Model::Polynomial,
        ModelName::Sinusoidal => Model::Sinusoidal,
        ModelName::Random => Model::Random,
    };
    Setting {
        world,
        size,
        epsilon: Some(epsilon),
        model: Some(model),
        classes,
        single,
        describe: |policy| ("weights", json!(policy.weights())),
        ended: "reached the end",
    }
}

pub fn drone_combat(args: &Simulate) -> Result<Setting<DroneCombat>, Failure> {
    refuse(&[
        ("--size", args.size.is_some(), "drone-combat always has 40x25 cells; leave it out"),
        ("--epsilon", args.epsilon.is_some(), "drone-combat has no random transitions; leave it out"),
        ("--obstacles", args.obstacles.is_some(), "drone-combat draws 300 of them for every episode; leave it out"),
        (
            "--policy",
            args.policy.is_some(),
            "in drone-combat teams play by their attributes; leave it out, or choose --classes",
        ),
        ("--model", args.model.is_some(), "the reward of drone-combat is its score; leave it out"),
        ("--reward-seed", args.reward_seed.is_some(), "the reward of drone-combat is its score; leave it out"),
    ])?;
    let world = DroneCombat::new();
    Ok(Setting {
        size: (DroneCombat::WIDTH, DroneCombat::HEIGHT),
        epsilon: None,
        model: None,
        classes: drone_combat_classes(),
        single: world.opponent().clone(),
        describe: |team| ("attributes", attributes(team)),
        ended: "were decided",
        world,
    })
}

fn attributes(team: &Team) -> Value {
    let sets = team.sets().iter().map(|set| {
        json!({
            "visibility": set.visibility(), "health": set.health(), "movement": set.movement(),
            "shot_strength": set.shot_strength(),
        })
    });
    sets.collect()
}

/// Refuses options that were given and that a world has no use for: (option, whether it was given, why and what to do).
fn refuse(options: &[(&str, bool, &str)]) -> Result<(), Failure> {
    match options.iter().find(|(_, given, _)| *given) {
        Some((option, _, why)) => Err(Failure::wrong(format!("{option}: {why}"))),
        None => Ok(()),
    }
}

/// The policy of `--policy`, by its weights or by its name; uniform where none is given.
fn policy(args: &Simulate, actions: &[&str], named: &[(&str, Policy)]) -> Result<Policy, Failure> {
    if args.classes && args.policy.is_some() {
        return Err(Failure::wrong("--policy: with --classes the policies are those of the ten agents"));
    }
    let text = args.policy.as_deref().unwrap_or("uniform");
    if let Some((_, policy)) = named.iter().find(|(name, _)| *name == text) {
        return Ok(policy.clone());
    }
    let mut weights = Vec::new();
    for part in text.split(',') {
        weights.push(part.trim().parse::<f64>().map_err(|_| {
            let names: Vec<&str> = named.iter().map(|(name, _)| *name).collect();
            Failure::wrong(format!(
                "--policy: '{part}' is no number: write a weight for each of {}, or a name: {}",
                actions.join(", "),
                names.join(", ")
            ))
        })?);
    }
    if weights.len() != actions.len() {
        return Err(Failure::wrong(format!(
            "--policy: there are {} weights for {} actions: {}",
            weights.len(),
            actions.len(),
            actions.join(", ")
        )));
    }
    Policy::new(&weights).map_err(|e| Failure::wrong(format!("--policy: {e}")))
}

/// Cells along x and y.
fn size(args: &Simulate) -> Result<(usize, usize), Failure> {
    let Some(text) = &args.size else { return Ok((20, 20)) };
    let parts = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    parts.ok_or_else(|| Failure::wrong(format!("--size: '{text}' must be WIDTHxHEIGHT, such as 20x20")))
}

fn obstacles(given: Option<usize>) -> Result<Option<usize>, Failure> {
    match given {
        Some(n) if n > MOST_OBSTACLES => {
            Err(Failure::wrong(format!("--obstacles: {n} are too many; choose at most {MOST_OBSTACLES}")))
        }
        given => Ok(given),
    }
}

/// Which option a world was refused for.
fn wrong_world(error: WorldError) -> Failure {
    let option = match error {
        WorldError::Epsilon(_) => "--epsilon",
        _ => "--size",
    };
    Failure::wrong(format!("{option}: {error}"))
}
