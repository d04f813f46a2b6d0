//! How much memory samples take, counted by the allocator: when they are canonicalized, at most 120 bytes per transition with the sample
//! itself; several of the same transitions, little more than their rewards.

use srrd::settings::{Actions, Batch, Estimator};
use srrd::*;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

#[path = "it/support/counting.rs"]
mod counting;

use counting::{LIVE, PEAK};

const LIMIT: f64 = 120.0;

/// Tokens as texts, the dearest kind.
fn sample(edges: impl Iterator<Item = (u32, u32, u32)>) -> RewardSample {
    let mut builder = SampleBuilder::new();
    for (s, a, t) in edges {
        let (state, next) = (format!("{}_{}", s / 300, s % 300), format!("{}_{}", t / 300, t % 300));
        builder.push(Token::text(&state), Token::from(a), Token::text(&next), f64::from(s % 101)).unwrap();
    }
    builder.build(Duplicates::Mean).unwrap()
}

/// One test at a time: all of them are counted together.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn at_most_120_bytes_a_transition() {
    let _alone = ALONE.lock().unwrap();
    let side = 224u32;
    let grid = (0..side * side).flat_map(|s| {
        let (x, y) = (s % side, s / side);
        let moves = [((x + 1) % side, y), ((x + side - 1) % side, y), (x, (y + 1) % side), (x, (y + side - 1) % side)];
        moves.into_iter().enumerate().map(move |(a, (x, y))| (s, a as u32, y * side + x))
    });
    let random = (0..20_000u32)
        .flat_map(|s| (0..10u32).map(move |k| (s, 0, (s.wrapping_mul(2_654_435_761) ^ (k * 7919)) % 20_000)));
    let several = (0..8_000u32).flat_map(|s| (0..24u32).map(move |k| (s, k % 3, (s * 31 + k / 3 * 977) % 8_000)));
    let full = (0..400u32).flat_map(|s| (0..400u32).map(move |t| (s, 0, t)));
    // Hardly more transitions than states: what is kept of every state weighs most.
    let chain = (0..150_000u32).map(|s| (s, s % 4, s + 1));
    let one_step = (0..150_000u32).map(|s| (s, 0, 150_000));
    let before = LIVE.load(Ordering::Relaxed);
    for (name, (sample, own)) in [
        ("chain", measured(|| sample(chain))),
        ("one step", measured(|| sample(one_step))),
        ("grid", measured(|| sample(grid))),
        ("random", measured(|| sample(random))),
        ("several actions", measured(|| sample(several))),
        ("full", measured(|| sample(full))),
    ] {
        // Other samples are alive, too: what counts is this one, what it makes when it is first asked for it and keeps, and what
        // canonicalizing adds.
        let live = LIVE.load(Ordering::Relaxed);
        for metric in Metric::PAPER {
            for estimator in [
                Estimator::Double { actions: Actions::Marginal, batch: Batch::All },
                Estimator::Double { actions: Actions::Marginal, batch: Batch::size(100).unwrap() },
                Estimator::Double { actions: Actions::Joint, batch: Batch::All },
                Estimator::Unbiased,
            ] {
                PEAK.store(LIVE.load(Ordering::Relaxed), Ordering::Relaxed);
                let canonical = canonicalize(&sample, metric, &Settings { estimator, ..Settings::default() });
                let bytes = (PEAK.load(Ordering::Relaxed) - live + own) as f64 / canonical.len() as f64;
                assert!(bytes <= LIMIT, "{name} {metric} {estimator:?}: {bytes:.1} bytes per transition");
            }
        }
    }
    assert!(LIVE.load(Ordering::Relaxed) < before + (1 << 20), "something was not freed");
}

