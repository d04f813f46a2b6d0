//! The reward of the diagonally moving agent, learned from its walks by AIRL, as in the paper.

use super::log_policy;
use crate::error::LabError;
use rand::RngExt;
use srrd::trajectories::{End, Trajectories};
use srrd_irl::airl::Airl;
use srrd_irl::maxent::RewardOf;
use srrd_irl::{Demonstrations, ModelChoice, learn_all};
use srrd_worlds::{Gridworld, Policy, Triple, World, stream};
use std::collections::HashMap;

/// Walks from every cell: so many that every move of every cell is seen.
const WALKS: usize = 150;
/// Their most steps.
const STEPS: usize = 10;

/// g(s, a) of every feasible transition, learned from walks that start in every cell.
pub fn rewards(
    world: &Gridworld,
    policy: &Policy,
    feasible: &[Triple],
    gamma: srrd::Gamma,
    seed: u64,
) -> Result<Vec<f64>, LabError> {
    let chances = log_policy(world, policy, feasible);
    let of_state = |state: u32| {
        let from = feasible.partition_point(|t| t.state < state);
        let to = feasible.partition_point(|t| t.state <= state);
        from..to
    };
    let mut random = stream(seed, "walks of the diagonal agent");
    let mut builder = Trajectories::builder();
    for start in 0..world.states() as u32 {
        for _ in 0..if of_state(start).is_empty() { 0 } else { WALKS } {
            let (mut states, mut actions) = (vec![start], Vec::new());
            let mut state = start;
            while actions.len() < STEPS && !of_state(state).is_empty() {
                let mut left: f64 = random.random();
                let moves = of_state(state);
                let last = moves.end - 1;
                let taken = moves.clone().find(|&at| {
                    left -= chances[at].exp();
                    left < 0.0
                });
                let taken = &feasible[taken.unwrap_or(last)];
                actions.push(taken.action);
                states.push(taken.next);
                state = taken.next;
            }
            // In the corner that ends episodes, nothing can be done.
            let end = if of_state(state).is_empty() { End::Terminated } else { End::Truncated };
            builder.push_episode(&states, &actions, None, end).map_err(LabError::failed)?;
        }
    }
    let shown = Demonstrations::new([builder.build().named("diagonal", None)]).map_err(LabError::failed)?;
    let settings = Airl { gamma, reward: RewardOf::StateAction, ..Airl::default() };
    let learned = learn_all(&shown, &ModelChoice::Set, &settings, &|_| ()).map_err(LabError::failed)?;
    let number = |token: srrd::Token<'_>| token.to_string().parse::<u32>().ok();
    let of: HashMap<(Option<u32>, Option<u32>), f64> =
        learned[0].sample.sample.transitions().map(|t| ((number(t.state), number(t.action)), t.reward)).collect();
    let reward = |t: &Triple| of.get(&(Some(t.state), Some(t.action))).copied();
    let missing = || LabError::failed("a feasible move was never demonstrated");
    feasible.iter().map(|t| reward(t).ok_or_else(missing)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::feasible;
    use super::*;

    #[test]
    fn what_is_learned_is_close_to_the_logarithm_of_the_policy() {
        let world = Gridworld::new(5, 4, 0.0).unwrap();
        let policy = Policy::new(&[10.0, 10.0, 40.0, 40.0]).unwrap();
        let transitions = feasible(&world);
        let learned = rewards(&world, &policy, &transitions, srrd::Gamma::new(0.7).unwrap(), 3).unwrap();
        let truth = log_policy(&world, &policy, &transitions);
        let alike = srrd::compare::pearson(&learned, &truth).unwrap();
        assert!(alike.distance < 0.15, "{}", alike.distance);
    }
}
