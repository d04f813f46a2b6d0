//! The Rust side of `benchmarks/run.py`, which documents the protocol: raw arrays in, results and one line of JSON out.

use srrd::settings::{EndRule, Support};
use srrd::sure::IntervalSettings;
use srrd::{Duplicates, Gamma, Metric, Pair, RewardSample, SampleBuilder, Settings, Token};
use std::error::Error;
use std::fs;
use std::time::{Duration, Instant};

/// It hands freed arrays out again, so that a repeat measures computing on any size, not the system's zeroing of fresh pages on
/// the large ones.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Failure = Box<dyn Error + Send + Sync>;

const CASES: &str = "canonicalize, pairwise, gamma, interval, potential, regret or read";

struct Options {
    case: String,
    metric: Metric,
    threads: usize,
    repeats: usize,
    settings: Settings,
    /// How many features a state has.
    features: usize,
    out: Option<String>,
    files: Vec<String>,
}

fn main() -> Result<(), Failure> {
    let options = parse(std::env::args().skip(1))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build()?;
    pool.install(|| match options.case.as_str() {
        "canonicalize" => canonicalize(&options),
        "pairwise" => pairwise(&options),
        "gamma" => gamma(&options),
        "interval" => interval(&options),
        "potential" => potential(&options),
        "regret" => regret(&options),
        "read" => read(&options),
        other => Err(format!("no case '{other}': {CASES}").into()),
    })
}

fn parse(arguments: impl Iterator<Item = String>) -> Result<Options, Failure> {
    let mut arguments = arguments.peekable();
    let mut options = Options {
        case: arguments.next().ok_or(format!("usage: srrd-bench CASE [OPTION...] FILE..., CASE being {CASES}"))?,
        metric: Metric::Srrd,
        threads: 1,
        repeats: 5,
        settings: Settings::default(),
        features: 1,
        out: None,
        files: Vec::new(),
    };
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--metric" => options.metric = value()?.parse()?,
            "--threads" => options.threads = value()?.parse()?,
            "--repeats" => options.repeats = value()?.parse()?,
            "--gamma" => options.settings.gamma = Gamma::new(value()?.parse()?)?,
            "--support" => options.settings.support = support(&value()?)?,
            "--min-common" => options.settings.min_common = value()?.parse()?,
            "--potential" => options.settings.potential = value()?.parse()?,
            "--features" => options.features = value()?.parse()?,
            "--out" => options.out = Some(value()?),
            other if other.starts_with("--") => return Err(format!("no option {other}").into()),
            _ => options.files.push(argument),
        }
    }
    Ok(options)
}

fn support(name: &str) -> Result<Support, Failure> {
    match name {
        "pair" => Ok(Support::Pair),
        "own" => Ok(Support::Own),
        other => Err(format!("no support '{other}': pair or own").into()),
    }
}

/// What one run took: making samples of arrays, and computing with them.
#[derive(Clone, Copy)]
struct Times {
    build: Duration,
    compute: Duration,
}

/// From arrays in memory to the canonical reward of every row.
fn canonicalize(options: &Options) -> Result<(), Failure> {
    let [states, actions, next, rewards] = options.files.as_slice() else { return Err("four files are needed".into()) };
    let (states, actions, next, rewards) = (ids(states)?, ids(actions)?, ids(next)?, numbers(rewards)?);
    let run = || -> Result<(Vec<f64>, Times), Failure> {
        let start = Instant::now();
        let (sample, placement) = RewardSample::from_ids(&states, &actions, &next, &rewards, Duplicates::Error)?;
        let build = start.elapsed();
        let canonical = srrd::canonicalize(&sample, options.metric, &options.settings);
        let compute = start.elapsed() - build;
        let rows = placement.transition.iter().map(|&t| canonical[t as usize]).collect();
        Ok((rows, Times { build, compute }))
    };
    report(options, rewards.len(), run)
}

