//! Why a verdict is given, in words.

use std::fmt;

use super::LEAST_FREEDOM;
use crate::sure::{NoInterval, Range};
use crate::words::counted;

/// Why an answer is given.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Why {
    /// The distance is small, and so is the upper end of its interval.
    Close {
        /// The distance.
        distance: f64,
        /// Its interval.
        range: Range,
    },
    /// The lower end of the interval is above the margin.
    Apart {
        /// The distance.
        distance: f64,
        /// Its interval.
        range: Range,
    },
    /// The interval holds both small and large distances, but two sampled paths are ranked oppositely.
    Witnessed {
        /// The distance.
        distance: f64,
    },
    /// The interval holds both small and large distances.
    Between {
        /// The distance.
        distance: f64,
        /// Its interval.
        range: Range,
    },
    /// The interval lies between what is close and the margin: a small, real difference.
    Small {
        /// The distance.
        distance: f64,
        /// Its interval.
        range: Range,
        /// The margin from which on it counts as the same; none where no margin does.
        margin: Option<f64>,
    },
    /// Rewards were predicted where they were not sampled, and the errors leave both small and large distances possible.
    Predicted {
        /// The distance.
        distance: f64,
        /// Its interval.
        range: Range,
    },
    /// The distance is small, but a few large rewards carry it, and the others differ.
    Hidden {
        /// The distance.
        distance: f64,
        /// That of the other rewards.
        rest: f64,
        /// How many transitions carry the large ones.
        taken: usize,
    },
    /// Noise, which transitions with several rewards show, explains the distance.
    Noise {
        /// The distance.
        distance: f64,
        /// What two noisy copies of one reward would have.
        floor: f64,
    },
    /// Chance decides where actions lead, and the means over next states are close.
    Chance {
        /// The distance.
        distance: f64,
        /// That of the means.
        by_means: f64,
    },
    /// The answer hangs on γ, which the data do not tell well enough.
    GammaUncertain {
        /// Where γ may lie.
        gammas: [f64; 2],
        /// Whether the data tell it at all.
        identified: bool,
    },
    /// A table without next states says that episodes go on after some rows: nobody knows whether these are one step each.
    StepsUnknown,
    /// Nobody said where episodes end.
    EndsUnknown,
    /// No shared transition ends an episode.
    EndsUnseen,
    /// They are close, but rows that were left out, since nobody knows where they lead, carry much of a reward.
    LeftOut {
        /// The distance.
        distance: f64,
        /// Which part of its squares.
        carried: f64,
    },
    /// They differ only where the same action ends in some rows and goes on in others, as time limits make it look.
    Limits {
        /// The distance.
        distance: f64,
        /// That without these.
        without: f64,
        /// How many transitions these are.
        mixed: usize,
    },
    /// They are close, and most transitions, or those with much of a reward, lead to states that start none: any reward of these is shaping.
    NothingFollows {
        /// The distance.
        distance: f64,
        /// How many lead there.
        leading: usize,
        /// Of how many that do not end an episode.
        total: usize,
        /// Which part of the squares of a reward these carry.
        carried: f64,
    },
    /// No shared transition counts as an end, since those that are marked are not marked everywhere.
    EndsMixed {
        /// How many are marked as ends and as none.
        transitions: usize,
        /// Whether each sample marks them as one of both; else rows of one sample disagree.
        between: bool,
    },
    /// A state that an episode ended in also starts transitions, or is entered without an end.
    EndsContradict,
    /// There is no distance.
    NoDistance(crate::compare::Undefined),
    /// A reward is nothing but shaping.
    OnlyShaping,
    /// Fewer than 10 degrees of freedom.
    FewDegreesOfFreedom {
        /// How many.
        degrees_of_freedom: usize,
    },
    /// There is no valid interval.
    NoInterval(NoInterval),
}

