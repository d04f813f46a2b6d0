//! What `projected` says does not depend on the units of rewards, however small or large.

use proptest::prelude::*;
use srrd::compare::Correlation;
use srrd::project::Projection;
use srrd::settings::EndRule;
use srrd::settings::Support;
use srrd::sure::{ChanceSettings, Draws, IntervalSettings};
use srrd::*;

fn rewards(sample: &RewardSample, factor: f64) -> RewardSample {
    sample.with_rewards(sample.rewards().iter().map(|reward| reward * factor).collect()).unwrap()
}

/// A sample, a shaped copy, and another reward on the same transitions, which some parts share and some states end.
fn samples(seed: u32, gamma: f64) -> [RewardSample; 3] {
    let mix = |n: u32| f64::from((n ^ seed).wrapping_mul(2_654_435_761).rotate_left(13) % 10_007) / 10_007.0;
    let pairs = (0..14u32).flat_map(|s| [1, 4, 9].map(|step| (s, (s + step) % 16)));
    let rows: Vec<(u32, u32, u32)> = pairs.flat_map(|(s, t)| (0..1 + (s + t) % 2).map(move |a| (s, a, t))).collect();
    let make = |reward: &dyn Fn(u32, u32, u32) -> f64| {
        RewardSample::from_rows(rows.iter().map(|&(s, a, t)| (s, a, t, reward(s, a, t))), Duplicates::Mean).unwrap()
    };
    let plain = |s, a, t| mix(s * 331 + a * 17 + t) - 0.4;
    let potential = |s: u32| 5.0 * mix(9000 + s);
    [
        make(&plain),
        make(&|s, a, t| plain(s, a, t) + gamma * potential(t) - potential(s)),
        make(&|s, a, t| 0.5 * plain(s, a, t) + mix(5000 + s * 331 + a * 17 + t)),
    ]
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-12
}

#[test]
fn a_tiny_shaped_copy_is_a_shaped_copy() {
    let [plain, shaped, _] = samples(3, 0.9);
    for factor in [1.0, 1e-160, 1e-200, 1e-300, 1e120] {
        let found =
            distance(&rewards(&plain, factor), &rewards(&shaped, factor), Metric::Projected, &Settings::default());
        assert!(found.distance().unwrap() < 1e-13, "{factor}: {found:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn powers_of_two_change_nothing(
        seed in 0..1000u32, gamma in prop_oneof![Just(0.0), Just(0.9), Just(1.0), 0.0..1.0f64],
        exponents in (-1000..=400i32, -1000..=400i32),
    ) {
        let [plain, shaped, other] = samples(seed, gamma);
        let factors = [2f64.powi(exponents.0), 2f64.powi(exponents.1)];
        let gamma = Gamma::new(gamma).unwrap();
        for second in [&shaped, &other] {
            let (a, b) = (rewards(&plain, factors[0]), rewards(second, factors[1]));
            for support in [Support::Pair, Support::Own] {
                for &correlation in Correlation::ALL {
                    let settings = Settings { gamma, support, correlation, ..Settings::default() };
                    let of = |a, b| distance(a, b, Metric::Projected, &settings);
                    let (found, expected) = (of(&a, &b), of(&plain, second));
                    prop_assert_eq!(found.shaping, expected.shaping);
                    match (found.distance(), expected.distance()) {
                        (Some(found), Some(expected)) => prop_assert!(close(found, expected), "{found} {expected}"),
                        (found, expected) => prop_assert_eq!(found, expected),
                    }
                }
            }
        }
        let settings = Settings { gamma, ends: EndRule::None, ..Settings::default() };
        let (a, b) = (rewards(&plain, factors[0]), rewards(&other, factors[1]));

        let how = IntervalSettings::default();
        let of = |a, b| Pair::new(a, b).measure(Metric::Projected, &settings).interval(&how).map(|found| found.range);
        match (of(&a, &b), of(&plain, &other)) {
            (Ok(found), Ok(expected)) => prop_assert!(close(found.low, expected.low) && close(found.high, expected.high)),
            (found, expected) => prop_assert_eq!(found, expected),
        }

        let how = ChanceSettings { draws: Draws::new(100).unwrap(), ..ChanceSettings::default() };
        let of = |a, b| Pair::new(a, b).measure(Metric::Projected, &settings).chance(&how).map(|found| found.p);
        match (of(&a, &b), of(&plain, &other)) {
            (Ok(found), Ok(expected)) => prop_assert!(close(found, expected)),
            (found, expected) => prop_assert_eq!(found, expected),
        }

        let of = |a, b| Pair::new(a, b).measure(Metric::Projected, &settings).explanation().unwrap().transitions;
        for (found, expected) in of(&a, &b).iter().zip(&of(&plain, &other)) {
            prop_assert!(close(found.share, expected.share));
        }

        let (found, expected) = (estimate_gamma(&[&a, &b]), estimate_gamma(&[&plain, &other]));
        prop_assert!((found.gamma.get() - expected.gamma.get()).abs() < 1e-9, "{found:?} {expected:?}");
        prop_assert!((found.low - expected.low).abs() < 1e-9 && (found.high - expected.high).abs() < 1e-9);
        prop_assert_eq!(found.degrees_of_freedom, expected.degrees_of_freedom);
    }

    /// To the last bit, as long as the residuals themselves are not too small to have all of theirs.
    #[test]
    fn residuals_scale_exactly(seed in 0..1000u32, gamma in 0.0..=1.0f64, exponent in -880..=400i32) {
        let [_, shaped, _] = samples(seed, gamma);
        let projection = Projection::new(&shaped, Gamma::new(gamma).unwrap());
        let factor = 2f64.powi(exponent);
        let expected: Vec<f64> = projection.residual(shaped.rewards()).iter().map(|left| left * factor).collect();
        prop_assert_eq!(projection.residual(rewards(&shaped, factor).rewards()), expected);
    }
}
