//! The paper's theorems against what they are about.
//!
//! - `shaping-error`: the largest relative shaping error on samples of a grid world, beside the bound of Theorem 1, and on which
//!   share of the transitions the bound holds. The theorem assumes that forward transitions are sampled whole; samples need not be.
//! - `regret`: the true regret on random problems, beside the bound of Theorem 2 (and the tighter one that its proof gives).
//! - `generalized`: what the form C_n leaves of a random potential for n = 1 … 8, exactly and on samples.

mod claims;
mod draw;

use super::shared::columns::{SEED, TRIAL};
use super::shared::pairs::SHAPING;
use crate::error::LabError;
use crate::experiment::{Evaluation, Experiment};
use crate::experiments::Kind;
use crate::parameters::Parameters;
use crate::row::{AnyColumn, Choice, Column, Csv, Row, Trials, Value, number};
use crate::seed::trial_seed;
use crate::statistics::Moments;
use crate::values::{Fraction, Preset, Size, gamma};
use rand::RngExt;
use srrd::theory::{
    Coverage, Mdp, generalized, generalized_residual, regret_bound, relative_shaping_error, shaping_rewards,
};
use srrd::{Gamma, Metric, RewardSample, Settings, Tabular};
use srrd_worlds::{Gridworld, Model, Policy, RewardFunction, Stream, World, explore, sample_of, stream};
use std::num::NonZeroUsize;

/// How it is found.
pub static KIND: Kind = Kind {
    name: "theory",
    about: "the bounds of Theorems 1 and 2 against what they bound; the generalized form",
    preset,
    build,
};

const METRICS: [Metric; 3] = [Metric::Epic, Metric::Dard, Metric::Srrd];
const LEVELS: usize = 8;
/// How far a number may exceed a bound by rounding.
const ROUNDING: f64 = 1e-9;

fn preset(preset: Preset) -> Parameters {
    Parameters {
        size: vec![Size::square(10)],
        epsilon: vec![Fraction(0.1), Fraction(0.0)],
        rollouts: vec![5, 20, 100],
        trials: match preset {
            Preset::Quick => 100,
            Preset::Paper => 1000,
        },
        gamma: vec![gamma(0.7)],
        ..Parameters::default()
    }
}

fn build(parameters: Parameters) -> Result<Box<dyn Experiment>, LabError> {
    parameters.only_one("theory", &["size", "gamma"])?;
    if parameters.gamma[0].get() > srrd::theory::LARGEST_GAMMA {
        let what = format!("values of random problems exist for γ up to {} only", srrd::theory::LARGEST_GAMMA);
        return Err(LabError::parameter("gamma", what));
    }
    let mut settings = Vec::new();
    for &Fraction(epsilon) in &parameters.epsilon {
        settings.extend(parameters.rollouts.iter().map(|&rollouts| Setting::ShapingError { epsilon, rollouts }));
    }
    settings.extend([Setting::Regret { deterministic: false }, Setting::Regret { deterministic: true }]);
    settings.push(Setting::GeneralizedExact);
    for &Fraction(epsilon) in &parameters.epsilon {
        settings.extend(parameters.rollouts.iter().map(|&rollouts| Setting::Generalized { epsilon, rollouts }));
    }
    Ok(Box::new(Theory { parameters, settings }))
}

/// What a trial looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Setting {
    ShapingError { epsilon: f64, rollouts: usize },
    Regret { deterministic: bool },
    GeneralizedExact,
    Generalized { epsilon: f64, rollouts: usize },
}

impl Setting {
    /// The columns `part` and `setting`.
    fn names(self) -> (&'static str, String) {
        match self {
            Setting::ShapingError { epsilon, rollouts } => {
                ("shaping-error", format!("epsilon {epsilon} rollouts {rollouts}"))
            }
            Setting::Regret { deterministic: false } => ("regret", "random transitions".to_owned()),
            Setting::Regret { deterministic: true } => ("regret", "deterministic transitions".to_owned()),
            Setting::GeneralizedExact => ("generalized", "exact".to_owned()),
            Setting::Generalized { epsilon, rollouts } => {
                ("generalized", format!("epsilon {epsilon} rollouts {rollouts}"))
            }
        }
    }

    /// What is measured, in the order of the rows.
    fn quantities(self) -> Vec<Quantity> {
        match self {
            Setting::ShapingError { .. } => METRICS.map(Quantity::Metric).to_vec(),
            Setting::Regret { .. } => vec![Quantity::Theorem, Quantity::Proof],
            Setting::GeneralizedExact | Setting::Generalized { .. } => (1..=LEVELS).map(Quantity::Level).collect(),
        }
    }
}

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    /// The shaping error of a metric.
    Metric(Metric),
    /// The bound that Theorem 2 states.
    Theorem,
    /// The bound that its proof gives.
    Proof,
    /// What C_n leaves.
    Level(usize),
}

