//! Which transitions rollouts meet, without keeping the rollouts.

use rustc_hash::FxHashSet;
use srrd::{RewardSample, SampleError};

use crate::random::Stream;
use crate::rollout::episode;
use crate::sample::{placed, placed_by_features};
use crate::world::{Triple, World};

/// Spaces of up to so many transitions get a bit each: 64 MB.
const MOST_BITS: u128 = 1 << 29;

/// Collects the distinct transitions of rollouts. Kept for many calls, it spares making room for the marks each time.
///
/// Small spaces have a bit for every transition and, above these, a bit for every word of 64 that holds any: marking is two
/// writes, collecting and clearing costs O(met + space / 4096). Large ones have a hash set, and O(met · log met) to sort it.
///
/// ```
/// use srrd_worlds::{Explorer, Gridworld, Policy, stream};
/// let (world, policy) = (Gridworld::new(4, 4, 0.0)?, Policy::uniform(4)?);
/// let mut explorer = Explorer::new(&world);
/// explorer.explore(&world, &policy, 5, &mut stream(0, "rollouts"));
/// assert!(!explorer.take().is_empty());
/// assert!(explorer.take().is_empty());
/// # Ok::<(), srrd_worlds::WorldError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Explorer {
    states: usize,
    actions: usize,
    seen: Seen,
    /// Transitions that ended an episode. They are few, and may be among those that were seen to go on.
    ended: FxHashSet<Triple>,
}

/// The distinct transitions of rollouts, and which of them end an episode.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Met {
    /// Ascending by (state, action, next state).
    pub transitions: Vec<Triple>,
    /// Whether each ended an episode whenever it was met.
    pub ends: Vec<bool>,
}

impl Met {
    /// All of these transitions, ending as said.
    ///
    /// # Panics
    /// If there is not one mark per transition.
    pub fn new(transitions: Vec<Triple>, ends: Vec<bool>) -> Self {
        assert_eq!(transitions.len(), ends.len(), "one mark per transition");
        Met { transitions, ends }
    }

    /// A reward sample as [`sample_of`](crate::sample_of) makes it, with marks of ends.
    ///
    /// ```
    /// use srrd_worlds::{Gridworld, Policy, met, stream};
    /// let world = Gridworld::new(4, 4, 0.0)?;
    /// let met = met(&world, &Policy::uniform(4)?, 100, &mut stream(0, "rollouts"));
    /// let sample = met.sample(vec![1.0; met.transitions.len()])?;
    /// // From above and from the left into the last corner.
    /// assert_eq!(sample.ends().count(sample.len()), Some(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When there are no transitions, not one reward per transition, or a reward that is not finite.
    pub fn sample(&self, rewards: Vec<f64>) -> Result<RewardSample, SampleError> {
        let (sample, placement) = placed(&self.transitions, &rewards)?;
        sample.with_row_ends(&placement, &self.ends)
    }

    /// A reward sample as [`featured_sample`](crate::featured_sample) makes it, with marks of ends.
    ///
    /// # Errors
    /// When there are no transitions, not one reward per transition, or a reward or a feature that is not finite.
    pub fn featured_sample<W: World>(&self, world: &W, rewards: Vec<f64>) -> Result<RewardSample, SampleError> {
        let (sample, placement) = placed_by_features(world, &self.transitions, &rewards)?;
        sample.with_row_ends(&placement, &self.ends)
    }
}

#[derive(Clone, Debug)]
enum Seen {
    Bits { words: Vec<u64>, touched: Vec<u64> },
    Hashed(FxHashSet<Triple>),
}

impl Explorer {
    /// For the transitions of a world.
    pub fn new<W: World>(world: &W) -> Self {
        Self::with_limit(world.states(), world.actions(), MOST_BITS)
    }

