//! Whether the transitions that two samples share suffice to compare their rewards, and what more data would help most.
//!
//! What counts is the number of *degrees of freedom*: shared transitions minus the rank of the space of shaping vectors on them (see
//! [`Projection`](crate::project::Projection)). A transition that becomes shared adds one unless it adds to the rank, which is so when it
//! reaches a state that no shared transition had, joins two components, or is the first in its component that forbids levels
//! (0 < γ < 1: a component whose states can be given levels such that every transition leads one level on has one dimension less
//! than it has states).
//!
//! What can become shared without exploring anything new are the transitions that one sample holds and the other lacks. All of them
//! that start in state s share that state, so that what they add can be counted exactly, state by state:
//!
//! gain(s) = transitions − Δrank, with Δrank
//! - for 0 < γ < 1: (balanced components among those of s and its new successors) − (1 if they are balanced together, else 0),
//! - for γ = 1: (components among those of s and its new successors) − 1,
//! - for γ = 0: 1 if s starts no shared transition yet, else 0,
//!
//! where a state of no shared transition is a balanced component of its own. Where a transition ends its episode, or a component holds
//! one that does, nothing is balanced, and for γ = 1 Δrank is the number of components without an end, less one if none has. With γ = 1
//! a shift counts as well, as long as nothing ends and not everything is balanced.

use std::fmt;

use serde::Serialize;

use crate::compare::{Distance, Pair, Row, SharedEnds, Undefined, shared_rows};
use crate::metric::Metric;
use crate::project::{Components, END, Shaping, ShapingGraph};
use crate::sample::{ABSENT, RewardSample, Token};
use crate::settings::{DynamicsRule, FEW_COMMON, Gamma, Settings, Support};

/// With fewer degrees of freedom `projected` is mostly noise.
pub const ENOUGH_FREEDOM: usize = 10;

/// Whether two rewards can be compared on the transitions that two samples share, how, and what would help.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice<'a> {
    /// How many transitions both samples hold.
    pub shared: usize,
    /// What shaping can explain on them.
    pub shaping: Shaping,
    /// The metric to use; `None` when no distance would tell anything yet.
    pub metric: Option<Metric>,
    /// Whether that distance is more than noise: [`ENOUGH_FREEDOM`] degrees of freedom or more, and rewards that vary.
    pub enough: bool,
    /// What speaks against it; empty when there is enough.
    pub reasons: Vec<Reason>,
    /// Whether the discount factor can make a difference (between 0 and 1, both excluded) to what shaping can explain. It makes none
    /// when no shared transition leads on from where another ends, or when every pair of states can be shaped by itself.
    pub gamma_matters: bool,
    /// What is known of the ends of the shared transitions.
    pub ends: SharedEnds,
    /// When all shared transitions end in one state and none leaves it: what can be compared within states.
    pub one_step: Option<OneStep>,
    /// What there would be if each sample held the transitions of both.
    pub together: Together,
    /// The states at which the transitions that one sample holds and the other lacks would add degrees of freedom, most first.
    pub states: Vec<StateGain<'a>>,
}

/// What speaks against a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// The samples share no transition.
    NothingShared,
    /// They share fewer than [`FEW_COMMON`].
    FewShared,
    /// The first reward is the same on all shared transitions.
    FirstConstant,
    /// The second reward is the same on all shared transitions.
    SecondConstant,
    /// At least one of the rewards is nothing but shaping on the shared transitions, up to rounding.
    OnlyShaping,
    /// Shaping can explain any difference.
    NoDegreesOfFreedom,
    /// Shaping leaves fewer than [`ENOUGH_FREEDOM`] degrees of freedom.
    FewDegreesOfFreedom,
    /// Nobody said where episodes end, and there are states that start nothing.
    EndsUnknown,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::NothingShared => "the samples share no transition",
            Reason::FewShared => "the samples share few transitions: a distance would be mostly noise",
            Reason::FirstConstant => "the first reward is the same on all shared transitions",
            Reason::SecondConstant => "the second reward is the same on all shared transitions",
            Reason::OnlyShaping => "a reward is nothing but shaping on the shared transitions",
            Reason::NoDegreesOfFreedom => "shaping can explain any difference on the shared transitions",
            Reason::FewDegreesOfFreedom => "shaping can explain nearly any difference on the shared transitions",
            Reason::EndsUnknown => "it is unknown where episodes end",
        })
    }
}

