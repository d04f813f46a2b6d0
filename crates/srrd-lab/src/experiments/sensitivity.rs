//! How much the policy that samples a reward matters.
//!
//! The paper takes the reward of a diagonally moving agent from adversarial inverse reinforcement learning. At its optimum that
//! method's reward is the agent's log-probability of the action, up to shaping, and this is the reward taken here:
//! R(s, a, s') = log π_diagonal(a | s), over the moves that stay on the grid. Two copies of it, each with random potential
//! shaping of its own, are sampled under a policy and compared.

use super::pairs::SHAPING;
use super::verdicts::{self, sentence};
use crate::error::LabError;
use crate::experiment::{Csv, Evaluation, Experiment, Kind, Trials, number};
use crate::parameters::{Estimation, Number, Parameters, Preset, Size};
use crate::seed::trial_seed;
use crate::statistics::Moments;
use rand::RngExt;
use srrd::{Batch, Gamma, Metric, RewardSample, Settings, distance};
use srrd_show::page::{self as page, Claim, FigureBlock, Report, Section, Table, Verdict};
use srrd_show::{Axis, Bar, BarChart, Figure};
use srrd_worlds::{
    Gridworld, Model, Policy, PotentialFunction, Shaping, Triple, World, explore, gridworld_sampling_policies,
    sample_of, stream,
};

/// How it is found.
pub static KIND: Kind = Kind {
    name: "sensitivity",
    about: "SRRD under uniform, diagonal, top and left sampling policies of a 15 x 15 grid",
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

fn preset(preset: Preset) -> Parameters {
    Parameters {
        size: vec![Size::square(15)],
        model: vec![Model::Random],
        rollouts: vec![50, 100],
        trials: match preset {
            Preset::Quick => 30,
            Preset::Paper => 100,
        },
        gamma: vec![Number(0.7)],
        metric: Metric::PAPER.to_vec(),
        estimator: vec![Estimation::Double],
        ..Parameters::default()
    }
}

fn build(parameters: Parameters) -> Result<Box<dyn Experiment>, LabError> {
    if parameters.estimator.iter().any(|estimation| estimation.regression().is_some()) {
        return Err(LabError::wrong("--estimator: `sensitivity` has states without features, which regression needs"));
    }
    for (name, values) in parameters.entries() {
        if ["size", "model", "gamma", "estimator"].contains(&name) && values.len() > 1 {
            return Err(LabError::wrong(format!("--{name}: `sensitivity` takes one value")));
        }
    }
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
    let rewards = log_policy(&world, &diagonal, &feasible);
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
    fn place(&self, trial: usize) -> (&Sampling, usize) {
        (&self.settings[trial / self.parameters.trials], trial % self.parameters.trials)
    }

    fn seed(&self, trial: usize) -> u64 {
        let (Sampling { policy, rollouts, .. }, number) = self.place(trial);
        let (size, model, gamma) = (self.parameters.size[0], self.parameters.model[0], self.parameters.gamma[0]);
        trial_seed(self.parameters.seed, &format!("sensitivity,{size},{model},{gamma},{policy},{rollouts},{number}"))
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
        let gamma = Gamma::new(self.parameters.gamma[0].0).map_err(LabError::failed)?;
        let factor = stream(seed, "shaping factor").random_range(SHAPING);
        let shaping = Shaping::scaled(&rewards, &transitions, &potential, gamma, factor).map_err(LabError::failed)?;
        sample_of(&transitions, shaping.apply(&transitions, &rewards)).map_err(LabError::failed)
    }
}

impl Experiment for Sensitivity {
    fn columns(&self) -> Vec<&'static str> {
        vec![
            "policy",
            "trajectories",
            "trial",
            "seed",
            "coverage",
            "common",
            "metric",
            "estimator",
            "distance",
            "undefined",
        ]
    }

    fn trials(&self) -> usize {
        self.settings.len() * self.parameters.trials
    }

    fn key(&self, trial: usize) -> String {
        let (Sampling { policy, rollouts, .. }, number) = self.place(trial);
        format!("{policy},{rollouts},{number},{}", self.seed(trial))
    }

    fn rows(&self, _: usize) -> usize {
        self.parameters.metric.len()
    }

    fn cost(&self, trial: usize) -> f64 {
        10.0 + self.place(trial).0.rollouts as f64
    }

    fn run(&self, trial: usize) -> Result<Vec<String>, LabError> {
        let (sampling, _) = self.place(trial);
        let seed = self.seed(trial);
        let (a, b) = (self.sample(sampling, seed, "a")?, self.sample(sampling, seed, "b")?);
        let coverage = 0.5 * (a.len() + b.len()) as f64 / self.feasible.len() as f64;
        let estimation = self.parameters.estimator[0];
        let settings = Settings {
            gamma: Gamma::new(self.parameters.gamma[0].0).map_err(LabError::failed)?,
            estimator: estimation.estimator(Batch::All),
            ..Settings::default()
        };
        let row = |&metric: &Metric| {
            let comparison = distance(&a, &b, metric, &settings);
            let distance = comparison.distance().map_or(String::new(), |d| d.to_string());
            let undefined = comparison.undefined().map_or("", |reason| reason.name());
            format!("{coverage},{},{metric},{estimation},{distance},{undefined}", comparison.common)
        };
        Ok(self.parameters.metric.iter().map(row).collect())
    }

    fn plan(&self) -> Vec<String> {
        let Parameters { size, trials, rollouts, .. } = &self.parameters;
        let rollouts: Vec<String> = rollouts.iter().map(usize::to_string).collect();
        vec![
            format!("Gridworld {}, the reward log π_diagonal(a | s), two copies with random shaping", size[0]),
            format!(
                "sampled in full, and by 4 policies with {} trajectories; {trials} trials each",
                rollouts.join(" and ")
            ),
        ]
    }

    fn evaluate(&self, trials: &Trials) -> Result<Evaluation, LabError> {
        let metrics = self.parameters.metric.len();
        let mut measured: Vec<Measured> = (0..self.settings.len())
            .map(|_| Measured {
                coverage: Moments::default(),
                distances: vec![Moments::default(); metrics],
                undefined: vec![0; metrics],
            })
            .collect();
        for (row, fields) in trials.rows().enumerate() {
            let (trial, metric) = (row / metrics, row % metrics);
            let setting = &mut measured[trial / self.parameters.trials];
            if metric == 0 {
                setting.coverage.add(fields[4].parse().map_err(LabError::failed)?);
            }
            match fields[8] {
                "" => setting.undefined[metric] += 1,
                text => setting.distances[metric].add(text.parse().map_err(LabError::failed)?),
            }
        }
        Ok(self.evaluation(&measured))
    }
}

