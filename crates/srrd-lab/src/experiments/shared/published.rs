//! EPIC and DARD as the paper's code computes them, for reports that explain why figures differ. They are no metrics of ours.
//!
//! With R(x, y) the mean reward over the actions from x to y, 0 where none was sampled, and succ(x) the states that sampled transitions from x
//! end in:
//! - EPIC: R(s, a, s') + γ·E[R(s', ·)] − E[R(s, ·)] − E[R(·, ·)] over all explored states; the last term lacks γ.
//! - DARD in Experiment 1: N = succ(s) in all three places,
//!   R(s, a, s') + γ·Σ R(s', N)/|N| − Σ R(s, N)/|N| − Σ R(N, N)/|N|².
//! - DARD in Experiment 2: X' = succ(s), X'' = succ(s'), n = |X' ∪ X''|,
//!   R(s, a, s') + γ·Σ R(s', X'')/n − Σ R(s, X')/n − γ·Σ R(X', X'')/n².
//!
//! O(transitions · successors²), for the small samples of experiments.

use crate::error::LabError;
use crate::values::Measure;
use srrd::{Metric, RewardSample};
use std::collections::{BTreeSet, HashMap};

/// Whose code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// That of Experiment 1.
    Coverage,
    /// That of Experiment 2.
    Classification,
}

/// The terms of a canonical reward, by transition: R + γ·next − state − last, the last one with γ or without.
pub struct Published<'a> {
    sample: &'a RewardSample,
    next: Vec<f64>,
    state: Vec<f64>,
    last: Vec<f64>,
    last_has_gamma: bool,
}

impl<'a> Published<'a> {
    /// The terms of a sample.
    pub fn new(sample: &'a RewardSample, measure: Measure, code: Code) -> Self {
        let edges = Edges::of(sample);
        let dard = measure.metric == Metric::Dard;
        let mut found = Published {
            sample,
            next: Vec::new(),
            state: Vec::new(),
            last: Vec::new(),
            last_has_gamma: dard && code == Code::Classification,
        };
        let all: Vec<u32> = (0..sample.states().len() as u32).collect();
        let count = all.len() as f64;
        let of_all: Vec<f64> = all.iter().map(|&x| edges.sum(&[x], &all)).collect();
        let whole = of_all.iter().sum::<f64>() / (count * count);
        for (s, _, next) in sample.ids() {
            let [state, after, last] = match (dard, code) {
                (false, _) => [of_all[s as usize] / count, of_all[next as usize] / count, whole],
                (true, Code::Coverage) => {
                    let near = sample.successors(s);
                    let n = near.len() as f64;
                    [edges.sum(&[s], near) / n, edges.sum(&[next], near) / n, edges.sum(near, near) / (n * n)]
                }
                (true, Code::Classification) => {
                    let (near, far) = (sample.successors(s), sample.successors(next));
                    let n = near.iter().chain(far).collect::<BTreeSet<_>>().len() as f64;
                    [edges.sum(&[s], near) / n, edges.sum(&[next], far) / n, edges.sum(near, far) / (n * n)]
                }
            };
            found.next.push(after);
            found.state.push(state);
            found.last.push(last);
        }
        found
    }

    /// The sample with its canonical rewards.
    pub fn canonical(&self, gamma: f64) -> Result<RewardSample, LabError> {
        let last = if self.last_has_gamma { gamma } else { 1.0 };
        let rewards = self.sample.rewards().iter().enumerate();
        let rewards = rewards.map(|(t, reward)| reward + gamma * self.next[t] - self.state[t] - last * self.last[t]);
        self.sample.with_rewards(rewards.collect()).map_err(LabError::failed)
    }
}

/// The mean reward of every sampled edge.
struct Edges(HashMap<(u32, u32), f64>);

impl Edges {
    fn of(sample: &RewardSample) -> Self {
        let mut sums: HashMap<(u32, u32), (f64, f64)> = HashMap::new();
        for ((state, _, next), reward) in sample.ids().zip(sample.rewards()) {
            let (sum, count) = sums.entry((state, next)).or_default();
            *sum += reward;
            *count += 1.0;
        }
        Edges(sums.into_iter().map(|(edge, (sum, count))| (edge, sum / count)).collect())
    }

    fn sum(&self, from: &[u32], to: &[u32]) -> f64 {
        let reward = |x: u32, y: u32| self.0.get(&(x, y)).copied().unwrap_or(0.0);
        from.iter().map(|&x| to.iter().map(|&y| reward(x, y)).sum::<f64>()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use srrd::settings::{Actions, Batch, Estimator};
    use srrd::{Duplicates, Gamma, Settings, canonicalize};

    /// s0 to s1 and s2, s1 to s2, s2 to s0, and s1 to itself by two actions.
    fn sample() -> RewardSample {
        let rows = [(0, 0, 1, 1.0), (0, 0, 2, 2.0), (1, 0, 2, 4.0), (2, 0, 0, 8.0), (1, 0, 1, 10.0), (1, 1, 1, 20.0)];
        RewardSample::from_rows(rows, Duplicates::Mean).unwrap()
    }

    #[test]
    fn values_are_those_of_the_formulas_worked_out_by_hand() {
        let sample = sample();
        let of = |code| Published::new(&sample, Measure::PUBLISHED[1], code).canonical(0.5).unwrap().rewards()[0];
        // (s0, 0, s1): N = {s1, s2}; R(s1, N) = 15 + 4, R(s0, N) = 1 + 2, R(N, N) = 15 + 4 + 0 + 0.
        let expected = 1.0 + 0.5 * 19.0 / 2.0 - 3.0 / 2.0 - 19.0 / 4.0;
        assert!((of(Code::Coverage) - expected).abs() < 1e-12);
        // X' = {s1, s2}, X'' = {s1, s2}, n = 2, and γ in the last term.
        let expected = 1.0 + 0.5 * 19.0 / 2.0 - 3.0 / 2.0 - 0.5 * 19.0 / 4.0;
        assert!((of(Code::Classification) - expected).abs() < 1e-12);
    }

    #[test]
    fn epic_as_published_differs_by_a_constant() {
        let sample = sample();
        let published = Published::new(&sample, Measure::PUBLISHED[0], Code::Coverage).canonical(0.5).unwrap();
        let estimator = Estimator::Double { actions: Actions::Marginal, batch: Batch::All };
        let settings = Settings { gamma: Gamma::new(0.5).unwrap(), estimator, ..Settings::default() };
        let defined = canonicalize(&sample, Metric::Epic, &settings);
        let off: Vec<f64> = published.rewards().iter().zip(&defined).map(|(a, b)| a - b).collect();
        // E[R] = (1 + 2 + 15 + 4 + 8) / 9, of which half is missing.
        assert!(off.iter().all(|off| (off + 0.5 * 30.0 / 9.0).abs() < 1e-12), "{off:?}");
    }
}
