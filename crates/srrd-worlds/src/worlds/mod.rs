//! The built-in worlds, and the table that everybody takes their names from: the command, Python, help and experiments.
//!
//! A further world is a file here that implements [`World`](crate::World) and ends in its `INFO`, a variant of [`WorldKind`] and a line
//! of [`WORLDS`].

pub(crate) mod bouncing_balls;
pub(crate) mod drone_combat;
pub(crate) mod gridworld;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::policy::Policy;
use crate::simulate::{Playable, Refusal, Request, SimulateError};

/// The built-in worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum WorldKind {
    /// Four directions on a grid.
    Gridworld,
    /// Eight directions among moving obstacles.
    BouncingBalls,
    /// Two teams of drones.
    DroneCombat,
}

/// All built-in worlds, in the order of [`WorldKind`].
pub static WORLDS: [WorldInfo; 3] = [gridworld::INFO, bouncing_balls::INFO, drone_combat::INFO];

/// What there is to know about a built-in world.
#[derive(Debug)]
#[non_exhaustive]
pub struct WorldInfo {
    /// Which one it is.
    pub kind: WorldKind,
    /// As it is written on the command line.
    pub name: &'static str,
    /// As people write it.
    pub title: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// The names of the actions, where policies have a weight for each of them.
    pub actions: &'static [&'static str],
    /// The policies that have a name, with their weights. The first one plays unless another is chosen.
    pub policies: &'static [(&'static str, &'static [f64])],
    /// What is said of episodes that came to their end.
    pub ended: &'static str,
    /// The options of a [`Simulation`](crate::Simulation) that the world has no use for.
    pub refused: &'static [Refusal],
    /// Builds the world and its agents.
    pub(crate) prepare: fn(&Request<'_>) -> Result<Box<dyn Playable>, SimulateError>,
}

impl WorldKind {
    /// All of them.
    pub const ALL: [WorldKind; 3] = [WorldKind::Gridworld, WorldKind::BouncingBalls, WorldKind::DroneCombat];

    /// Its line of [`WORLDS`].
    ///
    /// ```
    /// use srrd_worlds::WorldKind;
    /// assert_eq!(WorldKind::BouncingBalls.info().title, "Bouncing Balls");
    /// ```
    pub fn info(self) -> &'static WorldInfo {
        &WORLDS[self as usize]
    }

    /// The name, as it is written on the command line.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The name, as people write it.
    pub fn title(self) -> &'static str {
        self.info().title
    }
}

impl fmt::Display for WorldKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Not the name of a built-in world.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("'{0}' is not one of {names}", names = WORLDS.each_ref().map(|world| world.name).join(", "))]
pub struct UnknownWorld(pub String);

impl FromStr for WorldKind {
    type Err = UnknownWorld;

    fn from_str(name: &str) -> Result<Self, UnknownWorld> {
        let known = WorldKind::ALL.into_iter().find(|world| world.name() == name);
        known.ok_or_else(|| UnknownWorld(name.to_owned()))
    }
}

/// The policy of some weights that stand in a table.
pub(crate) fn tabled(weights: &[f64]) -> Policy {
    Policy::new(weights).expect("the weights of a table are valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_world_has_its_line() {
        for (world, info) in WorldKind::ALL.into_iter().zip(&WORLDS) {
            assert_eq!((world, info.kind), (info.kind, world));
            assert_eq!(world.to_string().parse(), Ok(world));
            assert!(!info.about.is_empty() && !info.about.ends_with('.'), "{world}");
        }
        let error = "maze".parse::<WorldKind>().unwrap_err();
        assert_eq!(error.to_string(), "'maze' is not one of gridworld, bouncing-balls, drone-combat");
    }

    #[test]
    fn the_policies_differ_and_have_a_weight_for_every_action() {
        fn check(policies: &[Policy], actions: usize) {
            for (i, policy) in policies.iter().enumerate() {
                assert_eq!(policy.actions(), actions);
                // The paper calls them percentages; half the rows of its Gridworld table add up to 105.
                assert!([100.0, 105.0].contains(&policy.weights().iter().sum::<f64>()), "{policy:?}");
                assert!(!policies[..i].contains(policy));
            }
        }
        check(&gridworld::gridworld_classes(), 4);
        check(&bouncing_balls::bouncing_balls_classes(), 8);
        check(&gridworld::gridworld_sampling_policies().map(|(_, policy)| policy), 4);
        for info in &WORLDS {
            for (name, weights) in info.policies {
                assert_eq!(tabled(weights).actions(), info.actions.len(), "{name}");
            }
        }
    }
}
