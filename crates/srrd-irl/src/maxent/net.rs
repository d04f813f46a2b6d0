//! Rewards that are a net of features, by soft value iteration.
//!
//! r = net(f) with f the features of s, of s', or of s and a, brought to mean 0 and variance 1. With π the policy for r and n the demonstrated
//! actions, the slope of the likelihood along Q(s, a) is n(s, a) − n(s) π(a | s). What a value is worth flows back along the way it came:
//!
//! ```text
//! G(s, a) = n(s, a) − n(s) π(a | s) + π(a | s) M(s),   M(s') = γ Σ_{s, a} P(s' | s, a) G(s, a)
//! ```
//!
//! G is the slope along r(s, a); the chain rule takes it on to the weights, which Adam changes. There is no unique answer: the net and its
//! seed decide, and what is found explains the demonstrations as well as the net can.
//!
//! O(outcomes / (1 − γ) + features · weights) an iteration.

use srrd::run::checkpoint;

use super::features::Features;
use super::soft::solve;
use super::{Found, MaxEnt, RewardOf};
use crate::learned::Iterate;
use crate::net::{Adam, Bend, Mlp, Pass};
use crate::problem::Problem;
use crate::run::Task;
use crate::watch::Watch;

/// Hidden layers.
const HIDDEN: [usize; 2] = [32, 32];
/// The learning rate.
const RATE: f64 = 0.01;
/// Of random weights, among the purposes of random numbers.
const WEIGHTS: u16 = 4;
/// Learning ends when so many iterations gained less than this per step.
const WINDOW: usize = 50;
const GAIN: f64 = 1e-6;

/// What the reward of every pair is made of: inputs of the net, and weighted sums of its outputs.
struct Inputs {
    width: usize,
    /// Row by row.
    inputs: Vec<f64>,
    /// By pair: (row, weight).
    pairs: Vec<Vec<(usize, f64)>>,
    /// By state in which nobody acts: its row, where its reward is all that follows.
    rest: Vec<Option<usize>>,
    /// By row of the set.
    rows: Vec<usize>,
}

impl Inputs {
    fn new(task: &Task<'_>, of: RewardOf) -> Result<Self, Problem> {
        let Features { states, actions } = Features::of(task)?;
        let dynamics = task.model.dynamics();
        let owner: Vec<(u32, u32)> = dynamics.iter().map(|(s, a, _)| (s, a)).collect();
        let mut features: Vec<Vec<f64>> = match of {
            RewardOf::StateAction => {
                owner.iter().map(|&(s, a)| [&states[s as usize][..], &actions[a as usize]].concat()).collect()
            }
            _ => states,
        };
        let (width, count) = (features[0].len(), features.len() as f64);
        for column in 0..width {
            let mean = features.iter().map(|row| row[column]).sum::<f64>() / count;
            let variance = features.iter().map(|row| (row[column] - mean).powi(2)).sum::<f64>() / count;
            let scale = if variance > 0.0 { variance.sqrt() } else { 1.0 };
            features.iter_mut().for_each(|row| row[column] = (row[column] - mean) / scale);
        }
        let pairs = (0..dynamics.pairs()).map(|pair| match of {
            RewardOf::State => vec![(owner[pair].0 as usize, 1.0)],
            RewardOf::NextState => dynamics.of_pair(pair).iter().collect(),
            RewardOf::StateAction => vec![(pair, 1.0)],
        });
        let rest = (0..dynamics.states())
            .map(|s| (of == RewardOf::State && dynamics.pairs_of(s).is_empty()).then_some(s))
            .collect();
        let rows = task.set().rows().iter().zip(task.places()).map(|(row, (pair, _))| match of {
            RewardOf::State => task.state_in_model(row.state) as usize,
            RewardOf::NextState => task.state_in_model(row.next_state) as usize,
            RewardOf::StateAction => pair,
        });
        Ok(Inputs { width, inputs: features.concat(), pairs: pairs.collect(), rest, rows: rows.collect() })
    }
}

