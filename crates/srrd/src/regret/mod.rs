//! What it costs to act on the wrong reward.
//!
//! π_a is a policy that is optimal for reward a. Under reward b it earns less than π_b, by
//!
//! regret = (V*_b − V^{π_a}_b) / (V*_b − V^{worst}_b),
//!
//! values from where episodes start: 0 where π_a does as well as can be, 1 where it does as badly. In both directions, since it is not
//! symmetric. Undefined where all policies earn the same.
//!
//! **Ties.** Where several actions are equally good for a (within 10⁻⁹ of the largest value), π_a takes each of them as often: neither the
//! best nor the worst of what a leaves open.
//!
//! **Dynamics** are given, or counted from the two samples together: P(s' | s, a) by how often a row occurs in the two, and the reward of (s, a)
//! its mean over the rows of a sample. An action that a sample never tried in a state has no reward there and is not available. A row that ends
//! leads nowhere, and so does a state in which no action is available: nothing is earned from there on.
//!
//! **Starts** are all states with an available action, equally likely, unless they are named.
//!
//! Sparse: O(transitions) per sweep, some hundred sweeps.

mod solve;

use serde::Serialize;
use thiserror::Error;

use self::solve::Solver;
use crate::dynamics::{Dynamics, DynamicsError, check_probabilities};
use crate::sample::{ABSENT, RewardSample, Token, Vocabulary};
use crate::settings::Gamma;
use crate::theory::LARGEST_GAMMA;

/// Of the largest value: actions that differ by less are equally good, and policies by less earn the same.
const TIE: f64 = 1e-9;

/// Why there is no regret.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum RegretError {
    /// Values are infinite without a discount.
    #[error("the discount factor is {0}, but values need one of at most {LARGEST_GAMMA}")]
    Discount(f64),
    /// No action has two rewards.
    #[error("the two samples share no pair of state and action: an action is available where both have a reward of it")]
    NothingShared,
    /// A start that is not there.
    #[error("no action is available in the state '{0}' where episodes are to start")]
    Start(String),
    /// A model that is none.
    #[error("the probabilities of the model for action '{action}' in state '{state}' are not a distribution: {why}")]
    Model {
        /// s
        state: String,
        /// a
        action: String,
        /// What is wrong with them.
        why: String,
    },
    /// Dynamics that do not fit.
    #[error(transparent)]
    Dynamics(#[from] DynamicsError),
    /// Not one reward per known pair.
    #[error("there are {found} rewards where {expected} are needed, one per known pair of state and action")]
    Rewards {
        /// The known pairs.
        expected: usize,
        /// What was given.
        found: usize,
    },
}

/// What acting on one reward earns under another, from where episodes start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Regret {
    /// (optimal − earned) / (optimal − worst); `None` where all policies earn the same.
    pub regret: Option<f64>,
    /// What the best policy earns.
    pub optimal: f64,
    /// What the policy that is optimal for the other reward earns.
    pub earned: f64,
    /// What the worst policy earns.
    pub worst: f64,
}

/// Regret in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MutualRegret {
    /// Of acting on a, under b.
    pub a_under_b: Regret,
    /// Of acting on b, under a.
    pub b_under_a: Regret,
}

/// Regret in both directions, with what it was computed on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SampledRegret {
    /// γ
    pub gamma: f64,
    /// How many states have an available action.
    pub states: usize,
    /// How many pairs of state and action are available.
    pub available: usize,
    /// How many only one sample knows; they are left out.
    pub left_out: usize,
    /// How many states are led to in which no action is available; nothing is earned from there on.
    pub dead_ends: usize,
    /// How many states episodes start in.
    pub starts: usize,
    /// Regret in both directions.
    #[serde(flatten)]
    pub regret: MutualRegret,
}

/// Regret between two rewards that have names.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NamedRegret {
    /// The first reward.
    pub a: String,
    /// The second.
    pub b: String,
    /// What was found.
    #[serde(flatten)]
    pub found: SampledRegret,
}

