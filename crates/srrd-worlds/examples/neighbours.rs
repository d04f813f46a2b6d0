//! How neighbours are best found where samples share few transitions: accuracies of k-NN by correlations as they are, drawn to 0 by
//! several λ, and by the upper end of Fisher's interval; and by overlap alone.
//!
//! `cargo run --release -p srrd-worlds --example neighbours [SEEDS]`; the numbers in `docs/classification.md` are what it prints with 3.

use rayon::prelude::*;
use srrd::classify::{Classes, GammaDistances, Grid, Splits, evaluate};
use srrd::settings::Shrinkage;
use srrd::{Duplicates, Metric, RewardSample, Settings, distance};
use srrd_worlds::{SimulateError, Simulation, WorldKind, simulate};
use std::error::Error;
use std::ops::ControlFlow;

/// Samples of each of the ten agents.
const SETS: usize = 20;
const LAMBDAS: [f64; 5] = [0.0, 5.0, 20.0, 50.0, 200.0];

/// Labelled samples.
type Drawn = (Vec<RewardSample>, Vec<String>);

struct Case {
    name: &'static str,
    world: WorldKind,
    side: usize,
    walks: usize,
    /// Whether agents walk differently, or all alike.
    policies: bool,
    /// Whether every agent has a reward, or every sample.
    rewards: bool,
    /// How far the rewards of a sample may be off.
    noise: f64,
    /// Whether samples are of 1 to 9 walks.
    uneven: bool,
}

const CASE: Case = Case {
    name: "",
    world: WorldKind::Gridworld,
    side: 10,
    walks: 1,
    policies: true,
    rewards: true,
    noise: 0.5,
    uneven: false,
};

const CASES: [Case; 10] = [
    Case { name: "1 walk, 20 × 20", side: 20, ..CASE },
    Case { name: "1 walk", ..CASE },
    Case { name: "3 walks", walks: 3, ..CASE },
    Case { name: "1 way among balls", world: WorldKind::BouncingBalls, ..CASE },
    Case { name: "1 walk, much noise", noise: 5.0, ..CASE },
    Case { name: "3 walks, much noise", walks: 3, noise: 5.0, ..CASE },
    Case { name: "all walk alike, 1 walk", policies: false, ..CASE },
    Case { name: "all walk alike, 1 walk, much noise", policies: false, noise: 5.0, ..CASE },
    Case { name: "all walk alike, 1 to 9 walks, much noise", policies: false, noise: 5.0, uneven: true, ..CASE },
    Case { name: "nothing to find, 1 walk", policies: false, rewards: false, ..CASE },
];

fn main() -> Result<(), Box<dyn Error>> {
    let seeds: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1);
    for case in &CASES {
        let drawn = (0..seeds).map(|seed| draw(case, seed)).collect::<Result<Vec<Drawn>, _>>()?;
        let shared = mean(drawn.iter().map(|(samples, _)| typical_share(samples)));
        println!("{} (half of the pairs share at most {shared:.0} transitions)", case.name);
        for metric in [Metric::Direct, Metric::Srrd, Metric::Projected] {
            let accuracies: Vec<Vec<f64>> =
                (0..).zip(&drawn).map(|(seed, drawn)| by_metric(drawn, metric, seed)).collect();
            let cell = |rule: usize| format!("{:5.1}", 100.0 * mean(accuracies.iter().map(|of| of[rule])));
            let cells: Vec<String> = (0..=LAMBDAS.len()).map(cell).collect();
            println!("  {:9} λ {LAMBDAS:?}, upper end: {}", metric.to_string(), cells.join(" "));
        }
        let overlap = mean((0..).zip(&drawn).map(|(seed, drawn)| {
            let samples: Vec<&RewardSample> = drawn.0.iter().collect();
            accuracy(GammaDistances::of_overlap(&samples, &[Settings::default().gamma]), drawn, seed)
        }));
        println!("  overlap alone: {:.1}", 100.0 * overlap);
    }
    Ok(())
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len() as f64
}

