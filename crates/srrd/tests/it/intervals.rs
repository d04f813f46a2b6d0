//! Intervals hold what they promise, tests against chance are right about chance, and noise floors are where noisy copies are.
//! Everything is simulated with fixed seeds, so that a count is the same on every machine.

use crate::support::simulate::*;
use rayon::prelude::*;
use srrd::compare::{Correlation, pearson};
use srrd::sample::Ends;
use srrd::settings::EndRule;
use srrd::sure::{ChanceSettings, Draws, IntervalMethod, IntervalSettings, NoInterval, Range, Resampled, Resampling};
use srrd::*;
use std::sync::atomic::{AtomicUsize, Ordering};

const PAIRS: usize = 500;

/// The share of simulated pairs, in percent, of which something holds.
fn share(pairs: usize, holds: impl Fn(u64) -> bool + Sync + Send) -> f64 {
    percent((0..pairs as u64).into_par_iter().filter(|&seed| holds(seed)).count(), pairs)
}

fn assert_covers(what: &str, share: f64) {
    assert!((92.0..=98.0).contains(&share), "{what}: {share} % of the 95 % intervals hold the true distance");
}

fn with_gamma(gamma: f64) -> Settings {
    Settings { gamma: Gamma::new(gamma).unwrap(), ends: EndRule::None, ..Settings::default() }
}

#[test]
fn bootstrap_intervals_of_direct_hold_the_truth() {
    for (kind, n) in [(Kind::Normal, 25), (Kind::Normal, 250), (Kind::Uniform, 60)] {
        let found = share(PAIRS, |seed| {
            let (a, b, truth) = pair_of_samples(kind, n, 100, seed);
            let how = IntervalSettings { seed, draws: Draws::new(400).unwrap(), ..IntervalSettings::default() };
            let found = Pair::new(&a, &b).measure(Metric::Direct, &Settings::default()).interval(&how).unwrap();
            found.range.holds(truth)
        });
        assert_covers(&format!("{kind:?}, {n} transitions"), found);
    }
}

#[test]
fn intervals_of_projected_hold_the_truth() {
    // So many transitions between 40 states that about 10, 40 and 400 degrees of freedom are left.
    for (kind, gamma, n) in [
        (Kind::Normal, 0.9, 60),
        (Kind::Normal, 1.0, 60),
        (Kind::Normal, 0.5, 80),
        (Kind::Uniform, 0.9, 440),
        (Kind::Sparse, 0.9, 740),
    ] {
        let given = AtomicUsize::new(0);
        let held = share(200, |seed| {
            let (a, b, truth) = pair_of_samples(kind, n, 40, seed);
            let pair = Pair::new(&a, &b);
            let measured = pair.measure(Metric::Projected, &with_gamma(gamma));
            let Ok(found) = measured.interval(&IntervalSettings::default()) else { return true };
            assert!(matches!(found.method, IntervalMethod::StateBlocks(_)));
            given.fetch_add(1, Ordering::Relaxed);
            found.range.holds(truth)
        });
        let given = given.into_inner();
        assert!(given > 180 && held >= 92.0, "{kind:?}, γ = {gamma}, {n} transitions: {held} % held, {given} given");
    }
}

#[test]
fn a_shift_changes_behaviour_only_where_episodes_end() {
    let (a, b, _) = around_means(Kind::Normal, [0.0, 0.0], 80, 5);
    let change = |gamma: f64, ends: EndRule| {
        let moved = a.with_rewards(a.rewards().iter().map(|r| r + 3.0).collect()).unwrap();
        let settings = Settings { ends, ..with_gamma(gamma) };
        let to_b = |x: &RewardSample| distance(x, &b, Metric::Projected, &settings).distance().unwrap();
        (to_b(&moved) - to_b(&a)).abs()
    };
    assert!([0.0, 0.5, 0.99, 0.999_999, 1.0].into_iter().all(|gamma| change(gamma, EndRule::None) < 1e-8));
    // The last transitions end here.
    let marks: Vec<bool> = (0..a.len()).map(|i| i % 4 == 0).collect();
    let a = a.clone().with_ends(Ends::marked(marks.clone())).unwrap();
    let b = b.clone().with_ends(Ends::marked(marks)).unwrap();
    for gamma in [0.5, 0.9, 1.0] {
        let settings = Settings { ends: EndRule::Marked, ..with_gamma(gamma) };
        let moved = a.with_rewards(a.rewards().iter().map(|r| r + 3.0).collect()).unwrap();
        let to_b = |x: &RewardSample| distance(x, &b, Metric::Projected, &settings).distance().unwrap();
        assert!((to_b(&moved) - to_b(&a)).abs() > 1e-3, "{gamma}");
    }
}

