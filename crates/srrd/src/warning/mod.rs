//! What there is to know before a number is trusted, as data. Each front end says it in its own words.

mod find;
mod forms;
mod words;

use crate::compare::Undefined;
use crate::gamma::NotIdentified;
use crate::metric::Metric;
use crate::sample::Duplicates;
use crate::sure::NoInterval;

pub use words::undefined_in_words;

/// Something to know before a number is trusted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// Transitions occurred with unequal rewards.
    Averaged {
        /// The sample, or the first of several.
        sample: String,
        /// How many samples there are with such transitions.
        samples: usize,
        /// How many such transitions.
        transitions: usize,
        /// Which reward was taken.
        taken: Duplicates,
    },
    /// All rewards of a sample are the same.
    ConstantReward {
        /// The sample, or the first of several.
        sample: String,
        /// How many such samples there are.
        samples: usize,
        /// Its reward.
        reward: f64,
    },
    /// A distance is undefined.
    Undefined {
        /// The metric.
        metric: Metric,
        /// Why.
        why: Undefined,
        /// How many transitions are shared.
        common: usize,
        /// How many were asked for.
        min_common: usize,
    },
    /// Few transitions are shared.
    FewCommon {
        /// How many.
        common: usize,
    },
    /// Few transitions are shared, and more would be if tokens that are written in other forms were the same.
    OtherForms {
        /// How many are shared.
        common: usize,
        /// How many would be.
        alike: usize,
        /// A token of each that would be the same.
        example: [String; 2],
        /// As numbers of how few bits they would be the same; `None` where they are written in other ways.
        bits: Option<u32>,
    },
    /// Next states seem to be written in another form than states.
    OtherNextStates {
        /// The sample.
        sample: String,
        /// How many transitions lead to a state in which none starts.
        leading: usize,
        /// Of how many that end no episode.
        total: usize,
        /// A state and a next state that would be the same.
        example: [String; 2],
    },
    /// Shaping leaves few degrees of freedom.
    FewDegreesOfFreedom {
        /// The metric.
        metric: Metric,
        /// How many.
        degrees_of_freedom: usize,
    },
    /// Nobody said where episodes end, and it matters.
    EndsUnknown {
        /// The metric.
        metric: Metric,
        /// How many states start nothing.
        sinks: usize,
        /// The distance if episodes go on there, and if they end there; `None` where it is undefined.
        distances: [Option<f64>; 2],
    },
    /// Many samples, some of which do not say where episodes end.
    EndsOpen {
        /// How many samples.
        samples: usize,
    },
    /// Another metric fits the data better than the one that is the default.
    OtherAdvised {
        /// The default.
        metric: Metric,
        /// What fits.
        advised: Metric,
    },
    /// Transitions end in one sample and not in the other.
    EndsDisagree {
        /// How many.
        transitions: usize,
    },
    /// Nearly every shared transition starts in a state of its own.
    StatesHardlyRepeat {
        /// How many transitions are shared.
        common: usize,
        /// In how many states they start.
        states: usize,
    },
    /// States hardly repeat, and two samples share few transitions, but they lie in one space of features.
    InOneSpace {
        /// How many transitions are shared.
        common: usize,
    },
    /// There is a distance, but no interval of it.
    NoInterval {
        /// The metric.
        metric: Metric,
        /// Why.
        why: NoInterval,
    },
    /// There is a distance, but no test against chance.
    NoChance {
        /// The metric.
        metric: Metric,
        /// Why.
        why: NoInterval,
    },
    /// Some draws of a bootstrap have no distance.
    UndefinedDraws {
        /// The metric.
        metric: Metric,
        /// How many have none.
        undefined: usize,
        /// How many there are.
        draws: usize,
    },
    /// A reward is the same nearly everywhere, so an interval is likely too narrow.
    NarrowInterval {
        /// The metric.
        metric: Metric,
        /// The sample.
        sample: String,
        /// The reward that most transitions have.
        usual: f64,
        /// How many shared transitions have another one.
        others: usize,
    },
    /// γ was estimated, but the data cannot tell it.
    GammaUnknown {
        /// The estimate.
        low: f64,
        /// Its upper end.
        high: f64,
        /// Why.
        why: NotIdentified,
        /// The γ that is used.
        used: f64,
    },
    /// γ was estimated from few degrees of freedom.
    GammaFromFew {
        /// How many.
        degrees_of_freedom: usize,
    },
    /// Some pairs of many samples have no distance.
    UndefinedPairs {
        /// How many.
        undefined: usize,
        /// How many pairs there are.
        pairs: usize,
        /// The first of them, by name.
        first: [String; 2],
        /// The first of them, by number.
        at: [usize; 2],
        /// Why it has none.
        why: Undefined,
    },
    /// Some pairs of many samples share few transitions.
    FewCommonPairs {
        /// How many.
        few: usize,
        /// How many pairs there are.
        pairs: usize,
    },
    /// Pairs without a distance have no vote in k-NN.
    UndefinedNeighbours {
        /// The metric.
        metric: Metric,
        /// How many pairs have none, for the γ with the most.
        undefined: usize,
        /// How many pairs there are.
        pairs: usize,
    },
    /// Samples of the test parts were given the most frequent class, for want of neighbours.
    Guessed {
        /// The metric.
        metric: Metric,
        /// How many, over all splits.
        guessed: usize,
        /// How many samples were tested, over all splits.
        tested: usize,
    },
    /// A sample has no defined distance to any labelled one.
    NoNeighbour {
        /// The sample.
        sample: String,
    },
}

impl Warning {
    /// The name of its kind in JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Warning::Averaged { .. } => "averaged",
            Warning::ConstantReward { .. } => "constant_reward",
            Warning::Undefined { .. } => "undefined",
            Warning::FewCommon { .. } => "few_common",
            Warning::OtherNextStates { .. } => "other_next_states",
            Warning::OtherForms { bits: None, .. } => "other_forms",
            Warning::OtherForms { bits: Some(_), .. } => "other_precision",
            Warning::FewDegreesOfFreedom { .. } => "few_degrees_of_freedom",
            Warning::EndsUnknown { .. } => "ends_unknown",
            Warning::EndsDisagree { .. } => "ends_disagree",
            Warning::EndsOpen { .. } => "ends_open",
            Warning::OtherAdvised { .. } => "other_advised",
            Warning::StatesHardlyRepeat { .. } => "states_hardly_repeat",
            Warning::InOneSpace { .. } => "in_one_space",
            Warning::NoInterval { .. } => "no_interval",
            Warning::NoChance { .. } => "no_chance",
            Warning::UndefinedDraws { .. } => "undefined_draws",
            Warning::NarrowInterval { .. } => "narrow_interval",
            Warning::GammaUnknown { .. } => "gamma_unknown",
            Warning::GammaFromFew { .. } => "gamma_from_few",
            Warning::UndefinedPairs { .. } => "undefined_pairs",
            Warning::FewCommonPairs { .. } => "few_common_pairs",
            Warning::UndefinedNeighbours { .. } => "undefined_neighbours",
            Warning::Guessed { .. } => "guessed",
            Warning::NoNeighbour { .. } => "no_neighbour",
        }
    }
}
