//! The metrics. One metric, one file; [`METRICS`] is the one list of them.
//!
//! A further metric is a file here, a variant of [`Metric`], an entry of [`METRICS`] and a line in each `match` of this file. Its exact form,
//! if it has one, goes into `exact/mod.rs`. The command, the Python package, the help texts and the tables of the documentation take names and
//! texts from the list.

mod dard;
mod direct;
mod epic;
mod npec;
mod projected;
mod srrd;

pub(crate) use dard::terms as dard_terms;
pub(crate) use epic::terms as epic_terms;
pub(crate) use srrd::{StateTerms as SrrdTerms, terms as srrd_terms};

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use crate::compare::{Columns, Pair, Undefined};
use crate::diagnose::{Counts, TermCoverage};
use crate::estimate::batch::BatchSet;
use crate::estimate::predicted::Predicted;
use crate::estimate::{Estimate, Rewards};
use crate::graph::Graph;
use crate::potential::Potential;
use crate::project::Shaping;
use crate::run::parallel;
use crate::sample::RewardSample;
use crate::settings::{Estimator, Gamma, SettingError, Settings, Support};

/// Which canonicalization is taken before the Pearson distance.
///
/// ```
/// use srrd::Metric;
/// assert_eq!("srrd".parse::<Metric>(), Ok(Metric::Srrd));
/// assert_eq!(Metric::Srrd.info().title, "SRRD");
/// assert!("SRRD".parse::<Metric>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Metric {
    /// Rewards as they are.
    Direct,
    /// Equivalent-Policy Invariant Comparison.
    Epic,
    /// Dynamics-Aware Reward Distance.
    Dard,
    /// Sparsity Resilient Reward Distance.
    Srrd,
    /// Rewards without their projection on the space of shaping vectors: exact on whatever transitions there are.
    Projected,
    /// How far a reward is from the nearest one that is equivalent to the other.
    Npec,
}

/// What there is to know about a metric.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MetricInfo {
    /// The metric.
    pub metric: Metric,
    /// The name in commands and files.
    pub name: &'static str,
    /// The name in titles of figures and reports.
    pub title: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Whether it is one of the paper's.
    pub paper: bool,
    /// Whether it asks for rewards of transitions that may not be sampled: only then does the estimator matter.
    pub expects: bool,
    /// Whether γ matters.
    pub discounts: bool,
    /// Whether shaping is taken out by least squares, of a pair of samples: only then do ends and potentials matter.
    pub projects: bool,
    /// Whether it is among those that are shown where nobody named any.
    pub shown: bool,
}

/// All metrics, in the order in which they are shown.
pub static METRICS: [MetricInfo; 6] = [direct::INFO, epic::INFO, dard::INFO, srrd::INFO, projected::INFO, npec::INFO];

impl Metric {
    /// All metrics.
    pub const ALL: [Metric; 6] =
        [Metric::Direct, Metric::Epic, Metric::Dard, Metric::Srrd, Metric::Projected, Metric::Npec];

    /// Those that are shown where nobody named any.
    pub const SHOWN: [Metric; 5] = [Metric::Direct, Metric::Epic, Metric::Dard, Metric::Srrd, Metric::Projected];

    /// Those of the paper, which take reward expectations.
    pub const PAPER: [Metric; 4] = [Metric::Direct, Metric::Epic, Metric::Dard, Metric::Srrd];

