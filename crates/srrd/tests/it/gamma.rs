//! The estimated discount factor, in simulation.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use srrd::*;

const SIDE: u32 = 12;

/// A standard normal number.
fn normal(random: &mut ChaCha8Rng) -> f64 {
    // A sum of twelve uniform numbers has variance 1, and the tails do not matter here.
    (0..12).map(|_| uniform(random)).sum::<f64>() - 6.0
}

fn uniform(random: &mut ChaCha8Rng) -> f64 {
    (random.next_u32() as f64 + 0.5) / 4_294_967_296.0
}

/// The transitions of random walks of 20 steps in a grid world.
fn walks(random: &mut ChaCha8Rng, count: usize) -> RewardSample {
    let mut rows = Vec::new();
    for _ in 0..count {
        let (mut x, mut y) = (random.next_u32() % SIDE, random.next_u32() % SIDE);
        for _ in 0..20 {
            let action = random.next_u32() % 4;
            let (from_x, from_y) = (x, y);
            match action {
                0 => x = (x + 1).min(SIDE - 1),
                1 => x = x.saturating_sub(1),
                2 => y = (y + 1).min(SIDE - 1),
                _ => y = y.saturating_sub(1),
            }
            rows.push((from_y * SIDE + from_x, action, y * SIDE + x, 0.0));
        }
    }
    RewardSample::from_rows(rows, Duplicates::Mean).unwrap()
}

/// The same transitions with independent rewards of variance 1, shaped with a random potential: the deviation of the shaping is
/// `shaping`. `shared` of the rewards are `rewards`, given by transition of the full space.
fn shaped(
    sample: &RewardSample,
    random: &mut ChaCha8Rng,
    gamma: f64,
    shaping: f64,
    mix: (f64, &[f64]),
) -> RewardSample {
    let size = shaping / (1.0 + gamma * gamma).sqrt();
    let potential: Vec<f64> = (0..SIDE * SIDE).map(|_| size * normal(random)).collect();
    let state = |token: Token<'_>| token.as_int().unwrap() as usize;
    let (rho, known) = mix;
    let rewards = sample.transitions().map(|t| {
        let (s, next) = (state(t.state), state(t.next_state));
        let common = known.get(4 * s + state(t.action)).copied().unwrap_or(0.0);
        let own = normal(random);
        rho.sqrt() * common + (1.0 - rho).sqrt() * own + gamma * potential[next] - potential[s]
    });
    sample.with_rewards(rewards.collect()).unwrap()
}

struct Trial {
    mean_error: f64,
    mean_distance: f64,
    covered: f64,
    identified: f64,
    freedom: f64,
}

/// Many estimates from `samples` samples each, of `count` walks.
fn trial(seed: u64, runs: usize, samples: usize, count: usize, gamma: f64, shaping: f64, rho: f64) -> Trial {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut total = Trial { mean_error: 0.0, mean_distance: 0.0, covered: 0.0, identified: 0.0, freedom: 0.0 };
    for _ in 0..runs {
        let known: Vec<f64> = (0..4 * SIDE * SIDE).map(|_| normal(&mut random)).collect();
        let pool: Vec<RewardSample> = (0..samples)
            .map(|_| {
                let sample = walks(&mut random, count);
                shaped(&sample, &mut random, gamma, shaping, (rho, &known))
            })
            .collect();
        let estimate = estimate_gamma(&pool.iter().collect::<Vec<_>>());
        let error = estimate.gamma.get() - gamma;
        assert!(estimate.low <= estimate.gamma.get() && estimate.gamma.get() <= estimate.high, "{estimate:?}");
        total.mean_error += error / runs as f64;
        total.mean_distance += error.abs() / runs as f64;
        total.covered += f64::from(estimate.low <= gamma && gamma <= estimate.high) / runs as f64;
        total.identified += f64::from(estimate.identified) / runs as f64;
        total.freedom += estimate.degrees_of_freedom as f64 / runs as f64;
    }
    println!(
        "{runs} runs of {samples} × {count} walks, γ {gamma}, shaping {shaping}, ρ {rho}: error {:+.4}, |error| {:.4}, covered {:.3}, \
         identified {:.2}, freedom {:.0}",
        total.mean_error, total.mean_distance, total.covered, total.identified, total.freedom
    );
    total
}

#[test]
fn the_true_factor_is_found_and_the_interval_covers_it() {
    // With few walks the interval is too wide to tell.
    for (seed, samples, count, gamma, shaping, rho, least) in [
        (1, 1, 8, 0.7, 3.0, 0.0, 0.0),
        (2, 1, 12, 0.7, 1.0, 0.0, 0.0),
        (3, 1, 25, 0.9, 1.0, 0.0, 0.0),
        (4, 1, 40, 0.7, 3.0, 0.0, 0.8),
        (5, 2, 12, 0.7, 3.0, 0.9, 0.0),
        (6, 4, 12, 0.5, 2.0, 0.0, 0.0),
    ] {
        let Trial { mean_error, covered, identified, .. } = trial(seed, 200, samples, count, gamma, shaping, rho);
        assert!(mean_error.abs() < 0.03, "mean error {mean_error}");
        assert!((0.92..=0.985).contains(&covered), "covered {covered}");
        assert!(identified >= least, "identified {identified}");
    }
}

#[test]
#[ignore = "long: the same with more runs and further cases, to look at"]
fn many_more_runs() {
    for (samples, count, gamma, shaping, rho) in [
        (1, 8, 0.7, 3.0, 0.0),
        (1, 8, 0.7, 1.0, 0.0),
        (1, 12, 0.7, 1.0, 0.0),
        (1, 20, 0.7, 1.0, 0.0),
        (1, 40, 0.7, 1.0, 0.0),
        (1, 40, 0.7, 3.0, 0.0),
        (1, 20, 0.95, 1.0, 0.0),
        (1, 20, 0.99, 2.0, 0.0),
        (1, 20, 1.0, 2.0, 0.0),
        (1, 20, 0.3, 2.0, 0.0),
        (1, 20, 0.0, 2.0, 0.0),
        (2, 20, 0.7, 2.0, 0.0),
        (2, 20, 0.7, 2.0, 0.5),
        (2, 20, 0.7, 2.0, 1.0),
        (6, 20, 0.7, 2.0, 0.8),
        (10, 5, 0.7, 2.0, 0.0),
    ] {
        trial(99, 1000, samples, count, gamma, shaping, rho);
    }
}
