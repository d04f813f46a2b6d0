//! What the options of `srrd simulate` come to.

use crate::args::{ModelName, Simulate};
use crate::failure::Failure;
use srrd::Gamma;
use srrd_worlds::{Model, Policy, WorldError, derive_seed};

/// More than this and a step takes longer than writing it.
const MOST_OBSTACLES: usize = 10_000;

/// What to play, checked.
pub struct Plan {
    pub agents: Vec<Agent>,
    /// Samples of every agent.
    pub sets: usize,
    /// Episodes of every sample.
    pub rollouts: usize,
    pub model: Model,
    pub shaping: Option<Strength>,
    /// The bound of the noise.
    pub noise: f64,
    pub seed: u64,
}

/// How strong shaping is.
pub struct Strength {
    pub gamma: Gamma,
    /// `None` when it is drawn.
    pub factor: Option<f64>,
}

/// Who plays.
pub struct Agent {
    /// `None` when there is only one.
    pub label: Option<String>,
    pub policy: Policy,
    pub reward_seed: u64,
}

/// One sample of an agent: the names it goes by in the table.
pub struct Sample {
    pub sample: String,
    pub label: String,
}

impl Sample {
    /// The purpose of a stream that belongs to this sample.
    pub fn purpose(&self, of: &str) -> String {
        if self.sample.is_empty() { of.to_owned() } else { format!("{of} of {}", self.sample) }
    }
}

impl Agent {
    /// The samples to make of this agent.
    pub fn samples(&self, plan: &Plan) -> impl Iterator<Item = Sample> {
        let label = self.label.clone().unwrap_or_default();
        let digits = plan.sets.to_string().len();
        (1..=plan.sets).map(move |set| Sample {
            sample: if label.is_empty() { String::new() } else { format!("{label}-{set:0digits$}") },
            label: label.clone(),
        })
    }
}

impl Plan {
    pub fn new(
        args: &Simulate,
        actions: &[&str],
        classes: [Policy; 10],
        named: &[(&str, Policy)],
    ) -> Result<Self, Failure> {
        if args.rollouts == 0 {
            return Err(Failure::wrong("--rollouts: it must be at least 1"));
        }
        let reward_seed = args.reward_seed.unwrap_or(args.seed);
        let (agents, sets) = if args.classes {
            if args.policy.is_some() {
                return Err(Failure::wrong("--policy: with --classes the policies are those of the ten agents"));
            }
            let sets = args.sets.unwrap_or(100);
            if sets == 0 {
                return Err(Failure::wrong("--sets: it must be at least 1"));
            }
            let agent = |(number, policy): (usize, Policy)| {
                let label = format!("agent{:02}", number + 1);
                Agent { reward_seed: derive_seed(reward_seed, &label), label: Some(label), policy }
            };
            (classes.into_iter().enumerate().map(agent).collect(), sets)
        } else {
            if args.sets.is_some() {
                return Err(Failure::wrong("--sets: there are several samples with --classes only; add it"));
            }
            let policy = policy(args.policy.as_deref().unwrap_or("uniform"), actions, named)?;
            (vec![Agent { label: None, policy, reward_seed }], 1)
        };
        if !(args.noise.is_finite() && args.noise >= 0.0) {
            return Err(Failure::wrong(format!("--noise: {} is not a finite number from 0 up", args.noise)));
        }
        let model = match args.model {
            ModelName::Linear => Model::Linear,
            ModelName::Polynomial => Model::Polynomial,
            ModelName::Sinusoidal => Model::Sinusoidal,
            ModelName::Random => Model::Random,
        };
        Ok(Plan {
            agents,
            sets,
            rollouts: args.rollouts,
            model,
            shaping: strength(args)?,
            noise: args.noise,
            seed: args.seed,
        })
    }

    /// Whether the table says whose rows are whose.
    pub fn is_labelled(&self) -> bool {
        self.agents.iter().any(|agent| agent.label.is_some())
    }
}

fn strength(args: &Simulate) -> Result<Option<Strength>, Failure> {
    if !args.shaped {
        for (option, given) in [("--gamma", args.gamma.is_some()), ("--factor", args.factor.is_some())] {
            if given {
                return Err(Failure::wrong(format!("{option}: it is about shaping; add --shaped, or leave it out")));
            }
        }
        return Ok(None);
    }
    let gamma = match args.gamma {
        Some(gamma) => Gamma::new(gamma).map_err(|e| Failure::wrong(format!("--gamma: {e}")))?,
        None => Gamma::default(),
    };
    if let Some(factor) = args.factor
        && !(factor.is_finite() && factor >= 0.0)
    {
        return Err(Failure::wrong(format!("--factor: {factor} is not a finite number from 0 up")));
    }
    Ok(Some(Strength { gamma, factor: args.factor }))
}

/// A policy by its weights or by its name.
fn policy(text: &str, actions: &[&str], named: &[(&str, Policy)]) -> Result<Policy, Failure> {
    if let Some((_, policy)) = named.iter().find(|(name, _)| *name == text) {
        return Ok(policy.clone());
    }
    let mut weights = Vec::new();
    for part in text.split(',') {
        weights.push(part.trim().parse::<f64>().map_err(|_| {
            let names: Vec<&str> = named.iter().map(|(name, _)| *name).collect();
            Failure::wrong(format!(
                "--policy: '{part}' is no number: write a weight for each of {}, or a name: {}",
                actions.join(", "),
                names.join(", ")
            ))
        })?);
    }
    if weights.len() != actions.len() {
        return Err(Failure::wrong(format!(
            "--policy: there are {} weights for {} actions: {}",
            weights.len(),
            actions.len(),
            actions.join(", ")
        )));
    }
    Policy::new(&weights).map_err(|e| Failure::wrong(format!("--policy: {e}")))
}

/// Cells along x and y.
pub fn size(text: &str) -> Result<(usize, usize), Failure> {
    let parts = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    parts.ok_or_else(|| Failure::wrong(format!("--size: '{text}' must be WIDTHxHEIGHT, such as 20x20")))
}

pub fn obstacles(given: Option<usize>) -> Result<Option<usize>, Failure> {
    match given {
        Some(n) if n > MOST_OBSTACLES => {
            Err(Failure::wrong(format!("--obstacles: {n} are too many; choose at most {MOST_OBSTACLES}")))
        }
        given => Ok(given),
    }
}

/// Which option a world was refused for.
pub fn wrong_world(error: WorldError) -> Failure {
    let option = match error {
        WorldError::Epsilon(_) => "--epsilon",
        _ => "--size",
    };
    Failure::wrong(format!("{option}: {error}"))
}
