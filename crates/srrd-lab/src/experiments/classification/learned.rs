//! Rewards that are learned from what agents do, as in the paper: 5 walks per set, and for PTIRL 10 walks of others.

use super::rewards::Dataset;
use crate::error::LabError;
use crate::values::{Learning, WorldKind};
use srrd::trajectories::Trajectories;
use srrd_irl::airl::Airl;
use srrd_irl::maxent::{MaxEnt, RewardOf};
use srrd_irl::ptirl::{Objective, Ptirl};
use srrd_irl::{Demonstrations, Learner, ModelChoice, learn_all};
use srrd_worlds::{Simulation, simulate};
use std::ops::ControlFlow;

/// Walks of a set.
const WALKS: usize = 5;
/// Walks of others that PTIRL sees.
const OTHERS: usize = 10;
/// λ of MaxEnt and AIRL: of nine values from 0.0001 to 10, the one that predicts walks best that it did not see, in the Gridworld. Neither
/// labels nor accuracies were looked at for it (`benchmarks/ridge.py`).
const RIDGE: f64 = 3.0;

/// As people write it.
pub fn title(learning: Learning) -> &'static str {
    match learning {
        Learning::Maxent => "MaxEnt r(s)",
        Learning::MaxentActions => "MaxEnt r(s, a)",
        Learning::Airl => "AIRL g(s)",
        Learning::AirlShaped => "AIRL f(s, a, s')",
        Learning::Ptirl => "PTIRL",
        Learning::PtirlSpread => "PTIRL (spread)",
    }
}

/// What the rewards are.
pub fn about(learning: Learning, recorded: bool) -> String {
    let how = match learning {
        Learning::Maxent => "by maximum causal entropy, one number per state, γ = 0.9, λ = 3",
        Learning::MaxentActions => {
            "by maximum causal entropy, one number per state and action: the logarithms of the shares of actions"
        }
        Learning::Airl => "by AIRL with an exact generator, g(s), γ = 0.9, λ = 3",
        Learning::AirlShaped => "by AIRL with an exact generator, f(s, a, s') = g(s) + γh(s') − h(s), γ = 0.9, λ = 3",
        Learning::Ptirl => {
            "by PTIRL against 10 episodes of other agents, within ± 100: the reward nearest to 100 · (P_target − P_other) that keeps a spread \
             of 1"
        }
        Learning::PtirlSpread => {
            "by PTIRL against 10 episodes of other agents, within ± 100: a reward with the largest spread, one of many such"
        }
    };
    let model = match (learning, recorded) {
        (Learning::Ptirl | Learning::PtirlSpread, _) => "",
        (_, false) => " Where actions lead is counted from the set.",
        (_, true) => " Where actions lead is counted from all sets.",
    };
    format!(
        "learned from the episodes of every set {how}.{model} No shaping is added, and the true rewards play no part"
    )
}

fn method(learning: Learning, seed: u64) -> (Box<dyn Learner>, ModelChoice) {
    let ptirl = |objective| Ptirl { objective, others: Some(OTHERS), seed, ..Ptirl::default() };
    match learning {
        Learning::Maxent => (Box::new(MaxEnt { ridge: RIDGE, ..MaxEnt::default() }), ModelChoice::Set),
        Learning::MaxentActions => {
            (Box::new(MaxEnt { reward: RewardOf::StateAction, ..MaxEnt::default() }), ModelChoice::Set)
        }
        Learning::Airl => (Box::new(Airl { ridge: RIDGE, ..Airl::default() }), ModelChoice::Set),
        Learning::AirlShaped => (Box::new(Airl { shaped: true, ridge: RIDGE, ..Airl::default() }), ModelChoice::Set),
        Learning::Ptirl => (Box::new(ptirl(Objective::Near)), ModelChoice::Pooled),
        Learning::PtirlSpread => (Box::new(ptirl(Objective::Spread)), ModelChoice::Pooled),
    }
}

/// Plays `sets` sets of every agent and learns their rewards.
pub fn draw(world: WorldKind, learning: Learning, sets: usize, seed: u64) -> Result<Dataset, LabError> {
    let mut question = Simulation::new(world);
    (question.classes, question.sets, question.rollouts, question.seed) = (true, Some(sets), WALKS, seed);
    let played = simulate(&question, |_| ControlFlow::Continue(())).map_err(LabError::failed)?;
    learn(played.samples, learning, false, seed)
}

/// Learns the rewards of sets of episodes. One recorded episode may take no two actions in any state: where actions lead is then known from all
/// sets alone.
pub fn learn(sets: Vec<Trajectories>, learning: Learning, recorded: bool, seed: u64) -> Result<Dataset, LabError> {
    let shown = Demonstrations::new(sets).map_err(LabError::failed)?;
    let (learner, model) = method(learning, seed);
    let model = if recorded { ModelChoice::Pooled } else { model };
    let learned = learn_all(&shown, &model, &*learner, &|_| ()).map_err(LabError::failed)?;
    let (mut samples, mut labels) = (Vec::with_capacity(learned.len()), Vec::with_capacity(learned.len()));
    for one in learned {
        labels.push(one.sample.label.unwrap_or(one.sample.name));
        samples.push(one.sample.sample);
    }
    Ok(Dataset { samples, labels, ..Dataset::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Choice;

    #[test]
    fn every_method_learns_rewards_of_all_agents() {
        for &learning in Learning::ALL {
            let drawn = draw(WorldKind::Gridworld, learning, 2, 7).unwrap();
            assert_eq!(drawn.samples.len(), 20);
            let mut labels = drawn.labels.clone();
            labels.dedup();
            assert_eq!(labels.len(), 10);
            for sample in &drawn.samples {
                let first = sample.rewards()[0];
                assert!(sample.rewards().iter().any(|reward| *reward != first), "{learning:?}");
            }
        }
    }
}
