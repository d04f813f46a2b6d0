//! Answers that distance and interval alone would give wrongly.

use crate::support::simulate::generator;
use rand::RngExt;

use srrd::sample::Ends;
use srrd::settings::{Discount, EndRule};
use srrd::verdict::{Answer, Margin, Verdict, Why};
use srrd::*;

fn judged(a: &RewardSample, b: &RewardSample, ends: EndRule) -> Verdict {
    let settings = Settings { ends, ..Settings::default() };
    Pair::new(a, b).measure(Metric::Projected, &settings).verdict(Margin::default()).unwrap()
}

/// A room of 8 × 4 cells with walls above and below, and a door on either side.
fn room(west: f64, east: f64, wall: f64, step: f64) -> RewardSample {
    let (width, height) = (8, 4);
    let cells = (0..width).flat_map(|x| (0..height).map(move |y| (x, y)));
    let rows = cells.flat_map(|(x, y)| {
        [(-1, 0), (1, 0), (0, 1), (0, -1)].into_iter().enumerate().map(move |(action, (dx, dy))| {
            let (to_x, to_y) = (x + dx, y + dy);
            let door = if to_x < 0 {
                west
            } else if to_x >= width {
                east
            } else {
                0.0
            };
            let hurt = if (0..height).contains(&to_y) { 0.0 } else { wall };
            let next = if to_x < 0 {
                -1
            } else if to_x >= width {
                -2
            } else {
                to_x * height + to_y.clamp(0, height - 1)
            };
            (i64::from(x * height + y), action as i64, i64::from(next), step + door + hurt)
        })
    });
    let sample = RewardSample::from_rows(rows, Duplicates::Error).unwrap();
    let ends = sample.transitions().map(|t| t.next_state.as_int().unwrap() < 0).collect();
    sample.with_ends(Ends::marked(ends)).unwrap()
}

#[test]
fn large_rewards_that_both_share_do_not_make_opposite_goals_the_same() {
    for (a, b) in [
        (room(1.0, 0.0, -100.0, -0.1), room(0.0, 1.0, -100.0, -0.1)),
        (room(1.0, -1.0, -100.0, -0.1), room(-1.0, 1.0, -100.0, -0.1)),
        (room(1.0, 1.0, -100.0, -0.1), room(1.0, 1.0, -100.0, 0.1)),
    ] {
        let verdict = judged(&a, &b, EndRule::Auto);
        let Why::Hidden { distance, rest, taken } = verdict.why else { panic!("{verdict:?}") };
        assert!(verdict.answer == Answer::Unknown && distance < 0.02 && rest >= 0.5 && taken <= 64);
    }
    // A copy is one, however large the walls are; without walls the goals are opposite.
    let (a, b) = (room(1.0, 0.0, -100.0, -0.1), room(3.0, 0.0, -300.0, -0.3));
    assert_eq!(judged(&a, &b, EndRule::Auto).answer, Answer::Same);
    let (a, b) = (room(1.0, 0.0, 0.0, 0.0), room(0.0, 1.0, 0.0, 0.0));
    assert_ne!(judged(&a, &b, EndRule::Auto).answer, Answer::Same);
}

/// 40 states of which each has 6 actions to random states.
fn transitions(seed: u64) -> Vec<(u32, u32, u32)> {
    let mut rng = generator(seed);
    (0..40).flat_map(|s| (0..6).map(move |a| (s, a))).map(|(s, a)| (s, a, rng.random_range(0..40))).collect()
}

fn sample(rows: &[(u32, u32, u32)], reward: impl FnMut(usize) -> f64) -> RewardSample {
    let rewards = (0..rows.len()).map(reward).collect::<Vec<f64>>();
    RewardSample::from_rows(rows.iter().zip(rewards).map(|(&(s, a, t), r)| (s, a, t, r)), Duplicates::Mean).unwrap()
}

#[test]
fn rewards_that_are_nearly_equal_everywhere_stay_the_same() {
    let mut same = 0;
    for seed in 0..50 {
        let (rows, mut rng) = (transitions(seed), generator(1000 + seed));
        let mut normal = move || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
        let reward: Vec<f64> = rows.iter().map(|_| normal()).collect();
        let (a, b) = (sample(&rows, |i| reward[i]), sample(&rows, |i| reward[i] + 0.02 * normal()));
        let verdict = judged(&a, &b, EndRule::None);
        assert!(!matches!(verdict.why, Why::Hidden { .. }), "{verdict:?}");
        same += usize::from(verdict.answer == Answer::Same);
    }
    assert!(same >= 40, "{same} of 50");
}

