//! Canonicalization: rewards in, rewards without potential shaping out. One metric, one file.

mod dard;
mod direct;
mod epic;
mod projected;
mod srrd;

pub(crate) use dard::terms as dard_terms;
pub(crate) use epic::terms as epic_terms;
pub(crate) use srrd::{StateTerms as SrrdTerms, terms as srrd_terms};

use std::ops::Range;

use crate::batch::BatchSet;
use crate::estimate::{Estimate, Rewards};
use crate::parallel;
use crate::sample::RewardSample;
use crate::settings::{Estimator, Gamma, Metric, Settings};

/// The canonical rewards of a sample for every discount factor at once.
///
/// The terms of a canonical reward depend on s' only, on s only, on neither, or (DARD's last one) on both, and each carries
/// 1, γ or γ²:
///
/// C(s, a, s') = R(s, a, s') + γ·ahead₁(s') + γ²·ahead₂(s') − behind₀(s) − γ·behind₁(s) − γ·cross(s, s') − γ·constant
///
/// What is here is computed once a state (or once a pair of states), after which [`at`](Self::at) costs O(1) a transition.
#[derive(Clone, Debug, PartialEq)]
pub struct CanonicalForm<'a> {
    sample: &'a RewardSample,
    /// `None` for `projected`, which is no polynomial in γ.
    polynomial: Option<Polynomial>,
}

/// The coefficients; an empty vector stands for zeros.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Polynomial {
    /// What a state adds as s' and takes away as s.
    pub states: Vec<StateCoefficients>,
    /// By edge (s, s'): the coefficient of γ, to be subtracted.
    pub cross: Vec<f64>,
    /// The coefficient of γ, to be subtracted.
    pub constant: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct StateCoefficients {
    /// Of γ and γ².
    pub ahead: [f64; 2],
    /// Of 1 and γ.
    pub behind: [f64; 2],
}

impl StateCoefficients {
    /// One term that a state adds as s', times γ, and takes away as s: the same function of both.
    fn near(near: f64) -> Self {
        StateCoefficients { ahead: [near, 0.0], behind: [near, 0.0] }
    }
}

impl<'a> CanonicalForm<'a> {
    /// Prepares `metric` with an estimator; `seed` draws the batch, where there is one.
    pub fn new(sample: &'a RewardSample, metric: Metric, estimator: Estimator, seed: u64) -> Self {
        match estimator {
            Estimator::Double { actions, batch } => {
                Self::with_batch(sample, metric, &BatchSet::draw(sample, actions, batch, seed))
            }
            Estimator::Unbiased => Self::prepare(sample, metric, Estimate::Unbiased),
        }
    }

    /// Prepares `metric` with the double-batch estimator and a given batch.
    pub fn with_batch(sample: &'a RewardSample, metric: Metric, batch: &BatchSet) -> Self {
        Self::prepare(sample, metric, Estimate::Double(batch))
    }

    fn prepare(sample: &'a RewardSample, metric: Metric, estimate: Estimate<'_>) -> Self {
        let rewards = Rewards::of(sample);
        let polynomial = match metric {
            Metric::Direct => direct::polynomial(),
            Metric::Epic => epic::polynomial(rewards, estimate),
            Metric::Dard => dard::polynomial(rewards, estimate),
            Metric::Srrd => srrd::polynomial(rewards, estimate),
            Metric::Projected => return CanonicalForm { sample, polynomial: None },
        };
        CanonicalForm { sample, polynomial: Some(polynomial) }
    }

    /// The canonical rewards for one discount factor, in the order of [`RewardSample::transitions`].
    pub fn at(&self, gamma: Gamma) -> Vec<f64> {
        let Some(Polynomial { states, cross, constant }) = &self.polynomial else {
            return projected::canonical(self.sample, gamma);
        };
        let gamma = gamma.get();
        let graph = &self.sample.graph;
        let reward = &self.sample.reward;
        if states.is_empty() {
            return reward.clone();
        }
        let ahead: Vec<f64> = states.iter().map(|s| gamma * (s.ahead[0] + gamma * s.ahead[1] - constant)).collect();
        let behind = |s: u32| {
            let [behind_0, behind_1] = states[s as usize].behind;
            behind_0 + gamma * behind_1
        };
        let single_actions = graph.edges() == reward.len();
        let fill = |range: Range<u32>, canonical: &mut [f64]| {
            let mut rest = canonical;
            for s in range {
                let edges = graph.out_edges(s);
                let behind = behind(s);
                let (row, after) =
                    rest.split_at_mut(graph.first_transition(edges.end) - graph.first_transition(edges.start));
                rest = after;
                if single_actions && cross.is_empty() {
                    // The common case, written so that it becomes vector instructions.
                    let row = row.iter_mut().zip(&reward[edges.clone()]).zip(graph.successors(s));
                    row.for_each(|((c, r), &t)| *c = r + (ahead[t as usize] - behind));
                    continue;
                }
                let mut row = row.iter_mut();
                for e in edges {
                    let cross = cross.get(e).map_or(0.0, |cross| gamma * cross);
                    let shift = ahead[graph.target(e) as usize] - behind - cross;
                    let rewards = reward[graph.transitions(e)].iter();
                    rewards.zip(&mut row).for_each(|(r, c)| *c = r + shift);
                }
            }
        };
        let start = |x: u32| graph.first_transition(graph.first_edge(x));
        parallel::fill_rows(graph.states(), start, reward.len() as u64, fill)
    }
}

/// The canonical rewards of a sample, in the order of [`RewardSample::transitions`].
///
/// ```
/// use srrd::{canonicalize, Duplicates, Metric, RewardSample, Settings};
/// // Pure potential shaping with φ(a) = 0, φ(b) = 5 and γ = 0.9, every transition sampled: nothing is left of it.
/// let rows = [("a", "go", "a", 0.0), ("a", "go", "b", 4.5), ("b", "go", "a", -5.0), ("b", "go", "b", -0.5)];
/// let sample = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let canonical = canonicalize(&sample, Metric::Srrd, &Settings::default());
/// assert!(canonical.iter().all(|c| c.abs() < 1e-12));
/// # Ok::<(), srrd::SampleError>(())
/// ```
pub fn canonicalize(sample: &RewardSample, metric: Metric, settings: &Settings) -> Vec<f64> {
    CanonicalForm::new(sample, metric, settings.estimator, settings.seed).at(settings.gamma)
}
