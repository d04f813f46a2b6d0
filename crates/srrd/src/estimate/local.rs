//! Sets and maps of a few states that are emptied in no time, to be used for one state after the other.

use crate::graph::Graph;

/// A set of states.
pub(crate) trait StateSet: Send {
    /// Empties the set and makes room for so many states.
    fn begin(&mut self, most: impl FnOnce() -> usize);

    /// Adds a state; false if it was there.
    fn insert(&mut self, state: u32) -> bool;
}

/// A set with a place for every state of the graph, which is there if its place carries the current round.
pub(crate) struct Stamps {
    rounds: Vec<u32>,
    round: u32,
}

impl Stamps {
    /// Whether all threads together can have such sets and not take much more memory than the graph.
    pub fn suit(graph: &Graph) -> bool {
        graph.states() * rayon::current_num_threads() <= graph.edges()
    }

    /// An empty set for states below `states`.
    pub fn new(states: usize) -> Self {
        Stamps { rounds: vec![0; states], round: 0 }
    }
}

impl StateSet for Stamps {
    #[inline]
    fn begin(&mut self, _most: impl FnOnce() -> usize) {
        if self.round == u32::MAX {
            self.rounds.fill(0);
            self.round = 0;
        }
        self.round += 1;
    }

    #[inline]
    fn insert(&mut self, state: u32) -> bool {
        std::mem::replace(&mut self.rounds[state as usize], self.round) != self.round
    }
}

/// A map from states to numbers: an open-addressing table, of which an entry counts only if it carries the current round. The
/// neighbourhood of one state fits into the first-level cache however large the graph is.
pub(crate) struct LocalMap {
    /// No more states than this are ever there.
    states: usize,
    entries: Vec<Entry>,
    round: u32,
    factor: u32,
    shift: u32,
    mask: usize,
}

/// Up to so many states every one has a place of its own (256 kB), and nothing ever collides.
const DIRECT: usize = 1 << 14;

#[derive(Clone, Copy, Default)]
struct Entry {
    round: u32,
    state: u32,
    value: f64,
}

impl LocalMap {
    /// An empty map for states below `states`.
    pub fn new(states: usize) -> Self {
        if states <= DIRECT {
            let size = states.next_power_of_two();
            return LocalMap {
                states,
                entries: vec![Entry::default(); size],
                round: 0,
                factor: 1,
                shift: 0,
                mask: size - 1,
            };
        }
        // Fibonacci hashing: neighbouring ids, as grids have them, go far apart.
        LocalMap { states, entries: vec![Entry::default(); 64], round: 0, factor: 0x9E37_79B9, shift: 26, mask: 63 }
    }

    /// The place of a state, and whether it is there already.
    #[inline]
    fn find(&self, state: u32) -> (usize, bool) {
        let mut place = (state.wrapping_mul(self.factor) >> self.shift) as usize & self.mask;
        loop {
            let entry = &self.entries[place];
            if entry.round != self.round {
                return (place, false);
            }
            if entry.state == state {
                return (place, true);
            }
            place = (place + 1) & self.mask;
        }
    }

    /// Adds to the number of a state, which starts at 0.
    #[inline]
    pub fn add(&mut self, state: u32, value: f64) {
        let (place, known) = self.find(state);
        if known {
            self.entries[place].value += value;
        } else {
            self.entries[place] = Entry { round: self.round, state, value: 0.0 + value };
        }
    }

    /// The number of a state; 0 if it is not there.
    #[inline]
    pub fn get(&self, state: u32) -> f64 {
        let (place, known) = self.find(state);
        if known { self.entries[place].value } else { 0.0 }
    }
}

impl StateSet for LocalMap {
    #[inline]
    fn begin(&mut self, most: impl FnOnce() -> usize) {
        let direct = self.factor == 1;
        let size = if direct { self.entries.len() } else { (2 * most().min(self.states)).next_power_of_two().max(16) };
        if size > self.entries.len() || self.round == u32::MAX {
            self.entries = vec![Entry::default(); size.max(self.entries.len())];
            self.round = 0;
        }
        self.round += 1;
        if !direct {
            self.mask = size - 1;
            self.shift = 32 - size.trailing_zeros().min(31);
        }
    }

    #[inline]
    fn insert(&mut self, state: u32) -> bool {
        let (place, known) = self.find(state);
        if !known {
            self.entries[place] = Entry { round: self.round, state, value: 0.0 };
        }
        !known
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn rounds_start_empty_and_sums_add_up() {
        check(LocalMap::new(u32::MAX as usize), 1_000_003, u32::MAX);
        check(LocalMap::new(300), 1, 299);
    }

    #[test]
    fn stamps_are_a_set_in_every_round() {
        let mut set = Stamps::new(10);
        set.round = u32::MAX - 3;
        for _ in 0..10 {
            set.begin(|| 3);
            assert_eq!([4, 9, 4, 0, 9].map(|state| set.insert(state)), [true, true, false, true, false]);
        }
    }

    fn check(mut map: LocalMap, spread: u32, other: u32) {
        for round in 1..200u32 {
            map.begin(|| round as usize + 1);
            let mut expected: HashMap<u32, f64> = HashMap::new();
            for i in 0..3 * round {
                let state = i * 7919 % round * spread;
                assert_eq!(map.get(state), expected.get(&state).copied().unwrap_or(0.0));
                map.add(state, f64::from(i));
                *expected.entry(state).or_default() += f64::from(i);
                assert_eq!(map.get(state), expected[&state]);
                assert!(!map.insert(state));
            }
            assert!(map.insert(other));
            assert_eq!(map.get(other), 0.0);
        }
    }
}
