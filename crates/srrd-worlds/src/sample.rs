//! From transitions and rewards to a reward sample.

use srrd::sample::Placement;
use srrd::{Duplicates, RewardSample, SampleBuilder, SampleError, Token};

use crate::world::{Triple, World};

/// A reward sample whose states and actions are their numbers. Rewards of a repeated transition are averaged.
///
/// ```
/// use srrd_worlds::{Triple, sample_of};
/// let there_and_back = [Triple { state: 0, action: 3, next: 1 }, Triple { state: 1, action: 1, next: 0 }];
/// assert_eq!(sample_of(&there_and_back, vec![1.0, -1.0])?.len(), 2);
/// # Ok::<(), srrd::SampleError>(())
/// ```
///
/// # Errors
/// When there are no transitions, not one reward per transition, or a reward that is not finite.
pub fn sample_of(transitions: &[Triple], rewards: Vec<f64>) -> Result<RewardSample, SampleError> {
    placed(transitions, &rewards).map(|(sample, _)| sample)
}

/// The same, with where every transition went.
pub(crate) fn placed(transitions: &[Triple], rewards: &[f64]) -> Result<(RewardSample, Placement), SampleError> {
    let ids = |part: fn(&Triple) -> u32| transitions.iter().map(part).collect::<Vec<u32>>();
    let (states, actions, nexts) = (ids(|t| t.state), ids(|t| t.action), ids(|t| t.next));
    RewardSample::from_ids(&states, &actions, &nexts, rewards, Duplicates::Mean)
}

/// A reward sample whose states and actions are their features; their numbers, where a world has no features. Rewards of a
/// repeated transition are averaged.
///
/// ```
/// use srrd_worlds::{Gridworld, Triple, featured_sample};
/// let world = Gridworld::new(4, 4, 0.0)?;
/// let sample = featured_sample(&world, &[Triple { state: 0, action: 3, next: 4 }], vec![1.0])?;
/// assert_eq!(sample.transition(0).next_state.as_features(), Some(&[1.0, 0.0][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When there are no transitions, not one reward per transition, or a reward or a feature that is not finite.
pub fn featured_sample<W: World>(
    world: &W,
    transitions: &[Triple],
    rewards: Vec<f64>,
) -> Result<RewardSample, SampleError> {
    placed_by_features(world, transitions, &rewards).map(|(sample, _)| sample)
}

/// The same, with where every transition went.
pub(crate) fn placed_by_features<W: World>(
    world: &W,
    transitions: &[Triple],
    rewards: &[f64],
) -> Result<(RewardSample, Placement), SampleError> {
    if transitions.len() != rewards.len() {
        return Err(SampleError::WrongLength { expected: transitions.len(), found: rewards.len() });
    }
    let room = |features: &[&str]| vec![0.0; features.len()];
    let mut state = room(world.state_features());
    let mut action = room(world.action_features());
    let mut next = state.clone();
    let mut builder = SampleBuilder::with_capacity(transitions.len());
    for (transition, &reward) in transitions.iter().zip(rewards) {
        world.describe_state(transition.state as usize, &mut state);
        world.describe_action(transition.action as usize, &mut action);
        world.describe_state(transition.next as usize, &mut next);
        builder.push(
            token(&state, transition.state),
            token(&action, transition.action),
            token(&next, transition.next),
            reward,
        )?;
    }
    builder.build_with_placement(Duplicates::Mean)
}

/// What identifies a state or an action: its features or, where it has none, its number.
pub(crate) fn token(features: &[f64], number: u32) -> Token<'_> {
    if features.is_empty() { Token::int(i64::from(number)) } else { Token::features(features) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use crate::{BouncingBalls, Model, Policy, RewardFunction, explore};
    use srrd::{Metric, Settings, distance};

    #[test]
    fn numbers_and_features_name_the_same_transitions() {
        let world = BouncingBalls::new(6, 5, 0.1).unwrap();
        let met = explore(&world, &Policy::uniform(8).unwrap(), 20, &mut stream(0, "test"));
        let rewards = RewardFunction::new(&world, Model::Linear, 0).rewards(&met);
        let numbered = sample_of(&met, rewards.clone()).unwrap();
        let featured = featured_sample(&world, &met, rewards.clone()).unwrap();
        assert_eq!((numbered.len(), featured.len()), (met.len(), met.len()));
        assert_eq!((featured.states().arity(), featured.actions().arity()), (Some(3), Some(2)));
        for (sample, name) in [(&numbered, "numbered"), (&featured, "featured")] {
            for (transition, reward) in met.iter().zip(&rewards) {
                let [mut state, mut next] = [[0.0; 3]; 2];
                let mut action = [0.0; 2];
                world.describe_state(transition.state as usize, &mut state);
                world.describe_action(transition.action as usize, &mut action);
                world.describe_state(transition.next as usize, &mut next);
                let tokens = match name {
                    "numbered" => {
                        [transition.state, transition.action, transition.next].map(|id| Token::int(id.into()))
                    }
                    _ => [Token::features(&state), Token::features(&action), Token::features(&next)],
                };
                let found = (sample.transitions()).find(|t| [t.state, t.action, t.next_state] == tokens).unwrap();
                assert_eq!(found.reward, *reward, "{name}");
            }
        }
        let other = RewardFunction::new(&world, Model::Random, 1).rewards(&met);
        let settings = Settings::default();
        let [a, b] = [sample_of(&met, other.clone()).unwrap(), featured_sample(&world, &met, other).unwrap()];
        let by_number = distance(&numbered, &a, Metric::Srrd, &settings).distance().unwrap();
        let by_features = distance(&featured, &b, Metric::Srrd, &settings).distance().unwrap();
        assert!((by_number - by_features).abs() < 1e-12);
    }

    #[test]
    fn lengths_must_agree_and_nothing_is_no_sample() {
        let world = BouncingBalls::new(2, 2, 0.0).unwrap();
        let triple = [Triple { state: 0, action: 2, next: 6 }];
        let wrong = |found| SampleError::WrongLength { expected: 1, found };
        assert_eq!(featured_sample(&world, &triple, vec![]).unwrap_err(), wrong(0));
        assert_eq!(featured_sample(&world, &triple, vec![1.0, 2.0]).unwrap_err(), wrong(2));
        assert!(matches!(sample_of(&triple, vec![1.0, 2.0]), Err(SampleError::WrongLength { .. })));
        assert_eq!(sample_of(&[], vec![]).unwrap_err(), SampleError::Empty);
        assert_eq!(featured_sample(&world, &[], vec![]).unwrap_err(), SampleError::Empty);
    }
}
