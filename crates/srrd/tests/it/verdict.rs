//! Tries to make the verdict wrong: rewards of small problems whose optimal policies are known.
//!
//! Every problem is deterministic or slips, goes on for ever or has two exits and a step cost. Its transitions are all sampled, with true
//! marks of ends. "Same" is wrong where acting by one reward loses more than 5 % under the other, and "different" where one reward is a
//! shaped and scaled copy of the other.

use crate::support::simulate::generator;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use srrd::question::DynamicsOption;
use srrd::regret::sampled_regret;
use srrd::sample::Ends;
use srrd::settings::EndRule;
use srrd::verdict::{Answer, Margin, Why};
use srrd::*;
use std::sync::Arc;

const PROBLEMS: u64 = 1000;
const GAMMA: f64 = 0.9;

/// Transitions (s, a, s', ends) of a problem.
struct Problem {
    rows: Vec<(u32, u32, u32, bool)>,
    states: u32,
    ends: bool,
}

fn problem(rng: &mut ChaCha8Rng, states: std::ops::Range<u32>) -> Problem {
    let (states, actions) = (rng.random_range(states), rng.random_range(3..6u32));
    let ends = rng.random::<bool>();
    let mut rows = Vec::new();
    for s in 0..states {
        let mut seen = Vec::new();
        for a in 0..actions {
            let next = rng.random_range(0..states);
            seen.push(next);
            rows.push((s, a, next, false));
        }
    }
    if ends {
        // Two exits, each from two states.
        for exit in [states, states + 1] {
            for _ in 0..2 {
                rows.push((rng.random_range(0..states), actions + exit - states, exit, true));
            }
        }
        rows.sort_unstable();
        rows.dedup();
    }
    Problem { rows, states: states + 2, ends }
}

/// A reward: noise, goals, or a step cost with goals.
fn reward(rng: &mut ChaCha8Rng, problem: &Problem) -> Vec<f64> {
    match rng.random_range(0..3) {
        0 => problem.rows.iter().map(|_| rng.random_range(-1.0..1.0)).collect(),
        1 => {
            let by_state: Vec<f64> = (0..problem.states).map(|_| rng.random_range(-1.0..1.0)).collect();
            problem.rows.iter().map(|row| by_state[row.2 as usize]).collect()
        }
        _ => {
            let goal = problem.rows[rng.random_range(0..problem.rows.len())].2;
            problem.rows.iter().map(|row| if row.2 == goal { 1.0 } else { -0.05 }).collect()
        }
    }
}

fn sample(problem: &Problem, rewards: &[f64]) -> RewardSample {
    let mut builder = SampleBuilder::new();
    for (&(s, a, t, _), &r) in problem.rows.iter().zip(rewards) {
        builder.push(s.into(), a.into(), t.into(), r).unwrap();
    }
    let (sample, placement) = builder.build_with_placement(Duplicates::Mean).unwrap();
    let marks: Vec<bool> = problem.rows.iter().map(|row| row.3).collect();
    match problem.ends {
        true => sample.with_row_ends(&placement, &marks).unwrap(),
        false => sample.with_ends(Ends::marked(vec![false; placement.transition.len()])).unwrap(),
    }
}

fn answer(problem: &Problem, a: &RewardSample, b: &RewardSample) -> Answer {
    let ends = if problem.ends { EndRule::Marked } else { EndRule::None };
    let settings = Settings { gamma: Gamma::new(GAMMA).unwrap(), ends, ..Settings::default() };
    Pair::new(a, b).measure(Metric::Projected, &settings).verdict(Margin::default()).unwrap().answer
}

