//! The arguments of what looks at whole episodes and policies.

use super::Usual;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Regret {
    /// The first reward: a table, or TABLE#SAMPLE; - is CSV on standard input
    pub a: PathBuf,
    /// The second reward; left out where the first table holds two samples, as with --rewards A,B
    pub b: Option<PathBuf>,
    /// The discount factor, from 0 to below 1
    #[arg(long, default_value_t = 0.9, allow_negative_numbers = true)]
    pub gamma: f64,
    /// The states that episodes start in, with commas [default: all in which an action is available]
    #[arg(long, value_name = "STATES", value_delimiter = ',')]
    pub start: Vec<String>,
    /// A table of transition probabilities: state, action, next_state, probability [default: counted from both tables]
    #[arg(long, value_name = "FILE")]
    pub dynamics: Option<PathBuf>,
    #[command(flatten)]
    pub usual: Usual,
}

#[derive(Debug, Args)]
pub struct Returns {
    /// The first reward: a table with a column `episode`, or TABLE#SAMPLE; - is CSV on standard input
    pub a: PathBuf,
    /// The second reward, on the same episodes; left out where the first table holds two, as with --rewards A,B
    pub b: Option<PathBuf>,
    /// A table with the columns `better` and `worse` (or `chosen` and `rejected`), which name episodes
    #[arg(long, value_name = "FILE")]
    pub preferences: Option<PathBuf>,
    /// The discount factor, between 0 and 1
    #[arg(long, default_value_t = 0.9, allow_negative_numbers = true)]
    pub gamma: f64,
    /// Also give intervals of this level, such as 0.95, by drawing episodes
    #[arg(long, value_name = "LEVEL", allow_negative_numbers = true)]
    pub interval: Option<f64>,
    /// How many draws intervals make
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub draws: usize,
    /// The seed of the draws
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub usual: Usual,
}
