//! AIRL with PPO in a built-in world, which shows features of states and does not tell where actions lead.

use srrd::Gamma;
use srrd_irl::airl::ppo::{AirlOutside, AirlPpo, StagedWorld};
use srrd_irl::{Demonstrations, Learner, Model, ModelChoice, Patience, Problem, Task, learn_all};
use srrd_worlds::{PolicyChoice, Simulation, WorldKind, simulate};
use std::ops::ControlFlow;

/// Walks of an agent that goes south or east four times out of five on a 5 × 5 grid.
fn diagonal(walks: usize) -> Simulation {
    let mut question = Simulation::new(WorldKind::Gridworld);
    question.size = Some((5, 5).into());
    question.rollouts = walks;
    question.policy = Some(PolicyChoice::Weights(vec![0.1, 0.1, 0.4, 0.4]));
    question
}

fn shown(question: &Simulation) -> Demonstrations {
    Demonstrations::new(simulate(question, |_| ControlFlow::Continue(())).unwrap().samples).unwrap()
}

fn small() -> AirlPpo {
    AirlPpo {
        gamma: Gamma::new(0.9).unwrap(),
        hidden: vec![32],
        steps: 16_384,
        batch: 1024,
        minibatch: 128,
        epochs: 5,
        rate: 3e-3,
        patience: Patience { trace: true, ..Patience::new(usize::MAX) },
        ..AirlPpo::default()
    }
}

#[test]
fn a_reward_is_learned_in_a_world_that_shows_features() {
    let question = diagonal(60);
    let (shown, world) = (shown(&question), question.check().unwrap());
    let learner = AirlOutside { settings: small(), make: || StagedWorld::boxed(&world) };
    let learned = learn_all(&shown, &ModelChoice::Set, &learner, &|_| ()).unwrap().remove(0);
    assert_eq!(learned.iterations, 16);
    // In the end the discriminator tells hardly more than a coin which steps were demonstrated.
    let accuracy = learned.trace.last().unwrap().accuracy.unwrap();
    assert!((0.4..0.6).contains(&accuracy), "{accuracy}");
    // The agent is drawn to the far corner: its half of the grid is worth more.
    let sides = |far: bool| {
        let of = learned.sample.sample.transitions().filter(|t| {
            let cell = t.state.as_features().unwrap();
            if far { cell[0] + cell[1] > 4.0 } else { cell[0] + cell[1] < 4.0 }
        });
        let rewards: Vec<f64> = of.map(|t| t.reward).collect();
        rewards.iter().sum::<f64>() / rewards.len() as f64
    };
    assert!(sides(true) > sides(false), "{} {}", sides(true), sides(false));
    assert!(!learned.cautions.iter().any(|caution| caution.kind() == "single_action"));
}

#[test]
fn demonstrations_of_another_world_are_refused() {
    let question = diagonal(3);
    let mut larger = question.clone();
    larger.size = Some((6, 6).into());
    let (shown, world) = (shown(&larger), question.check().unwrap());
    let model = Model::of_set(&shown.sets()[0]);
    let task = Task::new(&shown, 0, &model).unwrap();
    let learner = AirlOutside { settings: small(), make: || StagedWorld::boxed(&world) };
    let problem = learner.learn(&task).unwrap_err();
    assert!(matches!(&problem, Problem::Environment { why, .. } if why.contains("no such state")), "{problem}");
    let teams = Simulation::new(WorldKind::DroneCombat).check().unwrap();
    let problem = StagedWorld::boxed(&teams).err().unwrap();
    assert!(problem.to_string().contains("world: in drone-combat a step is what a whole team does"), "{problem}");
}
