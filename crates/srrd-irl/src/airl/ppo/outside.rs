//! AIRL with PPO in an environment that is not the model: a built-in world, or one of Gymnasium's.
//!
//! Demonstrations name states and actions as tables do, by numbers or by features; the environment says what is seen of a state, and which of
//! its actions an action is. Features are brought to mean 0 and variance 1 over the demonstrated steps, in demonstrations and in what the
//! environment shows. Nothing is asked of the transition model, and states need not repeat.

use rand_chacha::ChaCha8Rng;
use srrd::sample::Token;
use srrd::trajectories::End;

use super::learner::{MOST_SEEN, learn_in};
use super::{AirlPpo, Environment, Stepped, Steps};
use crate::learned::{Caution, Learned};
use crate::problem::Problem;
use crate::run::{Learner, Task};

/// An environment that knows the states and actions of tables.
pub trait Outside: Environment + Send {
    /// Whether what is seen is one number per state, 1 for the present one, which is taken as it is.
    fn is_numbered(&self) -> bool;

    /// What is seen in a state.
    ///
    /// # Errors
    /// Why that is no state of the environment.
    fn state(&self, state: Token<'_>) -> Result<Seen, String>;

    /// The number of an action.
    ///
    /// # Errors
    /// Why that is no action of the environment.
    fn action(&self, action: Token<'_>) -> Result<u32, String>;
}

/// What is seen in a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// As many numbers as [`Environment::inputs`] says.
    pub numbers: Vec<f32>,
    /// Whether an action is possible there, by its number.
    pub allowed: Vec<bool>,
}

/// AIRL with PPO in environments that are made for every set.
pub struct AirlOutside<M> {
    /// How to learn.
    pub settings: AirlPpo,
    /// Makes an environment.
    pub make: M,
}

impl<M> Learner for AirlOutside<M>
where
    M: Fn() -> Result<Box<dyn Outside>, Problem> + Sync,
{
    fn learn(&self, task: &Task<'_>) -> Result<Learned, Problem> {
        self.settings.check()?;
        let made = (0..self.settings.environments).map(|_| (self.make)());
        let environments = made.collect::<Result<Vec<_>, Problem>>()?;
        let steps = task.set().steps();
        let inputs = environments[0].inputs();
        if inputs.saturating_mul(steps) > MOST_SEEN {
            return Err(Problem::ManyStates { set: task.set().name().to_owned(), states: inputs, steps });
        }
        let mut shown = Shown::new(task, environments[0].as_ref())?;
        let scale = Scale::of(&shown, task, environments[0].is_numbered());
        shown.states.iter_mut().for_each(|seen| scale.apply(&mut seen.numbers));
        let scaled = |inside| Scaled { inside, scale: scale.clone() };
        let mut environments: Vec<Scaled> = environments.into_iter().map(scaled).collect();
        let mut learned =
            learn_in(&self.settings, task, &mut environments, &shown.demonstrated(task), &shown.rows(task))?;
        // The environment knows what else could have been done.
        learned.cautions.retain(|caution| !matches!(caution, Caution::SingleAction { .. }));
        Ok(learned)
    }
}

impl<M> std::fmt::Debug for AirlOutside<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AirlOutside").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// The states and actions of a set as the environment has them.
struct Shown {
    states: Vec<Seen>,
    actions: Vec<u32>,
}

impl Shown {
    fn new(task: &Task<'_>, environment: &dyn Outside) -> Result<Self, Problem> {
        let sample = &task.set().sample().sample;
        let wrong = |what: &str, token: Token<'_>, why: String| Problem::Environment {
            set: task.set().name().to_owned(),
            why: format!("the {what} {token} of the demonstrations: {why}"),
        };
        let state = |token: Token<'_>| environment.state(token).map_err(|why| wrong("state", token, why));
        let action = |token: Token<'_>| environment.action(token).map_err(|why| wrong("action", token, why));
        let states = sample.states().iter().map(state).collect::<Result<_, _>>()?;
        let shown = Shown { states, actions: sample.actions().iter().map(action).collect::<Result<_, _>>()? };
        let possible =
            |row: &&crate::Row| shown.states[row.state as usize].allowed[shown.actions[row.action as usize] as usize];
        match task.set().rows().iter().find(|row| !possible(row)) {
            Some(row) => Err(Problem::Environment {
                set: task.set().name().to_owned(),
                why: format!(
                    "the action {} was taken in the state {}, where it is not possible",
                    sample.actions().token(row.action),
                    sample.states().token(row.state)
                ),
            }),
            None => Ok(shown),
        }
    }

