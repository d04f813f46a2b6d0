//! The Gridworld: a walk from one corner of a grid to the opposite one.

use super::{WorldInfo, WorldKind, tabled};
use crate::error::WorldError;
use crate::grid::Grid;
use crate::policy::{Policy, any_of};
use crate::random::{Chance, Stream, below};
use crate::simulate::{Instead, Refusal, SimulateOption};
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
    /// The names of the actions, in their order.
    pub const ACTIONS: [&str; 4] = ["north", "west", "south", "east"];

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

    fn allows(&self, state: usize, action: usize) -> bool {
        self.grid.open(state as u32) >> action & 1 == 1
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

pub(super) const INFO: WorldInfo = WorldInfo {
    kind: WorldKind::Gridworld,
    name: "gridworld",
    title: "Gridworld",
    about: "a walk from one corner of a grid to the opposite one, in four directions",
    actions: &Gridworld::ACTIONS,
    policies: &POLICIES,
    ended: "reached the end",
    refused: &[Refusal {
        option: SimulateOption::Obstacles,
        why: "gridworld has none",
        instead: Instead::World(WorldKind::BouncingBalls),
    }],
    prepare: |request| {
        let size = request.size()?;
        let world = request.built(Gridworld::new(size.0, size.1, request.epsilon()))?;
        let single = request.policy()?;
        Ok(request.walk(world, size, gridworld_classes().to_vec(), single))
    },
};

/// The ten agents of the Gridworld experiment: weights of north, west, south, east.
///
/// ```
/// assert_eq!(srrd_worlds::gridworld_classes()[1].weights(), [5.0, 5.0, 5.0, 85.0]);
/// ```
pub fn gridworld_classes() -> [Policy; 10] {
    [
        [25, 25, 25, 25],
        [5, 5, 5, 85],
        [85, 5, 5, 5],
        [5, 85, 5, 5],
        [5, 5, 85, 5],
        [5, 15, 30, 55],
        [55, 30, 15, 5],
        [15, 5, 55, 30],
        [5, 55, 30, 15],
        [15, 30, 5, 55],
    ]
    .map(|weights| tabled(&weights.map(f64::from)))
}

/// Weights of north (up), west (left), south (down), east (right).
const POLICIES: [(&str, &[f64]); 4] = [
    ("uniform", &[25.0, 25.0, 25.0, 25.0]),
    ("diagonal", &[10.0, 10.0, 40.0, 40.0]),
    ("top", &[40.0, 10.0, 10.0, 40.0]),
    ("left", &[10.0, 40.0, 40.0, 10.0]),
];

/// The policies of the study of how much the sampling policy matters, by name.
///
/// The paper gives the weights of `diagonal`; `top` and `left` are its reflections, which keep to the upper and to the left part of the
/// grid: `top` goes along the upper edge to the right, `left` along the left edge down.
///
/// ```
/// let names = srrd_worlds::gridworld_sampling_policies().map(|(name, _)| name);
/// assert_eq!(names, ["uniform", "diagonal", "top", "left"]);
/// ```
pub fn gridworld_sampling_policies() -> [(&'static str, Policy); 4] {
    POLICIES.map(|(name, weights)| (name, tabled(weights)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use crate::rollout::rollouts;
    use proptest::prelude::*;

    fn described(world: &Gridworld, state: u32) -> [f64; 2] {
        let mut features = [f64::NAN; 2];
        world.describe_state(state as usize, &mut features);
        features
    }

    #[test]
    fn states_and_actions_are_numbered_as_documented() {
        let world = Gridworld::new(3, 5, 0.0).unwrap();
        assert_eq!((world.states(), world.actions()), (15, 4));
        for x in 0..3 {
            for y in 0..5 {
                assert_eq!(described(&world, x * 5 + y), [f64::from(x), f64::from(y)]);
            }
        }
        let moves: Vec<[f64; 2]> = (0..4)
            .map(|action| {
                let mut features = [f64::NAN; 2];
                world.describe_action(action, &mut features);
                features
            })
            .collect();
        assert_eq!(moves, [[0.0, -1.0], [-1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]);
    }

    proptest! {
        #[test]
        fn steps_lead_to_neighbours_and_the_last_cell_ends_the_way(
            width in 1usize..8, height in 1usize..8, weights in prop::array::uniform4(0u8..20), seed: u64,
        ) {
            prop_assume!(width * height > 1 && weights.iter().any(|w| *w > 0));
            let world = Gridworld::new(width, height, 0.0).unwrap();
            let policy = Policy::new(&weights.map(f64::from)).unwrap();
            let recorded = rollouts(&world, &policy, 5, &mut stream(seed, "test"));
            prop_assert_eq!(recorded.len(), 5);
            for steps in recorded.episodes() {
                prop_assert_eq!(steps[0].state, 0);
                prop_assert!(steps.len() <= 200);
                prop_assert!(steps.len() == 200 || steps[steps.len() - 1].done);
                for (i, step) in steps.iter().enumerate() {
                    prop_assert!((step.next as usize) < world.states());
                    let ([x, y], [next_x, next_y]) = (described(&world, step.state), described(&world, step.next));
                    let (dx, dy) = MOVES[step.action as usize];
                    prop_assert_eq!((next_x - x, next_y - y), (f64::from(dx), f64::from(dy)));
                    prop_assert_eq!(step.done, (next_x, next_y) == (width as f64 - 1.0, height as f64 - 1.0));
                    prop_assert!(!step.done || i + 1 == steps.len());
                    prop_assert!(i + 1 == steps.len() || steps[i + 1].state == step.next);
                    prop_assert_eq!(step.score, 0.0);
                }
            }
        }
    }

    #[test]
    fn every_move_is_as_likely_as_its_weight_among_those_that_stay() {
        let world = Gridworld::new(3, 3, 0.0).unwrap();
        let policy = Policy::new(&[10.0, 20.0, 30.0, 40.0]).unwrap();
        let mut rng = stream(0, "test");
        // The corner of the start has south and east, the upper edge all but north, the centre everything.
        for (cell, weights) in
            [(0, [0.0, 0.0, 30.0, 40.0]), (3, [0.0, 20.0, 30.0, 40.0]), (4, [10.0, 20.0, 30.0, 40.0])]
        {
            let mut counts = [0.0; 4];
            for _ in 0..50_000 {
                counts[world.advance(&mut { cell }, &policy, &mut rng).action] += 2e-5;
            }
            let total: f64 = weights.iter().sum();
            for (count, weight) in counts.iter().zip(weights) {
                assert!((count - weight / total).abs() < 0.01, "{cell}: {counts:?}");
            }
        }
    }

    #[test]
    fn random_jumps_come_at_the_rate_of_epsilon_and_go_anywhere() {
        let policy = Policy::uniform(4).unwrap();
        for epsilon in [0.1, 0.5, 1.0] {
            let world = Gridworld::new(9, 7, epsilon).unwrap();
            let mut rng = stream(3, "test");
            let (mut moved, mut reached) = (0, vec![0; world.states()]);
            for _ in 0..60_000 {
                let mut state = 31;
                let step = world.advance(&mut state, &policy, &mut rng);
                moved += usize::from(state == world.grid.after(31, step.action));
                reached[state as usize] += 1;
            }
            // A jump hits the cell of the move once in 63 times.
            let expected = 1.0 - epsilon * (1.0 - 1.0 / 63.0);
            assert!((moved as f64 / 6e4 - expected).abs() < 0.01, "{moved}");
            assert!(reached.iter().all(|n| *n > 0));
        }
    }

    #[test]
    fn a_policy_that_only_wants_to_leave_takes_any_move_that_stays() {
        let world = Gridworld::new(4, 4, 0.0).unwrap();
        let north = Policy::new(&[1.0, 0.0, 0.0, 0.0]).unwrap();
        let mut rng = stream(0, "test");
        let mut counts = [0; 4];
        (0..3_000).for_each(|_| counts[world.advance(&mut 4, &north, &mut rng).action] += 1);
        assert_eq!(counts[0], 0);
        assert!(counts[1..].iter().all(|n| (900..1_100).contains(n)), "{counts:?}");
    }

    #[test]
    fn feasible_transitions_are_those_that_rollouts_can_meet() {
        for (width, height) in [(2, 1), (3, 4), (5, 2)] {
            let world = Gridworld::new(width, height, 0.0).unwrap();
            let met = crate::explore(&world, &Policy::uniform(4).unwrap(), 2_000, &mut stream(0, "test"));
            assert_eq!(met.len(), world.feasible(), "{width} x {height}");
        }
        assert_eq!(Gridworld::new(20, 20, 0.0).unwrap().feasible(), 1518);
    }

    #[test]
    fn wrong_worlds_are_refused() {
        for (width, height) in [(0, 5), (5, 0), (1, 1), (2_000_000, 1), (usize::MAX, 2)] {
            assert_eq!(Gridworld::new(width, height, 0.0).unwrap_err(), WorldError::Size { width, height });
        }
        for epsilon in [-0.1, 1.5] {
            assert_eq!(Gridworld::new(2, 2, epsilon).unwrap_err(), WorldError::Epsilon(epsilon));
        }
        assert!(Gridworld::new(2, 2, f64::NAN).is_err());
    }
}
