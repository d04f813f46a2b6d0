//! How long learning takes: `cargo run --release -p srrd-irl --example times [tables | nets SEED STEPS]`. Tables are learned on
//! one thread. STEPS are those of the discriminator per round.

use std::error::Error;
use std::time::Instant;

use srrd::Gamma;
use srrd_irl::airl::Airl;
use srrd_irl::airl::ppo::{AirlPpo, Environment, ModelWorld, Stepped, train};
use srrd_irl::ptirl::{Objective, Ptirl};
use srrd_irl::{Demonstrations, Learner, Model, ModelChoice, Task, learn_all};
use srrd_worlds::{Gridworld, Policy, gridworld_classes, rollouts, stream};

const SETS: usize = 20;

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let asked = |name: &str| arguments.first().is_none_or(|first| first == name);
    if asked("tables") {
        rayon::ThreadPoolBuilder::new().num_threads(1).build()?.install(tables)?;
    }
    if asked("nets") {
        let seed = arguments.get(1).map_or(Ok(0), |seed| seed.parse())?;
        let steps = arguments.get(2).map_or(Ok(AirlPpo::default().discriminator_steps), |steps| steps.parse())?;
        nets(seed, steps)?;
    }
    Ok(())
}

/// Sets of five walks of 200 steps on a 20 × 20 grid.
fn sets() -> Result<Demonstrations, Box<dyn Error + Send + Sync>> {
    let world = Gridworld::new(20, 20, 0.0)?;
    let classes = gridworld_classes();
    let walks = (0..SETS).map(|set| {
        let agent = set % classes.len();
        let played = rollouts(&world, &classes[agent], 5, &mut stream(set as u64, "rollouts"));
        Ok(played.to_trajectories(&world)?.named(format!("set{set}"), Some(&format!("agent{agent}"))))
    });
    Ok(Demonstrations::new(walks.collect::<Result<Vec<_>, srrd::trajectories::TrajectoryError>>()?)?)
}

fn tables() -> Result<(), Box<dyn Error + Send + Sync>> {
    let shown = sets()?;
    let gamma = Gamma::new(0.9)?;
    let methods: [(&str, ModelChoice, Box<dyn Learner>); 5] = [
        ("airl, model of the set", ModelChoice::Set, Box::new(Airl { gamma, ..Airl::default() })),
        ("airl, pooled model", ModelChoice::Pooled, Box::new(Airl { gamma, ..Airl::default() })),
        ("ptirl near", ModelChoice::Pooled, Box::new(Ptirl::default())),
        // A spread that takes several steps of the solver.
        ("ptirl near, alpha 8000", ModelChoice::Pooled, Box::new(Ptirl { alpha: 8000.0, ..Ptirl::default() })),
        ("ptirl spread", ModelChoice::Pooled, Box::new(Ptirl { objective: Objective::Spread, ..Ptirl::default() })),
    ];
    for (name, model, learner) in methods {
        let start = Instant::now();
        let learned = learn_all(&shown, &model, learner.as_ref(), &|_| ())?;
        let each = start.elapsed().as_secs_f64() * 1e3 / SETS as f64;
        let steps: usize = learned.iter().map(|learned| learned.iterations).sum();
        println!("{name}: {each:.2} ms per set, {:.1} iterations", steps as f64 / SETS as f64);
    }
    Ok(())
}

/// The nets and batches of the paper on a 5 × 5 grid.
fn nets(seed: u64, discriminator_steps: usize) -> Result<(), Box<dyn Error + Send + Sync>> {
    let world = Gridworld::new(5, 5, 0.0)?;
    let played = rollouts(&world, &Policy::new(&[0.1, 0.1, 0.4, 0.4])?, 60, &mut stream(1, "rollouts"));
    let shown = Demonstrations::new([played.to_trajectories(&world)?])?;
    let model = Model::of_set(&shown.sets()[0]);
    let task = Task::new(&shown, 0, &model)?;
    let settings = AirlPpo { gamma: Gamma::new(0.9)?, seed, discriminator_steps, ..AirlPpo::default() };
    let mut worlds = vec![ModelWorld::new(&task); settings.environments];
    let demonstrated = ModelWorld::demonstrated(&task);
    let start = Instant::now();
    let mut last = None;
    let mut trained = train(&mut worlds, &demonstrated, &settings, "", &mut |round, _| {
        last = Some(round);
        false
    })?;
    let seconds = start.elapsed().as_secs_f64();
    println!("airl with ppo: {:.0} steps per second, {seconds:.1} s; {last:?}", settings.steps as f64 / seconds);
    let mut expected = vec![0.0; 4];
    demonstrated.action.iter().for_each(|&action| expected[action as usize] += 1.0 / demonstrated.len() as f64);
    let mut random = stream(9, "rollouts");
    let world = &mut worlds[0];
    let (mut seen, mut found) = (vec![0.0; world.inputs()], vec![0.0; world.actions()]);
    world.reset(&mut random)?;
    for _ in 0..20_000 {
        use rand::RngExt;
        world.observe(&mut seen);
        let allowed: Vec<bool> = (0..world.actions()).map(|action| world.allows(action)).collect();
        let mut left: f64 = random.random();
        let shares = trained.policy(&seen, &allowed);
        let drawn = shares.iter().position(|share| {
            left -= share;
            left < 0.0
        });
        let action = drawn.or(allowed.iter().rposition(|allowed| *allowed)).unwrap_or(0);
        found[action] += 1.0 / 20_000.0;
        if world.step(action, &mut random)? != Stepped::On {
            world.reset(&mut random)?;
        }
    }
    println!("  actions of the demonstrator {expected:.3?}, of the policy {found:.3?}");
    Ok(())
}
