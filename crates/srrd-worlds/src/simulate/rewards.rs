//! What a step is rewarded with.

use rand::RngExt;
use srrd::run::checkpoint;
use std::collections::BTreeMap;

use super::plan::{Plan, Sample};
use super::problem::SimulateError;
use crate::explore::{Explorer, Met};
use crate::model::{Model, PotentialFunction, RewardFunction};
use crate::random::{Stream, derive_seed, stream};
use crate::rollout::episode;
use crate::shaping::Shaping;
use crate::world::{Step, Triple, World};

/// Where the rewards of an agent come from.
pub(super) enum Rewards {
    /// A function of the transition.
    Model(Box<RewardFunction>),
    /// The world itself: one transition can come with several.
    Score,
}

impl Rewards {
    pub fn new<W: World>(world: &W, model: Option<Model>, seed: u64) -> Self {
        model.map_or(Rewards::Score, |model| Rewards::Model(Box::new(RewardFunction::new(world, model, seed))))
    }

    fn of(&self, transition: Triple, step: Step) -> f64 {
        match self {
            Rewards::Model(function) => function.reward(transition),
            Rewards::Score => step.score,
        }
    }

    /// The distinct transitions of rollouts, and their rewards, averaged where a transition has several.
    fn met<W: World>(&self, world: &W, agent: &W::Agent, rollouts: usize, rng: &mut Stream) -> (Met, Vec<f64>) {
        match self {
            Rewards::Model(function) => {
                let mut explorer = Explorer::new(world);
                for _ in 0..rollouts {
                    checkpoint();
                    explorer.explore(world, agent, 1, rng);
                }
                let met = explorer.take_met();
                let rewards = function.rewards(&met.transitions);
                (met, rewards)
            }
            Rewards::Score => {
                // The sum of scores, how many there were, and whether all of them ended an episode.
                let mut sums: BTreeMap<Triple, (f64, f64, bool)> = BTreeMap::new();
                for _ in 0..rollouts {
                    checkpoint();
                    episode(world, agent, rng, |transition, step| {
                        let (sum, count, ends) = sums.entry(transition).or_insert((0.0, 0.0, true));
                        *sum += step.score;
                        *count += 1.0;
                        *ends &= step.done;
                    });
                }
                let rewards = sums.values().map(|(sum, count, _)| sum / count).collect();
                let (transitions, ends) = sums.into_iter().map(|(transition, (_, _, ends))| (transition, ends)).unzip();
                (Met::new(transitions, ends), rewards)
            }
        }
    }
}

/// The rewards of one sample, with what was asked to be added.
pub(super) struct Values<'a> {
    rewards: &'a Rewards,
    shaping: Option<Shaping>,
    /// A value in [−1, 1) for every transition.
    noise: Option<RewardFunction>,
    bound: f64,
}

impl<'a> Values<'a> {
    pub fn new<W: World>(
        world: &W,
        plan: &Plan,
        agent: &W::Agent,
        rewards: &'a Rewards,
        sample: &Sample,
    ) -> Result<Self, SimulateError> {
        let shaping = plan.shaping.as_ref().map(|strength| {
            let mut rng = stream(plan.seed, &sample.purpose("rollouts"));
            let (met, of_met) = rewards.met(world, agent, plan.rollouts, &mut rng);
            let seed = derive_seed(plan.seed, &sample.purpose("potential"));
            let potential = PotentialFunction::new(world, Model::Random, seed);
            let mut drawn = stream(plan.seed, &sample.purpose("factor"));
            let factor = strength.factor.unwrap_or_else(|| drawn.random_range(1.0..5.0));
            let scaled = Shaping::scaled(&of_met, &met, &potential, strength.gamma, factor);
            let modelled = matches!(rewards, Rewards::Model(_));
            scaled.map_err(|error| SimulateError::Shaping { error, modelled })
        });
        let noise = (plan.noise > 0.0)
            .then(|| RewardFunction::new(world, Model::Random, derive_seed(plan.seed, &sample.purpose("noise"))));
        Ok(Values { rewards, shaping: shaping.transpose()?, noise, bound: plan.noise })
    }

    pub fn of(&self, transition: Triple, step: Step) -> f64 {
        let shaping = self.shaping.as_ref().map_or(0.0, |shaping| match step.done {
            true => shaping.last_term(transition),
            false => shaping.term(transition),
        });
        let noise = self.noise.as_ref().map_or(0.0, |noise| self.bound * noise.reward(transition));
        self.rewards.of(transition, step) + shaping + noise
    }
}
