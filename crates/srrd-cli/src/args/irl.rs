//! The arguments of `srrd irl`.

use crate::inputs::ColumnArgs;
use crate::threads::Threads;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use srrd::{Choice, Metric};
use srrd_irl::Method;
use srrd_irl::maxent::{Form, RewardOf};
use srrd_irl::ptirl::Objective;
use srrd_worlds::WorldKind;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Irl {
    #[command(subcommand)]
    pub method: IrlMethod,
}

#[derive(Debug, Subcommand)]
pub enum IrlMethod {
    #[command(about = about(Method::Maxent), after_help = "\
Examples:
  srrd irl maxent walks.csv -o rewards.csv
  srrd irl maxent walks.csv -o rewards.csv --std-error --draws 20
  srrd irl maxent walks.csv -o rewards.parquet --reward state-action --model pooled
  srrd irl maxent walks.csv -o linear.csv --form linear       in the feature columns state.x, state.y
  srrd irl maxent walks.csv -o rewards.csv --trace trace.csv --trace trace.svg

The agent is taken to act by pi(a|s) = exp(Q(s,a) - V(s)) with soft values: the more a reward tells
actions apart, the less it chooses at random. Only actions that were seen in a state can be chosen
there. What demonstrations leave open is shaping; values of minimum norm are taken.")]
    Maxent(Maxent),
    #[command(about = about(Method::Airl), after_help = "\
Examples:
  srrd irl airl walks.csv -o rewards.csv
  srrd irl airl walks.csv -o rewards.csv --write f --trace trace.csv
  srrd irl airl walks.csv -o nets.csv --generator ppo --steps 4096 --rate 3e-4     nets
  srrd irl airl walks.csv -o acted.csv --generator ppo --steps 4096 --world gridworld

A discriminator f(s,a,s') = g + gamma h(s') - h(s) learns to tell demonstrated steps from those of a
generator. g is the reward, without shaping; f is what the discriminator pays. The generator is
solved exactly by soft value iteration on the model, once for every step of the discriminator; or it
acts in the model, or in a built-in world, and learns by proximal policy optimization, with nets for
g, h, policy and values. In Python it may act in any environment of Gymnasium.")]
    Airl(Airl),
    #[command(about = about(Method::Ptirl), after_help = "\
Examples:
  srrd irl ptirl walks.csv -o rewards.csv                      every label in turn against the others
  srrd irl ptirl walks.csv -o rewards.csv --target agent01
  srrd irl ptirl walks.csv -o rewards.csv --objective spread --cap 100 --alpha 10

The expected reward of a walk is the sum of P(s'|s,a) r(s,a,s') over its steps. All walks of the
target get more than all walks of others, by --alpha at least.")]
    Ptirl(Ptirl),
    #[command(about = about(Method::Preferences), after_help = "\
Examples:
  srrd irl preferences segments.csv --preferences said.csv -o rewards.csv
  srrd irl preferences answers.csv --preferences said.csv -o rewards.csv --std-error --ridge 1

Preferences are a table with the columns `better` and `worse` (or `chosen` and `rejected`), which
name episodes of the first table. An answer is an episode of one row: its prompt is the state, its text the action.")]
    Preferences(Preferences),
}

fn about(method: Method) -> &'static str {
    method.info().about
}

/// What all methods take.
#[derive(Debug, Args)]
pub struct LearnArgs {
    /// A table with the columns `episode`, `step` and, for several sets, `sample` and `label`, or TABLE#SAMPLE; - is CSV on standard
    /// input. Rewards in it do not count
    pub input: PathBuf,
    /// Where to write the rewards: one row for every distinct transition of a set; - is CSV on standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Also write what happened in every iteration: a table, or a picture of the distances between the rewards of successive
    /// iterations; can be given for both
    #[arg(long, value_name = "FILE")]
    pub trace: Vec<PathBuf>,
    /// Keep finished sets in this file until all are done: a run that was stopped goes on
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    #[command(flatten)]
    pub columns: ColumnArgs,
    #[command(flatten)]
    pub threads: Threads,
    /// Print a summary as JSON
    #[arg(long)]
    pub json: bool,
}

