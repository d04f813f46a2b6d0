//! STARC's canonicalizations and standardized distances (Skalse and others, "STARC: A General Framework For Quantifying Differences
//! Between Reward Functions"), for small problems whose reward and dynamics are known everywhere.
//!
//! | name | canonical reward c(s, a, s') |
//! |---|---|
//! | `val` | E_{S'~T(s,a)}\[R(s, a, S') + γ V(S')\] − V(s): the same for every s' |
//! | `val-potential` | R(s, a, s') + γ V(s') − V(s) |
//! | `minimal` | the least of what potential shaping and S'-redistribution can make of R |
//! | `minimal-potential` | the least of what potential shaping alone can make of R |
//!
//! V is the value function of R under a policy π, uniform unless one is given; both value forms need γ < 1. S'-redistribution changes
//! rewards among the next states of (s, a) such that their mean under T(s, a, ·) stays. "Least" is by the chosen norm.
//!
//! **Norms.** Of order 1, 2 or ∞ over all transitions; plain, or weighted by transition probabilities as in STARC's published code:
//! (Σ T |R|^p)^(1/p), and max T |R| for ∞.
//!
//! **Distance.** d(A, B) = ½ ‖c(A)/‖c(A)‖ − c(B)/‖c(B)‖‖, in [0, 1]. A canonical reward of 0 (up to rounding) is not divided: two such
//! rewards are at 0, and one of them is at ½ from any other. STARC's published code leaves ½ out: its numbers are twice these. With the
//! plain norm of order 2, d = sqrt((1 − cos) / 2) with the cosine of the two canonical rewards, which is the Pearson distance of the
//! other metrics where these have the mean 0. `minimal-potential` in this norm is `projected` on all transitions.
//!
//! **How the least is found** (`minimal.rs`): order 2 is a least-squares problem and has one solution. Orders 1 and ∞ are linear programs,
//! solved at their vertices (`vertex.rs`); STARC's published code descends a gradient and has no minimal form for ∞. Several rewards may be
//! equally small there. Of order ∞ the *strict* one is taken, which is also least among the transitions that the largest ones leave free,
//! and so on; it is the limit of the solutions of order p → ∞, and unique. Of order 1 ties are rare, and a fixed tilt of 10⁻¹⁰ of the
//! rewards decides. Both start from the solution of order 2, which shaping does not change: equivalent rewards come to one canonical form.
//!
//! Time: `val` O(states³); least squares O(states⁴ · actions), with redistribution O(states³ · actions); linear programs some dozens of
//! passes over that many numbers, and for ∞ as often as there are states.

mod least;
mod minimal;
#[cfg(test)]
mod tests;
mod vertex;

use super::{ExactError, Tabular, check_length, row};
use crate::dynamics::{Dynamics, DynamicsError, check_probabilities};
use crate::run::checkpoint;
use crate::settings::{Choice, Gamma};
use crate::theory::{LARGEST_GAMMA, discounted};

/// How a reward becomes canonical.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Canonicalization {
    /// The mean over next states, less the value of the state.
    Val,
    /// Shaped with the value function.
    ValPotential,
    /// The least by shaping and S'-redistribution.
    Minimal,
    /// The least by shaping alone.
    MinimalPotential,
}

impl Choice for Canonicalization {
    const ALL: &'static [Self] = &[
        Canonicalization::Val,
        Canonicalization::ValPotential,
        Canonicalization::Minimal,
        Canonicalization::MinimalPotential,
    ];
    const NAMES: &'static [&'static str] = &["val", "val-potential", "minimal", "minimal-potential"];
}

/// The order p of a norm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// The sum of magnitudes.
    One,
    /// Euclid's.
    Two,
    /// The largest magnitude.
    Infinity,
}

/// How large a reward is: by order, plain or weighted by transition probabilities.
///
/// ```
/// use srrd::{Choice, exact::starc::{Norm, Order}};
/// assert_eq!(Norm::named("weighted-inf"), Ok(Norm { order: Order::Infinity, weighted: true }));
/// assert_eq!(Norm::default().name(), "2");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Norm {
    /// p
    pub order: Order,
    /// Whether every transition counts by its probability.
    pub weighted: bool,
}

impl Default for Norm {
    fn default() -> Self {
        Norm { order: Order::Two, weighted: false }
    }
}

impl Choice for Norm {
    const ALL: &'static [Self] = &[
        Norm { order: Order::One, weighted: false },
        Norm { order: Order::Two, weighted: false },
        Norm { order: Order::Infinity, weighted: false },
        Norm { order: Order::One, weighted: true },
        Norm { order: Order::Two, weighted: true },
        Norm { order: Order::Infinity, weighted: true },
    ];
    const NAMES: &'static [&'static str] = &["1", "2", "inf", "weighted-1", "weighted-2", "weighted-inf"];
}

