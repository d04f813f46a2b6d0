//! Free rewards of states, and of pairs of state and action.
//!
//! With V as the unknown, r(s) drops out of the policy, since it is the same for all actions: π(a | s) ∝ exp(γ Σ P(s' | s, a) V(s')).
//! That is a conditional logit (`logit.rs`): concave, a few Newton steps with a sparse factor. Afterwards
//! r(s) = V(s) − log Σ_a exp(γ Σ P V), from which soft value iteration would find this V again.
//!
//! Rewards of next states: U(s') = r(s') + γV(s') is the unknown, π(a | s) ∝ exp(Σ P U), V(s) = log Σ_a exp(Σ P U), and r(s') = U(s') − γV(s').
//! A state in which an episode ended is another one than the same state where it went on: nothing follows it.
//!
//! Rewards of pairs: r(s, a) = log π̂(a | s), the shares of actions, makes V = 0 everywhere.
//!
//! What is left open is shaping. If no choice depends on adding some d to V, then that adds d(s) − γ Σ P d(s') to r(s). On grids d is a
//! checkerboard: all neighbours of a cell have the other colour. V of minimum norm is taken, which has no part in such directions.

use rand::RngExt;

use super::{DRAWS, Found, GRADIENT, MaxEnt, RewardOf};
use crate::learned::Iterate;
use crate::logit::{Choices, Precision, fit};
use crate::run::Task;
use crate::watch::Watch;

/// The unknowns of one set: those that at least one choice depends on, and where they enter.
struct Unknowns<'a> {
    task: &'a Task<'a>,
    gamma: f64,
    of: RewardOf,
    /// By key (a state, or for next states two of each), the number of its unknown; `u32::MAX` for those that nothing depends on.
    number: Vec<u32>,
    count: usize,
}

const NONE: u32 = u32::MAX;

impl<'a> Unknowns<'a> {
    fn new(task: &'a Task<'a>, gamma: f64, of: RewardOf) -> Self {
        let dynamics = task.model.dynamics();
        let keys = if of == RewardOf::NextState { 2 * dynamics.states() } else { dynamics.states() };
        Unknowns { task, gamma, of, number: vec![NONE; keys], count: 0 }
    }

    /// What the value of a pair is made of: (key, weight).
    fn terms(&self, pair: usize) -> impl Iterator<Item = (usize, f64)> {
        let dynamics = self.task.model.dynamics();
        let ended = &self.task.model.ended()[dynamics.outcomes_of(pair)];
        let (next, gamma) = (self.of == RewardOf::NextState, self.gamma);
        dynamics.of_pair(pair).iter().zip(ended).flat_map(move |((state, p), &ended)| {
            let both = match next {
                true => [(2 * state, p * (1.0 - ended)), (2 * state + 1, p * ended)],
                false => [(state, gamma * p * (1.0 - ended)), (state, 0.0)],
            };
            both.into_iter().filter(|(_, weight)| *weight > 0.0)
        })
    }

    /// The points of choice: every state with several actions in which somebody of the set acted.
    fn choices(&mut self) -> Choices {
        let dynamics = self.task.model.dynamics();
        let counts = self.task.pair_counts();
        let mut choices = Choices::new();
        let mut options = Vec::new();
        for state in 0..dynamics.states() {
            let pairs = dynamics.pairs_of(state);
            if pairs.len() < 2 || counts[pairs.clone()].iter().all(|count| *count == 0.0) {
                continue;
            }
            options.clear();
            for pair in pairs {
                let terms: Vec<(usize, f64)> = self.terms(pair).collect();
                let numbered = terms.into_iter().map(|(key, weight)| (self.number_of(key), weight)).collect();
                options.push((counts[pair], numbered));
            }
            choices.push(&options);
        }
        choices
    }

    fn number_of(&mut self, key: usize) -> u32 {
        if self.number[key] == NONE {
            self.number[key] = self.count as u32;
            self.count += 1;
        }
        self.number[key]
    }

    fn at(&self, x: &[f64], key: usize) -> f64 {
        x.get(self.number[key] as usize).copied().unwrap_or(0.0)
    }

    /// log Σ_a exp of a state, and the share of every action; nothing where nobody acts.
    fn soft(&self, x: &[f64], state: usize) -> Option<(f64, Vec<f64>)> {
        let pairs = self.task.model.dynamics().pairs_of(state);
        let mut worth: Vec<f64> =
            pairs.map(|pair| self.terms(pair).map(|(key, weight)| weight * self.at(x, key)).sum()).collect();
        let most = worth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if most == f64::NEG_INFINITY {
            return None;
        }
        let value = most + worth.iter().map(|worth| (worth - most).exp()).sum::<f64>().ln();
        worth.iter_mut().for_each(|worth| *worth = (*worth - value).exp());
        Some((value, worth))
    }

    /// A number for every row of the set, worked out once for what it is a function of: a state, and for next states whether the episode
    /// ended there.
    fn by_row(&self, mut of: impl FnMut(usize, bool) -> f64) -> Vec<f64> {
        let mut known = vec![[None::<f64>; 2]; self.task.model.dynamics().states()];
        let of_row = |(row, ends): (&crate::Row, bool)| {
            let (state, ended) = match self.of {
                RewardOf::NextState => (row.next_state, ends),
                _ => (row.state, false),
            };
            let state = self.task.state_in_model(state) as usize;
            *known[state][usize::from(ended)].get_or_insert_with(|| of(state, ended))
        };
        self.task.set().rows().iter().zip(self.task.ends()).map(of_row).collect()
    }

