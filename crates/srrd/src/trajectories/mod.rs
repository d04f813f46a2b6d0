//! Trajectories: whole episodes, in the order in which they happened.
//!
//! A [`RewardSample`](crate::RewardSample) is a set of transitions and forgets their order. [`Trajectories`] keep it: which step follows
//! which, where episodes start, and whether they ended because the task was over (*terminated*) or because recording
//! stopped (*truncated*). Rewards may be missing: demonstrations have none.
//!
//! ```
//! use srrd::Duplicates;
//! use srrd::trajectories::{End, Trajectories};
//!
//! let mut builder = Trajectories::builder();
//! builder.begin("home")?;
//! builder.step("walk", "street", Some(-1.0))?;
//! builder.step("walk", "park", Some(5.0))?;
//! builder.end(End::Terminated);
//! builder.push_episode(&["home", "street"], &["walk"], Some(&[-1.0]), End::Truncated)?;
//! let walks = builder.build();
//!
//! assert_eq!((walks.len(), walks.step_count()), (2, 3));
//! assert_eq!(walks.episode(0).end(), End::Terminated);
//! let sample = walks.to_sample(Duplicates::Mean)?;
//! assert_eq!(sample.sample.len(), 2);
//! assert_eq!(sample.episodes.unwrap().len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod builder;
mod convert;
mod error;

pub use builder::TrajectoriesBuilder;
pub use error::TrajectoryError;

use crate::sample::{Token, Vocabulary};

/// How an episode ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum End {
    /// The task was over: nothing follows the last state.
    Terminated,
    /// Recording stopped, for example at a time limit: the task would have gone on.
    Truncated,
    /// Nobody recorded which of the two it was.
    #[default]
    Unknown,
}

/// What identifies the states or the actions of trajectories.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Space {
    tokens: Vocabulary,
    /// The names of the features, in the order of the tuples.
    features: Option<Vec<String>>,
}

/// Whole episodes of one agent, stored column by column: 16 bytes per step, and every distinct token once.
///
/// The [module](self) has an example.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectories {
    name: String,
    label: Option<String>,
    states: Space,
    actions: Space,
    /// The states of all episodes, each with the one it ended in: step i of all steps, in episode e, leads from
    /// `state[i + e]` to `state[i + e + 1]`.
    state: Vec<u32>,
    action: Vec<u32>,
    reward: Option<Vec<f64>>,
    /// Where the steps of every episode start, and how many there are at the end.
    start: Vec<usize>,
    end: Vec<End>,
}

impl Trajectories {
    /// An empty builder.
    ///
    /// ```
    /// use srrd::trajectories::{End, Trajectories};
    /// let mut builder = Trajectories::builder();
    /// builder.push_episode(&[0, 1, 2], &[0, 0], None, End::Unknown)?;
    /// assert_eq!(builder.build().step_count(), 2);
    /// # Ok::<(), srrd::trajectories::TrajectoryError>(())
    /// ```
    pub fn builder() -> TrajectoriesBuilder {
        TrajectoriesBuilder::default()
    }

    /// The name of the agent or of the table; may be empty.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The class of the agent.
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// The same trajectories under another name and label.
    ///
    /// ```
    /// use srrd::trajectories::Trajectories;
    /// let walks = Trajectories::default().named("agent01-1", Some("agent01"));
    /// assert_eq!((walks.name(), walks.label()), ("agent01-1", Some("agent01")));
    /// ```
    #[must_use]
    pub fn named(self, name: impl Into<String>, label: Option<&str>) -> Self {
        Trajectories { name: name.into(), label: label.map(str::to_owned), ..self }
    }

    /// The states that were met, sorted. Steps hold places in it.
    pub fn states(&self) -> &Vocabulary {
        &self.states.tokens
    }

    /// The actions that were taken, sorted. Steps hold places in it.
    pub fn actions(&self) -> &Vocabulary {
        &self.actions.tokens
    }

    /// The names of the features of states, in the order of their values; `None` where states are plain tokens.
    pub fn state_features(&self) -> Option<&[String]> {
        self.states.features.as_deref()
    }

    /// The names of the features of actions, in the order of their values; `None` where actions are plain tokens.
    pub fn action_features(&self) -> Option<&[String]> {
        self.actions.features.as_deref()
    }

    /// How many episodes there are.
    pub fn len(&self) -> usize {
        self.end.len()
    }

    /// Whether there are no episodes.
    pub fn is_empty(&self) -> bool {
        self.end.is_empty()
    }

    /// How many steps all episodes have together.
    pub fn step_count(&self) -> usize {
        self.action.len()
    }

    /// The rewards of all steps, one episode after the other; `None` where there are none.
    pub fn rewards(&self) -> Option<&[f64]> {
        self.reward.as_deref()
    }

