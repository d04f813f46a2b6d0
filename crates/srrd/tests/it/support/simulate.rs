//! Pairs of rewards whose true distance is known, to count how often intervals hold it.
#![allow(dead_code)]

use std::f64::consts::PI;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use srrd::project::Projection;
use srrd::sure::Episodes;
use srrd::*;

/// How rewards are distributed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Normal.
    Normal,
    /// Exponentials of normals: many small ones, few large ones.
    Skewed,
    /// Uniform, and mixtures of it.
    Uniform,
    /// Both 0 on four of five transitions, normal on the others.
    Sparse,
}

/// The generator of one simulated pair.
pub fn generator(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A standard normal number.
pub fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
    radius * (2.0 * PI * rng.random::<f64>()).cos()
}

/// A distance between 0.2 and 0.8, and the correlation it comes from.
pub fn true_distance(rng: &mut ChaCha8Rng) -> (f64, f64) {
    correlation_of(rng.random_range(0.2..0.8f64))
}

fn correlation_of(distance: f64) -> (f64, f64) {
    (distance, 1.0 - 2.0 * distance * distance)
}

impl Kind {
    /// A true distance: between 0.2 and 0.8, or as far as rewards of this kind can be apart.
    pub fn true_distance(self, rng: &mut ChaCha8Rng) -> (f64, f64) {
        match self {
            // Skewed rewards cannot be opposite.
            Kind::Skewed => correlation_of(rng.random_range(0.2..0.7f64)),
            _ => true_distance(rng),
        }
    }

    /// Two rewards of a transition whose correlation is `rho`, over all transitions.
    pub fn pair(self, rng: &mut ChaCha8Rng, rho: f64) -> (f64, f64) {
        let (first, second) = (normal(rng), normal(rng));
        let normals = |rho: f64| (first, rho * first + (1.0 - rho * rho).sqrt() * second);
        match self {
            Kind::Normal => normals(rho),
            Kind::Uniform => {
                let (x, y) = (rng.random_range(-1.0..1.0f64), rng.random_range(-1.0..1.0f64));
                (x, rho * x + (1.0 - rho * rho).sqrt() * y)
            }
            Kind::Skewed => {
                // Cor(e^(kx), e^(ky)) = (e^(k²r) − 1) / (e^(k²) − 1), solved for r; with k = ½ it is always above −1.
                let k2 = 0.25f64;
                let r = (1.0 + rho * (k2.exp() - 1.0)).ln() / k2;
                let (x, y) = normals(r.clamp(-1.0, 1.0));
                ((0.5 * x).exp(), (0.5 * y).exp())
            }
            Kind::Sparse => {
                let (x, y) = normals(rho);
                if rng.random::<f64>() < 0.8 { (0.0, 0.0) } else { (x, y) }
            }
        }
    }
}

/// Distinct transitions between `states` states with one action, `n` of them.
pub fn transitions(rng: &mut ChaCha8Rng, states: u32, n: usize) -> Vec<(u32, u32)> {
    let mut known = std::collections::BTreeSet::new();
    while known.len() < n {
        known.insert((rng.random_range(0..states), rng.random_range(0..states)));
    }
    known.into_iter().collect()
}

/// Two samples on the same transitions, with rewards from a function of the transition.
pub fn samples(
    transitions: &[(u32, u32)],
    mut reward: impl FnMut(u32, u32) -> (f64, f64),
) -> (RewardSample, RewardSample) {
    let rewards: Vec<(f64, f64)> = transitions.iter().map(|&(s, t)| reward(s, t)).collect();
    let of = |side: fn(&(f64, f64)) -> f64| {
        let rows = transitions.iter().zip(&rewards).map(|(&(s, t), r)| (s, 0u32, t, side(r)));
        RewardSample::from_rows(rows, Duplicates::Error).expect("distinct transitions with finite rewards")
    };
    (of(|r| r.0), of(|r| r.1))
}

/// Two samples on the same random transitions, and the distance of the population their rewards come from.
pub fn pair_of_samples(kind: Kind, n: usize, states: u32, seed: u64) -> (RewardSample, RewardSample, f64) {
    let mut rng = generator(seed);
    let (distance, rho) = kind.true_distance(&mut rng);
    let support = transitions(&mut rng, states, n);
    let (a, b) = samples(&support, |_, _| kind.pair(&mut rng, rho));
    (a, b, distance)
}

