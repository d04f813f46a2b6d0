//! What potential shaping adds to returns, and returns without it.
//!
//! Along an episode shaping adds γφ(s') − φ(s) at every step. Discounted and summed that is γ^T φ(s_T) − φ(s_0): only where it starts and
//! ends counts. Where the task was over, what it ended in has potential 0, and −φ(s_0) is left. So returns are a least-squares problem with
//! one row per episode and the potentials of first and last states as unknowns, and what it leaves does not change with any shaping.

use crate::run::checkpoint;
use crate::sparse::dot;
use crate::trajectories::{End, Trajectories};

/// Shaping of the returns of some episodes.
#[derive(Clone, Debug)]
pub(super) struct ReturnShaping {
    rows: Vec<Row>,
    unknowns: usize,
    rank: usize,
}

/// Where an episode starts and ends.
#[derive(Clone, Copy, Debug)]
struct Row {
    start: u32,
    /// The last state, γ^T and T; `None` where its potential does not count.
    end: Option<(u32, f64, usize)>,
}

/// When what the equations leave is so small a part, they are solved; sums over n episodes are rounded by sqrt(n) times a tenth of it.
const SOLVED: f64 = 1e-14;

impl ReturnShaping {
    /// Of some episodes, in their order.
    pub fn new(walks: &Trajectories, episodes: impl Iterator<Item = usize>, gamma: f64) -> Self {
        let mut number = vec![u32::MAX; walks.states().len()];
        let mut unknowns = 0;
        let mut unknown = |state: u32| {
            let number = &mut number[state as usize];
            if *number == u32::MAX {
                *number = unknowns;
                unknowns += 1;
            }
            *number
        };
        let mut rows = Vec::new();
        for index in episodes {
            let episode = walks.episode(index);
            let (states, length) = (episode.states(), episode.len());
            let discount = gamma.powf(length as f64);
            let start = unknown(states[0]);
            let counts = episode.end() != End::Terminated && discount > 0.0;
            let end = counts.then(|| (unknown(states[length]), discount, length));
            rows.push(Row { start, end });
        }
        let unknowns = unknowns as usize;
        let rank = rank(&rows, unknowns, gamma < 1.0);
        ReturnShaping { rows, unknowns, rank }
    }

    /// How many dimensions shaping has.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Returns without what shaping explains of them. Conjugate gradients on the normal equations, in units of the columns' lengths: few
    /// steps, since most episodes start in a few states. O(episodes) per step.
    pub fn without(&self, returns: &[f64]) -> Vec<f64> {
        let mut squares = vec![0.0; self.unknowns];
        self.rows.iter().for_each(|row| self.each(row, |state, c| squares[state] += c * c));
        let unit: Vec<f64> = squares.iter().map(|s: &f64| if *s > 0.0 { 1.0 / s.sqrt() } else { 0.0 }).collect();
        let mut left = returns.to_vec();
        // What rounding left of the first solution is the right-hand side of the next.
        for _ in 0..3 {
            self.solve(&mut left, &unit);
        }
        left
    }

    fn solve(&self, left: &mut [f64], unit: &[f64]) {
        let mut gradient = self.back(left, unit);
        let mut direction = gradient.clone();
        let solved = SOLVED * (1.0 + 0.1 * (left.len() as f64).sqrt());
        let (mut square, first) = (dot(&gradient, &gradient), dot(left, left));
        for _ in 0..2 * self.unknowns + 10 {
            checkpoint();
            if square <= solved * solved * first {
                return;
            }
            let change = self.forth(&direction, unit);
            let length = square / dot(&change, &change);
            left.iter_mut().zip(&change).for_each(|(l, c)| *l -= length * c);
            gradient = self.back(left, unit);
            let next = dot(&gradient, &gradient);
            direction.iter_mut().zip(&gradient).for_each(|(d, g)| *d = g + next / square * *d);
            square = next;
        }
    }

    fn each(&self, row: &Row, mut f: impl FnMut(usize, f64)) {
        match row.end {
            // One state with both coefficients.
            Some((end, discount, _)) if end == row.start => f(end as usize, discount - 1.0),
            Some((end, discount, _)) => {
                f(row.start as usize, -1.0);
                f(end as usize, discount);
            }
            None => f(row.start as usize, -1.0),
        }
    }

    fn forth(&self, potential: &[f64], unit: &[f64]) -> Vec<f64> {
        let value = |row: &Row| {
            let mut sum = 0.0;
            self.each(row, |state, c| sum += c * unit[state] * potential[state]);
            sum
        };
        self.rows.iter().map(value).collect()
    }

