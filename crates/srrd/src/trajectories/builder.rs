//! From episodes, one after the other, to [`Trajectories`].

use super::{End, Space, Trajectories, TrajectoryError};
use crate::run::checkpoint;
use crate::sample::{Interner, LARGEST_REWARD, Token};

/// Collects episodes: [`begin`](Self::begin), [`step`](Self::step) as often as there are steps, [`end`](Self::end); or whole ones
/// with [`push_episode`](Self::push_episode).
///
/// ```
/// use srrd::trajectories::{End, Trajectories};
/// let mut builder = Trajectories::builder();
/// builder.begin("hall")?;
/// builder.step("walk", "door", Some(1.0))?;
/// builder.end(End::Terminated);
/// assert_eq!(builder.build().step_count(), 1);
/// # Ok::<(), srrd::trajectories::TrajectoryError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TrajectoriesBuilder {
    states: Interner,
    actions: Interner,
    state_features: Option<Vec<String>>,
    action_features: Option<Vec<String>>,
    state: Vec<u32>,
    action: Vec<u32>,
    reward: Vec<f64>,
    start: Vec<usize>,
    end: Vec<End>,
    /// Whether an episode has begun and not ended.
    open: bool,
}

impl TrajectoriesBuilder {
    /// Names the features of states, in the order of their values. States are feature tuples then.
    ///
    /// ```
    /// use srrd::trajectories::{End, Trajectories};
    /// use srrd::Token;
    /// let mut builder = Trajectories::builder().state_features(["x", "y"]);
    /// let places = [[0.0, 0.0], [1.0, 0.0]];
    /// let states: Vec<Token> = places.iter().map(|place| Token::features(place)).collect();
    /// builder.push_episode(&states, &["east"], None, End::Unknown)?;
    /// assert_eq!(builder.build().state_features().unwrap(), ["x", "y"]);
    /// # Ok::<(), srrd::trajectories::TrajectoryError>(())
    /// ```
    #[must_use]
    pub fn state_features<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.state_features = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Names the features of actions, in the order of their values. Actions are feature tuples then.
    #[must_use]
    pub fn action_features<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.action_features = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// How many steps were added.
    pub fn step_count(&self) -> usize {
        self.action.len()
    }

