//! AIRL with PPO on a small grid.

use rand::SeedableRng;
use srrd::Gamma;
use srrd_worlds::{Gridworld, Policy, rollouts, stream};

use super::agent::Agent;
use super::train::{act, teach};
use super::*;
use crate::{Demonstrations, Learner, Model, ModelChoice, Task, learn_all};

/// Walks of an agent that goes right and down four times as often as left and up.
fn diagonal(count: usize) -> Demonstrations {
    let world = Gridworld::new(5, 5, 0.0).unwrap();
    let played = rollouts(&world, &Policy::new(&[0.1, 0.1, 0.4, 0.4]).unwrap(), count, &mut stream(1, "rollouts"));
    Demonstrations::new([played.to_trajectories(&world).unwrap().named("diagonal", None)]).unwrap()
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
        ..AirlPpo::default()
    }
}

/// How often every action was taken.
fn frequencies(steps: &Steps) -> Vec<f64> {
    let actions = steps.allowed.len() / steps.len();
    let mut counts = vec![0.0; actions];
    steps.action.iter().for_each(|&action| counts[action as usize] += 1.0 / steps.len() as f64);
    counts
}

/// How often a policy takes every action.
fn played(task: &Task<'_>, trained: &mut Trained) -> Vec<f64> {
    use rand::RngExt;
    let mut random = ChaCha8Rng::seed_from_u64(9);
    let mut world = ModelWorld::new(task);
    let (mut seen, mut counts) = (vec![0.0; world.inputs()], vec![0.0; world.actions()]);
    world.reset(&mut random).unwrap();
    for _ in 0..10_000 {
        world.observe(&mut seen);
        let allowed: Vec<bool> = (0..world.actions()).map(|action| world.allows(action)).collect();
        let shares = trained.policy(&seen, &allowed);
        let mut left: f64 = random.random();
        let action = shares.iter().position(|share| {
            left -= share;
            left < 0.0
        });
        let action = action.unwrap_or_else(|| shares.iter().rposition(|share| *share > 0.0).unwrap());
        counts[action] += 1e-4;
        if world.step(action, &mut random).unwrap() != Stepped::On {
            world.reset(&mut random).unwrap();
        }
    }
    counts
}

#[test]
fn the_policy_acts_as_the_demonstrator() {
    let shown = diagonal(60);
    let model = Model::of_set(&shown.sets()[0]);
    let task = Task::new(&shown, 0, &model).unwrap();
    let steps = ModelWorld::demonstrated(&task);
    let settings = small();
    let mut worlds = vec![ModelWorld::new(&task); settings.environments];
    let mut rounds = Vec::new();
    let mut trained = train(&mut worlds, &steps, &settings, "", &mut |round, _| {
        rounds.push(round);
        false
    })
    .unwrap();
    let (expected, found) = (frequencies(&steps), played(&task, &mut trained));
    let apart = expected.iter().zip(&found).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
    assert!(apart < 0.1, "{expected:?}, {found:?}");
    assert!((rounds.last().unwrap().loss - 2.0 * 2f64.ln()).abs() < 0.2, "{rounds:?}");
    assert!(rounds.iter().all(|round| (0.0..=1.0).contains(&round.accuracy)));
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let shown = diagonal(5);
    let settings = AirlPpo { steps: 1024, batch: 256, minibatch: 64, ..small() };
    let learn = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let learned = pool.install(|| learn_all(&shown, &ModelChoice::Set, &settings, &|_| ())).unwrap();
        learned[0].sample.sample.rewards().to_vec()
    };
    let rewards = learn(1);
    assert_eq!(rewards, learn(2));
    assert!(rewards.iter().any(|reward| *reward != rewards[0]));
    let other = AirlPpo { seed: 1, ..settings.clone() };
    assert_ne!(learn_all(&shown, &ModelChoice::Set, &other, &|_| ()).unwrap()[0].sample.sample.rewards(), rewards);
}

