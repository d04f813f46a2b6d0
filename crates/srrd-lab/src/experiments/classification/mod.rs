//! Experiment 2: who acted? Agents told apart by the rewards of their trajectories, with k-NN under every metric.

mod claims;
mod domains;
mod draw;
mod learned;
mod occupancy;
mod paper;
mod recorded;
mod results;
mod rewards;

use super::shared::columns::{ESTIMATOR, MEASURE, SEED};
use super::shared::published::{Code, Published};
use super::shared::show::estimated;
use crate::error::LabError;
use crate::experiment::{Evaluation, Experiment};
use crate::experiments::Kind;
use crate::parameters::Parameters;
use crate::row::{AnyColumn, Column, Row, Trials};
use crate::seed::trial_seed;
use crate::values::{Estimation, Measure, Place, Preset, Rewards, WorldKind, gamma};
use occupancy::WithoutRewards;
use recorded::Recordings;
use rewards::{Dataset, Drawing, Source};
use srrd::classify::{Classes, GammaDistances, Grid, Repeat, Splits, evaluate};
use srrd::settings::{Batch, Shrinkage};
use srrd::{Gamma, Metric, RewardSample, Settings, pairwise};
use srrd_worlds::Model;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// How it is found.
pub static KIND: Kind = Kind {
    name: "classification",
    about: "Experiment 2: agents told apart by their rewards, with k-NN under every metric",
    preset,
    build,
};

fn preset(preset: Preset) -> Parameters {
    let common = Parameters {
        world: vec![WorldKind::Gridworld, WorldKind::BouncingBalls, WorldKind::DroneCombat],
        model: vec![Model::Linear],
        rewards: vec![Rewards::Manual],
        gamma: (0..=10).map(|tenths| gamma(f64::from(tenths) / 10.0)).collect(),
        k: (1..=10).map(|k| 10 * k).collect(),
        min_common: 21,
        shrinkage: Some(Shrinkage::default()),
        ridge: Some(learned::RIDGE),
        metric: Metric::PAPER.to_vec(),
        estimator: vec![Estimation::Double, Estimation::Unbiased],
        data: PathBuf::from("recordings"),
        cells: 20,
        episodes: 5,
        scores: vec![1000, 3000],
        as_published: Some(false),
        ..Parameters::default()
    };
    match preset {
        Preset::Quick => Parameters { sets: 30, trials: 20, ..common },
        Preset::Paper => Parameters { sets: 100, trials: 200, ..common },
    }
}

fn build(parameters: Parameters) -> Result<Box<dyn Experiment>, LabError> {
    parameters.only_one("classification", &["model"])?;
    parameters.no_regression("classification")?;
    let sources = rewards::sources(&parameters);
    let p = &parameters;
    let mut cells = Vec::new();
    for source in 0..sources.len() {
        for &metric in &p.metric {
            // An estimator changes nothing for these: once is enough.
            let estimators = if estimated(metric) { &p.estimator[..] } else { &p.estimator[..1] };
            let measure = Measure::defined(metric);
            cells.extend(estimators.iter().map(|&estimation| Cell { source, measure, estimation }));
        }
        if p.as_published == Some(true) {
            let estimation = Estimation::Double;
            cells.extend(Measure::PUBLISHED.map(|measure| Cell { source, measure, estimation }));
        }
    }
    Ok(Box::new(Classification::new(parameters, sources, cells)))
}

/// One classifier: a metric with an estimator on one set of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    source: usize,
    measure: Measure,
    estimation: Estimation,
}

struct Classification {
    parameters: Parameters,
    sources: Vec<Source>,
    cells: Vec<Cell>,
    /// The samples of every source, once they are drawn.
    datasets: Vec<Mutex<Option<Arc<Dataset>>>>,
    /// What their classes look like without rewards, once that is known.
    baselines: Vec<Mutex<Option<Arc<WithoutRewards>>>>,
    recordings: Recordings,
}

/// The world, or `table`.
const WORLD: Column<String> = Column::new("world");
const REWARDS: Column<String> = Column::new("rewards");
const REPEAT: Column<usize> = Column::new("repeat");
const ACCURACY: Column<f64> = Column::<f64>::new("accuracy").within(0.0, 1.0);
const PRECISION: Column<f64> = Column::<f64>::new("precision").within(0.0, 1.0);
const RECALL: Column<f64> = Column::<f64>::new("recall").within(0.0, 1.0);
const F1: Column<f64> = Column::<f64>::new("f1").within(0.0, 1.0);
const GAMMA: Column<Gamma> = Column::new("gamma");
const K: Column<usize> = Column::new("k");
const VALIDATION: Column<f64> = Column::<f64>::new("validation").within(0.0, 1.0);
/// The accuracy of overlap alone on the same split: k-NN by the share of common transitions, without a look at rewards.
const OVERLAP: Column<f64> = Column::<f64>::new("overlap").within(0.0, 1.0);
/// The same by how often transitions were met.
const OCCUPANCY: Column<f64> = Column::<f64>::new("occupancy").within(0.0, 1.0);
/// Which data the samples come from: `simulated`, or a folder or a table.
const DATA: Column<String> = Column::new("data");
/// How many samples there are, and how many the agent with fewest has.
const SAMPLES: Column<usize> = Column::new("samples");
const FEWEST: Column<usize> = Column::new("fewest");
/// Pairs without a distance.
const UNDEFINED: Column<usize> = Column::new("undefined");
/// Row after row: true agents down, predicted across.
const CONFUSION: Column<Vec<u64>> = Column::new("confusion");

