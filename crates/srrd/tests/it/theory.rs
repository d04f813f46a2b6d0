//! What the paper proves about residual shaping, shaping errors and the generalized form, on random inputs.

use crate::support::*;
use proptest::prelude::*;
use srrd::exact::Tabular;
use srrd::settings::{Actions, Batch, Estimator};
use srrd::theory::*;
use srrd::*;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

const WITH_TERMS: [Metric; 4] = [Metric::Direct, Metric::Epic, Metric::Dard, Metric::Srrd];

fn order(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).unwrap()
}

fn gammas() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64]
}

/// Potentials for the states of a sample, out of more than it has.
fn of_states(sample: &RewardSample, potential: &[f64]) -> Vec<f64> {
    sample.states().iter().map(|t| potential[t.as_int().unwrap() as usize]).collect()
}

fn settings_with(gamma: f64, actions: Actions, batch: usize) -> Settings {
    let batch = Batch::size(batch).unwrap();
    Settings { seed: 3, ..settings(gamma, Estimator::Double { actions, batch }) }
}

type Set = BTreeSet<u32>;

/// Sets of states and sums over their cross-products, written out; all states, marginal actions.
struct Loops {
    edges: BTreeMap<(u32, u32), Vec<f64>>,
}

impl Loops {
    fn new(rows: &[Row]) -> Self {
        let mut edges: BTreeMap<(u32, u32), Vec<f64>> = BTreeMap::new();
        rows.iter().for_each(|&(s, _, t, r)| edges.entry((s, t)).or_default().push(r));
        Loops { edges }
    }

    fn initial(&self) -> Set {
        self.edges.keys().map(|&(x, _)| x).collect()
    }

    fn subsequent(&self) -> Set {
        self.edges.keys().map(|&(_, y)| y).collect()
    }

    fn succ(&self, of: &Set) -> Set {
        self.edges.keys().filter(|(x, _)| of.contains(x)).map(|&(_, y)| y).collect()
    }

    /// E[R(X, A, Y)]; unsampled pairs count as 0.
    fn mean(&self, from: &Set, to: &Set) -> f64 {
        let mut sum = 0.0;
        for &x in from {
            for &y in to {
                let found = self.edges.get(&(x, y)).map_or(&[][..], |r| r);
                sum += if found.is_empty() { 0.0 } else { found.iter().sum::<f64>() / found.len() as f64 };
            }
        }
        if from.is_empty() || to.is_empty() { 0.0 } else { sum / (from.len() * to.len()) as f64 }
    }

    fn fraction(&self, from: &Set, to: &Set) -> f64 {
        let pairs = from.iter().flat_map(|&x| to.iter().map(move |&y| (x, y)));
        let sampled = pairs.filter(|p| self.edges.contains_key(p)).count();
        if from.is_empty() || to.is_empty() { 0.0 } else { sampled as f64 / (from.len() * to.len()) as f64 }
    }

    /// S1 … S4 of a transition (s, ·, s').
    fn sets(&self, s: u32, t: u32) -> [Set; 4] {
        let s2 = &self.succ(&Set::from([s])) & &self.initial();
        [self.succ(&Set::from([t])), s2, self.initial(), self.subsequent()]
    }

    /// C_n as the paper writes it, term by term; `chain` says how the sets k_i go on.
    fn generalized(
        &self,
        (s, t): (u32, u32),
        reward: f64,
        n: usize,
        gamma: f64,
        chain: impl Fn(&[Set; 4]) -> [Set; 4],
    ) -> f64 {
        let mut k = self.sets(s, t);
        let mut value = reward + gamma * self.mean(&Set::from([t]), &k[0])
            - self.mean(&Set::from([s]), &k[1])
            - gamma * self.mean(&k[2], &k[3]);
        for j in 1..n as i32 {
            let next = chain(&k);
            value += gamma.powi(j + 1) * (self.mean(&k[0], &next[0]) - self.mean(&k[3], &next[3]))
                + gamma.powi(j) * (self.mean(&k[2], &next[2]) - self.mean(&k[1], &next[1]));
            k = next;
        }
        value
    }

    fn forward(&self, k: &[Set; 4]) -> [Set; 4] {
        [0, 1, 2, 3].map(|i| self.succ(&k[i]))
    }