#[test]
fn copies_are_never_called_different_and_rewards_that_cost_are_hardly_ever_called_the_same() {
    let counts: Vec<[usize; 4]> = (0..PROBLEMS)
        .into_par_iter()
        .map(|seed| {
            let mut rng = generator(seed);
            let problem = problem(&mut rng, 12..30);
            let first = reward(&mut rng, &problem);
            let potential: Vec<f64> = (0..problem.states).map(|_| rng.random_range(-3.0..3.0)).collect();
            let scale = rng.random_range(0.1..10.0f64);
            let copy: Vec<f64> = (problem.rows.iter().zip(&first))
                .map(|(&(s, _, t, ends), r)| {
                    let ahead = if ends { 0.0 } else { GAMMA * potential[t as usize] };
                    scale * r + ahead - potential[s as usize]
                })
                .collect();
            let a = sample(&problem, &first);
            let of_copy = answer(&problem, &a, &sample(&problem, &copy));
            // Another reward, from nearly the same to unrelated.
            let other = reward(&mut rng, &problem);
            let mix = rng.random::<f64>().powi(2);
            let other: Vec<f64> = copy.iter().zip(&other).map(|(c, o)| (1.0 - mix) * c + mix * o).collect();
            let b = sample(&problem, &other);
            let found = answer(&problem, &a, &b);
            let regret = || {
                let found = sampled_regret(&a, &b, None, Gamma::new(GAMMA).unwrap(), &[]).unwrap();
                [found.regret.a_under_b, found.regret.b_under_a].iter().filter_map(|one| one.regret).fold(0.0, f64::max)
            };
            let wrong = found == Answer::Same && regret() > 0.05;
            [
                usize::from(of_copy == Answer::Different),
                usize::from(of_copy == Answer::Same),
                usize::from(found == Answer::Same),
                usize::from(wrong),
            ]
        })
        .collect();
    let [different_copies, same_copies, same, wrong] = [0, 1, 2, 3].map(|i| counts.iter().map(|c| c[i]).sum::<usize>());
    println!("copies: {same_copies} same, {different_copies} different; others: {same} same, {wrong} of them wrong");
    assert_eq!(different_copies, 0);
    assert!(same_copies > PROBLEMS as usize / 4, "{same_copies}");
    assert!(same > 20 && 100 * wrong <= same, "{wrong} of {same}");
}

/// Rewards whose distance over all transitions is the margin are called the same in at most 5 % of the samples of them.
#[test]
fn rewards_at_the_margin_are_hardly_ever_called_the_same() {
    const PAIRS: u64 = 2000;
    let margin = Margin::default();
    let settings = Settings { gamma: Gamma::new(GAMMA).unwrap(), ends: EndRule::None, ..Settings::default() };
    let distance = |a: &RewardSample, b: &RewardSample| {
        Pair::new(a, b).measure(Metric::Projected, &settings).distance().distance().unwrap()
    };
    let answers: Vec<Answer> = (0..PAIRS)
        .into_par_iter()
        .map(|seed| {
            let mut rng = generator(90_000 + seed);
            let states = rng.random_range(15..30u32);
            let rows: Vec<(u32, u32, u32)> =
                (0..states).flat_map(|s| (0..8).map(move |a| (s, a, (s * 7 + a * a * 3 + a) % states))).collect();
            // By transition, or by next state, which is harder to tell from shaping.
            let draw = |rng: &mut ChaCha8Rng| -> Vec<f64> {
                let by_next: Vec<f64> = (0..states).map(|_| rng.random_range(-1.0..1.0)).collect();
                let share = f64::from(u8::from(seed % 2 == 0));
                rows.iter().map(|&(_, _, t)| share * by_next[t as usize] + rng.random_range(-1.0..1.0f64)).collect()
            };
            let (first, other) = (draw(&mut rng), draw(&mut rng));
            let with = |rewards: &[f64], keep: &dyn Fn(usize) -> bool| {
                let rows = rows.iter().zip(rewards).enumerate().filter(|(i, _)| keep(*i));
                RewardSample::from_rows(rows.map(|(_, (&(s, a, t), &r))| (s, a, t, r)), Duplicates::Mean).unwrap()
            };
            let mixed = |mix: f64| -> Vec<f64> { first.iter().zip(&other).map(|(a, b)| a + mix * b).collect() };
            let all = with(&first, &|_| true);
            // The distance grows with the share of the other reward: halve the interval that holds the margin.
            let (mut low, mut high) = (0.0, 3.0);
            for _ in 0..20 {
                let middle = 0.5 * (low + high);
                match distance(&all, &with(&mixed(middle), &|_| true)) < margin.get() {
                    true => low = middle,
                    false => high = middle,
                }
            }
            let kept: Vec<bool> = rows.iter().map(|_| rng.random_bool(0.6)).collect();
            let keep = |i: usize| kept[i];
            let (a, b) = (with(&first, &keep), with(&mixed(high), &keep));
            Pair::new(&a, &b).measure(Metric::Projected, &settings).verdict(margin).unwrap().answer
        })
        .collect();
    let same = answers.iter().filter(|answer| **answer == Answer::Same).count();
    println!("{same} of {PAIRS} pairs at the margin are called the same");
    assert!(20 * same <= PAIRS as usize, "{same}");
}

