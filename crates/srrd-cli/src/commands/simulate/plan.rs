//! What the options of `srrd simulate` come to.

use crate::args::Simulate;
use crate::failure::Failure;
use srrd::Gamma;
use srrd_worlds::derive_seed;

/// What to play in a world with such agents, checked.
pub struct Plan<A> {
    pub agents: Vec<Agent<A>>,
    /// Samples of every agent.
    pub sets: usize,
    /// Episodes of every sample.
    pub rollouts: usize,
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
pub struct Agent<A> {
    /// `None` when there is only one.
    pub label: Option<String>,
    pub agent: A,
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

impl<A> Agent<A> {
    /// The samples to make of this agent.
    pub fn samples(&self, plan: &Plan<A>) -> impl Iterator<Item = Sample> {
        let label = self.label.clone().unwrap_or_default();
        let digits = plan.sets.to_string().len();
        (1..=plan.sets).map(move |set| Sample {
            sample: if label.is_empty() { String::new() } else { format!("{label}-{set:0digits$}") },
            label: label.clone(),
        })
    }
}

impl<A> Plan<A> {
    /// `single` plays without `--classes`.
    pub fn new(args: &Simulate, classes: [A; 10], single: A) -> Result<Self, Failure> {
        if args.rollouts == 0 {
            return Err(Failure::wrong("--rollouts: it must be at least 1"));
        }
        let reward_seed = args.reward_seed.unwrap_or(args.seed);
        let (agents, sets) = if args.classes {
            let sets = args.sets.unwrap_or(100);
            if sets == 0 {
                return Err(Failure::wrong("--sets: it must be at least 1"));
            }
            let labelled = |(number, agent): (usize, A)| {
                let label = format!("agent{:02}", number + 1);
                Agent { reward_seed: derive_seed(reward_seed, &label), label: Some(label), agent }
            };
            (classes.into_iter().enumerate().map(labelled).collect(), sets)
        } else {
            if args.sets.is_some() {
                return Err(Failure::wrong("--sets: there are several samples with --classes only; add it"));
            }
            (vec![Agent { label: None, agent: single, reward_seed }], 1)
        };
        if !(args.noise.is_finite() && args.noise >= 0.0) {
            return Err(Failure::wrong(format!("--noise: {} is not a finite number from 0 up", args.noise)));
        }
        Ok(Plan { agents, sets, rollouts: args.rollouts, shaping: strength(args)?, noise: args.noise, seed: args.seed })
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
