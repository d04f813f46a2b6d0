//! The study behind Experiment 1 and its variations: the distance of equivalent rewards against the number of rollouts.
//!
//! Every trial draws a pair of samples of equivalent rewards and takes every distance of it. `coverage`, `estimators`, `noise` and
//! `regression` are this study with other presets, and each knows which of the paper's claims it can check.

mod draw;
#[cfg(test)]
pub mod made;

use super::shared::columns::{
    COMMON, COVERAGE, DISTANCE, EPSILON, ESTIMATOR, MEASURE, MODEL, NOISE, ROLLOUTS, SEED, SIZE, TRIAL, UNDEFINED,
    WORLD,
};
use super::shared::pairs::{Cell, Pair, Tokens, shaped_pair};
use super::shared::published::{Code, Published};
use crate::error::LabError;
use crate::experiment::{Evaluation, Experiment};
use crate::parameters::Parameters;
use crate::row::{AnyColumn, Column, Csv, Row, Trials, number};
use crate::seed::trial_seed;
use crate::statistics::Moments;
use crate::values::{Estimation, Fraction, Measure, Noise, gamma};
use srrd::settings::Batch;
use srrd::{Gamma, Metric, Settings, distance};
use srrd_show::page::Claim;

/// The 23 rollout counts of the paper.
pub const PAPER_ROLLOUTS: [usize; 23] =
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30, 40, 50, 75, 100, 200, 300, 400, 500, 1000, 2000];

/// What the presets of all these studies have, such as the discount factor of Experiment 1.
pub fn common() -> Parameters {
    Parameters {
        noise: vec![Noise::None],
        gamma: vec![gamma(0.7)],
        metric: Metric::PAPER.to_vec(),
        batch: vec![Batch::All],
        ..Parameters::default()
    }
}

const GAMMA: Column<Gamma> = Column::new("gamma");
const BATCH: Column<Batch> = Column::new("batch");

/// What makes one of the studies.
pub struct Story {
    /// Its name after `srrd reproduce`.
    pub name: &'static str,
    /// The title of the report.
    pub title: &'static str,
    /// What it is about, for someone who has not read the paper.
    pub lead: &'static [&'static str],
    /// The paper's claims beside what was measured.
    pub claims: fn(&Results) -> Vec<Claim>,
}

/// How a distance is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// The metric, which its rows are called by.
    pub measure: Measure,
    /// The estimator; `direct` has the same values under each.
    pub estimation: Estimation,
    /// The batch of the double batch.
    pub batch: Batch,
}

/// The study with its settings.
pub struct Sparsity {
    story: &'static Story,
    parameters: Parameters,
    cells: Vec<Cell>,
    ways: Vec<Way>,
}

impl Sparsity {
    /// All combinations of the parameters.
    pub fn build(story: &'static Story, parameters: Parameters) -> Result<Box<dyn Experiment>, LabError> {
        let p = &parameters;
        p.only_grids(story.name)?;
        if p.batch != [Batch::All] && !p.estimator.iter().any(|&e| e != Estimation::Unbiased) {
            return Err(LabError::parameter("batch", "the unbiased estimator draws no batch; leave it out"));
        }
        let mut cells = Vec::new();
        for &world in &p.world {
            for &size in &p.size {
                for &model in &p.model {
                    for &Fraction(epsilon) in &p.epsilon {
                        for &noise in &p.noise {
                            for &gamma in &p.gamma {
                                for &rollouts in &p.rollouts {
                                    cells.push(Cell { world, size, model, epsilon, noise, gamma, rollouts });
                                }
                            }
                        }
                    }
                }
            }
        }
        let mut ways = Vec::new();
        for &batch in &p.batch {
            for &estimation in &p.estimator {
                // The unbiased estimator draws no batch: once is enough.
                if estimation == Estimation::Unbiased && batch != p.batch[0] {
                    continue;
                }
                let way = |&metric: &Metric| Way { measure: Measure::defined(metric), estimation, batch };
                ways.extend(p.metric.iter().map(way));
            }
        }
        if p.as_published == Some(true) {
            let way = |measure| Way { measure, estimation: Estimation::Double, batch: Batch::All };
            ways.extend(Measure::PUBLISHED.map(way));
        }
        Ok(Box::new(Sparsity { story, cells, ways, parameters }))
    }

    fn place(&self, trial: usize) -> (&Cell, usize) {
        (&self.cells[trial / self.parameters.trials], trial % self.parameters.trials)
    }