#[test]
fn advantages_are_sums_of_what_follows() {
    let shown = diagonal(3);
    let model = Model::of_set(&shown.sets()[0]);
    let task = Task::new(&shown, 0, &model).unwrap();
    let settings = AirlPpo { batch: 300, minibatch: 64, lambda: 0.8, ..small() };
    let mut worlds = vec![ModelWorld::new(&task); 3];
    let mut random = ChaCha8Rng::seed_from_u64(4);
    worlds.iter_mut().for_each(|world| world.reset(&mut random).unwrap());
    let mut agent = Agent::new(worlds[0].inputs(), worlds[0].actions(), &settings, &mut random);
    let batch = act(&mut worlds, &mut agent, &settings, &mut random).unwrap();
    let rewards: Vec<f32> = (0..batch.steps.len()).map(|at| (at * 37 % 11) as f32 - 5.0).collect();
    let now = agent.values.forward(&batch.steps.before).to_vec();
    let then = agent.values.forward(&batch.steps.after).to_vec();
    let delta = |at: usize| rewards[at] + if batch.steps.terminated[at] { 0.0 } else { 0.9 * then[at] } - now[at];
    let lesson = teach(&batch, &rewards, &mut agent, &settings, &mut random);
    for (at, goal) in lesson.goal.iter().enumerate() {
        // The definition as it stands: A_t = Σ_k (γλ)^k δ_t+k, up to where the episode stops or its environment's steps do.
        let (mut sum, mut weight, mut k) = (0.0, 1.0, at);
        loop {
            sum += weight * delta(k);
            if batch.stopped[k] || (k + 1) % batch.each == 0 {
                break;
            }
            (weight, k) = (weight * 0.9 * 0.8, k + 1);
        }
        assert!((sum + now[at] - goal).abs() < 1e-4, "{at}: {sum}, {goal}");
    }
    let mean = lesson.advantage.iter().sum::<f32>() / lesson.advantage.len() as f32;
    assert!(mean.abs() < 1e-4 && batch.stopped.contains(&true) && lesson.order.len() == 5 * 5);
    // Every epoch sees every step once.
    let mut seen: Vec<u32> = lesson.order[..5].concat();
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..300));
}

#[test]
fn rewards_of_all_kinds_are_learned() {
    let shown = diagonal(3);
    let model = Model::of_set(&shown.sets()[0]);
    let task = Task::new(&shown, 0, &model).unwrap();
    for reward in [RewardOf::State, RewardOf::NextState, RewardOf::StateAction] {
        for shaped in [false, true] {
            let patience = Patience { trace: true, ..Patience::new(usize::MAX) };
            let settings = AirlPpo { reward, shaped, patience, steps: 512, batch: 256, minibatch: 64, ..small() };
            let learned = settings.learn(&task).unwrap();
            assert!(learned.iterations == 2 && learned.trace.len() == 2 && learned.trace[1].accuracy.is_some());
            // A reward of states is the same for all that is done there, f is not.
            let of = |row: usize| learned.sample.sample.rewards()[row];
            let rows = shown.sets()[0].rows();
            let same = (1..rows.len()).filter(|&row| rows[row].state == rows[0].state).all(|row| of(row) == of(0));
            assert_eq!(same, reward == RewardOf::State && !shaped);
        }
    }
}

#[test]
fn what_diverges_is_said() {
    let shown = diagonal(3);
    let mut steps = ModelWorld::demonstrated(&Task::new(&shown, 0, &Model::of_set(&shown.sets()[0])).unwrap());
    steps.before[0] = f32::INFINITY;
    let model = Model::of_set(&shown.sets()[0]);
    let task = Task::new(&shown, 0, &model).unwrap();
    let settings = AirlPpo { steps: 2048, batch: 256, minibatch: 256, ..small() };
    let mut worlds = vec![ModelWorld::new(&task); 2];
    let problem = train(&mut worlds, &steps, &settings, "broken", &mut |_, _| false).unwrap_err();
    assert!(matches!(problem, Problem::Diverged { .. }), "{problem}");
    assert!(matches!(AirlPpo { epochs: 0, ..small() }.check(), Err(Problem::Value { option: "epochs", .. })));
    assert!(matches!(AirlPpo { rate: f64::NAN, ..small() }.check(), Err(Problem::Value { option: "rate", .. })));
}