    fn with_limit(states: usize, actions: usize, most_bits: u128) -> Self {
        let space = (states as u128).saturating_mul(actions as u128).saturating_mul(states as u128);
        let seen = if space <= most_bits.min(MOST_BITS) {
            let words = (space as usize).div_ceil(64);
            Seen::Bits { words: vec![0; words], touched: vec![0; words.div_ceil(64)] }
        } else {
            Seen::Hashed(FxHashSet::default())
        };
        Explorer { states, actions, seen, ended: FxHashSet::default() }
    }

    /// Plays `count` episodes and marks what they meet.
    ///
    /// # Panics
    /// If the world has other numbers of states and actions than the one this was made for, or breaks its word on them.
    pub fn explore<W: World>(&mut self, world: &W, agent: &W::Agent, count: usize, rng: &mut Stream) {
        assert_eq!((world.states(), world.actions()), (self.states, self.actions), "an explorer is for one world");
        for _ in 0..count {
            episode(world, agent, rng, |triple, step| match step.done {
                true => self.mark_end(triple),
                false => self.mark(triple),
            });
        }
    }

    /// Marks a transition that ended an episode.
    ///
    /// # Panics
    /// If the transition is not of the world this was made for.
    pub(crate) fn mark_end(&mut self, transition: Triple) {
        self.check(transition);
        self.ended.insert(transition);
    }

    #[inline]
    fn check(&self, transition: Triple) {
        let Triple { state, action, next } = transition;
        assert!(
            (state as usize) < self.states && (action as usize) < self.actions && (next as usize) < self.states,
            "{transition:?} is not of this world"
        );
    }

    /// Marks a transition after which the episode went on.
    ///
    /// # Panics
    /// If the transition is not of the world this was made for.
    #[inline]
    pub(crate) fn mark(&mut self, transition: Triple) {
        self.check(transition);
        let Triple { state, action, next } = transition;
        let (state, action, next) = (state as usize, action as usize, next as usize);
        match &mut self.seen {
            Seen::Bits { words, touched } => {
                let number = (state * self.actions + action) * self.states + next;
                words[number / 64] |= 1 << (number % 64);
                touched[number / 4096] |= 1 << (number / 64 % 64);
            }
            Seen::Hashed(set) => {
                set.insert(transition);
            }
        }
    }

    /// What was marked since the last time, ascending by (state, action, next state). The marks are gone then.
    pub fn take(&mut self) -> Vec<Triple> {
        self.take_met().transitions
    }

    /// The same, with which of them end an episode. One that went on at least once does not.
    pub(crate) fn take_met(&mut self) -> Met {
        let going_on = self.take_going_on();
        let mut ended: Vec<Triple> = self.ended.drain().filter(|t| going_on.binary_search(t).is_err()).collect();
        ended.sort_unstable();
        let mut met = Met { ends: vec![false; going_on.len()], transitions: going_on };
        for transition in ended.into_iter().rev() {
            let place = met.transitions.partition_point(|t| *t < transition);
            met.transitions.insert(place, transition);
            met.ends.insert(place, true);
        }
        met
    }

    fn take_going_on(&mut self) -> Vec<Triple> {
        match &mut self.seen {
            Seen::Hashed(set) => {
                let mut triples: Vec<Triple> = set.drain().collect();
                triples.sort_unstable();
                triples
            }
            Seen::Bits { words, touched } => {
                // All numbers are below 2²⁹; narrow division is the faster one.
                let (states, actions) = (self.states as u32, self.actions as u32);
                let mut triples = Vec::new();
                for (block, marks) in touched.iter_mut().enumerate() {
                    for word in bits(std::mem::take(marks)).map(|bit| block * 64 + bit) {
                        for bit in bits(std::mem::take(&mut words[word])) {
                            let number = (word * 64 + bit) as u32;
                            let (pair, next) = (number / states, number % states);
                            triples.push(Triple { state: pair / actions, action: pair % actions, next });
                        }
                    }
                }
                triples
            }
        }
    }
}

/// The positions of the bits set in a word, ascending.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        (word != 0).then(|| word &= word - 1).map(|()| bit)
    })
}

