//! What units do: look, go on, look around, keep guard.

use rand::Rng;

use super::battlefield::{Battlefield, DIRECTIONS, NEAR, Place, Surroundings, ship_place};
use super::{Side, Team, UNITS, Unit};
use crate::random::Stream;

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

    /// The cells around the enemies that were seen and are left; `None` without any.
    pub fn surroundings(&self, others: &[Unit; UNITS], field: &Battlefield) -> Option<Surroundings> {
        let known = others.iter().zip(self.seen).filter(|(enemy, seen)| *seen && !enemy.destroyed);
        let mut places = known.map(|(enemy, _)| enemy.place).peekable();
        places.peek().is_some().then(|| field.surroundings(places))
    }
}

/// Where a drone goes: to the enemies that its side sees if they are near, otherwise to the enemy's base.
pub(super) fn advance(
    side: Side,
    from: Place,
    reach: u8,
    enemies: Option<&Surroundings>,
    field: &Battlefield,
    rng: &mut Stream,
) -> Place {
    match enemies.filter(|enemies| enemies.steps(from).is_some()) {
        Some(enemies) => {
            let steps = |place| enemies.steps(place).unwrap_or(NEAR as i32 + 1);
            approach(from, reach, field, steps, rng)
        }
        None => approach(from, reach, field, |place| field.way(place, side.other()), rng),
    }
}

/// The cell along an open line of up to `reach` cells that is nearest to a goal; the end of a line drawn at random where none
/// is nearer than here. Lines are looked at in turn from one drawn at random.
fn approach(from: Place, reach: u8, field: &Battlefield, distance: impl Fn(Place) -> i32, rng: &mut Stream) -> Place {
    let here = distance(from);
    let (mut nearest, mut best) = (here, from);
    let mut elsewhere = from;
    let first = rng.next_u32() as usize;
    for turn in 0..DIRECTIONS.len() {
        let direction = DIRECTIONS[(first.wrapping_add(turn)) % DIRECTIONS.len()];
        let mut at = from;
        for _ in 0..reach {
            let next = at.stepped(direction);
            if field.obstacles.hold(next) {
                break;
            }
            at = next;
            let distance = distance(at);
            if distance < nearest {
                (nearest, best) = (distance, at);
            }
        }
        if elsewhere == from {
            elsewhere = at;
        }
    }
    if nearest < here { best } else { elsewhere }
}

/// Where a ship goes: a cell on, if that is open and near its place.
pub(super) fn guard(side: Side, from: Place, reach: u8, field: &Battlefield, rng: &mut Stream) -> Place {
    let to = from.stepped(DIRECTIONS[rng.next_u32() as usize % DIRECTIONS.len()]);
    let allowed = reach > 0 && to.range(ship_place(side)) <= GUARD && !field.obstacles.hold(to);
    if allowed { to } else { from }
}
