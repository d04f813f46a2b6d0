//! Options as Python gives them, checked once.

use crate::error::of_answer;
use pyo3::prelude::*;
use srrd::Metric;
use srrd_cli::answers::{Checked, Options};

/// What was chosen: metric, discount factor, estimator and the rest, checked as the command checks them.
#[pyclass(frozen, module = "srrd._srrd")]
pub struct Choices {
    pub checked: Checked,
}

#[pymethods]
impl Choices {
    #[new]
    #[pyo3(signature = (metric, gamma, estimator, regression, actions, batch, seed, min_common, correlation, support))]
    #[expect(clippy::too_many_arguments, reason = "one argument an option")]
    fn new(
        metric: Vec<String>,
        gamma: String,
        estimator: String,
        regression: Option<String>,
        actions: String,
        batch: String,
        seed: u64,
        min_common: usize,
        correlation: String,
        support: String,
    ) -> PyResult<Self> {
        let options =
            Options { metric, gamma, estimator, regression, actions, batch, seed, min_common, correlation, support };
        Ok(Choices { checked: options.check(&[Metric::Srrd]).map_err(of_answer)? })
    }

    /// The names of the metrics.
    #[getter]
    fn metrics(&self) -> Vec<&'static str> {
        self.checked.metrics().iter().map(|metric| metric.name()).collect()
    }
}
