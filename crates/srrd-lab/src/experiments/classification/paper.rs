//! What the paper's tables have for hand-made rewards.

use crate::values::WorldKind;
use srrd::Metric;

/// Accuracy in percent, mean and standard deviation, of a metric.
pub fn accuracy(world: WorldKind, metric: Metric) -> Option<(f64, f64)> {
    let row = match world {
        WorldKind::Gridworld => [(69.8, 4.6), (69.3, 4.6), (70.0, 5.0), (75.8, 4.6)],
        WorldKind::BouncingBalls => [(46.5, 4.8), (47.3, 4.6), (52.0, 4.8), (55.2, 4.5)],
        WorldKind::DroneCombat => [(67.1, 4.1), (67.2, 4.2), (66.2, 4.9), (73.9, 4.2)],
        // The paper has no others.
        _ => return None,
    };
    Metric::PAPER.iter().position(|&m| m == metric).map(|column| row[column])
}

/// Welch's t of SRRD against another metric.
pub fn welch(world: WorldKind, other: Metric) -> Option<f64> {
    let row = match world {
        WorldKind::Gridworld => [11.522, 12.478, 10.385],
        WorldKind::BouncingBalls => [18.801, 17.375, 6.955],
        WorldKind::DroneCombat => [16.152, 15.851, 16.786],
        _ => return None,
    };
    [Metric::Direct, Metric::Epic, Metric::Dard].iter().position(|&m| m == other).map(|column| row[column])
}
