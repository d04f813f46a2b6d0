//! Exact forms, for rewards that are known everywhere.

use crate::error::wrong;
use crate::work;
use numpy::{IntoPyArray, PyArray3, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use srrd::exact::starc::{Canonicalization, Norm, Starc};
use srrd::exact::{Draws, ExactError};
use srrd::{Choice, Gamma, Metric};

/// A tabular problem without its reward.
#[pyclass(frozen, module = "srrd._srrd")]
pub struct Tabular {
    problem: srrd::exact::Tabular,
}

/// The message, which names what the problem is built with here.
fn told(error: ExactError) -> PyErr {
    match error {
        ExactError::NeedsDynamics(metric) => {
            wrong(format!("{metric} needs a transition model: build the problem with `dynamics=`, T[s, a, s']"))
        }
        ExactError::NeedsModel(what) => {
            wrong(format!("{what} needs a transition model: build the problem with `dynamics=`, T[s, a, s']"))
        }
        other => wrong(other.to_string()),
    }
}

fn named(metric: &str, gamma: f64) -> PyResult<(Metric, Gamma)> {
    let metric = metric.parse().map_err(|e| wrong(format!("metric: {e}")))?;
    Ok((metric, discount(gamma)?))
}

fn discount(gamma: f64) -> PyResult<Gamma> {
    Gamma::new(gamma).map_err(|e| wrong(format!("gamma: {e}")))
}

/// A canonicalization of STARC, as Python says it.
fn starc(canonicalization: &str, norm: &str, gamma: f64, policy: Option<PyReadonlyArray2<'_, f64>>) -> PyResult<Starc> {
    let canonicalization =
        Canonicalization::named(canonicalization).map_err(|e| wrong(format!("canonicalization: {e}")))?;
    let norm = Norm::named(norm).map_err(|e| wrong(format!("norm: {e}")))?;
    let starc = Starc::new(canonicalization, discount(gamma)?).with_norm(norm);
    Ok(match policy {
        None => starc,
        Some(policy) => starc.with_policy(policy.as_slice()?.to_vec()),
    })
}

impl Tabular {
    /// The problem, with actions drawn as asked for.
    fn drawing(&self, actions: &str) -> PyResult<srrd::exact::Tabular> {
        let draws = Draws::named(actions).map_err(|e| wrong(format!("actions: {e}")))?;
        Ok(self.problem.clone().with_draws(draws))
    }
}

#[pymethods]
impl Tabular {
    #[new]
    #[pyo3(signature = (state_distribution, action_distribution, dynamics=None))]
    fn new(
        state_distribution: PyReadonlyArray1<'_, f64>,
        action_distribution: PyReadonlyArray1<'_, f64>,
        dynamics: Option<PyReadonlyArray3<'_, f64>>,
    ) -> PyResult<Self> {
        let problem = srrd::exact::Tabular::new(
            state_distribution.as_slice()?.to_vec(),
            action_distribution.as_slice()?.to_vec(),
        );
        let problem = problem.map_err(told)?;
        let problem = match dynamics {
            None => problem,
            Some(dynamics) => problem.with_dynamics(dynamics.as_slice()?).map_err(told)?,
        };
        Ok(Tabular { problem })
    }

    #[getter]
    fn shape(&self) -> (usize, usize, usize) {
        (self.problem.states(), self.problem.actions(), self.problem.states())
    }

    /// The exact canonical form of a reward R[s, a, s'].
    fn canonicalize<'py>(
        &self,
        py: Python<'py>,
        reward: PyReadonlyArray3<'_, f64>,
        metric: &str,
        gamma: f64,
        actions: &str,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let (metric, gamma) = named(metric, gamma)?;
        let (problem, reward) = (self.drawing(actions)?, reward.as_slice()?.to_vec());
        let canonical = work::run(py, None, move || problem.canonicalize(&reward, metric, gamma))?;
        let (states, actions, next_states) = self.shape();
        let canonical = canonical.map_err(told)?;
        canonical.into_pyarray(py).reshape([states, actions, next_states])
    }

    /// The Pearson distance of two exact canonical forms; NaN when it is undefined.
    fn distance(
        &self,
        py: Python<'_>,
        a: PyReadonlyArray3<'_, f64>,
        b: PyReadonlyArray3<'_, f64>,
        metric: &str,
        gamma: f64,
        actions: &str,
    ) -> PyResult<f64> {
        let (metric, gamma) = named(metric, gamma)?;
        let (problem, a, b) = (self.drawing(actions)?, a.as_slice()?.to_vec(), b.as_slice()?.to_vec());
        let distance = work::run(py, None, move || problem.distance(&a, &b, metric, gamma))?;
        match distance {
            Ok(agreement) => Ok(agreement.distance),
            Err(ExactError::Undefined(_)) => Ok(f64::NAN),
            Err(error) => Err(told(error)),
        }
    }

    /// The canonical form of a reward by STARC.
    fn starc<'py>(
        &self,
        py: Python<'py>,
        reward: PyReadonlyArray3<'_, f64>,
        canonicalization: &str,
        norm: &str,
        gamma: f64,
        policy: Option<PyReadonlyArray2<'_, f64>>,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let starc = starc(canonicalization, norm, gamma, policy)?;
        let (problem, reward) = (self.problem.clone(), reward.as_slice()?.to_vec());
        let canonical = work::run(py, None, move || starc.canonicalize(&problem, &reward))?;
        let (states, actions, next_states) = self.shape();
        canonical.map_err(told)?.into_pyarray(py).reshape([states, actions, next_states])
    }

    /// The standardized distance of two rewards by STARC.
    #[expect(clippy::too_many_arguments, reason = "one argument per option")]
    fn starc_distance(
        &self,
        py: Python<'_>,
        a: PyReadonlyArray3<'_, f64>,
        b: PyReadonlyArray3<'_, f64>,
        canonicalization: &str,
        norm: &str,
        gamma: f64,
        policy: Option<PyReadonlyArray2<'_, f64>>,
    ) -> PyResult<f64> {
        let starc = starc(canonicalization, norm, gamma, policy)?;
        let (problem, a, b) = (self.problem.clone(), a.as_slice()?.to_vec(), b.as_slice()?.to_vec());
        work::run(py, None, move || starc.distance(&problem, &a, &b))?.map_err(told)
    }
}
