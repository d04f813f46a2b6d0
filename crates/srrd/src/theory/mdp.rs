//! Small Markov decision processes, solved exactly: optimal policies, returns, regret.
//!
//! A policy is one action per state. Its values solve v(s) = Σ_{s'} T(s, π(s), s') (R(s, π(s), s') + γ v(s')), and its return is
//! G_R(π) = Σ_s d_0(s) v(s), the expected discounted sum of rewards from the initial distribution d_0.

use super::{TheoryError, linear};
use crate::dynamics::{Dynamics, DynamicsError, Outcomes};
use crate::exact::{ExactError, check_distribution, check_length};
use crate::sample::LARGEST_REWARD;
use crate::settings::Gamma;

/// The largest discount factor of an [`Mdp`]: nearer to 1, returns lose their digits in double precision.
pub const LARGEST_GAMMA: f64 = 1.0 - 1e-6;

/// Values within this fraction of the largest value possible are the same: ties go to the action that comes first.
const TIE: f64 = 1e-12;

/// A finite Markov decision process without its reward. It can only be built valid.
///
/// ```
/// use srrd::{Gamma, theory::Mdp};
/// // Two rooms; action 0 stays, action 1 changes the room, and only staying in room 1 pays.
/// let stay_or_go = vec![1.0, 0.0, 0.0, 1.0, /* room 1 */ 0.0, 1.0, 1.0, 0.0];
/// let mdp = Mdp::new(2, 2, stay_or_go, vec![1.0, 0.0], Gamma::new(0.5)?)?;
/// let reward = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
/// let best = mdp.optimal(&reward)?;
/// assert_eq!(best.policy, [1, 0]);
/// assert_eq!(best.values, [1.0, 2.0]);
/// assert_eq!(best.total, 1.0); // G_R(π): it starts in room 0
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mdp {
    /// Complete, and with an initial distribution.
    dynamics: Dynamics,
    gamma: Gamma,
}

/// A policy with what it earns under one reward.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// One action a state.
    pub policy: Vec<usize>,
    /// v(s)
    pub values: Vec<f64>,
    /// G_R(π): the values, weighed by the initial distribution.
    pub total: f64,
}

impl Mdp {
    /// T[s, a, s'] row-major, the initial distribution d_0, and γ ≤ [`LARGEST_GAMMA`].
    ///
    /// # Errors
    /// When an array has the wrong length, something is not a distribution, or γ is too near to 1.
    pub fn new(
        states: usize,
        actions: usize,
        transition: Vec<f64>,
        initial: Vec<f64>,
        gamma: Gamma,
    ) -> Result<Self, TheoryError> {
        check_gamma(gamma)?;
        check_length("initial distribution", states, initial.len())?;
        check_distribution("initial distribution", &initial)?;
        let dynamics = Dynamics::dense(states, actions, &transition).and_then(|known| known.with_initial(initial));
        Self::with_dynamics(dynamics.map_err(ExactError::from)?, gamma)
    }

    /// Of dynamics in which every action is known in every state, and where episodes start.
    ///
    /// ```
    /// use srrd::{Dynamics, Gamma, theory::Mdp};
    /// let there_and_back = Dynamics::new(2, 1, [(0, 0, 1, 1.0), (1, 0, 0, 1.0)])?.with_initial(vec![1.0, 0.0])?;
    /// let mdp = Mdp::with_dynamics(there_and_back, Gamma::new(0.5)?)?;
    /// assert_eq!(mdp.optimal(&[0.0, 3.0, 0.0, 0.0])?.total, 4.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When something of that is not known, or γ is too near to 1.
    pub fn with_dynamics(dynamics: Dynamics, gamma: Gamma) -> Result<Self, TheoryError> {
        check_gamma(gamma)?;
        dynamics.check_complete().map_err(ExactError::from)?;
        if dynamics.initial().is_none() {
            return Err(ExactError::from(DynamicsError::NoInitial).into());
        }
        Ok(Mdp { dynamics: dynamics.normalized(), gamma })
    }

    /// How many states.
    pub fn states(&self) -> usize {
        self.dynamics.states()
    }

    /// How many actions.
    pub fn actions(&self) -> usize {
        self.dynamics.actions()
    }

    /// γ
    pub fn gamma(&self) -> Gamma {
        self.gamma
    }

    /// Where actions lead, and where episodes start.
    pub fn dynamics(&self) -> &Dynamics {
        &self.dynamics
    }

    /// T[s, a, s'], row-major.
    pub fn transition(&self) -> Vec<f64> {
        self.dynamics.to_dense()
    }

    /// How many numbers a reward R[s, a, s'] has.
    pub(super) fn cells(&self) -> usize {
        self.states() * self.actions() * self.states()
    }

