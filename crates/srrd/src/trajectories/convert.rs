//! From trajectories to reward samples.

use super::{End, Space, Trajectories, TrajectoryError};
use crate::sample::{Duplicates, NamedSample, Placement, SampleBuilder, Token};
use crate::sure::Episodes;

impl Trajectories {
    /// The set of transitions of all episodes, with the episodes that met each of them. Features are put in the order of their names, as
    /// samples of tables have them. O(steps · log steps).
    ///
    /// # Errors
    /// When there are no rewards or no steps, or with [`Duplicates::Error`] two steps contradict each other.
    pub fn to_sample(&self, duplicates: Duplicates) -> Result<NamedSample, TrajectoryError> {
        if self.rewards().is_none() {
            return Err(TrajectoryError::NoRewards);
        }
        Ok(self.to_transitions(duplicates)?.0)
    }

    /// As [`to_sample`](Self::to_sample), with the transition of every step. Steps without rewards get the reward 0: demonstrations have
    /// none.
    ///
    /// ```
    /// use srrd::Duplicates;
    /// use srrd::trajectories::{End, Trajectories};
    /// let mut builder = Trajectories::builder();
    /// builder.push_episode(&["a", "b", "a", "b"], &["go", "go", "go"], None, End::Truncated)?;
    /// let (found, placement) = builder.build().to_transitions(Duplicates::Mean)?;
    /// assert_eq!((found.sample.len(), placement.transition), (2, vec![0, 1, 0]));
    /// # Ok::<(), srrd::trajectories::TrajectoryError>(())
    /// ```
    ///
    /// # Errors
    /// As [`to_sample`](Self::to_sample), but for rewards that are missing.
    pub fn to_transitions(&self, duplicates: Duplicates) -> Result<(NamedSample, Placement), TrajectoryError> {
        let (states, actions) = (Sorted::new(&self.states), Sorted::new(&self.actions));
        let mut builder = SampleBuilder::with_capacity(self.step_count());
        let mut episode_of = Vec::with_capacity(self.step_count());
        for step in self.steps() {
            builder.push(
                states.token(step.state),
                actions.token(step.action),
                states.token(step.next_state),
                step.reward.unwrap_or(0.0),
            )?;
            episode_of.push(step.episode as u32);
        }
        let (sample, placement) = builder.build_with_placement(duplicates)?;
        let sample = match self.step_ends() {
            Some(ends) => sample.with_row_ends(&placement, &ends)?,
            None => sample,
        };
        let episodes = Episodes::from_rows(&sample, &placement, &episode_of)?;
        let sample = NamedSample {
            name: self.name.clone(),
            source: String::new(),
            from_file: false,
            one_step: false,
            goes_on: false,
            left_out: 0.0,
            done_alone: false,
            shifted: false,
            label: self.label.clone(),
            state_features: states.names,
            action_features: actions.names,
            sample,
            episodes: Some(episodes),
        };
        Ok((sample, placement))
    }
}

impl Trajectories {
    /// Whether each step ends its episode; `None` where that is not known of every episode.
    fn step_ends(&self) -> Option<Vec<bool>> {
        let known = self.episodes().all(|episode| episode.end() != End::Unknown);
        known.then(|| self.steps().map(|step| step.is_terminated()).collect())
    }
}

/// Tokens whose features are in the order of their names.
struct Sorted<'a> {
    space: &'a Space,
    names: Option<Vec<String>>,
    /// The features of all tokens, where their order has changed.
    features: Option<(Vec<f64>, usize)>,
}

impl<'a> Sorted<'a> {
    fn new(space: &'a Space) -> Self {
        let Some(names) = &space.features else { return Sorted { space, names: None, features: None } };
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by(|&a, &b| names[a].cmp(&names[b]));
        let changed = !order.is_sorted();
        let features = changed.then(|| {
            let tuples = space.tokens.iter().filter_map(|token| token.as_features());
            (tuples.flat_map(|tuple| order.iter().map(|&place| tuple[place])).collect(), order.len())
        });
        Sorted { space, names: Some(order.into_iter().map(|place| names[place].clone()).collect()), features }
    }

