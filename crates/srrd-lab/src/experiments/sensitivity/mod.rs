//! How much the policy that samples a reward matters.
//!
//! The paper takes the reward of a diagonally moving agent from adversarial inverse reinforcement learning. At its optimum that
//! method's reward is the agent's log-probability of the action, up to shaping, and this is the reward taken here by default:
//! R(s, a, s') = log π_diagonal(a | s), over the moves that stay on the grid. `--rewards airl` learns it from walks instead. Two copies of it, each with random potential
//! shaping of its own, are sampled under a policy and compared.

mod claims;
mod draw;
mod learned;

use super::shared::columns::{COMMON, COVERAGE, DISTANCE, ESTIMATOR, METRIC, SEED, TRIAL, UNDEFINED};
use super::shared::pairs::{SHAPING, shape};
use crate::error::LabError;
use crate::experiment::{Evaluation, Experiment};
use crate::experiments::Kind;
use crate::parameters::Parameters;
use crate::row::{AnyColumn, Column, Csv, Row, Trials, number};
use crate::seed::trial_seed;
use crate::statistics::Moments;
use crate::values::{Estimation, Learning, Preset, Rewards, Size, gamma};
use rand::RngExt;
use srrd::settings::Batch;
use srrd::{Metric, RewardSample, Settings, distance};
use srrd_worlds::{
    Gridworld, Model, Policy, PotentialFunction, Triple, World, explore, gridworld_sampling_policies, sample_of, stream,
};

/// How it is found.
pub static KIND: Kind = Kind {
    name: "sensitivity",
    about: "SRRD under uniform, diagonal, top and left sampling policies of a grid",
    preset,
    build,
};

/// What the paper's table has: policy, trajectories, coverage (%), distance.
const PAPER: [(&str, usize, f64, f64); 8] = [
    ("uniform", 50, 33.2, 0.62),
    ("uniform", 100, 43.4, 0.60),
    ("diagonal", 50, 56.9, 0.57),
    ("diagonal", 100, 74.6, 0.56),
    ("top", 50, 11.91, 0.64),
    ("top", 100, 14.3, 0.63),
    ("left", 50, 10.86, 0.62),
    ("left", 100, 13.03, 0.62),
];
/// The paper's distance over all feasible transitions.
const PAPER_ALL: f64 = 0.58;

/// A policy by its name, or `all` feasible transitions.
const POLICY: Column<String> = Column::new("policy");
const TRAJECTORIES: Column<usize> = Column::new("trajectories");

fn preset(preset: Preset) -> Parameters {
    Parameters {
        size: vec![Size::square(15)],
        model: vec![Model::Random],
        rewards: vec![Rewards::Manual],
        rollouts: vec![50, 100],
        trials: match preset {
            Preset::Quick => 30,
            Preset::Paper => 100,
        },
        gamma: vec![gamma(0.7)],
        metric: Metric::PAPER.to_vec(),
        estimator: vec![Estimation::Double],
        ..Parameters::default()
    }
}

fn build(parameters: Parameters) -> Result<Box<dyn Experiment>, LabError> {
    parameters.no_regression("sensitivity")?;
    parameters.only_one("sensitivity", &["size", "model", "rewards", "gamma", "estimator"])?;
    let Size { width, height } = parameters.size[0];
    let world = Gridworld::new(width, height, 0.0).map_err(LabError::failed)?;
    let policies = gridworld_sampling_policies();
    let mut settings = vec![Sampling { policy: "all", agent: None, rollouts: 0 }];
    for (name, agent) in policies.clone() {
        let sampling = |&rollouts| Sampling { policy: name, agent: Some(agent.clone()), rollouts };
        settings.extend(parameters.rollouts.iter().map(sampling));
    }
    let diagonal = policies.into_iter().find(|(name, _)| *name == "diagonal").map(|(_, policy)| policy);
    let diagonal = diagonal.ok_or_else(|| LabError::failed("there is no policy `diagonal`"))?;
    let feasible = feasible(&world);
    let rewards = match parameters.rewards[0] {
        Rewards::Manual => log_policy(&world, &diagonal, &feasible),
        Rewards::Learned(Learning::Airl) => {
            learned::rewards(&world, &diagonal, &feasible, parameters.gamma[0], parameters.seed)?
        }
        _ => return Err(LabError::parameter("rewards", "`sensitivity` takes manual or airl")),
    };
    Ok(Box::new(Sensitivity { parameters, world, settings, feasible, rewards }))
}

/// How the two samples are drawn.
struct Sampling {
    policy: &'static str,
    /// None: all feasible transitions are known.
    agent: Option<Policy>,
    rollouts: usize,
}

