//! STARC's canonicalizations against loops over their definitions, on random problems.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use srrd::exact::Tabular;
use srrd::exact::starc::{Canonicalization, Norm, Order, Starc};
use srrd::{Choice, Gamma};

struct Case {
    states: usize,
    actions: usize,
    gamma: f64,
    transition: Vec<f64>,
    reward: Vec<f64>,
    policy: Vec<f64>,
    problem: Tabular,
}

impl Case {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        let (states, actions) = (rng.random_range(1..5), rng.random_range(1..4));
        let gamma = [0.0, 0.3, 0.9, 0.95][rng.random_range(0..4)];
        let mut distribution = |count: usize, sparse: bool| -> Vec<f64> {
            let keep = rng.random_range(0..count);
            let weight = |i: usize, rng: &mut ChaCha8Rng| {
                if i == keep || !sparse || rng.random_bool(0.5) { rng.random_range(0.05..1.0) } else { 0.0 }
            };
            let weights: Vec<f64> = (0..count).map(|i| weight(i, rng)).collect();
            let total: f64 = weights.iter().sum();
            weights.iter().map(|w| w / total).collect()
        };
        let transition: Vec<f64> = (0..states * actions).flat_map(|_| distribution(states, true)).collect();
        let policy: Vec<f64> = (0..states).flat_map(|_| distribution(actions, true)).collect();
        let whole = rng.random_bool(0.5);
        let reward = (0..transition.len())
            .map(|_| if whole { f64::from(rng.random_range(-1..=1)) } else { rng.random_range(-1.0..1.0) })
            .collect();
        let problem = Tabular::new(vec![1.0 / states as f64; states], vec![1.0 / actions as f64; actions])
            .and_then(|problem| problem.with_dynamics(&transition))
            .unwrap();
        Case { states, actions, gamma, transition, reward, policy, problem }
    }

    fn starc(&self, canonicalization: Canonicalization) -> Starc {
        Starc::new(canonicalization, Gamma::new(self.gamma).unwrap())
    }

    fn at(&self, s: usize, a: usize, t: usize) -> usize {
        (s * self.actions + a) * self.states + t
    }

    fn all(&self) -> impl Iterator<Item = (usize, usize, usize)> + use<> {
        let (n, m) = (self.states, self.actions);
        (0..n * m * n).map(move |i| (i / n / m, i / n % m, i % n))
    }

    /// V by going on until nothing changes.
    fn values(&self, policy: Option<&[f64]>) -> Vec<f64> {
        let mut values = vec![0.0; self.states];
        for _ in 0..2000 {
            let mut next = vec![0.0; self.states];
            for (s, a, t) in self.all() {
                let likely = policy.map_or(1.0 / self.actions as f64, |policy| policy[s * self.actions + a]);
                let i = self.at(s, a, t);
                next[s] += likely * self.transition[i] * (self.reward[i] + self.gamma * values[t]);
            }
            values = next;
        }
        values
    }

    /// Everything that changes no behaviour, as vectors: potential shaping and, where asked for, S'-redistribution.
    fn moves(&self, redistribution: bool) -> Vec<Vec<f64>> {
        let shaping = (0..self.states).map(|x| {
            let value = |(s, _, t): (usize, usize, usize)| {
                (if t == x { self.gamma } else { 0.0 }) - if s == x { 1.0 } else { 0.0 }
            };
            self.all().map(value).collect::<Vec<f64>>()
        });
        let mut moves: Vec<Vec<f64>> = shaping.collect();
        for (s, a) in (0..self.states).flat_map(|s| (0..self.actions).map(move |a| (s, a))).filter(|_| redistribution) {
            let row = self.at(s, a, 0);
            let first = (0..self.states).find(|t| self.transition[row + t] > 0.0).unwrap();
            for t in (0..self.states).filter(|&t| t != first) {
                let mut change = vec![0.0; self.reward.len()];
                change[row + t] = self.transition[row + first];
                change[row + first] = -self.transition[row + t];
                moves.push(change);
            }
        }
        moves
    }

    fn weight(&self, norm: Norm, i: usize) -> f64 {
        match (norm.weighted, norm.order) {
            (false, _) => 1.0,
            (true, Order::Two) => self.transition[i].sqrt(),
            (true, _) => self.transition[i],
        }
    }

    fn norm(&self, norm: Norm, values: &[f64]) -> f64 {
        let weighted = values.iter().enumerate().map(|(i, v)| (self.weight(norm, i) * v).abs());
        match norm.order {
            Order::One => weighted.sum(),
            Order::Two => weighted.map(|v| v * v).sum::<f64>().sqrt(),
            Order::Infinity => weighted.fold(0.0, f64::max),
        }
    }
}

