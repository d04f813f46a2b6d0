use srrd::dynamics::Dynamics;
use srrd::exact::Tabular;
use srrd::trajectories::{End, Trajectories};
use srrd::{Gamma, Metric};

use super::*;
use crate::{Demonstrations, Model, ModelChoice, learn_all};

#[path = "../../tests/support/grid.rs"]
pub(super) mod grid;
use grid::{GAMMA, Grid, truth};

fn learn(walks: Trajectories, settings: &MaxEnt) -> Learned {
    let shown = Demonstrations::new([walks]).unwrap();
    learn_all(&shown, &ModelChoice::Set, settings, &|_| ()).unwrap().remove(0)
}

/// The reward of every state.
fn by_state(learned: &Learned, states: usize) -> Vec<f64> {
    let mut rewards = vec![f64::NAN; states];
    for t in learned.sample.sample.transitions() {
        rewards[t.state.to_string().parse::<usize>().unwrap()] = t.reward;
    }
    rewards
}

fn epic(grid: &Grid, a: &[f64], b: &[f64]) -> f64 {
    let n = grid.states();
    let problem = Tabular::new(vec![1.0 / n as f64; n], vec![0.25; 4]).unwrap();
    let full = |r: &[f64]| (0..n * 4 * n).map(|i| r[i / (4 * n)]).collect::<Vec<f64>>();
    problem.distance(&full(a), &full(b), Metric::Epic, Gamma::new(GAMMA).unwrap()).unwrap().distance
}

#[test]
fn rewards_are_recovered_from_many_demonstrations() {
    for (slip, seed) in [(0.0, 1), (0.1, 2)] {
        let grid = Grid { side: 5, slip };
        let reward = truth(25, seed);
        let (_, policy) = grid.soft(&reward);
        for (demonstrations, most) in [(5000, 0.05), (500, 0.1)] {
            let learned = learn(grid.walks(&policy, demonstrations, 50, seed), &MaxEnt::default());
            assert!(learned.gradient.unwrap() <= 1e-9);
            let distance = epic(&grid, &reward, &by_state(&learned, 25));
            println!("slip {slip}, {demonstrations} demonstrations: {distance:.4}, {} steps", learned.iterations);
            assert!(distance < most, "slip {slip}, {demonstrations}: {distance}");
        }
    }
}

#[test]
fn the_policy_is_that_of_plain_soft_value_iteration() {
    let grid = Grid { side: 4, slip: 0.2 };
    let (_, policy) = grid.soft(&truth(16, 3));
    let walks = grid.walks(&policy, 40, 30, 3);
    let shown = Demonstrations::new([walks]).unwrap();
    let model = Model::of_set(&shown.sets()[0]);
    let dynamics = model.dynamics();
    let task = Task::new(&shown, 0, &model).unwrap();
    // The reference: climb the likelihood with a reward of states by value iteration and the plain gradient.
    let counts = task.pair_counts();
    let mut r = vec![0.0; dynamics.states()];
    let (mut climbed, mut momentum) = (Vec::new(), vec![0.0; r.len()]);
    for _ in 0..1200 {
        let by_pair: Vec<f64> = dynamics.iter().map(|(s, _, _)| r[s as usize]).collect();
        climbed = soft::solve(&model, GAMMA, &by_pair, &vec![0.0; r.len()]).policy;
        let gradient = flow(&model, &counts, &climbed);
        for s in 0..r.len() {
            momentum[s] = 0.9 * momentum[s] + gradient[s];
            r[s] += 4e-3 * momentum[s];
        }
    }
    for reward in [RewardOf::State, RewardOf::NextState, RewardOf::StateAction] {
        let settings = MaxEnt { reward, ridge: 1e-7, ..MaxEnt::default() };
        let learned = settings.learn(&task).unwrap();
        // By pair, the mean of its rows.
        let mut pairs = vec![0.0; dynamics.pairs()];
        for ((pair, outcome), r) in task.places().zip(learned.sample.sample.rewards()) {
            let place = outcome - dynamics.outcomes_of(pair).start;
            pairs[pair] += r * dynamics.of_pair(pair).probabilities[place];
        }
        let found = soft::solve(&model, GAMMA, &pairs, &vec![0.0; dynamics.states()]);
        let reference = if reward == RewardOf::StateAction { shares(&model, &counts) } else { climbed.clone() };
        for s in 0..dynamics.states() {
            let pairs = dynamics.pairs_of(s);
            let apart: f64 = pairs.map(|pair| (found.policy[pair] - reference[pair]).abs()).sum::<f64>() / 2.0;
            assert!(apart < 1e-3, "{reward:?}, state {s}: {apart}");
        }
    }
}