    /// d_0
    pub fn initial(&self) -> &[f64] {
        self.dynamics.initial().unwrap_or(&[])
    }

    /// T[s, a, ·]
    pub(super) fn next(&self, state: usize, action: usize) -> Outcomes<'_> {
        let nowhere = Outcomes { states: &[], probabilities: &[] };
        self.dynamics.next(state as u32, action as u32).unwrap_or(nowhere)
    }

    /// An optimal policy of the reward R[s, a, s'] (row-major), by policy iteration with an exact solve in every step.
    ///
    /// Deterministic: among actions whose values differ by less than 10⁻¹² of the largest value possible, the first is taken.
    /// O(states³ + states² · actions) per step; a handful of steps.
    ///
    /// # Errors
    /// When the reward has the wrong length or is not finite.
    pub fn optimal(&self, reward: &[f64]) -> Result<Solution, TheoryError> {
        self.check_reward(reward)?;
        let expected = self.expected_reward(reward);
        let tie = self.tie(reward);
        let mut policy = vec![0; self.states()];
        let mut values = self.values(&expected, &policy);
        loop {
            let better = self.greedy(&expected, &values, tie);
            let better_values = self.values(&expected, &better);
            // Values rise from step to step, so no policy comes twice; without a rise by more than rounding it is over.
            let rise = better_values.iter().zip(&values).map(|(b, v)| b - v).fold(0.0, f64::max);
            let risen = better_values.iter().sum::<f64>() > values.iter().sum::<f64>();
            (policy, values) = (better, better_values);
            if rise <= tie || !risen {
                break;
            }
        }
        let total = self.initial().iter().zip(&values).map(|(p, v)| p * v).sum();
        Ok(Solution { policy, values, total })
    }

    /// What a policy (one action per state) earns under a reward R[s, a, s']. O(states³).
    ///
    /// # Errors
    /// When the reward has the wrong length or is not finite, or the policy is not one existing action a state.
    pub fn evaluate(&self, reward: &[f64], policy: &[usize]) -> Result<Solution, TheoryError> {
        self.check_reward(reward)?;
        check_length("policy", self.states(), policy.len())?;
        if let Some(&action) = policy.iter().find(|&&a| a >= self.actions()) {
            let why = format!("there is no action {action}");
            return Err(ExactError::from(DynamicsError::Distribution { what: "policy".to_owned(), why }).into());
        }
        let values = self.values(&self.expected_reward(reward), policy);
        let total = self.initial().iter().zip(&values).map(|(p, v)| p * v).sum();
        Ok(Solution { policy: policy.to_vec(), values, total })
    }

    /// Where one step leads when the action is drawn from a distribution: row s is Σ_a D_A(a) T(s, a, ·).
    pub(super) fn step(&self, actions: &[f64]) -> Vec<f64> {
        self.dynamics.step(actions)
    }

    /// A state distribution that a step with actions drawn from `actions` does not change. Where there are several, every
    /// recurrent class gets a weight in proportion to its number of states. O(states³).
    ///
    /// ```
    /// use srrd::{Gamma, theory::Mdp};
    /// // 0 goes to 1; 1 goes to 0 or stays, alike.
    /// let mdp = Mdp::new(2, 1, vec![0.0, 1.0, 0.5, 0.5], vec![1.0, 0.0], Gamma::default())?;
    /// let d = mdp.stationary(&[1.0])?;
    /// assert!((d[0] - 1.0 / 3.0).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When `actions` is not a distribution over the actions.
    pub fn stationary(&self, actions: &[f64]) -> Result<Vec<f64>, TheoryError> {
        check_length("action distribution", self.actions(), actions.len())?;
        check_distribution("action distribution", actions)?;
        Ok(linear::stationary(&self.step(actions), self.states()))
    }

    pub(super) fn check_reward(&self, reward: &[f64]) -> Result<(), TheoryError> {
        let (n, m) = (self.states(), self.actions());
        check_length("reward", self.cells(), reward.len())?;
        match reward.iter().position(|r| !r.is_finite()) {
            None => match reward.iter().find(|r| r.abs() > LARGEST_REWARD) {
                Some(&value) => Err(TheoryError::RewardTooBig(value)),
                None => Ok(()),
            },
            Some(i) => {
                let (state, action, next_state) = (i / n / m, i / n % m, i % n);
                Err(ExactError::NotFinite { state, action, next_state, value: reward[i] }.into())
            }
        }
    }

    /// r(s, a) = Σ_{s'} T(s, a, s') R(s, a, s')
    fn expected_reward(&self, reward: &[f64]) -> Vec<f64> {
        let rows = self.dynamics.iter().zip(reward.chunks_exact(self.states()));
        rows.map(|((_, _, ahead), rewards)| ahead.mean(|t| rewards[t])).collect()
    }

    fn tie(&self, reward: &[f64]) -> f64 {
        let largest = reward.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
        TIE.max(f64::EPSILON * self.states() as f64 / (1.0 - self.gamma.get())) * largest / (1.0 - self.gamma.get())
    }

    fn values(&self, expected: &[f64], policy: &[usize]) -> Vec<f64> {
        let step = self.dynamics.step_of(policy);
        let rewards = policy.iter().enumerate().map(|(s, &a)| expected[s * self.actions() + a]).collect();
        linear::discounted(&step, self.gamma.get(), rewards)
    }

    /// The first action of every state whose value is the largest, up to ties.
    fn greedy(&self, expected: &[f64], values: &[f64], tie: f64) -> Vec<usize> {
        let gamma = self.gamma.get();
        let value = |s: usize, a: usize| expected[s * self.actions() + a] + gamma * self.next(s, a).mean(|t| values[t]);
        (0..self.states())
            .map(|s| {
                let of: Vec<f64> = (0..self.actions()).map(|a| value(s, a)).collect();
                let best = of.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                of.iter().position(|&q| q >= best - tie).unwrap_or(0)
            })
            .collect()
    }

    /// sup_t of the probability to be in every state at time t, from above: exact for a chain that settles within
    /// 2^`LOG_HORIZON` steps.
    ///
    /// Before that the probabilities are looked at one by one. From then on a state cannot be likelier than from the best
    /// place: d_t = d_{t−k} Pᵏ mixes the rows of Pᵏ, those of the states that each start can reach.
    pub(super) fn most_likely(&self, policy: &[usize]) -> Vec<f64> {
        const LOG_HORIZON: u32 = 10;
        let n = self.states();
        let step = self.dynamics.step_of(policy);
        let mut power = step.clone();
        for _ in 0..LOG_HORIZON {
            power = square(&power, n);
        }
        let reach = linear::reachable(&step, n);
        let mut most = vec![0.0; n];
        for x in (0..n).filter(|&x| self.initial()[x] > 0.0) {
            for (s, most) in most.iter_mut().enumerate() {
                let likeliest = (0..n).filter(|&y| reach[x * n + y]).map(|y| power[y * n + s]).fold(0.0, f64::max);
                *most += self.initial()[x] * likeliest;
            }
        }
        let mut at = self.initial().to_vec();
        for _ in 0..1u32 << LOG_HORIZON {
            most.iter_mut().zip(&at).for_each(|(most, &p)| *most = most.max(p));
            at = crate::exact::advance(&step, &at);
        }
        most
    }
}

