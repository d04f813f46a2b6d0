//! The Gridworld: a walk from one corner of a grid to the opposite one.

use crate::error::WorldError;
use crate::grid::Grid;
use crate::policy::{Policy, any_of};
use crate::random::{Chance, Stream, below};
use crate::world::{Step, World};

/// North (0, −1), west (−1, 0), south (0, +1), east (+1, 0).
const MOVES: [(i32, i32); 4] = [(0, -1), (-1, 0), (0, 1), (1, 0)];

/// A grid with four moves.
///
/// - **State** x · height + y, with 0 ≤ x < width counted from the left and 0 ≤ y < height from the top. Features `x`, `y`.
/// - **Actions** 0 north (y − 1, up), 1 west (x − 1, left), 2 south (y + 1, down), 3 east (x + 1, right). Features `dx`, `dy`.
/// - An episode starts at (0, 0) and ends at (width − 1, height − 1), or after 200 steps.
/// - A move that would leave the grid is drawn again. A policy without weight for any move that stays takes one of these,
///   all alike.
/// - With probability ε the step leads to any state, all alike, instead; the action stays the one that was drawn.
#[derive(Clone, Debug)]
pub struct Gridworld {
    grid: Grid,
    epsilon: Chance,
}

impl Gridworld {
    /// A grid of `width` × `height` cells where a step is a random jump with probability `epsilon`.
    ///
    /// # Errors
    /// When there are fewer than 2 cells or too many, or `epsilon` is not between 0 and 1.
    pub fn new(width: usize, height: usize, epsilon: f64) -> Result<Self, WorldError> {
        let grid = Grid::new(width, height, &MOVES)?;
        Ok(Gridworld { grid, epsilon: Chance::new(epsilon).ok_or(WorldError::Epsilon(epsilon))? })
    }

    /// Cells along x.
    pub fn width(&self) -> usize {
        self.grid.width()
    }

    /// Cells along y.
    pub fn height(&self) -> usize {
        self.grid.height()
    }

    /// The probability of a random jump.
    pub fn epsilon(&self) -> f64 {
        self.epsilon.probability()
    }

    /// How many transitions (s, a, s') moves can make: those that are feasible at ε = 0. None starts at the end.
    pub fn feasible(&self) -> usize {
        (0..self.grid.last()).map(|cell| self.grid.open(cell).count_ones() as usize).sum()
    }
}

impl World for Gridworld {
    type State = u32;
    type Agent = Policy;

    fn name(&self) -> &str {
        "gridworld"
    }

    fn states(&self) -> usize {
        self.grid.cells()
    }

    fn actions(&self) -> usize {
        MOVES.len()
    }

    fn state_features(&self) -> &[&str] {
        &["x", "y"]
    }

    fn action_features(&self) -> &[&str] {
        &["dx", "dy"]
    }

    fn describe_state(&self, state: usize, features: &mut [f64]) {
        let (x, y) = self.grid.position(state as u32);
        features.copy_from_slice(&[f64::from(x), f64::from(y)]);
    }

    fn describe_action(&self, action: usize, features: &mut [f64]) {
        let (dx, dy) = MOVES[action];
        features.copy_from_slice(&[f64::from(dx), f64::from(dy)]);
    }

    fn start(&self, _: &mut Stream) -> u32 {
        0
    }

    #[inline]
    fn observe(&self, state: &u32) -> usize {
        *state as usize
    }

    #[inline]
    fn advance(&self, state: &mut u32, agent: &Policy, rng: &mut Stream) -> Step {
        let open = self.grid.open(*state);
        let action = agent.draw_from(open, rng).unwrap_or_else(|| any_of(open, rng));
        *state = match self.epsilon.happens(rng) {
            true => below(self.grid.cells() as u64, rng) as u32,
            false => self.grid.after(*state, action),
        };
        Step { action, score: 0.0, done: *state == self.grid.last() }
    }
}