/// Where actions lead.
#[derive(Debug, Args)]
pub struct ModelArgs {
    /// Where actions lead: counted from each set, from all sets together (pooled), or a table of probabilities with the columns
    /// state, action, next_state, probability
    #[arg(long, value_name = "set|pooled|FILE", default_value = "set")]
    pub model: String,
}

/// When iterations end.
#[derive(Debug, Args)]
pub struct PatienceArgs {
    /// The most iterations
    #[arg(long, value_name = "N")]
    pub iterations: Option<usize>,
    /// Stop as soon as the rewards of two successive iterations are this close
    #[arg(long, value_name = "DISTANCE")]
    pub stop: Option<f64>,
    /// The distance of --stop and --trace
    #[arg(long, value_name = "METRIC", default_value = "projected", value_parser = metrics())]
    pub trace_metric: Metric,
}

fn metrics() -> impl TypedValueParser<Value = Metric> {
    PossibleValuesParser::new(srrd::METRICS.each_ref().map(|info| info.name)).try_map(|name| name.parse::<Metric>())
}

/// One of the choices of a type.
fn choice<T: Choice + Send + Sync>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::names()).try_map(|name| T::named(&name))
}

/// How uncertain rewards are.
#[derive(Debug, Args)]
pub struct SpreadArgs {
    /// Add a column `std_error`
    #[arg(long)]
    pub std_error: bool,
    /// Also write N rewards that explain the demonstrations about as well, as samples NAME/1, NAME/2, …
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub draws: usize,
    /// The seed of the draws
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

#[derive(Debug, Args)]
pub struct Maxent {
    #[command(flatten)]
    pub learn: LearnArgs,
    #[command(flatten)]
    pub model: ModelArgs,
    /// What rewards are functions of
    #[arg(long, default_value = "state", value_parser = choice::<RewardOf>())]
    pub reward: RewardOf,
    /// A number of its own for each, a weighted sum of feature columns, or a net of them
    #[arg(long, default_value = "free", value_parser = choice::<Form>())]
    pub form: Form,
    /// The discount factor
    #[arg(long, default_value_t = 0.9, allow_negative_numbers = true)]
    pub gamma: f64,
    /// How many steps the agent knows it has, for free rewards of states; gamma may be 1 then [default: it acts as if episodes went on]
    #[arg(long, value_name = "STEPS")]
    pub horizon: Option<usize>,
    /// How strongly values (or weights) are drawn to 0
    #[arg(long, value_name = "LAMBDA", default_value_t = srrd_irl::maxent::RIDGE)]
    pub ridge: f64,
    #[command(flatten)]
    pub spread: SpreadArgs,
    #[command(flatten)]
    pub patience: PatienceArgs,
}

#[derive(Debug, Args)]
pub struct Airl {
    #[command(flatten)]
    pub learn: LearnArgs,
    #[command(flatten)]
    pub model: ModelArgs,
    /// What g is a function of
    #[arg(long, default_value = "state", value_parser = choice::<RewardOf>())]
    pub reward: RewardOf,
    /// Which reward is written: g, or f = g + gamma h(s') - h(s)
    #[arg(long, value_name = "g|f", default_value = "g", value_parser = ["g", "f"])]
    pub write: String,
    /// The discount factor
    #[arg(long, default_value_t = 0.9, allow_negative_numbers = true)]
    pub gamma: f64,
    /// How strongly h is drawn to 0, with an exact generator
    #[arg(long, value_name = "LAMBDA", default_value_t = srrd_irl::maxent::RIDGE)]
    pub ridge: f64,
    /// Solved exactly on the model, or proximal policy optimization with nets
    #[arg(long, value_name = "exact|ppo", default_value = "exact", value_parser = ["exact", "ppo"])]
    pub generator: String,
    #[command(flatten)]
    pub ppo: PpoArgs,
    #[command(flatten)]
    pub patience: PatienceArgs,
}

/// Of the generator ppo.
#[derive(Debug, Args)]
pub struct PpoArgs {
    /// ppo: how many steps the policy takes in all
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub steps: usize,
    /// ppo: how many it takes per round
    #[arg(long, value_name = "N", default_value_t = 2048)]
    pub batch: usize,
    /// ppo: how many steps a gradient is made of
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub minibatch: usize,
    /// ppo: how often policy and values go through a batch
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub epochs: usize,
    /// ppo: the learning rate of all nets
    #[arg(long, default_value_t = 1e-4)]
    pub rate: f64,
    /// ppo: how far the ratio of new to old probabilities counts
    #[arg(long, default_value_t = 0.2)]
    pub clip: f64,
    /// ppo: the lambda of generalized advantage estimation
    #[arg(long, default_value_t = 0.95)]
    pub lambda: f64,
    /// ppo: how many steps the discriminator takes per round
    #[arg(long, value_name = "N", default_value_t = srrd_irl::airl::ppo::DISCRIMINATOR_STEPS)]
    pub discriminator_steps: usize,
    /// ppo: the sizes of the hidden layers of all nets
    #[arg(long, value_name = "SIZES", value_delimiter = ',', default_values_t = [256, 128])]
    pub hidden: Vec<usize>,
    /// ppo: the seed of weights and actions
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// ppo: act in a built-in world instead of the model: gridworld, bouncing-balls. States and actions are those of its tables
    #[arg(long, value_name = "WORLD")]
    pub world: Option<WorldKind>,
    /// Of --world: its cells, such as 10x10 [default: 20x20]
    #[arg(long, value_name = "WIDTHxHEIGHT", requires = "world")]
    pub size: Option<String>,
    /// Of --world: the probability that a step leads to a random cell [default: 0]
    #[arg(long, value_name = "PROBABILITY", requires = "world")]
    pub epsilon: Option<f64>,
    /// Of --world bouncing-balls: how many obstacles there are [default: 5]
    #[arg(long, value_name = "N", requires = "world")]
    pub obstacles: Option<usize>,
}

#[derive(Debug, Args)]
pub struct Ptirl {
    #[command(flatten)]
    pub learn: LearnArgs,
    /// Where actions lead: counted from all sets together (pooled), or a table of probabilities with the columns state, action,
    /// next_state, probability
    #[arg(long, value_name = "pooled|FILE", default_value = "pooled")]
    pub model: String,
    /// The label of the targets [default: every label in turn]
    #[arg(long, value_name = "LABEL")]
    pub target: Option<String>,
    /// The reward nearest to CAP (P_target - P_other), of which there is one, or one of the many with the largest spread
    #[arg(long, default_value = "near", value_parser = choice::<Objective>())]
    pub objective: Objective,
    /// Rewards lie between -CAP and CAP
    #[arg(long, default_value_t = 100.0)]
    pub cap: f64,
    /// By how much every walk of the target is worth more than every walk of others, at least
    #[arg(long, default_value_t = 1.0)]
    pub alpha: f64,
    /// How many walks of others are drawn for every set; 0: all
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub others: usize,
    /// The seed of that draw
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

#[derive(Debug, Args)]
pub struct Preferences {
    #[command(flatten)]
    pub learn: LearnArgs,
    /// A table with the columns `better` and `worse` (or `chosen` and `rejected`), which name episodes
    #[arg(long, value_name = "FILE")]
    pub preferences: PathBuf,
    /// What rewards are functions of
    #[arg(long, default_value = "state-action", value_parser = choice::<RewardOf>())]
    pub reward: RewardOf,
    /// A number of its own for each, or a weighted sum of feature columns
    #[arg(long, default_value = "free", value_parser = choice::<Form>())]
    pub form: Form,
    /// The discount factor within segments
    #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
    pub gamma: f64,
    /// How strongly rewards (or weights) are drawn to 0
    #[arg(long, value_name = "LAMBDA", default_value_t = srrd_irl::preferences::RIDGE)]
    pub ridge: f64,
    #[command(flatten)]
    pub spread: SpreadArgs,
    #[command(flatten)]
    pub patience: PatienceArgs,
}
