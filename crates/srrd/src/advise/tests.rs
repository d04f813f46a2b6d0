//! Gains against the rank of the matrix they are about, computed anew for every state.

use super::*;
use crate::sample::Duplicates;
use crate::sample::{Ends, Token};
use crate::settings::Gamma;
use proptest::prelude::*;
use std::collections::BTreeSet;

type Key = (u32, u32, u32);

/// A sample of these transitions (state, action, next state), with rewards that look random.
fn sample(transitions: &BTreeSet<Key>) -> RewardSample {
    let reward = |(s, a, t): Key| f64::from((s * 31 + a * 17 + t * 57 + s * t) % 101) / 7.0;
    let rows = transitions.iter().map(|&key| (key.0, key.1, key.2, reward(key)));
    RewardSample::from_rows(rows, Duplicates::Error).unwrap()
}

/// One that says which transitions end.
fn ending(transitions: &BTreeSet<Key>, ends: impl Fn(Key) -> bool) -> RewardSample {
    let sample = sample(transitions);
    let id = |token: Token<'_>| token.as_int().unwrap() as u32;
    let marks = sample.transitions().map(|t| ends((id(t.state), id(t.action), id(t.next_state)))).collect();
    sample.with_ends(Ends::marked(marks)).unwrap()
}

fn going_on(transitions: &BTreeSet<Key>) -> RewardSample {
    ending(transitions, |_| false)
}

/// Transitions minus the rank of the matrix with −1 at s and γ at s' (not for those that end), and a column of ones where none ends; by
/// elimination with the largest pivot.
fn freedom(transitions: &BTreeSet<Key>, gamma: f64, ends: impl Fn(Key) -> bool) -> usize {
    let shift = f64::from(gamma == 1.0 && !transitions.iter().any(|&key| ends(key)));
    let row = |&key: &Key| {
        let (s, _, t) = key;
        let ahead = if ends(key) { 0.0 } else { gamma };
        (0..12).map(|x| f64::from(t == x) * ahead - f64::from(s == x)).chain([shift]).collect()
    };
    let mut rows: Vec<Vec<f64>> = transitions.iter().map(row).collect();
    let mut rank = 0;
    for column in 0..13 {
        let pivot = (rank..rows.len()).max_by(|&i, &j| rows[i][column].abs().total_cmp(&rows[j][column].abs()));
        let Some(pivot) = pivot.filter(|&i| rows[i][column].abs() > 1e-9) else { continue };
        rows.swap(rank, pivot);
        let (above, below) = rows.split_at_mut(rank + 1);
        let pivot = &above[rank];
        for row in below {
            let factor = row[column] / pivot[column];
            row.iter_mut().zip(pivot).skip(column).for_each(|(value, p)| *value -= factor * p);
        }
        rank += 1;
    }
    transitions.len() - rank
}

fn transitions() -> impl Strategy<Value = BTreeSet<Key>> {
    prop::collection::btree_set((0..9u32, 0..2u32, 0..9u32), 1..18)
}

proptest! {
    #[test]
    fn gains_are_those_of_the_rank(
        shared in transitions(), only_a in transitions(), only_b in transitions(),
        gamma in prop_oneof![Just(0.0), Just(1.0), 0.3..0.95f64], keep in any::<bool>(), some_end in any::<bool>(),
    ) {
        let ends = |(s, a, t): Key| some_end && (s * 5 + a + 3 * t).is_multiple_of(11);
        let freedom = |transitions: &BTreeSet<Key>, gamma: f64| freedom(transitions, gamma, ends);
        let shared = if keep { shared } else { BTreeSet::new() };
        let a: BTreeSet<Key> = shared.union(&only_a).copied().collect();
        let b: BTreeSet<Key> = shared.union(&only_b).copied().collect();
        let shared: BTreeSet<Key> = a.intersection(&b).copied().collect();
        let (first, second) = (ending(&a, ends), ending(&b, ends));
        let settings = Settings { gamma: Gamma::new(gamma).unwrap(), ..Settings::default() };
        let advice = advise(&Pair::new(&first, &second), &settings);

        prop_assert_eq!(advice.shared, shared.len());
        prop_assert_eq!(advice.shaping.degrees_of_freedom, freedom(&shared, gamma));
        let union: BTreeSet<Key> = a.union(&b).copied().collect();
        prop_assert_eq!(advice.together.transitions, union.len());
        prop_assert_eq!(advice.together.degrees_of_freedom, freedom(&union, gamma));

        let mut expected: Vec<(i64, usize, [usize; 2])> = (0..9u32)
            .map(|state| {
                let with: BTreeSet<Key> = union.iter().copied().filter(|key| key.0 == state || shared.contains(key)).collect();
                let lacks = |held: &BTreeSet<Key>| with.iter().filter(|key| !held.contains(key)).count();
                // Where a first end takes the shift away, there is one more.
                (i64::from(state), freedom(&with, gamma).saturating_sub(freedom(&shared, gamma)), [lacks(&a), lacks(&b)])
            })
            .filter(|(_, gain, _)| *gain > 0)
            .collect();
        expected.sort_by_key(|&(state, gain, _)| (std::cmp::Reverse(gain), state));
        let found: Vec<_> = advice.states.iter().map(|s| (s.state.as_int().unwrap(), s.gain, s.lacking)).collect();
        prop_assert_eq!(found, expected);
    }

    /// Where γ is said not to matter, rewards leave the same residual whatever γ.
    #[test]
    fn gamma_matters_where_residuals_change(held in transitions(), one in 0.2..0.5f64, other in 0.6..0.95f64) {
        let a = sample(&held);
        let advice = advise(&Pair::new(&a, &a), &Settings::default());
        let residual = |gamma: f64, i: usize| {
            let unit: Vec<f64> = (0..a.len()).map(|k| f64::from(u8::from(k == i))).collect();
            crate::project::Projection::new(&a, Gamma::new(gamma).unwrap()).residual(&unit)
        };
        // Unit vectors span everything.
        let changes = (0..a.len()).any(|i| {
            residual(one, i).iter().zip(residual(other, i)).any(|(x, y)| (x - y).abs() > 1e-6)
        });
        prop_assert!(advice.gamma_matters || !changes);
        if advice.gamma_matters {
            prop_assert!(advice.shaping.degrees_of_freedom > 0);
        }
    }
}

