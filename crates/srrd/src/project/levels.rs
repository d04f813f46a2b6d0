//! The connected parts of a set of transitions, and which of them are *balanced*.

use super::graph::END;
use crate::run::Pace;

/// The parts that share no state.
#[derive(Clone, Debug)]
pub(crate) struct Components {
    /// The component of every state, numbered from 0 in order of first appearance.
    pub of_state: Vec<u32>,
    /// The level of every state relative to one state of its component; it means something on balanced components only.
    pub level: Vec<i64>,
    /// By component: whether a potential other than 0 exists on it whose shaping vanishes, φ(s) = γφ(s') on every edge, for
    /// 0 < γ < 1. That is so if and only if its states can be given levels such that every edge leads one level on: φ is then
    /// γ to the power of minus the level.
    pub balanced: Vec<bool>,
    /// By component: whether a transition of it ends its episode. Its potential is then 0 where that transition starts, which leaves no
    /// potential whose shaping vanishes.
    pub grounded: Vec<bool>,
}

impl Components {
    /// Near-linear in the number of edges.
    pub fn new(states: usize, edges: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut levels = Levels::new(states);
        let mut grounded_states = Vec::new();
        let mut pace = Pace::default();
        for (source, target) in edges {
            pace.spend(1);
            match target {
                END => grounded_states.push(source as usize),
                target => levels.join(source as usize, target as usize),
            }
        }
        let mut number = vec![u32::MAX; states];
        let mut balanced = Vec::new();
        let (mut of_state, mut level) = (Vec::with_capacity(states), Vec::with_capacity(states));
        for state in 0..states {
            let (root, above) = levels.root(state);
            if number[root] == u32::MAX {
                number[root] = balanced.len() as u32;
                balanced.push(levels.consistent[root]);
            }
            of_state.push(number[root]);
            level.push(above);
        }
        let mut grounded = vec![false; balanced.len()];
        grounded_states.into_iter().for_each(|state| grounded[of_state[state] as usize] = true);
        balanced.iter_mut().zip(&grounded).for_each(|(balanced, grounded)| *balanced &= !grounded);
        Components { of_state, level, balanced, grounded }
    }

    pub fn len(&self) -> usize {
        self.balanced.len()
    }
}

/// Union-find in which every state knows its level relative to its parent.
struct Levels {
    parent: Vec<usize>,
    level: Vec<i64>,
    size: Vec<u32>,
    consistent: Vec<bool>,
}

impl Levels {
    fn new(states: usize) -> Self {
        Levels {
            parent: (0..states).collect(),
            level: vec![0; states],
            size: vec![1; states],
            consistent: vec![true; states],
        }
    }

    /// The root of a state, and the state's level relative to it.
    fn root(&self, state: usize) -> (usize, i64) {
        let (mut here, mut level) = (state, 0);
        while self.parent[here] != here {
            level += self.level[here];
            here = self.parent[here];
        }
        (here, level)
    }

    /// Notes that `target` is one level on from `source`.
    fn join(&mut self, source: usize, target: usize) {
        let ((a, level_a), (b, level_b)) = (self.root(source), self.root(target));
        // By how much the root of the target is above that of the source.
        let above = level_a + 1 - level_b;
        if a == b {
            self.consistent[a] &= above == 0;
            return;
        }
        // The smaller tree goes below the larger one: paths stay short without rewriting them.
        let (root, child, level) = if self.size[a] >= self.size[b] { (a, b, above) } else { (b, a, -above) };
        self.parent[child] = root;
        self.level[child] = level;
        self.size[root] += self.size[child];
        self.consistent[root] &= self.consistent[child];
    }
}
