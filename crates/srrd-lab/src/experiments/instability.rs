//! How far a canonical reward moves when only the potential changes: the paper's example of eight states.
//!
//! R(sᵢ, sⱼ) = 1 + γφ(sⱼ) − φ(sᵢ) with |φ| ≤ 20 is the same reward for every φ, so a canonical reward that is free of shaping has
//! the standard deviation 0 over random φ. The paper shows one graph at each coverage and does not print it; here every trial
//! draws a graph of its own.

use crate::error::LabError;
use crate::experiment::{Csv, Evaluation, Experiment, Kind, Trials, number};
use crate::parameters::{Estimation, Number, Parameters, Preset};
use crate::seed::trial_seed;
use crate::statistics::Moments;
use rand::RngExt;
use rand::seq::SliceRandom;
use srrd::{Batch, Duplicates, Gamma, Metric, RewardSample, Settings, canonicalize};
use srrd_show::page::{Cell, Claim, Column, FigureBlock, Report, Section, Table, Verdict};
use srrd_show::{Axis, Bar, BarChart, Figure};
use srrd_worlds::stream;

/// How it is found.
pub static KIND: Kind = Kind {
    name: "instability",
    about: "the standard deviation of a canonical reward over random potentials, at three coverages of 8 states",
    preset,
    build,
};

const STATES: u32 = 8;
/// How many of the 64 transitions are sampled: all, 67 % and 23 %.
const SAMPLED: [usize; 3] = [64, 43, 15];
const POTENTIALS: usize = 1000;
const LARGEST_POTENTIAL: f64 = 20.0;
/// What the paper prints for EPIC, at the three coverages.
const PAPER_EPIC: [f64; 3] = [0.0, 2.84, 7.36];

fn preset(preset: Preset) -> Parameters {
    Parameters {
        trials: match preset {
            Preset::Quick => 100,
            Preset::Paper => 1000,
        },
        gamma: vec![Number(0.5)],
        metric: vec![Metric::Epic, Metric::Dard, Metric::Srrd],
        estimator: vec![Estimation::Double],
        ..Parameters::default()
    }
}

fn build(parameters: Parameters) -> Result<Box<dyn Experiment>, LabError> {
    if parameters.estimator.iter().any(|estimation| estimation.regression().is_some()) {
        return Err(LabError::wrong("--estimator: `instability` has states without features, which regression needs"));
    }
    if parameters.gamma.len() > 1 {
        return Err(LabError::wrong("--gamma: `instability` takes one value"));
    }
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
        trial_seed(
            self.parameters.seed,
            &format!("instability,{},{},{graph}", self.parameters.gamma[0], SAMPLED[level]),
        )
    }

    /// (metric, estimator), in the order of the rows.
    fn combinations(&self) -> Vec<(Metric, Estimation)> {
        let Parameters { metric, estimator, .. } = &self.parameters;
        metric.iter().flat_map(|&m| estimator.iter().map(move |&e| (m, e))).collect()
    }
}

