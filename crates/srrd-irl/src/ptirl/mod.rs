//! PTIRL (preferential trajectories): rewards under which the walks of a target agent are worth more than those of others.
//!
//! The *linear expected reward* of a walk τ is LER(τ) = Σ_k P(s'_k | s_k, a_k) · r(s_k, a_k, s'_k), over its steps. Of a set of walks,
//! lb is the smallest and ub the largest of them. Rewards lie within ± `cap`, and the *spread* lb(target) − ub(others) is at least `alpha`.
//! That leaves many rewards. The [`Objective`] says which one:
//!
//! - `near` (the default): the one nearest to cap · (P_target − P_other), where P_target and P_other are the shares of a transition among
//!   the steps of the target and among those of the others. Strictly convex, hence one answer (`near.rs`).
//! - `spread`: one with the largest spread. A linear program; its optimum is one number, but many rewards reach it
//!   (`spread.rs`).
//!
//! Transitions that no walk of either set takes have no reward here. A solution is checked against caps and spread before it is given.
//!
//! ```
//! use srrd_irl::ptirl::{Ptirl, Sets, solve};
//! // Three transitions that are certain. The target takes 0 and 1, the others 0 and 2.
//! let sets = Sets { probability: vec![1.0; 3], target: vec![vec![0, 1]], other: vec![vec![0, 2], vec![2, 2]] };
//! let learned = solve(&sets, &Ptirl::default())?;
//! assert!(learned.spread >= 1.0 && learned.rewards[1] > learned.rewards[2]);
//! # Ok::<(), srrd_irl::ptirl::PtirlProblem>(())
//! ```

mod learner;
mod near;
mod rows;
mod spread;
#[cfg(test)]
mod tests;

use serde::Serialize;
use srrd::FrontEnd;
use srrd::settings::Choice;
use thiserror::Error;

pub use learner::{check_target, class};
use rows::Rows;

/// Which of the rewards that keep the spread is learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Objective {
    /// The one nearest to cap · (P_target − P_other).
    #[default]
    Near,
    /// One with the largest spread.
    Spread,
}

impl Choice for Objective {
    const ALL: &'static [Self] = &[Objective::Near, Objective::Spread];
    const NAMES: &'static [&'static str] = &["near", "spread"];
}

/// Settings of PTIRL.
///
/// As a [`Learner`](crate::Learner) it takes every set in turn as the target, and walks of the sets of other labels (names, where there
/// are no labels) as the others. P has to be known for both: that takes a model that is pooled or given.
///
/// ```
/// use srrd::trajectories::{End, Trajectories};
/// use srrd_irl::{Demonstrations, ModelChoice, learn_all, ptirl::Ptirl};
/// let walks = |door: &str| {
///     let mut builder = Trajectories::builder();
///     builder.push_episode(&["hall", door, "street"], &[door, "leave"], None, End::Terminated)?;
///     Ok::<_, srrd::trajectories::TrajectoryError>(builder.build().named(door, None))
/// };
/// let shown = Demonstrations::new([walks("left")?, walks("right")?])?;
/// let learned = learn_all(&shown, &ModelChoice::Pooled, &Ptirl::default(), &|_| ())?;
/// assert!(learned[0].sample.sample.rewards().iter().all(|reward| *reward > 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ptirl {
    /// Which reward.
    pub objective: Objective,
    /// Rewards lie between −cap and cap.
    pub cap: f64,
    /// α, the least spread.
    pub alpha: f64,
    /// How many walks of others are drawn for every set; `None`: all of them.
    pub others: Option<usize>,
    /// The seed of that draw.
    pub seed: u64,
}

impl Default for Ptirl {
    fn default() -> Self {
        Ptirl { objective: Objective::Near, cap: 100.0, alpha: 1.0, others: Some(10), seed: 0 }
    }
}

/// Walks of a target agent and of others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sets {
    /// P(s' | s, a) of every transition.
    pub probability: Vec<f64>,
    /// The transitions that the walks of the target take, step by step.
    pub target: Vec<Vec<u32>>,
    /// The transitions that the walks of the others take.
    pub other: Vec<Vec<u32>>,
}

/// What PTIRL learned.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Solution {
    /// The reward of every transition; 0 for those that no walk takes.
    pub rewards: Vec<f64>,
    /// lb(target), the smallest LER of the target's walks.
    pub lower: f64,
    /// ub(others), the largest LER of the others' walks.
    pub upper: f64,
    /// lb(target) − ub(others)
    pub spread: f64,
    /// Steps of the solver; 0 for a linear program, whose solver does not tell.
    pub steps: usize,
}

