//! Reward samples: a finite set of transitions, each with one reward. Immutable once built.

mod assemble;
mod builder;
mod bytes;
mod ends;
mod model;
mod named;
mod texts;
mod token;
mod vocabulary;

pub use builder::{Apart, Duplicates, LARGEST_REWARD, OfList, OwnRows, Placement, SampleBuilder, SampleError, Scored};
pub use bytes::BytesError;
pub use ends::Ends;
pub use named::NamedSample;
pub use token::Token;
pub(crate) use token::compare_features;
pub use vocabulary::Vocabulary;
pub(crate) use vocabulary::{ABSENT, Interner};

use std::sync::Arc;

use crate::graph::Graph;
use crate::regress::{Prediction, RewardTable, TableError, Unsampled};
use crate::settings::{Actions, Regression};

/// A finite set of transitions (s, a, s') with one reward each.
///
/// Anything outside the set is *unsampled*: its reward is unknown, not zero. Transitions are kept sorted by
/// (state, next state, action) in [token order](Token), whatever the order they came in, which is why results do not depend
/// on it.
///
/// ```
/// use srrd::{RewardSample, Duplicates};
/// let sample = RewardSample::from_rows(
///     [("home", "walk", "park", 1.0), ("park", "rest", "park", 0.5), ("home", "walk", "park", 3.0)],
///     Duplicates::Mean,
/// )?;
/// assert_eq!(sample.len(), 2);
/// assert_eq!(sample.duplicates().averaged, 1);
/// assert_eq!(sample.transition(0).reward, 2.0);
/// # Ok::<(), srrd::SampleError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RewardSample {
    // Shared by samples of the same transitions: many rewards of one table, and copies.
    pub(crate) states: Arc<Vocabulary>,
    pub(crate) actions: Arc<Vocabulary>,
    pub(crate) graph: Arc<Graph>,
    /// The action and the reward of every transition, in the graph's order.
    pub(crate) action: Arc<Vec<u32>>,
    pub(crate) reward: Arc<Vec<f64>>,
    pub(crate) duplicates: DuplicateCounts,
    /// What counts for the rewards of unsampled transitions. A regression only where every state has features, a table only one of
    /// these very states and actions.
    pub(crate) unsampled: Option<Unsampled>,
    pub(crate) repeats: Repeats,
    pub(crate) ends: Ends,
    /// How many rows every transition had; `None` when each had one.
    pub(crate) occurrences: Option<Arc<Vec<u32>>>,
    /// How likely each transition is, given its state and action, where a model says so. Not part of what is written as bytes.
    pub(crate) probabilities: Option<Vec<f64>>,
    /// The states in which a model knows an action that the sample does not hold with all its next states, [`ABSENT`] for states that the
    /// sample does not know; `None` without a model that is known to be right. Not part of what is written as bytes.
    pub(crate) incomplete: Option<Vec<u32>>,
}

/// What transitions that occurred several times tell of the noise of rewards: totals, so that it costs nothing a transition.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Repeats {
    /// Σ (reward − mean of its transition)² over all rows.
    pub squares: f64,
    /// Σ (occurrences − 1) over all transitions.
    pub freedom: usize,
    /// Σ (1 − 1/occurrences) over the transitions whose reward is the mean of several.
    pub averaged_out: f64,
}

/// How often the same transition was met again while a sample was built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DuplicateCounts {
    /// Rows that were given.
    pub rows: usize,
    /// Rows that repeated a transition met before: rows − transitions.
    pub repeated: usize,
    /// Transitions that occurred with unequal rewards, of which one reward was made.
    pub averaged: usize,
    /// How that was done.
    pub policy: Duplicates,
}

/// One transition of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transition<'a> {
    /// s
    pub state: Token<'a>,
    /// a
    pub action: Token<'a>,
    /// s'
    pub next_state: Token<'a>,
    /// R(s, a, s')
    pub reward: f64,
}

impl RewardSample {
    /// A sample of which nothing more is known: neither ends nor how often its transitions occurred.
    fn of_parts(
        [states, actions]: [Arc<Vocabulary>; 2],
        graph: Graph,
        action: Vec<u32>,
        reward: Vec<f64>,
        (duplicates, repeats): (DuplicateCounts, Repeats),
    ) -> Self {
        RewardSample {
            states,
            actions,
            graph: Arc::new(graph),
            action: Arc::new(action),
            reward: Arc::new(reward),
            duplicates,
            unsampled: None,
            repeats,
            ends: Ends::unknown(),
            occurrences: None,
            probabilities: None,
            incomplete: None,
        }
    }

