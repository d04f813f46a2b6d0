//! Residual shaping: what canonicalization leaves of a potential.
//!
//! Canonical forms are linear, so C(R + γφ(s') − φ(s)) = C(R) + φ_res with φ_res = C(γφ(s') − φ(s)), whatever R is.
//!
//! **Closed forms.** With α_i the coefficient of the term R(X_i, A, Y_i) and f_i the fraction of X_i × A × Y_i that was sampled,
//! the paper puts f_i (γ E[φ(Y_i)] − E[φ(X_i)]) for what the term leaves of shaping:
//!
//! φ_res = γφ(s') − φ(s) + Σ_i α_i f_i (γ E[φ(Y_i)] − E[φ(X_i)])
//!
//! With every forward term sampled whole (f = 1) these are the paper's formulas:
//!
//! - EPIC, u and v the fractions of (s', A, S') and (s, A, S'):
//!   γ(1 − u) φ(s') − (1 − v) φ(s) + (γ²u − γ² − γv) E[φ(S')] + γ E[φ(S)]
//! - DARD, w the fraction of (S', A, S''): γ²(1 − w) E[φ(S'')] − γ(1 − w) E[φ(S')]
//! - SRRD, p and q the fractions of (S4, A, S5) and (S3, A, S6):
//!   γ(1 − q) E[φ(S3)] − γ²(1 − p) E[φ(S4)] + γ³(1 − p) E[φ(S5)] − γ²(1 − q) E[φ(S6)]
//!
//! **When they are exact.** The sum over the *sampled* part of X × Y is f (γ E[φ(Y)] − E[φ(X)]) only if what was sampled has the
//! mean potentials of the whole sets. So they hold
//!
//! - for every potential, on a transition all of whose fractions are 0 or 1 (under full coverage above all, where nothing is
//!   left);
//! - on every transition, for a potential that is the same everywhere;
//! - else on average only, over sampled parts drawn at random. They are *not* exact on a given sparse sample: S' holds s',
//!   from where all of S'' was sampled, while from the other states of S' it was not.
//!
//! An empty set makes its term 0 and its fraction 0: with s' terminal, γφ(s') stays.

use super::{TheoryError, check_potential};
use crate::estimate::batch::BatchSet;
use crate::estimate::two_step::{self, Reached};
use crate::estimate::{Estimate, Rewards, Term};
use crate::graph::Graph;
use crate::metric::Metric;
use crate::metric::{self, CanonicalForm};
use crate::sample::RewardSample;
use crate::settings::{Gamma, Settings};

/// γφ(s') − φ(s) for every transition of a sample, in the order of [`RewardSample::transitions`]. `potential` holds φ by
/// state, in the order of [`RewardSample::states`]. O(transitions).
///
/// ```
/// use srrd::{theory::shaping_rewards, Duplicates, Gamma, RewardSample};
/// let sample = RewardSample::from_rows([("a", "go", "b", 1.0), ("b", "go", "b", 0.0)], Duplicates::Mean)?;
/// assert_eq!(shaping_rewards(&sample, &[2.0, 10.0], Gamma::new(0.5)?)?, [3.0, -5.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When there is not one finite potential a state.
pub fn shaping_rewards(sample: &RewardSample, potential: &[f64], gamma: Gamma) -> Result<Vec<f64>, TheoryError> {
    check_potential(sample.states.len(), potential)?;
    let gamma = gamma.get();
    Ok(sample.ids().map(|(s, _, t)| gamma * potential[t as usize] - potential[s as usize]).collect())
}

/// What `metric` leaves of a potential: φ_res = C(γφ(s') − φ(s)) for every transition, in the order of
/// [`RewardSample::transitions`], with any estimator. The sample's own rewards do not matter.
///
/// O(canonicalization). `direct` leaves all of it; under full coverage the others leave nothing; `projected` never leaves
/// anything but rounding.
///
/// ```
/// use srrd::{theory::residual_shaping, Duplicates, Metric, RewardSample, Settings};
/// let rows = [("a", "go", "b", 1.0), ("b", "go", "c", 0.0), ("c", "go", "a", 0.0), ("a", "stay", "a", 0.0)];
/// let sample = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let largest = |metric| -> Result<f64, srrd::theory::TheoryError> {
///     let left = residual_shaping(&sample, &[5.0, -3.0, 8.0], metric, &Settings::default())?;
///     Ok(left.iter().fold(0.0, |m, r| f64::max(m, r.abs())))
/// };
/// assert!(largest(Metric::Srrd)? < largest(Metric::Direct)?);
/// assert!(largest(Metric::Projected)? < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When there is not one finite potential a state, or one is too big for a reward.
pub fn residual_shaping(
    sample: &RewardSample,
    potential: &[f64],
    metric: Metric,
    settings: &Settings,
) -> Result<Vec<f64>, TheoryError> {
    let shaping = sample.with_rewards(shaping_rewards(sample, potential, settings.gamma)?)?;
    Ok(CanonicalForm::new(&shaping, metric, settings.estimator, settings.seed).at(settings.gamma))
}