/// What can be compared where every transition ends in one common state, as with scored responses: shaping shifts all actions of a
/// state alike, so that only actions of the same state are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct OneStep {
    /// States that shared transitions start in.
    pub states: usize,
    /// Those of them with two shared transitions or more.
    pub comparable: usize,
}

/// Two samples taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Together {
    /// The transitions that at least one of them holds.
    pub transitions: usize,
    /// What shaping would leave on them.
    pub degrees_of_freedom: usize,
}

/// What would be gained at a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateGain<'a> {
    /// The state.
    pub state: Token<'a>,
    /// How many degrees of freedom more there would be if both samples held all transitions from here that one of them holds.
    pub gain: usize,
    /// How many of these the first sample lacks, and how many the second.
    pub lacking: [usize; 2],
}

/// Whether the transitions that two samples share suffice to compare their rewards, by which metric, and what would help most.
///
/// With [`ENOUGH_FREEDOM`] degrees of freedom or more the answer is `projected`, which takes shaping out exactly. With enough shared
/// transitions but fewer degrees of freedom it is `srrd`, which has a distance there, though shaping may be part of it; in one-step
/// problems `projected` stays the only one that compares within states. With fewer shared transitions it is none: more data first.
///
/// Of the settings, γ counts. O((n + m) log(n + m)) and a projection of both rewards.
///
/// ```
/// use srrd::{Duplicates, Metric, Pair, RewardSample, Settings};
/// use srrd::advise::{Reason, advise};
/// let grid = |skip: i32| {
///     let pairs = (0..8).flat_map(|s| (0..8).map(move |t| (s, t))).filter(move |(s, t)| s * 8 + t != skip);
///     RewardSample::from_rows(pairs.map(|(s, t)| (s, 0, t, f64::from(s * t % 5))), Duplicates::Mean)
/// };
/// let (a, b) = (grid(-1)?, grid(19)?);
/// let advice = advise(&Pair::new(&a, &b), &Settings::default());
/// assert_eq!((advice.metric, advice.enough), (Some(Metric::Projected), true));
/// // 63 shared transitions of 8 states; the one that b lacks starts in state 2.
/// assert_eq!((advice.shaping.degrees_of_freedom, advice.together.degrees_of_freedom), (55, 56));
/// assert_eq!((advice.states[0].state.as_int(), advice.states[0].gain), (Some(2), 1));
/// # Ok::<(), srrd::SampleError>(())
/// ```
pub fn advise<'a>(pair: &Pair<'a>, settings: &Settings) -> Advice<'a> {
    let gamma = settings.gamma.get();
    let Overlap { shared, lacking, tokens, ends } = Overlap::new(pair, settings);
    let graph = ShapingGraph::new(shared.iter().copied());
    let shaping = shaping(&graph, settings.gamma);
    let rank = shaping.rank;
    let one_step = one_step(&shared);
    let (metric, mut reasons) = verdict(pair, shaping, one_step.is_some(), settings, None);
    // Where all transitions lead to one state, it makes no difference whether that is an end.
    reasons.extend((ends.open() && one_step.is_none()).then_some(Reason::EndsUnknown));

    let all = shared.iter().copied().chain(lacking.iter().map(|lack| (lack.start, lack.end)));
    let transitions = shared.len() + lacking.len();
    let together = if lacking.is_empty() { rank } else { ShapingGraph::new(all).rank(gamma) };
    Advice {
        shared: shared.len(),
        shaping,
        metric,
        enough: reasons.is_empty(),
        reasons,
        gamma_matters: gamma_matters(&shared, &graph),
        one_step,
        ends,
        together: Together { transitions, degrees_of_freedom: transitions - together },
        states: gains(&tokens, &shared, &lacking, gamma),
    }
}

/// The metric that [`advise`] names, without the rest of the advice; `projected` is the distance by that metric with these settings,
/// where it is known.
pub(crate) fn fitting(pair: &Pair<'_>, settings: &Settings, projected: Option<Distance>) -> Option<Metric> {
    // Advice is about transitions one by one, on those that the samples share.
    let same = settings.support == Support::Pair && settings.dynamics == DynamicsRule::Deterministic;
    let projected = projected.filter(|_| same);
    let (rows, _) = shared_rows(pair, settings.ends);
    let shared: Vec<(u32, u32)> = rows.iter().map(Row::leads_to).collect();
    drop(rows);
    let known = projected.and_then(|projected| projected.shaping);
    let shaping = known.unwrap_or_else(|| shaping(&ShapingGraph::new(shared.iter().copied()), settings.gamma));
    verdict(pair, shaping, one_step(&shared).is_some(), settings, projected).0
}

