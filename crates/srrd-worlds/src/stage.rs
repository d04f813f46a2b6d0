//! Worlds to act in, action by action: what learns by trial and error needs no agent of the world's own.

use crate::policy::Policy;
use crate::random::Stream;
use crate::world::{Step, World};

/// A world in which somebody else decides: a state at a time, an action at a time, whatever its types are.
///
/// ```
/// use srrd_worlds::{Simulation, WorldKind, stream};
/// let mut stage = Simulation::new(WorldKind::Gridworld).check()?.stage().expect("one action per step");
/// let mut random = stream(0, "rollouts");
/// stage.start(&mut random);
/// let open = (0..stage.actions()).find(|&action| stage.allows(stage.state(), action)).unwrap();
/// assert_eq!(stage.act(open, &mut random).action, open);
/// # Ok::<(), srrd_worlds::SimulateError>(())
/// ```
pub trait Stage: Send {
    /// How many states can be seen, numbered from 0.
    fn states(&self) -> usize;

    /// How many actions there are, numbered from 0.
    fn actions(&self) -> usize;

    /// The most steps an episode has.
    fn horizon(&self) -> usize;

    /// The numbers that describe a state, as in tables of the world.
    fn describe_state(&self, state: usize) -> Vec<f64>;

    /// The numbers that describe an action.
    fn describe_action(&self, action: usize) -> Vec<f64>;

    /// Whether an action can be taken in a state.
    fn allows(&self, state: usize, action: usize) -> bool;

    /// Begins an episode.
    fn start(&mut self, random: &mut Stream);

    /// The number of the state that is seen now.
    fn state(&self) -> usize;

    /// Takes an action that is [allowed](Self::allows).
    fn act(&mut self, action: usize, random: &mut Stream) -> Step;
}

/// A world whose agents draw actions by weights: one that always does the same takes an action.
struct Staged<W: World> {
    world: W,
    always: Vec<Policy>,
    now: Option<W::State>,
}

/// The stage of a world; `None` where a policy cannot have a weight for each of its actions.
pub(crate) fn staged<W: World<Agent = Policy> + Clone + 'static>(world: &W) -> Option<Box<dyn Stage>> {
    let actions = world.actions();
    let only = |action: usize| {
        let weights: Vec<f64> = (0..actions).map(|other| f64::from(u8::from(other == action))).collect();
        Policy::new(&weights).ok()
    };
    let always = (0..actions).map(only).collect::<Option<Vec<Policy>>>()?;
    Some(Box::new(Staged { world: world.clone(), always, now: None }))
}

impl<W: World<Agent = Policy>> Stage for Staged<W> {
    fn states(&self) -> usize {
        self.world.states()
    }

    fn actions(&self) -> usize {
        self.world.actions()
    }

    fn horizon(&self) -> usize {
        self.world.horizon()
    }

    fn describe_state(&self, state: usize) -> Vec<f64> {
        let mut features = vec![0.0; self.world.state_features().len()];
        self.world.describe_state(state, &mut features);
        features
    }

    fn describe_action(&self, action: usize) -> Vec<f64> {
        let mut features = vec![0.0; self.world.action_features().len()];
        self.world.describe_action(action, &mut features);
        features
    }

    fn allows(&self, state: usize, action: usize) -> bool {
        self.world.allows(state, action)
    }

    fn start(&mut self, random: &mut Stream) {
        self.now = Some(self.world.start(random));
    }

    fn state(&self) -> usize {
        self.now.as_ref().map_or(0, |now| self.world.observe(now))
    }

    fn act(&mut self, action: usize, random: &mut Stream) -> Step {
        let now = self.now.get_or_insert_with(|| self.world.start(random));
        self.world.advance(now, &self.always[action], random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use crate::{BouncingBalls, Gridworld, Simulation, WorldKind};

    fn check<W: World<Agent = Policy> + Clone + 'static>(world: &W) {
        let mut stage = staged(world).unwrap();
        let mut random = stream(3, "rollouts");
        for episode in 0..20 {
            stage.start(&mut random);
            for step in 0..stage.horizon() {
                let state = stage.state();
                assert!(state < stage.states());
                let open: Vec<usize> = (0..stage.actions()).filter(|&action| stage.allows(state, action)).collect();
                let action = open[(episode + step) % open.len()];
                let taken = stage.act(action, &mut random);
                assert_eq!(taken.action, action, "an action that is allowed is taken");
                if taken.done {
                    break;
                }
            }
        }
    }

    #[test]
    fn actions_that_are_allowed_are_taken() {
        check(&Gridworld::new(5, 4, 0.1).unwrap());
        check(&BouncingBalls::new(6, 6, 0.0).unwrap());
        let walls = staged(&Gridworld::new(3, 3, 0.0).unwrap()).unwrap();
        let allowed = |state: usize| (0..4).filter(|&action| walls.allows(state, action)).count();
        assert_eq!((allowed(0), allowed(1), allowed(4)), (2, 3, 4));
        // Cells are numbered column by column.
        assert_eq!((walls.describe_state(5), walls.describe_action(0).len()), (vec![1.0, 2.0], 2));
    }

    #[test]
    fn teams_do_not_take_one_action_per_step() {
        assert!(Simulation::new(WorldKind::DroneCombat).check().unwrap().stage().is_none());
        assert!(Simulation::new(WorldKind::BouncingBalls).check().unwrap().stage().is_some());
    }
}
