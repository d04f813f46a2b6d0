//! Rewards known by query: tables against literal loops, and shaping that is gone once everything can be asked for.

use crate::support::literal::{Estimation, predicting};
use crate::support::*;
use proptest::prelude::*;
use srrd::*;
use std::collections::BTreeSet;

/// What a reward function says of any transition: numbers without pattern.
fn told(seed: u32, s: u32, a: u32, t: u32) -> f64 {
    f64::from((s * 7919 + a * 104_729 + t * 31_337 + s * t * 101 + seed).wrapping_mul(2_654_435_761) >> 20) / 400.0
        - 5.0
}

fn marginal(sample: &RewardSample, reward: impl Fn(u32, u32) -> f64) -> RewardTable {
    let n = sample.states().len() as u32;
    let cells: Vec<f64> = (0..n).flat_map(|s| (0..n).map(move |t| (s, t))).map(|(s, t)| reward(s, t)).collect();
    RewardTable::marginal(n as usize, cells).unwrap()
}

fn joint(sample: &RewardSample, reward: impl Fn(u32, u32, u32) -> f64) -> RewardTable {
    let (n, m) = (sample.states().len() as u32, sample.actions().len() as u32);
    let cells = (0..n * m * n).map(|i| reward(i / n / m, i / n % m, i % n));
    RewardTable::joint(n as usize, m as usize, cells.collect::<Vec<_>>()).unwrap()
}

/// The transitions by the sample's own ids.
fn id_rows(sample: &RewardSample) -> Vec<Row> {
    let state = |token| sample.states().find(token).unwrap();
    (sample.transitions())
        .map(|t| (state(t.state), sample.actions().find(t.action).unwrap(), state(t.next_state), t.reward))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn canonical_rewards_equal_the_definition(
        rows in rows(), seed in 0..1000u32, by_action in any::<bool>(),
        gamma in prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64],
        kept in prop::collection::vec(any::<bool>(), 12), kept_pairs in prop::collection::vec(any::<bool>(), 36),
        everything in any::<bool>(),
    ) {
        let plain = sample(&rows);
        let (states, actions) = (plain.states().len() as u32, plain.actions().len() as u32);
        let mean = |s, t| (0..actions).map(|u| told(seed, s, u, t)).sum::<f64>() / f64::from(actions);
        let table = match by_action {
            true => joint(&plain, |s, a, t| told(seed, s, a, t)),
            false => marginal(&plain, mean),
        };
        let sample = plain.with_reward_table(table).unwrap();
        let rows = id_rows(&sample);
        let some_states: BTreeSet<u32> = (0..states).filter(|&x| everything || kept[x as usize]).collect();
        let some_pairs: BTreeSet<(u32, u32)> = (0..states)
            .flat_map(|x| (0..actions).map(move |u| (x, u)))
            .filter(|&(x, u)| everything || kept_pairs[(x * 3 + u) as usize])
            .collect();
        let (state, action) = (|x: u32| sample.states().token(x), |u: u32| sample.actions().token(u));
        for (estimation, actions) in
            [(Estimation::Marginal(some_states), Actions::Marginal), (Estimation::Joint(some_pairs), Actions::Joint)]
        {
            let batch = match (&estimation, everything) {
                (_, true) => BatchSet::all(&sample, actions),
                (Estimation::Marginal(batch), _) => BatchSet::states(&sample, batch.iter().map(|&x| state(x))),
                (Estimation::Joint(batch), _) => {
                    BatchSet::pairs(&sample, batch.iter().map(|&(x, u)| (state(x), action(u))))
                }
                (Estimation::Unbiased, _) => unreachable!(),
            };
            let unsampled = |s, u, t| match actions {
                Actions::Joint if by_action => told(seed, s, u, t),
                _ => mean(s, t),
            };
            let prediction = sample.prediction(actions).unwrap();
            for metric in Metric::PAPER {
                let found = CanonicalForm::with_batch(&sample, metric, &batch).at(Gamma::new(gamma).unwrap());
                let expected = predicting(&rows, metric, gamma, &estimation, &unsampled);
                assert_close(&found, &expected, &format!("{metric} {estimation:?}"));
            }
            prop_assert!((prediction.reward(0, 0, states - 1) - unsampled(0, 0, states - 1)).abs() < 1e-12);
        }
        prop_assert_eq!(RewardSample::from_bytes(&sample.to_bytes()).unwrap(), sample);
    }

    #[test]
    fn shaping_is_gone_where_all_rewards_can_be_asked_for(
        rows in rows(), seed in 0..1000u32, potential in prop::collection::vec(-20.0..20.0f64, 12),
        gamma in 0.0..=1.0f64, by_action in any::<bool>(),
    ) {
        // The reward is what is told, at the transitions that were sampled: some of few.
        let plain = sample(&rows);
        let ids = id_rows(&plain);
        let reward = |s, a, t| if by_action { told(seed, s, a, t) } else { told(seed, s, 0, t) };
        let shaped = |s: u32, a, t: u32| reward(s, a, t) + gamma * potential[t as usize] - potential[s as usize];
        let known = |reward: &dyn Fn(u32, u32, u32) -> f64| {
            let rewards = ids.iter().map(|&(s, a, t, _)| reward(s, a, t)).collect();
            let sample = plain.with_rewards(rewards).unwrap();
            let table = joint(&sample, reward);
            sample.with_reward_table(table).unwrap()
        };
        let (a, b) = (known(&reward), known(&shaped));
        for actions in [Actions::Marginal, Actions::Joint] {
            let settings = settings(gamma, Estimator::Double { actions, batch: Batch::All });
            let (x, y) = (canonicalize(&a, Metric::Epic, &settings), canonicalize(&b, Metric::Epic, &settings));
            assert_close(&x, &y, "epic");
            if let Some(d) = distance(&a, &b, Metric::Epic, &settings).distance() {
                prop_assert!(d < 1e-6, "{d}");
            }
            // The sets of SRRD and DARD differ from one another, and so do the means of the potential over them: what is left is
            // what is left of the potential alone, whatever the reward.
            for metric in [Metric::Dard, Metric::Srrd] {
                let zero = |_: u32, _: u32, _: u32| 0.0;
                let pure = |s: u32, _: u32, t: u32| gamma * potential[t as usize] - potential[s as usize];
                let left = canonicalize(&known(&pure), metric, &settings);
                prop_assert!(canonicalize(&known(&zero), metric, &settings).iter().all(|c| *c == 0.0));
                let (x, y) = (canonicalize(&a, metric, &settings), canonicalize(&b, metric, &settings));
                let sum: Vec<f64> = x.iter().zip(left).map(|(x, left)| x + left).collect();
                assert_close(&y, &sum, metric.name());
            }
        }
    }
}

