//! What an experiment can be told: each parameter is a list of values, written with commas.

use crate::error::LabError;
use crate::experiments::Noise;
use srrd::{Batch, Metric};
use srrd_worlds::Model;
use std::fmt::{self, Display};
use std::str::FromStr;

/// How much of an experiment is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Under two minutes on two cores, and enough to see the shape of the result.
    Quick,
    /// The paper's numbers.
    Paper,
}

impl FromStr for Preset {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "quick" => Ok(Preset::Quick),
            "paper" => Ok(Preset::Paper),
            _ => Err(format!("'{text}' is neither quick nor paper")),
        }
    }
}

impl Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Preset::Quick => "quick",
            Preset::Paper => "paper",
        })
    }
}

/// The built-in worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WorldKind {
    /// Four directions on a grid.
    Gridworld,
    /// Eight directions among moving obstacles.
    BouncingBalls,
    /// Two teams of drones.
    DroneCombat,
}

impl WorldKind {
    /// All of them.
    pub const ALL: [WorldKind; 3] = [WorldKind::Gridworld, WorldKind::BouncingBalls, WorldKind::DroneCombat];
    /// Those of Experiment 1, whose size can be chosen.
    pub const GRIDS: [WorldKind; 2] = [WorldKind::Gridworld, WorldKind::BouncingBalls];

    /// As people write it.
    pub fn title(self) -> &'static str {
        match self {
            WorldKind::Gridworld => "Gridworld",
            WorldKind::BouncingBalls => "Bouncing Balls",
            WorldKind::DroneCombat => "Drone Combat",
        }
    }
}

impl FromStr for WorldKind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = WorldKind::ALL.into_iter().find(|world| world.to_string() == text);
        found.ok_or_else(|| format!("'{text}' is none of gridworld, bouncing-balls, drone-combat"))
    }
}

impl Display for WorldKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WorldKind::Gridworld => "gridworld",
            WorldKind::BouncingBalls => "bouncing-balls",
            WorldKind::DroneCombat => "drone-combat",
        })
    }
}

/// Width and height of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    /// Cells from left to right.
    pub width: usize,
    /// Cells from top to bottom.
    pub height: usize,
}

impl Size {
    /// A square.
    pub const fn square(side: usize) -> Self {
        Size { width: side, height: side }
    }
}

impl FromStr for Size {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let sides = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
        match sides {
            // So many cells that a trial would not fit into memory are a slip of the pen.
            Some((width, height)) if (2..=1000).contains(&width) && (2..=1000).contains(&height) => {
                Ok(Size { width, height })
            }
            _ => Err(format!("'{text}' is not a size such as 20x20, with sides from 2 to 1000")),
        }
    }
}

impl Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// How expectations are estimated in an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Estimation {
    /// Double batch, unsampled transitions counting 0.
    Double,
    /// The mean over sampled transitions.
    Unbiased,
    /// Double batch, unsampled transitions predicted by linear least squares.
    RegressedLinear,
    /// Double batch, unsampled transitions predicted by a regression tree.
    RegressedTree,
}

impl Estimation {
    /// All of them.
    pub const ALL: [Estimation; 4] =
        [Estimation::Double, Estimation::Unbiased, Estimation::RegressedLinear, Estimation::RegressedTree];

    /// The model that predicts unsampled rewards, where there is one. It needs features of the states.
    pub fn regression(self) -> Option<srrd::Regression> {
        match self {
            Estimation::Double | Estimation::Unbiased => None,
            Estimation::RegressedLinear => Some(srrd::Regression::Linear),
            Estimation::RegressedTree => Some(srrd::Regression::Tree(srrd::TreeLimits::default())),
        }
    }

    /// The library's estimator, with this batch where one is drawn.
    pub fn estimator(self, batch: Batch) -> srrd::Estimator {
        match self {
            Estimation::Unbiased => srrd::Estimator::Unbiased,
            _ => srrd::Estimator::Double { actions: srrd::Actions::Marginal, batch },
        }
    }
}

impl FromStr for Estimation {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Estimation::ALL.into_iter().find(|estimation| estimation.to_string() == text);
        found.ok_or_else(|| {
            let names: Vec<String> = Estimation::ALL.iter().map(Estimation::to_string).collect();
            format!("'{text}' is none of {}", names.join(", "))
        })
    }
}

impl Display for Estimation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Estimation::Double => "double",
            Estimation::Unbiased => "unbiased",
            Estimation::RegressedLinear => "regressed-linear",
            Estimation::RegressedTree => "regressed-tree",
        })
    }
}

/// A number as it is written in tables: the shortest text that reads back as the same number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number<const LOW: i64, const HIGH: i64>(pub f64);

impl<const LOW: i64, const HIGH: i64> FromStr for Number<LOW, HIGH> {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<f64>() {
            // −0 is 0: it would only make two names for one value.
            Ok(value) if value >= LOW as f64 && value <= HIGH as f64 => Ok(Number(value + 0.0)),
            _ => Err(format!("'{text}' is not a number from {LOW} to {HIGH}")),
        }
    }
}