#[test]
fn intervals_are_withheld_where_ends_are_not_seen() {
    let (a, b, _) = around_means(Kind::Normal, [0.0, 0.0], 80, 5);
    let interval = |a: &RewardSample, b: &RewardSample| {
        let pair = Pair::new(a, b);
        pair.measure(Metric::Projected, &Settings::default()).interval(&IntervalSettings::default())
    };
    // A state that starts nothing, and nobody knows whether it is an end.
    let kept: Vec<_> = a.transitions().filter(|t| t.state.as_int() != Some(0)).collect();
    let open =
        RewardSample::from_rows(kept.iter().map(|t| (t.state, t.action, t.next_state, t.reward)), Duplicates::Mean);
    assert_eq!(interval(&open.clone().unwrap(), &open.unwrap()), Err(NoInterval::EndsUnknown));
    // The first ends episodes where the second was not.
    let mut rows: Vec<_> = a.transitions().map(|t| (t.state, t.action, t.next_state, t.reward)).collect();
    rows.push((rows[0].0, rows[0].1, Token::text("goal"), 1.0));
    let mut builder = SampleBuilder::new();
    rows.iter().for_each(|&(s, u, t, r)| builder.push(s, u, t, r).unwrap());
    let (ending, placement) = builder.build_with_placement(Duplicates::Mean).unwrap();
    let marks: Vec<bool> = (0..rows.len()).map(|i| i + 1 == rows.len()).collect();
    let ending = ending.with_row_ends(&placement, &marks).unwrap();
    // Independent rewards without a level are at the ends what they are elsewhere. A level of either is seen at the ends alone, and so is
    // what goes with states.
    assert!(interval(&ending, &b).is_ok());
    let above = |x: &RewardSample| x.with_rewards(x.rewards().iter().map(|r| r + 1.0).collect()).unwrap();
    assert_eq!(interval(&above(&ending), &b), Err(NoInterval::EndsUnseen));
    assert_eq!(interval(&ending, &above(&b)), Err(NoInterval::EndsUnseen));
    let by_state = |x: &RewardSample| {
        let of = |t: Transition<'_>| t.next_state.as_int().map_or(0.0, |n| ((n * n) % 7 - 2) as f64);
        x.with_rewards(x.transitions().map(of).collect()).unwrap()
    };
    assert_eq!(interval(&by_state(&ending), &b), Err(NoInterval::EndsUnseen));
}

#[test]
fn episodes_keep_neighbours_together() {
    // Rewards that change slowly: the transitions of an episode tell less than as many from all over the grid.
    let (side, count, steps) = (30, 60, 20);
    let held = |seed: u64, by_episodes: bool| {
        let mut rng = generator(seed);
        let (_, rho) = true_distance(&mut rng);
        let rows = walks(&mut rng, side, count, steps);
        let (f, g) = fields(&mut rng, side, rho);
        let truth = pearson(&f, &g).unwrap().distance;
        let (a, episodes) = sample_of_walks(&rows, |s, _, _| f[s as usize]);
        let (b, _) = sample_of_walks(&rows, |s, _, _| g[s as usize]);
        let resampling = match by_episodes {
            true => Resampling::Episodes { a: Some(&episodes), b: Some(&episodes) },
            false => Resampling::Transitions,
        };
        let how = IntervalSettings { seed, resampling, draws: Draws::new(400).unwrap(), ..IntervalSettings::default() };
        let found = Pair::new(&a, &b).measure(Metric::Direct, &Settings::default()).interval(&how).unwrap();
        let resampled = found.method.bootstrap().unwrap().resampled;
        assert_eq!(resampled == Resampled::Episodes, by_episodes);
        found.range.holds(truth)
    };
    let (episodes, transitions) = (share(300, |seed| held(seed, true)), share(300, |seed| held(seed, false)));
    assert!(episodes >= 92.0, "{episodes}");
    assert!(transitions < 80.0, "{transitions}");
}

