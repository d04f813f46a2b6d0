//! Potentials that are functions of features, from outside: distances, what answers tell, what is refused.

use crate::support::swings::{GAMMA, Reward, options, swings_of, uniform};
use srrd::potential::{LeftOut, Potential};
use srrd::settings::{Discount, Support};
use srrd::sure::{Level, NoInterval};
use srrd::*;

/// Forty episodes.
fn sample(reward: Reward<'_>, potential: &dyn Fn(&[f64; 3]) -> f64, ends: bool) -> NamedSample {
    swings_of(0, 40, reward, potential, ends)
}

fn found(a: &NamedSample, b: &NamedSample, potential: Potential) -> answer::Finding {
    compare(a, b, &options(potential).question().unwrap()).unwrap().results[0]
}

const REWARD: Reward<'_> = &|_, s, a| s[0] - 0.1 * s[2] * s[2] - 0.3 * f64::from(a * a) + 0.2 * f64::from(a) * s[1];
const NOISE: Reward<'_> = &|i, _, _| uniform(900_000 + i);

#[test]
fn shaping_in_the_basis_leaves_and_other_rewards_stay_apart() {
    for ends in [false, true] {
        let plain = sample(REWARD, &|_| 0.0, ends);
        let linear = sample(&|i, s, a| 3.0 * REWARD(i, s, a), &|s| 40.0 * s[0] - 7.0 * s[2] + 5.0, ends);
        let quadratic = sample(REWARD, &|s| 4.0 * s[0] * s[2] - s[2] * s[2] + 2.0, ends);
        let other = sample(NOISE, &|s| 20.0 * s[1], ends);
        for potential in [Potential::Linear, Potential::Quadratic, Potential::Fourier(63), Potential::Auto] {
            let distance = |a, b| found(a, b, potential).distance.distance().unwrap();
            assert!(distance(&plain, &linear) < 1e-9, "{potential}");
            // In either order the same, to the bit.
            assert_eq!(distance(&plain, &other), distance(&other, &plain), "{potential}");
            if potential != Potential::Linear {
                assert!(distance(&plain, &quadratic) < 1e-9, "{potential}, {}", distance(&plain, &quadratic));
            }
            assert!((distance(&linear, &other) - 0.5f64.sqrt()).abs() < 0.1 || ends, "{potential}");
        }
        let settings =
            Settings { potential: Potential::Linear, gamma: Gamma::new(GAMMA).unwrap(), ..Settings::default() };
        let canonical = |named: &NamedSample| canonicalize(&named.sample, Metric::Projected, &settings);
        for (x, y) in canonical(&plain).into_iter().zip(canonical(&linear)) {
            assert!((3.0 * x - y).abs() < 1e-9);
        }
        // One potential per state explains everything.
        let tabular = found(&plain, &linear, Potential::Tabular);
        assert!(tabular.basis.is_none() && tabular.distance.shaping.unwrap().degrees_of_freedom < 100);
    }
}

#[test]
fn smooth_shaping_that_is_no_polynomial_leaves_with_random_functions() {
    let plain = sample(REWARD, &|_| 0.0, true);
    let smooth = sample(REWARD, &|s| 9.0 * (1.5 * s[0] + 0.3 * s[2]).sin() + 4.0 * (s[1] - 0.4 * s[2]).cos(), true);
    let of = |potential| found(&plain, &smooth, potential);
    assert!(of(Potential::Quadratic).distance.distance().unwrap() > 0.2);
    let auto = of(Potential::Auto);
    let basis = auto.basis.unwrap();
    assert!(matches!(basis.potential, Potential::Fourier(_)), "{basis:?}");
    assert!(auto.distance.distance().unwrap() < 0.01, "{:?}", auto.distance.distance());
    assert_eq!(basis.left_out, LeftOut::Episodes);
    assert!(basis.explained[1].unwrap() > 0.4, "{basis:?}");
    let shaping = auto.distance.shaping.unwrap();
    assert!(shaping.rank <= basis.functions && shaping.rank + shaping.degrees_of_freedom == 2000);
    assert_eq!(shaping.components, 40);
}

#[test]
fn moving_the_end_is_no_shaping() {
    let plain = sample(REWARD, &|_| 0.0, true);
    // γφ(s') − φ(s) where the episode ends, too: what follows the end is worth something, which changes behaviour.
    let moved = sample(REWARD, &|_| 0.0, true);
    let rows = moved.sample.transitions();
    let potential = |s: Token<'_>| 30.0 * s.as_features().unwrap()[0];
    let rewards = rows.map(|t| t.reward + GAMMA * potential(t.next_state) - potential(t.state)).collect();
    let moved = NamedSample { sample: moved.sample.with_rewards(rewards).unwrap(), ..moved };
    assert!(found(&plain, &moved, Potential::Quadratic).distance.distance().unwrap() > 0.1);
}

