//! From transitions and rewards to a reward sample.

use srrd::{Duplicates, RewardSample, SampleBuilder, SampleError, Token};

use crate::world::{Triple, World};

/// A reward sample whose states and actions are their numbers. Rewards of a repeated transition are averaged.
///
/// # Errors
/// When there are no transitions, not one reward a transition, or a reward that is not finite.
pub fn sample_of(transitions: &[Triple], rewards: Vec<f64>) -> Result<RewardSample, SampleError> {
    let ids = |part: fn(&Triple) -> u32| transitions.iter().map(part).collect::<Vec<u32>>();
    let (states, actions, nexts) = (ids(|t| t.state), ids(|t| t.action), ids(|t| t.next));
    RewardSample::from_ids(&states, &actions, &nexts, &rewards, Duplicates::Mean).map(|(sample, _)| sample)
}

/// A reward sample whose states and actions are their features; their numbers, where a world has no features. Rewards of a
/// repeated transition are averaged.
///
/// # Errors
/// When there are no transitions, not one reward a transition, or a reward or a feature that is not finite.
pub fn featured_sample<W: World>(
    world: &W,
    transitions: &[Triple],
    rewards: Vec<f64>,
) -> Result<RewardSample, SampleError> {
    if transitions.len() != rewards.len() {
        return Err(SampleError::WrongLength { expected: transitions.len(), found: rewards.len() });
    }
    let room = |features: &[&str]| vec![0.0; features.len()];
    let mut state = room(world.state_features());
    let mut action = room(world.action_features());
    let mut next = state.clone();
    let mut builder = SampleBuilder::with_capacity(transitions.len());
    for (transition, reward) in transitions.iter().zip(rewards) {
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
    builder.build(Duplicates::Mean)
}

fn token(features: &[f64], number: u32) -> Token<'_> {
    if features.is_empty() { Token::int(i64::from(number)) } else { Token::features(features) }
}