/// What shaping can explain on the transitions of a graph.
fn shaping(graph: &ShapingGraph, gamma: Gamma) -> Shaping {
    let rank = graph.rank(gamma.get());
    Shaping { rank, components: graph.components.len(), degrees_of_freedom: graph.transitions() - rank }
}

/// The metric to use, and what speaks against it.
fn verdict(
    pair: &Pair<'_>,
    shaping: Shaping,
    one_step: bool,
    settings: &Settings,
    projected: Option<Distance>,
) -> (Option<Metric>, Vec<Reason>) {
    let Pair { a, b, common } = pair;
    let Some(&(first_a, first_b)) = common.first() else { return (None, vec![Reason::NothingShared]) };
    let value = |sample: &RewardSample, index: u32| sample.rewards()[index as usize];
    let mut reasons = Vec::new();
    if common.len() < FEW_COMMON {
        reasons.push(Reason::FewShared);
    }
    let constant_a = common.iter().all(|&(i, _)| value(a, i) == value(a, first_a));
    let constant_b = common.iter().all(|&(_, j)| value(b, j) == value(b, first_b));
    // A single transition is constant anyway.
    if common.len() > 1 {
        reasons.extend(constant_a.then_some(Reason::FirstConstant));
        reasons.extend(constant_b.then_some(Reason::SecondConstant));
    }
    if shaping.degrees_of_freedom == 0 {
        reasons.push(Reason::NoDegreesOfFreedom);
    } else if shaping.degrees_of_freedom < ENOUGH_FREEDOM {
        reasons.push(Reason::FewDegreesOfFreedom);
    }
    if shaping.degrees_of_freedom > 0 && !constant_a && !constant_b {
        let exact = Settings { support: Support::Pair, min_common: 1, ..*settings };
        // A distance that is there is the same with other limits.
        let known = projected.filter(|known| known.undefined().is_none());
        let projected = known.unwrap_or_else(|| pair.distance(Metric::Projected, &exact));
        let nothing_left = projected.undefined() == Some(Undefined::Constant);
        reasons.extend(nothing_left.then_some(Reason::OnlyShaping));
    }
    let hopeless = [Reason::FewShared, Reason::FirstConstant, Reason::SecondConstant, Reason::OnlyShaping];
    let metric = match shaping.degrees_of_freedom {
        _ if reasons.iter().any(|reason| hopeless.contains(reason)) => None,
        ENOUGH_FREEDOM.. => Some(Metric::Projected),
        // The others do not compare within states there.
        1.. if one_step => Some(Metric::Projected),
        0 if one_step => None,
        _ => Some(Metric::Srrd),
    };
    (metric, reasons)
}

/// A transition that one of the samples lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Lacking {
    start: u32,
    end: u32,
    /// 0 when the first sample lacks it, 1 when the second does.
    sample: usize,
}

/// The transitions of two samples in one numbering of states: those of the first, then those that only the second has.
struct Overlap<'a> {
    /// Where every shared transition starts and leads to; [`END`] for one that ends its episode.
    shared: Vec<(u32, u32)>,
    /// The others, sorted by start.
    lacking: Vec<Lacking>,
    tokens: Vec<Token<'a>>,
    ends: SharedEnds,
}

impl<'a> Overlap<'a> {
    fn new(pair: &Pair<'a>, settings: &Settings) -> Self {
        let &Pair { a, b, ref common } = pair;
        let mut tokens: Vec<Token<'a>> = a.states().iter().collect();
        let mut number = b.states.ids_in(&a.states);
        for (id, number) in number.iter_mut().enumerate().filter(|(_, number)| **number == ABSENT) {
            *number = tokens.len() as u32;
            tokens.push(b.states().token(id as u32));
        }
        let (rows, ends) = shared_rows(pair, settings.ends);
        let shared = rows.iter().map(Row::leads_to).collect();
        let mut lacking = Vec::new();
        let mut known = common.iter().map(|pair| pair.0).peekable();
        for (index, (start, end)) in (0u32..).zip(a.leads_to()) {
            if known.next_if_eq(&index).is_none() {
                lacking.push(Lacking { start, end, sample: 1 });
            }
        }
        let mut known = common.iter().map(|pair| pair.1).peekable();
        for (index, (start, end)) in (0u32..).zip(b.leads_to()) {
            if known.next_if_eq(&index).is_none() {
                let end = if end == END { END } else { number[end as usize] };
                lacking.push(Lacking { start: number[start as usize], end, sample: 0 });
            }
        }
        lacking.sort_unstable();
        Overlap { shared, lacking, tokens, ends }
    }
}

