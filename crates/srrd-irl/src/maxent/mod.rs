//! Maximum causal entropy: the reward under which an agent that acts as randomly as its rewards allow does what was demonstrated.
//!
//! Such an agent acts by the soft values
//!
//! ```text
//! Q(s, a) = r(s, a) + γ Σ_s' P(s' | s, a) V(s'),   V(s) = log Σ_a exp Q(s, a),   π(a | s) = exp(Q(s, a) − V(s))
//! ```
//!
//! where nothing of value follows an end. The reward maximizes Σ over demonstrated steps of log π(a | s), all steps alike, minus a ridge.
//! Actions that were never seen in a state (by the model) cannot be chosen there. In a state in which nobody acts, its reward is all that
//! follows.
//!
//! Free rewards need no value iteration (`free.rs`); functions of features do (`features.rs`, `net.rs`), and so
//! do agents that know how many steps they have (`horizon.rs`).

mod features;
mod free;
mod horizon;
mod net;
pub mod soft;
#[cfg(test)]
mod tests;

use srrd::settings::Choice;
use srrd::{Gamma, Settings};

use crate::learned::{Caution, Learned};
use crate::problem::Problem;
use crate::run::{Learner, Task};
use crate::watch::{Patience, Watch};

/// What rewards are functions of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RewardOf {
    /// r(s)
    #[default]
    State,
    /// r(s')
    NextState,
    /// r(s, a)
    StateAction,
}

/// What functions they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Form {
    /// A number of its own for every state, or every pair of state and action.
    #[default]
    Free,
    /// A weighted sum of feature columns.
    Linear,
    /// A net of feature columns, with two hidden layers of 32.
    Mlp,
}

impl Choice for RewardOf {
    const ALL: &'static [Self] = &[RewardOf::State, RewardOf::NextState, RewardOf::StateAction];
    const NAMES: &'static [&'static str] = &["state", "next-state", "state-action"];
}

impl Choice for Form {
    const ALL: &'static [Self] = &[Form::Free, Form::Linear, Form::Mlp];
    const NAMES: &'static [&'static str] = &["free", "linear", "mlp"];
}

/// Settings of maximum causal entropy.
///
/// ```
/// use srrd::trajectories::{End, Trajectories};
/// use srrd_irl::{Demonstrations, ModelChoice, learn_all, maxent::MaxEnt};
/// let mut builder = Trajectories::builder();
/// // Three times out of four the left door, behind which there must be something.
/// for door in ["left", "left", "right", "left"] {
///     builder.push_episode(&["hall", door, "street"], &[door, "leave"], None, End::Terminated)?;
/// }
/// let shown = Demonstrations::new([builder.build().named("visitor", None)])?;
/// let learned = learn_all(&shown, &ModelChoice::Set, &MaxEnt::default(), &|_| ())?;
/// let reward = |state: &str| learned[0].sample.sample.transitions().find(|t| t.state == state.into()).unwrap().reward;
/// assert!(reward("left") > reward("right"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaxEnt {
    /// γ
    pub gamma: Gamma,
    /// What rewards are functions of.
    pub reward: RewardOf,
    /// What functions they are.
    pub form: Form,
    /// How many steps the agent knows it has; `None`: it acts as if episodes went on. Only for free rewards of states.
    pub horizon: Option<usize>,
    /// λ, how strongly values (or weights) are drawn to 0. It decides nothing but what demonstrations leave open, unless it is large.
    pub ridge: f64,
    /// When iterations end.
    pub patience: Patience,
    /// Whether rewards get standard errors.
    pub std_errors: bool,
    /// How many further rewards are drawn that explain the demonstrations about as well.
    pub draws: usize,
    /// The seed of the draws.
    pub seed: u64,
}

impl Default for MaxEnt {
    fn default() -> Self {
        MaxEnt {
            gamma: Gamma::default(),
            reward: RewardOf::State,
            form: Form::Free,
            horizon: None,
            ridge: RIDGE,
            patience: Patience::new(200),
            std_errors: false,
            draws: 0,
            seed: 0,
        }
    }
}