fn shares(model: &Model<'_>, counts: &[f64]) -> Vec<f64> {
    let dynamics = model.dynamics();
    (0..dynamics.states())
        .flat_map(|s| {
            let total: f64 = counts[dynamics.pairs_of(s)].iter().sum();
            dynamics.pairs_of(s).map(move |pair| counts[pair] / total)
        })
        .collect()
}

/// The gradient of the likelihood by the rewards of states: what is demonstrated more than chosen, and all that follows from it.
fn flow(model: &Model<'_>, counts: &[f64], policy: &[f64]) -> Vec<f64> {
    let dynamics = model.dynamics();
    let mut more = vec![0.0; dynamics.pairs()];
    for s in 0..dynamics.states() {
        let total: f64 = counts[dynamics.pairs_of(s)].iter().sum();
        dynamics.pairs_of(s).for_each(|pair| more[pair] = counts[pair] - total * policy[pair]);
    }
    let mut arriving = vec![0.0; dynamics.states()];
    let mut gradient = vec![0.0; dynamics.states()];
    for _ in 0..150 {
        let mut next = vec![0.0; dynamics.states()];
        gradient.fill(0.0);
        for s in 0..dynamics.states() {
            for pair in dynamics.pairs_of(s) {
                let flow = more[pair] + policy[pair] * arriving[s];
                gradient[s] += flow;
                dynamics.of_pair(pair).iter().for_each(|(t, p)| next[t] += GAMMA * p * flow);
            }
        }
        arriving = next;
    }
    gradient
}

#[test]
fn standard_errors_hold_what_they_promise() {
    let grid = Grid { side: 4, slip: 0.1 };
    let reward = truth(16, 8);
    let (values, policy) = grid.soft(&reward);
    let settings = MaxEnt { std_errors: true, ridge: 1e-6, ..MaxEnt::default() };
    // The true dynamics are given, so that nothing but choices is uncertain.
    let rows = (0..16usize).flat_map(|s| (0..4usize).map(move |a| (s, a)));
    let rows =
        rows.flat_map(|(s, a)| grid.outcomes(s, a).into_iter().map(move |(t, p)| (s as u32, a as u32, t as u32, p)));
    let given = srrd::RewardSample::from_rows(rows, srrd::Duplicates::Error).unwrap();
    let (mut within, mut all) = (0, 0);
    for seed in 0..300 {
        let shown = Demonstrations::new([grid.walks(&policy, 20, 40, seed)]).unwrap();
        let choice = ModelChoice::Given(Box::new(given.clone()));
        let Ok(mut learned) = learn_all(&shown, &choice, &settings, &|_| ()) else { panic!("seed {seed}") };
        let learned = learned.remove(0);
        // All directions are identified but a shift of all values, which moves all rewards alike.
        let mean = values.iter().sum::<f64>() / 16.0;
        for (t, error) in learned.sample.sample.transitions().zip(learned.std_errors.as_ref().unwrap()) {
            let state: usize = t.state.to_string().parse().unwrap();
            let expected = reward[state] - (1.0 - GAMMA) * mean;
            within += usize::from((t.reward - expected).abs() <= 1.96 * error);
            all += 1;
        }
    }
    let share = within as f64 / all as f64;
    println!("{:.1} % of true rewards within 95 % intervals", 100.0 * share);
    assert!((0.90..=0.98).contains(&share), "{share}");
}

