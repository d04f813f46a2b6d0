//! Small worlds to sample transitions from.
//!
//! The quickest way is [`simulate()`]: a [`Simulation`] names one of the [built-in worlds](WORLDS), who plays and what is rewarded, and the
//! answer is trajectories with rewards.
//!
//! ```
//! use srrd_worlds::{Simulation, WorldKind, simulate};
//! use std::ops::ControlFlow;
//! let played = simulate(&Simulation::new(WorldKind::Gridworld), |_| ControlFlow::Continue(()))?;
//! assert_eq!(played.samples[0].len(), 10);
//! # Ok::<(), srrd_worlds::SimulateError>(())
//! ```
//!
//! # Step by step
//!
//! A [`World`] is moved by an agent; [`rollouts`] keeps the episodes, [`explore`] only the distinct transitions ([`met`] with which of them end). A
//! [`RewardFunction`] and a [`PotentialFunction`] are functions of a seed: two samples of one reward agree on every
//! transition, without a table of the whole space. [`Shaping`] adds γφ(s') − φ(s) at a chosen strength, and
//! [`sample_of`] makes a [`RewardSample`](srrd::RewardSample) of it all.
//!
//! ```
//! use srrd_worlds::{Gridworld, Model, Policy, RewardFunction, explore, sample_of, stream};
//!
//! let world = Gridworld::new(20, 20, 0.1)?;
//! let transitions = explore(&world, &Policy::uniform(4)?, 100, &mut stream(0, "rollouts"));
//! let rewards = RewardFunction::new(&world, Model::Sinusoidal, 0).rewards(&transitions);
//! let sample = sample_of(&transitions, rewards)?;
//! assert_eq!(sample.len(), transitions.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A world of your own
//!
//! A ring of rooms; the agent is the chance to go on instead of back, and the way ends in the last room.
//!
//! ```
//! use rand::RngExt;
//! use srrd_worlds::{Model, RewardFunction, Step, Stream, World, explore, featured_sample, stream};
//!
//! struct Ring {
//!     rooms: usize,
//! }
//!
//! impl World for Ring {
//!     type State = usize;
//!     type Agent = f64;
//!
//!     fn name(&self) -> &str {
//!         "ring"
//!     }
//!     fn states(&self) -> usize {
//!         self.rooms
//!     }
//!     fn actions(&self) -> usize {
//!         2
//!     }
//!     fn state_features(&self) -> &[&str] {
//!         &["room"]
//!     }
//!     fn action_features(&self) -> &[&str] {
//!         &["by"]
//!     }
//!     fn describe_state(&self, state: usize, features: &mut [f64]) {
//!         features[0] = state as f64;
//!     }
//!     fn describe_action(&self, action: usize, features: &mut [f64]) {
//!         features[0] = if action == 0 { 1.0 } else { -1.0 };
//!     }
//!     fn start(&self, _: &mut Stream) -> usize {
//!         0
//!     }
//!     fn observe(&self, state: &usize) -> usize {
//!         *state
//!     }
//!     fn advance(&self, state: &mut usize, onwards: &f64, rng: &mut Stream) -> Step {
//!         let action = if rng.random_bool(*onwards) { 0 } else { 1 };
//!         *state = (*state + [1, self.rooms - 1][action]) % self.rooms;
//!         Step { action, score: 0.0, done: *state == self.rooms - 1 }
//!     }
//! }
//!
//! let world = Ring { rooms: 12 };
//! let transitions = explore(&world, &0.7, 20, &mut stream(0, "rollouts"));
//! let rewards = RewardFunction::new(&world, Model::Linear, 0).rewards(&transitions);
//! let sample = featured_sample(&world, &transitions, rewards)?;
//! assert_eq!(sample.states().arity(), Some(1));
//! # Ok::<(), srrd::SampleError>(())
//! ```

mod error;
mod explore;
mod grid;
mod model;
mod policy;
mod random;
mod record;
mod rollout;
mod sample;
mod shaping;
mod simulate;
mod stage;
mod world;
mod worlds;

pub use error::WorldError;
pub use explore::{Explorer, Met, explore, met};
pub use grid::MOST_CELLS;
pub use model::{MODELS, Model, ModelInfo, PotentialFunction, RewardFunction};
pub use policy::Policy;
pub use random::{Stream, derive_seed, stream};
pub use rollout::{Rollouts, TrajectoryStep, episode, rollouts};
pub use sample::{featured_sample, sample_of};
pub use shaping::{Shaping, add_noise};
pub use simulate::{
    AgentSummary, AgentTraits, Columns, Instead, Piece, Plan, PolicyChoice, Progress, Refusal, SimulateError,
    SimulateOption, Simulated, Simulation, Size, StateCounts, Summary, UnitTraits, simulate,
};
pub use stage::Stage;
pub use world::{Step, Triple, World};
pub use worlds::bouncing_balls::{BouncingBalls, BouncingBallsState, bouncing_balls_classes};
pub use worlds::drone_combat::{Attributes, DroneCombat, DroneCombatState, Side, Team, Unit, drone_combat_classes};
pub use worlds::gridworld::{Gridworld, gridworld_classes, gridworld_sampling_policies};
pub use worlds::{UnknownWorld, WORLDS, WorldInfo, WorldKind};
