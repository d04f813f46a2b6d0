//! A pendulum that is pushed at random, as samples.

use srrd::potential::Potential;
use srrd::sample::Ends;
use srrd::settings::Discount;
use srrd::*;

pub const GAMMA: f64 = 0.97;

pub type Reward<'a> = &'a dyn Fn(usize, &[f64; 3], i32) -> f64;

/// A pseudo-random number between 0 and 1.
pub fn uniform(i: usize) -> f64 {
    let x = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ x >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (x >> 11) as f64 / (1u64 << 53) as f64
}

/// Episodes of 50 steps, from one on: cosine and sine of the angle, and the speed.
fn swings(first: usize, episodes: usize) -> Vec<([f64; 3], i32, [f64; 3])> {
    let mut rows = Vec::new();
    for episode in first..first + episodes {
        let (mut angle, mut speed) = (6.0 * uniform(7 * episode), 2.0 * uniform(7 * episode + 1) - 1.0);
        let state = |angle: f64, speed: f64| [angle.cos(), angle.sin(), speed];
        for step in 0..50 {
            let push = (3.0 * uniform(100_000 + 50 * episode + step)) as i32 - 1;
            let before = state(angle, speed);
            speed += 0.05 * (15.0 * angle.sin() + 6.0 * f64::from(push));
            angle += 0.05 * speed;
            rows.push((before, push, state(angle, speed)));
        }
    }
    rows
}

/// The sample of a reward, shaped by a potential, on some episodes. The last step of an episode ends it, if `ends` says so.
pub fn swings_of(
    first: usize,
    episodes: usize,
    reward: Reward<'_>,
    potential: &dyn Fn(&[f64; 3]) -> f64,
    ends: bool,
) -> NamedSample {
    let rows = swings(first, episodes);
    let mut builder = SampleBuilder::new();
    let mut marks = Vec::new();
    for (i, (s, a, t)) in rows.iter().enumerate() {
        let over = ends && i % 50 == 49;
        let shaping = if over { 0.0 } else { GAMMA * potential(t) } - potential(s);
        builder.push(Token::features(s), (*a).into(), Token::features(t), reward(i, s, *a) + shaping).unwrap();
        marks.push(over);
    }
    let (sample, placement) = builder.build_with_placement(Duplicates::Mean).unwrap();
    let sample = if ends {
        sample.with_row_ends(&placement, &marks).unwrap()
    } else {
        sample.with_ends(Ends::marked(vec![false; marks.len()])).unwrap()
    };
    NamedSample {
        state_features: Some(["cos", "sin", "speed"].map(String::from).to_vec()),
        ..NamedSample::new("swings", sample)
    }
}

pub fn options(potential: Potential) -> Options {
    let gamma = Discount::Given(Gamma::new(GAMMA).unwrap());
    Options { metrics: vec![Metric::Projected], gamma, potential, ..Options::default() }
}