#[test]
fn tests_against_chance_reject_chance_as_often_as_they_should() {
    let how = |seed| ChanceSettings { draws: Draws::new(100).unwrap(), seed };
    let rejected = |metric: Metric, correlation: Correlation, rho: f64, gamma: f64| {
        share(PAIRS, |seed| {
            let mut rng = generator(seed);
            let support = transitions(&mut rng, 20, 60);
            let (a, b) = samples(&support, |_, _| Kind::Skewed.pair(&mut rng, rho));
            let settings = Settings { correlation, ..with_gamma(gamma) };
            // A few are withheld: by chance they look as if they went with states.
            Pair::new(&a, &b).measure(metric, &settings).chance(&how(seed)).is_ok_and(|found| found.p <= 0.05)
        })
    };
    for metric in [Metric::Direct, Metric::Srrd, Metric::Projected] {
        for &correlation in Correlation::ALL {
            // 5 % expected, standard deviation 1 %.
            let found = rejected(metric, correlation, 0.0, 0.9);
            assert!((2.0..=8.0).contains(&found), "{metric} {correlation:?}: {found}");
        }
        let found = rejected(metric, Correlation::Pearson, 0.8, 0.9);
        assert!(found > 95.0, "{metric}: {found}");
    }
    // With γ = 1 rewards with a mean have something in common that is no relation.
    let found = rejected(Metric::Projected, Correlation::Pearson, 0.0, 1.0);
    assert!((2.0..=8.0).contains(&found), "γ = 1: {found}");
    assert!(rejected(Metric::Projected, Correlation::Pearson, 0.8, 1.0) > 95.0);
}

#[test]
fn opposite_rewards_are_not_alike_and_equal_ones_are() {
    let mut rng = generator(2);
    let support = transitions(&mut rng, 15, 80);
    let (a, _) = samples(&support, |_, _| Kind::Normal.pair(&mut rng, 0.0));
    let opposite = a.with_rewards(a.rewards().iter().map(|r| -r).collect()).unwrap();
    let (settings, how) = (with_gamma(0.9), IntervalSettings::default());
    for metric in Metric::ALL {
        // Not all states of the few transitions that differ unseen are ruled out.
        let slack = if matches!(metric, Metric::Projected | Metric::Npec) { 0.4 } else { 1e-6 };
        let p = |b: &RewardSample| {
            Pair::new(&a, b).measure(metric, &settings).chance(&ChanceSettings::default()).unwrap().p
        };
        assert!(p(&opposite) > 0.999, "{metric}");
        assert!(p(&a) < 0.001, "{metric}");
        let Range { low, high } = Pair::new(&a, &a).measure(metric, &settings).interval(&how).unwrap().range;
        assert!(low >= 0.0 && high < slack, "{metric}: {low} to {high}");
        let Range { low, high } = Pair::new(&a, &opposite).measure(metric, &settings).interval(&how).unwrap().range;
        assert!(low > 1.0 - slack && high <= 1.0, "{metric}: {low} to {high}");
    }
}