impl Value for Quantity {
    fn read(text: &str) -> Result<Self, String> {
        let level = || text.strip_prefix("C_").and_then(|n| n.parse().ok()).filter(|n| (1..=LEVELS).contains(n));
        match text {
            "theorem" => Ok(Quantity::Theorem),
            "proof" => Ok(Quantity::Proof),
            _ => match level() {
                Some(level) => Ok(Quantity::Level(level)),
                None => Metric::read(text).map(Quantity::Metric),
            },
        }
    }

    fn write(&self) -> String {
        match self {
            Quantity::Metric(metric) => Choice::name(*metric).to_owned(),
            Quantity::Theorem => "theorem".to_owned(),
            Quantity::Proof => "proof".to_owned(),
            Quantity::Level(n) => format!("C_{n}"),
        }
    }
}

const PART: Column<String> = Column::new("part");
const SETTING: Column<String> = Column::new("setting");
const QUANTITY: Column<Quantity> = Column::new("quantity");
const VALUE: Column<f64> = Column::new("value");
const BOUND: Column<f64> = Column::new("bound");
const SHARE: Column<f64> = Column::<f64>::new("share").within(0.0, 1.0);

struct Theory {
    parameters: Parameters,
    settings: Vec<Setting>,
}

/// What was measured, what bounds it, and in which share of cases the bound holds.
struct Bounded {
    value: f64,
    bound: f64,
    share: f64,
}

impl Theory {
    fn place(&self, trial: usize) -> (Setting, usize) {
        (self.settings[trial / self.parameters.trials], trial % self.parameters.trials)
    }

    fn seed(&self, trial: usize) -> u64 {
        let (setting, number) = self.place(trial);
        let (part, name) = setting.names();
        let (size, gamma) = (self.parameters.size[0], self.gamma().get());
        trial_seed(self.parameters.seed, &format!("theory,{part},{name},{size},{gamma},{number}"))
    }

    fn gamma(&self) -> Gamma {
        self.parameters.gamma[0]
    }

    /// Random rewards on what a uniform policy meets, and a random potential 1 to 5 times as large.
    fn sample(&self, epsilon: f64, rollouts: usize, seed: u64) -> Result<(RewardSample, Vec<f64>), LabError> {
        let Size { width, height } = self.parameters.size[0];
        let world = Gridworld::new(width, height, epsilon).map_err(LabError::failed)?;
        let uniform = Policy::uniform(world.actions()).map_err(LabError::failed)?;
        let transitions = explore(&world, &uniform, rollouts, &mut stream(seed, "rollouts"));
        let rewards = RewardFunction::new(&world, Model::Random, seed).rewards(&transitions);
        let sample = sample_of(&transitions, rewards).map_err(LabError::failed)?;
        let mut rng = stream(seed, "potential");
        let factor = rng.random_range(SHAPING);
        let potential = (0..sample.states().len()).map(|_| factor * rng.random_range(-1.0..=1.0)).collect();
        Ok((sample, potential))
    }

    fn shaping_errors(&self, epsilon: f64, rollouts: usize, seed: u64) -> Result<Vec<Bounded>, LabError> {
        let (sample, potential) = self.sample(epsilon, rollouts, seed)?;
        let settings = Settings { gamma: self.gamma(), ..Settings::default() };
        let row = |metric| {
            let error = relative_shaping_error(&sample, &potential, metric, &settings).map_err(LabError::failed)?;
            let held = error.relative().filter(|&e| e <= error.bound * (1.0 + ROUNDING)).count();
            Ok(Bounded { value: error.largest(), bound: error.bound, share: held as f64 / sample.len() as f64 })
        };
        METRICS.into_iter().map(row).collect()
    }

    fn regret(&self, deterministic: bool, seed: u64) -> Result<Vec<Bounded>, LabError> {
        let mut rng = stream(seed, "problem");
        let (mdp, a, b) = random_problem(deterministic, self.gamma(), &mut rng)?;
        // What a policy never reaches by random actions needs the uniform coverage, which leaves nothing out.
        let coverage = if deterministic { Coverage::uniform(&mdp) } else { Coverage::of_random_actions(&mdp) };
        let known = regret_bound(&mdp, &a, &b, &coverage).map_err(LabError::failed)?;
        let row = |bound: f64| {
            let holds = known.regret <= bound * (1.0 + ROUNDING) + ROUNDING;
            Bounded { value: known.regret, bound, share: f64::from(u8::from(holds)) }
        };
        Ok(vec![row(known.bound), row(known.tight_bound)])
    }

