//! The field: obstacles, bases, and the way to these.

use super::{DroneCombat, Side, UNITS};
use crate::random::{Stream, below};

const WIDTH: usize = DroneCombat::WIDTH;
const HEIGHT: usize = DroneCombat::HEIGHT;
/// How far a base reaches from its edge.
const BASE_DEPTH: usize = 4;
/// The rows of the bases.
const BASE_ROWS: std::ops::Range<usize> = 8..17;
/// How many steps away an enemy may be for a drone to go there.
pub const NEAR: usize = 10;
/// Left, up, right, down.
pub const DIRECTIONS: [(i32, i32); 4] = [(-1, 0), (0, -1), (1, 0), (0, 1)];
/// The cells of a row.
const ROW: u64 = (1 << WIDTH) - 1;
/// The distance of what cannot be reached.
const UNREACHABLE: u16 = u16::MAX;

/// A cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub x: i32,
    pub y: i32,
}

impl Place {
    pub fn stepped(self, (dx, dy): (i32, i32)) -> Self {
        Place { x: self.x + dx, y: self.y + dy }
    }

    /// How far it is along the axis where it is farther.
    pub fn range(self, other: Place) -> i32 {
        (self.x - other.x).abs().max((self.y - other.y).abs())
    }

    /// The number of a cell on the field.
    fn cell(self) -> usize {
        self.y as usize * WIDTH + self.x as usize
    }

    fn of_cell(cell: usize) -> Self {
        Place { x: (cell % WIDTH) as i32, y: (cell / WIDTH) as i32 }
    }
}

/// A set of cells, a bit each. What is off the field belongs to every set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cells([u64; HEIGHT]);

impl Cells {
    pub fn hold(&self, Place { x, y }: Place) -> bool {
        !(0..WIDTH as i32).contains(&x) || !(0..HEIGHT as i32).contains(&y) || self.0[y as usize] >> x & 1 == 1
    }

    /// Adds a cell of the field.
    pub fn insert(&mut self, Place { x, y }: Place) {
        self.0[y as usize] |= 1 << x;
    }
}

/// What does not change during an episode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Battlefield {
    pub obstacles: Cells,
    /// By side and cell: how many steps it is to the place of the side's ship, around obstacles.
    ways: [Vec<u16>; 2],
}

impl Battlefield {
    /// Draws obstacles among the cells of `ground` until there is a way from ship to ship: of a hundred times, more than ninety
    /// the first time. O(cells).
    pub fn draw(ground: &[u16], rng: &mut Stream) -> Self {
        loop {
            let mut cells = ground.to_vec();
            let mut obstacles = Cells([0; HEIGHT]);
            // The beginning of a shuffle.
            for i in 0..DroneCombat::OBSTACLES {
                let other = i + below((cells.len() - i) as u64, rng) as usize;
                cells.swap(i, other);
                obstacles.insert(Place::of_cell(usize::from(cells[i])));
            }
            let to_allies = distances(&obstacles, ship_place(Side::Allies));
            if to_allies[ship_place(Side::Enemies).cell()] != UNREACHABLE {
                let to_enemies = distances(&obstacles, ship_place(Side::Enemies));
                return Battlefield { obstacles, ways: [to_allies, to_enemies] };
            }
        }
    }

    /// How many steps it is from a cell of the field to the place of a side's ship.
    pub fn way(&self, from: Place, to: Side) -> i32 {
        i32::from(self.ways[to as usize][from.cell()])
    }

    /// The cells around some others. O(rows · [`NEAR`]): all cells of a row at once.
    pub fn surroundings(&self, of: impl Iterator<Item = Place>) -> Surroundings {
        let mut waves = [Cells([0; HEIGHT]); NEAR + 1];
        of.for_each(|place| waves[0].insert(place));
        for steps in 1..=NEAR {
            let reached = waves[steps - 1].0;
            for y in 0..HEIGHT {
                let above = if y == 0 { 0 } else { reached[y - 1] };
                let below = if y + 1 == HEIGHT { 0 } else { reached[y + 1] };
                let around = reached[y] << 1 | reached[y] >> 1 | above | below;
                waves[steps].0[y] = reached[y] | around & ROW & !self.obstacles.0[y];
            }
        }
        Surroundings { waves }
    }
}

/// The cells that are up to [`NEAR`] steps, around obstacles, from one of some others.
pub struct Surroundings {
    /// By number of steps: the cells that are so near, or nearer.
    waves: [Cells; NEAR + 1],
}

impl Surroundings {
    /// How many steps it is from a cell of the field; `None` when there are more than [`NEAR`].
    pub fn steps(&self, from: Place) -> Option<i32> {
        self.waves.iter().position(|cells| cells.hold(from)).map(|steps| steps as i32)
    }
}

/// How many steps it is from every cell to one, around obstacles. O(cells).
fn distances(obstacles: &Cells, to: Place) -> Vec<u16> {
    let mut distances = vec![UNREACHABLE; WIDTH * HEIGHT];
    distances[to.cell()] = 0;
    let mut queue = Vec::with_capacity(WIDTH * HEIGHT);
    queue.push(to);
    let mut next = 0;
    while let Some(&at) = queue.get(next) {
        next += 1;
        for around in DIRECTIONS.map(|direction| at.stepped(direction)) {
            if !obstacles.hold(around) && distances[around.cell()] == UNREACHABLE {
                distances[around.cell()] = distances[at.cell()] + 1;
                queue.push(around);
            }
        }
    }
    distances
}

/// The cells outside the bases.
pub(super) fn ground() -> Vec<u16> {
    let is_base = |cell: usize| {
        let (x, y) = (cell % WIDTH, cell / WIDTH);
        !(BASE_DEPTH..WIDTH - BASE_DEPTH).contains(&x) && BASE_ROWS.contains(&y)
    };
    (0..WIDTH * HEIGHT).filter(|cell| !is_base(*cell)).map(|cell| cell as u16).collect()
}

/// Where the ship of a side starts.
pub(super) fn ship_place(side: Side) -> Place {
    of_side(side, Place { x: 1, y: 12 })
}

/// Where the units of a side start: the ship, and the drones in two columns before it.
pub(super) fn start_places(side: Side) -> [Place; UNITS] {
    std::array::from_fn(|unit| match unit {
        0 => ship_place(side),
        _ => {
            let (column, row) = ((unit - 1) / 5, (unit - 1) % 5);
            of_side(side, Place { x: 2 + column as i32, y: (BASE_ROWS.start + 2 * row) as i32 })
        }
    })
}

/// The sides mirror each other.
fn of_side(side: Side, place: Place) -> Place {
    match side {
        Side::Allies => place,
        Side::Enemies => Place { x: WIDTH as i32 - 1 - place.x, ..place },
    }
}
