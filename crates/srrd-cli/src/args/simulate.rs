//! The arguments of `srrd simulate`.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use srrd_worlds::{Model, WorldKind};
use std::error::Error;
use std::path::PathBuf;
use std::str::FromStr;

#[derive(Debug, Args)]
pub struct Simulate {
    /// Which world
    #[arg(value_parser = named::<WorldKind, _>(WorldKind::ALL.map(WorldKind::name)))]
    pub world: WorldKind,
    /// Where to write the table, in the format of its extension; - is CSV on standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// How many cells there are along x and y [default: 20x20]
    #[arg(long, value_name = "WIDTHxHEIGHT", allow_hyphen_values = true)]
    pub size: Option<String>,
    /// The probability that a step leads to a random cell [default: 0]
    #[arg(long, allow_negative_numbers = true)]
    pub epsilon: Option<f64>,
    /// How many obstacles there are, of bouncing-balls [default: 5]
    #[arg(long, value_name = "N")]
    pub obstacles: Option<usize>,
    /// How many episodes to play, for every sample
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub rollouts: usize,
    /// The weight of every action, such as 10,10,40,40; or uniform, and for gridworld diagonal, top, left [default: uniform]
    #[arg(long, value_name = "W,W,…", allow_hyphen_values = true)]
    pub policy: Option<String>,
    /// Play the ten agents of the paper instead: columns `sample` and `label`, and (but for drone-combat)
    /// a reward of its own for every agent
    #[arg(long)]
    pub classes: bool,
    /// How many samples to make of every agent, with --classes [default: 100]
    #[arg(long, value_name = "N")]
    pub sets: Option<usize>,
    /// How the reward depends on the features; its constants are drawn for every transition [default: random]
    #[arg(long, value_parser = named::<Model, _>(Model::ALL.map(Model::name)))]
    pub model: Option<Model>,
    /// Add potential shaping, with random potentials for every sample
    #[arg(long)]
    pub shaped: bool,
    /// The discount factor of --shaped [default: 0.9]
    #[arg(long, allow_negative_numbers = true)]
    pub gamma: Option<f64>,
    /// The strength of --shaped: its mean magnitude by that of the rewards [default: drawn from 1 to 5 for every sample]
    #[arg(long, allow_negative_numbers = true)]
    pub factor: Option<f64>,
    /// Add noise between -BOUND and BOUND to the reward of every transition, for every sample
    #[arg(long, value_name = "BOUND", default_value_t = 0.0, allow_negative_numbers = true)]
    pub noise: f64,
    /// The seed of everything random
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Another seed for the reward, to have one reward in several tables [default: that of --seed]
    #[arg(long, value_name = "SEED")]
    pub reward_seed: Option<u64>,
    /// Print a summary as JSON
    #[arg(long)]
    pub json: bool,
}

/// One of these names, as a value of the library.
fn named<T, const N: usize>(names: [&'static str; N]) -> impl TypedValueParser<Value = T>
where
    T: Clone + FromStr<Err: Error + Send + Sync + 'static> + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}
