//! Rewards that are learned from what agents do, as in the paper: 5 walks per set, and for PTIRL 10 walks of others.

use super::rewards::Dataset;
use crate::error::LabError;
use crate::values::{Learning, WorldKind};
use rayon::prelude::*;
use srrd::NamedSample;
use srrd::trajectories::Trajectories;
use srrd_irl::airl::Airl;
use srrd_irl::maxent::{MaxEnt, RewardOf};
use srrd_irl::ptirl::{Objective, Ptirl, PtirlProblem};
use srrd_irl::{Demonstrations, Learner, Model, Problem, Task};
use srrd_worlds::{Simulation, simulate};
use std::ops::ControlFlow;

/// Walks of a set.
const WALKS: usize = 5;
/// Walks of others that PTIRL sees.
const OTHERS: usize = 10;
/// λ of MaxEnt and AIRL unless another is given. A larger one, 3, predicts walks better that it did not see (`benchmarks/ridge.py`);
/// this one makes figures that can be compared with earlier ones (`benchmarks/IRL.md` has both).
pub const RIDGE: f64 = 0.1;

/// How rewards are learned.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// The method.
    pub learning: Learning,
    /// How strongly unknowns are drawn to 0.
    pub ridge: f64,
    /// The seed of walks and of what is drawn of them.
    pub seed: u64,
}

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
pub fn about(learning: Learning, ridge: f64, recorded: bool) -> String {
    let by_ridge = match learning {
        Learning::Maxent | Learning::Airl | Learning::AirlShaped => format!(", γ = 0.9, λ = {ridge}"),
        Learning::MaxentActions | Learning::Ptirl | Learning::PtirlSpread => String::new(),
    };
    let how = match learning {
        Learning::Maxent => "by maximum causal entropy, one number per state",
        Learning::MaxentActions => {
            "by maximum causal entropy, one number per state and action: the logarithms of the shares of actions"
        }
        Learning::Airl => "by AIRL with an exact generator, g(s)",
        Learning::AirlShaped => "by AIRL with an exact generator, f(s, a, s') = g(s) + γh(s') − h(s)",
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
        "learned from the episodes of every set {how}{by_ridge}.{model} No shaping is added, and the true rewards play no part"
    )
}

/// A method, and whether where actions lead is counted from all sets.
fn method(Method { learning, ridge, seed }: Method) -> (Box<dyn Learner>, bool) {
    let ptirl = |objective| Ptirl { objective, others: Some(OTHERS), seed, ..Ptirl::default() };
    match learning {
        Learning::Maxent => (Box::new(MaxEnt { ridge, ..MaxEnt::default() }), false),
        Learning::MaxentActions => (Box::new(MaxEnt { reward: RewardOf::StateAction, ..MaxEnt::default() }), false),
        Learning::Airl => (Box::new(Airl { ridge, ..Airl::default() }), false),
        Learning::AirlShaped => (Box::new(Airl { shaped: true, ridge, ..Airl::default() }), false),
        Learning::Ptirl => (Box::new(ptirl(Objective::Near)), true),
        Learning::PtirlSpread => (Box::new(ptirl(Objective::Spread)), true),
    }
}

/// Plays `sets` sets of every agent and learns their rewards.
pub fn draw(world: WorldKind, how: Method, sets: usize) -> Result<Dataset, LabError> {
    let mut question = Simulation::new(world);
    (question.classes, question.sets, question.rollouts, question.seed) = (true, Some(sets), WALKS, how.seed);
    let played = simulate(&question, |_| ControlFlow::Continue(())).map_err(LabError::failed)?;
    learn(played.samples, how, false)
}

