//! Two samples in one space that share no transitions: each reward is predicted where the other was sampled.

use crate::support::swings::{Reward, options, swings_of};
use srrd::compare::Undefined;
use srrd::potential::Potential;
use srrd::settings::Support;
use srrd::sure::Level;
use srrd::verdict::Answer;
use srrd::*;

/// Three things to want of a pendulum.
const WANTED: [Reward<'_>; 3] = [
    &|_, s, a| s[0] - 0.1 * s[2] * s[2] - 0.3 * f64::from(a * a) + 0.2 * f64::from(a) * s[1],
    &|_, s, a| (2.0 * s[1]).tanh() * (1.0 + 0.5 * f64::from(a)),
    &|_, s, a| -f64::from(a * a) + 0.2 * f64::from(a) * s[2],
];

const EPISODES: usize = 20;

/// A potential that no basis holds: a net with one layer, or a distance.
fn foreign(number: usize) -> impl Fn(&[f64; 3]) -> f64 {
    move |s| match number % 3 {
        0 => 0.0,
        1 => 9.0 * ((1.3 * s[0] - 0.4 * s[2]).tanh() - (0.9 * s[1] + 0.2 * s[2] + 0.3).tanh()),
        _ => 7.0 * ((s[0] - 0.6).powi(2) + (s[1] + 0.2).powi(2) + (0.4 * s[2] - 0.5).powi(2)).sqrt(),
    }
}

fn sampled(wanted: usize, potential: usize, first: usize) -> NamedSample {
    let (reward, foreign) = (WANTED[wanted], foreign(potential));
    swings_of(first, EPISODES, &|i, s, a| [1.0, 2.5][potential % 2] * reward(i, s, a), &foreign, true)
}

fn ask(a: &NamedSample, b: &NamedSample, options: &Options) -> answer::Comparison {
    compare(a, b, &options.question().unwrap()).unwrap()
}

#[test]
fn equivalent_rewards_are_closer_than_others_without_a_shared_transition() {
    let options = Options { interval: Some(Level::default()), verdict: true, ..options(Potential::Fourier(64)) };
    let (mut same, mut other) = (Vec::new(), Vec::new());
    for i in 0..WANTED.len() {
        let a = sampled(i, 0, 0);
        for (j, &wanted) in WANTED.iter().enumerate().skip(i) {
            let b = sampled(j, i + j + 1, 1000);
            let found = ask(&a, &b, &options);
            assert_eq!(found.common, 0);
            let finding = &found.results[0];
            let predicted = finding.predicted.unwrap();
            assert!(predicted.overlap.iter().all(|share| *share > 0.8), "{predicted:?}");
            let (distance, range) = (finding.distance.distance().unwrap(), finding.interval.unwrap().unwrap().range);
            assert!(range.holds(distance) && range.high < 1.0);
            // The truth, on transitions that both judge.
            let shared = [sampled(i, 0, 0), swings_of(0, EPISODES, wanted, &|_| 0.0, true)];
            let truth = ask(&shared[0], &shared[1], &options).results[0].distance.distance().unwrap();
            assert!(range.holds(truth) || truth < 1e-3 && range.low == 0.0, "{i} {j}: {truth} {range:?}");
            let answer = found.verdict.unwrap().answer;
            assert_ne!(answer, if i == j { Answer::Different } else { Answer::Same }, "{i} {j}");
            if i == j { same.push(distance) } else { other.push(distance) }
        }
    }
    let ordered = same.iter().flat_map(|s| other.iter().map(move |o| f64::from(u8::from(s < o)))).sum::<f64>();
    let auc = ordered / (same.len() * other.len()) as f64;
    assert!(auc == 1.0, "{auc}: {same:?} {other:?}");
}

#[test]
fn predictions_are_asked_for_where_transitions_are_shared_and_told_in_files() {
    let (a, b) = (sampled(0, 0, 0), sampled(0, 1, 0));
    let asked = Options { support: Support::Space, ..options(Potential::Quadratic) };
    let there = ask(&a, &b, &asked);
    assert_eq!(there.common, 1000);
    let json = serde_json::to_value(&there).unwrap();
    let result = &json["results"][0];
    assert_eq!((json["support"].as_str(), result["basis"].as_str()), (Some("space"), Some("quadratic")));
    assert!(
        result["skill"][1].as_f64().unwrap() > 0.8 && result["predicted_on"][0].as_u64().unwrap() > 750,
        "{result}"
    );
    // In either order the same, to the bit.
    let back = ask(&b, &a, &asked);
    assert_eq!(there.results[0].distance.distance(), back.results[0].distance.distance());
    let shared = ask(&a, &b, &options(Potential::Quadratic));
    assert!(shared.results[0].predicted.is_none());
    let tabular = Options { support: Support::Space, potential: Potential::Tabular, ..options(Potential::Linear) };
    let said = tabular.question().unwrap_err().say(FrontEnd::Command);
    assert_eq!(
        said,
        "--support space: rewards are predicted from feature columns, and so are potentials then; add --potential auto"
    );
}

#[test]
fn what_cannot_be_predicted_is_refused() {
    let why = |a: &NamedSample, b: &NamedSample| {
        let found = ask(a, b, &options(Potential::Linear));
        found.results[0].distance.undefined().unwrap()
    };
    let a = sampled(0, 0, 0);
    let noise = swings_of(1000, EPISODES, &|i, _, _| crate::support::swings::uniform(77_000 + i) - 0.5, &|_| 0.0, true);
    assert_eq!(why(&a, &noise), Undefined::Unpredictable);
    let few = swings_of(1000, 9, WANTED[0], &|_| 0.0, true);
    assert_eq!(why(&a, &few), Undefined::FewEpisodes);
    // The same swings far away: no transition of one lies where the other has been.
    let far = a.sample.transitions().map(|t| {
        let [s, n] =
            [t.state, t.next_state].map(|state| state.as_features().unwrap().iter().map(|v| v + 50.0).collect());
        (s, t.action.as_int().unwrap(), n, t.reward)
    });
    let mut builder = SampleBuilder::new();
    for (s, a, n, reward) in far.collect::<Vec<(Vec<f64>, i64, Vec<f64>, f64)>>() {
        builder.push(Token::features(&s), a.into(), Token::features(&n), reward).unwrap();
    }
    let far = NamedSample { sample: builder.build(Duplicates::Mean).unwrap(), ..a.clone() };
    assert_eq!(why(&a, &far), Undefined::NoOverlap);
    // Whoever asks without functions of features is told of them.
    let plain = compare(&a, &sampled(0, 1, 1000), &Options::default().question().unwrap()).unwrap();
    let warning = plain.warnings.iter().find(|warning| warning.kind() == "in_one_space").unwrap();
    assert_eq!(
        warning.say(FrontEnd::Command),
        "0 transitions are shared, and states hardly repeat, but both samples lie in one space of features: --metric projected with \
         --potential auto predicts each reward where the other was sampled"
    );
}