    /// What is left of a potential, as a share of its largest value.
    fn generalized_exact(&self, seed: u64) -> Result<Vec<Bounded>, LabError> {
        let mut rng = stream(seed, "problem");
        let gamma = self.gamma();
        let (mdp, ..) = random_problem(false, gamma, &mut rng)?;
        let actions = vec![1.0 / mdp.actions() as f64; mdp.actions()];
        let states = vec![1.0 / mdp.states() as f64; mdp.states()];
        let problem = Tabular::new(states, actions)
            .and_then(|t| t.with_model(mdp.dynamics().clone()))
            .map_err(LabError::failed)?;
        let potential: Vec<f64> = (0..mdp.states()).map(|_| rng.random_range(-1.0..=1.0)).collect();
        let largest = largest(&potential);
        let row = |n: NonZeroUsize| {
            let left = generalized_residual(&problem, &potential, n, gamma).map_err(LabError::failed)?;
            Ok(bounded(self::largest(&left) / largest, n, gamma))
        };
        levels().map(row).collect()
    }

    fn generalized(&self, epsilon: f64, rollouts: usize, seed: u64) -> Result<Vec<Bounded>, LabError> {
        let (sample, potential) = self.sample(epsilon, rollouts, seed)?;
        let gamma = self.gamma();
        let shaping = shaping_rewards(&sample, &potential, gamma).map_err(LabError::failed)?;
        let shaping = sample.with_rewards(shaping).map_err(LabError::failed)?;
        let largest = largest(&potential);
        let row = |n: NonZeroUsize| bounded(self::largest(&generalized(&shaping, n, gamma)) / largest, n, gamma);
        Ok(levels().map(row).collect())
    }
}

fn levels() -> impl Iterator<Item = NonZeroUsize> {
    (1..=LEVELS).filter_map(NonZeroUsize::new)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most: f64, value| most.max(value.abs()))
}

/// Beside 2γⁿ(1 + γ), what is left at most where every term is sampled whole.
fn bounded(value: f64, n: NonZeroUsize, gamma: Gamma) -> Bounded {
    let bound = 2.0 * gamma.get().powi(n.get() as i32) * (1.0 + gamma.get());
    Bounded { value, bound, share: f64::from(u8::from(value <= bound * (1.0 + ROUNDING))) }
}

/// A small problem and two rewards, from equivalent to unrelated.
fn random_problem(deterministic: bool, gamma: Gamma, rng: &mut Stream) -> Result<(Mdp, Vec<f64>, Vec<f64>), LabError> {
    let (states, actions) = (rng.random_range(2..=8), rng.random_range(2..=4));
    let mut transition = Vec::new();
    for _ in 0..states * actions {
        if deterministic {
            let next = rng.random_range(0..states);
            transition.extend((0..states).map(|t| f64::from(u8::from(t == next))));
        } else {
            transition.extend(distribution(states, rng));
        }
    }
    let mdp = Mdp::new(states, actions, transition, distribution(states, rng), gamma).map_err(LabError::failed)?;
    let mut uniform = |n: usize| -> Vec<f64> { (0..n).map(|_| rng.random_range(-1.0..=1.0)).collect() };
    let a = uniform(states * actions * states);
    let (other, potential) = (uniform(a.len()), uniform(states));
    let likeness = 0.5 * (uniform(1)[0] + 1.0);
    let b = (0..a.len()).map(|i| {
        let (s, t) = (i / states / actions, i % states);
        likeness * a[i] + (1.0 - likeness) * other[i] + gamma.get() * potential[t] - potential[s]
    });
    Ok((mdp, a.clone(), b.collect()))
}

