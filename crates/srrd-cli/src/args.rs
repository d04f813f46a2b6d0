//! The command line as it is written. The options that commands share are in [`options`](crate::options).

mod cells;
mod episodes;
pub mod irl;
mod manners;
mod models;
mod pairs;
mod report;
mod simulate;
mod usual;

pub use cells::Discretize;
pub use episodes::{Regret, Returns};
pub use manners::{Color, Completions, Manners, Manual};
pub use models::Models;
pub use pairs::{Check, Distance, Explain};
pub use report::{Demo, ReportArgs};
pub use simulate::Simulate;
use usual::Usual;

use crate::gamma::ProfileArgs;
use crate::options::{Canonicalizes, Classifies, Compares, Inspects, Shared};
use clap::{Args, Parser, Subcommand};
use srrd::METRICS;
use srrd::answer::ClassifyOptions;
use srrd::cluster::ClusterCount;
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
    #[command(flatten)]
    pub manners: Manners,
}

/// Where not all commands take the same of an option that they share.
fn one_metric() -> String {
    format!(
        "One of {}, or auto: the one that fits the data [default: srrd]",
        METRICS.each_ref().map(|info| info.name).join(", ")
    )
}

fn any_metric() -> String {
    let hidden: Vec<&str> = METRICS.iter().filter(|info| !info.shown).map(|info| info.name).collect();
    let names = METRICS.each_ref().map(|info| info.name).join(", ");
    format!("{names}, or all (all but {}); several with commas [default: all]", hidden.join(", "))
}

const BATCH: &str = "How many of the explored states (or pairs) the double batch holds";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show what the distances tell, on a small built-in grid world
    #[command(after_help = "\
Examples:
  srrd demo
  srrd demo -o somewhere --seed 3

It writes the tables that it compares and a report into the folder.")]
    Demo(Demo),
    /// The distance of two reward samples, or of all pairs of a few
    #[command(after_help = "\
Examples:
  srrd distance a.csv b.csv
  srrd distance a.csv b.csv c.csv                        a small matrix
  srrd distance a.csv b.parquet --metric all --gamma 0.95 --json
  srrd distance a.csv b.csv --interval 0.95 --chance     how sure is it?
  srrd distance a.csv b.csv --gamma auto --profile gamma.svg     the gamma of the shaping, from the data
  srrd distance 'agents.csv#alice' 'agents.csv#bob'      two samples of one table (column `sample`)
  srrd distance log.csv --rewards old,new                two reward columns of one table
  srrd distance p.csv q.csv --estimator regressed        predict what was not sampled from features

A table has one row per transition and the columns state, action, next_state, reward; instead of a
token column there may be feature columns state.x, state.y, … An undefined distance is shown as
such, with a warning; the exit status is 0 then, too.")]
    Distance(Distance),
    /// Whether a changed reward asks for the same behaviour, as an exit status
    #[command(after_help = "\
Examples:
  srrd check old.csv new.csv
  srrd check log.csv --rewards old,new --within 0.05
  srrd check old.csv new.csv --github      an annotation for the log of a GitHub workflow

Exit status: 0 same behaviour, 1 different, 3 not enough data to tell or a small difference, 2 wrong
call or input. The verdict stands on the metric projected, its 95 % interval and a margin: same when
the distance is at most a fifth of the margin and the interval ends below twice the margin, different
when the interval begins above the margin, or when two sampled paths show that the rewards want
different things. A small difference that is real names the margin that counts it as the same.")]
    Check(Check),
    /// Where two reward samples differ: what every shared transition and state carries of their distance
    #[command(after_help = "\
Examples:
  srrd explain a.csv b.csv
  srrd explain a.csv b.csv --metric projected --top 20 --json
  srrd explain p.csv q.csv --metric projected -o where.csv --plot where.svg

The squared distance is a sum over the shared transitions: every one of them has a share of it. Their
difference is that of the two rewards without shaping, each in standard deviations of its own.

