//! Episodes, and many of them.

use srrd::trajectories::{End, Trajectories, TrajectoryError};

use crate::random::Stream;
use crate::record::Recorder;
use crate::world::{Step, Triple, World};

/// Plays one episode: `visit` sees every transition with what happened in its step.
///
/// An episode is [terminated](End::Terminated) by a step that is done, and [truncated](End::Truncated) after
/// [`World::horizon`] steps without one.
///
/// ```
/// use srrd::trajectories::End;
/// use srrd_worlds::{Gridworld, Policy, episode, stream};
/// let world = Gridworld::new(3, 3, 0.0)?;
/// let mut steps = 0;
/// let end = episode(&world, &Policy::uniform(4)?, &mut stream(0, "rollouts"), |_, _| steps += 1);
/// assert!(end == End::Terminated || steps == 200);
/// # Ok::<(), srrd_worlds::WorldError>(())
/// ```
#[inline]
pub fn episode<W: World>(world: &W, agent: &W::Agent, rng: &mut Stream, mut visit: impl FnMut(Triple, Step)) -> End {
    let mut full = world.start(rng);
    let mut state = world.observe(&full) as u32;
    for _ in 0..world.horizon() {
        let step = world.advance(&mut full, agent, rng);
        let next = world.observe(&full) as u32;
        visit(Triple { state, action: step.action as u32, next }, step);
        state = next;
        if step.done {
            return End::Terminated;
        }
    }
    End::Truncated
}

/// One step of a recorded episode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrajectoryStep {
    /// s
    pub state: u32,
    /// a
    pub action: u32,
    /// s'
    pub next: u32,
    /// Whether the episode reached its end with this step; it may also stop because of the horizon.
    pub done: bool,
    /// The world's own reward.
    pub score: f64,
}

impl TrajectoryStep {
    /// (s, a, s')
    pub fn triple(&self) -> Triple {
        Triple { state: self.state, action: self.action, next: self.next }
    }
}

/// Recorded episodes, by the numbers that the world gives to states and actions: 24 bytes per step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rollouts {
    steps: Vec<TrajectoryStep>,
    /// Where every episode ends in `steps`.
    ends: Vec<usize>,
}

impl Rollouts {
    /// How many episodes there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The steps of all episodes, one after the other.
    pub fn steps(&self) -> &[TrajectoryStep] {
        &self.steps
    }

    /// The steps of one episode.
    ///
    /// # Panics
    /// If `index` is not below [`len`](Self::len).
    pub fn episode(&self, index: usize) -> &[TrajectoryStep] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.steps[start..self.ends[index]]
    }

    /// The episodes in order.
    pub fn episodes(&self) -> impl ExactSizeIterator<Item = &[TrajectoryStep]> {
        (0..self.len()).map(|index| self.episode(index))
    }

    /// The distinct transitions, ascending. O(steps · log steps).
    pub fn transitions(&self) -> Vec<Triple> {
        let mut triples: Vec<Triple> = self.steps.iter().map(TrajectoryStep::triple).collect();
        triples.sort_unstable();
        triples.dedup();
        triples
    }

    /// The same episodes by the features of states and actions, with the world's own rewards.
    ///
    /// ```
    /// use srrd_worlds::{Gridworld, Policy, rollouts, stream};
    /// let world = Gridworld::new(4, 4, 0.0)?;
    /// let played = rollouts(&world, &Policy::uniform(4)?, 3, &mut stream(0, "rollouts"));
    /// let walks = played.to_trajectories(&world)?;
    /// assert_eq!((walks.len(), walks.step_count()), (3, played.steps().len()));
    /// assert_eq!(walks.state_features().unwrap(), ["x", "y"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the world describes a state or an action, or scores a step, by what is not a finite number.
    pub fn to_trajectories<W: World>(&self, world: &W) -> Result<Trajectories, TrajectoryError> {
        let mut recorder = Recorder::new(world);
        for steps in self.episodes() {
            for step in steps {
                recorder.record(step.triple(), Some(step.score))?;
            }
            let terminated = steps.last().is_some_and(|step| step.done);
            recorder.end(if terminated { End::Terminated } else { End::Truncated });
        }
        Ok(recorder.take())
    }
}

