//! Built-in worlds as environments.

use std::collections::HashMap;
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use srrd::sample::Token;
use srrd_worlds::{Plan, Stage};

use super::outside::{Outside, Seen};
use super::{Environment, Stepped};
use crate::problem::Problem;

/// A built-in world, acted in. What is seen are the features of its states, as in tables that [`simulate`](srrd_worlds::simulate()) makes.
///
/// ```
/// use srrd_irl::airl::ppo::{AirlOutside, AirlPpo, StagedWorld};
/// use srrd_irl::{Demonstrations, ModelChoice, learn_all};
/// use srrd_worlds::{Simulation, WorldKind, simulate};
/// use std::ops::ControlFlow;
/// let mut question = Simulation::new(WorldKind::Gridworld);
/// question.size = Some((5, 5).into());
/// let shown = Demonstrations::new(simulate(&question, |_| ControlFlow::Continue(()))?.samples)?;
/// let world = question.check()?;
/// let settings = AirlPpo { hidden: vec![8], steps: 128, batch: 64, minibatch: 32, epochs: 1, ..AirlPpo::default() };
/// let learner = AirlOutside { settings, make: || StagedWorld::boxed(&world) };
/// let learned = learn_all(&shown, &ModelChoice::Set, &learner, &|_| ())?;
/// assert_eq!(learned[0].iterations, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StagedWorld {
    stage: Box<dyn Stage>,
    known: Arc<Known>,
    step: usize,
}

/// By the bits of features, the number of a state or an action.
struct Known {
    states: HashMap<Vec<u64>, usize>,
    actions: HashMap<Vec<u64>, usize>,
    features: usize,
}

/// What features are looked up by; −0 is 0.
fn bits(features: &[f64]) -> Vec<u64> {
    features.iter().map(|feature| (feature + 0.0).to_bits()).collect()
}

impl StagedWorld {
    /// The world of a simulation.
    ///
    /// # Errors
    /// When a step of that world is not one action that is chosen.
    pub fn new(world: &Plan) -> Result<Self, Problem> {
        let stage = world.stage().ok_or_else(|| Problem::Value {
            option: "world",
            why: format!("in {} a step is what a whole team does, not one action that is chosen", world.world().name),
        })?;
        let states = (0..stage.states()).map(|state| (bits(&stage.describe_state(state)), state)).collect();
        let actions = (0..stage.actions()).map(|action| (bits(&stage.describe_action(action)), action)).collect();
        let known = Known { states, actions, features: stage.describe_state(0).len() };
        Ok(StagedWorld { stage, known: Arc::new(known), step: 0 })
    }

    /// The same as what [`AirlOutside`](super::AirlOutside) takes.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn boxed(world: &Plan) -> Result<Box<dyn Outside>, Problem> {
        Ok(Box::new(Self::new(world)?))
    }
}

/// The number of a state or an action that a table names by its number or by its features.
fn number(token: Token<'_>, known: &HashMap<Vec<u64>, usize>) -> Option<usize> {
    match token.as_features() {
        Some(features) => known.get(&bits(features)).copied(),
        None => token.as_int().and_then(|number| usize::try_from(number).ok()).filter(|&number| number < known.len()),
    }
}

impl Outside for StagedWorld {
    fn is_numbered(&self) -> bool {
        false
    }

    fn state(&self, state: Token<'_>) -> Result<Seen, String> {
        let number =
            number(state, &self.known.states).ok_or("the world has no such state (is its size another one?)")?;
        Ok(Seen {
            numbers: self.stage.describe_state(number).into_iter().map(|x| x as f32).collect(),
            allowed: (0..self.stage.actions()).map(|action| self.stage.allows(number, action)).collect(),
        })
    }

    fn action(&self, action: Token<'_>) -> Result<u32, String> {
        Ok(number(action, &self.known.actions).ok_or("the world has no such action")? as u32)
    }
}

impl Environment for StagedWorld {
    fn inputs(&self) -> usize {
        self.known.features
    }

    fn actions(&self) -> usize {
        self.stage.actions()
    }

    fn reset(&mut self, random: &mut ChaCha8Rng) -> Result<(), Problem> {
        self.stage.start(random);
        self.step = 0;
        Ok(())
    }

    fn observe(&self, into: &mut [f32]) {
        let features = self.stage.describe_state(self.stage.state());
        into.iter_mut().zip(features).for_each(|(seen, feature)| *seen = feature as f32);
    }

    fn allows(&self, action: usize) -> bool {
        self.stage.allows(self.stage.state(), action)
    }

    fn step(&mut self, action: usize, random: &mut ChaCha8Rng) -> Result<Stepped, Problem> {
        let done = self.stage.act(action, random).done;
        self.step += 1;
        Ok(match done {
            true => Stepped::Terminated,
            false if self.step >= self.stage.horizon() => Stepped::Truncated,
            false => Stepped::On,
        })
    }
}