    /// What there is to know about it.
    pub fn info(self) -> &'static MetricInfo {
        // In the order of the variants, which a test checks.
        &METRICS[self as usize]
    }

    /// The name in commands and files.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Whether a distance takes the pair of samples as a whole, instead of a canonical reward per sample.
    pub(crate) fn by_pair(self, settings: &Settings) -> bool {
        match self {
            Metric::Projected => settings.support != Support::Own || settings.potential != Potential::Tabular,
            Metric::Npec => true,
            Metric::Direct | Metric::Epic | Metric::Dard | Metric::Srrd => false,
        }
    }

    /// The distance of two rewards whose canonical forms have the correlation ρ; `distance` is sqrt((1 − ρ) / 2).
    pub(crate) fn told(self, distance: f64) -> f64 {
        match self {
            Metric::Npec => npec::distance(distance),
            Metric::Direct | Metric::Epic | Metric::Dard | Metric::Srrd | Metric::Projected => distance,
        }
    }

    /// What of the canonical rewards of a sample may be rounding; `predicted` is the largest predicted reward in it.
    pub(crate) fn rounding(self, sample: &RewardSample, predicted: f64) -> f64 {
        match self {
            Metric::Direct => direct::rounding(sample),
            Metric::Projected | Metric::Npec => projected::rounding(sample),
            Metric::Epic | Metric::Dard | Metric::Srrd => expected_rounding(sample, predicted),
        }
    }

    /// The columns of a pair, where a distance takes the pair as a whole.
    pub(crate) fn columns_of_pair(
        self,
        pair: &Pair<'_>,
        settings: &Settings,
    ) -> Result<Columns, (Undefined, Option<Shaping>)> {
        match self {
            Metric::Projected | Metric::Npec => projected::columns(pair, settings),
            other => unreachable!("{other} has a canonical form of its own"),
        }
    }

    /// How much of every term was sampled; `rewards` are 1 everywhere.
    pub(crate) fn coverage(self, rewards: Rewards<'_>, estimate: Estimate<'_>, counts: &Counts) -> Vec<TermCoverage> {
        match self {
            // Nothing is expected of transitions that were not sampled.
            Metric::Direct | Metric::Projected | Metric::Npec => Vec::new(),
            Metric::Epic => epic::coverage(rewards, estimate, counts),
            Metric::Dard => dard::coverage(rewards, estimate, counts),
            Metric::Srrd => srrd::coverage(rewards, estimate, counts),
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Metric {
    type Err = SettingError;

    fn from_str(name: &str) -> Result<Self, SettingError> {
        let found = METRICS.iter().find(|info| info.name == name);
        found.map(|info| info.metric).ok_or_else(|| SettingError::Metric(name.to_owned()))
    }
}

/// The largest reward of a sample in magnitude.
fn largest_reward(sample: &RewardSample) -> f64 {
    sample.rewards().iter().fold(0.0f64, |most, r| most.max(r.abs()))
}

/// What may be rounding where expectations are added. A canonical reward is a sum of terms of the size of the rewards, so when it
/// varies by less than this part of the largest one, it is constant. A fitted model is less precise than a sum.
fn expected_rounding(sample: &RewardSample, predicted: f64) -> f64 {
    const SUMMED: f64 = 1e-12;
    const FITTED: f64 = 1e-10;
    let largest = largest_reward(sample);
    if predicted > 0.0 { largest.max(predicted) * FITTED } else { largest * SUMMED }
}

/// The canonical rewards of a sample for every discount factor at once.
///
/// The terms of a canonical reward depend on s' only, on s only, on neither, or (DARD's last one) on both, and each carries
/// 1, γ or γ²:
///
/// C(s, a, s') = R(s, a, s') + γ·ahead₁(s') + γ²·ahead₂(s') − behind₀(s) − γ·behind₁(s) − γ·cross(s, s') − γ·constant
///
/// What is here is computed once per state (or once per pair of states), after which [`at`](Self::at) costs O(1) per transition.
///
/// ```
/// use srrd::metric::CanonicalForm;
/// use srrd::{Duplicates, Gamma, Metric, RewardSample, settings::Estimator};
/// let sample = RewardSample::from_rows([("a", "go", "b", 1.0), ("b", "go", "a", 0.0)], Duplicates::Mean)?;
/// let form = CanonicalForm::new(&sample, Metric::Epic, Estimator::default(), 0);
/// assert_eq!(form.at(Gamma::new(0.0)?), [0.5, 0.0]);
/// assert_eq!(form.at(Gamma::new(1.0)?), [0.25, 0.25]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CanonicalForm<'a> {
    sample: &'a RewardSample,
    terms: Terms<StateCoefficients>,
}

/// What is computed once, with what is kept of every state.
#[derive(Clone, Debug, PartialEq)]
struct Terms<S> {
    /// `None` for `projected`, which is no polynomial in γ.
    polynomial: Option<Polynomial<S>>,
    /// No predicted reward in it is larger in magnitude; 0 when none are predicted.
    largest_prediction: f64,
}

/// The coefficients; an empty vector stands for zeros.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Polynomial<S> {
    /// What a state adds as s' and takes away as s.
    pub states: Vec<S>,
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

    /// Both for one discount factor, that of s' to be multiplied by it.
    #[inline]
    fn at(self, gamma: f64) -> [f64; 2] {
        [self.ahead[0] + gamma * self.ahead[1], self.behind[0] + gamma * self.behind[1]]
    }
}

impl<'a> CanonicalForm<'a> {
    /// Prepares `metric` with an estimator; `seed` draws the batch, where there is one.
    pub fn new(sample: &'a RewardSample, metric: Metric, estimator: Estimator, seed: u64) -> Self {
        CanonicalForm { sample, terms: Terms::new(sample, metric, estimator, seed, |state| state) }
    }

    /// Prepares `metric` with the double-batch estimator and a given batch; unsampled transitions are predicted if the sample
    /// asks for that ([`RewardSample::with_regression`]).
    pub fn with_batch(sample: &'a RewardSample, metric: Metric, batch: &BatchSet) -> Self {
        CanonicalForm { sample, terms: Terms::with_batch(sample, metric, batch, |state| state) }
    }

