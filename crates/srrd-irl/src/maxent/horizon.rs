//! Rewards of states for agents that know how many steps they have.
//!
//! ```text
//! Q_t(s, a) = r(s) + γ Σ P(s' | s, a) V_t+1(s'),   V_t(s) = log Σ_a exp Q_t(s, a),   V_T = 0,   π_t(a | s) = exp(Q_t − V_t)
//! ```
//!
//! Values depend on the time left, so that they are no unknowns of a logit as without a horizon. The likelihood of the demonstrated actions is
//! concave in r where actions are certain. It is climbed by L-BFGS. Its slope along r(s) flows forward in time: with n_t(s, a)
//! the steps that were at s after t steps and took a,
//!
//! ```text
//! G_t(s, a) = n_t(s, a) − n_t(s) π_t(a | s) + π_t(a | s) M_t(s),   M_t+1(s') = γ Σ P(s' | s, a) G_t(s, a),   slope(s) = Σ_t Σ_a G_t(s, a)
//! ```
//!
//! With γ = 1 it is 0 exactly where states are visited as often as demonstrated (on average over walks that start alike).
//!
//! O(T · outcomes) a slope, some tens of slopes.

use srrd::run::checkpoint;

use super::{Found, MaxEnt};
use crate::learned::Iterate;
use crate::problem::Problem;
use crate::run::Task;
use crate::watch::Watch;

/// How many steps L-BFGS remembers.
const MEMORY: usize = 40;
const HALVINGS: usize = 40;
/// The largest element of the slope per step, at the end.
const GRADIENT: f64 = 1e-7;

/// How often every pair was taken after so many steps: `[t][pair]`.
fn counts(task: &Task<'_>, horizon: usize) -> Result<Vec<Vec<f64>>, Problem> {
    let pairs: Vec<usize> = task.places().map(|(pair, _)| pair).collect();
    let mut counts = vec![vec![0.0; task.model.dynamics().pairs()]; horizon];
    for (rows, _) in task.set().episodes() {
        if rows.len() > horizon {
            let why = format!("{}: an episode has {} steps, more than the horizon", task.set().name(), rows.len());
            return Err(Problem::Value { option: "horizon", why });
        }
        rows.iter().zip(&mut counts).for_each(|(&row, at)| at[pairs[row as usize]] += 1.0);
    }
    Ok(counts)
}

/// The likelihood and its slope along the rewards of states.
fn climb(task: &Task<'_>, gamma: f64, counts: &[Vec<f64>], reward: &[f64]) -> (f64, Vec<f64>) {
    checkpoint();
    let (dynamics, ended) = (task.model.dynamics(), task.model.ended());
    let (states, horizon) = (dynamics.states(), counts.len());
    let mut policies = vec![vec![0.0; dynamics.pairs()]; horizon];
    let mut values = vec![0.0; states];
    let mut likelihood = 0.0;
    for t in (0..horizon).rev() {
        let mut next = reward.to_vec();
        for s in 0..states {
            let pairs = dynamics.pairs_of(s);
            if pairs.is_empty() {
                continue;
            }
            let policy = &mut policies[t][pairs.clone()];
            let mut visits = 0.0;
            for (worth, pair) in policy.iter_mut().zip(pairs.clone()) {
                let outcomes = dynamics.of_pair(pair).iter().zip(&ended[dynamics.outcomes_of(pair)]);
                *worth = gamma * outcomes.map(|((to, p), ended)| p * (1.0 - ended) * values[to]).sum::<f64>();
            }
            let most = policy.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let mut sum = 0.0;
            for (worth, count) in policy.iter_mut().zip(&counts[t][pairs]) {
                let above = *worth - most;
                likelihood += count * above;
                visits += count;
                *worth = above.exp();
                sum += *worth;
            }
            likelihood -= visits * sum.ln();
            policy.iter_mut().for_each(|share| *share /= sum);
            next[s] = reward[s] + most + sum.ln();
        }
        values = next;
    }
    let (mut slope, mut arriving) = (vec![0.0; states], vec![0.0; states]);
    for t in 0..horizon {
        let mut next = vec![0.0; states];
        for s in 0..states {
            let pairs = dynamics.pairs_of(s);
            let total: f64 = counts[t][pairs.clone()].iter().sum();
            if pairs.is_empty() {
                // Nobody acts there: its reward is all that follows.
                slope[s] += arriving[s];
            }
            for pair in pairs {
                let flow = counts[t][pair] + policies[t][pair] * (arriving[s] - total);
                slope[s] += flow;
                let outcomes = dynamics.of_pair(pair).iter().zip(&ended[dynamics.outcomes_of(pair)]);
                outcomes.for_each(|((to, p), ended)| next[to] += gamma * p * (1.0 - ended) * flow);
            }
        }
        arriving = next;
    }
    (likelihood, slope)
}

