//! Which transitions rollouts meet, without keeping the rollouts.

use rustc_hash::FxHashSet;

use crate::random::Stream;
use crate::rollout::episode;
use crate::world::{Triple, World};

/// Spaces of up to so many transitions get a bit each: 64 MB.
const MOST_BITS: u128 = 1 << 29;

/// Collects the distinct transitions of rollouts. Kept for many calls, it spares making room for the marks each time.
///
/// Small spaces have a bit for every transition and, above these, a bit for every word of 64 that holds any: marking is two
/// writes, collecting and clearing costs O(met + space / 4096). Large ones have a hash set, and O(met · log met) to sort it.
#[derive(Clone, Debug)]
pub struct Explorer {
    states: usize,
    actions: usize,
    seen: Seen,
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
        Explorer { states, actions, seen }
    }

    /// Plays `count` episodes and marks what they meet.
    ///
    /// # Panics
    /// If the world has other numbers of states and actions than the one this was made for, or breaks its word on them.
    pub fn explore<W: World>(&mut self, world: &W, agent: &W::Agent, count: usize, rng: &mut Stream) {
        assert_eq!((world.states(), world.actions()), (self.states, self.actions), "an explorer is for one world");
        let (states, actions) = (self.states, self.actions);
        for _ in 0..count {
            // The choice is made once an episode, not once a step.
            match &mut self.seen {
                Seen::Bits { words, touched } => episode(world, agent, rng, |triple, _| {
                    let Triple { state, action, next } = triple;
                    let (state, action, next) = (state as usize, action as usize, next as usize);
                    assert!(state < states && action < actions && next < states, "{triple:?} is not of this world");
                    let number = (state * actions + action) * states + next;
                    words[number / 64] |= 1 << (number % 64);
                    touched[number / 4096] |= 1 << (number / 64 % 64);
                }),
                Seen::Hashed(set) => episode(world, agent, rng, |triple, _| {
                    set.insert(triple);
                }),
            }
        }
    }

    /// What was marked since the last time, ascending by (state, action, next state). The marks are gone then.
    pub fn take(&mut self) -> Vec<Triple> {
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
pub fn explore<W: World>(world: &W, agent: &W::Agent, count: usize, rng: &mut Stream) -> Vec<Triple> {
    let mut explorer = Explorer::new(world);
    explorer.explore(world, agent, count, rng);
    explorer.take()
}