/// The same of scored responses to prompts, whose population is known: scores whose correlation within prompts puts them at the margin.
#[test]
fn scores_at_the_margin_are_hardly_ever_called_the_same() {
    const PAIRS: u64 = 2000;
    let margin = Margin::default();
    // D² = (1 − ρ)/2.
    let correlation = 1.0 - 2.0 * margin.get().powi(2);
    let noise = (1.0 - correlation.powi(2)).sqrt() / correlation;
    let answers: Vec<Answer> = (0..PAIRS)
        .into_par_iter()
        .map(|seed| {
            let mut rng = generator(95_000 + seed);
            let (prompts, responses) = (rng.random_range(20..120u32), rng.random_range(2..9u32));
            let mut draw = || srrd::run::normal(&mut || rng.random::<f64>());
            let mut rows = Vec::new();
            for prompt in 0..prompts {
                // What shaping can do: a number per prompt.
                let shift = 5.0 * draw();
                for response in 0..responses {
                    let score = draw();
                    rows.push((prompt, responses * prompt + response, score, 3.0 * (score + noise * draw()) + shift));
                }
            }
            let with = |of: fn(&(u32, u32, f64, f64)) -> f64| {
                let rows = rows.iter().map(|row| (row.0, row.1, u32::MAX - 1, of(row)));
                RewardSample::from_rows(rows, Duplicates::Mean).unwrap().with_ends(Ends::all()).unwrap()
            };
            let (a, b) = (with(|row| row.2), with(|row| row.3));
            Pair::new(&a, &b).measure(Metric::Projected, &Settings::default()).verdict(margin).unwrap().answer
        })
        .collect();
    let same = answers.iter().filter(|answer| **answer == Answer::Same).count();
    println!("{same} of {PAIRS} pairs of scores at the margin are called the same");
    assert!(20 * same <= PAIRS as usize, "{same}");
}

/// A copy of a reward: scaled, and shaped such that ends keep potential 0.
fn copy_of(rng: &mut ChaCha8Rng, problem: &Problem, rewards: &[f64]) -> Vec<f64> {
    let potential: Vec<f64> = (0..problem.states).map(|_| rng.random_range(-3.0..3.0)).collect();
    let scale = rng.random_range(0.1..10.0f64);
    let shaped = |(&(s, _, t, ends), r): (&(u32, u32, u32, bool), &f64)| {
        scale * r + if ends { 0.0 } else { GAMMA * potential[t as usize] } - potential[s as usize]
    };
    problem.rows.iter().zip(rewards).map(shaped).collect()
}

/// With 6 to 13 states the interval of a sample says nothing, but where a model lists all transitions and all were sampled, the distance is
/// no estimate.
#[test]
fn a_model_that_was_sampled_whole_decides_small_problems() {
    const SMALL: u64 = 300;
    let counts: Vec<[usize; 5]> = (0..SMALL)
        .into_par_iter()
        .map(|seed| {
            let mut rng = generator(10_000 + seed);
            let problem = problem(&mut rng, 6..14);
            let first = reward(&mut rng, &problem);
            let copy = copy_of(&mut rng, &problem, &first);
            let mix = rng.random::<f64>().powi(2);
            let other: Vec<f64> =
                copy.iter().zip(reward(&mut rng, &problem)).map(|(c, o)| (1.0 - mix) * c + mix * o).collect();
            let [a, copy, b] = [&first, &copy, &other].map(|rewards| sample(&problem, rewards));
            let model = sample(&problem, &vec![1.0; problem.rows.len()]);
            let answer = |b: &RewardSample, model: &RewardSample| {
                let options = Options {
                    dynamics: DynamicsOption::File("model".to_owned()),
                    model: Some(Arc::new(model.clone())),
                    ends: if problem.ends { EndRule::Marked } else { EndRule::None },
                    verdict: true,
                    ..Options::default()
                };
                let question = options.question_by(&[Metric::Projected]).unwrap();
                let [a, b] = [&a, b].map(|sample| NamedSample::new("reward", sample.clone()));
                compare(&a, &b, &question).unwrap().verdict.unwrap().answer
            };
            let (of_copy, found) = (answer(&copy, &model), answer(&b, &model));
            // A model with one action more than was sampled: there is something unseen.
            let mut more: Vec<(u32, u32, u32, f64)> = problem.rows.iter().map(|&(s, a, t, _)| (s, a, t, 1.0)).collect();
            more.push((0, 99, 1, 1.0));
            let unseen = answer(&copy, &RewardSample::from_rows(more, Duplicates::Mean).unwrap());
            let regret = || {
                let found = sampled_regret(&a, &b, None, Gamma::new(GAMMA).unwrap(), &[]).unwrap();
                [found.regret.a_under_b, found.regret.b_under_a].iter().filter_map(|one| one.regret).fold(0.0, f64::max)
            };
            let wrong = found == Answer::Same && regret() > 0.05;
            let unseen = unseen == Answer::Same;
            [of_copy == Answer::Same, of_copy == Answer::Different, found == Answer::Same, wrong, unseen]
                .map(usize::from)
        })
        .collect();
    let [copies, different, same, wrong, unseen] = [0, 1, 2, 3, 4].map(|i| counts.iter().map(|c| c[i]).sum::<usize>());
    println!(
        "copies: {copies} same, {different} different, {unseen} same with something unseen; others: {same} same, {wrong} wrong"
    );
    assert_eq!(different, 0);
    assert!(2 * unseen < copies, "{unseen} of {copies}");
    assert!(copies > SMALL as usize * 9 / 10, "{copies}");
    assert!(same > 20 && 50 * wrong <= same, "{wrong} of {same}");
}

