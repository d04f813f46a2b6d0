//! Episodes, and many of them.

use crate::random::Stream;
use crate::world::{Step, Triple, World};

/// Plays one episode: `visit` sees every transition with what happened in its step.
///
/// An episode ends with a step that is done, or after [`World::horizon`] steps.
#[inline]
pub fn episode<W: World>(world: &W, agent: &W::Agent, rng: &mut Stream, mut visit: impl FnMut(Triple, Step)) {
    let mut full = world.start(rng);
    let mut state = world.observe(&full) as u32;
    for _ in 0..world.horizon() {
        let step = world.advance(&mut full, agent, rng);
        let next = world.observe(&full) as u32;
        visit(Triple { state, action: step.action as u32, next }, step);
        state = next;
        if step.done {
            break;
        }
    }
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

/// Recorded episodes. 24 bytes a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectories {
    steps: Vec<TrajectoryStep>,
    /// Where every episode ends in `steps`.
    ends: Vec<usize>,
}

impl Trajectories {
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
}

/// Plays and records `count` episodes.
pub fn rollouts<W: World>(world: &W, agent: &W::Agent, count: usize, rng: &mut Stream) -> Trajectories {
    let mut recorded = Trajectories::default();
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
    fn no_episodes_are_no_episodes() {
        let world = Gridworld::new(5, 4, 0.1).unwrap();
        let none = rollouts(&world, &Policy::uniform(4).unwrap(), 0, &mut stream(0, "rollouts"));
        assert!(none.is_empty() && none.transitions().is_empty() && none.episodes().next().is_none());
    }
}