fn set(transitions: impl IntoIterator<Item = Key>) -> BTreeSet<Key> {
    transitions.into_iter().collect()
}

/// All transitions among some states.
fn full(states: u32) -> BTreeSet<Key> {
    set((0..states).flat_map(|s| (0..states).map(move |t| (s, 0, t))))
}

#[test]
fn the_verdict_follows_the_rules() {
    let settings = Settings::default();
    let verdict = |a: &RewardSample, b: &RewardSample| {
        let advice = advise(&Pair::new(a, b), &settings);
        (advice.metric, advice.enough, advice.reasons)
    };
    let grid = sample(&full(6));
    assert_eq!(verdict(&grid, &grid), (Some(Metric::Projected), true, vec![]));
    let apart = sample(&set([(7, 0, 8), (8, 0, 7)]));
    assert_eq!(verdict(&grid, &apart), (None, false, vec![Reason::NothingShared]));
    let small = sample(&full(3));
    assert_eq!(verdict(&grid, &small), (None, false, vec![Reason::FewShared, Reason::FewDegreesOfFreedom]));
    // A chain of 25 transitions with a way back: shaping explains all but next to nothing.
    let chain = going_on(&set((0..25).map(|s| (s, 0, s + 1)).chain([(3, 0, 0), (9, 0, 1)])));
    assert_eq!(verdict(&chain, &chain), (Some(Metric::Srrd), false, vec![Reason::FewDegreesOfFreedom]));
    let tree = going_on(&set((0..25).map(|s| (s, 0, s + 1))));
    assert_eq!(verdict(&tree, &tree), (Some(Metric::Srrd), false, vec![Reason::NoDegreesOfFreedom]));
    let flat = grid.with_rewards(vec![2.5; grid.len()]).unwrap();
    assert_eq!(verdict(&grid, &flat), (None, false, vec![Reason::SecondConstant]));
    assert_eq!(verdict(&flat, &grid), (None, false, vec![Reason::FirstConstant]));
    let potential = |x: i64| (x * x % 7) as f64;
    let shaping = grid.transitions().map(|t| {
        let (s, t) = (t.state.as_int().unwrap(), t.next_state.as_int().unwrap());
        0.9 * potential(t) - potential(s)
    });
    let shaping = grid.with_rewards(shaping.collect()).unwrap();
    assert_eq!(verdict(&grid, &shaping), (None, false, vec![Reason::OnlyShaping]));
}

#[test]
fn one_step_problems_compare_within_states() {
    let settings = Settings::default();
    let scores =
        |prompts: u32, responses: u32| set((0..prompts).flat_map(move |p| (0..responses).map(move |r| (p, r, 99))));
    let (many, few) = (sample(&scores(10, 4)), sample(&scores(9, 3)));
    let advice = advise(&Pair::new(&many, &few), &settings);
    assert_eq!(advice.one_step, Some(OneStep { states: 9, comparable: 9 }));
    // 27 responses less 9 prompts; of the tenth prompt four responses, of which one says nothing.
    assert_eq!((advice.shaping.degrees_of_freedom, advice.together.degrees_of_freedom), (18, 30));
    assert_eq!((advice.metric, advice.enough), (Some(Metric::Projected), true));
    assert!(!advice.gamma_matters);
    let first = advice.states[0];
    assert_eq!((first.state.as_int(), first.gain, first.lacking), (Some(9), 3, [0, 4]));
    assert_eq!(advice.states[1].gain, 1);
    let single = sample(&scores(30, 1));
    let advice = advise(&Pair::new(&single, &single), &settings);
    assert_eq!(advice.one_step, Some(OneStep { states: 30, comparable: 0 }));
    assert_eq!((advice.metric, advice.reasons), (None, vec![Reason::NoDegreesOfFreedom]));
    let grid = sample(&full(6));
    assert_eq!(advise(&Pair::new(&grid, &grid), &settings).one_step, None);
    assert!(advise(&Pair::new(&grid, &grid), &settings).gamma_matters);
}