impl Experiment for Instability {
    fn columns(&self) -> Vec<&'static str> {
        vec!["transitions", "graph", "seed", "coverage", "metric", "estimator", "mean", "sd"]
    }

    fn trials(&self) -> usize {
        SAMPLED.len() * self.parameters.trials
    }

    fn key(&self, trial: usize) -> String {
        let (level, graph) = self.place(trial);
        format!("{},{graph},{}", SAMPLED[level], self.seed(trial))
    }

    fn rows(&self, _: usize) -> usize {
        self.combinations().len()
    }

    fn cost(&self, trial: usize) -> f64 {
        SAMPLED[self.place(trial).0] as f64
    }

    fn run(&self, trial: usize) -> Result<Vec<String>, LabError> {
        let seed = self.seed(trial);
        let sampled = SAMPLED[self.place(trial).0];
        let gamma = self.parameters.gamma[0].0;
        let graph = random_graph(sampled, seed);
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
            let shaped = ends.iter().map(|&(i, j)| 1.0 + gamma * potential[j] - potential[i]).collect();
            let shaped = plain.with_rewards(shaped).map_err(LabError::failed)?;
            for (moments, &(metric, estimation)) in moments.iter_mut().zip(&combinations) {
                let settings = Settings {
                    gamma: Gamma::new(gamma).map_err(LabError::failed)?,
                    estimator: estimation.estimator(Batch::All),
                    ..Settings::default()
                };
                moments.add(canonicalize(&shaped, metric, &settings)[looked_at]);
            }
        }
        let coverage = sampled as f64 / f64::from(STATES * STATES);
        let row = |(moments, (metric, estimation)): (&Moments, &(Metric, Estimation))| {
            format!("{coverage},{metric},{estimation},{},{}", moments.mean(), moments.sd())
        };
        Ok(moments.iter().zip(&combinations).map(row).collect())
    }

    fn plan(&self) -> Vec<String> {
        let Parameters { trials, gamma, .. } = &self.parameters;
        vec![
            format!("8 states, one action, γ = {}: {trials} random graphs at each of 3 coverages", gamma[0]),
            format!("each graph with {POTENTIALS} random potentials; the reward looked at is that of (s1, s2)"),
        ]
    }

    fn evaluate(&self, trials: &Trials) -> Result<Evaluation, LabError> {
        let combinations = self.combinations();
        let mut sds = vec![vec![Moments::default(); combinations.len()]; SAMPLED.len()];
        for (row, fields) in trials.rows().enumerate() {
            let (trial, combination) = (row / combinations.len(), row % combinations.len());
            sds[self.place(trial).0][combination].add(fields[7].parse().map_err(LabError::failed)?);
        }
        Ok(evaluation(&combinations, &sds, &self.parameters))
    }
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

fn evaluation(combinations: &[(Metric, Estimation)], sds: &[Vec<Moments>], parameters: &Parameters) -> Evaluation {
    let columns = ["transitions", "coverage", "metric", "estimator", "mean", "sd", "low", "high", "count"];
    let mut summary = Csv::new(&columns);
    let mut table = Table {
        caption: "Mean over the graphs of the standard deviation of the canonical reward of (s1, s2)".to_owned(),
        columns: vec![
            Column { name: "coverage".to_owned(), numeric: true, help: "sampled of all 64 transitions".to_owned() },
            Column { name: "metric".to_owned(), numeric: false, help: String::new() },
            Column { name: "estimator".to_owned(), numeric: false, help: String::new() },
            Column {
                name: "standard deviation".to_owned(),
                numeric: true,
                help: "with the 95 % interval of the mean over graphs".to_owned(),
            },
            Column { name: "paper (EPIC)".to_owned(), numeric: true, help: "for one graph".to_owned() },
        ],
        rows: Vec::new(),
    };
    let axis = Axis::linear("standard deviation of C(s1, a, s2)");
    let mut chart = BarChart::new("A canonical reward over 1000 random potentials", axis);
    let mut text = String::from("coverage  metric  estimator   standard deviation (95 % interval over graphs)\n");
    for (level, row) in sds.iter().enumerate() {
        let coverage = SAMPLED[level] as f64 / f64::from(STATES * STATES);
        let shown = format!("{:.0} %", 100.0 * coverage);
        let mut bars = Vec::new();
        for (moments, (metric, estimation)) in row.iter().zip(combinations) {
            let (mean, (low, high)) = (moments.mean(), moments.interval());
            summary.row([
                SAMPLED[level].to_string(),
                coverage.to_string(),
                metric.to_string(),
                estimation.to_string(),
                number(mean),
                number(moments.sd()),
                number(low),
                number(high),
                moments.count().to_string(),
            ]);
            let paper = match (metric, estimation) {
                (Metric::Epic, Estimation::Double) => {
                    Cell::Number { value: PAPER_EPIC[level], shown: format!("{:.2}", PAPER_EPIC[level]) }
                }
                _ => Cell::Empty,
            };
            let interval = format!("{mean:.2} ({low:.2} to {high:.2})");
            table.rows.push(vec![
                Cell::Number { value: coverage, shown: shown.clone() },
                Cell::Text(metric.to_string()),
                Cell::Text(estimation.to_string()),
                Cell::Interval { value: mean, low, high, shown: interval.clone() },
                paper,
            ]);
            text += &format!("{shown:>8}  {:<6}  {:<10}  {interval}\n", metric.to_string(), estimation.to_string());
            let series = match parameters.estimator.len() {
                1 => metric.to_string(),
                _ => format!("{metric} {estimation}"),
            };
            bars.push(Bar { series, value: mean, low, high });
        }
        chart = chart.group(format!("{shown} coverage"), bars);
    }
    let caption = "Bars: the mean over random graphs, with 95 % intervals. 0 means that no shaping is left.".to_owned();
    let file = Some("figures/instability.svg".to_owned());
    let drawing = chart.draw();
    let report = Report {
        title: "How stable is a canonical reward?".to_owned(),
        lead: vec![
            "A reward in a world of eight states is given one random potential after another. All of these rewards ask for \
             the same behaviour, so their canonical forms should be equal; what remains of the potential shows as a \
             standard deviation."
                .to_owned(),
            "The paper shows one graph at each coverage without printing it; here many random graphs are drawn.".to_owned(),
        ],
        claims: claims(combinations, sds),
        sections: vec![Section {
            heading: "What remains of a random potential".to_owned(),
            paragraphs: vec![],
            figures: vec![FigureBlock { drawing: drawing.clone(), caption, file }],
            tables: vec![table],
        }],
        ..Report::default()
    };
    Evaluation { summary, figures: vec![("instability".to_owned(), drawing)], report, text }
}

