//! The least reward that shaping, with or without S'-redistribution, makes of a given one.
//!
//! **Shaping alone**: the potential φ is chosen such that ‖w · (R + γφ(s') − φ(s))‖ is least, one row per transition.
//!
//! **With redistribution** only m(s, a) = E_{S'~T(s,a)}\[R(s, a, S') + γφ(S')\] − φ(s) is given of the rewards x of one pair (s, a). The least
//! x with the mean m is known in closed form, and its norm is |m| times a factor, so that one row per pair is left:
//!
//! | norm | x(s') | factor |
//! |---|---|---|
//! | 1 | m / T at the likeliest s' (equally likely ones share it), else 0 | 1 / max T |
//! | 2 | m T(s') / Σ T² | 1 / sqrt(Σ T²) |
//! | ∞ | m | 1 |
//! | weighted 1 and 2 | m | 1 |
//! | weighted ∞ | m / (k T(s')) on the k possible s', else 0 | 1 / k |

use super::{Norm, Order, Starc, least, vertex};
use crate::dynamics::{Dynamics, Outcomes};
use crate::exact::{ExactError, Tabular};

/// A row of the problem min ‖target + Σ coefficient · φ‖: weights are multiplied in.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// States with their coefficients, none of them 0; every state at most once.
    pub terms: Vec<(usize, f64)>,
    pub target: f64,
}

impl Row {
    pub fn at(&self, x: &[f64]) -> f64 {
        self.terms.iter().map(|&(j, c)| c * x[j]).sum::<f64>() + self.target
    }
}

pub(super) fn by_potential(
    starc: &Starc,
    problem: &Tabular,
    weights: Option<&[f64]>,
    reward: &[f64],
) -> Result<Vec<f64>, ExactError> {
    let (n, m, gamma) = (problem.states(), problem.actions(), starc.gamma.get());
    let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
    let rows = (0..reward.len()).filter(|&i| weight(i) > 0.0).map(|i| {
        let (s, t, w) = (i / n / m, i % n, weight(i));
        let terms = if s == t { vec![(s, w * (gamma - 1.0))] } else { vec![(s, -w), (t, w * gamma)] };
        row(terms, w * reward[i])
    });
    let potential = solve(n, rows.collect(), starc.norm.order)?;
    Ok(reward.iter().enumerate().map(|(i, r)| r + gamma * potential[i % n] - potential[i / n / m]).collect())
}

pub(super) fn with_redistribution(
    starc: &Starc,
    problem: &Tabular,
    dynamics: &Dynamics,
    reward: &[f64],
) -> Result<Vec<f64>, ExactError> {
    let (n, m, gamma) = (problem.states(), problem.actions(), starc.gamma.get());
    let mean = |s: u32, a: u32, ahead: Outcomes<'_>| {
        let start = (s as usize * m + a as usize) * n;
        ahead.mean(|t| reward[start + t])
    };
    let rows = dynamics.iter().map(|(s, a, ahead)| {
        let w = factor(starc.norm, ahead);
        let mut terms: Vec<(usize, f64)> = ahead.iter().map(|(t, p)| (t, w * gamma * p)).collect();
        match terms.iter_mut().find(|(t, _)| *t == s as usize) {
            Some((_, c)) => *c -= w,
            None => terms.push((s as usize, -w)),
        }
        row(terms, w * mean(s, a, ahead))
    });
    let potential = solve(n, rows.collect(), starc.norm.order)?;
    let mut canonical = vec![0.0; reward.len()];
    for (s, a, ahead) in dynamics.iter() {
        let mean = mean(s, a, ahead) + gamma * ahead.mean(|t| potential[t]) - potential[s as usize];
        let start = (s as usize * m + a as usize) * n;
        spread(starc.norm, ahead, mean, &mut canonical[start..start + n]);
    }
    Ok(canonical)
}

fn row(mut terms: Vec<(usize, f64)>, target: f64) -> Row {
    terms.retain(|(_, c)| *c != 0.0);
    Row { terms, target }
}

/// The norm of the least rewards with the mean 1.
fn factor(norm: Norm, ahead: Outcomes<'_>) -> f64 {
    match (norm.order, norm.weighted) {
        (Order::One, false) => 1.0 / ahead.probabilities.iter().fold(0.0, |most: f64, p| most.max(*p)),
        (Order::Two, false) => 1.0 / ahead.probabilities.iter().map(|p| p * p).sum::<f64>().sqrt(),
        (Order::Infinity, true) => 1.0 / ahead.probabilities.len() as f64,
        (Order::Infinity, false) | (Order::One | Order::Two, true) => 1.0,
    }
}

/// The least rewards with this mean.
fn spread(norm: Norm, ahead: Outcomes<'_>, mean: f64, rewards: &mut [f64]) {
    match (norm.order, norm.weighted) {
        (Order::One, false) => {
            let most = ahead.probabilities.iter().fold(0.0, |most: f64, p| most.max(*p));
            let likeliest = || ahead.iter().filter(|(_, p)| *p == most);
            let count = likeliest().count() as f64;
            likeliest().for_each(|(t, p)| rewards[t] = mean / (count * p));
        }
        (Order::Two, false) => {
            let squares: f64 = ahead.probabilities.iter().map(|p| p * p).sum();
            ahead.iter().for_each(|(t, p)| rewards[t] = mean * p / squares);
        }
        (Order::Infinity, true) => {
            let count = ahead.probabilities.len() as f64;
            ahead.iter().for_each(|(t, p)| rewards[t] = mean / (count * p));
        }
        (Order::Infinity, false) | (Order::One | Order::Two, true) => rewards.fill(mean),
    }
}

/// A potential by which the norm of the rows is least.
fn solve(states: usize, rows: Vec<Row>, order: Order) -> Result<Vec<f64>, ExactError> {
    let mut potential = least::squares(states, &rows);
    if order == Order::Two {
        return Ok(potential);
    }
    // From there on in units of what is left, so that scale decides nothing.
    let left: Vec<f64> = rows.iter().map(|row| row.at(&potential)).collect();
    let (before, unit) = [rows.iter().map(|row| row.target).collect::<Vec<_>>(), left.clone()]
        .map(|values| values.iter().fold(0.0, |most: f64, v| most.max(v.abs())))
        .into();
    if unit <= super::ROUNDING * before {
        return Ok(potential);
    }
    let rows: Vec<Row> = rows.into_iter().zip(left).map(|(row, left)| Row { target: left / unit, ..row }).collect();
    let further = match order {
        Order::One => vertex::least_sum(states, &rows)?,
        Order::Two | Order::Infinity => vertex::strictly_least_maximum(states, &rows)?,
    };
    potential.iter_mut().zip(further).for_each(|(p, x)| *p += unit * x);
    Ok(potential)
}