/// Below so many samples of an agent an accuracy says next to nothing.
const FEW_SAMPLES: usize = 10;

impl Classification {
    fn new(parameters: Parameters, sources: Vec<Source>, cells: Vec<Cell>) -> Self {
        let datasets = sources.iter().map(|_| Mutex::new(None)).collect();
        let baselines = sources.iter().map(|_| Mutex::new(None)).collect();
        let recordings = Recordings::new(&parameters);
        Classification { parameters, sources, cells, datasets, baselines, recordings }
    }

    /// The same samples and the same splits for every metric.
    fn seed(&self, source: usize) -> u64 {
        let Parameters { model, sets, seed, .. } = &self.parameters;
        trial_seed(*seed, &format!("classification,{},{},{sets}", self.sources[source].name(), model[0]))
    }

    /// How strongly unknowns are drawn to 0 where rewards are learned.
    fn ridge(&self) -> f64 {
        self.parameters.ridge.unwrap_or(learned::RIDGE)
    }

    /// The samples of a source. They are drawn once for all trials and for the report.
    fn dataset(&self, source: usize) -> Result<Arc<Dataset>, LabError> {
        // Who stopped while drawing has left nothing behind.
        let mut drawn = self.datasets[source].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(dataset) = &*drawn {
            return Ok(Arc::clone(dataset));
        }
        let Parameters { model, sets, .. } = &self.parameters;
        let seed = self.seed(source);
        let ridge = self.ridge();
        let drawing = Drawing { sets: *sets, model: model[0], seed, ridge, recordings: &self.recordings };
        let dataset = Arc::new(self.sources[source].draw(&drawing)?);
        *drawn = Some(Arc::clone(&dataset));
        Ok(dataset)
    }

    /// What is told apart without rewards, once for all metrics of a source.
    fn without_rewards(
        &self,
        source: usize,
        samples: &[&RewardSample],
        classes: &Classes,
        grid: &Grid,
        splits: &Splits,
    ) -> Result<Arc<WithoutRewards>, LabError> {
        let mut known = self.baselines[source].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*known {
            return Ok(Arc::clone(known));
        }
        let found = WithoutRewards::new(samples, classes, grid, splits, self.parameters.gamma[0]);
        let found = Arc::new(found.map_err(LabError::failed)?);
        *known = Some(Arc::clone(&found));
        Ok(found)
    }

    /// The distances of a metric for every γ.
    fn distances(&self, cell: &Cell, samples: &[&RewardSample], seed: u64) -> Result<GammaDistances, LabError> {
        let gammas = &self.parameters.gamma;
        let settings = self.settings(cell.estimation, seed);
        if !cell.measure.published {
            return Ok(GammaDistances::new(samples, cell.measure.metric, gammas, &settings));
        }
        let terms: Vec<Published<'_>> =
            samples.iter().map(|sample| Published::new(sample, cell.measure, Code::Classification)).collect();
        let matrix = |gamma: &Gamma| {
            let canonical =
                terms.iter().map(|terms| terms.canonical(gamma.get())).collect::<Result<Vec<_>, LabError>>()?;
            Ok(pairwise(&canonical.iter().collect::<Vec<_>>(), Metric::Direct, &settings).into_distances())
        };
        let matrices = gammas.iter().map(matrix).collect::<Result<Vec<_>, LabError>>()?;
        Ok(GammaDistances::from_matrices(samples.len(), gammas.clone(), matrices))
    }

    /// Which data a source has, in a text without commas and line breaks.
    fn data(&self, source: usize) -> String {
        match &self.sources[source] {
            Source::Manual(Place::World(_)) | Source::Learned(Place::World(_), _) => "simulated".to_owned(),
            Source::Manual(Place::Recorded(recorded)) | Source::Learned(Place::Recorded(recorded), _) => {
                self.recordings.name(*recorded)
            }
            Source::Table { path, .. } => recorded::plain(path),
        }
    }

    fn settings(&self, estimation: Estimation, seed: u64) -> Settings {
        Settings {
            estimator: estimation.estimator(Batch::All),
            seed,
            min_common: self.parameters.min_common,
            shrinkage: self.parameters.shrinkage.unwrap_or_default(),
            ..Settings::default()
        }
    }
}

impl Experiment for Classification {
    fn ready(&self) -> Result<(), LabError> {
        self.sources.iter().try_for_each(|source| match source {
            Source::Manual(Place::Recorded(recorded)) | Source::Learned(Place::Recorded(recorded), _) => {
                self.recordings.look(*recorded).map(drop)
            }
            Source::Manual(Place::World(_)) | Source::Learned(Place::World(_), _) | Source::Table { .. } => Ok(()),
        })
    }

