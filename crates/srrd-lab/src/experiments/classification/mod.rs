//! Experiment 2: who acted? Agents told apart by the rewards of their trajectories, with k-NN under every metric.

mod domains;
mod paper;
mod report;
mod rewards;

use crate::error::LabError;
use crate::experiment::{Evaluation, Experiment, Kind, Trials};
use crate::parameters::{Estimation, Number, Parameters, Preset, WorldKind};
use crate::seed::trial_seed;
use rewards::{Dataset, Source};
use srrd::classify::{Classes, GammaDistances, Grid, Splits, evaluate};
use srrd::{Batch, Gamma, Metric, RewardSample, Settings};
use srrd_worlds::Model;

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
        rewards: vec!["manual".to_owned()],
        gamma: (0..=10).map(|tenths| Number(f64::from(tenths) / 10.0)).collect(),
        k: (1..=10).map(|k| 10 * k).collect(),
        min_common: 21,
        metric: Metric::PAPER.to_vec(),
        estimator: vec![Estimation::Double, Estimation::Unbiased],
        ..Parameters::default()
    };
    match preset {
        Preset::Quick => Parameters { sets: 30, trials: 20, ..common },
        Preset::Paper => Parameters { sets: 100, trials: 200, ..common },
    }
}

fn build(parameters: Parameters) -> Result<Box<dyn Experiment>, LabError> {
    if parameters.model.len() > 1 {
        return Err(LabError::wrong("--model: `classification` takes one value"));
    }
    if parameters.estimator.iter().any(|estimation| estimation.regression().is_some()) {
        return Err(LabError::wrong(
            "--estimator: `classification` has states without features, which regression needs",
        ));
    }
    let sources = rewards::sources(&parameters)?;
    let p = &parameters;
    let mut cells = Vec::new();
    for source in 0..sources.len() {
        for &metric in &p.metric {
            // An estimator changes nothing for these: once is enough.
            let estimators = if super::sparsity::estimated(metric) { &p.estimator[..] } else { &p.estimator[..1] };
            cells.extend(estimators.iter().map(|&estimation| Cell { source, metric, estimation }));
        }
    }
    Ok(Box::new(Classification { parameters, sources, cells }))
}

/// One classifier: a metric with an estimator on one set of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    source: usize,
    metric: Metric,
    estimation: Estimation,
}

struct Classification {
    parameters: Parameters,
    sources: Vec<Source>,
    cells: Vec<Cell>,
}

impl Classification {
    /// The same samples and the same splits for every metric.
    fn seed(&self, source: &Source) -> u64 {
        let key = format!("classification,{},{},{}", source.name(), self.parameters.model[0], self.parameters.sets);
        trial_seed(self.parameters.seed, &key)
    }

    fn dataset(&self, source: &Source) -> Result<Dataset, LabError> {
        source.draw(self.parameters.sets, self.parameters.model[0], self.seed(source))
    }

    fn gammas(&self) -> Result<Vec<Gamma>, LabError> {
        self.parameters.gamma.iter().map(|gamma| Gamma::new(gamma.0).map_err(LabError::failed)).collect()
    }

    fn settings(&self, estimation: Estimation, seed: u64) -> Settings {
        Settings {
            estimator: estimation.estimator(Batch::All),
            seed,
            min_common: self.parameters.min_common,
            ..Settings::default()
        }
    }
}

impl Experiment for Classification {
    fn columns(&self) -> Vec<&'static str> {
        vec![
            "world",
            "rewards",
            "metric",
            "estimator",
            "seed",
            "repeat",
            "accuracy",
            "precision",
            "recall",
            "f1",
            "gamma",
            "k",
            "validation",
            "undefined",
            "confusion",
        ]
    }

    fn trials(&self) -> usize {
        self.cells.len()
    }

    fn key(&self, trial: usize) -> String {
        let Cell { source, metric, estimation } = self.cells[trial];
        let source = &self.sources[source];
        let (world, rewards) = source.names();
        format!("{world},{rewards},{metric},{estimation},{}", self.seed(source))
    }

    fn rows(&self, _: usize) -> usize {
        self.parameters.trials
    }

    fn cost(&self, trial: usize) -> f64 {
        // `direct` has one matrix for all γ.
        match self.cells[trial].metric {
            Metric::Direct => 1.0,
            Metric::Projected => 50.0,
            _ => self.parameters.gamma.len() as f64,
        }
    }

    fn run(&self, trial: usize) -> Result<Vec<String>, LabError> {
        let Cell { source, metric, estimation } = self.cells[trial];
        let source = &self.sources[source];
        let seed = self.seed(source);
        let Dataset { samples, labels } = self.dataset(source)?;
        let classes = Classes::new(&labels);
        let references: Vec<&RewardSample> = samples.iter().collect();
        let gammas = self.gammas()?;
        let distances = GammaDistances::new(&references, metric, &gammas, &self.settings(estimation, seed));
        let grid = Grid::new(&self.parameters.k).map_err(|e| LabError::wrong(format!("--k: {e}")))?;
        let splits = Splits::new(0.7, self.parameters.trials, seed).map_err(LabError::failed)?;
        let evaluation = evaluate(&distances, &classes, &grid, &splits).map_err(LabError::failed)?;
        let row = |(repeat, result): (usize, &srrd::classify::Repeat)| {
            let scores = result.scores;
            let confusion: Vec<String> = result.confusion.as_slice().iter().map(u64::to_string).collect();
            format!(
                "{repeat},{},{},{},{},{},{},{},{},{}",
                scores.accuracy,
                scores.precision,
                scores.recall,
                scores.f1,
                gammas[result.gamma].get(),
                result.k,
                result.validation,
                distances.undefined(result.gamma),
                confusion.join(" ")
            )
        };
        Ok(evaluation.repeats.iter().enumerate().map(row).collect())
    }

    fn plan(&self) -> Vec<String> {
        let entries = self.parameters.entries();
        let width = entries.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let mut lines: Vec<String> =
            entries.iter().map(|(name, values)| format!("{name:<width$}  {}", values.join(", "))).collect();
        lines.push(format!(
            "{} classifiers, each with {} random splits; γ and k chosen inside the training part",
            self.cells.len(),
            self.parameters.trials
        ));
        lines
    }

    fn evaluate(&self, trials: &Trials) -> Result<Evaluation, LabError> {
        report::evaluation(self, trials)
    }
}
