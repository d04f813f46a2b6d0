//! How often 95 % intervals hold the true distance, and what resampling does to canonical rewards.
//!
//! `cargo run --release -p srrd --example coverage [PAIRS]`; the numbers in `docs/intervals.md` are what it prints with 2000.

#[path = "../tests/it/support/simulate.rs"]
mod simulate;

use rand::RngExt;
use rayon::prelude::*;
use simulate::*;
use srrd::*;

const KINDS: [Kind; 4] = [Kind::Normal, Kind::Uniform, Kind::Skewed, Kind::Sparse];

fn main() {
    let pairs = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(500);
    println!("direct, transitions drawn");
    for kind in KINDS {
        line(kind, [10, 20, 50, 200, 1000].map(|n| (n, direct(kind, n, pairs))));
    }
    println!("\nprojected, Fisher's z, by transitions beyond 40 states");
    for kind in KINDS {
        line(kind, [5, 10, 30, 100, 1000].map(|n| (n, projected(kind, n, pairs))));
    }
    println!("\nprojected with γ = 1, by means in standard deviations, 60 / 100 / 400 transitions between 40 states");
    for kind in [Kind::Normal, Kind::Skewed] {
        for means in [[0.0, 0.0], [1.0, 1.0], [3.0, 3.0], [2.0, -2.0]] {
            let cells = [60, 100, 400].map(|n| undiscounted(kind, means, n, pairs)).join(" / ");
            println!("  {kind:?}, means {means:?}: {cells}");
        }
    }
    println!("\ndirect on walks: transitions / episodes of A / episodes of both");
    for (name, slow, same, side, count, steps) in [
        ("independent rewards, same walks", false, true, 30, 60, 20),
        ("independent rewards, other walks", false, false, 12, 60, 20),
        ("independent rewards, 10 walks", false, false, 12, 10, 60),
        ("slowly changing rewards, same walks", true, true, 30, 60, 20),
        ("slowly changing rewards, other walks", true, false, 15, 40, 20),
        ("slowly changing rewards, 10 walks", true, false, 15, 10, 60),
    ] {
        println!("  {name}: {}", on_walks(slow, same, side, count, steps, pairs));
    }
    println!("\nshaped copies on 60 walks: distance, middle of the interval, mean over draws canonicalized again");
    for metric in Metric::PAPER {
        println!("  {metric}: {}", canonicalized_again(metric, 40));
    }
}

fn line(kind: Kind, cells: [(usize, String); 5]) {
    let cells: Vec<String> = cells.into_iter().map(|(n, cell)| format!("{n}: {cell}")).collect();
    println!("  {kind:?}  {}", cells.join("   "));
}

/// The shares, in percent, of pairs of which each of several things holds.
fn shares<const N: usize>(pairs: usize, holds: impl Fn(u64) -> [bool; N] + Sync + Send) -> String {
    let all: Vec<[bool; N]> = (0..pairs as u64).into_par_iter().map(holds).collect();
    let share = |k: usize| format!("{:.1}", percent(all.iter().filter(|holds| holds[k]).count(), pairs));
    (0..N).map(share).collect::<Vec<_>>().join(" / ")
}

fn direct(kind: Kind, n: usize, pairs: usize) -> String {
    shares(pairs, |seed| {
        let (a, b, truth) = pair_of_samples(kind, n, 100, seed);
        let how = IntervalSettings { seed, ..IntervalSettings::default() };
        let found = Pair::new(&a, &b).measure(Metric::Direct, &Settings::default()).interval(&how);
        [found.is_ok_and(|found| found.range.holds(truth))]
    })
}

fn projected(kind: Kind, beyond: usize, pairs: usize) -> String {
    shares(pairs, |seed| {
        let (a, b, truth) = pair_of_samples(kind, 40 + beyond, 40, seed);
        let found =
            Pair::new(&a, &b).measure(Metric::Projected, &Settings::default()).interval(&IntervalSettings::default());
        [found.is_ok_and(|found| found.range.holds(truth))]
    })
}