    /// One step per row of the set, which ends its episode as [`Task::ends`] has it.
    fn rows(&self, task: &Task<'_>) -> Steps {
        self.steps(task, task.ends().enumerate())
    }

    fn demonstrated(&self, task: &Task<'_>) -> Steps {
        let rows = task.set().episodes().flat_map(|(rows, end)| {
            let over = move |at: usize| at + 1 == rows.len() && end == End::Terminated;
            rows.iter().enumerate().map(move |(at, row)| (*row as usize, over(at)))
        });
        self.steps(task, rows)
    }

    fn steps(&self, task: &Task<'_>, rows: impl Iterator<Item = (usize, bool)>) -> Steps {
        let mut steps = Steps::default();
        for (row, over) in rows {
            let row = task.set().rows()[row];
            let [before, after] = [row.state, row.next_state].map(|id| &self.states[id as usize]);
            steps.before.extend_from_slice(&before.numbers);
            steps.after.extend_from_slice(&after.numbers);
            steps.allowed.extend_from_slice(&before.allowed);
            steps.action.push(self.actions[row.action as usize]);
            steps.terminated.push(over);
        }
        steps
    }
}

/// What brings columns to mean 0 and variance 1; nothing where states are numbered.
#[derive(Clone)]
struct Scale {
    /// By column: the mean, and what to multiply by.
    columns: Vec<(f32, f32)>,
}

impl Scale {
    fn of(shown: &Shown, task: &Task<'_>, numbered: bool) -> Self {
        let inputs = shown.states[0].numbers.len();
        if numbered {
            return Scale { columns: Vec::new() };
        }
        let rows = task.set().rows();
        let total: f64 = rows.iter().map(|row| row.count).sum();
        let mean_of = |of: &dyn Fn(f64) -> f64, column: usize| {
            let value = |row: &crate::Row| of(f64::from(shown.states[row.state as usize].numbers[column]));
            rows.iter().map(|row| row.count * value(row)).sum::<f64>() / total
        };
        let column = |column: usize| {
            let mean = mean_of(&|x| x, column);
            let variance = mean_of(&|x| (x - mean).powi(2), column);
            // A column that never changes stays near 0.
            (mean as f32, if variance > 1e-12 * mean * mean { (1.0 / variance.sqrt()) as f32 } else { 1.0 })
        };
        Scale { columns: (0..inputs).map(column).collect() }
    }

    fn apply(&self, seen: &mut [f32]) {
        seen.iter_mut().zip(&self.columns).for_each(|(x, (mean, factor))| *x = (*x - mean) * factor);
    }
}

/// An environment as nets see it.
struct Scaled {
    inside: Box<dyn Outside>,
    scale: Scale,
}

impl Environment for Scaled {
    fn inputs(&self) -> usize {
        self.inside.inputs()
    }

    fn actions(&self) -> usize {
        self.inside.actions()
    }

    fn reset(&mut self, random: &mut ChaCha8Rng) -> Result<(), Problem> {
        self.inside.reset(random)
    }

    fn observe(&self, into: &mut [f32]) {
        self.inside.observe(into);
        self.scale.apply(into);
    }

    fn allows(&self, action: usize) -> bool {
        self.inside.allows(action)
    }

    fn step(&mut self, action: usize, random: &mut ChaCha8Rng) -> Result<Stepped, Problem> {
        self.inside.step(action, random)
    }
}
