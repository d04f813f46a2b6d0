//! The generalized form C_n: chains of sets that push what is left of shaping n steps ahead.
//!
//! C_1(s, a, s') = R(s, a, s') + E[γ R(s', A, S1) − R(s, A, S2) − γ R(S3, A, S4)]
//!
//! C_n = C_1 + Σ_{j=1}^{n−1} E[γ^{j+1} R(k_1^{j−1}, A, k_1^j) − γ^j R(k_2^{j−1}, A, k_2^j)
//!                             + γ^j R(k_3^{j−1}, A, k_3^j) − γ^{j+1} R(k_4^{j−1}, A, k_4^j)]
//!
//! k_i^0 = S_i and k_i^{j+1} = succ(k_i^j): every term is a forward one. S1 = succ(s'), S2 = the non-terminal states of succ(s), S3 =
//! all initial and S4 = all subsequent states. SRRD is C_2 with k_1 = k_4 = S5 and k_2 = k_3 = S6 instead.
//!
//! **Residual shaping**, when every term is sampled whole (and in the exact form always):
//!
//! φ_n = E[γ^{n+1} (φ(k_1^{n−1}) − φ(k_4^{n−1})) + γ^n (φ(k_3^{n−1}) − φ(k_2^{n−1}))], at most 2γ^n (1 + γ) max |φ|.
//!
//! On a sparse sample a forward term is often *not* sampled whole (a step from k^{j−1} to k^j is sampled from some of its states
//! only), and what it leaves at level j does not shrink with n.
//!
//! k_3^j = k_4^{j−1}, so the last two terms of a level cancel those before: all that does not depend on the transition comes to
//! −γ^n E[R(k_3^{n−1}, A, k_3^n)].

use std::num::NonZeroUsize;

use super::TheoryError;
use crate::estimate::batch::BatchSet;
use crate::estimate::{self, Rewards, term};
use crate::exact::{Tabular, advance, row, times};
use crate::graph::Graph;
use crate::run::Pace;
use crate::run::parallel;
use crate::sample::RewardSample;
use crate::settings::{Actions, Gamma};
use crate::sparse::dot;

/// C_n of a sample by the double batch over all states with marginal actions, in the order of [`RewardSample::transitions`].
///
/// O(states · n · transitions) at worst: for every state the sets 1 … n steps on are walked, and what leaves them is summed; it
/// ends early where a set leads to itself. C_1 costs O(transitions).
///
/// ```
/// use std::num::NonZeroUsize;
/// use srrd::{distance, theory::generalized, Duplicates, Metric, RewardSample, Settings};
/// let rows = (0..20).map(|i| (i % 7, 0, (3 * i + 1) % 7, f64::from(i * i % 11)));
/// let a = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let b = a.with_rewards(a.rewards().iter().map(|r| 3.0 - 2.0 * r).collect())?;
/// // A distance with C_3: canonicalize both, then take the rewards as they are.
/// let (settings, three) = (Settings::default(), NonZeroUsize::new(3).ok_or("0")?);
/// let canonical = |sample: &RewardSample| sample.with_rewards(generalized(sample, three, settings.gamma));
/// let opposite = distance(&canonical(&a)?, &canonical(&b)?, Metric::Direct, &settings);
/// assert!((opposite.distance().ok_or("undefined")? - 1.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn generalized(sample: &RewardSample, n: NonZeroUsize, gamma: Gamma) -> Vec<f64> {
    let gamma = gamma.get();
    let rewards = Rewards::of(sample);
    let graph = rewards.graph;
    let batch = BatchSet::all(sample, Actions::Marginal);
    let values = estimate::near(rewards, &batch);
    let chains = Chains { graph, rows: &estimate::row_sums(graph, &values), values: &values, gamma, n: n.get() };
    // What a state adds as s' and takes away as s.
    let states = parallel::map_with(
        graph.states(),
        if n.get() == 1 { 0 } else { graph.two_step_walks() },
        [0.0; 2],
        || Frontier::new(graph.states()),
        |frontier, z| chains.state(frontier, z as u32),
    );
    let constant = chains.constant();
    let shifts = sample.ids().map(|(s, _, t)| gamma * states[t as usize][0] - states[s as usize][1] + constant);
    sample.reward.iter().zip(shifts).map(|(r, shift)| r + shift).collect()
}

struct Chains<'a> {
    graph: &'a Graph,
    /// Σ over what leaves every state: every successor of a set is in the next one, so its rows are summed whole.
    rows: &'a [f64],
    /// The mean reward of every edge.
    values: &'a [f64],
    gamma: f64,
    n: usize,
}