    /// The rewards of all rows.
    fn rewards(&self, x: &[f64]) -> Vec<f64> {
        self.by_row(|state, ended| {
            if ended {
                return self.at(x, 2 * state + 1);
            }
            let after = self.soft(x, state).map_or(0.0, |(value, _)| value);
            match self.of {
                RewardOf::NextState => self.at(x, 2 * state) - self.gamma * after,
                _ => self.at(x, state) - after,
            }
        })
    }

    /// How the reward of a place changes with the unknowns.
    fn slope(&self, x: &[f64], state: usize, ended: bool) -> Vec<(u32, f64)> {
        let mut slope = Vec::new();
        let mut add = |key: usize, value: f64| {
            let number = self.number[key];
            if number != NONE && value != 0.0 {
                slope.push((number, value));
            }
        };
        let (own, after) = match self.of {
            RewardOf::NextState if ended => (2 * state + 1, 0.0),
            RewardOf::NextState => (2 * state, self.gamma),
            _ => (state, 1.0),
        };
        add(own, 1.0);
        let pairs = self.task.model.dynamics().pairs_of(state);
        if let Some((_, shares)) = self.soft(x, state) {
            for (pair, share) in pairs.zip(shares) {
                self.terms(pair).for_each(|(key, weight)| add(key, -after * share * weight));
            }
        }
        slope
    }
}

/// Rewards of states or of next states.
pub(super) fn of_states(settings: &MaxEnt, task: &Task<'_>, watch: &mut Watch<'_>) -> Found {
    let mut unknowns = Unknowns::new(task, settings.gamma.get(), settings.reward);
    let choices = unknowns.choices();
    let precision = Precision { ridge: settings.ridge, gradient: GRADIENT };
    let mut broken_off = false;
    let found = fit(&choices, unknowns.count, precision, |state| {
        let iterate = Iterate { objective: state.likelihood, gradient: Some(state.gradient), ..Iterate::default() };
        let enough = watch.step(iterate, || unknowns.rewards(state.x));
        broken_off = !enough && !watch.goes_on();
        enough || broken_off
    });
    let std_errors = (settings.std_errors && found.has_spread()).then(|| {
        let mut work = vec![0.0; unknowns.count];
        unknowns.by_row(|state, ended| found.variance(&unknowns.slope(&found.x, state, ended), &mut work).sqrt())
    });
    let mut random = task.random(settings.seed, DRAWS);
    let mut normals = move || srrd::run::normal(&mut || random.random::<f64>());
    let draws = if found.has_spread() { settings.draws } else { 0 };
    let draw = |_| unknowns.rewards(&found.draw((0..unknowns.count).map(|_| normals()).collect()));
    Found {
        rewards: unknowns.rewards(&found.x),
        std_errors,
        draws: (0..draws).map(draw).collect(),
        gradient: Some(found.gradient),
        converged: !broken_off || found.converged,
        has_spread: found.has_spread(),
    }
}

/// Rewards of pairs: log π̂.
pub(super) fn of_pairs(settings: &MaxEnt, task: &Task<'_>) -> Found {
    let (dynamics, counts) = (task.model.dynamics(), task.pair_counts());
    // By pair: how often it was taken, and how often somebody acted in its state.
    let mut totals = vec![0.0; dynamics.pairs()];
    for state in 0..dynamics.states() {
        let pairs = dynamics.pairs_of(state);
        let total: f64 = counts[pairs.clone()].iter().sum();
        totals[pairs].fill(total);
    }
    let share = |pair: usize| counts[pair] / totals[pair];
    let by_row = |of: &dyn Fn(usize) -> f64| task.places().map(|(pair, _)| of(pair)).collect::<Vec<f64>>();
    let mut random = task.random(settings.seed, DRAWS);
    let mut normals = move || srrd::run::normal(&mut || random.random::<f64>());
    let draw = |_| {
        // log n_a has the variance 1/n_a; shares add up to 1 again.
        let moved: Vec<f64> =
            counts.iter().map(|&n| if n > 0.0 { (n.ln() + normals() / n.sqrt()).exp() } else { 0.0 }).collect();
        let mut logs = vec![0.0; moved.len()];
        for state in 0..dynamics.states() {
            let pairs = dynamics.pairs_of(state);
            let total: f64 = moved[pairs.clone()].iter().sum();
            pairs.for_each(|pair| logs[pair] = (moved[pair] / total).ln());
        }
        by_row(&|pair| logs[pair])
    };
    Found {
        rewards: by_row(&|pair| share(pair).ln()),
        std_errors: settings.std_errors.then(|| {
            // Where there was nothing to choose, nothing was learned.
            let spread = |pair: usize| ((1.0 - share(pair)) / counts[pair]).sqrt();
            by_row(&|pair| if share(pair) < 1.0 { spread(pair) } else { f64::NAN })
        }),
        draws: (0..settings.draws).map(draw).collect(),
        gradient: None,
        converged: true,
        has_spread: true,
    }
}
