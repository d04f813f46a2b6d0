//! Bouncing Balls: a way across a grid that keeps off moving obstacles.

use rand::Rng;

use super::{WorldInfo, WorldKind, tabled};
use crate::error::WorldError;
use crate::grid::Grid;
use crate::policy::{Policy, any_of};
use crate::random::{Chance, Stream, below};
use crate::simulate::SimulateError;
use crate::world::{Step, World};

/// North, north-east, east, south-east, south, south-west, west, north-west; north is y − 1.
const MOVES: [(i32, i32); 8] = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)];
/// From which Manhattan distance on an obstacle is kept off.
const WARY: i32 = 3;
/// The differences of positions up to [`WARY`], along one axis.
const SIDE: usize = 2 * WARY as usize + 1;
/// The bounds, squared, of the first two of three buckets of the Euclidean distance.
const BUCKETS: [i32; 2] = [3 * 3, 6 * 6];

/// More obstacles than this and a step takes longer than writing it to a table.
const MOST_OBSTACLES: usize = 10_000;

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
    /// The names of the actions, in their order.
    pub const ACTIONS: [&str; 8] =
        ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"];

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

    /// Cells along x and y.
    pub fn size(&self) -> (usize, usize) {
        (self.grid.width(), self.grid.height())
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

    fn allows(&self, state: usize, action: usize) -> bool {
        self.grid.open(state as u32 / 3) >> action & 1 == 1
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

pub(super) const INFO: WorldInfo = WorldInfo {
    kind: WorldKind::BouncingBalls,
    name: "bouncing-balls",
    title: "Bouncing Balls",
    about: "a way across a grid in eight directions, among obstacles that wander about",
    actions: &BouncingBalls::ACTIONS,
    policies: &[("uniform", &[1.0; 8])],
    ended: "reached the end",
    refused: &[],
    prepare: |request| {
        let size = request.size()?;
        let world = request.built(BouncingBalls::new(size.0, size.1, request.epsilon()))?;
        let obstacles = match request.asked.obstacles {
            Some(asked) if asked > MOST_OBSTACLES => {
                return Err(SimulateError::Obstacles { asked, most: MOST_OBSTACLES });
            }
            asked => asked.unwrap_or(world.obstacles()),
        };
        let single = request.policy()?;
        Ok(request.walk(world.with_obstacles(obstacles), size, bouncing_balls_classes().to_vec(), single))
    },
};

/// The ten agents of the Bouncing Balls experiment: weights of north, north-east, east, south-east, south, south-west, west,
/// north-west.
///
/// ```
/// assert_eq!(srrd_worlds::bouncing_balls_classes()[4].weights()[2], 65.0);
/// ```
pub fn bouncing_balls_classes() -> [Policy; 10] {
    [
        [12, 12, 12, 12, 13, 13, 13, 13],
        [5, 5, 25, 25, 25, 5, 5, 5],
        [25, 25, 25, 5, 5, 5, 5, 5],
        [5, 5, 5, 5, 5, 25, 25, 25],
        [5, 5, 65, 5, 5, 5, 5, 5],
        [5, 5, 5, 65, 5, 5, 5, 5],
        [5, 5, 5, 5, 65, 5, 5, 5],
        [5, 25, 5, 25, 5, 25, 5, 5],
        [20, 5, 20, 5, 20, 5, 20, 5],
        [5, 20, 5, 20, 5, 20, 5, 20],
    ]
    .map(|weights| tabled(&weights.map(f64::from)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use crate::rollout::rollouts;
    use proptest::prelude::*;

    fn state(world: &BouncingBalls, ball: u32, obstacles: &[u32]) -> BouncingBallsState {
        BouncingBallsState {
            ball: world.place(ball),
            obstacles: obstacles.iter().map(|&cell| world.place(cell)).collect(),
        }
    }

    /// What the documentation says about the moves, said again: those on the grid, and those that are not redrawn.
    fn literal_moves(world: &BouncingBalls, state: &BouncingBallsState) -> (Vec<usize>, Vec<usize>) {
        let distance = |(x, y): (i32, i32), at: (u32, u32)| (x - at.0 as i32).abs() + (y - at.1 as i32).abs();
        let ball = (state.ball().0 as i32, state.ball().1 as i32);
        let after = |action: usize| (ball.0 + MOVES[action].0, ball.1 + MOVES[action].1);
        let stays = |action: &usize| {
            let (x, y) = after(*action);
            x >= 0 && y >= 0 && (x as usize) < world.size().0 && (y as usize) < world.size().1
        };
        let wary = |action: &usize| {
            !state.obstacles().any(|at| distance(ball, at) <= 3 && distance(after(*action), at) < distance(ball, at))
        };
        let on_grid: Vec<usize> = (0..8).filter(stays).collect();
        let safe = on_grid.iter().copied().filter(wary).collect();
        (on_grid, safe)
    }

    /// A world, the cell of the ball and those of the obstacles.
    fn situation() -> impl Strategy<Value = (BouncingBalls, u32, Vec<u32>)> {
        (1usize..10, 1usize..10).prop_filter("two cells", |(w, h)| w * h > 1).prop_flat_map(|(width, height)| {
            let cell = 0..(width * height) as u32;
            let world = BouncingBalls::new(width, height, 0.0).unwrap();
            (Just(world), cell.clone(), prop::collection::vec(cell, 0..6))
        })
    }

    proptest! {
        #[test]
        fn the_ball_keeps_off_obstacles((world, ball, obstacles) in situation(), seed: u64) {
            let state = state(&world, ball, &obstacles);
            let (on_grid, safe) = literal_moves(&world, &state);
            let expected = if safe.is_empty() { on_grid } else { safe };
            let policy = Policy::uniform(8).unwrap();
            let mut rng = stream(seed, "test");
            let mut drawn: Vec<usize> =
                (0..300).map(|_| world.advance(&mut state.clone(), &policy, &mut rng).action).collect();
            drawn.sort_unstable();
            drawn.dedup();
            prop_assert_eq!(drawn, expected);
        }

        #[test]
        fn a_policy_of_one_move_gives_up_in_the_documented_order(
            (world, ball, obstacles) in situation(), only in 0usize..8, seed: u64,
        ) {
            let state = state(&world, ball, &obstacles);
            let (on_grid, _) = literal_moves(&world, &state);
            let mut weights = [0.0; 8];
            weights[only] = 1.0;
            let policy = Policy::new(&weights).unwrap();
            let mut rng = stream(seed, "test");
            for _ in 0..20 {
                let action = world.advance(&mut state.clone(), &policy, &mut rng).action;
                // Towards an obstacle rather than against the policy; anywhere on the grid rather than off it.
                let fits = if on_grid.contains(&only) { action == only } else { on_grid.contains(&action) };
                prop_assert!(fits);
            }
        }

        #[test]
        fn the_distance_is_put_in_its_bucket((world, ball, obstacles) in situation()) {
            let state = state(&world, ball, &obstacles);
            let (x, y) = state.ball();
            let to = |at: (u32, u32)| (f64::from(at.0) - f64::from(x)).hypot(f64::from(at.1) - f64::from(y));
            let nearest = state.obstacles().map(to).fold(f64::INFINITY, f64::min);
            let bucket = if nearest <= 3.0 { 0.0 } else if nearest <= 6.0 { 1.0 } else { 2.0 };
            let mut features = [f64::NAN; 3];
            world.describe_state(world.observe(&state), &mut features);
            prop_assert_eq!(features, [f64::from(x), f64::from(y), bucket]);
        }

        #[test]
        fn everything_moves_one_cell_and_stays_on_the_grid((world, _, _) in situation(), seed: u64, n in 0usize..7) {
            let world = world.with_obstacles(n);
            let policy = Policy::uniform(8).unwrap();
            let mut rng = stream(seed, "test");
            let mut state = world.start(&mut rng);
            prop_assert_eq!((state.ball(), state.obstacles().len()), ((0, 0), n));
            let size = (world.size().0 as u32, world.size().1 as u32);
            for _ in 0..50 {
                let before = state.clone();
                let step = world.advance(&mut state, &policy, &mut rng);
                let pairs = before.obstacles().zip(state.obstacles()).chain([(before.ball(), state.ball())]);
                for (from, to) in pairs {
                    prop_assert!(to.0 < size.0 && to.1 < size.1);
                    prop_assert_eq!(from.0.abs_diff(to.0).max(from.1.abs_diff(to.1)), 1);
                }
                // Numbers and coordinates go together.
                prop_assert!(state.obstacles.iter().chain([&state.ball]).all(|at| *at == world.place(at.cell)));
                prop_assert_eq!(step.done, state.ball() == (size.0 - 1, size.1 - 1));
                if step.done {
                    break;
                }
            }
        }
    }

    #[test]
    fn the_paper_s_world_has_twelve_hundred_states() {
        let world = BouncingBalls::new(20, 20, 0.1).unwrap();
        assert_eq!((world.states(), world.actions(), world.obstacles()), (1200, 8, 5));
        let recorded = rollouts(&world, &Policy::uniform(8).unwrap(), 300, &mut stream(0, "test"));
        let buckets: Vec<u32> =
            (0..3).map(|d| recorded.steps().iter().filter(|s| s.state % 3 == d).count() as u32).collect();
        assert!(buckets.iter().all(|n| *n > 1000), "{buckets:?}");
        assert!(recorded.episodes().all(|steps| steps.len() <= 200 && steps[0].state < 3));
        assert!(recorded.episodes().any(|steps| steps.len() < 200));
        let ended = |steps: &[crate::TrajectoryStep]| steps.iter().all(|s| s.done == (s.next >= 399 * 3));
        assert!(recorded.episodes().all(ended));
    }

    #[test]
    fn obstacles_go_everywhere_around_alike() {
        let world = BouncingBalls::new(5, 5, 0.0).unwrap();
        let mut rng = stream(0, "test");
        for (cell, around) in [(12, 8), (0, 3), (2, 5)] {
            let mut counts = std::collections::BTreeMap::new();
            (0..8_000).for_each(|_| *counts.entry(world.wander(world.place(cell), &mut rng).cell).or_insert(0) += 1);
            assert_eq!(counts.len(), around);
            let expected = 8_000 / around as i32;
            assert!(counts.values().all(|n| (n - expected).abs() < expected / 7), "{counts:?}");
        }
    }

    #[test]
    fn random_jumps_come_at_the_rate_of_epsilon() {
        let world = BouncingBalls::new(15, 11, 0.2).unwrap().with_obstacles(2);
        let policy = Policy::uniform(8).unwrap();
        let mut rng = stream(0, "test");
        let here = state(&world, 80, &[3, 150]);
        let moved = (0..40_000).filter(|_| {
            let mut state = here.clone();
            let step = world.advance(&mut state, &policy, &mut rng);
            state.ball == world.moved(here.ball, step.action)
        });
        let rate = moved.count() as f64 / 4e4;
        assert!((rate - (1.0 - 0.2 * (1.0 - 1.0 / 165.0))).abs() < 0.01, "{rate}");
    }

    #[test]
    fn wrong_worlds_are_refused() {
        assert_eq!(BouncingBalls::new(0, 5, 0.0).unwrap_err(), WorldError::Size { width: 0, height: 5 });
        assert_eq!(BouncingBalls::new(5, 5, 2.0).unwrap_err(), WorldError::Epsilon(2.0));
    }
}