    fn seed(&self, cell: &Cell, trial: usize) -> u64 {
        let Cell { world, size, model, epsilon, noise, gamma, rollouts } = cell;
        let (name, gamma) = (self.story.name, gamma.get());
        let key = format!("{name},{world},{size},{model},{epsilon},{noise},{gamma},{rollouts},{trial}");
        trial_seed(self.parameters.seed, &key)
    }

    /// Columns beyond the usual ones, where a parameter has more than one value.
    fn extra_columns(&self) -> Vec<AnyColumn> {
        let Parameters { noise, gamma, batch, .. } = &self.parameters;
        let columns = [(NOISE.any(), noise.len() > 1), (GAMMA.any(), gamma.len() > 1), (BATCH.any(), batch.len() > 1)];
        columns.into_iter().filter(|(_, there)| *there).map(|(column, _)| column).collect()
    }

    fn with_extra(&self, mut row: Row, cell: &Cell, way: &Way) -> Row {
        let Parameters { noise, gamma, batch, .. } = &self.parameters;
        if noise.len() > 1 {
            row = row.with(NOISE, cell.noise);
        }
        if gamma.len() > 1 {
            row = row.with(GAMMA, cell.gamma);
        }
        if batch.len() > 1 {
            row = row.with(BATCH, way.batch);
        }
        row
    }

    fn tokens(&self) -> Tokens {
        if self.parameters.estimator.iter().any(|e| e.regression().is_some()) {
            Tokens::Features
        } else {
            Tokens::Numbers
        }
    }

    fn results(&self, trials: &Trials) -> Result<Results, LabError> {
        let empty = |&cell: &Cell| Measured {
            cell,
            coverage: Moments::default(),
            common: Moments::default(),
            distances: vec![Vec::new(); self.ways.len()],
        };
        let mut cells: Vec<Measured> = self.cells.iter().map(empty).collect();
        for (trial, rows) in trials.each().enumerate() {
            let measured = &mut cells[trial / self.parameters.trials];
            for (w, (row, way)) in rows.iter().zip(&self.ways).enumerate() {
                row.expect(MEASURE, way.measure)?;
                row.expect(ESTIMATOR, way.estimation)?;
                if w == 0 {
                    measured.coverage.add(row.get(COVERAGE)?);
                    measured.common.add(row.get(COMMON)? as f64);
                }
                measured.distances[w].push(row.get(DISTANCE)?.unwrap_or(f64::NAN));
            }
        }
        Ok(Results { cells, ways: self.ways.clone() })
    }

    fn summary(&self, results: &Results) -> Csv {
        let mut columns = vec!["world", "size", "model", "epsilon", "rollouts", "metric", "estimator"];
        columns.extend(self.extra_columns().iter().map(AnyColumn::name));
        columns.extend(["coverage", "common", "mean", "sd", "low", "high", "count", "undefined"]);
        let mut csv = Csv::new(&columns);
        for measured in &results.cells {
            let cell = &measured.cell;
            for (w, way) in self.ways.iter().enumerate() {
                let moments = measured.moments(w);
                let (low, high) = moments.interval();
                let row = what(cell).with(MEASURE, way.measure).with(ESTIMATOR, way.estimation);
                let mut row = vec![self.with_extra(row, cell, way).line()];
                row.extend([measured.coverage.mean(), measured.common.mean()].map(number));
                row.extend([moments.mean(), moments.sd(), low, high].map(number));
                row.push(moments.count().to_string());
                row.push((measured.distances[w].len() as u64 - moments.count()).to_string());
                csv.row(row);
            }
        }
        csv
    }
}

/// The distance that the paper's code finds.
fn as_published(pair: &Pair, way: &Way, settings: &Settings) -> Result<srrd::Distance, LabError> {
    let canonical = |sample| Published::new(sample, way.measure, Code::Coverage).canonical(settings.gamma.get());
    Ok(distance(&canonical(&pair.plain)?, &canonical(&pair.shaped)?, Metric::Direct, settings))
}

/// The columns that say what a cell is.
fn what(cell: &Cell) -> Row {
    let &Cell { world, size, model, epsilon, rollouts, .. } = cell;
    let row = Row::new().with(WORLD, world).with(SIZE, size).with(MODEL, model);
    row.with(EPSILON, Fraction(epsilon)).with(ROLLOUTS, rollouts)
}