/// From arrays in memory to the estimated discount factor and its interval.
fn gamma(options: &Options) -> Result<(), Failure> {
    let [states, actions, next, rewards] = options.files.as_slice() else { return Err("four files are needed".into()) };
    let (states, actions, next, rewards) = (ids(states)?, ids(actions)?, ids(next)?, numbers(rewards)?);
    let run = || -> Result<(Vec<f64>, Times), Failure> {
        let start = Instant::now();
        let (sample, _) = RewardSample::from_ids(&states, &actions, &next, &rewards, Duplicates::Error)?;
        let build = start.elapsed();
        let estimate = srrd::estimate_gamma(&[&sample]);
        let compute = start.elapsed() - build;
        Ok((vec![estimate.gamma.get(), estimate.low, estimate.high], Times { build, compute }))
    };
    report(options, rewards.len(), run)
}

/// Two rewards of the same transitions.
fn two_rewards(options: &Options) -> Result<(RewardSample, RewardSample, Duration), Failure> {
    let [states, actions, next, first, second] = options.files.as_slice() else {
        return Err("five files are needed".into());
    };
    let (states, actions, next) = (ids(states)?, ids(actions)?, ids(next)?);
    let start = Instant::now();
    let of = |path: &str| -> Result<RewardSample, Failure> {
        let (sample, placement) = RewardSample::from_ids(&states, &actions, &next, &numbers(path)?, Duplicates::Error)?;
        Ok(sample.with_row_ends(&placement, &vec![false; placement.transition.len()])?)
    };
    let (a, b) = (of(first)?, of(second)?);
    Ok((a, b, start.elapsed()))
}

/// From two samples to their distance and its interval.
fn interval(options: &Options) -> Result<(), Failure> {
    let (a, b, build) = two_rewards(options)?;
    let run = || -> Result<(Vec<f64>, Times), Failure> {
        let start = Instant::now();
        let pair = Pair::new(&a, &b);
        // Nothing ends in these graphs.
        let measured = pair.measure(options.metric, &Settings { ends: EndRule::None, ..options.settings });
        let found = measured.interval(&IntervalSettings::default())?;
        let distance = measured.distance().distance().ok_or("there is no distance")?;
        Ok((vec![distance, found.range.low, found.range.high], Times { build, compute: start.elapsed() }))
    };
    report(options, a.len(), run)
}

/// From two samples to what acting on the wrong one costs.
fn regret(options: &Options) -> Result<(), Failure> {
    let (a, b, build) = two_rewards(options)?;
    let run = || -> Result<(Vec<f64>, Times), Failure> {
        let start = Instant::now();
        let found = srrd::regret::sampled_regret(&a, &b, None, options.settings.gamma, &[])?.regret;
        let values = [found.a_under_b, found.b_under_a].map(|one| one.regret.unwrap_or(f64::NAN));
        Ok((values.to_vec(), Times { build, compute: start.elapsed() }))
    };
    report(options, a.len(), run)
}

/// From features of states to the distance with potentials that are functions of them: files of features of s and of s', one row of
/// `--features` numbers per transition, and two rewards.
fn potential(options: &Options) -> Result<(), Failure> {
    let [states, next, first, second] = options.files.as_slice() else { return Err("four files are needed".into()) };
    let (states, next, first, second) = (numbers(states)?, numbers(next)?, numbers(first)?, numbers(second)?);
    let (width, start) = (options.features, Instant::now());
    let mut builder = SampleBuilder::with_capacity(first.len());
    for (i, reward) in first.iter().enumerate() {
        let row = |values: &'_ [f64]| i * width..values.len().min((i + 1) * width);
        let (state, next) = (Token::features(&states[row(&states)]), Token::features(&next[row(&next)]));
        builder.push(state, Token::int(i as i64 % 4), next, *reward)?;
    }
    let (a, placement) = builder.build_with_placement(Duplicates::Error)?;
    let mut rewards = vec![0.0; a.len()];
    placement.transition.iter().zip(&second).for_each(|(&at, reward)| rewards[at as usize] = *reward);
    let a = a.with_row_ends(&placement, &vec![false; first.len()])?;
    let b = a.with_rewards(rewards)?;
    let build = start.elapsed();
    let run = || -> Result<(Vec<f64>, Times), Failure> {
        let start = Instant::now();
        let distance = Pair::new(&a, &b).distance(Metric::Projected, &options.settings);
        Ok((vec![distance.distance().unwrap_or(f64::NAN)], Times { build, compute: start.elapsed() }))
    };
    report(options, first.len(), run)
}

