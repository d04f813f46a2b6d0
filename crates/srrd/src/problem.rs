//! What is wrong with a call or an input, as data. Each front end says it in its own words.

use thiserror::Error;

use crate::cluster::ClusterError;
use crate::metric::Metric;
use crate::potential::Potential;
use crate::run::Large;
use crate::settings::SettingError;
use crate::words::bytes;

/// Who speaks: how options are written in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrontEnd {
    /// The command: `--min-common`.
    Command,
    /// Python, and Rust: `min_common`.
    Python,
}

impl FrontEnd {
    /// An option as people write it.
    ///
    /// ```
    /// use srrd::FrontEnd;
    /// assert_eq!(FrontEnd::Command.option("min-common"), "--min-common");
    /// assert_eq!(FrontEnd::Python.option("min-common"), "min_common");
    /// ```
    pub fn option(self, name: &str) -> String {
        match self {
            FrontEnd::Command => format!("--{name}"),
            FrontEnd::Python => name.replace('-', "_"),
        }
    }

    /// An option with a value, as people write it.
    pub fn choice(self, name: &str, value: &str) -> String {
        match self {
            FrontEnd::Command => format!("--{name} {value}"),
            FrontEnd::Python => format!("{}=\"{value}\"", name.replace('-', "_")),
        }
    }
}

/// What is wrong with a call or an input.
///
/// ```
/// use srrd::{FrontEnd, Options};
/// let problem = Options { min_common: 0, ..Options::default() }.question().unwrap_err();
/// assert_eq!(problem.say(FrontEnd::Command), "--min-common: it must be at least 1");
/// assert_eq!(problem.to_string(), "min_common: it must be at least 1");
/// ```
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{}", self.say(FrontEnd::Python))]
#[non_exhaustive]
pub enum Problem {
    /// A value that an option does not take.
    Value {
        /// The option.
        option: &'static str,
        /// What is wrong with the value.
        error: SettingError,
    },
    /// The unbiased estimator has no batch.
    BatchOfUnbiased,
    /// The unbiased estimator has no choice of actions.
    ActionsOfUnbiased,
    /// A regression without the regressed estimator.
    RegressionOfOthers,
    /// Potentials of a basis on the transitions of each sample.
    PotentialOnOwn,
    /// Samples are to be compared in the space of their features, with one potential per state.
    SpaceWithoutPotential,
    /// Potentials of a basis with γ from the data.
    PotentialWithoutGamma,
    /// Potentials are functions of features, but states have none.
    PotentialWithoutFeatures {
        /// The sample, or its file.
        sample: String,
        /// What was asked for.
        potential: Potential,
    },
    /// A basis of more functions than anyone can wait for.
    WidePotential {
        /// The sample, or its file.
        sample: String,
        /// What was asked for.
        potential: Potential,
        /// The feature columns.
        columns: usize,
        /// The functions that they make.
        weights: usize,
    },
    /// An option of the metric `projected` without it.
    OptionOfProjected {
        /// The option.
        option: &'static str,
    },
    /// Dynamics together with what they do not go with.
    DynamicsOfOthers,
    /// The metric was left to the data where there is no pair of samples to ask.
    AutoWithoutPair,
    /// Ends are to be those marked in the samples, and a sample marks none.
    EndsUnmarked {
        /// The sample, or its file.
        sample: String,
    },
    /// Several metrics where one is needed.
    SeveralMetrics {
        /// What needs one: "a matrix is", "predictions are".
        what: &'static str,
    },
    /// An estimator that `inspect` has nothing to show of.
    NothingToInspect {
        /// Whether it is the regressed one; else the unbiased one.
        regressed: bool,
    },
    /// A space that is smaller than what was seen of it.
    SmallSpace {
        /// The sample.
        sample: String,
        /// How many states and actions it has.
        seen: [usize; 2],
        /// How many the space was said to have.
        space: [f64; 2],
    },
    /// A sample without a label where classes are told apart.
    NoLabel {
        /// The sample.
        sample: String,
    },
    /// Samples that identify states or actions by different things: they can share no transition.
    OtherIdentity {
        /// What is identified: states or actions.
        what: &'static str,
        /// The two samples.
        samples: [String; 2],
        /// The features that identify it in each; `None` for tokens.
        features: [Option<Vec<String>>; 2],
    },
    /// One sample has next states, the other has none.
    OneStep {
        /// The sample without next states.
        without: String,
        /// The sample with next states.
        with: String,
    },
    /// The regressed estimator needs features.
    NoFeatures {
        /// The sample, or its file.
        sample: String,
        /// Whether there are no next states at all.
        one_step: bool,
        /// Whether all other states have features, so that it is the end of an episode that has none.
        ends: bool,
    },
    /// Something else that is wrong with a sample for the regressed estimator.
    Unpredictable {
        /// The sample, or its file.
        sample: String,
        /// What is wrong.
        why: String,
    },
    /// More memory than there is.
    Memory {
        /// What would take it.
        what: Large,
        /// How many bytes it takes at least.
        needed: u64,
        /// How many are free.
        available: u64,
    },
    /// One sample where two or more are compared.
    OneSample,
    /// Groups that cannot be made of the samples.
    Clusters(ClusterError),
    /// Something that classification cannot do with these samples.
    Unclassifiable {
        /// What is wrong.
        why: String,
    },
}

