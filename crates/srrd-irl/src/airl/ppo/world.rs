//! A transition model as an environment: what is drawn from it are steps.

use std::sync::Arc;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use srrd::trajectories::End;

use super::{Environment, Stepped, Steps};
use crate::problem::Problem;
use crate::run::Task;

/// The model of a task, acted in. What is seen is one number per state, 1 for the present one. Episodes start where the demonstrated ones
/// did, and are cut off after the length of the longest of them, or where the model knows no action.
#[derive(Clone, Debug)]
pub struct ModelWorld {
    rules: Arc<Rules>,
    state: usize,
    step: usize,
}

#[derive(Debug)]
struct Rules {
    actions: usize,
    /// By state and action, its outcomes: (s', cumulated probability, share that ends).
    outcomes: Vec<Vec<(u32, f64, f64)>>,
    starts: Vec<u32>,
    horizon: usize,
}

impl ModelWorld {
    /// The model of a task.
    pub fn new(task: &Task<'_>) -> Self {
        let (model, dynamics) = (task.model, task.model.dynamics());
        let actions = dynamics.actions();
        let mut outcomes = vec![Vec::new(); dynamics.states() * actions];
        for (pair, (state, action, ahead)) in dynamics.iter().enumerate() {
            let mut sum = 0.0;
            let ended = &model.ended()[dynamics.outcomes_of(pair)];
            let list = &mut outcomes[state as usize * actions + action as usize];
            for ((next, probability), ended) in ahead.iter().zip(ended) {
                sum += probability;
                list.push((next as u32, sum, *ended));
            }
        }
        let set = task.set();
        let start = |(steps, _): (&[u32], _)| {
            let first = set.rows()[*steps.first()? as usize];
            Some(task.state_in_model(first.state))
        };
        let starts: Vec<u32> = set.episodes().filter_map(start).collect();
        let horizon = set.episodes().map(|(steps, _)| steps.len()).max().unwrap_or(1);
        let state = starts.first().map_or(0, |start| *start as usize);
        ModelWorld { rules: Arc::new(Rules { actions, outcomes, starts, horizon }), state, step: 0 }
    }

    /// The demonstrated steps of a task, as the world shows them.
    pub fn demonstrated(task: &Task<'_>) -> Steps {
        let steps = task.set().episodes().flat_map(|(rows, end)| {
            let over = move |at: usize| at + 1 == rows.len() && end == End::Terminated;
            rows.iter().enumerate().map(move |(at, row)| (*row as usize, over(at)))
        });
        ModelWorld::new(task).shown(task, steps)
    }

    /// One step per row of the set, which ends its episode as [`Task::ends`] has it.
    pub(super) fn rows(task: &Task<'_>) -> Steps {
        ModelWorld::new(task).shown(task, task.ends().enumerate())
    }

    /// Rows of the set, each with whether the task was over after it.
    fn shown(&self, task: &Task<'_>, rows: impl Iterator<Item = (usize, bool)>) -> Steps {
        let dynamics = task.model.dynamics();
        let pairs: Vec<usize> = task.places().map(|(pair, _)| pair).collect();
        let mut steps = Steps::default();
        for (row, over) in rows {
            let found = task.set().rows()[row];
            let [state, next] = [found.state, found.next_state].map(|id| task.state_in_model(id) as usize);
            for (seen, state) in [(&mut steps.before, state), (&mut steps.after, next)] {
                let from = seen.len();
                seen.resize(from + self.inputs(), 0.0);
                seen[from + state] = 1.0;
            }
            let of_state = dynamics.actions_of(state as u32);
            steps.action.push(of_state[pairs[row] - dynamics.pairs_of(state).start]);
            steps.allowed.extend((0..self.rules.actions).map(|action| !self.of(state, action).is_empty()));
            steps.terminated.push(over);
        }
        steps
    }

    fn of(&self, state: usize, action: usize) -> &[(u32, f64, f64)] {
        &self.rules.outcomes[state * self.rules.actions + action]
    }
}

impl Environment for ModelWorld {
    fn inputs(&self) -> usize {
        self.rules.outcomes.len() / self.rules.actions
    }

    fn actions(&self) -> usize {
        self.rules.actions
    }

    fn reset(&mut self, random: &mut ChaCha8Rng) -> Result<(), Problem> {
        let starts = &self.rules.starts;
        self.state = starts[random.random_range(0..starts.len() as u64) as usize] as usize;
        self.step = 0;
        Ok(())
    }

    fn observe(&self, into: &mut [f32]) {
        into.fill(0.0);
        into[self.state] = 1.0;
    }

    fn allows(&self, action: usize) -> bool {
        !self.of(self.state, action).is_empty()
    }

    fn step(&mut self, action: usize, random: &mut ChaCha8Rng) -> Result<Stepped, Problem> {
        let (draw, end): (f64, f64) = (random.random(), random.random());
        let outcomes = self.of(self.state, action);
        let at = outcomes.partition_point(|outcome| outcome.1 <= draw).min(outcomes.len() - 1);
        let (next, _, ended) = outcomes[at];
        self.state = next as usize;
        self.step += 1;
        if end < ended {
            return Ok(Stepped::Terminated);
        }
        let stuck = (0..self.rules.actions).all(|action| self.of(self.state, action).is_empty());
        Ok(if stuck || self.step >= self.rules.horizon { Stepped::Truncated } else { Stepped::On })
    }
}
