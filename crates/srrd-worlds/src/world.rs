//! What a world is.

use crate::random::Stream;

/// A world with numbered states and actions, moved one step at a time by an agent.
///
/// What the agent sees is a state number; what the simulation knows may be more ([`World::State`]). The crate's front page
/// has an example.
pub trait World: Send + Sync {
    /// Everything the simulation knows, what the agent does not see included (obstacles, opponents).
    type State: Clone + Send;
    /// What decides the actions: for the grid worlds a [`Policy`](crate::Policy).
    type Agent: Send + Sync;

    /// The name, as it is written on the command line.
    fn name(&self) -> &str;

    /// How many observable states there are, numbered from 0; at most 2³².
    fn states(&self) -> usize;

    /// How many actions there are, numbered from 0; at most 2³².
    fn actions(&self) -> usize;

    /// The names of the numbers that describe a state. No two states should have the same numbers.
    fn state_features(&self) -> &[&str];

    /// The names of the numbers that describe an action. No two actions should have the same numbers.
    fn action_features(&self) -> &[&str];

    /// Writes the numbers of a state into `features`, as many as [`state_features`](Self::state_features) has names.
    fn describe_state(&self, state: usize, features: &mut [f64]);

    /// Writes the numbers of an action into `features`, as many as [`action_features`](Self::action_features) has names.
    fn describe_action(&self, action: usize, features: &mut [f64]);

    /// The most steps an episode has.
    fn horizon(&self) -> usize {
        200
    }

    /// The beginning of an episode.
    fn start(&self, rng: &mut Stream) -> Self::State;

    /// The number of the state that the agent sees, below [`states`](Self::states).
    fn observe(&self, state: &Self::State) -> usize;

    /// Whether an action can be taken in a state that is seen. Agents of the world take no other.
    fn allows(&self, _state: usize, _action: usize) -> bool {
        true
    }

    /// One step: the agent acts, the world moves on.
    fn advance(&self, state: &mut Self::State, agent: &Self::Agent, rng: &mut Stream) -> Step;
}

/// What happened in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// What the agent did, below [`World::actions`].
    pub action: usize,
    /// The world's own reward; 0 where it has none.
    pub score: f64,
    /// Whether the episode ends here.
    pub done: bool,
}

/// A transition by the numbers of its parts. Ordered by state, action, next state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Triple {
    /// s
    pub state: u32,
    /// a
    pub action: u32,
    /// s'
    pub next: u32,
}
