//! Theorem 2: a small SRRD distance means little regret.
//!
//! G_RA(π_A) − G_RA(π_B) ≤ 32 K ‖R_A‖₂ (1 − γ)⁻¹ D_SRRD(R_A, R_B)
//!
//! π_A and π_B are optimal for R_A and R_B. K ≥ D_π(t, s, a, s') / D(s, a, s') for all times t, transitions, and π ∈ {π_A, π_B}: D_π(t, ·)
//! is how likely π is to make a transition at time t, D the coverage distribution.
//!
//! **What it needs, and how the quantities are to be read** (tests hold the bound against thousands of random problems):
//!
//! 1. *S3 and S4 have the same distribution*: D_S is stationary under actions from D_A. Else the canonical form is not R with some
//!    shaping added, and its optimal policies are others. Any other distribution is an error.
//! 2. *The Pearson distance is taken under D*, every transition weighing D(s, a, s'). (With D uniform it is
//!    [`Tabular::distance`].) The paper shows that C has mean 0 under full coverage only; that is not needed, because a correlation and
//!    regret are both blind to constants.
//! 3. *‖R_A‖₂ is the Euclidean norm* √(Σ R²) over all transitions, as in the paper's Lemma on subvectors. With the root of the mean of R² under D
//!    the step ‖C‖ ≤ 8 ‖R‖ fails: C takes means over likely transitions, to which D may give little.
//! 4. K counts every time step, however far.
//!
//! The proof also gives a far tighter bound: the factor 8 ‖R_A‖₂ stands for the standard deviation σ of C(R_A) under D, so that
//! regret ≤ 4 K σ (1 − γ)⁻¹ D_SRRD. Both are computed.

use super::mdp::{Mdp, Solution};
use super::{TheoryError, linear};
use crate::compare::Undefined;
use crate::exact::{Tabular, advance, check_distribution, check_length};
use crate::metric::Metric;

/// How far a stationary distribution may move in a step.
const STATIONARY: f64 = 1e-9;
/// Canonical rewards that vary by less than this fraction of the largest reward are constant.
const ROUNDING: f64 = 1e-12;

/// The distributions of Theorem 2: D_S and D_A, which the canonical form takes its expectations over, and the coverage
/// distribution D over transitions. Can only be built valid.
#[derive(Clone, Debug, PartialEq)]
pub struct Coverage {
    states: Vec<f64>,
    actions: Vec<f64>,
    transitions: Vec<f64>,
}

impl Coverage {
    /// D_S, D_A, and D[s, a, s'] row-major.
    ///
    /// # Errors
    /// When one of them is not a distribution over what `mdp` has, or D_S is not stationary.
    pub fn new(mdp: &Mdp, states: Vec<f64>, actions: Vec<f64>, transitions: Vec<f64>) -> Result<Self, TheoryError> {
        check_length("state distribution", mdp.states(), states.len())?;
        check_distribution("state distribution", &states)?;
        check_length("action distribution", mdp.actions(), actions.len())?;
        check_distribution("action distribution", &actions)?;
        check_length("coverage distribution", mdp.cells(), transitions.len())?;
        check_distribution("coverage distribution", &transitions)?;
        let after = advance(&mdp.step(&actions), &states);
        match states.iter().zip(&after).position(|(before, after)| (before - after).abs() > STATIONARY) {
            Some(s) => Err(TheoryError::NotStationary { state: s, before: states[s], after: after[s] }),
            None => Ok(Coverage { states, actions, transitions }),
        }
    }

    /// Every transition alike: D uniform over S × A × S, D_A uniform, D_S [stationary](Mdp::stationary).
    pub fn uniform(mdp: &Mdp) -> Self {
        let (actions, states) = Self::uniform_actions(mdp);
        let count = mdp.cells();
        Coverage { states, actions, transitions: vec![1.0 / count as f64; count] }
    }

    /// As often as random actions meet them: D(s, a, s') = D_S(s) D_A(a) T(s, a, s'), D_A uniform, D_S stationary. States that the
    /// chain leaves for good are not covered; an optimal policy that meets one is an error of [`regret_bound`].
    pub fn of_random_actions(mdp: &Mdp) -> Self {
        let (actions, states) = Self::uniform_actions(mdp);
        let (n, m) = (mdp.states(), mdp.actions());
        let weigh = |(i, t): (usize, &f64)| states[i / n / m] * actions[i / n % m] * t;
        let transitions = mdp.transition().iter().enumerate().map(weigh).collect();
        Coverage { states, actions, transitions }
    }

    fn uniform_actions(mdp: &Mdp) -> (Vec<f64>, Vec<f64>) {
        let actions = vec![1.0 / mdp.actions() as f64; mdp.actions()];
        let states = linear::stationary(&mdp.step(&actions), mdp.states());
        (actions, states)
    }

    /// D_S
    pub fn states(&self) -> &[f64] {
        &self.states
    }

    /// D_A
    pub fn actions(&self) -> &[f64] {
        &self.actions
    }

    /// D
    pub fn transitions(&self) -> &[f64] {
        &self.transitions
    }
}