#[test]
fn opposite_exits_of_a_corridor_differ_and_the_witness_shows_it() {
    let rows = |goal: u32| {
        let moves = (1..10u32).flat_map(|s| [(s, 0u32, s - 1), (s, 1, s + 1), (s, 2, s)]);
        moves.map(move |(s, a, t)| (s, a, t, if t == goal { 1.0 } else { -0.01 }))
    };
    let marked = |goal: u32| {
        let sample = RewardSample::from_rows(rows(goal), Duplicates::Mean).unwrap();
        let ends = sample.transitions().map(|t| matches!(t.next_state.as_int(), Some(0 | 10))).collect();
        sample.with_ends(Ends::marked(ends)).unwrap()
    };
    let (left, right) = (marked(0), marked(10));
    let settings = Settings::default();
    let pair = Pair::new(&left, &right);
    let measured = pair.measure(Metric::Projected, &settings);
    assert!(measured.distance().distance().unwrap() >= 0.5);
    let verdict = measured.verdict(Margin::default()).unwrap();
    assert_eq!(verdict.answer, Answer::Different);
    {
        let witness = verdict.witness.unwrap();
        // Checked by hand: sums of discounted rewards.
        for (path, returns) in witness.paths.iter().zip(&witness.returns) {
            for (side, sample) in [&left, &right].into_iter().enumerate() {
                let of = |step: &(u32, u32)| sample.rewards()[if side == 0 { step.0 } else { step.1 } as usize];
                let total: f64 = path.iter().enumerate().map(|(t, step)| 0.9f64.powi(t as i32) * of(step)).sum();
                assert!((total - returns[side]).abs() < 1e-12);
            }
            let tokens: Vec<_> = path.iter().map(|step| left.transition(step.0 as usize)).collect();
            assert!(tokens.windows(2).all(|two| two[0].next_state == two[1].state));
        }
        let start = |path: &[(u32, u32)]| left.transition(path[0].0 as usize).state.to_string();
        assert_eq!(start(&witness.paths[0]), start(&witness.paths[1]));
        assert!(witness.returns[0][0] > witness.returns[1][0] && witness.returns[0][1] < witness.returns[1][1]);
    }
    // Unmarked, both answers are given.
    let unmarked = |goal| RewardSample::from_rows(rows(goal), Duplicates::Mean).unwrap();
    let (left, right) = (unmarked(0), unmarked(10));
    let pair = Pair::new(&left, &right);
    let measured = pair.measure(Metric::Projected, &settings);
    assert!(measured.distance_if_ends().unwrap().distance().unwrap() >= 0.5);
    assert_eq!(measured.verdict(Margin::default()).unwrap().answer, Answer::Unknown);
}