struct Measured {
    coverage: Moments,
    distances: Vec<Moments>,
    undefined: Vec<usize>,
}

impl Sensitivity {
    fn evaluation(&self, measured: &[Measured]) -> Evaluation {
        let columns =
            ["policy", "trajectories", "coverage", "metric", "mean", "sd", "low", "high", "count", "undefined"];
        let mut summary = Csv::new(&columns);
        let mut chart =
            BarChart::new("Distance of two shaped copies of one reward", Axis::linear("distance").range(0.0, 1.0));
        let column =
            |name: &str, numeric, help: &str| page::Column { name: name.to_owned(), numeric, help: help.to_owned() };
        let mut table = Table {
            caption: "Mean distances with 95 % intervals, beside the paper's SRRD column".to_owned(),
            columns: vec![
                column("policy", false, "that samples both rewards"),
                column("trajectories", true, "of each sample"),
                column("coverage", true, "of the feasible transitions"),
                column("coverage, paper", true, ""),
            ],
            rows: Vec::new(),
        };
        let metrics = &self.parameters.metric;
        table
            .columns
            .extend(metrics.iter().map(|m| column(&m.to_string().to_uppercase(), true, "mean (95 % interval)")));
        table.columns.push(column("SRRD, paper", true, "with a reward from AIRL"));
        let mut text = String::from("policy    trajectories  coverage");
        metrics.iter().for_each(|metric| text += &format!("  {:>9}", metric.to_string()));
        text.push('\n');
        for (sampling, m) in self.settings.iter().zip(measured) {
            let paper = PAPER.iter().find(|(policy, n, ..)| *policy == sampling.policy && *n == sampling.rollouts);
            let shown = |value: f64, shown: String| page::Cell::Number { value, shown };
            let percent = 100.0 * m.coverage.mean();
            let trajectories = match sampling.rollouts {
                0 => "all".to_owned(),
                n => n.to_string(),
            };
            let mut row = vec![
                page::Cell::Text(sampling.policy.to_owned()),
                shown(sampling.rollouts as f64, trajectories.clone()),
                shown(percent, format!("{percent:.1} %")),
                paper.map_or(page::Cell::Empty, |(_, _, coverage, _)| shown(*coverage, format!("{coverage} %"))),
            ];
            text += &format!("{:<8}  {trajectories:>12}  {percent:>6.1} %", sampling.policy);
            let mut bars = Vec::new();
            for (i, metric) in metrics.iter().enumerate() {
                let moments = &m.distances[i];
                let (mean, (low, high)) = (moments.mean(), moments.interval());
                summary.row([
                    sampling.policy.to_owned(),
                    sampling.rollouts.to_string(),
                    number(m.coverage.mean()),
                    metric.to_string(),
                    number(mean),
                    number(moments.sd()),
                    number(low),
                    number(high),
                    moments.count().to_string(),
                    m.undefined[i].to_string(),
                ]);
                row.push(match moments.count() {
                    0 => page::Cell::Empty,
                    1 => shown(mean, format!("{mean:.3}")),
                    _ => page::Cell::Interval {
                        value: mean,
                        low,
                        high,
                        shown: format!("{mean:.3} ({low:.3} to {high:.3})"),
                    },
                });
                text += &format!("  {mean:>9.3}");
                bars.push(Bar { series: metric.to_string().to_uppercase(), value: mean, low, high });
            }
            text.push('\n');
            let of_paper = paper.map(|row| row.3).or((sampling.policy == "all").then_some(PAPER_ALL));
            row.push(of_paper.map_or(page::Cell::Empty, |distance| shown(distance, format!("{distance:.2}"))));
            table.rows.push(row);
            let group = match sampling.rollouts {
                0 => "all feasible".to_owned(),
                n => format!("{} {n}", sampling.policy),
            };
            chart = chart.group(&group, bars);
        }
        let claims = self.claims(measured);
        verdicts::as_text(&claims, &mut text);
        let caption = "Two copies of the reward of a diagonally moving agent, each with random shaping of its own, as \
                       different policies have sampled them. 0 is right: they are equivalent."
            .to_owned();
        let drawing = chart.draw();
        let figure =
            FigureBlock { drawing: drawing.clone(), caption, file: Some("figures/sensitivity.svg".to_owned()) };
        let report = Report {
            title: "Does it matter which policy sampled the reward?".to_owned(),
            lead: vec![
                "Two rewards that differ by potential shaping only are sampled by four policies. A metric that depended on \
                 nothing but the rewards would give the same number for each."
                    .to_owned(),
                "The reward: log π_diagonal(a | s), the log-probability with which a diagonally moving agent takes an action. \
                 The paper learned its reward by adversarial inverse reinforcement learning (AIRL), whose reward at the \
                 optimum is this one up to shaping; the learned one is not published, so levels need not be equal."
                    .to_owned(),
            ],
            claims,
            sections: vec![Section {
                heading: "Distances by sampling policy".to_owned(),
                paragraphs: vec![],
                figures: vec![figure],
                tables: vec![table],
            }],
            ..Report::default()
        };
        Evaluation { summary, figures: vec![("sensitivity".to_owned(), drawing)], report, text }
    }