#[test]
fn a_table_belongs_to_its_sample() {
    let two = sample(&[(0, 0, 1, 1.0), (1, 1, 0, 2.0)]);
    let message = |table: Result<RewardTable, TableError>| {
        table.and_then(|table| two.clone().with_reward_table(table)).unwrap_err().to_string()
    };
    assert_eq!(message(RewardTable::marginal(2, vec![0.0; 3])), "the table has 3 rewards, but 2 states need 4");
    assert_eq!(
        message(RewardTable::joint(2, 3, [0.0; 4])),
        "the table has 4 rewards, but 2 states and 3 actions need 12"
    );
    assert!(
        message(RewardTable::marginal(3, vec![0.0; 9]))
            .starts_with("the table has 3 states where the sample has explored 2")
    );
    assert!(
        message(RewardTable::joint(2, 1, vec![0.0; 4]))
            .starts_with("the table has 1 actions where the sample has explored 2")
    );
    for value in [f64::NAN, f64::INFINITY, 1e141] {
        assert!(message(RewardTable::marginal(2, vec![0.0, value, 0.0, 0.0])).starts_with("cell 1 of the table is"));
    }
    let huge = RewardTable::joint(usize::MAX, usize::MAX, vec![]);
    assert!(matches!(huge, Err(TableError::WrongLength { .. })));
    // Other rewards are those of another function.
    let known = two.clone().with_reward_table(RewardTable::marginal(2, vec![0.5; 4]).unwrap()).unwrap();
    assert_eq!(known.reward_table().map(RewardTable::states), Some(2));
    assert_eq!((known.regression(), known.with_rewards(vec![1.0; 2]).unwrap().reward_table()), (None, None));
}
