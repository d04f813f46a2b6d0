//! The arguments of what compares two samples.

use super::Usual;
use crate::gamma::ProfileArgs;
use crate::options::{Compares, Judges, Measures, Shared};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Distance {
    /// The first sample: a table, or TABLE#SAMPLE; - is CSV on standard input
    pub a: PathBuf,
    /// The second sample, and more: of several the distances of all pairs; left out where the first table holds several samples, as with
    /// --rewards A,B
    #[arg(value_name = "B")]
    pub others: Vec<PathBuf>,
    #[command(flatten)]
    pub shared: Shared<Measures>,
    #[command(flatten)]
    pub profile: ProfileArgs,
    #[command(flatten)]
    pub usual: Usual,
}

#[derive(Debug, Args)]
pub struct Check {
    /// The reward as it was: a table, or TABLE#SAMPLE; - is CSV on standard input
    pub old: PathBuf,
    /// The reward as it is now: a table, or TABLE#SAMPLE; left out where the first table holds two samples, as with --rewards OLD,NEW
    pub new: Option<PathBuf>,
    #[command(flatten)]
    pub shared: Shared<Judges>,
    /// Print an annotation for GitHub Actions
    #[arg(long, conflicts_with = "json")]
    pub github: bool,
    #[command(flatten)]
    pub usual: Usual,
}

#[derive(Debug, Args)]
pub struct Explain {
    /// The first sample: a table, or TABLE#SAMPLE; - is CSV on standard input
    pub a: PathBuf,
    /// The second sample: a table, or TABLE#SAMPLE; left out where the first table holds two samples, as with --rewards A,B
    pub b: Option<PathBuf>,
    /// How many transitions and states to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    /// Also write all shared transitions as a table, with rewards, canonical rewards, difference and share; - is CSV on
    /// standard output, instead of the text
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Also draw it: a grid world, a plane of features, or the states that carry most
    #[arg(long, value_name = "FILE.svg|png")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub shared: Shared<Compares>,
    #[command(flatten)]
    pub usual: Usual,
}