/// Why PTIRL has no answer.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{}", self.say(FrontEnd::Python))]
#[non_exhaustive]
pub enum PtirlProblem {
    /// No walk of the target takes a step.
    NoTarget,
    /// No walk of others takes a step.
    NoOther,
    /// No set has the label of the target.
    UnknownTarget {
        /// The label.
        target: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// No walks of others are to be drawn.
    DrawNone,
    /// A cap or a spread that is not a positive number.
    Setting {
        /// `cap` or `alpha`.
        option: &'static str,
        /// What it was.
        value: f64,
    },
    /// A walk takes a transition that does not exist, or a probability is none.
    Input(String),
    /// No rewards within the caps have the spread.
    Infeasible {
        /// The spread that was asked for.
        alpha: f64,
        /// The largest that there is.
        largest: f64,
        /// The cap.
        cap: f64,
    },
    /// The solver found no solution that passes the check.
    Unsolved {
        /// By how much the best one fails.
        residual: f64,
    },
}

impl PtirlProblem {
    /// What is wrong, in the words of a front end.
    pub fn say(&self, to: FrontEnd) -> String {
        match self {
            Self::NoTarget => "PTIRL needs walks of the target, and there are none with a step".to_owned(),
            Self::NoOther => "PTIRL needs walks of other agents to tell the target's from, and no set has another label: give sets with at \
                 least two labels (names count where there are none)"
                .to_owned(),
            Self::UnknownTarget { target, known } => {
                const SHOWN: usize = 10;
                let some: Vec<String> = known.iter().take(SHOWN).map(|name| format!("'{name}'")).collect();
                let more = if known.len() > SHOWN { ", …" } else { "" };
                format!("{}: no set has the label '{target}'; there are {}{more}", to.option("target"), some.join(", "))
            }
            Self::DrawNone => format!("{}: it must be at least 1", to.option("others")),
            Self::Setting { option, value } => {
                format!("{}: it must be a positive number, not {value}", to.option(option))
            }
            Self::Input(what) => what.clone(),
            Self::Infeasible { alpha, largest, cap } if *largest > 0.0 => format!(
                "no rewards within ±{cap} keep a spread of {alpha}: the largest spread is {largest}; lower {} or raise {}",
                to.option("alpha"),
                to.option("cap")
            ),
            Self::Infeasible { cap, .. } => format!(
                "no rewards within ±{cap} make all walks of the target worth more than all others, whatever {} is: some walks of both \
                 have the same steps",
                to.option("alpha")
            ),
            Self::Unsolved { residual } => {
                format!("the solver ended with constraints or optimality violated by {residual:e}: the walks are too different in length")
            }
        }
    }
}

/// Learns rewards. O(steps) for the sums, and a few systems of as many equations as there are walks.
///
/// The [module](self) has an example.
///
/// # Errors
/// When a set has no walks, a setting is no positive number, or no rewards within the caps have the spread.
pub fn solve(sets: &Sets, settings: &Ptirl) -> Result<Solution, PtirlProblem> {
    settings.check()?;
    let rows = Rows::new(sets)?;
    let (rewards, steps) = match settings.objective {
        Objective::Near => near::solve(&rows, &near::center(sets, settings.cap), settings)?,
        Objective::Spread => (spread::solve(&rows, settings.cap)?, 0),
    };
    let found = Solution {
        lower: rows.lower(&rewards),
        upper: rows.upper(&rewards),
        spread: rows.lower(&rewards) - rows.upper(&rewards),
        rewards,
        steps,
    };
    check(&rows, found, settings)
}

impl Ptirl {
    /// Whether the settings can be used.
    ///
    /// # Errors
    /// Which cannot.
    pub fn check(&self) -> Result<(), PtirlProblem> {
        for (option, value) in [("cap", self.cap), ("alpha", self.alpha)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(PtirlProblem::Setting { option, value });
            }
        }
        if self.others == Some(0) { Err(PtirlProblem::DrawNone) } else { Ok(()) }
    }
}

/// The solution, if it keeps caps and spread.
fn check(rows: &Rows, found: Solution, settings: &Ptirl) -> Result<Solution, PtirlProblem> {
    let Ptirl { cap, alpha, objective, .. } = *settings;
    let tolerance = rows.tolerance(cap, alpha);
    let beyond = found.rewards.iter().map(|reward| reward.abs() - cap).fold(0.0, f64::max);
    if beyond > cap * 1e-9 || !found.spread.is_finite() {
        return Err(PtirlProblem::Unsolved { residual: beyond });
    }
    if found.spread < alpha - tolerance {
        return Err(match objective {
            Objective::Spread => PtirlProblem::Infeasible { alpha, largest: found.spread.max(0.0), cap },
            Objective::Near => PtirlProblem::Unsolved { residual: alpha - found.spread },
        });
    }
    Ok(found)
}

/// The largest spread that rewards within ± cap have.
///
/// ```
/// use srrd_irl::ptirl::{Sets, largest_spread};
/// let sets = Sets { probability: vec![1.0; 3], target: vec![vec![0, 1]], other: vec![vec![0, 2], vec![2, 2]] };
/// assert!(largest_spread(&sets, 2.0)? > largest_spread(&sets, 1.0)?);
/// # Ok::<(), srrd_irl::ptirl::PtirlProblem>(())
/// ```
///
/// # Errors
/// When a set has no walks, or the linear program cannot be solved.
pub fn largest_spread(sets: &Sets, cap: f64) -> Result<f64, PtirlProblem> {
    let rows = Rows::new(sets)?;
    let rewards = spread::solve(&rows, cap)?;
    Ok(rows.lower(&rewards) - rows.upper(&rewards))
}