/// λ unless another is asked for.
pub const RIDGE: f64 = 1e-3;
/// The largest element of the gradient per step, at the end.
const GRADIENT: f64 = 1e-10;
/// Of draws, among the purposes of random numbers.
const DRAWS: u16 = 1;

impl MaxEnt {
    /// Whether the settings go together.
    ///
    /// # Errors
    /// Which do not.
    pub fn check(&self) -> Result<(), Problem> {
        Problem::check_ridge(self.ridge)?;
        self.patience.check()?;
        let value = |option, why: &str| Err(Problem::value(option, why));
        if self.horizon == Some(0) {
            return value("horizon", "it must be at least 1");
        }
        if self.horizon.is_some() && (self.form != Form::Free || self.reward != RewardOf::State) {
            return value("horizon", "it goes with free rewards of states only");
        }
        if self.horizon.is_some() && (self.std_errors || self.draws > 0) {
            return value("horizon", "with it there are no standard errors and no draws");
        }
        if self.form == Form::Mlp && (self.std_errors || self.draws > 0) {
            return value("form", "a net has no standard errors and no draws: use linear or free");
        }
        if self.form != Form::Free && self.gamma.get() > soft::MOST_GAMMA {
            return value("gamma", "functions of features need a discount factor of at most 0.9999");
        }
        Ok(())
    }
}

impl Learner for MaxEnt {
    fn learn(&self, task: &Task<'_>) -> Result<Learned, Problem> {
        self.check()?;
        let set = task.set();
        let name = || set.name().to_owned();
        let chosen = set.rows().iter().any(|row| {
            let state = task.state_in_model(row.state) as usize;
            task.model.dynamics().pairs_of(state).len() > 1
        });
        if !chosen {
            return Err(Problem::NoChoice { set: name() });
        }
        if self.reward == RewardOf::State && set.trajectories().episodes().all(|episode| episode.len() <= 1) {
            return Err(Problem::OneStep { set: name() });
        }
        let settings = Settings { gamma: self.gamma, ..Settings::default() };
        let mut watch = Watch::new(set.sample(), self.patience, settings);
        let found = match (self.horizon, self.form, self.reward) {
            (Some(horizon), ..) => horizon::of_states(self, task, horizon, &mut watch)?,
            (None, Form::Free, RewardOf::StateAction) => free::of_pairs(self, task),
            (None, Form::Free, _) => free::of_states(self, task, &mut watch),
            (None, Form::Linear, _) => features::linear(self, task, &mut watch)?,
            (None, Form::Mlp, _) => net::of_net(self, task, &mut watch)?,
        };
        let diverged = |_| Problem::Diverged { set: name(), iteration: watch.iterations() };
        let mut sample = set.sample().clone();
        sample.sample = sample.sample.with_rewards(found.rewards).map_err(diverged)?;
        let mut learned = Learned::new(sample);
        learned.cautions = task.cautions();
        // The slope was 0 before the first step.
        if watch.iterations() == 0 && found.gradient.is_some() {
            learned.cautions.push(Caution::TellsNothing);
        }
        if !found.converged {
            learned.cautions.push(Caution::NotConverged { iterations: watch.iterations() });
        }
        if (self.std_errors || self.draws > 0) && !found.has_spread {
            learned.cautions.push(Caution::NoSpread);
        }
        learned.std_errors = found.std_errors;
        learned.draws = found.draws;
        learned.gradient = found.gradient;
        learned.iterations = watch.iterations();
        learned.trace = watch.into_trace();
        Ok(learned)
    }
}

/// What a form of rewards has come to, by row of the set.
struct Found {
    rewards: Vec<f64>,
    std_errors: Option<Vec<f64>>,
    draws: Vec<Vec<f64>>,
    gradient: Option<f64>,
    converged: bool,
    /// Whether standard errors and draws could be made.
    has_spread: bool,
}
