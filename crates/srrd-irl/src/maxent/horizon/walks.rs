//! The likelihood of walks by rewards of states, and its slope.

use std::ops::Range;

use srrd::run::checkpoint;
use srrd::trajectories::End;

use crate::problem::Problem;
use crate::run::Task;

/// The walks of a set by time, and where actions lead as plain lists: they are gone through T times a slope.
pub(super) struct Walks {
    pub gamma: f64,
    pub states: usize,
    pub horizon: usize,
    /// By state, where its pairs start, and how many there are at the end.
    pub pairs: Vec<usize>,
    /// By pair, where its outcomes start, and how many there are at the end.
    outcomes: Vec<usize>,
    /// By outcome, the next state and the probability to come there and go on.
    ahead: Vec<(u32, f64)>,
    /// How often every pair was taken after so many steps: `[t · pairs + pair]`.
    counts: Vec<f64>,
    /// By time, the share of the walks that are not over that take another step.
    pub going: Vec<f64>,
}

/// The likelihood at some rewards, its slope along them, and the policy by time: `[t · pairs + pair]`.
pub(super) struct Slope {
    pub likelihood: f64,
    pub slope: Vec<f64>,
    pub policies: Vec<f64>,
}

impl Walks {
    pub fn new(task: &Task<'_>, horizon: usize, gamma: f64) -> Result<Self, Problem> {
        let (dynamics, ended) = (task.model.dynamics(), task.model.ended());
        let place: Vec<usize> = task.places().map(|(pair, _)| pair).collect();
        let mut counts = vec![0.0; horizon * dynamics.pairs()];
        // By time, how many walks take a step, and how many were broken off.
        let (mut acting, mut broken) = (vec![0.0; horizon], vec![0.0; horizon]);
        for (rows, end) in task.set().episodes() {
            if rows.len() > horizon {
                let why = format!("{}: an episode has {} steps, more than the horizon", task.set().name(), rows.len());
                return Err(Problem::Value { option: "horizon", why });
            }
            for (t, &row) in rows.iter().enumerate() {
                counts[t * dynamics.pairs() + place[row as usize]] += 1.0;
                acting[t] += 1.0;
            }
            if end != End::Terminated && rows.len() < horizon {
                broken[rows.len()] += 1.0;
            }
        }
        let share = |(acting, broken): (&f64, &f64)| if *acting > 0.0 { acting / (acting + broken) } else { 0.0 };
        let going = acting.iter().zip(&broken).map(share).collect();
        let mut walks = Walks {
            gamma,
            states: dynamics.states(),
            horizon,
            pairs: (0..dynamics.states()).map(|s| dynamics.pairs_of(s).start).collect(),
            outcomes: (0..dynamics.pairs()).map(|pair| dynamics.outcomes_of(pair).start).collect(),
            ahead: Vec::with_capacity(dynamics.outcomes()),
            counts,
            going,
        };
        for pair in 0..dynamics.pairs() {
            let ended = &ended[dynamics.outcomes_of(pair)];
            walks.ahead.extend(dynamics.of_pair(pair).iter().zip(ended).map(|((to, p), e)| (to as u32, p * (1.0 - e))));
        }
        walks.pairs.push(dynamics.pairs());
        walks.outcomes.push(walks.ahead.len());
        Ok(walks)
    }

    /// How many steps there are.
    pub fn steps(&self) -> f64 {
        self.counts.iter().sum()
    }

    /// How many next states all pairs have together.
    pub fn outcomes(&self) -> usize {
        self.ahead.len()
    }

    fn all_pairs(&self) -> usize {
        self.outcomes.len() - 1
    }

    /// Where a pair leads: next states, and the probability to come there and go on.
    pub fn ahead(&self, pair: usize) -> &[(u32, f64)] {
        &self.ahead[self.outcomes[pair]..self.outcomes[pair + 1]]
    }

    /// How often pairs were taken after t steps.
    pub fn counts(&self, t: usize) -> &[f64] {
        &self.counts[t * self.all_pairs()..][..self.all_pairs()]
    }

    /// The pairs of a state and an action that a state has.
    pub fn pairs_of(&self, state: usize) -> Range<usize> {
        self.pairs[state]..self.pairs[state + 1]
    }

    /// Of policies, that after t steps.
    pub fn policy<'a>(&self, policies: &'a [f64], t: usize) -> &'a [f64] {
        &policies[t * self.all_pairs()..][..self.all_pairs()]
    }

    /// The likelihood and its slope along the rewards of states.
    pub fn climb(&self, reward: &[f64]) -> Slope {
        checkpoint();
        let mut policies = vec![0.0; self.horizon * self.all_pairs()];
        let (mut values, mut next) = (vec![0.0; self.states], vec![0.0; self.states]);
        let mut likelihood = 0.0;
        for t in (0..self.horizon).rev() {
            let counts = self.counts(t);
            let policy = &mut policies[t * self.all_pairs()..][..self.all_pairs()];
            for s in 0..self.states {
                let pairs = self.pairs_of(s);
                if pairs.is_empty() {
                    next[s] = reward[s];
                    continue;
                }
                let mut most = f64::NEG_INFINITY;
                for pair in pairs.clone() {
                    let value: f64 = self.ahead(pair).iter().map(|&(to, p)| p * values[to as usize]).sum();
                    policy[pair] = self.gamma * value;
                    most = most.max(policy[pair]);
                }
                let (mut visits, mut sum) = (0.0, 0.0);
                for pair in pairs.clone() {
                    let above = policy[pair] - most;
                    likelihood += counts[pair] * above;
                    visits += counts[pair];
                    policy[pair] = above.exp();
                    sum += policy[pair];
                }
                let log = sum.ln();
                likelihood -= visits * log;
                policy[pairs].iter_mut().for_each(|share| *share /= sum);
                next[s] = reward[s] + most + log;
            }
            std::mem::swap(&mut values, &mut next);
        }
        Slope { likelihood, slope: self.slope(&policies), policies }
    }

    fn slope(&self, policies: &[f64]) -> Vec<f64> {
        let (mut slope, mut arriving) = (vec![0.0; self.states], vec![0.0; self.states]);
        let mut next = vec![0.0; self.states];
        for t in 0..self.horizon {
            let (counts, policy) = (self.counts(t), self.policy(policies, t));
            next.fill(0.0);
            for s in 0..self.states {
                let pairs = self.pairs_of(s);
                if pairs.is_empty() {
                    // Nobody acts there: its reward is all that follows.
                    slope[s] += arriving[s];
                }
                let total: f64 = counts[pairs.clone()].iter().sum();
                for pair in pairs {
                    let flow = counts[pair] + policy[pair] * (arriving[s] - total);
                    slope[s] += flow;
                    self.ahead(pair).iter().for_each(|&(to, p)| next[to as usize] += self.gamma * p * flow);
                }
            }
            std::mem::swap(&mut arriving, &mut next);
        }
        slope
    }
}
