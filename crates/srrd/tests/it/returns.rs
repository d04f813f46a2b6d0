//! Returns of episodes against loops over their definitions.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use srrd::Gamma;
use srrd::returns::*;
use srrd::sure::{Draws, Level};
use srrd::trajectories::{End, Trajectories};

fn walks(episodes: &[(Vec<u32>, Vec<f64>, End)]) -> Walks {
    let mut builder = Trajectories::builder();
    for (states, rewards, end) in episodes {
        builder.push_episode(states, &vec![0; rewards.len()], Some(rewards), *end).unwrap();
    }
    Walks::numbered(builder.build())
}

type Episodes = Vec<(Vec<u32>, Vec<f64>, End)>;

fn random(rng: &mut ChaCha8Rng, count: usize) -> Episodes {
    let states = rng.random_range(1..6u32);
    let episode = |rng: &mut ChaCha8Rng| {
        let length = rng.random_range(1..6);
        let visited = (0..=length).map(|_| rng.random_range(0..states)).collect();
        let rewards = (0..length).map(|_| f64::from(rng.random_range(-8..8)) / 4.0).collect();
        (visited, rewards, [End::Terminated, End::Truncated][rng.random_range(0..2)])
    };
    (0..count).map(|_| episode(rng)).collect()
}

fn returns(episodes: &Episodes, gamma: f64) -> Vec<f64> {
    let of = |rewards: &[f64]| rewards.iter().enumerate().map(|(t, r)| gamma.powi(t as i32) * r).sum();
    episodes.iter().map(|(_, rewards, _)| of(rewards)).collect()
}

fn pearson(x: &[f64], y: &[f64]) -> f64 {
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (mx, my) = (mean(x), mean(y));
    let sum = |f: &dyn Fn(usize) -> f64| (0..x.len()).map(f).sum::<f64>();
    let (xx, yy) = (sum(&|i| (x[i] - mx).powi(2)), sum(&|i| (y[i] - my).powi(2)));
    sum(&|i| (x[i] - mx) * (y[i] - my)) / (xx * yy).sqrt()
}

fn tau_b(x: &[f64], y: &[f64]) -> f64 {
    let sign = |v: f64| if v.abs() < 1e-11 { 0.0 } else { v.signum() };
    let (mut product, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for i in 0..x.len() {
        for j in 0..i {
            let (a, b) = (sign(x[i] - x[j]), sign(y[i] - y[j]));
            (product, xx, yy) = (product + a * b, xx + a * a, yy + b * b);
        }
    }
    product / f64::sqrt(xx * yy)
}

#[test]
fn numbers_are_those_of_their_definitions() {
    let mut rng = ChaCha8Rng::seed_from_u64(21);
    let mut compared = 0;
    for _ in 0..1000 {
        let count = rng.random_range(3..40);
        let first = random(&mut rng, count);
        let gamma = [0.0, 0.5, 0.9, 1.0][rng.random_range(0..4)];
        let change = |r: &f64, rng: &mut ChaCha8Rng| 0.5 * r + f64::from(rng.random_range(-4..4)) / 4.0;
        let second: Episodes = (first.iter())
            .map(|(states, rewards, end)| (states.clone(), rewards.iter().map(|r| change(r, &mut rng)).collect(), *end))
            .collect();
        let settings = ReturnSettings { gamma: Gamma::new(gamma).unwrap(), ..ReturnSettings::default() };
        let found = compare_returns(&walks(&first), &walks(&second), &settings).unwrap();
        let (x, y) = (returns(&first, gamma), returns(&second, gamma));
        if let Ok(value) = found.correlation.value {
            assert!((value - pearson(&x, &y)).abs() < 1e-8, "{value} {}", pearson(&x, &y));
            compared += 1;
        }
        if let Ok(value) = found.tau_b.value {
            assert!((value - tau_b(&x, &y)).abs() < 1e-8);
        }
        // A shaped copy.
        let potential: Vec<f64> = (0..6).map(|_| rng.random_range(-5.0..5.0)).collect();
        let shaped: Episodes = (first.iter())
            .map(|(states, rewards, end)| {
                let at = |t: usize| {
                    let over = *end == End::Terminated && t == rewards.len();
                    if over { 0.0 } else { potential[states[t] as usize] }
                };
                let shaped = (0..rewards.len()).map(|t| 3.0 * (rewards[t] + gamma * at(t + 1) - at(t))).collect();
                (states.clone(), shaped, *end)
            })
            .collect();
        let same = compare_returns(&walks(&first), &walks(&shaped), &settings).unwrap().correlation_without_shaping;
        if let Ok(value) = same.value {
            assert!((value - 1.0).abs() < 1e-9, "{value}");
        }
    }
    assert!(compared > 900, "{compared}");
}

#[test]
fn intervals_are_the_same_on_any_number_of_threads() {
    let mut rng = ChaCha8Rng::seed_from_u64(22);
    let first = random(&mut rng, 60);
    let second: Episodes = (first.iter())
        .map(|(states, rewards, end)| {
            (states.clone(), rewards.iter().map(|r| r + rng.random_range(-1.0..1.0)).collect(), *end)
        })
        .collect();
    let (a, b) = (walks(&first), walks(&second));
    let settings = ReturnSettings {
        interval: Some(Level::default()),
        draws: Draws::new(300).unwrap(),
        seed: 5,
        ..ReturnSettings::default()
    };
    let said: Vec<Preference> =
        (0..40).map(|i| Preference { better: (i % 60).to_string(), worse: ((7 * i + 1) % 60).to_string() }).collect();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            (compare_returns(&a, &b, &settings).unwrap(), compare_preferences(&a, &said, &settings).unwrap())
        })
    };
    let (found, preferred) = on(1);
    assert_eq!((found.clone(), preferred.clone()), on(3));
    for estimate in [found.correlation, found.correlation_without_shaping, found.tau_b, preferred.tau_b] {
        let range = estimate.interval.unwrap();
        assert!(range.low < range.high && range.holds(estimate.value.unwrap()), "{estimate:?}");
    }
    assert!(found.correlation.value.unwrap() > 0.5 && found.correlation.interval.unwrap().low > 0.2);
}

