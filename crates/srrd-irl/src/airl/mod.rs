//! Adversarial inverse reinforcement learning (AIRL): a discriminator learns to tell demonstrated steps from those of a generator, and the
//! generator learns to act by what the discriminator likes.
//!
//! The discriminator is D = exp f / (exp f + π(a | s)) with
//!
//! ```text
//! f(s, a, s') = g + γ h(s') − h(s)
//! ```
//!
//! where g, a function of s, s' or (s, a), is the reward, and h takes shaping out of it. After an end h is 0 and nothing has value. The loss is
//! −Σ over demonstrated steps of log D − Σ over the generator's of log(1 − D), and the generator is the policy of maximum entropy
//! for the reward log D − log(1 − D) + log π = f.
//!
//! Two generators:
//!
//! - **exact** (`exact.rs`, the default, [`Airl`]): on a model with numbered states g and h are tables, and the generator is soft value
//!   iteration, solved anew after every step of the discriminator.
//! - **PPO** ([`ppo`]): g, h, the policy and its values are nets, and the generator acts in an [environment](ppo::Environment).
//!
//! Both are deterministic: the same seed gives the same reward on any number of threads. With nets that holds for one type of processor.

mod exact;
pub mod ppo;
#[cfg(test)]
mod tests;

use srrd::{Gamma, Settings};

use crate::learned::{Caution, Learned};
use crate::maxent::{RIDGE, RewardOf};
use crate::problem::Problem;
use crate::run::{Learner, Task};
use crate::watch::{Patience, Watch};

/// γ above this would make soft value iteration take too long.
const MOST_GAMMA: f64 = 0.9999;

/// Settings of AIRL with an exact generator.
///
/// ```
/// use srrd::trajectories::{End, Trajectories};
/// use srrd_irl::{Demonstrations, ModelChoice, airl::Airl, learn_all};
/// let mut builder = Trajectories::builder();
/// for door in ["left", "left", "right", "left"] {
///     builder.push_episode(&["hall", door, "street"], &[door, "leave"], None, End::Terminated)?;
/// }
/// let shown = Demonstrations::new([builder.build().named("visitor", None)])?;
/// let learned = learn_all(&shown, &ModelChoice::Set, &Airl::default(), &|_| ())?;
/// let reward = |state: &str| learned[0].sample.sample.transitions().find(|t| t.state == state.into()).unwrap().reward;
/// assert!(reward("left") > reward("right"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Airl {
    /// γ
    pub gamma: Gamma,
    /// What g is a function of.
    pub reward: RewardOf,
    /// Whether f is written instead of g.
    pub shaped: bool,
    /// λ, how strongly h is drawn to 0. It has the meaning of that of maximum causal entropy.
    pub ridge: f64,
    /// When iterations end. One iteration is one solved generator and one step of the discriminator.
    pub patience: Patience,
}

impl Default for Airl {
    fn default() -> Self {
        Airl {
            gamma: Gamma::default(),
            reward: RewardOf::State,
            shaped: false,
            ridge: RIDGE,
            patience: Patience::new(200),
        }
    }
}

impl Airl {
    /// Whether the settings can be used.
    ///
    /// # Errors
    /// Which cannot.
    pub fn check(&self) -> Result<(), Problem> {
        Problem::check_ridge(self.ridge)?;
        self.patience.check()?;
        if self.gamma.get() > MOST_GAMMA {
            return Err(Problem::value("gamma", "an exact generator needs a discount factor of at most 0.9999"));
        }
        Ok(())
    }
}

impl Learner for Airl {
    fn learn(&self, task: &Task<'_>) -> Result<Learned, Problem> {
        self.check()?;
        let set = task.set();
        let name = || set.name().to_owned();
        if !exact::has_choice(task) {
            return Err(Problem::NoChoice { set: name() });
        }
        if self.reward == RewardOf::State && set.trajectories().episodes().all(|episode| episode.len() <= 1) {
            return Err(Problem::OneStep { set: name() });
        }
        let settings = Settings { gamma: self.gamma, ..Settings::default() };
        let mut watch = Watch::new(set.sample(), self.patience, settings);
        let found = exact::learn(self, task, &mut watch);
        let diverged = |_| Problem::Diverged { set: name(), iteration: watch.iterations() };
        let mut sample = set.sample().clone();
        sample.sample = sample.sample.with_rewards(found.rewards(task, self.shaped)).map_err(diverged)?;
        let mut learned = Learned::new(sample);
        learned.cautions = task.cautions();
        if !found.converged() {
            learned.cautions.push(Caution::NotConverged { iterations: watch.iterations() });
        }
        learned.gradient = Some(found.gradient());
        learned.iterations = watch.iterations();
        learned.trace = watch.into_trace();
        Ok(learned)
    }
}
