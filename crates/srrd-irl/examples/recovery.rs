//! How well MaxEnt finds a reward that is known, from more and more demonstrations, and how many sets it learns from in a second.
//!
//! ```sh
//! cargo run --release -p srrd-irl --example recovery [speed ROUNDS]
//! ```
//!
//! `speed` leaves the demonstrations out and learns from 1,000 sets so many times: the processor time of 21 rounds less that of one is that of
//! 20 times solving, whatever else the machine is doing.

#[path = "../tests/support/grid.rs"]
mod grid;

use grid::{GAMMA, Grid, truth};
use srrd::exact::Tabular;
use srrd::{Gamma, Metric};
use srrd_irl::maxent::MaxEnt;
use srrd_irl::{Demonstrations, ModelChoice, learn_all};
use std::time::Instant;

const DRAWS: u64 = 10;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("speed") => {
            speed(arguments.get(1).map_or(5, |rounds| rounds.parse().expect("a number of rounds")), &[false])
        }
        _ => {
            recovery();
            speed(5, &[false, true]);
        }
    }
}

fn recovery() {
    let gamma = Gamma::new(GAMMA).expect("a discount factor");
    println!("Exact EPIC distance to the truth on a 5 x 5 grid, mean over {DRAWS} rewards (walks of 50 steps):");
    for slip in [0.0, 0.1] {
        let grid = Grid { side: 5, slip };
        let all = Tabular::new(vec![0.04; 25], vec![0.25; 4]).expect("distributions");
        for count in [5000, 500, 50, 5] {
            let mut distances = Vec::new();
            for seed in 0..DRAWS {
                let reward = truth(25, seed);
                let shown = Demonstrations::new([grid.walks(&grid.soft(&reward).1, count, 50, seed)]).expect("walks");
                let learned = learn_all(&shown, &ModelChoice::Set, &MaxEnt::default(), &|_| ()).expect("a reward");
                // A state that nobody acted in has no reward: the mean of the others stands there.
                let mut found = vec![f64::NAN; 25];
                for t in learned[0].sample.sample.transitions() {
                    let state: usize = t.state.to_string().parse().expect("a number");
                    found[state] = t.reward;
                }
                let known: Vec<f64> = found.iter().copied().filter(|r| r.is_finite()).collect();
                let mean = known.iter().sum::<f64>() / known.len() as f64;
                found.iter_mut().filter(|r| r.is_nan()).for_each(|r| *r = mean);
                let full = |r: &[f64]| (0..25 * 4 * 25).map(|i| r[i / 100]).collect::<Vec<f64>>();
                let agreement = all.distance(&full(&reward), &full(&found), Metric::Epic, gamma).expect("not constant");
                distances.push(agreement.distance);
            }
            println!("slip {slip}, {count} demonstrations: {:.3}", distances.iter().sum::<f64>() / DRAWS as f64);
        }
    }
}

fn speed(rounds: usize, with_std_errors: &[bool]) {
    let grid = Grid { side: 20, slip: 0.0 };
    let policy = grid.soft(&truth(400, 1)).1;
    let shown =
        Demonstrations::new((0..1000).map(|seed| grid.walks(&policy, 5, 200, seed).named(seed.to_string(), None)));
    let shown = shown.expect("walks");
    for &std_errors in with_std_errors {
        let best = (0..rounds)
            .map(|_| {
                let begun = Instant::now();
                let settings = MaxEnt { std_errors, ..MaxEnt::default() };
                learn_all(&shown, &ModelChoice::Set, &settings, &|_| ()).expect("rewards");
                begun.elapsed().as_secs_f64()
            })
            .fold(f64::INFINITY, f64::min);
        println!(
            "1000 sets of 5 walks of 200 steps on 20 x 20 cells, standard errors {std_errors}: {:.0} sets per second",
            1000.0 / best
        );
    }
}
