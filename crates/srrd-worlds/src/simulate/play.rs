//! Playing: episodes become trajectories, piece by piece.

use srrd::sample::LARGEST_REWARD;
use srrd::trajectories::End;

use super::plan::{Plan, Sample, Tally};
use super::problem::SimulateError;
use super::rewards::{Rewards, Values};
use super::setting::{About, Playable, Setting};
use super::summary::AgentTraits;
use super::{Columns, Piece};
use crate::explore::Explorer;
use crate::random::stream;
use crate::record::Recorder;
use crate::rollout::episode;
use crate::stage::Stage;
use crate::world::World;

/// Who gets the pieces.
type Each<'a> = &'a mut dyn FnMut(Piece) -> Result<(), SimulateError>;

impl<W: World> Playable for Setting<W> {
    fn agents(&self) -> Vec<AgentTraits> {
        self.agents.iter().map(self.describe).collect()
    }

    fn about(&self) -> About {
        let (states, actions) = (self.world.states(), self.world.actions());
        About { size: self.size, epsilon: self.epsilon, model: self.model, states, actions }
    }

    fn columns(&self, labelled: bool) -> Columns {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Columns {
            labelled,
            state_features: owned(self.world.state_features()),
            action_features: owned(self.world.action_features()),
        }
    }

    fn stage(&self) -> Option<Box<dyn Stage>> {
        (self.stage)(&self.world)
    }

    fn play(&self, plan: &Plan, rows: usize, each: Each<'_>) -> Result<Tally, SimulateError> {
        let met = Explorer::new(&self.world);
        let mut game = Game { world: &self.world, plan, met, tally: Tally::default(), rows, each };
        for (agent, player) in self.agents.iter().zip(&plan.players) {
            let rewards = Rewards::new(&self.world, self.model, player.reward_seed);
            for sample in player.samples(plan.sets) {
                let values = Values::new(&self.world, plan, agent, &rewards, &sample)?;
                game.play(agent, &sample, &values)?;
            }
        }
        game.tally.count(&game.met.take());
        Ok(game.tally)
    }
}

/// A simulation under way.
struct Game<'a, W: World> {
    world: &'a W,
    plan: &'a Plan,
    met: Explorer,
    tally: Tally,
    /// How many steps a piece has at least, unless its sample is over.
    rows: usize,
    each: Each<'a>,
}

impl<W: World> Game<'_, W> {
    /// Plays the episodes of one sample. Nothing is held but the piece that is being made, and which transitions were met.
    fn play(&mut self, agent: &W::Agent, sample: &Sample, values: &Values<'_>) -> Result<(), SimulateError> {
        let rollouts = self.plan.rollouts;
        let mut rng = stream(self.plan.seed, &sample.purpose("rollouts"));
        let mut recorder = Recorder::new(self.world);
        let mut first_episode = 0;
        for number in 0..rollouts {
            let mut recorded = Ok(());
            let end = episode(self.world, agent, &mut rng, |transition, step| {
                self.met.mark(transition);
                let reward = values.of(transition, step);
                if recorded.is_ok() {
                    recorded = match reward.abs() <= LARGEST_REWARD {
                        true => recorder.record(transition, Some(reward)).map_err(SimulateError::Trajectories),
                        false => Err(SimulateError::TooBig(reward)),
                    };
                }
            });
            recorded?;
            recorder.end(end);
            self.tally.ended += usize::from(end == End::Terminated);
            if recorder.step_count() >= self.rows || number + 1 == rollouts {
                let played = recorder.take();
                self.tally.rows += played.step_count();
                let trajectories = played.named(sample.name.clone(), sample.label.as_deref());
                (self.each)(Piece { first_episode, trajectories })?;
                first_episode = number + 1;
            }
        }
        self.tally.samples += 1;
        self.tally.episodes += rollouts;
        Ok(())
    }
}