/// The paper's closed form of [`residual_shaping`], from the sampled fraction of every term and the mean potentials of its
/// sets; the [top of this page](self) says when the two are equal. For the double-batch estimator, with any batch.
///
/// O(canonicalization).
///
/// ```
/// use srrd::{theory::{closed_form_residual, residual_shaping}, Duplicates, Metric, RewardSample, Settings};
/// // Every transition sampled: the closed form is exact, and 0.
/// let rows = (0..3).flat_map(|s| (0..3).map(move |t| (s, 0, t, 1.0)));
/// let sample = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let (potential, settings) = ([4.0, -1.0, 2.5], Settings::default());
/// let closed = closed_form_residual(&sample, &potential, Metric::Srrd, &settings)?;
/// let measured = residual_shaping(&sample, &potential, Metric::Srrd, &settings)?;
/// assert!(closed.iter().zip(&measured).all(|(c, m)| c.abs() < 1e-12 && m.abs() < 1e-12));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When there is not one finite potential a state, the estimator is not the double batch, or the metric is `projected`.
pub fn closed_form_residual(
    sample: &RewardSample,
    potential: &[f64],
    metric: Metric,
    settings: &Settings,
) -> Result<Vec<f64>, TheoryError> {
    let mut values = shaping_rewards(sample, potential, settings.gamma)?;
    let batch = BatchSet::of(sample, settings).ok_or(TheoryError::NeedsDoubleBatch)?;
    if metric.info().projects {
        return Err(TheoryError::NoTerms(metric));
    }
    let fractions = Fractions::of(sample, metric, Estimate::Double(&batch));
    let means = Means::of(&sample.graph, &batch, potential);
    let gamma = settings.gamma.get();
    let shaped = |to: f64, from: f64| gamma * to - from;
    let edges = (0..sample.graph.edges()).flat_map(|e| sample.graph.transitions(e).map(move |_| e));
    for (value, e) in values.iter_mut().zip(edges) {
        let (s, t) = (sample.graph.source(e) as usize, sample.graph.target(e) as usize);
        let (at_s, at_t) = (potential[s], potential[t]);
        *value += match fractions.at(&sample.graph, e) {
            EdgeFractions::None => 0.0,
            EdgeFractions::Epic { u, v, whole } => {
                gamma * u * shaped(means.all, at_t)
                    - v * shaped(means.all, at_s)
                    - gamma * whole * shaped(means.all, means.all)
            }
            EdgeFractions::Dard { near_t, near_s, w } => {
                gamma * near_t * shaped(means.one[t], at_t)
                    - near_s * shaped(means.one[s], at_s)
                    - gamma * w * shaped(means.one[t], means.one[s])
            }
            EdgeFractions::Srrd { near_t, near_s, whole, walk_t, walk_s, p, q } => {
                gamma * near_t * shaped(means.one[t], at_t)
                    - near_s * shaped(means.one_initial[s], at_s)
                    - gamma * whole * shaped(means.subsequent, means.initial)
                    + gamma * gamma * walk_t * shaped(means.two[t], means.one[t])
                    - gamma * walk_s * shaped(means.two[s], means.one_initial[s])
                    + gamma * q * shaped(means.two[s], means.initial)
                    - gamma * gamma * p * shaped(means.two[t], means.subsequent)
            }
        };
    }
    Ok(values)
}

