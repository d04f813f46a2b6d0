//! The regressed estimator: its sums against literal loops, its models against literal fits and published implementations.

use crate::support::literal::{Estimation, predicting};
use crate::support::*;
use proptest::prelude::*;
use srrd::batch::BatchSet;
use srrd::compare::common_transitions;
use srrd::metric::CanonicalForm;
use srrd::settings::{Actions, Batch, Estimator, Regression, TreeLimits};
use srrd::*;
use std::collections::BTreeSet;

const REGRESSIONS: usize = 4;

fn regression(index: usize) -> Regression {
    match index {
        0 => Regression::Linear,
        1 => Regression::Tree(TreeLimits::default()),
        2 => Regression::Tree(TreeLimits::new(20, 1).unwrap()),
        _ => Regression::Tree(TreeLimits::new(2, 3).unwrap()),
    }
}

/// Features of 12 states and 3 actions: random numbers, a grid (many equal ones), or with columns that say nothing new.
#[derive(Clone, Debug)]
struct World {
    states: Vec<Vec<f64>>,
    actions: Option<Vec<Vec<f64>>>,
}

fn world() -> impl Strategy<Value = World> {
    let random = (1..4usize).prop_flat_map(|k| prop::collection::vec(prop::collection::vec(-3.0..3.0f64, k), 12));
    let states = prop_oneof![
        random,
        (2..5u32).prop_map(|side| (0..12).map(|x| vec![f64::from(x % side), f64::from(x / side)]).collect()),
        (2..5u32).prop_map(|side| {
            (0..12).map(|x| vec![f64::from(x % side), 7.5, f64::from(x / side), 2.0 * f64::from(x % side)]).collect()
        }),
    ];
    let actions = prop::option::of(prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 2), 3));
    (states, actions).prop_map(|(states, actions)| World { states, actions })
}

fn featured(rows: &[Row], world: &World) -> RewardSample {
    let mut builder = SampleBuilder::new();
    for &(s, a, t, r) in rows {
        let action = match &world.actions {
            Some(features) => Token::features(&features[a as usize]),
            None => Token::from(a),
        };
        let state = |x: u32| Token::features(&world.states[x as usize]);
        builder.push(state(s), action, state(t), r).unwrap();
    }
    builder.build(Duplicates::Error).unwrap()
}

