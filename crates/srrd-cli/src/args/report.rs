//! The arguments of what writes reports.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Demo {
    /// The folder for the compared tables and the report [default: srrd-demo]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// The seed of the world, the rewards and the rollouts
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// How many threads to use [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// A folder that `srrd reproduce` has written
    pub folder: PathBuf,
}
