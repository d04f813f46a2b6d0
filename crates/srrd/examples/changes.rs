//! How often a change over training is reported where there is none, and where there is one.
//!
//! `cargo run --release -p srrd --example changes -- [LOGS]`: so many simulated logs of each kind, 2,000 unless given. A log has 24 steps of 20
//! prompts with 4 responses. Both models see a quality; the second adds noise of its own.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use srrd::models::{Grouping, ModelGroup, ModelSettings, compare_grouped};
use srrd::run::normal;
use srrd::sure::Draws;
use srrd::{Duplicates, NamedSample, RewardSample};

const STEPS: usize = 24;
const PROMPTS: usize = 20;
const RESPONSES: usize = 4;

/// What a log is like.
#[derive(Clone, Copy)]
struct Kind {
    about: &'static str,
    /// The spread of the second model's scores, by how far training has got (0 to 1).
    spread: fn(f64) -> f64,
    /// Whether prompts come back, three times in all, with noise of their own.
    repeated: bool,
    /// The noise of the second model, by how far training has got.
    noise: fn(f64) -> f64,
}

const KINDS: [Kind; 4] = [
    Kind { about: "nothing changes", spread: |_| 1.0, repeated: false, noise: |_| 0.42 },
    Kind {
        about: "the spread of scores grows fivefold",
        spread: |at| 1.0 + 4.0 * at,
        repeated: false,
        noise: |_| 0.42,
    },
    Kind { about: "prompts of unequal noise come back", spread: |_| 1.0, repeated: true, noise: |_| 0.42 },
    Kind {
        about: "the distance jumps from 0.20 to 0.30",
        spread: |_| 1.0,
        repeated: false,
        noise: |at| if at < 0.5 { 0.42 } else { 0.7 },
    },
];

/// The two models' scores of one log, step by step.
fn steps(kind: Kind, seed: u64) -> Vec<(String, Vec<NamedSample>)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut uniform = || rng.random::<f64>();
    let distinct = if kind.repeated { STEPS * PROMPTS / 3 } else { STEPS * PROMPTS };
    let own: Vec<f64> = (0..distinct).map(|_| if kind.repeated { 0.5 + uniform() } else { 1.0 }).collect();
    let step = |step: usize, uniform: &mut dyn FnMut() -> f64| {
        let mut draw = || normal(&mut || uniform());
        let at = step as f64 / (STEPS - 1) as f64;
        let mut rows = Vec::new();
        for prompt in 0..PROMPTS {
            let name = (step * PROMPTS + prompt) % distinct;
            for response in 0..RESPONSES {
                let quality = draw();
                let other = (kind.spread)(at) * (quality + own[name] * (kind.noise)(at) * draw());
                rows.push((name as u32, (RESPONSES * (step * PROMPTS + prompt) + response) as u32, quality, other));
            }
        }
        let named = |name: &str, of: fn(&(u32, u32, f64, f64)) -> f64| {
            let rows = rows.iter().map(|row| (row.0, row.1, u32::MAX - 1, of(row)));
            let sample = RewardSample::from_rows(rows, Duplicates::Mean).expect("scores are numbers");
            NamedSample { one_step: true, ..NamedSample::new(name, sample) }
        };
        (step.to_string(), vec![named("gold", |row| row.2), named("proxy", |row| row.3)])
    };
    (0..STEPS).map(|at| step(at, &mut uniform)).collect()
}

fn main() {
    let logs: u64 = std::env::args().nth(1).map_or(2000, |count| count.parse().expect("a number of logs"));
    for kind in KINDS {
        let reported = (0..logs).into_par_iter().filter(|&seed| {
            let steps = steps(kind, seed);
            let groups = steps.iter().map(|(name, samples)| ModelGroup {
                name: name.clone(),
                models: samples.iter().collect(),
                scored: Vec::new(),
                nuisances: Vec::new(),
            });
            // Intervals are not looked at.
            let settings = ModelSettings { draws: Draws::new(100).expect("enough"), seed, ..ModelSettings::default() };
            let found = compare_grouped(groups.collect(), Some(Grouping::Step("step".to_owned())), None, &settings);
            let found = found.expect("models to compare");
            found.pairs[0].changes.as_ref().is_some_and(|changes| !changes.is_empty())
        });
        let reported = reported.count();
        println!("{}: {reported} of {logs} logs ({:.1} %)", kind.about, 100.0 * reported as f64 / logs as f64);
    }
}
