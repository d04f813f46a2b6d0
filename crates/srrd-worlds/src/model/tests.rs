//! The models against their formulas, with constants read from the streams one after the other.

use super::*;
use crate::{BouncingBalls, Gridworld, Step};
use proptest::prelude::*;
use rand::Rng;

/// A world with so many features that a transition needs more constants than a block holds.
struct Wide;

impl World for Wide {
    type State = ();
    type Agent = ();

    fn name(&self) -> &str {
        "wide"
    }
    fn states(&self) -> usize {
        3
    }
    fn actions(&self) -> usize {
        2
    }
    fn state_features(&self) -> &[&str] {
        &["a", "b", "c", "d"]
    }
    fn action_features(&self) -> &[&str] {
        &["e"]
    }
    fn describe_state(&self, state: usize, features: &mut [f64]) {
        (0..4).for_each(|i| features[i] = 0.5 + (state * 4 + i) as f64);
    }
    fn describe_action(&self, action: usize, features: &mut [f64]) {
        features[0] = -(action as f64) - 0.25;
    }
    fn start(&self, _: &mut Stream) {}
    fn observe(&self, (): &()) -> usize {
        0
    }
    fn advance(&self, (): &mut (), (): &(), _: &mut Stream) -> Step {
        Step { action: 0, score: 0.0, done: true }
    }
}

fn features_of(count: usize, describe: impl Fn(&mut [f64])) -> Vec<f64> {
    let mut features = vec![f64::NAN; count];
    describe(&mut features);
    features
}

/// f as the documentation of [`Model`] has it.
fn f(model: Model, x: f64, degree: u64) -> f64 {
    match model {
        Model::Linear => x,
        Model::Polynomial => (0..degree).map(|_| x).product(),
        Model::Sinusoidal => x.sin(),
        Model::Random => unreachable!(),
    }
}

/// Reads the constants of one number, and what is left of their blocks.
fn next_constants(rng: &mut Stream, count: usize) -> Vec<f64> {
    let words = (2 * count).next_multiple_of(16);
    let numbers: Vec<u64> = (0..words / 2).map(|_| rng.next_u64()).collect();
    // A number from 0 to 2⁵³ with the sign bit turned, so that the middle is at zero.
    numbers[..count].iter().map(|n| ((n ^ 1 << 63) >> 11) as f64 / (1u64 << 52) as f64 - 1.0).collect()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1.0)
}

