//! Rewards and potentials as functions of a seed.

use std::fmt;
use std::str::FromStr;

use crate::error::WorldError;
use crate::random::{Stream, below, stream, symmetric};
use crate::world::{Triple, World};

/// How a reward or a potential depends on features. With f a function of one number,
///
/// R(s, a, s') = Σᵢ uᵢ f(sᵢ) + Σⱼ wⱼ f(aⱼ) + Σᵢ vᵢ f(s'ᵢ) and φ(s) = Σᵢ uᵢ f(sᵢ),
///
/// where the constants u, w, v are uniform in [−1, 1) and drawn **anew for every transition** (of a reward) and **for every
/// state** (of a potential).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Model {
    /// f(x) = x
    Linear,
    /// f(x) = x^α, with α drawn from 1 … 10 once for the function.
    Polynomial,
    /// f(x) = sin x
    Sinusoidal,
    /// R = β and φ = β, with β uniform in [−1, 1), whatever the features are.
    Random,
}

impl Model {
    /// All of them.
    pub const ALL: [Model; 4] = [Model::Linear, Model::Polynomial, Model::Sinusoidal, Model::Random];

    /// Its line of [`MODELS`].
    ///
    /// ```
    /// assert_eq!(srrd_worlds::Model::Sinusoidal.info().name, "sinusoidal");
    /// ```
    pub fn info(self) -> &'static ModelInfo {
        &MODELS[self as usize]
    }

    /// The name, in lower case.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// f; `degree` is used by polynomials only.
    fn of(self, feature: f64, degree: i32) -> f64 {
        match self {
            Model::Linear | Model::Random => feature,
            // Not `powi`, whose last bits differ between machines.
            Model::Polynomial => (0..degree).fold(1.0, |power, _| power * feature),
            Model::Sinusoidal => feature.sin(),
        }
    }
}

/// What there is to know about a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelInfo {
    /// Which one it is.
    pub model: Model,
    /// As it is written on the command line.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
}

/// All models, in the order of [`Model`]: the table that everybody takes their names from.
pub static MODELS: [ModelInfo; 4] = [
    ModelInfo { model: Model::Linear, name: "linear", about: "a sum of the features, each with a random factor" },
    ModelInfo {
        model: Model::Polynomial,
        name: "polynomial",
        about: "as linear, with the features raised to a random power from 1 to 10",
    },
    ModelInfo { model: Model::Sinusoidal, name: "sinusoidal", about: "as linear, with the sines of the features" },
    ModelInfo { model: Model::Random, name: "random", about: "a random number from -1 to 1 for every transition" },
];

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Model {
    type Err = WorldError;

    fn from_str(name: &str) -> Result<Self, WorldError> {
        let known = Model::ALL.into_iter().find(|model| model.name() == name);
        known.ok_or_else(|| WorldError::UnknownModel(name.to_owned()))
    }
}

/// The words of one ChaCha block.
const BLOCK: u128 = 16;

/// Constants by number: those of number n begin at block n · b of a stream, b blocks being enough for all of them. So they
/// can be read in any order.
#[derive(Clone, Debug)]
struct Constants {
    rng: Stream,
    blocks: u128,
}

impl Constants {
    fn new(rng: Stream, count: usize) -> Self {
        // Two words per constant.
        Constants { rng, blocks: (2 * count as u128).div_ceil(BLOCK).max(1) }
    }

    /// Puts `rng`, a copy of the stream, to the constants of a number. (The stream has 2⁶⁴ blocks, then it repeats.)
    #[inline]
    fn seek(&self, rng: &mut Stream, number: u128) {
        rng.set_word_pos(number * self.blocks * BLOCK);
    }
}

/// A reward for every transition of a world, made from a seed.
///
/// Values come from `stream(seed, "reward")`, the degree of a polynomial from `stream(seed, "reward degree")`. The constants
/// of the transition (s, a, s') are those of the number (s · actions + a) · states + s', so that no value depends on which
/// others were asked for. f of all features is kept: O(states + actions) memory.
///
/// ```
/// use srrd_worlds::{Gridworld, Model, RewardFunction, Triple};
/// let world = Gridworld::new(4, 4, 0.0)?;
/// let reward = RewardFunction::new(&world, Model::Random, 7);
/// let step = Triple { state: 0, action: 3, next: 4 };
/// assert_eq!(reward.reward(step), reward.rewards(&[step])[0]);
/// # Ok::<(), srrd_worlds::WorldError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RewardFunction {
    model: Model,
    degree: i32,
    states: usize,
    actions: usize,
    state_terms: Terms,
    action_terms: Terms,
    constants: Constants,
}