    fn token(&self, id: u32) -> Token<'_> {
        match &self.features {
            Some((features, width)) => Token::features(&features[id as usize * width..][..*width]),
            None => self.space.tokens.token(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::End;
    use super::*;
    use crate::sample::RewardSample;
    use proptest::prelude::*;

    /// (states, actions, rewards) of episodes that need not have steps.
    fn episodes() -> impl Strategy<Value = Vec<(Vec<u32>, Vec<u32>, Vec<f64>)>> {
        let episode = (0usize..6).prop_flat_map(|steps| {
            let states = prop::collection::vec(0u32..5, steps + 1);
            let rewards = prop::collection::vec((-3i32..3).prop_map(f64::from), steps);
            (states, prop::collection::vec(0u32..3, steps), rewards)
        });
        prop::collection::vec(episode, 1..6)
    }

    fn build(given: &[(Vec<u32>, Vec<u32>, Vec<f64>)]) -> Trajectories {
        let mut builder = Trajectories::builder();
        for (states, actions, rewards) in given {
            builder.push_episode(states, actions, Some(rewards), End::Terminated).unwrap();
        }
        builder.build()
    }

    proptest! {
        #[test]
        fn a_sample_of_trajectories_is_that_of_their_rows(given in episodes()) {
            let walks = build(&given);
            prop_assert_eq!(walks.len(), given.len());
            let mut rows = Vec::new();
            let mut of_row = Vec::new();
            for (number, (states, actions, rewards)) in given.iter().enumerate() {
                prop_assert_eq!(walks.episode(number).len(), actions.len());
                for (i, (&action, &reward)) in actions.iter().zip(rewards).enumerate() {
                    rows.push((states[i], action, states[i + 1], reward));
                    of_row.push(number as u32);
                }
            }
            prop_assert_eq!(walks.step_count(), rows.len());
            let Ok(expected) = RewardSample::from_rows(rows.iter().copied(), Duplicates::Mean) else {
                prop_assert!(rows.is_empty() && walks.to_sample(Duplicates::Mean).is_err());
                return Ok(());
            };
            let found = walks.to_sample(Duplicates::Mean).unwrap();
            let same = found.sample.clone().with_ends(expected.ends().clone()).unwrap();
            prop_assert_eq!(&same, &expected);
            let met = found.episodes.unwrap();
            for (row, &episode) in rows.iter().zip(&of_row) {
                let tokens = [row.0, row.1, row.2].map(|id| Token::int(i64::from(id)));
                let at = expected.transitions().position(|t| [t.state, t.action, t.next_state] == tokens).unwrap();
                prop_assert!(met.of(at).contains(&episode));
            }
            // Steps name the tokens that were given.
            for (step, row) in walks.steps().zip(&rows) {
                let (states, actions) = (walks.states(), walks.actions());
                prop_assert_eq!(states.token(step.state), Token::int(row.0.into()));
                prop_assert_eq!(actions.token(step.action), Token::int(row.1.into()));
                prop_assert_eq!(states.token(step.next_state), Token::int(row.2.into()));
                prop_assert_eq!(step.reward, Some(row.3));
            }
        }

        #[test]
        fn rows_that_follow_each_other_are_the_same_trajectories(given in episodes()) {
            let walks = build(&given);
            let mut builder = Trajectories::builder();
            for (states, actions, rewards) in &given {
                for (i, (&action, &reward)) in actions.iter().zip(rewards).enumerate() {
                    builder.push_row(i == 0, states[i], action, states[i + 1], Some(reward)).unwrap();
                }
                if actions.is_empty() {
                    builder.begin(states[0]).unwrap();
                }
                builder.end(End::Terminated);
            }
            prop_assert_eq!(builder.build(), walks);
        }
    }

    #[test]
    fn features_are_ordered_by_their_names() {
        let places = [[1.0, 2.0], [3.0, 4.0]];
        let mut builder = Trajectories::builder().state_features(["y", "x"]).action_features(["by"]);
        let states: Vec<Token> = places.iter().map(|place| Token::features(place)).collect();
        builder.push_episode(&states, &[Token::features(&[0.5])], Some(&[1.0]), End::Unknown).unwrap();
        let walks = builder.build().named("a", Some("b"));
        assert_eq!(walks.episode(0).first_state().as_features().unwrap(), [1.0, 2.0]);
        let sample = walks.to_sample(Duplicates::Mean).unwrap();
        assert_eq!(sample.state_features.unwrap(), ["x", "y"]);
        assert_eq!(sample.sample.transition(0).state.as_features().unwrap(), [2.0, 1.0]);
        assert_eq!((sample.name.as_str(), sample.label.as_deref()), ("a", Some("b")));
    }

    #[test]
    fn what_does_not_fit_together_is_refused_with_its_place() {
        let message = |result: Result<(), TrajectoryError>| result.unwrap_err().to_string();
        let mut builder = Trajectories::builder();
        builder.push_episode(&[0, 1], &[0], Some(&[1.0]), End::Unknown).unwrap();
        assert_eq!(
            message(builder.push_episode(&[0, 1], &[0, 0], Some(&[1.0, 2.0]), End::Unknown)),
            "episode 1: 2 states, 2 actions and 2 rewards; there must be as many actions as rewards and one state more: the one it \
             ended in (it looks as if that one is missing)"
        );
        assert!(
            message(builder.push_episode(&[0, 1], &[0], Some(&[]), End::Unknown)).starts_with("episode 1: 2 states")
        );
        assert_eq!(
            message(builder.push_episode(&[0, 1], &[0], None, End::Unknown)),
            "episode 1, step 0: either every step has a reward or none"
        );
        let mut builder = Trajectories::builder();
        assert!(message(builder.step(0, 1, None)).starts_with("a step comes before"));
        builder.begin(0).unwrap();
        assert!(message(builder.begin(0)).starts_with("an episode begins before"));
        assert_eq!(
            message(builder.step(0, 1, Some(f64::NAN))),
            "episode 0, step 0: the reward is NaN, but it must be a finite number"
        );
        builder.step(0, 1, Some(1.0)).unwrap();
        assert!(message(builder.push_row(false, 5, 0, 2, Some(1.0))).contains("it starts in 5"));
        assert!(message(builder.step(0, 1, Some(1e141))).contains("episode 0, step 1: the reward 1e141 is larger"));
        let tuple = [1.0, f64::INFINITY];
        assert!(message(builder.step(Token::features(&tuple), 1, Some(1.0))).contains("the action is inf"));
        let walks = builder.build();
        assert_eq!((walks.step_count(), walks.episode(0).end()), (1, End::Unknown));
        assert!(walks.clone().with_rewards(vec![f64::NAN]).is_err());
        assert_eq!(walks.with_rewards(vec![]).unwrap_err(), TrajectoryError::RewardCount { steps: 1, rewards: 0 });

        let mut builder = Trajectories::builder().state_features(["x"]);
        let error = builder.begin(Token::features(&[1.0, 2.0])).unwrap_err();
        assert_eq!(error.to_string(), "episode 0, step 0: the state has 2 features where 1 are needed");
        assert!(builder.begin(3).is_err());
    }

    #[test]
    fn demonstrations_are_no_sample() {
        let mut builder = Trajectories::builder();
        builder.push_episode(&["a", "b"], &["go"], None, End::Unknown).unwrap();
        let walks = builder.build();
        assert_eq!(walks.to_sample(Duplicates::Mean).unwrap_err(), TrajectoryError::NoRewards);
        assert!(walks.with_rewards(vec![2.0]).unwrap().to_sample(Duplicates::Mean).is_ok());
    }
}