impl<const LOW: i64, const HIGH: i64> Display for Number<LOW, HIGH> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

/// A probability or a discount factor.
pub type Fraction = Number<0, 1>;

/// The settings of an experiment. A list that is empty in an experiment's preset is a parameter that it does not have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// Worlds.
    pub world: Vec<WorldKind>,
    /// Their sizes.
    pub size: Vec<Size>,
    /// Models of rewards and potentials.
    pub model: Vec<Model>,
    /// Probabilities of a random transition.
    pub epsilon: Vec<Fraction>,
    /// Deviations from potential shaping.
    pub noise: Vec<Noise>,
    /// Numbers of rollouts a sample.
    pub rollouts: Vec<usize>,
    /// True correlations of pairs of rewards.
    pub correlation: Vec<Fraction>,
    /// How many trials of every combination; 0 where the experiment has none.
    pub trials: usize,
    /// Discount factors.
    pub gamma: Vec<Fraction>,
    /// Metrics.
    pub metric: Vec<Metric>,
    /// Estimators.
    pub estimator: Vec<Estimation>,
    /// Batch sizes of the double batch.
    pub batch: Vec<Batch>,
    /// Where the rewards of agents come from.
    pub rewards: Vec<String>,
    /// Numbers of neighbours.
    pub k: Vec<usize>,
    /// How many samples of every agent; 0 where the experiment has none.
    pub sets: usize,
    /// How many transitions two samples must share for a distance; 0 where the experiment does not ask.
    pub min_common: usize,
    /// The seed of the run.
    pub seed: u64,
}

/// The names of the parameters, as options and in run.json.
pub const NAMES: [&str; 17] = [
    "world",
    "size",
    "model",
    "epsilon",
    "noise",
    "rollouts",
    "correlation",
    "trials",
    "gamma",
    "metric",
    "estimator",
    "batch",
    "rewards",
    "k",
    "sets",
    "min-common",
    "seed",
];

impl Parameters {
    /// Replaces a parameter of experiment `what` by the values written in `text`, separated by commas.
    pub fn set(&mut self, what: &str, name: &str, text: &str) -> Result<(), LabError> {
        match name {
            "world" => replace(&mut self.world, what, name, list(name, text)?),
            "size" => replace(&mut self.size, what, name, list(name, text)?),
            "model" => replace(&mut self.model, what, name, list(name, text)?),
            "epsilon" => replace(&mut self.epsilon, what, name, list(name, text)?),
            "noise" => replace(&mut self.noise, what, name, list(name, text)?),
            "rollouts" => {
                let rollouts = list::<usize>(name, text)?;
                match rollouts.iter().all(|n| (1..=1_000_000).contains(n)) {
                    true => replace(&mut self.rollouts, what, name, rollouts),
                    false => Err(LabError::wrong("--rollouts: whole numbers from 1 to 1000000 are meant")),
                }
            }
            "correlation" => replace(&mut self.correlation, what, name, list(name, text)?),
            "trials" => count(&mut self.trials, what, name, text),
            "sets" => count(&mut self.sets, what, name, text),
            "min-common" => count(&mut self.min_common, what, name, text),
            "rewards" => replace(&mut self.rewards, what, name, list(name, text)?),
            "k" => replace(&mut self.k, what, name, list(name, text)?),
            "gamma" => replace(&mut self.gamma, what, name, list(name, text)?),
            "metric" if text == "all" => replace(&mut self.metric, what, name, Metric::ALL.to_vec()),
            "metric" => replace(&mut self.metric, what, name, list(name, text)?),
            "estimator" => replace(&mut self.estimator, what, name, list(name, text)?),
            "batch" => {
                let batches: Result<Vec<Batch>, LabError> = parts(text).map(batch).collect();
                replace(&mut self.batch, what, name, distinct(name, batches?)?)
            }
            "seed" => {
                self.seed = one(name, text)?;
                Ok(())
            }
            _ => Err(LabError::wrong(format!("`{name}` is not a parameter"))),
        }
    }

    /// The worlds of a grid, or an error for one that has none.
    pub fn only_grids(&self, what: &str) -> Result<(), LabError> {
        match self.world.iter().find(|world| !WorldKind::GRIDS.contains(world)) {
            Some(world) => Err(LabError::wrong(format!(
                "--world: `{what}` is run in gridworld and bouncing-balls, not in {world}"
            ))),
            None => Ok(()),
        }
    }