/// The transitions by the sample's own ids.
fn id_rows(sample: &RewardSample) -> Vec<Row> {
    let state = |token| sample.states().find(token).unwrap();
    (sample.transitions())
        .map(|t| (state(t.state), sample.actions().find(t.action).unwrap(), state(t.next_state), t.reward))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn canonical_rewards_equal_the_definition(
        rows in rows(), world in world(), which in 0..REGRESSIONS,
        gamma in prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64],
        kept in prop::collection::vec(any::<bool>(), 12), kept_pairs in prop::collection::vec(any::<bool>(), 36),
        everything in any::<bool>(),
    ) {
        let sample = featured(&rows, &world).with_regression(regression(which)).unwrap();
        let (states, actions) = (sample.states().len() as u32, sample.actions().len() as u32);
        let some_states: BTreeSet<u32> = (0..states).filter(|&x| everything || kept[x as usize]).collect();
        let some_pairs: BTreeSet<(u32, u32)> = (0..states)
            .flat_map(|x| (0..actions).map(move |u| (x, u)))
            .filter(|&(x, u)| everything || kept_pairs[(x * 3 + u) as usize])
            .collect();
        let rows = id_rows(&sample);
        let (state, action) = (|x: u32| sample.states().token(x), |u: u32| sample.actions().token(u));
        for (estimation, actions) in
            [(Estimation::Marginal(some_states), Actions::Marginal), (Estimation::Joint(some_pairs), Actions::Joint)]
        {
            let batch = match (&estimation, everything) {
                (_, true) => BatchSet::all(&sample, actions),
                (Estimation::Marginal(batch), _) => BatchSet::states(&sample, batch.iter().map(|&x| state(x))),
                (Estimation::Joint(batch), _) => {
                    BatchSet::pairs(&sample, batch.iter().map(|&(x, u)| (state(x), action(u))))
                }
                (Estimation::Unbiased, _) => unreachable!(),
            };
            let prediction = sample.prediction(actions).unwrap();
            for metric in Metric::PAPER {
                let found = CanonicalForm::with_batch(&sample, metric, &batch).at(Gamma::new(gamma).unwrap());
                let expected =
                    predicting(&rows, metric, gamma, &estimation, &|x, u, y| prediction.reward(x, u, y));
                assert_close(&found, &expected, &format!("{metric} {estimation:?} {:?}", sample.regression()));
            }
        }
    }

    #[test]
    fn a_linear_reward_is_canonicalized_as_if_all_of_it_had_been_sampled(
        states in prop::collection::vec(prop::collection::vec(-3.0..3.0f64, 2), 12),
        weights in prop::collection::vec(-2.0..2.0f64, 5), chosen in prop::collection::vec(any::<bool>(), 144),
        gamma in 0.0..1.0f64,
    ) {
        let world = World { states, actions: None };
        let reward = |s: u32, t: u32| {
            let (x, y) = (&world.states[s as usize], &world.states[t as usize]);
            weights[0] + weights[1] * x[0] + weights[2] * x[1] + weights[3] * y[0] + weights[4] * y[1]
        };
        let every = (0..12u32).flat_map(|s| (0..12u32).map(move |t| (s, 0, t, reward(s, t))));
        let full = featured(&every.clone().collect::<Vec<_>>(), &world);
        // From every state two transitions at least, which tell all features apart.
        let kept = |&(s, _, t, _): &Row| t == (s + 1) % 12 || t == (s + 5) % 12 || chosen[(s * 12 + t) as usize];
        let some = featured(&every.filter(kept).collect::<Vec<_>>(), &world).with_regression(Regression::Linear).unwrap();
        let settings = settings(gamma, MARGINAL);
        let (left, expected) = (canonicalize(&some, Metric::Epic, &settings), canonicalize(&full, Metric::Epic, &settings));
        for (i, j) in common_transitions(&some, &full) {
            prop_assert!((left[i as usize] - expected[j as usize]).abs() < 1e-7);
        }
    }

    #[test]
    fn least_squares_leaves_errors_that_no_feature_explains(rows in rows(), world in world()) {
        let sample = featured(&rows, &world).with_regression(Regression::Linear).unwrap();
        let prediction = sample.prediction(Actions::Joint).unwrap();
        let rows = id_rows(&sample);
        let features = |&(s, a, t, _): &Row| {
            let of = |token: Token<'_>| token.as_features().map_or(Vec::new(), <[f64]>::to_vec);
            let states = [of(sample.states().token(s)), of(sample.states().token(t))];
            [vec![1.0], states.concat(), of(sample.actions().token(a))].concat()
        };
        let mut products = vec![0.0; features(&rows[0]).len()];
        for row in &rows {
            let error = row.3 - prediction.reward(row.0, row.1, row.2);
            products.iter_mut().zip(features(row)).for_each(|(sum, x)| *sum += error * x);
        }
        prop_assert!(products.iter().all(|p| p.abs() < 1e-6), "{products:?}");
    }

    #[test]
    fn units_of_features_do_not_matter(
        rows in rows(), world in world(), which in 0..REGRESSIONS, powers in prop::collection::vec(-30..30i32, 4),
    ) {
        // Powers of two change no digit, and the order of the states stays.
        let mut scaled = world.clone();
        for state in &mut scaled.states {
            state.iter_mut().zip(&powers).for_each(|(x, &p)| *x *= 2f64.powi(p));
        }
        let canonical = |world| {
            let sample = featured(&rows, world).with_regression(regression(which)).unwrap();
            canonicalize(&sample, Metric::Srrd, &Settings::default())
        };
        assert_close(&canonical(&scaled), &canonical(&world), "scaled");
    }

    #[test]
    fn trees_are_those_that_trying_every_split_gives(rows in rows(), world in world(), which in 1..REGRESSIONS) {
        let Regression::Tree(limits) = regression(which) else { unreachable!() };
        let sample = featured(&rows, &world).with_regression(Regression::Tree(limits)).unwrap();
        let prediction = sample.prediction(Actions::Joint).unwrap();
        let of = |token: Token<'_>| token.as_features().map_or(Vec::new(), <[f64]>::to_vec);
        let features = |s: u32, a: u32, t: u32| {
            [of(sample.states().token(s)), of(sample.states().token(t)), of(sample.actions().token(a))].concat()
        };
        let known: Vec<(Vec<f64>, f64)> = id_rows(&sample).iter().map(|&(s, a, t, r)| (features(s, a, t), r)).collect();
        let states = sample.states().len() as u32;
        for s in 0..states {
            for t in 0..states {
                for a in 0..sample.actions().len() as u32 {
                    let expected = literal_tree(&known, &features(s, a, t), limits, limits.max_depth());
                    // Not a number: rounding decides.
                    prop_assert!(expected.is_nan() || (prediction.reward(s, a, t) - expected).abs() < 1e-9);
                }
            }
        }
    }
}

