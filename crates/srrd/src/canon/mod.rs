//! Canonicalization: rewards in, rewards without potential shaping out. One metric, one file.

mod dard;
mod direct;
mod epic;
mod srrd;

pub(crate) use dard::terms as dard_terms;
pub(crate) use epic::terms as epic_terms;
pub(crate) use srrd::{StateTerms as SrrdTerms, terms as srrd_terms};

use crate::batch::Chosen;
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
    polynomial: Polynomial,
}

/// The coefficients; an empty vector stands for zeros.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Polynomial {
    /// By s': the coefficients of γ and γ².
    pub ahead: Vec<[f64; 2]>,
    /// By s: the coefficients of 1 and γ, to be subtracted.
    pub behind: Vec<[f64; 2]>,
    /// By edge (s, s'): the coefficient of γ, to be subtracted.
    pub cross: Vec<f64>,
    /// The coefficient of γ, to be subtracted.
    pub constant: f64,
}

impl<'a> CanonicalForm<'a> {
    /// Prepares `metric` with an estimator; `seed` draws the batch, where there is one.
    pub fn new(sample: &'a RewardSample, metric: Metric, estimator: Estimator, seed: u64) -> Self {
        match estimator {
            Estimator::Double { actions, batch } => {
                Self::with_batch(sample, metric, &Chosen::draw(sample, actions, batch, seed))
            }
            Estimator::Unbiased => Self::prepare(sample, metric, Estimate::Unbiased),
        }
    }

    /// Prepares `metric` with the double-batch estimator and a given batch.
    pub fn with_batch(sample: &'a RewardSample, metric: Metric, batch: &Chosen) -> Self {
        Self::prepare(sample, metric, Estimate::Double(batch))
    }

    fn prepare(sample: &'a RewardSample, metric: Metric, estimate: Estimate<'_>) -> Self {
        let rewards = Rewards::of(sample);
        let polynomial = match metric {
            Metric::Direct => direct::polynomial(),
            Metric::Epic => epic::polynomial(rewards, estimate),
            Metric::Dard => dard::polynomial(rewards, estimate),
            Metric::Srrd => srrd::polynomial(rewards, estimate),
        };
        CanonicalForm { sample, polynomial }
    }

    /// The canonical rewards for one discount factor, in the order of [`RewardSample::transitions`].
    pub fn at(&self, gamma: Gamma) -> Vec<f64> {
        let gamma = gamma.get();
        let Polynomial { ahead, behind, cross, constant } = &self.polynomial;
        let graph = &self.sample.graph;
        if ahead.is_empty() {
            return self.sample.reward.clone();
        }
        let shift = |e: usize| {
            let [ahead_1, ahead_2] = ahead[graph.target(e) as usize];
            let [behind_0, behind_1] = behind[graph.source(e) as usize];
            let cross = cross.get(e).copied().unwrap_or(0.0);
            gamma * (ahead_1 + gamma * ahead_2 - behind_1 - cross - constant) - behind_0
        };
        if graph.edges() == self.sample.len() {
            parallel::map(graph.edges(), |e| self.sample.reward[e] + shift(e))
        } else {
            let mut canonical = self.sample.reward.clone();
            for e in 0..graph.edges() {
                let shift = shift(e);
                canonical[graph.transitions(e)].iter_mut().for_each(|c| *c += shift);
            }
            canonical
        }
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
