//! What units do: look, go on, step aside, keep guard.

use rand::Rng;

use super::battlefield::{Battlefield, Cells, DIRECTIONS, Place, ship_place};
use super::{Side, Team, UNITS, Unit};
use crate::random::Stream;

/// How many steps away a sighting may be to go there.
const NEAR: i32 = 10;
/// How far a ship goes from its place, along each axis.
const GUARD: i32 = 1;

/// What a side sees at the beginning of a step.
pub struct Sight {
    /// For every unit the number of the enemy that it attacks.
    pub targets: [Option<u8>; UNITS],
    /// Which enemies anyone sees.
    seen: [bool; UNITS],
}

impl Sight {
    pub fn of(team: &Team, own: &[Unit; UNITS], others: &[Unit; UNITS]) -> Self {
        let mut sight = Sight { targets: [None; UNITS], seen: [false; UNITS] };
        for (number, unit) in own.iter().enumerate().filter(|(_, unit)| !unit.destroyed) {
            let visibility = i32::from(team.attributes(number).visibility());
            let mut nearest = visibility + 1;
            for (other, enemy) in others.iter().enumerate().filter(|(_, enemy)| !enemy.destroyed) {
                let range = unit.place.range(enemy.place);
                sight.seen[other] |= range <= visibility;
                if range < nearest {
                    nearest = range;
                    sight.targets[number] = Some(other as u8);
                }
            }
        }
        sight
    }

    /// How many units attack.
    pub fn attacking(&self) -> usize {
        self.targets.iter().flatten().count()
    }

    /// Where the enemies are that were seen and are left.
    pub fn places(&self, others: &[Unit; UNITS]) -> Sightings {
        let mut sightings = Sightings { places: [Place { x: 0, y: 0 }; UNITS], count: 0 };
        for (enemy, _) in others.iter().zip(self.seen).filter(|(enemy, seen)| *seen && !enemy.destroyed) {
            sightings.places[sightings.count] = enemy.place;
            sightings.count += 1;
        }
        sightings
    }
}

/// Where enemies were seen.
pub struct Sightings {
    places: [Place; UNITS],
    count: usize,
}

impl Sightings {
    /// The sighting next to a place, if one is near; of several the first.
    fn near(&self, place: Place) -> Option<Place> {
        let nearest = self.places[..self.count].iter().min_by_key(|sighting| sighting.steps(place));
        nearest.copied().filter(|sighting| sighting.steps(place) <= NEAR)
    }
}

/// Where a drone goes.
pub fn advance(
    side: Side,
    from: Place,
    reach: u8,
    sightings: &Sightings,
    field: &Battlefield,
    taken: &Cells,
    rng: &mut Stream,
) -> Place {
    match sightings.near(from) {
        Some(goal) => approach(from, reach, taken, |place| place.steps(goal), rng),
        None => approach(from, reach, taken, |place| field.way(place, side.other()), rng),
    }
}

/// The free cell along a line of up to `reach` cells that is nearest to a goal; the end of a line drawn at random where none
/// is nearer than here. Lines are looked at in turn from one drawn at random.
fn approach(from: Place, reach: u8, taken: &Cells, distance: impl Fn(Place) -> i32, rng: &mut Stream) -> Place {
    let here = distance(from);
    let (mut nearest, mut best) = (here, from);
    let mut aside = from;
    let first = rng.next_u32() as usize;
    for turn in 0..DIRECTIONS.len() {
        let direction = DIRECTIONS[(first.wrapping_add(turn)) % DIRECTIONS.len()];
        let mut at = from;
        for _ in 0..reach {
            let next = at.stepped(direction);
            if taken.hold(next) {
                break;
            }
            at = next;
            let distance = distance(at);
            if distance < nearest {
                (nearest, best) = (distance, at);
            }
        }
        if aside == from {
            aside = at;
        }
    }
    if nearest < here { best } else { aside }
}

/// Where a ship goes: a cell on, if that is free and near its place.
pub fn guard(side: Side, from: Place, reach: u8, taken: &Cells, rng: &mut Stream) -> Place {
    let to = from.stepped(DIRECTIONS[rng.next_u32() as usize % DIRECTIONS.len()]);
    let allowed = reach > 0 && to.range(ship_place(side)) <= GUARD && !taken.hold(to);
    if allowed { to } else { from }
}