/// See the formula on top.
fn gains<'a>(tokens: &[Token<'a>], shared: &[(u32, u32)], lacking: &[Lacking], gamma: f64) -> Vec<StateGain<'a>> {
    if lacking.is_empty() {
        return Vec::new();
    }
    let components = Components::new(tokens.len(), shared.iter().copied());
    let mut starts = vec![false; tokens.len()];
    shared.iter().for_each(|&(start, _)| starts[start as usize] = true);
    let mut states: Vec<StateGain<'a>> = lacking
        .chunk_by(|p, q| p.start == q.start)
        .map(|from| {
            let state = from[0].start;
            let more_rank = if gamma == 0.0 {
                isize::from(!starts[state as usize])
            } else {
                more_rank(&components, state, from.iter().map(|lack| lack.end), gamma == 1.0)
            };
            let lacked_by = |sample| from.iter().filter(|lack| lack.sample == sample).count();
            // Every new dimension takes a transition of its own.
            let gain = from.len().saturating_add_signed(-more_rank);
            StateGain { state: tokens[state as usize], gain, lacking: [lacked_by(0), lacked_by(1)] }
        })
        .filter(|gain| gain.gain > 0)
        .collect();
    states.sort_by(|p, q| q.gain.cmp(&p.gain).then(p.state.cmp(&q.state)));
    states
}

/// By how much the rank grows when a state gets these successors, for γ > 0. It shrinks where a shift is no longer free.
fn more_rank(components: &Components, state: u32, ends: impl Iterator<Item = u32>, undiscounted: bool) -> isize {
    let Components { of_state, level, balanced, grounded } = components;
    let (own, here) = (of_state[state as usize], level[state as usize]);
    // The components that are joined, each with what its levels are moved by to go on from this state's.
    let mut joined: rustc_hash::FxHashMap<u32, i64> = std::iter::once((own, 0)).collect();
    let (mut consistent, mut ended) = (true, false);
    for end in ends {
        if end == END {
            ended = true;
            continue;
        }
        let (component, level) = (of_state[end as usize], level[end as usize]);
        let moved = *joined.entry(component).or_insert(here + 1 - level);
        consistent &= moved + level == here + 1;
    }
    let count = |of: &[bool]| joined.keys().filter(|&&component| of[component as usize]).count();
    let before = count(balanced);
    let after = usize::from(consistent && !ended && before == joined.len());
    if !undiscounted {
        return before as isize - after as isize;
    }
    let free = joined.len() - count(grounded);
    let shaping = free as isize - isize::from(!ended && free == joined.len());
    // Whether a shift is a dimension of its own.
    let nothing_ends = !grounded.contains(&true);
    let unbalanced = balanced.iter().filter(|balanced| !**balanced).count();
    let elsewhere = unbalanced > joined.len() - before;
    let shift_before = nothing_ends && unbalanced > 0;
    let shift_after = nothing_ends && !ended && (elsewhere || after == 0);
    shaping + isize::from(shift_after) - isize::from(shift_before)
}

/// The states and what can be compared in them, if all transitions end in one state that starts none.
fn one_step(shared: &[(u32, u32)]) -> Option<OneStep> {
    let &(_, end) = shared.first()?;
    if shared.iter().any(|&(start, other)| other != end || start == end) {
        return None;
    }
    // Shared transitions are sorted by their start.
    let (states, comparable) = shared
        .chunk_by(|p, q| p.0 == q.0)
        .fold((0, 0), |(states, comparable), from| (states + 1, comparable + usize::from(from.len() > 1)));
    Some(OneStep { states, comparable })
}

/// Whether the space of shaping vectors can depend on γ within (0, 1); false only where it does not.
fn gamma_matters(shared: &[(u32, u32)], graph: &ShapingGraph) -> bool {
    let mut ends = vec![false; graph.states()];
    graph.edges.iter().filter(|edge| edge.target != END).for_each(|edge| ends[edge.target as usize] = true);
    // A state that only starts transitions, or only ends them, has a column whose scale is free.
    let leads_on = graph.starts.iter().zip(&ends).any(|(starts, ends)| *starts && *ends);
    // Within (0, 1) the rank is the same for all γ. When it is that of all pairs of states, every vector that is the same for all
    // actions of a pair is shaping.
    let pairs = shared.chunk_by(|p, q| p == q).count();
    leads_on && graph.rank(0.5) < pairs
}

#[cfg(test)]
mod tests;
