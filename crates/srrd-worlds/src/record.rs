//! Steps by their numbers become trajectories by their features.

use srrd::trajectories::{End, Trajectories, TrajectoriesBuilder, TrajectoryError};

use crate::sample::token;
use crate::world::{Triple, World};

/// Writes the episodes of a world down.
pub(crate) struct Recorder<'a, W> {
    world: &'a W,
    builder: TrajectoriesBuilder,
    /// Whether an episode has begun.
    open: bool,
    state: Vec<f64>,
    action: Vec<f64>,
}

impl<'a, W: World> Recorder<'a, W> {
    pub(crate) fn new(world: &'a W) -> Self {
        let room = |features: &[&str]| vec![0.0; features.len()];
        let (state, action) = (room(world.state_features()), room(world.action_features()));
        Recorder { world, builder: empty(world), open: false, state, action }
    }

    /// Adds a step, which begins an episode if none has begun.
    pub(crate) fn record(&mut self, step: Triple, reward: Option<f64>) -> Result<(), TrajectoryError> {
        if !self.open {
            self.world.describe_state(step.state as usize, &mut self.state);
            self.builder.begin(token(&self.state, step.state))?;
            self.open = true;
        }
        self.world.describe_action(step.action as usize, &mut self.action);
        self.world.describe_state(step.next as usize, &mut self.state);
        self.builder.step(token(&self.action, step.action), token(&self.state, step.next), reward)
    }

    /// Ends the episode.
    pub(crate) fn end(&mut self, end: End) {
        self.builder.end(end);
        self.open = false;
    }

    /// How many steps were added.
    pub(crate) fn step_count(&self) -> usize {
        self.builder.step_count()
    }

    /// What was written down since the last time.
    pub(crate) fn take(&mut self) -> Trajectories {
        std::mem::replace(&mut self.builder, empty(self.world)).build()
    }
}

fn empty<W: World>(world: &W) -> TrajectoriesBuilder {
    let mut builder = Trajectories::builder();
    if !world.state_features().is_empty() {
        builder = builder.state_features(world.state_features().iter().copied());
    }
    if !world.action_features().is_empty() {
        builder = builder.action_features(world.action_features().iter().copied());
    }
    builder
}