impl Experiment for Sparsity {
    fn columns(&self) -> Vec<AnyColumn> {
        let mut columns =
            vec![WORLD.any(), SIZE.any(), MODEL.any(), EPSILON.any(), ROLLOUTS.any(), TRIAL.any(), SEED.any()];
        columns.extend([COVERAGE.any(), COMMON.any(), MEASURE.any(), ESTIMATOR.any(), DISTANCE.any(), UNDEFINED.any()]);
        columns.extend(self.extra_columns());
        columns
    }

    fn trials(&self) -> usize {
        self.cells.len() * self.parameters.trials
    }

    fn key(&self, trial: usize) -> Row {
        let (cell, trial) = self.place(trial);
        what(cell).with(TRIAL, trial).with(SEED, self.seed(cell, trial))
    }

    fn rows(&self, _: usize) -> usize {
        self.ways.len()
    }

    fn cost(&self, trial: usize) -> f64 {
        // Measured: walking grows with the rollouts, everything else more slowly.
        10.0 + self.place(trial).0.rollouts as f64
    }

    fn run(&self, trial: usize) -> Result<Vec<Row>, LabError> {
        let (cell, number) = self.place(trial);
        let seed = self.seed(cell, number);
        let pair = shaped_pair(cell, self.tokens(), seed)?;
        let shared = srrd::Pair::new(&pair.plain, &pair.shaped);
        let predicting = pair.predicting(self.parameters.estimator.iter().filter_map(|e| e.regression()))?;
        let mut rows = Vec::new();
        for way in &self.ways {
            let estimator = way.estimation.estimator(way.batch);
            let settings = Settings { gamma: cell.gamma, estimator, seed, ..Settings::default() };
            let predicted =
                way.estimation.regression().and_then(|wanted| predicting.iter().find(|p| p.regression == wanted));
            let found = match predicted {
                _ if way.measure.published => as_published(&pair, way, &settings)?,
                None => shared.distance(way.measure.metric, &settings),
                Some(p) => distance(&p.plain, &p.shaped, way.measure.metric, &settings),
            };
            let row = Row::new()
                .with(COVERAGE, pair.coverage)
                .with(COMMON, found.common)
                .with(MEASURE, way.measure)
                .with(ESTIMATOR, way.estimation)
                .with(DISTANCE, found.distance())
                .with(UNDEFINED, found.undefined());
            rows.push(self.with_extra(row, cell, way));
        }
        Ok(rows)
    }

    fn plan(&self) -> Vec<String> {
        let mut lines = self.parameters.lines();
        lines.push(format!("{} combinations, {} distances per trial", self.cells.len(), self.ways.len()));
        lines
    }

    fn evaluate(&self, trials: &Trials) -> Result<Evaluation, LabError> {
        let results = self.results(trials)?;
        let claims = (self.story.claims)(&results);
        let text = self.text(&results, &claims);
        Ok(Evaluation { summary: self.summary(&results), report: self.report(&results, claims), text })
    }
}

/// What the trials say, one cell at a time.
pub struct Results {
    /// The cells in the order of the plan.
    pub cells: Vec<Measured>,
    /// The ways in the order of the rows.
    pub ways: Vec<Way>,
}

/// What the trials of a cell say.
pub struct Measured {
    /// The cell.
    pub cell: Cell,
    /// Coverage as a fraction.
    pub coverage: Moments,
    /// Shared transitions.
    pub common: Moments,
    /// The distances of every way, one per trial, NaN where undefined: `distances[w][t]` of all `w` belong to the same samples.
    pub distances: Vec<Vec<f64>>,
}

impl Measured {
    /// The defined distances of a way.
    pub fn moments(&self, way: usize) -> Moments {
        self.distances[way].iter().copied().filter(|d| !d.is_nan()).collect()
    }

    /// The differences of two ways over the trials where both are defined.
    pub fn difference(&self, way: usize, other: usize) -> Moments {
        let pairs = self.distances[way].iter().zip(&self.distances[other]);
        pairs.map(|(a, b)| a - b).filter(|d| !d.is_nan()).collect()
    }
}

impl Results {
    /// DARD as the paper's code computes it.
    pub fn published_dard(&self) -> Option<usize> {
        self.ways.iter().position(|way| way.measure == Measure { metric: Metric::Dard, published: true })
    }

    /// Where a metric stands among the ways.
    pub fn way(&self, metric: Metric, estimation: Estimation) -> Option<usize> {
        self.ways.iter().position(|way| way.measure == Measure::defined(metric) && way.estimation == estimation)
    }
}
