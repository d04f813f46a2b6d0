//! Potential shaping as a linear space, and rewards without their part in it.
//!
//! On a set of transitions every potential shaping is a vector γφ(s') − φ(s): the columns of a sparse matrix A with at most two
//! entries a row, −1 at s and γ at s'. What is left of rewards r after the least-squares projection on all such vectors,
//! r − A(AᵀA)⁺Aᵀr, does not change when shaping is added to them, whatever the transitions are.

use crate::parallel;

/// The space of shaping vectors on some transitions.
#[derive(Clone, Debug)]
pub(crate) struct ShapingSpace {
    gamma: f64,
    /// Distinct pairs of states, with how many transitions have them.
    edges: Vec<Edge>,
    /// The edge of every transition.
    edge_of: Vec<u32>,
    /// The diagonal of AᵀA, by state.
    diagonal: Vec<f64>,
    rank: usize,
    components: usize,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    source: u32,
    target: u32,
    count: f64,
}

impl ShapingSpace {
    /// The space on transitions given as pairs of state numbers. Those of the same pair should lie side by side: they then
    /// cost as much as one.
    pub fn new(pairs: impl Iterator<Item = (u32, u32)>, gamma: f64) -> Self {
        let mut edges: Vec<Edge> = Vec::new();
        let mut edge_of = Vec::new();
        let mut numbers = Numbers::default();
        for (s, t) in pairs {
            let (source, target) = (numbers.of(s), numbers.of(t));
            match edges.last_mut() {
                Some(last) if (last.source, last.target) == (source, target) => last.count += 1.0,
                _ => edges.push(Edge { source, target, count: 1.0 }),
            }
            edge_of.push(edges.len() as u32 - 1);
        }
        let states = numbers.len();
        let mut diagonal = vec![0.0; states];
        for edge in &edges {
            if edge.source == edge.target {
                diagonal[edge.source as usize] += edge.count * (gamma - 1.0) * (gamma - 1.0);
            } else {
                diagonal[edge.source as usize] += edge.count;
                diagonal[edge.target as usize] += edge.count * gamma * gamma;
            }
        }
        let (components, balanced) = balance(states, &edges, gamma);
        let rank = if gamma == 0.0 {
            // Only the states that start transitions have a column.
            diagonal.iter().filter(|d| **d > 0.0).count()
        } else {
            states - balanced
        };
        ShapingSpace { gamma, edges, edge_of, diagonal, rank, components }
    }

    /// The dimension of the space.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many parts the transitions fall into that share no state.
    pub fn components(&self) -> usize {
        self.components
    }

    /// Transitions minus rank: what shaping cannot explain has so many dimensions.
    pub fn degrees_of_freedom(&self) -> usize {
        self.edge_of.len() - self.rank
    }

    /// The values without their projection on the space.
    ///
    /// Conjugate gradients on the normal equations (in the form that never builds AᵀA), scaled by its diagonal; a second round on
    /// what the first one left takes out its rounding. O(edges) an iteration, of which there are about as many as the condition
    /// number of A: a few dozen unless γ is close to 1 and the transitions form long chains.
    pub fn residual(&self, values: &[f64]) -> Vec<f64> {
        let mut means = vec![0.0; self.edges.len()];
        for (&e, value) in self.edge_of.iter().zip(values) {
            means[e as usize] += value;
        }
        means.iter_mut().zip(&self.edges).for_each(|(mean, edge)| *mean /= edge.count);
        let mut explained = vec![0.0; self.edges.len()];
        let enough = TOLERANCE * TOLERANCE * self.squared(&means);
        for _ in 0..2 {
            let potential = self.solve(&means, enough);
            let part = self.shaping(&potential);
            for (e, part) in part.into_iter().enumerate() {
                means[e] -= part;
                explained[e] += part;
            }
        }
        self.edge_of.iter().zip(values).map(|(&e, value)| value - explained[e as usize]).collect()
    }