#[test]
fn draws_spread_as_standard_errors_say() {
    let grid = Grid { side: 4, slip: 0.0 };
    let (_, policy) = grid.soft(&truth(16, 4));
    for reward in [RewardOf::State, RewardOf::NextState, RewardOf::StateAction] {
        let settings = MaxEnt { reward, std_errors: true, draws: 400, ..MaxEnt::default() };
        let learned = learn(grid.walks(&policy, 200, 40, 4), &settings);
        let errors = learned.std_errors.unwrap();
        for (row, (r, error)) in learned.sample.sample.rewards().iter().zip(&errors).enumerate() {
            let square = learned.draws.iter().map(|draw| (draw[row] - r).powi(2)).sum::<f64>() / 400.0;
            assert!((0.8..1.25).contains(&(square.sqrt() / error)), "{reward:?} {row}: {} {error}", square.sqrt());
        }
    }
}

#[test]
fn nothing_follows_an_end() {
    // Two doors: behind one the episode ends, behind the other it goes on to a choice.
    let mut builder = Trajectories::builder();
    for turn in ["out", "on", "on"] {
        if turn == "out" {
            builder.push_episode(&["hall", "door"], &["out"], None, End::Terminated).unwrap();
        } else {
            for last in ["a", "b"] {
                builder.push_episode(&["hall", "room", last], &["on", last], None, End::Terminated).unwrap();
            }
        }
    }
    let shown = Demonstrations::new([builder.build()]).unwrap();
    let settings = MaxEnt { ridge: 1e-8, ..MaxEnt::default() };
    let learned = learn_all(&shown, &ModelChoice::Set, &settings, &|_| ()).unwrap().remove(0);
    let sample = &learned.sample.sample;
    let reward = |state: &str| sample.transitions().find(|t| t.state == state.into()).unwrap().reward;
    // "on" was taken four times, "out" once: γ V(room) = log 4, V(room) = r(room) + log 2.
    assert!((reward("room") - (4f64.ln() / 0.9 - 2f64.ln())).abs() < 1e-5);
    assert_eq!(sample.ends().count(sample.len()), Some(3));
}

#[test]
fn linear_rewards_get_their_weights_back() {
    let grid = Grid { side: 5, slip: 0.1 };
    let reward: Vec<f64> = (0..25).map(|s| 0.4 * (s % 5) as f64 - 0.2 * (s / 5) as f64).collect();
    let (_, policy) = grid.soft(&reward);
    let plain = grid.walks(&policy, 200, 50, 5);
    let mut builder = Trajectories::builder().state_features(["x", "y"]);
    let places: Vec<[f64; 2]> = (0..25).map(|s| [(s % 5) as f64, (s / 5) as f64]).collect();
    let id = |token: srrd::Token<'_>| token.to_string().parse::<usize>().unwrap();
    for episode in plain.episodes() {
        let states: Vec<srrd::Token<'_>> =
            episode.states().iter().map(|&s| srrd::Token::features(&places[id(plain.states().token(s))])).collect();
        builder.push_episode(&states, episode.actions(), None, End::Truncated).unwrap();
    }
    let walks = builder.build();
    for of in [RewardOf::State, RewardOf::NextState] {
        let settings = MaxEnt { form: Form::Linear, reward: of, std_errors: true, ..MaxEnt::default() };
        let learned = learn(walks.clone(), &settings);
        assert!(learned.gradient.unwrap() <= 1e-9, "{:?}", learned.gradient);
        let slopes = |step: [f64; 2]| {
            let value = |at: [f64; 2]| {
                let has = |t: &srrd::Transition<'_>| {
                    let token = if of == RewardOf::State { t.state } else { t.next_state };
                    token.as_features() == Some(&at[..])
                };
                learned.sample.sample.transitions().find(has).unwrap().reward
            };
            value([2.0 + step[0], 2.0 + step[1]]) - value([2.0, 2.0])
        };
        assert!((slopes([1.0, 0.0]) - 0.4).abs() < 0.05, "{of:?} {}", slopes([1.0, 0.0]));
        assert!((slopes([0.0, 1.0]) + 0.2).abs() < 0.05, "{of:?} {}", slopes([0.0, 1.0]));
        assert!(learned.std_errors.unwrap().iter().all(|error| *error > 0.0 && *error < 0.2));
    }
    // A net finds what is linear, too: the same order of rewards.
    let settings = MaxEnt { form: Form::Mlp, patience: Patience::new(300), ..MaxEnt::default() };
    let [net, line] = [settings, MaxEnt { form: Form::Linear, ..MaxEnt::default() }].map(|s| learn(walks.clone(), &s));
    let alike = srrd::compare::pearson(net.sample.sample.rewards(), line.sample.sample.rewards()).unwrap();
    assert!(alike.correlation > 0.95, "{}", alike.correlation);
    let free = MaxEnt { form: Form::Linear, ..MaxEnt::default() };
    let shown = Demonstrations::new([plain]).unwrap();
    let problem = learn_all(&shown, &ModelChoice::Set, &free, &|_| ()).unwrap_err();
    assert!(matches!(problem, Problem::NoFeatures { .. }));
}