#[test]
fn what_cannot_be_compared_says_why() {
    let go =
        |rewards: &[f64]| walks(&rewards.iter().map(|&r| (vec![0, 1], vec![r], End::Terminated)).collect::<Vec<_>>());
    let settings = ReturnSettings::default();
    let few = compare_returns(&go(&[1.0, 2.0]), &go(&[1.0, 2.0]), &settings).unwrap();
    assert_eq!(few.correlation.value, Err(NoNumber::TooFewEpisodes));
    let flat = compare_returns(&go(&[1.0; 4]), &go(&[1.0, 2.0, 3.0, 4.0]), &settings).unwrap();
    assert_eq!((flat.correlation.value, flat.tau_b.value), (Err(NoNumber::Constant), Err(NoNumber::Constant)));
    // Every episode starts elsewhere: potentials explain anything.
    let apart =
        |k: f64| walks(&(0..4).map(|i| (vec![i, 9], vec![k * f64::from(i * i)], End::Terminated)).collect::<Vec<_>>());
    let free = compare_returns(&apart(1.0), &apart(2.0), &settings).unwrap();
    assert_eq!(free.correlation_without_shaping.value, Err(NoNumber::NoDegreesOfFreedom));
    assert_eq!((free.degrees_of_freedom, free.correlation.value.is_ok()), (0, true));
    let error = |a: &Walks, b: &Walks| compare_returns(a, b, &settings).unwrap_err().to_string();
    let longer = walks(&[(vec![0, 1, 0], vec![1.0, 2.0], End::Terminated)]);
    assert!(
        error(&go(&[1.0]), &longer).starts_with("episode '0' is not the same in the two tables (its lengths differ)")
    );
    let renamed = Walks { episodes: vec!["x".to_owned()], ..go(&[1.0]) };
    assert!(error(&go(&[1.0]), &renamed).starts_with("the two tables share no episode"));
    let cut = walks(&[(vec![0, 1], vec![1.0], End::Truncated)]);
    assert!(error(&go(&[1.0]), &cut).contains("(it ends differently)"));
    let said = |better: &str, worse: &str| {
        let said = [Preference { better: better.to_owned(), worse: worse.to_owned() }];
        compare_preferences(&go(&[1.0, 2.0]), &said, &settings).unwrap_err().to_string()
    };
    assert_eq!(said("7", "0"), "row 1 of the preferences names the episode '7', which the table does not hold");
    assert_eq!(said("1", "1"), "row 1 of the preferences compares the episode '1' with itself");
    let none = compare_preferences(&go(&[1.0]), &[], &settings).unwrap_err();
    assert_eq!(none, ReturnsError::NoPreferences);
}
