//! AIRL with PPO on demonstrations, where the model is what is acted in, and what is common to all environments.

use rand::RngExt;
use srrd::Settings;

use super::{AirlPpo, Environment, ModelWorld, Steps, train};
use crate::learned::{Iterate, Learned};
use crate::problem::Problem;
use crate::run::{Learner, Task};
use crate::watch::Watch;

/// So many numbers are seen in all demonstrated steps, at most: 1 GB, twice.
pub(super) const MOST_SEEN: usize = 250_000_000;

/// Of the seed of a set, among the purposes of random numbers.
const SEED: u16 = 3;

impl Learner for AirlPpo {
    fn learn(&self, task: &Task<'_>) -> Result<Learned, Problem> {
        self.check()?;
        let set = task.set();
        let (states, steps) = (task.model.dynamics().states(), set.steps());
        if states.saturating_mul(steps) > MOST_SEEN {
            return Err(Problem::ManyStates { set: set.name().to_owned(), states, steps });
        }
        let mut worlds = vec![ModelWorld::new(task); self.environments];
        learn_in(self, task, &mut worlds, &ModelWorld::demonstrated(task), &ModelWorld::rows(task))
    }
}

/// Learns from the demonstrated steps of a set in environments; rewards are those of `rows`, one step per row of the set.
pub(super) fn learn_in<E: Environment>(
    settings: &AirlPpo,
    task: &Task<'_>,
    environments: &mut [E],
    demonstrated: &Steps,
    rows: &Steps,
) -> Result<Learned, Problem> {
    let set = task.set();
    let own = AirlPpo { seed: task.random(settings.seed, SEED).random(), ..settings.clone() };
    let compared = Settings { gamma: settings.gamma, ..Settings::default() };
    let mut watch = Watch::new(set.sample(), settings.patience, compared);
    let mut note = |round: super::Round, trained: &mut super::Trained| {
        let iterate = Iterate {
            objective: round.loss,
            accuracy: Some(round.accuracy),
            returns: Some(round.returns),
            ..Iterate::default()
        };
        watch.step(iterate, || trained.rewards(rows, settings.shaped))
    };
    let mut trained = train(environments, demonstrated, &own, set.name(), &mut note)?;
    let diverged = |_| Problem::Diverged { set: set.name().to_owned(), iteration: watch.iterations() };
    let mut sample = set.sample().clone();
    sample.sample = sample.sample.with_rewards(trained.rewards(rows, settings.shaped)).map_err(diverged)?;
    let mut learned = Learned::new(sample);
    learned.cautions = task.cautions();
    learned.iterations = watch.iterations();
    learned.trace = watch.into_trace();
    Ok(learned)
}