/// E[φ] over the sets of a metric, each element of the batch counting once. An empty set has 0, and no fraction to weigh it.
struct Means {
    /// Of B.
    all: f64,
    /// Of S3 and S4.
    initial: f64,
    subsequent: f64,
    /// Of succ(z), and of its non-terminal states.
    one: Vec<f64>,
    one_initial: Vec<f64>,
    /// Of succ(succ(z)).
    two: Vec<f64>,
}

impl Means {
    fn of(graph: &Graph, batch: &BatchSet, potential: &[f64]) -> Self {
        let mean = |states: &mut dyn Iterator<Item = u32>| {
            let (sum, size) = states.fold((0.0, 0.0), |(sum, size), x| {
                (sum + batch.weight(x) * potential[x as usize], size + batch.weight(x))
            });
            Term { sum, size }.mean()
        };
        let states = 0..graph.states() as u32;
        let weights: Vec<[f64; 2]> =
            states.clone().map(|x| [batch.weight(x) * potential[x as usize], batch.weight(x)]).collect();
        let successors = |x: u32| graph.successors(x).iter().copied();
        Means {
            all: mean(&mut states.clone()),
            initial: mean(&mut states.clone().filter(|&x| graph.is_initial(x))),
            subsequent: mean(&mut states.clone().filter(|&x| graph.is_subsequent(x))),
            one: states.clone().map(|x| mean(&mut successors(x))).collect(),
            one_initial: states.map(|x| mean(&mut successors(x).filter(|&y| graph.is_initial(y)))).collect(),
            two: two_step::map(graph, Some(batch), &weights, |_, Reached { sums: [sum, size], .. }| {
                Term { sum, size }.mean()
            }),
        }
    }
}

/// The fraction of every term that was sampled: what the double batch estimates of it when every sampled reward is 1.
pub(super) enum Fractions {
    None,
    Epic { near: Vec<f64>, whole: f64 },
    Dard { near: Vec<f64>, cross: Vec<f64> },
    Srrd { states: Vec<[f64; 6]>, whole: f64 },
}

/// The same, of one transition. What is over succ(s') and succ(s) ends in `_t` and `_s`.
pub(super) enum EdgeFractions {
    None,
    Epic { u: f64, v: f64, whole: f64 },
    Dard { near_t: f64, near_s: f64, w: f64 },
    Srrd { near_t: f64, near_s: f64, whole: f64, walk_t: f64, walk_s: f64, p: f64, q: f64 },
}

impl Fractions {
    pub fn of(sample: &RewardSample, metric: Metric, estimate: Estimate<'_>) -> Self {
        let ones = vec![1.0; sample.len()];
        let rewards = Rewards { graph: &sample.graph, action: &sample.action, reward: &ones };
        match metric {
            Metric::Epic => {
                let (near, whole) = metric::epic_terms(rewards, estimate);
                Fractions::Epic { near: near.into_iter().map(Term::mean).collect(), whole: whole.mean() }
            }
            Metric::Dard => {
                let (near, cross) = metric::dard_terms(rewards, estimate, Term::mean);
                Fractions::Dard { near: near.into_iter().map(Term::mean).collect(), cross }
            }
            Metric::Srrd => {
                let (states, whole) = metric::srrd_terms(rewards, estimate, |_, t| t);
                let means = |t: metric::SrrdTerms| {
                    [t.near_1, t.near_2, t.cross_15, t.cross_26, t.cross_45, t.cross_36].map(Term::mean)
                };
                Fractions::Srrd { states: states.into_iter().map(means).collect(), whole: whole.mean() }
            }
            // The others expect nothing of transitions that were not sampled, or no theorem is about them.
            _ => Fractions::None,
        }
    }

    pub fn at(&self, graph: &Graph, edge: usize) -> EdgeFractions {
        let (s, t) = (graph.source(edge) as usize, graph.target(edge) as usize);
        match self {
            Fractions::None => EdgeFractions::None,
            Fractions::Epic { near, whole } => EdgeFractions::Epic { u: near[t], v: near[s], whole: *whole },
            Fractions::Dard { near, cross } => EdgeFractions::Dard { near_t: near[t], near_s: near[s], w: cross[edge] },
            Fractions::Srrd { states, whole } => {
                let ([near_t, _, walk_t, _, p, _], [_, near_s, _, walk_s, _, q]) = (states[t], states[s]);
                EdgeFractions::Srrd { near_t, near_s, whole: *whole, walk_t, walk_s, p, q }
            }
        }
    }
}
