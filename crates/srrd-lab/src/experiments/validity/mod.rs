//! Does what is said with a level hold? Intervals, tests against chance, discount factors and verdicts, for many kinds of rewards.
//!
//! A trial draws a reward R_A and another one R′ of a kind on a grid world, and R_B = ρR_A + √(1 − ρ²)R′ with ρ of a few values in turn. Two
//! samples of their own walks are all that is known of R_A and R_B. Beside the truth, which is computed on *all* transitions that can
//! happen, stand:
//!
//! - the 95 % intervals of `projected` and `direct`: do they hold the distance over all transitions?
//! - the tests of R_A against R′, which has nothing to do with it: how often is p below 5 %?
//! - the interval of γ of one sample with shaping three times as large as the rewards;
//! - the verdict on R_A and R_B: is "same" followed by a loss above 5 %? And on a shaped and scaled copy: is it ever "different"?
//!
//! Whatever is withheld is counted apart, by its reason.

mod claims;
mod draw;
mod population;
mod rewards;
mod tally;
mod trial;
mod withheld;

use self::population::Population;
use self::rewards::RewardKind;
use self::tally::{Cell, Tally};
use self::trial::Trial;
use self::withheld::Withheld;
use super::shared::columns::{EPSILON, ROLLOUTS, SEED, SIZE, TRIAL};
use crate::error::LabError;
use crate::experiment::{Evaluation, Experiment};
use crate::experiments::Kind;
use crate::parameters::Parameters;
use crate::row::{AnyColumn, Choice, Column, Csv, Row, Trials, number};
use crate::seed::trial_seed;
use crate::values::{Fraction, Preset, Size, gamma};
use srrd::verdict::Answer;
use std::sync::OnceLock;

/// How it is found.
pub static KIND: Kind = Kind {
    name: "validity",
    about: "beyond the paper: whether intervals, tests, γ and verdicts hold what they promise",
    preset,
    build,
};

/// ρ of the trials, in turn.
const CORRELATIONS: [f64; 5] = [0.0, 0.5, 0.9, 0.99, 0.9995];

/// ρ of a trial.
fn correlation(number: usize) -> f64 {
    CORRELATIONS[number % CORRELATIONS.len()]
}

const KIND_OF: Column<RewardKind> = Column::new("rewards");
const PART: Column<Part> = Column::new("part");
const CORRELATION: Column<Fraction> = Column::new("correlation");
const TRUTH: Column<Option<f64>> = Column::<Option<f64>>::new("truth").within(0.0, 1.0);
const ESTIMATE: Column<Option<f64>> = Column::<Option<f64>>::new("estimate").within(0.0, 1.0);
const LOW: Column<Option<f64>> = Column::new("low");
const HIGH: Column<Option<f64>> = Column::new("high");
const P: Column<Option<f64>> = Column::<Option<f64>>::new("p").within(0.0, 1.0);
const WITHHELD: Column<Option<Withheld>> = Column::new("withheld");
const ANSWER: Column<Option<Answer>> = Column::new("answer");
const REGRET: Column<Option<f64>> = Column::<Option<f64>>::new("regret").within(0.0, 1.0);

fn preset(preset: Preset) -> Parameters {
    let common = Parameters { gamma: vec![gamma(0.9)], ..Parameters::default() };
    match preset {
        Preset::Quick => Parameters {
            size: vec![Size::square(10)],
            epsilon: vec![Fraction(0.0)],
            rollouts: vec![10, 50],
            trials: 40,
            ..common
        },
        Preset::Paper => Parameters {
            size: vec![Size::square(10), Size::square(20)],
            epsilon: vec![Fraction(0.0), Fraction(0.1)],
            rollouts: vec![5, 20, 100],
            trials: 300,
            ..common
        },
    }
}

fn build(parameters: Parameters) -> Result<Box<dyn Experiment>, LabError> {
    parameters.only_one("validity", &["gamma"])?;
    if parameters.gamma[0].get() > srrd::theory::LARGEST_GAMMA {
        let what = format!("values exist for γ up to {} only", srrd::theory::LARGEST_GAMMA);
        return Err(LabError::parameter("gamma", what));
    }
    let worlds: Vec<Grid> = (parameters.size.iter())
        .flat_map(|&size| parameters.epsilon.iter().map(move |&epsilon| Grid { size, epsilon, all: OnceLock::new() }))
        .collect();
    Ok(Box::new(Validity { parameters, worlds }))
}

/// What is said about a pair, or about a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Projected,
    Direct,
    Chance,
    ChanceDirect,
    Gamma,
    Verdict,
    Copy,
}

impl Choice for Part {
    const ALL: &'static [Self] =
        &[Part::Projected, Part::Direct, Part::Chance, Part::ChanceDirect, Part::Gamma, Part::Verdict, Part::Copy];

    fn name(self) -> &'static str {
        match self {
            Part::Projected => "interval-projected",
            Part::Direct => "interval-direct",
            Part::Chance => "chance-projected",
            Part::ChanceDirect => "chance-direct",
            Part::Gamma => "gamma",
            Part::Verdict => "verdict",
            Part::Copy => "verdict-copy",
        }
    }
}

impl Part {
    fn title(self) -> &'static str {
        match self {
            Part::Projected => "interval of projected",
            Part::Direct => "interval of direct",
            Part::Chance => "test by projected",
            Part::ChanceDirect => "test by direct",
            Part::Gamma => "interval of γ",
            Part::Verdict => "verdict",
            Part::Copy => "verdict on a copy",
        }
    }
}

/// A world, and all its transitions once they are asked for.
struct Grid {
    size: Size,
    epsilon: Fraction,
    all: OnceLock<Result<Population, String>>,
}

struct Validity {
    parameters: Parameters,
    worlds: Vec<Grid>,
}

