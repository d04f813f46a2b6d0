//! What units can do, and who plays.

use crate::error::WorldError;
use crate::random::{Chance, Stream, below, stream};

/// What a unit can do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attributes {
    visibility: u8,
    health: u8,
    movement: u8,
    shot: Chance,
}

impl Attributes {
    /// The paper's values of the visibility range.
    pub const VISIBILITY: [u8; 3] = [1, 3, 5];
    /// The paper's values of health.
    pub const HEALTH: [u8; 3] = [5, 10, 15];
    /// The paper's values of the movement range.
    pub const MOVEMENT: [u8; 3] = [1, 2, 3];
    /// The paper's values of shot strength.
    pub const SHOT_STRENGTH: [f64; 2] = [0.05, 0.1];

    /// A unit that sees and attacks up to `visibility` cells far, is destroyed by `health` hits, moves by up to `movement` cells a
    /// step, and whose shots hit with probability `shot_strength`.
    ///
    /// # Errors
    /// When `health` is 0 or `shot_strength` is not between 0 and 1.
    pub fn new(visibility: u8, health: u8, movement: u8, shot_strength: f64) -> Result<Self, WorldError> {
        if health == 0 {
            return Err(WorldError::Health);
        }
        let shot = Chance::new(shot_strength).ok_or(WorldError::ShotStrength(shot_strength))?;
        Ok(Attributes { visibility, health, movement, shot })
    }

    /// How far it sees and attacks, along each axis.
    pub fn visibility(&self) -> u8 {
        self.visibility
    }

    /// How many hits destroy it.
    pub fn health(&self) -> u8 {
        self.health
    }

    /// How many cells it moves in a step, at most.
    pub fn movement(&self) -> u8 {
        self.movement
    }

    /// The probability that its shot hits.
    pub fn shot_strength(&self) -> f64 {
        self.shot.probability()
    }

    /// Fires: whether the shot hits.
    pub(super) fn shot(&self, rng: &mut Stream) -> bool {
        self.shot.happens(rng)
    }

    /// Any member of the paper's set U, all alike.
    fn draw(rng: &mut Stream) -> Self {
        fn one_of<T: Copy, const N: usize>(values: [T; N], rng: &mut Stream) -> T {
            values[below(N as u64, rng) as usize]
        }
        let (visibility, health) = (one_of(Self::VISIBILITY, rng), one_of(Self::HEALTH, rng));
        let (movement, shot_strength) = (one_of(Self::MOVEMENT, rng), one_of(Self::SHOT_STRENGTH, rng));
        Self::known(visibility, health, movement, shot_strength)
    }

    fn known(visibility: u8, health: u8, movement: u8, shot_strength: f64) -> Self {
        Self::new(visibility, health, movement, shot_strength).expect("attributes from a table are valid")
    }
}

/// Who plays a side: five sets of attributes, two drones of each, and a ship. Every ship sees 3 cells far, takes 15 hits,
/// moves by 1 cell and hits with probability 0.1.
#[derive(Clone, Debug, PartialEq)]
pub struct Team {
    sets: [Attributes; 5],
    ship: Attributes,
}

impl Team {
    /// Drones 1 and 6 have the first set, 2 and 7 the second, and so on.
    pub fn new(sets: [Attributes; 5]) -> Self {
        Team { sets, ship: Attributes::known(3, 15, 1, 0.1) }
    }

    /// The five sets of attributes.
    pub fn sets(&self) -> &[Attributes; 5] {
        &self.sets
    }

    /// The attributes of a unit: 0 is the ship, 1 to 10 are the drones.
    pub fn attributes(&self, unit: usize) -> &Attributes {
        if unit == 0 { &self.ship } else { &self.sets[(unit - 1) % self.sets.len()] }
    }

    /// The default opponent: in the middle of everything.
    pub(super) fn opponent() -> Self {
        let [weak, strong] = Attributes::SHOT_STRENGTH;
        Team::new([strong, weak, strong, weak, strong].map(|shot| Attributes::known(3, 10, 2, shot)))
    }
}

/// The ten agents of the Drone Combat experiment.
///
/// The paper draws their attributes, and does not say which they are. These are drawn once and for all from
/// `stream(0, "drone-combat classes")`, one class after the other, every set uniformly from the 54 of the paper's set U.
///
/// ```
/// let teams = srrd_worlds::drone_combat_classes();
/// assert!(teams[0] != teams[1]);
/// ```
pub fn drone_combat_classes() -> [Team; 10] {
    let mut rng = stream(0, "drone-combat classes");
    std::array::from_fn(|_| Team::new(std::array::from_fn(|_| Attributes::draw(&mut rng))))
}
