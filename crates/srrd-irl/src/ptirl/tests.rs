//! Solutions against first principles: projections onto the constraints in turn, and conditions of optimality.

use proptest::prelude::*;

use super::rows::Rows;
use super::*;

/// Dykstra's method: projects onto one constraint after the other until nothing moves. Slow, and as simple as can be.
fn projected(rows: &Rows, center: &[f64], cap: f64, alpha: f64) -> Vec<f64> {
    let pairs: Vec<Vec<f64>> = (0..rows.targets)
        .flat_map(|target| (rows.targets..rows.rows.len()).map(move |other| (target, other)))
        .map(|(target, other)| {
            let mut row = vec![0.0; rows.transitions];
            rows.rows[target].iter().for_each(|&(at, w)| row[at as usize] += w);
            rows.rows[other].iter().for_each(|&(at, w)| row[at as usize] -= w);
            row
        })
        .collect();
    let mut reward = center.to_vec();
    let mut kept = vec![vec![0.0; reward.len()]; pairs.len() + 1];
    for _ in 0..200_000 {
        let before = reward.clone();
        for (constraint, kept) in kept.iter_mut().enumerate() {
            let from: Vec<f64> = reward.iter().zip(kept.iter()).map(|(r, k)| r + k).collect();
            reward = match pairs.get(constraint) {
                None => from.iter().map(|r| r.clamp(-cap, cap)).collect(),
                Some(row) => {
                    let short = alpha - row.iter().zip(&from).map(|(w, r)| w * r).sum::<f64>();
                    let norm: f64 = row.iter().map(|w| w * w).sum();
                    let pull = if short > 0.0 { short / norm } else { 0.0 };
                    from.iter().zip(row).map(|(r, w)| r + pull * w).collect()
                }
            };
            *kept = from.iter().zip(&reward).map(|(from, to)| from - to).collect();
        }
        if before.iter().zip(&reward).all(|(one, other)| (one - other).abs() < 1e-13) {
            break;
        }
    }
    reward
}

fn walks(transitions: u32, count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Vec<u32>>> {
    prop::collection::vec(prop::collection::vec(0..transitions, 1..12), count)
}

fn some_sets() -> impl Strategy<Value = Sets> {
    let probability = prop::collection::vec(prop_oneof![Just(1.0), 0.1..1.0], 9);
    (probability, walks(9, 1..4), walks(9, 1..5)).prop_map(|(probability, target, other)| Sets {
        probability,
        target,
        other,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn the_nearest_reward_is_what_projections_find(sets in some_sets(), share in 0.01..0.9f64) {
        let largest = largest_spread(&sets, 1.0).unwrap();
        prop_assume!(largest > 0.05);
        let settings = Ptirl { cap: 1.0, alpha: share * largest, ..Ptirl::default() };
        let found = solve(&sets, &settings).unwrap();
        let rows = Rows::new(&sets).unwrap();
        let expected = projected(&rows, &near::center(&sets, 1.0), 1.0, settings.alpha);
        for (one, other) in found.rewards.iter().zip(&expected) {
            prop_assert!((one - other).abs() < 1e-6, "{:?}\n{expected:?}", found.rewards);
        }
    }

    #[test]
    fn what_is_feasible_is_solved_and_what_is_not_is_said(sets in some_sets(), share in 0.5..1.5f64) {
        let largest = largest_spread(&sets, 100.0).unwrap();
        let alpha = if largest > 1e-6 { share * largest } else { 1.0 };
        prop_assume!((share - 1.0).abs() > 1e-6);
        for objective in [Objective::Near, Objective::Spread] {
            match solve(&sets, &Ptirl { objective, alpha, ..Ptirl::default() }) {
                Ok(found) => prop_assert!(alpha < largest && found.spread >= alpha - 1e-6),
                Err(PtirlProblem::Infeasible { largest: said, .. }) => {
                    prop_assert!(alpha > largest && (said - largest).abs() < 1e-6 * (1.0 + largest));
                }
                Err(other) => prop_assert!(false, "{other}"),
            }
        }
    }
}

#[test]
fn what_is_missing_is_said() {
    let message = |target: Vec<Vec<u32>>, other: Vec<Vec<u32>>, settings: Ptirl| {
        solve(&Sets { probability: vec![1.0; 2], target, other }, &settings).unwrap_err().say(FrontEnd::Command)
    };
    let (walk, default) = (vec![vec![0]], Ptirl::default());
    assert_eq!(
        message(vec![], walk.clone(), default),
        "PTIRL needs walks of the target, and there are none with a step"
    );
    assert!(message(walk.clone(), vec![vec![]], default).contains("walks of other agents"));
    assert!(message(walk.clone(), vec![vec![7]], default).contains("has no probability"));
    let zero = Ptirl { alpha: 0.0, ..default };
    assert_eq!(message(walk.clone(), vec![vec![1]], zero), "--alpha: it must be a positive number, not 0");
    // The most that rewards within ±100 can do is 100 for one transition and −100 for the other.
    for objective in [Objective::Near, Objective::Spread] {
        let much = Ptirl { alpha: 300.0, objective, ..default };
        let expected =
            "no rewards within ±100 keep a spread of 300: the largest spread is 200; lower --alpha or raise --cap";
        assert_eq!(message(walk.clone(), vec![vec![1]], much), expected);
        let same = Ptirl { objective, ..default };
        assert!(message(walk.clone(), walk.clone(), same).contains("some walks of both have the same steps"));
    }
}
