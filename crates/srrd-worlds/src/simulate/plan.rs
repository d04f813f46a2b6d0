//! What a question comes to: checked, with its defaults filled in.

use srrd::Gamma;
use std::fmt;

use super::problem::SimulateError;
use super::question::{SimulateOption, Simulation};
use super::setting::{Playable, Request};
use super::summary::{AgentSummary, StateCounts, Summary};
use super::{Columns, Piece};
use crate::random::derive_seed;
use crate::stage::Stage;
use crate::world::Triple;
use crate::worlds::WorldInfo;

/// A simulation that can be played: what [`Simulation::check`] makes of a question.
pub struct Plan {
    pub(super) info: &'static WorldInfo,
    pub(super) setting: Box<dyn Playable>,
    pub(super) players: Vec<Player>,
    /// Samples of every player.
    pub(super) sets: usize,
    /// Episodes of every sample.
    pub(super) rollouts: usize,
    pub(super) shaping: Option<Strength>,
    /// The bound of the noise.
    pub(super) noise: f64,
    pub(super) seed: u64,
}

/// How strong shaping is.
pub(super) struct Strength {
    pub gamma: Gamma,
    /// `None` when it is drawn.
    pub factor: Option<f64>,
}

/// Who plays: an agent of the setting with the names it goes by.
pub(super) struct Player {
    /// `None` when there is only one.
    pub label: Option<String>,
    pub reward_seed: u64,
}

/// One sample of an agent: the names it goes by.
pub(super) struct Sample {
    /// Empty when there is only one.
    pub name: String,
    pub label: Option<String>,
}

impl Sample {
    /// The purpose of a stream that belongs to this sample.
    pub fn purpose(&self, of: &str) -> String {
        if self.name.is_empty() { of.to_owned() } else { format!("{of} of {}", self.name) }
    }
}

impl Player {
    /// The samples to make of this player.
    pub fn samples(&self, sets: usize) -> impl Iterator<Item = Sample> {
        let digits = sets.to_string().len();
        (1..=sets).map(move |set| Sample {
            name: self.label.as_ref().map_or(String::new(), |label| format!("{label}-{set:0digits$}")),
            label: self.label.clone(),
        })
    }
}

/// What was played.
#[derive(Default)]
pub struct Tally {
    pub(super) samples: usize,
    pub(super) episodes: usize,
    pub(super) ended: usize,
    pub(super) rows: usize,
    transitions: usize,
    states: usize,
}

impl Tally {
    /// Counts the distinct transitions and the states they join.
    pub(super) fn count(&mut self, met: &[Triple]) {
        self.transitions = met.len();
        let mut states: Vec<u32> = met.iter().flat_map(|t| [t.state, t.next]).collect();
        states.sort_unstable();
        states.dedup();
        self.states = states.len();
    }
}

impl Simulation {
    /// Checks the question and builds its world. Nothing is played yet.
    ///
    /// # Errors
    /// When an option is wrong, or the world has no use for it.
    pub fn check(&self) -> Result<Plan, SimulateError> {
        let info = self.world.info();
        if let Some(refusal) = info.refused.iter().find(|refusal| self.has(refusal.option)) {
            return Err(SimulateError::Refused(*refusal));
        }
        let setting = (info.prepare)(&Request { asked: self, info })?;
        if self.rollouts == 0 {
            return Err(SimulateError::NoneOf(SimulateOption::Rollouts));
        }
        let reward_seed = self.reward_seed.unwrap_or(self.seed);
        let (players, sets) = match (self.classes, self.sets) {
            (true, Some(0)) => return Err(SimulateError::NoneOf(SimulateOption::Sets)),
            (false, Some(_)) => return Err(SimulateError::SetsWithoutClasses),
            (true, sets) => {
                let labels = (1..=setting.agents().len()).map(|number| format!("agent{number:02}"));
                let player =
                    |label: String| Player { reward_seed: derive_seed(reward_seed, &label), label: Some(label) };
                (labels.map(player).collect(), sets.unwrap_or(100))
            }
            (false, None) => (vec![Player { label: None, reward_seed }], 1),
        };
        from_zero_up(SimulateOption::Noise, self.noise)?;
        let shaping = self.strength()?;
        let (rollouts, noise, seed) = (self.rollouts, self.noise, self.seed);
        Ok(Plan { info, setting, players, sets, rollouts, shaping, noise, seed })
    }