struct Sensitivity {
    parameters: Parameters,
    world: Gridworld,
    settings: Vec<Sampling>,
    /// Ascending.
    feasible: Vec<Triple>,
    /// The reward of every feasible transition.
    rewards: Vec<f64>,
}

/// The transitions that moves can make, in ascending order.
fn feasible(world: &Gridworld) -> Vec<Triple> {
    let place = |state| {
        let mut at = [0.0; 2];
        world.describe_state(state, &mut at);
        at
    };
    let places: Vec<[f64; 2]> = (0..world.states()).map(place).collect();
    let mut transitions = Vec::new();
    let end = [(world.width() - 1) as f64, (world.height() - 1) as f64];
    for (state, at) in places.iter().enumerate().filter(|(_, at)| **at != end) {
        for action in 0..world.actions() {
            let mut step = [0.0; 2];
            world.describe_action(action, &mut step);
            let to = [at[0] + step[0], at[1] + step[1]];
            if let Some(next) = places.iter().position(|place| *place == to) {
                transitions.push(Triple { state: state as u32, action: action as u32, next: next as u32 });
            }
        }
    }
    transitions
}

/// log π(a | s) over the moves that a state has.
fn log_policy(world: &Gridworld, policy: &Policy, feasible: &[Triple]) -> Vec<f64> {
    let mut total = vec![0.0; world.states()];
    for t in feasible {
        total[t.state as usize] += policy.weights()[t.action as usize];
    }
    feasible.iter().map(|t| (policy.weights()[t.action as usize] / total[t.state as usize]).ln()).collect()
}

impl Sensitivity {
    /// What the reward is.
    fn reward(&self) -> &'static str {
        match self.parameters.rewards[0] {
            Rewards::Learned(_) => "a reward learned by AIRL from walks of the diagonal agent",
            _ => "the reward log π_diagonal(a | s)",
        }
    }

    fn place(&self, trial: usize) -> (&Sampling, usize) {
        (&self.settings[trial / self.parameters.trials], trial % self.parameters.trials)
    }

    fn seed(&self, trial: usize) -> u64 {
        let (Sampling { policy, rollouts, .. }, number) = self.place(trial);
        let Parameters { size, model, gamma, seed, .. } = &self.parameters;
        let (size, model, gamma) = (size[0], model[0], gamma[0].get());
        trial_seed(*seed, &format!("sensitivity,{size},{model},{gamma},{policy},{rollouts},{number}"))
    }

    /// A sample of the reward with shaping of its own.
    fn sample(&self, sampling: &Sampling, seed: u64, which: &str) -> Result<RewardSample, LabError> {
        let transitions = match &sampling.agent {
            None => self.feasible.clone(),
            Some(agent) => {
                explore(&self.world, agent, sampling.rollouts, &mut stream(seed, &format!("rollouts {which}")))
            }
        };
        let reward = |t: &Triple| {
            let index =
                self.feasible.binary_search_by_key(&(t.state, t.action, t.next), |f| (f.state, f.action, f.next));
            index.map(|i| self.rewards[i]).map_err(|_| LabError::failed("a walk left the feasible transitions"))
        };
        let rewards: Vec<f64> = transitions.iter().map(reward).collect::<Result<_, _>>()?;
        let seed = srrd_worlds::derive_seed(seed, which);
        let potential = PotentialFunction::new(&self.world, self.parameters.model[0], seed);
        let factor = stream(seed, "shaping factor").random_range(SHAPING);
        let shaped = shape(&potential, self.parameters.gamma[0], factor, &transitions, rewards)?;
        sample_of(&transitions, shaped).map_err(LabError::failed)
    }
}

impl Experiment for Sensitivity {
    fn columns(&self) -> Vec<AnyColumn> {
        let key = [POLICY.any(), TRAJECTORIES.any(), TRIAL.any(), SEED.any()];
        let found = [COVERAGE.any(), COMMON.any(), METRIC.any(), ESTIMATOR.any(), DISTANCE.any(), UNDEFINED.any()];
        key.into_iter().chain(found).collect()
    }

    fn trials(&self) -> usize {
        self.settings.len() * self.parameters.trials
    }

    fn key(&self, trial: usize) -> Row {
        let (Sampling { policy, rollouts, .. }, number) = self.place(trial);
        let row = Row::new().with(POLICY, (*policy).to_owned()).with(TRAJECTORIES, *rollouts);
        row.with(TRIAL, number).with(SEED, self.seed(trial))
    }

    fn rows(&self, _: usize) -> usize {
        self.parameters.metric.len()
    }

    fn cost(&self, trial: usize) -> f64 {
        10.0 + self.place(trial).0.rollouts as f64
    }

