//! Rewards that are weighted sums of features, by soft value iteration.
//!
//! r = w·f with f the features of s, of s', or of s and a (an action without features counts as one of its own). Where episodes end, a
//! constant is one more feature: there it matters. Columns are brought to mean 0 and variance 1 first.
//!
//! The likelihood of the demonstrated actions is climbed by Fisher scoring. Derivatives of values obey equations like values do:
//! φ_Q(s, a) = f(s, a) + γ Σ P φ_V(s'), φ_V(s) = Σ_a π(a | s) φ_Q(s, a); then the gradient is Σ n(s, a)(φ_Q − φ_V) − λw, and the
//! information Σ n(s) Cov_π(φ_Q) + λI. The likelihood need not be concave in w: what is found is a place where the gradient is 0.
//!
//! O(columns · outcomes / (1 − γ)) a step.

use rand::RngExt;
use srrd::run::checkpoint;
use srrd::sample::Vocabulary;

use super::soft::{Soft, ahead, solve};
use super::{DRAWS, Found, GRADIENT, MaxEnt, RewardOf};
use crate::learned::Iterate;
use crate::problem::Problem;
use crate::run::Task;
use crate::watch::Watch;

const HALVINGS: usize = 30;

/// The features of the states and actions of a model. Actions without features have one of their own each, but for the last, with which
/// all others are compared.
pub(super) struct Features {
    pub states: Vec<Vec<f64>>,
    pub actions: Vec<Vec<f64>>,
}

impl Features {
    pub fn of(task: &Task<'_>) -> Result<Self, Problem> {
        let all = |vocabulary: &Vocabulary| -> Option<Vec<Vec<f64>>> {
            vocabulary.iter().map(|token| token.as_features().map(<[f64]>::to_vec)).collect()
        };
        let without = || Problem::NoFeatures { set: task.set().name().to_owned() };
        let states = all(task.model.states()).ok_or_else(without)?;
        let count = task.model.actions().len();
        let own = |a: usize| (0..count - 1).map(|other| f64::from(u8::from(other == a))).collect();
        let actions = all(task.model.actions()).unwrap_or_else(|| (0..count).map(own).collect());
        Ok(Features { states, actions })
    }
}

/// Features of pairs, of states in which nobody acts, and of the rows of a set, all by column.
pub(super) struct Design {
    pub width: usize,
    pub pairs: Vec<f64>,
    pub rest: Vec<f64>,
    pub rows: Vec<f64>,
}

impl Design {
    pub fn new(task: &Task<'_>, of: RewardOf) -> Result<Self, Problem> {
        let (model, set) = (task.model, task.set());
        let dynamics = model.dynamics();
        let Features { states, actions } = Features::of(task)?;
        let constant = model.ended().iter().any(|ended| *ended > 0.0);
        let with_constant = |mut features: Vec<f64>| {
            features.extend(constant.then_some(1.0));
            features
        };
        let of_transition = |s: usize, a: usize, t: usize| {
            with_constant(match of {
                RewardOf::State => states[s].clone(),
                RewardOf::NextState => states[t].clone(),
                RewardOf::StateAction => [&states[s][..], &actions[a]].concat(),
            })
        };
        let mut pairs = Vec::new();
        for (s, a, outcomes) in dynamics.iter() {
            let mut mean = Vec::new();
            for (t, p) in outcomes.iter() {
                let features = of_transition(s as usize, a as usize, t);
                mean.resize(features.len(), 0.0);
                mean.iter_mut().zip(features).for_each(|(mean, feature)| *mean += p * feature);
            }
            pairs.extend(mean);
        }
        let width = pairs.len() / dynamics.pairs();
        let mut rest = vec![0.0; dynamics.states() * width];
        if of == RewardOf::State {
            for s in (0..dynamics.states()).filter(|&s| dynamics.pairs_of(s).is_empty()) {
                rest[s * width..(s + 1) * width].copy_from_slice(&with_constant(states[s].clone()));
            }
        }
        let mut rows = Vec::with_capacity(set.rows().len() * width);
        let owner: Vec<(u32, u32)> = dynamics.iter().map(|(s, a, _)| (s, a)).collect();
        for (row, (pair, _)) in set.rows().iter().zip(task.places()) {
            let (s, a) = owner[pair];
            rows.extend(of_transition(s as usize, a as usize, task.state_in_model(row.next_state) as usize));
        }
        let mut design = Design { width, pairs, rest, rows };
        design.standardize(constant);
        Ok(design)
    }