    /// A φ, by edge.
    fn shaping(&self, potential: &[f64]) -> Vec<f64> {
        parallel::map(self.edges.len(), |e| {
            let Edge { source, target, .. } = self.edges[e];
            self.gamma * potential[target as usize] - potential[source as usize]
        })
    }

    /// Aᵀ v, every edge counted as often as it has transitions.
    fn gather(&self, by_edge: &[f64]) -> Vec<f64> {
        let mut by_state = vec![0.0; self.diagonal.len()];
        for (edge, value) in self.edges.iter().zip(by_edge) {
            by_state[edge.target as usize] += self.gamma * edge.count * value;
            by_state[edge.source as usize] -= edge.count * value;
        }
        by_state
    }

    /// Σ v², every edge counted as often as it has transitions.
    fn squared(&self, by_edge: &[f64]) -> f64 {
        by_edge.iter().zip(&self.edges).map(|(v, edge)| edge.count * v * v).sum()
    }

    /// The potential whose shaping is closest to the values: the gradient of the squared distance, scaled, is `enough` or less.
    fn solve(&self, values: &[f64], enough: f64) -> Vec<f64> {
        let states = self.diagonal.len();
        let scaled = |gradient: &[f64]| -> Vec<f64> {
            let pairs = gradient.iter().zip(&self.diagonal);
            pairs.map(|(g, &d)| if d > 0.0 { g / d } else { 0.0 }).collect()
        };
        let mut potential = vec![0.0; states];
        let mut rest = values.to_vec();
        let mut gradient = self.gather(&rest);
        let mut direction = scaled(&gradient);
        let mut size = dot(&gradient, &direction);
        for _ in 0..20 * states + 100 {
            if size <= enough {
                break;
            }
            let change = self.shaping(&direction);
            let curvature = self.squared(&change);
            if curvature <= 0.0 {
                break;
            }
            let step = size / curvature;
            potential.iter_mut().zip(&direction).for_each(|(p, d)| *p += step * d);
            rest.iter_mut().zip(&change).for_each(|(r, c)| *r -= step * c);
            gradient = self.gather(&rest);
            let downhill = scaled(&gradient);
            let next = dot(&gradient, &downhill);
            let keep = next / size;
            direction.iter_mut().zip(&downhill).for_each(|(d, h)| *d = h + keep * *d);
            size = next;
        }
        potential
    }
}

/// How small the gradient must get, relative to the values: some times what rounding makes of it.
const TOLERANCE: f64 = 1e-14;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Numbers states from 0 in order of appearance.
#[derive(Default)]
struct Numbers {
    known: rustc_hash::FxHashMap<u32, u32>,
}

impl Numbers {
    fn of(&mut self, state: u32) -> u32 {
        let next = self.known.len() as u32;
        *self.known.entry(state).or_insert(next)
    }

    fn len(&self) -> usize {
        self.known.len()
    }
}