/// Between a fifth of the margin and the margin, with a narrow interval: no number of transitions would decide.
#[test]
fn a_small_difference_that_is_real_is_told_apart_from_too_few_data() {
    let mut rng = generator(77);
    let rows: Vec<(u32, u32, u32)> =
        (0..60).flat_map(|s| (0..20).map(move |a| (s, a, (s * 7 + a * a * 3 + a) % 60))).collect();
    let [first, other] = [0, 1].map(|_| rows.iter().map(|_| rng.random_range(-1.0..1.0)).collect::<Vec<f64>>());
    let why = |mix: f64, margin: f64| {
        let of = |rewards: &dyn Fn(usize) -> f64| {
            let rows = rows.iter().enumerate().map(|(i, &(s, a, t))| (s, a, t, rewards(i)));
            RewardSample::from_rows(rows, Duplicates::Mean).unwrap()
        };
        let (a, b) = (of(&|i| first[i]), of(&|i| first[i] + mix * other[i]));
        let settings = Settings { ends: EndRule::None, ..Settings::default() };
        let verdict =
            Pair::new(&a, &b).measure(Metric::Projected, &settings).verdict(Margin::new(margin).unwrap()).unwrap();
        (verdict.answer, verdict.why)
    };
    // D is about mix / 2.
    let (answer, small) = why(0.1, 0.1);
    let Why::Small { margin: Some(margin), .. } = small else { panic!("{small:?}") };
    assert_eq!(answer, Answer::Unknown);
    assert!(small.to_string().contains("more transitions would not decide"), "{small}");
    assert_eq!(why(0.1, margin).0, Answer::Same);
    assert_eq!(why(0.1, margin - 0.02).0, Answer::Unknown);
    assert_eq!(why(0.1, 0.5).0, Answer::Same);
    assert_eq!(why(0.1, 0.02).0, Answer::Different);
    let (answer, between) = why(0.2, 0.1);
    assert!(answer == Answer::Unknown && matches!(between, Why::Between { .. }), "{between:?}");
}

/// A time limit that was marked as an end shows where the state goes on, even if no shared transition does.
#[test]
fn marks_that_a_row_of_one_sample_contradicts_are_told() {
    let rows = |more: bool| {
        let shared =
            (0..12u32).flat_map(|s| (0..12u32).map(move |t| (s, 0u32, t, f64::from((3 * s * s + 2 * t * s) % 7))));
        let cut = (0..12u32).map(|s| (s, 1u32, 50u32, f64::from(s % 5)));
        let rows = shared.chain(cut).chain(more.then_some((50, 2, 3, 1.0)));
        let sample = RewardSample::from_rows(rows, Duplicates::Mean).unwrap();
        let ends = sample.transitions().map(|t| t.next_state.as_int() == Some(50)).collect();
        sample.with_ends(Ends::marked(ends)).unwrap()
    };
    let answer = |a: &RewardSample, b: &RewardSample| {
        Pair::new(a, b).measure(Metric::Projected, &Settings::default()).verdict(Margin::default()).unwrap().why
    };
    assert!(matches!(answer(&rows(false), &rows(false)), Why::Close { .. }));
    assert_eq!(answer(&rows(false), &rows(true)), Why::EndsContradict);
}

#[test]
fn marks_that_are_mixed_are_the_reason_why_no_end_is_seen() {
    let rows: Vec<(u32, u32, u32)> = (0..12).flat_map(|s| (0..12).map(move |t| (s, 0, t))).collect();
    // The last state is where episodes end, in all rows that lead there, in some, or in none.
    let sample = |mixed: bool, ends: bool| {
        let mut builder = SampleBuilder::new();
        let mut marks = Vec::new();
        for &(s, a, t) in &rows {
            for again in 0..2 {
                let reward = f64::from((3 * s * s + 2 * t * s) % 7);
                builder.push(s.into(), a.into(), t.into(), reward).unwrap();
                marks.push(ends && t == 11 && !(mixed && again == 1));
            }
        }
        let (sample, placement) = builder.build_with_placement(Duplicates::Mean).unwrap();
        sample.with_row_ends(&placement, &marks).unwrap()
    };
    let why = |a: &RewardSample, b: &RewardSample| {
        Pair::new(a, b).measure(Metric::Projected, &Settings::default()).verdict(Margin::default()).unwrap().why
    };
    let mixed = sample(true, true);
    let found = why(&mixed, &mixed);
    assert_eq!(found, Why::EndsMixed { transitions: 12, between: false });
    assert!(
        found
            .to_string()
            .contains("12 transitions are marked as ends in some of their rows and not in others; mark all rows")
    );
    let found = why(&sample(false, true), &sample(false, false));
    assert_eq!(found, Why::EndsMixed { transitions: 12, between: true });
    assert_eq!(why(&sample(false, false), &sample(false, false)), Why::EndsUnseen);
}