impl Problem {
    /// The problem as one sentence, and what to do.
    // Long, but one arm per problem.
    pub fn say(&self, to: FrontEnd) -> String {
        let option = |name| to.option(name);
        match self {
            Problem::Value { option: name, error } => match error {
                // `all` is for those who take several.
                SettingError::Metric(_) => format!("{}: {error}, all", option(name)),
                error => format!("{}: {error}", option(name)),
            },
            Problem::BatchOfUnbiased => {
                format!("{}: the unbiased estimator draws no batch; leave it out, or choose double", option("batch"))
            }
            Problem::ActionsOfUnbiased => format!(
                "{}: the unbiased estimator counts every action separately; leave it out, or choose double",
                option("actions")
            ),
            Problem::RegressionOfOthers => format!(
                "{}: only the regressed estimator predicts rewards; add {}, or leave it out",
                option("regression"),
                to.choice("estimator", "regressed")
            ),
            Problem::OptionOfProjected { option: name } => format!(
                "{}: only the metric projected has one; leave it out, or add {}",
                option(name),
                to.choice("metric", Metric::Projected.name())
            ),
            Problem::DynamicsOfOthers => format!(
                "{}: means over next states are taken with one potential per state on the transitions that a pair shares; leave {} and {} \
                 out",
                option("dynamics"),
                option("potential"),
                option("support")
            ),
            Problem::AutoWithoutPair => format!(
                "{}: which metric fits is asked of pairs of samples; name one here: {}",
                to.choice("metric", "auto"),
                to.choice("metric", Metric::Projected.name())
            ),
            Problem::SpaceWithoutPotential => format!(
                "{}: rewards are predicted from feature columns, and so are potentials then; add {}",
                to.choice("support", "space"),
                to.choice("potential", "auto")
            ),
            Problem::PotentialOnOwn => format!(
                "{}: functions of features are taken out on the transitions that a pair shares; leave {} out",
                option("potential"),
                to.choice("support", "own")
            ),
            Problem::PotentialWithoutGamma => format!(
                "{}: gamma is estimated with one potential per state only; give the one that the rewards were made for",
                to.choice("gamma", "auto")
            ),
            Problem::PotentialWithoutFeatures { sample, potential } => format!(
                "{sample}: {}: states are tokens here, of which no function can be made; give numeric feature columns `state.NAME` \
                 and `next_state.NAME` instead of `state` and `next_state`, or leave it out",
                to.choice("potential", &potential.to_string())
            ),
            Problem::WidePotential { sample, potential, columns, weights } => format!(
                "{sample}: {}: {columns} feature columns make {weights} functions, more than {}; choose linear, fourier:N with a \
                 smaller N, or fewer columns",
                to.choice("potential", &potential.to_string()),
                Potential::MOST_WEIGHTS
            ),
            Problem::EndsUnmarked { sample } => format!(
                "{sample}: {}: nothing says which transitions end an episode; add a column `terminated` (or `done` with `truncated`), \
                 or say {} or {}",
                to.choice("ends", "marked"),
                to.choice("ends", "sinks"),
                to.choice("ends", "none")
            ),
            Problem::SeveralMetrics { what } => {
                format!("{}: {what} of one metric; name one, and call once for each that you want", option("metric"))
            }
            Problem::NothingToInspect { regressed: false } => format!(
                "{}: the unbiased estimator needs no transition that was not sampled; inspect shows what the double batch needs; \
                 leave it out",
                option("estimator")
            ),
            Problem::NothingToInspect { regressed: true } => format!(
                "{}: what the regressed estimator predicts is what the double batch lacks, which inspect shows; leave it out",
                option("estimator")
            ),
            Problem::SmallSpace { sample, seen: [states, actions], space: [all_states, all_actions] } => format!(
                "{}: {sample} has {states} states and {actions} actions, more than the {all_states} and {all_actions} of the full \
                 space",
                option("space")
            ),
            Problem::NoLabel { sample } => format!(
                "{sample}: the sample has no label: add a column `label` with its class, the same in all of its rows"
            ),
            Problem::OtherIdentity { what, samples: [a, b], features } => {
                let [by_a, by_b] = features.each_ref().map(|features| match features {
                    None => "a token".to_owned(),
                    Some(names) => format!("the features {}", names.join(", ")),
                });
                let hint = match to {
                    FrontEnd::Command => "",
                    // Tables name features by their columns, arrays by an argument.
                    FrontEnd::Python => " (`state_features` and `action_features` name the features of arrays)",
                };
                format!(
                    "{a} identifies {what} by {by_a} and {b} by {by_b}: they can share no transition; give both the same \
                     columns{hint}"
                )
            }
            Problem::OneStep { without, with } => format!(
                "{without} has no column `next_state` and {with} has: they can share no transition; give both the same columns"
            ),
            Problem::NoFeatures { sample, one_step, ends } => {
                let why = match (one_step, ends) {
                    (true, _) => {
                        "the table has no next states whose features could tell a reward; choose another estimator"
                    }
                    (_, true) => {
                        "the state in which an episode ends is not in the table, so that it has no features; give next states, \
                         or choose another estimator"
                    }
                    _ => {
                        "states are tokens here, which tell no reward; give numeric feature columns `state.NAME` and \
                         `next_state.NAME` instead of `state` and `next_state`, or choose another estimator"
                    }
                };
                format!("{sample}: {}: {why}", to.choice("estimator", "regressed"))
            }
            Problem::Unpredictable { sample, why } => {
                format!("{sample}: {}: {why}", to.choice("estimator", "regressed"))
            }
            Problem::Memory { what: Large::Matrix { samples }, needed, available } => format!(
                "the distances of all pairs of {samples} samples take at least {} of memory, and {} are free; {}",
                bytes(*needed),
                bytes(*available),
                match to {
                    FrontEnd::Command => "leave the picture out, or compare fewer samples at a time",
                    FrontEnd::Python =>
                        "give `out=`, a file to which they are written piece by piece, or fewer samples",
                }
            ),
            Problem::OneSample => format!(
                "two or more samples are compared, and there is one; give another, or several reward columns with {}",
                option("rewards")
            ),
            Problem::Clusters(error) => format!("{}: {error}", option("clusters")),
            Problem::Unclassifiable { why } => why.clone(),
        }
    }
}
