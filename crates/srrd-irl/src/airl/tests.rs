//! AIRL against maximum causal entropy, on walks in a grid.

use srrd::Gamma;
use srrd::trajectories::{End, Trajectories};
use srrd_worlds::{Gridworld, gridworld_classes, rollouts, stream};

use super::*;
use crate::maxent::{MaxEnt, soft};
use crate::{Demonstrations, Model, ModelChoice, learn_all};

/// Five walks of one of the ten agents of the Gridworld.
fn walks(side: usize, slip: f64, agent: usize, seed: u64) -> Trajectories {
    let world = Gridworld::new(side, side, slip).unwrap();
    let played = rollouts(&world, &gridworld_classes()[agent], 5, &mut stream(seed, "rollouts"));
    played.to_trajectories(&world).unwrap().named(format!("agent{agent}-{seed}"), Some(&format!("agent{agent}")))
}

/// The share of steps that the policies of two rewards of pairs do otherwise, over demonstrated states.
fn variation(task: &Task<'_>, one: &[f64], other: &[f64]) -> f64 {
    let counts = task.pair_counts();
    let dynamics = task.model.dynamics();
    let of_state = |state: usize| {
        let pairs = dynamics.pairs_of(state);
        let visits: f64 = counts[pairs.clone()].iter().sum();
        visits * 0.5 * pairs.map(|pair| (one[pair] - other[pair]).abs()).sum::<f64>()
    };
    (0..dynamics.states()).map(of_state).sum::<f64>() / counts.iter().sum::<f64>()
}

/// The policy of learned rewards of states, by soft value iteration.
fn policy(task: &Task<'_>, rewards: &[f64], gamma: f64) -> Vec<f64> {
    let mut by_pair = vec![0.0; task.model.dynamics().pairs()];
    task.places().zip(rewards).for_each(|((pair, _), reward)| by_pair[pair] = *reward);
    soft::solve(task.model, gamma, &by_pair, &vec![0.0; task.model.dynamics().states()]).policy
}

#[test]
fn the_exact_generator_acts_as_maximum_entropy() {
    let gamma = Gamma::new(0.9).unwrap();
    for (agent, slip) in [(0, 0.0), (3, 0.1), (7, 0.0)] {
        let shown = Demonstrations::new([walks(20, slip, agent, 1)]).unwrap();
        let airl = Airl { gamma, patience: Patience { trace: true, ..Patience::new(200) }, ..Airl::default() };
        let [learned, expected] = [
            learn_all(&shown, &ModelChoice::Set, &airl, &|_| ()).unwrap().remove(0),
            learn_all(&shown, &ModelChoice::Set, &MaxEnt { gamma, ..MaxEnt::default() }, &|_| ()).unwrap().remove(0),
        ];
        let model = Model::of_set(&shown.sets()[0]);
        let task = Task::new(&shown, 0, &model).unwrap();
        let [one, other] = [&learned, &expected].map(|l| policy(&task, l.sample.sample.rewards(), 0.9));
        let apart = variation(&task, &one, &other);
        assert!(apart < 1e-4, "{agent}: {apart}");
        let off = learned.sample.sample.rewards().iter().zip(expected.sample.sample.rewards());
        let off = off.map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
        assert!(off < 1e-3, "{agent}: {off} after {} iterations", learned.iterations);
        assert!(learned.iterations < 100 && !learned.cautions.iter().any(|c| c.kind() == "not_converged"));
        // In the end nobody can tell the generator's steps from those that were demonstrated.
        let last = learned.trace.last().unwrap();
        assert!((last.objective - 2.0 * 2f64.ln()).abs() < 1e-6, "{last:?}");
        assert!(last.returns.unwrap().is_finite() && (0.0..=1.0).contains(&last.accuracy.unwrap()));
    }
}

#[test]
fn shaped_rewards_are_logarithms_of_the_policy() {
    let gamma = Gamma::new(0.9).unwrap();
    let shown = Demonstrations::new([walks(6, 0.0, 2, 5)]).unwrap();
    for reward in [RewardOf::State, RewardOf::NextState, RewardOf::StateAction] {
        let airl = Airl { gamma, shaped: true, reward, ..Airl::default() };
        let learned = learn_all(&shown, &ModelChoice::Set, &airl, &|_| ()).unwrap().remove(0);
        let model = Model::of_set(&shown.sets()[0]);
        let task = Task::new(&shown, 0, &model).unwrap();
        let mut shares = vec![0.0; model.dynamics().states()];
        for (row, (pair, _)) in shown.sets()[0].rows().iter().zip(task.places()) {
            let place = shown.sets()[0].rows().iter().position(|other| other == row).unwrap();
            let share = learned.sample.sample.rewards()[place].exp();
            shares[task.state_in_model(row.state) as usize] += share;
            if reward == RewardOf::StateAction {
                let counts = task.pair_counts();
                let of_state =
                    counts[model.dynamics().pairs_of(task.state_in_model(row.state) as usize)].iter().sum::<f64>();
                assert!((share - counts[pair] / of_state).abs() < 1e-4);
            }
        }
        assert!(shares.iter().all(|sum| *sum == 0.0 || (sum - 1.0).abs() < 1e-3), "{reward:?}: {shares:?}");
    }
}

