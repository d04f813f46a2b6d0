//! A world with its agents, ready to be played, whatever its types are.

use super::plan::{Plan, Tally};
use super::problem::SimulateError;
use super::question::{PolicyChoice, SimulateOption, Simulation, Size};
use super::summary::AgentTraits;
use super::{Columns, Piece};
use crate::error::WorldError;
use crate::model::Model;
use crate::policy::Policy;
use crate::stage::{Stage, staged};
use crate::world::World;
use crate::worlds::{WorldInfo, tabled};

/// A question about one world, which the world itself answers.
pub struct Request<'a> {
    pub(crate) asked: &'a Simulation,
    pub(crate) info: &'static WorldInfo,
}

impl Request<'_> {
    /// Cells along x and y.
    pub(crate) fn size(&self) -> Result<(usize, usize), SimulateError> {
        match &self.asked.size {
            None => Ok((20, 20)),
            Some(Size::Cells { width, height }) => Ok((*width, *height)),
            Some(Size::Text(text)) => {
                let parts = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
                parts.ok_or_else(|| SimulateError::Size(text.clone()))
            }
        }
    }

    /// The probability of a random transition.
    pub(crate) fn epsilon(&self) -> f64 {
        self.asked.epsilon.unwrap_or(0.0)
    }

    /// A world that was built from size and epsilon.
    pub(crate) fn built<W>(&self, world: Result<W, WorldError>) -> Result<W, SimulateError> {
        world.map_err(|error| {
            let option = match error {
                WorldError::Epsilon(_) => SimulateOption::Epsilon,
                _ => SimulateOption::Size,
            };
            SimulateError::World { option, error }
        })
    }

    /// The policy that was asked for, by its weights or by its name.
    pub(crate) fn policy(&self) -> Result<Policy, SimulateError> {
        let WorldInfo { actions, policies, .. } = *self.info;
        if self.asked.classes && self.asked.policy.is_some() {
            return Err(SimulateError::PolicyOfClasses);
        }
        let weights = match &self.asked.policy {
            None => return Ok(tabled(policies[0].1)),
            Some(PolicyChoice::Weights(weights)) => weights.clone(),
            Some(PolicyChoice::Text(text)) => {
                if let Some((_, weights)) = policies.iter().find(|(name, _)| name == text) {
                    return Ok(tabled(weights));
                }
                let read = text.split(',').map(|part| part.trim().parse().map_err(|_| part));
                read.collect::<Result<Vec<f64>, &str>>().map_err(|part| SimulateError::PolicyText {
                    part: part.to_owned(),
                    actions,
                    names: policies.iter().map(|(name, _)| *name).collect(),
                })?
            }
        };
        if weights.len() != actions.len() {
            return Err(SimulateError::PolicyWeights { weights: weights.len(), actions });
        }
        Policy::new(&weights).map_err(|error| SimulateError::World { option: SimulateOption::Policy, error })
    }

    /// A world where a policy acts and a model makes the reward.
    pub(crate) fn walk<W: World<Agent = Policy> + Clone + 'static>(
        &self,
        world: W,
        size: (usize, usize),
        classes: Vec<Policy>,
        single: Policy,
    ) -> Box<dyn Playable> {
        Box::new(Setting {
            world,
            size,
            epsilon: Some(self.epsilon()),
            model: Some(self.asked.model.unwrap_or(Model::Random)),
            agents: if self.asked.classes { classes } else { vec![single] },
            describe: |policy| AgentTraits::Weights(policy.weights().to_vec()),
            stage: staged,
        })
    }
}

/// A world, its agents, and what else a simulation has to know about it.
pub(crate) struct Setting<W: World> {
    pub world: W,
    /// Cells along x and y.
    pub size: (usize, usize),
    /// The probability of a random transition, where there is one.
    pub epsilon: Option<f64>,
    /// How the reward depends on the features; `None` where it is the world's score.
    pub model: Option<Model>,
    /// Who plays.
    pub agents: Vec<W::Agent>,
    /// What an agent is.
    pub describe: fn(&W::Agent) -> AgentTraits,
    /// The world for somebody else to act in, where one action is taken per step.
    pub stage: fn(&W) -> Option<Box<dyn Stage>>,
}

/// A [`Setting`] of any world.
pub trait Playable: Send + Sync {
    /// What every agent is.
    fn agents(&self) -> Vec<AgentTraits>;
    /// The size, the probability of random transitions, the model of rewards.
    fn about(&self) -> About;
    /// How tables of its trajectories look.
    fn columns(&self, labelled: bool) -> Columns;
    /// The world for somebody else to act in.
    fn stage(&self) -> Option<Box<dyn Stage>>;
    /// Plays everything that is planned. `each` gets pieces of at least `rows` steps, unless a sample is over.
    fn play(
        &self,
        plan: &Plan,
        rows: usize,
        each: &mut dyn FnMut(Piece) -> Result<(), SimulateError>,
    ) -> Result<Tally, SimulateError>;
}

/// What a summary says of a setting.
pub struct About {
    pub(crate) size: (usize, usize),
    pub(crate) epsilon: Option<f64>,
    pub(crate) model: Option<Model>,
    pub(crate) states: usize,
    pub(crate) actions: usize,
}