    /// A sample from rows (state, action, next state, reward).
    pub fn from_rows<'a, S, A, N>(
        rows: impl IntoIterator<Item = (S, A, N, f64)>,
        duplicates: Duplicates,
    ) -> Result<Self, SampleError>
    where
        S: Into<Token<'a>>,
        A: Into<Token<'a>>,
        N: Into<Token<'a>>,
    {
        let mut builder = SampleBuilder::new();
        for (state, action, next_state, reward) in rows {
            builder.push(state.into(), action.into(), next_state.into(), reward)?;
        }
        builder.build(duplicates)
    }

    /// How many transitions the sample holds. Never 0.
    pub fn len(&self) -> usize {
        self.reward.len()
    }

    /// Always false: a sample without transitions cannot be built.
    pub fn is_empty(&self) -> bool {
        self.reward.is_empty()
    }

    /// The explored states, sorted.
    pub fn states(&self) -> &Vocabulary {
        &self.states
    }

    /// The explored actions, sorted.
    pub fn actions(&self) -> &Vocabulary {
        &self.actions
    }

    /// The rewards, in the order of [`transitions`](Self::transitions).
    pub fn rewards(&self) -> &[f64] {
        &self.reward
    }

    /// How many rows a transition had.
    pub fn occurrences(&self, transition: usize) -> u32 {
        self.occurrences.as_ref().map_or(1, |counts| counts[transition])
    }

    /// What was merged while the sample was built.
    pub fn duplicates(&self) -> DuplicateCounts {
        self.duplicates
    }

    /// The transition with this index.
    ///
    /// # Panics
    /// If `index` is not below [`len`](Self::len).
    pub fn transition(&self, index: usize) -> Transition<'_> {
        let edge = self.edge_of(index);
        Transition {
            state: self.states.token(self.graph.source(edge)),
            action: self.actions.token(self.action[index]),
            next_state: self.states.token(self.graph.target(edge)),
            reward: self.reward[index],
        }
    }

    /// All transitions, sorted by (state, next state, action).
    pub fn transitions(&self) -> impl Iterator<Item = Transition<'_>> {
        self.ids().zip(self.reward.iter()).map(|((state, action, next_state), &reward)| Transition {
            state: self.states.token(state),
            action: self.actions.token(action),
            next_state: self.states.token(next_state),
            reward,
        })
    }

    /// The ids (state, action, next state) of all transitions, in order: places in [`states`](Self::states) and
    /// [`actions`](Self::actions).
    pub fn ids(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        (0..self.graph.edges()).flat_map(move |edge| {
            let (x, y) = (self.graph.source(edge), self.graph.target(edge));
            self.action[self.graph.transitions(edge)].iter().map(move |&a| (x, a, y))
        })
    }

    /// The states that transitions start from (S3), as ids into [`states`](Self::states).
    pub fn initial_states(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.graph.states() as u32).filter(|&x| self.graph.is_initial(x))
    }

    /// The states that transitions end in (S4).
    pub fn subsequent_states(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.graph.states() as u32).filter(|&x| self.graph.is_subsequent(x))
    }

    /// The states that only end transitions.
    pub fn terminal_states(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.graph.states() as u32).filter(|&x| !self.graph.is_initial(x))
    }

    /// succ(x): the states that sampled transitions from `x` end in, ascending.
    pub fn successors(&self, state: u32) -> &[u32] {
        self.graph.successors(state)
    }

    /// Whether the transitions of both, as numbers of states and actions, are the same.
    pub(crate) fn has_transitions_of(&self, other: &RewardSample) -> bool {
        let same = |a: &Vocabulary, b: &Vocabulary| a.len() == b.len();
        let vocabularies = same(&self.states, &other.states) && same(&self.actions, &other.actions);
        vocabularies && self.graph == other.graph && self.action == other.action
    }

    /// Sampled transitions / (explored states × explored actions × explored states).
    pub fn coverage(&self) -> f64 {
        self.coverage_of(self.states.len() as f64, self.actions.len() as f64)
    }

    /// Sampled transitions / (states × actions × states) for a full space of the given size.
    pub fn coverage_of(&self, states: f64, actions: f64) -> f64 {
        self.len() as f64 / (states * actions * states)
    }

    /// The same transitions with other rewards, given in the order of [`transitions`](Self::transitions). A regression is fitted on
    /// them; a [table](Self::with_reward_table) is dropped, since it says what another reward function says.
    ///
    /// # Errors
    /// When the number of rewards is not [`len`](Self::len) or one of them is not finite or too big.
    pub fn with_rewards(&self, rewards: Vec<f64>) -> Result<Self, SampleError> {
        if rewards.len() != self.len() {
            return Err(SampleError::WrongLength { expected: self.len(), found: rewards.len() });
        }
        for (row, &reward) in rewards.iter().enumerate() {
            builder::check_reward(reward, row)?;
        }
        let rows = rewards.len();
        Ok(RewardSample {
            states: Arc::clone(&self.states),
            actions: Arc::clone(&self.actions),
            graph: Arc::clone(&self.graph),
            action: Arc::clone(&self.action),
            reward: Arc::new(rewards),
            duplicates: DuplicateCounts { rows, ..DuplicateCounts::default() },
            unsampled: self.regression().map(Unsampled::Fitted),
            repeats: Repeats::default(),
            ends: self.ends.clone(),
            occurrences: self.occurrences.clone(),
            probabilities: self.probabilities.clone(),
            incomplete: self.incomplete.clone(),
        })
    }

    /// The same sample, with predicted rewards for the transitions it lacks: the *regressed* estimator.
    ///
    /// Where the double-batch estimator would count 0 for an unsampled transition, it then counts what a model predicts that
    /// is fitted on the sampled transitions, from the features of s and s' and, with [`Actions::Joint`], those of the action
    /// if it has any. With [`Actions::Marginal`] the model is fitted on the mean reward of every sampled pair (s, s'). The
    /// unbiased estimator asks for no unsampled transition and stays as it is, and so do `direct` and `projected`.
    ///
    /// ```
    /// use srrd::{canonicalize, Duplicates, Metric, RewardSample, Settings};
    /// use srrd::settings::Regression;
    /// // Pure shaping, 0.9 φ(s') − φ(s) with φ(s) = 2s, of which only the steps of one and two were sampled.
    /// let states: Vec<[f64; 1]> = (0..6).map(|x| [f64::from(x)]).collect();
    /// let steps = (0..6usize).flat_map(|s| [(s, s + 1), (s, s + 2)]).filter(|step| step.1 < 6);
    /// let rows = steps.map(|(s, t)| (&states[s][..], 0, &states[t][..], 0.9 * 2.0 * t as f64 - 2.0 * s as f64));
    /// let plain = RewardSample::from_rows(rows, Duplicates::Mean)?;
    /// let left = |sample: &RewardSample| {
    ///     let canonical = canonicalize(sample, Metric::Epic, &Settings::default());
    ///     canonical.iter().fold(0.0f64, |most, c| most.max(c.abs()))
    /// };
    /// assert!(left(&plain) > 1.0);
    /// // It is linear in the features, so that all other transitions are predicted right, and nothing is left of it.
    /// assert!(left(&plain.with_regression(Regression::Linear)?) < 1e-12);
    /// # Ok::<(), srrd::SampleError>(())
    /// ```
    ///
    /// # Errors
    /// [`SampleError::NoFeatures`] when a state is not a tuple of features.
    pub fn with_regression(self, regression: Regression) -> Result<Self, SampleError> {
        if self.states.all_features().is_none() {
            // Tuples come last in the order of tokens.
            return Err(SampleError::NoFeatures { state: self.states.token(0).to_string() });
        }
        Ok(RewardSample { unsampled: Some(Unsampled::Fitted(regression)), ..self })
    }

    /// The same sample, with what its reward function says of the transitions it lacks: for rewards that can be asked for, such as a
    /// learned model.
    ///
    /// As [`with_regression`](Self::with_regression), which it replaces, but nothing is predicted: an unsampled transition
    /// counts for its cell of the table. Sampled ones keep their rewards.
    ///
    /// ```
    /// use srrd::{canonicalize, Duplicates, Metric, RewardSample, Settings};
    /// use srrd::regress::RewardTable;
    /// // Pure shaping, 0.9 φ(s') − φ(s), of which only a ring was sampled.
    /// let potential = [3.0, -1.0, 4.0, 1.5, -9.0];
    /// let reward = |s: usize, t: usize| 0.9 * potential[t] - potential[s];
    /// let rows = (0..5usize).map(|s| (s as u32, 0, (s as u32 + 1) % 5, reward(s, (s + 1) % 5)));
    /// let ring = RewardSample::from_rows(rows, Duplicates::Mean)?;
    /// let left = |sample: &RewardSample| {
    ///     let canonical = canonicalize(sample, Metric::Epic, &Settings::default());
    ///     canonical.iter().fold(0.0f64, |most, c| most.max(c.abs()))
    /// };
    /// assert!(left(&ring) > 1.0);
    /// // Everything that EPIC asks for can be asked for.
    /// let cells: Vec<f64> = (0..25).map(|i| reward(i / 5, i % 5)).collect();
    /// assert!(left(&ring.with_reward_table(RewardTable::marginal(5, cells)?)?) < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the table is not one of the sample's states and actions.
    pub fn with_reward_table(self, table: RewardTable) -> Result<Self, TableError> {
        table.check_fits(self.states.len(), self.actions.len())?;
        Ok(RewardSample { unsampled: Some(Unsampled::Table(table)), ..self })
    }

    /// What counts for unsampled transitions; `None` unless [`with_regression`](Self::with_regression) or
    /// [`with_reward_table`](Self::with_reward_table) said so.
    pub fn prediction(&self, actions: Actions) -> Option<Prediction<'_>> {
        Prediction::of(self, actions)
    }

    /// How the rewards of unsampled transitions are predicted, if they are.
    pub fn regression(&self) -> Option<Regression> {
        match self.unsampled {
            Some(Unsampled::Fitted(regression)) => Some(regression),
            Some(Unsampled::Table(_)) | None => None,
        }
    }

    /// What the reward function says of all transitions, if it was asked.
    pub fn reward_table(&self) -> Option<&RewardTable> {
        match &self.unsampled {
            Some(Unsampled::Table(table)) => Some(table),
            Some(Unsampled::Fitted(_)) | None => None,
        }
    }

    fn edge_of(&self, transition: usize) -> usize {
        let (mut low, mut high) = (0, self.graph.edges());
        while high - low > 1 {
            let middle = (low + high) / 2;
            if self.graph.transitions(middle).start <= transition { low = middle } else { high = middle }
        }
        low
    }
}