impl RewardFunction {
    /// The reward function of a seed.
    pub fn new<W: World>(world: &W, model: Model, seed: u64) -> Self {
        let degree = draw_degree(seed, "reward degree");
        let state_terms = Terms::of_states(world, model, degree);
        let action_terms =
            Terms::new(world.actions(), world.action_features().len(), model, degree, |action, features| {
                world.describe_action(action, features);
            });
        let constants = Constants::new(stream(seed, "reward"), 2 * state_terms.width + action_terms.width);
        RewardFunction {
            model,
            degree,
            states: world.states(),
            actions: world.actions(),
            state_terms,
            action_terms,
            constants,
        }
    }

    /// The model.
    pub fn model(&self) -> Model {
        self.model
    }

    /// α, of a polynomial.
    pub fn degree(&self) -> Option<u32> {
        (self.model == Model::Polynomial).then_some(self.degree as u32)
    }

    /// R(s, a, s').
    ///
    /// # Panics
    /// If the transition is not of the world this was made for.
    pub fn reward(&self, transition: Triple) -> f64 {
        self.reward_with(transition, &mut self.constants.rng.clone())
    }

    /// The rewards of many transitions.
    ///
    /// # Panics
    /// If a transition is not of the world this was made for.
    pub fn rewards(&self, transitions: &[Triple]) -> Vec<f64> {
        let mut rng = self.constants.rng.clone();
        transitions.iter().map(|&transition| self.reward_with(transition, &mut rng)).collect()
    }

    #[inline]
    fn reward_with(&self, transition: Triple, rng: &mut Stream) -> f64 {
        let Triple { state, action, next } = transition;
        let (state, action, next) = (state as usize, action as usize, next as usize);
        assert!(
            state < self.states && action < self.actions && next < self.states,
            "{transition:?} is not of this world"
        );
        let number = (state as u128 * self.actions as u128 + action as u128) * self.states as u128 + next as u128;
        self.constants.seek(rng, number);
        if self.model == Model::Random {
            return symmetric(rng);
        }
        let terms = [self.state_terms.of(state), self.action_terms.of(action), self.state_terms.of(next)];
        terms.into_iter().flatten().map(|term| symmetric(rng) * term).sum()
    }
}

/// A potential for every state of a world, made from a seed.
///
/// Values come from `stream(seed, "potential")`, the degree of a polynomial from `stream(seed, "potential degree")`; the
/// constants of a state are those of its number.
///
/// ```
/// use srrd_worlds::{Gridworld, Model, PotentialFunction};
/// let potential = PotentialFunction::new(&Gridworld::new(4, 4, 0.0)?, Model::Linear, 7);
/// assert_eq!(potential.values().len(), 16);
/// # Ok::<(), srrd_worlds::WorldError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PotentialFunction {
    values: Vec<f64>,
}

impl PotentialFunction {
    /// The potential function of a seed. O(states).
    pub fn new<W: World>(world: &W, model: Model, seed: u64) -> Self {
        let terms = Terms::of_states(world, model, draw_degree(seed, "potential degree"));
        let constants = Constants::new(stream(seed, "potential"), terms.width);
        let mut rng = constants.rng.clone();
        let value = |state: usize| {
            constants.seek(&mut rng, state as u128);
            match model {
                Model::Random => symmetric(&mut rng),
                _ => terms.of(state).iter().map(|term| symmetric(&mut rng) * term).sum(),
            }
        };
        PotentialFunction { values: (0..world.states()).map(value).collect() }
    }

    /// A potential given by its values, one per state.
    pub fn from_values(values: Vec<f64>) -> Self {
        PotentialFunction { values }
    }

    /// φ(s).
    ///
    /// # Panics
    /// If there is no such state.
    pub fn potential(&self, state: usize) -> f64 {
        self.values[state]
    }

    /// φ of every state.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
}

fn draw_degree(seed: u64, purpose: &str) -> i32 {
    1 + below(10, &mut stream(seed, purpose)) as i32
}

/// f of the features of all states or actions.
#[derive(Clone, Debug)]
struct Terms {
    width: usize,
    values: Vec<f64>,
}

impl Terms {
    fn of_states<W: World>(world: &W, model: Model, degree: i32) -> Self {
        Terms::new(world.states(), world.state_features().len(), model, degree, |state, features| {
            world.describe_state(state, features);
        })
    }

    fn new(count: usize, width: usize, model: Model, degree: i32, describe: impl Fn(usize, &mut [f64])) -> Self {
        if model == Model::Random || width == 0 {
            return Terms { width: 0, values: Vec::new() };
        }
        let mut values = vec![0.0; count * width];
        for (index, features) in values.chunks_exact_mut(width).enumerate() {
            describe(index, features);
            features.iter_mut().for_each(|feature| *feature = model.of(*feature, degree));
        }
        Terms { width, values }
    }

    #[inline]
    fn of(&self, index: usize) -> &[f64] {
        &self.values[index * self.width..(index + 1) * self.width]
    }
}

#[cfg(test)]
mod tests;
