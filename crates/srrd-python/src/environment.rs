//! Environments of Python: each step holds the interpreter for as long as it takes, and no longer.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use srrd::sample::Token;
use srrd_irl::Problem;
use srrd_irl::airl::ppo::{Environment, Outside, Seen, Stepped};
use std::sync::{Arc, Mutex, PoisonError};

/// The exception that an environment raised, to be raised again where the caller waits.
#[derive(Clone, Default)]
pub struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    /// Takes it.
    pub fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn keep(&self, error: PyErr) -> Problem {
        let why = error.to_string();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        Problem::Environment { set: String::new(), why }
    }
}

/// An `Acted` of `python/srrd/_environments.py`.
struct Acted {
    object: Py<PyAny>,
    inputs: usize,
    actions: usize,
    numbered: bool,
    first: [i64; 2],
    seen: Vec<f32>,
    seeded: bool,
    raised: Raised,
}

/// Makes an environment by a function without arguments that gives an `Acted`.
pub fn made(make: &Py<PyAny>, raised: &Raised) -> Result<Box<dyn Outside>, Problem> {
    let acted = Python::attach(|py| {
        let object = make.call0(py)?;
        let acted = object.bind(py);
        let inputs = acted.getattr("inputs")?.extract()?;
        Ok(Acted {
            inputs,
            actions: acted.getattr("actions")?.extract()?,
            numbered: acted.getattr("numbered")?.extract()?,
            first: [acted.getattr("first_state")?.extract()?, acted.getattr("first_action")?.extract()?],
            seen: vec![0.0; inputs],
            seeded: false,
            raised: raised.clone(),
            object,
        })
    });
    Ok(Box::new(acted.map_err(|error| raised.keep(error))?))
}

impl Acted {
    fn see(&mut self, seen: &Bound<'_, PyAny>) -> PyResult<()> {
        let seen: PyReadonlyArray1<'_, f64> = seen.extract()?;
        self.seen.iter_mut().zip(seen.as_array()).for_each(|(kept, seen)| *kept = *seen as f32);
        Ok(())
    }
}

impl Environment for Acted {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn actions(&self) -> usize {
        self.actions
    }

    fn reset(&mut self, random: &mut ChaCha8Rng) -> Result<(), Problem> {
        // Seeds are given once: from then on the environment draws for itself.
        let seed = (!std::mem::replace(&mut self.seeded, true)).then(|| random.random::<u32>() >> 1);
        let reset = Python::attach(|py| {
            let seen = self.object.call_method1(py, "reset", (seed,))?;
            self.see(seen.bind(py))
        });
        reset.map_err(|error| self.raised.keep(error))
    }

    fn observe(&self, into: &mut [f32]) {
        into.copy_from_slice(&self.seen);
    }

    fn step(&mut self, action: usize, _: &mut ChaCha8Rng) -> Result<Stepped, Problem> {
        let stepped = Python::attach(|py| {
            let (seen, terminated, truncated): (Bound<'_, PyAny>, bool, bool) =
                self.object.call_method1(py, "step", (action,))?.extract(py)?;
            self.see(&seen)?;
            Ok(match (terminated, truncated) {
                (true, _) => Stepped::Terminated,
                (false, true) => Stepped::Truncated,
                (false, false) => Stepped::On,
            })
        });
        stepped.map_err(|error| self.raised.keep(error))
    }
}

impl Outside for Acted {
    fn is_numbered(&self) -> bool {
        self.numbered
    }

    fn state(&self, state: Token<'_>) -> Result<Seen, String> {
        let allowed = vec![true; self.actions];
        if self.numbered {
            let number = number(state, self.first[0], self.inputs)
                .ok_or_else(|| format!("observations are the numbers {}", between(self.first[0], self.inputs)))?;
            let numbers = (0..self.inputs).map(|at| f32::from(u8::from(at == number))).collect();
            return Ok(Seen { numbers, allowed });
        }
        let numbers: Vec<f32> = match (state.as_features(), state.as_int()) {
            (Some(features), _) => features.iter().map(|&x| x as f32).collect(),
            (None, Some(number)) => vec![number as f32],
            (None, None) => Vec::new(),
        };
        match numbers.len() == self.inputs {
            true => Ok(Seen { numbers, allowed }),
            false => Err(format!("observations of the environment are {} numbers", self.inputs)),
        }
    }

    fn action(&self, action: Token<'_>) -> Result<u32, String> {
        let number = number(action, self.first[1], self.actions);
        let wrong = || format!("actions of the environment are the numbers {}", between(self.first[1], self.actions));
        number.map(|number| number as u32).ok_or_else(wrong)
    }
}

fn between(first: i64, count: usize) -> String {
    format!("{first} to {}", first + count as i64 - 1)
}

fn number(token: Token<'_>, first: i64, count: usize) -> Option<usize> {
    let number = match token.as_features() {
        // An array with one column.
        Some(&[number]) if number.fract() == 0.0 => number as i64,
        Some(_) => return None,
        None => token.as_int()?,
    };
    usize::try_from(number.checked_sub(first)?).ok().filter(|&number| number < count)
}

/// The world that options name.
pub fn world(options: &Bound<'_, PyDict>, name: &str) -> PyResult<srrd_worlds::Plan> {
    let wrong = |message: String| crate::error::wrong(format!("env: {message}"));
    let kind = name.parse::<srrd_worlds::WorldKind>().map_err(|error| {
        wrong(format!(
            "{error}; for an environment of Gymnasium give a function such as lambda: gymnasium.make({name:?})"
        ))
    })?;
    let mut question = srrd_worlds::Simulation::new(kind);
    if let Some(more) = options.get_item("world")? {
        let (size, epsilon, obstacles): (Option<String>, Option<f64>, Option<usize>) = more.extract()?;
        question.size = size.as_deref().map(Into::into);
        (question.epsilon, question.obstacles) = (epsilon, obstacles);
    }
    question.check().map_err(|error| crate::simulate::refused(&error))
}