impl fmt::Display for Why {
    // Long, but one arm per reason.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = |distance: &f64, range: &Range| {
            format!("the projected distance is {distance:.3} (95 % interval {:.3} to {:.3})", range.low, range.high)
        };
        match self {
            Why::Close { distance, range } => write!(f, "{}", found(distance, range)),
            Why::Apart { distance, range } => {
                write!(f, "{}, and shaping cannot explain it", found(distance, range))
            }
            Why::Witnessed { distance } => write!(
                f,
                "the projected distance is {distance:.3}, and the rewards rank two sampled paths oppositely, which no shaping can change"
            ),
            Why::Between { distance, range } => write!(
                f,
                "{}, which holds both same and different; more shared transitions would narrow it",
                found(distance, range)
            ),
            Why::Small { distance, range, margin } => {
                write!(
                    f,
                    "{}: the difference is real, so that more transitions would not decide whether it matters; see where the rewards \
                     differ (explain) and what it costs (regret)",
                    found(distance, range)
                )?;
                match margin {
                    Some(margin) => write!(f, "; with a margin of {margin:.2} (within) it counts as the same"),
                    None => Ok(()),
                }
            }
            Why::Predicted { distance, range } => write!(
                f,
                "{}, which holds both same and different, since rewards were predicted where they were not sampled; both rewards on the \
                 same transitions, or more episodes, would decide it",
                found(distance, range)
            ),
            Why::Hidden { distance, rest, taken } => write!(
                f,
                "the projected distance is {distance:.3}, but {} most of both rewards; without {} it is {rest:.2}; see what the \
                 difference costs (regret) and where it is (explain)",
                match taken {
                    1 => "1 transition carries".to_owned(),
                    taken => format!("{} carry", counted(*taken, "transition", "transitions")),
                },
                if *taken == 1 { "it" } else { "them" },
            ),
            Why::Noise { distance, floor } => write!(
                f,
                "the projected distance is {distance:.3}, and the noise of rewards, which transitions with several of them show, makes \
                 {floor:.3} of two copies of one reward; more visits of every transition would decide it"
            ),
            Why::Chance { distance, by_means } => write!(
                f,
                "the projected distance is {distance:.3}, but actions have several next states, and that of the means over them is \
                 {by_means:.3}; choose dynamics sampled, or give the probabilities, if chance decides where actions lead"
            ),
            Why::GammaUncertain { identified: false, .. } => {
                f.write_str("the answer hangs on gamma, which the data cannot tell; give the gamma that the rewards were made for")
            }
            Why::GammaUncertain { gammas: [low, high], .. } => write!(
                f,
                "the answer hangs on gamma, of which the data tell only that it is between {low:.3} and {high:.3}; give the gamma that \
                 the rewards were made for"
            ),
            Why::StepsUnknown => f.write_str(
                "there are no next states, and yet episodes go on after some rows; choose next shift to take the state of the row that \
                 follows, or next none if every row is a problem of one step",
            ),
            Why::EndsUnknown => f.write_str(
                "it is unknown where episodes end; mark the ends (a column `terminated`), or choose ends sinks if episodes end in \
                 states that start nothing, and ends none if they never end",
            ),
            Why::EndsUnseen => f.write_str(
                "no shared transition ends an episode, so that what happens at the ends is unseen; sample episodes to their ends, or \
                 choose ends none if they never end",
            ),
            Why::LeftOut { distance, carried } => write!(
                f,
                "the projected distance is {distance:.3}, but rows that were left out, since nobody knows where they lead, carry {:.0} % of the \
                 squares of a reward; mark where episodes end (a column `terminated`), or give these rows a next state",
                100.0 * carried,
            ),
            Why::Limits { distance, without, mixed } => write!(
                f,
                "the projected distance is {distance:.3}, but {without:.3} without {} in which an action ends that goes on in other rows; if \
                 `done` holds time limits, give them a column of their own (`truncated`), or give next states",
                counted(*mixed, "transition", "transitions"),
            ),
            Why::NothingFollows { distance, leading, total, carried } => write!(
                f,
                "the projected distance is {distance:.3}, but {leading} of {} no episode lead to states in which none starts, with {:.0} % of \
                 the squares of a reward, and shaping explains any reward there; mark where episodes end (a column `terminated`), write next \
                 states as states are written, or sample on from there",
                counted(*total, "shared transition that ends", "shared transitions that end"),
                100.0 * carried,
            ),
            Why::EndsMixed { transitions, between } => write!(
                f,
                "no shared transition counts as the end of an episode: {} marked as {} {}; mark all rows of a transition that ends \
                 episodes, and time limits as `truncated`",
                counted(*transitions, "transition is", "transitions are"),
                if *transitions == 1 { "an end" } else { "ends" },
                if *between { "in one sample and not in the other" } else { "in some of their rows and not in others" }
            ),
            Why::EndsContradict => f.write_str(
                "the marks of ends contradict one another (a state in which an episode ended also starts transitions, or is entered \
                 without an end); mark time limits as `truncated`, not as ends, and leave out rows that start in final states",
            ),
            Why::NoDistance(crate::compare::Undefined::Constant) => f.write_str(
                "nothing is left of a reward but shaping or a constant: it prefers nothing on the shared transitions, so that there is \
                 nothing to compare",
            ),
            Why::NoDistance(why) => write!(f, "the projected distance is undefined: {why}; sample more transitions"),
            Why::OnlyShaping => f.write_str(
                "what shaping leaves of a reward is less than 10⁻⁷ of it: it prefers nothing on the shared transitions, or a large \
                 constant or shaping hides what it prefers; subtract that first",
            ),
            Why::FewDegreesOfFreedom { degrees_of_freedom } => write!(
                f,
                "shaping leaves {} on the shared transitions, and {LEAST_FREEDOM} are needed; sample more transitions between the same \
                 states",
                counted(*degrees_of_freedom, "degree of freedom", "degrees of freedom")
            ),
            Why::NoInterval(why) => write!(f, "the projected distance has no valid interval: {why}"),
        }
    }
}
