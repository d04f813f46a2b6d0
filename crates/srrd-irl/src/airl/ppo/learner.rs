//! AIRL with PPO on demonstrations: the model is what is acted in.

use rand::RngExt;
use srrd::Settings;

use super::{AirlPpo, ModelWorld, train};
use crate::learned::{Iterate, Learned};
use crate::problem::Problem;
use crate::run::{Learner, Task};
use crate::watch::Watch;

/// So many numbers are seen in all demonstrated steps, at most: 1 GB, twice.
const MOST_SEEN: usize = 250_000_000;

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
        let own = AirlPpo { seed: task.random(self.seed, SEED).random(), ..self.clone() };
        let mut worlds = vec![ModelWorld::new(task); self.environments];
        let rows = ModelWorld::rows(task);
        let settings = Settings { gamma: self.gamma, ..Settings::default() };
        let mut watch = Watch::new(set.sample(), self.patience, settings);
        let mut note = |round: super::Round, trained: &mut super::Trained| {
            let iterate = Iterate {
                objective: round.loss,
                accuracy: Some(round.accuracy),
                returns: Some(round.returns),
                ..Iterate::default()
            };
            watch.step(iterate, || trained.rewards(&rows, self.shaped))
        };
        let mut trained = train(&mut worlds, &ModelWorld::demonstrated(task), &own, set.name(), &mut note)?;
        let diverged = |_| Problem::Diverged { set: set.name().to_owned(), iteration: watch.iterations() };
        let mut sample = set.sample().clone();
        sample.sample = sample.sample.with_rewards(trained.rewards(&rows, self.shaped)).map_err(diverged)?;
        let mut learned = Learned::new(sample);
        learned.cautions = task.cautions();
        learned.iterations = watch.iterations();
        learned.trace = watch.into_trace();
        Ok(learned)
    }
}