/// The prediction of a tree that is grown along the way of one query, trying every threshold of every feature; NaN where rewards
/// differ so little that rounding decides between splits.
fn literal_tree(known: &[(Vec<f64>, f64)], query: &[f64], limits: TreeLimits, depth: usize) -> f64 {
    let mean = |rows: &[&(Vec<f64>, f64)]| rows.iter().map(|row| row.1).sum::<f64>() / rows.len() as f64;
    let error = |rows: &[&(Vec<f64>, f64)]| rows.iter().map(|row| (row.1 - mean(rows)).powi(2)).sum::<f64>();
    let all: Vec<_> = known.iter().collect();
    let mut best: Option<(f64, usize, f64)> = None;
    let size: f64 = known.iter().map(|row| row.1 * row.1).sum();
    if depth > 0 && error(&all) > 0.0 && error(&all) < 1e-3 * size {
        return f64::NAN;
    }
    if depth > 0 && error(&all) > 1e-20 {
        for feature in 0..query.len() {
            let mut values: Vec<f64> = known.iter().map(|row| row.0[feature]).collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            for pair in values.windows(2) {
                let threshold = (pair[0] + pair[1]) / 2.0;
                let (below, above): (Vec<_>, Vec<_>) = known.iter().partition(|row| row.0[feature] <= threshold);
                if below.len().min(above.len()) < limits.min_leaf() {
                    continue;
                }
                let left = error(&below) + error(&above);
                if best.is_none_or(|(least, ..)| left < least - 1e-12 * error(&all)) {
                    best = Some((left, feature, threshold));
                }
            }
        }
    }
    match best {
        None => mean(&all),
        Some((_, feature, threshold)) => {
            let side = query[feature] <= threshold;
            let rows: Vec<_> = known.iter().filter(|row| (row.0[feature] <= threshold) == side).cloned().collect();
            literal_tree(&rows, query, limits, depth - 1)
        }
    }
}

#[test]
fn samples_without_features_are_refused() {
    let tokens = sample(&[(0, 0, 1, 1.0), (1, 0, 0, 2.0)]);
    let error = tokens.with_regression(Regression::Linear).unwrap_err();
    assert_eq!(error, SampleError::NoFeatures { state: "0".to_owned() });
    assert_eq!(error.to_string(), "the state 0 has no numeric features to predict rewards from");
    // One state without features among others.
    let mixed = RewardSample::from_rows(
        [(Token::features(&[1.0]), 0, Token::text("end"), 1.0), (Token::features(&[2.0]), 0, Token::text("end"), 1.0)],
        Duplicates::Mean,
    );
    let error = mixed.unwrap().with_regression(Regression::Tree(TreeLimits::default())).unwrap_err();
    assert_eq!(error, SampleError::NoFeatures { state: "end".to_owned() });
}