    pub(crate) fn largest_prediction(&self) -> f64 {
        self.terms.largest_prediction
    }

    /// The canonical rewards for one discount factor, in the order of [`RewardSample::transitions`].
    pub fn at(&self, gamma: Gamma) -> Vec<f64> {
        match &self.terms.polynomial {
            None => projected::canonical(self.sample, gamma),
            Some(Polynomial { states, cross, constant }) => {
                let states = states.iter().map(|state| state.at(gamma.get())).collect();
                shifted(self.sample, gamma, states, cross, *constant)
            }
        }
    }
}

impl<S: Copy + Default + Send> Terms<S> {
    /// `keep` says what is kept of every state.
    fn new(
        sample: &RewardSample,
        metric: Metric,
        estimator: Estimator,
        seed: u64,
        keep: impl Fn(StateCoefficients) -> S + Sync + Send,
    ) -> Self {
        match estimator {
            Estimator::Double { actions, batch } => {
                Self::with_batch(sample, metric, &BatchSet::draw(sample, actions, batch, seed), keep)
            }
            Estimator::Unbiased => Self::prepare(Rewards::of(sample), metric, Estimate::Unbiased, keep),
        }
    }

    fn with_batch(
        sample: &RewardSample,
        metric: Metric,
        batch: &BatchSet,
        keep: impl Fn(StateCoefficients) -> S + Sync + Send,
    ) -> Self {
        let rewards = Rewards::of(sample);
        let predicted = if metric.info().expects { Predicted::of(sample, batch) } else { None };
        match predicted {
            None => Self::prepare(rewards, metric, Estimate::Double(batch), keep),
            Some(predicted) => {
                let residuals = predicted.residuals(rewards);
                let left = Rewards { reward: &residuals, ..rewards };
                let terms = Self::prepare(left, metric, Estimate::Regressed(&predicted), keep);
                Terms { largest_prediction: predicted.bound(), ..terms }
            }
        }
    }

    fn prepare(
        rewards: Rewards<'_>,
        metric: Metric,
        estimate: Estimate<'_>,
        keep: impl Fn(StateCoefficients) -> S + Sync + Send,
    ) -> Self {
        let polynomial = match metric {
            Metric::Direct => Some(direct::polynomial()),
            Metric::Epic => Some(epic::polynomial(rewards, estimate, keep)),
            Metric::Dard => Some(dard::polynomial(rewards, estimate, keep)),
            Metric::Srrd => Some(srrd::polynomial(rewards, estimate, keep)),
            Metric::Projected | Metric::Npec => None,
        };
        Terms { polynomial, largest_prediction: 0.0 }
    }
}

/// The rewards with what states and edges add to them for one discount factor.
fn shifted(sample: &RewardSample, gamma: Gamma, states: Vec<[f64; 2]>, cross: &[f64], constant: f64) -> Vec<f64> {
    let gamma = gamma.get();
    let graph = &sample.graph;
    let reward = sample.rewards();
    if states.is_empty() {
        return reward.to_vec();
    }
    let ahead: Vec<f64> = states.iter().map(|[ahead, _]| gamma * (ahead - constant)).collect();
    let behind: Vec<f64> = states.iter().map(|[_, behind]| *behind).collect();
    drop(states);
    let mostly_single_actions = reward.len() - graph.edges() <= reward.len() / 16;
    let fill = |range: Range<u32>, canonical: &mut [f64]| {
        let shift = |e: usize| {
            let cross = cross.get(e).map_or(0.0, |cross| gamma * cross);
            ahead[graph.target(e) as usize] - behind[graph.source(e) as usize] - cross
        };
        if !mostly_single_actions || !cross.is_empty() {
            let edges = graph.first_edge(range.start)..graph.first_edge(range.end);
            add_shifts(graph, edges, shift, reward, canonical);
            return;
        }
        let mut rest = canonical;
        for s in range {
            let edges = graph.out_edges(s);
            let transitions = graph.first_transition(edges.start)..graph.first_transition(edges.end);
            let (row, after) = rest.split_at_mut(transitions.len());
            rest = after;
            if edges.len() == transitions.len() {
                // The common case, written so that it becomes vector instructions.
                let behind = behind[s as usize];
                let row = row.iter_mut().zip(&reward[transitions]).zip(graph.successors(s));
                row.for_each(|((c, r), &t)| *c = r + (ahead[t as usize] - behind));
            } else {
                add_shifts(graph, edges, shift, reward, row);
            }
        }
    };
    let start = |x: u32| graph.first_transition(graph.first_edge(x));
    parallel::fill_rows(graph.states(), start, reward.len() as u64, fill)
}

