//! The command line as it is written. What it comes to is worked out in [`settings`](crate::settings).

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Do these two reward functions ask for the same behaviour?
///
/// Compares rewards from sampled transitions, without training anything: potential shaping, scale and shift are taken out,
/// then the Pearson distance is taken. 0 = equivalent, about 0.7 = unrelated, 1 = opposite.
#[derive(Debug, Parser)]
#[command(
    name = "srrd",
    version,
    max_term_width = 100,
    after_help = "\
Start with:
  srrd demo                                            see it work on built-in data
  srrd distance a.csv b.csv --metric all --gamma 0.9   compare two tables of transitions"
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show what the distances tell, on a small built-in grid world
    #[command(after_help = "\
Example:
  srrd demo
  srrd demo -o demo     also write the tables it compares, to try the other commands on")]
    Demo(Demo),
    /// The distance of two reward samples
    #[command(after_help = "\
Examples:
  srrd distance a.csv b.csv
  srrd distance a.csv b.parquet --metric all --gamma 0.95 --json
  srrd distance a.csv b.csv --gamma auto --profile gamma.svg     the gamma of the shaping, from the data
  srrd distance 'agents.csv#alice' 'agents.csv#bob'      two samples of one table (column `sample`)

A table has one row a transition and the columns state, action, next_state, reward; instead of a
token column there may be feature columns state.x, state.y, … An undefined distance is shown as
such, with a warning; the exit status is 0 then, too.")]
    Distance(Distance),
    /// Add a column `canonical`: the rewards without potential shaping
    #[command(after_help = "\
Examples:
  srrd canonicalize rewards.csv -o canonical.csv
  srrd canonicalize rewards.csv -o - --metric epic --estimator unbiased
  srrd canonicalize rewards.csv -o out.parquet --metric all     canonical.direct, canonical.epic, …

The output has the input's rows in their order, duplicates collapsed into the first of them, with
all other columns kept.")]
    Canonicalize(Canonicalize),
    /// The distances of all pairs of samples, as a square table
    #[command(after_help = "\
Examples:
  srrd matrix agents.csv -o distances.csv                      a table with a column `sample`
  srrd matrix runs/*.csv -o distances.npy --plot heat.png      one sample a file
  srrd matrix agents.csv -o d.csv --undefined 1 --threads 2    1, the farthest, where undefined")]
    Matrix(Matrix),
    /// What is in a table, and how far its distances can be trusted
    #[command(after_help = "\
Examples:
  srrd inspect rewards.csv
  srrd inspect a.csv b.csv --metric srrd --space 400x4     coverage of 400 states and 4 actions")]
    Inspect(Inspect),
    /// Copy a table of transitions to another format
    #[command(after_help = "\
Examples:
  srrd convert rewards.csv -o rewards.parquet
  srrd convert rewards.npz -o rewards.csv.gz

Formats by extension: .csv .tsv .jsonl (each also with .gz or .zst), .parquet, .arrow/.feather,
.npz; - is CSV on standard input or output.")]
    Convert(Convert),
}

#[derive(Debug, Args)]
pub struct Demo {
    /// Write the compared tables into this folder
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
pub struct Distance {
    /// The first sample: a table, or TABLE#SAMPLE; - is CSV on standard input
    pub a: PathBuf,
    /// The second sample: a table, or TABLE#SAMPLE; - is CSV on standard input
    pub b: PathBuf,
    #[command(flatten)]
    pub canon: CanonArgs,
    #[command(flatten)]
    pub compare: CompareArgs,
    #[command(flatten)]
    pub profile: ProfileArgs,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Canonicalize {
    /// The table; - is CSV on standard input
    pub input: PathBuf,
    /// Where to write it; - is CSV on standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    #[command(flatten)]
    pub canon: CanonArgs,
    #[command(flatten)]
    pub profile: ProfileArgs,
    /// Print what was done as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Matrix {
    /// Tables: one sample each, or as many as a column `sample` names
    #[arg(required = true)]
    pub inputs: Vec<PathBuf>,
    /// Where to write the square table: .csv (and the other table formats), or .npy with the names in a .json beside it
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Also draw a heat map, ordered by hierarchical clustering
    #[arg(long, value_name = "FILE.svg|png")]
    pub plot: Option<PathBuf>,
    /// What to write where a distance is undefined, 0 on the diagonal [default: NaN]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub undefined: Option<f64>,
    #[command(flatten)]
    pub canon: CanonArgs,
    #[command(flatten)]
    pub compare: CompareArgs,
    #[command(flatten)]
    pub profile: ProfileArgs,
    /// Print a summary as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Inspect {
    /// Tables of transitions
    #[arg(required = true)]
    pub inputs: Vec<PathBuf>,
    /// The size of the full space, to take the coverage of
    #[arg(long, value_name = "STATESxACTIONS")]
    pub space: Option<String>,
    #[command(flatten)]
    pub canon: CanonArgs,
    /// Print everything as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Convert {
    /// The table; - is CSV on standard input
    pub input: PathBuf,
    /// Where to write it; - is CSV on standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// How many threads to use [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// How rewards are canonicalized.
#[derive(Debug, Args)]
pub struct CanonArgs {
    /// direct, epic, dard, srrd, projected, or all; several with commas [default: srrd, of inspect all; matrix takes one]
    #[arg(long, value_name = "METRIC", value_delimiter = ',')]
    pub metric: Vec<String>,
    /// The discount factor, between 0 and 1; or auto: the one at which shaping explains most of the rewards
    #[arg(long, value_name = "GAMMA|auto", default_value = "0.9", allow_hyphen_values = true)]
    pub gamma: String,
    /// How expectations are estimated: over all pairs of two sets, unsampled ones counting 0, or over the sampled ones
    #[arg(long, value_enum, default_value_t = EstimatorName::Double)]
    pub estimator: EstimatorName,
    /// How actions enter the double batch: averaged, or as pairs of state and action
    #[arg(long, value_enum, default_value_t = ActionsName::Marginal)]
    pub actions: ActionsName,
    /// How many of the explored states (or pairs) the double batch holds; not for unbiased
    #[arg(long, value_name = "all|N", default_value = "all", allow_hyphen_values = true)]
    pub batch: String,
    /// The seed of the batch
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Which reward a transition gets that occurs with unequal ones
    #[arg(long, value_enum, default_value_t = DuplicatesName::Mean)]
    pub duplicates: DuplicatesName,
    /// How many threads to use [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// When a distance counts as defined.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// How many transitions two samples must share for a distance
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub min_common: usize,
    /// Where projected takes shaping out: on what a pair shares (exact), or on each sample's own transitions (fast for many)
    #[arg(long, value_enum, default_value_t = SupportName::Pair)]
    pub support: SupportName,
}

/// What is told about an estimated discount factor.
#[derive(Debug, Args)]
pub struct ProfileArgs {
    /// With --gamma auto: draw what shaping leaves of the rewards by gamma, or write it as a table (.csv and the others)
    #[arg(long, value_name = "FILE.svg|png|csv")]
    pub profile: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SupportName {
    Pair,
    Own,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum EstimatorName {
    Double,
    Unbiased,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ActionsName {
    Marginal,
    Joint,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum DuplicatesName {
    Mean,
    First,
    Last,
    Error,
}
