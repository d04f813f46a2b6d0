//! Which metric predicts regret? On random problems whose optimal policies are known.
//!
//! A trial draws a problem, a reward R and another one R′, and compares R with cos θ · R + sin θ · R′ for θ from 0 to π: from equal over
//! unrelated to opposite. Both rewards get valid shaping of their own. True regret is what acting by one of the two rewards loses under
//! the other (0 is nothing, 1 is as much as can be lost), the mean of both directions. A metric predicts it as well as it ranks pairs:
//! Spearman's correlation between distance and regret, over the pairs of all problems of a kind. An undefined distance counts as that of
//! unrelated rewards, 1/√2: whoever asks gets no better answer. Intervals are of problems drawn with replacement.

mod claims;
mod draw;
mod measures;
mod problem;
mod ranks;

use self::measures::{Measure, Rewards, Sampled};
use self::problem::{Episodes, Moves, Problem};
use self::ranks::{Judged, Ranked};
use super::shared::columns::{COMMON, DISTANCE, SEED, TRIAL};
use super::shared::pairs::SHAPING;
use crate::error::LabError;
use crate::experiment::{Evaluation, Experiment};
use crate::experiments::Kind;
use crate::parameters::Parameters;
use crate::row::{AnyColumn, Choice, Column, Csv, Row, Trials, Value, number};
use crate::seed::trial_seed;
use crate::values::{Estimation, Preset, gamma};
use rand::RngExt;
use srrd::regret::mutual_regret;
use srrd::settings::Batch;
use srrd_worlds::stream;

/// How it is found.
pub static KIND: Kind = Kind {
    name: "regret",
    about: "beyond the paper: which metric predicts what acting on the wrong reward costs",
    preset,
    build,
};

/// Pairs of every problem, from equal to opposite.
const POSITIONS: usize = 7;

const MOVES: Column<Moves> = Column::new("dynamics");
const EPISODES: Column<Episodes> = Column::new("episodes");
const POSITION: Column<f64> = Column::<f64>::new("position").within(0.0, 1.0);
const REGRET: Column<Option<f64>> = Column::<Option<f64>>::new("regret").within(0.0, 1.0);
const SAMPLED: Column<Sampled> = Column::new("sampled");
const MEASURE: Column<Measure> = Column::new("measure");

fn preset(preset: Preset) -> Parameters {
    Parameters {
        rollouts: vec![5, 20],
        trials: match preset {
            Preset::Quick => 40,
            Preset::Paper => 300,
        },
        gamma: vec![gamma(0.9)],
        estimator: vec![Estimation::Double],
        ..Parameters::default()
    }
}

fn build(parameters: Parameters) -> Result<Box<dyn Experiment>, LabError> {
    parameters.only_one("regret", &["gamma", "estimator"])?;
    parameters.no_regression("regret")?;
    if parameters.gamma[0].get() > srrd::theory::LARGEST_GAMMA {
        let what = format!("values exist for γ up to {} only", srrd::theory::LARGEST_GAMMA);
        return Err(LabError::parameter("gamma", what));
    }
    let sampled = std::iter::once(Sampled::Everything).chain(parameters.rollouts.iter().copied().map(Sampled::Walks));
    Ok(Box::new(RegretStudy { sampled: sampled.collect(), parameters }))
}

/// A kind of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ProblemKind {
    moves: Moves,
    episodes: Episodes,
}

impl ProblemKind {
    const ALL: [ProblemKind; 4] = [
        ProblemKind { moves: Moves::Deterministic, episodes: Episodes::GoOn },
        ProblemKind { moves: Moves::Stochastic, episodes: Episodes::GoOn },
        ProblemKind { moves: Moves::Deterministic, episodes: Episodes::End },
        ProblemKind { moves: Moves::Stochastic, episodes: Episodes::End },
    ];

    fn title(self) -> String {
        format!("{}, {}", self.moves.name(), self.episodes.name())
    }
}

struct RegretStudy {
    parameters: Parameters,
    sampled: Vec<Sampled>,
}

impl RegretStudy {
    fn place(&self, trial: usize) -> (ProblemKind, usize) {
        (ProblemKind::ALL[trial / self.parameters.trials], trial % self.parameters.trials)
    }

    fn seed(&self, trial: usize) -> u64 {
        let (ProblemKind { moves, episodes }, number) = self.place(trial);
        let (moves, episodes, gamma) = (moves.name(), episodes.name(), self.parameters.gamma[0].get());
        trial_seed(self.parameters.seed, &format!("regret,{moves},{episodes},{gamma},{number}"))
    }

    /// What every row of a trial is about, in their order.
    fn order(&self) -> impl Iterator<Item = (usize, Sampled, Measure)> {
        (0..POSITIONS).flat_map(move |position| {
            let of = move |&sampled: &Sampled| sampled.measures().map(move |measure| (position, sampled, measure));
            self.sampled.iter().flat_map(of)
        })
    }
}

/// Where a pair stands between equal, 0, and opposite, 1.
fn position(number: usize) -> f64 {
    number as f64 / (POSITIONS - 1) as f64
}

impl Experiment for RegretStudy {
    fn columns(&self) -> Vec<AnyColumn> {
        let key = [MOVES.any(), EPISODES.any(), TRIAL.any(), SEED.any()];
        let found = [POSITION.any(), REGRET.any(), SAMPLED.any(), COMMON.any(), MEASURE.any(), DISTANCE.any()];
        key.into_iter().chain(found).collect()
    }

    fn trials(&self) -> usize {
        ProblemKind::ALL.len() * self.parameters.trials
    }