impl SampledRegret {
    /// The same with the names of the two rewards.
    #[must_use]
    pub fn named(self, a: &str, b: &str) -> NamedRegret {
        NamedRegret { a: a.to_owned(), b: b.to_owned(), found: self }
    }
}

/// Regret on known dynamics, from their initial distribution. Rewards are expected ones, r(s, a), one per known pair in the order of
/// [`Dynamics::iter`]; states of which no action is known are ends.
///
/// ```
/// use srrd::{Dynamics, Gamma, regret::mutual_regret};
/// // A corridor: left leads to state 1, right to state 2, both are ends.
/// let exits = Dynamics::new(3, 2, [(0, 0, 1, 1.0), (0, 1, 2, 1.0)])?.with_initial(vec![1.0, 0.0, 0.0])?;
/// let found = mutual_regret(&exits, &[1.0, 0.0], &[0.0, 5.0], Gamma::default())?;
/// assert_eq!(found.a_under_b.regret, Some(1.0));
/// // Where a does not care, both exits are taken alike.
/// let found = mutual_regret(&exits, &[1.0, 1.0], &[0.0, 5.0], Gamma::default())?;
/// assert_eq!((found.a_under_b.regret, found.b_under_a.regret), (Some(0.5), None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When γ is too near to 1, there is no initial distribution, or not one reward per known pair.
pub fn mutual_regret(dynamics: &Dynamics, a: &[f64], b: &[f64], gamma: Gamma) -> Result<MutualRegret, RegretError> {
    if gamma.get() > LARGEST_GAMMA {
        return Err(RegretError::Discount(gamma.get()));
    }
    let expected = dynamics.pairs();
    if let Some(found) = [a.len(), b.len()].into_iter().find(|&found| found != expected) {
        return Err(RegretError::Rewards { expected, found });
    }
    let initial = dynamics.initial().ok_or(DynamicsError::NoInitial)?;
    let solver = Solver::new(dynamics, gamma.get());
    let total = |values: &[f64]| initial.iter().zip(values).map(|(p, v)| p * v).sum::<f64>();
    let best = |rewards: &[f64]| {
        let values = solver.optimal(rewards);
        let policy = solver.greedy(rewards, &values, TIE * solver.scale(rewards));
        (total(&values), policy)
    };
    let [(best_a, policy_a), (best_b, policy_b)] = [best(a), best(b)];
    let under = |rewards: &[f64], optimal: f64, policy: &solve::Policy| {
        let opposite: Vec<f64> = rewards.iter().map(|r| -r).collect();
        let worst = -total(&solver.optimal(&opposite));
        let earned = total(&solver.evaluate(rewards, policy)).clamp(worst.min(optimal), optimal.max(worst));
        let range = optimal - worst;
        let regret = (range > TIE * solver.scale(rewards)).then(|| ((optimal - earned) / range).clamp(0.0, 1.0));
        Regret { regret, optimal, earned, worst }
    };
    Ok(MutualRegret { a_under_b: under(b, best_b, &policy_a), b_under_a: under(a, best_a, &policy_b) })
}

