//! Which metric tells equivalent from different rewards, and how far its distance is from the truth.
//!
//! Not in the paper: pairs with a known true correlation, each reward with random shaping of its own, at many coverages, with γ
//! known and with γ estimated from the two samples, with and without noise.

mod claims;
mod draw;

use super::shared::columns::{
    COMMON, COVERAGE, DISTANCE, EPSILON, ESTIMATOR, METRIC, NOISE, ROLLOUTS, SEED, SIZE, TRIAL, UNDEFINED, WORLD,
};
use super::shared::correlated::{Pair, Source, pair, true_distance};
use crate::error::LabError;
use crate::experiment::{Evaluation, Experiment};
use crate::experiments::Kind;
use crate::parameters::Parameters;
use crate::row::{AnyColumn, Choice, Column, Csv, Row, Trials, number};
use crate::seed::trial_seed;
use crate::statistics::{Auc, Moments};
use crate::values::{Estimation, Fraction, GRIDS, Noise, Preset, Size, gamma};
use srrd::settings::Batch;
use srrd::{Gamma, Metric, Settings, estimate_gamma};

/// How it is found.
pub static KIND: Kind = Kind {
    name: "separation",
    about: "beyond the paper: error against a known distance; equivalent told from different",
    preset,
    build,
};

fn preset(preset: Preset) -> Parameters {
    let common = Parameters {
        world: GRIDS.to_vec(),
        size: vec![Size::square(20)],
        epsilon: vec![Fraction(0.1), Fraction(0.0)],
        noise: vec![Noise::None, Noise::Mild],
        gamma: vec![gamma(0.7)],
        metric: Metric::SHOWN.to_vec(),
        estimator: vec![Estimation::Double],
        ..Parameters::default()
    };
    match preset {
        Preset::Quick => Parameters {
            rollouts: vec![2, 5, 20, 50],
            correlation: [0.0, 0.6, 1.0].map(Fraction).to_vec(),
            trials: 12,
            ..common
        },
        Preset::Paper => Parameters {
            rollouts: vec![1, 2, 5, 10, 20, 50, 100, 200],
            correlation: [0.0, 0.3, 0.6, 0.9, 1.0].map(Fraction).to_vec(),
            trials: 200,
            ..common
        },
    }
}

fn build(parameters: Parameters) -> Result<Box<dyn Experiment>, LabError> {
    parameters.only_grids("separation")?;
    parameters.only_one("separation", &["gamma", "estimator"])?;
    parameters.no_regression("separation")?;
    let p = &parameters;
    let mut cells = Vec::new();
    for &world in &p.world {
        for &size in &p.size {
            for &Fraction(epsilon) in &p.epsilon {
                for &noise in &p.noise {
                    for &rollouts in &p.rollouts {
                        let source = Source { world, size, epsilon, noise, gamma: p.gamma[0], rollouts };
                        cells.extend(p.correlation.iter().map(|&Fraction(correlation)| Cell { source, correlation }));
                    }
                }
            }
        }
    }
    Ok(Box::new(Separation { ways: ways(&parameters.metric), parameters, cells }))
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    source: Source,
    correlation: f64,
}

struct Separation {
    parameters: Parameters,
    cells: Vec<Cell>,
    ways: Vec<Way>,
}

/// The columns that say what a cell is.
fn what(cell: &Cell) -> Row {
    let Source { world, size, epsilon, noise, rollouts, .. } = cell.source;
    let row = Row::new().with(WORLD, world).with(SIZE, size).with(EPSILON, Fraction(epsilon)).with(NOISE, noise);
    row.with(ROLLOUTS, rollouts).with(CORRELATION, Fraction(cell.correlation))
}

/// Whether γ is known or estimated from the pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Discount {
    Known,
    Estimated,
}

impl Choice for Discount {
    const ALL: &'static [Self] = &[Discount::Known, Discount::Estimated];
    const NAMES: &'static [&'static str] = &["known", "estimated"];
}

/// How a distance is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Way {
    discount: Discount,
    metric: Metric,
}

