//! Bouncing Balls: a way across a grid that keeps off moving obstacles.

use rand::Rng;

use crate::error::WorldError;
use crate::grid::Grid;
use crate::policy::{Policy, any_of};
use crate::random::{Chance, Stream, below};
use crate::world::{Step, World};

/// North, north-east, east, south-east, south, south-west, west, north-west; north is y − 1.
const MOVES: [(i32, i32); 8] = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)];
/// From which Manhattan distance on an obstacle is kept off.
const WARY: i32 = 3;
/// The differences of positions up to [`WARY`], along one axis.
const SIDE: usize = 2 * WARY as usize + 1;
/// The bounds, squared, of the first two of three buckets of the Euclidean distance.
const BUCKETS: [i32; 2] = [3 * 3, 6 * 6];

/// A grid with eight moves and obstacles that wander about.
///
/// - **State** (x · height + y) · 3 + d: the cell of the ball as in [`Gridworld`](crate::Gridworld), and d for the Euclidean
///   distance of the ball to the nearest obstacle: 0 up to 3, 1 above 3 up to 6, 2 above 6 or without obstacles. Features
///   `x`, `y`, `d`.
/// - **Actions** 0 north, 1 north-east, 2 east, 3 south-east, 4 south, 5 south-west, 6 west, 7 north-west. Features `dx`, `dy`.
/// - An episode starts at (0, 0), the obstacles anywhere, all cells alike, and ends at (width − 1, height − 1) whatever d is,
///   or after 200 steps.
/// - A move that would leave the grid is drawn again, and so is one that brings the ball closer, in Manhattan distance, to any
///   obstacle within Manhattan distance 3. Where the policy has no weight for any other move on the grid, obstacles do not
///   count; where it has none for any move on the grid, one of these is taken, all alike.
/// - With probability ε the step leads to any cell, all alike, instead; the action stays the one that was drawn.
/// - After the ball every obstacle moves to one of the up to eight cells around it, all alike. Obstacles may meet, and be met.
#[derive(Clone, Debug)]
pub struct BouncingBalls {
    grid: Grid,
    epsilon: Chance,
    obstacles: usize,
    /// By (dx + 3) · 7 + dy + 3 to an obstacle: the moves that bring the ball closer, as bits; none beyond distance 3.
    towards: [u8; SIDE * SIDE],
    /// For every set of moves its members, and how many there are.
    members: Vec<([u8; 8], u8)>,
}

/// Where the ball and the obstacles are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BouncingBallsState {
    ball: Place,
    obstacles: Vec<Place>,
}

impl BouncingBallsState {
    /// (x, y) of the ball.
    pub fn ball(&self) -> (u32, u32) {
        (self.ball.x as u32, self.ball.y as u32)
    }

    /// (x, y) of every obstacle.
    pub fn obstacles(&self) -> impl ExactSizeIterator<Item = (u32, u32)> + '_ {
        self.obstacles.iter().map(|at| (at.x as u32, at.y as u32))
    }
}

/// A cell with its number: both are needed in every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    cell: u32,
    x: i32,
    y: i32,
}

impl BouncingBalls {
    /// A grid of `width` × `height` cells with 5 obstacles, where a step is a random jump with probability `epsilon`.
    ///
    /// # Errors
    /// When there are fewer than 2 cells or too many, or `epsilon` is not between 0 and 1.
    pub fn new(width: usize, height: usize, epsilon: f64) -> Result<Self, WorldError> {
        let mut towards = [0; SIDE * SIDE];
        for (index, moves) in towards.iter_mut().enumerate() {
            let (dx, dy) = ((index / SIDE) as i32 - WARY, (index % SIDE) as i32 - WARY);
            let distance = dx.abs() + dy.abs();
            let closer = |(mx, my): (i32, i32)| (dx - mx).abs() + (dy - my).abs() < distance;
            if distance <= WARY {
                *moves = (0..8).fold(0, |set, i| set | u8::from(closer(MOVES[i])) << i);
            }
        }
        let members = (0..=u8::MAX)
            .map(|set| {
                let mut list = [0; 8];
                let members = (0..8u8).filter(|i| set >> i & 1 == 1);
                list.iter_mut().zip(members).for_each(|(slot, i)| *slot = i);
                (list, set.count_ones() as u8)
            })
            .collect();
        Ok(BouncingBalls {
            grid: Grid::new(width, height, &MOVES)?,
            epsilon: Chance::new(epsilon).ok_or(WorldError::Epsilon(epsilon))?,
            obstacles: 5,
            towards,
            members,
        })
    }