    fn claims(&self, measured: &[Measured]) -> Vec<Claim> {
        let metrics = &self.parameters.metric;
        let way = |metric| metrics.iter().position(|&m| m == metric);
        let Some(srrd) = way(Metric::Srrd) else { return Vec::new() };
        let mean = |setting: usize, w: usize| measured[setting].distances[w].mean();
        let all = mean(0, srrd);
        let mut claims = Vec::new();
        let gap = |policies: [&str; 2]| {
            let settings = (0..self.settings.len()).filter(|&s| policies.contains(&self.settings[s].policy));
            settings.map(|s| (mean(s, srrd) - all).abs()).collect::<Moments>().mean()
        };
        let (near, far) = (gap(["uniform", "diagonal"]), gap(["top", "left"]));
        if near.is_nan() || far.is_nan() {
            return claims;
        }
        let verdict = if near < far { Verdict::Agrees } else { Verdict::Disagrees };
        claims.push(Claim {
            paper: format!(
                "Over all feasible transitions SRRD finds {PAPER_ALL}; uniform and diagonal sampling come close to it, top and \
                 left deviate more."
            ),
            measured: format!(
                "Over all feasible transitions {all:.3}; uniform and diagonal differ from it by {near:.3} on average, top and \
                 left by {far:.3}."
            ),
            verdict,
            note: sentence(verdict).to_owned(),
        });
        let steps: Vec<f64> = (1..self.settings.len())
            .filter(|&s| s + 1 < self.settings.len() && self.settings[s].policy == self.settings[s + 1].policy)
            .map(|s| mean(s + 1, srrd) - mean(s, srrd))
            .collect();
        if !steps.is_empty() {
            let fewer = steps.iter().filter(|&&step| step < 0.0).count();
            let verdict = if 2 * fewer > steps.len() { Verdict::Agrees } else { Verdict::Disagrees };
            claims.push(Claim {
                paper: "More trajectories generally lead to lower SRRD distances.".to_owned(),
                measured: format!("The mean falls in {fewer} of {} steps to more trajectories.", steps.len()),
                verdict,
                note: sentence(verdict).to_owned(),
            });
        }
        if let (Some(epic), Some(dard)) = (way(Metric::Epic), way(Metric::Dard)) {
            let sampled = 1..self.settings.len();
            let higher = |w: usize| sampled.clone().filter(|&s| mean(s, w) > mean(s, srrd)).count();
            let (epic, dard) = (higher(epic), higher(dard));
            let verdict =
                if epic == sampled.len() && dard == sampled.len() { Verdict::Agrees } else { Verdict::Disagrees };
            claims.push(Claim {
                paper: "EPIC and DARD give higher distances than SRRD.".to_owned(),
                measured: format!("EPIC is above SRRD in {epic} and DARD in {dard} of {} settings.", sampled.len()),
                verdict,
                note: sentence(verdict).to_owned(),
            });
        }
        claims
    }
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
