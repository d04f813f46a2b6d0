//! Exact canonical forms, for small problems whose reward is known everywhere.
//!
//! Every set of states carries its distribution, and E[R(X, A, Y)] is over independent draws from the two distributions and
//! from that of the actions: S, S' (EPIC) and S3 are drawn from D_S, S1 and S'' from one step on from s', S2 and S' (DARD)
//! from s, S4, S5 and S6 from one step on from S3, S1 and S2.
//!
//! With [`Draws::Shared`] the action that is rewarded is the one that moves: in a forward term E[R(X, A, Y)] = Σ_x p(x) Σ_a D_A(a) Σ_y
//! T(x, a, y) R(x, a, y), and in DARD's last term one action leads from s to S', from s' to S'' and is rewarded. SRRD's two terms that do
//! not lead forward, R(S3, A, S6) and R(S4, A, S5), stay independent.

pub mod starc;

use thiserror::Error;

use crate::compare::{Agreement, Undefined, pearson};
use crate::dynamics::{Dynamics, DynamicsError, check_probabilities};
use crate::metric::Metric;
use crate::project::Projection;
use crate::run::checkpoint;
use crate::settings::{Choice, Gamma};
use crate::sparse::dot;
use crate::theory::LARGEST_GAMMA;

/// A tabular problem without its reward: distributions of states and actions and, where known, the dynamics.
///
/// ```
/// use srrd::{Gamma, Metric, exact::Tabular};
/// // Pure shaping of two states with φ = 0 and 5: EPIC leaves nothing of it.
/// let problem = Tabular::new(vec![0.5, 0.5], vec![1.0])?;
/// let canonical = problem.canonicalize(&[0.0, 4.5, -5.0, -0.5], Metric::Epic, Gamma::default())?;
/// assert!(canonical.iter().all(|c| c.abs() < 1e-12));
/// # Ok::<(), srrd::exact::ExactError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tabular {
    states: usize,
    actions: usize,
    pub(crate) state_distribution: Vec<f64>,
    action_distribution: Vec<f64>,
    model: Option<Model>,
    draws: Draws,
}

/// Whether the action that is rewarded and the one that leads to a state are drawn apart.
///
/// ```
/// use srrd::{Choice, exact::Draws};
/// assert_eq!(Draws::named("shared"), Ok(Draws::Shared));
/// assert_eq!(Draws::default().name(), "independent");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Draws {
    /// Apart: the reading of the SRRD paper, whose terms are over cross-products.
    #[default]
    Independent,
    /// One action moves and is rewarded: the reading of the DARD paper, and what STARC's published code computes as DARD.
    Shared,
}