    fn run(&self, trial: usize) -> Result<Vec<Row>, LabError> {
        let (sampling, _) = self.place(trial);
        let seed = self.seed(trial);
        let (a, b) = (self.sample(sampling, seed, "a")?, self.sample(sampling, seed, "b")?);
        let coverage = 0.5 * (a.len() + b.len()) as f64 / self.feasible.len() as f64;
        let estimation = self.parameters.estimator[0];
        let gamma = self.parameters.gamma[0];
        let settings = Settings { gamma, estimator: estimation.estimator(Batch::All), ..Settings::default() };
        let row = |&metric: &Metric| {
            let comparison = distance(&a, &b, metric, &settings);
            let row = Row::new().with(COVERAGE, coverage).with(COMMON, comparison.common).with(METRIC, metric);
            let row = row.with(ESTIMATOR, estimation).with(DISTANCE, comparison.distance());
            row.with(UNDEFINED, comparison.undefined())
        };
        Ok(self.parameters.metric.iter().map(row).collect())
    }

    fn plan(&self) -> Vec<String> {
        let Parameters { size, trials, rollouts, .. } = &self.parameters;
        let rollouts: Vec<String> = rollouts.iter().map(usize::to_string).collect();
        vec![
            format!("Gridworld {}, {}, two copies with random shaping", size[0], self.reward()),
            format!(
                "sampled in full, and by 4 policies with {} trajectories; {trials} trials each",
                rollouts.join(" and ")
            ),
        ]
    }

    fn evaluate(&self, trials: &Trials) -> Result<Evaluation, LabError> {
        let metrics = self.parameters.metric.clone();
        let empty = |sampling: &Sampling| Measured {
            policy: sampling.policy,
            rollouts: sampling.rollouts,
            coverage: Moments::default(),
            distances: vec![Moments::default(); metrics.len()],
            undefined: vec![0; metrics.len()],
        };
        let mut results = Results { settings: self.settings.iter().map(empty).collect(), metrics };
        for (trial, rows) in trials.each().enumerate() {
            let setting = &mut results.settings[trial / self.parameters.trials];
            for (i, (row, &metric)) in rows.iter().zip(&results.metrics).enumerate() {
                row.expect(METRIC, metric)?;
                if i == 0 {
                    setting.coverage.add(row.get(COVERAGE)?);
                }
                match row.get(DISTANCE)? {
                    Some(distance) => setting.distances[i].add(distance),
                    None => setting.undefined[i] += 1,
                }
            }
        }
        let claims = claims::claims(&results);
        let text = draw::text(&results, &claims);
        Ok(Evaluation { summary: summary(&results), report: draw::report(&results, claims, self.reward()), text })
    }
}

/// What the trials say.
struct Results {
    metrics: Vec<Metric>,
    /// All feasible transitions first, then the policies, each with more and more trajectories.
    settings: Vec<Measured>,
}

struct Measured {
    policy: &'static str,
    /// 0 for all feasible transitions.
    rollouts: usize,
    coverage: Moments,
    /// By metric.
    distances: Vec<Moments>,
    undefined: Vec<usize>,
}

fn summary(results: &Results) -> Csv {
    let columns = ["policy", "trajectories", "coverage", "metric", "mean", "sd", "low", "high", "count", "undefined"];
    let mut summary = Csv::new(&columns);
    for m in &results.settings {
        for (i, metric) in results.metrics.iter().enumerate() {
            let moments = &m.distances[i];
            let (low, high) = moments.interval();
            let mut row =
                vec![m.policy.to_owned(), m.rollouts.to_string(), number(m.coverage.mean()), metric.to_string()];
            row.extend([moments.mean(), moments.sd(), low, high].map(number));
            row.extend([moments.count().to_string(), m.undefined[i].to_string()]);
            summary.row(row);
        }
    }
    summary
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reward_is_the_log_of_a_distribution_over_the_moves_of_a_state() {
        let world = Gridworld::new(4, 3, 0.0).unwrap();
        let transitions = feasible(&world);
        assert_eq!(transitions.len(), world.feasible());
        assert!(transitions.is_sorted_by_key(|t| (t.state, t.action, t.next)));
        let policy = Policy::new(&[10.0, 10.0, 40.0, 40.0]).unwrap();
        let rewards = log_policy(&world, &policy, &transitions);
        for state in 0..world.states() as u32 {
            let moves = transitions.iter().zip(&rewards).filter(|(t, _)| t.state == state);
            let total: f64 = moves.map(|(_, r)| r.exp()).sum();
            assert!(total == 0.0 || (total - 1.0).abs() < 1e-12);
        }
    }
}