    /// Columns of pairs get mean 0 and variance 1, but for a constant; the others are changed likewise.
    fn standardize(&mut self, constant: bool) {
        let (width, count) = (self.width, (self.pairs.len() / self.width) as f64);
        for column in 0..width - usize::from(constant) {
            let values = self.pairs[column..].iter().step_by(width);
            let mean = values.clone().sum::<f64>() / count;
            let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / count;
            let scale = if variance > 0.0 { variance.sqrt() } else { 1.0 };
            for all in [&mut self.pairs, &mut self.rest, &mut self.rows] {
                all[column..].iter_mut().step_by(width).for_each(|value| *value = (*value - mean) / scale);
            }
        }
    }

    fn times(&self, of: &[f64], weights: &[f64]) -> Vec<f64> {
        of.chunks_exact(self.width).map(|row| row.iter().zip(weights).map(|(f, w)| f * w).sum()).collect()
    }
}

/// One point of the climb.
struct Place {
    weights: Vec<f64>,
    soft: Soft,
    objective: f64,
}

/// Linear rewards.
pub(super) fn linear(settings: &MaxEnt, task: &Task<'_>, watch: &mut Watch<'_>) -> Result<Found, Problem> {
    let design = Design::new(task, settings.reward)?;
    let (gamma, ridge, width) = (settings.gamma.get(), settings.ridge, design.width);
    let counts = task.pair_counts();
    let total: f64 = counts.iter().sum();
    let at = |weights: Vec<f64>| {
        let rest = design.times(&design.rest, &weights);
        let soft = solve(task.model, gamma, &design.times(&design.pairs, &weights), &rest);
        let likelihood: f64 = counts.iter().zip(&soft.policy).filter(|(n, _)| **n > 0.0).map(|(n, p)| n * p.ln()).sum();
        let objective = likelihood - 0.5 * ridge * weights.iter().map(|w| w * w).sum::<f64>();
        Place { weights, soft, objective }
    };
    let diverged = |iteration| Problem::Diverged { set: task.set().name().to_owned(), iteration };
    let mut here = at(vec![0.0; width]);
    let mut before = f64::INFINITY;
    let (mut converged, mut largest);
    let mut information;
    loop {
        checkpoint();
        let (gradient, found) = score(task, &design, gamma, &here, &counts, ridge);
        information = found;
        largest = gradient.iter().fold(0.0f64, |most, g| most.max(g.abs())) / total;
        converged = largest <= GRADIENT;
        if converged || !watch.goes_on() {
            break;
        }
        let factor = Cholesky::new(&information, width).ok_or_else(|| diverged(watch.iterations()))?;
        let step = factor.solve(&gradient);
        let slope: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
        let mut length = 1.0;
        let next = (0..HALVINGS).find_map(|_| {
            let next = at(here.weights.iter().zip(&step).map(|(w, s)| w + length * s).collect());
            let good = next.objective >= here.objective + 1e-4 * length * slope - 1e-13 * total;
            length *= 0.5;
            good.then_some(next)
        });
        // Close to the top, progress is below rounding, and only the gradient still tells. Where that does not fall any more, this is
        // as far as rounding lets it come.
        let still = slope > 1e-14 * total || largest < before;
        let Some(next) = next.filter(|_| still) else {
            converged = largest <= 1e-7;
            break;
        };
        before = largest;
        if !next.objective.is_finite() {
            return Err(diverged(watch.iterations() + 1));
        }
        here = next;
        let iterate = Iterate { objective: here.objective / total, gradient: Some(largest), ..Iterate::default() };
        if watch.step(iterate, || design.times(&design.rows, &here.weights)) {
            converged = true;
            break;
        }
    }
    let factor = Cholesky::new(&information, width).ok_or_else(|| diverged(watch.iterations()))?;
    let spread = |row: &[f64]| row.iter().zip(factor.solve(row)).map(|(f, x)| f * x).sum::<f64>().sqrt();
    let std_errors = settings.std_errors.then(|| design.rows.chunks_exact(width).map(spread).collect());
    let mut random = task.random(settings.seed, DRAWS);
    let mut normals = move || srrd::run::normal(&mut || random.random::<f64>());
    let draw = |_| {
        let moved = factor.colour((0..width).map(|_| normals()).collect());
        let weights: Vec<f64> = here.weights.iter().zip(moved).map(|(w, moved)| w + moved).collect();
        design.times(&design.rows, &weights)
    };
    Ok(Found {
        rewards: design.times(&design.rows, &here.weights),
        std_errors,
        draws: (0..settings.draws).map(draw).collect(),
        gradient: Some(largest),
        converged,
        has_spread: true,
    })
}