fn undiscounted(kind: Kind, means: [f64; 2], n: usize, pairs: usize) -> String {
    let settings = Settings { gamma: Gamma::new(1.0).expect("1 is a discount factor"), ..Settings::default() };
    shares(pairs, |seed| {
        let (a, b, truth) = around_means(kind, means, n, seed);
        let found = Pair::new(&a, &b).measure(Metric::Projected, &settings).interval(&IntervalSettings::default());
        [found.is_ok_and(|found| found.range.holds(truth))]
    })
}

fn on_walks(slow: bool, same: bool, side: u32, count: u32, steps: u32, pairs: usize) -> String {
    shares(pairs, |seed| {
        let mut rng = generator(seed);
        let (distance, rho) = true_distance(&mut rng);
        let first = walks(&mut rng, side, count, steps);
        let second = if same { first.clone() } else { walks(&mut rng, side, count, steps) };
        let (f, g) = fields(&mut rng, side, rho);
        let truth = if slow { pearson(&f, &g).map_or(distance, |found| found.distance) } else { distance };
        let by_transition = |s: u32, a: u32, t: u32| {
            let mut own = generator(seed << 32 | u64::from((s * 4 + a) * side * side + t));
            Kind::Normal.pair(&mut own, rho)
        };
        let reward = |s: u32, a: u32, t: u32| match slow {
            true => (f[s as usize], g[s as usize]),
            false => by_transition(s, a, t),
        };
        let (a, of_a) = sample_of_walks(&first, |s, a, t| reward(s, a, t).0);
        let (b, of_b) = sample_of_walks(&second, |s, a, t| reward(s, a, t).1);
        [
            Resampling::Transitions,
            Resampling::Episodes { a: Some(&of_a), b: None },
            Resampling::Episodes { a: Some(&of_a), b: Some(&of_b) },
        ]
        .map(|resampling| {
            let how = IntervalSettings { seed, resampling, ..IntervalSettings::default() };
            let found = Pair::new(&a, &b).measure(Metric::Direct, &Settings::default()).interval(&how);
            found.is_ok_and(|found| found.range.holds(truth))
        })
    })
}

/// What a bootstrap that canonicalized what it drew would see.
fn canonicalized_again(metric: Metric, pairs: u64) -> String {
    let settings = Settings::default();
    let gamma = settings.gamma.get();
    let of_pair = |seed: u64| {
        let mut rng = generator(seed);
        let potential: Vec<f64> = (0..100).map(|_| 3.0 * normal(&mut rng)).collect();
        let rows = walks(&mut rng, 10, 60, 20);
        let reward = |s: u32, a: u32, t: u32| f64::from((s * 31 + a * 7 + t * 13) % 17) / 5.0;
        let shaped = |s: u32, a: u32, t: u32| reward(s, a, t) + gamma * potential[t as usize] - potential[s as usize];
        let both = |rows: &[(u32, u32, u32, u32)]| (sample_of_walks(rows, reward), sample_of_walks(rows, shaped).0);
        let ((a, episodes), b) = both(&rows);
        let found = distance(&a, &b, metric, &settings).distance().unwrap_or(f64::NAN);
        let how = IntervalSettings {
            resampling: Resampling::Episodes { a: Some(&episodes), b: None },
            seed,
            ..IntervalSettings::default()
        };
        let range = Pair::new(&a, &b)
            .measure(metric, &settings)
            .interval(&how)
            .map_or([f64::NAN; 2], |i| [i.range.low, i.range.high]);
        let again: f64 = (0..50)
            .map(|_| {
                let drawn: Vec<u32> = (0..60).map(|_| rng.random_range(0..60)).collect();
                let rows: Vec<_> = drawn.iter().flat_map(|&e| rows.iter().copied().filter(move |r| r.0 == e)).collect();
                let ((a, _), b) = both(&rows);
                distance(&a, &b, metric, &settings).distance().unwrap_or(f64::NAN) / 50.0
            })
            .sum();
        [found, 0.5 * (range[0] + range[1]), again]
    };
    let all: Vec<[f64; 3]> = (0..pairs).into_par_iter().map(of_pair).collect();
    let mean = |k: usize| format!("{:.3}", all.iter().map(|values| values[k]).sum::<f64>() / pairs as f64);
    (0..3).map(mean).collect::<Vec<_>>().join(" / ")
}