#[test]
fn what_tells_nothing_is_refused() {
    let mut builder = Trajectories::builder();
    builder.push_episode(&["a", "b", "c"], &["go", "go"], None, End::Terminated).unwrap();
    let shown = Demonstrations::new([builder.build().named("one way", None)]).unwrap();
    let problem = learn_all(&shown, &ModelChoice::Set, &MaxEnt::default(), &|_| ()).unwrap_err();
    assert_eq!(problem, Problem::NoChoice { set: "one way".to_owned() });
    let mut builder = Trajectories::builder();
    builder.push_episode(&["a", "b"], &["left"], None, End::Terminated).unwrap();
    builder.push_episode(&["a", "c"], &["right"], None, End::Terminated).unwrap();
    let shown = Demonstrations::new([builder.build()]).unwrap();
    let problem = learn_all(&shown, &ModelChoice::Set, &MaxEnt::default(), &|_| ()).unwrap_err();
    assert_eq!(problem, Problem::OneStep { set: String::new() });
    let given = srrd::RewardSample::from_rows([("a", "left", "b", 1.0)], srrd::Duplicates::Error).unwrap();
    let choice = ModelChoice::Given(Box::new(given));
    let problem = learn_all(&shown, &choice, &MaxEnt::default(), &|_| ()).unwrap_err();
    assert!(problem.to_string().contains("a by right to c is not in the transition model"), "{problem}");
}

#[test]
fn sets_of_other_models_see_the_actions_of_all() {
    let grid = Grid { side: 4, slip: 0.0 };
    let (_, policy) = grid.soft(&truth(16, 6));
    let sets: Vec<Trajectories> =
        (0..6).map(|seed| grid.walks(&policy, 3, 30, seed).named(seed.to_string(), None)).collect();
    let shown = Demonstrations::new(sets).unwrap();
    let own = learn_all(&shown, &ModelChoice::Set, &MaxEnt::default(), &|_| ()).unwrap();
    let pooled = learn_all(&shown, &ModelChoice::Pooled, &MaxEnt::default(), &|_| ()).unwrap();
    assert_ne!(own[0].sample.sample.rewards(), pooled[0].sample.sample.rewards());
    // What is counted from all can be given.
    let model = Model::pooled(&shown);
    let rows = |(s, a, ahead): (u32, u32, srrd::dynamics::Outcomes<'_>)| {
        let token = |id| model.states().token(id).to_string().parse::<u32>().unwrap();
        let action = model.actions().token(a).to_string().parse::<u32>().unwrap();
        ahead.iter().map(|(t, p)| (token(s), action, token(t as u32), p)).collect::<Vec<_>>()
    };
    let dynamics: &Dynamics = model.dynamics();
    let given = srrd::RewardSample::from_rows(dynamics.iter().flat_map(rows), srrd::Duplicates::Error).unwrap();
    let given = learn_all(&shown, &ModelChoice::Given(Box::new(given)), &MaxEnt::default(), &|_| ()).unwrap();
    for (one, other) in pooled.iter().zip(&given) {
        assert_eq!(one.sample.sample.rewards(), other.sample.sample.rewards());
    }
}

