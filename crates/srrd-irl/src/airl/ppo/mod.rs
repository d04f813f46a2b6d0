//! AIRL with nets, in an environment that can only be acted in: proximal policy optimization (PPO, clipped) as the generator.
//!
//! One round: the policy takes `batch` steps; each is worth f(s, a, s') − log π(a | s), which is log D − log(1 − D); advantages are estimated
//! by generalized advantage estimation,
//!
//! ```text
//! δ_t = r_t + γ V(s_t+1) − V(s_t),   A_t = δ_t + γ λ A_t+1
//! ```
//!
//! with nothing after an end, and V(s') where an episode was cut off; policy and values take `epochs` passes over the batch; then the
//! discriminator takes its steps on as many demonstrated steps as generated ones. The policy minimises −min(ρ A, clip(ρ, 1 ± ε) A), where
//! ρ is the ratio of the new probability of an action to the old one.
//!
//! Policy and values are trained side by side, and so are g and h, each net on one thread. The same seed gives the same reward on any number of
//! threads; on another type of processor the last bits differ, and with them, in time, everything that follows.

mod agent;
mod discriminator;
mod learner;
mod outside;
mod staged;
#[cfg(test)]
mod tests;
mod train;
mod world;

use rand_chacha::ChaCha8Rng;
use srrd::Gamma;

use crate::maxent::RewardOf;
use crate::problem::Problem;
use crate::watch::Patience;

pub use outside::{AirlOutside, Outside, Seen};
pub use staged::StagedWorld;
pub use train::{Round, Trained, train};
pub use world::ModelWorld;

/// What a step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stepped {
    /// The episode goes on.
    On,
    /// The task is over: nothing follows.
    Terminated,
    /// The episode was cut off, for example at a time limit.
    Truncated,
}

/// A world to act in, as Gymnasium has them: actions are numbered, and what is seen is a row of numbers.
pub trait Environment {
    /// How many numbers are seen.
    fn inputs(&self) -> usize;

    /// How many actions there are.
    fn actions(&self) -> usize;

    /// Starts an episode.
    ///
    /// # Errors
    /// Whatever goes wrong there.
    fn reset(&mut self, random: &mut ChaCha8Rng) -> Result<(), Problem>;

    /// Writes down what is seen now, after a step also what is seen at its end.
    fn observe(&self, into: &mut [f32]);

    /// Whether an action is possible now; at least one is.
    fn allows(&self, _action: usize) -> bool {
        true
    }

    /// Takes an action.
    ///
    /// # Errors
    /// Whatever goes wrong there.
    fn step(&mut self, action: usize, random: &mut ChaCha8Rng) -> Result<Stepped, Problem>;
}

/// Steps, row by row: demonstrated ones, or those of a policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    /// What was seen before, [`Environment::inputs`] numbers per step.
    pub before: Vec<f32>,
    /// What was seen after.
    pub after: Vec<f32>,
    /// What was done.
    pub action: Vec<u32>,
    /// Whether an action was possible, [`Environment::actions`] per step.
    pub allowed: Vec<bool>,
    /// Whether the task was over.
    pub terminated: Vec<bool>,
}

impl Steps {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.action.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.action.is_empty()
    }

    /// Adds a step of another list.
    fn push_from(&mut self, other: &Steps, at: usize) {
        let (inputs, actions) = (other.before.len() / other.len(), other.allowed.len() / other.len());
        self.before.extend_from_slice(&other.before[at * inputs..(at + 1) * inputs]);
        self.after.extend_from_slice(&other.after[at * inputs..(at + 1) * inputs]);
        self.allowed.extend_from_slice(&other.allowed[at * actions..(at + 1) * actions]);
        self.action.push(other.action[at]);
        self.terminated.push(other.terminated[at]);
    }
}

/// How many steps the discriminator takes per round, unless told otherwise. With 16 the policy lags behind it: on a 5 × 5 grid, with the paper's
/// other settings, actions were 0.06 off the demonstrator's shares, with 32 they were 0.01 off, for a third more time.
pub const DISCRIMINATOR_STEPS: usize = 32;

/// Settings of AIRL with PPO.
#[derive(Clone, Debug, PartialEq)]
pub struct AirlPpo {
    /// γ
    pub gamma: Gamma,
    /// What g is a function of.
    pub reward: RewardOf,
    /// Whether f is written instead of g.
    pub shaped: bool,
    /// The sizes of the hidden layers of all nets.
    pub hidden: Vec<usize>,
    /// How many steps the policy takes in all.
    pub steps: usize,
    /// How many it takes per round.
    pub batch: usize,
    /// How many steps a gradient is made of.
    pub minibatch: usize,
    /// How often policy and values go through a batch.
    pub epochs: usize,
    /// The learning rate of all nets.
    pub rate: f64,
    /// ε, how far the ratio of probabilities counts.
    pub clip: f64,
    /// λ of the advantages.
    pub lambda: f64,
    /// How many steps the discriminator takes per round.
    pub discriminator_steps: usize,
    /// How many environments are acted in at the same time.
    pub environments: usize,
    /// The seed.
    pub seed: u64,
    /// Whether a trace is kept, and whether rewards that stay the same end it. The number of rounds follows from `steps`.
    pub patience: Patience,
}

impl Default for AirlPpo {
    fn default() -> Self {
        AirlPpo {
            gamma: Gamma::default(),
            reward: RewardOf::State,
            shaped: false,
            hidden: vec![256, 128],
            steps: 100_000,
            batch: 2048,
            minibatch: 256,
            epochs: 10,
            rate: 1e-4,
            clip: 0.2,
            lambda: 0.95,
            discriminator_steps: DISCRIMINATOR_STEPS,
            environments: 8,
            seed: 0,
            patience: Patience::new(usize::MAX),
        }
    }
}

impl AirlPpo {
    /// Whether the settings can be used.
    ///
    /// # Errors
    /// Which cannot.
    pub fn check(&self) -> Result<(), Problem> {
        let value = |option, why: &str| Err(Problem::value(option, why));
        let counts = [
            ("steps", self.steps),
            ("batch", self.batch),
            ("minibatch", self.minibatch),
            ("epochs", self.epochs),
            ("discriminator-steps", self.discriminator_steps),
            ("environments", self.environments),
        ];
        if let Some((option, _)) = counts.into_iter().find(|(_, count)| *count == 0) {
            return value(option, "it must be at least 1");
        }
        if self.hidden.contains(&0) {
            return value("hidden", "a layer has at least one number");
        }
        if !(self.rate > 0.0 && self.rate <= 1.0) {
            return value("rate", "it must lie between 0 and 1");
        }
        if !(self.clip > 0.0 && self.clip < 1.0) {
            return value("clip", "it must lie between 0 and 1");
        }
        if !(0.0..=1.0).contains(&self.lambda) {
            return value("lambda", "it must lie between 0 and 1");
        }
        Ok(())
    }
}
