//! How long a step and a reward take: `cargo run --release -p srrd-worlds --example rollout_speed`.

use srrd_worlds::{
    BouncingBalls, DroneCombat, Explorer, Gridworld, Model, Policy, PotentialFunction, RewardFunction, World, rollouts,
    stream,
};
use std::hint::black_box;
use std::time::Instant;

/// Few enough for a measurement that nothing interrupts.
const EPISODES: usize = 200;
const REPEATS: usize = 200;

fn main() {
    let grid = |epsilon| Gridworld::new(20, 20, epsilon).expect("a valid world");
    let balls = |epsilon| BouncingBalls::new(20, 20, epsilon).expect("a valid world");
    let uniform = |actions| Policy::uniform(actions).expect("a valid policy");
    for epsilon in [0.0, 0.1] {
        measure(&grid(epsilon), &uniform(4), epsilon);
        measure(&balls(epsilon), &uniform(8), epsilon);
    }
    let combat = DroneCombat::new();
    let mut rng = stream(0, "rollouts");
    let time = nanoseconds(|| {
        black_box(rollouts(&combat, combat.opponent(), 1, &mut rng));
    });
    println!("{}: {:.0} µs per episode", combat.name(), time / 1e3);
}

fn measure<W: World<Agent = Policy>>(world: &W, agent: &Policy, epsilon: f64) {
    let name = world.name();
    let mut rng = stream(0, "rollouts");
    let recorded = rollouts(world, agent, EPISODES, &mut rng);
    let steps = recorded.steps().len() as f64;
    let mut explorer = Explorer::new(world);
    let time = nanoseconds(|| {
        explorer.explore(world, agent, EPISODES, &mut stream(0, "rollouts"));
        black_box(explorer.take());
    });
    println!("{name}, epsilon {epsilon}: {:.1} ns per step explored", time / steps);
    let time = nanoseconds(|| {
        for _ in 0..EPISODES {
            explorer.explore(world, agent, 1, &mut rng);
            black_box(explorer.take());
        }
    });
    println!("  {:.1} ns per step, one rollout at a time", time / steps);
    let time = nanoseconds(|| {
        black_box(rollouts(world, agent, EPISODES, &mut stream(0, "rollouts")));
    });
    println!("  {:.1} ns per step recorded", time / steps);
    let transitions = recorded.transitions();
    for model in Model::ALL {
        let reward = RewardFunction::new(world, model, 0);
        let time = nanoseconds(|| {
            black_box(reward.rewards(&transitions));
        });
        let made = nanoseconds(|| {
            black_box((RewardFunction::new(world, model, 1), PotentialFunction::new(world, model, 1)));
        });
        println!(
            "  {model}: {:.1} ns per reward, {:.0} µs to make a reward and a potential",
            time / transitions.len() as f64,
            made / 1e3
        );
    }
}

/// The best of many.
fn nanoseconds(mut work: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_nanos() as f64
    };
    (0..REPEATS).map(time).fold(f64::INFINITY, f64::min)
}