#[test]
fn noisy_copies_are_as_far_apart_as_the_floor_says() {
    let settings = Settings::default();
    for metric in Metric::ALL {
        let (mut expected, mut found) = (0.0, 0.0);
        for seed in 0..20 {
            let mut rng = generator(seed);
            let support = transitions(&mut rng, 12, 100);
            let rewards: Vec<f64> = support.iter().map(|_| normal(&mut rng)).collect();
            // Every transition is met three times, each time with noise.
            let mut noisy = || {
                let rows: Vec<_> = (support.iter().zip(&rewards))
                    .flat_map(|(&(s, t), r)| [(s, t, r), (s, t, r), (s, t, r)])
                    .map(|(s, t, r)| (s, 0u32, t, r + 0.8 * normal(&mut rng)))
                    .collect();
                RewardSample::from_rows(rows, Duplicates::Mean).unwrap()
            };
            let (a, b) = (noisy(), noisy());
            let noise = a.noise().unwrap();
            assert!((noise.variance - 0.64).abs() < 0.2 && noise.degrees_of_freedom == 200, "{noise:?}");
            assert!((noise.merged_variance - noise.variance / 3.0).abs() < 1e-12);
            let floor = Pair::new(&a, &b).measure(metric, &settings).noise_floor().unwrap();
            expected += floor.distance / 20.0;
            found += distance(&a, &b, metric, &settings).distance().unwrap() / 20.0;
        }
        assert!((expected / found - 1.0).abs() < 0.06, "{metric}: {found} apart where {expected} was expected");
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_on_any_number_of_threads() {
    let mut rng = generator(5);
    let rows = walks(&mut rng, 8, 40, 30);
    let (a, first) = sample_of_walks(&rows, |s, a, t| f64::from((s * 31 + a * 7 + t * 13) % 101));
    let (b, second) = sample_of_walks(&walks(&mut rng, 8, 40, 30), |s, a, t| f64::from((s * 3 + a * 5 + t) % 11));
    for metric in Metric::SHOWN {
        for &correlation in Correlation::ALL {
            let settings = Settings { correlation, ..Settings::default() };
            for resampling in [Resampling::Transitions, Resampling::Episodes { a: Some(&first), b: Some(&second) }] {
                let run = |threads: usize, seed: u64| {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    pool.install(|| {
                        let how = IntervalSettings { seed, resampling, ..IntervalSettings::default() };
                        let tested = ChanceSettings { seed, ..ChanceSettings::default() };
                        (
                            Pair::new(&a, &b).measure(metric, &settings).interval(&how),
                            Pair::new(&a, &b).measure(metric, &settings).chance(&tested),
                        )
                    })
                };
                assert_eq!(run(1, 7), run(3, 7), "{metric}");
                if metric != Metric::Projected {
                    assert_ne!(run(1, 7).0, run(1, 8).0, "{metric}");
                }
            }
        }
    }
}

#[test]
fn ranks_give_the_same_distance_alone_and_among_all_pairs() {
    let mut rng = generator(9);
    let made: Vec<RewardSample> = (0..6)
        .map(|k| {
            let (sample, _) = sample_of_walks(&walks(&mut rng, 5, 12, 20), |s, a, t| {
                f64::from((s * 31 + a * (7 + k) + t * 13) % 5).exp()
            });
            sample
        })
        .collect();
    let references: Vec<&RewardSample> = made.iter().collect();
    let settings = Settings { correlation: Correlation::Spearman, ..Settings::default() };
    for metric in Metric::ALL {
        let matrix = pairwise(&references, metric, &settings);
        for i in 0..made.len() {
            for j in 0..made.len() {
                let (low, high) = (i.min(j), i.max(j));
                assert_eq!(matrix.get(i, j), distance(&made[low], &made[high], metric, &settings).distance());
            }
        }
        // An increasing function of the canonical rewards changes no rank: of `direct`, of the rewards themselves.
        if metric == Metric::Direct {
            let bent = made[1].with_rewards(made[1].rewards().iter().map(|r| r.ln()).collect()).unwrap();
            assert_eq!(distance(&made[0], &bent, metric, &settings).distance(), matrix.get(0, 1));
        }
    }
}

#[test]
fn what_cannot_have_an_interval_says_why() {
    let rows = |n: i32| (0..n).map(|s| (s, 0, s + 1, f64::from(s * s % 5)));
    let chain = RewardSample::from_rows(rows(30), Duplicates::Error).unwrap();
    let (settings, how) = (Settings::default(), IntervalSettings::default());
    let projected = Pair::new(&chain, &chain).measure(Metric::Projected, &settings).interval(&how);
    assert_eq!(projected, Err(NoInterval::Undefined(Undefined::NoDegreesOfFreedom)));
    let flat = chain.with_rewards(vec![2.0; 30]).unwrap();
    let found = Pair::new(&chain, &flat).measure(Metric::Direct, &settings).interval(&how);
    assert_eq!(found, Err(NoInterval::Undefined(Undefined::Constant)));

    // Two self-loops more than states: two degrees of freedom are too few for Fisher's z, enough for Student's t.
    let few = [(0, 0, 0, 1.0), (0, 1, 0, 2.0), (0, 2, 0, 5.0)];
    let few = RewardSample::from_rows(few, Duplicates::Error).unwrap();
    let other = few.with_rewards(vec![1.0, 3.0, 2.0]).unwrap();
    let found = Pair::new(&few, &other).measure(Metric::Projected, &settings).interval(&how).unwrap_err();
    assert_eq!(found, NoInterval::TooFewDegreesOfFreedom { degrees_of_freedom: 2.0 });
    assert!(Pair::new(&few, &other).measure(Metric::Projected, &settings).chance(&ChanceSettings::default()).is_ok());

    // One reward that differs: it is missing from more than a third of the draws, which are then constant.
    let spike = |at: usize| chain.with_rewards((0..30).map(|i| f64::from(u8::from(i == at))).collect()).unwrap();
    let found = Pair::new(&spike(3), &chain).measure(Metric::Direct, &settings).interval(&how).unwrap();
    let undefined = found.method.bootstrap().unwrap().undefined_draws;
    assert!((250..450).contains(&undefined), "{undefined}");
    let found = Pair::new(&spike(3), &spike(4)).measure(Metric::Direct, &settings).interval(&how).unwrap_err();
    assert!(matches!(found, NoInterval::TooManyUndefinedDraws { draws: 1000, .. }), "{found}");

    let (sample, episodes) = sample_of_walks(&walks(&mut generator(0), 4, 1, 30), |s, _, t| f64::from(s * t % 7));
    let one = IntervalSettings { resampling: Resampling::Episodes { a: Some(&episodes), b: None }, ..how };
    let other = sample.with_rewards(sample.rewards().iter().map(|r| r * r - r).collect()).unwrap();
    assert_eq!(Pair::new(&sample, &other).measure(Metric::Direct, &settings).interval(&one), Err(NoInterval::OneUnit));
    let found = Pair::new(&chain, &chain).measure(Metric::Direct, &settings).interval(&one).unwrap_err();
    assert_eq!(found, NoInterval::WrongEpisodes { expected: 30, found: sample.len() });
}

/// Walks that were cut off before any end say nothing about what happens at ends.
#[test]
fn marks_without_a_single_end_have_no_interval_unless_episodes_never_end() {
    let rows = (0..12u32).flat_map(|s| (0..12u32).map(move |t| (s, 0u32, t, f64::from((3 * s * s + 2 * t * s) % 7))));
    let a = RewardSample::from_rows(rows, Duplicates::Mean).unwrap();
    let unmarked = a.with_rewards(a.rewards().iter().enumerate().map(|(i, r)| r + (i % 5) as f64).collect()).unwrap();
    let mark = |sample: &RewardSample| sample.clone().with_ends(Ends::marked(vec![false; sample.len()])).unwrap();
    let (a, b) = (mark(&a), mark(&unmarked));
    let pair = Pair::new(&a, &b);
    let interval = |ends| {
        let settings = Settings { ends, ..Settings::default() };
        pair.measure(Metric::Projected, &settings).interval(&IntervalSettings::default())
    };
    assert_eq!(interval(EndRule::Auto), Err(NoInterval::EndsUnseen));
    assert_eq!(interval(EndRule::Marked), Err(NoInterval::EndsUnseen));
    assert!(interval(EndRule::None).is_ok() && interval(EndRule::Sinks).is_ok());
}