impl Choice for Draws {
    const ALL: &'static [Self] = &[Draws::Independent, Draws::Shared];
    const NAMES: &'static [&'static str] = &["independent", "shared"];
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
    /// What else needs the dynamics.
    #[error("{0} needs a transition model: build the problem with `with_dynamics`")]
    NeedsModel(&'static str),
    /// Values are infinite without a discount.
    #[error("{what} takes values, which need a discount factor of at most {LARGEST_GAMMA}, not {gamma}")]
    Discount {
        /// The canonicalization.
        what: &'static str,
        /// γ
        gamma: f64,
    },
    /// A linear program whose solution was lost in rounding.
    #[error("the least norm was not found: the rewards or probabilities differ too much in size")]
    NoLeast,
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
            draws: Draws::default(),
        })
    }

    /// The same problem, with actions of DARD and SRRD drawn in this way.
    ///
    /// ```
    /// use srrd::exact::{Draws, Tabular};
    /// use srrd::{Gamma, Metric};
    /// // Action 0 stays, action 1 changes the room.
    /// let moves = [1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0];
    /// let problem = Tabular::new(vec![0.5, 0.5], vec![0.5, 0.5])?.with_dynamics(&moves)?;
    /// let reward = [0.0, 2.0, 1.0, 0.0, 0.5, 0.0, 1.0, 3.0];
    /// let shared = problem.clone().with_draws(Draws::Shared);
    /// let gamma = Gamma::default();
    /// assert!(shared.canonicalize(&reward, Metric::Dard, gamma)? != problem.canonicalize(&reward, Metric::Dard, gamma)?);
    /// # Ok::<(), srrd::exact::ExactError>(())
    /// ```
    #[must_use]
    pub fn with_draws(self, draws: Draws) -> Self {
        Tabular { draws, ..self }
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

    /// The exact canonical form of the reward R[s, a, s'] (row-major). O(states² · (states + actions)); with shared
    /// actions DARD takes O(states³ · actions).
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
        if metric.info().projects {
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
                let near = self.forward(reward, &mean, step()?);
                let cross = self.cross(reward, &mean, step()?);
                Box::new(move |s, t| gamma * near[t] - near[s] - gamma * cross[t][s])
            }
            Metric::Srrd => {
                let step = step()?;
                let s3 = &self.state_distribution;
                let s4 = advance(step, s3);
                let near = self.forward(reward, &mean, step);
                // The mean over a forward step from a distribution; `ahead` is the mean reward of going where it leads.
                let onward = |from: &[f64], ahead: &[f64]| match self.draws {
                    Draws::Independent => dot(from, ahead),
                    Draws::Shared => dot(from, &near),
                };
                let constant = onward(s3, &times(&mean, &s4));
                let mut ahead = Vec::with_capacity(n);
                let mut behind = Vec::with_capacity(n);
                for (z, near) in near.iter().enumerate() {
                    let one = row(step, z);
                    let two = advance(step, one);
                    let to_two = times(&mean, &two);
                    let walk = onward(one, &to_two);
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

    /// E[R(s, A, S')] from every state, S' one step on from it.
    fn forward(&self, reward: &[f64], mean: &[f64], step: &[f64]) -> Vec<f64> {
        match (self.draws, &self.model) {
            (Draws::Shared, Some(model)) => {
                let mut forward = vec![0.0; self.states];
                for (s, a, ahead) in model.dynamics.iter() {
                    let rewards = &reward[(s as usize * self.actions + a as usize) * self.states..];
                    forward[s as usize] += self.action_distribution[a as usize] * ahead.mean(|t| rewards[t]);
                }
                forward
            }
            _ => (0..self.states).map(|s| dot(row(mean, s), row(step, s))).collect(),
        }
    }

    /// E[R(S', A, S'')] by s' and s: S' one step on from s, S'' from s'.
    fn cross(&self, reward: &[f64], mean: &[f64], step: &[f64]) -> Vec<Vec<f64>> {
        let n = self.states;
        let Draws::Shared = self.draws else {
            let ahead = (0..n).map(|t| times(mean, row(step, t)));
            return ahead.map(|ahead| times(step, &ahead)).collect();
        };
        let mut cross = vec![vec![0.0; n]; n];
        let dense = self.model.iter().map(|model| model.dynamics.to_dense()).next().unwrap_or_default();
        // Row s of a table that has one more index, the action, between two states.
        let of_action = |table: &[f64], a: usize| -> Vec<f64> {
            (0..n).flat_map(|s| table[(s * self.actions + a) * n..][..n].iter().copied()).collect()
        };
        for (a, weight) in self.action_distribution.iter().enumerate() {
            let (step, rewards) = (of_action(&dense, a), of_action(reward, a));
            for (t, cross) in cross.iter_mut().enumerate() {
                let means = times(&step, &times(&rewards, row(&step, t)));
                cross.iter_mut().zip(means).for_each(|(sum, mean)| *sum += weight * mean);
            }
        }
        cross
    }

    /// The Pearson distance of two exact canonical forms over all transitions, each counted once.
    ///
    /// # Errors
    /// As [`canonicalize`](Self::canonicalize), and [`ExactError::Undefined`] where there is no distance.
    pub fn distance(&self, a: &[f64], b: &[f64], metric: Metric, gamma: Gamma) -> Result<Agreement, ExactError> {
        let found = pearson(&self.canonicalize(a, metric, gamma)?, &self.canonicalize(b, metric, gamma)?)?;
        Ok(Agreement { distance: metric.told(found.distance), ..found })
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
