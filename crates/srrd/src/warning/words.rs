//! Warnings as sentences.

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use super::Warning;
use crate::advise::ENOUGH_FREEDOM;
use crate::compare::Undefined;
use crate::gamma::NotIdentified;
use crate::metric::Metric;
use crate::problem::FrontEnd;
use crate::sample::Duplicates;
use crate::settings::FEW_COMMON;
use crate::words::{count, counted};

impl Warning {
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
            Warning::OtherForms { common, alike, example: [a, b], bits: Some(bits) } => format!(
                "{} shared, and {} would be if numbers such as `{a}` and `{b}` had {bits} bits in both: a typed format keeps the value of a \
                 {bits}-bit number, text its few digits; save both in the same format, or make 64-bit numbers of them first{}",
                counted(*common, "transition is", "transitions are"),
                count(*alike),
                match to {
                    FrontEnd::Command => "",
                    FrontEnd::Python => ", by `astype(\"float64\")`",
                }
            ),
            Warning::OtherForms { common, alike, example: [a, b], bits: None } => format!(
                "{} shared, and {} would be if tokens such as `{}` and `{}` were the same: texts are compared as they are written; write \
                 them in one form in both ({})",
                counted(*common, "transition is", "transitions are"),
                count(*alike),
                a,
                b,
                match to {
                    FrontEnd::Command => {
                        "whole numbers without a point or zeros before them, no spaces around, true and false in small letters"
                    }
                    FrontEnd::Python => "such as by `astype(int)`, or `astype(bool)` for truths",
                }
            ),
            Warning::OtherNextStates { sample, leading, total, example: [state, next] } => format!(
                "{sample}: next states seem to be written in another form than states, as `{next}` and `{state}`: {} of {} lead to states in \
                 which none starts; write both in one form",
                count(*leading),
                counted(*total, "transition", "transitions")
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
