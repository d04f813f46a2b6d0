//! How far a canonical reward moves when only the potential changes: the paper's example of eight states.
//!
//! R(sᵢ, sⱼ) = 1 + γφ(sⱼ) − φ(sᵢ) with |φ| ≤ 20 is the same reward for every φ, so a canonical reward that is free of shaping has
//! the standard deviation 0 over random φ. The paper shows one graph at each coverage and does not print it; here every trial
//! draws a graph of its own.

mod claims;
mod draw;

use super::shared::columns::{COVERAGE, ESTIMATOR, METRIC, SEED};
use crate::error::LabError;
use crate::experiment::{Evaluation, Experiment};
use crate::experiments::Kind;
use crate::parameters::Parameters;
use crate::row::{AnyColumn, Column, Csv, Row, Trials, number};
use crate::seed::trial_seed;
use crate::statistics::Moments;
use crate::values::{Estimation, Preset, gamma};
use rand::RngExt;
use rand::seq::SliceRandom;
use srrd::{Batch, Duplicates, Metric, RewardSample, Settings, canonicalize};
use srrd_worlds::stream;

/// How it is found.
pub static KIND: Kind = Kind {
    name: "instability",
    about: "the standard deviation of a canonical reward over random potentials",
    preset,
    build,
};

const STATES: u32 = 8;
/// How many of the 64 transitions are sampled: all, 67 % and 23 %.
const SAMPLED: [usize; 3] = [64, 43, 15];
const POTENTIALS: usize = 1000;
const LARGEST_POTENTIAL: f64 = 20.0;
/// Sampled of all possible transitions.
const COVERAGES: [f64; 3] = [1.0, 43.0 / 64.0, 15.0 / 64.0];
/// What the paper prints for EPIC, at the three coverages.
const PAPER_EPIC: [f64; 3] = [0.0, 2.84, 7.36];

const TRANSITIONS: Column<usize> = Column::new("transitions");
const GRAPH: Column<usize> = Column::new("graph");
const MEAN: Column<f64> = Column::new("mean");
const SD: Column<f64> = Column::<f64>::new("sd").within(0.0, f64::INFINITY);

fn preset(preset: Preset) -> Parameters {
    Parameters {
        trials: match preset {
            Preset::Quick => 100,
            Preset::Paper => 1000,
        },
        gamma: vec![gamma(0.5)],
        metric: vec![Metric::Epic, Metric::Dard, Metric::Srrd],
        estimator: vec![Estimation::Double],
        ..Parameters::default()
    }
}

fn build(parameters: Parameters) -> Result<Box<dyn Experiment>, LabError> {
    parameters.no_regression("instability")?;
    parameters.only_one("instability", &["gamma"])?;
    Ok(Box::new(Instability { parameters }))
}

struct Instability {
    parameters: Parameters,
}

impl Instability {
    /// (which coverage, which graph)
    fn place(&self, trial: usize) -> (usize, usize) {
        (trial / self.parameters.trials, trial % self.parameters.trials)
    }

    fn seed(&self, trial: usize) -> u64 {
        let (level, graph) = self.place(trial);
        let gamma = self.parameters.gamma[0].get();
        trial_seed(self.parameters.seed, &format!("instability,{gamma},{},{graph}", SAMPLED[level]))
    }

    /// (metric, estimator), in the order of the rows.
    fn combinations(&self) -> Vec<(Metric, Estimation)> {
        let Parameters { metric, estimator, .. } = &self.parameters;
        metric.iter().flat_map(|&m| estimator.iter().map(move |&e| (m, e))).collect()
    }
}

impl Experiment for Instability {
    fn columns(&self) -> Vec<AnyColumn> {
        let key = [TRANSITIONS.any(), GRAPH.any(), SEED.any()];
        key.into_iter().chain([COVERAGE.any(), METRIC.any(), ESTIMATOR.any(), MEAN.any(), SD.any()]).collect()
    }

    fn trials(&self) -> usize {
        SAMPLED.len() * self.parameters.trials
    }

    fn key(&self, trial: usize) -> Row {
        let (level, graph) = self.place(trial);
        Row::new().with(TRANSITIONS, SAMPLED[level]).with(GRAPH, graph).with(SEED, self.seed(trial))
    }

    fn rows(&self, _: usize) -> usize {
        self.combinations().len()
    }

    fn cost(&self, trial: usize) -> f64 {
        SAMPLED[self.place(trial).0] as f64
    }