/// Reads a table or a recorded data set from its first row to its last, once, and keeps nothing.
fn read(options: &Options) -> Result<(), Failure> {
    let [path] = options.files.as_slice() else { return Err("one file is needed".into()) };
    let start = Instant::now();
    let mut reader = srrd_data::open(path.as_ref(), &srrd_data::ReadOptions::default())?;
    let (mut rows, mut batch) = (0, srrd_data::Batch::new());
    while let srrd_data::Piece::Rows = reader.next_batch(&mut batch)? {
        rows += batch.rows;
    }
    println!(r#"{{"case": "read", "rows": {rows}, "seconds": {}}}"#, start.elapsed().as_secs_f64());
    Ok(())
}

/// From arrays in memory to the distance of every pair of samples.
fn pairwise(options: &Options) -> Result<(), Failure> {
    let [sample, states, actions, next, rewards] = options.files.as_slice() else {
        return Err("five files are needed".into());
    };
    let (sample, states, actions, next, rewards) =
        (ids(sample)?, ids(states)?, ids(actions)?, ids(next)?, numbers(rewards)?);
    let run = || -> Result<(Vec<f64>, Times), Failure> {
        let start = Instant::now();
        let count = sample.iter().max().map_or(0, |&most| most as usize + 1);
        let mut builders = vec![SampleBuilder::new(); count];
        for i in 0..rewards.len() {
            let token = |id: u32| Token::from(id);
            builders[sample[i] as usize].push(token(states[i]), token(actions[i]), token(next[i]), rewards[i])?;
        }
        let samples: Vec<RewardSample> =
            builders.into_iter().map(|builder| builder.build(Duplicates::Error)).collect::<Result<_, _>>()?;
        let references: Vec<&RewardSample> = samples.iter().collect();
        let build = start.elapsed();
        let matrix = srrd::pairwise(&references, options.metric, &options.settings);
        Ok((matrix.as_slice().to_vec(), Times { build, compute: start.elapsed() - build }))
    };
    report(options, rewards.len(), run)
}

/// Runs once to warm up, then `repeats` times, and reports the least times.
fn report(
    options: &Options,
    transitions: usize,
    run: impl Fn() -> Result<(Vec<f64>, Times), Failure>,
) -> Result<(), Failure> {
    let (result, mut least) = run()?;
    for _ in 0..options.repeats.max(1) {
        let (_, times) = run()?;
        least = Times { build: least.build.min(times.build), compute: least.compute.min(times.compute) };
    }
    if let Some(path) = &options.out {
        fs::write(path, result.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())?;
    }
    println!(
        r#"{{"case": "{}", "metric": "{}", "threads": {}, "transitions": {transitions}, "build_seconds": {}, "seconds": {}}}"#,
        options.case,
        options.metric,
        options.threads,
        least.build.as_secs_f64(),
        least.compute.as_secs_f64()
    );
    Ok(())
}

fn ids(path: &str) -> Result<Vec<u32>, Failure> {
    let bytes = fs::read(path).map_err(|e| format!("{path}: {e}"))?;
    Ok(bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}

fn numbers(path: &str) -> Result<Vec<f64>, Failure> {
    let bytes = fs::read(path).map_err(|e| format!("{path}: {e}"))?;
    Ok(bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().expect("eight bytes"))).collect())
}
