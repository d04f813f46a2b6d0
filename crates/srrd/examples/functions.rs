//! Do intervals and verdicts hold where potentials are functions of features?
//!
//! A pendulum is pushed at random. A trial draws a reward R_A and another one R′, both smooth functions of state and action (or independent noise),
//! and R_B = ρR_A + √(1 − ρ²)R′ with shaping by a potential that no basis holds: a net of one layer, or a distance. The truth is the distance
//! of the unshaped rewards on 400 further episodes. Compared are
//!
//! - both rewards on the same episodes;
//! - each on episodes of its own, which share no transition.
//!
//! Told are how often 95 % intervals hold the truth, what verdicts say of copies (ρ = 1) and of others, and how well the distance tells
//! copies from others (AUC).
//!
//! `cargo run --release -p srrd --example functions -- TRIALS`

use rayon::prelude::*;
use srrd::potential::Potential;
use srrd::settings::{EndRule, Gamma};
use srrd::sure::IntervalSettings;
use srrd::verdict::{Answer, Margin};
use srrd::{Duplicates, Metric, Pair, RewardSample, SampleBuilder, Settings, Token};

const GAMMA: f64 = 0.97;
const STEPS: usize = 25;
/// ρ of the pairs of a trial.
const CORRELATIONS: [f64; 4] = [1.0, 0.9, 0.5, 0.0];

/// A stream of pseudo-random numbers.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((x ^ x >> 31) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let length = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        length * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

type Step = ([f64; 3], f64, [f64; 3]);

/// Episodes of a pendulum that is pushed at random.
fn swings(episodes: usize, random: &mut Random) -> Vec<Step> {
    let mut rows = Vec::new();
    for _ in 0..episodes {
        let (mut angle, mut speed) = (6.3 * random.uniform(), 2.0 * random.uniform() - 1.0);
        let state = |angle: f64, speed: f64| [angle.cos(), angle.sin(), speed];
        for _ in 0..STEPS {
            let (before, push) = (state(angle, speed), (3.0 * random.uniform()).floor() - 1.0);
            speed += 0.05 * (15.0 * angle.sin() + 6.0 * push);
            angle += 0.05 * speed;
            rows.push((before, push, state(angle, speed)));
        }
    }
    rows
}

/// A reward: smooth, or independent from row to row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Smooth,
    Noise,
}

/// A sum of random waves of state and action.
struct Waves(Vec<[f64; 6]>);

impl Waves {
    fn new(random: &mut Random) -> Self {
        Waves((0..20).map(|_| std::array::from_fn(|_| random.normal())).collect())
    }

    fn at(&self, (s, a, _): &Step) -> f64 {
        let wave =
            |w: &[f64; 6]| w[5] * (0.8 * (w[0] * s[0] + w[1] * s[1] + 0.4 * w[2] * s[2] + w[3] * a) + 3.0 * w[4]).cos();
        self.0.iter().map(wave).sum()
    }
}

fn reward(kind: Kind, rows: &[Step], random: &mut Random, waves: &Waves) -> Vec<f64> {
    let mut values: Vec<f64> = match kind {
        Kind::Smooth => rows.iter().map(|row| waves.at(row)).collect(),
        Kind::Noise => rows.iter().map(|_| random.normal()).collect(),
    };
    let (count, mean) = (values.len() as f64, values.iter().sum::<f64>() / values.len() as f64);
    let spread = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count).sqrt();
    values.iter_mut().for_each(|v| *v = (*v - mean) / spread);
    values
}

/// A potential that no basis holds.
fn potential(number: usize, s: &[f64; 3]) -> f64 {
    match number % 2 {
        0 => 9.0 * ((1.3 * s[0] - 0.4 * s[2]).tanh() - (0.9 * s[1] + 0.2 * s[2] + 0.3).tanh()),
        _ => 7.0 * ((s[0] - 0.6).powi(2) + (s[1] + 0.2).powi(2) + (0.4 * s[2] - 0.5).powi(2)).sqrt(),
    }
}

fn sample(rows: &[Step], rewards: &[f64]) -> RewardSample {
    let mut builder = SampleBuilder::new();
    for ((s, a, t), reward) in rows.iter().zip(rewards) {
        builder.push(Token::features(s), Token::features(&[*a]), Token::features(t), *reward).expect("finite");
    }
    builder.build(Duplicates::Mean).expect("rows")
}

fn mixed(a: &[f64], other: &[f64], rho: f64) -> Vec<f64> {
    a.iter().zip(other).map(|(a, b)| rho * a + (1.0 - rho * rho).sqrt() * b).collect()
}

fn shaped(rows: &[Step], rewards: &[f64], number: usize) -> Vec<f64> {
    let one = |((s, _, t), r): (&Step, &f64)| 2.0 * r + GAMMA * potential(number, t) - potential(number, s);
    rows.iter().zip(rewards).map(one).collect()
}

/// What was found of one pair.
struct Found {
    rho: f64,
    truth: f64,
    distance: Option<f64>,
    range: Option<[f64; 2]>,
    answer: Answer,
}