    fn back(&self, values: &[f64], unit: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.unknowns];
        self.rows.iter().zip(values).for_each(|(row, v)| self.each(row, |state, c| sums[state] += c * v));
        sums.iter_mut().zip(unit).for_each(|(sum, unit)| *sum *= unit);
        sums
    }
}

/// The rank of the equations, counted: every state that occurs is a dimension, but for one per component in which potentials can be so
/// chosen that they add to no return. That is the case where no episode of it ended its task, and the lengths agree: with γ < 1 every state
/// has a level, and an episode of T steps leads T levels on.
fn rank(rows: &[Row], unknowns: usize, discounted: bool) -> usize {
    let mut parent: Vec<u32> = (0..unknowns as u32).collect();
    // The level of a state beside that of its parent.
    let mut level = vec![0i64; unknowns];
    let mut whole = vec![false; unknowns];
    // The root, and the level beside it.
    fn find(parent: &mut [u32], level: &mut [i64], state: u32) -> (u32, i64) {
        let (mut root, mut total) = (state, 0);
        while parent[root as usize] != root {
            total += level[root as usize];
            root = parent[root as usize];
        }
        let (mut at, mut left) = (state, total);
        while parent[at as usize] != root && at != root {
            let (next, step) = (parent[at as usize], level[at as usize]);
            (parent[at as usize], level[at as usize]) = (root, left);
            left -= step;
            at = next;
        }
        (root, total)
    }
    for row in rows {
        let (start, from) = find(&mut parent, &mut level, row.start);
        let Some((end, _, length)) = row.end else {
            whole[start as usize] = true;
            continue;
        };
        let (end, to) = find(&mut parent, &mut level, end);
        let expected = if discounted { from + length as i64 } else { from };
        let to = if discounted { to } else { from };
        if start == end {
            whole[start as usize] |= to != expected;
        } else {
            // level(end) = level(start) + length, both counted from the one root from now on.
            parent[end as usize] = start;
            level[end as usize] = expected - to;
            whole[start as usize] |= whole[end as usize];
        }
    }
    let components = (0..unknowns).filter(|&state| parent[state] == state as u32);
    unknowns - components.filter(|&root| !whole[root]).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn random(rng: &mut ChaCha8Rng) -> (Trajectories, f64) {
        let gamma = [0.0, 0.5, 0.9, 1.0][rng.random_range(0..4)];
        let states = rng.random_range(1..8u32);
        let mut builder = Trajectories::builder();
        for _ in 0..rng.random_range(1..30) {
            let length = rng.random_range(0..4);
            let states: Vec<u32> = (0..=length).map(|_| rng.random_range(0..states)).collect();
            let end = [End::Terminated, End::Truncated, End::Unknown][rng.random_range(0..3)];
            builder.push_episode(&states, &vec![0; length], None, end).unwrap();
        }
        (builder.build(), gamma)
    }

    /// The columns of the equations, one per state.
    fn columns(walks: &Trajectories, gamma: f64) -> Vec<Vec<f64>> {
        let column = |state: u32| {
            let value = |episode: crate::trajectories::Episode<'_>| {
                let (states, length) = (episode.states(), episode.len());
                let start = if states[0] == state { -1.0 } else { 0.0 };
                let end = states[length] == state && episode.end() != End::Terminated;
                start + if end { gamma.powi(length as i32) } else { 0.0 }
            };
            walks.episodes().map(value).collect()
        };
        (0..walks.states().len() as u32).map(column).collect()
    }

    #[test]
    fn what_is_left_is_the_rest_of_a_projection() {
        let mut rng = ChaCha8Rng::seed_from_u64(12);
        for _ in 0..1000 {
            let (walks, gamma) = random(&mut rng);
            let returns: Vec<f64> = (0..walks.len()).map(|_| rng.random_range(-1.0..1.0)).collect();
            let shaping = ReturnShaping::new(&walks, 0..walks.len(), gamma);
            // Gram and Schmidt.
            let mut basis: Vec<Vec<f64>> = Vec::new();
            let reduce = |v: &[f64], basis: &[Vec<f64>]| {
                let mut left = v.to_vec();
                for one in basis.iter().chain(basis) {
                    let along = dot(one, &left);
                    left.iter_mut().zip(one).for_each(|(l, o)| *l -= along * o);
                }
                left
            };
            for column in columns(&walks, gamma) {
                let left = reduce(&column, &basis);
                let length = dot(&left, &left).sqrt();
                if length > 1e-9 {
                    basis.push(left.iter().map(|l| l / length).collect());
                }
            }
            assert_eq!(shaping.rank(), basis.len(), "{gamma}");
            let (found, expected) = (shaping.without(&returns), reduce(&returns, &basis));
            let apart = found.iter().zip(&expected).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
            assert!(apart < 1e-10, "{apart} {gamma}");
        }
    }
}
