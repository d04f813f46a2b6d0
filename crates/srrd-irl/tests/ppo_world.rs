//! A built-in world as an environment: what an adapter needs, and that a policy learns in it.

use rand_chacha::ChaCha8Rng;
use srrd::trajectories::End;
use srrd_irl::Problem;
use srrd_irl::airl::ppo::{AirlPpo, Environment, Stepped, Steps, train};
use srrd_worlds::{Gridworld, Policy, World, episode, stream};

/// A world whose agents draw actions by weights; an agent that always does the same takes an action.
#[derive(Clone)]
struct Played {
    world: Gridworld,
    single: Vec<Policy>,
    state: u32,
    step: usize,
}

impl Played {
    fn new(world: Gridworld) -> Self {
        let only = |action: usize| Policy::new(&std::array::from_fn::<f64, 4, _>(|a| f64::from(u8::from(a == action))));
        let single = (0..world.actions()).map(|action| only(action).unwrap()).collect();
        Played { world, single, state: 0, step: 0 }
    }

    fn see(&self, state: u32, into: &mut [f32]) {
        let mut features = [0.0; 2];
        self.world.describe_state(state as usize, &mut features);
        into.iter_mut().zip(features).for_each(|(seen, feature)| *seen = feature as f32 / 2.0 - 1.0);
    }
}

impl Environment for Played {
    fn inputs(&self) -> usize {
        2
    }

    fn actions(&self) -> usize {
        self.world.actions()
    }

    fn reset(&mut self, random: &mut ChaCha8Rng) -> Result<(), Problem> {
        (self.state, self.step) = (self.world.start(random), 0);
        Ok(())
    }

    fn observe(&self, into: &mut [f32]) {
        self.see(self.state, into);
    }

    fn step(&mut self, action: usize, random: &mut ChaCha8Rng) -> Result<Stepped, Problem> {
        let done = self.world.advance(&mut self.state, &self.single[action], random).done;
        self.step += 1;
        Ok(match done {
            true => Stepped::Terminated,
            false if self.step >= self.world.horizon() => Stepped::Truncated,
            false => Stepped::On,
        })
    }
}

#[test]
fn a_policy_learns_in_a_world_that_shows_features() {
    let world = Played::new(Gridworld::new(5, 5, 0.0).unwrap());
    let (mut steps, mut random) = (Steps::default(), stream(2, "rollouts"));
    let policy = Policy::new(&[0.1, 0.1, 0.4, 0.4]).unwrap();
    let (mut before, mut after) = ([0.0; 2], [0.0; 2]);
    for _ in 0..60 {
        let end = episode(&world.world, &policy, &mut random, |taken, step| {
            world.see(taken.state, &mut before);
            world.see(taken.next, &mut after);
            steps.before.extend(before);
            steps.after.extend(after);
            steps.action.push(taken.action);
            steps.allowed.extend([true; 4]);
            steps.terminated.push(step.done);
        });
        assert_eq!(end, End::Terminated);
    }
    let settings = AirlPpo {
        hidden: vec![32],
        steps: 16_384,
        batch: 1024,
        minibatch: 128,
        epochs: 5,
        rate: 3e-3,
        ..AirlPpo::default()
    };
    let mut worlds = vec![world; settings.environments];
    let mut returns = Vec::new();
    let mut trained = train(&mut worlds, &steps, &settings, "", &mut |round, _| {
        returns.push(round.returns);
        false
    })
    .unwrap();
    assert_eq!(returns.len(), 16);
    // In the middle of the grid, the demonstrator goes south or east four times out of five.
    let shares = trained.policy(&[0.0, 0.0], &[true; 4]);
    assert!(shares[2] + shares[3] > 0.65 && shares[2] + shares[3] < 0.95, "{shares:?}");
}