impl Norm {
    /// What a reward of 1 at a transition of this probability comes to, where it is the only one.
    fn weight(self, probability: f64) -> f64 {
        match (self.weighted, self.order) {
            (false, _) => 1.0,
            (true, Order::Two) => probability.sqrt(),
            (true, Order::One | Order::Infinity) => probability,
        }
    }

    fn of(self, weighted: impl Iterator<Item = f64> + Clone) -> f64 {
        let largest = weighted.clone().fold(0.0, |most: f64, v| most.max(v.abs()));
        match self.order {
            Order::One => weighted.map(f64::abs).sum(),
            Order::Infinity => largest,
            // In units of the largest: squares of very large and very small rewards would leave the range of doubles.
            Order::Two if largest > 0.0 => {
                largest * weighted.map(|v| (v / largest) * (v / largest)).sum::<f64>().sqrt()
            }
            Order::Two => 0.0,
        }
    }
}

/// A canonicalization with all that it needs.
///
/// ```
/// use srrd::Gamma;
/// use srrd::exact::{Tabular, starc::{Canonicalization, Starc}};
/// let problem = Tabular::new(vec![0.5, 0.5], vec![1.0])?.with_dynamics(&[0.1, 0.9, 0.6, 0.4])?;
/// let starc = Starc::new(Canonicalization::Val, Gamma::default());
/// let reward = [1.0, 0.0, 2.0, 0.0];
/// // Shaped by φ = (0, 10) with γ = 0.9, and doubled.
/// let shaped: Vec<f64> = reward.iter().zip([0.0, 9.0, -10.0, -1.0]).map(|(r, f)| 2.0 * (r + f)).collect();
/// assert!(starc.distance(&problem, &reward, &shaped)? < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Starc {
    /// How rewards become canonical.
    pub canonicalization: Canonicalization,
    /// By which norm they are standardized and compared, and least.
    pub norm: Norm,
    /// γ
    pub gamma: Gamma,
    /// π(a | s), row-major; uniform where it is `None`.
    pub policy: Option<Vec<f64>>,
}

/// Of the largest number that a canonical reward is computed from: what of it is rounding.
const ROUNDING: f64 = 1e-12;

impl Starc {
    /// With the plain norm of order 2 and a uniform policy.
    pub fn new(canonicalization: Canonicalization, gamma: Gamma) -> Self {
        Starc { canonicalization, norm: Norm::default(), gamma, policy: None }
    }

    /// The same by another norm.
    #[must_use]
    pub fn with_norm(self, norm: Norm) -> Self {
        Starc { norm, ..self }
    }