/// A regret beside its bound.
#[derive(Clone, Debug, PartialEq)]
pub struct RegretBound {
    /// π_A, with its values and return under R_A.
    pub optimal_a: Solution,
    /// π_B, with its values and return under R_B.
    pub optimal_b: Solution,
    /// G_RA(π_A) − G_RA(π_B), up to rounding.
    pub regret: f64,
    /// D_SRRD(R_A, R_B), exact, under D.
    pub distance: f64,
    /// K
    pub coverage_ratio: f64,
    /// ‖R_A‖₂
    pub reward_norm: f64,
    /// σ: the standard deviation of C_SRRD(R_A) under D.
    pub deviation: f64,
    /// 32 K ‖R_A‖₂ / (1 − γ): what the distance is multiplied with.
    pub constant: f64,
    /// 32 K ‖R_A‖₂ D_SRRD / (1 − γ)
    pub bound: f64,
    /// 4 K σ D_SRRD / (1 − γ), never more than `bound`.
    pub tight_bound: f64,
}

/// The regret under R_A of acting optimally for R_B, and the bound of Theorem 2 on it. Rewards are R[s, a, s'], row-major.
///
/// O(states³ · actions).
///
/// ```
/// use srrd::{Gamma, theory::{Coverage, Mdp, regret_bound}};
/// // Two rooms; action 0 stays, action 1 changes the room.
/// let mdp = Mdp::new(2, 2, vec![1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0], vec![1.0, 0.0], Gamma::new(0.5)?)?;
/// // A pays for staying in room 1, B for staying in room 0.
/// let a = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
/// let b = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
/// let known = regret_bound(&mdp, &a, &b, &Coverage::uniform(&mdp))?;
/// assert_eq!(known.regret, 1.0);
/// assert!(known.regret <= known.tight_bound && known.tight_bound <= known.bound);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When a reward has the wrong length or is not finite, `coverage` is of another problem, an optimal policy meets a transition
/// that D leaves out, or a canonical reward is constant under D.
pub fn regret_bound(mdp: &Mdp, a: &[f64], b: &[f64], coverage: &Coverage) -> Result<RegretBound, TheoryError> {
    check_length("coverage distribution", mdp.cells(), coverage.transitions.len())?;
    let optimal_a = mdp.optimal(a)?;
    let optimal_b = mdp.optimal(b)?;
    let regret = optimal_a.total - mdp.evaluate(a, &optimal_b.policy)?.total;

    let problem =
        Tabular::new(coverage.states.clone(), coverage.actions.clone())?.with_model(mdp.dynamics().clone())?;
    let standard = |reward: &[f64]| -> Result<(Vec<f64>, f64), TheoryError> {
        let canonical = problem.canonicalize(reward, Metric::Srrd, mdp.gamma())?;
        standardize(canonical, &coverage.transitions, largest(reward))
    };
    let ((standard_a, deviation), (standard_b, _)) = (standard(a)?, standard(b)?);
    // √((1 − ρ)/2) = ½ ‖x̂ − ŷ‖ for vectors of mean 0 and norm 1: nothing is lost where ρ is near 1.
    let square: f64 =
        (standard_a.iter().zip(&standard_b).zip(&coverage.transitions)).map(|((x, y), p)| p * (x - y) * (x - y)).sum();
    let distance = 0.5 * square.sqrt().min(2.0);

    let coverage_ratio =
        coverage_ratio(mdp, &optimal_a.policy, coverage)?.max(coverage_ratio(mdp, &optimal_b.policy, coverage)?);
    let scale = largest(a);
    let reward_norm = scale * a.iter().map(|r| (r / scale) * (r / scale)).sum::<f64>().sqrt();
    let factor = coverage_ratio / (1.0 - mdp.gamma().get());
    let constant = 32.0 * factor * reward_norm;
    Ok(RegretBound {
        optimal_a,
        optimal_b,
        regret,
        distance,
        coverage_ratio,
        reward_norm,
        deviation,
        constant,
        bound: constant * distance,
        tight_bound: 4.0 * factor * deviation * distance,
    })
}

fn largest(reward: &[f64]) -> f64 {
    reward.iter().fold(0.0, |m: f64, r| m.max(r.abs()))
}

/// Mean 0 and norm 1 under D, and the standard deviation before.
fn standardize(mut values: Vec<f64>, weights: &[f64], scale: f64) -> Result<(Vec<f64>, f64), TheoryError> {
    let mean: f64 = values.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>() / weights.iter().sum::<f64>();
    values.iter_mut().for_each(|v| *v -= mean);
    // In units of the largest deviation, whose square would leave the range of doubles where rewards are huge or tiny.
    let unit = values.iter().zip(weights).filter(|(_, w)| **w > 0.0).fold(0.0, |m: f64, (v, _)| m.max(v.abs()));
    if unit <= ROUNDING * scale {
        return Err(Undefined::Constant.into());
    }
    let square: f64 = values.iter().zip(weights).map(|(v, w)| w * (v / unit) * (v / unit)).sum();
    let norm = square.sqrt() * unit;
    values.iter_mut().for_each(|v| *v /= norm);
    Ok((values, norm))
}

/// The smallest K for one policy (from above where its chain never settles, see [`Mdp::most_likely`]).
fn coverage_ratio(mdp: &Mdp, policy: &[usize], coverage: &Coverage) -> Result<f64, TheoryError> {
    let (n, m) = (mdp.states(), mdp.actions());
    let likely = mdp.most_likely(policy);
    let mut ratio = 0.0f64;
    for (s, (&action, likely)) in policy.iter().zip(likely).enumerate() {
        for (t, p) in mdp.next(s, action).iter().filter(|(_, p)| likely * p > 0.0) {
            let covered = coverage.transitions[(s * m + action) * n + t];
            if covered == 0.0 {
                return Err(TheoryError::NotCovered { state: s, action, next_state: t });
            }
            ratio = ratio.max(likely * p / covered);
        }
    }
    Ok(ratio)
}