impl Chains<'_> {
    /// Σ_j γ^j E[R(k^{j−1}, A, k^j)] from z, j = 0 … n − 1, for the chain of S1 and for that of S2.
    fn state(&self, frontier: &mut Frontier, z: u32) -> [f64; 2] {
        let edges = self.graph.successors(z).iter().zip(&self.values[self.graph.out_edges(z)]);
        let (mut near_2, mut size_2) = (0.0, 0.0);
        for (_, value) in edges.filter(|&(&y, _)| self.graph.is_initial(y)) {
            near_2 += value;
            size_2 += 1.0;
        }
        let successors = self.graph.successors(z);
        let ahead = term(self.rows[z as usize], successors.len() as f64).mean();
        let behind = term(near_2, size_2).mean();
        frontier.start(successors);
        let (mut power, mut sums) = (1.0, [ahead, behind]);
        for level in 1..self.n {
            power *= self.gamma;
            let (sum, [before, after]) = self.advance(frontier);
            sums[0] += power * term(sum, before * after).mean();
            // S2 lacks the terminal states of S1, which lead nowhere: from k^1 on the two chains are one.
            let before = if level == 1 { size_2 } else { before };
            sums[1] += power * term(sum, before * after).mean();
        }
        sums
    }

    /// Goes from k^{j−1} to k^j: Σ R between them, and their sizes.
    fn advance(&self, frontier: &mut Frontier) -> (f64, [f64; 2]) {
        let sum = frontier.states.iter().map(|&x| self.rows[x as usize]).sum();
        let before = frontier.states.len() as f64;
        frontier.advance(self.graph);
        (sum, [before, frontier.states.len() as f64])
    }

    /// −γ^n E[R(k_3^{n−1}, A, k_3^n)]
    fn constant(&self) -> f64 {
        let mut frontier = Frontier::new(self.graph.states());
        let initial: Vec<u32> = (0..self.graph.states() as u32).filter(|&x| self.graph.is_initial(x)).collect();
        frontier.start(&initial);
        let mut last = 0.0;
        for _ in 0..self.n {
            let (sum, [before, after]) = self.advance(&mut frontier);
            last = term(sum, before * after).mean();
        }
        -self.gamma.powf(self.n as f64) * last
    }
}

/// A set of states that moves ahead: every step it becomes the set of its successors.
struct Frontier {
    states: Vec<u32>,
    next: Vec<u32>,
    /// The step at which a state was last in the set.
    seen: Vec<u64>,
    step: u64,
    /// It leads to itself: nothing changes any more.
    settled: bool,
    pace: Pace,
}

impl Frontier {
    fn new(states: usize) -> Self {
        let pace = Pace::default();
        Frontier { states: Vec::new(), next: Vec::new(), seen: vec![0; states], step: 0, settled: false, pace }
    }

    fn start(&mut self, states: &[u32]) {
        // A step is left free between two starts, so that no state seems to come from the step before.
        self.step += 2;
        self.states.clear();
        self.states.extend_from_slice(states);
        states.iter().for_each(|&x| self.seen[x as usize] = self.step);
        self.settled = false;
    }

    fn advance(&mut self, graph: &Graph) {
        self.pace.spend(4 * self.states.len() + 1);
        if self.settled {
            return;
        }
        self.step += 1;
        self.next.clear();
        let mut again = 0;
        for &x in &self.states {
            for &y in graph.successors(x) {
                let seen = &mut self.seen[y as usize];
                if *seen != self.step {
                    again += usize::from(*seen == self.step - 1);
                    *seen = self.step;
                    self.next.push(y);
                }
            }
        }
        self.settled = again == self.states.len() && again == self.next.len();
        std::mem::swap(&mut self.states, &mut self.next);
    }
}