    /// The same with another number of obstacles.
    #[must_use]
    pub fn with_obstacles(mut self, obstacles: usize) -> Self {
        self.obstacles = obstacles;
        self
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

    /// How many obstacles there are.
    pub fn obstacles(&self) -> usize {
        self.obstacles
    }

    fn place(&self, cell: u32) -> Place {
        let (x, y) = self.grid.position(cell);
        Place { cell, x: x as i32, y: y as i32 }
    }

    fn anywhere(&self, rng: &mut Stream) -> Place {
        self.place(below(self.grid.cells() as u64, rng) as u32)
    }

    #[inline]
    fn moved(&self, from: Place, by: usize) -> Place {
        let (dx, dy) = MOVES[by];
        Place { cell: self.grid.after(from.cell, by), x: from.x + dx, y: from.y + dy }
    }

    /// The moves that bring the ball closer to an obstacle nearby, as bits.
    #[inline]
    fn dangerous(&self, state: &BouncingBallsState) -> u64 {
        let mut moves = 0;
        for at in &state.obstacles {
            let (dx, dy) = (at.x - state.ball.x + WARY, at.y - state.ball.y + WARY);
            let near = 0..SIDE as i32;
            if near.contains(&dx) && near.contains(&dy) {
                moves |= self.towards[dx as usize * SIDE + dy as usize];
            }
        }
        u64::from(moves)
    }

    /// Moves an obstacle to a cell around it.
    #[inline]
    fn wander(&self, at: Place, rng: &mut Stream) -> Place {
        let (list, count) = &self.members[self.grid.open(at.cell) as usize];
        // Of at most eight: 32 bits are enough for that.
        let choice = (u64::from(rng.next_u32()) * u64::from(*count)) >> 32;
        self.moved(at, usize::from(list[choice as usize]))
    }
}

impl World for BouncingBalls {
    type State = BouncingBallsState;
    type Agent = Policy;

    fn name(&self) -> &str {
        "bouncing-balls"
    }

    fn states(&self) -> usize {
        self.grid.cells() * 3
    }

    fn actions(&self) -> usize {
        MOVES.len()
    }

    fn state_features(&self) -> &[&str] {
        &["x", "y", "d"]
    }

    fn action_features(&self) -> &[&str] {
        &["dx", "dy"]
    }

    fn describe_state(&self, state: usize, features: &mut [f64]) {
        let (x, y) = self.grid.position(state as u32 / 3);
        features.copy_from_slice(&[f64::from(x), f64::from(y), (state % 3) as f64]);
    }

    fn describe_action(&self, action: usize, features: &mut [f64]) {
        let (dx, dy) = MOVES[action];
        features.copy_from_slice(&[f64::from(dx), f64::from(dy)]);
    }

    fn start(&self, rng: &mut Stream) -> BouncingBallsState {
        BouncingBallsState { ball: self.place(0), obstacles: (0..self.obstacles).map(|_| self.anywhere(rng)).collect() }
    }

    #[inline]
    fn observe(&self, state: &BouncingBallsState) -> usize {
        let square = |at: &Place| {
            let (dx, dy) = (at.x - state.ball.x, at.y - state.ball.y);
            dx.saturating_mul(dx).saturating_add(dy.saturating_mul(dy))
        };
        let nearest = state.obstacles.iter().map(square).min().unwrap_or(i32::MAX);
        state.ball.cell as usize * 3 + BUCKETS.iter().filter(|bound| nearest > **bound).count()
    }

    #[inline]
    fn advance(&self, state: &mut BouncingBallsState, agent: &Policy, rng: &mut Stream) -> Step {
        let open = self.grid.open(state.ball.cell);
        let action = agent
            .draw_from(open & !self.dangerous(state), rng)
            .or_else(|| agent.draw_from(open, rng))
            .unwrap_or_else(|| any_of(open, rng));
        state.ball = match self.epsilon.happens(rng) {
            true => self.anywhere(rng),
            false => self.moved(state.ball, action),
        };
        for at in &mut state.obstacles {
            *at = self.wander(*at, rng);
        }
        Step { action, score: 0.0, done: state.ball.cell == self.grid.last() }
    }
}
