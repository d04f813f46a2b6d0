//! The arguments of what writes reports.

use crate::inputs::TableArgs;
use crate::options::{Measures, Shared};
use crate::threads::Threads;
use clap::Args;
use srrd::cluster::ClusterCount;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Demo {
    /// The folder for the compared tables and the report [default: srrd-demo]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// The seed of the world, the rewards and the rollouts
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub threads: Threads,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Two or more samples: tables, or TABLE#SAMPLE; or the folder of one run of `srrd reproduce`
    #[arg(required = true, value_name = "IN")]
    pub inputs: Vec<PathBuf>,
    /// The page to write; not for the folder of a run, which has its own
    #[arg(short, long, value_name = "FILE.html")]
    pub output: Option<PathBuf>,
    /// How many groups to make of three samples or more
    #[arg(long, value_name = "K|auto", default_value = "auto")]
    pub clusters: ClusterCount,
    /// How many of the transitions that carry most to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    #[command(flatten)]
    pub shared: Shared<Measures>,
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub threads: Threads,
}
