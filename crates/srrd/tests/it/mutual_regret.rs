//! Regret between two rewards against loops over all policies' values, and on samples.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use srrd::regret::{RegretError, mutual_regret, sampled_regret};
use srrd::sample::Ends;
use srrd::{Duplicates, Dynamics, Gamma, RewardSample};

/// (s, a) with where it leads and how likely, and two rewards.
struct Pair {
    state: usize,
    ahead: Vec<(usize, f64)>,
    rewards: [f64; 2],
}

struct Problem {
    states: usize,
    pairs: Vec<Pair>,
    gamma: f64,
    dynamics: Dynamics,
    initial: Vec<f64>,
}

impl Problem {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        let (states, actions) = (rng.random_range(1..8), rng.random_range(1..4));
        let gamma = [0.0, 0.5, 0.9, 0.99][rng.random_range(0..4)];
        let whole = rng.random_bool(0.5);
        let (mut pairs, mut known) = (Vec::new(), Vec::new());
        for state in 0..states {
            for action in 0..actions {
                // Some actions are not available, and some states are ends.
                if rng.random_bool(0.2) {
                    continue;
                }
                let mut weights = vec![0.0; states];
                for _ in 0..rng.random_range(1..=3) {
                    weights[rng.random_range(0..states)] += rng.random_range(0.1..1.0);
                }
                let total: f64 = weights.iter().sum();
                let ahead: Vec<(usize, f64)> =
                    weights.iter().enumerate().filter(|(_, w)| **w > 0.0).map(|(t, w)| (t, w / total)).collect();
                known.extend(ahead.iter().map(|&(t, p)| (state, action, t, p)));
                let reward = |rng: &mut ChaCha8Rng| {
                    if whole { f64::from(rng.random_range(-1..=1)) } else { rng.random_range(-1.0..1.0) }
                };
                let rewards = [reward(rng), reward(rng)];
                pairs.push(Pair { state, ahead, rewards });
            }
        }
        let weights: Vec<f64> = (0..states).map(|_| rng.random_range(0.1..1.0)).collect();
        let total: f64 = weights.iter().sum();
        let initial: Vec<f64> = weights.iter().map(|w| w / total).collect();
        let dynamics = Dynamics::new(states, actions, known).and_then(|d| d.with_initial(initial.clone())).unwrap();
        Problem { states, pairs, gamma, dynamics, initial }
    }

    fn worth(&self, pair: &Pair, reward: f64, values: &[f64]) -> f64 {
        reward + self.gamma * pair.ahead.iter().map(|&(t, p)| p * values[t]).sum::<f64>()
    }

    /// Values after so many sweeps that nothing changes any more; `choose` makes one number of those of a state's actions.
    fn values(&self, side: usize, choose: impl Fn(usize, &[(usize, f64)]) -> f64) -> Vec<f64> {
        let mut values = vec![0.0; self.states];
        for _ in 0..4000 {
            let next = (0..self.states).map(|s| {
                let of_state = self.pairs.iter().enumerate().filter(|(_, pair)| pair.state == s);
                let worth = of_state.map(|(i, pair)| (i, self.worth(pair, pair.rewards[side], &values)));
                let worth: Vec<(usize, f64)> = worth.collect();
                if worth.is_empty() { 0.0 } else { choose(s, &worth) }
            });
            values = next.collect();
        }
        values
    }

    fn total(&self, values: &[f64]) -> f64 {
        self.initial.iter().zip(values).map(|(p, v)| p * v).sum()
    }

    /// Acting on the other reward, under reward `side`: optimal, earned and worst.
    fn regret(&self, side: usize) -> [f64; 3] {
        let most = |_: usize, worth: &[(usize, f64)]| worth.iter().map(|w| w.1).fold(f64::NEG_INFINITY, f64::max);
        let least = |_: usize, worth: &[(usize, f64)]| worth.iter().map(|w| w.1).fold(f64::INFINITY, f64::min);
        let theirs = self.values(1 - side, most);
        let good: Vec<bool> = (self.pairs.iter())
            .map(|pair| self.worth(pair, pair.rewards[1 - side], &theirs) >= theirs[pair.state] - 1e-8)
            .collect();
        let alike = |_: usize, worth: &[(usize, f64)]| {
            let good: Vec<f64> = worth.iter().filter(|w| good[w.0]).map(|w| w.1).collect();
            good.iter().sum::<f64>() / good.len() as f64
        };
        [self.values(side, most), self.values(side, alike), self.values(side, least)].map(|values| self.total(&values))
    }
}

#[test]
fn regret_is_that_of_its_definition() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let mut defined = 0;
    for round in 0..1000 {
        let problem = Problem::random(&mut rng);
        let of = |side: usize| problem.pairs.iter().map(|pair| pair.rewards[side]).collect::<Vec<f64>>();
        let found = mutual_regret(&problem.dynamics, &of(0), &of(1), Gamma::new(problem.gamma).unwrap()).unwrap();
        for (found, side) in [(found.a_under_b, 1), (found.b_under_a, 0)] {
            let [optimal, earned, worst] = problem.regret(side);
            let close = |a: f64, b: f64| (a - b).abs() < 1e-8;
            assert!(close(found.optimal, optimal), "{round}: {found:?} {optimal}");
            assert!(close(found.earned, earned), "{round}: {found:?} {earned}");
            assert!(close(found.worst, worst), "{round}: {found:?} {worst}");
            match found.regret {
                Some(regret) => {
                    assert!((regret - (optimal - earned) / (optimal - worst)).abs() < 1e-6 / (optimal - worst));
                    defined += 1;
                }
                None => assert!(optimal - worst < 1e-6),
            }
        }
    }
    assert!(defined > 1000, "{defined}");
}

