//! Optimal values and values of policies, on sparse dynamics.
//!
//! States of which no action is known are ends: their value is 0. Every sweep reads the values of the one before, so nothing depends on the
//! number of threads. A sweep that changes values by Δ between `low` and `high` leaves them between TV + γ/(1 − γ)·low and the same with
//! `high` (MacQueen); that is when it stops. Between two looks for better actions the policy's own values are solved for by
//! BiCGSTAB, without which sweeps would need 1/(1 − γ) times as many; where that does not help, sweeps go on alone.

use crate::dynamics::Dynamics;
use crate::run::{checkpoint, parallel};
use crate::sparse::dot;

/// Values are right to this part of the largest possible, or to what rounding leaves of them.
const PRECISE: f64 = 1e-12;
/// How many steps a linear solution gets.
const STEPS: usize = 200;
/// How many sweeps follow a linear solution before better actions are looked for.
const SWEEPS: usize = 3;
/// To which part of what is left a linear solution brings it before better actions are looked for: more would be lost on a policy
/// that changes anyway.
const ENOUGH: f64 = 0.01;

/// A decision process without its reward.
pub(super) struct Solver<'a> {
    dynamics: &'a Dynamics,
    gamma: f64,
}

/// How likely a policy takes every known pair (s, a).
pub(super) type Policy = Vec<f64>;

impl<'a> Solver<'a> {
    /// γ < 1.
    pub fn new(dynamics: &'a Dynamics, gamma: f64) -> Self {
        Solver { dynamics, gamma }
    }

    /// The value of a pair (s, a), of which it has the number.
    fn worth(&self, pair: usize, rewards: &[f64], values: &[f64]) -> f64 {
        rewards[pair] + self.gamma * self.dynamics.of_pair(pair).mean(|t| values[t])
    }

    /// How large values can be.
    pub fn scale(&self, rewards: &[f64]) -> f64 {
        rewards.iter().fold(0.0, |most: f64, r| most.max(r.abs())) / (1.0 - self.gamma)
    }

    fn tolerance(&self, rewards: &[f64]) -> f64 {
        PRECISE.max(8.0 * f64::EPSILON / (1.0 - self.gamma)) * self.scale(rewards)
    }

    /// V*: of every state what the best policy earns from there.
    pub fn optimal(&self, rewards: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; self.dynamics.states()];
        loop {
            let best = parallel::map(values.len(), |s| self.best(s, rewards, &values));
            if let Some(found) = self.finished(rewards, &values, |s| best[s].map(|(value, _)| value)) {
                return found;
            }
            let mut policy = vec![0.0; self.dynamics.pairs()];
            best.iter().flatten().for_each(|&(_, pair)| policy[pair] = 1.0);
            values = best.iter().map(|best| best.map_or(0.0, |(value, _)| value)).collect();
            self.chain(rewards, &policy).towards(&mut values, self.tolerance(rewards) * (1.0 - self.gamma));
        }
    }

    /// The first best pair of a state, and its value.
    fn best(&self, state: usize, rewards: &[f64], values: &[f64]) -> Option<(f64, usize)> {
        let pairs = self.dynamics.pairs_of(state).map(|pair| (self.worth(pair, rewards, values), pair));
        pairs.reduce(|best, next| if next.0 > best.0 { next } else { best })
    }

    /// All best actions alike: those whose values are within `tie` of the best.
    pub fn greedy(&self, rewards: &[f64], values: &[f64], tie: f64) -> Policy {
        let mut policy = vec![0.0; self.dynamics.pairs()];
        for state in 0..self.dynamics.states() {
            let pairs = self.dynamics.pairs_of(state);
            let Some((best, _)) = self.best(state, rewards, values) else { continue };
            let good = |pair: &usize| self.worth(*pair, rewards, values) >= best - tie;
            let count = pairs.clone().filter(good).count() as f64;
            pairs.filter(good).for_each(|pair| policy[pair] = 1.0 / count);
        }
        policy
    }

    /// What a policy earns from every state.
    pub fn evaluate(&self, rewards: &[f64], policy: &Policy) -> Vec<f64> {
        let chain = self.chain(rewards, policy);
        let mut values = vec![0.0; self.dynamics.states()];
        loop {
            chain.towards(&mut values, self.tolerance(rewards) * (1.0 - self.gamma));
            let next = chain.sweep(&values);
            let known = |s: usize| (!self.dynamics.pairs_of(s).is_empty()).then_some(next[s]);
            if let Some(found) = self.finished(rewards, &values, known) {
                return found;
            }
            values = next;
        }
    }

    /// What a policy makes of the process.
    fn chain(&self, rewards: &[f64], policy: &Policy) -> Chain {
        let mut chain = Chain { start: vec![0], next: Vec::new(), weight: Vec::new(), earned: Vec::new() };
        for state in 0..self.dynamics.states() {
            let mut earned = 0.0;
            for pair in self.dynamics.pairs_of(state).filter(|&pair| policy[pair] > 0.0) {
                earned += policy[pair] * rewards[pair];
                for (next, probability) in self.dynamics.of_pair(pair).iter() {
                    chain.next.push(next as u32);
                    chain.weight.push(self.gamma * policy[pair] * probability);
                }
            }
            chain.earned.push(earned);
            chain.start.push(chain.next.len());
        }
        chain
    }

    /// The middle of the bounds, where they are close enough; `next` are the values after a sweep, `None` for ends.
    fn finished(
        &self,
        rewards: &[f64],
        values: &[f64],
        next: impl Fn(usize) -> Option<f64> + Sync,
    ) -> Option<Vec<f64>> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (s, value) in values.iter().enumerate() {
            let change = next(s).unwrap_or(0.0) - value;
            (low, high) = (low.min(change), high.max(change));
        }
        let ahead = self.gamma / (1.0 - self.gamma);
        let middle = 0.5 * ahead * (low + high);
        (0.5 * ahead * (high - low) <= self.tolerance(rewards))
            .then(|| (0..values.len()).map(|s| next(s).map_or(0.0, |value| value + middle)).collect())
    }
}