fn close(found: &[f64], expected: &[f64], what: &str) {
    let apart = found.iter().zip(expected).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
    assert!(apart < 1e-8, "{what}: {apart}\n{found:?}\n{expected:?}");
}

/// What is left of a vector without what others span, by Gram and Schmidt.
fn without(vector: &[f64], others: &[Vec<f64>]) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let reduce = |vector: &[f64], basis: &[Vec<f64>]| {
        let mut left = vector.to_vec();
        for _ in 0..2 {
            for one in basis {
                let along = dot(one, &left);
                left.iter_mut().zip(one).for_each(|(l, o)| *l -= along * o);
            }
        }
        left
    };
    for other in others {
        let left = reduce(other, &basis);
        let length = dot(&left, &left).sqrt();
        if length > 1e-9 * dot(other, other).sqrt() && length > 0.0 {
            basis.push(left.iter().map(|l| l / length).collect());
        }
    }
    reduce(vector, &basis)
}

#[test]
fn values_are_those_of_their_definition() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for round in 0..1000 {
        let case = Case::random(&mut rng);
        let policy = (round % 2 == 0).then_some(&case.policy[..]);
        let values = case.values(policy);
        let with_policy = |starc: Starc| match policy {
            None => starc,
            Some(policy) => starc.with_policy(policy.to_vec()),
        };
        let shaped =
            |(s, a, t): (usize, usize, usize)| case.reward[case.at(s, a, t)] + case.gamma * values[t] - values[s];
        let mean = |(s, a, _): (usize, usize, usize)| {
            (0..case.states).map(|t| case.transition[case.at(s, a, t)] * shaped((s, a, t))).sum()
        };
        let found = with_policy(case.starc(Canonicalization::ValPotential)).canonicalize(&case.problem, &case.reward);
        close(&found.unwrap(), &case.all().map(shaped).collect::<Vec<f64>>(), "val-potential");
        let found = with_policy(case.starc(Canonicalization::Val)).canonicalize(&case.problem, &case.reward);
        close(&found.unwrap(), &case.all().map(mean).collect::<Vec<f64>>(), "val");
    }
}

#[test]
fn the_least_of_order_two_is_a_projection() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for _ in 0..1000 {
        let case = Case::random(&mut rng);
        for (canonicalization, redistribution) in
            [(Canonicalization::Minimal, true), (Canonicalization::MinimalPotential, false)]
        {
            for norm in [false, true].map(|weighted| Norm { order: Order::Two, weighted }) {
                let starc = case.starc(canonicalization).with_norm(norm);
                let found = starc.canonicalize(&case.problem, &case.reward).unwrap();
                let weigh = |values: &[f64]| -> Vec<f64> {
                    values.iter().enumerate().map(|(i, v)| case.weight(norm, i) * v).collect()
                };
                let moves: Vec<Vec<f64>> = case.moves(redistribution).iter().map(|m| weigh(m)).collect();
                close(&weigh(&found), &without(&weigh(&case.reward), &moves), canonicalization.name());
            }
        }
    }
}

#[test]
fn no_move_makes_the_least_smaller_and_it_is_one_move_away() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..300 {
        let case = Case::random(&mut rng);
        for (canonicalization, redistribution) in
            [(Canonicalization::Minimal, true), (Canonicalization::MinimalPotential, false)]
        {
            let moves = case.moves(redistribution);
            for &norm in Norm::ALL {
                let starc = case.starc(canonicalization).with_norm(norm);
                let found = starc.canonicalize(&case.problem, &case.reward).unwrap();
                let size = case.norm(norm, &found);
                assert!((starc.size(&case.problem, &found).unwrap() - size).abs() < 1e-12 * (1.0 + size));
                let difference: Vec<f64> = found.iter().zip(&case.reward).map(|(f, r)| f - r).collect();
                close(&without(&difference, &moves), &vec![0.0; difference.len()], "a move");
                for _ in 0..20 {
                    let scale = 10f64.powi(rng.random_range(-6..1));
                    let mut moved = found.clone();
                    for one in &moves {
                        let by = scale * rng.random_range(-1.0..1.0);
                        moved.iter_mut().zip(one).for_each(|(m, o)| *m += by * o);
                    }
                    assert!(case.norm(norm, &moved) > size - 1e-9, "{canonicalization:?} {norm:?}");
                }
            }
        }
    }
}

