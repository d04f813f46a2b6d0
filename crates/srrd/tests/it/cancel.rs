//! Computations stop when they are told to, whatever they are at, and what runs on a pool that can be stopped is the same.

use srrd::compare::Correlation;
use srrd::exact::Tabular;
use srrd::exact::starc::{Canonicalization, Norm, Order, Starc};
use srrd::potential::Potential;
use srrd::regret::sampled_regret;
use srrd::returns::{ReturnSettings, Walks, compare_returns};
use srrd::run::{CancellablePool, Cancellation, Cancelled};
use srrd::settings::{Estimator, Regression, TreeLimits};
use srrd::sure::{ChanceSettings, Draws, IntervalSettings};
use srrd::theory::{Mdp, generalized};
use srrd::trajectories::End;
use srrd::*;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

/// Pseudo-random numbers.
fn hash(i: u64) -> u64 {
    let x = (i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ x >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x ^ x >> 32
}

fn rows(states: u64, degree: u64, seed: u64) -> Vec<(u32, u32, u32, f64)> {
    let row = |i: u64| {
        let h = hash(i * 7 + seed * 1_000_003);
        ((i % states) as u32, 0, (h % states) as u32, (h >> 40) as f64 / 1e5)
    };
    (0..states * degree).map(row).collect()
}

fn sample(states: u64, degree: u64, seed: u64) -> RewardSample {
    RewardSample::from_rows(rows(states, degree, seed), Duplicates::Mean).unwrap()
}

fn featured(states: u64, degree: u64) -> RewardSample {
    let features: Vec<[f64; 3]> = (0..states).map(|x| [0, 1, 2].map(|k| (hash(3 * x + k) >> 50) as f64)).collect();
    let of = |x: u32| &features[x as usize][..];
    let rows = rows(states, degree, 5).into_iter().map(|(s, a, t, r)| (of(s), a, of(t), r));
    RewardSample::from_rows(rows, Duplicates::Mean).unwrap()
}

type Job<'a> = (&'static str, Box<dyn Fn() + Sync + 'a>);

fn job<'a, T>(name: &'static str, compute: impl Fn() -> T + Sync + 'a) -> Job<'a> {
    (name, Box::new(move || drop(std::hint::black_box(compute()))))
}

/// Runs a job over and over until it is stopped, and says how long that took.
fn stop(pool: &CancellablePool, job: impl Fn() + Sync, after: Duration) -> Duration {
    let cancellation = pool.cancellation();
    let (stopped, asked) = std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            pool.run(|| {
                // What does not stop ends in time, so that a failure is one.
                let start = Instant::now();
                while start.elapsed().as_secs() < 20 {
                    job();
                }
            })
        });
        std::thread::sleep(after);
        let asked = Instant::now();
        cancellation.cancel();
        (running.join().unwrap(), asked)
    });
    assert_eq!(stopped, Err(Cancelled));
    cancellation.reset();
    asked.elapsed()
}

