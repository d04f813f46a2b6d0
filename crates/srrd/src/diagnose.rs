//! Why a distance can or cannot be trusted: how much of what a metric needs was sampled.
//!
//! Every term of a canonical reward is an expectation over a cross-product of two sets. The fraction of it that was sampled
//! is what the double-batch estimate of the term gives when every sampled reward is 1. Terms over *forward* transitions
//! (X_i, A, X_j), where X_j follows from X_i, are mostly sampled; *non-forward* ones mostly are not.

use crate::estimate::batch::BatchSet;
use crate::estimate::{Estimate, Rewards, Term};
use crate::metric::Metric;
use crate::sample::RewardSample;

/// How much of a metric's terms was sampled.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricCoverage {
    /// The metric.
    pub metric: Metric,
    /// Its expectation terms, in the order of its formula.
    pub terms: Vec<TermCoverage>,
}

/// How much of one term was sampled, over all transitions that are canonicalized.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TermCoverage {
    /// The term as the paper writes it.
    pub name: &'static str,
    /// Whether it is over forward transitions.
    pub forward: bool,
    /// How many transitions the term's cross-products hold, summed over the transitions that are canonicalized (a term that
    /// is the same for all of them counts once).
    pub needed: f64,
    /// How many of those were sampled.
    pub sampled: f64,
}

impl TermCoverage {
    /// sampled / needed; `None` when nothing is needed.
    pub fn fraction(&self) -> Option<f64> {
        (self.needed > 0.0).then(|| self.sampled / self.needed)
    }
}

impl MetricCoverage {
    /// The sampled fraction over all forward (or all non-forward) terms; `None` when there are none.
    pub fn fraction(&self, forward: bool) -> Option<f64> {
        let of_kind = || self.terms.iter().filter(|t| t.forward == forward);
        let needed: f64 = of_kind().map(|t| t.needed).sum();
        (needed > 0.0).then(|| of_kind().map(|t| t.sampled).sum::<f64>() / needed)
    }
}

/// How much of each term of a metric was sampled, with the sets intersected with `batch`.
///
/// With a batch of states a transition counts as sampled when any action was; with one of pairs, actions count separately.
/// The cost is that of canonicalizing.
///
/// ```
/// use srrd::batch::BatchSet;
/// use srrd::diagnose::term_coverage;
/// use srrd::settings::Actions;
/// use srrd::{Duplicates, Metric, RewardSample};
/// let rows = [("home", "walk", "park", 1.0), ("park", "walk", "home", 0.5), ("park", "wait", "park", 2.0)];
/// let sample = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let found = term_coverage(&sample, Metric::Epic, &BatchSet::all(&sample, Actions::Marginal));
/// for term in &found.terms {
///     println!("{}: {} of {}", term.name, term.sampled, term.needed);
/// }
/// assert!(found.terms.iter().all(|term| term.sampled <= term.needed));
/// # Ok::<(), srrd::SampleError>(())
/// ```
pub fn term_coverage(sample: &RewardSample, metric: Metric, batch: &BatchSet) -> MetricCoverage {
    let ones = vec![1.0; sample.len()];
    let rewards = Rewards { graph: &sample.graph, action: &sample.action, reward: &ones };
    let terms = metric.coverage(rewards, Estimate::Double(batch), &Counts::new(sample));
    MetricCoverage { metric, terms }
}

/// How many transitions start from every state, and how many end in it.
pub(crate) struct Counts {
    pub starting: Vec<f64>,
    pub ending: Vec<f64>,
}

impl Counts {
    fn new(sample: &RewardSample) -> Self {
        let graph = &sample.graph;
        let (mut starting, mut ending) = (vec![0.0; graph.states()], vec![0.0; graph.states()]);
        for e in 0..graph.edges() {
            starting[graph.source(e) as usize] += f64::from(graph.multiplicity(e));
            ending[graph.target(e) as usize] += f64::from(graph.multiplicity(e));
        }
        Counts { starting, ending }
    }
}

/// A term with a value for every state or edge, which counts so many `times`.
pub(crate) fn pooled(
    name: &'static str,
    forward: bool,
    terms: impl Iterator<Item = Term>,
    times: &[f64],
) -> TermCoverage {
    let (mut needed, mut sampled) = (0.0, 0.0);
    for (term, times) in terms.zip(times) {
        needed += term.size * times;
        sampled += term.sum * times;
    }
    TermCoverage { name, forward, needed, sampled }
}

/// A term that is the same for all transitions.
pub(crate) fn once(name: &'static str, forward: bool, term: Term) -> TermCoverage {
    TermCoverage { name, forward, needed: term.size, sampled: term.sum }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Duplicates;
    use crate::settings::Actions;

    #[test]
    fn fractions_are_those_counted_by_hand() {
        // 0 -> 1 (two actions), 1 -> 2, 2 -> 0; four transitions, all 3 states initial and subsequent.
        let rows = [(0, 0, 1, 5.0), (0, 1, 1, 6.0), (1, 0, 2, 7.0), (2, 0, 0, 8.0)];
        let sample = RewardSample::from_rows(rows, Duplicates::Error).unwrap();
        let batch = BatchSet::all(&sample, Actions::Marginal);
        let counted = |metric| {
            let coverage = term_coverage(&sample, metric, &batch);
            coverage.terms.iter().map(|t| (t.sampled, t.needed)).collect::<Vec<_>>()
        };
        assert_eq!(counted(Metric::Direct), []);
        // Each state has one successor out of three; three of nine pairs are joined.
        assert_eq!(counted(Metric::Epic), [(4.0, 12.0), (4.0, 12.0), (3.0, 9.0)]);
        // S' = {s'}, S'' = {succ(s')}, always joined.
        assert_eq!(counted(Metric::Dard), [(4.0, 4.0), (4.0, 4.0), (4.0, 4.0)]);
        // From all three states, one leads to S6 = {two steps on}.
        let srrd = [(4.0, 4.0), (4.0, 4.0), (3.0, 9.0), (4.0, 4.0), (4.0, 4.0), (4.0, 12.0), (4.0, 12.0)];
        assert_eq!(counted(Metric::Srrd), srrd);
        let coverage = term_coverage(&sample, Metric::Srrd, &batch);
        assert_eq!(coverage.fraction(true), Some(19.0 / 25.0));
        assert_eq!(coverage.fraction(false), Some(8.0 / 24.0));
        assert_eq!(term_coverage(&sample, Metric::Direct, &batch).fraction(true), None);
    }

    #[test]
    fn full_coverage_is_full_in_every_term() {
        let rows = (0..4).flat_map(|s| (0..2).flat_map(move |a| (0..4).map(move |t| (s, a, t, 0.5))));
        let sample = RewardSample::from_rows(rows, Duplicates::Error).unwrap();
        for metric in Metric::ALL {
            let coverage = term_coverage(&sample, metric, &BatchSet::all(&sample, Actions::Marginal));
            assert!(coverage.terms.iter().all(|t| t.fraction() == Some(1.0)), "{coverage:?}");
        }
    }
}
