//! Exact canonical forms, for small problems whose reward is known everywhere.
//!
//! Every set of states carries its distribution, and E[R(X, A, Y)] is over independent draws from the two distributions and
//! from that of the actions: S, S' (EPIC) and S3 are drawn from D_S, S1 and S'' from one step on from s', S2 and S' (DARD)
//! from s, S4, S5 and S6 from one step on from S3, S1 and S2.

use thiserror::Error;

use crate::compare::{Agreement, Undefined, pearson};
use crate::dynamics::{Dynamics, DynamicsError, check_probabilities};
use crate::metric::Metric;
use crate::project::Projection;
use crate::run::checkpoint;
use crate::settings::Gamma;

/// A tabular problem without its reward: distributions of states and actions and, where known, the dynamics.
#[derive(Clone, Debug, PartialEq)]
pub struct Tabular {
    states: usize,
    actions: usize,
    pub(crate) state_distribution: Vec<f64>,
    action_distribution: Vec<f64>,
    model: Option<Model>,
}

/// Where actions lead.
#[derive(Clone, Debug, PartialEq)]
struct Model {
    dynamics: Dynamics,
    /// Where one step leads from every state when the action is drawn from its distribution: row s is Σ_a D_A(a) T(s, a, ·).
    step: Vec<f64>,
}