fn found(a: &RewardSample, b: &RewardSample, rho: f64, truth: f64, settings: &Settings) -> Found {
    let pair = Pair::new(a, b);
    let measured = pair.measure(Metric::Projected, settings);
    let range = measured.interval(&IntervalSettings::default()).ok().map(|found| [found.range.low, found.range.high]);
    let answer = measured.verdict(Margin::default()).map_or(Answer::Unknown, |verdict| verdict.answer);
    Found { rho, truth, distance: measured.distance().distance(), range, answer }
}

/// The pairs of a trial: on the same episodes, and on others.
fn trial(number: usize, kind: Kind, episodes: usize) -> [Vec<Found>; 2] {
    let random = &mut Random(number as u64 * 1_000_003 + episodes as u64);
    let settings = Settings {
        gamma: Gamma::new(GAMMA).expect("between 0 and 1"),
        potential: Potential::Auto,
        ends: EndRule::None,
        ..Settings::default()
    };
    let (waves, others) = (Waves::new(random), Waves::new(random));
    let [ours, theirs, all] = [episodes, episodes, 400].map(|episodes| swings(episodes, random));
    let rewards = |rows: &[Step], random: &mut Random| [&waves, &others].map(|waves| reward(kind, rows, random, waves));
    let ([a, other], [their_a, their_other], [all_a, all_other]) =
        (rewards(&ours, random), rewards(&theirs, random), rewards(&all, random));
    let of_a = sample(&ours, &a);
    let mut same_rows = Vec::new();
    let mut other_rows = Vec::new();
    for rho in CORRELATIONS {
        let (x, y) = (sample(&all, &all_a), sample(&all, &mixed(&all_a, &all_other, rho)));
        let truth = Pair::new(&x, &y).distance(Metric::Projected, &settings).distance().expect("a distance");
        let b = sample(&ours, &shaped(&ours, &mixed(&a, &other, rho), number));
        same_rows.push(found(&of_a, &b, rho, truth, &settings));
        if kind == Kind::Smooth {
            let b = sample(&theirs, &shaped(&theirs, &mixed(&their_a, &their_other, rho), number));
            other_rows.push(found(&of_a, &b, rho, truth, &settings));
        }
    }
    [same_rows, other_rows]
}

fn tell(what: &str, found: &[Found]) {
    if found.is_empty() {
        return;
    }
    let given: Vec<&Found> = found.iter().filter(|f| f.range.is_some()).collect();
    let held = |f: &&&Found| f.range.is_some_and(|[low, high]| low <= f.truth + 1e-4 && f.truth <= high);
    let width = |rho: f64| {
        let mut widths: Vec<f64> =
            given.iter().filter(|f| f.rho == rho).filter_map(|f| f.range).map(|[low, high]| high - low).collect();
        widths.sort_by(f64::total_cmp);
        widths.get(widths.len() / 2).copied().unwrap_or(f64::NAN)
    };
    println!("{what}: {} pairs, {} with an interval", found.len(), given.len());
    for rho in CORRELATIONS {
        let of: Vec<&&Found> = given.iter().filter(|f| f.rho == rho).collect();
        let answers = |answer: Answer| found.iter().filter(|f| f.rho == rho && f.answer == answer).count();
        println!(
            "  correlation {rho}: held {} of {}; median width {:.3}; median truth {:.3}; same {}, different {}, unknown {}",
            of.iter().filter(|f| held(f)).count(),
            of.len(),
            width(rho),
            of.get(of.len() / 2).map_or(f64::NAN, |f| f.truth),
            answers(Answer::Same),
            answers(Answer::Different),
            answers(Answer::Unknown)
        );
    }
    let distance = |f: &Found| f.distance.unwrap_or(0.5f64.sqrt());
    let (copies, others): (Vec<&Found>, Vec<&Found>) = found.iter().partition(|f| f.rho == 1.0);
    let before = |c: &&Found| others.iter().filter(|o| distance(c) < distance(o)).count() as f64;
    let auc = copies.iter().map(before).sum::<f64>() / (copies.len() * others.len()) as f64;
    println!("  AUC of copies against others: {auc:.3}");
}

fn main() {
    let trials: usize = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(50);
    for (kind, episodes) in [(Kind::Smooth, 20), (Kind::Smooth, 60), (Kind::Noise, 40)] {
        let found: Vec<[Vec<Found>; 2]> =
            (0..trials).into_par_iter().map(|number| trial(number, kind, episodes)).collect();
        let (same, other): (Vec<Vec<Found>>, Vec<Vec<Found>>) =
            found.into_iter().map(|[same, other]| (same, other)).unzip();
        println!("{kind:?} rewards, {episodes} episodes of {STEPS} steps, {trials} trials");
        tell(" the same transitions", &same.into_iter().flatten().collect::<Vec<_>>());
        tell(" no shared transition", &other.into_iter().flatten().collect::<Vec<_>>());
    }
}