/// The gradient and the information at a place.
fn score(
    task: &Task<'_>,
    design: &Design,
    gamma: f64,
    here: &Place,
    counts: &[f64],
    ridge: f64,
) -> (Vec<f64>, Vec<f64>) {
    let (dynamics, width, policy) = (task.model.dynamics(), design.width, &here.soft.policy);
    let mut by_pair = vec![0.0; dynamics.pairs() * width];
    for column in 0..width {
        let rest: Vec<f64> = design.rest[column..].iter().step_by(width).copied().collect();
        let mut values = rest;
        loop {
            checkpoint();
            let mut change = 0.0f64;
            let worth: Vec<f64> = (0..dynamics.pairs())
                .map(|pair| design.pairs[pair * width + column] + ahead(task.model, gamma, pair, &values))
                .collect();
            for (state, value) in values.iter_mut().enumerate() {
                let pairs = dynamics.pairs_of(state);
                if !pairs.is_empty() {
                    let next: f64 = pairs.map(|pair| policy[pair] * worth[pair]).sum();
                    change = change.max((next - *value).abs());
                    *value = next;
                }
            }
            // Also ends where values are not finite.
            if change.is_nan() || change <= 1e-12 * (1.0 - gamma).max(1e-3) {
                worth.iter().enumerate().for_each(|(pair, worth)| by_pair[pair * width + column] = *worth);
                break;
            }
        }
    }
    let mut gradient: Vec<f64> = here.weights.iter().map(|w| -ridge * w).collect();
    let mut information = vec![0.0; width * width];
    (0..width).for_each(|i| information[i * width + i] = ridge);
    for state in 0..dynamics.states() {
        let pairs = dynamics.pairs_of(state);
        let total: f64 = counts[pairs.clone()].iter().sum();
        if total == 0.0 {
            continue;
        }
        let mut mean = vec![0.0; width];
        for pair in pairs.clone() {
            mean.iter_mut().zip(&by_pair[pair * width..]).for_each(|(mean, f)| *mean += policy[pair] * f);
        }
        for pair in pairs {
            let off: Vec<f64> = by_pair[pair * width..][..width].iter().zip(&mean).map(|(f, mean)| f - mean).collect();
            for i in 0..width {
                gradient[i] += counts[pair] * off[i];
                (0..width).for_each(|j| information[i * width + j] += total * policy[pair] * off[i] * off[j]);
            }
        }
    }
    (gradient, information)
}

/// N = L Lᵀ of a small dense matrix.
pub(crate) struct Cholesky {
    n: usize,
    lower: Vec<f64>,
}

impl Cholesky {
    /// `None` where it is not positive definite.
    pub fn new(matrix: &[f64], n: usize) -> Option<Self> {
        let mut lower = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                let sum: f64 = (0..j).map(|k| lower[i * n + k] * lower[j * n + k]).sum();
                let left = matrix[i * n + j] - sum;
                lower[i * n + j] = match i == j {
                    true if left > 0.0 => left.sqrt(),
                    true => return None,
                    false => left / lower[j * n + j],
                };
            }
        }
        Some(Cholesky { n, lower })
    }

    /// N⁻¹ b
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        for i in 0..self.n {
            let sum: f64 = (0..i).map(|k| self.lower[i * self.n + k] * x[k]).sum();
            x[i] = (x[i] - sum) / self.lower[i * self.n + i];
        }
        self.colour(x)
    }

    /// L⁻ᵀ b: of standard normal numbers, numbers whose covariance is N⁻¹.
    pub fn colour(&self, mut b: Vec<f64>) -> Vec<f64> {
        for i in (0..self.n).rev() {
            let sum: f64 = (i + 1..self.n).map(|k| self.lower[k * self.n + i] * b[k]).sum();
            b[i] = (b[i] - sum) / self.lower[i * self.n + i];
        }
        b
    }
}
