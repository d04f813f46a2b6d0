//! What the paper's tables have.

use super::rewards::Source;
use crate::values::{Learning, Place, Recorded, WorldKind};
use srrd::Metric;

/// The rewards of the paper that a source corresponds to, in the order of the tables below.
fn place(source: &Source) -> Option<(Place, usize)> {
    match source {
        Source::Manual(world) => Some((*world, 0)),
        Source::Learned(world, learning) => {
            let rewards = match learning {
                Learning::Maxent | Learning::MaxentActions => 1,
                Learning::Airl | Learning::AirlShaped => 2,
                Learning::Ptirl | Learning::PtirlSpread => 3,
            };
            Some((*world, rewards))
        }
        Source::Table { .. } => None,
    }
}

type Accuracies = [[(f64, f64); 4]; 4];
/// By rewards (manual, MaxEnt, AIRL, PTIRL) and metric (DIRECT, EPIC, DARD, SRRD): accuracy in percent, mean and standard deviation.
const GRIDWORLD: Accuracies = [
    [(69.8, 4.6), (69.3, 4.6), (70.0, 5.0), (75.8, 4.6)],
    [(57.4, 4.5), (57.5, 4.5), (68.9, 4.5), (70.0, 4.4)],
    [(82.3, 3.0), (84.9, 1.8), (85.0, 2.6), (86.2, 2.7)],
    [(82.2, 3.5), (84.2, 3.3), (83.4, 3.5), (86.0, 3.3)],
];
const BOUNCING_BALLS: Accuracies = [
    [(46.5, 4.8), (47.3, 4.6), (52.0, 4.8), (55.2, 4.5)],
    [(39.7, 3.1), (46.0, 3.3), (50.8, 3.2), (49.9, 3.2)],
    [(41.2, 3.4), (46.1, 3.9), (49.8, 3.3), (56.3, 3.3)],
    [(70.3, 4.2), (71.1, 4.3), (69.5, 4.1), (72.4, 4.0)],
];
const DRONE_COMBAT: Accuracies = [
    [(67.1, 4.1), (67.2, 4.2), (66.2, 4.9), (73.9, 4.2)],
    [(70.3, 3.7), (77.7, 3.8), (73.2, 4.2), (76.8, 3.5)],
    [(90.1, 3.9), (90.7, 3.9), (92.3, 3.7), (93.8, 3.7)],
    [(52.5, 4.3), (63.7, 4.3), (65.1, 4.6), (78.3, 4.1)],
];

const STARCRAFT: Accuracies = [
    [(65.5, 4.6), (67.4, 4.5), (69.5, 4.5), (76.5, 4.4)],
    [(72.3, 4.1), (74.1, 4.1), (73.9, 4.2), (74.8, 4.1)],
    [(75.1, 4.0), (75.3, 4.0), (78.1, 3.8), (77.0, 3.8)],
    [(77.2, 4.1), (78.1, 4.2), (77.6, 4.2), (79.6, 4.0)],
];
const ROBOMIMIC: Accuracies = [
    [(78.2, 7.6), (80.3, 9.3), (79.5, 7.9), (82.4, 8.6)],
    [(82.3, 8.3), (86.8, 7.9), (79.5, 9.1), (89.8, 8.8)],
    [(85.9, 8.7), (87.1, 9.1), (86.3, 9.7), (91.8, 9.5)],
    [(80.3, 7.7), (83.6, 8.3), (83.1, 8.5), (84.2, 8.1)],
];
const MONTEZUMA: Accuracies = [
    [(66.4, 7.5), (70.1, 8.3), (68.3, 7.7), (73.5, 7.5)],
    [(67.8, 8.1), (69.1, 8.3), (68.7, 7.4), (71.2, 7.9)],
    [(68.2, 8.3), (71.4, 8.7), (69.8, 7.9), (72.3, 8.2)],
    [(68.2, 7.9), (69.6, 7.6), (70.6, 7.9), (70.2, 7.7)],
];
const MIMIC: Accuracies = [
    [(53.5, 9.7), (56.5, 9.2), (57.3, 10.1), (59.2, 9.5)],
    [(57.8, 8.51), (59.1, 9.5), (53.1, 9.7), (60.2, 9.2)],
    [(56.5, 8.7), (60.7, 8.6), (57.6, 9.2), (63.3, 8.9)],
    [(58.9, 9.4), (61.4, 8.9), (60.3, 9.1), (60.9, 9.3)],
];

/// Accuracy in percent, mean and standard deviation, of a metric.
pub fn accuracy(source: &Source, metric: Metric) -> Option<(f64, f64)> {
    let (world, rewards) = place(source)?;
    let table = match world {
        Place::World(WorldKind::Gridworld) => &GRIDWORLD,
        Place::World(WorldKind::BouncingBalls) => &BOUNCING_BALLS,
        Place::World(WorldKind::DroneCombat) => &DRONE_COMBAT,
        Place::Recorded(Recorded::Starcraft) => &STARCRAFT,
        Place::Recorded(Recorded::Robomimic) => &ROBOMIMIC,
        Place::Recorded(Recorded::Montezuma) => &MONTEZUMA,
        Place::Recorded(Recorded::Mimic) => &MIMIC,
        // The paper has no others.
        _ => return None,
    };
    Metric::PAPER.iter().position(|&m| m == metric).map(|column| table[rewards][column])
}

/// Welch's t of SRRD against another metric.
pub fn welch(source: &Source, other: Metric) -> Option<f64> {
    let (world, rewards) = place(source)?;
    let table = match world {
        Place::World(WorldKind::Gridworld) => {
            [[11.522, 12.478, 10.385], [28.496, 28.142, 2.593], [13.610, 5.117, 4.266], [11.209, 5.719, 7.725]]
        }
        Place::World(WorldKind::BouncingBalls) => {
            [[18.801, 17.375, 6.955], [32.341, 12.104, -2.586], [45.020, 28.226, 19.488], [5.089, 3.101, 7.096]]
        }
        Place::World(WorldKind::DroneCombat) => {
            [[16.152, 15.851, 16.786], [17.829, -2.543, 9.123], [9.772, 8.023, 3.935], [61.534, 34.679, 30.384]]
        }
        Place::Recorded(Recorded::Starcraft) => {
            [[24.419, 20.633, 15.760], [6.171, 1.717, 2.233], [4.992, 4.300, -2.913], [6.054, 3.631, 4.961]]
        }
        Place::Recorded(Recorded::Robomimic) => {
            [[4.409, 2.23, 3.04], [8.02, 3.19, 10.89], [6.24, 4.95, 5.59], [4.27, 0.65, 1.18]]
        }
        Place::Recorded(Recorded::Montezuma) => {
            [[8.97, 4.58, 6.54], [4.40, 2.95, 3.23], [4.73, 1.03, 2.87], [2.30, 0.763, -0.51]]
        }
        Place::Recorded(Recorded::Mimic) => {
            [[5.93, 2.89, 1.94], [2.71, 1.18, 6.66], [7.73, 2.97, 6.29], [2.14, -0.55, 0.65]]
        }
        _ => return None,
    };
    [Metric::Direct, Metric::Epic, Metric::Dard].iter().position(|&m| m == other).map(|column| table[rewards][column])
}