/// Regret between the rewards of two samples. `starts` names the states that episodes start in, equally likely; all states with an available
/// action where it is empty.
///
/// Dynamics are counted from the two samples together, or given: `model` is then a sample whose rewards are the probabilities of its
/// transitions, and the reward of (s, a) is the mean over the next states that a sample has, by their probabilities.
///
/// ```
/// use srrd::{Duplicates, Gamma, RewardSample, regret::sampled_regret};
/// let rows = |left: f64, right: f64| [("hall", "left", "yard", left), ("hall", "right", "street", right)];
/// let a = RewardSample::from_rows(rows(1.0, 0.0), Duplicates::Mean)?;
/// let b = RewardSample::from_rows(rows(0.2, 0.3), Duplicates::Mean)?;
/// let found = sampled_regret(&a, &b, None, Gamma::default(), &[])?;
/// assert_eq!(found.regret.a_under_b.regret, Some(1.0));
/// assert_eq!((found.available, found.dead_ends), (2, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When γ is too near to 1, no pair of state and action has two rewards, the model is none, or a start is not there.
pub fn sampled_regret(
    a: &RewardSample,
    b: &RewardSample,
    model: Option<&RewardSample>,
    gamma: Gamma,
    starts: &[String],
) -> Result<SampledRegret, RegretError> {
    if gamma.get() > LARGEST_GAMMA {
        return Err(RegretError::Discount(gamma.get()));
    }
    let process = Process::new([Some(a), Some(b), model])?;
    let dynamics = &process.dynamics;
    let acts: Vec<bool> = (0..dynamics.states()).map(|s| !dynamics.pairs_of(s).is_empty()).collect();
    let mut reached = vec![false; acts.len()];
    dynamics.iter().for_each(|(_, _, ahead)| ahead.iter().for_each(|(t, _)| reached[t] = true));
    // The last is no state of a sample, but what rows that end lead to.
    let dead_ends = (0..acts.len() - 1).filter(|&s| reached[s] && !acts[s]).count();
    let initial = process.initial(&acts, [Some(a), Some(b), model], starts)?;
    let count = initial.iter().filter(|p| **p > 0.0).count();
    let available = dynamics.pairs();
    let Process { dynamics, rewards, left_out, .. } = process;
    let regret = mutual_regret(&dynamics.with_initial(initial)?, &rewards[0], &rewards[1], gamma)?;
    let states = acts.iter().filter(|acts| **acts).count();
    Ok(SampledRegret { gamma: gamma.get(), states, available, left_out, dead_ends, starts: count, regret })
}

/// What two samples, and a model where there is one, make of a decision process.
struct Process {
    dynamics: Dynamics,
    rewards: [Vec<f64>; 2],
    /// Pairs (s, a) that not both samples have a reward of.
    left_out: usize,
    states: Numbering,
}

/// A transition of one of the samples, or of the model.
struct Row {
    /// s, a and s' under the common numbering.
    key: (u32, u32, u32),
    side: usize,
    reward: f64,
    /// How often it occurred; in a model its probability.
    weight: f64,
    ends: Option<bool>,
}

/// The side of the model.
const MODEL: usize = 2;

impl Process {
    fn new(sides: [Option<&RewardSample>; 3]) -> Result<Self, RegretError> {
        let states = Numbering::new(sides.map(|sample| sample.map(RewardSample::states)));
        let actions = Numbering::new(sides.map(|sample| sample.map(RewardSample::actions)));
        let given = sides[MODEL].is_some();
        let mut rows: Vec<Row> = Vec::new();
        for (side, sample) in sides.into_iter().enumerate().filter_map(|(side, sample)| Some((side, sample?))) {
            let (state, action) = (&states.numbers[side], &actions.numbers[side]);
            rows.extend(sample.ids().enumerate().map(|(i, (s, a, t))| {
                let key = (state[s as usize], action[a as usize], state[t as usize]);
                let reward = sample.rewards()[i];
                let weight = if side == MODEL { reward } else { f64::from(sample.occurrences(i)) };
                Row { key, side, reward, weight, ends: sample.ends().at(i) }
            }));
        }
        rows.sort_by_key(|row| (row.key, row.side));
        let (mut known, mut rewards, mut left_out) = (Vec::new(), [Vec::new(), Vec::new()], 0);
        for pair in rows.chunk_by(|one, other| (one.key.0, one.key.1) == (other.key.0, other.key.1)) {
            let (s, a, _) = pair[0].key;
            // By side: Σ weight and Σ weight · reward.
            let mut sums = [[0.0; 2]; 2];
            let mut ahead: Vec<(usize, f64)> = Vec::new();
            for same in pair.chunk_by(|one, other| one.key == other.key) {
                let of_model: f64 = same.iter().filter(|row| row.side == MODEL).map(|row| row.weight).sum();
                for row in same.iter().filter(|row| row.side != MODEL) {
                    let weight = if given { of_model } else { row.weight };
                    sums[row.side][0] += weight;
                    sums[row.side][1] += weight * row.reward;
                }
                let weight = if given { of_model } else { same.iter().map(|row| row.weight).sum() };
                // It ends an episode where somebody says so and nobody denies it.
                let mut said = same.iter().filter_map(|row| row.ends).peekable();
                let ends = said.peek().is_some() && said.all(|ends| ends);
                let next = if ends { states.count } else { same[0].key.2 as usize };
                match ahead.iter_mut().find(|(t, _)| *t == next) {
                    Some((_, total)) => *total += weight,
                    None => ahead.push((next, weight)),
                }
            }
            if sums.iter().any(|sum| sum[0] <= 0.0) {
                left_out += 1;
                continue;
            }
            rewards.iter_mut().zip(sums).for_each(|(rewards, [weight, sum])| rewards.push(sum / weight));
            if given {
                check_probabilities(ahead.iter().map(|(_, weight)| *weight)).map_err(|why| RegretError::Model {
                    state: states.name(s, sides.map(|sample| sample.map(RewardSample::states))),
                    action: actions.name(a, sides.map(|sample| sample.map(RewardSample::actions))),
                    why,
                })?;
            }
            let total = if given { 1.0 } else { ahead.iter().map(|(_, weight)| weight).sum() };
            known.extend(ahead.iter().map(|&(t, weight)| (s as usize, a as usize, t, weight / total)));
        }
        if known.is_empty() {
            return Err(RegretError::NothingShared);
        }
        let dynamics = Dynamics::new(states.count + 1, actions.count, known)?.normalized();
        Ok(Process { dynamics, rewards, left_out, states })
    }

