//! Drone Combat: two swarms, each with a ship to guard.

mod battlefield;
mod tactics;
mod team;
#[cfg(test)]
mod tests;

use super::{WorldInfo, WorldKind};
use crate::random::Stream;
use crate::simulate::{AgentTraits, Instead, Refusal, Setting, SimulateOption, UnitTraits};
use crate::world::{Step, World};
use battlefield::{Battlefield, Place};
use tactics::Sight;

pub use team::{Attributes, Team, drone_combat_classes};

/// Points for a hit on a drone.
const DRONE_HIT: f64 = 1.0;
/// Points for a drone destroyed, besides those of the hit.
const DRONE_DESTROYED: f64 = 5.0;
/// Points for a hit on the ship.
const SHIP_HIT: f64 = 2.0;
/// Points for the ship destroyed, besides those of the hit.
const SHIP_DESTROYED: f64 = 20.0;

/// Units of a side.
const UNITS: usize = DroneCombat::UNITS;
/// How many cells a zone has along each axis.
const ZONE: usize = 5;
const ZONES_X: usize = DroneCombat::WIDTH / ZONE;
const ZONES_Y: usize = DroneCombat::HEIGHT / ZONE;

/// Two swarms of one ship and ten drones on a field with obstacles; a side has lost when its ship or all its drones are
/// destroyed.
///
/// **The field** has 40 × 25 cells, 300 of them (30 %) obstacles, drawn for every episode, all sets of cells alike, and drawn
/// again until there is a way from ship to ship. The bases, 4 × 9 cells in the middle of the left edge (allies) and of the
/// right edge (enemies), are free. Every episode starts with the same places. Drones fly: a cell without an obstacle has room for
/// any number of units, so nobody stands in anybody's way.
///
/// **A unit** has [`Attributes`]: how far it sees, how many hits it takes, how far it moves, and the probability that its shot
/// hits. The agent is the [`Team`] of the allies; both sides act by the same rules:
///
/// 1. All look. A unit sees what is up to its visibility range away along both axes (a square; obstacles do not hide).
/// 2. A unit that sees enemies attacks the nearest (along the axis where it is farther away; of several, the one of the lowest
///    number, and the ship has number 0). A shot that hits takes 1 health. All shots fall at once: whoever is destroyed has
///    still fired, and what hits a unit that is already destroyed is lost.
/// 3. Units that did not attack move, up to their movement range along one line, left, up, right or down. A drone goes to the
///    cell in reach from which it is the fewest steps around obstacles to its goal: the nearest enemy that its side saw at the
///    beginning of the step, if that is up to 10 steps away, and the place of the enemy's ship otherwise (the map is known, the
///    enemies are not). So every move brings it nearer and no dead end holds it; a drone that is there and sees nobody goes as
///    far as it can along an open line drawn at random. A ship moves by one cell, drawn at random, and never leaves the nine
///    cells around its place.
///
/// **State**: how many allies and enemies are left, ships included (0 to 11), and the zone of 5 × 5 cells where the centroid of
/// each side lies (x 0 to 7, y 0 to 4; without units, that of the ship's place): (((((allies · 12 + enemies) · 8 + ally x) · 5 +
/// ally y) · 8 + enemy x) · 5 + enemy y. Features `allies`, `enemies`, `ally_x`, `ally_y`, `enemy_x`, `enemy_y`.
///
/// **Action**: how many allies attack, 0 to 11. Feature `attacking`.
///
/// **Score**: the allies get 1 for a hit on a drone and 5 more when it is destroyed, 2 for a hit on the ship and 20 more when it
/// is destroyed. What they suffer costs nothing: it is attacking that is rewarded. The score is *not* a function of (s, a, s'):
/// one transition can come with several.
///
/// An episode ends when a side has lost, or after 200 steps.
#[derive(Clone, Debug)]
pub struct DroneCombat {
    opponent: Team,
    /// The cells outside the bases.
    ground: Vec<u16>,
}

/// Allies or enemies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The side of the agent, which starts on the left.
    Allies,
    /// Its opponent.
    Enemies,
}

impl Side {
    fn other(self) -> Self {
        match self {
            Side::Allies => Side::Enemies,
            Side::Enemies => Side::Allies,
        }
    }
}

/// A ship or a drone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    place: Place,
    hits: u8,
    destroyed: bool,
}