    fn strength(&self) -> Result<Option<Strength>, SimulateError> {
        if !self.shaped {
            let given = [SimulateOption::Gamma, SimulateOption::Factor].into_iter().find(|option| self.has(*option));
            return given.map_or(Ok(None), |option| Err(SimulateError::WithoutShaping(option)));
        }
        let gamma = self.gamma.map_or(Ok(Gamma::default()), Gamma::new).map_err(SimulateError::Gamma)?;
        if let Some(factor) = self.factor {
            from_zero_up(SimulateOption::Factor, factor)?;
        }
        Ok(Some(Strength { gamma, factor: self.factor }))
    }
}

fn from_zero_up(option: SimulateOption, value: f64) -> Result<(), SimulateError> {
    match value.is_finite() && value >= 0.0 {
        true => Ok(()),
        false => Err(SimulateError::Negative { option, value }),
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut plan = f.debug_struct("Plan");
        plan.field("world", &self.info.name).field("samples", &self.sample_count());
        plan.field("rollouts", &self.rollouts).field("seed", &self.seed).finish_non_exhaustive()
    }
}

impl Plan {
    /// The world that is played.
    pub fn world(&self) -> &'static WorldInfo {
        self.info
    }

    /// Whether several agents play, so that samples have names and labels.
    pub(crate) fn is_labelled(&self) -> bool {
        self.players.iter().any(|player| player.label.is_some())
    }

    /// How many samples there will be.
    pub(crate) fn sample_count(&self) -> usize {
        self.players.len() * self.sets
    }

    /// The world for somebody else to act in; `None` where a step is not one action that is chosen.
    pub fn stage(&self) -> Option<Box<dyn Stage>> {
        self.setting.stage()
    }

    /// How tables of what is played look.
    pub fn columns(&self) -> Columns {
        self.setting.columns(self.is_labelled())
    }

    /// Plays, and hands over what was played in pieces of whole episodes, each with at least `rows` steps unless its sample is over:
    /// memory does not depend on how many episodes there are.
    ///
    /// ```
    /// use srrd_worlds::{SimulateError, Simulation, WorldKind};
    /// let plan = Simulation::new(WorldKind::Gridworld).check()?;
    /// let mut steps = 0;
    /// let summary = plan.play(500, |piece| {
    ///     steps += piece.trajectories.step_count();
    ///     Ok::<(), SimulateError>(())
    /// })?;
    /// assert_eq!((summary.episodes, summary.rows), (10, steps));
    /// # Ok::<(), SimulateError>(())
    /// ```
    ///
    /// # Errors
    /// When shaping finds nothing to be scaled by, a reward becomes too large, or `each` fails.
    pub fn play<E: From<SimulateError>>(
        &self,
        rows: usize,
        mut each: impl FnMut(Piece) -> Result<(), E>,
    ) -> Result<Summary, E> {
        // The error of `each` has a type that a trait object cannot know: it waits here.
        let mut failed = None;
        let mut hand_over = |piece: Piece| {
            each(piece).map_err(|error| {
                failed = Some(error);
                SimulateError::Stopped
            })
        };
        match self.setting.play(self, rows, &mut hand_over) {
            Ok(tally) => Ok(self.summary(&tally)),
            Err(problem) => Err(failed.unwrap_or_else(|| problem.into())),
        }
    }

    fn summary(&self, tally: &Tally) -> Summary {
        let about = self.setting.about();
        let labels = self.players.iter().map(|player| player.label.clone());
        let agents = labels.zip(self.setting.agents()).map(|(label, traits)| AgentSummary { label, traits });
        let (all, actions) = (about.states, about.actions);
        Summary {
            world: self.info.name,
            size: format!("{}x{}", about.size.0, about.size.1),
            epsilon: about.epsilon,
            model: about.model.map(|model| model.name()),
            seed: self.seed,
            agents: agents.collect(),
            samples: tally.samples,
            episodes: tally.episodes,
            ended: tally.ended,
            rows: tally.rows,
            states: StateCounts { met: tally.states, all },
            actions,
            transitions: tally.transitions,
            coverage: tally.transitions as f64 / (all as f64 * actions as f64 * all as f64),
        }
    }
}