    /// The parameters that the experiment has, with their values as text.
    pub fn entries(&self) -> Vec<(&'static str, Vec<String>)> {
        let count = |count: usize| if count == 0 { vec![] } else { vec![count.to_string()] };
        let lists = [
            texts(&self.world),
            texts(&self.size),
            texts(&self.model),
            texts(&self.epsilon),
            texts(&self.noise),
            texts(&self.rollouts),
            texts(&self.correlation),
            count(self.trials),
            texts(&self.gamma),
            texts(&self.metric),
            texts(&self.estimator),
            self.batch.iter().map(|&batch| batch_name(batch)).collect(),
            self.rewards.clone(),
            texts(&self.k),
            count(self.sets),
            count(self.min_common),
            vec![self.seed.to_string()],
        ];
        NAMES.into_iter().zip(lists).filter(|(_, values)| !values.is_empty()).collect()
    }
}

/// `all` or a number.
pub fn batch_name(batch: Batch) -> String {
    match batch {
        Batch::All => "all".to_owned(),
        Batch::Size(size) => size.to_string(),
    }
}

fn batch(text: &str) -> Result<Batch, LabError> {
    let size = || text.parse().ok().and_then(|size| Batch::size(size).ok());
    let wrong = || LabError::wrong(format!("--batch: '{text}' is neither `all` nor a whole number from 1 up"));
    if text == "all" { Ok(Batch::All) } else { size().ok_or_else(wrong) }
}

fn texts<T: Display>(values: &[T]) -> Vec<String> {
    values.iter().map(T::to_string).collect()
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim)
}

fn list<T: FromStr<Err: Display> + PartialEq>(name: &str, text: &str) -> Result<Vec<T>, LabError> {
    let read = |part: &str| part.parse().map_err(|e| LabError::wrong(format!("--{name}: {}", reason(part, &e))));
    let values: Result<Vec<T>, LabError> = parts(text).map(read).collect();
    distinct(name, values?)
}

/// The errors of the standard library do not say what they read.
fn reason(part: &str, error: &impl Display) -> String {
    let error = error.to_string();
    if error.contains(part) && !part.is_empty() { error } else { format!("'{part}': {error}") }
}

fn distinct<T: PartialEq>(name: &str, values: Vec<T>) -> Result<Vec<T>, LabError> {
    match (1..values.len()).find(|&i| values[..i].contains(&values[i])) {
        Some(twice) => Err(LabError::wrong(format!("--{name}: the value number {} is there twice", twice + 1))),
        None => Ok(values),
    }
}

fn one<T: FromStr<Err: Display> + PartialEq + Copy>(name: &str, text: &str) -> Result<T, LabError> {
    match list(name, text)?[..] {
        [value] => Ok(value),
        _ => Err(LabError::wrong(format!("--{name}: one value is meant, not a list"))),
    }
}

fn count(value: &mut usize, what: &str, name: &str, text: &str) -> Result<(), LabError> {
    if *value == 0 {
        return Err(not_there(what, name));
    }
    *value = one(name, text)?;
    match *value {
        1..=1_000_000 => Ok(()),
        _ => Err(LabError::wrong(format!("--{name}: a whole number from 1 to 1000000 is meant"))),
    }
}

fn replace<T>(values: &mut Vec<T>, what: &str, name: &str, by: Vec<T>) -> Result<(), LabError> {
    if values.is_empty() {
        return Err(not_there(what, name));
    }
    *values = by;
    Ok(())
}

fn not_there(what: &str, name: &str) -> LabError {
    LabError::wrong(format!("--{name}: the experiment `{what}` has no such parameter; leave it out"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preset() -> Parameters {
        Parameters { size: vec![Size::square(20)], rollouts: vec![1], trials: 2, ..Parameters::default() }
    }

    #[test]
    fn what_is_written_reads_back() {
        let mut parameters = preset();
        parameters.set("x", "size", "3x5, 20x20").unwrap();
        parameters.set("x", "trials", "7").unwrap();
        let entries = parameters.entries();
        assert_eq!(entries[0], ("size", vec!["3x5".to_owned(), "20x20".to_owned()]));
        let mut again = preset();
        for (name, values) in &entries {
            again.set("x", name, &values.join(",")).unwrap();
        }
        assert_eq!(again, parameters);
    }

    #[test]
    fn errors_name_the_option_and_the_value() {
        let message = |name, text| preset().set("x", name, text).unwrap_err().to_string();
        assert!(message("size", "0x5").contains("--size: '0x5'"));
        assert!(message("size", "5x5,5x5").contains("twice"));
        assert!(message("rollouts", "1,x").contains("--rollouts: 'x'"));
        assert!(message("rollouts", "0").contains("1 to 1000000"));
        assert!(message("trials", "1,2").contains("not a list"));
        assert!(message("world", "gridworld").contains("no such parameter"));
    }

    #[test]
    fn fractions_are_between_0_and_1() {
        assert_eq!("0.70".parse::<Fraction>().unwrap().to_string(), "0.7");
        assert_eq!("-0".parse::<Fraction>().unwrap().to_string(), "0");
        assert!("1.5".parse::<Fraction>().is_err());
        assert!("nan".parse::<Fraction>().is_err());
    }
}