    /// The same episodes with these rewards, one per step.
    ///
    /// ```
    /// use srrd::trajectories::{End, Trajectories};
    /// let mut builder = Trajectories::builder();
    /// builder.push_episode(&["a", "b", "a"], &["go", "go"], None, End::Unknown)?;
    /// let walks = builder.build().with_rewards(vec![1.0, 0.5])?;
    /// assert_eq!(walks.rewards(), Some(&[1.0, 0.5][..]));
    /// assert!(walks.with_rewards(vec![1.0]).is_err());
    /// # Ok::<(), srrd::trajectories::TrajectoryError>(())
    /// ```
    ///
    /// # Errors
    /// When there is not one reward per step, or one is not finite or too large.
    pub fn with_rewards(self, rewards: Vec<f64>) -> Result<Self, TrajectoryError> {
        if rewards.len() != self.step_count() {
            return Err(TrajectoryError::RewardCount { steps: self.step_count(), rewards: rewards.len() });
        }
        for (at, &value) in rewards.iter().enumerate() {
            let episode = self.start.partition_point(|&start| start <= at) - 1;
            builder::check_reward(value, episode, at - self.start[episode])?;
        }
        Ok(Trajectories { reward: Some(rewards), ..self })
    }

    /// One episode.
    ///
    /// # Panics
    /// If `index` is not below [`len`](Self::len).
    pub fn episode(&self, index: usize) -> Episode<'_> {
        assert!(index < self.len(), "there are {} episodes", self.len());
        Episode { of: self, index }
    }

    /// All episodes in order.
    pub fn episodes(&self) -> impl ExactSizeIterator<Item = Episode<'_>> {
        (0..self.len()).map(|index| Episode { of: self, index })
    }

    /// The steps of all episodes in order.
    ///
    /// ```
    /// use srrd::trajectories::{End, Trajectories};
    /// let mut builder = Trajectories::builder();
    /// builder.push_episode(&["a", "b"], &["go"], None, End::Terminated)?;
    /// let walks = builder.build();
    /// let step = walks.steps().next().unwrap();
    /// assert_eq!(walks.states().token(step.next_state).to_string(), "b");
    /// assert_eq!((step.reward, step.end), (None, Some(End::Terminated)));
    /// # Ok::<(), srrd::trajectories::TrajectoryError>(())
    /// ```
    pub fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        self.episodes().flat_map(Episode::steps)
    }
}

/// One episode of [`Trajectories`].
#[derive(Clone, Copy, Debug)]
pub struct Episode<'a> {
    of: &'a Trajectories,
    index: usize,
}

impl<'a> Episode<'a> {
    fn range(self) -> std::ops::Range<usize> {
        self.of.start[self.index]..self.of.start[self.index + 1]
    }

    /// How many steps it has.
    pub fn len(self) -> usize {
        self.range().len()
    }

    /// Whether it has no steps: it ended where it started.
    pub fn is_empty(self) -> bool {
        self.range().is_empty()
    }

    /// The states, the last one included: one more than there are steps. Places in [`Trajectories::states`].
    pub fn states(self) -> &'a [u32] {
        let steps = self.range();
        &self.of.state[steps.start + self.index..=steps.end + self.index]
    }

    /// The actions, one per step. Places in [`Trajectories::actions`].
    pub fn actions(self) -> &'a [u32] {
        &self.of.action[self.range()]
    }

    /// The rewards, one per step, where there are any.
    pub fn rewards(self) -> Option<&'a [f64]> {
        self.of.reward.as_ref().map(|rewards| &rewards[self.range()])
    }

    /// How it ended.
    pub fn end(self) -> End {
        self.of.end[self.index]
    }

    /// The state it started in.
    pub fn first_state(self) -> Token<'a> {
        self.of.states().token(self.states()[0])
    }

    /// Its steps in order.
    pub fn steps(self) -> impl ExactSizeIterator<Item = Step> + 'a {
        let (states, actions, rewards) = (self.states(), self.actions(), self.rewards());
        let (episode, end, last) = (self.index, self.end(), self.len().saturating_sub(1));
        (0..self.len()).map(move |number| Step {
            episode,
            number,
            state: states[number],
            action: actions[number],
            next_state: states[number + 1],
            reward: rewards.map(|rewards| rewards[number]),
            end: (number == last).then_some(end),
        })
    }
}

/// One step of an episode. States and actions are places in [`Trajectories::states`] and [`Trajectories::actions`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Step {
    /// Which episode, from 0.
    pub episode: usize,
    /// Which step of the episode, from 0.
    pub number: usize,
    /// s
    pub state: u32,
    /// a
    pub action: u32,
    /// s'
    pub next_state: u32,
    /// The reward, if there is one.
    pub reward: Option<f64>,
    /// How the episode ended, if this was its last step.
    pub end: Option<End>,
}

impl Step {
    /// Whether the task was over after this step.
    pub fn is_terminated(&self) -> bool {
        self.end == Some(End::Terminated)
    }
}