#[test]
fn pooled_models_and_ends_count() {
    let shown = Demonstrations::new([walks(8, 0.0, 0, 1), walks(8, 0.1, 4, 2), walks(8, 0.0, 8, 3)]).unwrap();
    for (reward, gamma, ridge) in [
        (RewardOf::State, 0.9, RIDGE),
        (RewardOf::NextState, 0.9, RIDGE),
        (RewardOf::State, 0.99, 1e-6),
        (RewardOf::NextState, 0.5, 1.0),
    ] {
        let gamma = Gamma::new(gamma).unwrap();
        let airl = Airl { reward, gamma, ridge, ..Airl::default() };
        let maxent = MaxEnt { reward, gamma, ridge, ..MaxEnt::default() };
        let learned = learn_all(&shown, &ModelChoice::Pooled, &airl, &|_| ()).unwrap();
        let expected = learn_all(&shown, &ModelChoice::Pooled, &maxent, &|_| ()).unwrap();
        for (one, other) in learned.iter().zip(&expected) {
            let rewards = one.sample.sample.rewards().iter().zip(other.sample.sample.rewards());
            let off = rewards.map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
            // What only a tiny ridge decides is as precise as the gradient is, compared with it.
            assert!(
                off < if ridge < RIDGE { 1e-2 } else { 1e-3 },
                "{reward:?} {gamma:?} {ridge}: {off} after {}",
                one.iterations
            );
            assert!(one.iterations < 80, "{}", one.iterations);
        }
    }
}

/// Walks on a line of five cells whose right end is a goal for some episodes only: the step into it ends three of six.
fn sometimes_over() -> Trajectories {
    let mut builder = Trajectories::builder();
    for episode in 0..6 {
        let (mut cells, mut moves) = (vec![episode % 4], Vec::new());
        for step in 0..9 {
            let cell = *cells.last().unwrap();
            if cell == 4 && episode % 2 == 0 {
                break;
            }
            let east = (2 * episode + step) % 3 > 0;
            moves.push(if east { "east" } else { "west" });
            cells.push(if east { (cell + 1).min(4) } else { cell.max(1) - 1 });
        }
        let end = if cells.last() == Some(&4) && episode % 2 == 0 { End::Terminated } else { End::Truncated };
        builder.push_episode(&cells, &moves, None, end).unwrap();
    }
    builder.build()
}

#[test]
fn f_is_g_and_shaping_where_a_transition_ends_some_episodes_only() {
    let gamma = Gamma::new(0.9).unwrap();
    let shown = Demonstrations::new([sometimes_over()]).unwrap();
    let set = &shown.sets()[0];
    let mixed = |row: &crate::Row| row.ended > 0.0 && row.ended < 1.0;
    let at = set.rows().iter().position(mixed).expect("a transition that ends some episodes only");
    assert_eq!(set.sample().sample.ends().at(at), Some(false));
    let settings = Settings { gamma, ..Settings::default() };
    for reward in [RewardOf::State, RewardOf::NextState, RewardOf::StateAction] {
        let [g, f] = [false, true].map(|shaped| {
            let airl = Airl { gamma, shaped, reward, ..Airl::default() };
            learn_all(&shown, &ModelChoice::Set, &airl, &|_| ()).unwrap().remove(0).sample.sample
        });
        let apart = |metric| srrd::distance(&f, &g, metric, &settings).distance().unwrap();
        // Distances are square roots: rounding of 1e-16 is 1e-8.
        assert!(apart(srrd::Metric::Projected) < 1e-6, "{reward:?}: {}", apart(srrd::Metric::Projected));
        // A reward of pairs is log π by itself, without shaping.
        if reward != RewardOf::StateAction {
            assert!(apart(srrd::Metric::Direct) > 0.05, "{reward:?}: {}", apart(srrd::Metric::Direct));
            let maxent = MaxEnt { gamma, reward, ..MaxEnt::default() };
            let expected = learn_all(&shown, &ModelChoice::Set, &maxent, &|_| ()).unwrap().remove(0);
            let off = expected.sample.sample.rewards().iter().zip(g.rewards());
            let off = off.map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
            assert!(off < 1e-3, "{reward:?}: {off}");
        }
    }
}

#[test]
fn what_cannot_be_learned_is_said() {
    let mut builder = Trajectories::builder();
    builder.push_episode(&["a", "b", "c"], &["go", "go"], None, End::Terminated).unwrap();
    let shown = Demonstrations::new([builder.build()]).unwrap();
    let learned = learn_all(&shown, &ModelChoice::Set, &Airl::default(), &|_| ());
    assert!(matches!(learned.unwrap_err(), Problem::NoChoice { .. }));
    let airl = Airl { gamma: Gamma::new(1.0).unwrap(), ..Airl::default() };
    assert!(matches!(airl.check().unwrap_err(), Problem::Value { option: "gamma", .. }));
}
