//! What there is to know before a number is trusted, as data. Each front end says it in its own words.

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use crate::advise::ENOUGH_FREEDOM;
use crate::compare::{Distance, Pair, Undefined};
use crate::gamma::{GammaEstimate, NotIdentified};
use crate::metric::Metric;
use crate::problem::FrontEnd;
use crate::sample::{Duplicates, NamedSample};
use crate::settings::{EndRule, FEW_COMMON};
use crate::sure::NoInterval;
use crate::words::{count, counted};

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

    /// The warning as one sentence. Long, but one arm per warning.
    pub fn say(&self, to: FrontEnd) -> String {
        match self {
            Warning::Averaged { sample, samples, transitions, taken } => {
                let taken = match taken {
                    Duplicates::First => "the first",
                    Duplicates::Last => "the last",
                    Duplicates::Mean | Duplicates::Error => "their mean",
                };
                let of = several(sample, *samples);
                format!(
                    "{of}: {} occurred with unequal rewards; {taken} was taken ({})",
                    counted(*transitions, "transition", "transitions"),
                    to.option("duplicates")
                )
            }
            Warning::ConstantReward { sample, samples, reward } => {
                let of = several(sample, *samples);
                format!(
                    "{of}: all rewards are {reward}: distances to it are undefined, or come from what was not sampled only"
                )
            }
            Warning::Undefined { metric, why, common, min_common } => {
                format!("the {metric} distance is undefined: {}", undefined_in_words(*why, *common, *min_common, to))
            }
            Warning::FewCommon { common } => format!(
                "only {} shared: with fewer than {FEW_COMMON} a distance is mostly noise",
                counted(*common, "transition is", "transitions are")
            ),
            Warning::FewDegreesOfFreedom { metric, degrees_of_freedom } => format!(
                "the {metric} distance has {}: with fewer than {ENOUGH_FREEDOM} it is mostly noise",
                freedom(*degrees_of_freedom)
            ),
            Warning::EndsUnknown { metric, sinks, distances } => {
                let [on, ended] = distances.map(|d| d.map_or("undefined".to_owned(), |d| format!("{d:.3}")));
                format!(
                    "it is unknown where episodes end, and it matters: the {metric} distance is {on} if they go on after the {} that \
                     start nothing and {ended} if they end there; mark the ends (a column `terminated`), or say {} or {}",
                    counted(*sinks, "state", "states"),
                    to.choice("ends", "none"),
                    to.choice("ends", "sinks")
                )
            }
            Warning::EndsOpen { samples } => format!(
                "{} states start nothing; these count as going on: mark the ends (a column `terminated`), or say {} or {}",
                counted(
                    *samples,
                    "sample does not say where episodes end, and some of its",
                    "samples do not say where episodes end, and some of their"
                ),
                to.choice("ends", "none"),
                to.choice("ends", "sinks")
            ),
            Warning::OtherAdvised { metric, advised } => format!(
                "{metric} is the default, but {advised} fits these data better: shaping leaves it nothing to hide in; choose {}, or {}",
                to.choice("metric", "auto"),
                to.choice("metric", metric.name())
            ),
            Warning::EndsDisagree { transitions } => format!(
                "{} in one sample and not in the other; they do not count as ends",
                counted(*transitions, "shared transition ends an episode", "shared transitions end an episode")
            ),
            Warning::InOneSpace { common } => format!(
                "{}, and states hardly repeat, but both samples lie in one space of features: {} with {} predicts each reward where the \
                 other was sampled",
                counted(*common, "transition is shared", "transitions are shared"),
                to.choice("metric", Metric::Projected.name()),
                to.choice("potential", "auto"),
            ),
            Warning::StatesHardlyRepeat { common, states } => format!(
                "states hardly repeat ({} start in {}): what takes states one by one sees little but direct there; choose {} with {}, \
                 or make states coarser ({})",
                counted(*common, "shared transition", "shared transitions"),
                counted(*states, "state", "states"),
                to.choice("metric", Metric::Projected.name()),
                to.choice("potential", "auto"),
                match to {
                    FrontEnd::Command => "fewer features, rounded",
                    FrontEnd::Python => "`srrd.GridDiscretizer`",
                }
            ),
            Warning::NoInterval { metric, why } => format!("the {metric} distance has no interval: {why}"),
            Warning::NoChance { metric, why } => format!("the {metric} distance has no test against chance: {why}"),
            Warning::UndefinedDraws { metric, undefined, draws } => format!(
                "{metric}: of {} {} left out of the interval",
                counted(*draws, "draw", "draws"),
                counted(*undefined, "has no distance and is", "have no distance and are")
            ),
            Warning::NarrowInterval { metric, sample, usual, others } => format!(
                "{metric}: the interval is likely too narrow: in {sample} the reward is {usual} on all but {}",
                counted(*others, "shared transition", "shared transitions")
            ),
            Warning::GammaUnknown { low, high, why, used } => {
                let why = match why {
                    NotIdentified::Wide => format!("the 95 % interval is {low:.3} to {high:.3}"),
                    why => why.to_string(),
                };
                format!(
                    "{}: the data cannot tell gamma: {why}; {used} is used: give the one that the rewards were made for",
                    to.choice("gamma", "auto")
                )
            }
            Warning::GammaFromFew { degrees_of_freedom } => {
                format!("{}: gamma is estimated from {}: few", to.choice("gamma", "auto"), freedom(*degrees_of_freedom))
            }
            Warning::UndefinedPairs { undefined, pairs, first: [a, b], at: [i, j], why } => {
                let first = match to {
                    FrontEnd::Command => format!("{a} and {b}"),
                    // Arrays have no names of their own.
                    FrontEnd::Python => format!("samples {i} and {j}"),
                };
                let (undefined, pairs) = (count(*undefined), count(*pairs));
                format!("{undefined} of {pairs} distances are undefined; the first is that of {first}: {why}")
            }
            Warning::FewCommonPairs { few, pairs } => format!(
                "{} of {} distances are over fewer than {FEW_COMMON} shared transitions: mostly noise",
                count(*few),
                count(*pairs)
            ),
            Warning::UndefinedNeighbours { metric, undefined, pairs } => format!(
                "{metric}: {} of {} pairs have no distance (too few shared transitions, or a constant reward) and no vote",
                count(*undefined),
                count(*pairs)
            ),
            Warning::Guessed { metric, guessed, tested } => format!(
                "{metric}: {} of {} predictions are the most frequent class of the training part, since no neighbour has a distance",
                count(*guessed),
                count(*tested)
            ),
            Warning::NoNeighbour { sample } => format!(
                "{sample}: it has no defined distance to any labelled sample; its label is the most frequent one and says nothing about it"
            ),
        }
    }

    /// What there is to say of samples by themselves: what was merged, and what looks wrong. More than two samples of a kind are told in
    /// one sentence.
    pub(crate) fn of_samples(samples: &[&NamedSample]) -> Vec<Warning> {
        let averaged = samples.iter().filter(|named| named.sample.duplicates().averaged > 0);
        let constant = samples.iter().filter(|named| {
            let rewards = named.sample.rewards();
            rewards.len() > 1 && rewards.iter().all(|r| *r == rewards[0])
        });
        let mut warnings = told_together(averaged.copied().collect(), |some| Warning::Averaged {
            sample: some[0].name.clone(),
            samples: some.len(),
            transitions: some.iter().map(|named| named.sample.duplicates().averaged).sum(),
            taken: some[0].sample.duplicates().policy,
        });
        warnings.extend(told_together(constant.copied().collect(), |some| Warning::ConstantReward {
            sample: some[0].name.clone(),
            samples: some.len(),
            reward: some[0].sample.rewards()[0],
        }));
        warnings
    }

    /// Which distances of a pair are undefined or mostly noise.
    pub(crate) fn of_distances(distances: &[(Metric, Distance)], min_common: usize) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for &(metric, distance) in distances {
            if let Some(why) = distance.undefined() {
                warnings.push(Warning::Undefined { metric, why, common: distance.common, min_common });
            }
        }
        let defined = || distances.iter().filter(|(_, distance)| distance.distance().is_some());
        if let Some((_, distance)) = defined().next()
            && distance.common < FEW_COMMON
        {
            warnings.push(Warning::FewCommon { common: distance.common });
        }
        for &(metric, distance) in defined() {
            if let Some(shaping) = distance.shaping
                && shaping.degrees_of_freedom < ENOUGH_FREEDOM
            {
                let degrees_of_freedom = shaping.degrees_of_freedom;
                warnings.push(Warning::FewDegreesOfFreedom { metric, degrees_of_freedom });
            }
        }
        warnings
    }

    /// Whether it is open for some of many samples where episodes end.
    pub(crate) fn of_open_ends(samples: &[&NamedSample], rule: EndRule) -> Option<Warning> {
        let open = |named: &&&NamedSample| {
            !named.sample.ends().are_known() && !named.one_step && named.sample.terminal_states().next().is_some()
        };
        let count = if rule == EndRule::Auto { samples.iter().filter(open).count() } else { 0 };
        (count > 0).then_some(Warning::EndsOpen { samples: count })
    }

    /// Whether states with features are so many that they hardly repeat: nine of ten shared transitions start in one of their own.
    pub(crate) fn of_states(pair: &Pair<'_>) -> Option<Warning> {
        let common = pair.common.len();
        pair.a.states().arity()?;
        if common < FEW_COMMON {
            let hardly = |sample: &crate::RewardSample| {
                let sources = sample.initial_states().count();
                sample.len() >= FEW_COMMON && sample.states().arity().is_some() && 10 * sources >= 9 * sample.len()
            };
            return (hardly(pair.a) && hardly(pair.b)).then_some(Warning::InOneSpace { common });
        }
        let (mut states, mut last) = (0, None);
        let mut ids = pair.a.ids().enumerate();
        for &(i, _) in &pair.common {
            // Both are ascending, and transitions are sorted by state.
            let state = ids.find(|(index, _)| *index == i as usize).map(|(_, (state, _, _))| state);
            states += usize::from(state != last);
            last = state;
        }
        (10 * states >= 9 * common).then_some(Warning::StatesHardlyRepeat { common, states })
    }

    /// What there is to say of an estimated γ.
    pub(crate) fn of_gamma(estimate: &GammaEstimate) -> Option<Warning> {
        let GammaEstimate { low, high, why_not, degrees_of_freedom, .. } = *estimate;
        if let Some(why) = why_not {
            return Some(Warning::GammaUnknown { low, high, why, used: estimate.taken().get() });
        }
        (degrees_of_freedom < FEW_COMMON).then_some(Warning::GammaFromFew { degrees_of_freedom })
    }
}