/// In the order of the rows.
fn ways(metrics: &[Metric]) -> Vec<Way> {
    Discount::ALL.iter().flat_map(|&discount| metrics.iter().map(move |&metric| Way { discount, metric })).collect()
}

const CORRELATION: Column<Fraction> = Column::new("correlation");
const FREEDOM: Column<Option<usize>> = Column::new("degrees_of_freedom");
const DISCOUNT: Column<Discount> = Column::new("discount");
const GAMMA: Column<Gamma> = Column::new("gamma");

impl Separation {
    fn place(&self, trial: usize) -> (Cell, usize) {
        (self.cells[trial / self.parameters.trials], trial % self.parameters.trials)
    }

    fn seed(&self, trial: usize) -> u64 {
        let (Cell { source, correlation }, number) = self.place(trial);
        let Source { world, size, epsilon, noise, gamma, rollouts } = source;
        let gamma = gamma.get();
        let key = format!("separation,{world},{size},{epsilon},{noise},{gamma},{rollouts},{correlation},{number}");
        trial_seed(self.parameters.seed, &key)
    }
}

impl Experiment for Separation {
    fn columns(&self) -> Vec<AnyColumn> {
        let mut columns = vec![WORLD.any(), SIZE.any(), EPSILON.any(), NOISE.any(), ROLLOUTS.any(), CORRELATION.any()];
        columns.extend([TRIAL.any(), SEED.any(), COVERAGE.any(), COMMON.any(), FREEDOM.any(), DISCOUNT.any()]);
        columns.extend([GAMMA.any(), METRIC.any(), ESTIMATOR.any(), DISTANCE.any(), UNDEFINED.any()]);
        columns
    }

    fn trials(&self) -> usize {
        self.cells.len() * self.parameters.trials
    }

    fn key(&self, trial: usize) -> Row {
        let (cell, number) = self.place(trial);
        what(&cell).with(TRIAL, number).with(SEED, self.seed(trial))
    }

    fn rows(&self, _: usize) -> usize {
        self.ways.len()
    }

    fn cost(&self, trial: usize) -> f64 {
        10.0 + self.place(trial).0.source.rollouts as f64
    }

    fn run(&self, trial: usize) -> Result<Vec<Row>, LabError> {
        let (Cell { source, correlation }, _) = self.place(trial);
        let Pair { a, b, coverage } = pair(&source, correlation, true, self.seed(trial))?;
        let shared = srrd::Pair::new(&a, &b);
        let estimate = estimate_gamma(&[&a, &b]).gamma;
        let estimation = self.parameters.estimator[0];
        let row = |&Way { discount, metric }: &Way| {
            let gamma = if discount == Discount::Known { source.gamma } else { estimate };
            let settings = Settings { gamma, estimator: estimation.estimator(Batch::All), ..Settings::default() };
            let found = shared.distance(metric, &settings);
            Row::new()
                .with(COVERAGE, coverage)
                .with(COMMON, found.common)
                .with(FREEDOM, found.shaping.map(|shaping| shaping.degrees_of_freedom))
                .with(DISCOUNT, discount)
                .with(GAMMA, gamma)
                .with(METRIC, metric)
                .with(ESTIMATOR, estimation)
                .with(DISTANCE, found.distance())
                .with(UNDEFINED, found.undefined())
        };
        Ok(self.ways.iter().map(row).collect())
    }

    fn plan(&self) -> Vec<String> {
        let mut lines = self.parameters.lines();
        lines.push(format!("{} combinations; each pair with γ known and with γ estimated", self.cells.len()));
        lines
    }

    fn evaluate(&self, trials: &Trials) -> Result<Evaluation, LabError> {
        let results = self.results(trials)?;
        let claims = claims::claims(&results);
        let text = draw::text(&results, &claims);
        let report = draw::report(&results, &self.parameters, claims);
        Ok(Evaluation { summary: self.summary(&results), report, text })
    }
}

/// What the trials say.
struct Results {
    ways: Vec<Way>,
    /// The γ of the shaping.
    gamma: Gamma,
    cells: Vec<Measured>,
}