/// Rewards of a net.
pub(super) fn of_net(settings: &MaxEnt, task: &Task<'_>, watch: &mut Watch<'_>) -> Result<Found, Problem> {
    let given = Inputs::new(task, settings.reward)?;
    let (gamma, counts) = (settings.gamma.get(), task.pair_counts());
    let total: f64 = counts.iter().sum();
    let mut random = task.random(settings.seed, WEIGHTS);
    let mut net = Mlp::<f64>::new(given.width, &HIDDEN, 1, Bend::Tanh, &mut random);
    let mut adam = Adam::new(net.parameters().len(), RATE);
    let (mut pass, mut gradient) = (Pass::default(), vec![0.0; net.parameters().len()]);
    let mut past: Vec<f64> = Vec::new();
    let mut converged = false;
    let mut found: Option<(Vec<f64>, f64)> = None;
    while !converged && watch.goes_on() {
        checkpoint();
        let outputs = net.forward(&given.inputs, &mut pass).to_vec();
        let sum = |parts: &Vec<(usize, f64)>| parts.iter().map(|&(row, weight)| weight * outputs[row]).sum::<f64>();
        let rewards: Vec<f64> = given.pairs.iter().map(sum).collect();
        let rest: Vec<f64> = given.rest.iter().map(|row| row.map_or(0.0, |row| outputs[row])).collect();
        let soft = solve(task.model, gamma, &rewards, &rest);
        let chosen = counts.iter().zip(&soft.policy).filter(|(n, _)| **n > 0.0);
        let likelihood = chosen.map(|(n, p)| n * p.ln()).sum::<f64>() / total;
        if !likelihood.is_finite() {
            return Err(Problem::Diverged { set: task.set().name().to_owned(), iteration: watch.iterations() + 1 });
        }
        let (by_pair, by_rest) = flow(task, gamma, &counts, &soft.policy);
        let mut slope = vec![0.0; outputs.len()];
        for (parts, flow) in given.pairs.iter().zip(&by_pair) {
            parts.iter().for_each(|&(row, weight)| slope[row] -= weight * flow / total);
        }
        for (row, flow) in given.rest.iter().zip(&by_rest) {
            row.iter().for_each(|&row| slope[row] -= flow / total);
        }
        net.backward(&mut pass, &slope, &mut gradient);
        let ridge = settings.ridge / total;
        gradient.iter_mut().zip(net.parameters()).for_each(|(g, w)| *g += ridge * w);
        let largest = gradient.iter().fold(0.0f64, |most, g| most.max(g.abs()));
        let own: Vec<f64> = given.rows.iter().map(|&row| outputs[row]).collect();
        let iterate = Iterate { objective: likelihood, gradient: Some(largest), ..Iterate::default() };
        let enough = watch.step(iterate, || own.clone());
        found = Some((own, largest));
        past.push(likelihood);
        let still = past.len() > WINDOW && likelihood - past[past.len() - 1 - WINDOW] < GAIN;
        converged = enough || still;
        adam.step(net.parameters_mut(), &gradient);
    }
    let (rewards, largest) = found.unwrap_or_default();
    Ok(Found { rewards, std_errors: None, draws: Vec::new(), gradient: Some(largest), converged, has_spread: true })
}

/// The slope of the likelihood along the rewards of pairs, and along the values of states.
fn flow(task: &Task<'_>, gamma: f64, counts: &[f64], policy: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (dynamics, ended) = (task.model.dynamics(), task.model.ended());
    let mut more = vec![0.0; dynamics.pairs()];
    for s in 0..dynamics.states() {
        let total: f64 = counts[dynamics.pairs_of(s)].iter().sum();
        dynamics.pairs_of(s).for_each(|pair| more[pair] = counts[pair] - total * policy[pair]);
    }
    let scale: f64 = counts.iter().sum();
    let mut arriving = vec![0.0; dynamics.states()];
    loop {
        checkpoint();
        let mut next = vec![0.0; dynamics.states()];
        let mut flows = vec![0.0; dynamics.pairs()];
        for (s, arriving) in arriving.iter().enumerate() {
            for pair in dynamics.pairs_of(s) {
                flows[pair] = more[pair] + policy[pair] * arriving;
                let outcomes = dynamics.of_pair(pair).iter().zip(&ended[dynamics.outcomes_of(pair)]);
                outcomes.for_each(|((t, p), ended)| next[t] += gamma * p * (1.0 - ended) * flows[pair]);
            }
        }
        let change = next.iter().zip(&arriving).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
        arriving = next;
        if change.is_nan() || change <= 1e-10 * scale * (1.0 - gamma).max(1e-3) {
            return (flows, arriving);
        }
    }
}
