//! Where agents act. A further domain is a line in [`find`] and an implementation of [`Domain`].

use crate::error::LabError;
use crate::experiments::shared::pairs::{SHAPING, shape};
use crate::values::{WorldKind, gamma};
use rand::RngExt;
use srrd::{Duplicates, RewardSample, SampleBuilder};
use srrd_worlds::{
    BouncingBalls, DroneCombat, Gridworld, Model, Policy, PotentialFunction, RewardFunction, Team, World,
    bouncing_balls_classes, derive_seed, drone_combat_classes, gridworld_classes, met, rollouts, stream,
};

/// What a sample of an agent is drawn from.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    /// Which agent.
    pub class: usize,
    /// The seed of the agent's reward: the same for all its samples.
    pub agent_seed: u64,
    /// The seed of the sample.
    pub seed: u64,
    /// The model of hand-made rewards.
    pub model: Model,
}

/// A world with several kinds of agents.
pub trait Domain: Send + Sync {
    /// How many kinds of agents there are.
    fn classes(&self) -> usize;
    /// One trajectory of an agent, with the rewards that were made by hand for this domain.
    fn manual(&self, draw: &Draw) -> Result<RewardSample, LabError>;
    /// What the hand-made rewards are, for the report.
    fn manual_rewards(&self) -> &'static str;
}

/// The domain of a world.
pub fn find(world: WorldKind) -> Result<Box<dyn Domain>, LabError> {
    Ok(match world {
        WorldKind::Gridworld => Box::new(Policies {
            world: Gridworld::new(20, 20, 0.0).map_err(LabError::failed)?,
            agents: gridworld_classes().to_vec(),
        }),
        WorldKind::BouncingBalls => Box::new(Policies {
            world: BouncingBalls::new(20, 20, 0.0).map_err(LabError::failed)?,
            agents: bouncing_balls_classes().to_vec(),
        }),
        WorldKind::DroneCombat => {
            Box::new(Combat { world: DroneCombat::new(), teams: drone_combat_classes().to_vec() })
        }
        other => return Err(LabError::failed(format!("{other} has no agents to tell apart"))),
    })
}

/// The discount factor of the shaping that is added: the classifier does not know it.
const SHAPING_GAMMA: f64 = 0.9;

/// A world where a policy of action weights is the agent.
struct Policies<W> {
    world: W,
    agents: Vec<Policy>,
}

impl<W: World<Agent = Policy>> Domain for Policies<W> {
    fn classes(&self) -> usize {
        self.agents.len()
    }

    fn manual(&self, draw: &Draw) -> Result<RewardSample, LabError> {
        let walked = met(&self.world, &self.agents[draw.class], 1, &mut stream(draw.seed, "rollouts"));
        let rewards = RewardFunction::new(&self.world, draw.model, draw.agent_seed).rewards(&walked.transitions);
        let potential = PotentialFunction::new(&self.world, Model::Random, derive_seed(draw.seed, "potential"));
        let factor = stream(draw.seed, "shaping factor").random_range(SHAPING);
        let shaped = shape(&potential, gamma(SHAPING_GAMMA), factor, &walked, rewards)?;
        walked.sample(shaped).map_err(LabError::failed)
    }

    fn manual_rewards(&self) -> &'static str {
        "a reward function of the features for every agent, and random potential shaping for every sample"
    }
}

/// Games of a sample: in one game a team meets too few states twice for two samples to share any.
const GAMES: usize = 5;

/// Drone combat: teams are the agents, the game's score is the reward.
struct Combat {
    world: DroneCombat,
    teams: Vec<Team>,
}

impl Domain for Combat {
    fn classes(&self) -> usize {
        self.teams.len()
    }

    fn manual(&self, draw: &Draw) -> Result<RewardSample, LabError> {
        let played = rollouts(&self.world, &self.teams[draw.class], GAMES, &mut stream(draw.seed, "rollouts"));
        // The same numbers of units at the same places may be met again with another score.
        let mut builder = SampleBuilder::with_capacity(played.steps().len());
        for step in played.steps() {
            let added = builder.push(step.state.into(), step.action.into(), step.next.into(), step.score);
            added.map_err(LabError::failed)?;
        }
        let (sample, placement) = builder.build_with_placement(Duplicates::Mean).map_err(LabError::failed)?;
        let ends: Vec<bool> = played.steps().iter().map(|step| step.done).collect();
        sample.with_row_ends(&placement, &ends).map_err(LabError::failed)
    }

    fn manual_rewards(&self) -> &'static str {
        "the score of the game, five games per sample; the score of a transition is the game's affair and not the agent's, so \
         that agents differ in what they meet more than in what they are paid for it"
    }
}