fn claims(combinations: &[(Metric, Estimation)], sds: &[Vec<Moments>]) -> Vec<Claim> {
    let double = |metric| combinations.iter().position(|&c| c == (metric, Estimation::Double));
    let mut claims = Vec::new();
    let full: Vec<f64> = sds[0].iter().map(Moments::mean).collect();
    if full.iter().all(|sd| !sd.is_nan()) {
        let largest = full.iter().fold(0.0f64, |most, &sd| most.max(sd));
        // Rewards are up to 31: what is left is rounding.
        let agrees = largest < 1e-9;
        claims.push(Claim {
            paper: "With full coverage the standard deviation is 0.".to_owned(),
            measured: format!("The largest of all metrics is {largest:.1e}."),
            verdict: if agrees { Verdict::Agrees } else { Verdict::Disagrees },
            note: if agrees { "Agrees: what is left is rounding." } else { "Does not agree." }.to_owned(),
        });
    }
    let (Some(epic), Some(dard), Some(srrd)) = (double(Metric::Epic), double(Metric::Dard), double(Metric::Srrd))
    else {
        return claims;
    };
    for level in [1, 2] {
        let row = &sds[level];
        if row.iter().any(|moments| moments.count() < 2) {
            continue;
        }
        let others = row[dard].mean().max(row[srrd].mean());
        let ratio = row[epic].mean() / others;
        let verdict = if ratio > 2.0 { Verdict::Agrees } else { Verdict::Disagrees };
        claims.push(Claim {
            paper: format!(
                "At {:.0} % coverage EPIC has a standard deviation of {}; DARD and SRRD have lower ones.",
                100.0 * SAMPLED[level] as f64 / f64::from(STATES * STATES),
                PAPER_EPIC[level]
            ),
            measured: format!(
                "EPIC {:.2}, DARD {:.2}, SRRD {:.2} on average over {} random graphs.",
                row[epic].mean(),
                row[dard].mean(),
                row[srrd].mean(),
                row[epic].count()
            ),
            note: match verdict {
                Verdict::Agrees => format!("Agrees: EPIC lies {ratio:.1} times above the others."),
                _ => format!("Does not agree: EPIC lies only {ratio:.1} times above the others."),
            },
            verdict,
        });
    }
    claims
}