impl Unit {
    /// (x, y), for a destroyed unit of where that happened.
    pub fn position(&self) -> (u32, u32) {
        (self.place.x as u32, self.place.y as u32)
    }

    /// How often it was hit; at most its health.
    pub fn hits(&self) -> u32 {
        u32::from(self.hits)
    }

    /// Whether it was hit as often as it can be.
    pub fn is_destroyed(&self) -> bool {
        self.destroyed
    }
}

/// The field and the units on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroneCombatState {
    field: Battlefield,
    units: [[Unit; UNITS]; 2],
}

impl DroneCombatState {
    /// The units of a side; the ship is the first.
    pub fn units(&self, side: Side) -> &[Unit; DroneCombat::UNITS] {
        &self.units[side as usize]
    }

    /// Whether there is an obstacle, or no field, at (x, y).
    pub fn is_obstacle(&self, x: u32, y: u32) -> bool {
        match (i32::try_from(x), i32::try_from(y)) {
            (Ok(x), Ok(y)) => self.field.obstacles.hold(Place { x, y }),
            _ => true,
        }
    }

    /// Whether the ship or all drones of a side are destroyed.
    pub fn has_lost(&self, side: Side) -> bool {
        let units = self.units(side);
        units[0].destroyed || units[1..].iter().all(|drone| drone.destroyed)
    }

    /// How many units are left, and the zone of their centroid.
    fn summary(&self, side: Side) -> (usize, usize, usize) {
        let (mut count, mut sum_x, mut sum_y) = (0, 0, 0);
        for unit in self.units(side).iter().filter(|unit| !unit.destroyed) {
            count += 1;
            sum_x += unit.place.x as usize;
            sum_y += unit.place.y as usize;
        }
        if count == 0 {
            let home = battlefield::ship_place(side);
            return (0, home.x as usize / ZONE, home.y as usize / ZONE);
        }
        (count, sum_x / (ZONE * count), sum_y / (ZONE * count))
    }
}

impl DroneCombat {
    /// Cells along x.
    pub const WIDTH: usize = 40;
    /// Cells along y.
    pub const HEIGHT: usize = 25;
    /// How many cells are obstacles.
    pub const OBSTACLES: usize = 300;
    /// Units of a side: a ship and ten drones.
    pub const UNITS: usize = 11;

    /// The world with the default opponent, whose drones see 3 cells far, take 10 hits, move by 2 cells and hit with probability
    /// 0.05 or 0.1 by turns.
    pub fn new() -> Self {
        Self::against(Team::opponent())
    }

    /// The world with another opponent.
    pub fn against(opponent: Team) -> Self {
        DroneCombat { opponent, ground: battlefield::ground() }
    }

    /// The team of the enemies.
    pub fn opponent(&self) -> &Team {
        &self.opponent
    }
}

impl Default for DroneCombat {
    fn default() -> Self {
        Self::new()
    }
}

impl World for DroneCombat {
    type State = DroneCombatState;
    type Agent = Team;

    fn name(&self) -> &str {
        "drone-combat"
    }

    fn states(&self) -> usize {
        (UNITS + 1) * (UNITS + 1) * (ZONES_X * ZONES_Y) * (ZONES_X * ZONES_Y)
    }

    fn actions(&self) -> usize {
        UNITS + 1
    }

    fn state_features(&self) -> &[&str] {
        &["allies", "enemies", "ally_x", "ally_y", "enemy_x", "enemy_y"]
    }

    fn action_features(&self) -> &[&str] {
        &["attacking"]
    }

    fn describe_state(&self, state: usize, features: &mut [f64]) {
        let mut rest = state;
        let values = [UNITS + 1, UNITS + 1, ZONES_X, ZONES_Y, ZONES_X, ZONES_Y];
        for (feature, values) in features.iter_mut().zip(values).rev() {
            *feature = (rest % values) as f64;
            rest /= values;
        }
    }

    fn describe_action(&self, action: usize, features: &mut [f64]) {
        features[0] = action as f64;
    }

    fn start(&self, rng: &mut Stream) -> DroneCombatState {
        let fresh = |place| Unit { place, hits: 0, destroyed: false };
        let units = [Side::Allies, Side::Enemies].map(|side| battlefield::start_places(side).map(fresh));
        DroneCombatState { field: Battlefield::draw(&self.ground, rng), units }
    }