    /// Begins an episode.
    ///
    /// # Errors
    /// When the one before has not ended, or the state cannot be held.
    pub fn begin<'a>(&mut self, state: impl Into<Token<'a>>) -> Result<(), TrajectoryError> {
        if self.open {
            return Err(TrajectoryError::Order("an episode begins before the one before it has ended"));
        }
        checkpoint();
        let state = self.state(state.into(), 0)?;
        self.state.push(state);
        self.start.push(self.action.len());
        self.open = true;
        Ok(())
    }

    /// Adds a step of the episode that has begun.
    ///
    /// # Errors
    /// When no episode has begun, the reward or a feature is not finite, a feature tuple has another length than those before, or
    /// only some steps have rewards. The step is then not added.
    pub fn step<'a>(
        &mut self,
        action: impl Into<Token<'a>>,
        next_state: impl Into<Token<'a>>,
        reward: Option<f64>,
    ) -> Result<(), TrajectoryError> {
        if !self.open {
            return Err(TrajectoryError::Order("a step comes before its episode has begun"));
        }
        let (episode, step) = self.place();
        if reward.is_some() != (self.reward.len() == self.action.len()) && !self.action.is_empty() {
            return Err(TrajectoryError::SomeRewards { episode, step });
        }
        if let Some(value) = reward {
            check_reward(value, episode, step)?;
        }
        if self.action.len() >= u32::MAX as usize {
            return Err(TrajectoryError::TooLarge);
        }
        let action = action.into();
        check_features(action, &self.actions, self.action_features.as_deref(), "action", (episode, step))?;
        let next_state = self.state(next_state.into(), step)?;
        let action = self.actions.intern(action).ok_or(TrajectoryError::TooLarge)?;
        self.state.push(next_state);
        self.action.push(action);
        self.reward.extend(reward);
        Ok(())
    }

    /// Ends the episode that has begun; without one, nothing happens.
    pub fn end(&mut self, end: End) {
        if self.open {
            self.end.push(end);
            self.open = false;
        }
    }

    /// Adds a whole episode: its states, one more than there are actions, its actions and, if there are any, its rewards.
    ///
    /// # Errors
    /// When the lengths do not fit together, or a step is refused. What came before the step that was refused stays; a builder is not to be used after an error.
    pub fn push_episode<'a, S, A>(
        &mut self,
        states: &[S],
        actions: &[A],
        rewards: Option<&[f64]>,
        end: End,
    ) -> Result<(), TrajectoryError>
    where
        S: Copy + Into<Token<'a>>,
        A: Copy + Into<Token<'a>>,
    {
        let (given, taken) = (states.len(), actions.len());
        let paid = rewards.map(<[f64]>::len);
        if given != taken + 1 || paid.is_some_and(|count| count != taken) {
            return Err(TrajectoryError::Lengths {
                episode: self.end.len(),
                states: given,
                actions: taken,
                rewards: paid,
            });
        }
        let Some((&first, following)) = states.split_first() else { return Ok(()) };
        self.begin(first)?;
        for (step, (&action, &next_state)) in actions.iter().zip(following).enumerate() {
            self.step(action, next_state, rewards.map(|rewards| rewards[step]))?;
        }
        self.end(end);
        Ok(())
    }

    /// Adds a step by its state, too, as tables have them: `begin` begins an episode with it, otherwise it has to start where the
    /// step before it ended.
    ///
    /// # Errors
    /// As [`step`](Self::step), and when it does not start where the step before it ended.
    pub fn push_row<'a>(
        &mut self,
        begin: bool,
        state: impl Into<Token<'a>>,
        action: impl Into<Token<'a>>,
        next_state: impl Into<Token<'a>>,
        reward: Option<f64>,
    ) -> Result<(), TrajectoryError> {
        let state = state.into();
        if begin {
            self.begin(state)?;
        } else {
            let (episode, step) = self.place();
            let found = self.states.intern(state).ok_or(TrajectoryError::TooLarge)?;
            if self.state.last() != Some(&found) {
                return Err(TrajectoryError::Broken { episode, step, state: state.to_string() });
            }
        }
        self.step(action, next_state, reward)
    }

    /// Builds the trajectories. An episode that has not ended ends here, nobody knows how. O(steps + tokens · log tokens).
    pub fn build(mut self) -> Trajectories {
        self.end(End::Unknown);
        let (states, renumbered) = self.states.sort(&[&self.state]);
        renumbered.apply(&mut self.state);
        let (actions, renumbered) = self.actions.sort(&[&self.action]);
        renumbered.apply(&mut self.action);
        self.start.push(self.action.len());
        let paid = !self.action.is_empty() && self.reward.len() == self.action.len();
        Trajectories {
            name: String::new(),
            label: None,
            states: Space { tokens: states, features: self.state_features },
            actions: Space { tokens: actions, features: self.action_features },
            state: self.state,
            action: self.action,
            reward: paid.then_some(self.reward),
            start: self.start,
            end: self.end,
        }
    }

    /// The episode and the step that come next.
    fn place(&self) -> (usize, usize) {
        let begun = self.start.last().copied().unwrap_or(0);
        (self.end.len(), if self.open { self.action.len() - begun } else { 0 })
    }

    fn state(&mut self, state: Token<'_>, step: usize) -> Result<u32, TrajectoryError> {
        check_features(state, &self.states, self.state_features.as_deref(), "state", (self.end.len(), step))?;
        self.states.intern(state).ok_or(TrajectoryError::TooLarge)
    }
}

/// The reward of a step.
pub(super) fn check_reward(value: f64, episode: usize, step: usize) -> Result<(), TrajectoryError> {
    if !value.is_finite() {
        Err(TrajectoryError::NotFinite { episode, step, what: "reward", value })
    } else if value.abs() > LARGEST_REWARD {
        Err(TrajectoryError::TooBig { episode, step, value })
    } else {
        Ok(())
    }
}

fn check_features(
    token: Token<'_>,
    known: &Interner,
    names: Option<&[String]>,
    what: &'static str,
    (episode, step): (usize, usize),
) -> Result<(), TrajectoryError> {
    let features = token.as_features();
    let expected = names.map(<[String]>::len).or(known.arity());
    match (features, expected) {
        (Some(values), _) if values.iter().any(|value| !value.is_finite()) => {
            let value = values.iter().copied().find(|value| !value.is_finite()).unwrap_or(f64::NAN);
            Err(TrajectoryError::NotFinite { episode, step, what, value })
        }
        (Some(values), Some(expected)) if values.len() != expected => {
            Err(TrajectoryError::FeatureCount { episode, step, what, expected, found: values.len() })
        }
        (Some([]), None) => Err(TrajectoryError::FeatureCount { episode, step, what, expected: 1, found: 0 }),
        (None, Some(expected)) if names.is_some() => {
            Err(TrajectoryError::FeatureCount { episode, step, what, expected, found: 0 })
        }
        _ => Ok(()),
    }
}