/// Learns the rewards of sets of episodes. One recorded episode may take no two actions in any state: where actions lead is then known from all
/// sets alone. A recorded set in whose states nobody ever chose (a patient with one visit), or whose steps are those of others, says nothing of a
/// reward: its reward is 0, which is at no distance from any other, and the data set says how many these are.
pub fn learn(sets: Vec<Trajectories>, how: Method, recorded: bool) -> Result<Dataset, LabError> {
    let shown = Demonstrations::new(sets).map_err(LabError::failed)?;
    let (learner, of_all) = method(how);
    let pooled = (recorded || of_all).then(|| Model::pooled(&shown));
    let learn_one = |index: usize| -> Result<(NamedSample, bool), LabError> {
        srrd::run::checkpoint();
        let set = &shown.sets()[index];
        let own = pooled.is_none().then(|| Model::of_set(set));
        let model = pooled.as_ref().or(own.as_ref()).expect("one of the two is there");
        match Task::new(&shown, index, model).and_then(|task| learner.learn(&task)) {
            Ok(learned) => Ok((learned.sample, true)),
            Err(problem) if recorded && says_nothing(&problem) => {
                let mut silent = set.sample().clone();
                let nothing = vec![0.0; silent.sample.len()];
                silent.sample = silent.sample.with_rewards(nothing).map_err(LabError::failed)?;
                Ok((silent, false))
            }
            Err(problem) => Err(LabError::failed(problem)),
        }
    };
    let learned = (0..shown.sets().len()).into_par_iter().map(learn_one).collect::<Result<Vec<_>, _>>()?;
    let silent = learned.iter().filter(|(_, known)| !known).count();
    let about = (silent > 0).then(|| {
        format!(
            "Nothing can be learned of the rewards of {silent} of {} samples: in none of their states are there two actions to choose from, \
             nothing follows an action, or (PTIRL) others took the same steps. They are at no distance from the others.",
            learned.len()
        )
    });
    let (mut samples, mut labels) = (Vec::with_capacity(learned.len()), Vec::with_capacity(learned.len()));
    for (one, _) in learned {
        labels.push(one.label.unwrap_or(one.name));
        samples.push(one.sample);
    }
    Ok(Dataset { samples, labels, about })
}

/// Whether the problem is that a set has nothing to learn from.
fn says_nothing(problem: &Problem) -> bool {
    match problem {
        Problem::NoChoice { .. } | Problem::OneStep { .. } => true,
        Problem::Ptirl { problem, .. } => matches!(problem, PtirlProblem::NoTarget | PtirlProblem::Infeasible { .. }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Choice;

    fn by(learning: Learning) -> Method {
        Method { learning, ridge: RIDGE, seed: 0 }
    }

    /// Two sets that choose, and one whose single step shows no choice in a state that nobody else met.
    #[test]
    fn a_recorded_set_that_shows_no_choice_is_at_no_distance_and_is_told() {
        let sets = || -> Vec<Trajectories> {
            // Every state with the action that led to it: 0 leads to 1 or 2, and both back to 0.
            let walks: [&[(i64, i64)]; 3] = [
                &[(0, 0), (2, 1), (0, 0), (2, 1), (0, 0), (1, 0), (0, 0)],
                &[(0, 0), (1, 0), (0, 0), (1, 0), (0, 0), (2, 1), (0, 0)],
                &[(7, 0), (8, 0)],
            ];
            let set = |(number, walk): (usize, &&[(i64, i64)])| {
                let mut builder = Trajectories::builder();
                let (states, actions): (Vec<i64>, Vec<i64>) = walk.iter().copied().unzip();
                builder.push_episode(&states, &actions[1..], None, srrd::trajectories::End::Truncated).unwrap();
                builder.build().named(format!("set {number}"), Some("class"))
            };
            walks.iter().enumerate().map(set).collect()
        };
        for learning in [Learning::Maxent, Learning::Airl] {
            let drawn = learn(sets(), by(learning), true).unwrap();
            assert_eq!(drawn.samples.len(), 3);
            assert!(drawn.samples[2].rewards().iter().all(|&reward| reward == 0.0), "{learning:?}");
            assert!(drawn.samples[0].rewards().iter().any(|&reward| reward != 0.0), "{learning:?}");
            assert!(drawn.about.unwrap().contains("of 1 of 3 samples"));
            // Simulated agents always choose: there it is a mistake.
            assert!(learn(sets(), by(learning), false).is_err());
        }
    }

    /// Who takes the very steps of another agent cannot be told from it.
    #[test]
    fn a_recorded_set_with_the_steps_of_others_is_at_no_distance_and_is_told() {
        let walk = |name: &str, label: &str, states: &[i64]| {
            let mut builder = Trajectories::builder();
            let actions: Vec<i64> = states[1..].to_vec();
            builder.push_episode(states, &actions, None, srrd::trajectories::End::Truncated).unwrap();
            builder.build().named(name, Some(label))
        };
        let sets = || vec![walk("1", "a", &[0, 1, 0]), walk("2", "b", &[0, 1, 0]), walk("3", "c", &[0, 2, 0, 2, 0])];
        let drawn = learn(sets(), by(Learning::Ptirl), true).unwrap();
        assert!(drawn.samples[0].rewards().iter().all(|&reward| reward == 0.0));
        assert!(drawn.about.unwrap().contains("of 3 samples"));
        assert!(learn(sets(), by(Learning::Ptirl), false).is_err());
    }

    #[test]
    fn every_method_learns_rewards_of_all_agents() {
        for &learning in Learning::ALL {
            let drawn = draw(WorldKind::Gridworld, Method { seed: 7, ..by(learning) }, 2).unwrap();
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