/// The distinct transitions of `count` rollouts in ascending (state, action, next) order, without keeping the episodes.
///
/// The same as [`rollouts`](crate::rollouts)`(…).transitions()`. Who calls this often keeps an [`Explorer`].
///
/// ```
/// use srrd_worlds::{Gridworld, Policy, explore, stream};
/// let world = Gridworld::new(4, 4, 0.0)?;
/// let met = explore(&world, &Policy::uniform(4)?, 100, &mut stream(0, "rollouts"));
/// assert_eq!(met.len(), world.feasible());
/// # Ok::<(), srrd_worlds::WorldError>(())
/// ```
pub fn explore<W: World>(world: &W, agent: &W::Agent, count: usize, rng: &mut Stream) -> Vec<Triple> {
    let mut explorer = Explorer::new(world);
    explorer.explore(world, agent, count, rng);
    explorer.take()
}

/// The same as [`explore`], with which transitions end an episode.
///
/// ```
/// use srrd_worlds::{Gridworld, Policy, met, stream};
/// let world = Gridworld::new(4, 4, 0.0)?;
/// let met = met(&world, &Policy::uniform(4)?, 100, &mut stream(0, "rollouts"));
/// assert!(met.transitions.iter().zip(&met.ends).all(|(transition, ends)| *ends == (transition.next == 15)));
/// # Ok::<(), srrd_worlds::WorldError>(())
/// ```
pub fn met<W: World>(world: &W, agent: &W::Agent, count: usize, rng: &mut Stream) -> Met {
    let mut explorer = Explorer::new(world);
    explorer.explore(world, agent, count, rng);
    explorer.take_met()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use crate::rollout::rollouts;
    use crate::{BouncingBalls, Gridworld, Policy};
    use proptest::prelude::*;

    /// Explores twice with one explorer, so that marks which are left behind would show.
    fn check<W: World<Agent = Policy>>(world: &W, count: usize, seed: u64, most_bits: u128) {
        let policy = Policy::uniform(world.actions()).unwrap();
        let mut explorer = Explorer::with_limit(world.states(), world.actions(), most_bits);
        assert_eq!(matches!(explorer.seen, Seen::Hashed(_)), most_bits == 0);
        let (mut one, mut other) = (stream(seed, "test"), stream(seed, "test"));
        for _ in 0..2 {
            explorer.explore(world, &policy, count, &mut one);
            let met = explorer.take();
            assert_eq!(met, rollouts(world, &policy, count, &mut other).transitions());
            assert!(met.is_sorted());
        }
        let (mut one, mut other) = (stream(seed, "test"), stream(seed, "test"));
        assert_eq!(explore(world, &policy, count, &mut one), rollouts(world, &policy, count, &mut other).transitions());
    }

    proptest! {
        #[test]
        fn exploring_is_rolling_out_without_repetitions(
            width in 1usize..9, height in 2usize..9, epsilon in 0.0..1.0, count in 0usize..6, seed: u64, bits: bool,
        ) {
            let limit = if bits { MOST_BITS } else { 0 };
            check(&Gridworld::new(width, height, epsilon).unwrap(), count, seed, limit);
            check(&BouncingBalls::new(width, height, epsilon).unwrap(), count, seed, limit);
        }
    }

    #[test]
    fn spaces_beyond_the_limit_are_hashed() {
        let world = Gridworld::new(1000, 1000, 0.5).unwrap();
        assert!(matches!(Explorer::new(&world).seen, Seen::Hashed(_)));
        check(&world, 20, 0, 0);
    }

    #[test]
    fn several_calls_add_up() {
        let world = Gridworld::new(6, 6, 0.3).unwrap();
        let policy = Policy::uniform(4).unwrap();
        let mut explorer = Explorer::new(&world);
        let mut rng = stream(0, "test");
        explorer.explore(&world, &policy, 3, &mut rng);
        explorer.explore(&world, &policy, 4, &mut rng);
        assert_eq!(explorer.take(), explore(&world, &policy, 7, &mut stream(0, "test")));
        assert_eq!(explorer.take(), []);
    }
}