    /// Where episodes start: the named states, or all with an available action, equally likely.
    fn initial(
        &self,
        acts: &[bool],
        sides: [Option<&RewardSample>; 3],
        starts: &[String],
    ) -> Result<Vec<f64>, RegretError> {
        let mut chosen = acts.to_vec();
        if !starts.is_empty() {
            chosen.fill(false);
            for name in starts {
                let number = |(side, sample): (usize, &Option<&RewardSample>)| {
                    let id = sample.as_ref()?.states().find(Token::text(name))?;
                    Some(self.states.numbers[side][id as usize] as usize)
                };
                let found = sides.iter().enumerate().find_map(number);
                let state = found.filter(|&state| acts[state]).ok_or_else(|| RegretError::Start(name.clone()))?;
                chosen[state] = true;
            }
        }
        let count = chosen.iter().filter(|chosen| **chosen).count() as f64;
        Ok(chosen.iter().map(|&chosen| if chosen { 1.0 / count } else { 0.0 }).collect())
    }
}

/// The tokens of several vocabularies under one numbering: those of the first, then those that others add.
struct Numbering {
    count: usize,
    /// By vocabulary, the number of every token.
    numbers: [Vec<u32>; 3],
}

impl Numbering {
    fn new(vocabularies: [Option<&Vocabulary>; 3]) -> Self {
        let (mut count, mut numbers) = (0, [Vec::new(), Vec::new(), Vec::new()]);
        for (side, vocabulary) in vocabularies.iter().enumerate() {
            let Some(vocabulary) = vocabulary else { continue };
            let mut own = vec![ABSENT; vocabulary.len()];
            for (earlier, known) in vocabularies[..side].iter().zip(&numbers) {
                let Some(earlier) = earlier else { continue };
                for (number, id) in own.iter_mut().zip(vocabulary.ids_in(earlier)) {
                    if id != ABSENT && *number == ABSENT {
                        *number = known[id as usize];
                    }
                }
            }
            for number in own.iter_mut().filter(|number| **number == ABSENT) {
                *number = count as u32;
                count += 1;
            }
            numbers[side] = own;
        }
        Numbering { count, numbers }
    }

    /// The token of a number.
    fn name(&self, number: u32, vocabularies: [Option<&Vocabulary>; 3]) -> String {
        let of = |(vocabulary, numbers): (&Option<&Vocabulary>, &Vec<u32>)| {
            let id = numbers.iter().position(|&known| known == number)?;
            Some(vocabulary.as_ref()?.token(id as u32).to_string())
        };
        vocabularies.iter().zip(&self.numbers).find_map(of).unwrap_or_default()
    }
}
