//! What the paper's tables have.

use super::rewards::Source;
use crate::values::{Learning, WorldKind};
use srrd::Metric;

/// The rewards of the paper that a source corresponds to, in the order of the tables below.
fn place(source: &Source) -> Option<(WorldKind, usize)> {
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

/// Accuracy in percent, mean and standard deviation, of a metric.
pub fn accuracy(source: &Source, metric: Metric) -> Option<(f64, f64)> {
    let (world, rewards) = place(source)?;
    let table = match world {
        WorldKind::Gridworld => &GRIDWORLD,
        WorldKind::BouncingBalls => &BOUNCING_BALLS,
        WorldKind::DroneCombat => &DRONE_COMBAT,
        // The paper has no others.
        _ => return None,
    };
    Metric::PAPER.iter().position(|&m| m == metric).map(|column| table[rewards][column])
}

/// Welch's t of SRRD against another metric.
pub fn welch(source: &Source, other: Metric) -> Option<f64> {
    let (world, rewards) = place(source)?;
    let table = match world {
        WorldKind::Gridworld => {
            [[11.522, 12.478, 10.385], [28.496, 28.142, 2.593], [13.610, 5.117, 4.266], [11.209, 5.719, 7.725]]
        }
        WorldKind::BouncingBalls => {
            [[18.801, 17.375, 6.955], [32.341, 12.104, -2.586], [45.020, 28.226, 19.488], [5.089, 3.101, 7.096]]
        }
        WorldKind::DroneCombat => {
            [[16.152, 15.851, 16.786], [17.829, -2.543, 9.123], [9.772, 8.023, 3.935], [61.534, 34.679, 30.384]]
        }
        _ => return None,
    };
    [Metric::Direct, Metric::Epic, Metric::Dard].iter().position(|&m| m == other).map(|column| table[rewards][column])
}