--plot draws a grid world (the columns state.x, state.y, next_state.x and next_state.y, whole numbers
from 0 up), states with other features on a plane (two features as they are, more by principal
components), and the states that carry most as bars where states are names.")]
    #[command(mut_arg("metric", |arg| arg.help(one_metric())))]
    Explain(Explain),
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
  srrd matrix runs/*.csv -o distances.npy --plot heat.png      one sample per file
  srrd matrix agents.csv -o d.csv --undefined 1 --threads 2    1, the farthest, where undefined
  srrd matrix agents.csv -o d.csv --clusters auto              groups, in d.clusters.csv

--clusters writes a table beside OUT: its columns are sample, label (where samples have labels),
cluster (from 1, the largest first) and silhouette (how well a sample fits: 1 well, 0 as well
elsewhere). Clusters are made by average linkage; auto takes the number with the largest mean
silhouette, where that reaches 0.25; else all samples are one cluster if their mean distance is at
most 0.35, or each is its own.

A matrix that takes long is kept in OUT.unfinished while it is computed: after a kill the same call
goes on with it.")]
    #[command(mut_arg("metric", |arg| arg.help(one_metric())))]
    Matrix(Matrix),
    /// What is in a table, and how far its distances can be trusted
    #[command(after_help = "\
Examples:
  srrd inspect rewards.csv
  srrd inspect a.csv b.csv                                 of two samples also: which metric, and is it enough?
  srrd inspect 'agents.csv#alice'                          one sample of a table (column `sample`)
  srrd inspect a.csv b.csv --metric srrd --space 400x4     coverage of 400 states and 4 actions")]
    // What it shows is what the double batch needs: there is no estimator to choose.
    #[command(
        mut_arg("metric", |arg| arg.help(any_metric())),
        mut_arg("estimator", |arg| arg.hide(true)),
        mut_arg("regression", |arg| arg.hide(true)),
        mut_arg("batch", |arg| arg.help(BATCH)),
    )]
    Inspect(Inspect),
    /// A table or a recorded data set as a table of transitions in another format
    #[command(after_help = crate::commands::convert::after_help())]
    Convert(Convert),
    /// Continuous features as cells, so that different recordings meet the same states
    #[command(after_help = cells::EXAMPLES)]
    Discretize(Discretize),
    /// The paper's experiments: resumable, with figures and a report
    #[command(after_help = crate::commands::reproduce::after_help())]
    Reproduce(Box<Reproduce>),
    /// Who acted? k-NN over labelled reward samples
    #[command(after_help = "\
Examples:
  srrd classify agents.csv                                   how well the classes are told apart
  srrd classify agents.csv --metric direct,epic,dard,srrd --repeats 50
  srrd classify agents.csv --gamma 0.9 --k 5 --predict new.csv

The tables have columns `sample` and `label`. Evaluation: random splits, the same share of
every class in both parts; γ and k chosen by twofold cross-validation inside the training part, the
same splits for every metric. Who is as near as the k-th neighbour votes, too; an undefined distance
has no vote. The class with most votes wins; among classes with equally many votes the one with the
nearest neighbour, then the one with the smaller sum of distances, then the first by name. Beside
the metrics stands overlap alone: the share of common transitions, without a look at rewards.")]
    #[command(mut_arg("seed", |arg| arg.help("The seed of the splits and of the batch")), mut_arg("batch", |arg| arg.help(BATCH)))]
    Classify(Classify),
    /// Reward models side by side: scores of the same responses to the same prompts
    #[command(after_help = "\
Examples:
  srrd models runs/grpo/completions                         a log of TRL; also of verl, NeMo Gym, …
  srrd models log.csv --rewards old,new                     two columns of a table
  srrd models log.csv --rewards 'rewards/*' --gold human    all, held against one
  srrd models first.json second.json --criterion subset     one file per model, as of RewardBench
  srrd models log.parquet --by step --gold verifier --plot hacking.svg -o page.html

A table has one row per response: columns `prompt`, `response` (or `completion`, `state`, `action`),
and one column per model. What counts are differences within prompts: a model that adds a number
per prompt chooses the same. Of each pair: the distance, how often both order two responses of a
prompt alike (accuracy), Kendall's tau_b, how often both like the same response best (top1), what
is lost when one chooses the best of n by the scores of the other, and how much of the difference the
length and the format of responses explain. --by finds where the distance changes over training: where
nothing changes, 5 of 100 logs are said to. Intervals: 0.95 unless given, by drawing prompts. With --json also accuracies by margin, and all n from 2 to 64.")]
    #[command(mut_arg("interval", |arg| arg.help("The level of the intervals [default: 0.95]")), mut_arg("seed", |arg| arg.help("The seed of the draws")))]
    Models(Models),
    /// A page about your own samples, or the report of a run
    #[command(after_help = "\
Examples:
  srrd report old.csv new.csv -o page.html                     verdict, distances, where they differ
  srrd report runs/*.csv -o page.html --gamma auto             many samples: groups and a heat map
  srrd report log.csv --rewards old,new,other -o page.html     reward columns of one table
  srrd report runs/coverage                                    of what `srrd reproduce` has written

The page is one file that needs nothing else. It has the verdict, distances by all metrics with
intervals, groups of samples, where samples differ, what was sampled, what the data say about gamma,
and the command that makes it again. Of up to 12 samples all pairs are compared; of more, those that
stand for the groups.")]
    #[command(mut_arg("metric", |arg| arg.help(any_metric())), mut_arg("interval", |arg| arg.help("The level of the intervals [default: 0.95]")))]
    Report(Box<ReportArgs>),
    /// Completions for a shell
    #[command(after_help = manners::COMPLETIONS)]
    Completions(Completions),
    /// Manual pages
    #[command(after_help = manners::MANUAL)]
    Manual(Manual),
    /// What it costs to act on the wrong reward
    #[command(after_help = "\
Examples:
  srrd regret a.csv b.csv --gamma 0.99
  srrd regret log.csv --rewards old,new --start home
  srrd regret a.csv b.csv --dynamics model.csv       columns state, action, next_state, probability

Acting optimally for one reward, how much of what the other could give is lost? 0: nothing, 1: as
much as the worst policy loses. Where actions lead is counted from both tables together; an action
is available where both have a reward of it. A row that ends (columns `terminated`, `done`) leads
nowhere. Among actions that are equally good, each is taken as often.")]
    Regret(Regret),
    /// How alike two rewards judge whole episodes
    #[command(after_help = "\
Examples:
  srrd returns a.csv b.csv --gamma 0.99                    the same episodes, rewarded by two
  srrd returns log.csv --rewards old,new --interval 0.95   two reward columns of one table
  srrd returns log.csv --rewards old,new --preferences said.csv
  srrd returns log.csv --preferences said.csv              one reward against what people said

Tables have a column `episode`; its rows are in the order of a column `step`, or as they stand. Two
tables hold the same episodes under the same names. Returns are discounted sums of rewards. Without
shaping: what potentials of first and last states explain is taken out; where the task was over
(columns `terminated`, `done`), the last state has potential 0. Preferences are a table with the
columns `better` and `worse` (or `chosen` and `rejected`), which name episodes.")]
    Returns(Returns),
    /// Rewards from demonstrations and preferences: inverse reinforcement learning
    #[command(after_help = "\
Examples:
  srrd simulate gridworld -o walks.csv --classes --sets 2 --rollouts 5
  srrd irl maxent walks.csv -o rewards.csv --std-error
  srrd matrix rewards.csv -o distances.csv

Every set (column `sample`) gets a reward of its own. The output is a table of rewards as all other
commands take it: sample, label, state, action, next_state, reward, with feature columns as they
are, one row for every distinct transition of a set, and `terminated` where ends are known.")]
    Irl(irl::Irl),
    /// Rollouts of a built-in world, as a table of transitions
    #[command(after_help = "\
Examples:
  srrd simulate gridworld -o grid.csv
  srrd simulate bouncing-balls -o balls.parquet --size 10x10 --epsilon 0.1 --rollouts 50
  srrd simulate gridworld -o agents.csv --classes --sets 5     ten agents, five samples each
  srrd simulate drone-combat -o combat.csv --classes --sets 2 --rollouts 5

One reward, known from other walks, and shaped:
  srrd simulate gridworld -o a.csv --rollouts 100 --gamma 0.9 --seed 1 --reward-seed 7 --shaped
  srrd simulate gridworld -o b.csv --rollouts 100 --seed 2 --reward-seed 7
  srrd distance a.csv b.csv --metric all --gamma 0.9

x counts from the left and y from the top; an episode starts at 0, 0 and ends in the opposite
corner, or after 200 steps. gridworld: --policy weighs north, west, south, east. bouncing-balls: it
weighs eight directions, clockwise from north, and d is 0, 1 or 2 when the nearest obstacle is up
to 3, up to 6 or farther away.

drone-combat: ten drones and a ship against as many, on 40x25 cells, 300 of them obstacles; it ends
when a ship or all drones of a side are destroyed, or after 200 steps. The reward is the score: 1
for a hit on a drone and 5 when it is destroyed, 2 and 20 for the ship. A state is how many allies
and enemies are left, ships included, and the zone (of 5x5 cells) of their centroids; an action is
how many allies attack. The ten agents are teams that differ in how far drones see, how many hits
they take, how far they move and how well they shoot; without --classes two equal teams fight.
--size, --epsilon, --obstacles, --policy, --model and --reward-seed are for the other worlds.")]
    Simulate(Simulate),
}

#[derive(Debug, Args)]
pub struct Canonicalize {
    /// The table; - is CSV on standard input
    pub input: PathBuf,
    /// Where to write it; - is CSV on standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    #[command(flatten)]
    pub shared: Shared<Canonicalizes>,
    #[command(flatten)]
    pub profile: ProfileArgs,
    #[command(flatten)]
    pub usual: Usual,
}

#[derive(Debug, Args)]
pub struct Matrix {
    /// Tables: one sample each, or as many as a column `sample` names; TABLE#SAMPLE is one of them
    #[arg(required = true)]
    pub inputs: Vec<PathBuf>,
    /// Where to write the square table: .csv (and the other table formats), or .npy with the names in a .json beside it
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Also draw a heat map, ordered by hierarchical clustering
    #[arg(long, value_name = "FILE.svg|png")]
    pub plot: Option<PathBuf>,
    /// Also find so many groups, or as many as are clearest; they are written beside OUT, and outlined in the heat map
    #[arg(long, value_name = "K|auto")]
    pub clusters: Option<ClusterCount>,
    /// What to write where a distance is undefined, 0 on the diagonal [default: NaN]
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    pub undefined: Option<f64>,
    #[command(flatten)]
    pub shared: Shared<Compares>,
    #[command(flatten)]
    pub profile: ProfileArgs,
    #[command(flatten)]
    pub usual: Usual,
}

#[derive(Debug, Args)]
pub struct Inspect {
    /// Tables of transitions; TABLE#SAMPLE is one sample of a table
    #[arg(required = true)]
    pub inputs: Vec<PathBuf>,
    /// The size of the full space, to take the coverage of
    #[arg(long, value_name = "STATESxACTIONS")]
    pub space: Option<String>,
    #[command(flatten)]
    pub shared: Shared<Inspects>,
    #[command(flatten)]
    pub usual: Usual,
}

#[derive(Debug, Args)]
pub struct Convert {
    /// The table or the recorded data set; - is CSV on standard input
    pub input: PathBuf,
    /// Where to write it; - is CSV on standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    #[command(flatten)]
    pub usual: Usual,
}

/// Parameters are lists with commas; what is left out is as the preset has it.
#[derive(Debug, Args)]
pub struct Reproduce {
    /// The experiment, or merge
    pub what: String,
    /// The folders of the parts, for merge
    pub parts: Vec<PathBuf>,
    /// The folder of the results; a run that was stopped there goes on
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// quick: under two minutes; paper: the paper's numbers
    #[arg(long, value_name = "quick|paper", default_value = "quick")]
    pub preset: String,
    #[command(flatten)]
    pub parameters: crate::commands::reproduce::ParameterArgs,
    /// How many threads to use [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Compute only the I-th of N parts of the trials
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Say what would be run, and stop
    #[arg(long)]
    pub plan: bool,
}

#[derive(Debug, Args)]
pub struct Classify {
    /// Tables of labelled samples (columns `sample` and `label`)
    #[arg(required = true)]
    pub inputs: Vec<PathBuf>,
    /// Discount factors to choose from
    #[arg(
        long,
        value_name = "GAMMAS",
        value_delimiter = ',',
        allow_negative_numbers = true,
        default_values_t = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    )]
    pub gamma: Vec<f64>,
    /// Numbers of neighbours to choose from
    #[arg(
        long,
        value_name = "COUNTS",
        value_delimiter = ',',
        default_values_t = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
    )]
    pub k: Vec<usize>,
    /// The share of the samples of every class that is for training
    #[arg(long, value_name = "SHARE", default_value_t = 0.7, allow_negative_numbers = true)]
    pub train: f64,
    /// How many random splits
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub repeats: usize,
    /// Draw correlations over n shared transitions to 0, by n / (n + LAMBDA): few correlate by chance. 0: not at all
    #[arg(long, value_name = "LAMBDA", default_value_t = ClassifyOptions::default().shrinkage, allow_negative_numbers = true)]
    pub shrinkage: f64,
    /// Label the samples of this table instead of evaluating
    #[arg(long, value_name = "UNLABELLED")]
    pub predict: Option<PathBuf>,
    #[command(flatten)]
    pub shared: Shared<Classifies>,
    #[command(flatten)]
    pub usual: Usual,
}