/// C_n of a reward R[s, a, s'] that is known everywhere, every set carrying its distribution: S3 is drawn from D_S, S4, S1 and S2
/// are one step on from S3, s' and s, and every chain goes on by steps. O(n · states³).
///
/// ```
/// use std::num::NonZeroUsize;
/// use srrd::{Gamma, theory::generalized_exact};
/// use srrd::exact::Tabular;
/// let problem = Tabular::new(vec![0.5, 0.5], vec![1.0])?.with_dynamics(&[0.1, 0.9, 0.6, 0.4])?;
/// // Pure shaping with φ = (0, 10): what is left shrinks with n.
/// let gamma = Gamma::new(0.5)?;
/// let shaping = [0.0, 5.0, -10.0, -5.0];
/// let largest = |n| -> Result<f64, Box<dyn std::error::Error>> {
///     let left = generalized_exact(&problem, &shaping, NonZeroUsize::new(n).ok_or("0")?, gamma)?;
///     Ok(left.iter().fold(0.0, |m, c| f64::max(m, c.abs())))
/// };
/// assert!(largest(8)? < 0.01 * largest(1)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the reward has the wrong length or is not finite, or the problem has no dynamics.
pub fn generalized_exact(
    problem: &Tabular,
    reward: &[f64],
    n: NonZeroUsize,
    gamma: Gamma,
) -> Result<Vec<f64>, TheoryError> {
    problem.check_reward(reward)?;
    let step = dynamics(problem)?;
    let mean = problem.mean_over_actions(reward);
    let (states, gamma) = (problem.states(), gamma.get());
    // Σ_{j=0}^{n−1} γ^j E[R(k^{j−1}, A, k^j)], k^{−1} the state itself.
    let chain = |z: usize| {
        let mut at = row(step, z).to_vec();
        let (mut sum, mut power) = (dot(row(&mean, z), &at), 1.0);
        for _ in 1..n.get() {
            power *= gamma;
            let next = advance(step, &at);
            sum += power * dot(&at, &times(&mean, &next));
            at = next;
        }
        sum
    };
    let chains: Vec<f64> = (0..states).map(chain).collect();
    let (mut at, mut power) = (problem.state_distribution.clone(), gamma);
    for _ in 1..n.get() {
        at = advance(step, &at);
        power *= gamma;
    }
    let constant = power * dot(&at, &times(&mean, &advance(step, &at)));
    let actions = problem.actions();
    let canonical = (reward.iter().enumerate())
        .map(|(i, r)| r + gamma * chains[i % states] - chains[i / states / actions] - constant);
    Ok(canonical.collect())
}

/// φ_n, the closed form of what [`generalized_exact`] leaves of a potential, for every transition (s, a, s').
/// O(n · states³).
///
/// ```
/// use std::num::NonZeroUsize;
/// use srrd::{Gamma, theory::generalized_residual};
/// use srrd::exact::Tabular;
/// let problem = Tabular::new(vec![1.0, 0.0], vec![1.0])?.with_dynamics(&[0.0, 1.0, 0.0, 1.0])?;
/// // S3 is state 0, and every chain is in state 1 from its first step on: φ_2 = γ² (φ(1) − φ(1)) + γ³ (φ(1) − φ(1)) = 0.
/// let two = NonZeroUsize::new(2).ok_or("0")?;
/// assert_eq!(generalized_residual(&problem, &[4.0, 10.0], two, Gamma::new(0.5)?)?, [0.0; 4]);
/// // φ_1 = γ (φ(0) − φ(1)), because S3 has not made a step yet.
/// assert_eq!(generalized_residual(&problem, &[4.0, 10.0], NonZeroUsize::MIN, Gamma::new(0.5)?)?, [-3.0; 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When there is not one finite potential a state, or the problem has no dynamics.
pub fn generalized_residual(
    problem: &Tabular,
    potential: &[f64],
    n: NonZeroUsize,
    gamma: Gamma,
) -> Result<Vec<f64>, TheoryError> {
    super::check_potential(problem.states(), potential)?;
    let step = dynamics(problem)?;
    let (states, gamma) = (problem.states(), gamma.get());
    // E[φ] after n steps from every state, and after n − 1 and n from S3.
    let after = |mut at: Vec<f64>, steps: usize| {
        (0..steps).for_each(|_| at = advance(step, &at));
        at
    };
    let ahead: Vec<f64> = (0..states).map(|z| dot(&after(row(step, z).to_vec(), n.get() - 1), potential)).collect();
    let third = after(problem.state_distribution.clone(), n.get() - 1);
    let (third, fourth) = (dot(&third, potential), dot(&advance(step, &third), potential));
    let power = gamma.powf(n.get() as f64);
    let residual = |s: usize, t: usize| power * (gamma * (ahead[t] - fourth) + third - ahead[s]);
    let pairs = (0..states * problem.actions() * states).map(|i| (i / states / problem.actions(), i % states));
    Ok(pairs.map(|(s, t)| residual(s, t)).collect())
}

fn dynamics(problem: &Tabular) -> Result<&[f64], TheoryError> {
    problem.step().ok_or(TheoryError::NeedsDynamics)
}