/// Plays and records `count` episodes.
///
/// ```
/// use srrd_worlds::{Gridworld, Policy, rollouts, stream};
/// let world = Gridworld::new(4, 4, 0.0)?;
/// let played = rollouts(&world, &Policy::uniform(4)?, 3, &mut stream(0, "rollouts"));
/// assert_eq!(played.len(), 3);
/// # Ok::<(), srrd_worlds::WorldError>(())
/// ```
pub fn rollouts<W: World>(world: &W, agent: &W::Agent, count: usize, rng: &mut Stream) -> Rollouts {
    let mut recorded = Rollouts::default();
    for _ in 0..count {
        episode(world, agent, rng, |Triple { state, action, next }, Step { score, done, .. }| {
            recorded.steps.push(TrajectoryStep { state, action, next, done, score });
        });
        recorded.ends.push(recorded.steps.len());
    }
    recorded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use crate::{BouncingBalls, Gridworld, Policy};

    /// The first steps and the number of all, of three episodes.
    fn beginning<W: World<Agent = Policy>>(world: &W, seed: u64) -> (Vec<(u32, u32, u32)>, usize) {
        let policy = Policy::uniform(world.actions()).unwrap();
        let recorded = rollouts(world, &policy, 3, &mut stream(seed, "rollouts"));
        assert_eq!(recorded.len(), 3);
        assert_eq!(recorded.episodes().map(<[_]>::len).sum::<usize>(), recorded.steps().len());
        let first = recorded.steps().iter().take(4).map(|step| (step.state, step.action, step.next)).collect();
        (first, recorded.steps().len())
    }

    #[test]
    fn rollouts_are_what_they_have_always_been() {
        let grid = Gridworld::new(5, 4, 0.1).unwrap();
        assert_eq!(beginning(&grid, 0), (vec![(0, 2, 1), (1, 2, 2), (2, 0, 1), (1, 2, 2)], 188));
        let balls = BouncingBalls::new(5, 4, 0.1).unwrap();
        assert_eq!(beginning(&balls, 0), (vec![(0, 3, 15), (15, 7, 0), (0, 3, 15), (15, 1, 24)], 119));
        assert_ne!(beginning(&grid, 0), beginning(&grid, 1));
    }

    #[test]
    fn trajectories_keep_what_was_recorded() {
        let world = Gridworld::new(5, 4, 0.1).unwrap();
        let recorded = rollouts(&world, &Policy::uniform(4).unwrap(), 30, &mut stream(0, "rollouts"));
        let walks = recorded.to_trajectories(&world).unwrap();
        for (steps, episode) in recorded.episodes().zip(walks.episodes()) {
            assert_eq!(steps.len(), episode.len());
            assert_eq!(episode.end() == End::Terminated, steps[steps.len() - 1].done);
            for (step, kept) in steps.iter().zip(episode.steps()) {
                let mut features = [0.0; 2];
                world.describe_state(step.next as usize, &mut features);
                assert_eq!(walks.states().token(kept.next_state).as_features().unwrap(), features);
                world.describe_action(step.action as usize, &mut features);
                assert_eq!(walks.actions().token(kept.action).as_features().unwrap(), features);
                assert_eq!(kept.is_terminated(), step.done);
            }
        }
    }

    #[test]
    fn no_episodes_are_no_episodes() {
        let world = Gridworld::new(5, 4, 0.1).unwrap();
        let none = rollouts(&world, &Policy::uniform(4).unwrap(), 0, &mut stream(0, "rollouts"));
        assert!(none.is_empty() && none.transitions().is_empty() && none.episodes().next().is_none());
    }
}