/// Two samples with a standard deviation of 1 and the means given (normal or skewed ones), and the distance that their residuals
/// have with γ = 1 if everything is as expected.
pub fn around_means(kind: Kind, means: [f64; 2], n: usize, seed: u64) -> (RewardSample, RewardSample, f64) {
    let mut rng = generator(seed);
    let (_, rho) = kind.true_distance(&mut rng);
    // Of e^(x/2).
    let e = 0.125f64.exp();
    let (mean, deviation) = if kind == Kind::Skewed { (e, e * (0.25f64.exp() - 1.0).sqrt()) } else { (0.0, 1.0) };
    let support = transitions(&mut rng, 40, n);
    let (a, b) = samples(&support, |_, _| {
        let (x, y) = kind.pair(&mut rng, rho);
        ((x - mean) / deviation + means[0], (y - mean) / deviation + means[1])
    });
    let projection = Projection::new(&a, Gamma::new(1.0).unwrap());
    // What shaping leaves of a constant, and how much of that is left without its mean.
    let constant: f64 = projection.residual(&vec![1.0; n]).iter().map(|v| v * v).sum();
    let visible = 1.0 - constant / n as f64;
    let others = projection.shaping().degrees_of_freedom as f64 - 1.0;
    let sum = |x: f64, y: f64, rho: f64| others * rho + visible * (x * y * constant + rho);
    let [x, y] = means;
    let correlation = sum(x, y, rho) / (sum(x, x, 1.0) * sum(y, y, 1.0)).sqrt();
    (a, b, (0.5 * (1.0 - correlation)).sqrt())
}

/// Two fields that change slowly over the cells of a grid, sums of the same random waves with correlated weights.
pub fn fields(rng: &mut ChaCha8Rng, side: u32, rho: f64) -> (Vec<f64>, Vec<f64>) {
    let waves: Vec<[f64; 5]> = (0..40)
        .map(|_| {
            let (phase, x, y) = (rng.random_range(0.0..2.0 * PI), 3.0 * normal(rng), 3.0 * normal(rng));
            let (first, second) = Kind::Normal.pair(rng, rho);
            [phase, x, y, first, second]
        })
        .collect();
    let field = |weight: usize| {
        let at = |cell: u32| {
            let (x, y) = (f64::from(cell % side) / f64::from(side), f64::from(cell / side) / f64::from(side));
            waves.iter().map(|w| w[weight] * (w[0] + 2.0 * PI * (w[1] * x + w[2] * y)).sin()).sum()
        };
        (0..side * side).map(at).collect()
    };
    (field(3), field(4))
}

/// Random walks of `steps` steps on a grid, each from a random cell: rows (episode, state, action, next state).
pub fn walks(rng: &mut ChaCha8Rng, side: u32, episodes: u32, steps: u32) -> Vec<(u32, u32, u32, u32)> {
    let mut rows = Vec::new();
    for episode in 0..episodes {
        let (mut x, mut y) = (rng.random_range(0..side), rng.random_range(0..side));
        for _ in 0..steps {
            let state = y * side + x;
            let action = rng.random_range(0..4u32);
            match action {
                0 if x + 1 < side => x += 1,
                1 if x > 0 => x -= 1,
                2 if y + 1 < side => y += 1,
                3 if y > 0 => y -= 1,
                _ => {}
            }
            rows.push((episode, state, action, y * side + x));
        }
    }
    rows
}

/// A sample and its episodes from rows of walks.
pub fn sample_of_walks(
    rows: &[(u32, u32, u32, u32)],
    reward: impl Fn(u32, u32, u32) -> f64,
) -> (RewardSample, Episodes) {
    let mut builder = SampleBuilder::new();
    for &(_, s, a, t) in rows {
        builder.push(Token::from(s), Token::from(a), Token::from(t), reward(s, a, t)).expect("finite rewards");
    }
    let (sample, placement) = builder.build_with_placement(Duplicates::Error).expect("one reward per transition");
    let of_row: Vec<u32> = rows.iter().map(|row| row.0).collect();
    let episodes = Episodes::from_rows(&sample, &placement, &of_row).expect("one episode a row");
    (sample, episodes)
}

/// How often something held, in percent.
pub fn percent(held: usize, of: usize) -> f64 {
    100.0 * held as f64 / of as f64
}