    fn run(&self, trial: usize) -> Result<Vec<Row>, LabError> {
        let seed = self.seed(trial);
        let (level, _) = self.place(trial);
        let gamma = self.parameters.gamma[0];
        let graph = random_graph(SAMPLED[level], seed);
        let rows = graph.iter().map(|&(i, j)| (i, 0u32, j, 1.0));
        let plain = RewardSample::from_rows(rows, Duplicates::Error).map_err(LabError::failed)?;
        let ends: Vec<(usize, usize)> = graph.iter().map(|&(i, j)| (i as usize, j as usize)).collect();
        let looked_at = graph.iter().position(|&edge| edge == (0, 1)).unwrap_or(0);
        let combinations = self.combinations();
        let mut moments = vec![Moments::default(); combinations.len()];
        let mut potentials = stream(seed, "potentials");
        for _ in 0..POTENTIALS {
            let potential: [f64; STATES as usize] =
                std::array::from_fn(|_| potentials.random_range(-LARGEST_POTENTIAL..=LARGEST_POTENTIAL));
            let shaped = ends.iter().map(|&(i, j)| 1.0 + gamma.get() * potential[j] - potential[i]).collect();
            let shaped = plain.with_rewards(shaped).map_err(LabError::failed)?;
            for (moments, &(metric, estimation)) in moments.iter_mut().zip(&combinations) {
                let settings = Settings { gamma, estimator: estimation.estimator(Batch::All), ..Settings::default() };
                moments.add(canonicalize(&shaped, metric, &settings)[looked_at]);
            }
        }
        let row = |(moments, &(metric, estimation)): (&Moments, &(Metric, Estimation))| {
            let row = Row::new().with(COVERAGE, COVERAGES[level]).with(METRIC, metric).with(ESTIMATOR, estimation);
            row.with(MEAN, moments.mean()).with(SD, moments.sd())
        };
        Ok(moments.iter().zip(&combinations).map(row).collect())
    }

    fn plan(&self) -> Vec<String> {
        let Parameters { trials, gamma, .. } = &self.parameters;
        vec![
            format!("8 states, one action, γ = {}: {trials} random graphs at each of 3 coverages", gamma[0].get()),
            format!("each graph with {POTENTIALS} random potentials; the reward looked at is that of (s1, s2)"),
        ]
    }

    fn evaluate(&self, trials: &Trials) -> Result<Evaluation, LabError> {
        let combinations = self.combinations();
        let sds = vec![vec![Moments::default(); combinations.len()]; SAMPLED.len()];
        let mut results = Results { combinations, sds };
        for (trial, rows) in trials.each().enumerate() {
            let (level, _) = self.place(trial);
            for (row, (&(metric, _), sds)) in rows.iter().zip(results.combinations.iter().zip(&mut results.sds[level]))
            {
                row.expect(METRIC, metric)?;
                sds.add(row.get(SD)?);
            }
        }
        let claims = claims::claims(&results);
        let text = draw::text(&results);
        let report = draw::report(&results, claims, self.parameters.estimator.len() > 1);
        Ok(Evaluation { summary: summary(&results), report, text })
    }
}

/// What the trials say.
struct Results {
    combinations: Vec<(Metric, Estimation)>,
    /// The standard deviations of the graphs at each coverage, for every combination.
    sds: Vec<Vec<Moments>>,
}

impl Results {
    /// (which coverage, metric, estimator, standard deviations)
    fn each(&self) -> impl Iterator<Item = (usize, Metric, Estimation, &Moments)> {
        let levels = self.sds.iter().enumerate();
        levels.flat_map(|(level, row)| row.iter().zip(&self.combinations).map(move |(sds, &(m, e))| (level, m, e, sds)))
    }
}

fn summary(results: &Results) -> Csv {
    let columns = ["transitions", "coverage", "metric", "estimator", "mean", "sd", "low", "high", "count"];
    let mut summary = Csv::new(&columns);
    for (level, metric, estimation, sds) in results.each() {
        let (low, high) = sds.interval();
        let mut row = vec![SAMPLED[level].to_string(), COVERAGES[level].to_string()];
        row.extend([metric.to_string(), estimation.to_string()]);
        row.extend([sds.mean(), sds.sd(), low, high].map(number));
        row.push(sds.count().to_string());
        summary.row(row);
    }
    summary
}

/// Distinct transitions in ascending order, (s1, s2) among them.
fn random_graph(sampled: usize, seed: u64) -> Vec<(u32, u32)> {
    let others = (0..STATES).flat_map(|i| (0..STATES).map(move |j| (i, j)));
    let mut others: Vec<(u32, u32)> = others.filter(|&edge| edge != (0, 1)).collect();
    others.shuffle(&mut stream(seed, "graph"));
    others.truncate(sampled - 1);
    others.push((0, 1));
    others.sort_unstable();
    others
}