    /// The same with the values of another policy: π(a | s), row-major.
    ///
    /// ```
    /// use srrd::Gamma;
    /// use srrd::exact::{Tabular, starc::{Canonicalization, Starc}};
    /// // Action 0 stays, action 1 changes the room; the policy always stays, which pays 1 in room 1.
    /// let moves = [1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0];
    /// let problem = Tabular::new(vec![0.5, 0.5], vec![0.5, 0.5])?.with_dynamics(&moves)?;
    /// let starc = Starc::new(Canonicalization::Val, Gamma::new(0.5)?).with_policy(vec![1.0, 0.0, 1.0, 0.0]);
    /// let canonical = starc.canonicalize(&problem, &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0])?;
    /// // V = (0, 2): staying is worth nothing more, changing gains 1 in room 0 and loses 2 in room 1.
    /// assert_eq!(canonical, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, -2.0, -2.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_policy(self, policy: Vec<f64>) -> Self {
        Starc { policy: Some(policy), ..self }
    }

    /// The canonical form of the reward R[s, a, s'], row-major.
    ///
    /// # Errors
    /// When the reward or the policy does not fit the problem, dynamics are needed and missing, or values need a smaller γ.
    pub fn canonicalize(&self, problem: &Tabular, reward: &[f64]) -> Result<Vec<f64>, ExactError> {
        Ok(self.canonical(problem, reward)?.0)
    }

    /// The norm of a reward.
    ///
    /// # Errors
    /// When the reward does not fit the problem, or dynamics are needed and missing.
    pub fn size(&self, problem: &Tabular, reward: &[f64]) -> Result<f64, ExactError> {
        problem.check_reward(reward)?;
        let weights = self.weights(problem)?;
        Ok(self.norm.of(reward.iter().enumerate().map(|(i, r)| r * weights.as_ref().map_or(1.0, |w| w[i]))))
    }

    /// ½ ‖c(A)/‖c(A)‖ − c(B)/‖c(B)‖‖
    ///
    /// # Errors
    /// As [`canonicalize`](Self::canonicalize).
    pub fn distance(&self, problem: &Tabular, a: &[f64], b: &[f64]) -> Result<f64, ExactError> {
        let standard = |reward: &[f64]| -> Result<Vec<f64>, ExactError> {
            let (mut canonical, rounding) = self.canonical(problem, reward)?;
            let size = self.size(problem, &canonical)?;
            let largest = canonical.iter().fold(0.0, |most: f64, c| most.max(c.abs()));
            let scale = if largest <= rounding || size == 0.0 { 0.0 } else { 1.0 / size };
            canonical.iter_mut().for_each(|c| *c *= scale);
            Ok(canonical)
        };
        let (a, b) = (standard(a)?, standard(b)?);
        let difference: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
        Ok((0.5 * self.size(problem, &difference)?).min(1.0))
    }

    /// The canonical form, and what of it may be rounding.
    fn canonical(&self, problem: &Tabular, reward: &[f64]) -> Result<(Vec<f64>, f64), ExactError> {
        problem.check_reward(reward)?;
        checkpoint();
        let (n, m, gamma) = (problem.states(), problem.actions(), self.gamma.get());
        let largest = reward.iter().fold(0.0, |most: f64, r| most.max(r.abs()));
        let (canonical, scale) = match self.canonicalization {
            Canonicalization::Val => {
                let dynamics = self.model(problem)?;
                let values = self.values(problem, dynamics, reward)?;
                let mut canonical = vec![0.0; reward.len()];
                for (s, a, ahead) in dynamics.iter() {
                    let start = (s as usize * m + a as usize) * n;
                    let mean = ahead.mean(|t| reward[start + t] + gamma * values[t]) - values[s as usize];
                    canonical[start..start + n].fill(mean);
                }
                (canonical, largest_of(&values))
            }
            Canonicalization::ValPotential => {
                let values = self.values(problem, self.model(problem)?, reward)?;
                let shaped = |(i, r): (usize, &f64)| r + gamma * values[i % n] - values[i / n / m];
                (reward.iter().enumerate().map(shaped).collect(), largest_of(&values))
            }
            Canonicalization::Minimal => {
                (minimal::with_redistribution(self, problem, self.model(problem)?, reward)?, 0.0)
            }
            Canonicalization::MinimalPotential => {
                (minimal::by_potential(self, problem, self.weights(problem)?.as_deref(), reward)?, 0.0)
            }
        };
        Ok((canonical, ROUNDING * largest.max(scale)))
    }

    /// V under the policy.
    fn values(&self, problem: &Tabular, dynamics: &Dynamics, reward: &[f64]) -> Result<Vec<f64>, ExactError> {
        let (n, m) = (problem.states(), problem.actions());
        if self.gamma.get() > LARGEST_GAMMA {
            return Err(ExactError::Discount { what: self.canonicalization.name(), gamma: self.gamma.get() });
        }
        if let Some(policy) = &self.policy {
            check_length("policy", n * m, policy.len())?;
            for (s, actions) in policy.chunks_exact(m).enumerate() {
                check_probabilities(actions.iter().copied())
                    .map_err(|why| DynamicsError::Distribution { what: format!("policy of state {s}"), why })?;
            }
        }
        let (mut step, mut earned) = (vec![0.0; n * n], vec![0.0; n]);
        for (s, a, ahead) in dynamics.iter() {
            let (s, a) = (s as usize, a as usize);
            let likely = self.policy.as_ref().map_or(1.0 / m as f64, |policy| policy[s * m + a]);
            let rewards = &reward[(s * m + a) * n..][..n];
            earned[s] += likely * ahead.mean(|t| rewards[t]);
            ahead.iter().for_each(|(t, p)| step[s * n + t] += likely * p);
        }
        debug_assert!((0..n).all(|s| (row(&step, s).iter().sum::<f64>() - 1.0).abs() < 1e-6));
        Ok(discounted(&step, self.gamma.get(), earned))
    }

    fn model<'p>(&self, problem: &'p Tabular) -> Result<&'p Dynamics, ExactError> {
        problem.dynamics().ok_or(ExactError::NeedsModel(self.canonicalization.name()))
    }

    /// What every transition counts in the norm; `None` where all count 1.
    fn weights(&self, problem: &Tabular) -> Result<Option<Vec<f64>>, ExactError> {
        if !self.norm.weighted {
            return Ok(None);
        }
        let dynamics = problem.dynamics().ok_or(ExactError::NeedsModel("a weighted norm"))?;
        Ok(Some(dynamics.to_dense().into_iter().map(|p| self.norm.weight(p)).collect()))
    }
}

fn largest_of(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most: f64, v| most.max(v.abs()))
}