    fn columns(&self) -> Vec<AnyColumn> {
        let mut columns =
            vec![WORLD.any(), REWARDS.any(), DATA.any(), MEASURE.any(), ESTIMATOR.any(), SEED.any(), REPEAT.any()];
        columns.extend([ACCURACY.any(), PRECISION.any(), RECALL.any(), F1.any(), GAMMA.any(), K.any()]);
        columns.extend([VALIDATION.any(), OVERLAP.any(), OCCUPANCY.any(), UNDEFINED.any()]);
        columns.extend([SAMPLES.any(), FEWEST.any(), CONFUSION.any()]);
        columns
    }

    fn trials(&self) -> usize {
        self.cells.len()
    }

    fn key(&self, trial: usize) -> Row {
        let cell @ Cell { source, estimation, .. } = self.cells[trial];
        let (world, rewards) = self.sources[source].names();
        let row = Row::new().with(WORLD, world).with(REWARDS, rewards).with(DATA, self.data(source));
        let row = row.with(MEASURE, cell.measure);
        row.with(ESTIMATOR, estimation).with(SEED, self.seed(source))
    }

    fn rows(&self, _: usize) -> usize {
        self.parameters.trials
    }

    fn cost(&self, trial: usize) -> f64 {
        // `direct` has one matrix for all γ.
        match self.cells[trial].measure.metric {
            Metric::Direct => 1.0,
            metric if metric.info().projects => 50.0,
            _ => self.parameters.gamma.len() as f64,
        }
    }

    fn run(&self, trial: usize) -> Result<Vec<Row>, LabError> {
        let cell @ Cell { source, .. } = self.cells[trial];
        let seed = self.seed(source);
        let dataset = self.dataset(source)?;
        let classes = Classes::new(&dataset.labels);
        let references: Vec<&RewardSample> = dataset.samples.iter().collect();
        let gammas = &self.parameters.gamma;
        let distances = self.distances(&cell, &references, seed)?;
        let grid = Grid::new(&self.parameters.k).map_err(|e| LabError::parameter("k", e.to_string()))?;
        let splits = Splits::new(0.7, self.parameters.trials, seed).map_err(LabError::failed)?;
        let failed = |error| LabError::failed(format!("{}: {error}", self.sources[source].title()));
        let evaluation = evaluate(&distances, &classes, &grid, &splits).map_err(failed)?;
        let baseline = self.without_rewards(source, &references, &classes, &grid, &splits)?;
        let row = |(number, repeat): (usize, &Repeat)| {
            Row::new()
                .with(REPEAT, number)
                .with(ACCURACY, repeat.scores.accuracy)
                .with(PRECISION, repeat.scores.precision)
                .with(RECALL, repeat.scores.recall)
                .with(F1, repeat.scores.f1)
                .with(GAMMA, gammas[repeat.gamma])
                .with(K, repeat.k)
                .with(VALIDATION, repeat.validation)
                .with(OVERLAP, baseline.overlap[number])
                .with(OCCUPANCY, baseline.occupancy[number])
                .with(UNDEFINED, distances.undefined(repeat.gamma))
                .with(SAMPLES, dataset.samples.len())
                .with(FEWEST, dataset.fewest())
                .with(CONFUSION, repeat.confusion.as_slice().to_vec())
        };
        Ok(evaluation.repeats.iter().enumerate().map(row).collect())
    }

    fn plan(&self) -> Vec<String> {
        let mut lines = self.parameters.lines();
        lines.push(format!(
            "{} classifiers, each with {} random splits; γ and k chosen inside the training part",
            self.cells.len(),
            self.parameters.trials
        ));
        lines
    }

    fn evaluate(&self, trials: &Trials) -> Result<Evaluation, LabError> {
        let results = self.results(trials)?;
        let claims = claims::claims(&results);
        let text = draw::text(&results, &claims);
        Ok(Evaluation { summary: results.summary(), report: self.report(&results, claims)?, text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classification(parameters: Parameters) -> Classification {
        let sources = rewards::sources(&parameters);
        Classification::new(parameters, sources, Vec::new())
    }

    #[test]
    fn a_data_set_is_drawn_once() {
        let drawn = classification(Parameters { sets: 2, ..preset(Preset::Quick) });
        assert!(Arc::ptr_eq(&drawn.dataset(0).unwrap(), &drawn.dataset(0).unwrap()));
        assert!(!Arc::ptr_eq(&drawn.dataset(0).unwrap(), &drawn.dataset(1).unwrap()));
    }

    #[test]
    fn two_tables_of_one_name_have_seeds_and_names_of_their_own() {
        let tables = ["a/x.csv", "b/x.csv"].map(|path| Rewards::Table(PathBuf::from(path)));
        let both = classification(Parameters { rewards: tables.to_vec(), ..preset(Preset::Quick) });
        assert_ne!(both.seed(0), both.seed(1));
        assert_ne!(both.sources[0].names(), both.sources[1].names());
        assert_ne!(both.sources[0].title(), both.sources[1].title());
    }
}
