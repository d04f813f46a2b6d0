//! Results that are made up, for the tests of claims.

use super::{Measured, Results, Way};
use crate::experiments::shared::pairs::Cell;
use crate::statistics::Moments;
use crate::values::{Estimation, Measure, Noise, Size, WorldKind, gamma};
use srrd::Metric;
use srrd::settings::Batch;
use srrd_show::page::{Claim, Verdict};
use srrd_worlds::Model;

/// A cell in which distances mean something.
pub const fn cell(model: Model, epsilon: f64, noise: Noise) -> Place {
    Place { model, epsilon, noise, coverage: 0.1 }
}

/// What the claims ask of a cell.
#[derive(Clone, Copy)]
pub struct Place {
    pub model: Model,
    pub epsilon: f64,
    pub noise: Noise,
    pub coverage: f64,
}

/// The distances of a way over five trials: all equal to this, or to `Unclear` around it so that no difference shows.
#[derive(Clone, Copy)]
pub enum Level {
    Clear(f64),
    Unclear(f64),
}

/// Four cells of each place, with the metrics of the paper under each of these estimators.
pub fn results(
    places: &[Place],
    estimations: &[Estimation],
    level: impl Fn(Metric, Estimation, Place) -> Level,
) -> Results {
    let mut ways = Vec::new();
    for &estimation in estimations {
        ways.extend(Metric::PAPER.map(|metric| Way {
            measure: Measure::defined(metric),
            estimation,
            batch: Batch::All,
        }));
    }
    let measured = |place: Place| {
        let distances = |(w, way): (usize, &Way)| match level(way.measure.metric, way.estimation, place) {
            // Never quite equal: an interval needs some width.
            Level::Clear(mean) => (0..5).map(|t| mean + 1e-6 * f64::from(t % 3)).collect(),
            // The same five distances in another order for every way, so that differences scatter.
            Level::Unclear(mean) => (0..5).map(|t| mean + 0.2 * ((2 * t + 3 * w) % 5) as f64 - 0.4).collect(),
        };
        Measured {
            cell: Cell {
                world: WorldKind::Gridworld,
                size: Size::square(20),
                model: place.model,
                epsilon: place.epsilon,
                noise: place.noise,
                gamma: gamma(0.7),
                rollouts: 200,
            },
            coverage: [place.coverage, place.coverage].into_iter().collect::<Moments>(),
            common: [100.0, 100.0].into_iter().collect(),
            distances: ways.iter().enumerate().map(distances).collect(),
        }
    };
    let cells = places.iter().flat_map(|&place| (0..4).map(move |_| place)).map(measured).collect();
    Results { cells, ways }
}

/// The verdict of the claim that says this.
pub fn verdict(claims: &[Claim], says: &str) -> Verdict {
    let found: Vec<&Claim> = claims.iter().filter(|claim| claim.paper.contains(says)).collect();
    assert_eq!(found.len(), 1, "'{says}' among {:?}", claims.iter().map(|claim| &claim.paper).collect::<Vec<_>>());
    found[0].verdict
}