    /// The sampled fraction of every term of a metric that depends on the transition, and of the one that does not.
    fn fractions(&self, metric: Metric, s: u32, t: u32) -> Vec<f64> {
        let (one_s, one_t) = (Set::from([s]), Set::from([t]));
        let f = |from: &Set, to: &Set| self.fraction(from, to);
        let all = &self.initial() | &self.subsequent();
        match metric {
            Metric::Epic => vec![f(&one_t, &all), f(&one_s, &all), f(&all, &all)],
            Metric::Dard => {
                let (x1, x2) = (self.succ(&one_s), self.succ(&one_t));
                vec![f(&one_t, &x2), f(&one_s, &x1), f(&x1, &x2)]
            }
            Metric::Srrd => {
                let [s1, s2, s3, s4] = self.sets(s, t);
                let (s5, s6) = (self.succ(&s1), self.succ(&s2));
                let near = [f(&one_t, &s1), f(&one_s, &s2), f(&s3, &s4)];
                near.into_iter().chain([f(&s1, &s5), f(&s2, &s6), f(&s3, &s6), f(&s4, &s5)]).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Layers of states, each joined completely to the next and the last to the first (or, with `ends`, to nothing): every forward
/// step from a set of states of one layer is sampled whole.
fn layered() -> impl Strategy<Value = Vec<Row>> {
    (prop::collection::vec(1..4u32, 2..6), any::<bool>()).prop_flat_map(|(sizes, ends)| {
        let mut first = 0;
        let layers: Vec<Vec<u32>> = (sizes.iter())
            .map(|size| {
                first += size;
                (first - size..first).collect()
            })
            .collect();
        let joined = if ends { layers.len() - 1 } else { layers.len() };
        let edges: Vec<(u32, u32)> = (0..joined)
            .flat_map(|i| {
                let next = layers[(i + 1) % layers.len()].clone();
                layers[i].clone().into_iter().flat_map(move |x| next.clone().into_iter().map(move |y| (x, y)))
            })
            .collect();
        let rewards = prop::collection::vec(0.5..5.0f64, edges.len());
        rewards.prop_map(move |r| edges.iter().zip(r).map(|(&(x, y), r)| (x, 0, y, r)).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn residual_shaping_is_what_shaping_adds(
        rows in rows(), potential in prop::collection::vec(-9.0..9.0f64, 12), gamma in gammas(), size in 1..9usize,
    ) {
        let sample = sample(&rows);
        let potential = of_states(&sample, &potential);
        let shaping = shaping_rewards(&sample, &potential, Gamma::new(gamma).unwrap()).unwrap();
        let shaped = sample.rewards().iter().zip(&shaping).map(|(r, f)| r + f).collect();
        let shaped = sample.with_rewards(shaped).unwrap();
        let drawn = [Actions::Marginal, Actions::Joint].map(|actions| settings_with(gamma, actions, size));
        for settings in ESTIMATORS.map(|e| settings(gamma, e)).into_iter().chain(drawn) {
            for metric in WITH_TERMS {
                let plain = canonicalize(&sample, metric, &settings);
                let left = residual_shaping(&sample, &potential, metric, &settings).unwrap();
                let found: Vec<f64> = plain.iter().zip(&left).map(|(p, l)| p + l).collect();
                assert_close(&found, &canonicalize(&shaped, metric, &settings), metric.name());
            }
        }
        let left = residual_shaping(&sample, &potential, Metric::Projected, &settings(gamma, MARGINAL)).unwrap();
        prop_assert!(left.iter().all(|l| l.abs() < 1e-6), "{:?}", left);
    }

    #[test]
    fn closed_forms_are_exact_where_every_fraction_is_0_or_1(
        rows in prop_oneof![rows(), layered()], potential in prop::collection::vec(-9.0..9.0f64, 20), gamma in gammas(),
    ) {
        let sample = sample(&rows);
        let potential = of_states(&sample, &potential);
        let settings = settings(gamma, MARGINAL);
        let loops = Loops::new(&rows);
        for metric in WITH_TERMS {
            let closed = closed_form_residual(&sample, &potential, metric, &settings).unwrap();
            let measured = residual_shaping(&sample, &potential, metric, &settings).unwrap();
            for (i, (s, _, t, _)) in rows_of(&sample).into_iter().enumerate() {
                if loops.fractions(metric, s, t).iter().all(|&f| f == 0.0 || f == 1.0) {
                    prop_assert!((closed[i] - measured[i]).abs() < 1e-9, "{} {} {}", metric, closed[i], measured[i]);
                }
            }
        }
    }

    #[test]
    fn closed_forms_are_exact_for_potentials_that_are_the_same_everywhere(
        rows in rows(), height in -9.0..9.0f64, gamma in gammas(), size in 1..30usize, joint in any::<bool>(),
    ) {
        // A test of every fraction: with φ = c a term leaves f (γ − 1) c, on any sample, with any batch.
        let sample = sample(&rows);
        let potential = vec![height; sample.states().len()];
        let settings = settings_with(gamma, if joint { Actions::Joint } else { Actions::Marginal }, size);
        for metric in WITH_TERMS {
            let closed = closed_form_residual(&sample, &potential, metric, &settings).unwrap();
            let measured = residual_shaping(&sample, &potential, metric, &settings).unwrap();
            assert_close(&closed, &measured, metric.name());
        }
    }

    #[test]
    fn the_papers_formulas_are_the_closed_form_with_forward_terms_sampled_whole(
        rows in layered(), potential in prop::collection::vec(-9.0..9.0f64, 20), gamma in gammas(),
    ) {
        let sample = sample(&rows);
        let settings = settings(gamma, MARGINAL);
        let loops = Loops::new(&rows);
        let mean = |set: &Set| set.iter().map(|&x| potential[x as usize]).sum::<f64>() / set.len().max(1) as f64;
        let of = of_states(&sample, &potential);
        let closed = [Metric::Dard, Metric::Srrd].map(|m| closed_form_residual(&sample, &of, m, &settings).unwrap());
        for (i, (s, _, t, _)) in rows_of(&sample).into_iter().enumerate() {
            let (x1, x2) = (loops.succ(&Set::from([s])), loops.succ(&Set::from([t])));
            let w = loops.fraction(&x1, &x2);
            let dard = gamma * gamma * (1.0 - w) * mean(&x2) - gamma * (1.0 - w) * mean(&x1);
            let f = loops.fractions(Metric::Srrd, s, t);
            if !x2.is_empty() {
                prop_assert!((closed[0][i] - dard).abs() < 1e-9);
            }
            if [0, 1, 3, 4].iter().all(|&j| f[j] == 1.0) {
                let [s1, s2, s3, s4] = loops.sets(s, t);
                let (s5, s6) = (loops.succ(&s1), loops.succ(&s2));
                let (p, q, g) = (f[6], f[5], gamma);
                let srrd = g * (1.0 - q) * mean(&s3) - g * g * (1.0 - p) * mean(&s4)
                    + g.powi(3) * (1.0 - p) * mean(&s5) - g * g * (1.0 - q) * mean(&s6);
                // (S3, A, S4) is not sampled whole; it is the same for every transition.
                let whole = g * (1.0 - f[2]) * (g * mean(&s4) - mean(&s3));
                prop_assert!((closed[1][i] - srrd - whole).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn shaping_errors_are_within_the_bounds_that_are_proved(
        rows in prop_oneof![rows(), layered()], potential in prop::collection::vec(-9.0..9.0f64, 20), gamma in gammas(),
        size in 1..30usize,
    ) {
        let sample = sample(&rows);
        let potential = of_states(&sample, &potential);
        let drawn = [Actions::Marginal, Actions::Joint].map(|actions| settings_with(gamma, actions, size));
        for settings in [settings(gamma, MARGINAL), settings(gamma, JOINT)].into_iter().chain(drawn) {
            for metric in WITH_TERMS {
                let error = relative_shaping_error(&sample, &potential, metric, &settings).unwrap();
                let most = shaping_sensitivity(&sample, metric, &settings).unwrap();
                let scale = error.terms as f64 * error.largest_reward;
                for (i, relative) in error.relative().enumerate() {
                    prop_assert!(error.effective[i].abs() <= most[i] * error.largest_potential + 1e-9);
                    if let Some(bound) = error.fraction_bound[i] {
                        prop_assert!(relative <= bound + 1e-9, "{} {} {}", metric, relative, bound);
                        prop_assert!(most[i] * error.largest_potential / scale <= bound + 1e-9, "{}", metric);
                        prop_assert!(bound <= error.bound + 1e-9);
                    }
                    // On every sample whatever.
                    if matches!(metric, Metric::Direct | Metric::Epic) {
                        prop_assert!(error.fraction_bound[i].is_some() && most[i] <= 1.0 + gamma + 1e-9);
                    }
                }
            }
            // DARD over all states needs no assumption either.
            if settings.estimator == MARGINAL {
                let most = shaping_sensitivity(&sample, Metric::Dard, &settings).unwrap();
                prop_assert!(most.iter().all(|m| *m <= 2.0 + 1e-9));
            }
        }
        let most = shaping_sensitivity(&sample, Metric::Epic, &settings(gamma, Estimator::Unbiased)).unwrap();
        prop_assert!(most.iter().all(|m| *m <= 2.0 + 1e-9), "{:?}", most);
    }

    #[test]
    fn effective_and_constant_parts_add_up_to_the_residual(
        rows in rows(), potential in prop::collection::vec(-9.0..9.0f64, 12), gamma in gammas(),
    ) {
        let sample = sample(&rows);
        let potential = of_states(&sample, &potential);
        let loops = Loops::new(&rows_of(&sample).into_iter().map(|(s, a, t, _)| {
            let at = |x: u32| potential[sample.states().find(Token::int(i64::from(x))).unwrap() as usize];
            (s, a, t, gamma * at(t) - at(s))
        }).collect::<Vec<_>>());
        let settings = settings(gamma, MARGINAL);
        let all = &loops.initial() | &loops.subsequent();
        for (metric, constant) in [
            (Metric::Epic, -gamma * loops.mean(&all, &all)),
            (Metric::Srrd, -gamma * loops.mean(&loops.initial(), &loops.subsequent())),
            (Metric::Dard, 0.0),
        ] {
            let error = relative_shaping_error(&sample, &potential, metric, &settings).unwrap();
            prop_assert!((error.constant - constant).abs() < 1e-9);
            let sums: Vec<f64> = error.effective.iter().map(|e| e + constant).collect();
            assert_close(&sums, &residual_shaping(&sample, &potential, metric, &settings).unwrap(), metric.name());
        }
    }

    #[test]
    fn generalized_forms_equal_the_definition(rows in rows(), gamma in gammas(), n in 1..9usize) {
        let sample = sample(&rows);
        let rows = rows_of(&sample);
        let loops = Loops::new(&rows);
        let found = generalized(&sample, order(n), Gamma::new(gamma).unwrap());
        let literal = |&(s, _, t, r): &Row| loops.generalized((s, t), r, n, gamma, |k| loops.forward(k));
        assert_close(&found, &rows.iter().map(literal).collect::<Vec<_>>(), &format!("C_{n}"));
        // SRRD is C_2 with other sets k.
        let srrd = |&(s, _, t, r): &Row| {
            loops.generalized((s, t), r, 2, gamma, |k| {
                let (s5, s6) = (loops.succ(&k[0]), loops.succ(&k[1]));
                [s5.clone(), s6.clone(), s6, s5]
            })
        };
        let settings = settings(gamma, MARGINAL);
        let expected: Vec<f64> = rows.iter().map(srrd).collect();
        assert_close(&canonicalize(&sample, Metric::Srrd, &settings), &expected, "SRRD as C_2");
    }

    #[test]
    fn with_layers_sampled_whole_generalized_residuals_shrink_like_powers_of_gamma(
        rows in layered(), potential in prop::collection::vec(-9.0..9.0f64, 20), gamma in 0.0..1.0f64, n in 1..9usize,
    ) {
        let sample = sample(&rows);
        let of = of_states(&sample, &potential);
        let shaping = sample.with_rewards(shaping_rewards(&sample, &of, Gamma::new(gamma).unwrap()).unwrap()).unwrap();
        let left = generalized(&shaping, order(n), Gamma::new(gamma).unwrap());
        let loops = Loops::new(&rows);
        let mean = |set: &Set| set.iter().map(|&x| potential[x as usize]).sum::<f64>() / set.len() as f64;
        // φ_n, but for what does not depend on the transition.
        let mut constant = None;
        for (i, (s, _, t, _)) in rows_of(&sample).into_iter().enumerate() {
            let (mut ahead, mut behind) = (loops.succ(&Set::from([t])), loops.succ(&Set::from([s])));
            for _ in 1..n {
                (ahead, behind) = (loops.succ(&ahead), loops.succ(&behind));
            }
            if ahead.is_empty() || behind.is_empty() {
                continue; // the walk ends: a set is empty and its term 0
            }
            let rest = left[i] - gamma.powi(n as i32) * (gamma * mean(&ahead) - mean(&behind));
            let constant = *constant.get_or_insert(rest);
            prop_assert!((rest - constant).abs() < 1e-9);
            prop_assert!(left[i].abs() <= 2.0 * gamma.powi(n as i32) * (1.0 + gamma) * 9.0 + 1e-9);
        }
    }

    #[test]
    fn exact_generalized_forms_equal_the_definition_and_their_residuals_the_closed_form(
        n in 1..9usize, states in 1..7usize, actions in 1..4usize, gamma in gammas(),
        cells in prop::collection::vec(-5.0..5.0f64, 7 * 4 * 7), potential in prop::collection::vec(-9.0..9.0f64, 7),
        seeds in prop::collection::vec(0.0..1.0f64, 7 * 4 * 7 + 11),
    ) {
        let distribution = |weights: &[f64]| {
            // Some are 0, all of a row never.
            let sparse: Vec<f64> = weights.iter().map(|w| if *w < 0.4 { 0.0 } else { *w }).collect();
            let total: f64 = sparse.iter().sum();
            if total == 0.0 { vec![1.0 / weights.len() as f64; weights.len()] } else { sparse.iter().map(|w| w / total).collect() }
        };
        let d_s = distribution(&seeds[..states]);
        let d_a = distribution(&seeds[7..7 + actions]);
        let rows: Vec<Vec<f64>> = (0..states * actions).map(|row| distribution(&seeds[11 + row * states..][..states])).collect();
        let problem = Tabular::new(d_s.clone(), d_a.clone()).unwrap().with_dynamics(&rows.concat()).unwrap();
        let reward = &cells[..states * actions * states];
        let gamma_ = Gamma::new(gamma).unwrap();

        let step = |d: &[f64]| -> Vec<f64> {
            (0..states).map(|t| {
                (0..states).map(|s| (0..actions).map(|a| d[s] * d_a[a] * rows[s * actions + a][t]).sum::<f64>()).sum()
            }).collect()
        };
        let unit = |x: usize| (0..states).map(|y| f64::from(u8::from(x == y))).collect::<Vec<f64>>();
        let mean = |from: &[f64], to: &[f64]| {
            let mut sum = 0.0;
            for s in 0..states {
                for a in 0..actions {
                    for t in 0..states {
                        sum += from[s] * d_a[a] * to[t] * reward[(s * actions + a) * states + t];
                    }
                }
            }
            sum
        };
        let found = generalized_exact(&problem, reward, order(n), gamma_).unwrap();
        for (i, r) in reward.iter().enumerate() {
            let (s, t) = (unit(i / states / actions), unit(i % states));
            let mut k = [step(&t), step(&s), d_s.clone(), step(&d_s)];
            let mut value = r + gamma * mean(&t, &k[0]) - mean(&s, &k[1]) - gamma * mean(&k[2], &k[3]);
            for j in 1..n as i32 {
                let next = [0, 1, 2, 3].map(|i| step(&k[i]));
                value += gamma.powi(j + 1) * (mean(&k[0], &next[0]) - mean(&k[3], &next[3]))
                    + gamma.powi(j) * (mean(&k[2], &next[2]) - mean(&k[1], &next[1]));
                k = next;
            }
            prop_assert!((found[i] - value).abs() < 1e-9);
        }

        let potential = &potential[..states];
        let shape = |i: usize| gamma * potential[i % states] - potential[i / states / actions];
        let shaping: Vec<f64> = (0..reward.len()).map(shape).collect();
        let left = generalized_exact(&problem, &shaping, order(n), gamma_).unwrap();
        let closed = generalized_residual(&problem, potential, order(n), gamma_).unwrap();
        assert_close(&left, &closed, "φ_n");
        let largest = potential.iter().fold(0.0, |m: f64, p| m.max(p.abs()));
        let most = 2.0 * gamma.powi(n as i32) * (1.0 + gamma) * largest + 1e-9;
        prop_assert!(left.iter().all(|l| l.abs() <= most));
    }

    #[test]
    fn under_full_coverage_every_generalized_form_is_srrd(
        states in 1..7u32, actions in 1..4u32, n in 1..9usize, gamma in gammas(), shift in -3.0..3.0f64,
    ) {
        let sample = full(states, actions, |s, a, t| f64::from((s * 7 + a * 3 + t * 5) % 11) + shift * f64::from(s * t));
        let srrd = canonicalize(&sample, Metric::Srrd, &settings(gamma, MARGINAL));
        let found = generalized(&sample, order(n), Gamma::new(gamma).unwrap());
        assert_close(&found, &srrd, &format!("C_{n}"));
    }
}

/// Potentials of magnitude 1 that leave the most on one transition.
fn worst_potential(sample: &RewardSample, transition: usize, metric: Metric, settings: &Settings) -> Vec<f64> {
    let states = sample.states().len();
    let sign = |x: usize| {
        let unit: Vec<f64> = (0..states).map(|y| f64::from(u8::from(x == y))).collect();
        relative_shaping_error(sample, &unit, metric, settings).unwrap().effective[transition].signum()
    };
    (0..states).map(sign).collect()
}

#[test]
fn theorem_1_fails_for_srrd_where_successors_differ() {
    let settings = settings(1.0, MARGINAL);
    // The proof's |φ̃| ≤ 2M: 1 leads to 1 and 2, which have different successors.
    let small = sample(&[(1, 0, 1, 1.0), (1, 0, 2, 1.0), (2, 0, 0, 1.0), (3, 0, 0, 1.0)]);
    let most = shaping_sensitivity(&small, Metric::Srrd, &settings).unwrap();
    assert!((most[1] - 19.0 / 9.0).abs() < 1e-9, "{most:?}");

    // The bound itself: 40 states lead everywhere, while from s = 0 and s' = 1 six ways part that never meet.
    let mut rows = vec![(0, 0, 1, 1.0)];
    for j in 0..6 {
        let [a, b, c, d] = [0, 6, 12, 18].map(|first| 2 + first + j);
        rows.extend([(0, 0, a, 1.0), (a, 0, b, 1.0), (1, 0, c, 1.0), (c, 0, d, 1.0)]);
    }
    rows.extend((26..66).flat_map(|hub| (0..66).map(move |x| (hub, 0, x, 1.0))));
    let sample = sample(&rows);
    let worst = worst_potential(&sample, 0, Metric::Srrd, &settings);
    let error = relative_shaping_error(&sample, &worst, Metric::Srrd, &settings).unwrap();
    let relative = error.relative().next().unwrap();
    assert!(relative > error.bound * 1.05, "{relative} {}", error.bound);
    assert_eq!(error.fraction_bound[0], None);
    assert!(error.fraction_bound.iter().flatten().count() < sample.len());
}

#[test]
fn theorem_1_fails_for_dard_with_unbiased_estimates() {
    // From 2 to 5 there are a hundred actions: they weigh on R(S', A, S'') alone.
    let mut rows: Vec<Row> = (1..5).map(|x| (0, 0, x, 1.0)).chain((5..9).map(|y| (1, 0, y, 1.0))).collect();
    rows.extend((0..100).map(|a| (2, a, 5, 1.0)));
    let sample = sample(&rows);
    let most = |estimator| shaping_sensitivity(&sample, Metric::Dard, &settings(1.0, estimator)).unwrap()[0];
    assert!(most(Estimator::Unbiased) > 8.0 / 3.0 && most(MARGINAL) <= 2.0);
}

#[test]
fn what_the_theory_says_nothing_about_is_an_error() {
    let sample = sample(&[(0, 0, 1, 1.0), (1, 0, 0, 2.0)]);
    let settings = settings(0.5, MARGINAL);
    let message = |e: TheoryError| e.to_string();
    let short = residual_shaping(&sample, &[1.0], Metric::Srrd, &settings).map_err(message).unwrap_err();
    assert!(short.starts_with("there are 1 potentials, but the sample has 2 states"), "{short}");
    let nan = residual_shaping(&sample, &[1.0, f64::NAN], Metric::Srrd, &settings).map_err(message).unwrap_err();
    assert_eq!(nan, "the potential of state 1 is NaN, but it must be a finite number");
    let huge = residual_shaping(&sample, &[1e300, 0.0], Metric::Srrd, &settings).unwrap_err();
    assert!(matches!(huge, TheoryError::Sample(_)));
    let unbiased = crate::support::settings(0.5, Estimator::Unbiased);
    let closed = closed_form_residual(&sample, &[1.0, 0.0], Metric::Srrd, &unbiased);
    assert_eq!(closed, Err(TheoryError::NeedsDoubleBatch));
    let projected = relative_shaping_error(&sample, &[1.0, 0.0], Metric::Projected, &settings);
    assert_eq!(projected, Err(TheoryError::NoTerms(Metric::Projected)));
    let zero = sample.with_rewards(vec![0.0; 2]).unwrap();
    let relative = relative_shaping_error(&zero, &[1.0, 0.0], Metric::Srrd, &settings);
    assert_eq!(relative, Err(TheoryError::ZeroRewards));
    let still = Tabular::new(vec![1.0], vec![1.0]).unwrap();
    let needs = generalized_exact(&still, &[1.0], order(1), Gamma::default()).map_err(message).unwrap_err();
    assert_eq!(needs, "the generalized form needs a transition model: build the problem with `with_dynamics`");
}