fn check_against_formula<W: World>(world: &W, model: Model, seed: u64) {
    let (n, m) = (world.state_features().len(), world.action_features().len());
    let state = |s: usize| features_of(n, |features| world.describe_state(s, features));
    let action = |a: usize| features_of(m, |features| world.describe_action(a, features));
    let drawn = |purpose: &str| ((u128::from(stream(seed, purpose).next_u64()) * 10) >> 64) as u64 + 1;

    let reward = RewardFunction::new(world, model, seed);
    let degree = drawn("reward degree");
    assert_eq!(reward.degree().map(u64::from), (model == Model::Polynomial).then_some(degree));
    let mut rng = stream(seed, "reward");
    for s in 0..world.states() {
        for a in 0..world.actions() {
            for t in 0..world.states() {
                let expected = if model == Model::Random {
                    next_constants(&mut rng, 1)[0]
                } else {
                    let constants = next_constants(&mut rng, 2 * n + m);
                    let (u, rest) = constants.split_at(n);
                    let (w, v) = rest.split_at(m);
                    let dot =
                        |c: &[f64], x: &[f64]| -> f64 { c.iter().zip(x).map(|(c, x)| c * f(model, *x, degree)).sum() };
                    dot(u, &state(s)) + dot(w, &action(a)) + dot(v, &state(t))
                };
                let got = reward.reward(Triple { state: s as u32, action: a as u32, next: t as u32 });
                assert!(close(got, expected), "{model} ({s}, {a}, {t}): {got} is not {expected}");
            }
        }
    }

    let potential = PotentialFunction::new(world, model, seed);
    let degree = drawn("potential degree");
    let mut rng = stream(seed, "potential");
    for s in 0..world.states() {
        let expected: f64 = if model == Model::Random {
            next_constants(&mut rng, 1)[0]
        } else {
            next_constants(&mut rng, n).iter().zip(state(s)).map(|(u, x)| u * f(model, x, degree)).sum()
        };
        assert!(close(potential.potential(s), expected), "{model} {s}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn values_are_those_of_the_formulas(width in 1usize..5, height in 2usize..5, seed: u64) {
        for model in Model::ALL {
            check_against_formula(&Gridworld::new(width, height, 0.0).unwrap(), model, seed);
            check_against_formula(&BouncingBalls::new(height, width, 0.0).unwrap(), model, seed);
            check_against_formula(&Wide, model, seed);
        }
    }

    #[test]
    fn no_value_depends_on_the_others_asked_for(
        triples in prop::collection::vec((0u32..56, 0u32..4, 0u32..56), 1..60), seed: u64, which in 0usize..4,
    ) {
        let world = Gridworld::new(7, 8, 0.0).unwrap();
        let triples: Vec<Triple> =
            triples.into_iter().map(|(state, action, next)| Triple { state, action, next }).collect();
        let function = RewardFunction::new(&world, Model::ALL[which], seed);
        let forwards = function.rewards(&triples);
        let mut backwards = function.rewards(&triples.iter().rev().copied().collect::<Vec<_>>());
        backwards.reverse();
        prop_assert_eq!(&forwards, &backwards);
        let again = RewardFunction::new(&world, Model::ALL[which], seed);
        for (triple, reward) in triples.iter().zip(&forwards) {
            prop_assert_eq!(again.reward(*triple), *reward);
        }
    }
}

#[test]
fn values_are_what_they_have_always_been() {
    let world = Gridworld::new(20, 20, 0.0).unwrap();
    let triple = Triple { state: 21, action: 2, next: 22 };
    let values = Model::ALL.map(|model| RewardFunction::new(&world, model, 7).reward(triple));
    let expected = [3.1303538323484483, 929.042958953059, 1.93319464807973, -0.5784029239562134];
    assert!(values.iter().zip(expected).all(|(a, b)| close(*a, b)), "{values:?}");
    let values = Model::ALL.map(|model| PotentialFunction::new(&world, model, 7).potential(43));
    let expected = [-3.6667715155711815, -13564.389874855831, -0.8508607841108603, -0.8321410022844324];
    assert!(values.iter().zip(expected).all(|(a, b)| close(*a, b)), "{values:?}");
}

#[test]
fn seeds_rewards_and_potentials_have_nothing_to_do_with_each_other() {
    let world = Gridworld::new(20, 20, 0.0).unwrap();
    let triples: Vec<Triple> = (0..400).map(|s| Triple { state: s, action: 0, next: s }).collect();
    let lists = [
        RewardFunction::new(&world, Model::Random, 0).rewards(&triples),
        RewardFunction::new(&world, Model::Random, 1).rewards(&triples),
        PotentialFunction::new(&world, Model::Random, 0).values().to_vec(),
        PotentialFunction::new(&world, Model::Random, 1).values().to_vec(),
    ];
    for (i, a) in lists.iter().enumerate() {
        // Uniform in [−1, 1): the mean square is a third.
        let square = a.iter().map(|x| x * x).sum::<f64>() / 400.0;
        assert!((square - 1.0 / 3.0).abs() < 0.06, "{square}");
        for b in &lists[..i] {
            let product = a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>() / 400.0;
            assert!(product.abs() < 0.07, "{product}");
        }
    }
}

#[test]
fn every_degree_from_one_to_ten_comes() {
    let world = Gridworld::new(2, 2, 0.0).unwrap();
    let mut degrees: Vec<u32> =
        (0..200).filter_map(|seed| RewardFunction::new(&world, Model::Polynomial, seed).degree()).collect();
    degrees.sort_unstable();
    degrees.dedup();
    assert_eq!(degrees, (1..=10).collect::<Vec<u32>>());
}

#[test]
fn models_have_names() {
    for model in Model::ALL {
        assert_eq!(model.to_string().parse(), Ok(model));
    }
    assert_eq!("cubic".parse::<Model>(), Err(WorldError::UnknownModel("cubic".to_owned())));
}

#[test]
fn every_model_has_its_line() {
    for (model, info) in Model::ALL.into_iter().zip(&MODELS) {
        assert_eq!((model, info.name), (info.model, model.name()));
        assert_eq!(info.name.parse(), Ok(model));
    }
}