fn square(matrix: &[f64], n: usize) -> Vec<f64> {
    matrix.chunks_exact(n).flat_map(|row| crate::exact::advance(matrix, row)).collect()
}

fn check_gamma(gamma: Gamma) -> Result<(), TheoryError> {
    if gamma.get() > LARGEST_GAMMA { Err(TheoryError::Discount(gamma.get())) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::normalize;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn only_valid_problems_can_be_built() {
        let gamma = Gamma::default();
        let message = |t: &[f64], d: &[f64]| Mdp::new(2, 1, t.to_vec(), d.to_vec(), gamma).unwrap_err().to_string();
        let fine = [0.5, 0.5, 0.0, 1.0];
        assert!(
            message(&[0.5, 0.4, 0.0, 1.0], &[1.0, 0.0]).starts_with("the transition model of state 0 and action 0")
        );
        assert_eq!(message(&fine[..3], &[1.0, 0.0]), "the transition model has 3 numbers where 4 are needed");
        assert_eq!(message(&fine, &[1.0]), "the initial distribution has 1 numbers where 2 are needed");
        assert!(message(&fine, &[1.0, 0.5]).ends_with("it adds up to 1.5"));
        let none = Mdp::new(1, 0, Vec::new(), vec![1.0], gamma).unwrap_err();
        assert!(none.to_string().ends_with("there are no actions"), "{none}");
        let one = Mdp::new(2, 1, fine.to_vec(), vec![1.0, 0.0], Gamma::new(1.0).unwrap()).unwrap_err();
        assert_eq!(one.to_string(), "the discount factor is 1, but returns need one of at most 0.999999");
        let mdp = Mdp::new(2, 1, fine.to_vec(), vec![1.0, 0.0], gamma).unwrap();
        assert!(mdp.optimal(&[0.0; 3]).is_err() && mdp.optimal(&[0.0, f64::NAN, 0.0, 0.0]).is_err());
        assert_eq!(mdp.optimal(&[0.0, 1e200, 0.0, 0.0]), Err(TheoryError::RewardTooBig(1e200)));
        let error = mdp.evaluate(&[0.0; 4], &[0, 1]).unwrap_err();
        assert!(error.to_string().ends_with("there is no action 1"), "{error}");
        assert!(mdp.stationary(&[0.5, 0.5]).is_err());
    }

    fn random(rng: &mut ChaCha8Rng, states: usize, actions: usize, gamma: f64) -> (Mdp, Vec<f64>) {
        let mut transition = vec![0.0; states * actions * states];
        for next in transition.chunks_exact_mut(states) {
            for _ in 0..rng.random_range(1..=3) {
                next[rng.random_range(0..states)] += rng.random_range(0.1..1.0);
            }
            normalize(next);
        }
        let mut initial: Vec<f64> = (0..states).map(|_| rng.random_range(0.0..1.0f64)).collect();
        normalize(&mut initial);
        let reward = (0..transition.len()).map(|_| f64::from(rng.random_range(-3..=3))).collect();
        (Mdp::new(states, actions, transition, initial, Gamma::new(gamma).unwrap()).unwrap(), reward)
    }

    #[test]
    fn no_policy_earns_more_than_the_optimal_one_anywhere() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for round in 0..300 {
            let (states, actions) = (1 + round % 5, 1 + round % 3);
            let gamma = [0.0, 0.5, 0.9, 0.999][round % 4];
            let (mdp, reward) = random(&mut rng, states, actions, gamma);
            let best = mdp.optimal(&reward).unwrap();
            for code in 0..actions.pow(states as u32) {
                let policy: Vec<usize> = (0..states).map(|s| code / actions.pow(s as u32) % actions).collect();
                let other = mdp.evaluate(&reward, &policy).unwrap();
                let slack = 1e-9 / (1.0 - gamma);
                assert!(other.values.iter().zip(&best.values).all(|(o, b)| *o <= b + slack), "{policy:?} {best:?}");
            }
        }
    }

    #[test]
    fn values_are_discounted_sums_of_rewards() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        for _ in 0..50 {
            let (states, actions) = (rng.random_range(1..8), rng.random_range(1..4));
            let (mdp, reward) = random(&mut rng, states, actions, 0.8);
            let policy: Vec<usize> = (0..states).map(|_| rng.random_range(0..actions)).collect();
            let transition = mdp.transition();
            let (mut at, mut total, mut discount) = (mdp.initial().to_vec(), 0.0, 1.0);
            for _ in 0..200 {
                let mut next = vec![0.0; states];
                for s in 0..states {
                    for (t, next) in next.iter_mut().enumerate() {
                        let i = (s * actions + policy[s]) * states + t;
                        total += discount * at[s] * transition[i] * reward[i];
                        *next += at[s] * transition[i];
                    }
                }
                (at, discount) = (next, 0.8 * discount);
            }
            assert!((mdp.evaluate(&reward, &policy).unwrap().total - total).abs() < 1e-9);
        }
    }

    #[test]
    fn ties_go_to_the_first_action_and_shaping_changes_no_policy() {
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        for _ in 0..200 {
            let (mdp, reward) = random(&mut rng, 4, 3, 0.9);
            let potential: Vec<f64> = (0..4).map(|_| rng.random_range(-50.0..50.0f64)).collect();
            let shape = |(i, r): (usize, &f64)| r + 0.9 * potential[i % 4] - potential[i / 12];
            let shaped: Vec<f64> = reward.iter().enumerate().map(shape).collect();
            assert_eq!(mdp.optimal(&reward).unwrap().policy, mdp.optimal(&shaped).unwrap().policy);
            assert_eq!(mdp.optimal(&[0.25; 48]).unwrap().policy, [0; 4]);
        }
    }

    #[test]
    fn no_time_is_likelier_than_the_most_likely() {
        let mut rng = ChaCha8Rng::seed_from_u64(10);
        let mut exact = 0;
        for round in 0..60 {
            let states = 1 + round % 6;
            let (mdp, _) = random(&mut rng, states, 2, 0.9);
            let policy: Vec<usize> = (0..states).map(|_| rng.random_range(0..2)).collect();
            let most = mdp.most_likely(&policy);
            let step = mdp.dynamics().step_of(&policy);
            let (mut at, mut seen) = (mdp.initial().to_vec(), vec![0.0f64; states]);
            for _ in 0..3000 {
                seen.iter_mut().zip(&at).for_each(|(m, p)| *m = m.max(*p));
                at = crate::exact::advance(&step, &at);
            }
            assert!(most.iter().zip(&seen).all(|(m, s)| m >= s && *m <= 1.0 + 1e-9), "{most:?} {seen:?}");
            exact += usize::from(most.iter().zip(&seen).all(|(m, s)| m - s < 1e-9));
        }
        // Chains that settle have no slack.
        assert!(exact > 30, "{exact}");
    }
}