/// Why an exact form could not be computed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ExactError {
    /// A reward that is not finite.
    #[error("the reward of transition ({state}, {action}, {next_state}) is {value}, but it must be a finite number")]
    NotFinite {
        /// s
        state: usize,
        /// a
        action: usize,
        /// s'
        next_state: usize,
        /// The reward.
        value: f64,
    },
    /// Distributions or dynamics that are none, or not those of the problem.
    #[error(transparent)]
    Input(#[from] DynamicsError),
    /// DARD and SRRD need the dynamics.
    #[error("{0} needs a transition model: build the problem with `with_dynamics`")]
    NeedsDynamics(Metric),
    /// A metric that has no exact form here.
    #[error("{0} has no exact form")]
    NoExactForm(Metric),
    /// The canonical forms have no distance.
    #[error(transparent)]
    Undefined(#[from] Undefined),
}

impl Tabular {
    /// A problem with the given distributions over states and actions.
    ///
    /// # Errors
    /// When one of them is not a distribution.
    pub fn new(state_distribution: Vec<f64>, action_distribution: Vec<f64>) -> Result<Self, ExactError> {
        check_distribution("state distribution", &state_distribution)?;
        check_distribution("action distribution", &action_distribution)?;
        Ok(Tabular {
            states: state_distribution.len(),
            actions: action_distribution.len(),
            state_distribution,
            action_distribution,
            model: None,
        })
    }

    /// Adds the dynamics T[s, a, s'], row-major.
    ///
    /// ```
    /// use srrd::{Gamma, Metric};
    /// use srrd::exact::Tabular;
    /// let problem = Tabular::new(vec![0.5, 0.5], vec![1.0])?.with_dynamics(&[0.0, 1.0, 1.0, 0.0])?;
    /// assert!(problem.canonicalize(&[0.0, 1.0, -1.0, 0.0], Metric::Srrd, Gamma::default()).is_ok());
    /// # Ok::<(), srrd::exact::ExactError>(())
    /// ```
    ///
    /// # Errors
    /// When the length is wrong or a row T[s, a, ·] is not a distribution.
    pub fn with_dynamics(self, transition: &[f64]) -> Result<Self, ExactError> {
        let dynamics = Dynamics::dense(self.states, self.actions, transition)?;
        self.with_model(dynamics)
    }

    /// Adds dynamics, in which every action has to be known in every state.
    ///
    /// ```
    /// use srrd::Dynamics;
    /// use srrd::exact::Tabular;
    /// let there_and_back = Dynamics::new(2, 1, [(0, 0, 1, 1.0), (1, 0, 0, 1.0)])?;
    /// let problem = Tabular::new(vec![0.5, 0.5], vec![1.0])?.with_model(there_and_back)?;
    /// assert_eq!(problem.dynamics().unwrap().outcomes(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When they have other numbers of states or actions, or an action is not known in a state.
    pub fn with_model(mut self, dynamics: Dynamics) -> Result<Self, ExactError> {
        check_length("transition model", self.states, dynamics.states())?;
        check_length("transition model", self.actions, dynamics.actions())?;
        dynamics.check_complete()?;
        let step = dynamics.step(&self.action_distribution);
        self.model = Some(Model { dynamics, step });
        Ok(self)
    }

    /// The dynamics, where they are known.
    pub fn dynamics(&self) -> Option<&Dynamics> {
        self.model.as_ref().map(|model| &model.dynamics)
    }

    /// Where one step leads from every state when the action is drawn from its distribution.
    pub(crate) fn step(&self) -> Option<&[f64]> {
        self.model.as_ref().map(|model| &model.step[..])
    }

    /// How many states.
    pub fn states(&self) -> usize {
        self.states
    }

    /// How many actions.
    pub fn actions(&self) -> usize {
        self.actions
    }

    /// The exact canonical form of the reward R[s, a, s'] (row-major). O(states² · (states + actions)).
    ///
    /// # Errors
    /// When the reward has the wrong length or is not finite, or dynamics are needed and missing.
    pub fn canonicalize(&self, reward: &[f64], metric: Metric, gamma: Gamma) -> Result<Vec<f64>, ExactError> {
        self.check_reward(reward)?;
        let n = self.states;
        let discount = gamma;
        let gamma = discount.get();
        let mean = self.mean_over_actions(reward);
        let step = || self.step().ok_or(ExactError::NeedsDynamics(metric));
        if metric == Metric::Direct {
            return Ok(reward.to_vec());
        }
        if metric == Metric::Projected {
            let pairs = (0..reward.len()).map(|i| ((i / n / self.actions) as u32, (i % n) as u32));
            return Ok(Projection::on(pairs, discount).residual(reward));
        }
        let shift: Box<dyn Fn(usize, usize) -> f64> = match metric {
            Metric::Epic => {
                let near = times(&mean, &self.state_distribution);
                let constant = dot(&self.state_distribution, &near);
                Box::new(move |s, t| gamma * near[t] - near[s] - gamma * constant)
            }
            Metric::Dard => {
                let step = step()?;
                let near: Vec<f64> = (0..n).map(|s| dot(row(&mean, s), row(step, s))).collect();
                // cross[t][s] = E[R(S', A, S'')] = step(s) · R · step(t)ᵀ
                let ahead: Vec<Vec<f64>> = (0..n).map(|t| times(&mean, row(step, t))).collect();
                let cross: Vec<Vec<f64>> = ahead.iter().map(|ahead| times(step, ahead)).collect();
                Box::new(move |s, t| gamma * near[t] - near[s] - gamma * cross[t][s])
            }
            Metric::Srrd => {
                let step = step()?;
                let s3 = &self.state_distribution;
                let s4 = advance(step, s3);
                let constant = dot(s3, &times(&mean, &s4));
                let mut ahead = Vec::with_capacity(n);
                let mut behind = Vec::with_capacity(n);
                for z in 0..n {
                    let one = row(step, z);
                    let two = advance(step, one);
                    let to_two = times(&mean, &two);
                    let near = dot(row(&mean, z), one);
                    let walk = dot(one, &to_two);
                    ahead.push(near + gamma * (walk - dot(&s4, &to_two)));
                    behind.push(near + gamma * (walk - dot(s3, &to_two)));
                }
                Box::new(move |s, t| gamma * ahead[t] - behind[s] - gamma * constant)
            }
            other => return Err(ExactError::NoExactForm(other)),
        };
        let canonical = reward.iter().enumerate().map(|(i, r)| r + shift(i / n / self.actions, i % n));
        Ok(canonical.collect())
    }

    /// The Pearson distance of two exact canonical forms over all transitions, each counted once.
    ///
    /// # Errors
    /// As [`canonicalize`](Self::canonicalize), and [`ExactError::Undefined`] where there is no distance.
    pub fn distance(&self, a: &[f64], b: &[f64], metric: Metric, gamma: Gamma) -> Result<Agreement, ExactError> {
        Ok(pearson(&self.canonicalize(a, metric, gamma)?, &self.canonicalize(b, metric, gamma)?)?)
    }

    /// R(s, s') = Σ_a D_A(a) R[s, a, s']
    pub(crate) fn mean_over_actions(&self, reward: &[f64]) -> Vec<f64> {
        let n = self.states;
        let mut mean = vec![0.0; n * n];
        for (i, r) in reward.iter().enumerate() {
            let (s, a, t) = (i / n / self.actions, i / n % self.actions, i % n);
            mean[s * n + t] += self.action_distribution[a] * r;
        }
        mean
    }

    pub(crate) fn check_reward(&self, reward: &[f64]) -> Result<(), ExactError> {
        let (n, m) = (self.states, self.actions);
        check_length("reward", n * m * n, reward.len())?;
        match reward.iter().position(|r| !r.is_finite()) {
            None => Ok(()),
            Some(i) => {
                Err(ExactError::NotFinite { state: i / n / m, action: i / n % m, next_state: i % n, value: reward[i] })
            }
        }
    }
}

pub(crate) fn check_length(what: &'static str, expected: usize, found: usize) -> Result<(), ExactError> {
    if expected == found { Ok(()) } else { Err(DynamicsError::Length { what, expected, found }.into()) }
}

pub(crate) fn check_distribution(what: &str, p: &[f64]) -> Result<(), ExactError> {
    check_probabilities(p.iter().copied())
        .map_err(|why| DynamicsError::Distribution { what: what.to_owned(), why }.into())
}

/// Row i of a square matrix with as many columns as it has rows.
pub(crate) fn row(matrix: &[f64], i: usize) -> &[f64] {
    let n = matrix.len().isqrt();
    &matrix[i * n..(i + 1) * n]
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// matrix · vector
pub(crate) fn times(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    checkpoint();
    matrix.chunks_exact(vector.len()).map(|row| dot(row, vector)).collect()
}

/// vectorᵀ · matrix: a distribution one step on.
pub(crate) fn advance(step: &[f64], distribution: &[f64]) -> Vec<f64> {
    checkpoint();
    let mut next = vec![0.0; distribution.len()];
    for (row, p) in step.chunks_exact(distribution.len()).zip(distribution) {
        next.iter_mut().zip(row).for_each(|(sum, q)| *sum += p * q);
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_distribution_is_named() {
        let message = |states: &[f64]| Tabular::new(states.to_vec(), vec![1.0]).unwrap_err().to_string();
        assert_eq!(message(&[0.5, 0.6]), "the state distribution is not a probability distribution: it adds up to 1.1");
        assert_eq!(message(&[]), "the state distribution is not a probability distribution: it is empty");
        assert_eq!(message(&[1.5, -0.5]), "the state distribution is not a probability distribution: it holds 1.5");
        let problem = Tabular::new(vec![0.5, 0.5], vec![1.0]).unwrap();
        let error = problem.clone().with_dynamics(&[0.5, 0.5, 0.5, 0.4]).unwrap_err();
        assert!(error.to_string().starts_with("the transition model of state 1 and action 0 is not"), "{error}");
        let gamma = Gamma::default();
        let error = problem.canonicalize(&[0.0; 4], Metric::Dard, gamma).unwrap_err();
        assert_eq!(error.to_string(), "dard needs a transition model: build the problem with `with_dynamics`");
        assert!(problem.canonicalize(&[0.0; 3], Metric::Epic, gamma).is_err());
        assert!(problem.canonicalize(&[0.0, f64::NAN, 0.0, 0.0], Metric::Epic, gamma).is_err());
    }
}