#[test]
fn samples_are_taken_together() {
    // Two exits of a corridor; where the episode ends, what follows in the table does not count.
    let rows = |goal: f64, pit: f64| {
        [
            ("0", "left", "pit", pit),
            ("0", "right", "1", 0.0),
            ("1", "left", "0", 0.0),
            ("1", "right", "goal", goal),
            ("goal", "right", "0", 9.0),
            ("goal", "left", "goal", 0.0),
        ]
    };
    let of = |goal: f64, pit: f64, ends: bool| {
        let sample = RewardSample::from_rows(rows(goal, pit), Duplicates::Mean).unwrap();
        let marks =
            sample.transitions().map(|t| ["pit", "goal"].contains(&t.next_state.to_string().as_str())).collect();
        if ends { sample.with_ends(Ends::marked(marks)).unwrap() } else { sample }
    };
    let gamma = Gamma::new(0.5).unwrap();
    let start = ["0".to_owned()];
    let found = sampled_regret(&of(1.0, 0.0, true), &of(0.0, 1.0, true), None, gamma, &start).unwrap();
    // A goes right twice (0.5 in two steps); under B that is worth 0, and going left 1.
    assert_eq!((found.regret.a_under_b.optimal, found.regret.a_under_b.earned), (1.0, 0.0));
    assert_eq!(found.regret.a_under_b.regret, Some(1.0));
    assert_eq!((found.regret.b_under_a.optimal, found.regret.b_under_a.regret), (0.5, Some(1.0)));
    assert_eq!((found.starts, found.available, found.left_out, found.dead_ends), (1, 6, 0, 0));
    // Without ends the goal leads on, and pays 9 in both.
    let free = sampled_regret(&of(1.0, 0.0, false), &of(0.0, 1.0, false), None, gamma, &start).unwrap();
    assert!(free.regret.a_under_b.regret.unwrap() < 0.9 && free.dead_ends == 1);
    let same = sampled_regret(&of(1.0, 0.0, true), &of(2.0, 0.0, true), None, gamma, &[]).unwrap();
    assert_eq!((same.regret.a_under_b.regret, same.regret.b_under_a.regret), (Some(0.0), Some(0.0)));

    let error = |a: &RewardSample, b: &RewardSample, gamma: f64, start: &[String]| {
        sampled_regret(a, b, None, Gamma::new(gamma).unwrap(), start).unwrap_err()
    };
    let (a, b) = (of(1.0, 0.0, true), of(0.0, 1.0, true));
    assert_eq!(error(&a, &b, 1.0, &[]), RegretError::Discount(1.0));
    assert_eq!(error(&a, &b, 0.9, &["pit".to_owned()]), RegretError::Start("pit".to_owned()));
    let other = RewardSample::from_rows([("x", "y", "z", 1.0)], Duplicates::Mean).unwrap();
    assert_eq!(error(&a, &other, 0.9, &[]), RegretError::NothingShared);
}

#[test]
fn next_states_count_as_often_as_they_occur() {
    // Three times of four the bet is lost.
    let rows = |win: f64| {
        let bets = [
            ("s", "bet", "won", win),
            ("s", "bet", "lost", -1.0),
            ("s", "bet", "lost", -1.0),
            ("s", "bet", "lost", -1.0),
        ];
        let sample = bets.into_iter().chain([("s", "keep", "kept", 0.0)]);
        RewardSample::from_rows(sample, Duplicates::Mean).unwrap()
    };
    let found = sampled_regret(&rows(2.0), &rows(4.0), None, Gamma::default(), &[]).unwrap();
    // 2/4 − 3/4 < 0 keeps, 4/4 − 3/4 > 0 bets.
    assert!((found.regret.a_under_b.optimal - 0.25).abs() < 1e-12, "{found:?}");
    assert_eq!((found.regret.a_under_b.regret, found.regret.b_under_a.regret), (Some(1.0), Some(1.0)));
    // A model says that it is even.
    let model = [("s", "bet", "won", 0.5), ("s", "bet", "lost", 0.5), ("s", "keep", "kept", 1.0)];
    let model = RewardSample::from_rows(model, Duplicates::Error).unwrap();
    let even = sampled_regret(&rows(2.0), &rows(4.0), Some(&model), Gamma::default(), &[]).unwrap();
    assert!((even.regret.a_under_b.optimal - 1.5).abs() < 1e-12, "{even:?}");
    assert_eq!((even.regret.a_under_b.regret, even.regret.b_under_a.regret), (Some(0.0), Some(0.0)));
    let wrong = model.with_rewards(vec![0.5; 3]).unwrap();
    let error = sampled_regret(&rows(2.0), &rows(4.0), Some(&wrong), Gamma::default(), &[]).unwrap_err();
    let told =
        "the probabilities of the model for action 'keep' in state 's' are not a distribution: it adds up to 0.5";
    assert_eq!(error.to_string(), told);
}