impl Validity {
    /// The world, the kind of rewards and the number of a trial.
    fn place(&self, trial: usize) -> (&Grid, RewardKind, usize) {
        let (cell, number) = (trial / self.parameters.trials, trial % self.parameters.trials);
        let kinds = RewardKind::ALL.len();
        (&self.worlds[cell / kinds], RewardKind::ALL[cell % kinds], number)
    }

    fn seed(&self, trial: usize) -> u64 {
        let (Grid { size, epsilon, .. }, kind, number) = self.place(trial);
        let (kind, gamma) = (kind.name(), self.parameters.gamma[0].get());
        trial_seed(self.parameters.seed, &format!("validity,{size},{epsilon},{gamma},{kind},{number}"))
    }
}

impl Experiment for Validity {
    fn columns(&self) -> Vec<AnyColumn> {
        let key = [SIZE.any(), EPSILON.any(), KIND_OF.any(), TRIAL.any(), SEED.any()];
        let found = [ROLLOUTS.any(), PART.any(), CORRELATION.any(), TRUTH.any(), ESTIMATE.any(), LOW.any(), HIGH.any()];
        let rest = [P.any(), WITHHELD.any(), ANSWER.any(), REGRET.any()];
        key.into_iter().chain(found).chain(rest).collect()
    }

    fn trials(&self) -> usize {
        self.worlds.len() * RewardKind::ALL.len() * self.parameters.trials
    }

    fn key(&self, trial: usize) -> Row {
        let (Grid { size, epsilon, .. }, kind, number) = self.place(trial);
        let row = Row::new().with(SIZE, *size).with(EPSILON, *epsilon).with(KIND_OF, kind);
        row.with(TRIAL, number).with(SEED, self.seed(trial))
    }

    fn rows(&self, _: usize) -> usize {
        self.parameters.rollouts.len() * Part::ALL.len()
    }

    fn cost(&self, trial: usize) -> f64 {
        let (Grid { size, epsilon, .. }, kind, _) = self.place(trial);
        let cells = (size.width * size.height) as f64;
        let population = if epsilon.0 > 0.0 { 0.02 * cells * cells } else { 0.0 };
        let tests = if kind == RewardKind::Independent { 3.0 } else { 1.0 };
        population + tests * cells * self.parameters.rollouts.len() as f64
    }

    fn run(&self, trial: usize) -> Result<Vec<Row>, LabError> {
        let (Grid { size, epsilon, all }, kind, number) = self.place(trial);
        let gamma = self.parameters.gamma[0];
        let made = || Population::new(size.width, size.height, epsilon.0, gamma).map_err(|error| error.to_string());
        let population = all.get_or_init(made).as_ref().map_err(LabError::failed)?;
        Trial { population, kind, number, gamma, seed: self.seed(trial) }.rows(&self.parameters.rollouts)
    }

    fn plan(&self) -> Vec<String> {
        let mut lines = self.parameters.lines();
        let kinds: Vec<&str> = RewardKind::ALL.iter().map(|kind| kind.name()).collect();
        lines.push(format!("rewards: {}", kinds.join(", ")));
        lines.push("intervals, tests against chance, γ of a shaped sample, verdicts; beside the truth".to_owned());
        lines
    }

    fn evaluate(&self, trials: &Trials) -> Result<Evaluation, LabError> {
        let cells = self.cells(trials)?;
        let claims = claims::claims(&cells);
        let text = draw::text(&cells, &claims);
        Ok(Evaluation { summary: summary(&cells), report: draw::report(&cells, claims), text })
    }
}

impl Validity {
    /// What the trials of every cell and part come to; those without any are left out.
    fn cells(&self, trials: &Trials) -> Result<Vec<Cell>, LabError> {
        let mut cells: Vec<Cell> = Vec::new();
        for Grid { size, epsilon, .. } in &self.worlds {
            for &kind in RewardKind::ALL {
                let of = |&rollouts: &usize| {
                    let parts = Part::ALL.iter();
                    parts.map(move |&part| Cell {
                        size: *size,
                        epsilon: *epsilon,
                        kind,
                        rollouts,
                        part,
                        tally: Tally::default(),
                    })
                };
                cells.extend(self.parameters.rollouts.iter().flat_map(of));
            }
        }
        for (trial, rows) in trials.each().enumerate() {
            let first = trial / self.parameters.trials * self.rows(trial);
            for (row, cell) in rows.iter().zip(&mut cells[first..]) {
                row.expect(ROLLOUTS, cell.rollouts)?;
                row.expect(PART, cell.part)?;
                cell.tally.add(row)?;
            }
        }
        cells.retain(|cell| cell.tally.trials > 0);
        Ok(cells)
    }
}

fn summary(cells: &[Cell]) -> Csv {
    let mut columns = vec!["size", "epsilon", "rewards", "rollouts", "part", "trials", "withheld", "mean", "sd"];
    columns.extend(["low", "high", "count", "width", "same", "different", "unknown", "wrong_same"]);
    let mut summary = Csv::new(&columns);
    for Cell { size, epsilon, kind, rollouts, part, tally } in cells {
        let row = Row::new().with(SIZE, *size).with(EPSILON, *epsilon).with(KIND_OF, *kind);
        let mut row = vec![row.with(ROLLOUTS, *rollouts).with(PART, *part).line()];
        let share = tally.share(*part);
        let spread = (share.value * (1.0 - share.value)).sqrt();
        row.extend([tally.trials.to_string(), number(tally.withheld())]);
        row.extend([share.value, spread, share.low, share.high].map(number));
        row.extend([share.count.to_string(), number(tally.width.mean())]);
        row.extend([tally.same, tally.different, tally.unknown, tally.wrong_same].map(|count| count.to_string()));
        summary.row(row);
    }
    summary
}
