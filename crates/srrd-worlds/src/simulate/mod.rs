//! Simulation: a question about a built-in world, and trajectories with rewards as the answer.
//!
//! [`simulate`] plays a [`Simulation`] and keeps everything. For more than fits into memory, [`Simulation::check`] makes a
//! [`Plan`] of it, which [plays](Plan::play) piece by piece. Shaping is scaled by what a whole sample has met, so its episodes are
//! played twice, from one stream: nothing is held but the distinct transitions.

mod plan;
mod play;
mod problem;
mod question;
mod rewards;
mod setting;
mod summary;
#[cfg(test)]
mod tests;

pub use plan::Plan;
pub use problem::{Instead, Refusal, SimulateError};
pub use question::{PolicyChoice, SimulateOption, Simulation, Size};
pub(crate) use setting::Setting;
pub use setting::{Playable, Request};
pub use summary::{AgentSummary, AgentTraits, StateCounts, Summary, UnitTraits};

use srrd::trajectories::Trajectories;
use std::ops::ControlFlow;

/// How a table of trajectories looks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Columns {
    /// Whether there are several samples, with names and labels.
    pub labelled: bool,
    /// The names of the features of states. Their values are whole numbers in all built-in worlds.
    pub state_features: Vec<String>,
    /// The names of the features of actions. Their values are whole numbers in all built-in worlds.
    pub action_features: Vec<String>,
}

/// Some whole episodes of one sample, in order.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Piece {
    /// Which episode of its sample is the first of these, from 0.
    pub first_episode: usize,
    /// The episodes, with the name and the label of their sample.
    pub trajectories: Trajectories,
}

/// How far a simulation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// How many samples are done.
    pub samples: usize,
    /// How many there will be.
    pub of: usize,
    /// How many steps were played.
    pub rows: usize,
}

/// The answer to a [`Simulation`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Simulated {
    /// One for every sample, in order: those of the first agent, then those of the second.
    pub samples: Vec<Trajectories>,
    /// What was played, in numbers.
    pub summary: Summary,
}

/// Plays a simulation and keeps everything; `progress` is told after every sample and can stop it.
///
/// The same question gives the same answer on every machine.
///
/// ```
/// use srrd::Duplicates;
/// use srrd_worlds::{Simulation, WorldKind, simulate};
/// use std::ops::ControlFlow;
///
/// let mut question = Simulation::new(WorldKind::Gridworld);
/// question.size = Some((5, 5).into());
/// question.seed = 1;
/// let played = simulate(&question, |_| ControlFlow::Continue(()))?;
/// assert_eq!(played.summary.episodes, 10);
/// let sample = played.samples[0].to_sample(Duplicates::Mean)?;
/// assert_eq!(sample.state_features.unwrap(), ["x", "y"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the question is wrong (see [`Simulation::check`]), shaping finds nothing to be scaled by, a reward becomes too large, or
/// `progress` says to break off.
pub fn simulate(
    question: &Simulation,
    mut progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Simulated, SimulateError> {
    let plan = question.check()?;
    let of = plan.sample_count();
    let (mut samples, mut rows) = (Vec::with_capacity(of), 0);
    let summary = plan.play(usize::MAX, |piece| {
        rows += piece.trajectories.step_count();
        samples.push(piece.trajectories);
        match progress(Progress { samples: samples.len(), of, rows }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(SimulateError::Stopped),
        }
    })?;
    Ok(Simulated { samples, summary })
}