#[test]
fn everything_stops_within_a_second() {
    let pool = Cancellation::new().pool(2).unwrap();
    let settings = Settings::default();
    let (sparse, other) = (sample(200_000, 5, 1), sample(200_000, 5, 2));
    let dense = sample(3000, 900, 3);
    let grid_rows =
        (0..90_000u32).flat_map(|x| [(x, 0, (x + 1) % 90_000, 1.0), (x, 1, (x + 300) % 90_000, f64::from(x % 7))]);
    let grid = RewardSample::from_rows(grid_rows, Duplicates::Mean).unwrap();
    let many: Vec<RewardSample> = (0..60).map(|i| sample(100, 200, i)).collect();
    let many: Vec<&RewardSample> = many.iter().collect();
    let featured = featured(20_000, 10);
    let tree = featured.clone().with_regression(Regression::Tree(TreeLimits::new(12, 1).unwrap())).unwrap();
    let unsorted = rows(200_000, 5, 4);
    let mdp = {
        let row = |x: u64| (0..400).map(move |y| 1.0 + (hash(x * 400 + y) >> 60) as f64);
        let transition: Vec<f64> = (0..800)
            .flat_map(|x| {
                let sum: f64 = row(x).sum();
                row(x).map(move |p| p / sum)
            })
            .collect();
        Mdp::new(400, 2, transition, vec![1.0 / 400.0; 400], Gamma::default()).unwrap()
    };
    let reward: Vec<f64> = (0..400 * 2 * 400).map(|i| (hash(i) >> 50) as f64).collect();
    let functions = Settings { potential: Potential::Auto, ..settings };
    let spearman = Settings { correlation: Correlation::Spearman, ..settings };
    let draws = IntervalSettings { draws: Draws::new(100_000).unwrap(), ..IntervalSettings::default() };
    let deals = ChanceSettings { draws: Draws::new(100_000).unwrap(), ..ChanceSettings::default() };
    let canonical = |sample: &RewardSample, metric| canonicalize(sample, metric, &settings);
    let reversed = grid.with_rewards(grid.rewards().iter().rev().copied().collect()).unwrap();
    let patient = Gamma::new(0.9999).unwrap();
    let known = Tabular::new(vec![1.0 / 400.0; 400], vec![0.5; 2]).unwrap().with_model(mdp.dynamics().clone()).unwrap();
    let least = Starc::new(Canonicalization::MinimalPotential, Gamma::default());
    let least = least.with_norm(Norm { order: Order::One, weighted: false });
    let walks = {
        let mut builder = Trajectories::builder();
        for episode in 0..3000u64 {
            let reward = (hash(episode) >> 50) as f64;
            builder.push_episode(&[0, 1], &[0], Some(&[reward]), End::Terminated).unwrap();
        }
        Walks::numbered(builder.build())
    };
    let drawn = ReturnSettings { interval: Some(draws.level), draws: draws.draws, ..ReturnSettings::default() };
    let jobs = [
        job("regret", || sampled_regret(&grid, &reversed, None, patient, &[])),
        job("starc", || least.canonicalize(&known, &reward)),
        job("returns", || compare_returns(&walks, &walks, &drawn)),
        job("sparse", || Metric::ALL.map(|metric| canonical(&sparse, metric))),
        job("dense", || Metric::PAPER.map(|metric| canonical(&dense, metric))),
        job("dense projected", || canonical(&dense, Metric::Projected)),
        job("factorized", || canonical(&grid, Metric::Projected)),
        job("distance", || distance(&sparse, &other, Metric::Srrd, &settings)),
        job("pairwise", || pairwise(&many, Metric::Direct, &settings)),
        job("pairwise projected", || pairwise(&many, Metric::Projected, &settings)),
        job("pairwise ranks", || pairwise(&many, Metric::Srrd, &spearman)),
        job("gamma", || estimate_gamma(&[&grid, &sparse])),
        job("interval", || Pair::new(&dense, &dense).measure(Metric::Direct, &settings).interval(&draws)),
        job("projected interval", || {
            Pair::new(&grid, &reversed).measure(Metric::Projected, &settings).interval(&draws)
        }),
        job("functions of features", || distance(&featured, &featured, Metric::Projected, &functions)),
        job("chance", || Pair::new(&grid, &reversed).measure(Metric::Epic, &settings).chance(&deals)),
        job("tree", || canonical(&tree, Metric::Srrd)),
        job("rows", || RewardSample::from_rows(unsorted.iter().copied(), Duplicates::Mean)),
        job("chains", || generalized(&sparse, NonZeroUsize::new(40).unwrap(), Gamma::default())),
        job("policies", || mdp.optimal(&reward)),
    ];
    for (name, job) in &jobs {
        // A machine that is busy with something else may take its time; once is enough to tell.
        let times = (0..3).map(|i| stop(&pool, job, Duration::from_millis(100 + 30 * i)));
        let in_time = |took: &Duration| {
            println!("{name}: {took:?}");
            took.as_secs_f64() < 1.0
        };
        assert!(times.into_iter().any(|took| in_time(&took)), "{name}");
    }
    // And the pool is as good as new.
    let expected = canonicalize(&sparse, Metric::Srrd, &settings);
    assert_eq!(pool.run(|| canonicalize(&sparse, Metric::Srrd, &settings)), Ok(expected));
}

#[test]
fn results_are_those_of_any_pool() {
    let pool = Cancellation::new().pool(3).unwrap();
    let samples = [sample(300, 60, 1), sample(300, 60, 2), sample(300, 60, 3)];
    let samples: Vec<&RewardSample> = samples.iter().collect();
    let bits = |matrix: DistanceMatrix| matrix.as_slice().iter().map(|d| d.to_bits()).collect::<Vec<_>>();
    for metric in Metric::ALL {
        for estimator in [Estimator::default(), Estimator::Unbiased] {
            let settings = Settings { estimator, ..Settings::default() };
            let compute = || bits(pairwise(&samples, metric, &settings));
            assert_eq!(pool.run(compute), Ok(compute()), "{metric}");
        }
    }
    let compute = || estimate_gamma(&samples);
    assert_eq!(pool.run(compute), Ok(compute()));
}