#[test]
fn distances_are_blind_to_what_changes_no_behaviour() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for _ in 0..200 {
        let case = Case::random(&mut rng);
        let other: Vec<f64> = case.reward.iter().map(|r| r + rng.random_range(-0.5..0.5)).collect();
        for &canonicalization in Canonicalization::ALL {
            let redistributed = matches!(canonicalization, Canonicalization::Val | Canonicalization::Minimal);
            let mut moved = case.reward.clone();
            for one in case.moves(redistributed) {
                let by = rng.random_range(-1.0..1.0);
                moved.iter_mut().zip(&one).for_each(|(m, o)| *m += by * o);
            }
            let moved: Vec<f64> = moved.iter().map(|m| 3.0 * m).collect();
            for &norm in Norm::ALL {
                let starc = case.starc(canonicalization).with_norm(norm);
                let distance = |a: &[f64], b: &[f64]| starc.distance(&case.problem, a, b).unwrap();
                let (far, moved_far) = (distance(&case.reward, &other), distance(&moved, &other));
                let canonical = starc.canonicalize(&case.problem, &case.reward).unwrap();
                // What is next to nothing has no direction.
                if case.norm(norm, &canonical) > 1e-6 {
                    let apart = distance(&case.reward, &moved);
                    assert!(apart < 1e-6, "{canonicalization:?} {norm:?}: {apart}");
                    assert!((far - moved_far).abs() < 1e-6, "{canonicalization:?} {norm:?}: {far} {moved_far}");
                }
                assert!((0.0..=1.0).contains(&far) && (far - distance(&other, &case.reward)).abs() < 1e-12);
                if canonicalization == Canonicalization::MinimalPotential && norm == Norm::default() {
                    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
                    let theirs = starc.canonicalize(&case.problem, &other).unwrap();
                    let squares = dot(&canonical, &canonical) * dot(&theirs, &theirs);
                    if squares > 1e-9 {
                        let cosine = dot(&canonical, &theirs) / squares.sqrt();
                        assert!((far * far - 0.5 * (1.0 - cosine)).abs() < 1e-9);
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_missing_is_named() {
    let problem = Tabular::new(vec![0.5, 0.5], vec![1.0]).unwrap();
    let gamma = Gamma::default();
    let message = |problem: &Tabular, starc: Starc| starc.canonicalize(problem, &[0.0; 4]).unwrap_err().to_string();
    assert_eq!(
        message(&problem, Starc::new(Canonicalization::Val, gamma)),
        "val needs a transition model: build the problem with `with_dynamics`"
    );
    let weighted = Norm { order: Order::One, weighted: true };
    assert_eq!(
        message(&problem, Starc::new(Canonicalization::MinimalPotential, gamma).with_norm(weighted)),
        "a weighted norm needs a transition model: build the problem with `with_dynamics`"
    );
    assert!(Starc::new(Canonicalization::MinimalPotential, gamma).canonicalize(&problem, &[0.0; 4]).is_ok());
    let known = problem.with_dynamics(&[0.5, 0.5, 1.0, 0.0]).unwrap();
    let one = Gamma::new(1.0).unwrap();
    assert_eq!(
        message(&known, Starc::new(Canonicalization::ValPotential, one)),
        "val-potential takes values, which need a discount factor of at most 0.999999, not 1"
    );
    assert!(Starc::new(Canonicalization::Minimal, one).canonicalize(&known, &[1.0, 2.0, 3.0, 4.0]).is_ok());
    assert_eq!(
        message(&known, Starc::new(Canonicalization::Val, gamma).with_policy(vec![1.0, 0.5])),
        "the policy of state 1 is not a probability distribution: it adds up to 0.5"
    );
    assert!(
        message(&known, Starc::new(Canonicalization::Val, gamma).with_policy(vec![1.0]))
            .starts_with("the policy has 1")
    );
    // With one action every reward asks for the same; with two, one that asks for nothing is half-way from any other.
    let starc = Starc::new(Canonicalization::Val, gamma);
    assert_eq!(starc.distance(&known, &[0.0; 4], &[0.0, 1.0, 0.0, 0.0]), Ok(0.0));
    let stay_or_go = [1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0];
    let known = Tabular::new(vec![0.5, 0.5], vec![0.5, 0.5]).and_then(|p| p.with_dynamics(&stay_or_go)).unwrap();
    let half = starc.distance(&known, &[2.0; 8], &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
    assert!((half - 0.5).abs() < 1e-12, "{half}");
}