/// One warning per sample, or one for all of them where there are more than two.
fn told_together(samples: Vec<&NamedSample>, warning: impl Fn(&[&NamedSample]) -> Warning) -> Vec<Warning> {
    if samples.len() > 2 {
        return vec![warning(&samples)];
    }
    samples.iter().map(|named| warning(std::slice::from_ref(named))).collect()
}

/// A sample by its name, or the first of several.
fn several(sample: &str, samples: usize) -> String {
    if samples == 1 { sample.to_owned() } else { format!("{} samples, {sample} first", count(samples)) }
}

/// Why there is no distance, in words.
///
/// ```
/// use srrd::warning::undefined_in_words;
/// use srrd::{FrontEnd, Undefined};
/// let told = undefined_in_words(Undefined::TooFewCommon, 2, 3, FrontEnd::Python);
/// assert_eq!(told, "the samples share 2 transitions, fewer than the 3 asked for (min_common)");
/// ```
pub fn undefined_in_words(why: Undefined, common: usize, min_common: usize, to: FrontEnd) -> String {
    match why {
        Undefined::TooFewCommon => format!(
            "the samples share {}, fewer than the {min_common} asked for ({})",
            counted(common, "transition", "transitions"),
            to.option("min-common")
        ),
        other => other.to_string(),
    }
}

fn freedom(degrees: usize) -> String {
    counted(degrees, "degree of freedom", "degrees of freedom")
}

/// `{"kind", "message"}`, in the words of the command.
impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Warning", 2)?;
        object.serialize_field("kind", self.kind())?;
        object.serialize_field("message", &self.say(FrontEnd::Command))?;
        object.end()
    }
}