/// Rewards of states with a horizon.
pub(super) fn of_states(
    settings: &MaxEnt,
    task: &Task<'_>,
    horizon: usize,
    watch: &mut Watch<'_>,
) -> Result<Found, Problem> {
    let counts = counts(task, horizon)?;
    let (gamma, ridge) = (settings.gamma.get(), settings.ridge);
    let total: f64 = counts.iter().flatten().sum();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let at = |reward: &[f64]| {
        let (likelihood, mut slope) = climb(task, gamma, &counts, reward);
        slope.iter_mut().zip(reward).for_each(|(slope, r)| *slope -= ridge * r);
        (likelihood - 0.5 * ridge * dot(reward, reward), slope)
    };
    let by_row = |reward: &[f64]| -> Vec<f64> {
        task.set().rows().iter().map(|row| reward[task.state_in_model(row.state) as usize]).collect()
    };
    let largest = |slope: &[f64]| slope.iter().fold(0.0f64, |most, s| most.max(s.abs())) / total;
    let mut reward = vec![0.0; task.model.dynamics().states()];
    let (mut value, mut slope) = at(&reward);
    let mut memory: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    let mut converged = largest(&slope) <= GRADIENT;
    while !converged && watch.goes_on() {
        let step = direction(&memory, &slope);
        let promised = dot(&step, &slope);
        // The first step has no scale to go by.
        let mut length = if memory.is_empty() { 1.0 / dot(&slope, &slope).sqrt() } else { 1.0 };
        let found = (0..HALVINGS).find_map(|_| {
            let next: Vec<f64> = reward.iter().zip(&step).map(|(r, s)| r + length * s).collect();
            let (next_value, next_slope) = at(&next);
            let good = next_value >= value + 1e-4 * length * promised - 1e-13 * total;
            length *= 0.5;
            good.then_some((next, next_value, next_slope))
        });
        let Some((next, next_value, next_slope)) = found else { break };
        let moved: Vec<f64> = next.iter().zip(&reward).map(|(a, b)| a - b).collect();
        let bent: Vec<f64> = slope.iter().zip(&next_slope).map(|(a, b)| a - b).collect();
        if dot(&moved, &bent) > 1e-14 * dot(&bent, &bent).sqrt() * dot(&moved, &moved).sqrt() {
            memory.push((moved, bent));
            if memory.len() > MEMORY {
                memory.remove(0);
            }
        }
        (reward, value, slope) = (next, next_value, next_slope);
        if !value.is_finite() {
            return Err(Problem::Diverged { set: task.set().name().to_owned(), iteration: watch.iterations() + 1 });
        }
        let gradient = largest(&slope);
        let iterate = Iterate { objective: value / total, gradient: Some(gradient), ..Iterate::default() };
        converged = watch.step(iterate, || by_row(&reward)) || gradient <= GRADIENT;
    }
    let gradient = Some(largest(&slope));
    Ok(Found { rewards: by_row(&reward), std_errors: None, draws: Vec::new(), gradient, converged, has_spread: true })
}

/// The direction of L-BFGS up a slope; steps and what slopes lost along them, oldest first.
fn direction(memory: &[(Vec<f64>, Vec<f64>)], slope: &[f64]) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut q = slope.to_vec();
    let mut shares = Vec::with_capacity(memory.len());
    for (moved, bent) in memory.iter().rev() {
        let share = dot(moved, &q) / dot(moved, bent);
        q.iter_mut().zip(bent).for_each(|(q, b)| *q -= share * b);
        shares.push(share);
    }
    if let Some((moved, bent)) = memory.last() {
        let scale = dot(moved, bent) / dot(bent, bent);
        q.iter_mut().for_each(|q| *q *= scale);
    }
    for ((moved, bent), share) in memory.iter().zip(shares.into_iter().rev()) {
        let off = share - dot(bent, &q) / dot(moved, bent);
        q.iter_mut().zip(moved).for_each(|(q, m)| *q += off * m);
    }
    q
}