#[test]
fn noise_of_repeated_rewards_is_no_difference() {
    let (mut explained, mut different) = (0, 0);
    for seed in 0..20 {
        let (rows, mut rng) = (transitions(seed), generator(2000 + seed));
        let truth: Vec<f64> = rows.iter().map(|_| rng.random_range(-1.5..1.5)).collect();
        let mut noisy = |sign: f64| {
            let visits = rows.iter().zip(&truth).flat_map(|(row, r)| std::iter::repeat_n((row, r), 10));
            let visits = visits.map(|(&(s, a, t), r)| (s, a, t, sign * r + rng.random_range(-2.0..2.0)));
            RewardSample::from_rows(visits.collect::<Vec<_>>(), Duplicates::Mean).unwrap()
        };
        let (a, b, opposite) = (noisy(1.0), noisy(1.0), noisy(-1.0));
        let verdict = judged(&a, &b, EndRule::None);
        assert_ne!(verdict.answer, Answer::Different, "{verdict:?}");
        explained += usize::from(matches!(verdict.why, Why::Noise { .. }));
        different += usize::from(judged(&a, &opposite, EndRule::None).answer == Answer::Different);
    }
    assert!(explained >= 15 && different == 20, "{explained} explained, {different} different");
    // One reward that changed is no noise of all.
    let (rows, mut rng) = (transitions(7), generator(7));
    let mut unrelated = || {
        let mut rows: Vec<_> = rows.iter().map(|&(s, a, t)| (s, a, t, rng.random_range(-1.0..1.0))).collect();
        rows.push((rows[0].0, rows[0].1, rows[0].2, rows[0].3 + 2.0));
        RewardSample::from_rows(rows, Duplicates::Mean).unwrap()
    };
    assert_eq!(judged(&unrelated(), &unrelated(), EndRule::None).answer, Answer::Different);
}

#[test]
fn rewards_moved_between_next_states_of_an_action_point_to_chance() {
    let mut rng = generator(3);
    let rows: Vec<(u32, u32, u32)> = (0..30)
        .flat_map(|s| (0..3).map(move |a| (s, a)))
        .flat_map(|(s, a)| [(s, a, (7 * s + 3 * a + 1) % 30), (s, a, (11 * s + 5 * a + 2) % 30)])
        .collect();
    let old: Vec<f64> = rows.iter().map(|_| rng.random_range(-1.0..1.0)).collect();
    let mean = |i: usize| 0.5 * (old[i] + old[i ^ 1]);
    let (a, moved) = (sample(&rows, |i| old[i]), sample(&rows, mean));
    let verdict = judged(&a, &moved, EndRule::None);
    assert!(matches!(verdict.why, Why::Chance { by_means, .. } if by_means < 1e-6), "{verdict:?}");
    assert!(verdict.why.to_string().contains("dynamics sampled"));
    let opposite = sample(&rows, |i| -old[i]);
    assert_eq!(judged(&a, &opposite, EndRule::None).answer, Answer::Different);
}

#[test]
fn copies_are_not_different_by_a_gamma_that_the_data_cannot_tell() {
    let (mut different, mut unsure) = (0, 0);
    for seed in 0..60 {
        let mut rng = generator(4000 + seed);
        let gamma = [0.5, 0.8, 0.95][seed as usize % 3];
        let rows = transitions(seed);
        // Every third reward is one of the next state, which fits every discount factor.
        let by_state: Vec<f64> = (0..40).map(|_| rng.random_range(-1.0..1.0)).collect();
        let potential: Vec<f64> = (0..40).map(|_| rng.random_range(-2.0..2.0)).collect();
        let reward: Vec<f64> = rows
            .iter()
            .map(|row| if seed % 3 == 0 { by_state[row.2 as usize] } else { rng.random_range(-1.0..1.0) })
            .collect();
        let shaping = |i: usize| gamma * potential[rows[i].2 as usize] - potential[rows[i].0 as usize];
        let named = |name: &str, sample| NamedSample::new(name, sample);
        let a = named("a", sample(&rows, |i| reward[i]));
        let b = named("b", sample(&rows, |i| 2.0 * reward[i] + shaping(i)));
        let options = Options {
            metrics: vec![Metric::Projected],
            gamma: Discount::FromData,
            ends: EndRule::None,
            verdict: true,
            ..Options::default()
        };
        let found = compare(&a, &b, &options.question().unwrap()).unwrap().verdict.unwrap();
        different += usize::from(found.answer == Answer::Different);
        unsure += usize::from(matches!(found.why, Why::GammaUncertain { .. }));
    }
    assert!(different == 0 && unsure > 5, "{different} different, {unsure} unsure");
}