/// Random weights, uniform over all distributions.
fn distribution(n: usize, rng: &mut Stream) -> Vec<f64> {
    let weights: Vec<f64> = (0..n).map(|_| -f64::ln(1.0 - rng.random::<f64>())).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

impl Experiment for Theory {
    fn columns(&self) -> Vec<AnyColumn> {
        let key = [PART.any(), SETTING.any(), TRIAL.any(), SEED.any()];
        key.into_iter().chain([QUANTITY.any(), VALUE.any(), BOUND.any(), SHARE.any()]).collect()
    }

    fn trials(&self) -> usize {
        self.settings.len() * self.parameters.trials
    }

    fn key(&self, trial: usize) -> Row {
        let (setting, number) = self.place(trial);
        let (part, name) = setting.names();
        Row::new().with(PART, part.to_owned()).with(SETTING, name).with(TRIAL, number).with(SEED, self.seed(trial))
    }

    fn rows(&self, trial: usize) -> usize {
        self.place(trial).0.quantities().len()
    }

    fn cost(&self, trial: usize) -> f64 {
        match self.place(trial).0 {
            Setting::ShapingError { rollouts, .. } => 5.0 + rollouts as f64,
            Setting::Regret { .. } | Setting::GeneralizedExact => 1.0,
            Setting::Generalized { rollouts, .. } => 20.0 + 4.0 * rollouts as f64,
        }
    }

    fn run(&self, trial: usize) -> Result<Vec<Row>, LabError> {
        let (setting, _) = self.place(trial);
        let seed = self.seed(trial);
        let rows = match setting {
            Setting::ShapingError { epsilon, rollouts } => self.shaping_errors(epsilon, rollouts, seed)?,
            Setting::Regret { deterministic } => self.regret(deterministic, seed)?,
            Setting::GeneralizedExact => self.generalized_exact(seed)?,
            Setting::Generalized { epsilon, rollouts } => self.generalized(epsilon, rollouts, seed)?,
        };
        let row = |(quantity, found): (Quantity, Bounded)| {
            let Bounded { value, bound, share } = found;
            Row::new().with(QUANTITY, quantity).with(VALUE, value).with(BOUND, bound).with(SHARE, share)
        };
        Ok(setting.quantities().into_iter().zip(rows).map(row).collect())
    }

    fn plan(&self) -> Vec<String> {
        let Parameters { size, trials, gamma, .. } = &self.parameters;
        vec![
            format!("γ = {}, {trials} trials of each", gamma[0].get()),
            format!("Theorem 1: relative shaping errors on samples of a {} Gridworld", size[0]),
            "Theorem 2: regret on random problems of 2 to 8 states and 2 to 4 actions".to_owned(),
            format!("C_n: what is left of a potential, n = 1 … {LEVELS}, exactly and on samples"),
        ]
    }

    fn evaluate(&self, trials: &Trials) -> Result<Evaluation, LabError> {
        let empty = |&setting: &Setting| {
            let quantities = setting.quantities().into_iter();
            (setting, quantities.map(|quantity| (quantity, Measured::default())).collect())
        };
        let mut results = Results { settings: self.settings.iter().map(empty).collect() };
        for (trial, rows) in trials.each().enumerate() {
            let (_, measured) = &mut results.settings[trial / self.parameters.trials];
            for (row, (quantity, measured)) in rows.iter().zip(measured) {
                row.expect(QUANTITY, *quantity)?;
                measured.add(row.get(VALUE)?, row.get(BOUND)?, row.get(SHARE)?);
            }
        }
        let claims = claims::claims(&results);
        let text = draw::text(&results, &claims);
        Ok(Evaluation { summary: summary(&results), report: draw::report(&results, claims), text })
    }
}

/// What the trials say.
struct Results {
    settings: Vec<(Setting, Vec<(Quantity, Measured)>)>,
}

impl Results {
    /// The settings of one kind of which there are trials.
    fn of(&self, wanted: impl Fn(Setting) -> bool) -> Vec<(Setting, &[(Quantity, Measured)])> {
        let all = self.settings.iter().map(|(setting, rows)| (*setting, rows.as_slice()));
        all.filter(|(setting, rows)| wanted(*setting) && rows[0].1.value.count() > 0).collect()
    }
}

/// What the trials say about one quantity.
#[derive(Default)]
struct Measured {
    value: Moments,
    bound: Moments,
    /// value / bound
    ratio: Moments,
    largest_ratio: f64,
    share: Moments,
    /// Trials in which the bound holds throughout.
    held: u64,
    points: Vec<(f64, f64)>,
}

impl Measured {
    fn add(&mut self, value: f64, bound: f64, share: f64) {
        self.value.add(value);
        self.bound.add(bound);
        if bound > 0.0 {
            self.ratio.add(value / bound);
            self.largest_ratio = self.largest_ratio.max(value / bound);
        }
        self.share.add(share);
        self.held += u64::from(share == 1.0);
        self.points.push((bound, value));
    }
}

fn summary(results: &Results) -> Csv {
    let mut columns = vec!["part", "setting", "quantity", "mean", "sd", "low", "high", "bound", "largest_ratio"];
    columns.extend(["share", "held", "count"]);
    let mut summary = Csv::new(&columns);
    for (setting, rows) in &results.settings {
        let (part, name) = setting.names();
        for (quantity, m) in rows {
            let (low, high) = m.value.interval();
            let numbers = [m.value.mean(), m.value.sd(), low, high, m.bound.mean(), m.largest_ratio, m.share.mean()];
            let mut fields = vec![part.to_owned(), name.clone(), quantity.write()];
            fields.extend(numbers.map(number));
            fields.extend([m.held.to_string(), m.value.count().to_string()]);
            summary.row(fields);
        }
    }
    summary
}