#[test]
fn predictions_are_those_of_scikit_learn() {
    // States on a grid of 5 columns, with the features column and row / 2. Predictions of scikit-learn 1.9.1: LinearRegression,
    // and DecisionTreeRegressor with max_depth and min_samples_leaf (the same for any random_state).
    #[rustfmt::skip]
    let rows = [
        (1, 1, -6.999), (1, 6, 4.545), (1, 8, -5.048), (1, 13, 0.571), (1, 14, 7.767), (1, 19, -3.533), (3, 0, 2.885),
        (3, 1, -6.696), (3, 3, 6.995), (3, 6, 3.603), (3, 8, -2.803), (3, 9, -3.978), (3, 13, 0.225), (3, 14, 9.278),
        (3, 15, 4.002), (3, 16, -3.382), (9, 3, 4.424), (9, 5, -4.063), (9, 10, 3.324), (9, 12, 1.292), (9, 17, 0.571),
        (9, 18, 10.877), (11, 1, -0.994), (11, 3, 2.732), (11, 8, 3.902), (11, 9, -6.062), (11, 14, 2.541),
        (11, 16, -2.216), (13, 0, 6.747), (13, 1, 0.982), (13, 5, -1.371), (13, 6, -4.925), (13, 8, 6.256),
        (13, 11, 8.793), (13, 13, -4.509), (13, 14, 2.177), (13, 18, 6.863), (13, 19, 9.321), (19, 0, 3.053),
        (19, 5, 4.792), (19, 7, 0.106), (19, 12, 9.56), (19, 13, -0.519), (19, 18, 2.304),
    ];
    let states: Vec<Vec<f64>> = (0..20).map(|x| vec![f64::from(x % 5), f64::from(x / 5) / 2.0]).collect();
    let rows: Vec<Row> = rows.iter().map(|&(s, t, r)| (s, 0, t, r)).collect();
    let world = World { states, actions: None };
    let plain = featured(&rows, &world);
    let id = |x: usize| plain.states().find(Token::features(&world.states[x])).unwrap();
    let tree = |depth, leaf| Regression::Tree(TreeLimits::new(depth, leaf).unwrap());
    let queries = [(3, 19), (13, 3), (13, 9), (18, 11), (9, 0), (0, 14)];
    for (regression, expected) in [
        (
            Regression::Linear,
            [
                3.0506976312841223,
                1.8913537277890837,
                2.927561357042914,
                2.6786248697432553,
                1.0475928406489112,
                -0.637929421635584,
            ],
        ),
        (tree(3, 2), [6.925333333333334, 1.9345454545454546, -5.02, 3.030846153846154, -0.3157, 3.6263333333333336]),
        (tree(4, 3), [6.925333333333334, 4.717, -1.0895714285714286, 3.8556, 4.228333333333333, 1.026]),
        (tree(8, 5), [4.365142857142857, 1.3868, 1.3868, 3.2912222222222223, 2.0071666666666665, 1.026]),
    ] {
        let sample = plain.clone().with_regression(regression).unwrap();
        let prediction = sample.prediction(Actions::Marginal).unwrap();
        let found = queries.map(|(s, t)| prediction.reward(id(s), 0, id(t)));
        assert_close(&found, &expected, &format!("{regression:?}"));
    }
}

/// A grid world that some random walks have met, with features.
fn walks(side: u32, rewards: impl Fn(u32, u32) -> f64) -> RewardSample {
    let mut rows = std::collections::BTreeMap::new();
    let mut place = 0u32;
    for step in 0..side * side * 6 {
        let (x, y) = (place % side, place / side);
        let action = step.wrapping_mul(2_654_435_761) >> 30;
        let next = match action {
            0 => y * side + (x + 1).min(side - 1),
            1 => y * side + x.saturating_sub(1),
            2 => (y + 1).min(side - 1) * side + x,
            _ => y.saturating_sub(1) * side + x,
        };
        rows.insert((place, action, next), rewards(place, next));
        place = if step % 97 == 0 { step.wrapping_mul(7919) % (side * side) } else { next };
    }
    let states = (0..side * side).map(|x| vec![f64::from(x % side), f64::from(x / side)]).collect();
    let rows: Vec<Row> = rows.into_iter().map(|((s, a, t), r)| (s, a, t, r)).collect();
    featured(&rows, &World { states, actions: None })
}

