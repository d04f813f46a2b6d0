//! What was played, in numbers.

use serde::Serialize;

/// What a simulation came to. Serializes to the JSON of `srrd simulate --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// The name of the world.
    pub world: &'static str,
    /// `WIDTHxHEIGHT`
    pub size: String,
    /// The probability of a random transition, where there is one.
    pub epsilon: Option<f64>,
    /// How the reward depends on the features; `None` where it is the world's score.
    pub model: Option<&'static str>,
    /// The seed.
    pub seed: u64,
    /// Who played.
    pub agents: Vec<AgentSummary>,
    /// How many samples there are.
    pub samples: usize,
    /// How many episodes all samples have together.
    pub episodes: usize,
    /// How many of them came to their end before the time limit.
    pub ended: usize,
    /// How many steps they have together.
    pub rows: usize,
    /// How many states were met.
    pub states: StateCounts,
    /// How many actions the world has.
    pub actions: usize,
    /// How many distinct transitions were met.
    pub transitions: usize,
    /// The share of all transitions that were met.
    pub coverage: f64,
}

/// How many states a world has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StateCounts {
    /// Those that were met.
    pub met: usize,
    /// All of them.
    pub all: usize,
}

/// An agent that played.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AgentSummary {
    /// What its samples are labelled with, where several agents play.
    pub label: Option<String>,
    /// What it is.
    #[serde(flatten)]
    pub traits: AgentTraits,
}

/// What makes an agent.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AgentTraits {
    /// One weight per action.
    Weights(Vec<f64>),
    /// The attributes of the units of a team.
    Attributes(Vec<UnitTraits>),
}

/// What units of a team can do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct UnitTraits {
    /// How far they see.
    pub visibility: u8,
    /// How many hits destroy one.
    pub health: u8,
    /// How far they move.
    pub movement: u8,
    /// The probability that a shot hits.
    pub shot_strength: f64,
}