/// How many connected components there are, and how many of them are *balanced*: a potential other than 0 exists on them whose
/// shaping vanishes, φ(s) = γφ(s') on every edge. With γ = 1 that is every one (a constant); with 0 < γ < 1 those whose states can
/// be given levels such that every edge leads one level on. Each balanced component takes one dimension from the space.
fn balance(states: usize, edges: &[Edge], gamma: f64) -> (usize, usize) {
    let mut levels = Levels::new(states);
    for edge in edges {
        levels.join(edge.source as usize, edge.target as usize);
    }
    let roots: Vec<usize> = (0..states).filter(|&x| levels.parent[x] == x).collect();
    let balanced = roots.iter().filter(|&&x| gamma == 1.0 || levels.consistent[x]).count();
    (roots.len(), balanced)
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The residual by Gram-Schmidt on the columns of A, twice: dense, slow and independent of the above. Also the rank.
    fn dense(pairs: &[(u32, u32)], gamma: f64, values: &[f64]) -> (Vec<f64>, usize) {
        let states = pairs.iter().flat_map(|&(s, t)| [s, t]).max().unwrap() + 1;
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for state in 0..states {
            let entry = |&(s, t): &(u32, u32)| f64::from(t == state) * gamma - f64::from(s == state);
            let mut column: Vec<f64> = pairs.iter().map(entry).collect();
            let before = dot(&column, &column).sqrt();
            for _ in 0..3 {
                for b in &basis {
                    let part = dot(&column, b);
                    column.iter_mut().zip(b).for_each(|(c, b)| *c -= part * b);
                }
            }
            let length = dot(&column, &column).sqrt();
            if length > 1e-9 * before.max(1e-30) {
                basis.push(column.iter().map(|c| c / length).collect());
            }
        }
        let mut rest = values.to_vec();
        for _ in 0..2 {
            for b in &basis {
                let part = dot(&rest, b);
                rest.iter_mut().zip(b).for_each(|(r, b)| *r -= part * b);
            }
        }
        (rest, basis.len())
    }

    proptest! {
        #[test]
        fn residual_and_rank_equal_dense_least_squares(
            mut pairs in prop::collection::vec((0..14u32, 0..14u32), 1..50), islands in any::<bool>(),
            values in prop::collection::vec(-5.0..5.0f64, 50),
            gamma in prop_oneof![Just(0.0), Just(1.0), Just(0.5), 0.05..0.97f64],
        ) {
            if islands {
                pairs.iter_mut().for_each(|(s, t)| *t = *t / 7 * 7 + *s % 7);
            }
            pairs.sort_unstable();
            let values = &values[..pairs.len()];
            let space = ShapingSpace::new(pairs.iter().copied(), gamma);
            let (expected, rank) = dense(&pairs, gamma, values);
            prop_assert_eq!(space.rank(), rank);
            for (found, expected) in space.residual(values).iter().zip(&expected) {
                prop_assert!((found - expected).abs() < 1e-8, "{found} is not {expected}");
            }
        }

        #[test]
        fn shaping_leaves_nothing(
            mut pairs in prop::collection::vec((0..20u32, 0..20u32), 1..80),
            potential in prop::collection::vec(-20.0..20.0f64, 20), gamma in 0.0..=1.0f64,
        ) {
            pairs.sort_unstable();
            let space = ShapingSpace::new(pairs.iter().copied(), gamma);
            let shaping: Vec<f64> =
                pairs.iter().map(|&(s, t)| gamma * potential[t as usize] - potential[s as usize]).collect();
            prop_assert!(space.residual(&shaping).iter().all(|r| r.abs() < 1e-9));
        }
    }

    #[test]
    fn rank_counts_balanced_components() {
        // A chain is balanced for every γ, a cycle only for γ = 1, a self-loop is one.
        let rank = |pairs: &[(u32, u32)], gamma: f64| {
            let space = ShapingSpace::new(pairs.iter().copied(), gamma);
            (space.rank(), space.components(), space.degrees_of_freedom())
        };
        assert_eq!(rank(&[(0, 1), (1, 2), (5, 6)], 0.5), (3, 2, 0));
        assert_eq!(rank(&[(0, 1), (1, 2), (2, 0)], 0.5), (3, 1, 0));
        assert_eq!(rank(&[(0, 1), (1, 2), (2, 0)], 1.0), (2, 1, 1));
        assert_eq!(rank(&[(0, 0)], 0.5), (1, 1, 0));
        assert_eq!(rank(&[(0, 0)], 1.0), (0, 1, 1));
        // Two ways of the same length between two states are still balanced; of different lengths they are not.
        assert_eq!(rank(&[(0, 1), (0, 2), (1, 3), (2, 3)], 0.5), (3, 1, 1));
        assert_eq!(rank(&[(0, 1), (0, 3), (1, 3)], 0.5), (3, 1, 0));
        // γ = 0 shapes by the state that is left alone.
        assert_eq!(rank(&[(0, 1), (0, 2), (1, 2)], 0.0), (2, 1, 1));
    }
}