    fn observe(&self, state: &DroneCombatState) -> usize {
        let (allies, ally_x, ally_y) = state.summary(Side::Allies);
        let (enemies, enemy_x, enemy_y) = state.summary(Side::Enemies);
        let counts = allies * (UNITS + 1) + enemies;
        (((counts * ZONES_X + ally_x) * ZONES_Y + ally_y) * ZONES_X + enemy_x) * ZONES_Y + enemy_y
    }

    fn advance(&self, state: &mut DroneCombatState, agent: &Team, rng: &mut Stream) -> Step {
        let sides = [(Side::Allies, agent), (Side::Enemies, &self.opponent)];
        let sights = sides.map(|(side, team)| Sight::of(team, state.units(side), state.units(side.other())));
        let mut scores = [0.0; 2];
        for (side, team) in sides {
            let (_, target_team) = sides[side.other() as usize];
            let targets = &mut state.units[side.other() as usize];
            scores[side as usize] = fire(&sights[side as usize], team, targets, target_team, rng);
        }
        let enemies =
            sides.map(|(side, _)| sights[side as usize].surroundings(state.units(side.other()), &state.field));
        for (side, team) in sides {
            for unit in 0..UNITS {
                let Unit { place: from, destroyed, .. } = state.units(side)[unit];
                if sights[side as usize].targets[unit].is_none() && !destroyed {
                    let reach = team.attributes(unit).movement();
                    state.units[side as usize][unit].place = match unit {
                        0 => tactics::guard(side, from, reach, &state.field, rng),
                        _ => tactics::advance(side, from, reach, enemies[side as usize].as_ref(), &state.field, rng),
                    };
                }
            }
        }
        Step {
            action: sights[Side::Allies as usize].attacking(),
            score: scores[Side::Allies as usize],
            done: state.has_lost(Side::Allies) || state.has_lost(Side::Enemies),
        }
    }
}

/// All shots of a side, and what they score.
fn fire(sight: &Sight, team: &Team, targets: &mut [Unit; UNITS], target_team: &Team, rng: &mut Stream) -> f64 {
    let mut score = 0.0;
    for (unit, target) in sight.targets.iter().enumerate() {
        let Some(number) = target.map(usize::from) else { continue };
        let hits = team.attributes(unit).shot(rng);
        let target = &mut targets[number];
        if hits && !target.destroyed {
            target.hits += 1;
            target.destroyed = target.hits >= target_team.attributes(number).health();
            let (hit, destroyed) = if number == 0 { (SHIP_HIT, SHIP_DESTROYED) } else { (DRONE_HIT, DRONE_DESTROYED) };
            score += hit + if target.destroyed { destroyed } else { 0.0 };
        }
    }
    score
}

const IS_ITS_SCORE: &str = "the reward of drone-combat is its score";

const fn refuse(option: SimulateOption, why: &'static str) -> Refusal {
    Refusal { option, why, instead: Instead::Nothing }
}

pub(super) const INFO: WorldInfo = WorldInfo {
    kind: WorldKind::DroneCombat,
    name: "drone-combat",
    title: "Drone Combat",
    about: "two swarms of drones, each with a ship to guard; the reward is the score",
    actions: &[],
    policies: &[],
    ended: "were decided",
    refused: &[
        refuse(SimulateOption::Size, "drone-combat always has 40x25 cells"),
        refuse(SimulateOption::Epsilon, "drone-combat has no random transitions"),
        refuse(SimulateOption::Obstacles, "drone-combat draws 300 of them for every episode"),
        Refusal {
            option: SimulateOption::Policy,
            why: "in drone-combat teams play by their attributes",
            instead: Instead::Option(SimulateOption::Classes),
        },
        refuse(SimulateOption::Model, IS_ITS_SCORE),
        refuse(SimulateOption::RewardSeed, IS_ITS_SCORE),
    ],
    prepare: |request| {
        let world = DroneCombat::new();
        let agents = match request.asked.classes {
            true => drone_combat_classes().to_vec(),
            false => vec![world.opponent().clone()],
        };
        let size = (DroneCombat::WIDTH, DroneCombat::HEIGHT);
        Ok(Box::new(Setting { world, size, epsilon: None, model: None, agents, describe: traits, stage: |_| None }))
    },
};

fn traits(team: &Team) -> AgentTraits {
    let unit = |set: &Attributes| UnitTraits {
        visibility: set.visibility(),
        health: set.health(),
        movement: set.movement(),
        shot_strength: set.shot_strength(),
    };
    AgentTraits::Attributes(team.sets().iter().map(unit).collect())
}