    fn key(&self, trial: usize) -> Row {
        let (ProblemKind { moves, episodes }, number) = self.place(trial);
        let row = Row::new().with(MOVES, moves).with(EPISODES, episodes);
        row.with(TRIAL, number).with(SEED, self.seed(trial))
    }

    fn rows(&self, _: usize) -> usize {
        self.order().count()
    }

    fn cost(&self, trial: usize) -> f64 {
        match self.place(trial).0.moves {
            Moves::Deterministic => 1.0,
            Moves::Stochastic => 2.0,
        }
    }

    fn run(&self, trial: usize) -> Result<Vec<Row>, LabError> {
        let (ProblemKind { moves, episodes }, _) = self.place(trial);
        let seed = self.seed(trial);
        let gamma = self.parameters.gamma[0];
        let mut rng = stream(seed, "problem");
        let problem = Problem::draw(moves, episodes, &mut rng)?;
        let (one, other) = (problem.reward(&mut rng), problem.reward(&mut rng));
        let mut rows = Vec::new();
        for number in 0..POSITIONS {
            let angle = std::f64::consts::PI * position(number);
            // The ends are exact: sin π is not 0 in floating point.
            let weight = if number == 0 || number + 1 == POSITIONS { 0.0 } else { angle.sin() };
            let mixed: Vec<f64> = one.iter().zip(&other).map(|(r, o)| angle.cos() * r + weight * o).collect();
            let [a, b] = [&one, &mixed].map(|reward| problem.expected(reward));
            let regret = mutual_regret(&problem.dynamics, &a, &b, gamma).map_err(LabError::failed)?;
            let regret = regret.a_under_b.regret.zip(regret.b_under_a.regret).map(|(a, b)| 0.5 * (a + b));
            let mut shaped = |reward: &[f64]| {
                let factor = rng.random_range(SHAPING);
                problem.shaped(reward, gamma.get(), factor, &mut rng)
            };
            let (a, b) = (shaped(&one), shaped(&mixed));
            let estimator = self.parameters.estimator[0].estimator(Batch::All);
            let rewards = Rewards { problem: &problem, a: &a, b: &b, gamma, estimator };
            for &sampled in &self.sampled {
                let found = rewards.distances(sampled, srrd_worlds::derive_seed(seed, &sampled.write()))?;
                for (measure, distance) in sampled.measures().zip(found.found) {
                    let row = Row::new().with(POSITION, position(number)).with(REGRET, regret);
                    let row = row.with(SAMPLED, sampled).with(COMMON, found.common);
                    rows.push(row.with(MEASURE, measure).with(DISTANCE, distance));
                }
            }
        }
        Ok(rows)
    }

    fn plan(&self) -> Vec<String> {
        let Parameters { trials, gamma, rollouts, estimator, .. } = &self.parameters;
        let rollouts: Vec<String> = rollouts.iter().map(ToString::to_string).collect();
        vec![
            format!("random problems of 32 states and 4 actions, γ = {}, {trials} of each kind", gamma[0].get()),
            "deterministic and stochastic; going on, and ending at two exits with step costs".to_owned(),
            format!("{POSITIONS} pairs of rewards per problem, from equal to opposite, each with shaping of its own"),
            format!("samples of every transition, and of {} walks per reward", rollouts.join(" and ")),
            format!("expectations by the estimator {}", estimator[0]),
        ]
    }

    fn evaluate(&self, trials: &Trials) -> Result<Evaluation, LabError> {
        let judged = self.judged(trials)?;
        let claims = claims::claims(&judged);
        let text = draw::text(&judged, &claims);
        Ok(Evaluation { summary: summary(&judged), report: draw::report(&judged, claims), text })
    }
}

impl RegretStudy {
    /// How well every measure ranks the pairs of every kind of problem, by what was sampled. Kinds without trials are left out.
    fn judged(&self, trials: &Trials) -> Result<Vec<Judged>, LabError> {
        let none = |kind: ProblemKind| self.sampled.iter().map(move |&sampled| Ranked::new(kind, sampled));
        let mut ranked: Vec<Ranked> = ProblemKind::ALL.into_iter().flat_map(none).collect();
        for (trial, rows) in trials.each().enumerate() {
            let first = trial / self.parameters.trials * self.sampled.len();
            for (row, (number, sampled, measure)) in rows.iter().zip(self.order()) {
                row.expect(SAMPLED, sampled)?;
                row.expect(MEASURE, measure)?;
                let place = self.sampled.iter().position(|known| *known == sampled).unwrap_or(0);
                let regret = row.get(REGRET)?;
                let place = &mut ranked[first + place];
                place.add(trial % self.parameters.trials, number, measure, regret, row.get(DISTANCE)?);
                if measure == Measure::ALL[0] {
                    place.common.add(row.get(COMMON)? as f64);
                }
            }
        }
        let seed = self.parameters.seed;
        Ok(ranked.iter().filter(|ranked| ranked.problems() > 0).map(|ranked| ranked.judge(seed)).collect())
    }
}

fn summary(judged: &[Judged]) -> Csv {
    let mut columns = vec!["dynamics", "episodes", "sampled", "common", "measure", "mean", "sd", "low", "high"];
    columns.extend(["count", "problems", "undefined"]);
    let mut summary = Csv::new(&columns);
    for one in judged {
        for found in &one.measures {
            let ProblemKind { moves, episodes } = one.kind;
            let mut row = vec![moves.name().to_owned(), episodes.name().to_owned(), one.sampled.write()];
            row.extend([number(one.common), found.measure.name().to_owned()]);
            row.extend([found.correlation, found.sd, found.low, found.high].map(number));
            row.extend([one.pairs, one.problems, found.undefined].map(|count| count.to_string()));
            summary.row(row);
        }
    }
    summary
}