/// Ten agents, each sample with noise and shaping of its own.
fn draw(case: &Case, seed: u64) -> Result<Drawn, Box<dyn Error>> {
    let mut question = Simulation::new(case.world);
    question.size = Some((case.side, case.side).into());
    question.rollouts = case.walks;
    question.shaped = true;
    question.factor = Some(0.5);
    question.noise = case.noise;
    if case.policies {
        question.classes = true;
        question.sets = Some(SETS);
        question.seed = seed;
        return Ok(played(&question)?);
    }
    let (mut samples, mut labels) = (Vec::new(), Vec::new());
    for agent in 0..10 {
        for set in 0..SETS as u64 {
            question.seed = (seed * 10 + agent) * 1000 + set;
            if case.uneven {
                question.rollouts = 1 + set as usize % 9;
            }
            question.reward_seed = Some(if case.rewards { 1_000_000 + seed * 10 + agent } else { question.seed });
            samples.extend(played(&question)?.0);
            labels.push(agent.to_string());
        }
    }
    Ok((samples, labels))
}

fn played(question: &Simulation) -> Result<Drawn, SimulateError> {
    let played = simulate(question, |_| ControlFlow::Continue(()))?;
    let named = played.samples.iter().map(|walks| walks.to_sample(Duplicates::Mean).expect("rewards are finite"));
    Ok(named.map(|named| (named.sample, named.label.unwrap_or_default())).unzip())
}

fn typical_share(samples: &[RewardSample]) -> f64 {
    let pairs = (0..samples.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let mut shared: Vec<usize> =
        pairs.map(|(i, j)| srrd::compare::common_transitions(&samples[i], &samples[j]).len()).collect();
    shared.sort_unstable();
    shared[shared.len() / 2] as f64
}

/// The accuracies by every λ, and by the upper end of the interval.
fn by_metric(drawn: &Drawn, metric: Metric, seed: u64) -> Vec<f64> {
    let samples = &drawn.0;
    let size = samples.len();
    let settings = Settings::default();
    // The correlation of every pair and how many transitions, or degrees of freedom, it is over.
    let of = |i: usize| {
        let pair = |other: &RewardSample| {
            let found = distance(&samples[i], other, metric, &settings);
            let n = found.shaping.map_or(found.common, |shaping| shaping.degrees_of_freedom);
            found.correlation().map(|rho| (rho, n as f64))
        };
        samples.iter().map(pair).collect::<Vec<Option<(f64, f64)>>>()
    };
    let found: Vec<Option<(f64, f64)>> = (0..size).into_par_iter().flat_map_iter(of).collect();
    let by = |rule: &dyn Fn(f64, f64) -> f64| {
        let distance = |&(rho, n): &(f64, f64)| ((1.0 - rule(rho, n).clamp(-1.0, 1.0)) / 2.0).sqrt();
        let matrix = found.iter().map(|pair| pair.as_ref().map_or(f64::NAN, distance)).collect();
        accuracy(GammaDistances::from_matrices(size, vec![settings.gamma], vec![matrix]), drawn, seed)
    };
    let mut accuracies: Vec<f64> = LAMBDAS
        .iter()
        .map(|&lambda| {
            let shrinkage = Shrinkage::new(lambda).expect("a number from 0 on");
            by(&|rho, n| shrinkage.of(rho, n))
        })
        .collect();
    accuracies.push(by(&|rho, n| match n > 3.0 {
        true => (rho.clamp(-1.0 + 1e-12, 1.0 - 1e-12).atanh() - 1.96 / (n - 3.0).sqrt()).tanh(),
        false => -1.0,
    }));
    accuracies
}

fn accuracy(distances: GammaDistances, drawn: &Drawn, seed: u64) -> f64 {
    let grid = Grid::new(&[1, 3, 5, 10, 20, 40]).expect("numbers from 1 on");
    let splits = Splits::new(0.7, 50, seed).expect("a share below 1");
    let evaluation = evaluate(&distances, &Classes::new(&drawn.1), &grid, &splits).expect("ten agents");
    evaluation.spread(|scores| scores.accuracy).mean
}