#[test]
fn answers_tell_the_basis() {
    let (a, b) = (sample(REWARD, &|_| 0.0, false), sample(NOISE, &|s| 5.0 * s[2], false));
    let asked = Options { interval: Some(Level::default()), chance: true, ..options(Potential::Fourier(10)) };
    let answer = compare(&a, &b, &asked.question().unwrap()).unwrap();
    let json = serde_json::to_value(&answer).unwrap();
    assert_eq!(json["potential"], "fourier:10");
    let result = &json["results"][0];
    assert_eq!(
        (&result["basis"], &result["functions"], &result["left_out"]),
        (&"fourier:10".into(), &20.into(), &"episodes".into())
    );
    assert!(result["explained"][1].as_f64().unwrap() > 0.1);
    assert_eq!(result["interval"]["undefined"], "functions_of_features");
    assert_eq!(answer.results[0].chance.unwrap().unwrap_err(), NoInterval::FunctionsOfFeatures);
    assert!(!answer.warnings.iter().any(|warning| warning.kind() == "states_hardly_repeat"));
}

#[test]
fn states_that_hardly_repeat_are_told() {
    let (a, b) = (sample(REWARD, &|_| 0.0, false), sample(NOISE, &|_| 0.0, false));
    let told = |metric, a: &NamedSample, b: &NamedSample| {
        let question = Options { metrics: vec![metric], ..Options::default() }.question().unwrap();
        let warnings = compare(a, b, &question).unwrap().warnings;
        warnings.into_iter().find(|warning| warning.kind() == "states_hardly_repeat")
    };
    let warning = told(Metric::Srrd, &a, &b).unwrap();
    assert_eq!(
        warning.say(FrontEnd::Command),
        "states hardly repeat (2,000 shared transitions start in 2,000 states): what takes states one by one sees little but direct there; \
         choose --metric projected with --potential auto, or make states coarser (fewer features, rounded)"
    );
    assert!(warning.say(FrontEnd::Python).contains("potential=\"auto\""));
    assert!(told(Metric::Direct, &a, &b).is_none());
    let grid = |k: u32| {
        let state = |s: u32| [f64::from(s % 5), f64::from(s / 5)];
        let mut builder = SampleBuilder::new();
        for i in 0..400 {
            let (s, t) = (i * 7 % 25, i * 11 % 25);
            builder
                .push(Token::features(&state(s)), (i % 4).into(), Token::features(&state(t)), f64::from(i * k % 13))
                .unwrap();
        }
        NamedSample::new("grid", builder.build(Duplicates::Mean).unwrap())
    };
    assert!(told(Metric::Srrd, &grid(3), &grid(5)).is_none());
}

#[test]
fn what_does_not_go_together_is_refused() {
    let say = |options: Options| options.question().unwrap_err().say(FrontEnd::Command);
    let asked = options(Potential::Auto);
    assert_eq!(
        say(Options { metrics: vec![Metric::Srrd], ..asked.clone() }),
        "--potential: only the metric projected has one; leave it out, or add --metric projected"
    );
    assert!(say(Options { support: Support::Own, ..asked.clone() }).contains("leave --support own out"));
    assert!(say(Options { gamma: Discount::FromData, ..asked.clone() }).starts_with("--gamma auto: "));
    let tokens = RewardSample::from_rows((0..30).map(|s| (s, 0, s + 1, f64::from(s % 4))), Duplicates::Mean).unwrap();
    let tokens = NamedSample::new("tokens", tokens);
    let problem = compare(&tokens, &tokens, &asked.question().unwrap()).unwrap_err();
    assert!(
        problem.say(FrontEnd::Command).starts_with("tokens: --potential auto: states are tokens here"),
        "{problem}"
    );
    // Who leaves the question out gets no number either.
    let settings = Settings { potential: Potential::Linear, ..Settings::default() };
    let undefined = distance(&tokens.sample, &tokens.sample, Metric::Projected, &settings).undefined();
    assert_eq!(undefined, Some(Undefined::NoFeatures));
    let wide = {
        let state = |s: usize| -> Vec<f64> { (0..100).map(|j| uniform(100 * s + j)).collect() };
        let mut builder = SampleBuilder::new();
        for s in 0..30 {
            builder.push(Token::features(&state(s)), 0.into(), Token::features(&state(s + 1)), uniform(s)).unwrap();
        }
        NamedSample::new("wide", builder.build(Duplicates::Mean).unwrap())
    };
    let problem = compare(&wide, &wide, &options(Potential::Quadratic).question().unwrap()).unwrap_err();
    assert!(problem.to_string().contains("100 feature columns make 5151 functions, more than 4096"), "{problem}");
    // Products are left out where there are too many, and with more functions than rows nothing is left.
    let none = found(&wide, &wide, Potential::Fourier(8)).distance;
    assert_eq!(none.undefined(), Some(Undefined::NoDegreesOfFreedom));
}