/// What the trials of a cell say.
struct Measured {
    cell: Cell,
    coverage: Moments,
    common: Moments,
    /// Degrees of freedom of the projection, γ known.
    freedom: Moments,
    /// Estimates of γ.
    gamma: Moments,
    /// The defined distances of every way.
    distances: Vec<Vec<f64>>,
    undefined: Vec<usize>,
}

impl Measured {
    fn new(cell: Cell, ways: usize) -> Self {
        let none = Moments::default();
        let (distances, undefined) = (vec![Vec::new(); ways], vec![0; ways]);
        Measured { cell, coverage: none, common: none, freedom: none, gamma: none, distances, undefined }
    }

    fn moments(&self, way: usize) -> Moments {
        self.distances[way].iter().copied().collect()
    }
}

impl Results {
    /// The cells of which there are trials.
    fn there(&self) -> impl Iterator<Item = &Measured> {
        self.cells.iter().filter(|m| m.coverage.count() > 0)
    }

    fn way(&self, discount: Discount, metric: Metric) -> Option<usize> {
        self.ways.iter().position(|&way| way == Way { discount, metric })
    }

    /// How well a way tells the pairs of a cell from equivalent ones.
    fn auc(&self, measured: &Measured, way: usize) -> Option<Auc> {
        if measured.cell.correlation == 1.0 {
            return None;
        }
        let source = measured.cell.source;
        let equivalent = self.cells.iter().find(|m| m.cell == Cell { source, correlation: 1.0 })?;
        Auc::of(&equivalent.distances[way], &measured.distances[way])
    }
}

impl Separation {
    fn results(&self, trials: &Trials) -> Result<Results, LabError> {
        let mut cells: Vec<Measured> = self.cells.iter().map(|&cell| Measured::new(cell, self.ways.len())).collect();
        for (trial, rows) in trials.each().enumerate() {
            let measured = &mut cells[trial / self.parameters.trials];
            for (w, (row, way)) in rows.iter().zip(&self.ways).enumerate() {
                row.expect(DISCOUNT, way.discount)?;
                row.expect(METRIC, way.metric)?;
                if w == 0 {
                    measured.coverage.add(row.get(COVERAGE)?);
                    measured.common.add(row.get(COMMON)? as f64);
                }
                if w + 1 == self.ways.len() {
                    measured.gamma.add(row.get(GAMMA)?.get());
                }
                if let (Discount::Known, Some(freedom)) = (way.discount, row.get(FREEDOM)?) {
                    measured.freedom.add(freedom as f64);
                }
                match row.get(DISTANCE)? {
                    Some(distance) => measured.distances[w].push(distance),
                    None => measured.undefined[w] += 1,
                }
            }
        }
        Ok(Results { ways: self.ways.clone(), gamma: self.parameters.gamma[0], cells })
    }

    fn summary(&self, results: &Results) -> Csv {
        let mut columns = vec!["world", "size", "epsilon", "noise", "rollouts", "correlation", "discount", "metric"];
        columns.extend(["estimator", "coverage", "common", "degrees_of_freedom", "true", "mean", "sd", "low", "high"]);
        columns.extend(["error", "count", "undefined", "auc", "auc_low", "auc_high"]);
        let mut csv = Csv::new(&columns);
        for m in &results.cells {
            let truth = true_distance(m.cell.correlation);
            for (w, &Way { discount, metric }) in results.ways.iter().enumerate() {
                let moments = m.moments(w);
                let (mean, (low, high)) = (moments.mean(), moments.interval());
                let row = what(&m.cell).with(DISCOUNT, discount).with(METRIC, metric);
                let mut row = vec![row.with(ESTIMATOR, self.parameters.estimator[0]).line()];
                row.extend([m.coverage.mean(), m.common.mean(), m.freedom.mean(), truth].map(number));
                row.extend([mean, moments.sd(), low, high, mean - truth].map(number));
                row.extend([moments.count().to_string(), m.undefined[w].to_string()]);
                let auc = results.auc(m, w).map_or([f64::NAN; 3], |auc| [auc.value, auc.low, auc.high]);
                row.extend(auc.map(number));
                csv.row(row);
            }
        }
        csv
    }
}