#[test]
fn traces_show_how_rewards_settle() {
    let grid = Grid { side: 5, slip: 0.1 };
    let (_, policy) = grid.soft(&truth(25, 7));
    let patience = Patience { trace: true, ..Patience::new(50) };
    let learned = learn(grid.walks(&policy, 30, 30, 7), &MaxEnt { patience, ..MaxEnt::default() });
    assert_eq!(learned.trace.len(), learned.iterations);
    assert!(learned.trace[0].distance.is_none());
    let distances: Vec<f64> = learned.trace[1..].iter().map(|iterate| iterate.distance.unwrap()).collect();
    assert!(distances.last().unwrap() < &1e-4 && distances[0] > 1e-3, "{distances:?}");
    let patience = Patience { distance: Some(0.05), ..Patience::new(50) };
    let early = learn(grid.walks(&policy, 30, 30, 7), &MaxEnt { patience, ..MaxEnt::default() });
    assert!(early.iterations < learned.iterations && early.trace.is_empty());
}

#[test]
fn with_a_horizon_states_are_visited_as_often_as_demonstrated() {
    const STEPS: usize = 20;
    let grid = Grid { side: 5, slip: 0.0 };
    let (_, policy) = grid.soft(&truth(25, 9));
    let shown = Demonstrations::new([grid.walks(&policy, 300, STEPS, 9)]).unwrap();
    let settings = MaxEnt { horizon: Some(STEPS), gamma: Gamma::new(1.0).unwrap(), ridge: 1e-6, ..MaxEnt::default() };
    let learned = learn_all(&shown, &ModelChoice::Set, &settings, &|_| ()).unwrap().remove(0);
    assert!(learned.gradient.unwrap() <= 1e-6 && learned.cautions.is_empty(), "{learned:?}");
    let reward = by_state(&learned, 25);
    // Plain soft values by time left, and where walks that start alike go then.
    let mut values = vec![0.0; 25];
    let mut policies = Vec::new();
    for _ in 0..STEPS {
        let q = |s: usize, a: usize| reward[s] + values[grid.outcomes(s, a)[0].0];
        let next: Vec<f64> = (0..25).map(|s| (0..4).map(|a| q(s, a).exp()).sum::<f64>().ln()).collect();
        policies.push((0..25).map(|s| [0, 1, 2, 3].map(|a| (q(s, a) - next[s]).exp())).collect::<Vec<_>>());
        values = next;
    }
    policies.reverse();
    let walks = shown.sets()[0].trajectories();
    let id = |s: u32| walks.states().token(s).to_string().parse::<usize>().unwrap();
    let (mut demonstrated, mut expected, mut here) = (vec![0.0; 25], vec![0.0; 25], vec![0.0; 25]);
    for episode in walks.episodes() {
        here[id(episode.states()[0])] += 1.0;
        episode.states()[..STEPS].iter().for_each(|&s| demonstrated[id(s)] += 1.0);
    }
    for policy in &policies {
        let mut next = vec![0.0; 25];
        for s in 0..25 {
            expected[s] += here[s];
            (0..4).for_each(|a| next[grid.outcomes(s, a)[0].0] += here[s] * policy[s][a]);
        }
        here = next;
    }
    for s in 0..25 {
        let apart = (demonstrated[s] - expected[s]) / (300.0 * STEPS as f64);
        assert!(apart.abs() < 1e-3, "{s}: {apart}");
    }
}

/// What `imitation` asks for, at the size where it takes seconds: visits per walk as demonstrated, to 1e-3.
#[test]
fn visits_agree_on_a_long_horizon() {
    const STEPS: usize = 50;
    let grid = Grid { side: 10, slip: 0.0 };
    let (_, policy) = grid.soft(&truth(100, 4));
    let shown = Demonstrations::new([grid.walks(&policy, 200, STEPS, 4)]).unwrap();
    let settings = MaxEnt { horizon: Some(STEPS), gamma: Gamma::new(1.0).unwrap(), ridge: 1e-6, ..MaxEnt::default() };
    let learned = learn_all(&shown, &ModelChoice::Set, &settings, &|_| ()).unwrap().remove(0);
    // The slope is what visits are off, plus the ridge; per step of all walks. 1e-3 per walk of 50 steps is 2e-5.
    assert!(learned.gradient.unwrap() <= 1e-9 && learned.cautions.is_empty(), "{learned:?}");
    assert!(learned.iterations < 60, "{}", learned.iterations);
}