fn noisy(s: u32, t: u32) -> f64 {
    f64::from(s * 31 % 17) / 5.0 - f64::from(t * t % 23)
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    for which in 0..REGRESSIONS {
        let sample = walks(60, noisy).with_regression(regression(which)).unwrap();
        for metric in Metric::PAPER {
            for estimator in
                [MARGINAL, JOINT, Estimator::Double { actions: Actions::Joint, batch: Batch::size(999).unwrap() }]
            {
                let run = |threads| {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    let values = pool.install(|| canonicalize(&sample, metric, &settings(0.7, estimator)));
                    values.into_iter().map(f64::to_bits).collect::<Vec<_>>()
                };
                assert!(run(1) == run(3), "{metric} {estimator:?}");
            }
        }
    }
}

#[test]
fn matrices_equal_pairs_and_regression_keeps_to_the_metrics_with_terms() {
    let samples: Vec<RewardSample> = [7u32, 11, 12].iter().map(|k| walks(9, |s, t| noisy(s + k, t))).collect();
    let predicting: Vec<RewardSample> =
        samples.iter().map(|s| s.clone().with_regression(Regression::Linear).unwrap()).collect();
    let settings = Settings::default();
    for metric in Metric::ALL {
        let matrix = pairwise(&predicting.iter().collect::<Vec<_>>(), metric, &settings);
        for i in 0..3 {
            for j in 0..3 {
                let of = |samples: &[RewardSample]| distance(&samples[i], &samples[j], metric, &settings).distance();
                assert_eq!(matrix.get(i, j), of(&predicting), "{metric}");
                let same = !metric.info().expects || i == j;
                assert_eq!(of(&samples) == of(&predicting), same, "{metric}");
            }
        }
    }
    let unbiased = Settings { estimator: Estimator::Unbiased, ..settings };
    assert_eq!(
        canonicalize(&samples[0], Metric::Srrd, &unbiased),
        canonicalize(&predicting[0], Metric::Srrd, &unbiased)
    );
    // Other rewards on the same transitions are predicted anew.
    let other = predicting[0].with_rewards(samples[0].rewards().iter().map(|r| 2.0 * r).collect()).unwrap();
    assert!(distance(&predicting[0], &other, Metric::Srrd, &settings).distance().unwrap() < 1e-7);
}

#[test]
fn what_a_linear_model_explains_whole_is_constant_not_noise() {
    // Shaping with a potential that is linear in the features: predicted exactly, nothing is left of it but rounding.
    let potential = |x: u32| 1.7 * f64::from(x % 20) - 0.3 * f64::from(x / 20) + 2.0;
    let shaping = walks(20, |s, t| 0.9 * potential(t) - potential(s)).with_regression(Regression::Linear).unwrap();
    let other = walks(20, noisy).with_regression(Regression::Linear).unwrap();
    let comparison = distance(&shaping, &other, Metric::Epic, &Settings::default());
    assert_eq!(comparison.undefined(), Some(Undefined::Constant), "{comparison:?}");
}

#[test]
fn extreme_features_and_rewards_stay_finite() {
    for (feature, reward) in [(1e308, 5e139), (1e-308, 1e-300), (1e308, 1e-300), (1.0, 0.0)] {
        let states = (0..12).map(|x| vec![f64::from(x - 6) / 6.0 * feature, f64::from(x * x), 1.0]).collect();
        let rows: Vec<Row> =
            (0..40u32).map(|k| (k * 7 % 12, k / 12, k * k % 11, reward * (f64::from(k % 5) - 2.0))).collect();
        let sample = featured(&rows, &World { states, actions: None });
        for which in 0..REGRESSIONS {
            let sample = sample.clone().with_regression(regression(which)).unwrap();
            for metric in Metric::PAPER {
                let canonical = canonicalize(&sample, metric, &Settings::default());
                assert!(canonical.iter().all(|c| c.is_finite()), "{feature} {reward} {which} {metric}: {canonical:?}");
                distance(&sample, &sample, metric, &Settings::default());
            }
        }
    }
}