/// Fills in the canonical rewards of the transitions of some edges: the reward and what the edge adds to it.
fn add_shifts(graph: &Graph, edges: Range<usize>, shift: impl Fn(usize) -> f64, reward: &[f64], canonical: &mut [f64]) {
    // So many edges at a time that what was put down for them is still in the first-level cache when the rewards are added.
    const EDGES: usize = 512;
    // Most edges have one to four actions. Writing four values always, of which the next edge overwrites those that are its
    // own, takes less time than a branch that cannot be foreseen.
    const ACTIONS: usize = 4;
    let mut rest = canonical;
    for start in edges.clone().step_by(EDGES) {
        let end = edges.end.min(start + EDGES);
        let transitions = graph.first_transition(start)..graph.first_transition(end);
        let (canonical, after) = rest.split_at_mut(transitions.len());
        rest = after;
        for (e, bounds) in (start..end).zip(graph.transition_bounds(start..end).windows(2)) {
            let row = bounds[0] as usize - transitions.start..bounds[1] as usize - transitions.start;
            let shift = shift(e);
            match canonical[row.start..].first_chunk_mut::<ACTIONS>() {
                Some(values) if row.len() <= ACTIONS => *values = [shift; ACTIONS],
                _ => canonical[row].fill(shift),
            }
        }
        canonical.iter_mut().zip(&reward[transitions]).for_each(|(c, r)| *c += r);
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
///
/// # Panics
/// When potentials are to be functions of features and a state has none.
pub fn canonicalize(sample: &RewardSample, metric: Metric, settings: &Settings) -> Vec<f64> {
    if metric.info().projects && settings.potential != Potential::Tabular {
        return projected::canonical_by_functions(sample, settings);
    }
    // As a form at this discount factor, but that half as much has to be kept of every state.
    let gamma = settings.gamma;
    let keep = |state: StateCoefficients| state.at(gamma.get());
    match Terms::new(sample, metric, settings.estimator, settings.seed, keep).polynomial {
        None => projected::canonical(sample, gamma),
        Some(Polynomial { states, cross, constant }) => shifted(sample, gamma, states, &cross, constant),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Duplicates;
    use proptest::prelude::*;

    #[test]
    fn every_metric_has_its_entry() {
        for (info, metric) in METRICS.iter().zip(Metric::ALL) {
            assert_eq!(info.metric, metric);
            assert_eq!(metric.info().name.parse(), Ok(metric));
            assert_eq!(info.paper, Metric::PAPER.contains(&metric));
            assert_eq!(info.shown, Metric::SHOWN.contains(&metric));
        }
        let error = "SRRD".parse::<Metric>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no metric 'SRRD': choose among direct, epic, dard, srrd, projected, npec"
        );
    }

    proptest! {
        #[test]
        fn canonicalizing_at_once_is_a_form_at_that_discount_factor_to_the_bit(
            rows in prop::collection::vec((0..30u32, 0..4u32, 0..30u32, -5.0..5.0f64), 1..300),
            gamma in 0.0..=1.0f64, size in 1..40usize, seed in any::<u64>(),
        ) {
            use crate::settings::{Actions, Batch};
            let sample = RewardSample::from_rows(rows, Duplicates::Mean).unwrap();
            let gamma = Gamma::new(gamma).unwrap();
            let bits = |values: Vec<f64>| values.into_iter().map(f64::to_bits).collect::<Vec<_>>();
            for metric in Metric::ALL {
                for estimator in [
                    Estimator::Double { actions: Actions::Marginal, batch: Batch::All },
                    Estimator::Double { actions: Actions::Joint, batch: Batch::size(size).unwrap() },
                    Estimator::Unbiased,
                ] {
                    let settings = Settings { gamma, estimator, seed, ..Settings::default() };
                    let form = CanonicalForm::new(&sample, metric, estimator, seed);
                    prop_assert_eq!(bits(canonicalize(&sample, metric, &settings)), bits(form.at(gamma)), "{}", metric);
                }
            }
        }

        #[test]
        fn every_transition_gets_the_shift_of_its_edge(
            rows in prop::collection::vec((0..40u32, 0..7u32, 0..40u32, -5.0..5.0f64), 1..2500),
            from in 0.0..1.0f64, length in 0.0..1.0f64,
        ) {
            let sample = RewardSample::from_rows(rows, Duplicates::Last).unwrap();
            let graph = &sample.graph;
            let start = (from * graph.edges() as f64) as usize;
            let end = start + (length * (graph.edges() - start) as f64) as usize;
            let shift = |e: usize| e as f64 * 0.37;
            let expected: Vec<f64> = (start..end)
                .flat_map(|e| graph.transitions(e).map(move |t| (e, t)))
                .map(|(e, t)| sample.reward[t] + shift(e))
                .collect();
            let mut found = vec![f64::NAN; expected.len()];
            add_shifts(graph, start..end, shift, &sample.reward, &mut found);
            prop_assert_eq!(found, expected);
        }
    }
}