#[test]
fn samples_of_the_same_transitions_share_them() {
    let _alone = ALONE.lock().unwrap();
    let rows = 50_000u32;
    let builder = || {
        let mut builder = SampleBuilder::new();
        for s in 0..rows {
            // Some rows repeat others, with another reward.
            let state = format!("a rather long name of the state number {}", s / 2);
            builder.push(Token::text(&state), Token::from(s % 3), Token::text("end"), f64::from(s)).unwrap();
        }
        builder
    };
    let others = |count: usize| vec![(0..rows).map(f64::from).collect::<Vec<f64>>(); count];
    let (one, alone) = measured(|| builder().build_each(others(0), Duplicates::Mean).unwrap().0);
    let (ten, together) = measured(|| builder().build_each(others(9), Duplicates::Mean).unwrap().0);
    assert_eq!((one.len(), ten.len()), (1, 10));
    assert_eq!(ten[9], ten[0]);
    let each = (together - alone) / 9;
    assert!(each < 10 * rows as usize, "{each} bytes more for each reward, {alone} for the first");
    let (copies, bytes) = measured(|| vec![ten[0].clone(), ten[0].clone()]);
    assert!(bytes < rows as usize, "{bytes} bytes for {} copies", copies.len());
}

#[test]
fn a_verdict_takes_at_most_130_bytes_a_transition_beside_the_samples() {
    let _alone = ALONE.lock().unwrap();
    // Responses to prompts, with two rewards that differ, so that there is an interval and a witness.
    let rows = 120_000u32;
    let noise = |i: u32| f64::from(i.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24) - 0.5;
    let mut builder = SampleBuilder::new();
    for i in 0..rows {
        builder.push(Token::from(i / 8), Token::from(i), Token::text("end"), noise(i)).unwrap();
    }
    let others = vec![(0..rows).map(|i| noise(i) + noise(rows + i)).collect()];
    let (samples, placement) = builder.build_each(others, Duplicates::Mean).unwrap();
    let ends = vec![true; rows as usize];
    let named =
        |sample: &RewardSample| NamedSample::new("one", sample.clone().with_row_ends(&placement, &ends).unwrap());
    let (a, b) = (named(&samples[0]), named(&samples[1]));
    let options = Options { metrics: vec![Metric::Projected], verdict: true, ..Options::default() };
    let live = LIVE.load(Ordering::Relaxed);
    PEAK.store(live, Ordering::Relaxed);
    let answer = compare(&a, &b, &options.question().unwrap()).unwrap();
    let bytes = (PEAK.load(Ordering::Relaxed) - live) as f64 / f64::from(rows);
    assert!(answer.verdict.is_some_and(|verdict| verdict.witness.is_some()));
    assert!(bytes <= 130.0, "{bytes:.1} bytes per transition");
}

#[test]
fn a_matrix_takes_little_more_than_its_distances() {
    let _alone = ALONE.lock().unwrap();
    let size = 1000u32;
    let one = |i: u32| RewardSample::from_rows([(i, 0, i, 1.0), (i, 1, i, 2.0)], Duplicates::Mean).unwrap();
    // No two share a transition: for every pair there is a reason beside the distance.
    let samples: Vec<RewardSample> = (0..size).map(one).collect();
    let references: Vec<&RewardSample> = samples.iter().collect();
    let cells = (size * size) as usize;
    for metric in [Metric::Direct, Metric::Projected] {
        let live = LIVE.load(Ordering::Relaxed);
        PEAK.store(live, Ordering::Relaxed);
        let matrix = pairwise(&references, metric, &Settings::default());
        let bytes = PEAK.load(Ordering::Relaxed) - live;
        assert_eq!(matrix.undefined().filter(|(i, j, _)| i != j).count(), cells / 2 - size as usize / 2);
        assert!(bytes <= 16 * cells, "{metric}: {:.1} bytes per distance", bytes as f64 / cells as f64);
    }
}

/// What `make` makes, and its bytes.
fn measured<T>(make: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.load(Ordering::Relaxed);
    let made = make();
    (made, LIVE.load(Ordering::Relaxed) - before)
}