#[test]
fn rewards_of_states_that_start_nothing_are_not_called_the_same() {
    // Next states have names of their own, as where they are written in another form: shaping explains whatever they are worth.
    let rows = (0..12u32).flat_map(|s| (0..12u32).map(move |t| (s, t)));
    let names: Vec<(String, String)> = rows.map(|(s, t)| (s.to_string(), format!("{t}.0"))).collect();
    let sample = |worth: f64, marked: bool| {
        let reward = |(at, _): (usize, &(String, String))| {
            let (s, t) = (at as u32 / 12, at as u32 % 12);
            f64::from((3 * s * s + 2 * t * s) % 7) + worth * f64::from(t * t % 5)
        };
        let rewards: Vec<f64> = names.iter().enumerate().map(reward).collect();
        let rows = names.iter().zip(&rewards).map(|((s, t), reward)| (s.as_str(), 0, t.as_str(), *reward));
        let sample = RewardSample::from_rows(rows, Duplicates::Mean).unwrap();
        let marks: Vec<bool> = sample.transitions().map(|t| marked && t.next_state.to_string() == "0.0").collect();
        sample.with_ends(Ends::marked(marks)).unwrap()
    };
    let settings = Settings { ends: EndRule::Auto, ..Settings::default() };
    let why = |a: &RewardSample, b: &RewardSample| {
        Pair::new(a, b).measure(Metric::Projected, &settings).verdict(Margin::default()).unwrap().why
    };
    let found = why(&sample(0.0, true), &sample(9.0, true));
    assert!(matches!(found, Why::NothingFollows { leading: 132, total: 132, .. }), "{found:?}");
    assert!(
        found
            .to_string()
            .contains("132 of 132 shared transitions that end no episode lead to states in which none starts"),
        "{found}"
    );
}

#[test]
fn goals_that_nobody_marked_are_not_called_the_same() {
    // A corridor with three goals at its end. Only one of them is marked as an end; the rewards of the other two have opposite signs.
    let goals = [37, 38, 39].map(|goal| (36, goal, goal));
    let mut moves: Vec<(u32, u32, u32)> =
        (0..37u32).flat_map(|s| [(s, 0, (s + 1).min(36)), (s, 1, s.saturating_sub(1))]).collect();
    moves.extend(goals);
    let sample = |signs: [f64; 3], marked: &[u32], shape: f64| {
        let phi = |s: u32| shape * f64::from(s * s % 11) * f64::from(u8::from(!marked.contains(&s)));
        let reward = |&(s, a, t): &(u32, u32, u32)| {
            let goal = if t >= 37 { 10.0 * signs[(t - 37) as usize] } else { -0.1 };
            (i64::from(s), i64::from(a), i64::from(t), goal + 0.9 * phi(t) - phi(s))
        };
        let sample = RewardSample::from_rows(moves.iter().map(reward), Duplicates::Mean).unwrap();
        let marks: Vec<bool> =
            sample.transitions().map(|t| marked.contains(&(t.next_state.as_int().unwrap() as u32))).collect();
        sample.with_ends(Ends::marked(marks)).unwrap()
    };
    let settings = Settings { ends: EndRule::Auto, ..Settings::default() };
    let verdict = |a: &RewardSample, b: &RewardSample| {
        Pair::new(a, b).measure(Metric::Projected, &settings).verdict(Margin::default()).unwrap()
    };
    let (some, all): (&[u32], &[u32]) = (&[39], &[37, 38, 39]);
    let found = verdict(&sample([1.0, -1.0, 1.0], some, 0.0), &sample([-1.0, 1.0, 1.0], some, 0.0));
    assert!(matches!(found.why, Why::NothingFollows { leading: 2, .. }), "{found:?}");
    assert!(found.why.to_string().contains("mark where episodes end (a column `terminated`)"), "{}", found.why);
    // Marked, they are told apart, and a shaped copy is the same.
    let found = verdict(&sample([1.0, -1.0, 1.0], all, 0.0), &sample([-1.0, 1.0, 1.0], all, 0.0));
    assert_eq!(found.answer, Answer::Different, "{found:?}");
    let found = verdict(&sample([1.0, -1.0, 1.0], all, 0.0), &sample([1.0, -1.0, 1.0], all, 0.5));
    assert_eq!(found.answer, Answer::Same, "{found:?}");
}
