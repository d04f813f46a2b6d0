//! What the repeats of the classifiers say.

use super::rewards::Source;
use super::{
    ACCURACY, CONFUSION, Cell, Classification, F1, FEW_SAMPLES, FEWEST, GAMMA, OCCUPANCY, OVERLAP, PRECISION, RECALL,
    SAMPLES, UNDEFINED,
};
use crate::error::LabError;
use crate::experiments::shared::show::{estimated, measure, title};
use crate::row::{Choice, Csv, Trials, number};
use srrd::classify::{Classes, Spread, Welch, welch};
use srrd::{Gamma, Metric};

/// What the trials say.
pub struct Results<'a> {
    pub sources: &'a [Source],
    pub achieved: Vec<Achieved>,
}

/// What the repeats of a classifier say.
#[derive(Clone, Debug)]
pub struct Achieved {
    pub cell: Cell,
    pub accuracy: Vec<f64>,
    /// Of overlap alone, on the same splits.
    pub overlap: Vec<f64>,
    /// Of how often transitions were met, on the same splits.
    pub occupancy: Vec<f64>,
    /// Precision, recall and F1.
    pub scores: [Vec<f64>; 3],
    pub gamma: Vec<Gamma>,
    /// Pairs without a distance.
    pub undefined: usize,
    /// Which data.
    pub data: String,
    /// How many samples.
    pub samples: usize,
    /// How many the agent with fewest has.
    pub fewest: usize,
    /// The test parts of all repeats together.
    pub confusion: Vec<u64>,
}

impl Achieved {
    pub fn new(cell: Cell) -> Self {
        Achieved {
            cell,
            accuracy: Vec::new(),
            overlap: Vec::new(),
            occupancy: Vec::new(),
            scores: Default::default(),
            gamma: Vec::new(),
            undefined: 0,
            data: String::new(),
            samples: 0,
            fewest: 0,
            confusion: Vec::new(),
        }
    }

    /// The metric with its estimator.
    pub fn name(&self) -> String {
        match self.cell.measure.metric {
            _ if self.cell.measure.published => measure(self.cell.measure),
            metric if estimated(metric) => format!("{} {}", measure(self.cell.measure), self.cell.estimation),
            metric => title(metric),
        }
    }

    /// The share of pairs of samples that have a distance; `None` without samples.
    pub fn defined(&self) -> Option<f64> {
        let pairs = self.samples * self.samples.saturating_sub(1) / 2;
        (pairs > 0).then(|| 1.0 - self.undefined as f64 / pairs as f64)
    }

    /// Whether an agent has too few samples for an accuracy to say anything.
    pub fn too_few(&self) -> bool {
        self.fewest < FEW_SAMPLES
    }

    /// The accuracy in percent.
    pub fn percent(&self) -> Spread {
        percent(&self.accuracy)
    }

    /// The γ that was chosen most often; the smallest of several.
    pub fn usual_gamma(&self) -> Option<Gamma> {
        let mut sorted = self.gamma.clone();
        sorted.sort_by(|a, b| a.get().total_cmp(&b.get()));
        let runs = sorted.chunk_by(|a, b| a == b);
        runs.rev().max_by_key(|run| run.len()).map(|run| run[0])
    }
}

/// Shares in percent.
pub fn percent(shares: &[f64]) -> Spread {
    Spread::of(&shares.iter().map(|share| 100.0 * share).collect::<Vec<_>>())
}

/// SRRD against another metric with the same estimator.
pub struct Test<'a> {
    pub srrd: &'a Achieved,
    pub other: &'a Achieved,
    pub welch: Welch,
}

impl Results<'_> {
    /// The classifiers of a source of which there are repeats.
    pub fn of(&self, source: usize) -> Vec<&Achieved> {
        self.there().filter(|a| a.cell.source == source).collect()
    }

    pub fn there(&self) -> impl Iterator<Item = &Achieved> {
        self.achieved.iter().filter(|a| !a.accuracy.is_empty())
    }

    /// Welch's tests of SRRD against the others on one source.
    pub fn tests(&self, source: usize) -> Vec<Test<'_>> {
        let here = self.of(source);
        let mut tests = Vec::new();
        for &srrd in here.iter().filter(|a| a.cell.measure.metric == Metric::Srrd) {
            for &other in here.iter().filter(|a| a.cell.measure.metric != Metric::Srrd && !a.cell.measure.published) {
                if !estimated(other.cell.measure.metric) || other.cell.estimation == srrd.cell.estimation {
                    let welch = welch(&srrd.accuracy, &other.accuracy);
                    tests.extend(welch.map(|welch| Test { srrd, other, welch }));
                }
            }
        }
        tests
    }

    pub fn summary(&self) -> Csv {
        let columns = [
            "world",
            "rewards",
            "metric",
            "estimator",
            "score",
            "mean",
            "sd",
            "low",
            "high",
            "count",
            "undefined",
            "data",
            "samples",
            "fewest",
            "defined",
        ];
        let mut csv = Csv::new(&columns);
        for a in self.there() {
            let (world, rewards) = self.sources[a.cell.source].names();
            let [precision, recall, f1] = &a.scores;
            let scores = [("accuracy", &a.accuracy), ("precision", precision), ("recall", recall), ("f1", f1)];
            for (score, values) in scores.into_iter().chain([("overlap", &a.overlap), ("occupancy", &a.occupancy)]) {
                let spread = Spread::of(values);
                let mut row = vec![world.clone(), rewards.clone(), a.cell.measure.name().to_owned()];
                row.extend([a.cell.estimation.to_string(), score.to_owned()]);
                row.extend([spread.mean, spread.sd, spread.low, spread.high].map(number));
                row.extend([values.len().to_string(), a.undefined.to_string(), a.data.clone()]);
                row.extend([a.samples.to_string(), a.fewest.to_string(), number(a.defined().unwrap_or(f64::NAN))]);
                csv.row(row);
            }
        }
        csv
    }
}

impl Classification {
    pub fn results(&self, trials: &Trials) -> Result<Results<'_>, LabError> {
        let mut achieved: Vec<Achieved> = self.cells.iter().map(|&cell| Achieved::new(cell)).collect();
        for (a, rows) in achieved.iter_mut().zip(trials.each()) {
            let dataset = self.dataset(a.cell.source)?;
            let agents = Classes::new(&dataset.labels).names().len();
            (a.data, a.samples, a.fewest) = (self.data(a.cell.source), dataset.samples.len(), dataset.fewest());
            a.confusion = vec![0; agents * agents];
            for row in rows {
                a.accuracy.push(row.get(ACCURACY)?);
                a.overlap.push(row.get(OVERLAP)?);
                a.occupancy.push(row.get(OCCUPANCY)?);
                for (scores, column) in a.scores.iter_mut().zip([PRECISION, RECALL, F1]) {
                    scores.push(row.get(column)?);
                }
                a.gamma.push(row.get(GAMMA)?);
                a.undefined = row.get(UNDEFINED)?;
                row.expect(SAMPLES, a.samples)?;
                row.expect(FEWEST, a.fewest)?;
                let counts = row.get(CONFUSION)?;
                if counts.len() != a.confusion.len() {
                    let what = format!("there are {} numbers, not {agents} × {agents}", counts.len());
                    return Err(row.misfit(CONFUSION.name(), what));
                }
                a.confusion.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            }
        }
        Ok(Results { sources: &self.sources, achieved })
    }
}