/// A process under one policy: v = r + γP v.
struct Chain {
    /// By state, where its next states start.
    start: Vec<usize>,
    next: Vec<u32>,
    /// γ P(s' | s)
    weight: Vec<f64>,
    earned: Vec<f64>,
}

impl Chain {
    /// γP v
    fn ahead(&self, values: &[f64]) -> Vec<f64> {
        parallel::map(values.len(), |s| {
            let here = self.start[s]..self.start[s + 1];
            self.next[here.clone()].iter().zip(&self.weight[here]).map(|(t, w)| w * values[*t as usize]).sum()
        })
    }

    fn sweep(&self, values: &[f64]) -> Vec<f64> {
        let mut next = self.ahead(values);
        next.iter_mut().zip(&self.earned).for_each(|(next, earned)| *next += earned);
        next
    }

    /// Brings values closer to those of the policy, until a sweep changes them by less than `wanted` or much less than before.
    fn towards(&self, values: &mut Vec<f64>, wanted: f64) {
        self.bicgstab(values, wanted);
        for _ in 0..SWEEPS {
            checkpoint();
            *values = self.sweep(values);
        }
    }

    /// Solves (I − γP) v = r from given values, by BiCGSTAB; where it comes no closer, they stay.
    fn bicgstab(&self, values: &mut Vec<f64>, wanted: f64) {
        let apply = |v: &[f64]| -> Vec<f64> {
            checkpoint();
            let mut image = self.ahead(v);
            image.iter_mut().zip(v).for_each(|(ahead, v)| *ahead = v - *ahead);
            image
        };
        let residual = |v: &[f64]| -> Vec<f64> { self.sweep(v).iter().zip(v).map(|(next, v)| next - v).collect() };
        let largest = |v: &[f64]| v.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let mut left = residual(values);
        let before = largest(&left);
        let wanted = wanted.max(ENOUGH * before);
        let (shadow, mut x) = (left.clone(), values.clone());
        let mut direction = left.clone();
        let mut rho = dot(&shadow, &left);
        for _ in 0..STEPS {
            if largest(&left) <= wanted {
                break;
            }
            let image = apply(&direction);
            let alpha = rho / dot(&shadow, &image);
            let half: Vec<f64> = left.iter().zip(&image).map(|(l, i)| l - alpha * i).collect();
            let second = apply(&half);
            let omega = dot(&second, &half) / dot(&second, &second);
            if !(alpha.is_finite() && omega.is_finite()) || omega == 0.0 {
                x.iter_mut().zip(&direction).filter(|_| alpha.is_finite()).for_each(|(x, d)| *x += alpha * d);
                break;
            }
            for (i, x) in x.iter_mut().enumerate() {
                *x += alpha * direction[i] + omega * half[i];
                left[i] = half[i] - omega * second[i];
            }
            let next = dot(&shadow, &left);
            let beta = next / rho * (alpha / omega);
            rho = next;
            if !beta.is_finite() {
                break;
            }
            for (i, d) in direction.iter_mut().enumerate() {
                *d = left[i] + beta * (*d - omega * image[i]);
            }
        }
        if x.iter().all(|x| x.is_finite()) && largest(&residual(&x)) < before {
            *values = x;
        }
    }
}
